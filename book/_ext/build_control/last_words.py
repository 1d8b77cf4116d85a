"""Let what matters be the last of a build's output.

Sphinx tells what ended a build, and Jupyter Book adds a traceback, which is left out here. What a good build has to say
comes after Jupyter Book's own words.
"""

from __future__ import annotations

import atexit
import sys
from types import TracebackType

from sphinx.application import Sphinx


def be_silent_after_sphinx(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print no traceback for what Sphinx has told: Jupyter Book raises a RuntimeError from it."""
    if not (isinstance(error, RuntimeError) and isinstance(error.__cause__, Exception)):
        sys.__excepthook__(kind, error, trace)


def say_last(app: Sphinx, text: str) -> bool:
    """Print a text when Python ends."""
    atexit.register(print, text, flush=True)
    return True


def connect_to_guard(app: Sphinx, config: object) -> None:
    if "guard-accepted" in app.events.events:
        app.connect("guard-accepted", say_last)


def setup(app: Sphinx) -> dict:
    sys.excepthook = be_silent_after_sphinx
    app.connect("config-inited", connect_to_guard)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
