"""Positions on several axes: images (rows and columns), video (frames, rows, columns), and the three of M-RoPE.

An axis is told by its name where functions take a dict, and by its place in the list where they take lists.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _checks, layouts, rotary, sinusoidal
from ._types import Float, FloatDType, Floats

ORDERS = ("contiguous", "interleaved")
LAYOUTS = ("interleaved", *layouts.BLOCKS)


def grid_positions(sizes: Mapping[str, int]) -> dict[str, NDArray[np.int64]]:
    """The positions of all cells of a grid on each of its axes, the last axis running fastest.

    Cell i of a grid of R rows and C columns has y = i // C and x = i % C, which is the order in which an image of shape
    (R, C) is read row by row.

    Parameters: `sizes`, the number of cells along each axis by its name, slowest first: {"y": 3, "x": 4} for 3 rows of
    4 columns, {"t": 2, "y": 3, "x": 4} for two such frames.
    Returns: a dict of int64 arrays of shape (cells,), by the same names in the same order.
    Raises: TypeError or ValueError for anything but a dict of numbers of cells, 0 or more.
    Source: the order of arrays in C and NumPy.

    >>> grid = grid_positions({"y": 2, "x": 3})
    >>> grid["y"], grid["x"]
    (array([0, 0, 0, 1, 1, 1]), array([0, 1, 2, 0, 1, 2]))
    """
    named = _named(sizes, "sizes")
    counts = [_checks.count(size, f"sizes[{name!r}]", most=2**53) for name, size in named.items()]
    cells = int(np.prod(counts, dtype=object))
    if cells > 2**53:
        raise ValueError(f"sizes must make 2**53 cells at most, got {cells}")
    result: dict[str, NDArray[np.int64]] = {}
    repeats, tiles = cells, 1
    for name, size in zip(named, counts):
        repeats = repeats // size if size else 0
        result[name] = np.tile(np.repeat(np.arange(size, dtype=np.int64), repeats), tiles)
        tiles *= size
    return result


def _named(value: Any, name: str) -> dict[str, Any]:
    """A dict whose keys are names of axes, one at least."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a dict with the names of axes as keys, got {_checks.show(value)}")
    items = dict(cast(Mapping[Any, Any], value))
    if not items:
        raise ValueError(f"{name} must have at least one axis, got an empty dict")
    for key in items:
        if not isinstance(key, str):
            raise TypeError(f"{name} must have the names of axes as keys, got {_checks.show(key)}")
    return items


