"""Erratum boxes, and the page that gathers them.

    ```{erratum} E1
    :source: 000
    What is said, what comes out, why it matters.
    ```

The box is titled "Erratum E1" and can be linked to as `erratum-e1`. Where ```` ```{errata} ```` stands, a copy of every
box of the book appears, in the order of their numbers, each with a link to its place. A number used twice ends the
build.
"""

import re
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.utils import new_document
from sphinx.addnodes import pending_xref
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

log = logging.getLogger(__name__)


class erratum(nodes.Admonition, nodes.Element):
    """An erratum box."""


class errata(nodes.General, nodes.Element):
    """Where the copies of all boxes go."""


class Erratum(SphinxDirective):
    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"source": directives.unchanged_required}

    def run(self):
        name = self.arguments[0]
        if not re.fullmatch(r"E\d+[a-z]?", name) or "source" not in self.options:
            raise self.error(f"an erratum is numbered E1, E2, … and names its :source:, got {name!r} {self.options}")
        box = erratum("", ids=[f"erratum-{name.lower()}"], number=name, source=self.options["source"],
                      classes=["admonition", "erratum"])
        self.set_source_info(box)
        box += nodes.title("", f"Erratum {name}")
        self.state.nested_parse(self.content, self.content_offset, box)
        label = f"erratum-{name.lower()}"
        standard = self.env.get_domain("std")
        standard.anonlabels[label] = self.env.docname, label
        standard.labels[label] = self.env.docname, label, f"Erratum {name}"
        return [box]


class Errata(SphinxDirective):
    def run(self):
        return [errata("")]


def rank(box):
    """Sort E9 before E10, and E10 before E10b."""
    digits = re.match(r"E(\d+)", box["number"])[1]
    return int(digits), box["number"]


def collect(env):
    """Return all boxes of the book with their pages, and the pages that list them."""
    boxes, lists = [], []
    for page in sorted(env.found_docs):
        doctree = env.get_doctree(page)
        boxes += [(box, page) for box in doctree.findall(erratum)]
        lists += [page for _ in doctree.findall(errata)]
    return sorted(boxes, key=lambda item: rank(item[0])), lists


def check(app, env):
    seen = {}
    app.errata_boxes, lists = collect(env)
    for box, page in app.errata_boxes:
        if box["number"] in seen:
            log.warning("erratum %s stands on %s and on %s", box["number"], seen[box["number"]], page, location=page)
        seen[box["number"]] = page
    return lists


def gather(app, doctree, page):
    """Copy the boxes, with a link to where each stands."""
    for place in list(doctree.findall(errata)):
        copies = []
        for box, origin in getattr(app, "errata_boxes", None) or collect(app.env)[0]:
            copy = box.deepcopy()
            copy["ids"] = [f"all-{copy['ids'][0]}"]
            there = app.builder.get_relative_uri(page, origin)
            for inner in copy.findall(nodes.Element):
                if inner is not copy:
                    inner["ids"], inner["names"] = [], []
                if isinstance(inner, pending_xref):
                    inner["refdoc"] = page  # links lead from this page, not from the box's own
                elif isinstance(inner, nodes.reference) and "refid" in inner:
                    inner["refuri"] = f"{there}#{inner.attributes.pop('refid')}"
            link = nodes.reference("", "", nodes.Text(app.env.titles[origin].astext()), internal=True,
                                   refuri=f"{there}#{box['ids'][0]}")
            copy += nodes.paragraph("", "", nodes.Text("Where it stands: "), link, nodes.Text("."), classes=["where"])
            holder = new_document(doctree["source"], doctree.settings)  # handlers of the event expect a document
            holder += copy
            app.env.resolve_references(holder, page, app.builder)
            copies += holder.children
        place.replace_self(copies)


def visit(self, node):
    self.body.append(self.starttag(node, "aside", CLASS="", **{"aria-label": f"Erratum {node['number']}"}))


def depart(self, node):
    self.body.append("</aside>\n")


def setup(app):
    app.add_node(erratum, html=(visit, depart))
    app.add_node(errata)
    app.add_directive("erratum", Erratum)
    app.add_directive("errata", Errata)
    app.connect("env-updated", check)
    app.connect("doctree-resolved", gather, priority=50)  # before `num` puts the digits in
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
