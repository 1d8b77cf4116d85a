"""Names in code link to the reference, and pages with cells end with what can be taken along."""

from bs4 import BeautifulSoup


def test_pages_of_the_book_link_names_and_end_with_what_can_be_taken_along(site):
    linked = 0
    for path in sorted(site.root.joinpath("book").glob("*.html")):
        page = BeautifulSoup(path.read_text(encoding="utf8"), "html.parser")
        linked += len(page.select("div.cell_input a.sphinx-codeautolink-a"))
        for paragraph in page.select("p.take-along"):
            assert paragraph.find_parent(class_="cell") is None, path.name
            assert paragraph.find_next(class_="cell") is None, f"{path.name}: it stands at the end"
    assert linked > 100
