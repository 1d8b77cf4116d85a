"""The audit: no number that a cell computes is typed by hand.

Every decimal and every number of three or more digits in prose, headings, tables, captions and formulas must be

- quoted from the record (`{num}`, `\\num`),
- or a literal of the page's own cells or Python code blocks (base 10000, T = 64), that is, what the page puts in; what
  an exercise asks for is put in by the cells of its solution, and what an erratum names by those of the pages that
  bear its mark,
- or the year of a work that the page cites,
- or inside a phrase of audit.yml, a short list with a reason for each.

Matching typed numbers with computed ones by value is no rule: a wrong number of two decimals meets a right one by
accident too often. The same holds for text that cells print or draw: what stands in their strings is typed. An
alternative text has no such number at all, for nobody can quote one there.

What the rules do not cover ends the build before a page is written, in one list by page and line. What counts as a
number stands in `number_scan`.
"""

import ast
import inspect
import operator
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from html import unescape
from pathlib import Path
from typing import NamedTuple

import yaml
from docutils import nodes
from IPython.core.inputtransformer2 import TransformerManager
from myst_nb.ext.glue.crossref import PendingGlueReference
from pybtex.database import parse_file
from sphinx import addnodes
from sphinx.environment.collectors import EnvironmentCollector
from sphinx.errors import SphinxError
from sphinx.util import logging

from cited_numbers import num_role, source_lines
from drift_guard import published
from number_audit import number_scan

log = logging.getLogger(__name__)
EXCEPTIONS = Path(__file__).parents[2] / "audit.yml"
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


class NotBacked(SphinxError):
    category = "The audit of typed numbers"


class Typed(NamedTuple):
    """A number that stands typed on a page."""

    text: str
    context: str  # the text around it, as long as a phrase of audit.yml may be
    line: int
    backing: str  # "literal", "year", or "" for none; "alt" for a number in an alternative text
    values: tuple[Decimal, ...] = ()
    borrower: str = ""  # the label of the exercise or the erratum it stands in, which other cells may back


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


def is_cell(node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def code_of(doctree) -> tuple[list[str], list[str]]:
    """Return the code of a page's cells, and that of its Python blocks that are not run."""
    cells, blocks = [], []
    for block in doctree.findall(nodes.literal_block):
        if inside(block, "cell_code_source"):
            cells.append(block.astext())
        elif block.get("language") in CODE and not inside(block, "cell_code"):
            blocks.append(block.astext())
    blocks += [
        re.sub(r"(?m)^(?:>>>|\.\.\.) ?|^(?!>>>|\.\.\.).*$", "", block.astext())
        for block in doctree.findall(nodes.doctest_block)
    ]
    return cells, blocks


def documented(doctree) -> list[str]:
    """Return the source of the modules whose functions a reference page documents."""
    found = {}
    for node in doctree.findall(addnodes.desc_signature):
        thing = getattr(sys.modules.get(node.get("module", "")), node.get("fullname", ""), None)
        module = inspect.getmodule(thing)
        if module is not None:
            found[module.__name__] = inspect.getsource(module)
    return list(found.values())


def inside(node, element: str) -> bool:
    while node is not None:
        if isinstance(node, nodes.Element) and node.get("nb_element") == element:
            return True
        node = node.parent
    return False


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


def works(path: str, known={}) -> dict:  # noqa: B006  read once
    if path not in known:
        known[path] = parse_file(path, bib_format="bibtex").entries
    return known[path]


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
    if isinstance(node, (num_role.quoted, *SKIPPED)):
        return number_scan.HOLE
    inner = "".join(map(text_of, node.children))
    if isinstance(node, nodes.superscript):
        return f"^{inner}"
    return f" {inner}" if isinstance(node, nodes.subscript) else inner


def borrower_of(node) -> str:
    """Return the label of the exercise or the erratum that a node stands in."""
    while node is not None and not type(node).__name__.startswith(("exercise", "erratum")):
        node = node.parent
    return node.get("label", "") if node is not None else ""


def text_of_html(html: str) -> str:
    html = re.sub(r"<!--.*?-->", "", html, flags=re.DOTALL)
    html = re.sub(r"<(script|style)\b.*?</\1>", number_scan.HOLE, html, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"<sup\b[^>]*>", "^", html)))


