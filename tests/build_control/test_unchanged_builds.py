"""A build that finds nothing changed ends at once, and only then."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from stand_ins import stand_in
from toy_book import HEADER, ToyBook

from build_control import source_state
from build_control.git_commit import files_at_hand
from drift_guard.unseen import Watch

PAGE = (
    HEADER
    + """
# Page

```{code-cell} ipython3
print("once")
```
"""
)
EXTENSIONS = ["build_control"]
SAME = "Nothing changed since the last build"


def built(book: ToyBook) -> str:
    done = book.build()
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_only_a_build_that_finds_all_as_it_was_ends_at_once(tmp_path):
    book = ToyBook(tmp_path, {"page": PAGE}, "{}\n", EXTENSIONS)
    site, stamp = tmp_path / "_build" / "html", tmp_path / "_build" / ".doctrees" / "complete-html"
    assert SAME not in built(book)
    output = built(book)
    assert SAME in output and "The oldest output of a cell is less than two hours old" in output
    for notebook in (tmp_path / "_build" / ".jupyter_cache").glob("*/executed/*/base.ipynb"):
        os.utime(notebook, (1e9, 1e9))
    output = built(book)
    assert SAME in output and re.search(r"The oldest output of a cell is \d{4} days old", output)
    page, before = site / "book" / "page.html", (site / "book" / "page.html").stat()
    page.write_bytes(bytes(before.st_size))
    os.utime(page, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert SAME not in built(book)
    assert "once" in book.html("page")
    (site / "search.html").rename(site / "other.html")
    assert SAME not in built(book)
    assert "once" in book.html("page") and (site / "search.html").exists() and not (site / "other.html").exists()
    book.write("page.md", PAGE.replace("once", "twice"))
    assert SAME not in built(book)
    assert "twice" in book.html("page")
    stamp.unlink()  # as after a build that was killed while it wrote
    assert SAME not in built(book)
    assert SAME in built(book)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Return a project under git."""
    for name in "_config.yml", "_toc.yml", "requirements.txt", "pyproject.toml", "CITATION.cff", "README.md":
        (tmp_path / name).write_text("as it was\n", encoding="utf8")
    for name in (
        "recorded/page.json",
        "page.md",
        "theme/templates/page.html",
        "_ext/build_control/source_state.py",
        "published-ids.txt",
    ):
        path = tmp_path / "book" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("as it was\n", encoding="utf8")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "One")
    monkeypatch.setattr(source_state, "EXTENSIONS", tmp_path / "book" / "_ext")
    return tmp_path


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", folder, *who, *words], check=True)


def state(folder: Path, cells: str = "cells") -> str:
    asked = source_state.asked_for(stand_in(srcdir=folder, outdir=folder / "_build" / "html"))
    return source_state.state_of(asked, cells, source_state.sums_of(folder, source_state.all_files(folder)))


def test_everything_that_a_build_reads_is_part_of_the_state(folder, monkeypatch):
    seen = [state(folder)]
    assert state(folder) == seen[0]
    for path in [path for path in sorted(folder.rglob("*")) if path.is_file() and ".git" not in path.parts]:
        path.write_text(f"now {path.name}\n", encoding="utf8")
        seen.append(state(folder))
        path.unlink()
        seen.append(state(folder))
        path.write_text("as it was\n", encoding="utf8")
    assert state(folder) == seen[0]
    (folder / "book" / "picture.svg").write_text("new, and git does not know it\n", encoding="utf8")
    seen.append(state(folder))
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "Two")
    seen.append(state(folder))
    seen.append(state(folder, "other cells"))
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--all"])
    seen.append(state(folder))
    assert len(set(seen)) == len(seen)


def test_what_was_edited_during_a_build_is_not_taken_for_what_it_was_before(tmp_path):
    edited = tmp_path / "edited"  # for which the cell waits
    wait = f"import os, time\nwhile not os.path.exists({str(edited)!r}):\n    time.sleep(0.05)"
    page = HEADER + f"\n# Page\n\n```{{code-cell}} ipython3\n{wait}\nfrom posenc import WORD\nprint(WORD)\n```\n"
    (tmp_path / "book").mkdir()
    book = ToyBook(tmp_path / "book", {"page": page}, "{}\n", EXTENSIONS)
    module = book.folder / "posenc" / "__init__.py"
    module.parent.mkdir()
    module.write_text("WORD = 'first'\n", encoding="utf8")
    command = [Path(sys.executable).with_name("jupyter-book"), "build", "."]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=book.folder, stdout=pipe, stderr=subprocess.STDOUT, text=True) as build:
        assert build.stdout is not None, "a pipe"
        next(line for line in build.stdout if "Executing notebook" in line)
        module.write_text("WORD = 'other'\n", encoding="utf8")
        edited.touch()
        build.stdout.read()
    assert build.returncode == 0 and "other" in book.html("page")
    module.write_text("WORD = 'first'\n", encoding="utf8")
    assert SAME not in built(book)
    assert "first" in book.html("page")
    assert SAME in built(book)


