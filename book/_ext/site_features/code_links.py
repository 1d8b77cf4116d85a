"""Give sphinx-codeautolink, which links names in code to the reference, only the code.

It takes a page's whole HTML apart to find the blocks of code, to resolve the names of one block it parses all the
blocks before it anew, and it imports every module that a page names: a third of the time of a build. Here it gets, in
front of every block the page's imports, of all names those that can be in the reference, and of each page the blocks
with such names alone.
"""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Callable

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx_codeautolink.extension import SphinxCodeAutoLink
from sphinx_codeautolink.extension.directive import PrefaceMarker

BLOCK = re.compile(
    r'<div class="(?:[^"]* )?highlight-[^"]*"[^>]*>\s*<div class="highlight">.*?</pre></div>\s*</div>', re.DOTALL
)
NO_CODE = re.compile(r'<span class="linenos">[^<]*</span>|<[^>]*>')
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


def text_of(block: str) -> str:
    return html.unescape(NO_CODE.sub("", block)).strip()


def of_names(resolve: Callable[..., None], links: SphinxCodeAutoLink) -> Callable[..., None]:
    """Return a handler that gives another one only the names that begin with a module of the reference."""

    def handler(app: Sphinx, env: BuildEnvironment) -> None:
        modules = {name.split(".")[0] for name in env.get_domain("py").objects}
        for blocks in links.cache.transforms.values():
            for block in blocks:
                block.names = [name for name in block.names if name.import_components[0] in modules]
        resolve(app, env)
        for blocks in links.cache.transforms.values():
            named = {block.source for block in blocks if block.names}
            blocks[:] = [block for block in blocks if block.source in named]  # one without names may be a twin's

    return handler


def of_blocks(link: Callable[..., None], links: SphinxCodeAutoLink) -> Callable[..., None]:
    """Return a handler that gives another one only the blocks of a page that get links, and puts them back into it."""

    def handler(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
        named = {block.source.strip() for block in links.cache.transforms.get(page, [])}
        if not named or "body" not in context:
            return
        body = context["body"]
        context["body"] = CUT.join(block for block in BLOCK.findall(body) if text_of(block) in named)
        link(app, page, template, context, doctree)
        blocks = iter(context["body"].split(CUT))
        context["body"] = BLOCK.sub(lambda block: next(blocks) if text_of(block[0]) in named else block[0], body)

    return handler


CUTTERS = {
    ("env-updated", "create_references"): of_names,
    ("html-page-context", "apply_links"): of_blocks,
}


def setup(app: Sphinx) -> dict:
    app.setup_extension("sphinx_codeautolink")
    app.connect("doctree-read", begin_with_imports, priority=400)
    for (event, name), cut in CUTTERS.items():  # no other handler may see the blocks alone
        handlers = app.events.listeners[event]
        for place, listener in enumerate(handlers):
            if getattr(listener.handler, "__name__", "") == name:
                handlers[place] = listener._replace(handler=cut(listener.handler, listener.handler.__self__))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
