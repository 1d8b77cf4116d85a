"""Positions by distance alone: T5's table of buckets, and the decay that xPos puts on rotated pairs."""

import math
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checks
from ._types import Float, Floats


def t5_buckets(
    relative: ArrayLike, *, bidirectional: bool, num_buckets: int = 32, max_distance: int = 128
) -> NDArray[np.int64]:
    """The bucket of each relative position: one a distance nearby, then ever wider ones, the last for all beyond.

    With n buckets to a side, e = n // 2 of them for one distance each, and r the distance to the key:
    b(r) = r for r < e,  b(r) = min(n - 1, e + floor((n - e) ln(r/e) / ln(max_distance/e))) from there on. With
    `bidirectional` n is half of `num_buckets`, and keys after the query are in the second half, n + b(r); without it n
    is `num_buckets`, and all keys after the query are in bucket 0.

    Parameters: `relative`, integers of any shape, key position minus query position; `bidirectional`, True for
    encoders, False for decoders; `num_buckets`, 2 to 2**16, and for both directions an even number from 4;
    `max_distance`, tokens, above the number of exact buckets, up to 2**53.
    Returns: int64 array of the shape of `relative`, from 0 to num_buckets - 1. The edges of buckets are worked out in
    whole numbers, so that none is rounded away.
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer",
    section 2.1, and the published code.

    >>> t5_buckets([-1, 0, 1, 20, 500], bidirectional=True)
    array([ 1,  0, 17, 26, 31])
    """
    bidirectional = _checks.flag(bidirectional, "bidirectional")
    buckets = _checks.count(num_buckets, "num_buckets", least=4 if bidirectional else 2, most=2**16)
    if bidirectional and buckets % 2:
        raise ValueError(f"num_buckets must be even, half for either direction, got {buckets}")
    side = buckets // 2 if bidirectional else buckets
    farthest = _checks.count(max_distance, "max_distance", least=1, most=2**53)
    if farthest <= side // 2:
        raise ValueError(f"max_distance must be above the {side // 2} distances with a bucket each, got {farthest}")
    offsets = _checks.integers(relative, "relative")
    limits = np.iinfo(offsets.dtype)  # at a distance of max_distance all are in the last bucket, and no size overflows
    near = np.clip(offsets, max(-farthest, limits.min), min(farthest, limits.max)).astype(np.int64)
    distance = np.abs(near) if bidirectional else np.maximum(-near, 0)
    result = np.searchsorted(_edges(side, farthest), distance, side="right")
    if bidirectional:
        result += side * (near > 0)
    return np.asarray(result, dtype=np.int64)


def _edges(side: int, farthest: int) -> NDArray[np.int64]:
    """The least distance of every bucket but the first: 1, 2, .. up to the exact ones, then e (farthest/e)**(k/m)."""
    exact = side // 2
    steps = side - exact
    edges = list(range(1, exact + 1))
    for k in range(1, steps):
        place = exact * (farthest / exact) ** (k / steps)
        edge = math.ceil(place)
        if abs(place - round(place)) > 1e-9 * place:  # not so near to a whole number that rounding could decide
            edges.append(edge)
            continue
        # The least whole number with (edge/e)**m >= (farthest/e)**k.
        while edge**steps * exact**k < farthest**k * exact**steps:
            edge += 1
        while (edge - 1) ** steps * exact**k >= farthest**k * exact**steps:
            edge -= 1
        edges.append(edge)
    return np.array(edges[: side - 1], dtype=np.int64)


