"""Let nothing stale be checked or published, and let the cells run in surroundings of the project's own.

Jupyter Book finds executed cells again by their code alone, and Sphinx reads again only the pages whose own file
changed. Both keep old numbers when a module, a data file or a package changes. Here

- the execution cache lies in a folder named by a digest of all that cells can depend on: the files that
  `fresh_sources` names, Python, and every installed package; one that a build left in pieces is dropped;
- a stamp, written only when a build came to its end, names the state of everything that a build reads, and of the site.
  A build that finds both as the last one left them ends before it begins: what it would check and write was checked and
  written. Any other reads and writes every page again;
- what was edited while a build ran may have been read before or after: such a build leaves no stamp, nor a cache if
  cells depend on it, lest one that finds the edit undone takes the outputs for those of the old state.

`fresh_sources` lists glob patterns from the folder of the configuration. An entry `{file.yml: [a, b]}` says that cells
depend only on these fields of the file's entries.

With FRESH_ANEW=1 in the environment every cell runs.

A file of the project that a cell reads and that is not listed is a fault, which the guard reports.
Cells import the project's modules whether or not the package is installed, and no user's start-up file takes part.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from build_control.git_commit import LEFT_OUT, commit_of, files_at_hand

EXTENSIONS = Path(__file__).parents[1]
IN_THE_KERNEL = "__init__", "kernel_recorder", "figure_record", "array_digest", "artist_looks", "axis_record"
RECORDER = [EXTENSIONS / "drift_guard" / f"{name}.py" for name in IN_THE_KERNEL]
PROFILE = """# Written by the build: how IPython runs the cells.
c.InteractiveShellApp.extensions = ["drift_guard.kernel_recorder"]
c.HistoryManager.enabled = False
c.IPKernelApp.log_level = "ERROR"
c.InlineBackend.figure_formats = {"svg"}
c.InlineBackend.print_figure_kwargs = {"bbox_inches": "tight", "metadata": {"Date": None}}
"""


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


def packages(root: Path) -> list[str]:
    """Return name and version of every installed package, as the names of their metadata folders tell them.

    What an installation of the project itself left in its own folder does not count: the project's files do.
    """
    folders = {Path(entry or ".").resolve() for entry in sys.path} - {root.resolve()}
    found = (path.name for folder in folders if folder.is_dir() for path in folder.glob("*.*-info"))
    return sorted(set(found))


def chosen(path: Path, fields: list[str]) -> bytes:
    """Return only some fields of the entries of a YAML file, as bytes."""
    if not fields:
        return b""
    entries = yaml.load(path.read_text(encoding="utf8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}
    return repr([(name, [(entry or {}).get(field) for field in fields]) for name, entry in entries.items()]).encode()


def sources(root: Path, patterns: list[str | dict[str, list[str]]]) -> tuple[list[Path], dict[Path, list[str]]]:
    """Return the files whose whole content matters to cells, and those of which only some fields do."""
    whole, partly = list(RECORDER), {}
    for pattern in patterns:
        if isinstance(pattern, str):
            whole += files_in(root, pattern)
        else:
            partly.update({root / name: fields for name, fields in pattern.items()})
    return sorted(set(whole)), partly


def keys(root: Path, patterns: list[str | dict[str, list[str]]]) -> tuple[str, list[Path]]:
    """Return the state of what cells depend on, and the sources among it."""
    whole, partly = sources(root, patterns)
    python = [sys.version, platform.machine(), *packages(root)]
    fields = [part for path, names in partly.items() for part in (path.name.encode(), chosen(path, names))]
    return digest([*(line.encode() for line in python), *contents(root, whole), *fields]), [*whole, *partly]


def state_of_all(app: Sphinx, cells: str) -> str:
    """Return the state of everything that a build reads, and of how it was asked for."""
    root = Path(app.srcdir)
    asked = [*sys.argv[1:], str(app.outdir), commit_of(root), os.environ.get("SOURCE_DATE_EPOCH")]
    return digest([cells.encode(), repr(asked).encode(), *contents(root, all_files(root))])


def all_files(root: Path) -> list[Path]:
    return sorted({*files_at_hand(root), *files_in(EXTENSIONS.parent)})


def state_of_site(site: Path) -> str:
    """Return names, sizes and times of the site's files; not the time that a copy may keep, or anyone may set."""
    files = ((path.relative_to(site).as_posix(), path.stat()) for path in files_in(site))
    return digest(f"{name} {stat.st_size} {stat.st_ctime_ns}".encode() for name, stat in files)


def sum_of(folder: Path) -> str:
    return digest(contents(folder, files_in(folder)))


def set_surroundings(build: Path, root: Path, listed: list[Path]) -> None:
    """Give the kernels a path to the project's modules, a profile that is not the user's, and the list of sources."""
    profile = build / "ipython" / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text(PROFILE, encoding="utf8")
    rc = build / "ipython" / "matplotlibrc"
    rc.write_text("svg.hashsalt: book\n", encoding="utf8")  # names in SVG files that are the same in every build
    sources = build / "ipython" / "sources.txt"
    sources.write_text("".join(f"{path}\n" for path in listed), encoding="utf8")
    before = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    path = dict.fromkeys([str(root), str(EXTENSIONS), *before])
    os.environ.update(
        PYTHONPATH=os.pathsep.join(path),
        IPYTHONDIR=str(build / "ipython"),
        MATPLOTLIBRC=str(rc),
        JUPYTER_PREFER_ENV_PATH="1",
        PYTHONUTF8="1",
        FRESH_ROOT=str(root),
        FRESH_SOURCES=str(sources),
    )


