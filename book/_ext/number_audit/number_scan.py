r"""Find the numbers in a text or a formula that must come from somewhere: decimals, and those of three digits or more.

A number is found whatever its dress: 35333, 35,333, 35 333 (with any kind of space), `35{,}333`, 1.78e-4, 1.78 × 10⁻⁴,
`1.78\times 10^{-4}`, `10^4`, 10⁻¹⁴, .97, 5½, wide and Arabic digits, 2 million, 128K, two hundred and five. So is a
percentage of any size, for it is a decimal: 17 %, seventeen per cent. Not looked at are the digits of a name (float64,
d512), of a version of three parts (1.2.3), of an arXiv identifier or an address, the number of a section, figure, table
or equation, a fraction of small integers (3/4), and words of no exact size (hundreds, half).
"""

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

SPACE = "\u0020\u00a0\u2002-\u200a\u202f\u205f"
HOLE = "\ufffc"  # stands for what a scan must neither read nor read across
DASH = "-\u2010-\u2015\u2212"
RAISED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
POWER = rf"10[{SPACE}]*(?:\^[{SPACE}]*(?:\{{[{SPACE}]*[{DASH}]?\d+[{SPACE}]*\}}|\(?[{DASH}]?\d+)|[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
PERCENT = rf"[{SPACE}]*(?:\\?%(?![{SPACE}]*\d)|per[{SPACE}-]?cent\b)"

NUMBER = re.compile(
    rf"""
    (?<!\d) (?<!\d\.)
    (?: (?P<bare> {POWER})
      | (?P<mantissa> \d{{1,3}} (?:[{SPACE},'’_]\d{{3}})+ (?!\d) (?:\.\d+)?
                    | \d+ (?:\.\d+ | ·(?!{POWER})\d+)* | (?<!\.)\.\d+ )
        (?: [eE] (?P<exponent> [+{DASH}]?\d+) (?!\d)
          | [{SPACE}]* [×x*·⋅∙] [{SPACE}]* (?P<power> {POWER})
          | [{SPACE}]* (?P<scale> K(?![A-Za-z]) | \b(?:hundred|thousand|million|billion)\b ) )?
        (?P<percent> {PERCENT} )? )
""",
    re.VERBOSE,
)
SMALL_TYPE = re.compile("(?<!10)(?<!10[⁺⁻])(?<![⁰¹²³⁴⁵⁶⁷⁸⁹])[⁰¹²³⁴⁵⁶⁷⁸⁹]{3,}|[₀-₉]{3,}")  # but for powers of ten
COMMA = re.compile(r"(?<![\d,.])\d+,\d{1,2}(?![\d,])")  # a decimal comma: 5,97
SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
DIGITS = "zero one two three four five six seven eight nine".split()
TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
WORDS = {word: value for value, word in enumerate(DIGITS + TEENS)} | {word: 20 + 10 * n for n, word in enumerate(TENS)}
GAP = rf"[{SPACE}\n-]+"
SMALL = rf"(?:(?:{'|'.join(TENS)})(?:{GAP}(?:{'|'.join(DIGITS[1:])})\b)?|(?:{'|'.join(DIGITS + TEENS)})\b)"
GROUP = rf"{SMALL}(?:{GAP}hundred\b(?:{GAP}(?:and{GAP})?{SMALL})?)?"
SPELLED = re.compile(
    rf"""
    \b (?P<whole> {GROUP} (?:{GAP}(?:thousand|million|billion)\b (?:{GAP}(?:and{GAP})?{GROUP})? )* )
    (?: {GAP}point (?P<point> (?:{GAP}(?:{"|".join(DIGITS)})\b)+ ) )? (?P<percent> {PERCENT} )? (?![\w])
""",
    re.VERBOSE | re.IGNORECASE,
)
NOT_NUMBERS = re.compile(r"https?://\S+|arXiv:\s*\d{4}\.\d{4,5}(?:v\d+)?|doi:\s*\S+", re.IGNORECASE)
AFTER_NAME = re.compile(
    r"(?:\b[Ss]ections?|§|\bSec\.|\bFigures?|\bFig\.|\bTables?|\bEquations?|\bEq\.|\bChapters?)\s*\(?$"
)


class Found(NamedTuple):
    """A number of a text: as it stands there, where, and what it may mean."""

    text: str
    start: int
    values: tuple[Decimal, ...]
    parts: tuple[Decimal, ...] = ()  # of `10 512`, which may be one number or two


def plain(text: str) -> str:
    """Return the text with ordinary digits and without invisible characters."""
    out = []
    for character in text:
        if unicodedata.category(character) == "Cf":
            continue
        digit = unicodedata.decimal(character, None)
        if unicodedata.decomposition(character).startswith("<fraction>") and character != "⅟":
            digit = fraction(character, before=out[-1:])
        out.append(str(digit) if digit is not None else {"．": ".", "，": ",", "٫": "."}.get(character, character))
    return "".join(out)


