"""Scaled dot-product attention, with the softmax and the mask it needs."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checks


def _boolean_mask(mask: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    if isinstance(mask, np.ma.MaskedArray):
        raise TypeError("mask must be a plain boolean array, True where attention is allowed, got a masked array")
    try:
        array = np.asarray(mask)
    except ValueError:
        raise TypeError(f"mask must be boolean, True where attention is allowed, got {_checks.show(mask)}") from None
    if array.dtype != bool:
        raise TypeError(f"mask must be boolean, True where attention is allowed, got dtype {array.dtype}")
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(f"mask must broadcast to the shape of the scores, {shape}, got {array.shape}") from None


def softmax(x: ArrayLike, axis: int = -1, mask: ArrayLike | None = None) -> NDArray[Any]:
    """Exponentials along an axis, divided by their sum.

    softmax(x)_i = exp(x_i - max x) / sum_j exp(x_j - max x) over the entries that the mask allows; the others are 0.

    Parameters: `x`, real numbers of any shape with at least one axis, -inf allowed; `axis`, along which the result
    sums to 1; `mask`, booleans that broadcast to x.shape, True where an entry takes part.
    Returns: array of the shape of x in its dtype (float64 for others). Where nothing takes part (all masked or -inf)
    the result is 0, not NaN.
    Raises: TypeError for other dtypes; ValueError for NaN or +inf among the entries, or a mask that does not fit.
    Source: Vaswani et al. 2017, section 3.2.1.

    >>> softmax([0.0, 0.0, -np.inf])
    array([0.5, 0.5, 0. ])
    """
    x = _checks.numeric(x, "x")
    axis = _checks.count(axis, "axis", least=-(2**63))
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis must be one of the {x.ndim} axes of x, got {axis}")
    dtype = _checks.result_dtype(x)
    work = x.astype(np.float32 if dtype == np.float16 else dtype)
    if mask is not None:
        work[~_boolean_mask(mask, x.shape)] = -np.inf
    peak = work.max(axis=axis, keepdims=True, initial=-np.inf)
    if not (peak < np.inf).all():
        raise ValueError("x must not hold NaN or +inf where it takes part")
    with np.errstate(over="ignore", under="ignore"):  # two entries may differ by more than the largest number
        work -= np.where(peak > -np.inf, peak, 0)
        np.exp(work, out=work)
        # In float64: down an axis that is not the last NumPy adds one by one, and float32 loses count past 2**24.
        total = work.sum(axis=axis, keepdims=True, dtype=np.float64).astype(work.dtype)
        work /= np.where(total > 0, total, 1)
        return work.astype(dtype, copy=False)


def causal_mask(n_queries: int, n_keys: int | None = None, *, window: int | None = None) -> NDArray[np.bool_]:
    """Which keys each query may attend to: those at its own place and before, the last query being the last key.

    M[i, j] = (0 <= i - j + n_keys - n_queries < window), True = may attend: with a window w a query sees the key at its
    own place and the w - 1 before it.

    Parameters: `n_queries`, 0 or more; `n_keys`, by default as many. With cached keys n_keys > n_queries; with fewer
    keys than queries the first queries have nothing to attend to. `window`, 1 or more, or None for no limit.
    Returns: boolean array of shape (n_queries, n_keys).
    Raises: TypeError or ValueError when a count is no integer or out of its range.
    Source: Vaswani et al. 2017, section 3.2.3; a window is a sliding one as in Mistral 7B.

    >>> causal_mask(2, 4).astype(int), causal_mask(2, 4, window=2).astype(int)
    (array([[1, 1, 1, 0],
           [1, 1, 1, 1]]), array([[0, 1, 1, 0],
           [0, 0, 1, 1]]))
    """
    n = _checks.count(n_queries, "n_queries")
    m = n if n_keys is None else _checks.count(n_keys, "n_keys")
    reach = None if window is None else _checks.count(window, "window", least=1)
    mask = np.tri(n, m, m - n, dtype=bool)
    if reach is not None and reach < m:  # a longer one limits nothing
        mask &= ~np.tri(n, m, m - n - reach, dtype=bool)
    return mask


def attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Scaled dot-product attention: each query's mean of the values, weighted by its match with the keys.

    W = softmax(q k^T scale + bias),  out = W v,  with scale = 1/sqrt(d) unless given.

    Parameters: `q` (..., n_q, d), `k` (..., n_k, d), `v` (..., n_k, d_v), finite real numbers whose leading axes
    broadcast, heads before sequence; `bias`, added to the scores, and `mask`, booleans, True = may attend, both
    broadcast to (..., n_q, n_k); `scale`, a real number.
    Returns: (out, weights) of shapes (..., n_q, d_v) and (..., n_q, n_k). A query with nothing to attend to gets zeros.
    Raises: TypeError or ValueError for arguments outside their domains or shapes that do not fit.
    Source: Vaswani et al. 2017, section 3.2.1, equation 1.

    >>> out, weights = attention([[1.0], [1.0]], [[0.0], [0.0]], [[2.0], [4.0]], mask=causal_mask(2))
    >>> weights
    array([[1. , 0. ],
           [0.5, 0.5]])
    >>> out
    array([[2.],
           [3.]])
    """
    q, k, v = _checks.finite(q, "q"), _checks.finite(k, "k"), _checks.finite(v, "v")
    for name, array in (("q", q), ("k", k), ("v", v)):
        if array.ndim < 2:
            raise ValueError(f"{name} must have at least two axes, (..., n, d), got shape {array.shape}")
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q and k must have the same width, got shapes {q.shape} and {k.shape}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"k and v must have the same number of rows, got shapes {k.shape} and {v.shape}")
    try:
        lead = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except ValueError:
        raise ValueError(
            f"the leading axes of q, k and v must broadcast, got shapes {q.shape}, {k.shape} and {v.shape}"
        ) from None
    if scale is None:
        scale = 1 / math.sqrt(max(q.shape[-1], 1))
    scale = _checks.real(scale, "scale")
    shape = (*lead, q.shape[-2], k.shape[-2])  # (..., n_q, n_k)
    dtype = np.result_type(*(_checks.result_dtype(a) for a in (q, k, v)))
    work = np.dtype(np.float32) if dtype == np.float16 else dtype
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # looked at below
        scores = q.astype(work) @ np.swapaxes(k.astype(work), -1, -2) * work.type(scale)
    if not np.isfinite(scores).all():
        raise ValueError(f"q, k and scale must be small enough that scores stay within the range of {work}")
    scores = np.broadcast_to(scores, shape)
    if bias is not None:
        added = _checks.numeric(bias, "bias")
        if not (added < np.inf).all():
            raise ValueError("bias must not hold NaN or +inf; -inf forbids a key")
        try:
            added = np.broadcast_to(added, shape)
        except ValueError:
            raise ValueError(f"bias must broadcast to the shape of the scores, {shape}, got {added.shape}") from None
        with np.errstate(over="ignore", under="ignore"):
            scores = scores + added.astype(work, copy=False)
        if not (scores < np.inf).all():
            raise ValueError(f"bias must be small enough that scores stay within the range of {work}")
        # A finite bias makes a key faint, however large it is, and does not forbid it.
        np.maximum(scores, np.finfo(work).min, out=scores, where=added > -np.inf)
    weights = softmax(scores, mask=mask)
    with np.errstate(over="ignore", under="ignore"):  # looked at below
        out = weights @ v.astype(work, copy=False)
        if not np.isfinite(out).all():
            raise ValueError(f"v must be small enough that its means stay within the range of {work}")
        return out.astype(dtype, copy=False), weights.astype(dtype, copy=False)
