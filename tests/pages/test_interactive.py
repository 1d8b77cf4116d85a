"""The interactive figures in a real browser: their numbers are posenc's, and every way to use them works.

Most tests load a bare page of the figures' own markup, styles and scripts from a file:// address, under a policy that
forbids everything inline and foreign. One small book is built to test the directive.
"""

import gzip
import itertools
import re
import shutil
from pathlib import Path
from typing import Unpack

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import Options, note_errors
from playwright.sync_api import Locator, Page, ViewportSize, expect
from toy_book import HEADER, ROOT, ToyBook

import posenc
from site_features import interactive_figures

pytestmark = pytest.mark.browser

POLICY = "default-src 'self' file:; object-src 'none'"
STATIC = (
    "<figure id='fig-still'><p class='still'>The static figure.</p>"
    "<figcaption><p><span class='caption-number'>Fig. 7 </span>What it shows.</p></figcaption></figure>"
)
# The theme's colours, as its dark mode sets them.
THEME = """html[data-theme="dark"] { background: var(--pst-color-background); color: var(--pst-color-text-base);
  --pst-color-background: #121212; --pst-color-surface: #29313d; --pst-color-border: #48566b;
  --pst-color-text-base: #ced6dd; --pst-color-text-muted: #9ca4af; }"""
# The emblem draws stored values and has tests of its own (test_emblem.py).
LIVE = tuple(name for name in interactive_figures.FIGURES if name != "emblem")
LAB = {"k": 4, "delta": 5, "p": 10}
EXPLORER = {"T": 128, "d": 32, "base": 10000, "A": 80, "B": 73, "column": 12, "trained": 64}
VECTORS = {"qx": 10, "qy": 20, "kx": 20, "ky": 10}
VIEWS = {"matrix": 0, "positions": 1, "schemes": 2}
DESKTOP: ViewportSize = {"width": 1280, "height": 900}
LANDSCAPE: ViewportSize = {"width": 844, "height": 390}
PORTRAIT: ViewportSize = {"width": 390, "height": 844}
ALONE: ViewportSize = {"width": 1000, "height": 900}  # for a figure on a bare page


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Pages `lab.html` and `explorer.html` that hold a figure and a section, beside a copy of the figures' files."""
    folder = tmp_path_factory.mktemp("interactive")
    (folder / "interactive").mkdir()
    for path in [*interactive_figures.SOURCES.glob("*.js"), *interactive_figures.SOURCES.glob("*.css")]:
        (folder / "interactive" / path.name).write_text(interactive_figures.published(path), encoding="utf8")
    for name in LIVE:
        scripts = "".join(
            f'<script defer src="interactive/{script}"></script>' for script in interactive_figures.scripts(name)
        )
        (folder / f"{name}.html").write_text(
            f'<!doctype html><html lang="en"><head><meta charset="utf8"><title>{name}</title>'
            f'<meta name="viewport" content="width=device-width">'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
            f'<link rel="stylesheet" href="page.css">'
            f'<link rel="stylesheet" href="interactive/{interactive_figures.STYLE}">'
            f"{scripts}</head>"
            f"<body><main><h1>A page</h1>{interactive_figures.opening(name)}{STATIC}{interactive_figures.CLOSING}"
            f'<h2 id="section">A section</h2></main></body></html>',
            encoding="utf8",
        )
    (folder / "page.css").write_text(THEME, encoding="utf8")
    return folder