def fraction(character: str, before: list[str]) -> str:
    """Return the decimals of ½ and its like, after a whole number or alone."""
    decimals = f"{unicodedata.numeric(character):.4f}".rstrip("0")
    return decimals[1:] if before and before[0].isdigit() else decimals


def exponent_of(power: str) -> int:
    """Return the exponent in `10^{-4}` or 10⁻⁴."""
    digits = re.sub(rf"[{SPACE}{{}}()^]", "", power.removeprefix("10").translate(RAISED))
    return int(re.sub(rf"[{DASH}]", "-", digits))


def needs_backing(value: Decimal, mantissa: str) -> bool:
    return "." in mantissa or value != value.to_integral_value() or abs(value) >= 100 or len(mantissa) > 2


def read(match: re.Match) -> Found | None:
    """Return what a match of NUMBER says; None for what needs no backing."""
    if match["bare"]:
        value = Decimal(1).scaleb(exponent_of(match["bare"]))
        return Found(match[0], match.start(), (value,)) if needs_backing(value, "") else None
    raw = match["mantissa"].replace("·", ".")
    mantissa = re.sub(rf"[{SPACE},'’_]", "", raw)
    if mantissa.count(".") > 1:
        return None  # a version of three parts
    value = Decimal(mantissa)
    if match["exponent"]:
        value = value.scaleb(int(re.sub(rf"[{DASH}]", "-", match["exponent"])))
    elif match["power"]:
        value = value.scaleb(exponent_of(match["power"]))
    elif match["scale"] and match["scale"] != "K":
        value *= SCALES[match["scale"]]
    values = (value * 1000, value * 1024) if match["scale"] == "K" else (value,)
    if match["percent"]:
        values = (value / 100, *values)
    if not any(needs_backing(one, mantissa) for one in values):
        return None
    parts = tuple(map(Decimal, raw.split(" "))) if " " in raw and match["mantissa"] == match[0] else ()
    return Found(match[0], match.start(), values, parts)


def read_words(match: re.Match) -> Found | None:
    """Return what a match of SPELLED says; None for what needs no backing."""
    total = group = 0
    for word in re.findall(r"[a-z]+", match["whole"].lower()):
        if word == "hundred":
            group *= 100
        elif word in SCALES:
            total, group = total + group * SCALES[word], 0
        else:
            group += WORDS.get(word, 0)  # `and` is nothing
    decimals = "".join(str(WORDS[word]) for word in re.findall(r"[a-z]+", (match["point"] or "").lower()))
    value = Decimal(f"{total + group}.{decimals}" if decimals else total + group)
    values = (value / 100, value) if match["percent"] else (value,)
    if not any(needs_backing(one, "") for one in values):
        return None
    return Found(match[0], match.start(), values)


def in_text(text: str) -> Iterator[Found]:
    """Yield the numbers of a running text."""
    text = plain(text)
    text = NOT_NUMBERS.sub(lambda match: HOLE * len(match[0]), text)
    for match in COMMA.finditer(text):
        yield Found(match[0], match.start(), (Decimal(match[0].replace(",", ".")),))
    for match in SMALL_TYPE.finditer(text):
        yield Found(match[0], match.start(), (Decimal("".join(str(unicodedata.digit(one)) for one in match[0])),))
    for match in SPELLED.finditer(text):
        if found := read_words(match):
            yield found
    for match in NUMBER.finditer(text):
        before = text[: match.start()]
        if re.search(r"[A-Za-z_]$", before) and "." not in match[0]:
            continue  # the digits of a name
        found = read(match)
        if found and not AFTER_NAME.search(before):
            yield found


def in_formula(tex: str) -> Iterator[Found]:
    """Yield the numbers of a formula in TeX."""
    tex = plain(tex)
    tex = re.sub(r"\\(?:num|tag|label|ref|eqref|hspace|vspace|begin|end)\*?\s*\{[^{}]*\}|\\\\\[[^\]]*\]", HOLE, tex)
    tex = re.sub(r"\{\s*\}|\\!|\\[,;: ](?=\\%)", "", tex)
    tex = re.sub(r"\{(\\[,;: ]|~|\.|,)\}", r"\1\\!", tex)  # `\!` marks what stood in braces
    tex = re.sub(r"(?<=\d)(?:,|\\[,;: ]|~|\\thinspace\s*)(?:\\!)?(?=\d{3}(?!\d))", "\u2009", tex)
    tex = re.sub(r"(?<=\d),\\!(?=\d)", ".", tex)
    tex = tex.replace("\\!", "")
    tex = re.sub(r"\\(?:cdot|times|ast)(?![A-Za-z])", "×", tex)
    tex = re.sub(r"(?<![\^_}\w])\{(\d+)\}(?=\s*\^)", r"\1", tex)
    tex = re.sub(r"\\[A-Za-z]+|\\\\|\\[^%]|[~&]", HOLE, tex)
    for match in NUMBER.finditer(tex):
        if found := read(match):
            yield found
