"""Write reference.json: sines and cosines of position * base**(-2j/dim) computed by mpmath with 50 digits.

Run by hand: python tests/posenc/data/make_reference.py
"""

import json
import random
from pathlib import Path

import mpmath

mpmath.mp.dps = 50
draw = random.Random(8)
BASES = [1e2, 1e3, 1e4, 5e5, 1e6]
DIMS = [2, 8, 30, 64, 128, 1024]


def row(position: float, dim: int, base: float, pair: int) -> list:
    omega = mpmath.mpf(base) ** (-mpmath.mpf(2 * pair) / dim)
    angle = mpmath.mpf(position) * omega
    return [position, dim, base, pair, *(mpmath.nstr(f(angle), 40) for f in (mpmath.sin, mpmath.cos))]


rows = []
for size in (1e1, 1e3, 1e5, 1e6, 1e7):
    for _ in range(60):
        position = draw.uniform(-size, size)
        dim = draw.choice(DIMS)
        rows.append(row(position, dim, draw.choice(BASES), draw.randrange(dim // 2)))  # fractional
        dim = draw.choice(DIMS)
        rows.append(row(float(round(position)), dim, draw.choice(BASES), draw.randrange(dim // 2)))
# Where an angle comes closest to a multiple of pi/2: numerators of pi's continued fraction, pair 0.
rows += [row(float(p), 8, 1e4, 0) for p in (11, 22, 355, 52_174, 103_993, 104_348, 208_341, 5_419_351)]
rows += [row(p, 1024, 1e6, 511) for p in (1.0, 1e-3, 1e-300, 1e7)]
Path(__file__).with_name("reference.json").write_text(
    "[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", encoding="utf8"
)
