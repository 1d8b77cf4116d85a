"""What a matplotlib figure draws, as a record that neither fonts, sizes, palettes, nor the processor can change.

Of every array it has the digest, on the axis' own scale (log data as logs). An artist of a kind not known here is
refused, not guessed at.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import collections, container, image, legend, lines, offsetbox, patches, quiver, spines, table, text
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axes._secondary_axes import SecondaryAxis
from matplotlib.cm import ScalarMappable
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.transforms import Transform

from drift_guard import artist_looks
from drift_guard.array_digest import digest, in_sight, quieted
from drift_guard.axis_record import axis_record, named_ticks, scaled, secondary_record
from drift_guard.figure_data import Drawn, Part, Ticks, one_line

SHARP = ("auto", "antialiased", "nearest", "none")


class Unknown(Exception):
    """What cannot be recorded; the message says what it is."""


def name_of(thing) -> str:
    return type(thing).__name__


class Panel:
    """An Axes, with what its artists need to know of it."""

    def __init__(self, ax: Axes, name: str, table: list[Part]):
        self.ax = ax
        self.name = name
        self.table = table  # of what readers can take away
        self.drawn = Drawn(name, ax)
        self.axes = ax.xaxis, ax.yaxis
        views = ax.get_xlim(), ax.get_ylim()
        self.views = [np.sort(scaled(axis, np.asarray(view))) for axis, view in zip(self.axes, views)]

    def begin(self, thing: Artist | container.Container) -> None:
        """Note from now on what this artist draws."""
        self.drawn = Drawn(self.name, thing)
        self.table.append(self.drawn)

    def along(self, which: int, values: np.ndarray, transform: Transform, below: float | None = None) -> dict:
        """Return the record of the x (0) or y (1) values of an artist, on the axis' scale where they are data."""
        name = "xy"[which]
        if not transform.contains_branch_seperately(self.ax.transData)[which]:
            return {name: digest(values, 1.0)}
        axis, (low, high) = self.axes[which], self.views[which]
        if below is not None:
            if (self.ax.get_autoscalex_on, self.ax.get_autoscaley_on)[which]():
                raise Unknown(f"noise is drawn, and the {name} limits are left to it: set them")
            values = quieted(values, below, axis.get_scale() == "log")
        values = scaled(axis, values)
        record = {name: digest(values, float(high - low))}
        if seen := in_sight(values, low, high):
            record[f"{name} in sight"] = seen
        return record

    def placed(self, points: np.ndarray, transform: Transform) -> tuple[np.ndarray, dict]:
        """Return points as data, and their coordinates where those are others than the data of both axes."""
        data = transform.contains_branch_seperately(self.ax.transData)
        if any(data) and not all(data):
            return points, {"fraction": "xy"[data[0]]}
        if not any(data):
            return points, {"in": system_name(self.ax.figure, transform)}
        break_up = getattr(transform, "_iter_break_from_left_to_right")  # noqa: B009  unknown to matplotlib's types
        for first, rest in break_up():  # what a cell turns or stretches before
            if rest == self.ax.transData:
                return first.transform(points), {}
        return points, {"in": "data, then moved"}

    def points(self, points, artist: Artist, transform=None) -> dict:
        points = np.ma.filled(np.ma.asarray(points, dtype=float), np.nan).reshape(-1, 2)  # a masked point is not drawn
        transform = artist.get_transform() if transform is None else transform
        points, record = self.placed(points, transform)
        self.drawn.note_points(points, record)
        record.update(self.along(0, points[:, 0], transform))
        record.update(self.along(1, points[:, 1], transform, noise_of(artist)))
        return record


def system_name(figure, coordinates) -> str:
    """Return the name of coordinates that an artist is placed in."""
    if isinstance(coordinates, tuple):
        return ", ".join(system_name(figure, one) for one in coordinates)
    if not isinstance(coordinates, Transform):
        return coordinates if isinstance(coordinates, str) else name_of(coordinates)
    for number, ax in enumerate(figure.axes, start=1):
        for name, transform in (("data", ax.transData), ("fraction", ax.transAxes)):
            if coordinates.contains_branch(transform):
                return f"{name} of axes {number}"
    return "fraction of the figure" if coordinates.contains_branch(figure.transSubfigure) else "inches or pixels"


def noise_of(artist: object) -> float | None:
    """Return the bound that a cell gave an artist that draws rounding noise."""
    return getattr(artist, "noise_below", None)


def dashes(artist) -> str | list:
    """Return line styles: names, or patterns in units of the line's width."""
    return artist.get_linestyle() if isinstance(artist.get_linestyle(), str) else artist_looks.line_styles(artist)


