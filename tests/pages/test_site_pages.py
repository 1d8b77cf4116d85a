"""Every page of the built book as it comes from a server: what it asks for, what it holds, how wide it is, and axe.

Each page is loaded once for all of it. test_site_reading.py reads pages in other ways.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from axe_faults import faults
from browser import Pages, Site, note_errors
from playwright.sync_api import ViewportSize

pytestmark = pytest.mark.browser

WEIGHT = 900_000  # bytes of a page with all it loads beside its figures
SCREEN: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 320, "height": 700}
LESSON = "book/lesson-10.html"


# ---- One visit to each page, from which the tests read


@dataclass
class Visit:
    """What one page did and was when it was loaded from a server."""

    requests: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    weight: int = 0
    facts: dict = field(default_factory=dict)
    width_at_320: int = 0
    hidden_scrollers: list[str] = field(default_factory=list)
    axe: dict[str, list[str]] = field(default_factory=dict)


FACTS = """() => ({
    language: document.documentElement.lang,
    title: document.title,
    viewports: document.querySelectorAll('meta[name="viewport"]').length,
    elsewhere: /thebe|binder/i.test(document.documentElement.outerHTML),
    policy: document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.content ?? "",
    twice: [...document.querySelectorAll("[id]")].map(e => e.id).filter((id, i, all) => all.indexOf(id) !== i),
    headings: document.querySelectorAll("h1:not(.onlyprint h1)").length,
    undescribed: [...document.querySelectorAll("article img")].filter(e => e.alt.length < 20).map(e => e.src),
    headless: [...document.querySelectorAll("article table")]
        .filter(e => !e.querySelector("th")).map(e => e.textContent.trim().slice(0, 60)),
    measure: (() => {
        const p = [...document.querySelectorAll("article > section > p, article section > section > p")]
            .find(e => e.innerText.length > 300 && !e.querySelector("math"));
        if (!p) return null;
        const lines = new Set([...(() => { const r = document.createRange(); r.selectNodeContents(p);
            return r.getClientRects(); })()].map(r => Math.round(r.bottom / 8)));
        return p.innerText.length / lines.size;
    })(),
})"""

# Whatever is cut off at the side must scroll, and the keyboard must reach it.
HIDDEN_SCROLLERS = """() => [...document.querySelectorAll("article *")].filter(e => {
    const style = getComputedStyle(e);
    return /auto|scroll/.test(style.overflowX) && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0
        && !(e.tabIndex === 0 && e.getAttribute("role") && e.getAttribute("aria-label"));
}).map(e => e.className + " " + e.textContent.trim().slice(0, 40))"""


# What it holds and loads, but for its figures; a file counts also when the browser has it from an earlier page.
WEIGHS = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .filter(entry => !entry.name.includes("/_images/"))
    .reduce((bytes, entry) => bytes + entry.decodedBodySize, 0)"""


def visit(pages: Pages, site: Site, name: str, kinds: set[str]) -> Visit:
    """Load a page narrow and dark, as axe wants it first, and make it wide: each change has it laid out anew."""
    result, failures, requests, responses = Visit(), [], [], []
    page = pages.open(viewport=PHONE, color_scheme="dark", reduced_motion="reduce")
    note_errors(page, failures)
    page.on("requestfailed", lambda request: failures.append(f"failed: {request.url}"))
    page.on("request", lambda request: requests.append(request.url))
    page.on("response", lambda response: responses.append(response))
    page.goto(site.url + name)
    page.wait_for_load_state("networkidle")
    for response in responses:
        if response.status >= 400:
            failures.append(f"{response.status}: {response.url}")
    result.weight = page.evaluate(WEIGHS)
    result.width_at_320 = page.evaluate("document.documentElement.scrollWidth")
    result.hidden_scrollers = page.evaluate(HIDDEN_SCROLLERS)
    page.set_viewport_size(SCREEN)
    page.wait_for_function(f"() => ({HIDDEN_SCROLLERS})().length === 0")  # the page's scripts follow its size
    result.facts = page.evaluate(FACTS)
    result.failures, result.requests = list(failures), list(requests)
    result.axe = faults(page, kinds)  # which takes the page apart: its scripts may fail from here on
    pages.take_back(page)
    return result


