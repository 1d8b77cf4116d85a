"""Tell in a digest what a build reads, so that a later one knows whether anything changed.

Cells depend on the files that `fresh_sources` names, on Python, on the content of every file of the installed packages,
and on the few variables of the environment that they are given. `fresh_sources` lists glob patterns from the folder of
the configuration; an entry `{file.yml: [a, b]}` says that cells depend only on these fields of the file's entries. A
build depends on all files of the project, on its commit and on how it was asked for.
"""

import hashlib
import importlib.util
import os
import platform
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from sphinx.application import Sphinx

from build_control.git_commit import LEFT_OUT, commit_of, files_at_hand
from drift_guard.kept import Kept

EXTENSIONS = Path(__file__).parents[1]
PASSED = (
    "HOME USERPROFILE SYSTEMROOT TEMP TMP TMPDIR XDG_CACHE_HOME MPLCONFIGDIR LD_LIBRARY_PATH DYLD_LIBRARY_PATH "
    "OPENBLAS_CORETYPE OPENBLAS_NUM_THREADS OMP_NUM_THREADS MKL_NUM_THREADS NPY_DISABLE_CPU_FEATURES SOURCE_DATE_EPOCH"
).split()  # variables that kernels are given as they are, because Python, matplotlib and NumPy need them
IN_THE_KERNEL = (
    "__init__ kernel_recorder figure_record figure_data array_digest artist_looks axis_record ink unseen"
).split()
RECORDER = [EXTENSIONS / "drift_guard" / f"{name}.py" for name in IN_THE_KERNEL]
NOT_RUN = {"__pycache__", "node_modules"}  # folders of which Python runs nothing as it is
NOT_PYTHONS_OWN = NOT_RUN | {"site-packages", "dist-packages", "test"}
SETTLED = 2 * 10**9  # nanoseconds after which a file that is written again surely has another time
Patterns = list[str | dict[str, list[str]]]
States = dict[Any, tuple[int, int] | None]


def digest(parts: Iterable[bytes]) -> str:
    """Return a digest of a sequence of byte strings, in which each one's length counts too."""
    total = hashlib.sha256()
    for part in parts:
        total.update(f"{len(part)}\n".encode() + part)
    return total.hexdigest()


def contents(root: Path, paths: Iterable[Path]) -> Iterator[bytes]:
    for path in paths:
        yield Path(os.path.relpath(path, root)).as_posix().encode()
        yield path.read_bytes()


def files_in(folder: Path, pattern: str = "**/*") -> list[Path]:
    """Return the files that a pattern finds, in a fixed order; nothing that Python, or a build, leaves behind."""
    found = (path for path in folder.glob(pattern) if path.is_file())
    return sorted(path for path in found if not LEFT_OUT & set(path.relative_to(folder).parts))


@dataclass
class Installed:
    """What the folders of installed packages, and that of Python's own modules, hold at this moment."""

    entries: list[tuple[Path, str, os.stat_result | None]]  # folder and path, and the state of what is a file

    def files(self) -> Iterator[tuple[str, os.stat_result]]:
        return ((path, stat) for _, path, stat in self.entries if stat is not None)

    def times(self) -> str:
        """Return a digest of what tells that a file is written: its size and its times. Nobody can set the last."""
        lines = []
        for _, path, stat in self.entries:
            times = "" if stat is None else f"{stat.st_ino} {stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns}"
            lines.append(f"{path} {times}".encode())
        return digest(lines)

    def contents(self) -> Iterator[bytes]:
        for folder, path, stat in self.entries:
            yield os.path.relpath(path, folder).encode()
            if stat is not None:
                yield Path(path).read_bytes()

    def drop_old_bytecode(self) -> None:
        """Remove bytecode that is older than its source: Python trusts it where size and settable time agree."""
        for path, stat in self.files():
            if path.endswith(".py"):
                compiled = Path(importlib.util.cache_from_source(path))
                with suppress(OSError):
                    if compiled.stat().st_ctime_ns < stat.st_ctime_ns:
                        compiled.unlink()


