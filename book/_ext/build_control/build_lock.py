"""Let one build at a time work in a folder: a second one says so and ends, before it touches what the first one writes.

The lock goes with the process that holds it, however that ends.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import SphinxError

from drift_guard.kept import Kept

try:
    import fcntl
except ImportError:  # no such locks on Windows
    fcntl = None


class NotAlone(SphinxError):
    category = "This build ends before it begins"


@dataclass
class Lock(Kept):
    file: IO[str] | None = None


def lock(app: Sphinx, config: Config) -> None:
    if fcntl is None:
        return
    folder = Path(app.outdir).parent
    folder.mkdir(parents=True, exist_ok=True)
    file = (folder / "lock").open("a+", encoding="utf8")
    Lock.of(app).file = file  # kept open as long as the build runs
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        process = file.read().strip()
        said = f"\nAnother build (process {process}) is at work in {folder}: wait for it, or stop it."
        raise NotAlone(said) from None
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()


def setup(app: Sphinx) -> None:
    app.connect("config-inited", lock, priority=0)
