"""Angles `position * frequency` that keep the digits a single float64 product would drop.

A float64 product is right to half a unit in its last place. At position 10**7 that unit is 2e-9 rad, and the sine
inherits it. So a frequency is held as a pair of float64, its nearest value `w` and what that misses, `v`; the product
a = p*w is taken together with its rounding error; and what was lost, t, goes back by the addition theorem:

    sin(a + t) = sin a + t cos a,    cos(a + t) = cos a - t sin a,    |t| < 4e-9, so that t*t is below the last place,

up to angles of 2**24. A larger angle loses more, up to half a radian near 2**53, and takes the theorem in full, with
sin t for t and cos t for 1.
"""

from collections.abc import Iterator
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _checks

_SPLITTER = 2.0**27 + 1.0  # Veltkamp 1968: cuts the 53 bits of a float64 into 26 and 26 and a sign
_DIGITS = 60  # decimal digits of the frequencies: 106 bits are 32, the rest is for very small ones
_CHUNK = 2**12  # angles worked on at once in any order of positions
_NEAR = 2.0**24  # radians up to which what rounding took from an angle has no square to speak of


class Frequencies(NamedTuple):
    """Frequencies to about 106 bits, `w + v`, and `w = w_high + w_low` with 26 bits each; all of shape (d/2,)."""

    w: NDArray[np.float64]
    w_high: NDArray[np.float64]
    w_low: NDArray[np.float64]
    v: NDArray[np.float64]
    fastest: float
    made_of: tuple[int, float] | None = None  # the width and base of frequencies that have one


def _halves(x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    c = _SPLITTER * x
    high = c - (c - x)
    return high, x - high


def _frequencies(
    w: NDArray[np.float64], v: NDArray[np.float64], made_of: tuple[int, float] | None = None
) -> Frequencies:
    arrays = (w, *_halves(w), v)
    for array in arrays:
        array.flags.writeable = False
    return Frequencies(*arrays, float(w.max()), made_of)


def from_array(w: NDArray[np.float64]) -> Frequencies:
    """Frequencies that are exactly the float64 given."""
    if w.max() > _checks.LARGEST:
        raise ValueError(f"frequencies must be at most 2**53 radians per token, got {w.max()}")
    return _frequencies(w.copy(), np.zeros_like(w))


def from_parts(w: NDArray[np.float64], v: NDArray[np.float64]) -> Frequencies:
    """Frequencies w + v, v being what the float64 in w miss."""
    return _frequencies(w, v)


@lru_cache(maxsize=64)
def from_base(dim: int, base: float) -> Frequencies:
    """base**(-2j/dim) for j = 0 .. dim/2 - 1, by repeated multiplication in 60 decimal digits."""
    _checks.room("dim", (dim // 2,), itemsize=16)
    w, v = np.empty((2, dim // 2))  # first of all, so that a width beyond the memory ends here
    decimal = Context(_DIGITS, ROUND_HALF_EVEN, MIN_EMIN, MAX_EMAX, traps=[])  # in full: a program may change defaults
    ratio = decimal.power(Decimal.from_float(base), decimal.divide(Decimal(-2), Decimal(dim)))
    omega = Decimal(1)
    for j in range(dim // 2):
        w[j] = nearest = float(omega)
        if nearest > _checks.LARGEST:
            raise ValueError(f"base must be large enough to keep frequencies within 2**53 rad per token, got {base}")
        v[j] = decimal.subtract(omega, Decimal.from_float(nearest))
        omega = decimal.multiply(omega, ratio)
    return _frequencies(w, v, (dim, base))


def reach(largest: float, omega: Frequencies) -> float:
    """The largest angle of positions of this size, in radians."""
    angle = largest * omega.fastest
    if angle > _checks.LARGEST:
        raise ValueError(f"position times frequency must be at most 2**53 radians, got {angle}")
    return angle


def sines_and_cosines(
    positions: NDArray[np.float64],
    omega: Frequencies,
    rest: NDArray[np.float64] | None = None,
    short: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """sin and cos of (positions + rest) * omega, each of shape positions.shape + (d/2,).

    `rest` is what the float64 in `positions` miss of the places meant; `short` says that 26 bits hold each position.
    """
    p = positions[..., np.newaxis]  # (..., n, 1)
    farthest = reach(float(np.maximum.reduce(np.abs(p), axis=None, initial=0.0)), omega)
    with np.errstate(under="ignore"):
        a = p * omega.w  # (..., n, d/2)
        # t = p*w - a exactly (Dekker 1971): the products of 26-bit halves lose nothing, nor do the sums in this order.
        high, low = (p, None) if short else _halves(p)
        t = high * omega.w_high
        t -= a
        t += high * omega.w_low
        if low is not None and low.any():
            t += low * omega.w_high
            t += low * omega.w_low
        t += p * omega.v
        if rest is not None:
            t += rest[..., np.newaxis] * omega.w
        sine, cosine = np.sin(a), np.cos(a)
        if farthest > _NEAR:
            sine_t, cosine_t = np.sin(t), np.cos(t)
            return sine * cosine_t + cosine * sine_t, cosine * cosine_t - sine * sine_t
        np.multiply(t, cosine, out=a)
        t *= sine
        sine += a
        cosine -= t
    return sine, cosine


def chunks(length: int, pairs: int) -> Iterator[slice]:
    """Rows in pieces whose angles stay within the cache: sines there cost two thirds of what they cost outside."""
    step = max(1, _CHUNK // pairs)
    return (slice(i, i + step) for i in range(0, length, step))


def phasors(
    positions: NDArray[np.float64],
    omega: Frequencies,
    rest: NDArray[np.float64] | None = None,
    short: bool = False,
) -> NDArray[np.complex128]:
    """u(p) = exp(i omega p) of a flat array of positions, (n, d/2); `rest` and `short` as in `sines_and_cosines`."""
    u = np.empty((positions.size, omega.w.size), np.complex128)
    if u.size <= _CHUNK:
        u.imag, u.real = sines_and_cosines(positions, omega, rest, short)
        return u
    for part in chunks(*u.shape):
        u.imag[part], u.real[part] = sines_and_cosines(
            positions[part], omega, None if rest is None else rest[part], short
        )
    return u
