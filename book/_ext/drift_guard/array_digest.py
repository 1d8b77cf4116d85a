"""An array in a few numbers, so that a change of one of its values shows and rounding does not.

They are its shape, its extremes and two sums with fixed uneven weights. The sums are in units of the array's range, so
that one value of many that moves by 1e-6 of the range shows.
"""

import math

import numpy as np

GOLDEN, ROOT = (math.sqrt(5) - 1) / 2, math.sqrt(2) - 1
LISTED = 4  # so few values are recorded as they are
FAR = 11.3  # times what is in sight: so far out, values hide how others move; not round, lest rounding decide


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
    return {
        **record,
        "shape": list(array.shape),
        "min": rounded(low, places),
        "max": rounded(high, places),
        "sums": [rounded(s, 9) for s in sums],
    }


def rounded(value: float, places: int) -> float:
    """Return `value` with so many decimals, and no negative zero."""
    return round(value, places) + 0.0


def in_sight(values: np.ndarray, low: float, high: float) -> dict | None:
    """Return the record of values with all that lies out of sight at its rim; None unless that is far out."""
    finite = values[np.isfinite(values)]
    if not finite.size or np.ptp(finite) <= FAR * (high - low):
        return None
    return digest(np.clip(values, low, high), float(high - low))


def quieted(values, below: float, logarithmic: bool) -> np.ndarray:
    """Return values in which all that is smaller than the bound is alike, without a jump at the bound."""
    if logarithmic:
        return np.maximum(values, below)
    return np.sign(values) * np.maximum(np.abs(values) - below, 0.0)
