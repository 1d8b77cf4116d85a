"""The Numbers page, its files, citations and the tables made from the record, in a small real build."""

import csv
import json
import re

import fastjsonschema
import pytest
from matching import matched
from playwright.sync_api import expect
from toy_book import HEADER, ROOT, ToyBook

import record
from cited_numbers import edition, numbers_of_record, numbers_page, source_verdict

NUMBERS = """
minimum: {meaning: Smallest similarity, shown: .4f, source: L13}
wavelength: {meaning: "Wavelength of pair 4, <20 π>", shown: ",.1f", unit: tokens, source: [L24]}
noise: {meaning: Two routes differ by, below: 1.0e-14, source: [L01, L02]}
rank: {meaning: Rank at a tolerance of our own, shown: d, source: L41, erratum: E2}
row: {meaning: First row, shown: .6f, source: L08}
base: {meaning: Base of the frequencies, shown: ",d", given: true}
free: {meaning: A number of our own, shown: .2e, tolerance: 1.0e-6}
old-rank: {retired: "Renamed in 0.2.0", now: rank}
"""

ONE = (
    HEADER
    + """
# Chapter one

Quoted: {num}`wavelength`.

```{code-cell}
1 + 1
```

```{code-cell}
import math
from record import record
print(record("minimum", 5.968563765195686), record("wavelength", 20 * math.pi), record("noise", 3e-16))
print(record("rank", 19), record("base", 10000))
```

```{erratum} E2
:source: 000
It is {num}`rank`.
```

## Expected

```{numbers-of-record} book/one
```

```{numbers-of-record} book/one
:printed:
```
"""
)

TWO = (
    HEADER
    + """
# Chapter two

```{code-cell}
from record import record
print(record("row", [0.8414709848, 0.5403023059, 0.5331684399, 0.8460091102, 0.3109835928, 0.9504153243]))
print(record("free", 1.5e-7))
```
"""
)

