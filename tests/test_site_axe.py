"""axe finds nothing on any page of the built book, light and dark."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import settle
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

# Colours cost axe most of its time, so it looks at one element of each kind: colour, ground, size, weight and opacity.
MARK_KINDS = """() => {
    const ground = e => {
        while (e && getComputedStyle(e).backgroundColor === "rgba(0, 0, 0, 0)") e = e.parentElement;
        return e ? getComputedStyle(e).backgroundColor : "";
    };
    const kinds = new Set();
    for (const e of document.querySelectorAll("body :not(math, math *, script)")) {
        if (![...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim())) continue;
        if (!e.checkVisibility()) continue;
        const style = getComputedStyle(e);
        const kind = [style.color, ground(e), style.fontSize, style.fontWeight, style.opacity].join();
        if (!kinds.has(kind)) e.setAttribute("data-kind", "");
        kinds.add(kind);
    }
    return kinds.size;
}"""
QUICK = {"resultTypes": ["violations"], "preload": False, "iframes": False}


def violations(page: Page, context: dict, **options: object) -> list:
    found = Axe().run(page, context=context, options=QUICK | options).response["violations"]
    nodes = [(violation["id"], node["html"]) for violation in found for node in violation["nodes"]]
    # axe cannot read MathML: a header with a formula is none without words.
    return [f"{rule}: {html[:150]}" for rule, html in nodes if not (rule == "empty-table-header" and "<math" in html)]


def test_axe_finds_nothing(page, site):
    found = {}
    for name in site.pages:
        page.emulate_media(color_scheme="light", reduced_motion="reduce")  # no colour on its way
        page.goto(site.url + name)
        kinds = {"include": [["[data-kind]"]], "exclude": [["math"]]}
        other = violations(page, {"exclude": [["math"]]}, rules={"color-contrast": {"enabled": False}})
        assert page.evaluate(MARK_KINDS) > 3
        light = violations(page, kinds, runOnly=["color-contrast"])
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        settle(page)
        page.evaluate(MARK_KINDS)
        dark = violations(page, kinds, runOnly=["color-contrast"])
        if other or light or dark:
            found[name] = {"structure": other, "light": light, "dark": dark}
    assert found == {}