def alternatives(doctree):
    """Yield the alternative texts of a page with their nodes."""
    for image in doctree.findall(nodes.image):
        if image.get("alt"):
            yield image, image["alt"]
    for node in doctree.findall(lambda node: isinstance(node, nodes.reference | nodes.abbreviation)):
        if hover := node.get("reftitle") or node.get("explanation"):
            yield node, hover
    for raw in doctree.findall(nodes.raw):
        for match in re.finditer(r"""\b(?:alt|aria-label|title)\s*=\s*(?:"([^"]*)"|'([^']*)')""", raw.astext()):
            yield raw, match[1] or match[2] or ""


def blocks(node):
    """Yield the blocks of text below a node; of what cells print, only captions, for the rest is computed."""
    for child in node.children:
        if isinstance(child, SKIPPED) or (isinstance(child, nodes.literal_block) and child.get("language") in CODE):
            continue
        if is_cell(child):
            yield from child.findall(nodes.caption)
        elif isinstance(child, nodes.TextElement | nodes.raw):
            yield child
        else:
            yield from blocks(child)


def typed(doctree, source: list[str], bibliography: list[str]) -> tuple[list[Typed], set[Decimal]]:
    """Return the numbers that stand typed on a page, each with what backs it, and the literals of the page."""
    cells, others = code_of(doctree)
    put_in = {value for code in [*cells, *others, *documented(doctree)] for value in literals(code)}
    cited = Works(doctree, bibliography)
    found: list[Typed] = []

    def add(number: number_scan.Found, text: str, node, alternative=False, anchor=""):
        if alternative:
            backing = "alt"
        elif put_in.intersection(number.values) or (
            number.parts and all(part in put_in for part in number.parts if part >= 100)
        ):
            backing = "literal"
        elif cited.named(number.text, text[: number.start]):
            backing = "year"
        else:
            backing = ""
        context = text[max(0, number.start - 60) : number.start + len(number.text) + 60]
        found.append(
            Typed(
                number.text,
                context,
                source_lines.line_of(node, anchor or number.text, source),
                backing,
                number.values,
                borrower_of(node),
            )
        )

    for block in blocks(doctree):
        text = number_scan.plain(text_of(block))
        for number in number_scan.in_text(text):
            add(number, text, block)
    for listed in doctree.findall(nodes.enumerated_list):
        start = str(listed.get("start", 1))
        if not inside(listed, "cell_code_output"):
            for number in number_scan.in_text(start):
                add(number, f"{start}. {listed.astext()}", listed)
    for formula in doctree.findall(lambda node: isinstance(node, nodes.math | nodes.math_block)):
        if isinstance(formula.parent, nodes.caption) or not inside(formula, "cell_code_output"):
            tex = formula.astext()
            for number in number_scan.in_formula(tex):
                add(number, tex, formula, anchor=number.text if number.text in tex else tex.strip().splitlines()[0])
    for node in doctree.findall(nodes.meta):
        for number in number_scan.in_text(node.get("content", "")):
            add(number, node["content"], node)
    for node, text in alternatives(doctree):
        for number in number_scan.in_text(text):
            add(number, text, node, alternative=True)
    for block in doctree.findall(nodes.literal_block):
        if inside(block, "cell_code_source") or (block.get("language") in CODE and not inside(block, "cell_code")):
            for text in strings(block.astext()):
                for number in number_scan.in_text(text):
                    add(number, text, block)
    for node in doctree.findall(PendingGlueReference):
        found.append(
            Typed(node.astext() or node.key, "a glued number", source_lines.line_of(node, node.key, source), "")
        )
    return found, put_in


# ---- the build


class Audit(EnvironmentCollector):
    def clear_doc(self, app, env, docname):
        audited(env).pop(docname, None)

    def merge_other(self, app, env, docnames, other):
        audited(env).update({page: audited(other)[page] for page in docnames if page in audited(other)})

    def process_doc(self, app, doctree):
        page = app.env.docname
        bibliography = [str(Path(app.srcdir, name)) for name in app.config.bibtex_bibfiles]
        audited(app.env)[page] = typed(doctree, source_lines.source_of(app.env, page), bibliography)


