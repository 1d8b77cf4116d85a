"""Attention with linear biases (ALiBi): no encoding at all, a penalty on scores that grows with the distance."""

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _checks, _kernels
from ._types import Float, FloatDType, Floats

CONVENTIONS = ("code", "paper")


def alibi_slopes(num_heads: int, convention: str = "code") -> NDArray[np.float64]:
    """The slope of each head's penalty, per token.

    For n heads, n a power of two: m_h = 2**(-8 h / n), h = 1 .. n. For other counts two conventions are published.
    "code", the authors' program: the slopes of the largest power of two P <= n, then every other slope of 2 P heads,
    as many as are missing. "paper", the text: the same geometric sequence 2**(-8 h / n) for every n.

    Parameters: `num_heads`, 1 or more; `convention`, "code" or "paper".
    Returns: float64 array of shape (num_heads,).
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: Press, Smith and Lewis 2022, "Train Short, Test Long", section 3, and their published code.

    >>> alibi_slopes(3)
    array([0.0625    , 0.00390625, 0.25      ])
    """
    n = _checks.count(num_heads, "num_heads", least=1)
    _checks.room("num_heads", (2 * n,))
    if _checks.choice(convention, "convention", CONVENTIONS) == "paper":
        return 2.0 ** (-8 * np.arange(1, n + 1) / n)
    power: int = 2 ** (n.bit_length() - 1)
    first: NDArray[np.float64] = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    between: NDArray[np.float64] = 2.0 ** (-8 * np.arange(1, 2 * power + 1, 2) / (2 * power))
    return np.concatenate([first, between[: n - power]])


@overload
def alibi_bias(
    q_positions: ArrayLike,
    k_positions: ArrayLike,
    num_heads: int,
    convention: str = ...,
    symmetric: bool = ...,
    dtype: type[float] = ...,
) -> NDArray[np.float64]: ...
@overload
def alibi_bias(
    q_positions: ArrayLike,
    k_positions: ArrayLike,
    num_heads: int,
    convention: str = ...,
    symmetric: bool = ...,
    *,
    dtype: FloatDType[Float],
) -> NDArray[Float]: ...
@overload
def alibi_bias(
    q_positions: ArrayLike,
    k_positions: ArrayLike,
    num_heads: int,
    convention: str = ...,
    symmetric: bool = ...,
    dtype: DTypeLike = ...,
) -> Floats: ...
def alibi_bias(
    q_positions: ArrayLike,
    k_positions: ArrayLike,
    num_heads: int,
    convention: str = "code",
    symmetric: bool = False,
    dtype: DTypeLike = float,
) -> Floats:
    """The bias to add to attention scores: minus the slope times the distance from query to key.

    B[h, i, j] = -m_h (q_i - k_j) where k_j <= q_i, and -inf where the key comes later (so that it is the causal mask,
    too); with `symmetric`, B[h, i, j] = -m_h |q_i - k_j| throughout.

    Parameters: `q_positions` (n_q,) and `k_positions` (n_k,), real numbers in tokens; `num_heads`, 1 or more;
    `convention`, as for `alibi_slopes`; `symmetric`, for encoders; `dtype`, float16, float32 or float64.
    Returns: array of shape (num_heads, n_q, n_k), read-only: for two runs of consecutive whole positions a view on one
    row per head. Below the range of float16 it holds the lowest finite number. NumPy copies several rows of such a view
    into its buffer before it adds them: for long rows that costs more than the view saves, unless the buffer is made
    shorter, `np.setbufsize(16)` in `with np.errstate():`.
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: Press, Smith and Lewis 2022, section 3 and figure 3.

    >>> alibi_bias([0, 1, 2], [0, 1, 2], 8)[0]
    array([[ 0. , -inf, -inf],
           [-0.5,  0. , -inf],
           [-1. , -0.5,  0. ]])
    """
    slopes = alibi_slopes(num_heads, convention)
    symmetric, dtype = _checks.flag(symmetric, "symmetric"), _checks.float_dtype(dtype)
    q, k = _checks.positions(q_positions, "q_positions"), _checks.positions(k_positions, "k_positions")
    for name, array in (("q_positions", q), ("k_positions", k)):
        if array.ndim != 1:
            raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    _checks.room("num_heads", (slopes.size, q.size, k.size))
    bias = _toeplitz_bias if _is_run(q) and _is_run(k) else _bias
    out = bias(q, k, slopes, symmetric, dtype)
    out.flags.writeable = False
    return out


def _is_run(p: NDArray[np.float64]) -> bool:
    """Consecutive and whole: between fractions, differences along the run are rounded, and a 0 may come out below 0."""
    return _kernels.run_start(p, least=1) is not None


def _penalty(
    gap: NDArray[np.float64], slopes: NDArray[np.float64], symmetric: bool, dtype: np.dtype[Any]
) -> NDArray[Any]:
    """-m_h |gap| in `dtype`, (num_heads, *gap.shape); -inf for a negative gap unless symmetric."""
    with np.errstate(under="ignore"):
        penalty = np.multiply.outer(-slopes, np.abs(gap))  # (h, ...)
        # The lowest number of the dtype stands in for what float16 cannot hold: a distant key is faint, not forbidden.
        np.maximum(penalty, np.finfo(dtype).min, out=penalty)
        out = penalty.astype(dtype, copy=False)
    out += 0.0  # no -0.0
    if not symmetric:
        out[:, gap < 0] = -np.inf
    return out


def _bias(
    q: NDArray[np.float64], k: NDArray[np.float64], slopes: NDArray[np.float64], symmetric: bool, dtype: np.dtype[Any]
) -> NDArray[Any]:
    return _penalty(q[:, np.newaxis] - k, slopes, symmetric, dtype)


def _toeplitz_bias(
    q: NDArray[np.float64], k: NDArray[np.float64], slopes: NDArray[np.float64], symmetric: bool, dtype: np.dtype[Any]
) -> NDArray[Any]:
    """The bias of two runs of positions, which depends on i - j alone: a view on n_q + n_k - 1 numbers per head."""
    gaps = q[-1] - k[0] - np.arange(q.size + k.size - 1)  # from the last query and first key down
    row = _penalty(gaps, slopes, symmetric, dtype)  # (h, n_q + n_k - 1)
    return _kernels.windows(row, k.size)  # (h, n_q, n_k)