def packages(root: Path, kept: Path, found: Installed | None = None) -> str:
    """Return a digest of all installed packages: the names in their folders, and the contents of the files.

    To read them all takes a second. So the file `kept` holds the digest, beside one of the times of all files, and they
    are read again only where that is another one now. What is `found` need not be looked for again.
    """
    found = installed(root) if found is None else found
    now = found.times()
    with suppress(OSError, ValueError):
        before, total = kept.read_text(encoding="utf8").split()
        if before == now:
            return total
    begun = time.time_ns()
    found.drop_old_bytecode()
    total = digest(found.contents())
    if max((stat.st_ctime_ns for _, stat in found.files()), default=0) < begun - SETTLED:
        with suppress(OSError):
            part = kept.with_name(f"{kept.name}.{os.getpid()}")
            part.write_text(f"{now}\n{total}\n", encoding="utf8")
            part.replace(kept)
    return total


def sums_kept(site: Path) -> Path:
    """Return the file of the packages' digest: in their environment, which several builds use, or beside the site."""
    environment = Path(sys.prefix)
    is_own = sys.prefix != sys.base_prefix and os.access(environment, os.W_OK)
    return (environment if is_own else site.parent) / "packages.sum"


def installed(root: Path) -> Installed:
    """Return what is installed; what an installation of the project itself left in its own folder does not count."""
    folders = {Path(entry or ".").resolve() for entry in sys.path} - {root.resolve()}
    listed = [(folder, NOT_RUN) for folder in sorted(folders) if folder.is_dir() and any(folder.glob("*.*-info"))]
    listed.append((Path(sysconfig.get_path("stdlib")).resolve(), NOT_PYTHONS_OWN))
    return Installed([(folder, *entry) for folder, out in listed for entry in sorted(entries_of(folder, out))])


def entries_of(folder: str | Path, left_out: set[str]) -> Iterator[tuple[str, os.stat_result | None]]:
    """Yield the files in a folder with their states, and the folders in it, without those of some names.

    Stubs, which only type checkers read, are left out, too: they are a third of all files.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name in left_out or entry.name.endswith(".pyi"):
                continue
            if entry.is_dir():
                yield entry.path, None
                yield from entries_of(entry.path, left_out)
            elif entry.is_file():
                yield entry.path, entry.stat()


def folders_listed(root: Path, patterns: Patterns) -> list[Path]:
    """Return the folders of which every file is a source: a cell may list them."""
    found: set[Path] = set()
    for pattern in patterns:
        if isinstance(pattern, str) and pattern.endswith("/**/*"):
            top = root / pattern.removesuffix("/**/*")
            found.update([top, *(path for path in top.glob("**/*") if path.is_dir())])
        elif isinstance(pattern, str) and pattern.endswith("/*"):
            found.update(path for path in root.glob(pattern.removesuffix("/*")) if path.is_dir())
    return sorted(found)


def chosen(path: Path, fields: list[str]) -> bytes:
    """Return only some fields of the entries of a YAML file, as bytes."""
    if not fields:
        return b""
    entries = yaml.load(path.read_text(encoding="utf8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}
    return repr([(name, [(entry or {}).get(field) for field in fields]) for name, entry in entries.items()]).encode()


def sources(root: Path, patterns: Patterns) -> tuple[list[Path], dict[Path, list[str]]]:
    """Return the files whose whole content matters to cells, and those of which only some fields do."""
    whole, partly = list(RECORDER), {}
    for pattern in patterns:
        if isinstance(pattern, str):
            whole += files_in(root, pattern)
        else:
            partly.update({root / name: fields for name, fields in pattern.items()})
    return sorted(set(whole)), partly


def keys(root: Path, patterns: Patterns, kept: Path, found: Installed | None = None) -> tuple[str, list[Path]]:
    """Return the state of what cells depend on, and the sources among it; `kept` is the file of `packages`."""
    whole, partly = sources(root, patterns)
    passed = [f"{name}={os.environ.get(name)}" for name in PASSED]
    python = [sys.version, platform.machine(), packages(root, kept, found), *passed]
    fields = [part for path, names in partly.items() for part in (path.name.encode(), chosen(path, names))]
    return digest([*(line.encode() for line in python), *contents(root, whole), *fields]), [*whole, *partly]


def asked_for(app: Sphinx) -> str:
    """Return how a build was asked for, and of which commit."""
    return repr([*sys.argv[1:], str(app.outdir), commit_of(Path(app.srcdir)), os.environ.get("SOURCE_DATE_EPOCH")])


def all_files(root: Path) -> list[Path]:
    return sorted({*files_at_hand(root), *files_in(EXTENSIONS.parent)})


def state_of_site(site: Path) -> str:
    """Return names, sizes and times of the site's files; not the time that a copy may keep, or anyone may set."""
    files = ((path.relative_to(site).as_posix(), path.stat()) for path in files_in(site))
    return digest(f"{name} {stat.st_size} {stat.st_ctime_ns}".encode() for name, stat in files)


