"""The random numbers of the lesson: ChaCha with 12 rounds and the ziggurat, seeded by one integer.

The lesson prints attention weights of random matrices. This generator draws the same matrices, so that the book can
compute what the lesson prints. For anything else NumPy's own generators are the better choice.
"""

import math
import threading
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _checks

_R, _V, _LAYERS = 3.654152885361008796, 0.00492867323399, 256
_LOW32, _LOW64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF


def _key(seed: int) -> list[int]:
    """Eight 32-bit words from a 64-bit seed, by the output step of PCG32 (O'Neill 2014)."""
    words: list[int] = []
    state = seed
    for _ in range(8):
        state = (state * 6364136223846793005 + 11634580027462260723) & _LOW64
        word, turn = (((state >> 18) ^ state) >> 27) & _LOW32, state >> 59
        words.append((word >> turn | word << (32 - turn)) & _LOW32)
    return words


def _chacha_block(key: list[int], counter: int, rounds: int = 12) -> list[int]:
    """One block of ChaCha (Bernstein 2008), sixteen 32-bit words; 64-bit counter, nonce 0."""
    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key, counter & _LOW32, counter >> 32, 0, 0]
    x = list(start)

    def quarter_round(a: int, b: int, c: int, d: int) -> None:
        for i, j, k, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[i] = (x[i] + x[j]) & _LOW32
            x[k] ^= x[i]
            x[k] = (x[k] << turn | x[k] >> (32 - turn)) & _LOW32

    for _ in range(rounds // 2):
        for i in range(4):  # columns
            quarter_round(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):  # diagonals
            quarter_round(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return [(a + b) & _LOW32 for a, b in zip(x, start)]


@cache
def _ziggurat() -> tuple[list[float], list[float]]:
    """Edges x_i and heights f(x_i) = exp(-x_i**2 / 2) of 256 layers of area V (Marsaglia and Tsang 2000)."""
    x = [_V / math.exp(-_R * _R / 2), _R]
    while len(x) < _LAYERS:
        x.append(math.sqrt(-2 * math.log(_V / x[-1] + math.exp(-x[-1] * x[-1] / 2))))
    x.append(0.0)
    return x, [math.exp(-e * e / 2) for e in x]


class LessonRandom:
    """The lesson's stream of standard normal draws.

    Key: PCG32 steps from the seed; bits: ChaCha12, two words a draw, the low half first; normals: a ziggurat of 256
    layers; matrices are filled row by row, and calls continue the stream. A copy, or what is pickled, goes on from the
    same place by itself; threads that share one take turns.

    Parameters: `seed`, an integer from 0 to 2**64 - 1.
    Raises: TypeError or ValueError for another seed.
    Source: Bernstein 2008, "ChaCha, a variant of Salsa20"; O'Neill 2014, "PCG"; Marsaglia and Tsang 2000, "The
    Ziggurat Method for Generating Random Variables".

    >>> LessonRandom(42).standard_normal((1, 2)).shape
    (1, 2)
    """

    def __init__(self, seed: int) -> None:
        self._key = _key(_checks.count(seed, "seed", most=_LOW64))
        self._drawn = 0  # draws of 64 bits, eight per block
        self._block: list[int] = []  # the block of the last draw
        self._lock = threading.Lock()  # one call at a time: threads share the stream and never a draw

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            return {"_key": self._key, "_drawn": self._drawn, "_block": self._block}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    def _bits(self) -> int:
        """The next 64 bits of the stream."""
        counter, place = divmod(self._drawn, 8)
        if place == 0:
            self._block = _chacha_block(self._key, counter & _LOW64)
        self._drawn += 1
        return self._block[2 * place] | self._block[2 * place + 1] << 32

    def _normal(self) -> float:
        x, f = _ziggurat()
        while True:
            bits = self._bits()
            layer = bits & 255
            u = (bits >> 12) * 2.0**-51 - 1.0  # a double in [2, 4) from the top 52 bits, minus 3
            value = u * x[layer]
            if abs(value) < x[layer + 1]:
                return value
            if layer == 0:
                return self._tail(u)
            height = (self._bits() >> 11) * 2.0**-53
            if f[layer + 1] + (f[layer] - f[layer + 1]) * height < math.exp(-value * value / 2):
                return value

    def _tail(self, u: float) -> float:
        def uniform() -> float:  # in (0, 1)
            return (self._bits() >> 12) * 2.0**-52 + 2.0**-53

        x, y = 1.0, 0.0
        while -2 * y < x * x:
            x, y = math.log(uniform()) / _R, math.log(uniform())
        return x - _R if u < 0 else _R - x

    def standard_normal(self, shape: int | tuple[int, ...]) -> NDArray[Any]:
        """The next draws of the stream as an array, filled row by row.

        Parameters: `shape`, an integer or a tuple of integers, each 0 or more.
        Returns: float64 array of that shape.
        Raises: TypeError or ValueError for another shape.

        >>> LessonRandom(7).standard_normal(0)
        array([], dtype=float64)
        """
        sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        sizes = tuple(_checks.count(size, "shape") for size in sizes)
        out = np.empty(_checks.room("shape", sizes))  # ahead of the draws: a shape too large leaves the stream alone
        with self._lock:
            for i in range(out.size):
                out.flat[i] = self._normal()
        return out
