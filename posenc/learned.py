"""Learned encodings: one trained vector a position, and none beyond the table."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checks


def learned_encoding(table: ArrayLike, positions: ArrayLike) -> NDArray[Any]:
    """Look up the rows of a trained table, refusing every position that it does not have.

    PE(p) = table[p],  0 <= p < len(table).

    Parameters: `table`, real numbers of shape (length, dim); `positions`, integers of any shape (..., n).
    Returns: array of shape (..., n, dim) in the table's dtype (float64 for longer floats), a copy.
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
    p = _checks.numeric(positions, "positions")
    if p.size == 0:
        p = p.astype(int)
    if p.dtype.kind not in "iu":
        raise TypeError(f"positions must be integers to look up in a table, got dtype {p.dtype}")
    if p.size and not (p.min() >= 0 and p.max() < len(rows)):
        bad = p.min() if p.min() < 0 else p.max()
        raise IndexError(f"position {bad} is not in a table of {len(rows)} positions, 0 to {len(rows) - 1}")
    return np.take(rows, p, axis=0)
