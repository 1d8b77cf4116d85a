"""End the build where an output drifted: when all pages are read, and before one is written, compare what the cells
made with the committed record, and list all differences in one table.

`guard_folder` is the folder of the records, one JSON file a page; `guard_command` is the command that accepts, as the
report tells it. With GUARD_ACCEPT=1 in the environment the build rewrites the records where they differ, and prints the
same table. It never does so where CI is set. Where figures differ, `drift/index.html` beside the site shows old and new
(`drift_page`); on GitHub the rows come as annotations, too. The event `guard-accepted` hands the table to whoever
prints it last.
"""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError

from drift_guard import cell_outputs, compare_pages, drift_page, record_files, report
from drift_guard.kept import Kept
from drift_guard.page_data import Number, Page, Row

ACCEPT = "GUARD_ACCEPT"
NO = ("", "0", "false")


class Drifted(SphinxError):
    category = "What the cells made is not what is recorded, and the build ends here"


@dataclass
class Comparison(Kept):
    """What came of comparing all pages with their records."""

    rows: list[Row] = field(default_factory=list)
    writes: dict[Path, Page | None] = field(default_factory=dict)  # the records to write or, None, to remove
    numbers: dict[str, dict[str, Number]] = field(default_factory=dict)  # as recorded where that agrees
    page: str = ""  # the file that shows how figures drifted


def compare(folder: Path, name: str, pages: dict[str, Page]) -> Comparison:
    """Compare what the cells of all pages made with the records; `name` is the folder as the reader knows it."""
    found = Comparison()
    used = set()
    for page, computed in pages.items():
        found.rows += compare_pages.faults(page, computed)
        if not computed:
            continue
        path = folder / f"{page.removeprefix(Path(name).parent.as_posix() + '/')}.json"
        used.add(path)
        compare_with_file(found, page, computed, path, f"{name}/{path.relative_to(folder).as_posix()}")
    for path in sorted(folder.rglob("*.json")):
        if path not in used:
            file = f"{name}/{path.relative_to(folder).as_posix()}"
            found.rows.append(Row("—", None, file, "a record", "no page with outputs", "gone"))
            found.writes[path] = None
    return found


def compare_with_file(found: Comparison, page: str, computed: Page, path: Path, file: str) -> None:
    """Compare a page with its record, and add what comes of it."""
    count = f"{len(computed.numbers)} numbers, {len(computed.outputs)} outputs"
    if not path.exists():
        found.rows.append(Row(page, None, file, "no such file", count, "new"))
        found.writes[path] = computed
        return
    try:
        recorded = record_files.read(path)
    except record_files.Broken as broken:
        found.rows.append(Row(page, None, f"{file}:{broken.line}", str(broken), count, "broken"))
        found.writes[path] = computed
        return
    rows, kept = compare_pages.compare_page(page, recorded, computed)
    found.rows += rows
    found.numbers[page] = kept.numbers
    if rows:
        found.writes[path] = kept


# ---- the build


def is_set(variable: str) -> bool:
    return os.environ.get(variable, "").lower() not in NO


def refuse_ci(app: Sphinx, config: Config) -> None:
    if is_set(ACCEPT) and is_set("CI"):
        raise Drifted("\nCI is set: a machine may check the records, and only a person accept them: run it yourself.")


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Compare all pages, and end the build where they differ from the records and nobody accepts that."""
    name = app.config.guard_folder.rstrip("/")
    state = cell_outputs.State.of(env)
    found = compare(Path(app.srcdir, name), name, {page: state.pages[page] for page in sorted(state.pages)})
    found.page = show(app, found.rows)
    annotate(env, found.rows, state.pages)
    if any(row.fault for row in found.rows) or (found.rows and not is_set(ACCEPT)):
        sys.stdout.flush()  # the table is the last of the output
        raise Drifted(report.verdict(found.rows, app.config.guard_command, found.page))
    found.keep_on(app)
    state.settled = found.numbers  # from here on the pages quote what is recorded


def show(app: Sphinx, rows: list[Row]) -> str:
    """Write the page on which a person sees how figures drifted, and return where it is."""
    site = Path(app.outdir)
    try:
        file = drift_page.write(site.parent / "drift", rows, Path(app.srcdir), site)
    except OSError as error:  # the table is worth more than the page
        return f"not written: {error}"
    if file is None:
        return ""
    return str(file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file)


def annotate(env: BuildEnvironment, rows: list[Row], pages: dict[str, Page]) -> None:
    """Mark the lines of the cells where GitHub runs the build."""
    if is_set("GITHUB_ACTIONS"):
        lines = {page: (str(env.doc2path(page, base=False)), made.lines) for page, made in pages.items()}
        print(*report.github_annotations(rows, lines), sep="\n", flush=True)


def accept(app: Sphinx, exception: Exception | None) -> None:
    """Rewrite the records of a build that came to its end."""
    if exception is not None or not is_set(ACCEPT):
        return
    found = Comparison.of(app)
    for path, page in found.writes.items():
        if page is None:
            path.unlink()
        else:
            record_files.write(path, page)
    text = f"\n{report.accepted(found.rows, found.page)}\n"
    if not app.emit("guard-accepted", text):
        print(text, flush=True)


def setup(app: Sphinx) -> None:
    app.setup_extension("drift_guard.cell_outputs")
    app.add_config_value("guard_folder", "recorded", "", [str])
    app.add_config_value("guard_command", f"{ACCEPT}=1 and the same build", "", [str])
    app.add_event("guard-accepted")
    app.connect("config-inited", refuse_ci)
    app.connect("env-updated", check, priority=100)  # before others use the numbers
    app.connect("build-finished", accept, priority=900)  # after every extension that may still end the build
