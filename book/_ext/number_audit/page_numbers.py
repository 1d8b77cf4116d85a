"""Find the numbers that stand typed on a page, each with what backs it, and the literals that the page puts in."""

import ast
import inspect
import operator
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from html import unescape

from bs4 import BeautifulSoup
from docutils import nodes
from IPython.core.inputtransformer2 import TransformerManager
from myst_nb.ext.glue.crossref import PendingGlueReference
from pybtex.database import parse_file
from sphinx import addnodes

from cited_numbers import source_lines
from cited_numbers.num_role import quoted
from number_audit import number_scan

CODE = {"python", "python3", "ipython", "ipython3"}
SKIPPED = (
    nodes.comment,
    nodes.system_message,
    nodes.footnote_reference,
    nodes.citation_reference,
    nodes.label,
    nodes.image,
    nodes.substitution_definition,
    nodes.math,
    nodes.math_block,
    nodes.doctest_block,
    addnodes.toctree,
    addnodes.index,
    addnodes.desc_signature,
)


BORROWERS = "exercise", "erratum"  # whose numbers the cells of other pages may back


@dataclass(frozen=True)
class Typed:
    """A number that stands typed on a page."""

    text: str
    context: str  # the text around it, as long as a phrase of audit.yml may be
    line: int
    backing: str  # "literal", "year", or "" for none; "alt" for a number in an alternative text
    values: tuple[Decimal, ...] = ()
    borrower: str = ""  # the label of the exercise or the erratum it stands in, which other cells may back


@dataclass
class AuditedPage:
    """The numbers that stand typed on a page, and the literals that its cells and code blocks put in."""

    typed: list[Typed] = field(default_factory=list)
    put_in: set[Decimal] = field(default_factory=set)


# ---- what a page puts in


def literals(code: str) -> set[Decimal]:
    """Return the numbers that stand in a cell's Python, those spelt as a small sum (`8 * 1024`, `10**6`) too."""
    return {value for node in ast.walk(tree(code)) if (value := constant(node)) is not None}


def constant(node: ast.AST) -> Decimal | None:
    """Return the value of a number, or of an expression made of numbers alone."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return Decimal(repr(node.value))
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        left, right = constant(node.left), constant(node.right)
        if left is not None and right is not None and not (isinstance(node.op, ast.Pow) and abs(right) > 99):
            try:
                return OPERATIONS[type(node.op)](left, right)
            except ArithmeticError:
                return None
    return None


OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
NAME = re.compile(r"(?!(?:[A-Za-z]+:)?\d+\.\d+[A-Za-z]*$)[\w./:#-]*[A-Za-z_][\w./:#-]*|\w+(?:,\w+=[\w.-]+)+")
READ = re.compile("alt|title|placeholder|label|summary|value|aria-(?:label|description|valuetext|roledescription)")
FORMAT = re.compile(r"%[-+#0]*\d*(?:\.\d+)?[a-zA-Z]|\{[^{}\s]*\}|^[<>=^+ ]*\d*[,_]?(?:(?:\.\d+)?[eEfFgGns]|[bcdoxX])$")


def strings(code: str) -> list[str]:
    """Return the texts and comments in a cell's Python; no names, formats or styles."""
    root = tree(code)
    ignored = set()
    for node in ast.walk(root):
        if isinstance(node, ast.FormattedValue) and node.format_spec:
            ignored.update(ast.walk(node.format_spec))
        elif isinstance(node, ast.keyword) and re.search("color$|style$|^c$", node.arg or ""):
            ignored.update(ast.walk(node.value))
    texts = [
        node.value.strip()
        for node in ast.walk(root)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in ignored
    ]
    texts = [FORMAT.sub(number_scan.HOLE, text) for text in texts if not NAME.fullmatch(text)]
    return texts + re.findall(r"(?m)(?:^|\s)#.*$", code)


def tree(code: str) -> ast.AST:
    for read in str, TransformerManager().transform_cell:  # in plain Python first: to look for magics takes longer
        with suppress(SyntaxError):
            return ast.parse(read(code))
    return ast.Module([], [])


def code_of(doctree) -> Iterator[tuple[nodes.Element, str]]:
    """Yield the cells of a page and its Python blocks that are not run, each with its code."""
    for block in doctree.findall(lambda node: isinstance(node, nodes.literal_block | nodes.doctest_block)):
        if isinstance(block, nodes.doctest_block):  # without what the example prints
            yield block, re.sub(r"(?m)^(?:>>>|\.\.\.) ?|^(?!>>>|\.\.\.).*$", "", block.astext())
        elif inside(block, "cell_code_source") or (block.get("language") in CODE and not inside(block, "cell_code")):
            yield block, block.astext()


def documented(doctree) -> list[str]:
    """Return the source of the modules whose functions a reference page documents."""
    found = {}
    for node in doctree.findall(addnodes.desc_signature):
        thing = getattr(sys.modules.get(node.get("module", "")), node.get("fullname", ""), None)
        module = inspect.getmodule(thing)
        if module is not None:
            found[module.__name__] = inspect.getsource(module)
    return list(found.values())


def around(node) -> Iterator[nodes.Element]:
    return (one for one in source_lines.ancestors(node) if isinstance(one, nodes.Element))


def inside(node, element: str) -> bool:
    return any(one.get("nb_element") == element for one in around(node))


