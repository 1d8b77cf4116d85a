"""What a matplotlib figure draws, as a record that neither fonts, sizes, colours, nor the processor can change.

Of every array: its shape, its extremes and two sums with fixed uneven weights, on the axis' own scale (log data as
logs). The sums are in units of the array's range, so that one value of many that moves by 1e-6 of the range shows. An
artist of a kind not known here is refused, not guessed at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import matplotlib.axis as maxis
import numpy as np
from matplotlib import (
    category,
    collections,
    colormaps,
    container,
    image,
    legend,
    lines,
    patches,
    quiver,
    spines,
    table,
    text,
    ticker,
)
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axes._secondary_axes import SecondaryAxis
from matplotlib.cm import ScalarMappable
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from matplotlib.path import Path

GOLDEN, ROOT = (math.sqrt(5) - 1) / 2, math.sqrt(2) - 1
LISTED = 4  # so few values are recorded as they are
AUTOMATIC = (ticker.ScalarFormatter, ticker.LogFormatter, ticker.AutoLocator, ticker.MaxNLocator, ticker.LogLocator,
             ticker.AutoMinorLocator, ticker.SymmetricalLogLocator, ticker.LogitFormatter, ticker.LogitLocator)
COMPUTED = (ticker.FuncFormatter, ticker.PercentFormatter, ticker.EngFormatter)  # what they write tells their settings


class Unknown(Exception):
    """What cannot be recorded; the message says what it is."""


def digest(values, span: float = 0.0) -> dict:
    """Return the record of an array; `span`, what the axis shows, is the unit where the array itself hardly varies."""
    array = np.asarray(np.ma.filled(np.ma.asarray(values, dtype=float), np.nan))
    flat = array.ravel()
    finite = flat[np.isfinite(flat)]
    if not finite.size:
        return {"shape": list(array.shape), "empty": True}
    low, high = float(finite.min()), float(finite.max())
    largest = max(abs(low), abs(high))
    unit = high - low
    if not unit > 1e-9 * max(span, largest * 1e-3):
        unit = span or largest or 1.0
    places = 12 - math.floor(math.log10(unit))
    record: dict = {"unit": float(f"{unit:.3g}")}
    if flat.size <= LISTED:
        record["values"] = [rounded(float(v), places) if math.isfinite(v) else str(v) for v in flat]
        return record
    level = np.where(np.isfinite(flat), (flat - low) / unit, np.where(np.isnan(flat), -1.0, np.sign(flat) * 2.0))
    index = np.arange(flat.size)
    sums = [float(level @ (1 + index * step % 1.0)) for step in (GOLDEN, ROOT)]
    return {**record, "shape": list(array.shape), "min": rounded(low, places), "max": rounded(high, places),
            "sums": [rounded(s, 9) for s in sums]}


def rounded(value: float, places: int) -> float:
    """Return `value` with so many decimals, and no negative zero."""
    return round(value, places) + 0.0


def name_of(thing) -> str:
    return type(thing).__name__


class Panel:
    """An Axes, with what its artists need to know of it."""

    def __init__(self, ax: Axes):
        self.ax = ax
        self.spans = [self.span(axis, view) for axis, view in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim()))]

    @staticmethod
    def span(axis: maxis.Axis, view: tuple[float, float]) -> float:
        ends = scaled(axis, np.asarray(view))
        return float(abs(ends[1] - ends[0]))

    def along(self, which: int, values, artist: Artist, transform=None, below: float | None = None) -> dict:
        """Return the record of the x (0) or y (1) values of an artist, on the axis' scale where they are data."""
        transform = artist.get_transform() if transform is None else transform
        values = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)
        if not transform.contains_branch_seperately(self.ax.transData)[which]:
            return digest(values, 1.0)
        axis = (self.ax.xaxis, self.ax.yaxis)[which]
        if below is not None:
            self.refuse_free_limits(which)
            values = quieted(values, below, axis.get_scale() == "log")
        return digest(scaled(axis, values), self.spans[which])

    def refuse_free_limits(self, which: int) -> None:
        if (self.ax.get_autoscalex_on, self.ax.get_autoscaley_on)[which]():
            raise Unknown(f"noise is drawn, and the {'xy'[which]} limits are left to it: set them")

    def points(self, points, artist: Artist, transform=None) -> dict:
        points = np.ma.filled(np.ma.asarray(points, dtype=float), np.nan).reshape(-1, 2)  # a masked point is not drawn
        return {"x": self.along(0, points[:, 0], artist, transform),
                "y": self.along(1, points[:, 1], artist, transform, noise_of(artist))}


