"""The built book read in other ways than from a server: from a file, without scripts, by keyboard, light and dark."""

from __future__ import annotations

import re
from html import unescape

import pytest
from browser import ROOT, note_errors
from fontTools.ttLib import TTFont
from playwright.sync_api import expect

from site_features.dark_figures import turned

pytestmark = pytest.mark.browser

PAPER = {"light": "#fdfcf8", "dark": "#191816"}  # as in book.css
LESSON = "book/lesson-10.html"


# ---- Ways to read


def test_pages_read_from_a_file(page, site):
    """Of pages that load the same scripts one is opened; no page has an address that only a server can answer."""
    openers, from_the_root = {}, []
    for name in site.pages:
        html = site.root.joinpath(name).read_text(encoding="utf8")
        scripts = frozenset(re.findall(r'<script[^>]* src="(?:\.\./)*([^"]*)"', html))
        assert scripts, name
        openers.setdefault(scripts, name)
        from_the_root += [f"{name}: {found}" for found in re.findall(r'(?:src|href)="/[^"]*"', html)]
    assert from_the_root == []
    failures: list[str] = []
    note_errors(page, failures, levels=("error",))
    for name in {LESSON, *openers.values()}:
        page.goto(site.root.joinpath(name).as_uri())
    assert failures == []
    page.goto(site.root.joinpath(LESSON).as_uri())
    assert page.evaluate("document.fonts.ready.then(() => document.fonts.check('16px \"STIX Two Math\"', '∑'))")


def test_a_chapter_reads_with_scripts_off(browser, site):
    context = browser.new_context(java_script_enabled=False, color_scheme="dark")
    page = context.new_page()
    page.goto(site.root.joinpath(LESSON).as_uri())
    formulas = page.locator("article math")
    assert formulas.count() > 100
    assert formulas.first.bounding_box()["width"] > 5
    assert page.locator("nav.bd-links a", has_text="Numbers").is_visible()
    assert page.locator("article img.on-dark").first.is_visible()
    assert not page.locator("article img.on-light").first.is_visible()
    context.close()


def test_with_scripts_off_no_page_scrolls_sideways_on_a_phone(browser, site):
    context = browser.new_context(java_script_enabled=False, viewport={"width": 320, "height": 700})
    page = context.new_page()
    inspector = context.new_cdp_session(page)
    widths = {}
    for name in site.pages:
        page.goto(site.root.joinpath(name).as_uri())
        widths[name] = inspector.send("Page.getLayoutMetrics")["cssContentSize"]["width"]
    context.close()
    assert {name: width for name, width in widths.items() if width > 320} == {}


@pytest.mark.parametrize("way", ["server", "file"])
def test_search_finds_pages(page, site, way):
    start = site.url if way == "server" else f"{site.root.as_uri()}/"
    page.goto(f"{start}search.html?q=permutation")
    results = page.locator("#search-results li a")
    results.first.wait_for()
    results.first.click()
    page.wait_for_load_state("load")
    assert "permutation" in page.locator("article").inner_text().lower()


def test_the_keyboard_reaches_the_text_and_shows_where_it_is(page, site):
    page.goto(site.url + LESSON)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to main content"
    for _ in range(12):
        page.keyboard.press("Tab")
        outline, name = page.evaluate(
            "[getComputedStyle(document.activeElement).outlineStyle, document.activeElement.outerHTML.slice(0, 120)]"
        )
        assert outline != "none", f"no sign of the focus on {name}"


def test_a_link_into_a_closed_solution_opens_it(page, site):
    page.goto(site.url + "book/errata.html")
    page.click("#erratum-e24 .where a")
    expect(page.locator("[id^=see-e24]")).to_be_visible()
    expect(page.locator("[id^=see-e24]")).to_be_in_viewport()
    assert page.locator(".toggle-hidden").count() == page.locator(".solution").count() - 1
    page.goto(site.url + "book/lesson-10.html")
    page.click("#lesson10-exercise-1 a:has-text('Solution')")
    expect(page.locator("#lesson10-solution-1 .highlight").first).to_be_visible()


def test_the_switch_changes_the_page_and_its_figures(page, site):
    page.goto(site.url + LESSON)
    shown = []
    for _ in range(3):
        page.locator(".theme-switch-button").first.click()
        theme = page.evaluate("document.documentElement.dataset.theme")
        shown.append(theme)
        for scheme in PAPER:
            assert page.locator(f"article img.on-{scheme}").first.is_visible() == (scheme == theme)
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert background == "rgb({}, {}, {})".format(*bytes.fromhex(PAPER[theme][1:]))
    assert set(shown) == {"light", "dark"}


def test_the_font_has_every_character_of_every_formula(site):
    codes = TTFont(site.root / "_static" / "fonts" / "stix-two-math.woff2").getBestCmap()
    assert codes is not None, "the font has no table from characters to glyphs"
    font = {chr(code) for code in codes}
    invisible = {"\n", "\u2061", "\u2063", "\ufe00"}  # function application, separator, choice of a script form
    for name in site.pages:
        html = site.root.joinpath(name).read_text(encoding="utf8")
        formulas = "".join(re.findall(r"<math.*?</math>", html, re.DOTALL))
        characters = set(unescape(re.sub(r"<[^>]*>", "", formulas))) - invisible
        assert characters <= font, name


def test_every_icon_of_a_page_is_drawn(site):
    styles = (ROOT / "book" / "theme" / "static" / "book.css").read_text(encoding="utf8")
    drawn = set(re.findall(r"\.(fa-[a-z-]+)", styles))
    for name in site.pages:
        html = site.root.joinpath(name).read_text(encoding="utf8")
        for classes in re.findall(r'class="([^"]*\bfa-(?:solid|regular|brands)\b[^"]*)"', html):
            icons = {word for word in classes.split() if word.startswith("fa-")} - {"fa-lg"}
            assert icons <= drawn, f"{name}: {icons - drawn} has no drawing in book.css"


# ---- Figures stand out on both pages


def luminance(colour: str) -> float:
    channels = [channel / 255 for channel in bytes.fromhex(colour[1:])]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_measured_right():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=1e-3)


def test_words_in_figures_stand_out_on_both_pages(site):
    drawings = [path for path in site.root.joinpath("_images").glob("*.svg") if ".dark" not in path.name]
    assert drawings
    for path in drawings:
        paths = {"light": path, "dark": path.with_name(f"{path.stem}.dark.svg")}
        for scheme, file in paths.items():
            drawing = file.read_text(encoding="utf8")
            ground = re.search(r'<g id="patch_1">.*?</g>', drawing, re.DOTALL)
            assert ground is None or "fill: none" in ground[0] or "opacity: 0" in ground[0], f"{file}: not transparent"
            words = "".join(re.findall(r'<g id="text_\d+">.*?<g style="([^"]*)"', drawing, re.DOTALL))
            default = "#000000" if scheme == "light" else turned("#000000")
            for colour in {default, *re.findall(r"fill: (#[0-9a-f]{6})", words)}:
                assert contrast(colour, PAPER[scheme]) >= 4.5, f"{file.name}: {colour} on the {scheme} page"
