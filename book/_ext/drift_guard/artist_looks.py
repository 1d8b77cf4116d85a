"""How an artist looks, in words that no size, font or other palette changes: the marks by which readers tell the curves
of a figure apart and find them in its legend.

A colour is named by its place in the style's cycle (C0) or its part in the style (ink); only one that the cell gives
itself is named by its code. A mark that is as matplotlib draws it of itself is left out.
"""

import zlib
from collections.abc import Iterable
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.collections import Collection, LineCollection, PathCollection
from matplotlib.colors import to_hex, to_rgba
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.patches import Patch
from matplotlib.path import Path
from matplotlib.text import Text

from drift_guard.array_digest import digest

LISTED = 12  # so many colours or hatches are recorded one by one
PARTS = {"axes.edgecolor": "frame", "text.color": "ink"}
PLAIN = {"#000000": "black", "#ffffff": "white"}
NONE = ("None", "none", " ", "")
DASHES = {"--": "lines.dashed_pattern", "-.": "lines.dashdot_pattern", ":": "lines.dotted_pattern"}


def colour(value, alpha: float | None = None) -> str:
    """Return the name of a colour, with how opaque it is where it is not."""
    red, green, blue, opaque = to_rgba(value, alpha)
    if opaque == 0:
        return "none"
    code = to_hex((red, green, blue))
    name = palette().get(code, code)
    return name if opaque == 1 else f"{name} {opaque:.2g}"


def palette() -> dict[str, str]:
    """Return the names of colours by their codes."""
    cycle = mpl.rcParams["axes.prop_cycle"].by_key().get("color", [])
    names = {to_hex(value): f"C{place}" for place, value in reversed(list(enumerate(cycle)))}
    return {**names, **{to_hex(style(part)): name for part, name in PARTS.items()}, **PLAIN}


def style(part: str) -> Any:
    """Return a setting of the style; None for a name that it lacks."""
    settings: Any = mpl.rcParams  # whose types know each name, and no name that is computed
    return settings.get(part)


def together(names: Iterable[str]) -> str | list[str]:
    """Return one name for all, or the list of them; of many, the first that differ and a check of all."""
    names = list(names)
    different = list(dict.fromkeys(names))
    if len(different) <= 1:
        return different[0] if different else "none"
    if len(names) <= LISTED:
        return names
    return [*different[:LISTED], f"{len(names)} in an order of check {zlib.crc32(' '.join(names).encode()):08x}"]


def inside_and_edge(inside, edge) -> dict:
    """Return the colours of an area, `edge` only where it stands out."""
    record = {}
    if inside != "none":
        record["colour"] = inside
    if edge not in ("none", inside):
        record["edge"] = edge
    return record


def line(artist: Line2D) -> dict:
    """Return how a line and its markers look, but for the names of line style and marker."""
    record: dict = {}
    if artist.get_linestyle() not in NONE:
        if artist.get_linewidth() > 0:
            record["colour"] = colour(artist.get_color(), artist.get_alpha())
            record.update(own_dashes(artist))
            if artist.get_gapcolor() is not None:
                record["gaps"] = colour(artist.get_gapcolor(), artist.get_alpha())
        else:
            record["width"] = 0
    record.update(markers(artist, record.get("colour")))
    return record


def own_dashes(artist: Line2D) -> dict:
    """Return the pattern of a line whose style has no name."""
    pattern = vars(artist)["_unscaled_dash_pattern"][1]  # matplotlib has no public way to ask for it
    usual = style(DASHES.get(str(artist.get_linestyle()), ""))
    if pattern is None or list(pattern) == list(usual or ()):
        return {}
    return {"dashes": [float(length) for length in pattern]}


def markers(artist: Line2D, line_colour: str | None) -> dict:
    if str(artist.get_marker()) in NONE:
        return {}
    alpha, style = artist.get_alpha(), artist.get_fillstyle()
    inside, edge = (colour(value, alpha) for value in (artist.get_markerfacecolor(), artist.get_markeredgecolor()))
    if not MarkerStyle(artist.get_marker()).is_filled():
        inside = edge  # a cross, say, is all edge
    record: dict = {} if style in ("full", "none") else {"fill": style}
    record.update(every(artist.get_markevery()))
    shown = inside_and_edge(inside, edge)
    if line_colour is None:
        record.update(shown)
    elif shown != {"colour": line_colour}:
        record["markers"] = shown
    return record


