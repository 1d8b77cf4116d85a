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
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from number_audit import state as audit

log = logging.getLogger(__name__)
NUMBER = re.compile(r"E(\d+)[a-z]?")


class erratum(nodes.Admonition, nodes.Element):
    """An entry of the errata."""


class erratum_mark(nodes.Inline, nodes.TextElement):
    """A place in a chapter that an entry belongs to."""


class Erratum(SphinxDirective):
    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"source": directives.unchanged_required}

    def run(self):
        name = self.arguments[0]
        if not NUMBER.fullmatch(name) or "source" not in self.options:
            raise self.error(f"an erratum is numbered E1, E2, … and names its :source:, got {name!r} {self.options}")
        label = f"erratum-{name.lower()}"
        box = erratum(
            "", ids=[label], label=label, number=name, source=self.options["source"], classes=["admonition", "erratum"]
        )
        self.set_source_info(box)
        box += nodes.title("", f"Erratum {name}")
        self.state.nested_parse(self.content, self.content_offset, box)
        self.env.get_domain("std").note_hyperlink_target(label, self.env.docname, label, f"Erratum {name}")
        return [box]


class Mark(SphinxRole):
    def run(self):
        if not NUMBER.fullmatch(self.text):
            raise ValueError(f"an erratum is named E1, E2, …, got {self.text!r}")
        mark = erratum_mark("", number=self.text, ids=[f"see-{self.text.lower()}-{self.env.new_serialno('erratum')}"])
        self.set_source_info(mark)
        return [mark], []


def collect(env):
    """Return the entries by number, as lists of (entry, page), and the marks likewise."""
    entries, marks = {}, {}
    for page in sorted(env.found_docs):
        doctree = env.get_doctree(page)
        for kind, found in (erratum, entries), (erratum_mark, marks):
            for node in doctree.findall(kind):
                found.setdefault(node["number"], []).append((node, page))
    return entries, marks


def check(app, env):
    entries, marks = app.errata = collect(env)
    for number, places in entries.items():
        if len(places) > 1:
            pages = " and on ".join(page for _, page in places)
            said = "erratum %s stands on %s; give one of them another number"
            log.warning(said, number, pages, location=places[1][0])
        if number not in marks:
            said = "no page has the mark {erratum}`%s`, so nothing leads to the entry"
            log.warning(said, number, location=places[0][0])
    for number, places in marks.items():
        if number not in entries:
            log.warning("{erratum}`%s` has no entry on the page of the errata", number, location=places[0][0])
    # An entry may name what the cells beside its marks put in.
    marked = {f"erratum-{number.lower()}": {page for _, page in places} for number, places in marks.items()}
    audit.state(env).lenders = marked


def link(app, doctree, page):
    """Set the link of each mark, and let each entry list its marks."""
    entries, marks = getattr(app, "errata", None) or collect(app.env)
    for mark in list(doctree.findall(erratum_mark)):
        for _, there in entries.get(mark["number"], [])[:1]:
            words = f"Erratum {mark['number']}: a source says otherwise"
            uri = f"{app.builder.get_relative_uri(page, there)}#erratum-{mark['number'].lower()}"
            mark += nodes.reference("", mark["number"], internal=True, refuri=uri, reftitle=words)
    for entry in doctree.findall(erratum):
        where = nodes.paragraph("", "", nodes.Text("In the book: "), classes=["where"])
        for place, (mark, there) in enumerate(marks.get(entry["number"], [])):
            if place:
                where += nodes.Text(", ")
            uri = f"{app.builder.get_relative_uri(page, there)}#{mark['ids'][0]}"
            where += nodes.reference("", app.env.titles[there].astext(), internal=True, refuri=uri)
        where += nodes.Text(".")
        entry += where


def visit(self, node):
    self.body.append(self.starttag(node, "aside", CLASS="", **{"aria-label": f"Erratum {node['number']}"}))


def depart(self, node):
    self.body.append("</aside>\n")


def visit_mark(self, node):
    self.body.append(self.starttag(node, "span", "", CLASS="erratum-mark"))


def depart_mark(self, node):
    self.body.append("</span>")


def setup(app):
    app.add_node(erratum, html=(visit, depart))
    app.add_node(erratum_mark, html=(visit_mark, depart_mark))
    app.add_directive("erratum", Erratum)
    app.add_role("erratum", Mark())
    app.connect("env-updated", check)
    app.connect("doctree-resolved", link, priority=50)  # before `num` puts the digits in
    return {"version": "2", "parallel_read_safe": True, "parallel_write_safe": True}
