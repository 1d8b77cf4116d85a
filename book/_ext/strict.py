"""End the build on any warning, each time it is run.

Sphinx's own `-W` exits 1 once and 0 on the rerun, because it keeps its environment and reads nothing again. This
extension answers `env-get-outdated` with every page, so that each build meets every warning, and raises at the end.
"""

import logging

from sphinx.errors import SphinxError


class Warned(SphinxError):
    category = "The build is strict"


class Counter(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.count = 0

    def emit(self, record):
        self.count += 1


def finish(app, exception):
    if exception is None and app.strict_counter.count:
        raise Warned(f"{app.strict_counter.count} warning(s), listed above; mend them and build again")


def setup(app):
    app.strict_counter = Counter()
    logging.getLogger("sphinx").addHandler(app.strict_counter)
    app.connect("env-get-outdated", lambda app, env, added, changed, removed: list(env.found_docs))
    app.connect("build-finished", finish)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
