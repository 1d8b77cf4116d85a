"""The interactive figure of "Which scheme reads farther?" in a real browser, with heads known beforehand."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Unpack

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import Options, note_errors
from numpy.typing import NDArray
from playwright.sync_api import Page, ViewportSize, expect

import experiment
from posenc import softmax
from site_features import interactive_figures

pytestmark = pytest.mark.browser

SCREEN: ViewportSize = {"width": 900, "height": 800}
STOPS = np.round(2 ** (np.arange(8, 49) / 4)).astype(int).tolist()
EDGES = np.append(np.arange(16), np.round(2 ** (np.arange(16, 48) / 4))).astype(int)
OFFSETS = np.arange(4096, dtype=np.float64)
HEADS: dict[str, Callable[[int], NDArray[np.float64] | None]] = {
    "none": experiment.by_offset(np.zeros(4096)),
    "learned": {63: np.eye(64)[60]}.get,  # a vector for one length alone
    "sinusoidal": experiment.by_offset(-0.5 * OFFSETS),
    "RoPE": experiment.by_offset(np.where(OFFSETS == 3, 12.0, 0.0)),
    "ALiBi": experiment.by_offset(-0.3 * OFFSETS),
    "T5": experiment.by_offset(np.where(OFFSETS == 3, 9.0, 0.0)),
}


def shares_of(name: str, length: int) -> list[float] | None:
    scores = HEADS[name](length - 1)
    return None if scores is None else np.round(experiment.by_distance(softmax(scores), EDGES), 4).tolist()


DATA = {
    "back": 3,
    "trained": 64,
    "tokens": STOPS,
    "edges": EDGES.tolist(),
    "schemes": [
        {"name": name.lower(), "label": name, "shares": [shares_of(name, length) for length in STOPS]} for name in HEADS
    ],
}


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> str:
    """A bare page that holds the figure, under a policy that forbids every script in the page itself."""
    folder = tmp_path_factory.mktemp("emblem")
    shutil.copytree(interactive_figures.SOURCES, folder / "interactive")
    scripts = "".join(
        f'<script defer src="interactive/{script}"></script>' for script in interactive_figures.scripts("emblem")
    )
    page = Path(folder / "page.html")
    page.write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf8"><title>The emblem</title>'
        '<meta name="viewport" content="width=device-width">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self' file:; object-src 'none'\">"
        f'<link rel="stylesheet" href="interactive/{interactive_figures.STYLE}">{scripts}</head>'
        f"<body><main><h1>A page</h1>{interactive_figures.opening('emblem', DATA)}<p class='still'>Static.</p>"
        f"{interactive_figures.CLOSING}</main></body></html>",
        encoding="utf8",
    )
    return page.as_uri()


@pytest.fixture
def opened(pages, address):
    """Open the figure in a state; afterwards no script has failed and nothing was asked for elsewhere."""
    given, faults = [], []

    def open_page(state: str = "", viewport: ViewportSize = SCREEN, **options: Unpack[Options]) -> Page:
        page = pages.open(viewport, **options)
        given.append(page)
        note_errors(page, faults)
        page.on("request", lambda request: request.url.startswith("file:") or faults.append(request.url))
        page.goto(address + state)
        return settled(page)

    yield open_page
    for page in given:
        pages.take_back(page)
    assert faults == []


def settled(page: Page) -> Page:
    """Wait until a change is drawn and its words have followed."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.locator(".interactive:not(.moving)").wait_for()
    return page


def bars(page: Page, name: str) -> list[float]:
    """The shares that the bars of a scheme show: the square of their height against the tallest possible."""
    heights = page.locator(f".emblem .bar.{name}").evaluate_all(
        "(all) => all.map((bar) => Number(bar.getAttribute('height')))"
    )
    return [(height / 38) ** 2 for height in heights]


@pytest.mark.parametrize("k", [8, 24, 25, 32, 48])
def test_bars_are_the_stored_attention(opened, k):
    page = opened(f"#emblem:k={k}")
    for name in HEADS:
        expected = shares_of(name, STOPS[k - 8]) or []
        assert bars(page, name.lower()) == pytest.approx(expected, abs=1e-9)
    assert page.locator("[data-out=tokens]").inner_text() == f"{STOPS[k - 8]:,}"


def test_labels_tell_the_weight_on_the_right_key_or_that_there_is_no_vector(opened):
    inside = opened("#emblem:k=24").locator(".emblem .tag").all_text_contents()
    outside = opened("#emblem:k=32").locator(".emblem .tag").all_text_contents()
    for labels, length in ((inside, 64), (outside, 256)):
        for label, name in zip(labels, HEADS):
            shares = shares_of(name, length)
            assert label == f"{name}: " + ("no vector" if shares is None else f"{shares[3]:.3f}")
    assert inside[1] == "learned: 0.041" and outside[1] == "learned: no vector"


def test_keys_move_the_length_and_the_address_follows(opened):
    page = opened()
    slider = page.locator("#emblem-k")
    expect(slider).to_have_attribute("aria-valuetext", "256 tokens")
    slider.press("ArrowRight")
    settled(page)
    expect(slider).to_have_attribute("aria-valuetext", "304 tokens")
    assert page.evaluate("location.hash") == "#emblem:k=33"
    assert page.locator("[data-sentence]").inner_text().startswith("304 tokens are 4.75 times the trained length.")
    slider.press("Home")
    settled(page)
    assert page.locator("[data-sentence]").inner_text().startswith("4 tokens are within the trained length.")
    page.get_by_role("button", name="Reset").click()
    settled(page)
    assert page.evaluate("location.hash") == "#emblem:k=32"


def test_a_finger_moves_the_length(opened):
    page = opened(has_touch=True, viewport={"width": 390, "height": 800})
    box = page.locator("#emblem-k").bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2)
    settled(page)
    assert page.locator("[data-out=tokens]").inner_text() == "4,096"


def test_the_button_lengthens_the_text_and_begins_again_after_the_longest(opened):
    page = opened("#emblem:k=48", reduced_motion="reduce")
    page.get_by_role("button", name="Lengthen").click()
    settled(page)
    assert page.locator("[data-out=tokens]").inner_text() == "4"


@pytest.mark.parametrize("width", [320, 900])
def test_labels_overlap_nothing_and_nothing_sticks_out(opened, width):
    for k in (8, 24, 32, 48):
        page = opened(f"#emblem:k={k}", viewport={"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        boxes = page.locator(".emblem text").evaluate_all(
            """(all) => all.map((text) => {
                const { left, top, right, bottom } = text.getBoundingClientRect();
                return [left, top, right, bottom];
            })"""
        )
        for number, (left, top, right, bottom) in enumerate(boxes):
            assert left >= 0 and right <= width
            for other in boxes[number + 1 :]:
                assert right <= other[0] or other[2] <= left or bottom <= other[1] + 1 or other[3] <= top + 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_light_and_dark(opened, theme):
    page = opened()
    page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
    found = Axe().run(page, options={"preload": False}).response["violations"]
    assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found] == []


def test_data_cannot_close_the_element_that_holds_it():
    opening = interactive_figures.opening("emblem", {"label": "</script><b>"})
    assert re.findall(r"</script>", opening) == ["</script>"] and "<b>" not in opening.split("application/json")[1]
