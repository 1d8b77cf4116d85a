"""What a change of position does to the encoding: a fixed rotation, whatever the position it starts from."""

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _angles, _checks, _kernels
from ._types import Number


@overload
def similarity(offsets: Number, dim: int, base: float = ...) -> np.float64: ...
@overload
def similarity(offsets: NDArray[Any] | Sequence[Any], dim: int, base: float = ...) -> NDArray[np.float64]: ...
@overload
def similarity(offsets: ArrayLike, dim: int, base: float = ...) -> NDArray[np.float64] | np.float64: ...
def similarity(offsets: ArrayLike, dim: int, base: float = 10_000.0) -> NDArray[np.float64] | np.float64:
    """The dot product of two encodings, which depends on the offset of their positions alone.

    s(k) = PE(t) . PE(t + k) = sum_j cos(omega_j k), and dim/2 at k = 0.

    Parameters: `offsets`, real numbers of any shape, in tokens; `dim`, a positive even integer; `base` > 0.
    Returns: float64 array of the shape of `offsets`.
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: follows from Vaswani et al. 2017, section 3.5, and cos(a - b) = cos a cos b + sin a sin b.

    >>> similarity([0, 1, -1], 8).round(4)
    array([4.    , 3.5353, 3.5353])
    """
    omega = _angles.from_base(_checks.width(dim), _checks.positive(base, "base"))
    return _kernels.sums_of_cosines(_checks.positions(offsets, "offsets"), omega)[()]


@overload
def distance(offsets: Number, dim: int, base: float = ...) -> np.float64: ...
@overload
def distance(offsets: NDArray[Any] | Sequence[Any], dim: int, base: float = ...) -> NDArray[np.float64]: ...
@overload
def distance(offsets: ArrayLike, dim: int, base: float = ...) -> NDArray[np.float64] | np.float64: ...
def distance(offsets: ArrayLike, dim: int, base: float = 10_000.0) -> NDArray[np.float64] | np.float64:
    """The Euclidean distance of two encodings, which depends on the offset of their positions alone.

    D(k) = |PE(t + k) - PE(t)| = 2 sqrt(sum_j sin(omega_j k / 2)**2) = sqrt(dim - 2 s(k)).

    Parameters: `offsets`, real numbers of any shape, in tokens; `dim`, a positive even integer; `base` > 0.
    Returns: float64 array of the shape of `offsets`. The sum of squares keeps the digits of small distances,
    down to the smallest float64 of full precision, where dim - 2 s(k) would cancel.
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: follows from Vaswani et al. 2017, section 3.5, and 1 - cos a = 2 sin(a/2)**2.

    >>> distance([0, 1, 6], 8).round(4)
    array([0.    , 0.9641, 0.6577])
    """
    omega = _angles.from_base(_checks.width(dim), _checks.positive(base, "base"))
    return _kernels.roots_of_squared_sines(_checks.positions(offsets, "offsets"), omega)[()]


def shift_matrix(offset: ArrayLike, dim: int, base: float = 10_000.0) -> NDArray[np.float64]:
    """The rotation that carries the encoding of any position to the encoding `offset` tokens on.

    PE(t + k) = Phi^k PE(t) on column vectors; pair j has the block [[cos a, sin a], [-sin a, cos a]], a = omega_j k.

    Parameters: `offset`, a real number in tokens, or an array of them; `dim`, a positive even integer; `base` > 0.
    Returns: float64 array of shape (dim, dim), or offset.shape + (dim, dim): orthogonal, block-diagonal.
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: Vaswani et al. 2017, section 3.5 ("PE(pos + k) can be represented as a linear function of PE(pos)").

    >>> shift_matrix(1, 2).round(4)
    array([[ 0.5403,  0.8415],
           [-0.8415,  0.5403]])
    """
    dim, base = _checks.width(dim), _checks.positive(base, "base")
    k = _checks.positions(offset, "offset")
    _checks.room("dim", (*k.shape, dim, dim))
    sine, cosine = _angles.sines_and_cosines(k, _angles.from_base(dim, base))
    out = np.zeros((*sine.shape[:-1], dim, dim))  # (..., d, d)
    s = np.arange(0, dim, 2)  # columns of the sines; the cosines stand one to the right
    out[..., s, s], out[..., s, s + 1] = cosine, sine
    out[..., s + 1, s], out[..., s + 1, s + 1] = -sine, cosine
    return out


def generator(dim: int, base: float = 10_000.0) -> NDArray[np.float64]:
    """The skew-symmetric matrix whose exponential is the shift by one token.

    Phi = exp(Omega), dPE/dt = Omega PE; pair j has the block [[0, omega_j], [-omega_j, 0]].

    Parameters: `dim`, a positive even integer; `base` > 0.
    Returns: float64 array of shape (dim, dim), in radians per token, with eigenvalues +- i omega_j.
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: the derivative of the encoding of Vaswani et al. 2017, section 3.5, in the position.

    >>> generator(4)
    array([[ 0.  ,  1.  ,  0.  ,  0.  ],
           [-1.  ,  0.  ,  0.  ,  0.  ],
           [ 0.  ,  0.  ,  0.  ,  0.01],
           [ 0.  ,  0.  , -0.01,  0.  ]])
    """
    dim, base = _checks.width(dim), _checks.positive(base, "base")
    _checks.room("dim", (dim, dim))
    omega = _angles.from_base(dim, base).w
    out = np.zeros((dim, dim))
    s = np.arange(0, dim, 2)
    out[s, s + 1], out[s + 1, s] = omega, -omega
    return out


def phasors(positions: ArrayLike, dim: int, base: float = 10_000.0) -> NDArray[np.complex128]:
    """The encoding as complex numbers of length 1, one per pair.

    z_j(p) = exp(i omega_j p) = cos(omega_j p) + i sin(omega_j p), so that z(p + k) = z(k) z(p).

    Parameters: `positions`, real numbers of any shape (..., n), in tokens; `dim`, a positive even integer; `base` > 0.
    Returns: complex128 array of shape (..., n, dim/2).
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: Euler's formula applied to Vaswani et al. 2017, section 3.5; the phasor that Su et al. 2021 (RoFormer,
    section 3.4) multiply into queries and keys.

    >>> phasors(1, 4).round(4)
    array([0.5403+0.8415j, 1.    +0.01j  ])
    """
    omega = _angles.from_base(_checks.width(dim), _checks.positive(base, "base"))
    p = _checks.positions(positions)
    _checks.room("positions", (*p.shape, omega.w.size), itemsize=16)
    return _angles.phasors(p.reshape(-1), omega).reshape(*p.shape, omega.w.size)  # (..., n, d/2)
