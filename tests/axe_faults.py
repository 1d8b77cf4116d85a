"""What axe finds on a page, light and dark."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from browser import settle
from playwright.sync_api import Page

LOOKS = ["color-contrast", "link-in-text-block"]  # the rules that compare colours
QUICK = {"resultTypes": ["violations"], "preload": False, "iframes": False}

# Colours cost axe most of its time, so it looks at one element of each kind: colour, ground, size, weight, opacity,
# and for a link how it differs from the words around it. This marks the first element of each kind that is not known
# yet, and returns all kinds on the page.
MARK_KINDS = """known => {
    const ground = e => {
        while (e && getComputedStyle(e).backgroundColor === "rgba(0, 0, 0, 0)") e = e.parentElement;
        return e ? getComputedStyle(e).backgroundColor : "";
    };
    const kinds = new Set(), seen = new Set(known);
    for (const e of document.querySelectorAll("body :not(math, math *, script)")) {
        if (![...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim())) continue;
        if (!e.checkVisibility()) continue;
        const style = getComputedStyle(e), link = e.closest("a"), around = link && getComputedStyle(link.parentElement);
        const kind = [style.color, ground(e), style.fontSize, style.fontWeight, style.opacity,
            link && [getComputedStyle(link).textDecorationLine, around.color, around.display]].join();
        if (!seen.has(kind)) e.setAttribute("data-kind", "");
        seen.add(kind);
        kinds.add(kind);
    }
    return [...kinds];
}"""

# axe cannot read MathML, so a formula becomes a word; and it need not look at each coloured word of code.
SIMPLIFY = """() => {
    for (const e of document.querySelectorAll("math")) e.replaceWith("formula");
    for (const e of document.querySelectorAll("pre span:not([data-kind])"))
        if (e.getAttributeNames().every(name => name === "class")) e.replaceWith(...e.childNodes);
}"""

# Leave the elements of each kind, with what they stand in and its words.
STRIP = """() => {
    const kept = new Set();
    for (let e of document.querySelectorAll("[data-kind]")) for (; e; e = e.parentElement) kept.add(e);
    for (const e of document.querySelectorAll("body *")) if (!kept.has(e)) e.remove();
}"""


def violations(page: Page, **options: object) -> list[str]:
    there = page.evaluate("'axe' in window")  # to send and compile it anew takes longer than a small page
    found = (Axe("null") if there else Axe()).run(page, options=QUICK | options).response["violations"]
    return [f"{violation['id']}: {node['html'][:150]}" for violation in found for node in violation["nodes"]]


def faults(page: Page, known: set[str] | None = None) -> dict[str, list[str]]:
    """Return what axe finds on an open page: in how it is made, and in its looks, light and dark.

    The page is taken apart for it, and of no use afterwards. Pages of one site share a set of `known` kinds, which
    grows here, so that axe compares the colours of a kind on the first page that has it.
    """
    known = set() if known is None else known
    new: set[str] = set()
    for scheme in "dark", "light":
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # no colour on its way
        settle(page)
        kinds = page.evaluate(MARK_KINDS, list(known))
        assert len(kinds) > 3
        new.update(set(kinds) - known)
    page.evaluate(SIMPLIFY)
    found = {"structure": violations(page, rules={rule: {"enabled": False} for rule in LOOKS})}
    if new:
        page.evaluate(STRIP)
        for scheme in "light", "dark":
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            settle(page)
            found[scheme] = violations(page, runOnly=LOOKS)
    known |= new
    return {what: nodes for what, nodes in found.items() if nodes}
