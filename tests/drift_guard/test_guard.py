"""The guard in real builds of a toy book of two pages: what ends them, what does not, and what is accepted."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from toy_book import HEADER, WrittenBook
from warm import jupyter_book

from build_control import source_state

FIRST = (
    HEADER
    + """
# First

```{code-cell} ipython3
import numpy as np
import toy
from record import record
print("scale", record("scale", toy.SCALE))
```

```{code-cell} ipython3
frequencies = 1e4 ** (-np.arange(64) / 64)
print(frequencies[5], np.tanh(frequencies).sum(), (np.exp(1j * frequencies) * np.exp(2j * frequencies))[:2])
matrix = np.random.default_rng(1).normal(size=(300, 300))
print("shares", record("shares", (matrix @ matrix)[0, :3]))
print("rest below", record("rest", np.abs(np.sin(frequencies) ** 2 + np.cos(frequencies) ** 2 - 1).max()))
```

```{code-cell} ipython3
:mystnb:
:  image: {alt: "One wave of three turns."}
:  figure: {caption: "A wave.", name: fig-wave}
import matplotlib.pyplot as plt
figure, ax = plt.subplots()
ax.plot(toy.wave(1000), label="wave")
ax.set(xlabel="position", title="A wave")
plt.show()
```

```{code-cell} ipython3
from IPython.display import HTML
HTML("<table><tr><td>sum</td><td>%d</td></tr></table>" % np.loadtxt("data.csv", delimiter=",").sum())
```
"""
)
BARE_FIGURE = """plt.plot([1, 2])
plt.show()
```

```{code-cell} ipython3
"""
SECOND = (
    HEADER
    + """
# Second

The scale is {num}`scale`.

```{code-cell} ipython3
print("nothing but words")
```
"""
)
NUMBERS = """
scale: {meaning: "A scale", shown: .2f}
shares: {meaning: "Shares", shown: .4f}
rest: {meaning: "A residual", below: 1e-12}
"""
PACKAGE = """import numpy as np
SCALE = 1.5
def wave(n):
    return SCALE * np.sin(np.linspace(0, 6 * np.pi, n))
