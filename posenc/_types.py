"""Names of types that the public functions share, for type checkers: what comes out follows from what goes in."""

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Float = TypeVar("Float", np.float16, np.float32, np.float64)  # the dtypes in which results come
Entry = TypeVar("Entry", bound=np.integer[Any] | np.float16 | np.float32 | np.float64)  # those and integers
Out = TypeVar("Out", bound=NDArray[Any])  # an array to write into, which comes back as it is

Floats: TypeAlias = NDArray[np.floating[Any]]  # float16, float32 or float64, which is known when the program runs
FloatDType: TypeAlias = type[Float] | np.dtype[Float]
Number: TypeAlias = float | np.integer[Any] | np.floating[Any]
