"""A coarse picture of a figure's ink, which shows what the record of its artists one by one cannot.

An artist may be hidden by another, clipped away, shrunk to nothing or drawn in the colour of the page, and a label may
be written anew by a formatter. In each case the artist's own record stays as it was, but ink appears or goes. The
picture has `COLUMNS` x `ROWS` cells, whatever the size of the figure, and a cell holds the mean darkness of what
matplotlib's Agg draws in it, in `len(LEVELS)` levels. Written as characters, from a blank for white to ever later ones,
it can be read in the record.
"""

from __future__ import annotations

from collections.abc import Iterator
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


def picture(figure) -> dict:
    """Return the picture of a matplotlib figure, and the places of its panels in cells."""
    import numpy as np
    from PIL import Image

    dots = np.asarray(draw(figure))
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
    }


def draw(figure):
    """Return the dots of a figure, (height, width, 4), and leave figure and canvas as they were.

    A canvas of its own is drawn once; `savefig` would lay the figure out twice, which takes half as long again.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas, dpi = figure.canvas, figure.dpi
    try:
        figure.dpi = DOTS * COLUMNS / figure.get_size_inches()[0]
        drawing = FigureCanvasAgg(figure)
        drawing.draw()
        return drawing.buffer_rgba()
    finally:
        figure.set_canvas(canvas)
        figure.dpi = dpi


# ---- in the build


def is_picture(value) -> bool:
    """Tell whether a value from a record has the form of a picture."""
    if not isinstance(value, dict) or set(value) != {"rows", "panels"}:
        return False
    rows, panels = value["rows"], value["panels"]
    has_rows = isinstance(rows, list) and len(rows) == ROWS and all(isinstance(row, str) for row in rows)
    has_panels = isinstance(panels, list) and all(
        isinstance(box, list) and len(box) == 4 and all(type(edge) is int for edge in box) for box in panels
    )
    return has_rows and has_panels and all(len(row) == COLUMNS and set(row) <= set(LEVELS) for row in rows)


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