"""
OTHER_PACKAGE = PACKAGE.replace("1.5", "1.7")  # as long as the first
CONFIG = """
title: Toy
only_build_toc_files: true
execute: {execute_notebooks: cache, raise_on_error: true, stderr_output: warn}
sphinx:
  local_extensions:
    {build_control: book/_ext, drift_guard: book/_ext, cited_numbers.num_role: book/_ext}
  config:
    nb_merge_streams: true
    guard_folder: book/recorded
    guard_command: make record
    fresh_sources: [toy/*.py, book/*.py, book/data.csv, {book/numbers.yml: [shown, below, tolerance]}]
"""


class Guarded(WrittenBook):
    """A toy book with a package and a data file, built in an environment with a user's start-up files."""

    def __init__(self, folder: Path, package: str):
        super().__init__(folder, {"first": FIRST, "second": SECOND}, NUMBERS, [])
        (folder / "_config.yml").write_text(CONFIG, encoding="utf8")  # all that another book needs to set
        self.write("data.csv", "1,2,3\n")
        (folder / "toy").mkdir()
        self.set_package(package)
        self.home = folder.with_name("home")
        startup = self.home / ".ipython" / "profile_default" / "startup"
        startup.mkdir(parents=True)
        (startup / "00.py").write_text("raise SystemExit('a start-up file of the user ran')\n", encoding="utf8")

    def set_package(self, text: str) -> None:
        """Write the package's only module; its time stays, as if both were saved in one second."""
        path = self.folder / "toy" / "__init__.py"
        saved = path.stat().st_mtime if path.exists() else 1e9
        path.write_text(text, encoding="utf8")
        os.utime(path, (saved, saved))

    def change(self, name: str, *pairs: tuple[str, str]) -> None:
        path = self.folder / "book" / name
        text = path.read_text(encoding="utf8")
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        path.write_text(text, encoding="utf8")

    def surroundings(self, **changed: str) -> dict[str, str]:
        env = {name: value for name, value in os.environ.items() if name not in ("CI", "GUARD_ACCEPT", "PYTHONPATH")}
        return env | {"HOME": str(self.home), **changed}

    def start(self, cwd: Path | None = None, **changed: str) -> subprocess.Popen[str]:
        """Start a build, from the book's folder or from another one."""
        env = self.surroundings(**changed)
        command = [Path(sys.executable).with_name("jupyter-book"), "build", self.folder if cwd else "."]
        return subprocess.Popen(
            command,
            cwd=cwd or self.folder,
            env=env,
            start_new_session=True,
            text=True,
            encoding="utf8",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def build(self, **changed: str) -> tuple[int, str]:
        """Return exit status and all output."""
        done = jupyter_book("build", ".", folder=self.folder, env=self.surroundings(**changed), as_one=True)
        return done.returncode, plain(done.stdout)

    def kill_at(self, words: str) -> None:
        """Build, and kill the build and its kernels as soon as it says these words."""
        process = self.start()
        assert process.stdout is not None, "a pipe"
        seen = next((True for line in process.stdout if words in line), False)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert seen, f"the build never said {words!r}"

    def processes(self) -> list[str]:
        """Return the numbers of the processes that were begun to execute this book's cells."""
        root = f"GUARD_ROOT={self.folder}\0".encode()
        return [path.parent.name for path in Path("/proc").glob("[0-9]*/environ") if root in environment(path)]

    def copy(self, folder: Path) -> Guarded:
        shutil.copytree(self.folder, folder)
        copied = object.__new__(Guarded)
        copied.folder, copied.extensions, copied.home = folder, self.extensions, self.home
        return copied

    def files(self) -> set[Path]:
        """Return the files of the book but for what a build may leave."""
        left = {"_build", "recorded", "__pycache__"}
        return {path for path in self.folder.rglob("*") if not left & set(path.relative_to(self.folder).parts)}

    def pictures(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (self.folder / "_build" / "html" / "_images").iterdir()}

    def records(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (self.folder / "book" / "recorded").iterdir()}

    def set_records(self, records: dict[str, bytes]) -> None:
        for name, content in records.items():
            (self.folder / "book" / "recorded" / name).write_bytes(content)


def environment(path: Path) -> bytes:
    """Return the environment of a process, empty where there is none any more."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def outcome(process: subprocess.Popen[str]) -> tuple[int, str]:
    output, _ = process.communicate(timeout=300)
    return process.returncode, plain(output)


def plain(output: str) -> str:
    """Return an output without its colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", output)


def executed(output: str) -> int:
    return output.count("Executing notebook")


def table(output: str) -> dict[str, list[str]]:
    """Return the last table of an output: the cells of each row by what it is about."""
    lines = output[output.rindex("page ") :].splitlines()
    found = {}
    for line in lines[2:]:
        if not line.strip():
            break
        row = re.split(r" {2,}", line)
        found[row[2]] = row
    return found


@pytest.fixture(scope="module")
def two(tmp_path_factory) -> tuple[Guarded, Guarded]:
    """Two books that differ in a number of their package, first recorded by builds that ran side by side."""
    first = Guarded(tmp_path_factory.mktemp("book") / "toy", PACKAGE)
    second = Guarded(tmp_path_factory.mktemp("book") / "le jouet déplacé", OTHER_PACKAGE)
    books = {first: None, second: Path("/")}
    files = {book: book.files() for book in books}
    for book, process in {book: book.start(cwd, GUARD_ACCEPT="1") for book, cwd in books.items()}.items():
        status, output = outcome(process)
        assert status == 0, output
        assert executed(output) == 2 and output.count("no such file") == 2
        assert book.files() == files[book], "a build leaves nothing beside the sources"
    return first, second


@pytest.fixture
def toy(two, tmp_path) -> Guarded:
    return two[0].copy(tmp_path / "toy")


def test_builds_side_by_side_do_not_meet(two):
    for book, shown in zip(two, ("1.50", "1.70")):
        status, output = book.build()  # the first that finds the records
        assert status == 0, output
        assert executed(output) == 0
        status, output = book.build()
        assert status == 0 and "Nothing changed since the last build" in output
        assert shown in book.html("first") and shown in book.html("second")
        assert not list(book.folder.rglob("*.part"))
    first, second = (book.records() for book in two)
    assert first["second.json"] == second["second.json"] and first["first.json"] != second["first.json"]


def test_every_difference_is_listed_again_and_again_until_accepted(toy):
    before = toy.records()
    shutil.rmtree(toy.folder / "_build" / "html")
    toy.change("first.md",
               ('record("scale", toy.SCALE)', 'record("factor", 1.5000001)'),
               ('np.random.default_rng(1).normal(size=(300, 300))', "np.eye(3)"),
               ("frequencies[5]", "frequencies[6]"),
               ("import toy\n", "import toy\nfrom myst_nb import glue\nglue('x', open('a.txt'), display=False)\n"),
               ("np.cos(frequencies) ** 2 - 1", "np.cos(frequencies) ** 2 - 1.1"),
               ("toy.wave(1000)", "toy.wave(1000) + 6e-6 * (np.arange(1000) == 500)"),
               ('title="A wave"', 'title="The wave"'),
               ("<td>sum</td>", "<td>total</td>"))  # fmt: skip
    toy.change("first.md", ("from IPython.display import HTML\n", BARE_FIGURE + "from IPython.display import HTML\n"))
    toy.write("a.txt", "what no setting names")
    toy.change("second.md", ("{num}`scale`", "{num}`factor`"), ("nothing but words", "nothing but a word"))
    toy.write("numbers.yml", NUMBERS.replace("scale:", "factor:"))
    for run in range(2):
        status, output = toy.build()
        assert status == 1
        assert executed(output) == (0 if run else 2)
        rows = table(output)
        assert rows.keys() == {
            "number factor", "number scale", "number shares", "number rest", "text", "html", "glue x", "book/a.txt",
            "figure", "figure: alt", "figure: caption",
            "fig-wave: axes 1 title",
            "fig-wave: axes 1 Line2D 'wave': y"}  # fmt: skip
        assert [cell[1] for what, cell in rows.items() if what in ("number rest", "html")] == ["2", "5"]
        assert rows["number scale"][3:] == ["1.5", "—", "missing"] and rows["number factor"][5] == "new"
        assert rows["fig-wave: axes 1 title"][3:] == ["A wave", "The wave", "exact"]
        assert output.rstrip().endswith("accept them with:  make record") and "Traceback" not in output
        assert not (toy.folder / "_build" / "html" / "book" / "first.html").exists()

    status, output = toy.build(GUARD_ACCEPT="1")
    assert status == 1 and "no record can accept" in output, "a residual above its bound is not for acceptance"
    assert toy.records() == before

    toy.change(
        "first.md", ("** 2 - 1.1", "** 2 - 1"), (BARE_FIGURE, ""), ("glue('x', open('a.txt'), display=False)", "")
    )
    toy.change("second.md", ("nothing but a word", "nothing but words"))
    status, output = toy.build(GUARD_ACCEPT="1")
    assert status == 0, output
    assert "Accepted:" in output and "number factor" in table(output)
    after = toy.records()
    assert after["second.json"] == before["second.json"] and after["first.json"] != before["first.json"]
    changed = [line for line in after["first.json"].splitlines() if line not in before["first.json"].splitlines()]
    assert not any(b"xlabel" in line or b"position" in line for line in changed), "what agreed is not written anew"
    status, output = toy.build()
    assert status == 0, output


def test_on_github_every_row_marks_a_line_of_its_cell(toy):
    toy.set_package(OTHER_PACKAGE)
    toy.change("first.md", ("# First\n", "# First\n\nA paragraph of\ntwo lines.\n\n- an item\n"),
               ("<td>sum</td>", "<td>100%% of a: b</td>"))  # fmt: skip
    toy.change("second.md", ("nothing but words", "nothing but a word"))
    status, output = toy.build()
    assert status == 1 and "::error" not in output
    status, output = toy.build(GITHUB_ACTIONS="true")
    assert status == 1
    marks = re.findall(r"^::error file=([^,:]+),line=(\d+),title=drift::cell (\d+), (.+)$", output, re.MULTILINE)
    assert marks and len(marks) == output.count("::error"), output
    assert {(file, cell) for file, _, cell, _ in marks} == {
        ("book/first.md", "1"), ("book/first.md", "3"), ("book/first.md", "4"), ("book/second.md", "1")}  # fmt: skip
    for file, line, cell, _ in marks:
        lines = (toy.folder / file).read_text(encoding="utf8").splitlines()
        fences = [number for number, text in enumerate(lines, 1) if text.startswith("```")]
        first, last = fences[2 * int(cell) - 2 : 2 * int(cell)]
        assert first <= int(line) <= last, (file, line, cell, first, last)
    [told] = [text for *_, text in marks if text.startswith("html")]
    assert "100%25 of a: b" in told
    assert any(text.startswith("number scale: recorded 1.5, computed 1.7") for *_, text in marks)


def test_a_cell_put_in_front_moves_nothing_but_places(toy):
    before = toy.records()
    toy.change("first.md", ("# First\n", "# First\n\n```{code-cell} ipython3\nearlier = 0\n```\n"))
    status, output = toy.build()
    assert status == 0 and executed(output) == 1, output
    assert toy.records() == before
    assert 'id="cell-5"' in toy.html("first")


def test_a_change_of_the_package_alone_reaches_every_page(toy, two):
    toy.set_package(OTHER_PACKAGE)
    status, output = toy.build()
    assert status == 1 and executed(output) == 2
    assert table(output)["number scale"][3:5] == ["1.5", "1.7"]
    toy.set_records(two[1].records())
    left_over = toy.folder / "_build" / "html" / "book" / "gone.html"
    left_over.write_text("a page that left the book", encoding="utf8")
    status, output = toy.build()
    assert status == 0 and executed(output) == 0
    assert not left_over.exists()
    for page in "first", "second":
        assert "1.70" in toy.html(page) and "1.50" not in toy.html(page)


def test_killed_builds_leave_nothing_stale(toy, two):
    toy.set_package(OTHER_PACKAGE)
    toy.set_records(two[1].records())
    for words in "Executing notebook", "pickling environment", "writing output... ":
        toy.kill_at(words)
    status, output = toy.build()
    assert status == 0, output
    for page in "first", "second":
        assert "1.70" in toy.html(page) and "1.50" not in toy.html(page)
    assert not toy.processes(), "kernels end with the build that began them"
    assert "Nothing changed since the last build" in toy.build()[1]


def test_a_damaged_cache_is_made_anew(toy):
    for path in (toy.folder / "_build" / ".jupyter_cache").rglob("*"):
        if path.suffix in (".db", ".ipynb"):
            path.write_bytes(path.read_bytes()[:500])
    (toy.folder / "_build" / ".doctrees" / "environment.pickle").write_bytes(b"cut")
    before = toy.pictures()
    status, output = toy.build()
    assert status == 0, output
    assert executed(output) == 2
    assert len(before) == 1 and toy.pictures() == before, "figures are the same files in every build"


def test_nothing_new_to_accept_leaves_the_records_as_they_are(toy):
    paths = list((toy.folder / "book" / "recorded").iterdir())
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}
    status, output = toy.build(FRESH_ANEW="1", GUARD_ACCEPT="1")
    assert status == 0 and executed(output) == 2
    assert output.rstrip().endswith("nothing to accept.")
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths} == before


