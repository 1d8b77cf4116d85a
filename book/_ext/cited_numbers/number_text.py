"""Show a number of record as text, in a sentence or in a formula."""

import re
from collections.abc import Callable

from cited_numbers.numbers_of_record import NumberOfRecord, Value, shown

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
QUOTE = re.compile(r"(?P<id>" + NAME.pattern + r")(?P<items>(?:\[\d+\])*)(?::(?P<spec>[^{}]+))?")
SUPERSCRIPT = str.maketrans("+-0123456789", "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
Numbers = dict[str, NumberOfRecord]  # by id


def parts(text: str) -> tuple[str, str]:
    """Return the factor and the exponent of ten of a formatted number; no exponent: ''. A factor of 1 is left out."""
    factor, _, exponent = text.partition("e")
    return ("" if exponent and float(factor) == 1 and "." not in factor else factor), exponent and str(int(exponent))


def bound(value: float) -> str:
    """Return the bound of rounding noise as files and citations give it: 1e-14."""
    return f"{value:.0e}".replace("e-0", "e-")


def prose(text: str) -> str:
    """Return a formatted number as running text shows it: 1.78e-04 as 1.78 × 10⁻⁴, with a real minus sign."""
    factor, exponent = parts(text)
    power = exponent and "10" + exponent.translate(SUPERSCRIPT)
    return " × ".join(filter(None, [factor.replace("-", "−"), power]))


def tex(text: str) -> str:
    """Return a formatted number as TeX."""
    factor, exponent = parts(text)
    power = exponent and f"10^{{{exponent}}}"
    return r" \times ".join(filter(None, [factor.replace(",", "{,}"), power]))


def full(item: float) -> str:
    """Return a number with all its digits as running text shows it: 2 and not 2.0, and 10,000 with a comma."""
    return prose(format(item, ",").removesuffix(".0"))


def every(value: Value, one: Callable[[int | float], str], comma: str, semicolon: str) -> str:
    """Return `one(item)` of every item of a number or a nest of lists, joined."""
    if not isinstance(value, list):
        return one(value)
    nested = any(isinstance(item, list) for item in value)
    return (semicolon if nested else comma).join(every(item, one, comma, semicolon) for item in value)


def find(numbers: Numbers, quote: str) -> tuple[NumberOfRecord, Value, str]:
    """Return the number that `quote` names, its value (or item) and the format; ValueError says what is wrong."""
    match = QUOTE.fullmatch(quote)
    if match is None:
        raise ValueError(f"{quote!r} is not of the form id, id[2] or id:.2f")
    if match["id"] not in numbers:
        raise ValueError(f"no cell publishes a number {match['id']!r}")
    number = numbers[match["id"]]
    if number.below is not None:
        if match["items"] or match["spec"]:
            raise ValueError(f"{quote!r}: a residual is quoted as its bound, without an item or a format")
        return number, number.below, ".0e"
    value = number.known
    for index in re.findall(r"\d+", match["items"]):
        if not isinstance(value, list):
            raise ValueError(f"{quote!r}: {match['id']!r} has no item [{index}], it is not nested that deep")
        if int(index) >= len(value):
            last = len(value) - 1
            raise ValueError(f"{quote!r}: no item [{index}], the items of {match['id']!r} are [0] to [{last}]")
        value = value[int(index)]
    spec = match["spec"] or number.entry.shown
    try:
        shown(value, spec)
    except ValueError as error:
        raise ValueError(f"{quote!r}: the format {spec!r} does not fit the value {value!r} ({error})") from None
    return number, value, spec


def text_of(numbers: Numbers, quote: str) -> str:
    """Return the quoted number as running text shows it."""
    _, value, spec = find(numbers, quote)
    return every(value, lambda item: prose(shown(item, spec)), ", ", "; ")


def tex_of(numbers: Numbers, quote: str) -> str:
    """Return the quoted number as a formula shows it."""
    _, value, spec = find(numbers, quote)
    return every(value, lambda item: tex(shown(item, spec)), r",\; ", r";\; ")
