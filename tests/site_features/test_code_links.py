"""Names in code link to the reference, and pages with cells end with what can be taken along."""

from bs4 import BeautifulSoup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx_codeautolink.extension.block import link_html
from sphinx_codeautolink.parse import parse_names
from stand_ins import stand_in

from site_features.code_links import link_blocks

CODES = (
    "import posenc",
    "x = posenc.alibi_slopes(8) if 1 < 2 else posenc.alibi_slopes(9)",
    "print('no name')",
    "x = posenc.alibi_slopes(8) if 1 < 2 else posenc.alibi_slopes(9)",
    "y = posenc.alibi_slopes(\n    4\n)",
)
INVENTORY = {"posenc.alibi_slopes": "book/api.html#posenc.alibi_slopes"}


def blocks_of_a_page(language):
    """Return the HTML of the codes' blocks, as Sphinx writes them."""
    block = '<div class="highlight-{} notranslate"><div class="highlight"><pre><span></span>{}</pre></div>\n</div>'
    codes = [highlight(code, PythonLexer(), HtmlFormatter(nowrap=True)) for code in CODES]
    return "\n<p>&quot;between&quot;</p>\n".join(block.format(language, code) for code in codes)


def names_in(code):
    """Return what sphinx-codeautolink finds in a block, resolved."""
    names = [name for name in parse_names(f"import posenc\n{code}", None) if name.code_str == "posenc.alibi_slopes"]
    for name in names:
        name.lineno, name.end_lineno = name.lineno - 1, name.end_lineno - 1  # without the line in front
        name.resolved_location = name.code_str
    return names


def test_the_links_are_those_of_sphinx_codeautolink():
    """Of two blocks with the same code each is linked, and output of the same text is not."""
    html = blocks_of_a_page("none") + blocks_of_a_page("python")
    transforms = [stand_in(source=f"{code}\n", names=names_in(code)) for code in CODES]
    settings = "book/one", html, transforms, INVENTORY, {}, []
    linked, expected = link_blocks(*settings), link_html(*settings, disable_link_titles=False)
    page = BeautifulSoup(linked, "html.parser")
    assert page == BeautifulSoup(expected, "html.parser")
    addresses = [link["href"] for link in page.select("a.sphinx-codeautolink-a")]
    assert addresses == ["../book/api.html#posenc.alibi_slopes"] * 5
    assert linked.count("<p>&quot;between&quot;</p>") == html.count("<p>&quot;between&quot;</p>") == 8


def test_pages_of_the_book_link_names_and_end_with_what_can_be_taken_along(site):
    linked = 0
    for path in sorted(site.root.joinpath("book").glob("*.html")):
        page = BeautifulSoup(path.read_text(encoding="utf8"), "html.parser")
        linked += len(page.select("div.cell_input a.sphinx-codeautolink-a"))
        for paragraph in page.select("p.take-along"):
            assert paragraph.find_parent(class_="cell") is None, path.name
            assert paragraph.find_next(class_="cell") is None, f"{path.name}: it stands at the end"
    assert linked > 400