def test_broken_records_are_named_with_their_lines(toy):
    first = toy.folder / "book" / "recorded" / "first.json"
    half = first.read_text(encoding="utf8")[:400]
    first.write_text(half, encoding="utf8")
    (toy.folder / "book" / "recorded" / "second.json").unlink()
    status, output = toy.build()
    assert status == 1 and "Traceback" not in output
    rows = table(output)
    assert rows.keys() == {f"book/recorded/first.json:{half.count(chr(10)) + 1}", "book/recorded/second.json"}
    assert output.rstrip().endswith("make record")


def test_a_second_build_in_the_same_folder_ends_at_once(toy):
    told = toy.folder / "_build" / ".doctrees" / "kernels" / "told"  # where a cell may look; the first one's cells wait
    wait = f"import os, time\nwhile not os.path.exists({str(told)!r}):\n    time.sleep(0.05)\n"
    toy.set_package(PACKAGE + wait)
    first = toy.start()
    assert any("Executing notebook" in line for line in first.stdout)
    status, output = toy.build()
    told.touch()
    assert status == 1 and f"Another build (process {first.pid}) is at work" in output and "Traceback" not in output
    status, output = outcome(first)
    assert status == 0, output


def test_no_machine_accepts(toy):
    before = toy.records()
    toy.set_package(OTHER_PACKAGE)
    status, output = toy.build(GUARD_ACCEPT="1", CI="true")
    assert status == 1 and "CI is set" in output and executed(output) == 0
    assert toy.records() == before