@overload
def relative_bias(
    q_positions: ArrayLike,
    k_positions: ArrayLike,
    table: NDArray[Float],
    *,
    bidirectional: bool,
    max_distance: int = ...,
) -> NDArray[Float]: ...
@overload
def relative_bias(
    q_positions: ArrayLike,
    k_positions: ArrayLike,
    table: ArrayLike,
    *,
    bidirectional: bool,
    max_distance: int = ...,
) -> Floats: ...
def relative_bias(
    q_positions: ArrayLike,
    k_positions: ArrayLike,
    table: ArrayLike,
    *,
    bidirectional: bool,
    max_distance: int = 128,
) -> Floats:
    """T5's bias on attention scores: for every head a learned number a bucket of distances.

    B[h, i, j] = table[b(k_j - q_i), h] with the buckets b of `t5_buckets`.

    Parameters: `q_positions` (n_q,) and `k_positions` (n_k,), integers in tokens, up to 2**53 in size; `table`, finite
    real numbers of shape (num_buckets, num_heads); `bidirectional` and `max_distance` as for `t5_buckets`.
    Returns: array of shape (num_heads, n_q, n_k) in the table's dtype (float64 for others), to add to the scores. It
    masks nothing: without `bidirectional` keys after the query get the bias of distance 0, so that a decoder needs a
    causal mask besides.
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: Raffel et al. 2020, section 2.1, and the published code.

    >>> relative_bias([0, 1], [0, 1], [[0.0], [-1.0], [0.0], [0.5]], bidirectional=True)
    array([[[ 0. ,  0.5],
            [-1. ,  0. ]]])
    """
    rows = _checks.finite(table, "table")
    if rows.ndim != 2:
        raise ValueError(f"table must have two axes, (num_buckets, num_heads), got shape {rows.shape}")
    least = 4 if _checks.flag(bidirectional, "bidirectional") else 2
    if len(rows) < least:
        raise ValueError(f"table must have {least} rows or more, one per bucket, got shape {rows.shape}")
    if bidirectional and len(rows) % 2:
        raise ValueError(f"table must have an even number of rows, half for either direction, got {len(rows)}")
    places: list[NDArray[np.int64]] = []
    for name, value in (("q_positions", q_positions), ("k_positions", k_positions)):
        array = _checks.integers(value, name)
        if array.ndim != 1:
            raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
        places.append(_checks.positions(array, name).astype(np.int64))
    q, k = places
    buckets = t5_buckets(
        k - q[:, np.newaxis], bidirectional=bidirectional, num_buckets=len(rows), max_distance=max_distance
    )
    by_head = _float_table(rows, "table").T  # (h, buckets)
    return np.ascontiguousarray(by_head[:, buckets])


def _float_table(array: NDArray[Any], name: str) -> NDArray[Any]:
    """In the dtype of a result, which holds integers up to 2**53 only."""
    if array.dtype.kind in "iu" and array.size:
        _checks.positions(array, name)
    return array.astype(_checks.result_dtype(array), copy=False)


def xpos_scales(
    positions: ArrayLike,
    dim: int,
    *,
    keys: bool = False,
    scale_base: float = 512.0,
    gamma: float = 0.4,
) -> NDArray[np.float64]:
    """What xPos multiplies each rotated pair of a query or a key by, so that scores fade with the distance.

    zeta_j**(p / scale_base) for queries and zeta_j**(-p / scale_base) for keys, zeta_j = (2j/dim + gamma)/(1 + gamma):
    a query at m and a key at n make the product zeta_j**((m - n) / scale_base), below 1 for keys before the query. Keys
    after it are amplified, so that xPos is for causal attention.

    Parameters: `positions`, real numbers of any shape (..., n), in tokens; `dim`, a positive even integer; `keys`, True
    for keys; `scale_base`, tokens, above 0; `gamma` > 0. Both powers leave float64 some hundred thousand tokens away
    from position 0, so count from the middle of the text, as the authors do: the scores are the same.
    Returns: float64 array of shape (..., n, dim/2), one number per pair: repeat each one for its two coordinates,
    np.repeat(scales, 2, -1) in interleaved layout, np.concatenate([scales, scales], -1) in half layout.
    Raises: TypeError or ValueError for arguments outside their domains, and for positions so far from 0 that a scale
    leaves the range of float64.
    Source: Sun et al. 2023, "A Length-Extrapolatable Transformer", section 3.2, equation 14, and the published code.

    >>> xpos_scales([0, 512], 4).round(4), xpos_scales(512, 4, keys=True).round(4)
    (array([[1.    , 1.    ],
           [0.2857, 0.6429]]), array([3.5   , 1.5556]))
    """
    pairs = _checks.width(dim) // 2
    keys = _checks.flag(keys, "keys")
    base, gamma = _checks.positive(scale_base, "scale_base"), _checks.positive(gamma, "gamma")
    p = _checks.positions(positions)
    _checks.room("dim", (*p.shape, pairs))
    zeta = (np.arange(pairs) / pairs + gamma) / (1 + gamma)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        scales = zeta ** ((-p if keys else p)[..., np.newaxis] / base)
    if scales.size and not (scales.min() >= np.finfo(np.float64).tiny and scales.max() < np.inf):
        raise ValueError(
            "positions must be so near to 0 that scales stay within the range of float64, got up to "
            f"{np.abs(p).max()}; count them from the middle of the text"
        )
    return scales
