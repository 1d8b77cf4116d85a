"""Compare a number of record with what a source document prints for it.

A printed number is matched to all its printed digits: half a unit of the last printed place if the source rounds, two
units of the sixteenth digit if it prints the value in full. Where the source prints rounding noise, its number and ours
both stay below the bound, and their digits mean nothing.
"""

import math
import re
from typing import NamedTuple

from drift_guard.page_data import Value, flat

PRINTED = re.compile(
    r"(?<![\w.])(?P<digits>-?\d+(?:\.\d+)?)(?:e(?P<exponent>[+-]?\d+))?(?P<kilo>K?)(?!\w)|(?P<pi>\bpi\b)"
)

SAME = "same to all printed digits"
BELOW = "below the bound"
DIFFERS = "differs"


class Printed(NamedTuple):
    """A number as a source prints it, and how far from it a value may lie that has these digits."""

    value: float
    allowed: float


def sixteenth(value: float) -> float:
    """Return the unit of the sixteenth significant digit."""
    return 10.0 ** (math.floor(math.log10(abs(value))) - 15) if value else 0.0


def read(row: dict[str, str]) -> list[Printed]:
    """Return the numbers that a row of `source-numbers.csv` prints, in their order."""
    found = []
    for match in PRINTED.finditer(row["printed"]):
        if match["pi"]:
            found.append(Printed(math.pi, 2 * sixteenth(math.pi)))
            continue
        digits, exponent = match["digits"], int(match["exponent"] or 0) + (3 if match["kilo"] else 0)
        value = float(f"{digits}e{exponent}")
        decimals = len(digits.partition(".")[2])
        if row["kind"] == "rounded":
            zeros = 0 if decimals else len(digits) - len(digits.rstrip("0")) if value else 0
            allowed = 0.5 * 10.0 ** (exponent - decimals + zeros) + 2 * sixteenth(value)
        else:
            allowed = 2 * sixteenth(value)
        found.append(Printed(value, allowed))
        if match["kilo"]:  # 8K is 8000 or 8192
            found[-1] = Printed(value * 1.012, value * 0.013)
    return found


def by_columns(value: Value) -> list[float]:
    """Return the items of a table column after column; of anything else, as `flat` does."""
    if isinstance(value, list) and all(isinstance(row, list) for row in value):
        return flat([list(column) for column in zip(*value, strict=True)])
    return flat(value)


def same(value: float, printed: Printed) -> bool:
    """Tell whether a value has the printed digits; `1.000001` leaves room for the rounding of the difference itself."""
    return abs(value - printed.value) <= printed.allowed * 1.000001


def verdict(value: Value | None, below: float | None, rows: list[dict[str, str]]) -> str:
    """Return SAME, BELOW or DIFFERS for a value, or noise below a bound, and the rows it serves; '' where none prints.

    The items of a list are compared in their order, by rows or by columns, if the source prints as many numbers, else
    each with any of them.
    """
    printed = [item for row in rows for item in read(row)]
    if not printed:
        return ""
    if below is not None or value is None:
        return BELOW if below is not None and all(abs(item.value) < below for item in printed) else DIFFERS
    values = flat(value)
    if len(values) == len(printed):
        agree = all(map(same, values, printed)) or all(map(same, by_columns(value), printed))
    else:
        agree = all(any(same(value, item) for item in printed) for value in values)
    return SAME if agree else DIFFERS


def unserved(row: dict[str, str], values: list[Value], bounds: list[float]) -> list[float]:
    """Return the numbers a row prints that are none of the values, and no noise below one of the bounds."""
    served = [number for value in values for number in flat(value)]
    left = []
    for item in read(row):
        if not any(same(number, item) for number in served) and not any(abs(item.value) < bound for bound in bounds):
            left.append(item.value)
    return left
