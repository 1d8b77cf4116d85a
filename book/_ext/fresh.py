"""Read nothing again, or everything.

Sphinx reads and writes only the pages whose own file changed. But a page also shows what other pages and files hold
(a reference's target, a number of record, the settings), and a build killed while it writes leaves pages unwritten that
the next one takes for done. So when anything at all has changed, or the last build did not come to its end, every page
is read and written again; executed cells come from the cache, which has its own key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

BOOK = Path(__file__).parents[1]
SETTINGS = ["_config.yml", "_toc.yml", "requirements.txt"]


def inputs(app: Sphinx) -> Iterator[Path]:
    """Yield what the pages are made with, beside their own files and what the cells import, in a fixed order."""
    yield from (path for name in SETTINGS if (path := Path(app.srcdir, name)).exists())
    for path in sorted(BOOK.rglob("*")):
        if path.is_file() and path.suffix not in app.config.source_suffix and "__pycache__" not in path.parts:
            yield path


def state(app: Sphinx) -> str:
    """Return a digest of all inputs."""
    digest = hashlib.sha256()
    for path in inputs(app):
        content = path.read_bytes()
        digest.update(f"{path.as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def stamp(app: Sphinx) -> Path:
    return Path(app.doctreedir, f"complete-{app.builder.name}")


def outdated(app: Sphinx, env: BuildEnvironment, added: set, changed: set, removed: set) -> list[str]:
    """Answer with every page unless nothing changed since a build that came to its end."""
    file = stamp(app)
    complete = file.exists() and file.read_text(encoding="utf8") == state(app)
    if complete and not (added or changed or removed):
        return []
    file.unlink(missing_ok=True)
    return list(env.found_docs)


def finished(app: Sphinx, exception: Exception | None) -> None:
    if exception is None:
        stamp(app).write_text(state(app), encoding="utf8")


def setup(app: Sphinx) -> dict:
    app.connect("env-get-outdated", outdated)
    app.connect("build-finished", finished, priority=900)  # after every extension that may still end the build
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
