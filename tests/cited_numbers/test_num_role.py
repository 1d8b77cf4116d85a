"""Numbers quoted in text and formulas, in a small real build."""

import re

import pytest
import yaml
from toy_book import HEADER, ToyBook

from cited_numbers import check_entries, number_text

NUMBERS = """
minimum: {meaning: Smallest similarity, shown: .4f, source: L13}
minimum-far: {meaning: Its negative, shown: .2f, unit: tokens}
count: {meaning: Number of tokens, shown: ",d"}
tiny: {meaning: A small rate, shown: .2e, tolerance: 1.0e-6}
noise: {meaning: Two routes differ by, below: 1.0e-14, source: [L01, L02]}
rows: {meaning: Rows of a table, shown: .1f}
input: {meaning: Base of the frequencies, shown: ",d", given: true}
"""

CELLS = """
```{code-cell}
from record import record
print(record("minimum", 5.968563765195686), record("minimum-far", -5.968563765195686), record("count", 35333))
print(record("tiny", 1.7782794e-4), record("noise", 3e-16), record("input", 10000))
print(record("rows", [[1, -2.25], [3, 4]]))
```
"""

PAGE = (
    HEADER
    + """
# One

A sentence with {num}`minimum` and {num}`minimum-far`, {num}`minimum:.2f`, {num}`count`,
{num}`tiny`, {num}`noise`.[^note]
The whole table {num}`rows`, a row {num}`rows[0]`, an item {num}`rows[0][1]:.2f`; **{num}`input`**.

[^note]: In a footnote {num}`count`.

| a | b |
|---|---|
| {num}`rows[1][0]` | text {num}`minimum` |

:::{admonition} Title with {num}`count`
Body with {num}`minimum`.
:::

```{figure} dot.svg
:alt: A dot
A caption with {num}`minimum` and $\\num{minimum}$.
```

Inline $s = \\num{minimum} < \\num{count}$, $\\num{rows[0][1]}$, $\\num{noise}$, $\\num{tiny}$, $\\num{rows[0]}$.

$$ x = \\num{minimum:.3f} $$

\\begin{align}
y &= \\num{minimum-far} \\\\
\\end{align}
"""
    + CELLS
)

OTHER = "# Two\n\nAnother page says {num}`minimum`.\n"
DOT = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4" cx="4" cy="4"/></svg>'


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    book = ToyBook(tmp_path_factory.mktemp("num"), {"one": PAGE, "two": OTHER}, NUMBERS, ["cited_numbers.num_role"])
    book.write("dot.svg", DOT)
    result = book.build()
    assert result.returncode == 0, result.stdout + result.stderr
    return book


def quotes(html: str) -> list[str]:
    return re.findall(r'<span class="num"><a href="numbers.html#[a-z-]+" aria-describedby="[^"]+">([^<]*)</a>', html)


def test_every_place_of_a_page_shows_the_number(book):
    html = book.html("one")
    assert quotes(html)[:9] == [
        "5.9686",
        "−5.97",
        "5.97",
        "35,333",
        "1.78 × 10⁻⁴",
        "10⁻¹⁴",
        "1.0, −2.2; 3.0, 4.0",
        "1.0, −2.2",
        "−2.25",
    ]
    assert sorted(quotes(html)[9:]) == sorted(["10,000", "35,333", "3.0", "5.9686", "35,333", "5.9686", "5.9686"])
    assert "num-tip-16" in html and "num-tip-17" not in html


@pytest.mark.parametrize(
    "tex",
    [
        r"s = 5.9686 &lt; 35{,}333",
        r"\(-2.2\)",
        r"\(10^{-14}\)",
        r"\(1.78 \times 10^{-4}\)",
        r"\(1.0,\; -2.2\)",
        "x = 5.969 ",
        "y &amp;= -5.97",
    ],
)
def test_formulas_show_the_digits_alone(book, tex):
    assert tex in book.html("one")


def test_the_tip_tells_value_meaning_and_tolerance(book):
    tips = re.findall(r'role="tooltip" id="num-tip-\d+">([^<]*)<', book.html("one"))
    assert tips[1] == "Its negative: −5.968563765195686 tokens. Holds to a relative 10⁻⁹."
    assert tips[3] == "Number of tokens: 35,333. Exact."
    assert tips[4] == "A small rate: 0.00017782794. Holds to a relative 10⁻⁶."
    assert tips[5] == "Two routes differ by: rounding noise, below 10⁻¹⁴; its digits depend on the processor."
    assert tips[9] == "Base of the frequencies: 10,000. Given by the source."


