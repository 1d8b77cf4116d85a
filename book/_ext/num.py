r"""Quote a number of record: `` {num}`id` `` in prose, tables and captions, `\num{id}` inside formulas.

`` {num}`id` `` prints the number's shown form, `` {num}`id:.2f` `` another format of the same value. In a formula the
digits stand alone. A quoted number that no cell publishes ends the build.
"""

import re
import sys
from pathlib import Path

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

import published

sys.path.insert(0, str(Path(__file__).parents[1]))
from record import entries, shown

log = logging.getLogger(__name__)
IN_FORMULA = re.compile(r"\\num\{([^{}:]+)(?::([^{}]+))?\}")
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class quoted(nodes.Inline, nodes.TextElement):
    """A number of record in running text, until its value is known."""


def power(bound: float) -> tuple[str, int]:
    """Return the factor (as text) and the exponent of ten of a bound."""
    factor, exponent = f"{bound:.0e}".split("e")
    return factor, int(exponent)


def plain_text(number: dict, spec: str | None) -> str:
    """Return the number as prose shows it."""
    if "below" in number:
        factor, exponent = power(number["below"])
        return ("" if factor == "1" else f"{factor} · ") + "10" + str(exponent).translate(SUPERSCRIPT)
    return shown(number["value"], spec or entries()[number["id"]]["shown"]).replace("-", "−")


def tex(number: dict, spec: str | None) -> str:
    """Return the number as a formula shows it."""
    if "below" in number:
        factor, exponent = power(number["below"])
        return ("" if factor == "1" else rf"{factor}\cdot ") + f"10^{{{exponent}}}"
    text = shown(number["value"], spec or entries()[number["id"]]["shown"])
    mantissa, _, exponent = text.partition("e")
    return (mantissa + rf"\cdot 10^{{{int(exponent)}}}" if exponent else mantissa).replace(",", "{,}")


class NumRole(SphinxRole):
    """`` {num}`id` `` or `` {num}`id:format` ``."""

    def run(self):
        name, _, spec = self.text.partition(":")
        node = quoted("", number=name, spec=spec or None)
        self.set_source_info(node)
        return [node], []


def replace(app, doctree, page):
    """Put the digits in their places, once all pages are read."""
    known = published.numbers(app.env)

    def find(name, node):
        if name in known:
            return known[name]
        log.warning("num: no cell publishes the number %r", name, location=node)
        return None

    for node in list(doctree.findall(quoted)):
        number = find(node["number"], node)
        text = plain_text(number, node["spec"]) if number else node["number"]
        node.replace_self(nodes.inline("", text, classes=["num"]))
    for node in doctree.findall(lambda n: isinstance(n, nodes.math | nodes.math_block)):
        def digits(match, node=node):
            number = find(match[1], node)
            return tex(number, match[2]) if number else match[1]

        source = node.astext()
        if r"\num{" in source:
            node.children = [nodes.Text(IN_FORMULA.sub(digits, source))]


def setup(app):
    app.add_node(quoted)
    app.add_role("num", NumRole())
    app.connect("doctree-resolved", replace, priority=100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
