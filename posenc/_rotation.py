"""How a rotation of many pairs is done quickly: cosines and sines that are kept, and blocks that stay in the cache."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _angles, _kernels
from ._angles import Frequencies

LAYOUTS = ("interleaved", "half")
_FEW = 2**14  # numbers in x up to which products are taken in float64
_BLOCK = 2**16  # numbers in x turned at once: they and the four arrays beside them are about a second-level cache
# Bytes of the turns that are kept for the next calls, at most: 4 MiB, so 16 for four calls, and with the positions by
# which they are found again 24 at the very most. They halve the time of a call for one token of 32 heads of width 128
# in float32; one for 4096 tokens, which just fits, gains a few per cent, in the half layout a tenth.
_KEPT = 2**22

Turns = tuple[NDArray[Any], ...]


def work_dtype(dtype: np.dtype[Any], size: int) -> np.dtype[Any]:
    """What products are taken in: few in float64, so that each result is rounded once; many in float32, for speed."""
    return np.dtype(np.float64 if dtype == np.float64 or size <= _FEW else np.float32)


def turns(p: NDArray[np.float64], omega: Frequencies, layout: str, dtype: np.dtype[Any]) -> Turns:
    """cos(omega p) and sin(omega p) as the layout multiplies by them; angles in float64 whatever the dtype.

    "interleaved": one array (..., n, r), cosine and sine side by side, exp(i omega p) when read as complex numbers.
    "half": two arrays (..., n, r), the cosines twice over, and the sines below 0 and above.
    They may not be written to: those of the last calls are kept, since a model turns the queries and keys of every
    layer by the same positions.
    """
    arrays = 1 if layout == "interleaved" else 2
    if omega.made_of is None or arrays * p.size * 2 * omega.w.size * dtype.itemsize > _KEPT:
        return _new_turns(p, omega, layout, dtype)
    return _kept_turns(p.tobytes(), p.shape, omega.made_of, layout, dtype)


@lru_cache(maxsize=4)
def _kept_turns(
    places: bytes, shape: tuple[int, ...], made_of: tuple[int, float], layout: str, dtype: np.dtype[Any]
) -> Turns:
    result = _new_turns(np.frombuffer(places).reshape(shape), _angles.from_base(*made_of), layout, dtype)
    for turn in result:
        turn.flags.writeable = False
    return result


def _new_turns(p: NDArray[np.float64], omega: Frequencies, layout: str, dtype: np.dtype[Any]) -> Turns:
    turn = _phasors(p, omega, dtype)
    if layout == "interleaved":
        return (turn,)
    cosine, sine = turn[..., 0::2], turn[..., 1::2]
    return np.concatenate([cosine, cosine], -1), np.concatenate([-sine, sine], -1)


def _phasors(p: NDArray[np.float64], omega: Frequencies, dtype: np.dtype[Any]) -> NDArray[Any]:
    """exp(i omega p), cosine and sine side by side, (..., n, r)."""
    start = _kernels.run_start(p, least=64)
    if start is not None:
        out = np.empty((p.size, 2 * omega.w.size), dtype)
        _kernels.fill_products(out, *_kernels.run_factors(start, p.size, omega))
        return out
    u = _angles.phasors(p.reshape(-1), omega).view(np.float64)
    with np.errstate(under="ignore"):
        return u.astype(dtype, copy=False).reshape(*p.shape, u.shape[-1])


def rotate(x: NDArray[Any], turn: Turns, out: NDArray[Any]) -> None:
    """Turn every pair of x (..., n, r) and write it to out, which is x or shares no memory with it."""
    if len(turn) == 1:
        _rotate_pairs(x, turn[0], out)
    else:
        cosine, sine = turn
        _rotate_halves(x, cosine, sine, out)


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


def _rotate_halves(x: NDArray[Any], cosine: NDArray[Any], sine: NDArray[Any], out: NDArray[Any]) -> None:
    """(a, b) (cos, cos) + (b, a) (-sin, sin): products of whole rows, a block of rows at a time within the cache."""
    dtype = cosine.dtype
    half: int = x.shape[-1] // 2
    direct = out.dtype == dtype and not np.may_share_memory(x, out)  # products may be written before x is read again
    if x.size > _BLOCK:
        cosine, sine = np.broadcast_to(cosine, x.shape), np.broadcast_to(sine, x.shape)
    swapped = straight = np.empty(0, dtype)
    other: NDArray[np.intp] = np.empty(0, np.intp)
    for part in _blocks(x.shape):
        some: NDArray[Any] = x[part]
        there: NDArray[Any] = out[part]
        if swapped.shape != some.shape:  # the first block, and the last if shorter
            swapped = np.empty(some.shape, dtype)
            straight = np.empty(0 if direct else some.shape, dtype)
            # For each half of a row the other half of the same row.
            other = np.bitwise_xor(np.arange(some.size // half), 1)
        if some.dtype != dtype:
            some = some.astype(dtype)
        # Products come first, since they fetch x from the memory more quickly than what takes it piece by piece.
        products = np.multiply(some, cosine[part], out=there if direct else straight)
        # `take` copies half a row as one piece: a third of the time of assigning halves to halves.
        np.ascontiguousarray(some).reshape(-1, half).take(other, 0, out=swapped.reshape(-1, half), mode="clip")
        np.multiply(swapped, sine[part], out=swapped)
        np.add(products, swapped, out=there, casting="same_kind")


def _blocks(shape: tuple[int, ...]) -> Iterator[Any]:
    """Parts of x (..., n, r) of about one size: what shares its cosines and sines comes one after the other."""
    axis, size = len(shape) - 1, shape[-1]  # of the last axes, as many as fit whole
    while axis > 0 and size * shape[axis - 1] <= _BLOCK:
        axis, size = axis - 1, size * max(1, shape[axis - 1])
    if axis == 0:
        yield ...
        return
    step = max(1, _BLOCK // size)
    for i in range(0, shape[axis - 1], step):
        for lead in np.ndindex(*shape[: axis - 1]):
            yield (*lead, slice(i, i + step))
