"""Say plainly that the build cannot write: the disk is full, or the folder may not be written to."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import SphinxError

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


class NoRoom(SphinxError):
    category = "The build cannot write and ends here"


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def reason(error: BaseException) -> str | None:
    """Return what is the matter in words, or None if it is something else."""
    for cause in chain(error):
        text = str(cause).lower()
        where = getattr(cause, "filename", None)
        where = f" ({where})" if where else ""
        code = cause.errno if isinstance(cause, OSError) else None
        full = code in FULL or (isinstance(cause, sqlite3.Error) and "full" in text)
        if full or os.strerror(errno.ENOSPC) in str(cause):
            return f"no room is left on the disk{where}. Make room and build again: what is half done is mended then."
        if code in FORBIDDEN or (isinstance(cause, sqlite3.Error) and "readonly" in text):
            return f"the folder may not be written to{where}. Build in a copy that is yours to write."
    return None


def explain(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None and (words := reason(exception)):
        raise NoRoom(f"\n{words}")


def probe(app: Sphinx, config: object) -> None:
    """Try before cells run for minutes."""
    build = Path(app.outdir).parent
    try:
        probe = build / f"probe-{os.getpid()}"
        probe.write_bytes(b"x" * 4096)
        probe.unlink()
    except OSError as error:
        explain(app, error)
        raise


def setup(app: Sphinx) -> dict:
    app.connect("config-inited", probe, priority=-1)  # before a lock is tried
    app.connect("build-finished", explain, priority=0)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
