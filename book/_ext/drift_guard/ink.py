"""A coarse picture of a figure's ink, which shows what the record of its artists one by one cannot.

An artist may be hidden by another, clipped away, shrunk to nothing or drawn in the colour of the page, and a label may
be written anew by a formatter. In each case the artist's own record stays as it was, but ink appears or goes. The
picture has `COLUMNS` x `ROWS` cells, whatever the size of the figure, and a cell holds the mean darkness of what
matplotlib's Agg draws in it, in `len(LEVELS)` levels. Written as characters, from a blank for white to ever later ones,
it can be read in the record. The size of the figure stands beside it, because a figure that is scaled as a whole has
the same picture; and all colours that are drawn do, because a colour of the style is named in an artist's record by its
place in the style, and one that changes by a few steps of 255 darkens no cell by a level.
"""

import functools
import io
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

COLUMNS, ROWS = 48, 32
LEVELS = "".join(char for char in map(chr, range(ord(" "), ord("~") + 1)) if char not in '"\\')
STEPS = 1  # levels by which a cell may differ: rounding the mean to a level can move it by one
WEIGHTS = 0.5, 0.3, 0.2  # of red, green and blue; uneven, so that another colour of the same lightness shows
THIRDS = ("left", "middle", "right"), ("upper", "middle", "lower")
Colour = tuple[float, float, float, float]  # red, green, blue and opacity


class Drawing(NamedTuple):
    """What a figure looks like: the renderer that has its dots, and the colours of all but what an array colours."""

    agg: Any
    colours: set[Colour]


class Change(NamedTuple):
    """Cells of one part of the figure in which ink appeared or went; darkness as a share of black."""

    where: str
    cells: int
    recorded: float
    computed: float


# ---- in the kernel


@contextmanager
def copied(figure, only_layout: bool = False) -> Iterator[list[Drawing]]:
    """Draw the ink of a figure while matplotlib lays it out to print it, and yield the list that its drawing goes to.

    Before it prints, matplotlib goes through all artists once with a renderer that draws nothing. Here this renderer
    hands to Agg what it is asked to draw. So the ink costs what Agg needs, and no second way through the artists, which
    takes three times as long; and texts stand where they do on the page. With `only_layout` the printing ends there.
    """
    from matplotlib.backend_bases import RendererBase

    drawings: list[Drawing] = []
    disabled = vars(RendererBase)["_draw_disabled"]

    @contextmanager
    def drawing_ink(renderer):
        with disabled(renderer):
            if drawings:  # a later drawing may show a part of the figure only
                yield
                return
            drawings.append(Drawing(agg_of(renderer, figure.dpi), set()))
            with drawn_by(drawings[0], renderer), without_noise(figure):
                yield
        if only_layout:
            raise LaidOut

    setattr(RendererBase, "_draw_disabled", drawing_ink)  # noqa: B010  unknown to matplotlib's types
    try:
        yield drawings
    finally:
        setattr(RendererBase, "_draw_disabled", disabled)  # noqa: B010


class LaidOut(Exception):
    """Ends a printing of which only the layout was wanted."""


def picture(figure, drawings: Sequence[Drawing] = ()) -> dict:
    """Return the picture of a matplotlib figure, the places of its panels in cells, its size and its colours.

    A figure that has just been printed has its ink in `drawings`.
    """
    import numpy as np
    from matplotlib.colors import to_hex
    from PIL import Image

    agg, colours = drawings[0] if drawings else drawing_of(figure)
    page = Image.fromarray(np.asarray(agg.buffer_rgba())).convert("RGB")
    whole = (0, page.height - agg.height, agg.width, page.height)
    means = np.asarray(page.resize((COLUMNS, ROWS), Image.Resampling.BOX, whole))
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
        "colours": sorted({to_hex(colour, keep_alpha=colour[3] < 1) for colour in colours}),
    }


def drawing_of(figure) -> Drawing:
    """Return the ink of a figure that nobody prints."""
    with copied(figure, only_layout=True) as drawings, suppress(LaidOut):
        figure.canvas.print_figure(io.BytesIO(), format="svg", bbox_inches="tight")
    return drawings[0]


def agg_of(renderer, dpi: float) -> Any:
    """Return a renderer of dots, all white, as large as another one; the first row and last column may be parts."""
    import numpy as np
    from matplotlib.backends.backend_agg import RendererAgg

    width, height = renderer.get_canvas_width_height()
    agg = RendererAgg(math.ceil(width), math.ceil(height), dpi)
    agg.width, agg.height = width, height
    np.asarray(agg.buffer_rgba())[:] = 255
    return agg