def scaled(axis: maxis.Axis, values: np.ndarray) -> np.ndarray:
    """Return values on the axis' own scale; what has no place there is nan."""
    if axis.get_scale() == "log":
        base = axis.get_transform().base
        values = np.asarray(values, dtype=float)
        return np.log(values, out=np.full(values.shape, np.nan), where=values > 0) / math.log(base)
    return np.asarray(axis.get_transform().transform(values), dtype=float)


def noise_of(artist: Artist) -> float | None:
    """Return the bound that a cell gave an artist that draws rounding noise."""
    return getattr(artist, "noise_below", None)


def quieted(values, below: float, logarithmic: bool) -> np.ndarray:
    """Return values in which all that is smaller than the bound is alike, without a jump at the bound."""
    if logarithmic:
        return np.maximum(values, below)
    return np.sign(values) * np.maximum(np.abs(values) - below, 0.0)


def dashes(artist) -> str | list:
    """Return line styles: names, or patterns in units of the line's width."""
    styles = artist.get_linestyle()
    if isinstance(styles, str):
        return styles
    widths = np.atleast_1d(artist.get_linewidth())
    found = []
    for number, (_, pattern) in enumerate(styles):
        width = float(widths[number % len(widths)]) or 1.0
        style = "solid" if pattern is None else [round(float(p) / width, 3) for p in pattern]
        if style not in found:
            found.append(style)
    return found


def mapped(artist: ScalarMappable, shape_only: bool = False) -> dict:
    """Return what turns an array into colours, and the array."""
    array = artist.get_array()
    if array is None:
        return {}
    norm = artist.norm
    low, high = (None if v is None else float(v) for v in (norm.vmin, norm.vmax))
    ends = {} if low is None or high is None else {"range": digest([low, high])}
    logarithmic = name_of(norm) == "LogNorm"
    span = 0.0 if not ends else abs(math.log10(high / low)) if logarithmic else abs(high - low)
    values = np.ma.filled(np.ma.asarray(array, dtype=float), np.nan)
    if (below := noise_of(artist)) is not None:
        values = quieted(values, below, logarithmic)
    if logarithmic:
        values = np.log10(values, out=np.full(values.shape, np.nan), where=values > 0)
    return {**colours_of(artist), **ends, **shape_of(norm), "values": digest(values, span)}


def colours_of(artist: ScalarMappable) -> dict:
    """Return the names of colormap and norm, and the colours themselves where the name does not tell them."""
    cmap = artist.get_cmap()
    own = {} if cmap.name in colormaps else {"colours": digest(cmap(np.linspace(0, 1, 9)), 1.0)}
    return {"colormap": cmap.name, "norm": name_of(artist.norm), **own}


def shape_of(norm) -> dict:
    """Return what a norm that its name and range do not settle makes of values (TwoSlopeNorm's centre, say)."""
    if name_of(norm) in ("Normalize", "LogNorm", "NoNorm") or norm.vmin is None or norm.vmax is None:
        return {}
    if hasattr(norm, "boundaries"):
        return {"boundaries": digest(norm.boundaries)}
    return {"scaled": digest(norm(np.linspace(norm.vmin, norm.vmax, 9)), 1.0)}


def vertices(path: Path) -> np.ndarray:
    return path.vertices[path.codes != Path.CLOSEPOLY] if path.codes is not None else path.vertices


# One function a kind: (panel, artist) -> what it draws.


def axline(panel: Panel, artist) -> dict:
    first, second, slope = artist.get_xy1(), artist.get_xy2(), artist.get_slope()
    return {**line_style(artist), "through": digest([*first, *(second or ())], 1.0),
            **({} if slope is None else {"slope": digest([slope], 1.0)})}


def line_style(artist) -> dict:
    return {"line": artist.get_linestyle(), "marker": str(artist.get_marker()), "steps": artist.get_drawstyle()}


def line(panel: Panel, artist) -> dict:
    style = line_style(artist)
    points = np.column_stack([artist.get_xdata(orig=False), artist.get_ydata(orig=False)])
    return {**{k: v for k, v in style.items() if v not in ("None", "default")}, **panel.points(points, artist)}