def mapped(panel: Panel, artist: Any) -> dict:
    """Return what turns an array into colours, and the array."""
    array = artist.get_array()
    if array is None:
        return {}
    norm = artist.norm
    values = np.ma.filled(np.ma.asarray(array, dtype=float), np.nan)
    panel.drawn.values = values
    logarithmic = name_of(norm) == "LogNorm"
    if (below := noise_of(artist)) is not None:
        values = quieted(values, below, logarithmic)
    if logarithmic:
        values = np.log10(values, out=np.full(values.shape, np.nan), where=values > 0)
    record = {**colours_of(artist), **shape_of(norm)}
    if not norm.scaled():
        return {**record, "values": digest(values)}
    limits = float(norm.vmin), float(norm.vmax)
    bottom, top = sorted(map(math.log10, limits) if logarithmic else limits)
    record.update(range_of(norm))
    record["values"] = digest(values, top - bottom)
    if seen := in_sight(values, bottom, top):
        record["values in sight"] = seen
    return record


def colours_of(artist: ScalarMappable) -> dict:
    """Return the names of colormap and norm, and the colours themselves where the name does not tell them."""
    cmap = artist.get_cmap()
    record: dict = {"colormap": cmap.name, "norm": name_of(artist.norm)}
    if cmap.name not in mpl.colormaps or mpl.colormaps[cmap.name] != cmap:
        record["colours"] = digest(cmap(np.linspace(0, 1, max(9, cmap.N))), 1.0)
    return record


def range_of(norm) -> dict:
    return {"range": digest([float(norm.vmin), float(norm.vmax)])} if norm.scaled() else {}


def shape_of(norm) -> dict:
    """Return what a norm that its name and range do not settle makes of values (TwoSlopeNorm's centre, say)."""
    if name_of(norm) in ("Normalize", "LogNorm", "NoNorm") or not norm.scaled():
        return {}
    if hasattr(norm, "boundaries"):
        return {"boundaries": digest(norm.boundaries)}
    return {"scaled": digest(norm(np.linspace(norm.vmin, norm.vmax, 9)), 1.0)}


def vertices(path: Path) -> np.ndarray:
    points = np.asarray(path.vertices)
    return points if path.codes is None else points[np.asarray(path.codes) != Path.CLOSEPOLY]


# One function a kind: (panel, artist) -> what it draws.


def axline(panel: Panel, artist) -> dict:
    record = {**line_style(artist), **artist_looks.line(artist)}
    record["through"] = digest([*artist.get_xy1(), *(artist.get_xy2() or ())], 1.0)
    if artist.get_slope() is not None:
        record["slope"] = digest([artist.get_slope()], 1.0)
    return record


def line_style(artist) -> dict:
    return {"line": artist.get_linestyle(), "marker": str(artist.get_marker()), "steps": artist.get_drawstyle()}


def line(panel: Panel, artist) -> dict:
    style = {name: value for name, value in line_style(artist).items() if value not in ("None", "default")}
    points = np.column_stack([artist.get_xdata(orig=False), artist.get_ydata(orig=False)])
    return {**style, **artist_looks.line(artist), **panel.points(points, artist)}


def annotation(panel: Panel, artist) -> dict:
    has_arrow = artist.arrow_patch is not None and artist.arrow_patch.get_visible()
    places = ends(panel, artist, (artist.xy, artist.xycoords), (artist.xyann, artist.anncoords))
    return {**artist_looks.written(artist), **(arrow(artist.arrow_patch) if has_arrow else {}), **places}


def arrow(artist) -> dict:
    """Return how an arrow looks, but for where it stands."""
    style = {"arrow": name_of(artist.get_arrowstyle()), "line": artist.get_linestyle()}
    return {**style, **bend(artist), **artist_looks.patch(artist)}


def ends(panel: Panel, artist: Artist, tip: tuple, tail: tuple) -> dict:
    """Return where an arrow points and comes from; each end is a point and its coordinates."""
    found = {}
    for name, (point, coordinates) in (("at", tip), ("from", tail)):
        found[name] = place(panel, point, artist, coordinates)
        if coordinates != "data":
            found[f"{name} in"] = system_name(panel.ax.figure, coordinates)
    return found


def bend(artist) -> dict:
    """Return how an arrow bends on its way, where it does."""
    style = artist.get_connectionstyle()
    by = [float(value) for _, value in sorted(vars(style).items()) if isinstance(value, int | float)]
    return {"bend": name_of(style), "bent by": by} if name_of(style) != "Arc3" or any(by) else {}


