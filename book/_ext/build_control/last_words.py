"""Let what matters be the last of a build's output.

Sphinx tells what ended a build, and Jupyter Book adds a traceback, which is left out here. What a good build has to say
comes after Jupyter Book's own words. A build that failed ends at once: while Python takes itself apart, threads that
still execute pages, and what nbclient left to do for their kernels, would add lines of their own.
"""

import atexit
import multiprocessing
import os
import sys
from contextlib import suppress
from types import TracebackType

from sphinx.application import Sphinx


def be_silent_after_sphinx(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print no traceback for what Sphinx has told: Jupyter Book raises a RuntimeError from it."""
    if not (isinstance(error, RuntimeError) and isinstance(error.__cause__, Exception)):
        sys.__excepthook__(kind, error, trace)
    end(1)


def end(status: int) -> None:
    """End this process and those that it has begun, without a word."""
    for process in multiprocessing.active_children():
        process.kill()
    for stream in sys.stdout, sys.stderr:
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def say_last(app: Sphinx, text: str) -> bool:
    """Print a text when Python ends."""
    atexit.register(print, text, flush=True)
    return True


def connect_to_guard(app: Sphinx, config: object) -> None:
    if "guard-accepted" in app.events.events:
        app.connect("guard-accepted", say_last)


def setup(app: Sphinx) -> None:
    sys.excepthook = be_silent_after_sphinx
    app.connect("config-inited", connect_to_guard)
