"""Set the links that sphinx-codeautolink finds in code, block by block.

It finds in a page's code the names that stand in the reference. To set their links it takes the page's whole HTML
apart, and copies every block of code for every other one to find which is which: an eighth of the processor time of a
build, as measured. Here its patterns are applied to the text of each block, and the rest of the page stays as it is.
"""

import html
import re
from collections import defaultdict
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)

BLOCK = re.compile(
    r'<div class="(?:[^"]* )?highlight-(\S+)[^"]*"[^>]*>\s*<div class="highlight">.*?</pre></div>\s*</div>', re.DOTALL
)
NO_CODE = re.compile(r'<span class="linenos">[^<]*</span>|<[^>]*>')
LINK = '<a href="{}"{} class="sphinx-codeautolink-a">{}</a>'


def text_of(block: str) -> str:
    return html.unescape(NO_CODE.sub("", block)).strip()


def link_blocks(
    page: str, body: str, transforms: list, inventory: dict[str, str], custom_blocks: dict, *_: Any, **options: Any
) -> str:
    """Return a page's HTML with links in its code, as `link_html` of sphinx-codeautolink does.

    A transform holds the source of a block and its names with the lines on which each stands. Of blocks with the same
    source each takes the next transform.
    """
    from sphinx_codeautolink.extension.block import BUILTIN_BLOCKS

    waiting = defaultdict(list)
    for transform in transforms:
        waiting[transform.source.strip()].append(transform)

    def linked(match: re.Match[str]) -> str:
        block, kind = match.group(), match[1]
        found = waiting[text_of(block)] if kind in BUILTIN_BLOCKS or kind in custom_blocks else []
        return link_names(page, block, found.pop(0).names, inventory) if found else block

    return BLOCK.sub(linked, body)


def link_names(page: str, block: str, names: list, inventory: dict[str, str]) -> str:
    """Return a block's HTML with the links of its names."""
    from sphinx_codeautolink.extension.block import construct_name_pattern, format_title

    before, start, code = block.partition("<pre>")
    lines = code.split("\n")
    for name in names:
        place = slice(name.lineno - 1, name.end_lineno)
        text = "\n".join(lines[place])
        matches = list(re.finditer(construct_name_pattern(name), text))
        if not matches:
            said = "the name '%s' is not found in lines %d to %d of the block of code\n%s"
            log.warning(said, name.code_str, name.lineno, name.end_lineno, text_of(block), location=page)
            continue
        match = matches[-1]  # a.b = a.b gets its links from the right
        first, last = match.start() + len(match[1]), match.end()
        address = inventory[name.resolved_location]
        if not address.startswith(("http://", "https://")):
            address = "../" * page.count("/") + address
        shown = text[first:last]
        link = LINK.format(address, format_title(name.resolved_location, shown), shown)
        lines[place] = (text[:first] + link + text[last:]).split("\n")
    return before + start + "\n".join(lines)


def replace(app: Sphinx) -> None:
    """Put `link_blocks` in the place of sphinx-codeautolink's own function, where the book uses that."""
    if "sphinx_codeautolink" in app.extensions:
        from sphinx_codeautolink import extension

        extension.link_html = link_blocks


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", replace)