@overload
def axial_encoding(
    positions: Mapping[str, ArrayLike],
    dim: int,
    base: float = ...,
    *,
    widths: Mapping[str, int] | None = ...,
    layout: str = ...,
    dtype: type[float] = ...,
) -> NDArray[np.float64]: ...
@overload
def axial_encoding(
    positions: Mapping[str, ArrayLike],
    dim: int,
    base: float = ...,
    *,
    widths: Mapping[str, int] | None = ...,
    layout: str = ...,
    dtype: FloatDType[Float],
) -> NDArray[Float]: ...
@overload
def axial_encoding(
    positions: Mapping[str, ArrayLike],
    dim: int,
    base: float = ...,
    *,
    widths: Mapping[str, int] | None = ...,
    layout: str = ...,
    dtype: DTypeLike = ...,
) -> Floats: ...
def axial_encoding(
    positions: Mapping[str, ArrayLike],
    dim: int,
    base: float = 10_000.0,
    *,
    widths: Mapping[str, int] | None = None,
    layout: str = "interleaved",
    dtype: DTypeLike = float,
) -> Floats:
    """The encoding of a place on several axes: the sinusoidal encodings of its positions, one after the other.

    PE(y, x) = [PE_y(y) | PE_x(x)] for the axes "y" and "x" in this order, each part with frequencies of its own width.

    Parameters: `positions`, real numbers by the name of their axis, of shapes that broadcast together to (..., n), as
    `grid_positions` gives them; its parts stand in the order of this dict; `dim`, columns altogether; `base` >
    0; `widths`, columns of each axis, positive even integers by the same names that add up to `dim` (equal parts by
    default); `layout` within a part, "interleaved" as in `sinusoidal_encoding`, "sin-cos" or "cos-sin" as in
    `block_encoding` with the spacing "d/2"; `dtype`, float16, float32 or float64.
    Returns: array of shape (..., n, dim).
    Raises: TypeError or ValueError for arguments outside their domains or names that do not fit.
    Source: Carion et al. 2020, "End-to-End Object Detection with Transformers", section 3.2 and its supplement (rows
    before columns, interleaved); Dosovitskiy et al. 2021 compare such encodings for images.

    >>> axial_encoding({"y": [0, 1], "x": [1, 0]}, 4).round(4)
    array([[0.    , 1.    , 0.8415, 0.5403],
           [0.8415, 0.5403, 0.    , 1.    ]])
    """
    named = _named(positions, "positions")
    dim = _checks.width(dim)
    layout = _checks.choice(layout, "layout", LAYOUTS)
    parts: list[NDArray[Any]] = []
    for name, width in _widths(named, dim, widths).items():
        places = _checks.positions(named[name], f"positions[{name!r}]")
        if layout == "interleaved":
            parts.append(sinusoidal.sinusoidal_encoding(places, width, base, dtype))
        else:
            parts.append(
                layouts.block_encoding(places, width, base, order=layout, spacing=layouts.SPACINGS[0], dtype=dtype)
            )
    try:
        shape = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    except ValueError:
        shapes = ", ".join(f"{name!r} {part.shape[:-1]}" for name, part in zip(named, parts))
        raise ValueError(f"positions must broadcast together, got shapes {shapes}") from None
    return np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in parts], -1)


