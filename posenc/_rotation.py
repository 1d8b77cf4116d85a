"""How a rotation of many pairs is done quickly: cosines and sines that are kept, and blocks that stay in the cache."""

import itertools
import math
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
    """(a, b) (cos, cos) + (b, a) (-sin, sin): products of whole rows, a block of rows at a time within the cache.

    Of what NumPy has for it, four passes over a block were the quickest. Ufuncs on halves of rows of 128 take 2 to 5
    times as long as on whole rows, because each half is a loop of its own. `einsum` over the two products takes 1.5
    times as long as all four passes, and to make complex numbers of a block and undo it takes as long as five passes.
    Blocks of half the size cost more in calls than they gain in the cache, and a result that is made in the cache and
    copied out takes a quarter longer than products that are written where they belong.
    """
    dtype = cosine.dtype
    half: int = x.shape[-1] // 2
    direct = out.dtype == dtype and not np.may_share_memory(x, out)  # products may be written before x is read again
    swapped = straight = halves = np.empty(0, dtype)
    other: NDArray[np.intp] = np.empty(0, np.intp)
    for some, there, cosines, sines in _blocks(x, out, cosine, sine):
        if swapped.shape != some.shape:  # the first block, and the last if shorter
            swapped = np.empty(some.shape, dtype)
            halves = swapped.reshape(-1, half)
            straight = np.empty(0 if direct else some.shape, dtype)
            other = np.bitwise_xor(np.arange(len(halves)), 1)  # for each half of a row the other half of the same row
        source = some if some.dtype == dtype else some.astype(dtype)
        # Products come first, since they fetch x from the memory more quickly than what takes it piece by piece.
        products = np.multiply(source, cosines, out=there if direct else straight)
        # `take` copies half a row as one piece: a third of the time of assigning halves to halves.
        source.reshape(-1, half).take(other, 0, out=halves, mode="clip")
        np.multiply(swapped, sines, out=swapped)
        np.add(products, swapped, out=there, casting="same_kind")


def _blocks(
    x: NDArray[Any], out: NDArray[Any], cosine: NDArray[Any], sine: NDArray[Any]
) -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Parts of about one size of x (..., n, r), of out, and of the cosines and sines that broadcast to them.

    What shares its cosines and sines comes one after the other. Little is done for each block, since a block takes as
    long as a hundred steps of Python.
    """
    axis, size = x.ndim - 1, x.shape[-1]  # of the last axes, as many as fit whole
    while axis > 0 and size * x.shape[axis - 1] <= _BLOCK:
        axis, size = axis - 1, size * max(1, x.shape[axis - 1])
    if axis == 0:
        yield x, out, cosine, sine
        return
    lead, tail = x.shape[: axis - 1], x.shape[axis - 1 :]  # the first axis of the tail is cut
    last = cosine.shape[-len(tail) :]
    alike = math.prod(last) == cosine.size  # the same for all that leads
    cosine, sine = (
        np.broadcast_to(turn.reshape(last), tail) if alike else np.broadcast_to(turn, x.shape)
        for turn in (cosine, sine)
    )
    places = list(itertools.product(*map(range, lead)))
    step = max(1, _BLOCK // size)
    for i in range(0, tail[0], step):
        rows = (..., slice(i, i + step), *(slice(None),) * (len(tail) - 1))
        xs, outs, cosines, sines = x[rows], out[rows], cosine[rows], sine[rows]
        for place in places:
            yield xs[place], outs[place], cosines if alike else cosines[place], sines if alike else sines[place]