class Works:
    """The works of the bibliography, as far as a year in a text can name one."""

    def __init__(self, doctree, bibliography: list[str]):
        entries = {key: entry for path in bibliography for key, entry in works(path).items()}
        cited = {
            key.strip()
            for node in doctree.findall(addnodes.pending_xref)
            if node["refdomain"] == "cite"
            for key in node["reftarget"].split(",")
        }
        self.years = {entries[key].fields.get("year") for key in cited & entries.keys()}
        self.authors = {
            name.strip("{}")
            for entry in entries.values()
            for person in entry.persons.get("author", [])
            for name in person.last_names
        }

    def named(self, year: str, before: str) -> bool:
        """Tell whether a year is that of a work cited on the page, or follows an author's name ("Peng et al. 2023")."""
        if not re.fullmatch(r"(?:19|20)\d\d", year):
            return False
        author = re.search(r"([\w’'-]+)(?: et al\.)?,? \(?$", before)
        return year in self.years or (author is not None and author[1].replace("’", "'") in self.authors)


@cache
def works(path: str) -> dict:
    return parse_file(path, bib_format="bibtex").entries


# ---- what stands on a page


def text_of(node) -> str:
    """Return the text of a block as a reader meets it, with a hole where something is no text to audit."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.raw):
        return text_of_html(node.astext()) if node.get("format") == "html" else ""
    if isinstance(node, addnodes.pending_xref) and not node.get("refexplicit"):
        return number_scan.HOLE
    if (
        isinstance(node, nodes.reference)
        and node.astext() in node.get("refuri", "")
        and not re.fullmatch(r"[\d.,\s]*", node.astext())
    ):
        return number_scan.HOLE  # a bare address
    if isinstance(node, (quoted, *SKIPPED)):
        return number_scan.HOLE
    inner = "".join(map(text_of, node.children))
    if isinstance(node, nodes.superscript):
        return f"^{inner}"
    return f" {inner}" if isinstance(node, nodes.subscript) else inner


def text_of_html(html: str) -> str:
    html = re.sub(r"<!--.*?-->", "", html, flags=re.DOTALL)
    html = re.sub(r"<(script|style)\b.*?</\1>", number_scan.HOLE, html, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"<sup\b[^>]*>", "^", html)))


def alternatives(doctree):
    """Yield the alternative texts of a page with their nodes."""
    for node in doctree.findall(nodes.Element):
        for name in "alt", "reftitle", "title", "explanation":
            if isinstance(text := node.get(name), str):
                yield node, text
    for raw in doctree.findall(nodes.raw):
        for tag in BeautifulSoup(raw.astext(), "html.parser").find_all(True):
            for name, text in tag.attrs.items():
                if READ.fullmatch(name):
                    yield raw, str(text)


def blocks(node):
    """Yield the blocks of text below a node; of what cells print, only captions, for the rest is computed."""
    for child in node.children:
        if isinstance(child, SKIPPED) or (isinstance(child, nodes.literal_block) and child.get("language") in CODE):
            continue
        if isinstance(child, nodes.container) and child.get("nb_element") == "cell_code":
            yield from child.findall(nodes.caption)
        elif isinstance(child, nodes.TextElement | nodes.raw):
            yield child
        else:
            yield from blocks(child)


def texts(doctree) -> Iterator[tuple[nodes.Node, str, Iterator[number_scan.Found]]]:
    """Yield the texts of a page, each with its node and the numbers in it."""
    for block in blocks(doctree):
        text = number_scan.plain(text_of(block))
        yield block, text, number_scan.in_text(text)
    for listed in doctree.findall(nodes.enumerated_list):
        if not inside(listed, "cell_code_output"):
            start = str(listed.get("start", 1))
            yield listed, f"{start}. {listed.astext()}", number_scan.in_text(start)
    for formula in doctree.findall(lambda node: isinstance(node, nodes.math | nodes.math_block)):
        if isinstance(formula.parent, nodes.caption) or not inside(formula, "cell_code_output"):
            yield formula, formula.astext(), number_scan.in_formula(formula.astext())
    for node in doctree.findall(nodes.meta):
        text = node.get("content", "")
        yield node, text, number_scan.in_text(text)
    for block, code in code_of(doctree):
        for text in strings(code):
            yield block, text, number_scan.in_text(text)


def read_page(doctree, source: list[str], bibliography: list[str]) -> AuditedPage:
    """Return the numbers that stand typed on a page, each with what backs it, and the literals of the page."""
    code = [*(code for _, code in code_of(doctree)), *documented(doctree)]
    put_in = set().union(*map(literals, code))
    cited = Works(doctree, bibliography)

    def backing_of(number: number_scan.Found, before: str) -> str:
        is_of_parts = number.parts and all(part in put_in for part in number.parts if part >= 100)
        if is_of_parts or put_in.intersection(number.values):
            return "literal"
        return "year" if cited.named(number.text, before) else ""

    def typed(number: number_scan.Found, text: str, node: nodes.Node, backing: str) -> Typed:
        context = text[max(0, number.start - 60) : number.start + len(number.text) + 60]
        anchor = number.text if number.text in text else text.strip().splitlines()[0]
        line = source_lines.line_of(node, anchor, source)
        label = next((one.get("label", "") for one in around(node) if type(one).__name__.startswith(BORROWERS)), "")
        return Typed(number.text, context, line, backing, number.values, label)

    found = [
        typed(number, text, node, backing_of(number, text[: number.start]))
        for node, text, numbers in texts(doctree)
        for number in numbers
    ]
    for node, text in alternatives(doctree):
        found += [typed(number, text, node, "alt") for number in number_scan.in_text(text)]
    for node in doctree.findall(PendingGlueReference):
        line = source_lines.line_of(node, node.key, source)
        found.append(Typed(node.astext() or node.key, "a glued number", line, ""))
    return AuditedPage(found, put_in)
