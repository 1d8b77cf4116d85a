"""End the build on any warning, with all of them listed last.

Sphinx's own `-W` exits 1 once and 0 on the rerun. An exception raised by an extension makes Sphinx drop its
environment, so the next build reads every page again and meets every warning again. What is known when all pages are
read ends the build before one is written; a broken reference shows while pages are written, and ends it after.
"""

import logging
import re

from myst_nb.core.execute.base import ExecutionError
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util.logging import NAMESPACE, WarningStreamHandler


class FaultsFound(SphinxError):
    category = "The build found faults and ends here"


class Faults:
    """The warnings that Sphinx prints, each as text that begins with its place."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def collect(self, record: logging.LogRecord) -> bool:
        self.found.append(plain(record.getMessage()).replace("WARNING: ", "", 1))
        return True

    def end_the_build(self) -> None:
        if self.found:
            raise FaultsFound("\n" + "\n".join(self.found))


def plain(text: str) -> str:
    """Return `text` without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text).strip()


def explain(app: Sphinx, exception: Exception | None) -> None:
    """Tell of a raising cell what it was: Sphinx knows the page only."""
    if isinstance(exception, ExecutionError) and exception.__cause__ is not None:
        raise FaultsFound(f"\n{exception}: {plain(str(exception.__cause__))}")


def setup(app: Sphinx) -> None:
    faults = Faults()
    for handler in logging.getLogger(NAMESPACE).handlers:
        if isinstance(handler, WarningStreamHandler):
            # Behind Sphinx's own filters, so that a warning it suppresses or has printed before does not count.
            handler.addFilter(faults.collect)
    # Late, so that an extension with more to say about the pages (a table of what changed) comes first.
    app.connect("env-check-consistency", lambda app, env: faults.end_the_build(), priority=900)
    app.connect("build-finished", lambda app, exception: exception or faults.end_the_build(), priority=800)
    app.connect("build-finished", explain, priority=0)