# ---- what the cells depend on


def test_every_source_and_every_package_is_in_the_key(tmp_path, monkeypatch):
    (tmp_path / "toy" / "part").mkdir(parents=True)
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.setattr(sys, "path", [str(site)])  # the real packages take seconds to read
    module, data, entries = tmp_path / "toy" / "part" / "a.py", tmp_path / "data.csv", tmp_path / "numbers.yml"
    patterns = ["toy/**/*.py", "*.csv", {"numbers.yml": ["shown"]}]
    entries.write_text("a: {shown: .2f, meaning: old}\n", encoding="utf8")

    def now():
        return source_state.keys(tmp_path, patterns, tmp_path / "packages.sum")[0]

    seen = [now()]
    for change in (
        lambda: module.write_text("A = 1\n", encoding="utf8"),
        lambda: module.write_text("A = 2\n", encoding="utf8"),
        lambda: module.rename(module.with_name("b.py")),
        lambda: data.write_text("1\n", encoding="utf8"),
        lambda: entries.write_text("a: {shown: .3f, meaning: old}\n", encoding="utf8"),
        lambda: (site / "numpy_like-1.0.dist-info").mkdir(),
        lambda: (site / "numpy_like-1.0.dist-info").rename(site / "numpy_like-1.1.dist-info"),
        lambda: monkeypatch.setattr(sys, "version", sys.version.replace("3.", "3.9", 1)),
    ):
        change()
        seen.append(now())
    assert len(set(seen)) == len(seen)
    entries.write_text("a: {shown: .3f, meaning: new}  # what no cell sees\n", encoding="utf8")
    (tmp_path / "toy" / "__pycache__").mkdir()
    (tmp_path / "toy" / "__pycache__" / "a.py").write_text("", encoding="utf8")
    assert now() == seen[-1]
