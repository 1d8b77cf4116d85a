"""Scaled dot-product attention, with the softmax and the mask it needs."""

import math
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checks
from ._types import Float, Floats


def _boolean_mask(mask: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    array = _checks.array_of(mask, "mask", "booleans, True where attention is allowed")
    if array.dtype != bool:
        raise TypeError(f"mask must be boolean, True where attention is allowed, got dtype {array.dtype}")
    if _checks.broadcast(array.shape, shape) != shape:
        raise ValueError(f"mask must broadcast to the shape of the scores, {shape}, got {array.shape}")
    return np.broadcast_to(array, shape)


def _below_peak(x: NDArray[Any], axis: int, allowed: NDArray[np.bool_] | None, dtype: np.dtype[Any]) -> NDArray[Any]:
    """x - max x along the axis, -inf where nothing is allowed; the difference is taken in the type of x, then rounded.

    Two integers, or two longer floats, may be one number as float64 where they differ by 1.
    """
    if x.dtype.kind in "iu":
        peak = x.max(
            axis=axis, keepdims=True, initial=np.iinfo(x.dtype).min, where=True if allowed is None else allowed
        )
        gap = peak.astype(np.uint64) - x.astype(np.uint64)  # modulo 2**64, which is more than any gap
        below = -gap.astype(dtype)
        if allowed is not None:
            below[~allowed] = -np.inf
        return below
    work = x.astype(x.dtype.newbyteorder("=") if x.dtype.itemsize > dtype.itemsize else dtype)
    if allowed is not None:
        work[~allowed] = -np.inf
    peak = work.max(axis=axis, keepdims=True, initial=-np.inf)
    if not (peak < np.inf).all():
        raise ValueError("x must not hold NaN or +inf where it takes part")
    work -= np.where(peak > -np.inf, peak, 0)
    return work.astype(dtype, copy=False)


@overload
def softmax(x: NDArray[Float], axis: int = ..., mask: ArrayLike | None = ...) -> NDArray[Float]: ...
@overload
def softmax(x: ArrayLike, axis: int = ..., mask: ArrayLike | None = ...) -> Floats: ...
def softmax(x: ArrayLike, axis: int = -1, mask: ArrayLike | None = None) -> Floats:
    """Exponentials along an axis, divided by their sum.

    softmax(x)_i = exp(x_i - max x) / sum_j exp(x_j - max x) over the entries that the mask allows; the others are 0.

    Parameters: `x`, real numbers of any shape with at least one axis, -inf allowed, integers of any size; `axis`, along
    which the result sums to 1; `mask`, booleans that broadcast to x.shape, True where an entry takes part.
    Returns: array of the shape of x in its dtype (float64 for others). Where nothing takes part (all masked or -inf)
    the result is 0, not NaN.
    Raises: TypeError for other dtypes; ValueError for NaN or +inf among the entries, or a mask that does not fit.
    Source: Vaswani et al. 2017, section 3.2.1.

    >>> softmax([0.0, 0.0, -np.inf])
    array([0.5, 0.5, 0. ])
    """
    x = _checks.numeric(x, "x", longer=True)
    if x.ndim == 0:
        raise ValueError(f"x must have at least one axis, along which the result sums to 1, got the number {x[()]}")
    axis = _checks.count(axis, "axis", least=-(2**63))
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis must be from {-x.ndim} to {x.ndim - 1} for x of shape {x.shape}, got {axis}")
    dtype = _checks.result_dtype(x)
    allowed = None if mask is None else _boolean_mask(mask, x.shape)
    with np.errstate(over="ignore", under="ignore"):  # two entries may differ by more than the largest number
        work = _below_peak(x, axis, allowed, np.dtype(np.float32) if dtype == np.float16 else dtype)
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
    _checks.room("n_queries and n_keys", (n, m), itemsize=8)
    reach = None if window is None else _checks.count(window, "window", least=1)
    mask = np.tri(n, m, m - n, dtype=bool)
    if reach is not None and reach < m:  # a longer one limits nothing
        mask &= ~np.tri(n, m, m - n - reach, dtype=bool)
    return mask


def _with_bias(scores: NDArray[Any], bias: ArrayLike) -> NDArray[Any]:
    """scores + bias in the wider type of the two: what a bias says of two keys is not lost to a shorter one."""
    added = _checks.numeric(bias, "bias")
    if not (added < np.inf).all():
        raise ValueError("bias must not hold NaN or +inf; -inf forbids a key")
    if added.dtype.kind in "iu":
        if added.size and max(abs(int(added.min())), abs(int(added.max()))) > _checks.LARGEST:
            far = max(int(added.min()), int(added.max()), key=abs)
            raise ValueError(
                f"bias must hold integers of at most 2**53 in size, beyond which scores are rounded, got {far}; "
                "take the largest of a row away from all of it, which changes no weight"
            )
        added = added.astype(np.float64)
    if _checks.broadcast(added.shape, scores.shape) != scores.shape:
        raise ValueError(f"bias must broadcast to the shape of the scores, {scores.shape}, got {added.shape}")
    added = np.broadcast_to(added, scores.shape)
    wider = np.result_type(scores.dtype, added.dtype)
    with np.errstate(over="ignore", under="ignore"):
        scores = scores.astype(wider, copy=False) + added
    if not (scores < np.inf).all():
        raise ValueError(f"bias must be small enough that scores stay within the range of {wider}")
    # A finite bias makes a key faint, however large it is, and does not forbid it.
    np.maximum(scores, np.finfo(wider).min, out=scores, where=added > -np.inf)
    return scores


@overload
def attention(
    q: NDArray[Float],
    k: NDArray[Float],
    v: NDArray[Float],
    *,
    bias: ArrayLike | None = ...,
    mask: ArrayLike | None = ...,
    scale: float | None = ...,
) -> tuple[NDArray[Float], NDArray[Float]]: ...
@overload
def attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    bias: ArrayLike | None = ...,
    mask: ArrayLike | None = ...,
    scale: float | None = ...,
) -> tuple[Floats, Floats]: ...
def attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> tuple[Floats, Floats]:
    """Scaled dot-product attention: each query's mean of the values, weighted by its match with the keys.

    W = softmax(q k^T scale + bias),  out = W v,  with scale = 1/sqrt(d) unless given.

    Parameters: `q` (..., n_q, d), `k` (..., n_k, d), `v` (..., n_k, d_v), finite real numbers whose leading axes
    broadcast, heads before sequence; `bias`, added to the scores in the wider of the two types (integers up to 2**53 in
    size, -inf to forbid a key), and `mask`, booleans, True = may attend, both
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
    lead = _checks.broadcast(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    if lead is None:
        raise ValueError(
            f"the leading axes of q, k and v must broadcast, got shapes {q.shape}, {k.shape} and {v.shape}"
        )
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
        scores = _with_bias(scores, bias)
    weights = softmax(scores, mask=mask).astype(work, copy=False)
    with np.errstate(over="ignore", under="ignore"):  # looked at below
        out = weights @ v.astype(work, copy=False)
        if not np.isfinite(out).all():
            raise ValueError(f"v must be small enough that its means stay within the range of {work}")
        return out.astype(dtype, copy=False), weights.astype(dtype, copy=False)
