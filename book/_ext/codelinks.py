"""Give sphinx-codeautolink, which links names in code to the reference, only the code.

It takes a page's whole HTML apart to find the blocks of code, and to resolve the names of one block it parses all the
blocks before it anew: a third of the time of a build. Here it gets, of each page, the blocks alone, and in front of
every block the page's imports.
"""

from __future__ import annotations

import ast
import re

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


def take_out(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    if doctree is not None:
        context["whole_body"] = context["body"]
        context["body"] = CUT.join(BLOCK.findall(context["body"]))


def put_back(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    if doctree is not None:
        blocks = iter(context["body"].split(CUT))
        context["body"] = BLOCK.sub(lambda match: next(blocks), context.pop("whole_body"))


def setup(app: Sphinx) -> dict:
    app.setup_extension("sphinx_codeautolink")
    app.connect("doctree-read", begin_with_imports, priority=400)
    app.connect("html-page-context", take_out, priority=499)
    app.connect("html-page-context", put_back, priority=501)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
