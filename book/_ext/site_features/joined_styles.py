"""Join the style sheets that all pages load to one, and let scripts wait until a page is read.

A browser shows nothing before it has every style sheet of a page's head and has run every script there: a dozen files
of each, which took most of the time until the first words. What only some pages load stays a file of its own.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path, PurePosixPath

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html._assets import _JavaScript as JavaScript

SHEET = "_static/site.css"
LINK = re.compile(
    r'<link\b(?=[^>]*\srel="stylesheet")[^>]*\shref="([^"?]*)[^"]*"[^>]*>\s*|'
    r'<link\b[^>]*\shref="([^"?]*)[^"]*"[^>]*\srel="stylesheet"[^>]*>\s*'
)
URL = re.compile(r"""url\(\s*(?!["']?(?:[a-z]+:|/|#))(["']?)([^"')]+)\1\s*\)""")
CHARSET = re.compile(r'@charset "[^"]*";')
AT_ONCE = "documentation_options.js"  # the page itself sets one of these


def sheets(page: PurePosixPath, html: str) -> list[str]:
    """Return the style sheets of a page by their places in the site, in their order."""
    found = ((match[1] or match[2]) for match in LINK.finditer(html))
    return [os.path.normpath(page.parent / link).replace(os.sep, "/") for link in found]


def moved(css: str, sheet: str) -> str:
    """Return a sheet whose files are found from the place of the joined one."""

    def way(match: re.Match) -> str:
        file = os.path.normpath(os.path.join(os.path.dirname(sheet), match[2]))
        return f'url("{os.path.relpath(file, os.path.dirname(SHEET))}")'.replace(os.sep, "/")

    return URL.sub(way, CHARSET.sub("", css))


def with_one_sheet(page: PurePosixPath, html: str, joined: set[str], version: str) -> str:
    """Return a page with one link in place of the first of the joined sheets, and none in place of the others."""
    way = os.path.relpath(SHEET, page.parent).replace(os.sep, "/")
    links = [f'<link rel="stylesheet" href="{way}?v={version}" />\n    ']

    def one(match: re.Match) -> str:
        place = os.path.normpath(page.parent / (match[1] or match[2])).replace(os.sep, "/")
        return match[0] if place not in joined else links.pop() if links else ""

    return LINK.sub(one, html)


def join(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    pages = {path: path.read_text(encoding="utf8") for path in site.rglob("*.html")}
    names = {path: PurePosixPath(path.relative_to(site).as_posix()) for path in pages}
    lists = [found for path, html in pages.items() if (found := sheets(names[path], html))]
    joined = [sheet for sheet in lists[0] if all(sheet in other for other in lists)] if lists else []
    if joined in ([], [SHEET]):
        return
    css = "\n".join(moved((site / sheet).read_text(encoding="utf8"), sheet) for sheet in joined)
    version = hashlib.sha256(css.encode()).hexdigest()[:8]
    for sheet in joined:
        (site / sheet).unlink()
    (site / SHEET).write_text(css, encoding="utf8", newline="\n")
    for path, html in pages.items():
        path.write_text(with_one_sheet(names[path], html, set(joined), version), encoding="utf8", newline="\n")


def wait(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """Let a page's scripts wait, but for the search page, whose template adds some that need the others."""
    if page != "search":
        context["script_files"] = [waiting(script) for script in context["script_files"]]


def waiting(script: JavaScript) -> JavaScript:
    if not script.filename or str(script.filename).endswith(AT_ONCE):
        return script
    return JavaScript(script.filename, priority=script.priority, **{**script.attributes, "defer": "defer"})


def setup(app: Sphinx) -> dict:
    app.connect("html-page-context", wait, priority=950)  # when no other extension adds or drops one
    app.connect("build-finished", join, priority=620)  # of what `lean_styles` leaves
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
