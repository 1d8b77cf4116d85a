"""How models arrange what is the same: sines and cosines in blocks, weights by layout of pairs, tables of cosines.

Encodings with all sines before all cosines hold the numbers of the interleaved encoding in another order. The two
layouts of rotary pairs are a reordering of the coordinates of each head, and a model's weights can be reordered with
them.
"""

from fractions import Fraction
from typing import Any, NamedTuple, cast, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _angles, _checks, rotary, sinusoidal
from ._types import Float, FloatDType, Floats

BLOCKS = ("sin-cos", "cos-sin")
SPACINGS = ("d/2", "d/2-1")
_CACHED = ("bfloat16", "float16", "float32", "float64")


@overload
def block_encoding(
    positions: ArrayLike,
    dim: int,
    base: float = ...,
    *,
    order: str,
    spacing: str,
    dtype: type[float] = ...,
) -> NDArray[np.float64]: ...
@overload
def block_encoding(
    positions: ArrayLike,
    dim: int,
    base: float = ...,
    *,
    order: str,
    spacing: str,
    dtype: FloatDType[Float],
) -> NDArray[Float]: ...
@overload
def block_encoding(
    positions: ArrayLike,
    dim: int,
    base: float = ...,
    *,
    order: str,
    spacing: str,
    dtype: DTypeLike = ...,
) -> Floats: ...
def block_encoding(
    positions: ArrayLike,
    dim: int,
    base: float = 10_000.0,
    *,
    order: str,
    spacing: str,
    dtype: DTypeLike = float,
) -> Floats:
    """The sinusoidal encoding in two blocks, [sin | cos] or [cos | sin], as translation and diffusion models have it.

    With h = dim/2 pairs the blocks hold sin(p omega_j) and cos(p omega_j) for j = 0 .. h - 1, and omega_j is
    base**(-j/h) for the spacing "d/2" (the frequencies of `frequencies`: the slowest pair falls short of 1/base) or
    base**(-j/(h - 1)) for "d/2-1" (the slowest pair has 1/base itself).

    Parameters: `positions`, real numbers of any shape (..., n), tokens or time steps; `dim`, a positive even integer,
    4 or more for "d/2-1"; `base` > 0; `order`, "sin-cos" or "cos-sin", the block that comes first; `spacing`, "d/2" or
    "d/2-1"; `dtype`, float16, float32 or float64. Order and spacing have no default, because published models differ
    in both.
    Returns: array of shape (..., n, dim), as accurate as `sinusoidal_encoding`.
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: Ho et al. 2020, "Denoising Diffusion Probabilistic Models", published code (sines first, "d/2-1", after the
    tensor2tensor library); the diffusers library names the choices `flip_sin_to_cos` and `downscale_freq_shift`.

    >>> block_encoding(1, 4, order="cos-sin", spacing="d/2").round(4)
    array([0.5403, 1.    , 0.8415, 0.01  ])
    """
    dim, base, dtype = _checks.width(dim), _checks.positive(base, "base"), _checks.float_dtype(dtype)
    order = _checks.choice(order, "order", BLOCKS)
    omega = _spaced(dim, base, _checks.choice(spacing, "spacing", SPACINGS))
    p = _checks.positions(positions)
    half = dim // 2
    out = np.empty((*p.shape, dim), dtype)  # (..., n, d)
    rows = out.reshape(-1, dim)
    first, second = rows[:, :half], rows[:, half:]
    sines, cosines = (first, second) if order == "sin-cos" else (second, first)
    for part in _angles.chunks(p.size, half):
        with np.errstate(under="ignore"):  # a sine may be too small for float16
            sines[part], cosines[part] = _angles.sines_and_cosines(p.reshape(-1)[part], omega)
    return out


def _spaced(dim: int, base: float, spacing: str) -> _angles.Frequencies:
    if spacing == "d/2":
        return _angles.from_base(dim, base)
    if dim < 4:
        raise ValueError(f"dim must be 4 or more for the spacing 'd/2-1', which divides by dim/2 - 1, got {dim}")
    most = _angles.from_base(dim - 2, base)  # base**(-j/(h - 1)) but for the last, j = h - 1
    last = 1 / Fraction(base)
    try:
        nearest = float(last)
    except OverflowError:
        nearest = np.inf
    if nearest > _checks.LARGEST:
        raise ValueError(f"base must be large enough to keep frequencies within 2**53 rad per token, got {base}")
    return _angles.from_parts(np.append(most.w, nearest), np.append(most.v, float(last - Fraction(nearest))))


class LaidOut(np.ndarray[Any, Any]):
    """Weights that know the layout they are in, so that they are not taken for the other one.

    Views, copies and casts know it, too. The results of arithmetic are plain arrays.
    """

    layout: str | None
    head_dim: int | None
    rotary_dim: int | None

    def __array_finalize__(self, obj: Any) -> None:
        for name in ("layout", "head_dim", "rotary_dim"):
            setattr(self, name, getattr(obj, name, None))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [np.asarray(value) if isinstance(value, LaidOut) else value for value in inputs]
        targets = options.get("out")
        if targets is not None:
            options["out"] = tuple(np.asarray(value) if isinstance(value, LaidOut) else value for value in targets)
        result = getattr(ufunc, method)(*plain, **options)
        return targets[0] if targets is not None and len(targets) == 1 else result

    def __reduce__(self) -> Any:
        rebuild, arguments, state = cast(Any, super().__reduce__())
        return rebuild, arguments, (state, self.layout, self.head_dim, self.rotary_dim)

    def __setstate__(self, state: Any) -> None:
        plain, self.layout, self.head_dim, self.rotary_dim = state
        super().__setstate__(plain)


