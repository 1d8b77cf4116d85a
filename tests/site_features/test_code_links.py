"""Names in code lead to the reference, and what else is added to a page finds all of it."""

from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from site_features.code_links import imports, of_blocks, of_names

BLOCK = '<div class="highlight-ipython3 notranslate"><div class="highlight"><pre>{}</pre></div>\n</div>'


def links(**pages: list[SimpleNamespace]) -> SimpleNamespace:
    return SimpleNamespace(cache=SimpleNamespace(transforms=pages))


def test_the_named_blocks_alone_are_handed_over_and_put_back():
    named, other, last = BLOCK.format("<b>a</b> &lt; 1"), BLOCK.format("b"), BLOCK.format("c\n")
    context = {"body": f"<p>one</p>{named}<p>two</p>{other}<p>three</p>{last}"}
    seen = []

    def link(app, page, template, context, doctree):
        seen.append(context["body"])
        context["body"] = context["body"].replace("<pre>", "<pre>!")

    handler = of_blocks(link, links(page=[SimpleNamespace(source="a < 1\n"), SimpleNamespace(source="c")]))
    handler(None, "other page", "page.html", dict(context), None)
    assert not seen
    handler(None, "page", "page.html", context, None)
    assert "<p>" not in seen[0] and seen[0].count("<pre>") == 2
    linked = [block.replace("<pre>", "<pre>!") for block in (named, last)]
    assert context == {"body": f"<p>one</p>{linked[0]}<p>two</p>{other}<p>three</p>{linked[1]}"}


@pytest.mark.parametrize(
    "attributes, code",
    [
        ('class="highlight-python notranslate" id="named"', "a"),
        ('class="special highlight-python notranslate"', "a"),
        ('class="doctest highlight-default notranslate"', "a"),
        ('class="highlight-python notranslate"', '<span class="linenos">1</span>a'),
    ],
)
def test_blocks_with_names_classes_and_line_numbers_are_found(attributes, code):
    block = f'<div {attributes}><div class="highlight"><pre><span></span>{code}\n</pre></div>\n</div>'
    context, seen = {"body": f"<p>one</p>{block}<p>two</p>"}, []
    handler = of_blocks(lambda *arguments: seen.append(arguments[3]["body"]), links(page=[SimpleNamespace(source="a")]))
    handler(None, "page", "page.html", context, None)
    assert seen == [block] and context == {"body": f"<p>one</p>{block}<p>two</p>"}


def test_names_that_no_reference_can_have_are_not_looked_up():
    names = [SimpleNamespace(import_components=path.split(".")) for path in ("posenc.frequencies", "numpy.sin")]
    twin, cell = SimpleNamespace(source="a", names=[]), SimpleNamespace(source="a", names=list(names))
    drawing = SimpleNamespace(source="b", names=names[1:])
    page = links(page=[twin, cell, drawing])
    domain = SimpleNamespace(objects={"posenc.frequencies": None, "posenc.rotary.LAYOUTS": None})
    env = SimpleNamespace(get_domain=lambda name: domain)
    looked_up = []
    handler = of_names(lambda app, env: looked_up.extend([*cell.names, *drawing.names]), page)
    handler(None, env)
    assert looked_up == names[:1]
    assert page.cache.transforms["page"] == [twin, cell], "a block without names only holds the place of its twin"


def test_imports_are_found_in_cells_and_nowhere_else():
    assert imports("import numpy as np\nfrom posenc import alibi_bias\nx = 1") == [
        "import numpy as np",
        "from posenc import alibi_bias",
    ]
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
