"""Say plainly that the build cannot write: the disk is full, or the folder may not be written to."""

import errno
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import SphinxError

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
TOLD = [os.strerror(code) for code in sorted(FULL)]
FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


class NoRoom(SphinxError):
    category = "The build cannot write and ends here"


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def reason(error: BaseException, folder: Path) -> str | None:
    """Return what is the matter in words, with the file where it is known, else the folder of the build.

    None means that it is something else.
    """
    for cause in chain(error):
        text = str(cause).lower()
        where = file_of(cause) or folder
        code = cause.errno if isinstance(cause, OSError) else None
        full = code in FULL or (isinstance(cause, sqlite3.Error) and "full" in text)
        if full or any(told in str(cause) for told in TOLD):
            return (
                f"no room is left on the disk ({where}). Make room and build again: what is half done is mended then."
            )
        if code in FORBIDDEN or (isinstance(cause, sqlite3.Error) and "readonly" in text):
            return f"the folder may not be written to ({where}). Build in a copy that is yours to write."
    return None


def file_of(error: BaseException) -> str | None:
    """Return the file that an error is about, or that the text of another names; where it is copied, the copy."""
    for name in getattr(error, "filename2", None), getattr(error, "filename", None):
        if isinstance(name, str | bytes | os.PathLike):
            return os.fsdecode(name)
    found = re.search(f"(?:{'|'.join(map(re.escape, TOLD))}): (?:'[^']+' -> )?'([^']+)'", str(error))
    return found[1] if found else None


def explain(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None and (words := reason(exception, Path(app.outdir).parent)):
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


def setup(app: Sphinx) -> None:
    app.connect("config-inited", probe, priority=-1)  # before a lock is tried
    app.connect("build-finished", explain, priority=0)
