"""Give sphinx-codeautolink only the blocks of a page in which a name has a link.

It takes a page's whole HTML apart to find the blocks of code, and copies every block for every other one to find which
is which: a tenth of the processor time of a build, as measured. The blocks that a page needs are few and easy to tell,
so they alone go through it. Of blocks with the same text all go, because it takes them in their order.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Callable
from typing import Any

from sphinx.application import Sphinx

BLOCK = re.compile(
    r'<div class="(?:[^"]* )?highlight-[^"]*"[^>]*>\s*<div class="highlight">.*?</pre></div>\s*</div>', re.DOTALL
)
NO_CODE = re.compile(r'<span class="linenos">[^<]*</span>|<[^>]*>')
CUT = "<!-- the next block -->"


def text_of(block: str) -> str:
    return html.unescape(NO_CODE.sub("", block)).strip()


def link_blocks(
    link_html: Callable[..., str], page: str, body: str, transforms: list, *settings: Any, **options: Any
) -> str:
    """Return a page's HTML with the links that `link_html` sets."""
    linked = {transform.source.strip() for transform in transforms if transform.names}
    chosen = [transform for transform in transforms if transform.source.strip() in linked]
    blocks = CUT.join(block for block in BLOCK.findall(body) if text_of(block) in linked)
    done = iter(link_html(page, blocks, chosen, *settings, **options).split(CUT))
    return BLOCK.sub(lambda block: next(done) if text_of(block[0]) in linked else block[0], body)


def replace(app: Sphinx) -> None:
    """Put `link_blocks` in front of the function that sphinx-codeautolink calls, where the book uses that."""
    if "sphinx_codeautolink" not in app.extensions:
        return
    from sphinx_codeautolink import extension

    if not isinstance(extension.link_html, functools.partial):  # or another build in this process has done it
        extension.link_html = functools.partial(link_blocks, extension.link_html)


def setup(app: Sphinx) -> dict:
    app.connect("builder-inited", replace)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