def annotation(panel: Panel, artist) -> dict:
    arrow = {}
    if artist.arrow_patch is not None:
        arrow = {"arrow": name_of(artist.arrow_patch.get_arrowstyle()), "line": dashes(artist.arrow_patch)}
    return {"text": artist.get_text(), **arrow,
            "at": place(panel, artist.xy, artist, artist.xycoords),
            "from": place(panel, artist.xyann, artist, artist.anncoords)}


def place(panel: Panel, point, artist: Artist, coordinates) -> list | dict:
    if coordinates == "data":
        return panel.points([point], artist, panel.ax.transData)
    return digest(point, 1.0)["values"]


def words(panel: Panel, artist) -> dict:
    return {"text": artist.get_text(), **panel.points([artist.get_unitless_position()], artist)}


def mesh(panel: Panel, artist) -> dict:
    return {**panel.points(artist.get_coordinates(), artist), **mapped(artist)}


def contours(panel: Panel, artist) -> dict:
    points = [vertices(path) for path in artist.get_paths()]
    return {"filled": bool(artist.filled), "levels": digest(artist.levels), "line": dashes(artist),
            **colours_of(artist),
            **panel.points(np.concatenate(points) if points else [], artist)}


def arrows(panel: Panel, artist) -> dict:
    length = float(np.max(np.hypot(artist.U, artist.V), initial=0.0))
    return {**panel.points(artist.get_offsets(), artist, artist.get_offset_transform()),
            "u": digest(artist.U, length), "v": digest(artist.V, length), **mapped(artist)}


def scatter(panel: Panel, artist) -> dict:
    sizes = np.asarray(artist.get_sizes())
    return {**panel.points(artist.get_offsets(), artist, artist.get_offset_transform()), **mapped(artist),
            **({"sizes": digest(sizes)} if sizes.size > 1 else {})}


def segments(panel: Panel, artist) -> dict:
    parts = artist.get_segments()
    return {"pieces": len(parts), "line": dashes(artist), **mapped(artist),
            **panel.points(np.concatenate(parts) if parts else [], artist)}


def areas(panel: Panel, artist) -> dict:
    points = [vertices(path) for path in artist.get_paths()]
    return {"pieces": len(points), "line": dashes(artist), **mapped(artist),
            **panel.points(np.concatenate(points) if points else [], artist)}


def picture(panel: Panel, artist) -> dict:
    array = artist.get_array()
    values = mapped(artist) if array.ndim == 2 else {"values": digest(array, 1.0)}
    left, right, bottom, top = artist.get_extent()
    return {**values, **panel.points([(left, bottom), (right, top)], artist), "origin": artist.origin}


def box(panel: Panel, artist) -> dict:
    x, y = artist.get_x(), artist.get_y()
    corners = [(x, y), (x + artist.get_width(), y + artist.get_height())]
    return {"box": name_of(artist.get_boxstyle()), "line": artist.get_linestyle(), **panel.points(corners, artist)}


def connection(panel: Panel, artist) -> dict:
    return {"arrow": name_of(artist.get_arrowstyle()), "line": artist.get_linestyle(),
            "at": place(panel, artist.xy2, artist, artist.coords2),
            "from": place(panel, artist.xy1, artist, artist.coords1)}


def arrow_patch(panel: Panel, artist) -> dict:
    ends = artist._posA_posB  # matplotlib has no public way to ask for them
    points = vertices(artist._path_original) if ends is None else ends
    return {"arrow": name_of(artist.get_arrowstyle()), "bend": name_of(artist.get_connectionstyle()),
            "line": artist.get_linestyle(), **panel.points(points, artist)}


def shape(panel: Panel, artist) -> dict:
    outline = artist.get_patch_transform().transform_path(artist.get_path())
    hatch = artist.get_hatch()
    return {"line": artist.get_linestyle(), **({"hatch": hatch} if hatch else {}),
            **panel.points(vertices(outline), artist, artist.get_data_transform())}


def grid(panel: Panel, artist) -> dict:
    cells = sorted(artist.get_celld().items())
    return {"cells": [[row, column, cell.get_text().get_text()] for (row, column), cell in cells]}


def key(panel: Panel | None, artist) -> dict:
    return {"title": artist.get_title().get_text(), "entries": [entry.get_text() for entry in artist.get_texts()]}


