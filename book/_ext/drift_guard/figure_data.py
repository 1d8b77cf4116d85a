"""The numbers that a figure draws, as one long table, so that readers can draw it again.

`figure_record` notes an array here where it takes the array's digest, so the table holds what the record is computed
from, in the units of the axes and unrounded. A row is a point, a cell of a heatmap, a bar, or a tick that the cell
labelled. Colour bars and what stands at no place of the axes (a title, say) have no rows.
"""

import base64
import csv
import io
import math
import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

COLUMNS = ["panel", "artist", "label", "x", "y", "value"]
NAMES = {
    "Line2D": "line",
    "AxLine": "line",
    "Annotation": "annotation",
    "Text": "text",
    "AxesImage": "image",
    "QuadMesh": "mesh",
    "PathCollection": "points",
    "LineCollection": "segments",
    "BarContainer": "bars",
}  # other classes keep their name


@dataclass
class Drawn:
    """What one artist draws in a panel: points in the units of the axes (nan: placed otherwise), values of colours."""

    panel: str
    thing: Any  # an artist of matplotlib, or a group of bars
    points: list[np.ndarray] = field(default_factory=list)
    values: np.ndarray | None = None

    def note_points(self, points: np.ndarray, system: dict) -> None:
        if "in" in system:
            return
        points = np.array(points, dtype=float)
        if "fraction" in system:  # one of the two is data, and the other a fraction of the panel
            points[:, "xy".index(system["fraction"])] = np.nan
        self.points.append(points)


@dataclass
class Ticks:
    """Ticks with labels that the cell wrote: the names of the places along an axis."""

    panel: str
    axis: str
    places: list[float]
    labels: list[str]


Part = Drawn | Ticks


# ---- in the kernel


def table_of(parts: list[Part]) -> list[list]:
    """Return the rows of the table, the header not among them."""
    counts: dict[tuple[str, str], int] = {}
    rows: list[list] = []
    for part in parts:
        if isinstance(part, Ticks):
            places = [(place, math.nan) if part.axis == "x" else (math.nan, place) for place in part.places]
            rows += (
                [part.panel, f"{part.axis} tick", text, *at, math.nan]
                for text, at in zip(map(one_line, part.labels), places)
            )
            continue
        x, y, values = places_of(part)
        if not x.size:
            continue
        kind = type(part.thing).__name__
        kind = NAMES.get(kind, kind)
        counts[part.panel, kind] = counts.get((part.panel, kind), 0) + 1
        name, label = f"{kind} {counts[part.panel, kind]}", label_of(part.thing)
        names = piece_names(part.thing, name, x.size)
        rows += ([part.panel, names[place], label, x[place], y[place], values[place]] for place in range(x.size))
    return rows


def places_of(part: Drawn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return x, y and value of everything that an artist draws; the value is nan where nothing is coloured by one."""
    points = np.concatenate(part.points) if part.points else np.empty((0, 2))
    kind = type(part.thing).__name__
    if not points.size:
        return points[:, 0], points[:, 1], points[:, 0]
    if kind == "AxesImage" and part.values is not None:
        points = pixel_centres(points, part.values.shape, part.thing.origin)
    elif kind == "QuadMesh" and part.values is not None:
        points = mesh_centres(points.reshape(part.thing.get_coordinates().shape), part.values)
    elif kind == "BarContainer":
        points = bar_ends(points, part.thing.orientation)
    values = np.full(len(points), np.nan)
    if part.values is not None and part.values.size == len(points):
        values = part.values.ravel()
    return points[:, 0], points[:, 1], values


def pixel_centres(corners: np.ndarray, shape: tuple[int, ...], origin: str) -> np.ndarray:
    """Return the centres of an image's cells, row by row as its array has them."""
    (left, bottom), (right, top) = corners
    rows, columns = shape
    first, last = (top, bottom) if origin == "upper" else (bottom, top)
    x = left + (right - left) * (np.arange(columns) + 0.5) / columns
    y = first + (last - first) * (np.arange(rows) + 0.5) / rows
    return np.column_stack([np.tile(x, rows), np.repeat(y, columns)])


def mesh_centres(corners: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the centres of a mesh's cells; of a smooth mesh, which has a value for each corner, the corners."""
    if values.size == corners.shape[0] * corners.shape[1]:
        return corners.reshape(-1, 2)
    sides = corners[:-1, :-1] + corners[1:, :-1] + corners[:-1, 1:] + corners[1:, 1:]
    return (sides / 4).reshape(-1, 2)


def bar_ends(corners: np.ndarray, orientation: str | None) -> np.ndarray:
    """Return for each bar the middle of the side at which its length is read."""
    starts, ends = corners[::2], corners[1::2]
    middles = (starts + ends) / 2
    if orientation == "horizontal":
        return np.column_stack([ends[:, 0], middles[:, 1]])
    return np.column_stack([middles[:, 0], ends[:, 1]])


def piece_names(thing, name: str, count: int) -> list[str]:
    """Return the name of the artist for each of its points, with the number of the piece where it has several."""
    pieces = [len(piece) for piece in thing.get_segments()] if hasattr(thing, "get_segments") else []
    if len(pieces) < 2 or sum(pieces) != count:
        return [name] * count
    return [f"{name}.{number}" for number, length in enumerate(pieces, start=1) for _ in range(length)]


def label_of(thing) -> str:
    """Return what the legend calls an artist, or the text that it writes."""
    from matplotlib.text import Text  # in the kernel; the build reads tables without matplotlib

    label = str(thing.get_text() if isinstance(thing, Text) else thing.get_label())  # contours have another get_text
    return "" if label.startswith("_") else one_line(label)


def one_line(text: str) -> str:
    return " ".join(text.split())


def written(cell) -> str:
    """Return a cell of the table; a number in the shortest form that gives the same number back."""
    if isinstance(cell, str):
        return cell
    number = float(cell)
    return "" if math.isnan(number) else repr(number).removesuffix(".0")


def packed(parts: list[Part]) -> str:
    """Return the table as CSV, packed to travel in a message."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([written(cell) for cell in row] for row in table_of(parts))
    return base64.b64encode(zlib.compress(text.getvalue().encode(), 9)).decode()


# ---- in the build


def unpacked(table: str) -> str:
    return zlib.decompress(base64.b64decode(table)).decode()
