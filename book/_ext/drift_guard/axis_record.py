"""What an axis tells: its label, scale and limits, and the ticks and tick labels that the cell sets.

Those that matplotlib chooses depend on the font.
"""

import math
from typing import Literal

import numpy as np
from matplotlib import category, ticker
from matplotlib.axes._secondary_axes import SecondaryAxis
from matplotlib.axis import Axis
from matplotlib.projections.polar import RadialLocator, ThetaLocator

from drift_guard import artist_looks
from drift_guard.array_digest import digest

PLAIN = (ticker.ScalarFormatter, ticker.LogFormatterSciNotation, ticker.LogitFormatter)  # they write the number itself
AUTOMATIC = (
    ticker.AutoLocator,
    ticker.MaxNLocator,
    ticker.LogLocator,
    ticker.AutoMinorLocator,
    ticker.SymmetricalLogLocator,
    ticker.LogitLocator,
)
COMPUTED = (ticker.FuncFormatter, ticker.PercentFormatter, ticker.EngFormatter)  # what they write tells their settings


def scaled(axis: Axis, values: np.ndarray) -> np.ndarray:
    """Return values on the axis' own scale; what has no place there is nan."""
    if axis.get_scale() == "log":
        base = base_of(axis)
        values = np.asarray(values, dtype=float)
        return np.log(values, out=np.full(values.shape, np.nan), where=values > 0) / math.log(base)
    return np.asarray(axis.get_transform().transform(values), dtype=float)


def base_of(axis: Axis) -> float:
    """Return the base of a logarithmic axis."""
    return vars(axis.get_transform())["base"]


def ticks(axis: Axis) -> dict:
    """Return the ticks and tick labels that the cell set; automatic ones depend on the font."""
    record: dict = {}
    view = np.sort(axis.get_view_interval())
    for size in "major", "minor":
        locator, formatter = locator_of(axis, size), getattr(axis, f"get_{size}_formatter")()
        places = places_of(locator, view)
        where = place_record(locator, places, view)
        is_usual = size == "minor" and isinstance(locator, ticker.NullLocator)
        if where and not is_usual:
            record[size] = where
        own_base = getattr(formatter, "_base", None) if axis.get_scale() == "log" else None
        is_plain = type(formatter) in PLAIN and (own_base is None or own_base == base_of(axis))
        if not is_plain and not (isinstance(formatter, ticker.NullFormatter) and size == "minor"):
            if places is None:  # where the ticks stand depends on the font: ask at fixed places
                places = np.linspace(view[0], view[1], 5)
            record[f"{size} text"] = text_record(axis, formatter, places)
    return record


def places_of(locator: ticker.Locator, view: np.ndarray) -> np.ndarray | None:
    """Return where ticks stand that the cell set; None for those that matplotlib places."""
    if isinstance(locator, ticker.FixedLocator):
        return np.asarray(vars(locator)["locs"], dtype=float)
    if isinstance(locator, ticker.MultipleLocator):
        places = np.asarray(locator.tick_values(*view), dtype=float)
        return places[(places >= view[0]) & (places <= view[1])]
    if isinstance(locator, ticker.LinearLocator | ticker.IndexLocator):
        return np.asarray(locator.tick_values(*view), dtype=float)
    return None


def place_record(locator: ticker.Locator, places: np.ndarray | None, view: np.ndarray) -> dict | str | None:
    """Return how the ticks of a locator are recorded; None for those that matplotlib places."""
    if isinstance(locator, ticker.MultipleLocator):
        first = vars(locator)["_offset"]
        return f"multiples of {vars(locator)['_edge'].step:.9g}" + (f" from {first:.9g}" if first else "")
    if places is not None:
        return digest(places, float(view[1] - view[0])) if places.size else "none"
    if isinstance(locator, ticker.NullLocator):
        return "none"
    is_automatic = isinstance(locator, (*AUTOMATIC, category.StrCategoryLocator))
    return None if is_automatic else type(locator).__name__


