"""Names in code lead to the reference, and what else is added to a page finds all of it."""

from bs4 import BeautifulSoup

from codelinks import imports, of_blocks

BLOCK = '<div class="highlight-ipython3 notranslate"><div class="highlight"><pre>{}</pre></div>\n</div>'


def test_the_blocks_alone_are_handed_over_and_put_back():
    body = f"<p>one</p>{BLOCK.format('a')}<p>two</p>{BLOCK.format('b')}<p>three</p>"
    context, seen = {"body": body}, []

    def link(app, page, template, context, doctree):
        seen.append(context["body"])
        context["body"] = context["body"].replace("<pre>", "<pre>!")

    of_blocks(link)(None, "page", "page.html", context, None)
    assert "<p>" not in seen[0] and seen[0].count("<pre>") == 2
    assert context == {"body": body.replace("<pre>", "<pre>!")}


def test_imports_are_found_in_cells_and_nowhere_else():
    assert imports("import numpy as np\nfrom posenc import alibi_bias\nx = 1") == [
        "import numpy as np", "from posenc import alibi_bias"]
    assert imports("$ make book") == []


def test_pages_of_the_book_link_names_and_end_with_what_can_be_taken_along(site):
    linked = 0
    for path in sorted(site.root.joinpath("book").glob("*.html")):
        page = BeautifulSoup(path.read_text(encoding="utf8"), "html.parser")
        linked += len(page.select("div.cell_input a.sphinx-codeautolink-a"))
        for paragraph in page.select("p.take-along"):
            assert paragraph.find_parent(class_="cell") is None, path.name
            assert paragraph.find_next(class_="cell") is None, f"{path.name}: it stands at the end"
    assert linked > 100
