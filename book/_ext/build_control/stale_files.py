"""Read and write every page at each build, and remove from the site what an earlier build left there.

Sphinx reads again only the pages whose own file changed. Each page shows what others hold: the target of a reference, a
number of record, the commit.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from build_control import source_state


def read_all(app: Sphinx, env: BuildEnvironment, added: set, changed: set, removed: set) -> list[str]:
    return list(env.found_docs)


def look(app: Sphinx) -> None:
    """Note what an earlier build left, before this one writes anything."""
    site = Path(app.outdir)
    for path in site.glob("_static/mystnb.*.css"):  # which MyST-NB writes now, unless it is there
        path.unlink()
    vars(app)["stale_files"] = source_state.states(site.rglob("*"))


def clear(app: Sphinx, env: BuildEnvironment) -> None:
    """Before all is written remove what an earlier build wrote: pages and figures that left the book would stay."""
    before = vars(app)["stale_files"]
    for path, state in source_state.states(Path(app.outdir).rglob("*")).items():
        if before.get(path) == state:
            path.unlink()


def setup(app: Sphinx) -> dict:
    app.connect("env-get-outdated", read_all)
    app.connect("builder-inited", look, priority=0)
    app.connect("env-check-consistency", clear, priority=999)  # after every extension that may end the build there
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
