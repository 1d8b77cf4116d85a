"""Reuse what executed cells made only where nothing changed that cells depend on.

MyST-NB finds executed cells again by their code alone. Here its cache lies in a folder named by a digest of all that
cells depend on (`source_state`). A seal, written when a build ends, tells that the cache is whole. A cache without one
is dropped, and a build during which something was edited that cells depend on writes none, because a later build that
finds the edit undone would take the outputs for those of the old state. With FRESH_ANEW=1 every cell runs, and where CI
is set, too, unless FRESH_ANEW=0 says otherwise; any other build says how old its oldest output is.
"""

import importlib.util
import os
import shutil
import time
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

from build_control import source_state

log = logging.getLogger(__name__)


def is_anew() -> bool:
    """Tell whether every cell shall run, whatever the cache holds."""
    return os.environ.get("FRESH_ANEW", os.environ.get("CI", "")).lower() not in ("", "0", "false")


def cache_of(site: Path, cells: str) -> Path:
    """Return the folder of what cells made, where the digest of all that they depend on is `cells`."""
    return site.parent / ".jupyter_cache" / cells[:16]


def age(cache: Path) -> str:
    """Say how old the oldest output in the cache is."""
    times = [path.stat().st_mtime for path in cache.glob("executed/*/base.ipynb")]
    if not times:
        return ""
    hours = max(0.0, time.time() - min(times)) / 3600
    told = f"{hours / 24:.0f} days" if hours >= 48 else f"{hours:.0f} hours" if hours >= 2 else "less than two hours"
    return f"The oldest output of a cell is {told} old; with FRESH_ANEW=1 every cell runs anew."


def choose(app: Sphinx, config: Config) -> None:
    """Choose the cache before MyST-NB opens one."""
    found = source_state.of(app)
    cache = cache_of(Path(app.outdir), found.cells)
    seal = seal_of(cache)
    is_whole = cache.exists() and seal.exists() and seal.read_text(encoding="utf8") == source_state.sum_of(cache)
    if cache.exists() and (is_anew() or not is_whole):
        shutil.rmtree(cache)
    seal.unlink(missing_ok=True)
    for path in found.listed:
        # Python trusts a compiled file when time (in seconds) and size of its source agree: two edits in a second
        if path.suffix == ".py":
            Path(importlib.util.cache_from_source(path)).unlink(missing_ok=True)
    config.nb_execution_cache_path = str(cache)


def seal_of(cache: Path) -> Path:
    return cache.with_suffix(".sum")


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Seal the cache, and after a good build remove those of other states."""
    cache = Path(app.config.nb_execution_cache_path)
    edited, _ = source_state.edited_meanwhile(app)
    if cache.exists() and not edited:
        seal_of(cache).write_text(source_state.sum_of(cache), encoding="utf8")
    if exception is None:
        if not is_anew() and (told := age(cache)):
            log.info(told)
        for other in cache.parent.glob("*"):
            if other.stem != cache.name:
                shutil.rmtree(other) if other.is_dir() else other.unlink()


def setup(app: Sphinx) -> None:
    app.setup_extension("build_control.source_state")
    app.connect("config-inited", choose, priority=900)
    app.connect("build-finished", finish, priority=999)  # after every extension that may still end the build