def every(places) -> dict:
    """Return which points have a marker."""
    if places is None:
        return {}
    if isinstance(places, slice):
        places = [places.start, places.stop, places.step]
    return {"markers at": np.asarray(places).tolist() if not isinstance(places, list) else list(places)}


def patch(artist: Patch) -> dict:
    inside = colour(artist.get_facecolor()) if artist.get_fill() else "none"
    edge = colour(artist.get_edgecolor()) if artist.get_linewidth() > 0 else "none"
    record = inside_and_edge(inside, edge)
    if artist.get_hatch():
        record["hatch"] = artist.get_hatch()
    return record


def collection(artist: Collection) -> dict:
    """Return the colours of a collection that no array colours, and its hatch."""
    record = {}
    if artist.get_array() is None:
        has_edge = np.any(np.asarray(artist.get_linewidth()) > 0)
        inside = together(map(colour, artist.get_facecolor()))
        edge = together(map(colour, artist.get_edgecolor())) if has_edge else "none"
        record.update(inside_and_edge(inside, edge))
    if artist.get_hatch():
        record["hatch"] = artist.get_hatch()
    return record


def scatter_marker(artist: PathCollection) -> dict:
    """Return the markers of a scatter that are no circles."""
    paths = artist.get_paths()
    names = [name for path in paths if (name := marker_name(path)) is not None]
    if len(names) < len(paths):
        return {"marker": digest(np.concatenate([path.vertices for path in paths]), 1.0)}
    return {} if set(names) <= {"o"} else {"marker": together(names)}


def marker_name(path: Path) -> str | None:
    """Return the name of the marker that has this path, None for one of the cell's own."""
    points = np.asarray(path.vertices)
    for name in MarkerStyle.markers:
        style = MarkerStyle(name)
        usual = np.asarray(style.get_transform().transform_path(style.get_path()).vertices)
        if str(name) not in NONE and usual.shape == points.shape and np.allclose(usual, points):
            return str(name)
    return None


def shown_text(artist: Text) -> str:
    """Return what stands there to be read."""
    seen = artist.get_visible() and colour(artist.get_color(), artist.get_alpha()) != "none"
    return artist.get_text() if seen else ""


def own_colour(artist: Text, part: str = "text.color") -> str | None:
    """Return the colour of a text, None for that of its part in the style."""
    usual = style("text.color") if style(part) == "auto" else style(part)
    name = colour(artist.get_color(), artist.get_alpha())
    as_usual = name == colour(usual)
    return None if as_usual or not shown_text(artist) else name


def written(artist: Text) -> dict:
    """Return a text, with its colour and how it is turned where that is not as usual."""
    angle = round(float(artist.get_rotation()), 9)
    found = {"text": shown_text(artist), "text colour": own_colour(artist), "turned": angle or None}
    return {name: value for name, value in found.items() if value is not None}


def handle(artist: Artist) -> str:
    """Return how an entry of a legend looks."""
    if isinstance(artist, Text):
        return artist.get_text()
    if isinstance(artist, Line2D):
        found = {"line": artist.get_linestyle(), "marker": str(artist.get_marker()), **line(artist)}
        found.pop("markers at", None)  # of the curve, not of the entry's two points
    elif isinstance(artist, Patch):
        found = {"area": str(artist.get_linestyle()), **patch(artist)}
    elif isinstance(artist, PathCollection):
        found = {"marker": "o", **scatter_marker(artist), **collection(artist)}
    elif isinstance(artist, LineCollection):
        found = {"line": together(str(style) for style in line_styles(artist)), **collection(artist)}
    elif isinstance(artist, Collection):
        found = {"area": "solid", **collection(artist)}
    else:
        return type(artist).__name__
    return ", ".join(f"{name} {value}" for name, value in found.items() if value not in NONE)


def line_styles(artist: Any) -> list:
    """Return the line styles of a collection: names, or patterns in units of the line's width."""
    widths = np.atleast_1d(artist.get_linewidth())
    found = []
    for number, (_, pattern) in enumerate(artist.get_linestyle()):
        width = float(widths[number % len(widths)]) or 1.0
        style = "solid" if pattern is None else [round(float(p) / width, 3) for p in pattern]
        if style not in found:
            found.append(style)
    return found
