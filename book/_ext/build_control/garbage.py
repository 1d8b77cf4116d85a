"""Look for garbage seldom while the book is built.

Python looks for unreachable cycles after every 700 new objects, and once in a while through all there are. A page's
tree is some ten thousand objects that stay: to look at them over and over took a quarter of a build's time.
"""

from __future__ import annotations

import gc

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict:
    gc.set_threshold(100_000, 50, 1000)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
