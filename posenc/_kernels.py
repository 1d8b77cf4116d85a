"""How tables, similarities and biases are made quickly: runs as products of two short lists, blocks within the caches.

The public modules say what is computed and check what they are given; nothing here changes what comes out.

A row of the table read as complex numbers, one per pair, is z(p) = sin + i cos = i exp(-i omega p), so that a shift is
a product, z(p + q) = -i z(p) z(q). So about sqrt(length) nearby rows and as many distant ones are computed by sine and
cosine, and every row of a run is the product of one of each. The same holds of u(p) = exp(i omega p) = cos + i sin.
"""

from functools import lru_cache
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _angles
from ._angles import Frequencies

_FINE = 2**16  # float64 in a block of rows, at most: 512 KiB, which a second-level cache holds
_GROUP = 2**15  # products taken by one call, at most: a call costs as much as some hundred of them
_WIDE = 2**7  # pairs in a row from which NumPy multiplies quicker without its buffer
_FEW = 2**11  # pairs in a table up to which it is kept whole: 32 KiB
_KEPT = 2**17  # complex numbers in the lists of a run that are kept for the next call, at most: 2 MiB
_SHORT = 2**15  # numbers in a float32 table up to which its two lists are not worth making of shorter ones

Factors = tuple[NDArray[np.complex128], NDArray[np.complex128]]


# ---- any positions, in any order


def waves(positions: NDArray[np.float64], omega: Frequencies, dtype: np.dtype[Any]) -> NDArray[Any]:
    """sin(p omega_j) and cos(p omega_j) side by side, positions.shape + (d,)."""
    pairs = omega.w.size
    out = np.empty((*positions.shape, 2 * pairs), dtype)  # (..., n, d)
    rows, p = out.reshape(-1, 2 * pairs), positions.reshape(-1)
    for part in _angles.chunks(p.size, pairs):
        sine, cosine = _angles.sines_and_cosines(p[part], omega)
        with np.errstate(under="ignore"):  # a sine may be too small for float16
            rows[part, 0::2], rows[part, 1::2] = sine, cosine
    return out


def sums_of_cosines(offsets: NDArray[np.float64], omega: Frequencies) -> NDArray[np.float64]:
    """sum_j cos(omega_j k) of every offset k, in the shape of the offsets."""
    start = run_start(offsets, least=64)
    if start is None:
        out, k = np.empty(offsets.size), offsets.reshape(-1)
        for part in _angles.chunks(k.size, omega.w.size):
            out[part] = _angles.sines_and_cosines(k[part], omega)[1].sum(axis=-1)
        return out.reshape(offsets.shape)
    # cos(omega (a + b)) = Re u(a) u(b), summed over pairs: the products of all a with all b are one matrix product.
    fine, coarse = run_factors(start, offsets.size, omega)
    with np.errstate(under="ignore"):
        sums = coarse.conj().view(np.float64) @ fine.view(np.float64).T  # (c, d) @ (d, b)
    return sums.reshape(-1)[: offsets.size]


def roots_of_squared_sines(offsets: NDArray[np.float64], omega: Frequencies) -> NDArray[np.float64]:
    """2 sqrt(sum_j sin(omega_j k / 2)**2) of every offset k, in the shape of the offsets."""
    out, k = np.empty(offsets.size), np.abs(offsets.reshape(-1))
    with np.errstate(under="ignore"):
        for part in _angles.chunks(k.size, omega.w.size):
            sine, _ = _angles.sines_and_cosines(k[part] / 2, omega)
            out[part] = 2 * np.sqrt((sine * sine).sum(axis=-1))
        # Here sin a is a to the last digit, and squares may be too small for float64 where their root is not.
        small = k * omega.fastest < 1e-9
        out[small] = k[small] * (omega.fastest * np.sqrt(np.square(omega.w / omega.fastest).sum()))
    return out.reshape(offsets.shape)


# ---- runs: positions that go up by one


def run_start(positions: NDArray[np.float64], least: int) -> float | None:
    """The first of at least `least` positions that go up by one, whole numbers all; None for other positions."""
    if positions.ndim != 1 or positions.size < least:
        return None
    start = float(positions[0])
    if not start.is_integer() or positions[-1] - start != positions.size - 1:
        return None
    return start if np.array_equal(positions, start + np.arange(positions.size)) else None


