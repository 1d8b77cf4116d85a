"""Angles `position * frequency` that keep the digits a single float64 product would drop.

A float64 product is right to half a unit in its last place. At position 10**7 that unit is 2e-9 rad, and the sine
inherits it. So the frequency is held as a pair of float64 (its nearest value `w` and what is missing, `v`), the
product p*w is taken with its rounding error, and the sum of what was lost, `t`, goes back by the addition theorem:
sin(a + t) = sin a + t cos a and cos(a + t) = cos a - t sin a, as t*t is far below the last place.
"""
from decimal import Context, Decimal
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _checks

_SPLITTER = 2.0**27 + 1.0  # Veltkamp: cuts the 53 bits of a float64 into 26 and 26, the sign taking the odd one
_SHORT = 2.0**26           # an integer up to here is its own upper half
_DIGITS = 60


class Frequencies(NamedTuple):
    """Frequencies to about 106 bits: `w + v`, and `w = w_high + w_low` with 26 bits each."""

    w: NDArray[np.float64]       # (d/2,)
    w_high: NDArray[np.float64]  # (d/2,)
    w_low: NDArray[np.float64]   # (d/2,)
    v: NDArray[np.float64]       # (d/2,)


def _halves(x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    c = _SPLITTER * x
    high = c - (c - x)
    return high, x - high


def from_array(w: NDArray[np.float64]) -> Frequencies:
    """Frequencies that are exactly the float64 given."""
    if w.size and w.max() > _checks.LARGEST:
        raise ValueError(f"frequencies must be at most 2**53 radians per token, got {w.max()}")
    high, low = _halves(w)
    return Frequencies(w, high, low, np.zeros_like(w))


@lru_cache(maxsize=64)
def from_base(dim: int, base: float) -> Frequencies:
    """base**(-2j/dim) for j = 0 .. dim/2 - 1, by repeated multiplication in 60 decimal digits. Arrays are read-only."""
    decimal = Context(prec=_DIGITS)
    step = decimal.power(Decimal(base), decimal.divide(Decimal(-2), Decimal(dim)))
    omega, w, v = Decimal(1), [], []
    for _ in range(dim // 2):
        w.append(float(omega))
        v.append(float(decimal.subtract(omega, Decimal(w[-1]))))
        omega = decimal.multiply(omega, step)
    if w[-1] > _checks.LARGEST:
        raise ValueError(f"base must not be so small that a frequency exceeds 2**53 radians per token, got {base}")
    nearest = np.array(w)
    high, low = _halves(nearest)
    result = Frequencies(nearest, high, low, np.array(v))
    for array in result:
        array.flags.writeable = False
    return result


def sines_and_cosines(
    positions: NDArray[np.float64],
    omega: Frequencies,
    rest: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """sin and cos of (positions + rest) * omega, each of shape positions.shape + (d/2,).

    `rest` is what is missing from `positions` where the place meant is no float64 itself.
    """
    p = positions[..., np.newaxis]                       # (..., n, 1)
    a = p * omega.w                                      # (..., n, d/2)
    reach = max(abs(a.min()), abs(a.max())) if a.size else 0.0
    if not reach <= _checks.LARGEST:
        raise ValueError(f"position times frequency must be at most 2**53 radians, got {reach}")
    # t = p*w - a exactly (Dekker 1971): every product of two 26-bit halves is exact.
    high, low = _halves(p)
    t = high * omega.w_high
    t -= a
    t += high * omega.w_low
    if low.any():
        t += low * omega.w_high
        t += low * omega.w_low
    t += p * omega.v
    if rest is not None:
        t += rest[..., np.newaxis] * omega.w
    sine, cosine = np.sin(a), np.cos(a)
    return sine + t * cosine, cosine - t * sine
