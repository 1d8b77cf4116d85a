"""Leave out of the site's style sheets every rule that no page can match.

The theme's styles are made for any site; a book uses a third of their 400 kB. A rule stays if each class, id and
element name of its selector occurs as a word in some page or in some script, which may add it later. A build writes
all pages or none (`stale_files`), so what no page uses is known when the last one is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx

WORD = re.compile(r"[A-Za-z_][\w-]*")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
COMMA = re.compile(r",(?![^()]*\))")
# What says nothing about names: attributes, and pseudo-classes with what they hold.
ASIDE = re.compile(r"\[[^\]]*\]|::?[\w-]+(\((?:[^()]|\([^()]*\))*\))?")


def statements(css: str) -> Iterator[tuple[str, str | None]]:
    """Yield what stands in front of each block and the block, or a statement without a block and None."""
    depth = start = 0
    head = ""
    for brace in re.finditer(r"[{};]", css):
        if brace[0] == "{":
            if depth == 0:
                head, start = css[start : brace.start()].strip(), brace.end()
            depth += 1
        elif brace[0] == "}":
            depth -= 1
            if depth == 0:
                yield head, css[start : brace.start()].strip()
                start = brace.end()
        elif depth == 0:
            yield css[start : brace.start()].strip(), None
            start = brace.end()
    if depth:
        raise ValueError("unbalanced braces")


def names(selector: str) -> set[str]:
    """Return the names that a page must contain for the selector to match."""
    return set(WORD.findall(ASIDE.sub(" ", selector)))


def lean(css: str, words: set[str]) -> str:
    """Return `css` without comments and without the selectors that need a name beyond `words`."""
    kept = []
    for head, block in statements(COMMENT.sub("", css)):
        if block is None:
            kept.append(f"{head};")
        elif head.startswith(("@media", "@supports")):
            if inner := lean(block, words):
                kept.append(f"{head}{{{inner}}}")
        elif head.startswith("@"):
            kept.append(f"{head}{{{block}}}")
        elif matching := [part.strip() for part in COMMA.split(head) if names(part) <= words]:
            kept.append(f"{','.join(matching)}{{{block}}}")
    return "\n".join(kept)


def shorten(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    words: set[str] = set()
    for path in [*site.rglob("*.html"), *site.joinpath("_static").rglob("*.js")]:
        words.update(WORD.findall(path.read_text(encoding="utf8")))
    for path in site.joinpath("_static").rglob("*.css"):
        path.write_text(lean(path.read_text(encoding="utf8"), words), encoding="utf8")


def setup(app: Sphinx) -> dict:
    app.connect("build-finished", shorten, priority=600)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