def table(length: int, start: float, omega: Frequencies, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The rows of start, start + 1, .., (length, d); `omega` as `from_base` makes it."""
    assert omega.made_of is not None
    pairs = omega.w.size
    out = np.empty((length, 2 * pairs), dtype)  # (T, d)
    if length * pairs <= _FEW:
        with np.errstate(under="ignore"):
            out[...] = _kept_rows(start, length, omega.made_of)
        return out
    levels = 1 if dtype == np.float64 or out.size < _SHORT else 2
    small = sum(_lengths(length, pairs)) * pairs <= _KEPT
    factors = _kept_table_factors if small else _table_factors
    fill_products(out, *factors(start, length, omega.made_of, levels))
    if start.is_integer() and 0 <= -start < length:  # position 0 in a run from below: products leave 1e-16
        out[int(-start), 0::2], out[int(-start), 1::2] = 0, 1
    return out


@lru_cache(maxsize=8)
def _kept_rows(start: float, length: int, made_of: tuple[int, float]) -> NDArray[np.float64]:
    """A short table; it may not be written to."""
    omega = _angles.from_base(*made_of)
    places, rest = _sums(start, np.arange(float(length)))
    out = np.empty((length, 2 * omega.w.size))
    out[:, 0::2], out[:, 1::2] = _angles.sines_and_cosines(places, omega, rest)
    out.flags.writeable = False
    return out


def _table_factors(start: float, length: int, made_of: tuple[int, float], levels: int) -> Factors:
    """Two lists whose products are the rows: z(p) = i conj(u(p)) of nearby positions, -i z(q) of distant ones."""
    fine, coarse = _run_factors(start, length, _angles.from_base(*made_of), levels, 1)
    z = np.empty_like(fine)
    z.real, z.imag = fine.imag, fine.real
    return z, np.conjugate(coarse)


@lru_cache(maxsize=4)
def _kept_table_factors(start: float, length: int, made_of: tuple[int, float], levels: int) -> Factors:
    return _read_only(_table_factors(start, length, made_of, levels))


def run_factors(start: float, length: int, omega: Frequencies) -> Factors:
    """Two short lists of phasors u(p) = exp(i omega p) whose products are those of a run of positions.

    u(start + m b + r) = coarse[m] * fine[r], about sqrt(length) rows in each: fine (b, d/2), coarse (c, d/2). They may
    not be written to: short ones are kept, since a program asks for the same run again and again, and they are a
    quarter of the time of a large table and more than half of that of a small one.
    """
    if omega.made_of is None or sum(_lengths(length, omega.w.size)) * omega.w.size > _KEPT:
        return _run_factors(start, length, omega, 1, 1)
    return _kept_factors(start, length, omega.made_of)


@lru_cache(maxsize=4)
def _kept_factors(start: float, length: int, made_of: tuple[int, float]) -> Factors:
    return _read_only(_run_factors(start, length, _angles.from_base(*made_of), 1, 1))


def _read_only(factors: Factors) -> Factors:
    for factor in factors:
        factor.flags.writeable = False
    return factors


def _lengths(length: int, pairs: int) -> tuple[int, int]:
    b = max(1, min(isqrt(length), _FINE // (2 * pairs)))
    return b, -(-length // b)


def _run_factors(start: float, length: int, omega: Frequencies, levels: int, step: int) -> Factors:
    """The lists of start, start + step, ..

    With `levels` 2 each list is itself made of products: fewer sines, and an error of 5e-16 in place of 3e-16, which
    does for results in float32.
    """
    if length:  # the lists hold positions before the last
        _angles.reach(max(abs(start), abs(start + step * (length - 1))), omega)
    b, c = _lengths(length, omega.w.size)
    if levels == 2:
        return _run_of_phasors(0.0, b, omega, step), _run_of_phasors(start, c, omega, step * b)
    near, far = np.arange(0.0, b * step, step), np.arange(0.0, b * c * step, b * step)
    places, rest = _sums(start, far)
    short = start.is_integer() and abs(start) + b * c * step <= 2**26
    if rest is not None:
        rest = np.concatenate([np.zeros(b), rest])
    u = _angles.phasors(np.concatenate([near, places]), omega, rest, short)
    return u[:b], u[b:]


def _sums(start: float, far: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """start + far as float64, and what rounding took from each sum (Knuth's two-sum), None where that is nothing."""
    places = start + far
    if start.is_integer():
        return places, None
    back = places - start
    return places, (start - (places - back)) + (far - back)


def _run_of_phasors(start: float, length: int, omega: Frequencies, step: int) -> NDArray[np.complex128]:
    """exp(i omega p) for p = start, start + step, .., of shape (length, d/2)."""
    fine, coarse = _run_factors(start, length, omega, 1, step)
    with np.errstate(under="ignore"):
        return np.multiply(coarse[:, np.newaxis], fine).reshape(-1, omega.w.size)[:length]


def fill_products(out: NDArray[Any], fine: NDArray[np.complex128], coarse: NDArray[np.complex128]) -> None:
    """out[m b + r] = coarse[m] * fine[r], real and imaginary parts side by side; out is (length, d).

    Products are taken in float64, block by block within the cache, and rounded once to the dtype of out.
    """
    b, pairs = fine.shape
    exact = out.dtype == np.float64
    step = min(max(1, len(coarse)), max(1, _GROUP // fine.size))  # rows of `coarse` at a time
    with np.errstate(under="ignore"):  # a sine may be too small for float16
        if pairs >= _WIDE:
            # NumPy takes rows of which several fit into its buffer, 8192 numbers, there first when one operand is the
            # same for all: an eighth of the time of a table of wide rows. A new length holds until `errstate` ends.
            np.setbufsize(16)
        work = np.empty((0, b, pairs), np.complex128)
        turn = np.empty((step, 1, pairs), np.complex128)
        for m in range(0, len(coarse), step):
            rows = coarse[m : m + step, np.newaxis]
            # A copy, always in one place: read b times from its own place, the row falls out of some processors'
            # caches, which doubled the time of a table of 8192 x 1024.
            some = turn[: len(rows)]
            some[...] = rows
            block = out[m * b : (m + step) * b]
            if exact and len(block) == len(rows) * b:
                np.multiply(some, fine, out=block.view(np.complex128).reshape(-1, b, pairs))
                continue
            if not work.size:
                work = np.empty((step, b, pairs), np.complex128)
            product = np.multiply(some, fine, out=work[: len(rows)])
            block[...] = product.view(np.float64).reshape(-1, 2 * pairs)[: len(block)]


# ---- differences of two runs


def windows(row: NDArray[Any], n_keys: int) -> NDArray[Any]:
    """B[h, i, j] = row[h, n_queries - 1 - i + j] as a view, (num_heads, n_queries, n_keys).

    What depends on i - j alone needs n_queries + n_keys - 1 numbers per head: 0.5 MiB in place of 512 MiB for 32 heads
    and 2048 queries and keys in float32.
    """
    return np.lib.stride_tricks.sliding_window_view(row, n_keys, axis=1)[:, ::-1]
