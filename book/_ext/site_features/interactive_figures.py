"""Put an interactive figure on a page, in front of the static one that stands there without scripts and on paper::

    ```{interactive} explorer
    ```

    ```{code-cell} python
    … draws the static figure
    ```

The argument names the figure: `explorer` (book/interactive/explorer.html and .js), `lab` and so on. A page has each at
most once. The name is also the figure's id, so `[the lab](#lab)` and `page.html#lab` lead to it, and its states have
addresses: ``{state}`two tokens in step <lab:k=31,delta=5>` `` leads to one, in which what the role leaves out has its
starting value.

The cell that follows stays an ordinary one of the page, with number, caption, alternative text and record. With scripts
on, it is folded away under the interactive figure; with scripts off and in print it is all there is. Any other element
in its place is a warning.

A figure whose values the browser should not compute finds them in its page: a cell stores them with
`store_data("emblem", …)` (book/record.py), and the figure reads the JSON that stands in its element. The scripts are
deferred classic scripts, which work from a file:// address, and are loaded only where a figure is.
"""

import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import ReferenceRole, SphinxDirective

from drift_guard import cell_outputs

SOURCES = Path(__file__).parents[2] / "interactive"
FIGURES = tuple(sorted(path.stem for path in SOURCES.glob("*.html")))
SHARED = ("maths.js", "figure.js")  # in this order, before a figure's own script
STYLE = "interactive.css"

log = logging.getLogger(__name__)


class interactive(nodes.General, nodes.Element):
    """An interactive figure; its children are the static figure."""


def opening(name: str, data: object = None) -> str:
    """The HTML in front of the static figure, with the data that the figure draws, if a cell stored some."""
    markup = (SOURCES / f"{name}.html").read_text(encoding="utf8")
    if data is not None:  # in the page itself, because a page opened from a file may not fetch another file
        text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
        markup += f'<script type="application/json">{text}</script>\n'
    return (
        f'<div class="interactive" id="{name}" data-interactive="{name}">\n'
        f'<div class="interactive-live" hidden>\n{markup}</div>\n'
        '<details class="interactive-still" open><summary>The same as a static figure</summary>\n'
    )


CLOSING = "</details>\n</div>\n"


def scripts(name: str) -> tuple[str, ...]:
    """The scripts of a figure, in the order in which they must run."""
    return (*SHARED, f"{name}.js")


class Interactive(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in FIGURES:
            raise self.error(f"there is no interactive figure {name!r}; there are {', '.join(FIGURES)}")
        for path in (SOURCES / f"{name}.html", Path(__file__)):
            self.env.note_dependency(str(path))
        node = interactive(figure=name, names=[name])
        self.set_source_info(node)
        self.state.document.note_explicit_target(node)
        return [node]


class State(ReferenceRole):
    """A link to a state of an interactive figure on the same page."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        name, colon, assignments = self.target.partition(":")
        if name not in FIGURES or not re.fullmatch(r"[A-Za-z]+=-?\d+(,[A-Za-z]+=-?\d+)*", assignments):
            wanted = f"a state is written <figure:key=number,...> with a figure of {', '.join(FIGURES)}"
            message = self.inliner.reporter.error(f"{wanted}; got {self.target!r}", line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        return [nodes.reference(self.rawtext, self.title, refuri=f"#{name}{colon}{assignments}", internal=True)], []


class TakeStaticFigure(SphinxTransform):
    """Move the cell that follows an interactive figure into it."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        for node in list(self.document.findall(interactive)):
            cell = node.next_node(descend=False, siblings=True)
            is_cell = isinstance(cell, nodes.Element) and cell.get("nb_element") == "cell_code"
            if cell is None or not is_cell or not any(cell.findall(nodes.image)):
                log.warning(
                    "the interactive figure %r is followed by no cell that draws its static figure",
                    node["figure"],
                    location=node,
                    type="interactive",
                )
                continue
            cell.parent.remove(cell)
            node += cell


def visit_html(translator: Any, node: interactive) -> None:
    name, pages = node["figure"], cell_outputs.State.of(translator.builder.env).pages
    stored = [made.data[name] for made in pages.values() if name in made.data]
    translator.body.append(opening(name, stored[0] if stored else None))


def depart_html(translator: Any, node: interactive) -> None:
    translator.body.append(CLOSING)


def add_assets(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Load a page's figures on this page and no other."""
    figures = [node["figure"] for node in doctree.findall(interactive)] if doctree else []
    if not figures:
        return
    app.add_css_file(f"interactive/{STYLE}")
    for script in dict.fromkeys(script for name in figures for script in scripts(name)):
        app.add_js_file(f"interactive/{script}", loading_method="defer")


def published(path: Path) -> str:
    """Return a script or style as readers load it: without indentation and without its comments.

    Comments are blocks that begin a line, and what follows two blanks and two slashes at a line's end.
    """
    text = re.sub(r"^[ \t]*/\*.*?\*/[ \t]*\n", "", path.read_text(encoding="utf8"), flags=re.DOTALL | re.MULTILINE)
    if path.suffix == ".js":
        text = re.sub(r"  // .*$", "", text, flags=re.MULTILINE)
    return re.sub(r"^[ \t]+", "", text, flags=re.MULTILINE)


def copy_assets(app: Sphinx) -> None:
    """Before pages are written, because their links carry a checksum of what they load."""
    if app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / "interactive"
    target.mkdir(parents=True, exist_ok=True)
    for name in (STYLE, *SHARED, *(f"{figure}.js" for figure in FIGURES)):
        (target / name).write_text(published(SOURCES / name), encoding="utf8")


def setup(app: Sphinx) -> None:
    static = (lambda translator, node: None, lambda translator, node: None)  # other builders show the static figure
    app.add_node(interactive, html=(visit_html, depart_html), latex=static, text=static, man=static, texinfo=static)
    app.add_directive("interactive", Interactive)
    app.add_role("state", State())
    app.add_transform(TakeStaticFigure)
    app.connect("builder-inited", copy_assets)
    app.connect("html-page-context", add_assets)
