"""Give all pages one small style sheet, and let scripts wait until a page is read.

A browser shows nothing before it has every style sheet of a page's head and has run every script there: a dozen files
of each, which took most of the time until the first words. The theme's styles are made for any site, and a book uses a
third of their 400 kB. So a rule is left out unless each class, id and element name of its selector occurs as a word in
some page or in some script, which may add it later; and the sheets that all pages load are joined to one. What only
some pages load stays a file of its own. All pages are written at each build, so what none uses is known at its end.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html._assets import _JavaScript as JavaScript

WORD = re.compile(r"[A-Za-z_][\w-]*")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
COMMA = re.compile(r",(?![^()]*\))")
# What says nothing about names: attributes, and pseudo-classes with what they hold.
ASIDE = re.compile(r"\[[^\]]*\]|::?[\w-]+(\((?:[^()]|\([^()]*\))*\))?")
SHEET = "_static/site.css"
LINK = re.compile(
    r'<link\b(?=[^>]*\srel="stylesheet")[^>]*\shref="([^"?]*)[^"]*"[^>]*>\s*|'
    r'<link\b[^>]*\shref="([^"?]*)[^"]*"[^>]*\srel="stylesheet"[^>]*>\s*'
)
URL = re.compile(r"""url\(\s*(?!["']?(?:[a-z]+:|/|#))(["']?)([^"')]+)\1\s*\)""")
CHARSET = re.compile(r'@charset "[^"]*";')
AT_ONCE = "documentation_options.js"  # the page itself sets one of these


# ---- rules that no page can match


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


def without_unused(css: str, words: set[str]) -> str:
    """Return `css` without comments and without the selectors that need a name beyond `words`."""
    kept = []
    for head, block in statements(COMMENT.sub("", css)):
        if block is None:
            kept.append(f"{head};")
        elif head.startswith(("@media", "@supports")):
            if inner := without_unused(block, words):
                kept.append(f"{head}{{{inner}}}")
        elif head.startswith("@"):
            kept.append(f"{head}{{{block}}}")
        elif matching := [part.strip() for part in COMMA.split(head) if names(part) <= words]:
            kept.append(f"{','.join(matching)}{{{block}}}")
    return "\n".join(kept)


def leave_out_unused(site: Path) -> None:
    words: set[str] = set()
    for path in [*site.rglob("*.html"), *site.joinpath("_static").rglob("*.js")]:
        words.update(WORD.findall(path.read_text(encoding="utf8")))
    for path in site.joinpath("_static").rglob("*.css"):
        path.write_text(without_unused(path.read_text(encoding="utf8"), words), encoding="utf8")


# ---- one sheet


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


def join(site: Path) -> None:
    """Join the sheets that all pages load."""
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


def finish(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        leave_out_unused(Path(app.outdir))
        join(Path(app.outdir))


# ---- scripts


def let_scripts_wait(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """Let a page's scripts wait, but for the search page, whose template adds some that need the others."""
    if page != "search":
        context["script_files"] = [waiting(script) for script in context["script_files"]]


def waiting(script: JavaScript) -> JavaScript:
    if not script.filename or str(script.filename).endswith(AT_ONCE):
        return script
    return JavaScript(script.filename, priority=script.priority, **{**script.attributes, "defer": "defer"})


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", let_scripts_wait, priority=950)  # when no other extension adds or drops one
    app.connect("build-finished", finish, priority=600)  # when all pages and the files they load are there
