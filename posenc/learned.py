"""Learned encodings: one trained vector per position, none beyond the table, and what resampling makes of it."""

from collections.abc import Sequence
from typing import Any, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checks
from ._types import Entry, Float, Floats


@overload
def learned_encoding(table: NDArray[Entry], positions: ArrayLike) -> NDArray[Entry]: ...
@overload
def learned_encoding(table: ArrayLike, positions: ArrayLike) -> NDArray[Any]: ...
def learned_encoding(table: ArrayLike, positions: ArrayLike) -> NDArray[Any]:
    """Look up the rows of a trained table, refusing every position that it does not have.

    PE(p) = table[p],  0 <= p < len(table).

    Parameters: `table`, real numbers of shape (length, dim); `positions`, integers of any shape (..., n).
    Returns: array of shape (..., n, dim) in the table's dtype (float64 for longer floats) in native byte order, a copy.
    Raises: IndexError for a position below 0 (there is no counting from the end) or past the table; TypeError for
    positions that are no integers; ValueError for a table that is not two-dimensional.
    Source: Gehring et al. 2017, "Convolutional Sequence to Sequence Learning", section 3.1.

    >>> learned_encoding([[0.1, 0.2], [0.3, 0.4]], [1, 0])
    array([[0.3, 0.4],
           [0.1, 0.2]])
    """
    rows = _checks.numeric(table, "table")
    if rows.ndim != 2:
        raise ValueError(f"table must have two axes, (length, dim), got shape {rows.shape}")
    p = _checks.integers(positions, "positions")
    if p.size and len(rows) == 0:
        raise IndexError(f"position {p.flat[0]} is not in the table, which has no positions: its shape is {rows.shape}")
    if p.size and not (p.min() >= 0 and p.max() < len(rows)):
        bad = p.min() if p.min() < 0 else p.max()
        raise IndexError(f"position {bad} is not in a table of {len(rows)} positions, 0 to {len(rows) - 1}")
    _checks.room("positions", (*p.shape, rows.shape[1]))
    found = np.take(rows, p, axis=0)
    return found.astype(found.dtype.newbyteorder("="), copy=False)


METHODS = ("linear", "cubic")
ALIGNMENTS = ("cells", "ends")
_KEYS = -0.75  # the parameter of the cubic kernel in PyTorch and OpenCV


@overload
def resample_table(
    table: NDArray[Float], shape: int | Sequence[int], *, method: str = ..., align: str = ...
) -> NDArray[Float]: ...
@overload
def resample_table(table: ArrayLike, shape: int | Sequence[int], *, method: str = ..., align: str = ...) -> Floats: ...
def resample_table(
    table: ArrayLike, shape: int | Sequence[int], *, method: str = "linear", align: str = "cells"
) -> Floats:
    """Stretch or shrink a trained table to another number of positions, on one axis or on several.

    Along each axis in turn row i of the new table is read at the place s of the old one, between whose rows it is
    interpolated: s = (i + 1/2) n_old/n_new - 1/2 for "cells" (rows are cells side by side, and the borders of the first
    and the last stay in place), s = i (n_old - 1)/(n_new - 1) for "ends" (the first and the last row stay, and a single
    new row is the first). "linear" weighs the two rows around s, "cubic" four, by Keys's kernel with a = -0.75; a row
    beyond the end counts as the last one.

    Parameters: `table`, finite real numbers of shape (length, dim), or (rows, columns, dim) for a grid, or with more
    axes before the last (a row for a class token must be taken off first, and put back); `shape`, the new length, or
    one length per axis, 1 or more; `method`, "linear" or "cubic"; `align`, "cells" or "ends".
    Returns: a new array of shape (*shape, dim) in the table's dtype (float64 for others), rounded once. Nothing is
    smoothed first, so that shrinking leaves out what lies between the places that are read.
    Raises: TypeError or ValueError for arguments outside their domains or shapes that do not fit.
    Source: Dosovitskiy et al. 2021, "An Image is Worth 16x16 Words", section 3.2; the two alignments are PyTorch's
    `align_corners=False` and `True`.

    >>> resample_table([[0.0], [1.0]], 4)[:, 0], resample_table([[0.0], [1.0]], 4, align="ends")[:, 0].round(4)
    (array([0.  , 0.25, 0.75, 1.  ]), array([0.    , 0.3333, 0.6667, 1.    ]))
    """
    rows = _checks.finite(table, "table")
    if rows.ndim < 2 or 0 in rows.shape[:-1]:
        raise ValueError(f"table must have shape (length, dim), or more axes before the last, got {rows.shape}")
    sizes = _new_sizes(shape, rows.ndim - 1)
    _checks.room("shape", (*sizes, rows.shape[-1]))
    method = _checks.choice(method, "method", METHODS)
    align = _checks.choice(align, "align", ALIGNMENTS)
    dtype = _checks.result_dtype(rows)
    if rows.dtype.kind in "iu" and rows.size:
        _checks.positions(rows, "table")  # float64 skips integers beyond 2**53
    result = rows.astype(np.float64)
    for axis, size in enumerate(sizes):
        if size != rows.shape[axis]:
            result = _resampled(result, axis, size, method, align)
    with np.errstate(over="ignore", under="ignore"):
        out = result.astype(dtype)
    if not np.isfinite(out).all():
        raise ValueError(f"table must be small enough that what is interpolated stays within the range of {dtype}")
    return out


def _new_sizes(shape: Any, axes: int) -> list[int]:
    if isinstance(shape, (list, tuple)) or (isinstance(shape, np.ndarray) and shape.ndim == 1):
        sizes = [_checks.count(size, "shape", least=1) for size in cast(Sequence[Any], shape)]
    else:
        sizes = [_checks.count(shape, "shape", least=1)]
    if len(sizes) != axes:
        raise ValueError(f"shape must have one length for each of the {axes} axes of positions, got {sizes}")
    return sizes


def _resampled(table: NDArray[np.float64], axis: int, size: int, method: str, align: str) -> NDArray[np.float64]:
    length = table.shape[axis]
    i = np.arange(size)
    if align == "cells":
        twice, over = (2 * i + 1) * length - size, 2 * size  # s = twice / over, whole numbers as long as they fit
    else:
        twice, over = i * (length - 1), max(size - 1, 1)
    left = twice // over
    t = (twice - left * over) / over  # from 0 to below 1, how far s is from the row before it
    if method == "linear":
        weights = {0: 1 - t, 1: t}
    else:
        weights = {k: _cubic(np.abs(t - k)) for k in (-1, 0, 1, 2)}
    old = np.moveaxis(table, axis, 0)
    new = np.zeros((size, *old.shape[1:]))
    spread = (slice(None), *(np.newaxis,) * (old.ndim - 1))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # looked at when all axes are done
        for k, weight in weights.items():
            new += weight[spread] * old[np.clip(left + k, 0, length - 1)]
    return np.moveaxis(new, 0, axis)


def _cubic(distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Keys's kernel at a distance of 0 to 2 rows."""
    d, a = distance, _KEYS
    return np.where(d <= 1, ((a + 2) * d - (a + 3)) * d * d + 1, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a)
