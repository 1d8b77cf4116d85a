"""Which commit this is, and which files are the project's: what git says of the folder, if it is a checkout."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

LEFT_OUT = {"__pycache__", "_build", "output", "node_modules"}
KEPT = "*.md *.toml *.txt *.yml *.cff LICENSE Makefile book/**/* posenc/**/* tests/**/* benchmarks/**/*".split()


class Commit(NamedTuple):
    id: str
    time: int  # seconds since 1970, UTC
    changed: bool  # some file that git knows differs from the commit

    @property
    def date(self) -> str:
        return f"{datetime.fromtimestamp(self.time, UTC):%Y-%m-%d}"


def git(root: Path, *arguments: str) -> str | None:
    """Return what git prints, or None where it is missing or says no."""
    try:
        done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, encoding="utf8")
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def commit_of(root: Path) -> Commit | None:
    """Return the commit that `root` is a checkout of; None for a copy without one, also inside another project's."""
    top = git(root, "rev-parse", "--show-toplevel")
    if not top or Path(top).resolve() != root.resolve():
        return None
    head = git(root, "log", "-1", "--format=%H %ct")
    if not head:
        return None
    name, time = head.split()
    return Commit(name, int(time), bool(git(root, "status", "--porcelain", "--untracked-files=no")))


def project_files(root: Path) -> list[Path]:
    """Return the project's files: what git knows, or in a copy without git what such a project consists of."""
    listed = git(root, "ls-files", "-z") if commit_of(root) else None
    found = (
        [root / name for name in listed.split("\0") if name]
        if listed
        else [path for pattern in KEPT for path in root.glob(pattern)]
    )
    return sorted({path for path in found if path.is_file() and not LEFT_OUT & set(path.relative_to(root).parts)})


def files_at_hand(root: Path) -> list[Path]:
    """Return all files that can be the project's: also those that git does not know yet, and in a copy without git all
    but hidden ones, what tools leave behind, and environments."""
    if commit_of(root):
        listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard") or ""
        found = [root / name for name in listed.split("\0") if name and not LEFT_OUT & set(Path(name).parts)]
    else:
        found = []
        for folder, inner, names in os.walk(root):
            if "pyvenv.cfg" in names:
                inner.clear()
                continue
            inner[:] = [name for name in inner if name not in LEFT_OUT and not name.startswith(".")]
            found += [Path(folder, name) for name in names]
    return [path for path in found if path.is_file()]