def _widths(named: dict[str, Any], dim: int, widths: Mapping[str, int] | None) -> dict[str, int]:
    if widths is None:
        if dim % (2 * len(named)):
            raise ValueError(
                f"dim must be a multiple of {2 * len(named)} for {len(named)} axes of equal width, got {dim}; change "
                "it or give widths"
            )
        return dict.fromkeys(named, dim // len(named))
    given = _named(widths, "widths")
    if given.keys() != named.keys():
        raise ValueError(f"widths must have the axes of positions, {list(named)}, got {list(given)}")
    result = {name: _checks.width(given[name], f"widths[{name!r}]") for name in named}
    if sum(result.values()) != dim:
        raise ValueError(f"widths must add up to dim, {dim}, got {sum(result.values())}")
    return result


def pair_axes(sections: Sequence[int] | Mapping[str, int], order: str = "contiguous") -> NDArray[np.int64]:
    """Which axis each pair of coordinates turns by, as published sections of the pairs say.

    "contiguous": the first `sections[0]` pairs belong to axis 0, the next `sections[1]` to axis 1, and so on.
    "interleaved": with k axes, pair j belongs to axis a = j % k while j < k sections[a], and to axis 0 where that axis
    has had its share.

    Parameters: `sections`, the number of pairs of each axis, in a list or by name; `order`, "contiguous" (Qwen2-VL) or
    "interleaved" (Qwen3-VL, `mrope_interleaved` in its settings).
    Returns: int64 array of shape (pairs,), numbers of axes from 0.
    Raises: TypeError or ValueError for arguments outside their domains; ValueError for sections that cannot be
    interleaved, because an axis other than the first would come out with fewer pairs than its section has.
    Source: Wang et al. 2024, "Qwen2-VL", section 2.1, and the published code of both models.

    >>> pair_axes([2, 1, 1]), pair_axes([2, 1, 1], "interleaved")
    (array([0, 0, 1, 2]), array([0, 1, 2, 0]))
    """
    sizes = _sizes(sections)
    if _checks.choice(order, "order", ORDERS) == "contiguous":
        return np.repeat(np.arange(len(sizes)), sizes)
    pairs = np.arange(sum(sizes))
    axis = pairs % len(sizes)
    axis[pairs >= len(sizes) * np.array(sizes)[axis]] = 0
    made = np.bincount(axis, minlength=len(sizes)).tolist()
    if made != sizes:
        raise ValueError(f"sections must leave every axis its pairs when interleaved, got {sizes}, which make {made}")
    return axis


def _has_no_axes(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 0


def _sizes(sections: Any) -> list[int]:
    """Pairs of each axis, of which there is one at least."""
    sections = _checks.unwrapped(sections)
    if isinstance(sections, Mapping):
        named = _named(sections, "sections")
        sizes = [_checks.count(size, f"sections[{name!r}]", most=2**31) for name, size in named.items()]
    elif (
        isinstance(sections, (str, bytes)) or not isinstance(sections, (Sequence, np.ndarray)) or _has_no_axes(sections)
    ):
        raise TypeError(f"sections must be a list or a dict of numbers of pairs, got {_checks.show(sections)}")
    else:
        listed = cast(Sequence[Any], sections)
        sizes = [_checks.count(size, f"sections[{i}]", most=2**31) for i, size in enumerate(listed)]
    if not 0 < sum(sizes) <= 2**31:
        raise ValueError(f"sections must have at least one pair, and 2**31 at most, got {sizes}")
    return sizes


def axial_frequencies(
    sections: Sequence[int] | Mapping[str, int], base: float = 10_000.0, order: str = "contiguous"
) -> NDArray[np.float64]:
    """Frequencies for rotation by several axes each of which has the whole range, from fast to slow, for itself.

    The pairs of an axis with s of them turn by base**(-i/s), i = 0 .. s - 1. (M-RoPE has one range for the whole head
    instead, the one of `frequencies`.)

    Parameters: `sections` and `order` as for `pair_axes`; `base` > 0.
    Returns: float64 array of shape (pairs,), radians per token, to pass to `apply_axial_rotary`.
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: Heo et al. 2024, "Rotary Position Embedding for Vision Transformer", section 3.2 (axial frequencies, there
    with base 100).

    >>> axial_frequencies([2, 2], 100.0)
    array([1. , 0.1, 1. , 0.1])
    """
    axis = pair_axes(sections, order)
    base = _checks.positive(base, "base")
    result = np.empty(axis.size)
    for number, size in enumerate(_sizes(sections)):
        if size:
            result[axis == number] = sinusoidal.frequencies(2 * size, base)
    return result


@overload
def apply_axial_rotary(
    x: NDArray[Float],
    positions: Sequence[ArrayLike] | Mapping[str, ArrayLike],
    sections: Sequence[int] | Mapping[str, int],
    base: float = ...,
    frequencies: ArrayLike | None = ...,
    layout: str = ...,
    rotary_dim: int | None = ...,
    *,
    order: str = ...,
) -> NDArray[Float]: ...
@overload
def apply_axial_rotary(
    x: ArrayLike,
    positions: Sequence[ArrayLike] | Mapping[str, ArrayLike],
    sections: Sequence[int] | Mapping[str, int],
    base: float = ...,
    frequencies: ArrayLike | None = ...,
    layout: str = ...,
    rotary_dim: int | None = ...,
    *,
    order: str = ...,
) -> Floats: ...
def apply_axial_rotary(
    x: ArrayLike,
    positions: Sequence[ArrayLike] | Mapping[str, ArrayLike],
    sections: Sequence[int] | Mapping[str, int],
    base: float = 10_000.0,
    frequencies: ArrayLike | None = None,
    layout: str = "interleaved",
    rotary_dim: int | None = None,
    *,
    order: str = "contiguous",
) -> Floats:
    """Rotate every pair of coordinates by its position on the axis that the pair belongs to: axial RoPE, M-RoPE.

    The angle of pair j is t_j = p_a omega_j with a = a(j) from `pair_axes`, so that a score depends on the offset along
    every axis and on nothing else. With equal positions on all axes this is `apply_rotary`, number for number.

    Parameters: `x`, real numbers of shape (..., n, head_dim); `positions`, an array of real numbers per axis, in a list
    or by name, each of which broadcasts to x.shape[:-1] as for `apply_rotary`; `sections`, pairs per axis, in the same
    order or by the same names, adding up to the pairs that are rotated; `base`, `frequencies` ((pairs,), for example
    those of `axial_frequencies`), `layout` (which coordinates make a pair) and `rotary_dim` as for `apply_rotary`;
    `order` of the axes among the pairs, as for `pair_axes`.
    Returns: a new array of the shape and dtype of `apply_rotary`. It costs as many rotations as there are axes.
    Raises: TypeError or ValueError for arguments outside their domains or shapes and names that do not fit.
    Source: Heo et al. 2024, section 3.2 (axial); Wang et al. 2024, "Qwen2-VL", section 2.1 (M-RoPE).

    >>> apply_axial_rotary([1.0, 0.0, 1.0, 0.0], [1, 2], [1, 1], frequencies=[1.0, 1.0]).round(4)
    array([ 0.5403,  0.8415, -0.4161,  0.9093])
    """
    axis = pair_axes(sections, order)
    by_axis = _by_axis(positions, sections)
    array = _checks.numeric(x, "x")
    layout = _checks.choice(layout, "layout", rotary.LAYOUTS)
    if array.ndim == 0:
        raise ValueError(f"x must have at least one axis, (..., n, head_dim), got the number {array[()]}")
    if rotary_dim is None:
        width = _checks.width(array.shape[-1], "the last axis of x")
    else:
        width = _checks.width(rotary_dim, "rotary_dim")
    if width != 2 * axis.size:
        raise ValueError(f"sections must add up to the {width // 2} pairs that are rotated, got {axis.size}")
    coordinate = np.concatenate([axis, axis]) if layout == "half" else np.repeat(axis, 2)
    result: NDArray[Any] | None = None
    for number, places in enumerate(by_axis):
        turned = rotary.apply_rotary(array, places, base, frequencies, layout, width)
        if result is None:
            result = turned
        else:
            mine = np.flatnonzero(coordinate == number)
            result[..., mine] = turned[..., mine]
    assert result is not None
    return result


def _by_axis(positions: Any, sections: Any) -> list[NDArray[np.float64]]:
    """Positions an axis, in the order of the sections."""
    positions = _checks.unwrapped(positions)
    if isinstance(sections, Mapping) != isinstance(positions, Mapping):
        raise TypeError("positions and sections must both be lists or both be dicts by the names of axes")
    if isinstance(positions, Mapping):
        named, sizes = _named(positions, "positions"), _named(sections, "sections")
        if named.keys() != sizes.keys():
            raise ValueError(f"positions must have the axes of sections, {list(sizes)}, got {list(named)}")
        return [_checks.positions(named[name], f"positions[{name!r}]") for name in sizes]
    if isinstance(positions, np.ma.MaskedArray):
        raise TypeError("positions must be one plain array per axis, got a masked array; fill its masked entries first")
    if isinstance(positions, (str, bytes)) or not isinstance(positions, (Sequence, np.ndarray)):
        raise TypeError(f"positions must be a list or a dict of one array per axis, got {_checks.show(positions)}")
    listed = cast(Sequence[Any], positions)
    if isinstance(positions, np.ndarray) and positions.ndim == 0:
        raise ValueError("positions must have one array per axis, got a single number")
    if len(listed) != len(sections):
        raise ValueError(f"positions must have one array for each of the {len(sections)} axes, got {len(listed)}")
    return [_checks.positions(places, f"positions[{i}]") for i, places in enumerate(listed)]
