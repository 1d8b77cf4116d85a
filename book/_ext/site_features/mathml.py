"""Mathematics as native MathML, made at build time.

A page needs no script to show a formula, and TeX that cannot be read ends the build: each bad formula is a warning
with its page and line while pages are read (`fail_on_warnings` turns it into the end of the build), and an error if
one still reaches the writer.
"""

import re

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)

_converter = LatexToMathML(fancy_error=False)

# Sphinx numbers equations, so math-core must not: environments that would number their rows become their starred
# forms. `split` is `aligned` inside a single equation, and math-core knows it by that name only.
_ENVIRONMENTS = {name: f"{name}*" for name in ("equation", "align", "gather", "multline")} | {"split": "aligned"}

# A number of record in a formula (`\num{id}`) gets its digits only after all pages are read; any digit will do for
# the check before.
_NUMBER_OF_RECORD = re.compile(r"\\num\{[^{}]*\}")

# MyST labels an unstarred amsmath environment with a random UUID, which nobody can refer to and which differs in
# every build.
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def to_mathml(tex: str, *, display: bool) -> str:
    r"""Return `tex` as a `<math>` element.

    Rows of a displayed formula that stand outside any environment (`a \\ b`) are aligned at their `&`, as in TeX's
    `split`.
    Raises `ValueError` with math-core's reason if `tex` cannot be read.
    """
    tex = re.sub(r"\\(begin|end)\{(\w+)\}", lambda m: rf"\{m[1]}{{{_ENVIRONMENTS.get(m[2], m[2])}}}", tex.strip())
    if display and _has_bare_rows(tex):
        tex = rf"\begin{{aligned}}{tex}\end{{aligned}}"
    try:
        return _converter.convert_with_local_state(tex, displaystyle=display)
    except LatexError as error:
        raise ValueError(re.sub(r"^\d+: ", "", " ".join(str(error).split()))) from None


def _has_bare_rows(tex: str) -> bool:
    r"""Say whether `tex` has a row break `\\` outside all environments and braces."""
    depth = 0
    for token in re.findall(r"\\begin\b|\\end\b|\\\\|\\.|[{}]", tex):
        depth += {r"\begin": 1, r"\end": -1, "{": 1, "}": -1}.get(token, 0)
        if token == r"\\" and depth == 0:
            return True
    return False


def visit_math(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(self.starttag(node, "span", "", CLASS="math notranslate nohighlight"))
    self.body.append(_render(self, node, display=False) + node.get("mark", "") + "</span>")
    raise nodes.SkipNode


def visit_displaymath(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", "", CLASS="math notranslate nohighlight"))
    self.body.append(f'<div class="formula">{_render(self, node, display=True)}</div>')
    if node.get("number"):
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def _render(writer: HTML5Translator, node: nodes.Element, *, display: bool) -> str:
    try:
        return to_mathml(node.astext(), display=display)
    except ValueError as error:
        page = writer.builder.current_docname
        raise ExtensionError(f"{page}: formula not readable: {error}: {node.astext().strip()}") from None


def check_formulas(app: Sphinx, doctree: nodes.document) -> None:
    """Warn of every formula of a page that cannot be read, and take random labels off."""
    for node in list(doctree.findall(lambda n: isinstance(n, nodes.math | nodes.math_block))):
        tex = _NUMBER_OF_RECORD.sub("0", node.astext())
        try:
            to_mathml(tex, display=isinstance(node, nodes.math_block))
        except ValueError as error:
            logger.warning("formula not readable: %s: %s", error, node.astext().strip(), location=node, type="mathml")
        if isinstance(node, nodes.math_block) and _UUID.fullmatch(node.get("label") or ""):
            _remove_number(node)


def join_marks(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Move the punctuation mark behind a formula into its span, which does not wrap: no line starts with the mark."""
    for node in list(doctree.findall(nodes.math)):
        text = node.next_node(descend=False, siblings=True)
        if isinstance(text, nodes.Text) and text[:1] in (".", ",", ";", ":", "?", "!", ")"):
            node["mark"] = text[0]
            text.parent.replace(text, nodes.Text(text[1:]))


def _remove_number(node: nodes.math_block) -> None:
    target = node.parent[node.parent.index(node) - 1]
    if isinstance(target, nodes.target):
        node.parent.remove(target)
    node["label"] = node["number"] = None
    node["ids"].clear()
    node["names"].clear()


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_displaymath, None))
    app.connect("doctree-read", check_formulas)
    app.connect("doctree-resolved", join_marks)
