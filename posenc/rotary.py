"""Rotary position embedding (RoPE): queries and keys are turned by their positions, pair by pair.

Two layouts say which coordinates make a pair: "interleaved" pairs (0, 1), (2, 3), ..; "half" pairs (0, r/2),
(1, r/2 + 1), .. with r the rotated width. Both are rotations, and one is a reordering of the other; a model's
weights fit the one it was trained with.
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _angles, _checks

LAYOUTS = ("interleaved", "half")
_FEW = 2**14  # numbers in x up to which products are taken in float64
_BLOCK = 2**15  # numbers in x turned at once
# Pairs of a cosine and a sine in the turns that are kept for the next calls, at most: 4 MiB, so 16 for four calls, and
# with the positions by which they are found again 24 at the very most. They halve the time of a call for one token of
# 32 heads of width 128 in float32; one for 4096 tokens, which just fits, gains a few per cent.
_KEPT = 2**18


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

    Parameters: `x`, real numbers of shape (..., n, head_dim), heads before sequence (a NaN stays within its pair);
    `positions`, real numbers in tokens that broadcast to x.shape[:-1], (n,) for one sequence, (batch, 1, n) for a batch
    with heads; `base` > 0; `frequencies`, (rotary_dim/2,) radians per token in place of the ones of `base`; `layout`,
    "interleaved" or "half"; `rotary_dim`, how many leading coordinates are turned (all by default), the others are
    returned as they came; `out`, a writeable array of the shape and dtype of the result to write it into, which may be
    x itself or share memory with it.
    Returns: `out`, or a new array of the shape of x, in its dtype (float64 for others). float16 and float32 are rounded
    once from float64 up to 16384 numbers; beyond, products in float32 add 1.5 units of the pair's length at most.
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
    try:
        fits = np.broadcast_shapes(p.shape, x.shape[:-1]) == x.shape[:-1]
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"positions must broadcast to {x.shape[:-1]}, the shape of x without its last axis, got shape {p.shape}"
        )
    result = np.empty(x.shape, dtype) if out is None else _checks.target(out, "out", x.shape, dtype)
    if out is not None and width == 2:
        # NumPy multiplies a single pair along another axis, whose strides may decide how it rounds: not the caller's.
        result[...] = apply_rotary(x.copy(), p, base, frequencies, layout, width)
        return out
    # Few products are taken in float64, so that each result is rounded once; many in float32, at the speed of a copy.
    work = np.dtype(np.float64 if dtype == np.float64 or x.size <= _FEW else np.float32)
    turn = _turns(p, omega, work)  # (..., n, r) cosines and sines side by side
    in_place = False
    if out is not None and np.may_share_memory(x, result):
        in_place = _checks.same_place(x, result)
        x = x if in_place else x.copy()  # else what is written would be read as x
    if not in_place:
        result[..., width:] = x[..., width:]  # (..., n, head_dim)
    rotate = _rotate_pairs if layout == "interleaved" else _rotate_halves
    try:
        with np.errstate(over="raise", under="ignore", invalid="ignore"):
            rotate(x[..., :width], turn, result[..., :width])
    except FloatingPointError:
        raise ValueError(f"x must be small enough to stay within the range of {dtype} when turned") from None
    return result if out is None else out


def _turns(p: NDArray[np.float64], omega: _angles.Frequencies, dtype: np.dtype[Any]) -> NDArray[Any]:
    """exp(i omega p), cosine and sine side by side, (..., n, r); angles in float64 whatever the dtype.

    They may not be written to: those of the last calls are kept, since a model turns the queries and keys of every
    layer by the same positions.
    """
    if omega.made_of is None or p.size * omega.w.size > _KEPT:
        return _new_turns(p, omega, dtype)
    return _kept_turns(p.tobytes(), p.shape, omega.made_of, dtype)


@lru_cache(maxsize=4)
def _kept_turns(
    places: bytes, shape: tuple[int, ...], made_of: tuple[int, float], dtype: np.dtype[Any]
) -> NDArray[Any]:
    turn = _new_turns(np.frombuffer(places).reshape(shape), _angles.from_base(*made_of), dtype)
    turn.flags.writeable = False
    return turn


def _new_turns(p: NDArray[np.float64], omega: _angles.Frequencies, dtype: np.dtype[Any]) -> NDArray[Any]:
    start = _angles.run_start(p, least=64)
    if start is not None:
        out = np.empty((p.size, 2 * omega.w.size), dtype)
        _angles.fill_products(out, *_angles.run_factors(start, p.size, omega))
        return out
    u = _angles.phasors(p.reshape(-1), omega).view(np.float64)
    with np.errstate(under="ignore"):
        return u.astype(dtype, copy=False).reshape(*p.shape, u.shape[-1])


def _rotate_pairs(x: NDArray[Any], turn: NDArray[Any], out: NDArray[Any]) -> None:
    """Two coordinates side by side are a complex number, so that the rotation is one multiplication."""
    pairs = np.dtype(f"c{2 * turn.itemsize}")
    x = x.astype(turn.dtype, copy=False)
    if x.strides[-1] != x.itemsize:
        x = np.ascontiguousarray(x)
    if out.dtype == turn.dtype and out.strides[-1] == out.itemsize:
        np.multiply(x.view(pairs), turn.view(pairs), out=out.view(pairs))
    else:
        product = np.empty(x.shape, turn.dtype)
        np.multiply(x.view(pairs), turn.view(pairs), out=product.view(pairs))
        out[...] = product


def _rotate_halves(x: NDArray[Any], turn: NDArray[Any], out: NDArray[Any]) -> None:
    """(a, b) (cos, cos) + (b, a) (-sin, sin): products of whole rows, a block of rows at a time within the cache."""
    half = x.shape[-1] // 2
    cosine = np.concatenate([turn[..., 0::2], turn[..., 0::2]], -1)  # (..., n, r)
    sine = np.concatenate([-turn[..., 1::2], turn[..., 1::2]], -1)
    swapped = straight = np.empty(0, turn.dtype)
    for part, row in _blocks(x.shape, one_sequence=turn.shape[:-1] == x.shape[-2:-1]):
        some = x[part]
        if swapped.shape != some.shape:  # the first block, and the last if shorter
            swapped, straight = np.empty(some.shape, turn.dtype), np.empty(some.shape, turn.dtype)
        swapped[..., :half], swapped[..., half:] = some[..., half:], some[..., :half]
        swapped *= sine[row]
        np.multiply(some, cosine[row], out=straight)
        if out.dtype == turn.dtype:
            np.add(straight, swapped, out=out[part])
        else:
            straight += swapped
            out[part] = straight


def _blocks(shape: tuple[int, ...], one_sequence: bool) -> Iterator[tuple[Any, Any]]:
    """Parts of x (..., n, r), each with its rows of the turns: some rows of one head, or all rows of some heads."""
    step = max(1, _BLOCK // shape[-1])
    if not one_sequence or math.prod(shape[:-1]) <= step:  # positions that differ by head or batch: all at once
        yield ..., ...
        return
    rows = shape[-2]
    for lead in np.ndindex(*shape[:-3]):
        for head in range(0, shape[-3] if len(shape) > 2 else 1, group := max(1, step // rows)):
            for i in range(0, rows, step):
                row = slice(i, i + step)
                yield ((*lead, slice(head, head + group), row) if len(shape) > 2 else row), row


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
    sine, cosine = _angles.sines_and_cosines(_checks.positions(position, "position"), omega)
    out = np.zeros((*sine.shape[:-1], dim, dim))  # (..., d, d)
    j = np.arange(dim // 2)
    a, b = (2 * j, 2 * j + 1) if layout == "interleaved" else (j, j + dim // 2)
    out[..., a, a], out[..., a, b] = cosine, -sine
    out[..., b, a], out[..., b, b] = sine, cosine
    return out
