"""The parts of the site's look that can be tested without a page: styles left out, the policy, colours turned round."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest
from docutils import nodes
from docutils.utils import new_document
from matching import matched
from stand_ins import stand_in

from site_features.dark_figures import dark, hexadecimal, oklab, size, turned
from site_features.security_policy import policy, with_policy
from site_features.style_sheets import statements, without_unused
from site_features.theme import drop_thebe, with_one_viewport

ROOT = Path(__file__).parents[2]
STYLE = (ROOT / "book" / "book.mplstyle").read_text(encoding="utf8")
PAPER = {"light": "#fdfcf8", "dark": "#191816"}


# ---- lean


def test_rules_that_no_page_matches_go_and_the_others_stay():
    css = """/* a comment { */
    .used { color: red; }
    .unused, .used > a:not(.unused):hover, #unused { margin: 0 }
    .used .unused { color: blue }
    a[data-x="unused"]::before { content: "}" }
    @media print { .unused { display: none } .used { display: block } }
    @media screen { .unused { display: none } }
    @font-face { font-family: unused; src: url(x) }
    @keyframes turning { from { top: 0 } 50% { top: 1px } }
    @charset "utf-8";""".replace('"}"', '"x"')
    assert without_unused(css, {"used", "a"}).split("\n") == [
        ".used{color: red;}",
        ".used > a:not(.unused):hover{margin: 0}",
        'a[data-x="unused"]::before{content: "x"}',
        "@media print{.used{display: block}}",
        "@font-face{font-family: unused; src: url(x)}",
        "@keyframes turning{from { top: 0 } 50% { top: 1px }}",
        '@charset "utf-8";',
    ]


def test_a_damaged_style_sheet_is_refused():
    with pytest.raises(ValueError, match="unbalanced"):
        list(statements(".a { color: red"))


def test_a_lean_style_sheet_stays_as_it_is():
    css = (ROOT / "book" / "theme" / "static" / "book.css").read_text(encoding="utf8")
    words = set(re.findall(r"[A-Za-z_][\w-]*", css))
    once = without_unused(css, words)
    assert without_unused(once, words) == once
    assert once.count("{") == re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL).count("{")


# ---- what Sphinx and others put into every page


def test_a_page_keeps_the_first_of_its_viewport_tags():
    tags = [f'<meta name="viewport" content="width=device-width, initial-scale={scale}" />' for scale in ("1.0", "1")]
    page = f"<head>\n    {tags[0]}{tags[1]}\n<title>A</title>\n  {tags[1]}\n</head><body>"
    assert with_one_viewport(page) == f"<head>\n    {tags[0]}\n<title>A</title>\n</head><body>"
    assert with_one_viewport("<head></head>") == "<head></head>"


def test_what_thebe_puts_into_a_page_is_taken_out():
    doctree = new_document("one")
    texts = "<script type='text/x-thebe-config'>{repo: 1}</script>", "<script>kernelName = 'a'</script>", "<p>kept</p>"
    doctree += [nodes.raw("", text, format="html") for text in texts]
    drop_thebe(stand_in(), doctree, "one")
    assert [raw.astext() for raw in doctree.findall(nodes.raw)] == ["<p>kept</p>"]


# ---- policy


def test_scripts_in_the_page_are_allowed_by_hash_and_no_others():
    page = '<head><meta charset="utf-8" /><script src="a.js"></script><script defer>let a = 1;</script></head>'
    digest = base64.b64encode(hashlib.sha256(b"let a = 1;").digest()).decode()
    assert f"script-src 'self' 'sha256-{digest}';" in policy(page)
    assert policy(page).count("sha256-") == 1
    assert "unsafe-eval" not in policy(page) and "http" not in policy(page)
    first, second = re.findall("<meta [^ =]*", with_policy(page))
    assert (first, second) == ("<meta charset", "<meta http-equiv"), "the policy comes before any script"


def test_what_is_no_page_is_left_alone():
    assert with_policy("<xml/>") == "<xml/>"


# ---- darkfigures


def luminance(colour: str) -> float:
    channels = [channel / 255 for channel in bytes.fromhex(colour[1:])]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colour", ["#000000", "#ffffff", "#777777", "#00689d", "#b04a00", "#ff0000", "#00ff00"])
def test_oklab_and_back(colour):
    assert hexadecimal(*oklab(colour)) == colour


def test_oklab_is_the_published_one():
    assert oklab("#ff0000") == pytest.approx((0.62796, 0.22486, 0.12585), abs=1e-4)


def test_colours_of_ink_stand_out_on_both_pages():
    cycle = matched(r"axes.prop_cycle: .*\[(.*)\]", STYLE)[1]
    ink = {f"#{code}" for code in re.findall(r"[0-9a-f]{6}", cycle)}
    ink |= set(re.findall(r'(?:text|label|title|edge|labelcolor|color).*: "(#[0-9a-f]{6})"', STYLE))
    ink -= set(re.findall(r'grid.color: "(#[0-9a-f]{6})"', STYLE))
    assert len(ink) >= 8
    for colour in ink:
        assert contrast(colour, PAPER["light"]) >= 4.5, colour
        assert contrast(turned(colour), PAPER["dark"]) >= 4.5, colour


def test_a_drawing_is_turned_but_its_pictures_are_not():
    svg = '<svg width="72pt" height="36.5pt"><path style="fill: #000000"/><image href="data:#000000"/></svg>'
    changed = dark(svg)
    assert turned("#000000") in changed.split("<image")[0] and "data:#000000" in changed
    assert changed.startswith(f'<svg fill="{turned("#000000")}"')
    assert size(svg) == 'width="96" height="49"'
