"""Let Sphinx read each page once for the numbers of figures, tables and sections that other pages refer to.

For each reference it reads the whole page referred to from its pickled form, to find what the label stands at: a second
of a build, in which the processes that write pages wait.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def read_once(app: Sphinx, env: BuildEnvironment) -> None:
    """From here on pages change no more, and who looks up a label only looks."""
    domain = env.get_domain("std")
    resolve = domain._resolve_numref_xref
    view = SimpleNamespace(**{**vars(env), "get_doctree": cache(env.get_doctree)})
    domain._resolve_numref_xref = lambda _, *reference: resolve(view, *reference)


def setup(app: Sphinx) -> dict:
    app.connect("env-check-consistency", read_once)  # when the environment has been stored
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