def place(panel: Panel, point, artist: Artist, coordinates) -> list | dict:
    if coordinates == "data":
        return panel.points([point], artist, panel.ax.transData)
    return digest(point, 1.0)["values"]


def words(panel: Panel, artist) -> dict:
    return {**artist_looks.written(artist), **panel.points([artist.get_unitless_position()], artist)}


def see_through(artist: Artist) -> dict:
    """Return how opaque a coloured array is drawn, where the cell says so."""
    opaque = artist.get_alpha()
    if opaque is None or np.ndim(opaque) == 0:
        return {} if opaque in (None, 1) else {"opaque": float(opaque)}
    return {"opaque": digest(opaque, 1.0)}


def mesh(panel: Panel, artist) -> dict:
    return {**panel.points(artist.get_coordinates(), artist), **mapped(panel, artist), **see_through(artist)}


def contours(panel: Panel, artist) -> dict:
    record = {"filled": bool(artist.filled), "levels": digest(artist.levels), "line": dashes(artist)}
    record |= {**colours_of(artist), **range_of(artist.norm), **see_through(artist)}
    if any(artist.hatches):
        record["hatches"] = list(artist.hatches)
    record.update(panel.points(joined(map(vertices, artist.get_paths())), artist))
    return record


def joined(parts: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate(found) if (found := list(parts)) else np.empty((0, 2))


def arrows(panel: Panel, artist) -> dict:
    record: dict = {}
    if artist.pivot != "tail":
        record["pivot"] = artist.pivot
    if not isinstance(artist.angles, str):
        record["angles"] = digest(artist.angles, 360.0)
    elif artist.angles != "uv":
        record["angles"] = artist.angles
    if artist.scale_units is not None:
        record.update(units=artist.scale_units, scale=digest([artist.scale]))
    points = panel.points(artist.get_offsets(), artist, artist.get_offset_transform())
    length = float(np.max(np.hypot(artist.U, artist.V), initial=0.0))
    record.update(u=digest(artist.U, length), v=digest(artist.V, length))
    return {**record, **artist_looks.collection(artist), **points, **mapped(panel, artist)}


def scatter(panel: Panel, artist) -> dict:
    record = panel.points(artist.get_offsets(), artist, artist.get_offset_transform())
    record |= {**mapped(panel, artist), **artist_looks.scatter_marker(artist), **artist_looks.collection(artist)}
    sizes = np.asarray(artist.get_sizes())
    is_usual = sizes.size == 1 and sizes[0] == mpl.rcParams["lines.markersize"] ** 2
    if sizes.size and not is_usual:
        record["sizes"] = digest(sizes)
    return record


def segments(panel: Panel, artist) -> dict:
    return pieces(panel, artist, artist.get_segments())


def areas(panel: Panel, artist) -> dict:
    return pieces(panel, artist, [vertices(path) for path in artist.get_paths()])


def pieces(panel: Panel, artist, parts: list[np.ndarray]) -> dict:
    record = {"pieces": len(parts), "line": dashes(artist), **mapped(panel, artist)}
    record |= {**artist_looks.collection(artist), **panel.points(joined(parts), artist)}
    places = artist.get_offsets()
    if np.any(places):  # parts that are drawn more than once, or shifted (those of hexbin, say)
        record["repeated"] = panel.points(places, artist, artist.get_offset_transform())
    return record


def picture(panel: Panel, artist) -> dict:
    array = artist.get_array()
    record = mapped(panel, artist) if array.ndim == 2 else {"values": digest(array, 1.0)}
    left, right, bottom, top = artist.get_extent()
    record.update(panel.points([(left, bottom), (right, top)], artist))
    record["origin"] = artist.origin
    if artist.get_interpolation() not in SHARP:
        record["smoothed"] = artist.get_interpolation()
    record.update(see_through(artist))
    return record


def box(panel: Panel, artist) -> dict:
    style = {"box": name_of(artist.get_boxstyle()), "line": artist.get_linestyle()}
    return {**style, **artist_looks.patch(artist), **panel.points(artist.get_bbox().get_points(), artist)}


def connection(panel: Panel, artist) -> dict:
    return {**arrow(artist), **ends(panel, artist, (artist.xy2, artist.coords2), (artist.xy1, artist.coords1))}


def arrow_patch(panel: Panel, artist) -> dict:
    ends = artist._posA_posB  # matplotlib has no public way to ask for them
    points = panel.points(vertices(artist._path_original) if ends is None else ends, artist)
    return {"bend": name_of(artist.get_connectionstyle()), **arrow(artist), **points}


def shape(panel: Panel, artist) -> dict:
    outline = artist.get_patch_transform().transform_path(artist.get_path())
    points = panel.points(vertices(outline), artist, artist.get_data_transform())
    return {"line": artist.get_linestyle(), **artist_looks.patch(artist), **points}


def grid(panel: Panel, artist) -> dict:
    cells = sorted(artist.get_celld().items())
    return {"cells": [[row, column, artist_looks.shown_text(cell.get_text())] for (row, column), cell in cells]}


def key(artist: legend.Legend) -> dict:
    """Return what a legend says, and how each of its entries looks."""
    entries = [artist_looks.written(entry) for entry in artist.get_texts()]
    record: dict = {
        "title": artist_looks.shown_text(artist.get_title()),
        "entries": [entry["text"] for entry in entries],
        "handles": [],
    }
    for box in artist.findobj(offsetbox.DrawingArea):
        parts = [artist_looks.handle(part) for part in box.get_children() if part.get_visible()]
        record["handles"].append(" with ".join(parts))
    colours = [entry.get("text colour", "") for entry in entries]
    if any(colours):
        record["text colours"] = colours
    return record


KINDS: dict[type, Callable] = {
    lines.AxLine: axline, lines.Line2D: line,
    text.Annotation: annotation, text.Text: words,
    collections.QuadMesh: mesh, ContourSet: contours, quiver.Quiver: arrows,
    collections.PathCollection: scatter, collections.LineCollection: segments, collections.PolyCollection: areas,
    image.AxesImage: picture,
    patches.ConnectionPatch: connection, patches.FancyArrowPatch: arrow_patch, patches.FancyBboxPatch: box,
    **dict.fromkeys([patches.Rectangle, patches.Ellipse, patches.Wedge, patches.Polygon, patches.PathPatch,
                     patches.RegularPolygon, patches.StepPatch, patches.Arrow, patches.Annulus], shape),
    table.Table: grid,
}  # fmt: skip


# These are of their base's kind in all that is drawn; others (Barbs, a PolyCollection, say) are not.
SUBCLASSES = (
    "QuadContourSet TriContourSet EventCollection FillBetweenPolyCollection Circle Arc FancyArrow CirclePolygon"
).split()


def artist_record(panel: Panel, artist: Artist) -> dict:
    kind = type(artist) if type(artist) in KINDS else None
    if name_of(artist) in SUBCLASSES:
        kind = next((kind for kind in KINDS if isinstance(artist, kind)), None)
    if kind is None:
        raise Unknown(f"an artist of a kind that the record does not know: {name_of(artist)}")
    noise = {} if noise_of(artist) is None else {"noise below": noise_of(artist)}
    return {"kind": kind.__name__, **KINDS[kind](panel, artist), **label_of(artist), **noise}


def label_of(artist: Artist | container.Container) -> dict:
    """Return what the legend calls an artist; matplotlib begins other labels with an underscore."""
    label = str(artist.get_label())
    return {"label": label} if label and not label.startswith("_") else {}


def bars(panel: Panel, bars: container.BarContainer) -> dict:
    """Return one record of all bars of a call."""
    shown = [bar for bar in bars if bar.axes is not None and bar.get_visible()]
    record = {"kind": "Bars", "count": len(shown)}
    if shown:
        styles = [{"line": str(bar.get_linestyle()), **artist_looks.patch(bar)} for bar in shown]
        for name in dict.fromkeys(name for style in styles for name in style):
            record[name] = artist_looks.together(style.get(name, "none") for style in styles)
        corners = np.concatenate([bar.get_bbox().get_points() for bar in shown])
        record.update(panel.points(corners, shown[0], shown[0].get_data_transform()))
    record.update(label_of(bars))
    return record


def titles_of(ax: Axes) -> tuple[text.Text, ...]:
    return ax.title, vars(ax)["_left_title"], vars(ax)["_right_title"]


def axes_record(ax: Any, refused: list[str], where: str, table: list[Part]) -> dict:
    if isinstance(ax, SecondaryAxis):
        return secondary_record(ax)
    if ax.name not in ("rectilinear", "polar"):
        refused.append(f"{where}: axes of a kind that the record does not know: {ax.name}")
        return {}
    panel = Panel(ax, panel_name(ax, where), table)
    record = {**titles_record(ax), **room(ax)}
    if ax.get_aspect() != "auto" and ax.name == "rectilinear":
        record["aspect"] = float(ax.get_aspect())
    if ax.name != "rectilinear":
        record["projection"] = ax.name
        record["theta"] = digest([ax.get_theta_offset(), ax.get_theta_direction()], 1.0)["values"]
    if ax.axison:
        for letter, axis, view in (("x", ax.xaxis, ax.get_xlim()), ("y", ax.yaxis, ax.get_ylim())):
            record[letter] = axis_record(axis, view)
            if names := named_ticks(axis):
                table.append(Ticks(panel.name, letter, *names))
    else:
        record["limits"] = digest([*ax.get_xlim(), *ax.get_ylim()])
    record["artists"] = []
    for thing in plotted(ax):
        panel.begin(thing)
        try:
            is_group = isinstance(thing, container.BarContainer)
            record["artists"].append(bars(panel, thing) if is_group else artist_record(panel, thing))
        except Unknown as problem:
            refused.append(f"{where}: {problem}")
    legends = [key(one) for one in ax.get_children() if isinstance(one, legend.Legend) and one.get_visible()]
    if legends:
        record["legend"] = legends
    if hasattr(ax, "_colorbar"):  # which shows no data of its own
        table[:] = [part for part in table if part.panel != panel.name]
    insets = [axes_record(child, refused, f"{where}, inset", table) for child in ax.child_axes if child.get_visible()]
    if insets:
        record["insets"] = insets
    return record


def titles_record(ax: Axes) -> dict:
    sides = zip(("center", "left", "right"), titles_of(ax))
    titles = {side: shown for side, title in sides if (shown := artist_looks.shown_text(title))}
    record: dict = {"title": titles.pop("center", "")}
    if titles:
        record["other titles"] = titles
    if any(colours := [artist_looks.own_colour(title, "axes.titlecolor") for title in titles_of(ax)]):
        record["title colours"] = colours
    return record


def plotted(ax: Axes) -> Iterable[Any]:
    """Yield what was plotted and can be seen: bars as one group for each call, then all else."""
    groups = [group for group in ax.containers if isinstance(group, container.BarContainer)]
    yield from groups
    furniture = (*ax.spines.values(), ax.xaxis, ax.yaxis, ax.patch, *titles_of(ax))  # which every Axes has
    others = {id(part) for part in furniture} | {id(bar) for group in groups for bar in group}
    for artist in ax.get_children():
        if id(artist) in others or isinstance(artist, Axes | SecondaryAxis | spines.Spine | legend.Legend):
            continue
        is_empty = type(artist) is text.Text and not artist.get_text()
        if artist.get_visible() and not is_empty:
            yield artist


def panel_name(ax: Axes, where: str) -> str:
    """Return what the table of a figure's numbers calls a panel: its number, and its title if it has one."""
    number = where.removeprefix("axes ")
    titles = [shown for title in titles_of(ax) if (shown := artist_looks.shown_text(title))]
    return one_line(f"{number}: {titles[0]}") if titles else number


def room(ax: Axes) -> dict:
    """Return which part of a grid of axes an Axes has, or where a cell put it."""
    spec = ax.get_subplotspec()
    if hasattr(ax, "_colorbar") or ax.get_axes_locator() is not None:  # beside its image; within its parent
        return {}
    if spec is None or not ax.get_in_layout():
        place = digest(ax.get_position(original=True).bounds, 1.0)["values"]
        return {} if place == [0, 0, 1, 1] else {"room": place}
    rows, columns, first, last = spec.get_topmost_subplotspec().get_geometry()  # a colour bar divides what it stands in
    return {"room": f"{first} to {last} of {rows} x {columns}"} if rows * columns > 1 else {}


def figure_record(figure: Figure, table: list[Part] | None = None) -> dict:
    """Return what `figure` draws; under `refused`, what cannot be recorded. The arrays are noted in `table`."""
    table = [] if table is None else table
    refused: list[str] = []
    shown = [ax for ax in figure.axes if ax.get_visible()]
    record: dict = {"axes": [axes_record(ax, refused, f"axes {n}", table) for n, ax in enumerate(shown, start=1)]}
    known = {id(figure.patch)}
    for name in "_suptitle", "_supxlabel", "_supylabel":
        title = vars(figure)[name]
        known.add(id(title))
        if title is not None and artist_looks.shown_text(title):
            record[name.removeprefix("_")] = artist_looks.shown_text(title)
    record["artists"] = []
    for thing in figure.get_children():
        if id(thing) in known or isinstance(thing, Axes) or not thing.get_visible():
            continue
        if isinstance(thing, legend.Legend):
            record.setdefault("legend", []).append(key(thing))
        elif isinstance(thing, text.Text) and not isinstance(thing, text.Annotation):
            place = digest(thing.get_position(), 1.0)["values"]
            record["artists"].append({"kind": "Text", **artist_looks.written(thing), "at": place})
        else:
            refused.append(f"beside the axes: an artist that the record does not know: {name_of(thing)}")
    if refused:
        record["refused"] = refused
    return record