class Figure:
    """A figure on its page, and everything that went wrong there."""

    def __init__(self, page: Page, url: str, name: str):
        self.page, self.url, self.name = page, url, name
        self.faults: list[str] = []
        self.requests: list[str] = []
        note_errors(page, self.faults)
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, address: str = "") -> "Figure":
        if self.page.url != "about:blank":
            self.page.goto("about:blank")  # a change of the state alone would not load the page anew
        self.page.goto(self.url + address)
        return self.drawn()

    def turn_to(self, address: str) -> "Figure":
        """Change the state by the address, as a link within the page does."""
        if self.page.url == "about:blank":
            return self.open(address)
        self.at_rest().page.evaluate(
            """(address) => location.hash === address || new Promise((done) => {
                addEventListener("hashchange", done, { once: true });
                location.hash = address;
            })""",
            address,
        )
        return self.drawn()

    def drawn(self) -> "Figure":
        """Wait for what is on its way to the screen: a change is drawn at the next frame."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return self

    def at_rest(self) -> "Figure":
        """Wait for the pause after a change, when words and address follow."""
        self.page.locator(".interactive:not(.moving)").wait_for()
        return self

    def texts(self) -> dict[str, str]:
        """What is on screen, by the names that the markup gives it."""
        return self.drawn().page.evaluate(
            """() => Object.fromEntries(
                [...document.querySelectorAll("[data-out]")].map((e) => [e.dataset.out, e.innerText]))"""
        )

    def state(self) -> dict[str, int]:
        """What the number fields hold."""
        return self.drawn().page.evaluate(
            """() => Object.fromEntries(
                [...document.querySelectorAll("input[type=number]")].map((e) => [e.name, Number(e.value)]))"""
        )

    def full_state(self) -> dict[str, int]:
        """The state as the address holds it, with what has no number field."""
        parts = self.address().partition(":")[2].split(",")
        return {key: int(value) for key, value in (part.split("=") for part in parts)}

    def view(self, name: str, **state: int) -> "Figure":
        """Open the explorer in one of its views."""
        return self.open(address_of("explorer", {"view": VIEWS[name], **state}))

    def handle(self, name: str):
        return self.page.locator(f"[role=tabpanel]:not([hidden]) [data-handle={name}]")

    def address(self) -> str:
        return self.at_rest().page.evaluate("location.hash")

    def says(self, name: str) -> str:
        return self.at_rest().page.locator(f"[data-sentence={name}]").inner_text()

    def visit(self, states: list[dict[str, int]]) -> list[dict[str, str]]:
        """What is on screen in each state, opened by its address."""
        return self.page.evaluate(
            """async (addresses) => {
                const frame = () => new Promise(requestAnimationFrame);
                const seen = [];
                for (const address of addresses) {
                    const changed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
                    location.hash = address;
                    await changed; await frame(); await frame();
                    seen.push(Object.fromEntries(
                        [...document.querySelectorAll("[data-out]")].map((e) => [e.dataset.out, e.innerText])));
                }
                return seen;
            }""",
            [address_of(self.name, state) for state in states],
        )


def address_of(name: str, state: dict[str, int]) -> str:
    return f"#{name}:" + ",".join(f"{key}={value}" for key, value in state.items())


@pytest.fixture
def figure(pages, folder):
    """Make a figure on a fresh page; afterwards nothing must have gone wrong and nothing been asked for elsewhere."""
    figures = []

    def make(name: str, viewport: ViewportSize = ALONE, **options: Unpack[Options]) -> Figure:
        page = pages.open(viewport, **options)
        figures.append(Figure(page, (folder / f"{name}.html").as_uri(), name))
        return figures[-1]

    yield make
    for made in figures:
        pages.take_back(made.page)
    for made in figures:
        assert made.faults == []
        home = folder.as_uri()
        assert [url for url in made.requests if not url.startswith(home)] == []


# How the figures show numbers: the same rules, in Python.


def fixed(value: float, decimals: int = 4) -> str:
    text = f"{value:.{decimals}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def significant(value: float) -> str:
    if value >= 999.95:
        return f"{value:,.0f}"
    exponent = int(f"{value:.3e}".partition("e")[2])
    return f"{value:.{3 - exponent}f}"


# Numbers on screen.


def sharp(value: float, least: int = 4) -> str:
    """Four decimals, and more where they would hide the number."""
    size, missing = abs(value), 1 - abs(value)
    if 1e-13 < missing < 5e-5:
        return fixed(value, int(np.ceil(-np.log10(missing))) + 1)
    if 1e-13 < size < 0.1:
        return fixed(value, 3 - int(np.floor(np.log10(size))))
    return fixed(value, least)


def lab_texts(k: int, delta: int, p: int) -> dict[str, str]:
    omega = posenc.frequencies(64)[k]
    (sin_p, cos_p), (sin_q, cos_q) = posenc.sinusoidal_encoding([p, p + delta], 64)[:, 2 * k : 2 * k + 2]
    return {
        "omega": significant(omega),
        "period": significant(posenc.wavelengths(64)[k]),
        "turns": sharp(50 / posenc.wavelengths(64)[k]),
        "cosp": sharp(cos_p),
        "sinp": sharp(sin_p),
        "cosq": sharp(cos_q),
        "sinq": sharp(sin_q),
        "angle": sharp(omega * delta),
        "degrees": sharp(np.degrees(omega * delta), 2),
        "product": sharp(sin_p * sin_q + cos_p * cos_q),
        "cosine": sharp(np.cos(omega * delta)),
        "mean": sharp(posenc.similarity(delta, 64) / 32),
    }


def test_lab_shows_posencs_numbers(figure):
    states = [
        {"k": k, "delta": delta, "p": p} for k, delta, p in itertools.product((0, 4, 13, 31), (-49, 0, 1, 17), (0, 49))
    ]
    for state, seen in zip(states, figure("lab").open().visit(states)):
        assert seen == lab_texts(**state), state


def test_lab_products_round_as_posencs_in_every_state(figure):
    """All pairs and offsets at every seventh position, through the page's own formulas and its own rounding."""
    shown = (
        figure("lab")
        .open()
        .page.evaluate(
            """() => {
            const { frequency, dot, fixed } = interactive.maths;
            const texts = [];
            for (let k = 0; k < 32; k++) for (let p = 0; p < 50; p += 7) for (let delta = -49; delta < 50; delta++) {
                const [a, b] = [p, p + delta].map((at) => frequency(k, 64, 10000) * at);
                texts.push(fixed(dot([Math.cos(a), Math.sin(a)], [Math.cos(b), Math.sin(b)])));
            }
            return texts;
        }"""
        )
    )
    code = posenc.sinusoidal_encoding(np.arange(-49, 99), 64).reshape(148, 32, 2)  # position -49 first
    first = np.arange(0, 50, 7)[:, None]
    second = first + np.arange(-49, 50)
    products = (code[first + 49] * code[second + 49]).sum(axis=-1)  # (8, 99, 32)
    products = np.moveaxis(products, -1, 0)
    assert shown == [fixed(value) for value in products.ravel()]


def extended(d: int, base: int, T: int, trained: int, ext: int) -> tuple[np.ndarray, float]:
    """RoPE's frequencies for T positions after a training on fewer, and the factor on its scores."""
    omegas, factor = posenc.frequencies(d, base), max(1, T / trained)
    changed = (
        lambda: omegas,
        lambda: posenc.interpolated(omegas, factor),
        lambda: posenc.ntk_aware(omegas, factor),
        lambda: posenc.yarn(omegas, factor, trained),
    )[ext]()
    return changed, posenc.yarn_attention_factor(factor) ** 2 if ext == 3 else 1.0


def rope_scores(query, key, at, places, omegas: np.ndarray, boost: float) -> np.ndarray:
    """The scores of a query at one position with keys at others; every pair holds the same two vectors."""
    pairs = len(omegas)
    q = posenc.apply_rotary(np.tile(query, pairs), at, frequencies=omegas)
    k = posenc.apply_rotary(np.tile(key, (len(places), pairs)), places, frequencies=omegas)
    return boost * (k @ q) / np.sqrt(2 * pairs)