@pytest.fixture(scope="module")
def visits(pages: Pages, site: Site) -> dict[str, Visit]:
    assert LESSON in site.pages
    kinds: set[str] = set()
    return {name: visit(pages, site, name, kinds) for name in site.pages}


def test_no_page_asks_another_host_for_anything(visits, site):
    own = urlsplit(site.url).netloc
    for name, seen in visits.items():
        assert {urlsplit(url).netloc for url in seen.requests if not url.startswith("data:")} == {own}, name


def test_no_script_error_and_nothing_missing(visits):
    assert {name: seen.failures for name, seen in visits.items() if seen.failures} == {}


def test_every_page_has_a_strict_policy(visits):
    for name, seen in visits.items():
        policy = dict(part.strip().split(" ", 1) for part in seen.facts["policy"].split(";"))
        assert policy["default-src"] == "'self'" and policy["object-src"] == "'none'", name
        assert re.fullmatch(r"'self'( 'sha256-[\w+/=]+')*", policy["script-src"]), name


def test_every_page_has_a_language_and_a_title_of_its_own(visits):
    assert {seen.facts["language"] for seen in visits.values()} == {"en"}
    titles = [seen.facts["title"] for seen in visits.values()]
    assert all(titles) and len(set(titles)) == len(titles)


def test_every_page_says_once_how_wide_it_is_and_runs_cells_nowhere(visits):
    assert {seen.facts["viewports"] for seen in visits.values()} == {1}
    assert not [name for name, seen in visits.items() if seen.facts["elsewhere"]]


def test_no_id_occurs_twice_on_a_page(visits):
    assert {name: seen.facts["twice"] for name, seen in visits.items() if seen.facts["twice"]} == {}


def test_pictures_are_described_and_tables_have_headers(visits):
    for name, seen in visits.items():
        assert seen.facts["undescribed"] == [], name
        assert seen.facts["headless"] == [], name


def test_pages_are_light(visits):
    assert {name: seen.weight for name, seen in visits.items() if seen.weight > WEIGHT} == {}


def test_lines_have_a_length_for_reading(visits):
    measures = [seen.facts["measure"] for seen in visits.values() if seen.facts["measure"]]
    assert measures and 60 <= sum(measures) / len(measures) <= 78


def test_no_page_scrolls_sideways_on_a_phone(visits):
    assert {name: seen.width_at_320 for name, seen in visits.items() if seen.width_at_320 > 320} == {}


def test_what_scrolls_within_itself_is_reached_by_keyboard_and_named(visits):
    assert {name: seen.hidden_scrollers for name, seen in visits.items() if seen.hidden_scrollers} == {}


def test_axe_finds_nothing(visits):
    assert {name: seen.axe for name, seen in visits.items() if seen.axe} == {}


def test_axe_finds_what_is_wrong(page, tmp_path):
    """One fault of each sort: a picture without words, faint words in the dark, a link that looks like its text."""
    style = "@media (prefers-color-scheme: dark) { body { background: #000; color: #222 } }"
    link = '<p>Words, <a href="#" style="color: #300; text-decoration: none">a link</a>, and more words.</p>'
    spare = "<h1>A</h1><h2 style='color: red; background: #fff'>B</h2><p style='font-size: 12px'>C</p><p>$</p>"
    path = tmp_path / "page.html"
    path.write_text(
        f'<!doctype html><html lang="en"><title>A page</title><style>{style}</style><main>{spare}{link}'
        '<img src="data:,"></main>',
        encoding="utf8",
    )
    page.goto(path.as_uri())
    known: set[str] = set()
    found = faults(page, known)
    assert any(fault.startswith("image-alt") for fault in found["structure"])
    assert any(fault.startswith("color-contrast: <p") for fault in found["dark"]), found
    assert [fault.split(":")[0] for fault in found["light"]].count("link-in-text-block") == 1, found
    page.goto(path.as_uri())
    again = faults(page, known)
    assert again == {"structure": found["structure"]}, "what was seen on one page is not looked at on the next"
