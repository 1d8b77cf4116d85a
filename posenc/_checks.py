"""Input checks that the whole package shares: each one returns the value ready to use or raises before any work."""

import math
import operator
from numbers import Real
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

FLOATS = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64))
LARGEST = 2.0**53  # beyond it float64 skips integers, and an angle says nothing about its place in the turn
AXES = 60  # NumPy has 64 at most, and a result may need a few more than what it is made of
_PLACES = "finite and at most 2**53 in size"
_RANGE = "within the range of int64, uint64 or float64"
_PLAIN: frozenset[Any] = frozenset(  # types of items that hide no masked array
    {int, float, bool, complex, str, bytes, bytearray, memoryview, range, np.ndarray, *np.sctypeDict.values()}
)
_REAL: frozenset[Any] = frozenset({int, float, np.int64, np.float32, np.float64})  # of items that are no bools


def is_array(value: object) -> TypeGuard[NDArray[Any]]:
    return isinstance(value, np.ndarray)


def _is_list(value: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    return isinstance(value, (list, tuple))


def _is_integer(value: object) -> TypeGuard[int | np.integer[Any]]:
    return isinstance(value, (int, np.integer))


def is_masked_array(value: object) -> TypeGuard[np.ma.MaskedArray[Any, Any]]:
    return isinstance(value, np.ma.MaskedArray)


def _is_numpy_number(value: object) -> TypeGuard[np.integer[Any] | np.floating[Any]]:
    return isinstance(value, (np.integer, np.floating))


def show(value: Any) -> str:
    """A short repr for messages."""
    if isinstance(value, int) and value.bit_length() > 256:
        return f"an integer of {value.bit_length()} bits"  # Python refuses to write very long ones
    if is_array(value) and value.size > 8:
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    if _is_numpy_number(value):
        return str(value)
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def count(value: Any, name: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """An integer from `least` to `most`; a bool or a float is none."""
    if type(value) is int and least <= value <= most:  # the usual case
        return value
    if isinstance(value, (bool, np.bool_)) or is_masked_array(value) or (is_array(value) and value.ndim):
        raise TypeError(f"{name} must be an integer, got {show(value)}")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {show(value)}") from None
    if number < least:
        raise ValueError(f"{name} must be {least} or more, got {show(number)}")
    if number > most:
        raise ValueError(f"{name} must be at most {most}, got {show(number)}")
    return number


def width(value: Any, name: str = "dim") -> int:
    """A positive even integer: columns come in pairs of a sine and a cosine."""
    number = count(value, name, least=-(2**63))
    if number <= 0 or number % 2:
        raise ValueError(f"{name} must be a positive even number (columns come in sine and cosine pairs), got {number}")
    return number


def _number(value: Any, name: str) -> Any:
    """A real number as it came, of whatever type: a Python or NumPy scalar, or the one in an array without axes."""
    masked = is_masked_array(value)
    if is_array(value) and value.ndim == 0 and value.dtype != object and not masked:
        value = value[()]
    is_number = isinstance(value, Real) or _is_numpy_number(value)
    if isinstance(value, (bool, np.bool_, np.timedelta64)) or not is_number:
        got = "a masked array" if masked else show(value)
        raise TypeError(f"{name} must be a real number, got {got}")
    if value != value or value in (np.inf, -np.inf):
        raise ValueError(f"{name} must be finite, got {show(value)}")
    return value


def real(value: Any, name: str) -> float:
    """A finite real number, as the float64 nearest to it."""
    if type(value) in (int, float) and -LARGEST <= value <= LARGEST:  # the usual case, ahead of slow abstract classes
        return float(value)
    value = _number(value, name)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number) or (number == 0 and value != 0):
        raise ValueError(f"{name} must be within the range of float64, got {show(value)}")
    return number


def place(value: Any, name: str) -> float:
    """A position: a finite real number up to 2**53 in size that float64 holds as it is, because digits count there."""
    if type(value) is float and -LARGEST <= value <= LARGEST:  # the usual case
        return value
    value = _number(value, name)
    if _is_numpy_number(value) and (value.dtype.kind in "iu" or value.dtype.itemsize <= 8):
        value = value.item()  # Python's own number, which compares without rounding
    if not -int(LARGEST) <= value <= int(LARGEST):  # as the number that came: 2**53 + 1 as float64 is 2**53
        raise ValueError(f"{name} must be {_PLACES}, got {show(value)}")
    number = float(value)
    if number != value:
        raise ValueError(
            f"{name} must be a number that float64 holds, got {show(value)}, which it would round to {number!r}; "
            f"give float({name}) if that is meant"
        )
    return number


def positive(value: Any, name: str) -> float:
    """A finite real number above 0."""
    number = real(value, name)
    if number <= 0:
        raise ValueError(f"{name} must be above 0, got {number}")
    return number


def choice(value: Any, name: str, known: tuple[str, ...]) -> str:
    """One of the names in `known`."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be one of {', '.join(map(repr, known))}, got {show(value)}")
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")
    return value


def flag(value: Any, name: str) -> bool:
    """True or False, and nothing that merely acts like one."""
    if type(value) is bool or type(value) is np.bool_:  # neither can be subclassed
        return bool(value)
    raise TypeError(f"{name} must be True or False, got {show(value)}")


def float_dtype(value: DTypeLike, name: str = "dtype") -> np.dtype[Any]:
    """float16, float32 or float64."""
    given: Any = value
    try:
        dtype = np.dtype(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be float16, float32 or float64, got {show(value)}") from None
    if given is None or dtype not in FLOATS:
        raise TypeError(f"{name} must be float16, float32 or float64, got {show(value)}")
    return dtype.newbyteorder("=")


def is_masked(value: Any) -> bool:
    """Whether a value is, or holds at any depth, an array with masked entries, which NumPy would take as they are."""
    kind = cast(type[object], type(value))
    if kind in _PLAIN:
        return False
    if is_masked_array(value):
        return True
    if _is_list(value):
        kinds = set(map(type, value))
        return not kinds <= _PLAIN and any(is_masked(item) for item in value)
    if hasattr(kind, "__array__"):
        return not is_array(value) and is_masked_array(np.asanyarray(value))
    if hasattr(kind, "__len__") and hasattr(kind, "__getitem__") and not isinstance(value, (str, bytes)):
        try:
            return any(is_masked(item) for item in value)  # a sequence of another type, which NumPy reads as a list
        except (TypeError, KeyError):  # no sequence after all
            return False
    return False


def _holds_bool(value: Any) -> bool:
    """Whether True or False stands in a list, at any depth, where NumPy counts it as 1 or 0 beside a number."""
    if isinstance(value, (bool, np.bool_)):
        return True
    if is_array(value):
        return value.dtype == bool or (value.dtype == object and any(map(_holds_bool, value.flat)))
    if _is_list(value):
        return not set(map(type, value)) <= _REAL and any(map(_holds_bool, value))
    kind = cast(type[object], type(value))
    if kind in _PLAIN or hasattr(kind, "__array__") or not (hasattr(kind, "__len__") and hasattr(kind, "__getitem__")):
        return False
    return any(map(_holds_bool, value))


def unwrapped(value: Any) -> Any:
    """A value, but the array in place of a memoryview, which is a sequence that may refuse to tell its items."""
    return np.asarray(value) if isinstance(value, memoryview) else value


def array_of(value: Any, name: str, wanted: str) -> NDArray[Any]:
    """Any array but a masked one, seen as a plain one; `wanted` says in messages what it must hold."""
    if type(value) is np.ndarray:
        array: NDArray[Any] = value
    else:
        try:
            if is_masked(value):
                raise TypeError(
                    f"{name} must be a plain array, got a masked array; fill or drop its masked entries first"
                )
            array = np.asarray(value)
        except (ValueError, OverflowError, RecursionError) as error:
            raise TypeError(f"{name} must be an array of {wanted}, got {show(value)} ({error})") from None
    if array.ndim > AXES:
        raise ValueError(f"{name} must have at most {AXES} axes, got {array.ndim}")
    return array


def numeric(value: ArrayLike, name: str, longer: bool = False, limits: str = _RANGE) -> NDArray[Any]:
    """An array of real numbers in its own dtype: no bools, complex numbers, strings, objects or masked entries.

    Floats longer than float64 come as float64 unless `longer` keeps them. `limits` says in the message about an integer
    that no dtype of NumPy holds what it must be.
    """
    array = array_of(value, name, "real numbers")
    if array.size == 0 and not isinstance(value, memoryview) and not hasattr(value, "__array__"):
        array = np.empty(array.shape)  # [] has no dtype of its own to object to
    if array.dtype.kind not in "iuf":
        large = _large_integer(array)
        if large is not None:
            raise ValueError(f"{name} must be {limits}, got {show(large)}")
        raise TypeError(f"{name} must be an array of real numbers, got dtype {array.dtype}: {show(value)}")
    if not isinstance(value, np.ndarray) and _holds_bool(value):
        raise TypeError(f"{name} must be an array of real numbers, got True or False among them: {show(value)}")
    if array.dtype.kind == "f" and array.dtype.itemsize > 8 and not longer:
        return _as_float64(array, name)
    return array


def _large_integer(array: NDArray[Any]) -> int | None:
    """The largest of Python integers of which one has no dtype but object; None for other objects."""
    if array.dtype != object or not array.size or not all(type(item) is int for item in array.flat):
        return None
    far = max(array.flat, key=abs)
    return far if not -(2**63) <= far < 2**64 else None


def _as_float64(array: NDArray[Any], name: str) -> NDArray[np.float64]:
    """Longer floats, each as the float64 nearest to it; refused beyond the range of float64."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        double = array.astype(np.float64)
    lost = (np.isinf(double) & np.isfinite(array)) | ((double == 0) & (array != 0))
    if lost.any():
        raise ValueError(f"{name} must be within the range of float64, got {show(array[lost][0])}")
    return double


def positions(value: ArrayLike, name: str = "positions") -> NDArray[np.float64]:
    """Finite real numbers up to 2**53 in size, as float64 that hold each of them exactly."""
    array = numeric(value, name, longer=True, limits=_PLACES)
    kind, size = array.dtype.kind, array.dtype.itemsize
    largest: float = (
        int(LARGEST) if kind in "iu" else LARGEST
    )  # integers compare as such: as float64 2**53 + 1 is 2**53
    if kind == "f" and size < 8:
        with np.errstate(invalid="ignore"):  # of a signalling NaN, which is refused below
            array = array.astype(np.float64)
    if array.size and array.dtype.itemsize >= 8:  # a shorter integer cannot be too large
        low, high = np.minimum.reduce(array, axis=None), np.maximum.reduce(array, axis=None)
        if not (-largest <= low and high <= largest):  # a NaN fails both
            bad = low if not -largest <= low else high
            raise ValueError(f"{name} must be {_PLACES}, got {show(bad)}")
        if kind == "f" and (low == -LARGEST or high == LARGEST) and not isinstance(value, np.ndarray):
            _check_mixed(value, name)
    if kind == "f" and size > 8:
        with np.errstate(under="ignore"):
            double = array.astype(np.float64)
        changed = double != array
        if changed.any():
            raise ValueError(
                f"{name} must be numbers that float64 holds, got {show(array[changed][0])}, which it would round to "
                f"{double[changed][0]!s}; give positions as float64 if that is meant"
            )
        return double
    return array.astype(np.float64, copy=False)


def _items(value: Any) -> list[Any]:
    """The numbers of a list as they came, before NumPy finds one dtype for all of them."""
    return [item[()] if is_array(item) else item for item in np.asarray(value, dtype=object).flat]


def _check_mixed(value: Any, name: str) -> None:
    """Refuse integers that NumPy rounded to 2**53 because they came in a list beside a fraction or another dtype."""
    for number in _items(value):
        if _is_integer(number) and abs(int(number)) > int(LARGEST):
            raise ValueError(f"{name} must be {_PLACES}, got {int(number)}")


def integers(value: ArrayLike, name: str) -> NDArray[Any]:
    """An array of integers; a list of several integer types, for which NumPy chooses a float, counts as one."""
    array = numeric(value, name)
    if array.size == 0:
        return array.astype(int)
    if array.dtype.kind == "f" and not isinstance(value, np.ndarray):
        items = _items(value)
        if all(map(_is_integer, items)):
            numbers = [int(item) for item in items]
            far = max(numbers, key=abs)
            if abs(far) >= 2**63:
                raise ValueError(f"{name} must be within the range of int64, got {far}")
            array = np.array(numbers, np.int64).reshape(array.shape)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, got dtype {array.dtype}: {show(value)}")
    return array


def room(name: str, shape: tuple[int, ...], itemsize: int = 8) -> tuple[int, ...]:
    """A shape, unless an array of it would have more axes or bytes than any machine can address."""
    if len(shape) > 64:
        raise ValueError(f"{name} must be such that the result has at most 64 axes, got {len(shape)}")
    if math.prod(max(1, n) for n in shape) * itemsize >= 2**63:
        raise ValueError(f"{name} must be smaller: the result of shape {shape} is beyond what memory can address")
    return shape


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape to which these shapes broadcast, of up to 64 axes (NumPy's own function takes 32); None for none."""
    axes = max(map(len, shapes))
    result: list[int] = []
    for sizes in zip(*((1,) * (axes - len(shape)) + shape for shape in shapes)):
        others = {size for size in sizes if size != 1}
        if len(others) > 1:
            return None
        result.append(others.pop() if others else 1)
    return tuple(result)


def result_dtype(array: NDArray[Any]) -> np.dtype[Any]:
    """The dtype in which a result for this array comes: its own if a float16, 32 or 64, else float64."""
    dtype = array.dtype.newbyteorder("=")
    return dtype if dtype in FLOATS else np.dtype(np.float64)


def target(value: Any, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array that a result of this shape and dtype can be written into, seen as a plain one."""
    if not is_array(value) or is_masked_array(value):
        got = "a masked array" if is_masked_array(value) else show(value)
        raise TypeError(f"{name} must be a plain NumPy array to write into, or None for a new one, got {got}")
    if value.dtype != dtype:
        raise TypeError(
            f"{name} must have the dtype of the result, {dtype}, got {value.dtype}; make it an array of {dtype}"
        )
    if value.shape != shape:
        raise ValueError(
            f"{name} must have the shape of the result, {shape}, got {value.shape}; reshape it or take "
            "a slice of that shape"
        )
    if not value.flags.writeable:
        raise ValueError(f"{name} must be writeable, got a read-only array of shape {shape}; give a copy of it")
    if not value.flags.c_contiguous:
        reach = value.itemsize  # bytes that the axes up to here take, from the shortest step
        for step, length in sorted((abs(step), length) for step, length in zip(value.strides, shape) if length > 1):
            if step < reach:
                raise ValueError(
                    f"{name} must have a place of its own for every entry, got a view of shape {shape} "
                    f"and strides {value.strides}, in which some may share one; give a copy of it"
                )
            reach += step * (length - 1)
    return np.asarray(value)


def same_place(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two arrays of one shape are the same entries in the same memory."""
    return one is other or (
        one.dtype == other.dtype
        and one.strides == other.strides
        and one.__array_interface__["data"][0] == other.__array_interface__["data"][0]
    )


def finite(value: ArrayLike, name: str) -> NDArray[Any]:
    """An array of finite real numbers in its own dtype."""
    array = numeric(value, name)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {show(value)}")
    return array


def frequency_list(value: ArrayLike, name: str = "frequencies") -> NDArray[np.float64]:
    """A one-dimensional, non-empty array of finite frequencies that are 0 or more."""
    array = finite(value, name).astype(np.float64, copy=False)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be one-dimensional and not empty, one entry per pair; got shape {array.shape}")
    if array.min() < 0:
        raise ValueError(f"{name} must be 0 or more, got {array.min()}")
    return array