KINDS: dict[type, Callable] = {
    lines.AxLine: axline, lines.Line2D: line,
    text.Annotation: annotation, text.Text: words,
    collections.QuadMesh: mesh, ContourSet: contours, quiver.Quiver: arrows,
    collections.PathCollection: scatter, collections.LineCollection: segments, collections.PolyCollection: areas,
    image.AxesImage: picture,
    patches.ConnectionPatch: connection, patches.FancyArrowPatch: arrow_patch, patches.FancyBboxPatch: box,
    **dict.fromkeys([patches.Rectangle, patches.Ellipse, patches.Wedge, patches.Polygon, patches.PathPatch,
                     patches.RegularPolygon, patches.StepPatch, patches.Arrow, patches.Annulus], shape),
    table.Table: grid, legend.Legend: key,
}  # fmt: skip


# These are of their base's kind in all that is drawn; others (Barbs, a PolyCollection, say) are not.
SUBCLASSES = {"QuadContourSet", "TriContourSet", "EventCollection", "FillBetweenPolyCollection", "Circle", "Arc",
              "FancyArrow", "CirclePolygon"}


def artist_record(panel: Panel, artist: Artist) -> dict:
    kind = type(artist) if type(artist) in KINDS else None
    if name_of(artist) in SUBCLASSES:
        kind = next((kind for kind in KINDS if isinstance(artist, kind)), None)
    if kind is None:
        raise Unknown(f"an artist of a kind that the record does not know: {name_of(artist)}")
    record = {"kind": kind.__name__, **KINDS[kind](panel, artist)}
    label = str(artist.get_label())
    if label and not label.startswith("_"):
        record["label"] = label
    if noise_of(artist) is not None:
        record["noise below"] = noise_of(artist)
    return record


def bars(panel: Panel, bars: container.BarContainer) -> dict:
    """Return one record of all bars of a call."""
    corners = [(b.get_x(), b.get_y(), b.get_x() + b.get_width(), b.get_y() + b.get_height()) for b in bars]
    record = {"kind": "Bars", "count": len(corners)}
    if corners:
        flat = np.asarray(corners).reshape(-1, 2)
        first = bars[0]
        record.update(panel.points(flat, first, first.get_data_transform()), line=first.get_linestyle())
    label = str(bars.get_label())
    return {**record, **({"label": label} if label and not label.startswith("_") else {})}


def ticks(axis: maxis.Axis) -> dict:
    """Return the ticks and tick labels that the cell set; automatic ones depend on the font."""
    found: dict = {}
    view = np.sort(axis.get_view_interval())
    for size in "major", "minor":
        locator, formatter = getattr(axis, f"get_{size}_locator")(), getattr(axis, f"get_{size}_formatter")()
        places = None
        if isinstance(locator, ticker.FixedLocator):
            places = np.asarray(locator.locs, dtype=float)
            found[size] = digest(places, float(view[1] - view[0])) if places.size else "none"
        elif isinstance(locator, ticker.MultipleLocator):
            places = np.asarray(locator.tick_values(*view), dtype=float)
            places = places[(places >= view[0]) & (places <= view[1])]
            start = f" from {locator._offset:.9g}" if locator._offset else ""
            found[size] = f"multiples of {locator._edge.step:.9g}{start}"
        elif isinstance(locator, ticker.LinearLocator | ticker.IndexLocator):
            places = np.asarray(locator.tick_values(*view), dtype=float)
            found[size] = digest(places, float(view[1] - view[0]))
        elif isinstance(locator, ticker.NullLocator):
            if size == "major":
                found[size] = "none"
        elif not isinstance(locator, (*AUTOMATIC, category.StrCategoryLocator)):
            found[size] = name_of(locator)
        computed = isinstance(formatter, COMPUTED)
        if isinstance(formatter, AUTOMATIC) and not computed:
            continue
        if isinstance(formatter, ticker.NullFormatter) and size == "minor":
            continue
        if isinstance(formatter, ticker.FixedFormatter):
            found[f"{size} text"] = [str(label) for label in formatter.seq]
        elif isinstance(formatter, category.StrCategoryFormatter):
            names = axis.units._mapping  # matplotlib has no public way to ask for them
            found[f"{size} text"] = list(names)
        elif computed:
            if places is None:  # where the ticks stand depends on the font: ask at fixed places
                places = np.linspace(view[0], view[1], 5)
            found[f"{size} text"] = [str(formatter(place, number)) for number, place in enumerate(places)]
        else:
            spec = getattr(formatter, "fmt", None)
            found[f"{size} text"] = f"{name_of(formatter)} {spec}" if spec else name_of(formatter)
    return found


