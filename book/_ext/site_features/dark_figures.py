"""Show every figure in two renderings, one for light pages and one for dark.

A cell draws its figure once, as SVG on a transparent ground. The second rendering is the same drawing with every
colour's lightness turned round (in OKLab, so that hues stay): dark ink becomes light ink, and a line that stands out
on paper stands out on a dark page. Colour maps are pictures within the drawing and stay as they are: what is bright in
a caption is bright on both pages.
"""

import re
from functools import cache
from pathlib import Path

import numpy as np
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
SRC = re.compile(r'src="([^"]*)\.svg"')

# Lightness of the darkest and lightest colour on paper, and what they turn into on the dark page.
PAPER = (0.25, 1.0)
DARK = (0.92, 0.22)


# From linear red, green and blue to the answers of the eye's three cones, and from the cube roots of these to OKLab.
CONES = np.array([
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
])  # fmt: skip
LAB = np.array([
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
])  # fmt: skip


def oklab(colour: str) -> np.ndarray:
    """Return lightness and the two colour axes of `#rrggbb` (Ottosson 2020)."""
    rgb = np.frombuffer(bytes.fromhex(colour[1:]), np.uint8) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return LAB @ np.cbrt(CONES @ linear)


def hexadecimal(lightness: float, a: float, b: float) -> str:
    """Return the colour as `#rrggbb`, less saturated where the screen could not show it."""
    rgb = np.zeros(3)
    for step in range(21):
        saturation = 1 - step / 20
        rgb = np.linalg.solve(CONES, np.linalg.solve(LAB, [lightness, a * saturation, b * saturation]) ** 3)
        if np.all((rgb >= -1e-3) & (rgb <= 1 + 1e-3)):
            break
    rgb = np.clip(rgb, 0, 1)
    encoded = np.where(rgb <= 0.0031308, 12.92 * rgb, 1.055 * rgb ** (1 / 2.4) - 0.055)
    return "#" + np.rint(255 * encoded).astype(np.uint8).tobytes().hex()


@cache
def turned(colour: str) -> str:
    """Return `#rrggbb` as the dark page shows it."""
    lightness, a, b = oklab(colour)
    share = (max(lightness, PAPER[0]) - PAPER[0]) / (PAPER[1] - PAPER[0])
    return hexadecimal(DARK[0] + share * (DARK[1] - DARK[0]), a, b)


def dark(svg: str) -> str:
    """Return the drawing for a dark page."""
    parts = re.split(r"(<image\b.*?/>)", svg, flags=re.DOTALL)  # pictures hold no colour codes, but are long
    parts[::2] = [HEX.sub(lambda match: turned(match[0]), part) for part in parts[::2]]
    # What says no colour is black.
    return re.sub(r"<svg\b", f'<svg fill="{turned("#000000")}"', "".join(parts), count=1)


def visit_image(self: HTML5Translator, node: nodes.image) -> None:
    source = Path(self.builder.srcdir, node["uri"])
    name = self.builder.images.get(node["uri"])
    first = len(self.body)
    HTML5Translator.visit_image(self, node)
    if source.suffix != ".svg" or name is None or "drawn" not in node["classes"]:
        return
    drawing = source.read_text(encoding="utf8")
    target = Path(self.builder.outdir, self.builder.imagedir, name)
    target = target.with_name(f"{target.stem}.dark.svg")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(dark(drawing), encoding="utf8")
    tag = "".join(self.body[first:]).replace("<img ", f"<img {size(drawing)} ", 1)
    light = tag.replace('class="', 'class="on-light ', 1)
    other = SRC.sub(r'src="\1.dark.svg" loading="lazy"', tag.replace('class="', 'class="on-dark ', 1))
    self.body[first:] = [light + other]


def size(svg: str) -> str:
    """Return the drawing's width and height as attributes, so that its place is kept while it loads."""
    start, end = svg.index("<svg"), svg.index(">", svg.index("<svg"))
    points = dict(re.findall(r'\b(width|height)="([\d.]+)pt"', svg[start:end]))
    return " ".join(f'{side}="{round(float(points[side]) * 96 / 72)}"' for side in ("width", "height"))


def mark(app: Sphinx, doctree: nodes.document) -> None:
    """Mark the figures that cells drew; a drawing from a file may have colours of its own for both pages."""
    for node in doctree.findall(nodes.image):
        if "jupyter_execute" in node["uri"]:
            node["classes"].append("drawn")


def setup(app: Sphinx) -> None:
    app.add_node(nodes.image, override=True, html=(visit_image, HTML5Translator.depart_image))
    app.connect("doctree-read", mark)