@contextmanager
def drawn_by(drawing: Drawing, renderer) -> Iterator[None]:
    """Let Agg draw what a renderer is asked to, which draws nothing itself, and note in which colours.

    Lines are not snapped to whole dots: a line half-way between two would be drawn on either by the last bit of its
    position. Letters are drawn as the shapes that SVG has, whose layout matplotlib keeps, and not fitted to the dots.
    """
    from matplotlib import rc_context
    from matplotlib.backend_bases import RendererBase

    agg, colours = drawing
    with colouring(colours) as note:

        def draw_path(gc, path, transform, rgbFace=None) -> None:
            note_style(note, gc, rgbFace)
            agg.draw_path(gc, path, transform, rgbFace)

        def draw_markers(gc, shape, moved, path, transform, rgbFace=None) -> None:
            note_style(note, gc, rgbFace)
            agg.draw_markers(gc, shape, moved, path, transform, rgbFace)

        def draw_path_collection(gc, transform, paths, moves, offsets, moved, inside, edges, widths, *rest, **named):
            for colour in (*inside, *(edges if any(width > 0 for width in widths) else ())):
                note(colour)
            agg.draw_path_collection(gc, transform, paths, moves, offsets, moved, inside, edges, widths, *rest, **named)

        def draw_text(gc, *what, **named) -> None:
            note(gc.get_rgb())
            gc.set_snap(False)
            RendererBase.draw_text(agg, gc, *what, **named)

        def draw_image(gc, x, y, image, transform=None) -> None:
            if transform is not None:
                agg.draw_image(gc, 0, 0, moved(image, x, y, transform, (math.ceil(agg.width), math.ceil(agg.height))))
            elif image.size:
                agg.draw_image(gc, x, y, shrunk(image, renderer.get_image_magnification()))

        own = draw_path, draw_markers, draw_path_collection, draw_text, draw_image
        methods = {name: getattr(agg, name) for name in ("draw_quad_mesh", "draw_gouraud_triangles", "draw_tex")}
        methods |= {method.__name__: method for method in own}
        vars(renderer).update(methods, option_image_nocomposite=lambda: True)  # one by one: of two, one may be noise
        try:
            with rc_context({"path.snap": False}):
                yield
        finally:
            del renderer.option_image_nocomposite  # whoever disabled the others enables them


def note_style(note: Callable[[Any], None], gc, inside) -> None:
    """Note the colours of a shape: inside, along its edge, and of its hatch."""
    if inside is not None:
        is_forced = gc.get_forced_alpha() or len(inside) == 3
        note((*inside[:3], gc.get_alpha()) if is_forced else inside)
    if gc.get_linewidth() > 0:
        note(gc.get_rgb())
    if gc.get_hatch():
        note(gc.get_hatch_color())


@contextmanager
def colouring(colours: set[Colour]) -> Iterator[Callable[[Any], None]]:
    """Yield what notes a colour that can be seen, unless an array makes it: of that the record has values and colours.

    A value at the edge between two colours may have either on another processor.
    """
    from matplotlib.collections import Collection

    draw = Collection.draw
    mapped = []

    @functools.wraps(draw)
    def told(collection, renderer) -> None:
        if collection.get_array() is None:
            draw(collection, renderer)
            return
        mapped.append(collection)
        draw(collection, renderer)
        mapped.pop()

    def note(colour) -> None:
        if not mapped and colour[3] > 0:
            red, green, blue, alpha = map(float, colour)
            colours.add((red, green, blue, alpha))

    setattr(Collection, "draw", told)  # noqa: B010  its one parameter has a name of its own in matplotlib's types
    try:
        yield note
    finally:
        setattr(Collection, "draw", draw)  # noqa: B010


def shrunk(image, factor: float):
    """Return the dots of an image that was made larger by a factor, for a drawing in which it is not."""
    import numpy as np
    from PIL import Image

    if factor == 1:
        return image
    height, width = (max(1, round(side / factor)) for side in image.shape[:2])
    return np.array(Image.fromarray(np.ascontiguousarray(image)).resize((width, height), Image.Resampling.BOX))


def moved(image, x: float, y: float, transform, size: tuple[int, int]):
    """Return the dots of a drawing in which an image stands that a transform of the unit of its size has moved."""
    import numpy as np
    from matplotlib.transforms import Affine2D
    from PIL import Image

    height, width = image.shape[:2]
    placed = Affine2D().scale(1 / width, 1 / height) + transform + Affine2D().translate(x, y)
    back = placed.inverted().get_matrix()[:2].ravel()
    return np.array(Image.fromarray(np.ascontiguousarray(image)).transform(size, Image.Transform.AFFINE, tuple(back)))


@contextmanager
def without_noise(figure) -> Iterator[None]:
    """Draw no artist of rounding noise, which has another shape on another processor; it keeps its place."""
    plotted = [*figure.get_children(), *(artist for ax in panels(figure.axes) for artist in ax.get_children())]
    noisy = [artist for artist in plotted if hasattr(artist, "noise_below")]
    for artist in noisy:
        artist.draw = lambda renderer: None
    try:
        yield
    finally:
        for artist in noisy:
            del artist.draw


def panels(axes: list) -> Iterator:
    """Yield axes and those set into them."""
    for ax in axes:
        yield ax
        yield from panels(ax.child_axes)


# ---- in the build


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