def explorer_texts(
    T: int,
    d: int,
    base: int,
    A: int,
    B: int,
    column: int,
    trained: int,
    qx: int = 10,
    qy: int = 20,
    kx: int = 20,
    ky: int = 10,
    ext: int = 0,
    view: int = 0,
) -> dict[str, str]:
    pair, offset, distance = column // 2, B - A, abs(B - A)
    omegas = posenc.frequencies(d, base)
    changed, boost = extended(d, base, T, trained, ext)
    table = posenc.sinusoidal_table(T, d, base=base)

    def strange(at: int, read: np.ndarray = omegas) -> str:
        """Pairs that never made a whole turn in training and stand beyond the arc they swept."""
        arcs = omegas * (trained - 1)
        return f"{np.sum((arcs < 2 * np.pi) & (read * at % (2 * np.pi) > arcs))} of {d // 2} pairs"

    def rows(past: str, within: str) -> str:
        lines = [
            (past if at >= trained else within).format(name=name, at=at, strange=strange(at))
            for name, at in (("A", A), ("B", B))
        ]
        return " ".join(dict.fromkeys(lines))

    def weight(slope: float) -> str:
        value = np.exp(-slope * distance)
        return fixed(value) if value >= 0.00005 else "less than 0.0001"

    score = rope_scores([qx / 10, qy / 10], [kx / 10, ky / 10], A, [B], changed, boost)[0]
    signed = str(offset).replace("-", "−")
    met = distance < trained
    slopes = posenc.alibi_slopes(8)
    alibi = (
        "Bias −∞: the key comes later than the query, so a causal reader does not see it."
        if B > A
        else f"Distance {distance}: weight times {weight(slopes[0])} in the steepest of 8 heads, "
        f"{weight(slopes[-1])} in the gentlest. " + ("Met in training." if met else "Never met: the curves go on.")
    )
    return {
        "position": str(A),
        "column": f"{column}, a {'cosine' if column % 2 else 'sine'}",
        "pair": str(pair),
        "omega": significant(omegas[pair]),
        "period": significant(posenc.wavelengths(d, base)[pair]),
        "value": fixed(table[A, column]),
        "offset": signed,
        "product": fixed(table[A] @ table[B]),
        "similarity": fixed(float(posenc.similarity(offset, d, base))),
        "largest": str(d // 2),
        "turned": str(pair),
        "learned": rows("{name}: no row {at}; the lookup fails.", "{name}: row {at} is added."),
        "sinusoidal": rows(
            "{name}: row {at} is added, {strange} at a phase never met.", "{name}: row {at} is added, met in training."
        ),
        "rope": f"Score {fixed(score, 2)} at offset {signed}"
        + (f", with YaRN's factor {fixed(boost, 2)}. " if boost > 1 else ". ")
        + (
            "Training has met this offset."
            if met
            else f"Offset never met: {strange(distance, changed)} at a new angle."
        )
        + (" The frequencies have changed since." if ext and met else ""),
        "alibi": alibi,
    }


def explorer_states() -> list[dict[str, int]]:
    random = np.random.default_rng(0)
    states = [
        EXPLORER,
        {"T": 256, "d": 128, "base": 1000000, "A": 255, "B": 0, "column": 127, "trained": 2},
        {"T": 8, "d": 8, "base": 100, "A": 0, "B": 0, "column": 0, "trained": 256},
    ]
    for d, base in itertools.product((8, 32, 50, 128), (100, 575, 10000, 1000000)):
        T = int(random.integers(16, 257))
        A, B = (int(at) for at in random.integers(0, T, 2))
        column, trained = int(random.integers(0, d)), int(random.integers(2, T))
        vectors = {key: int(value) for key, value in zip(VECTORS, random.integers(-20, 21, 4))}
        state = {"T": T, "d": d, "base": base, "A": A, "B": B, "column": column, "trained": trained, **vectors}
        states.append({**state, "ext": len(states) % 4, "view": len(states) % 3})
    return states


def test_explorer_shows_posencs_numbers(figure):
    states = explorer_states()
    for state, seen in zip(states, figure("explorer").open().visit(states)):
        assert seen == explorer_texts(**state), state


def test_matrix_shows_the_value_under_the_pointer_and_chooses_nothing(figure):
    explorer = figure("explorer").open()
    box = explorer.page.locator(".matrix canvas").bounding_box()
    table = posenc.sinusoidal_table(128, 32)
    for position, column in ((0, 0), (127, 31), (40, 7)):
        explorer.page.mouse.move(
            box["x"] + box["width"] * (column + 0.5) / 32, box["y"] + box["height"] * (position + 0.5) / 128
        )
        texts = explorer.texts()
        assert (texts["position"], texts["pair"]) == (str(position), str(column // 2))
        assert texts["value"] == fixed(table[position, column])
    assert explorer.state() == EXPLORER
    explorer.page.mouse.move(5, 5)
    assert explorer.texts()["position"] == "80"


def test_matrix_is_painted_with_the_values(figure):
    """Reads the pixels back: the brighter, the larger."""
    explorer = figure("explorer").open()
    pixels = explorer.page.evaluate(
        """() => { const canvas = document.querySelector(".matrix canvas");
            return [canvas.width, canvas.height, [...canvas.getContext("2d").getImageData(0, 0, 32, 128).data]]; }"""
    )
    assert pixels[:2] == [32, 128]
    green = np.array(pixels[2]).reshape(128, 32, 4)[..., 1]  # of viridis: grows with the value
    order = np.argsort(posenc.sinusoidal_table(128, 32), axis=None, kind="stable")
    assert np.all(np.diff(green.ravel()[order].astype(int)) >= 0)
    assert (green.min(), green.max()) == (1, 231)


# Ways to use them.


BOTH = ("number", "range")
LAB_STOPS = [
    "Walk p",
    "Reset",
    *(f"handle {name}" for name in ("wave-p", "wave-q", "turn-p", "turn-q", "offset")),
    *(f"{key} {kind}" for key in LAB for kind in BOTH),
]
STOPS = {
    "matrix": [
        "matrix",
        "handle A",
        "handle B",
        *(f"{key} {kind}" for key in ("T", "d", "base", "column") for kind in BOTH),
    ],
    "positions": ["clocks", "handle A", "handle B", *(f"{key} {kind}" for key in "AB" for kind in BOTH)],
    "schemes": [
        "handle A",
        "handle B",
        "handle trained",
        "trained number",
        "trained range",
        "ext select-one",
        "handle q",
        "handle k",
    ],
}


@pytest.mark.parametrize("name", ["lab", *VIEWS])
def test_every_control_answers_the_keyboard(figure, name):
    """The Tab key meets all controls of the view, each shows that it has the focus, and the sliders move."""
    made = figure("lab").open() if name == "lab" else figure("explorer").view(name)
    page = made.page
    expected = LAB_STOPS if name == "lab" else ["tab", "Walk", "Reset", *STOPS[name]]
    met = []
    for _ in expected:
        page.keyboard.press("Tab")
        stop, kind, key, outline = page.evaluate(
            """() => { const at = document.activeElement;
                const stop = at.dataset.handle ? `handle ${at.dataset.handle}` : at.name ? `${at.name} ${at.type}`
                    : at.role === "tab" ? "tab" : at.getAttribute("aria-roledescription") || at.textContent.trim();
                return [stop, at.type, at.name, getComputedStyle(at).outlineStyle]; }"""
        )
        assert outline != "none"
        met.append(stop)
        if kind == "range":
            before = made.state()
            page.keyboard.press("ArrowLeft")
            lower = 8910 if key == "base" else before[key] - (2 if key == "d" else 1)  # 10 ** 3.95 to three digits
            assert made.state() == {**before, key: lower}
    assert sorted(met) == sorted(expected)


def test_tabs_change_the_view(figure):
    explorer = figure("explorer").open()
    page = explorer.page
    for name, opens in (("(b) Two positions", 1), ("(c) Four schemes", 2), ("(a) Matrix", 0)):
        page.get_by_role("tab", name=name).click()
        assert explorer.drawn().page.locator("[role=tabpanel]:visible").get_attribute("id") == f"explorer-view-{opens}"
        assert page.get_by_role("tab", name=name).get_attribute("aria-selected") == "true"
    page.get_by_role("tab", name="(a) Matrix").press("ArrowRight")
    assert page.evaluate("document.activeElement.textContent") == "(b) Two positions"
    assert explorer.full_state()["view"] == 1


# A handle, how far it is dragged to the right and down, and the numbers that then change, with their sign.
HANDLES = [
    ("matrix", "A", (0, -60), {"A": -1}),
    ("matrix", "B", (0, 50), {"B": 1}),
    ("positions", "A", (-90, 0), {"A": -1}),
    ("positions", "B", (-60, 0), {"B": -1}),
    ("schemes", "A", (60, 0), {"A": 1}),
    ("schemes", "B", (-60, 0), {"B": -1}),
    ("schemes", "trained", (50, 0), {"trained": 1}),
    ("schemes", "q", (-40, 0), {"qx": -1}),
    ("schemes", "k", (-20, 30), {"kx": -1, "ky": -1}),
]
KEYS = {"A": "A", "B": "B", "trained": "trained", "q": "qx", "k": "kx"}


def middle(locator) -> tuple[float, float]:
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag_by_mouse(page: Page, start, end) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=4)
    page.mouse.up()


def drag_by_touch(page: Page, start, end) -> None:
    session = page.context.new_cdp_session(page)
    steps = [
        (start[0] + (end[0] - start[0]) * step / 6, start[1] + (end[1] - start[1]) * step / 6) for step in range(7)
    ]
    for kind, (x, y) in zip(["touchStart"] + ["touchMove"] * 6, steps):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


HOW = pytest.mark.parametrize(
    ("size", "scheme"), [(DESKTOP, "light"), (LANDSCAPE, "dark")], ids=["900 high, light", "390 high, dark"]
)


@HOW
@pytest.mark.parametrize("way", ["mouse", "key", "touch"])
def test_every_handle_answers_mouse_key_and_touch(figure, way, size, scheme):
    explorer = figure("explorer", viewport=size, has_touch=way == "touch")
    start = {**EXPLORER, **VECTORS}
    for view, name, (right, down), changes in HANDLES:
        explorer.turn_to(address_of("explorer", {"view": VIEWS[view], **start}))
        explorer.page.evaluate("(scheme) => { document.documentElement.dataset.theme = scheme; }", scheme)
        handle = explorer.handle(name)
        if way == "key":
            handle.press("ArrowUp" if view == "matrix" else "ArrowLeft")
            key = KEYS[name]
            assert explorer.full_state() == {**start, "view": VIEWS[view], "ext": 0, key: start[key] - 1}, (view, name)
            continue
        x, y = middle(handle)
        aim = x + right, y + down
        scrolled = explorer.page.evaluate("scrollY")
        (drag_by_touch if way == "touch" else drag_by_mouse)(explorer.page, (x, y), aim)
        after = explorer.full_state()
        moved = {key: after[key] - value for key, value in start.items() if after[key] != value}
        assert {key: np.sign(by) for key, by in moved.items()} == changes, (view, name, moved)
        assert explorer.page.evaluate("scrollY") == scrolled, (view, name)  # the finger moves the handle, not the page
        assert np.hypot(*np.subtract(middle(handle), aim)) < 16, (view, name)  # it stays under the pointer


def test_handles_tell_their_values_to_screen_readers(figure):
    explorer = figure("explorer").view("schemes", A=30, B=20, trained=50)
    values = {name: explorer.handle(name).get_attribute("aria-valuenow") for name in ("A", "B", "trained")}
    assert values == {"A": "30", "B": "20", "trained": "50"}
    assert explorer.handle("q").get_attribute("aria-label").startswith("Query (1, 2)")


def test_a_clock_hand_turns_its_position(figure):
    """A quarter turn of pair 0 is 1.57 positions, and of pair 6 is 50; the nearer hand is taken."""
    explorer = figure("explorer").view("positions", A=0, B=64, column=12)
    ring = explorer.page.locator(".clocks .chosen")
    (x, y), radius = middle(ring), ring.bounding_box()["width"] / 2
    points = [(x + radius * np.sin(turn), y - radius * np.cos(turn)) for turn in np.linspace(0, np.pi / 2, 9)]
    explorer.page.mouse.move(*points[0])
    explorer.page.mouse.down()
    for point in points[1:]:
        explorer.page.mouse.move(*point)
    explorer.page.mouse.up()
    state = explorer.state()
    assert abs(state["A"] - 198.7 / 4) <= 2 and state["B"] == 64 and state["column"] == 12
    explorer.page.locator(".clocks").press("ArrowRight")
    assert explorer.state() == {**state, "column": 14}
    explorer.page.locator(".clocks").press("ArrowUp")
    assert explorer.state() == {**state, "column": 14, "A": state["A"] + 1}


def test_matrix_answers_arrow_keys(figure):
    explorer = figure("explorer").open()
    explorer.page.locator(".matrix").focus()
    for key, expected in (
        ("ArrowDown", {"A": 81}),
        ("ArrowRight", {"A": 81, "column": 13}),
        ("PageUp", {"A": 71, "column": 13}),
        ("End", {"A": 71, "column": 31}),
        ("ArrowRight", {"A": 71, "column": 31}),
        ("Home", {"A": 71, "column": 0}),
        ("ArrowLeft", {"A": 71, "column": 0}),
    ):
        explorer.page.keyboard.press(key)
        assert explorer.state() == {**EXPLORER, **expected}
    assert explorer.says("matrix").startswith("Position 71, column 0: the sine of pair 0,")


def test_typed_numbers_and_reset(figure):
    lab = figure("lab").open()
    field = lab.page.locator("input[type=number][name=k]")
    field.fill("17")
    field.press("Enter")
    assert lab.state() == {**LAB, "k": 17}
    field.fill("99")  # beyond the range: nothing changes, and leaving the field brings the last state back
    assert lab.texts()["omega"] == significant(posenc.frequencies(64)[17])
    field.blur()
    assert lab.state() == {**LAB, "k": 17}
    lab.page.get_by_role("button", name="Reset").press("Enter")
    assert lab.state() == LAB
    assert lab.texts() == lab_texts(**LAB)
    assert lab.address() == address_of("lab", LAB)


def test_a_number_counts_when_it_is_finished(figure):
    explorer = figure("explorer").open()
    explorer.page.locator("input[type=number][name=T]").select_text()
    explorer.page.keyboard.type("200", delay=20)
    explorer.page.keyboard.press("Enter")
    assert explorer.state() == {**EXPLORER, "T": 200}  # T = 20 would have moved A and B to 19
    explorer.page.keyboard.press("ArrowUp")
    assert explorer.state() == {**EXPLORER, "T": 201}


def test_dragging_chooses_row_and_pair(figure):
    explorer = figure("explorer").open()
    page = explorer.page
    box = page.locator(".matrix canvas").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 4.5 / 32, box["y"] + box["height"] * 20.5 / 128, steps=3)
    page.mouse.move(box["x"] + box["width"] * 4.5 / 32, box["y"] + 2 * box["height"], steps=3)  # out of the box
    page.mouse.up()
    assert explorer.state() == {**EXPLORER, "A": 127, "column": 4}
    explorer.view("positions")
    box = page.locator(".similarity").bounding_box()
    page.mouse.click(box["x"] + 34 + 50 / 127 * (box["width"] - 70), box["y"] + 40)  # nearer to B than to A
    assert explorer.state() == {**EXPLORER, "B": 50}
    page.locator(".clocks").click(position={"x": 10, "y": 10})
    assert explorer.state()["column"] == 0


def test_touch_chooses_a_cell(figure):
    explorer = figure("explorer", has_touch=True, viewport={"width": 320, "height": 700}).open()
    explorer.page.locator(".matrix").tap(position={"x": 36, "y": 8})
    assert explorer.state() == {**EXPLORER, "A": 0, "column": 0}


def points(curve: Locator) -> np.ndarray:
    """The points of a curve, (n, 2), in pixels."""
    path = curve.get_attribute("d")
    assert path is not None, "this is no path"
    return np.array([[float(x), float(y)] for x, y in re.findall(r"[ML](\S+?) ([^ML]+)", path)])


def path_of(explorer: Figure, curve: str) -> np.ndarray:
    """The points of the first curve of a name, when it is drawn."""
    return points(explorer.drawn().page.locator(curve).first)


def test_curves_travel_with_a_keep_their_shape_and_leave_a_ghost(figure):
    for view, svg in (("positions", ".similarity"), ("schemes", ".schemes svg")):
        explorer = figure("explorer").view(view, A=80, B=20)
        assert explorer.page.locator(f"{svg} .ghost").first.get_attribute("d") == ""
        before = path_of(explorer, f"{svg} .same")
        explorer.handle("A").press("PageDown")
        after = path_of(explorer, f"{svg} .same")
        assert explorer.state()["A"] == 70
        assert np.array_equal(before[10:, 1], after[:-10, 1])  # the same height ten positions further left
        assert not np.array_equal(before, after)
        assert np.array_equal(path_of(explorer, f"{svg} .ghost"), before)


def test_curves_are_drawn_from_posencs_values(figure):
    """The height of a curve is its value on one scale, to a twentieth of a pixel."""
    state = {"T": 100, "d": 32, "base": 10000, "A": 70, "B": 20, "trained": 25, "qx": -7, "qy": 20, "kx": 12, "ky": 3}
    explorer = figure("explorer")
    for ext in range(4):
        explorer.view("schemes", **state, ext=ext)
        omegas, boost = extended(32, 10000, 100, 25, ext)
        scores = rope_scores([-0.7, 2.0], [1.2, 0.3], 70, np.arange(100), omegas, boost)
        heights = path_of(explorer, ".schemes .same")[:, 1]
        fit = np.polyfit(scores, heights, 1)
        assert fit[0] < 0 and np.abs(np.polyval(fit, scores) - heights).max() < 0.06
    weights = np.exp(posenc.alibi_bias([70], np.arange(71), 8)[:, 0])
    for head in range(8):
        heights = points(explorer.page.locator(".schemes .thin").nth(head))[:, 1]
        fit = np.polyfit(weights[head], heights, 1)
        assert fit[0] < 0 and np.abs(np.polyval(fit, weights[head]) - heights).max() < 0.06
    explorer.view("positions", A=80)
    heights = path_of(explorer, ".similarity .same")[:, 1]
    table = posenc.sinusoidal_table(128, 32)
    fit = np.polyfit(table @ table[80], heights, 1)
    assert fit[0] < 0 and np.abs(np.polyval(fit, table @ table[80]) - heights).max() < 0.06


def test_a_later_key_is_said_to_be_unseen(figure):
    explorer = figure("explorer").view("schemes", A=20, B=100)
    assert (
        "Bias −∞: the key comes later than the query, so a causal reader does not see it." in explorer.texts()["alibi"]
    )
    assert "Here the key comes later than the query" in explorer.says("schemes")


# What shares a screen, and what covers what.


@pytest.mark.parametrize("size", [DESKTOP, LANDSCAPE, PORTRAIT], ids=["900 high", "390 high", "phone"])
@pytest.mark.parametrize("view", VIEWS)
def test_controls_and_what_they_move_share_a_screen(figure, view, size):
    explorer = figure("explorer", viewport=size).view(view)
    top, bottom = explorer.page.evaluate(
        """() => {
            const boxes = [...document.querySelectorAll("[role=tabpanel]:not([hidden]) :is(.stage, .control, .plane)")]
                .map((e) => e.getBoundingClientRect());
            return [Math.min(...boxes.map((b) => b.top)), Math.max(...boxes.map((b) => b.bottom))];
        }"""
    )
    assert bottom - top <= size["height"] - 60  # the page's own bar stays on top


LABELS = """async (addresses) => {
    const frame = () => new Promise(requestAnimationFrame);
    const found = [];
    for (const address of addresses) {
        const changed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
        location.hash = address;
        await changed; await frame();  // in which the figure drew, because it asked first
        const live = document.querySelector(".interactive-live").getBoundingClientRect();
        const labels = [...document.querySelectorAll(":is([role=tabpanel]:not([hidden]), #lab) :is(svg text, .handle)")]
            .filter((e) => e.textContent).map((e) => {
                const { left, right, top, bottom } = e.getBoundingClientRect();
                const air = e.matches("text") ? 2 : 0;  // above and below the letters
                return { left, right, top: top + air, bottom: bottom - air, words: e.textContent };
            });
        labels.forEach((a, index) => {
            if (a.left < live.left || a.right > live.right) found.push([address, a.words, "outside"]);
            for (const b of labels.slice(index + 1)) {
                const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                if (wide > 0.5 && high > 0.5) found.push([address, a.words, b.words]);
            }
        });
    }
    return found;
}"""


@pytest.mark.parametrize(
    "size",
    [DESKTOP, LANDSCAPE, PORTRAIT, {"width": 320, "height": 640}],
    ids=["900 high", "390 high", "phone", "small phone"],
)
def test_no_label_covers_another_in_any_state(figure, size):
    states = []
    shapes = (8, 8), (8, 128), (128, 32), (256, 8), (256, 128)
    for view, (T, d) in itertools.product(range(3), shapes):
        last = T - 1
        for A, B in ((0, 0), (0, 1), (last, last), (last, 0), (last, last - 1), (T // 2, T // 2 + 1), (T // 2, T // 2)):
            trained = (2, T // 2, T)[len(states) % 3]
            aligned = {"kx": 10, "ky": 20} if len(states) % 2 else {}
            states.append({"view": view, "T": T, "d": d, "A": A, "B": B, "trained": trained, **aligned})
    explorer = figure("explorer", viewport=size).open()
    assert explorer.page.evaluate(LABELS, [address_of("explorer", state) for state in states]) == []


LAB_HANDLES = {"wave-p": "p", "wave-q": "delta", "turn-p": "p", "turn-q": "delta", "offset": "delta"}


@HOW
@pytest.mark.parametrize("way", ["mouse", "key", "touch"])
def test_every_handle_of_the_lab_answers_mouse_key_and_touch(figure, way, size, scheme):
    lab = figure("lab", viewport=size, has_touch=way == "touch")
    for name, key in LAB_HANDLES.items():
        lab.turn_to(address_of("lab", {**LAB, "delta": 12}))
        lab.page.evaluate("(scheme) => { document.documentElement.dataset.theme = scheme; }", scheme)
        handle = lab.page.locator(f"[data-handle={name}]")
        if way == "key":
            handle.press("ArrowLeft")
            assert lab.state() == {**LAB, "delta": 12, key: {"p": 10, "delta": 12}[key] - 1}, name
            continue
        x, y = middle(handle)
        if name.startswith("turn"):  # an eighth of a turn forward: pair 4 needs 2.48 tokens for it
            ring = lab.page.locator(".phasors .ring")
            (cx, cy), eighth = middle(ring), np.pi / 4
            aim = (
                cx + (x - cx) * np.cos(eighth) + (y - cy) * np.sin(eighth),
                cy - (x - cx) * np.sin(eighth) + (y - cy) * np.cos(eighth),
            )
        else:
            aim = x + 40, y
        scrolled = lab.page.evaluate("scrollY")
        (drag_by_touch if way == "touch" else drag_by_mouse)(lab.page, (x, y), aim)
        after = lab.state()
        assert lab.page.evaluate("scrollY") == scrolled, name
        moved = {which: after[which] - value for which, value in {**LAB, "delta": 12}.items() if after[which] != value}
        assert list(moved) == [key] and moved[key] > 0, (name, moved)
        if name.startswith("turn"):
            assert moved[key] in (2, 3), (name, moved)
        assert np.hypot(*np.subtract(middle(handle), aim)) < 20, name  # it stays under the pointer
        assert lab.texts() == lab_texts(**after)


def test_a_phasor_goes_round_more_than_once_and_stops_at_the_ends(figure):
    lab = figure("lab").open("#lab:k=0,delta=0,p=0")
    (x, y), (cx, cy) = middle(lab.page.locator("[data-handle=turn-q]")), middle(lab.page.locator(".phasors .ring"))
    radius = np.hypot(x - cx, y - cy)
    start = np.arctan2(cy - y, x - cx)
    lab.page.mouse.move(x, y)
    lab.page.mouse.down()
    for turned in np.linspace(0, 5 * np.pi, 60)[1:]:
        lab.page.mouse.move(cx + radius * np.cos(start + turned), cy - radius * np.sin(start + turned))
    assert abs(lab.state()["delta"] - 5 * np.pi) <= 1.5  # one radian per token
    for turned in np.linspace(5 * np.pi, 20 * np.pi, 150)[1:]:
        lab.page.mouse.move(cx + radius * np.cos(start + turned), cy - radius * np.sin(start + turned))
    lab.page.mouse.up()
    assert lab.state() == {"k": 0, "delta": 49, "p": 0}


def test_slow_pairs_show_more_digits(figure):
    lab = figure("lab").open("#lab:k=31,delta=1,p=0")
    assert lab.texts()["product"] == "0.9999999911" and lab.texts()["degrees"] == "0.007641"


def test_the_lab_draws_one_pairs_cosine_and_the_mean_of_all(figure):
    """A curve's height is its value on one scale, to a twentieth of a pixel."""
    lab = figure("lab").open("#lab:k=7,delta=5,p=3")
    top, bottom = (float(lab.page.locator(".identity .grid").nth(index).get_attribute("y1")) for index in (2, 0))
    for curve, step, value in (
        (".identity .pair", 0.25, lambda at: np.cos(posenc.frequencies(64)[7] * at)),
        (".identity .mean", 0.5, lambda at: posenc.similarity(at, 64) / 32),
    ):
        height = path_of(lab, curve)[:, 1]
        drawn = (bottom - height) / (bottom - top) * 2 - 1
        assert np.allclose(drawn, value(np.arange(-49, 49 + step, step)), atol=0.1 / (bottom - top) * 2)


@pytest.mark.parametrize("size", [DESKTOP, LANDSCAPE, PORTRAIT], ids=["900 high", "390 high", "phone"])
def test_the_lab_and_its_controls_share_a_screen(figure, size):
    page = figure("lab", viewport=size).open().page
    top, bottom = page.evaluate(
        """() => {
            const boxes = [...document.querySelectorAll(".stage, .control")].map((e) => e.getBoundingClientRect());
            return [Math.min(...boxes.map((b) => b.top)), Math.max(...boxes.map((b) => b.bottom))];
        }"""
    )
    assert bottom - top <= size["height"] - 60


@pytest.mark.parametrize(
    "size",
    [DESKTOP, LANDSCAPE, PORTRAIT, {"width": 320, "height": 640}],
    ids=["900 high", "390 high", "phone", "small phone"],
)
def test_no_label_of_the_lab_covers_another_in_any_state(figure, size):
    states = [
        {"k": k, "delta": delta, "p": p}
        for k, delta, p in itertools.product((0, 3, 8, 31), (-49, -1, 0, 1, 6, 49), (0, 1, 24, 49))
    ]
    lab = figure("lab", viewport=size).open()
    assert lab.page.evaluate(LABELS, [address_of("lab", state) for state in states]) == []


def test_walking_keeps_the_angle(figure):
    lab = figure("lab").open()
    button = lab.page.get_by_role("button", name="Walk")
    button.click()
    expect(lab.page.locator("input[type=number][name=p]")).to_have_value(re.compile("^(1[4-9]|[2-4][0-9])$"))
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    stopped = lab.state()
    assert lab.texts() == lab_texts(**stopped)
    assert lab.texts()["product"] == lab_texts(**LAB)["product"]
    lab.page.wait_for_timeout(300)
    assert lab.state() == stopped == {**LAB, "p": stopped["p"]}


def test_less_motion_walks_one_step_a_press(figure):
    explorer = figure("explorer", reduced_motion="reduce").open()
    for steps in 1, 2:
        explorer.page.get_by_role("button", name="Walk").click()
        explorer.page.wait_for_timeout(300)
        assert explorer.state() == {**EXPLORER, "A": 80 + steps, "B": 73 + steps}
    assert explorer.page.evaluate("document.getAnimations().length") == 0


# Addresses.


def test_a_state_opens_as_it_was(figure):
    lab = figure("lab").open("#lab:k=5,delta=3")
    assert lab.state() == {**LAB, "k": 5, "delta": 3}
    lab.page.locator("#lab-p").press("ArrowRight")
    address = lab.address()
    assert address == "#lab:k=5,delta=3,p=11"
    again = figure("lab").open(address)
    assert again.texts() == lab.texts() and again.says("lab") == lab.says("lab")
    explorer = figure("explorer").open("#explorer:base=575,T=200,A=190")  # in any order
    assert explorer.state() == {**EXPLORER, "base": 575, "T": 200, "A": 190}
    shared = {**EXPLORER, **VECTORS, "view": 2, "A": 9, "qx": -3, "ext": 3}
    opened = figure("explorer").open(address_of("explorer", shared))
    assert opened.texts() == explorer_texts(**shared)
    opened.handle("q").press("ArrowUp")
    assert opened.full_state() == {**shared, "qy": 20}  # the largest there is


def test_other_addresses_are_left_alone(figure):
    lab = figure("lab").open("#section")
    assert lab.address() == "#section" and lab.state() == LAB
    lab.page.evaluate("location.hash = 'lab'")
    assert lab.address() == "#lab" and lab.state() == LAB
    lab.page.evaluate("location.hash = 'lab:k=9'")
    assert lab.address() == "#lab:k=9" and lab.state() == {**LAB, "k": 9}
    lab.page.go_back()
    assert lab.address() == "#lab"


@pytest.mark.parametrize(
    ("address", "state", "refused"),
    [
        ("#lab:k=99", LAB, "k=99"),
        ("#lab:k=-1,delta=3", {**LAB, "delta": 3}, "k=-1"),
        ("#lab:k=2.5", LAB, "k=2.5"),
        ("#lab:k=1e1", LAB, "k=1e1"),
        ("#lab:k=,p=3", {**LAB, "p": 3}, "k="),
        ("#lab:toString=3", LAB, "toString=3"),
        ("#lab:k=<img src=x onerror=alert(1)>", LAB, "<img"),
        ("#lab:%E0%A4%A", LAB, "%E0%A4%A"),
        ("#lab:" + "9" * 5000, LAB, "999"),
        ("#lab:", LAB, ""),
    ],
)
def test_bad_addresses_fall_back(figure, address, state, refused):
    lab = figure("lab").open(address)
    assert lab.state() == state
    assert lab.texts() == lab_texts(**state)
    said = lab.says("lab")
    assert said.startswith("The address asks for " if refused else "Pair 4 ") and refused in said and len(said) < 500


def test_bounds_follow_the_length_and_the_width(figure):
    explorer = figure("explorer").open("#explorer:T=16,d=9,A=100,column=40")
    assert explorer.state() == {**EXPLORER, "T": 16, "A": 15, "B": 15}  # 80 and 73 move to the end
    assert explorer.says("matrix").startswith("The address asks for d=9, A=100, column=40,")
    width = explorer.page.locator("input[type=number][name=d]")
    width.fill("8")
    width.press("Enter")
    assert explorer.state()["column"] == 7


# For every reader.


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", LIVE)
def test_axe_finds_nothing(figure, name, scheme):
    width = {"light": 1000, "dark": 320}[scheme]
    made = figure(name, viewport={"width": width, "height": 900})
    page = made.open().page
    page.evaluate("(scheme) => { document.documentElement.dataset.theme = scheme; }", scheme)
    page.evaluate("() => { document.querySelector('details').open = true; }")
    for view in range(3 if name == "explorer" else 1):
        page.evaluate("(view) => document.querySelector(`[data-view='${view}']`)?.click()", view)
        made.drawn()
        found = Axe().run(page, options={"preload": False}).response["violations"]
        assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found] == []


@pytest.mark.parametrize("name", LIVE)
def test_sentences_are_polite_and_only_the_view_in_hand_speaks(figure, name):
    made = figure(name).open("#explorer:view=2" if name == "explorer" else "")
    lines = made.page.locator("[data-sentence]")
    assert [line.get_attribute("aria-live") for line in lines.all()] == ["polite"] * lines.count()
    assert all(len(text) > 60 for text in lines.all_inner_texts())
    made.page.locator("input[type=range]").last.focus()
    assert [line.get_attribute("aria-live") for line in lines.all()] == ["off"] * (lines.count() - 1) + ["polite"]


@pytest.mark.parametrize("name", LIVE)
def test_a_narrow_screen_needs_no_sideways_scroll(figure, name):
    made = figure(name, viewport={"width": 320, "height": 700})
    for address in [f"#explorer:view={view}" for view in range(3)] if name == "explorer" else [""]:
        page = made.open(address).page
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        small = page.evaluate(
            """() => [...document.querySelectorAll(".interactive :is(input, button, select, .handle)")]
                .filter((e) => e.offsetParent && e.getBoundingClientRect().height < 24).map((e) => e.outerHTML)"""
        )
        assert small == []
        letters = page.evaluate(
            """() => Math.min(...[...document.querySelectorAll("svg text")]
                .filter((e) => e.textContent && e.getBoundingClientRect().height)
                .map((e) => e.getBoundingClientRect().height))"""
        )
        assert letters >= 10  # drawn in CSS pixels, so they do not shrink with the figure


@pytest.mark.parametrize("name", LIVE)
def test_static_figure_stands_in_without_scripts_and_in_print(figure, name):
    plain = figure(name, java_script_enabled=False)
    plain.page.goto(plain.url)
    expect(plain.page.locator(".still")).to_be_visible()
    expect(plain.page.locator(".interactive-live")).to_be_hidden()
    page = figure(name).open().page
    live, still = page.locator(".interactive-live"), page.locator(".still")
    expect(live).to_be_visible()
    expect(still).to_be_hidden()
    page.emulate_media(media="print")
    expect(live).to_be_hidden()
    expect(still).to_be_visible()
    page.emulate_media(media="screen")
    expect(still).to_be_hidden()
    page.get_by_text("The same as a static figure").click()
    expect(still).to_be_visible()


def test_live_figure_carries_number_caption_and_address_of_the_static_one(figure):
    page = figure("explorer").open().page
    expect(page.locator(".interactive-caption")).to_have_text("Fig. 7 What it shows.")
    expect(page.get_by_role("figure", name="Fig. 7 What it shows.")).to_be_visible()
    expect(page.locator("#fig-still")).to_be_visible()
    assert page.locator("#fig-still .stage").count() == 3
    page.emulate_media(media="print")
    expect(page.locator(".interactive-caption")).to_be_visible()


def test_together_they_weigh_less_than_20_kilobytes():
    scripts = {script for name in interactive_figures.FIGURES for script in interactive_figures.scripts(name)}
    assert scripts == {path.name for path in interactive_figures.SOURCES.glob("*.js")}
    assert (
        sum(
            len(gzip.compress(interactive_figures.published(interactive_figures.SOURCES / name).encode(), mtime=0))
            for name in (*scripts, interactive_figures.STYLE)
        )
        < 20_000
    )


def test_published_scripts_lose_comments_and_nothing_else(tmp_path):
    script = tmp_path / "a.js"
    script.write_text('/* What it\n   is. */\nconst site = "http://a";\n  let x = 1;  // one\n', encoding="utf8")
    assert interactive_figures.published(script) == 'const site = "http://a";\nlet x = 1;\n'


# The directive.

PAGE = (
    HEADER
    + """
# Figures

{state}`Pair 31 <lab:k=31>`, and {numref}`fig-still`.

```{interactive} lab
```

```{code-cell} python
---
mystnb: {image: {alt: A line.}, figure: {caption: A line., name: fig-still}}
---
from IPython.display import SVG
SVG('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0L9 9" stroke="black"/></svg>')
```
"""
)


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> ToyBook:
    book = ToyBook(
        tmp_path_factory.mktemp("book"),
        {"index": PAGE, "plain": "# Plain\n"},
        "{}\n",
        ["site_features.interactive_figures"],
    )
    shutil.copytree(interactive_figures.SOURCES, book.folder / "book" / "interactive")
    built = book.build()
    assert built.returncode == 0, built.stdout + built.stderr
    return book


def test_directive_loads_what_the_page_needs_and_no_other_page(book):
    html = book.html("index")
    loaded = re.findall(r'<script defer="defer" src="\.\./_static/interactive/(\w+)\.js', html)
    assert loaded == ["maths", "figure", "lab"]
    assert "interactive/" not in book.html("plain")
    live, _, still = html.partition("</div>\n<details")
    assert 'data-interactive="lab"' in live and "<img" not in live.partition('class="interactive"')[2]
    assert 'alt="A line."' in still.partition("</details>")[0] and "Fig. 1" in html


def test_directive_works_on_a_built_page(book, page):
    errors = []
    page.on("pageerror", lambda error: "interactive/" in (error.stack or "") and errors.append(error))
    page.goto((book.folder / "_build/html/book/index.html").as_uri())
    page.get_by_role("link", name="Pair 31").click()
    expect(page.locator("[data-out=period]")).to_have_text(significant(posenc.wavelengths(64)[31]))
    expect(page.locator(".interactive-live")).to_be_visible()
    expect(page.get_by_role("img", name="A line.")).to_be_hidden()
    assert errors == []


def test_directive_warns_of_a_missing_static_figure_and_bad_states(tmp_path):
    bad = "# Page\n\n```{interactive} lab\n```\n\nText.\n\n{state}`a <lab:k=x>`\n\n```{interactive} clock\n```\n"
    book = ToyBook(
        tmp_path, {"index": bad}, "{}\n", ["site_features.interactive_figures", "build_control.fail_on_warnings"]
    )
    shutil.copytree(interactive_figures.SOURCES, book.folder / "book" / "interactive")
    built = book.build()
    said = re.sub(r"\x1b\[[\d;]*m", "", built.stdout + built.stderr)
    assert built.returncode == 1
    assert "index.md:3" in said and "'lab' is followed by no cell that draws its static figure" in said
    assert "got 'lab:k=x'" in said
    known = ", ".join(interactive_figures.FIGURES)
    assert f"there is no interactive figure 'clock'; there are {known}" in said


def test_every_link_to_a_state_in_the_book_is_one_the_figure_has(figure):
    """Text leads to states: each opens without a refusal."""
    role = re.compile(r"\{state\}`[^`<]*<((\w+):[^`>]*)>`")
    pages = [path.read_text(encoding="utf8") for path in (ROOT / "book").glob("*.md")]
    links = sorted({match.groups() for page in pages for match in role.finditer(page)})
    assert links
    for name in interactive_figures.FIGURES:
        made = figure(name)
        for target in (target for target, of in links if of == name):
            made.open(f"#{target}")
            assert "The address asks for" not in made.page.locator("[data-sentence]").first.inner_text(), target