@pytest.fixture
def site(tmp_path, monkeypatch) -> Path:
    """Return a folder of installed packages with one module, the only one beside Python's own."""
    site = tmp_path / "site"
    (site / "one-1.0.dist-info").mkdir(parents=True)
    (site / "one.py").write_text("VALUE = 'first'\n", encoding="utf8")
    monkeypatch.setattr(sys, "path", [str(site)])
    os.utime(site / "one.py", (1e9, 1e9))
    return site


def test_packages_count_by_their_contents(site, tmp_path):
    def now() -> str:
        return source_state.packages(tmp_path / "project", tmp_path / "sum")

    first, file = now(), site / "one.py"
    file.rename(site / "other.py")
    (site / "other.py").rename(file)
    file.touch()
    assert now() == first, "a file of the same content written again"
    os.utime(file, (1e9, 1e9))
    command = [sys.executable, "-c", "import one; print(one.VALUE)"]
    env = os.environ | {"PYTHONPATH": str(site)}
    for value in "other", "first":
        file.write_text(f"VALUE = '{value}'\n", encoding="utf8")
        os.utime(file, (1e9, 1e9))  # as whoever edits in place may leave it: size and time are as they were
        assert (now() == first) == (value == "first")
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == value, "and Python does not take the compiled form of what it was"
    (site / "two.py").mkdir()
    assert now() != first


def test_what_was_read_of_packages_is_kept_until_one_is_written(site, tmp_path, monkeypatch):
    kept = tmp_path / "sum"
    first = source_state.packages(tmp_path / "project", kept)
    assert not kept.exists(), "a file just written may be written again at what counts as the same moment"
    monkeypatch.setattr(source_state, "SETTLED", -(10**9))
    assert source_state.packages(tmp_path / "project", kept) == first and kept.exists()
    with monkeypatch.context() as changed:
        changed.setattr(source_state.Installed, "contents", lambda self: pytest.fail("it is read again"))
        assert source_state.packages(tmp_path / "project", kept) == first
    (site / "one.py").write_text("VALUE = 'other'\n", encoding="utf8")
    os.utime(site / "one.py", (1e9, 1e9))
    assert source_state.packages(tmp_path / "project", kept) != first


@pytest.mark.parametrize("checkout", [True, False])
def test_files_that_count_need_not_be_known_to_git(tmp_path, checkout):
    names = ".gitignore", "known.md", "more/new.md", "_build/index.html", "env/pyvenv.cfg", "env/lib/code.py"
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text("env\n", encoding="utf8")
    if checkout:
        as_somebody = "-c", "user.name=a", "-c", "user.email=a@b"
        for arguments in (["init", "-q"], ["add", "known.md"], [*as_somebody, "commit", "-qm", "a"]):
            subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    found = {path.relative_to(tmp_path).as_posix() for path in files_at_hand(tmp_path)} - {".gitignore"}
    assert found == {"known.md", "more/new.md"}


@pytest.mark.parametrize(
    "name, mode, noted",
    [
        ("data", "r", True),
        ("data", None, True),
        ("data", "r+", True),
        (b"data", "rb", True),
        ("data", "w", False),
        (3, "r", False),
    ],
)
def test_a_file_is_noted_however_a_cell_reads_it(tmp_path, monkeypatch, name, mode, noted):
    monkeypatch.chdir(tmp_path)
    Path("data").write_text("1", encoding="utf8")
    (tmp_path / "sources").write_text("", encoding="utf8")
    for variable, value in {"GUARD_ROOT": tmp_path, "GUARD_SOURCES": tmp_path / "sources", "IPYTHONDIR": "/no"}.items():
        monkeypatch.setenv(variable, str(value))
    watch = Watch()
    watch.audit("open", (name, mode, 0))
    assert watch.end()[0] == (["data"] if noted else [])