def text_record(axis: Axis, formatter: ticker.Formatter, places: np.ndarray) -> list[str] | str:
    """Return what stands at ticks, or what writes it."""
    if isinstance(formatter, ticker.FixedFormatter):
        return [str(label) for label in formatter.seq]
    if isinstance(formatter, category.StrCategoryFormatter):
        return list(axis.units._mapping)  # matplotlib has no public way to ask for them
    if isinstance(formatter, COMPUTED) or not type(formatter).__module__.startswith("matplotlib."):
        return [str(formatter(place, number)) for number, place in enumerate(places)]
    spec = getattr(formatter, "fmt", None) or getattr(formatter, "_base", None)
    return f"{type(formatter).__name__} {spec}" if spec else type(formatter).__name__


def named_ticks(axis: Axis) -> tuple[list[float], list[str]] | None:
    """Return places and labels of the ticks that the cell named; None where ticks write numbers."""
    locator, formatter = locator_of(axis, "major"), axis.get_major_formatter()
    if isinstance(formatter, category.StrCategoryFormatter):
        names = axis.units._mapping
        return [float(place) for place in names.values()], [str(name) for name in names]
    if isinstance(formatter, ticker.FixedFormatter) and isinstance(locator, ticker.FixedLocator):
        return [float(place) for place in vars(locator)["locs"]], [str(label) for label in formatter.seq]
    return None


def locator_of(axis: Axis, size: str) -> ticker.Locator:
    """Return what places ticks; polar axes wrap places that a cell sets."""
    locator = getattr(axis, f"get_{size}_locator")()
    wrapped = getattr(locator, "base", None) if isinstance(locator, RadialLocator | ThetaLocator) else None
    return wrapped if isinstance(wrapped, ticker.FixedLocator) else locator


def axis_record(axis: Axis, view: tuple[float, float]) -> dict:
    record = axis_label(axis)
    record.update(scale=axis.get_scale(), limits=digest(scaled(axis, np.asarray(view))))
    if not axis.get_visible():
        record["hidden"] = True
    record.update(ticks(axis))
    record.update(tick_labels(axis))
    return record


def axis_label(axis: Axis) -> dict:
    record: dict = {"label": artist_looks.shown_text(axis.label)}
    if own := artist_looks.own_colour(axis.label, "axes.labelcolor"):
        record["label colour"] = own
    return record


def tick_labels(axis: Axis) -> dict:
    """Return at which sides tick labels stand and in what colour, where it is not as usual."""
    found: dict = {}
    names: tuple[tuple[Literal["major", "minor"], str], ...] = ("major", "tick labels"), ("minor", "minor tick labels")
    for size, name in names:
        settings = axis.get_tick_params(which=size)
        usual, other = ("bottom", "top") if "labelbottom" in settings else ("left", "right")
        drawn = vars(axis).get(f"{size}Ticks", [])  # to ask for them would make one
        off = [[not getattr(tick, label).get_visible() for tick in drawn] for label in ("label1", "label2")]
        shown = [
            side for side, gone in zip((usual, other), off) if settings.get(f"label{side}") and not (gone and all(gone))
        ]
        if shown != [usual]:
            found[name] = shown or "none"
        elif any(off[0]) and isinstance(locator_of(axis, size), ticker.FixedLocator):
            found[f"{name} without"] = [place for place, gone in enumerate(off[0]) if gone]
        if "labelcolor" in settings:
            found[f"{name} colour"] = artist_looks.colour(settings["labelcolor"])
    if found.get("minor tick labels") == found.get("tick labels"):
        found.pop("minor tick labels", None)
    if not axis.get_offset_text().get_visible() and found.get("tick labels") != "none":
        found["multiplier"] = "hidden"
    return found


def secondary_record(ax: SecondaryAxis) -> dict:
    """Return what the second scale of an axis tells: its label, and what it makes of the limits."""
    parent, which = vars(ax)["_parent"], vars(ax)["_orientation"]
    axis, view = (ax.xaxis, parent.get_xlim()) if which == "x" else (ax.yaxis, parent.get_ylim())
    there, back = vars(ax)["_functions"]
    places = np.linspace(view[0], view[1], 5)
    record = {"secondary": which}
    record.update(axis_label(axis))
    record["limits"] = digest(there(np.asarray(view)))
    returned = np.asarray(back(np.asarray(there(places))), dtype=float)
    if not np.allclose(returned, places, equal_nan=True):
        record["back again"] = digest(returned)
    record.update(ticks(axis))
    return record