def test_a_page_is_written_again_when_a_number_of_another_page_changes(book):
    assert quotes(book.html("two")) == ["5.9686"]
    book.write("one.md", PAGE.replace("5.968563765195686)", "5.5)", 1))
    assert book.build().returncode == 0
    assert quotes(book.html("two")) == ["5.5000"]


def test_what_is_wrong_ends_the_build_with_page_and_line(tmp_path):
    page = (
        HEADER + "# One\n\nText {num}`nowhere`.\n\n| a |\n|---|\n| {num}`rows[2]` |\n\n$$ \\num{count[0]} $$\n\n"
        "A paragraph\n{num}`noise:.2f` {num}`Bad Id` {num}`minimum:d`\n\n## Heading {num}`count`\n" + CELLS
    )
    book = ToyBook(tmp_path, {"one": page}, NUMBERS, ["cited_numbers.num_role"])
    for _ in range(2):  # the rerun fails too
        result = book.build()
        assert result.returncode != 0
        for line, what in [
            (7, "no cell publishes a number 'nowhere'"),
            (11, "no item [2], the items of 'rows' are [0] to [1]"),
            (13, "'count' has no item [0]"),
            (16, "a residual is quoted as its bound"),
            (16, "'Bad Id' is not of the form"),
            (16, "the format 'd' does not fit the value 5.96"),
            (18, "a heading cannot quote a number"),
        ]:
            assert re.search(rf"book/one:{line}: .*{re.escape(what)}", result.stderr), (line, what, result.stderr)
    assert not list(tmp_path.glob("_build/html/book/*.html"))


@pytest.mark.parametrize(
    "entry, fault",
    [
        ("{shown: .2f}", "no meaning"),
        ("{meaning: m}", "needs either shown"),
        ("{meaning: m, shown: .2f, below: 1.0e-9}", "needs either shown"),
        ("{meaning: m, shown: .2f, units: s}", "unknown key 'units'"),
        ("{meaning: m, shown: .2}", "quotation marks"),
        ("{meaning: m, shown: d, unit: 3}", "unit is a text"),
        ("{meaning: m, shown: d, tolerance: -1}", "positive number"),
        ("{meaning: m, shown: d, source: L99}", "no row 'L99'"),
        ("{meaning: m, shown: d, given: 3}", "given is true or false"),
        ("text", "expected keys"),
    ],
)
def test_entries_are_checked(monkeypatch, entry, fault):
    monkeypatch.setattr(check_entries, "entries", lambda: yaml.safe_load(f"one: {entry}"))
    found = check_entries.faults_of_entries({"one": {"value": 1}}, {"L01"})
    assert len(found) == 1 and fault in found[0]


def test_an_entry_without_a_record_and_one_that_stands_twice_are_found(monkeypatch, tmp_path):
    file = tmp_path / "numbers.yml"
    file.write_text("one: {meaning: m, shown: d}\none: {meaning: m, shown: d}\n", encoding="utf8")
    monkeypatch.setattr(check_entries, "NUMBERS", file)
    monkeypatch.setattr(check_entries, "entries", lambda: {"one": {"meaning": "m", "shown": "d"}})
    assert check_entries.faults_of_entries({}, set()) == [
        "book/numbers.yml: one stands there 2 times",
        "book/numbers.yml: one: no cell records this number",
    ]


@pytest.mark.parametrize(
    "text, prose, tex",
    [
        ("-1.5", "−1.5", "-1.5"),
        ("1e+06", "10⁶", "10^{6}"),
        ("-2e-03", "−2 × 10⁻³", r"-2 \times 10^{-3}"),
        ("1.0e+02", "1.0 × 10²", r"1.0 \times 10^{2}"),
        ("1,234.5", "1,234.5", "1{,}234.5"),
        ("-1e-05", "−1 × 10⁻⁵", r"-1 \times 10^{-5}"),
    ],
)
def test_typography(text, prose, tex):
    assert (number_text.prose(text), number_text.tex(text)) == (prose, tex)