INDEX = """
# A & B

## How to cite

```{how-to-cite}
:chapter: book/one
:number: wavelength
```
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    numbers = (ROOT / "book" / "numbers.md").read_text(encoding="utf8")
    pages = {"index": INDEX, "two": TWO, "one": ONE, "numbers": numbers}  # not the order of the alphabet
    book = ToyBook(
        tmp_path_factory.mktemp("page"),
        pages,
        NUMBERS,
        ["drift_guard.cell_outputs", "cited_numbers.num_role", "cited_numbers.numbers_page", "site_features.errata"],
    )
    result = book.build()
    assert result.returncode == 0, result.stdout + result.stderr
    return book


@pytest.fixture(scope="module")
def html(book) -> str:
    return book.html("numbers")


def entry(html: str, name: str) -> str:
    return matched(rf'<li id="{name}">.*?</li>', html, re.DOTALL)[0]


def text(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_the_chapters_stand_in_the_order_of_the_contents(html):
    assert re.findall(r'<section class="numbers" id="([^"]+)"', html) == ["of-two", "of-one"]
    assert html.index('id="row"') < html.index('id="of-one"') < html.index('id="minimum"')
    contents = html[html.index('class="page-toc') :]
    assert 'href="#of-two"' in contents and 'href="#of-one"' in contents


@pytest.mark.parametrize(
    "name, words",
    [
        (
            "minimum",
            [
                "5.9686",
                "Value 5.968563765195686, to a relative 10⁻⁹",
                "prints 5.968563765195686 (L13)",
                "same to all printed digits",
                "Computed in cell 2",
            ],
        ),
        ("wavelength", ["62.8", "62.83185307179586 tokens", "same to all printed digits", "&lt;20 π&gt;"]),
        ("noise", ["below 10⁻¹⁴", "prints 4.44e-16 (L01); 2.08e-17 (L02)", "below the bound"]),
        ("rank", ["Value 19, exact", "prints 15 (L41)", "differs , see erratum E2"]),
        (
            "row",
            ["0.841471, 0.540302", "0.8414709848, 0.5403023059", "same to all printed digits", "Computed in cell 1"],
        ),
        ("base", ["10,000", "Given; used in"]),
        ("free", ["1.50 × 10⁻⁷", "to a relative 10⁻⁶"]),
        ("old-rank", ["old-rank : Renamed in 0.2.0. See rank"]),
    ],
)
def test_an_entry_tells_all(html, name, words):
    found = text(entry(html, name))
    for word in words:
        assert word in found, found


def test_an_entry_links_to_its_cell_and_to_the_erratum(html, book):
    assert 'href="one.html#cell-2"' in entry(html, "minimum")
    assert 'id="cell-2"' in book.html("one")
    assert 'href="one.html#erratum-e2"' in entry(html, "rank") and 'id="erratum-e2"' in book.html("one")
    assert 'href="#rank"' in entry(html, "old-rank")


def test_the_json_file_is_valid_and_loads_as_the_page_says(book, monkeypatch):
    site = book.folder / "_build" / "html"
    schema = json.loads((site / "numbers.schema.json").read_text(encoding="utf8"))
    data = json.loads((site / "numbers.json").read_text(encoding="utf8"))
    fastjsonschema.compile(schema)(data)
    assert data["book"] == {"title": "How Transformers Know Word Order", "version": "1.2.3"}
    by_id = {number["id"]: number for number in data["numbers"]}
    assert list(by_id) == ["row", "free", "minimum", "wavelength", "noise", "rank", "base"]
    assert by_id["noise"] == {
        "id": "noise",
        "value": None,
        "shown": "1e-14",
        "meaning": "Two routes differ by",
        "unit": None,
        "page": "book/one",
        "cell": 2,
        "tolerance": None,
        "below": 1e-14,
        "source": ["L01", "L02"],
        "printed": ["4.44e-16", "2.08e-17"],
    }
    assert by_id["wavelength"]["source"] == ["L24"] and by_id["minimum"]["source"] == "L13"

    source = (book.folder / "book" / "numbers.md").read_text(encoding="utf8")
    code = matched(r"```python\n(.*?)```", source, re.DOTALL)
    assert len(code[1].strip().splitlines()) == 3
    monkeypatch.chdir(site)
    with pytest.warns(ResourceWarning):  # three lines leave the file to Python to close
        exec(code[1], space := {})
    assert space["values"]["minimum"] == 5.968563765195686


@pytest.mark.parametrize(
    "change",
    [
        {"value": None},
        {"below": 1e-9},
        {"shown": ""},
        {"id": "Big"},
        {"tolerance": -1},
        {"cell": 0},
        {"extra": 1},
    ],
)
def test_the_schema_refuses_what_is_wrong(book, change):
    validate = fastjsonschema.compile(json.loads(numbers_page.SCHEMA.read_text(encoding="utf8")))
    data = json.loads((book.folder / "_build" / "html" / "numbers.json").read_text(encoding="utf8"))
    data["numbers"][0].update(change)
    with pytest.raises(fastjsonschema.JsonSchemaValueException):
        validate(data)


def test_the_csv_file_says_the_same(book):
    site = book.folder / "_build" / "html"
    data = json.loads((site / "numbers.json").read_text(encoding="utf8"))["numbers"]
    with (site / "numbers.csv").open(encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(data[0])
    for row, number in zip(rows, data, strict=True):
        for key, value in number.items():
            expected = json.dumps(value) if isinstance(value, list) else "" if value is None else str(value)
            assert row[key] == expected


def test_how_to_cite_names_book_chapter_and_number(book):
    found = text(book.html("index"))
    assert "The posenc authors (2026). How Transformers Know Word Order, version 1.2.3. &#64;book{posenc-book," in found
    assert "Chapter one. In: How Transformers Know Word Order, version 1.2.3. book/one.html" in found
    assert "(number of record wavelength): 62.83185307179586 tokens. In: " in found
    assert "book/numbers.html#wavelength" in found


def test_the_table_of_expected_outputs_is_complete(book):
    table = matched(r'<table class="[^"]*numbers-of-record.*?</table>', book.html("one"), re.DOTALL)[0]
    rows = [text(row) for row in re.findall(r"<tr.*?</tr>", table, re.DOTALL)[1:]]
    assert len(rows) == 5
    for name, row in zip(["minimum", "wavelength", "noise", "rank", "base"], rows):
        assert row.rstrip().endswith(name)
    assert "below 10⁻¹⁴" in rows[2] and "4.44e-16; 2.08e-17" in rows[2]
    assert 'href="numbers.html#minimum"' in table


def test_a_table_of_printed_numbers_leaves_out_what_no_source_prints(book):
    whole, printed = re.findall(r'<table class="[^"]*numbers-of-record.*?</table>', book.html("one"), re.DOTALL)
    assert "Base of the frequencies" in text(whole)
    names = [text(row).split()[-1] for row in re.findall(r"<tr.*?</tr>", printed, re.DOTALL)[1:]]
    assert names == ["minimum", "wavelength", "noise", "rank"]


def test_a_difference_without_erratum_ends_the_build(tmp_path):
    wrong = NUMBERS.replace(", erratum: E2", "").replace("source: L13", "source: L13, erratum: E77")
    book = ToyBook(
        tmp_path,
        {"one": ONE, "two": TWO},
        wrong,
        ["drift_guard.cell_outputs", "cited_numbers.num_role", "cited_numbers.numbers_page", "site_features.errata"],
    )
    result = book.build()
    assert result.returncode != 0
    assert "rank: the source prints 15, the cell gives 19: name the erratum" in result.stderr
    assert "minimum: no page has an erratum E77" in result.stderr


# ---- the edition


def test_a_citation_has_the_sites_address_once_one_is_set():
    one = edition.Edition("A & B", "The authors", "2026", "1.2.3", "")
    assert one.citation() == "The authors (2026). A & B, version 1.2.3."
    assert one.citation("a.html", "Part").endswith("A & B, version 1.2.3. a.html")
    assert "howpublished = {a.html}" in one.bibtex("k", "a.html") and "howpublished" not in one.bibtex("k")
    one = one._replace(site="https://example.org/book/")
    assert one.citation("a.html", "Part").endswith("Part. In: A & B, version 1.2.3. https://example.org/book/a.html")
    assert one.citation().endswith("version 1.2.3. https://example.org/book/")
    bibtex = one.bibtex("k", "a.html#x", "x_1 × −2")
    assert "url = {https://example.org/book/a.html#x}" in bibtex
    assert r"title = {{x\_1 $\times$ $-$2}}" in bibtex and r"booktitle = {{A \& B}}" in bibtex
    assert bibtex.count("{") == bibtex.count("}")


# ---- in a browser


def address(book, page: str) -> str:
    return (book.folder / "_build" / "html" / "book" / f"{page}.html").as_uri()


@pytest.mark.browser
@pytest.mark.parametrize("script", [True, False])
def test_from_a_number_to_its_row_to_its_cell_and_back_by_keyboard(book, browser, script):
    context = browser.new_context(java_script_enabled=script, viewport={"width": 320, "height": 700})
    page = context.new_page()
    page.goto(address(book, "one"))
    quote = page.locator(".num a").first
    tip = page.locator(".num-tip").first
    assert not tip.is_visible()
    quote.focus()
    assert tip.is_visible() and "62.83185307179586 tokens" in tip.inner_text()
    box = tip.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 320
    if script:
        page.keyboard.press("Escape")
        assert not tip.is_visible()
    page.keyboard.press("Enter")
    page.wait_for_url("**/numbers.html#wavelength")
    expect(page.locator(":target")).to_be_in_viewport()  # from here on the keyboard starts at the row
    page.keyboard.press("Tab")  # the row's own address
    page.keyboard.press("Tab")  # its cell
    expect(page.locator(":focus")).to_have_attribute("href", re.compile(r"one\.html#cell-2$"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/one.html#cell-2")
    page.go_back()
    page.wait_for_url("**/numbers.html#wavelength")
    page.go_back()
    page.wait_for_url("**/one.html")
    context.close()


@pytest.mark.browser
def test_no_tip_is_cut_off_or_widens_a_narrow_page(book, page):
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(address(book, "one"))
    quotes = page.locator(".num")
    assert quotes.count() == 11  # in text, in an erratum, in two tables
    for quote in quotes.all():
        quote.locator("a").focus()
        assert quote.locator(".num-tip").evaluate("""tip => {
          tip.scrollIntoView({block: "center", behavior: "instant"});
          const {left, right, top, bottom} = tip.getBoundingClientRect();
          const corners = [[left + 3, top + 3], [right - 3, bottom - 3], [(left + right) / 2, (top + bottom) / 2]];
          return document.documentElement.scrollWidth <= innerWidth
            && corners.every(([x, y]) => tip.contains(document.elementFromPoint(x, y)));
        }"""), quote.inner_text()


@pytest.mark.browser
def test_on_paper_the_number_stands_alone(book, page):
    page.goto(address(book, "one"))
    page.emulate_media(media="print")
    page.locator(".num a").first.focus()
    assert not page.locator(".num-tip").first.is_visible()
    assert page.locator(".num").first.inner_text() == "62.8"


@pytest.mark.browser
def test_the_page_filters_and_copies(book, browser):
    context = browser.new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(address(book, "numbers"))
    shown = page.locator(".numbers ul > li:visible")
    total = shown.count()
    page.get_by_label("Filter").fill("differs l41")
    assert shown.count() == 1 and page.locator("output").inner_text() == f"1 of {total} numbers"
    page.evaluate("location.hash = '#minimum'")  # a hidden row is shown when it is asked for
    page.locator("#minimum").wait_for(state="visible")
    page.locator("#wavelength summary").click()
    page.get_by_role("button", name="Copy BibTeX for wavelength").click()
    page.get_by_text("Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    number = json.loads((book.folder / "_build/html/numbers.json").read_text(encoding="utf8"))["numbers"][3]
    part = f"{number['meaning']} (number of record wavelength): {number['value']} tokens"
    one = edition.Edition("How Transformers Know Word Order", "The posenc authors", "2026", "1.2.3", "")
    assert copied == one.bibtex("posenc-wavelength", "book/numbers.html#wavelength", part)
    context.close()


@pytest.mark.browser
def test_without_a_script_everything_is_there(book, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address(book, "numbers"))
    assert page.locator(".numbers ul > li:visible").count() == 8
    page.locator("#row summary").click()
    assert page.locator("#row .cite p").is_visible() and page.locator("#row button").count() == 0
    context.close()


@pytest.mark.browser
def test_a_long_list_is_closed_until_its_number_is_asked_for(tmp_path, browser):
    names = [f"n-{chr(97 + index)}" for index in range(numbers_page.LONG + 1)]
    cells = "\n".join(f'record("{name}", {index * 1000.0})' for index, name in enumerate(names))
    pages = {
        "one": f"{HEADER}# One\n\n```{{code-cell}}\nfrom record import record\n{cells}\n```\n",
        "numbers": "# Numbers\n\n```{numbers-page}\n```\n",
    }
    entries = "\n".join(f"{name}: {{meaning: A number, shown: g}}" for name in names)
    book = ToyBook(
        tmp_path, pages, entries, ["drift_guard.cell_outputs", "cited_numbers.num_role", "cited_numbers.numbers_page"]
    )
    built = book.build()
    assert built.returncode == 0, built.stdout + built.stderr
    page = browser.new_page()
    page.goto(address(book, "numbers"))
    assert page.locator("#n-c").is_hidden() and page.get_by_text("13 numbers").is_visible()
    page.evaluate("location.hash = '#n-c'")
    page.locator("#n-c").wait_for(state="visible")
    assert "Value 2,000, to a relative" in " ".join(page.locator("#n-c").inner_text().split())  # whole, and no 2000.0
    page.goto("about:blank")
    page.goto(address(book, "numbers"))
    page.get_by_label("Filter").fill("n-d")
    assert page.locator("#n-d").is_visible() and page.locator("#n-c").is_hidden()
    page.close()


# ---- the real book


UNSERVED = {
    "L33": [512],  # a claim about the 2017 paper that erratum E9 takes back; an example length in the book
    "L44": [16],  # "6 of 16": how many pairs a code of width 32 has
}


def test_every_number_that_a_source_prints_is_served():
    recorded = {}
    for path in (ROOT / "book" / "recorded").glob("*.json"):
        recorded |= json.loads(path.read_text(encoding="utf8"))["numbers"]
    serving = {}
    for name, entry in record.entries().items():
        for row in numbers_of_record.read_entry(entry).sources if "meaning" in entry else ():
            serving.setdefault(row, []).append(recorded[name])
    left = {}
    for name, row in numbers_of_record.source_rows().items():
        values = [number["value"] for number in serving.get(name, []) if "value" in number]
        bounds = [number["below"] for number in serving.get(name, []) if "below" in number]
        left[name] = source_verdict.unserved(row, values, bounds)
    assert {name: numbers for name, numbers in left.items() if numbers} == UNSERVED
