"""The book on paper: one PDF of a small site, with contents, bookmarks, figures and links that stay within it."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pypdf import PdfReader

from build_control.git_commit import Commit
from site_features import paper_document, print_pdf

ROOT = Path(__file__).parents[2]
NAVIGATION = """<nav class="bd-links"><a class="reference internal" href="one.html">One</a>
<a class="reference internal" href="two.html">Two</a></nav>"""
PAGE = """<!doctype html><html><head><link rel="stylesheet" href="../_static/book.css?v=1"></head><body>{navigation}
<article class="bd-article">{body}<script>document.title = "run"</script></article></body></html>"""
FRONT = f'<section id="front"><h1>A front page</h1><p>{print_pdf.PLACE}</p></section>'
ONE = """<section id="one"><h1>One</h1><p id="here">See <a href="two.html#deep">the deep place</a>,
<a href="../numbers.json">the numbers</a> and <a href="https://example.org/">elsewhere</a>.</p>
<figure id="fig"><img src="../_images/figure.svg" alt="A blue box."><figcaption>A box.</figcaption></figure>
<details><summary>Solution</summary><p>Forty-two is hidden.</p></details>
<details class="hide"><summary>Show</summary><pre>plot()</pre></details>
<span class="num"><a href="two.html#here">7</a><span class="num-tip">a tip of the screen</span></span></section>"""
TWO = f"""<section id="two"><h1>{"Two words and many more of them, so that the heading must go on, " * 2}</h1>
<p id="here">Back to <a href="one.html">one</a>.</p>{"<p>A line.</p>" * 80}
<section id="deep"><h2>Deep &amp; far</h2><p>Text.</p></section></section>"""
FIGURE = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><path d="M0 0h90v60H0z" fill="blue"/></svg>'
COMMIT = Commit("0123456789abcdef", 1_700_000_000, False)


def printed(*arguments) -> Path:
    """Print in a thread of its own: Playwright runs once a thread, and the browser of the other tests has this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(print_pdf.print_site, *arguments).result()


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    site = tmp_path_factory.mktemp("a machine's folder") / "html"
    for name in "book", "_images", "_static":
        (site / name).mkdir(parents=True)
    shutil.copy(ROOT / "book" / "theme" / "static" / "book.css", site / "_static")
    (site / "index.html").write_text('<meta http-equiv="Refresh" content="0; url=book/index.html" />', encoding="utf8")
    for name, body in {"index": FRONT, "one": ONE, "two": TWO}.items():
        page = PAGE.format(navigation=NAVIGATION, body=body)
        (site / "book" / f"{name}.html").write_text(page, encoding="utf8")
    (site / "_images" / "figure.svg").write_text(FIGURE, encoding="utf8")
    printed(site, COMMIT)
    return site


@pytest.fixture(scope="module")
def pdf(folder) -> PdfReader:
    return PdfReader(folder / print_pdf.NAME)


def page_with(pdf: PdfReader, text: str) -> int:
    """Return the number of the last page with this text: the contents have it, too."""
    return max(number for number, page in enumerate(pdf.pages, start=1) if text in page.extract_text())


def test_contents_give_the_page_of_every_heading(pdf):
    listed = " ".join(pdf.pages[1].extract_text().split())
    assert listed.startswith("Contents")
    deep = page_with(pdf, "Deep & far")
    assert deep > page_with(pdf, "Back to") >= 4
    assert f"Deep & far {deep}" in listed or f"{deep}" in listed.split("Deep & far")[1].split()
    assert pdf.pages[deep - 1].extract_text().split()[-1] == str(deep), "the page bears its number"


def test_bookmarks_are_the_headings_with_their_words_apart(pdf):
    titles = [item.title for item in pdf.outline if not isinstance(item, list)]
    long = " ".join(("Two words and many more of them, so that the heading must go on, " * 2).split())
    assert titles[1:] == ["Contents", "A front page", "One", long]
    assert [item.title for part in pdf.outline if isinstance(part, list) for item in part] == ["Deep & far"]


def test_links_lead_to_places_in_the_document_or_out_into_the_world(pdf):
    links = [link.get_object() for page in pdf.pages for link in page.get("/Annots", [])]
    world = {link["/A"]["/URI"] for link in links if "/URI" in link.get("/A", {})}
    assert world == {"https://example.org/"}
    inner = {str(link["/Dest"]).lstrip("/") for link in links if "/Dest" in link}
    assert {"book.two:deep", "book.two:here", "book.one"} <= inner
    assert all(f"/{name}" in pdf.named_destinations or name in pdf.named_destinations for name in inner)


def test_files_of_the_site_are_linked_under_its_address(folder):
    one = paper_document.chapter(folder, "book/one.html", {"book/one.html"}, "..", "https://example.org/book/")
    assert [link["href"] for link in one.find_all("a")][:2] == [
        "https://example.org/book/book/two.html",
        "https://example.org/book/numbers.json",
    ]


def test_everything_is_on_paper_but_what_belongs_to_the_screen(pdf):
    text = pdf.pages[page_with(pdf, "See the deep place") - 1].extract_text()
    assert "Forty-two is hidden." in text and "A box." in text
    assert "a tip of the screen" not in text and "plot()" not in text
    assert b" rg\n" in pdf.pages[page_with(pdf, "A box.") - 1].get_contents().get_data(), "the figure has its colour"


def test_dates_come_from_the_commit_and_nothing_from_the_machine(pdf, folder):
    assert pdf.metadata["/CreationDate"] == pdf.metadata["/ModDate"] == "D:20231114221320Z"
    assert "0123456789" in pdf.metadata["/Creator"]
    raw = (folder / print_pdf.NAME).read_bytes()
    assert b"machine" not in raw and b"file:" not in raw and pdf.trailer["/Root"]["/Lang"] == "en"


def test_printed_again_elsewhere_it_is_the_same_to_the_byte_and_linked_once(folder, tmp_path, monkeypatch):
    other = shutil.copytree(folder, tmp_path / "other" / "html")
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    monkeypatch.setenv("LC_ALL", "C")
    printed(other, COMMIT)
    assert (other / print_pdf.NAME).read_bytes() == (folder / print_pdf.NAME).read_bytes()
    front = (other / "book" / "index.html").read_text(encoding="utf8")
    assert front.count('href="../book.pdf"') == 1
    assert front == (folder / "book" / "index.html").read_text(encoding="utf8")


def test_a_folder_without_a_site_is_refused(tmp_path):
    with pytest.raises(paper_document.NoSite, match="make book"):
        printed(tmp_path, None)


def test_elements_have_names_that_do_not_depend_on_the_browser():
    tagged = b"/ID (node%08d) /Headers [ (node%08d) ] (node%08d) /Title (node12)"
    one, two = print_pdf.steady(tagged % (311, 40, 311)), print_pdf.steady(tagged % (90_000_312, 77, 90_000_312))
    assert one == two == tagged % (2, 1, 2)
    assert len(one) == len(tagged % (311, 40, 311)), "what comes behind stays in its place"