def anew() -> bool:
    """Tell whether every cell shall run, whatever the cache holds."""
    return os.environ.get("FRESH_ANEW", "") not in ("", "0")


def end_if_nothing_changed(app: Sphinx) -> None:
    """End the build where it would find what the last one left.

    Settings count as configuration only when all extensions are loaded, which takes longer than to look here.
    """
    cells, _ = keys(Path(app.srcdir), app.config.overrides.get("fresh_sources", []))
    front = Path(app.outdir, "index.html")  # no builder but one that writes a site has it
    same = stamped(app) == [state_of_all(app, cells), state_of_site(Path(app.outdir))]
    if same and front.exists() and not anew() and "--all" not in sys.argv:
        print("Nothing changed since the last build, which checked and wrote all of the site:", front, flush=True)
        os._exit(0)  # nothing is open; to take apart all that was imported takes Python longer than the check did


def begin(app: Sphinx, config: Config) -> None:
    """Choose the cache before MyST-NB opens one."""
    build = Path(app.outdir).parent
    app.fresh_found = found_now(app, config)  # before their contents are looked at
    app.fresh_cells, listed = keys(Path(app.srcdir), config.fresh_sources)
    app.fresh_asked = state_of_all(app, app.fresh_cells)
    set_surroundings(build, Path(app.srcdir), listed)
    app.fresh_cache = cache = build / ".jupyter_cache" / app.fresh_cells[:16]
    seal = cache.with_suffix(".sum")
    whole = cache.exists() and seal.exists() and seal.read_text(encoding="utf8") == sum_of(cache)
    if cache.exists() and (anew() or not whole):
        shutil.rmtree(cache)
    seal.unlink(missing_ok=True)
    for path in listed:
        # Python trusts a compiled file when time (in seconds) and size of its source agree: two edits in a second
        if path.suffix == ".py":
            Path(importlib.util.cache_from_source(path)).unlink(missing_ok=True)
    config.nb_execution_cache_path = str(cache)


def stamp(app: Sphinx) -> Path:
    return Path(app.doctreedir, f"complete-{Path(app.outdir).name}")


def stamped(app: Sphinx) -> list[str]:
    """Return what the last build that came to its end found and left: the state of everything, and of the site."""
    return stamp(app).read_text(encoding="utf8").split() if stamp(app).exists() else []


def add_to_site(site: Path) -> None:
    """Let what was put into a finished site since (the book on paper) count as part of it."""
    file = site.parent / ".doctrees" / f"complete-{site.name}"
    if file.exists():
        *found, _ = file.read_text(encoding="utf8").split()
        file.write_text("\n".join([*found, state_of_site(site)]), encoding="utf8")


def outdated(app: Sphinx, env: BuildEnvironment, added: set, changed: set, removed: set) -> list[str]:
    """Answer with every page: each shows what others hold, a reference's target, a number of record, the commit."""
    stamp(app).unlink(missing_ok=True)
    return list(env.found_docs)


def states(paths: Iterable[Path]) -> dict[Path, tuple[int, int]]:
    """Return files with what tells whether they are written again."""
    return {path: (path.stat().st_ino, path.stat().st_ctime_ns) for path in paths if path.is_file()}


def found_now(app: Sphinx, config: Config) -> tuple[dict, dict]:
    """Return the states of what cells depend on, and of everything that the build reads."""
    root = Path(app.srcdir)
    whole, partly = sources(root, config.fresh_sources)
    return states([*whole, *partly]) | dict.fromkeys(packages(root)), states(all_files(root))


def look(app: Sphinx) -> None:
    """Note what an earlier build left, before this one writes anything."""
    site = Path(app.outdir)
    for path in site.glob("_static/mystnb.*.css"):  # which MyST-NB writes now, unless it is there
        path.unlink()
    app.fresh_before = states(site.rglob("*"))


def clear(app: Sphinx, env: BuildEnvironment) -> None:
    """Before all is written remove what an earlier build wrote: pages and figures that left the book would stay."""
    for path, state in states(Path(app.outdir).rglob("*")).items():
        if app.fresh_before.get(path) == state:
            path.unlink()


def end(app: Sphinx, exception: Exception | None) -> None:
    cache = app.fresh_cache
    cells, everything = (before == now for before, now in zip(app.fresh_found, found_now(app, app.config)))
    if cache.exists() and cells:
        cache.with_suffix(".sum").write_text(sum_of(cache), encoding="utf8")
    if exception is None:
        for other in cache.parent.glob("*"):
            if other.stem != cache.name:
                shutil.rmtree(other) if other.is_dir() else other.unlink()
        if cells and everything:
            stamp(app).write_text(f"{app.fresh_asked}\n{state_of_site(Path(app.outdir))}", encoding="utf8")


def setup(app: Sphinx) -> dict:
    app.add_config_value("fresh_sources", [], "", [list])
    end_if_nothing_changed(app)
    app.connect("config-inited", begin, priority=900)
    app.connect("builder-inited", look, priority=0)
    app.connect("env-get-outdated", outdated)
    app.connect("env-check-consistency", clear, priority=999)  # after every extension that may end the build there
    app.connect("build-finished", end, priority=999)  # after every extension that may still end the build
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
