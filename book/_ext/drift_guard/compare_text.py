"""Compare what cells printed: words exactly, numbers as numbers.

Digits count exactly as printed up to twelve significant ones; a number printed with more of them holds to a relative
1e-9, because its last digits depend on the processor.
"""

import math
import re
from collections.abc import Collection

EXACT_DIGITS = 12
RELATIVE = 1e-9
SMALLEST = 1e-12  # what is printed smaller than this is rounding noise, and shown by its bound only
NUMBER = re.compile(r"(?<![\w.])[-+−]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
REFUSED = {
    re.compile(r"\bat 0x[0-9A-Fa-f]+|\b0x[0-9A-Fa-f]{9,}"): "an object's address differs in every build",
    re.compile(r"\bipykernel_\d+"): "the number of a process differs in every build",
    re.compile(r"\bnp\.\w+\(|<Figure size"): "this is how Python names the object: show or format what it holds",
}
WIDTH = 44  # of an excerpt


def value(token: str) -> float:
    return float(token.replace("−", "-"))


def shorten(value: object) -> str:
    text = str(value)
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def significant(token: str) -> int:
    """Return how many significant digits are printed."""
    return len(re.split("[eE]", token)[0].lstrip("-+−0.").replace(".", ""))


def same_number(recorded: str, computed: str, pairs: Collection[tuple[str, str]] = ()) -> bool:
    """Tell whether two printed numbers agree; `pairs` are forms known to show the same number of record."""
    if recorded == computed or (recorded, computed) in pairs:
        return True
    if value(recorded) == value(computed) == 0:
        return recorded.lstrip("-−") == computed.lstrip("-−")
    if max(significant(recorded), significant(computed)) > EXACT_DIGITS:
        return math.isclose(value(recorded), value(computed), rel_tol=RELATIVE)
    return False


def padded(tokens: list[str]) -> bool:
    """Tell whether a number may be printed wider or narrower elsewhere, so that the spaces beside it vary."""
    return any(significant(t) > EXACT_DIGITS or (t[0] in "-−" and value(t) == 0) for t in tokens)


def difference(recorded: str, computed: str, pairs: Collection[tuple[str, str]] = ()) -> tuple[str, str] | None:
    """Return excerpts of two printed texts round their first difference, None where they agree."""
    words = [NUMBER.split(text) for text in (recorded, computed)]
    numbers = [NUMBER.findall(text) for text in (recorded, computed)]
    if padded(numbers[0]) or padded(numbers[1]):
        compared = [[re.sub(r"[ \t]+", " ", word).strip(" ") for word in text] for text in words]
    else:
        compared = words
    if compared[0] != compared[1]:
        return excerpts(recorded, computed)
    wrong = [place for place, (old, new) in enumerate(zip(*numbers)) if not same_number(old, new, pairs)]
    if not wrong:
        return None
    more = f" (+{len(wrong) - 1} more)" if len(wrong) > 1 else ""
    before = " ".join(words[0][wrong[0]].split())[-(WIDTH // 2) :]
    old, new = (f"{before} {text[wrong[0]]}".strip() + more for text in numbers)
    return old, new


def excerpts(recorded: str, computed: str) -> tuple[str, str]:
    """Return two texts from shortly before their first difference."""
    if len(recorded) <= WIDTH and len(computed) <= WIDTH:
        return recorded, computed
    place = next((n for n, (r, c) in enumerate(zip(recorded, computed)) if r != c), min(len(recorded), len(computed)))
    start = max(0, place - WIDTH // 2)
    old, new = (
        ("…" if start else "") + text[start : start + WIDTH] + ("…" if len(text) > start + WIDTH else "")
        for text in (recorded, computed)
    )
    return old, new


def faults(text: str, small: Collection[float] = ()) -> list[tuple[str, str]]:
    """Return what may not be printed, with the reason; `small` are numbers of record and bounds that the cell shows."""
    found = [(match[0], reason) for pattern, reason in REFUSED.items() for match in pattern.finditer(text)]
    for token in NUMBER.findall(text):
        if 0 < abs(value(token)) < SMALLEST and value(token) not in small:
            found.append((token, f"below {SMALLEST:g} in size: `record` shows rounding noise by its bound"))
    return found
