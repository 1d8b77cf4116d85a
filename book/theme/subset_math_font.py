"""Cut STIX Two Math down to the characters a textbook's formulas use, as the site's web font.

    python book/theme/subset_math_font.py

The full font comes in the pip package `ziamath` (0.13; install it by hand). The result is committed, so a build needs
neither; the same version gives the same bytes.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

TARGET = Path(__file__).parent / "static" / "fonts" / "stix-two-math.woff2"

# Ranges of code points, both ends included.
KEPT = [
    (0x20, 0x7E),  # ASCII
    (0xA0, 0xFF),  # Latin-1: × ÷ ± ¬ ° ·
    (0x131, 0x131),  # dotless i, for accents
    (0x237, 0x237),  # dotless j
    (0x2C6, 0x2DD),  # spacing accents
    (0x300, 0x338),  # combining accents, bars and slash
    (0x391, 0x3F6),  # Greek
    (0x2010, 0x2044),  # dashes, quotes, dots, primes, fraction slash
    (0x2057, 0x2064),  # quadruple prime, invisible operators
    (0x20D6, 0x20D7),  # arrows above
    (0x2100, 0x2138),  # letter-like: ℂ ℓ ℕ ℝ ℤ ℜ ℑ ℵ
    (0x2190, 0x2199),  # arrows
    (0x21A0, 0x21A6),  # two-headed, tailed and mapping arrows
    (0x21BA, 0x21CC),  # turns, harpoons
    (0x21D0, 0x21D5),  # double arrows
    (0x2200, 0x226B),  # operators and relations; U+221A carries the root sign's sizes
    (0x227A, 0x22A5),  # orders, sets, circled operators, tacks
    (0x22C0, 0x22C6),  # large operators, dot, star
    (0x22EE, 0x22F1),  # dots
    (0x2308, 0x230B),  # ceilings and floors
    (0x23B4, 0x23B5),  # brackets above and below
    (0x23DC, 0x23E1),  # braces above and below
    (0x25A0, 0x25A1),  # squares
    (0x25CB, 0x25CF),  # circles
    (0x27E6, 0x27EF),  # white and angle brackets
    (0x27F5, 0x27FA),  # long arrows
    (0x2A00, 0x2A06),  # large operators
    (0x2A7D, 0x2A7E),  # slanted ≤ ≥
    (0x1D400, 0x1D433),  # bold letters
    (0x1D434, 0x1D49B),  # italic and bold italic letters
    (0x1D49C, 0x1D4CF),  # script
    (0x1D538, 0x1D56B),  # double-struck
    (0x1D6A4, 0x1D7C9),  # dotless and Greek, bold and italic
    (0x1D7CE, 0x1D7D7),  # bold digits
]


def full_font() -> Path:
    package = find_spec("ziamath")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("the full font comes in the pip package ziamath: pip install ziamath==0.13")
    return Path(package.origin).with_name("fonts") / "STIXTwoMath-Regular.ttf"


def lower_primes(font: TTFont) -> None:
    """Give the primes the shape that the font has for superscripts.

    MathML raises a prime as a superscript. The plain shape is raised already, and Chromium does not choose the other
    one (feature `ssty`), so it would stand above the letter. The feature itself goes: it would be a third of the file.
    """
    plain = font.getBestCmap()
    assert plain is not None, "the full font has no table from characters to glyphs"
    lowered = {code: f"{plain[code]}.ssty" for code in range(0x2032, 0x2035)}
    for table in font["cmap"].tables:
        table.cmap.update({code: name for code, name in lowered.items() if code in table.cmap})


def main() -> None:
    options = subset.Options(
        flavor="woff2",
        hinting=False,
        layout_features=["kern", "mark", "mkmk", "ccmp", "dtls", "flac"],
        name_IDs=[0, 1, 2, 4, 5, 6, 13, 14],
    )
    options.drop_tables += ["DSIG"]
    font = TTFont(full_font(), recalcTimestamp=False)
    lower_primes(font)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=[code for first, last in KEPT for code in range(first, last + 1)])
    cutter.subset(font)
    subset.save_font(font, str(TARGET), options)
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes, {len(font.getGlyphOrder())} glyphs")


if __name__ == "__main__":
    main()
