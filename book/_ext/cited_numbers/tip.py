"""The tip of a quoted number, which shows on hover and on keyboard focus: value, meaning, how firm its digits are."""

from cited_numbers.number_text import Numbers, every, find, full, prose
from cited_numbers.numbers_of_record import NumberOfRecord

LISTED = 8  # so many items of a list are told one by one


def tip_of(numbers: Numbers, quote: str) -> str:
    """Return what the tip of a quote tells."""
    number, value, _ = find(numbers, quote)
    entry = number.entry
    if number.below is not None:
        bound = prose(f"{number.below:.0e}")
        return f"{entry.meaning}: rounding noise, below {bound}; its digits depend on the processor."
    unit = f" {entry.unit}" if entry.unit else ""
    if isinstance(value, list) and len(value) > LISTED:
        shown = f"{len(value)} items"
    else:
        shown = every(value, full, ", ", "; ")
    return f"{entry.meaning}: {shown}{unit}. {firmness(number)}"


def firmness(number: NumberOfRecord) -> str:
    """Return how firmly the digits of a value hold, as a sentence."""
    if number.entry.given:
        return "Given by the source."
    if isinstance(number.value, int):
        return "Exact."
    return f"Holds to a relative {prose(format(number.entry.tolerance, '.0e'))}."