def audited(env) -> dict[str, tuple[list[Typed], set[Decimal]]]:
    if not hasattr(env, "audited_pages"):
        env.audited_pages = {}
    return env.audited_pages


def exceptions(path: Path = EXCEPTIONS) -> dict[str, str]:
    """Return the phrases whose numbers need no backing, with the reasons."""
    listed = yaml.safe_load(path.read_text(encoding="utf8")) or {}
    for phrase, reason in listed.items():
        if not isinstance(phrase, str) or not isinstance(reason, str) or not any(number_scan.in_text(phrase)):
            raise NotBacked(f"{path.name}: expected `phrase with a number: reason`, got {phrase!r}: {reason!r}")
    return listed


def in_meanings(env) -> Iterator[tuple[str, number_scan.Found]]:
    """Yield the typed numbers in the meanings of numbers.yml that no literal backs on the page of the number."""
    for name, number in published.numbers(env).items():
        put_in = audited(env)[number["page"]][1]
        for one in number_scan.in_text(num_role.entries()[name]["meaning"]):
            if not put_in.intersection(one.values):
                yield name, one


def shorten(context: str) -> str:
    return " ".join(context.replace(number_scan.HOLE, "□").split())


def lent_literals(app, env) -> dict[str, set[Decimal]]:
    """Return by label what the cells of other pages put in: of an exercise its solution, of an erratum its marks."""
    lent = {}
    for entry in getattr(env, "sphinx_exercise_registry", {}).values():
        if "target_label" in entry["node"]:
            lent[entry["node"]["target_label"]] = audited(env)[entry["docname"]][1]
    _, marks = getattr(app, "errata", ({}, {}))
    for number, places_of_marks in marks.items():
        pages = {page for _, page in places_of_marks}
        lent[f"erratum-{number.lower()}"] = set().union(*(audited(env)[page][1] for page in pages))
    return lent


def check(app, env):
    phrases = exceptions()
    put_in = lent_literals(app, env)
    counts, faults, used = Counter(), [], set()
    for page, (found, _) in sorted(audited(env).items()):
        for one in sorted(found, key=lambda one: one.line):
            excepted = [phrase for phrase in phrases if one.text in phrase and phrase in one.context]
            if not one.backing:
                used.update(excepted)
            if one.backing == "alt":
                faults.append(f"{page}:{one.line}: {one.text} in an alternative text: say it without a number")
            elif one.backing or put_in.get(one.borrower, set()).intersection(one.values):
                counts[one.backing or "literal"] += 1
            elif excepted:
                counts["excepted"] += 1
            else:
                faults.append(f"{page}:{one.line}: {one.text} is typed: …{shorten(one.context)}…")
    for name, one in in_meanings(env):
        meaning = num_role.entries()[name]["meaning"]
        excepted = [phrase for phrase in phrases if one.text in phrase and phrase in meaning]
        used.update(excepted)
        if not excepted:
            faults.append(f"book/numbers.yml: {name}: {one.text} is typed in the meaning")
    faults += [f"audit.yml: {phrase!r} excepts nothing any more: take it out" for phrase in phrases.keys() - used]
    quoted = sum(map(len, num_role.quotes(env).values()))
    total = quoted + counts.total() + len(faults)
    log.info(
        "audit: %d numbers on %d pages, of which %d quoted from the record, %d literals of the page's cells, "
        "%d years of cited works, %d excepted: %.4g %% backed",
        total,
        len(audited(env)),
        quoted,
        counts["literal"],
        counts["year"],
        counts["excepted"],
        100 * (1 - len(faults) / total) if total else 100,
    )
    if faults:
        raise NotBacked(
            "\n  ".join(
                [
                    f"{len(faults)} number(s) without backing. Quote them ({{num}}`id`, \\num{{id}}), or let a cell of"
                    " the page put them in; a name or date goes into book/audit.yml with a reason.",
                    *faults,
                ]
            )
        )
    return []


def setup(app):
    app.setup_extension("sphinxcontrib.bibtex")
    app.add_env_collector(Audit)
    app.connect("env-updated", check, priority=700)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
