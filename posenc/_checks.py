"""Input checks that the whole package shares: each one returns the value ready to use or raises before any work."""

import operator
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

FLOATS = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64))
LARGEST = 2.0**53  # beyond it float64 skips integers, and an angle says nothing about its place in the turn


def show(value: Any) -> str:
    """A short repr for messages."""
    if isinstance(value, int) and value.bit_length() > 256:
        return f"an integer of {value.bit_length()} bits"  # Python refuses to write very long ones
    if isinstance(value, np.ndarray) and value.size > 8:
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def count(value: Any, name: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """An integer from `least` to `most`; a bool or a float is none."""
    if isinstance(value, (bool, np.bool_, np.ma.MaskedArray)) or (isinstance(value, np.ndarray) and value.ndim):
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


def real(value: Any, name: str) -> float:
    """A finite real number."""
    if type(value) in (int, float) and -LARGEST <= value <= LARGEST:  # the usual case, ahead of slow abstract classes
        return float(value)
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype != object:
        value = value[()]
    if isinstance(value, (bool, np.bool_, np.timedelta64)) or not isinstance(value, (Real, np.integer, np.floating)):
        raise TypeError(f"{name} must be a real number, got {show(value)}")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{name} must be within the range of float64, got {show(value)}") from None
    if not np.isfinite(number):
        raise ValueError(f"{name} must be finite, got {number}")
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
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {show(value)}")
    return bool(value)


def float_dtype(value: DTypeLike, name: str = "dtype") -> np.dtype[Any]:
    """float16, float32 or float64."""
    try:
        dtype = np.dtype(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be float16, float32 or float64, got {show(value)}") from None
    if value is None or dtype not in FLOATS:
        raise TypeError(f"{name} must be float16, float32 or float64, got {show(value)}")
    return dtype.newbyteorder("=")


def numeric(value: ArrayLike, name: str) -> NDArray[Any]:
    """An array of real numbers in its own dtype: no bools, complex numbers, strings, objects or masked entries.

    Floats longer than float64 come as float64.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} must be a plain array, got a masked array; fill or drop its masked entries first")
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise TypeError(f"{name} must be an array of real numbers, got {show(value)} ({error})") from None
    if array.size == 0 and not isinstance(value, np.ndarray):
        array = array.astype(float)  # [] has no dtype of its own to object to
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be an array of real numbers, got dtype {array.dtype}: {show(value)}")
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        with np.errstate(over="ignore", under="ignore"):
            double = array.astype(np.float64)
        if (np.isinf(double) & np.isfinite(array)).any():
            raise ValueError(f"{name} must be within the range of float64, got {show(value)}")
        return double
    return array


def positions(value: ArrayLike, name: str = "positions") -> NDArray[np.float64]:
    """Finite real numbers up to 2**53 in size, as float64 before anything is added to them."""
    array = numeric(value, name)
    largest: float = int(LARGEST)  # integers compare as such: as float64 2**53 + 1 is 2**53
    if array.dtype.kind == "f":
        largest = LARGEST
        if array.dtype.itemsize < 8:
            with np.errstate(invalid="ignore"):  # of a signalling NaN, which is refused below
                array = array.astype(np.float64)
    if array.size and array.dtype.itemsize == 8:  # a shorter integer cannot be too large
        low, high = np.minimum.reduce(array, axis=None), np.maximum.reduce(array, axis=None)
        if not (-largest <= low and high <= largest):  # a NaN fails both
            bad = low if not -largest <= low else high
            raise ValueError(f"{name} must be finite and at most 2**53 in size, got {bad}")
    return array.astype(np.float64, copy=False)


def result_dtype(array: NDArray[Any]) -> np.dtype[Any]:
    """The dtype in which a result for this array comes: its own if a float16, 32 or 64, else float64."""
    dtype = array.dtype.newbyteorder("=")
    return dtype if dtype in FLOATS else np.dtype(np.float64)


def target(value: Any, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array that a result of this shape and dtype can be written into, seen as a plain one."""
    if not isinstance(value, np.ndarray) or isinstance(value, np.ma.MaskedArray):
        got = "a masked array" if isinstance(value, np.ma.MaskedArray) else show(value)
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
        raise ValueError(f"{name} must be one-dimensional and not empty, one entry a pair; got shape {array.shape}")
    if array.min() < 0:
        raise ValueError(f"{name} must be 0 or more, got {array.min()}")
    return array
