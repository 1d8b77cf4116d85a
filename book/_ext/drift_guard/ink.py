"""A coarse picture of a figure's ink, which shows what the record of its artists one by one cannot.

An artist may be hidden by another, clipped away, shrunk to nothing or drawn in the colour of the page, and a label may
be written anew by a formatter. In each case the artist's own record stays as it was, but ink appears or goes. The
picture has `COLUMNS` x `ROWS` cells, whatever the size of the figure, and a cell holds the mean darkness of what
matplotlib's Agg draws in it, in `len(LEVELS)` levels. Written as characters, from a blank for white to ever later ones,
it can be read in the record. The size of the figure stands beside it, because a figure that is scaled as a whole has
the same picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

COLUMNS, ROWS = 48, 32
DOTS = 10  # a cell is drawn with as many dots in each direction, before the mean is taken
LEVELS = "".join(char for char in map(chr, range(ord(" "), ord("~") + 1)) if char not in '"\\')
STEPS = 1  # levels by which a cell may differ: rounding the mean to a level can move it by one
WEIGHTS = 0.5, 0.3, 0.2  # of red, green and blue; uneven, so that another colour of the same lightness shows
THIRDS = ("left", "middle", "right"), ("upper", "middle", "lower")


class Change(NamedTuple):
    """Cells of one part of the figure in which ink appeared or went; darkness as a share of black."""

    where: str
    cells: int
    recorded: float
    computed: float


# ---- in the kernel


def picture(figure, laid_out: bool = False) -> dict:
    """Return the picture of a matplotlib figure, the places of its panels in cells, and its size.

    A figure that has been drawn before, and not changed since, is `laid_out`: to lay it out again would only take time.
    """
    import numpy as np
    from PIL import Image

    dots = np.asarray(draw(figure, laid_out))
    share = dots[..., 3:] / 255  # over a white page
    page = Image.fromarray((dots[..., :3] * share + 255 * (1 - share)).astype(np.uint8))
    means = np.asarray(page.resize((COLUMNS, ROWS), Image.Resampling.BOX))
    darkness = 1 - means @ np.array(WEIGHTS) / 255
    levels = np.rint(darkness * (len(LEVELS) - 1)).astype(int)
    boxes = [ax.get_position() for ax in figure.axes if ax.get_visible()]
    return {
        "rows": ["".join(LEVELS[level] for level in row) for row in levels],
        "panels": [
            [round(box.x0 * COLUMNS), round((1 - box.y1) * ROWS), round(box.x1 * COLUMNS), round((1 - box.y0) * ROWS)]
            for box in boxes
        ],
        "inches": [round(float(side), 2) for side in figure.get_size_inches()],
    }


def draw(figure, laid_out: bool):
    """Return the dots of a figure, (height, width, 4), and leave figure and canvas as they were.

    Lines are not snapped to whole dots: a line half-way between two would be drawn on either by the last bit of its
    position.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas, dpi, layout = figure.canvas, figure.dpi, figure.get_layout_engine()
    with rc_context({"path.snap": False}), without_noise(figure):
        try:
            if laid_out:
                figure.set_layout_engine("none")
            figure.dpi = DOTS * COLUMNS / figure.get_size_inches()[0]
            drawing = FigureCanvasAgg(figure)
            drawing.draw()
            return drawing.buffer_rgba()
        finally:
            figure.set_canvas(canvas)
            figure.set_layout_engine(layout or "none")
            figure.dpi = dpi


@contextmanager
def without_noise(figure) -> Iterator[None]:
    """Hide the artists that draw rounding noise, which has another shape on another processor."""
    plotted = [*figure.get_children(), *(artist for ax in panels(figure.axes) for artist in ax.get_children())]
    noisy = [artist for artist in plotted if hasattr(artist, "noise_below") and artist.get_visible()]
    try:
        for artist in noisy:
            artist.set_visible(False)
        yield
    finally:
        for artist in noisy:
            artist.set_visible(True)


def panels(axes: list) -> Iterator:
    """Yield axes and those set into them."""
    for ax in axes:
        yield ax
        yield from panels(ax.child_axes)


# ---- in the build


def is_picture(value: object) -> bool:
    """Tell whether a value from a record has the form of a picture."""
    if not isinstance(value, dict) or set(value) != {"rows", "panels", "inches"}:
        return False
    rows, panels, inches = value["rows"], value["panels"], value["inches"]
    has_rows = isinstance(rows, list) and len(rows) == ROWS and all(isinstance(row, str) for row in rows)
    has_panels = isinstance(panels, list) and all(
        isinstance(box, list) and len(box) == 4 and all(type(edge) is int for edge in box) for box in panels
    )
    has_inches = isinstance(inches, list) and len(inches) == 2 and all(type(side) in (int, float) for side in inches)
    return (
        has_rows and has_panels and has_inches and all(len(row) == COLUMNS and set(row) <= set(LEVELS) for row in rows)
    )


def compare(recorded: dict, computed: dict) -> list[Change]:
    """Return where two pictures differ by more than `STEPS`, the largest change first."""
    parts: dict[str, list[tuple[int, int]]] = {}
    for column, row, old, new in cells(recorded, computed):
        if abs(new - old) > STEPS:
            parts.setdefault(place(column, row, computed["panels"]), []).append((old, new))
    changes = []
    for where, pairs in parts.items():
        black = len(pairs) * (len(LEVELS) - 1)
        old, new = (sum(side) / black for side in zip(*pairs))
        changes.append(Change(where, len(pairs), old, new))
    return sorted(changes, key=lambda change: -change.cells * abs(change.computed - change.recorded))


def cells(recorded: dict, computed: dict) -> Iterator[tuple[int, int, int, int]]:
    for row, (old_row, new_row) in enumerate(zip(recorded["rows"], computed["rows"])):
        for column, (old, new) in enumerate(zip(old_row, new_row)):
            yield column, row, LEVELS.index(old), LEVELS.index(new)


def place(column: int, row: int, panels: list[list[int]]) -> str:
    """Say in words where a cell lies: in a ninth of the panel that holds it, or else of the figure."""
    holding = [number for number, box in enumerate(panels) if box[0] <= column < box[2] and box[1] <= row < box[3]]
    if not holding:
        return f"{ninth(column, row, [0, 0, COLUMNS, ROWS])} of the figure, beside its panels"
    panel = holding[-1]  # drawn last
    return f"{ninth(column, row, panels[panel])} of panel {panel + 1}"


def ninth(column: int, row: int, box: list[int]) -> str:
    left, top, right, bottom = box
    across = THIRDS[0][min(2, 3 * (column - left) // max(1, right - left))]
    down = THIRDS[1][min(2, 3 * (row - top) // max(1, bottom - top))]
    return "middle" if across == down == "middle" else f"{down} {across}"
