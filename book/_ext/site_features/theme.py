"""The site's own look within sphinx-book-theme: styles, fonts and templates of book/theme, and no unused file.

book/theme/static goes into the site; book/theme/templates overrides templates of the theme by name, and so does
book/theme/components those that the theme names `../components`.
"""

import re
import shutil
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html._assets import _CascadingStyleSheet as Stylesheet
from sphinx.builders.html._assets import _JavaScript as JavaScript
from sphinx.config import Config

THEME = Path(__file__).parents[2] / "theme"

OPTIONS = {
    "use_download_button": False,  # the page's source is in the repository; printing is the browser's business
    "use_fullscreen_button": False,  # carries an inline handler, which the content security policy forbids
    "toc_title": "On this page",
    "navigation_with_keys": False,
}

# Highlighting is in book.css, for both colour schemes; no page has tabs; and thebe, which would run cells on a server
# elsewhere, throws on every page.
UNUSED_ASSETS = ("pygments.css", "design-tabs.js", "sphinx-thebe.css", "sphinx-thebe.js")

# Of what the theme copies into _static.
UNUSED_FILES = ("vendor", "locales", "webpack-macros.html", "sbt-webpack-macros.html", *UNUSED_ASSETS)


def configure(app: Sphinx, config: Config) -> None:
    config.html_static_path.append(str(THEME / "static"))
    config.templates_path.append(str(THEME / "templates"))
    config.html_theme_options = {**config.html_theme_options, **OPTIONS}
    config.html_use_index = config.html_domain_indices = False  # no page links to them
    config.html_context["default_mode"] = "auto"  # an empty one makes the theme's script complain


VIEWPORT = re.compile(r'\s*<meta name="viewport"[^>]*>')


def with_one_viewport(html: str) -> str:
    """Return a page with the first of its viewport tags: Sphinx, docutils and the theme each write one."""
    first = VIEWPORT.search(html)
    return html if first is None else html[: first.end()] + VIEWPORT.sub("", html[first.end() :])


def drop_thebe(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Take out what thebe would run cells with, among it the address of somebody else's repository."""
    for raw in list(doctree.findall(nodes.raw)):
        if "x-thebe-config" in raw.astext() or "kernelName" in raw.astext():
            raw.parent.remove(raw)


def drop_assets(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    for kind in "css_files", "script_files":
        assets: list[Stylesheet | JavaScript] = context[kind]
        used = [asset for asset in assets if not str(asset.filename or "").endswith(UNUSED_ASSETS)]
        context[kind] = [asset for asset in used if "THEBE" not in asset.attributes.get("body", "")]


def drop_files(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    # Sphinx's note on its settings depends on where packages are installed; it tells which pages to write, and all are.
    Path(app.outdir, ".buildinfo").unlink(missing_ok=True)
    static = Path(app.outdir, "_static")
    for path in [static / name for name in UNUSED_FILES] + list(static.rglob("*.map")):
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def setup(app: Sphinx) -> None:
    app.connect("config-inited", configure)
    app.add_css_file("book.css", priority=900)
    app.add_js_file("book.js", loading_method="defer")
    app.connect("doctree-resolved", drop_thebe, priority=900)
    app.connect("html-page-context", drop_assets, priority=900)
    app.connect("build-finished", drop_files)
