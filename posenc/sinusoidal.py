"""The sinusoidal encoding of Vaswani et al. (2017): frequencies, wavelengths, and rows of sines and cosines."""

from typing import overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _angles, _checks, _kernels
from ._types import Float, FloatDType, Floats


def frequencies(dim: int, base: float = 10_000.0) -> NDArray[np.float64]:
    """The angular frequency of every sine and cosine pair, in radians per token.

    omega_j = base**(-2j/dim) for j = 0 .. dim/2 - 1, each the float64 nearest to its exact value.

    Parameters: `dim`, a positive even integer; `base`, a real number above 0, taken as the float64 nearest to it.
    Returns: float64 array of shape (dim/2,), from 1 downwards when base > 1.
    Raises: TypeError or ValueError when `dim` or `base` is neither.
    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5.

    >>> frequencies(8)
    array([1.   , 0.1  , 0.01 , 0.001])
    """
    return _angles.from_base(_checks.width(dim), _checks.positive(base, "base")).w.copy()


def wavelengths(dim: int, base: float = 10_000.0) -> NDArray[np.float64]:
    """The number of tokens in which each pair makes a full turn.

    lambda_j = 2 pi / omega_j = 2 pi base**(2j/dim).

    Parameters: as for `frequencies`.
    Returns: float64 array of shape (dim/2,), in tokens per turn.
    Raises: TypeError or ValueError when `dim` or `base` is out of its domain.
    Source: Vaswani et al. 2017, section 3.5 ("from 2 pi to 10000 * 2 pi").

    >>> wavelengths(8)[:3].round(3)
    array([  6.283,  62.832, 628.319])
    """
    omega = _angles.from_base(_checks.width(dim), _checks.positive(base, "base")).w
    if omega.min() < 1e-307:
        raise ValueError(f"base must be small enough to keep wavelengths within the range of float64, got {base}")
    return 2 * np.pi / omega


@overload
def sinusoidal_encoding(
    positions: ArrayLike, dim: int, base: float = ..., dtype: type[float] = ...
) -> NDArray[np.float64]: ...
@overload
def sinusoidal_encoding(
    positions: ArrayLike, dim: int, base: float = ..., *, dtype: FloatDType[Float]
) -> NDArray[Float]: ...
@overload
def sinusoidal_encoding(positions: ArrayLike, dim: int, base: float = ..., dtype: DTypeLike = ...) -> Floats: ...
def sinusoidal_encoding(positions: ArrayLike, dim: int, base: float = 10_000.0, dtype: DTypeLike = float) -> Floats:
    """The encoding of each position: sine and cosine of one angle per pair, side by side.

    PE(p)[2j] = sin(p omega_j),  PE(p)[2j + 1] = cos(p omega_j),  omega_j = base**(-2j/dim).

    Parameters: `positions`, real numbers of any shape (..., n), in tokens: whole or fractional, negative, repeated, in
    any order, up to 2**53 in size and such that float64 holds them; `dim`, a positive even integer; `base` > 0;
    `dtype`, float16, float32 or float64.
    Returns: array of shape (..., n, dim). A single position gives (dim,).
    Accuracy: within 1.2e-16 where the angles p omega_j are up to 2**24 radians (so for positions up to 10**7 where
    base >= 1), within 2e-16 for all others; then rounded once to `dtype`.
    Raises: TypeError or ValueError for positions that are no such numbers, for angles beyond 2**53 radians, and for
    `dim`, `base` or `dtype` outside their domains.
    Source: Vaswani et al. 2017, section 3.5.

    >>> sinusoidal_encoding([0, 1], 4).round(4)
    array([[0.    , 1.    , 0.    , 1.    ],
           [0.8415, 0.5403, 0.01  , 1.    ]])
    """
    dim, base, dtype = _checks.width(dim), _checks.positive(base, "base"), _checks.float_dtype(dtype)
    p = _checks.positions(positions)
    _checks.room("positions", (*p.shape, dim))
    return _kernels.waves(p, _angles.from_base(dim, base), dtype)


@overload
def sinusoidal_table(
    length: int, dim: int, start: float = ..., base: float = ..., dtype: type[float] = ...
) -> NDArray[np.float64]: ...
@overload
def sinusoidal_table(
    length: int, dim: int, start: float = ..., base: float = ..., *, dtype: FloatDType[Float]
) -> NDArray[Float]: ...
@overload
def sinusoidal_table(
    length: int, dim: int, start: float = ..., base: float = ..., dtype: DTypeLike = ...
) -> Floats: ...
def sinusoidal_table(
    length: int, dim: int, start: float = 0, base: float = 10_000.0, dtype: DTypeLike = float
) -> Floats:
    """The encodings of a run of positions: start, start + 1, .., start + length - 1.

    PE(start + i)[2j] = sin((start + i) omega_j),  PE(start + i)[2j + 1] = cos((start + i) omega_j)  for row i.

    A row read as complex numbers, one per pair, is z(p) = sin + i cos = i exp(-i omega p), so that a shift is a
    product, z(p + q) = -i z(p) z(q): about sqrt(length) nearby rows and as many distant ones are computed by sine and
    cosine, and every row is the product of one of each.

    Parameters: `length`, rows (0 or more); `dim`, a positive even integer; `start`, the real number at which the run
    begins, in tokens; `base` > 0; `dtype`, float16, float32 or float64.
    Returns: array of shape (length, dim).
    Accuracy: within 4e-16 where the angles are up to 2**24 radians (so for positions up to 10**7 where base >= 1),
    within 6e-16 for all others; then rounded once to `dtype`, narrower ones from values within three times that.
    Raises: TypeError or ValueError for arguments outside their domains, or for angles beyond 2**53 radians.
    Source: Vaswani et al. 2017, section 3.5; the product is the rotation property stated there.

    >>> sinusoidal_table(2, 4).round(4)
    array([[0.    , 1.    , 0.    , 1.    ],
           [0.8415, 0.5403, 0.01  , 1.    ]])
    """
    length, dim, start = _checks.count(length, "length"), _checks.width(dim), _checks.place(start, "start")
    base, dtype = _checks.positive(base, "base"), _checks.float_dtype(dtype)
    if not (-_checks.LARGEST < start and int(start // 1) + length <= _checks.LARGEST):  # a sum of integers is exact
        raise ValueError(f"start must be above -2**53 and start + length at most 2**53, got {start} and {length} rows")
    _checks.room("length and dim", (length, dim))
    return _kernels.table(length, start, _angles.from_base(dim, base), dtype)