def to_layout(
    weights: ArrayLike, num_heads: int, source: str, target: str, *, rotary_dim: int | None = None
) -> LaidOut:
    """Reorder the rows of W_q or W_k, or their biases, from one layout of rotary pairs to the other.

    Within each head of width d_h, with r rows rotated, row 2j of "interleaved" is row j of "half", and row 2j + 1 is
    row j + r/2. A model whose W_q and W_k are both reordered gives the same scores when its rotation is the other one.
    W_v and the output projection stay as they are.

    Parameters: `weights`, of shape (num_heads d_h, width) as torch keeps them, rows for outputs, or biases
    (num_heads d_h,), of any real dtype; `num_heads`, heads of these weights (of keys, for W_k, where there are fewer);
    `source` and `target`, "interleaved" or "half"; `rotary_dim`, r, how many leading rows of a head are rotated (all by
    default).
    Returns: a new array of the same shape and dtype, which remembers its layout through views, copies, casts and
    pickling, as `.layout`. Back to the source, all rows are where they were.
    Raises: TypeError or ValueError for arguments outside their domains or shapes that do not fit; ValueError when
    weights that this function laid out are said to be in another layout or to have other heads, so that applying it
    twice by mistake is noticed. (Arithmetic, np.asarray and files of arrays drop the memory.)
    Source: the script that converts Llama's weights for the transformers library permutes them in this way.

    >>> half = to_layout([0, 1, 2, 3], 1, "interleaved", "half")
    >>> half.tolist(), to_layout(half, 1, "half", "interleaved").tolist()
    ([0, 2, 1, 3], [0, 1, 2, 3])
    """
    array = _weights(weights)
    heads = _checks.count(num_heads, "num_heads", least=1)
    source = _checks.choice(source, "source", rotary.LAYOUTS)
    target = _checks.choice(target, "target", rotary.LAYOUTS)
    if array.ndim not in (1, 2):
        raise ValueError(f"weights must have shape (rows, width), or (rows,) for biases, got {array.shape}")
    if len(array) == 0 or len(array) % heads:
        raise ValueError(f"weights must have a multiple of {heads} rows, one head after the other, got {len(array)}")
    head_dim = _checks.width(len(array) // heads, "rows / num_heads")
    width = head_dim if rotary_dim is None else _checks.width(rotary_dim, "rotary_dim")
    if width > head_dim:
        raise ValueError(f"rotary_dim must be at most the {head_dim} rows of a head, got {width}")
    known = weights if isinstance(weights, LaidOut) else None
    if known is not None and known.layout is not None:
        if source != known.layout:
            raise ValueError(
                f"source must be {known.layout!r}, in which to_layout has left these weights, got {source!r}"
            )
        if (head_dim, width) != (known.head_dim, known.rotary_dim):
            raise ValueError(
                f"num_heads and rotary_dim must make heads of {known.head_dim} rows with {known.rotary_dim} rotated, "
                f"as when to_layout made these weights, got {head_dim} and {width}"
            )
    rows = np.arange(head_dim)
    if source != target:
        pairs = np.arange(width).reshape(-1, 2).T if target == "half" else np.arange(width).reshape(2, -1).T
        rows[:width] = pairs.reshape(-1)  # row i of the target is row rows[i] of the source
    by_head = array.reshape(heads, head_dim, *array.shape[1:])
    result = by_head[:, rows].reshape(array.shape).view(LaidOut)
    result.layout, result.head_dim, result.rotary_dim = target, head_dim, width
    return result


def _weights(value: ArrayLike) -> NDArray[Any]:
    """Real numbers in their own dtype, which a reordering leaves alone: bfloat16 and longdouble, too."""
    given: Any = value
    if isinstance(given, np.ndarray) and not isinstance(given, np.ma.MaskedArray):
        array: NDArray[Any] = np.asarray(cast(NDArray[Any], given))
        if array.dtype.kind == "f" or array.dtype.name == "bfloat16":
            return array
    return _checks.numeric(value, "weights")


class RotaryCache(NamedTuple):
    """Cosines and sines as a model keeps them, each of shape (..., n, rotary_dim)."""

    cosines: NDArray[Any]
    sines: NDArray[Any]


def rotary_cache(
    positions: ArrayLike,
    rotary_dim: int,
    base: float = 10_000.0,
    frequencies: ArrayLike | None = None,
    layout: str = "half",
    *,
    dtype: DTypeLike = "float32",
    angles: DTypeLike = "float64",
    attention_factor: float = 1.0,
) -> RotaryCache:
    """Cosines and sines for each coordinate as models keep them, rounded to the precision in which they keep them.

    cos(p omega_j) and sin(p omega_j) times the attention factor, each number twice: beside each other in "interleaved"
    layout, half the width apart in "half" layout, so that x is rotated by x * cosines + rotated(x) * sines, where
    rotated(x) puts -x_b for x_a and x_a for x_b. `apply_rotary` keeps no such table and rounds no angle.

    What it costs, with a factor of 1: a cosine is off by up to half a unit in its last place, 2**-9 in bfloat16, 2**-12
    in float16, 2**-25 in float32, and that is the same at every position. `angles` in less than float64 cost more with
    every token: positions, frequencies and their products are rounded, so that an angle of t radians is off by up to
    about t 2**-23 in float32 (for positions up to 2**24; 2**-6 for 2**17 radians) and t 2**-6 in bfloat16, where whole
    numbers end at 256 and distant neighbours share one angle.

    Parameters: `positions`, real numbers of any shape (..., n), in tokens; `rotary_dim`, coordinates, a positive even
    integer; `base`, `frequencies` and `layout` as for `apply_rotary`, but "half" by default, which most models have;
    `dtype` of the result, "bfloat16", float16, float32 or float64; `angles`, the same for the angles;
    `attention_factor` > 0, as `from_config` gives it.
    Returns: a named tuple (cosines, sines) of arrays of shape (..., n, rotary_dim), rounded by way of float32 except to
    float64. For "bfloat16" their dtype is that of the package ml_dtypes if it is installed, otherwise float32, with the
    same numbers.
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: the transformers library (`LlamaRotaryEmbedding`), which forms angles in float32.

    >>> rotary_cache([1], 2, dtype="bfloat16").cosines.astype(float)
    array([[0.5390625, 0.5390625]])
    """
    width, layout = _checks.width(rotary_dim, "rotary_dim"), _checks.choice(layout, "layout", rotary.LAYOUTS)
    _checks.room("rotary_dim", (width,))
    kept, formed = _precision(dtype, "dtype"), _precision(angles, "angles")
    factor = _checks.positive(attention_factor, "attention_factor")
    p = _checks.positions(positions)
    omega = sinusoidal.frequencies(width, base) if frequencies is None else _checks.frequency_list(frequencies)
    if formed == "float64":
        first = np.zeros((*p.shape, width))
        first[..., 0::2] = 1  # (1, 0) turns into a cosine and a sine
        turned = rotary.apply_rotary(first, p, base, frequencies)
        cosine, sine = turned[..., 0::2], turned[..., 1::2]
    else:
        if omega.size != width // 2:
            raise ValueError(
                f"frequencies must have one entry for each of the {width // 2} pairs of width {width}, got {omega.size}"
            )
        angle = _rounded(_rounded(p, formed)[..., np.newaxis] * _rounded(omega, formed), formed)
        if not np.isfinite(angle).all():
            raise ValueError(
                f"positions must be small enough that angles stay within the range of {formed}, got up to "
                f"{np.abs(p).max()}"
            )
        sine, cosine = np.sin(angle), np.cos(angle)
    both = [_stored(numbers * factor, kept) for numbers in (cosine, sine)]
    if layout == "half":
        return RotaryCache(*(np.concatenate([numbers, numbers], -1) for numbers in both))
    return RotaryCache(*(np.repeat(numbers, 2, -1) for numbers in both))


def _precision(value: DTypeLike, name: str) -> str:
    """The name of one of the four dtypes, of which NumPy itself knows three."""
    given: Any = value
    if isinstance(given, str) and given in _CACHED:
        return given
    try:
        found = "" if given is None else np.dtype(given).name  # NumPy takes None for float64
    except (TypeError, ValueError):
        found = ""
    if found not in _CACHED:
        raise TypeError(f"{name} must be 'bfloat16', float16, float32 or float64, got {_checks.show(value)}")
    return found


def _rounded(numbers: NDArray[Any], precision: str) -> NDArray[np.float64]:
    """float64 that hold what a shorter dtype would, by way of float32; infinity where it has no such number."""
    if precision == "float64":
        return numbers.astype(np.float64, copy=False)
    with np.errstate(over="ignore", under="ignore"):
        single = numbers.astype(np.float32)
        if precision == "bfloat16":
            return _to_bfloat16(single).astype(np.float64)
        return single.astype(precision).astype(np.float64)


def _to_bfloat16(single: NDArray[np.float32]) -> NDArray[np.float32]:
    """The nearest float32 whose lower 16 bits are 0, ties to even, for finite numbers."""
    bits = np.ascontiguousarray(single).view(np.uint32)
    return ((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)).view(
        np.float32
    )


def _stored(numbers: NDArray[np.float64], precision: str) -> NDArray[Any]:
    rounded = _rounded(numbers, precision)
    if not np.isfinite(rounded).all():
        raise ValueError(f"attention_factor must be small enough to stay within the range of {precision}")
    if precision != "bfloat16":
        return rounded.astype(precision, copy=False)
    single = rounded.astype(np.float32)
    try:
        from ml_dtypes import bfloat16  # no dependency: the numbers are the same without it
    except ImportError:
        return single
    return single.astype(bfloat16)
