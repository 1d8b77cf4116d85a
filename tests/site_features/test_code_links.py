"""Names in code link to the reference, and pages with cells end with what can be taken along."""

from types import SimpleNamespace

from bs4 import BeautifulSoup

from site_features.code_links import link_blocks

BLOCK = '<div class="highlight-python notranslate"><div class="highlight"><pre>{}\n</pre></div>\n</div>'
NUMBERED = '<span class="linenos">1</span>'


def transform(source, *names):
    return SimpleNamespace(source=source, names=names)


def test_only_blocks_with_names_go_through_and_each_comes_back_to_its_place():
    body = "\n<p>between</p>\n".join(BLOCK.format(code) for code in ("plain", "a &lt; b", NUMBERED + "f(x)", "f(x)"))
    seen = []

    def link_html(page, blocks, transforms, inventory, *, disable_link_titles):
        seen.append((page, blocks, [one.source for one in transforms], inventory, disable_link_titles))
        return blocks.replace("f(x)", '<a href="#f">f</a>(x)')

    sources = [transform("plain"), transform("a < b", "a"), transform("f(x)"), transform("f(x)\n", "f")]
    linked = link_blocks(link_html, "one", body, sources, {"f": "#f"}, disable_link_titles=True)
    assert linked == body.replace("f(x)", '<a href="#f">f</a>(x)')
    ((page, blocks, chosen, inventory, titles),) = seen
    assert (page, inventory, titles) == ("one", {"f": "#f"}, True)
    assert chosen == ["a < b", "f(x)", "f(x)\n"], "a block without names goes, too, if another one has the same text"
    assert blocks.count("<pre>") == 3 and "plain" not in blocks


def test_pages_of_the_book_link_names_and_end_with_what_can_be_taken_along(site):
    linked = 0
    for path in sorted(site.root.joinpath("book").glob("*.html")):
        page = BeautifulSoup(path.read_text(encoding="utf8"), "html.parser")
        linked += len(page.select("div.cell_input a.sphinx-codeautolink-a"))
        for paragraph in page.select("p.take-along"):
            assert paragraph.find_parent(class_="cell") is None, path.name
            assert paragraph.find_next(class_="cell") is None, f"{path.name}: it stands at the end"
    assert linked > 400