def axis_record(panel: Panel, axis: maxis.Axis, view: tuple[float, float], which: int) -> dict:
    ends = scaled(axis, np.asarray(view))
    hidden = {} if axis.get_visible() else {"hidden": True}
    return {"label": axis.get_label_text(), "scale": axis.get_scale(), "limits": digest(ends), **hidden, **ticks(axis)}


def furniture(ax: Axes) -> Iterable[Artist]:
    """Yield what every Axes has."""
    yield from (*ax.spines.values(), ax.xaxis, ax.yaxis, ax.patch, ax.title, ax._left_title, ax._right_title)


def axes_record(ax: Axes, refused: list[str], where: str) -> dict:
    if isinstance(ax, SecondaryAxis):
        return secondary_record(ax)
    if ax.name not in ("rectilinear", "polar"):
        refused.append(f"{where}: axes of a kind that the record does not know: {ax.name}")
        return {}
    panel = Panel(ax)
    titles = {side: title for side in ("center", "left", "right") if (title := ax.get_title(loc=side))}
    record: dict = {"title": titles.pop("center", ""), **({"other titles": titles} if titles else {})}
    if ax.name != "rectilinear":
        record["projection"] = ax.name
        record["theta"] = digest([ax.get_theta_offset(), ax.get_theta_direction()], 1.0)["values"]
    if ax.axison:
        for letter, axis, view, which in (("x", ax.xaxis, ax.get_xlim(), 0), ("y", ax.yaxis, ax.get_ylim(), 1)):
            record[letter] = axis_record(panel, axis, view, which)
    else:
        record["limits"] = digest([*ax.get_xlim(), *ax.get_ylim()])
    grouped = [c for c in ax.containers if isinstance(c, container.BarContainer)]
    hidden = {id(part) for part in furniture(ax)} | {id(bar) for group in grouped for bar in group}
    artists: list[dict] = []
    for thing in [*grouped, *ax.get_children()]:
        if id(thing) in hidden or isinstance(thing, Axes | SecondaryAxis | spines.Spine | legend.Legend):
            continue
        if isinstance(thing, Artist) and not thing.get_visible():
            continue
        if type(thing) is text.Text and not thing.get_text():
            continue
        try:
            artists.append(bars(panel, thing) if isinstance(thing, container.BarContainer)
                           else artist_record(panel, thing))
        except Unknown as problem:
            refused.append(f"{where}: {problem}")
    record["artists"] = artists
    legends = [thing for thing in ax.get_children() if isinstance(thing, legend.Legend) and thing.get_visible()]
    if legends:
        record["legend"] = [key(panel, thing) for thing in legends]
    insets = [axes_record(child, refused, f"{where}, inset") for child in ax.child_axes if child.get_visible()]
    if insets:
        record["insets"] = insets
    return record


def secondary_record(ax: SecondaryAxis) -> dict:
    """Return what the second scale of an axis tells: its label, and what it makes of the limits."""
    parent = ax._parent
    axis, view = (ax.xaxis, parent.get_xlim()) if ax._orientation == "x" else (ax.yaxis, parent.get_ylim())
    return {"secondary": ax._orientation, "label": axis.get_label_text(),
            "limits": digest(ax._functions[0](np.asarray(view))), **ticks(axis)}


def figure_record(figure: Figure) -> dict:
    """Return what `figure` draws; under `refused`, what cannot be recorded."""
    refused: list[str] = []
    shown = [ax for ax in figure.axes if ax.get_visible()]
    record: dict = {"axes": [axes_record(ax, refused, f"axes {n}") for n, ax in enumerate(shown, start=1)]}
    titles = {name: value for name in ("suptitle", "supxlabel", "supylabel")
              if (value := getattr(figure, f"get_{name}")())}
    record.update(titles)
    known = {id(part) for part in (figure.patch, figure._suptitle, figure._supxlabel, figure._supylabel)}
    record["artists"] = []
    for thing in figure.get_children():
        if id(thing) in known or isinstance(thing, Axes) or not thing.get_visible():
            continue
        if isinstance(thing, legend.Legend):
            record.setdefault("legend", []).append(key(None, thing))
        elif isinstance(thing, text.Text) and not isinstance(thing, text.Annotation):
            record["artists"].append({"kind": "Text", "text": thing.get_text(),
                                      "at": digest(thing.get_position(), 1.0)["values"]})
        else:
            refused.append(f"beside the axes: an artist that the record does not know: {name_of(thing)}")
    return {**record, **({"refused": refused} if refused else {})}
