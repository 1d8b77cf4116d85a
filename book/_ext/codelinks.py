"""Give sphinx-codeautolink, which links names in code to the reference, only the code.

It takes a page's whole HTML apart to find the blocks of code, and to resolve the names of one block it parses all the
blocks before it anew: a third of the time of a build. Here it gets, of each page, the blocks alone, and in front of
every block the page's imports.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_codeautolink.extension.directive import PrefaceMarker

BLOCK = re.compile(r'<div class="(?:doctest )?highlight-[^"]*">\s*<div class="highlight">.*?</pre></div>\s*</div>',
                   re.DOTALL)
CUT = "<!-- the next block -->"


def imports(code: str) -> list[str]:
    """Return the import statements of a cell, each as a line; what is no Python has none."""
    try:
        return [ast.unparse(line) for line in ast.parse(code).body if isinstance(line, ast.Import | ast.ImportFrom)]
    except SyntaxError:
        return []


def begin_with_imports(app: Sphinx, doctree: nodes.document) -> None:
    found = [line for block in doctree.findall(nodes.literal_block) for line in imports(block.astext())]
    if found:
        doctree.insert(0, PrefaceMarker("\n".join(dict.fromkeys(found)), "file"))


def of_blocks(link: Callable[..., None]) -> Callable[..., None]:
    """Return a handler that gives another one only the blocks of a page, and puts them back into it."""

    def handler(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
        if "body" not in context:
            return
        body = context["body"]
        context["body"] = CUT.join(BLOCK.findall(body))
        link(app, page, template, context, doctree)
        blocks = iter(context["body"].split(CUT))
        context["body"] = BLOCK.sub(lambda match: next(blocks), body)

    return handler


def setup(app: Sphinx) -> dict:
    app.setup_extension("sphinx_codeautolink")
    app.connect("doctree-read", begin_with_imports, priority=400)
    handlers = app.events.listeners["html-page-context"]  # no other one may see the blocks alone
    for place, listener in enumerate(handlers):
        if getattr(listener.handler, "__name__", "") == "apply_links":
            handlers[place] = listener._replace(handler=of_blocks(listener.handler))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
