"""Rotary position embedding (RoPE): queries and keys are turned by their positions, pair by pair.

Two layouts say which coordinates make a pair: "interleaved" pairs (0, 1), (2, 3), ..; "half" pairs (0, r/2),
(1, r/2 + 1), .. with r the rotated width. Both are rotations, and one is a reordering of the other; a model's
weights fit the one it was trained with.
"""

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _angles, _checks, _rotation
from ._rotation import LAYOUTS
from ._types import Float, Floats, Out


def _omega(rotary_dim: int, base: float, frequencies: ArrayLike | None) -> _angles.Frequencies:
    base = _checks.positive(base, "base")
    if frequencies is None:
        return _angles.from_base(rotary_dim, base)
    omega = _checks.frequency_list(frequencies)
    if omega.size != rotary_dim // 2:
        raise ValueError(
            f"frequencies must have one entry for each of the {rotary_dim // 2} pairs of width {rotary_dim}, "
            f"got {omega.size}"
        )
    return _angles.from_array(omega)


@overload
def apply_rotary(
    x: ArrayLike,
    positions: ArrayLike,
    base: float = ...,
    frequencies: ArrayLike | None = ...,
    layout: str = ...,
    rotary_dim: int | None = ...,
    *,
    out: Out,
) -> Out: ...
@overload
def apply_rotary(
    x: NDArray[Float],
    positions: ArrayLike,
    base: float = ...,
    frequencies: ArrayLike | None = ...,
    layout: str = ...,
    rotary_dim: int | None = ...,
    *,
    out: None = ...,
) -> NDArray[Float]: ...
@overload
def apply_rotary(
    x: ArrayLike,
    positions: ArrayLike,
    base: float = ...,
    frequencies: ArrayLike | None = ...,
    layout: str = ...,
    rotary_dim: int | None = ...,
    *,
    out: None = ...,
) -> Floats: ...
def apply_rotary(
    x: ArrayLike,
    positions: ArrayLike,
    base: float = 10_000.0,
    frequencies: ArrayLike | None = None,
    layout: str = "interleaved",
    rotary_dim: int | None = None,
    *,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Rotate every pair of coordinates of x by its position times the pair's frequency.

    (x_a, x_b) -> (x_a cos t - x_b sin t, x_a sin t + x_b cos t),  t = p omega_j,  so that the dot product of a query
    turned by m and a key turned by n depends on n - m alone.

    Parameters: `x`, real numbers of shape (..., n, head_dim), heads before sequence; `positions`, real numbers in
    tokens that float64 holds and that broadcast to x.shape[:-1], (n,) for one sequence, (batch, 1, n) for a batch with
    heads; `base` > 0; `frequencies`, (rotary_dim/2,) radians per token in place of the ones of `base`; `layout`,
    "interleaved" or "half"; `rotary_dim`, how many leading coordinates are turned (all by default), the others are
    returned as they came; `out`, a writeable array of the shape and dtype of the result to write it into, which may be
    x itself or share memory with it. A NaN or an infinity in x spreads over its pair and no further; an infinity gives
    NaN where it meets another or a sine of 0, so also at position 0, as inf * 0 does.
    Returns: `out`, or a new array of the shape of x, in its dtype (float64 for others). float16 and float32 are rounded
    once from float64 up to 2**14 numbers; beyond, products in float32 add 1.5 units of the pair's length at most.
    Raises: TypeError or ValueError for arguments outside their domains or shapes that do not fit, before anything is
    written; ValueError for a result beyond the range of its dtype, when what `out` then holds is undefined.
    Source: Su et al. 2021, "RoFormer", section 3.4.2 (interleaved); the half layout is GPT-NeoX's.

    >>> apply_rotary([1.0, 0.0, 0.0, 1.0], 1).round(4)
    array([ 0.5403,  0.8415, -0.01  ,  1.    ])
    """
    x = _checks.numeric(x, "x")
    layout = _checks.choice(layout, "layout", LAYOUTS)
    if x.ndim == 0:
        raise ValueError(f"x must have at least one axis, (..., n, head_dim), got the number {x[()]}")
    dtype = _checks.result_dtype(x)
    head_dim = x.shape[-1]
    width = _checks.width(
        head_dim if rotary_dim is None else rotary_dim, "the last axis of x" if rotary_dim is None else "rotary_dim"
    )
    if width > head_dim:
        raise ValueError(f"rotary_dim must be at most the width of x, {head_dim}, got {width}")
    omega = _omega(width, base, frequencies)
    p = _checks.positions(positions)
    if _checks.broadcast(p.shape, x.shape[:-1]) != x.shape[:-1]:
        raise ValueError(
            f"positions must broadcast to {x.shape[:-1]}, the shape of x without its last axis, got shape {p.shape}"
        )
    result = np.empty(x.shape, dtype) if out is None else _checks.target(out, "out", x.shape, dtype)
    if out is not None and width == 2:
        # NumPy multiplies a single pair along another axis, whose strides may decide how it rounds: not the caller's.
        result[...] = apply_rotary(x.copy(), p, base, frequencies, layout, width)
        return out
    turn = _rotation.turns(p, omega, layout, _rotation.work_dtype(dtype, x.size))
    in_place = out is not None and _checks.same_place(x, result)
    if out is not None and not in_place and np.may_share_memory(x, result):
        x = x.copy()  # else what is written would be read as x
    if not in_place:
        result[..., width:] = x[..., width:]  # (..., n, head_dim)
    try:
        with np.errstate(over="raise", under="ignore", invalid="ignore"):
            _rotation.rotate(x[..., :width], turn, result[..., :width])
    except FloatingPointError:
        raise ValueError(f"x must be small enough to stay within the range of {dtype} when turned") from None
    return result if out is None else out


def rotary_matrix(
    position: ArrayLike,
    dim: int,
    base: float = 10_000.0,
    frequencies: ArrayLike | None = None,
    layout: str = "interleaved",
) -> NDArray[np.float64]:
    """The matrix of the rotation that `apply_rotary` does, on column vectors.

    R(p) has, on the coordinates (a, b) of pair j, the block [[cos t, -sin t], [sin t, cos t]], t = p omega_j.

    Parameters: `position`, a real number in tokens, or an array of them; `dim`, a positive even integer; `base`,
    `frequencies` and `layout` as for `apply_rotary`.
    Returns: float64 array of shape (dim, dim), or position.shape + (dim, dim): orthogonal, R(m).T R(n) = R(n - m).
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: Su et al. 2021, "RoFormer", section 3.2.2, equation 15.

    >>> rotary_matrix(1, 2).round(4)
    array([[ 0.5403, -0.8415],
           [ 0.8415,  0.5403]])
    """
    dim = _checks.width(dim)
    layout = _checks.choice(layout, "layout", LAYOUTS)
    omega = _omega(dim, base, frequencies)
    p = _checks.positions(position, "position")
    _checks.room("dim", (*p.shape, dim, dim))
    sine, cosine = _angles.sines_and_cosines(p, omega)
    out = np.zeros((*sine.shape[:-1], dim, dim))  # (..., d, d)
    j = np.arange(dim // 2)
    a, b = (2 * j, 2 * j + 1) if layout == "interleaved" else (j, j + dim // 2)
    out[..., a, a], out[..., a, b] = cosine, -sine
    out[..., b, a], out[..., b, b] = sine, cosine
    return out