def state_of_kept(app: Sphinx) -> str:
    """Return the state of what Sphinx and MyST-NB keep for the next build."""
    folder = Path(app.doctreedir)
    files = [*folder.rglob("*.doctree"), folder / "environment.pickle", *files_in(folder.parent / "jupyter_execute")]
    return digest(f"{path} {key}".encode() for path, key in sorted(states(files).items()))


def sum_of(folder: Path) -> str:
    return digest(contents(folder, files_in(folder)))


def states(paths: Iterable[Path]) -> States:
    """Return files with what tells whether they are written again."""
    return {path: (path.stat().st_ino, path.stat().st_ctime_ns) for path in paths if path.is_file()}


# ---- of a build


@dataclass
class SourceState:
    """What a build found when it began."""

    asked: str  # how it was asked for
    cells: str  # the state of what cells depend on
    files: dict[str, str]  # the sums of all files that the build reads, by their paths from the folder of the sources
    listed: list[Path]  # the sources that cells depend on
    of_cells: States  # by which a file shows that it is written again
    of_everything: States

    def state(self, files: dict[str, str]) -> str:
        """Return the state of some of the files, and of all that is no file."""
        return state_of(self.asked, self.cells, files)

    @property
    def everything(self) -> str:
        return self.state(self.files)


def state_of(asked: str, cells: str, files: dict[str, str]) -> str:
    return digest([asked.encode(), cells.encode(), repr(sorted(files.items())).encode()])


@dataclass
class OfBuild(Kept):
    found: SourceState | None = None  # when the build began
    edited: tuple[bool, bool] | None = None  # since then, as it was found at the end


def look(app: Sphinx, patterns: Patterns) -> SourceState:
    root = Path(app.srcdir)
    whole, partly = sources(root, patterns)
    found = installed(root)
    of_cells = states([*whole, *partly]) | {found.times(): None}
    of_everything = states(all_files(root))  # before their contents are looked at
    cells, listed = keys(root, patterns, sums_kept(Path(app.outdir)), found)
    return SourceState(asked_for(app), cells, sums_of(root, all_files(root)), listed, of_cells, of_everything)


def sums_of(root: Path, paths: Iterable[Path]) -> dict[str, str]:
    names = {Path(os.path.relpath(path, root)).as_posix(): path for path in paths}
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in names.items()}


def of(app: Sphinx) -> SourceState:
    """Return what this build found when it began."""
    build = OfBuild.of(app)
    if build.found is None:
        build.found = look(app, app.config.fresh_sources)
    return build.found


def edited_meanwhile(app: Sphinx) -> tuple[bool, bool]:
    """Tell whether something that cells depend on, or anything that the build reads, was written since it began.

    It may have been read before or after. This is asked at the end of a build, and looked for once.
    """
    build, root = OfBuild.of(app), Path(app.srcdir)
    if build.edited is None:
        whole, partly = sources(root, app.config.fresh_sources)
        of_cells = states([*whole, *partly]) | {installed(root).times(): None}
        build.edited = of_cells != of(app).of_cells, states(all_files(root)) != of(app).of_everything
    return build.edited


def setup(app: Sphinx) -> None:
    app.add_config_value("fresh_sources", [], "", [list])
