"""The errata of the sources: entries on their page, and discreet marks in the chapters, with links both ways.

    ```{erratum} E1
    :source: 000
    What is said, what comes out, why it matters.
    ```

makes the entry "Erratum E1", which can be linked to as `erratum-e1`. Where a chapter says what is true, the role
{erratum}`E1` at the end of the paragraph sets a small mark that leads to the entry, and the entry lists its marks. A
number that two entries have, a mark without an entry and an entry without a mark each end a strict build.
"""

import re
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.writers.html5 import HTML5Translator

from drift_guard.kept import Kept
from number_audit import audit

log = logging.getLogger(__name__)
NUMBER = re.compile(r"E(\d+)[a-z]?")


class Place(NamedTuple):
    """Where an entry or a mark stands."""

    number: str
    id: str
    page: str
    location: tuple[str, int | None]  # page and line


@dataclass
class Errata(Kept):
    """The entries and marks of all pages, by page."""

    entries: dict[str, list[Place]] = field(default_factory=dict)
    marks: dict[str, list[Place]] = field(default_factory=dict)


def by_number(places: dict[str, list[Place]]) -> dict[str, list[Place]]:
    found: dict[str, list[Place]] = {}
    for page in sorted(places):
        for place in places[page]:
            found.setdefault(place.number, []).append(place)
    return found


# ---- when a page is read


class erratum(nodes.Admonition, nodes.Element):
    """An entry of the errata."""


class erratum_mark(nodes.Inline, nodes.TextElement):
    """A place in a chapter that an entry belongs to."""


class Erratum(SphinxDirective):
    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"source": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if not NUMBER.fullmatch(name) or "source" not in self.options:
            raise self.error(f"an erratum is numbered E1, E2, … and names its :source:, got {name!r} {self.options}")
        label = f"erratum-{name.lower()}"
        box = erratum("", ids=[label], label=label, number=name, classes=["admonition", "erratum"], **self.options)
        self.set_source_info(box)
        box += nodes.title("", f"Erratum {name}")
        self.state.nested_parse(self.content, self.content_offset, box)
        self.env.domains["std"].note_hyperlink_target(label, self.env.docname, label, f"Erratum {name}")
        return [box]


class Mark(SphinxRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        if not NUMBER.fullmatch(self.text):
            raise ValueError(f"an erratum is named E1, E2, …, got {self.text!r}")
        name = f"see-{self.text.lower()}-{self.env.new_serialno('erratum')}"
        mark = erratum_mark("", number=self.text, ids=[name], classes=["erratum-mark"])
        self.set_source_info(mark)
        return [mark], []


def note_places(app: Sphinx, doctree: nodes.document) -> None:
    page, state = app.env.docname, Errata.of(app.env)
    for kind, places in (erratum, state.entries), (erratum_mark, state.marks):
        found = [Place(node["number"], node["ids"][0], page, (page, node.line)) for node in doctree.findall(kind)]
        if found:
            places[page] = found


# ---- when all pages are read


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of what has no counterpart, and let an entry name what the cells beside its marks put in."""
    entries, marks = by_number(Errata.of(env).entries), by_number(Errata.of(env).marks)
    for number, places in entries.items():
        if len(places) > 1:
            pages = " and on ".join(place.page for place in places)
            said = "erratum %s stands on %s; give one of them another number"
            log.warning(said, number, pages, location=places[1].location)
        if number not in marks:
            said = "no page has the mark {erratum}`%s`, so nothing leads to the entry"
            log.warning(said, number, location=places[0].location)
    for number, places in marks.items():
        if number not in entries:
            log.warning("{erratum}`%s` has no entry on the page of the errata", number, location=places[0].location)
    lenders = {f"erratum-{number.lower()}": {place.page for place in places} for number, places in marks.items()}
    audit.State.of(env).lenders = lenders


# ---- when a page is written


def link(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Set the link of each mark, and let each entry list its marks."""
    entries, marks = by_number(Errata.of(app.env).entries), by_number(Errata.of(app.env).marks)
    for mark in list(doctree.findall(erratum_mark)):
        for entry in entries.get(mark["number"], [])[:1]:
            words = f"Erratum {entry.number}: a source says otherwise"
            uri = f"{app.builder.get_relative_uri(page, entry.page)}#{entry.id}"
            mark += nodes.reference("", entry.number, internal=True, refuri=uri, reftitle=words)
    for box in doctree.findall(erratum):
        where = nodes.paragraph("", "", nodes.Text("In the book: "), classes=["where"])
        for count, mark in enumerate(marks.get(box["number"], [])):
            if count:
                where += nodes.Text(", ")
            uri = f"{app.builder.get_relative_uri(page, mark.page)}#{mark.id}"
            where += nodes.reference("", app.env.titles[mark.page].astext(), internal=True, refuri=uri)
        where += nodes.Text(".")
        box += where


def visit(self: HTML5Translator, node: erratum) -> None:
    attributes: dict[str, Any] = {"class": "", "aria-label": f"Erratum {node['number']}"}
    self.body.append(self.starttag(node, "aside", **attributes))


def depart(self: HTML5Translator, node: erratum) -> None:
    self.body.append("</aside>\n")


def setup(app: Sphinx) -> None:
    app.add_node(erratum, html=(visit, depart))
    app.add_node(erratum_mark, html=(HTML5Translator.visit_inline, HTML5Translator.depart_inline))
    app.add_directive("erratum", Erratum)
    app.add_role("erratum", Mark())
    app.connect("doctree-read", note_places)
    app.connect("env-purge-doc", Errata.forget_page)
    app.connect("env-updated", check)
    app.connect("doctree-resolved", link, priority=50)  # before `num` puts the digits in
