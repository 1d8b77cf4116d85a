"""Check every link within the finished site: the file it leads to exists, and so does the place in it.

Sphinx checks references as it resolves them; this looks at what readers get, also at links that extensions, templates
and raw HTML made. A broken one is a warning, on which
`fail_on_warnings` ends the build. `make linkcheck` asks other sites.
"""

import os
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urldefrag

from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)

SCRIPT = re.compile(r"<script\b.*?</script>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
LINK = re.compile(r"""<[a-z][^<>]*?\s(?:href|src)="([^"]*)\"""", re.IGNORECASE)
SOURCE = re.compile(r"""<script\b[^<>]*?\ssrc="([^"]*)\"""", re.IGNORECASE)
PLACE = re.compile(r"""<[a-z][^<>]*?\s(?:id|name)="([^"]*)\"""", re.IGNORECASE)
OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


def faults(site: Path) -> list[str]:
    """Return what is broken, each as the page, the link and the reason."""
    links: dict[str, list[str]] = {}
    places: dict[str, set[str]] = {}
    for path in sorted(site.rglob("*.html")):
        page = path.relative_to(site).as_posix()
        html = path.read_text(encoding="utf8")
        body = SCRIPT.sub("", html)
        links[page] = [unescape(link) for link in dict.fromkeys([*SOURCE.findall(html), *LINK.findall(body)])]
        places[page] = {unescape(place) for place in PLACE.findall(body)}
    found = []
    for page, targets in links.items():
        for target in targets:
            if OUTSIDE.match(target):
                continue
            path, place = urldefrag(target)
            path = unquote(path.partition("?")[0])
            file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            file = file.replace(os.sep, "/")
            if file.startswith(("../", "/")):
                found.append(f"{page}: {target}: leads out of the site")
            elif not (site / file).is_file():
                found.append(f"{page}: {target}: the site has no file {file}")
            elif place and file in places and not {unquote(place), unquote(place).partition(":")[0]} & places[file]:
                found.append(f"{page}: {target}: {file} has no place of this name")
    return found


def check(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        for fault in faults(Path(app.outdir)):
            log.warning("broken link on %s", fault, type="links")


def setup(app: Sphinx) -> None:
    app.connect("build-finished", check, priority=700)  # all files are written, and `fail_on_warnings` looks later
