"""A build that finds nothing changed ends at once, and only then."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from toy_book import HEADER, ToyBook

import fresh

PAGE = HEADER + """
# Page

```{code-cell} ipython3
print("once")
```
"""
EXTENSIONS = ["fresh", "garbage", "alone", "strict", "side_by_side"]
SAME = "Nothing changed since the last build"


def built(book: ToyBook) -> str:
    done = book.build()
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_only_a_build_that_finds_all_as_it_was_ends_at_once(tmp_path):
    book = ToyBook(tmp_path, {"page": PAGE}, "{}\n", EXTENSIONS)
    site, stamp = tmp_path / "_build" / "html", tmp_path / "_build" / ".doctrees" / "complete-html"
    assert SAME not in built(book)
    assert SAME in built(book)
    (site / "book" / "page.html").write_text("spoilt", encoding="utf8")
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
    for name in "recorded/page.json", "page.md", "theme/templates/page.html", "_ext/fresh.py", "published-ids.txt":
        path = tmp_path / "book" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("as it was\n", encoding="utf8")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "One")
    monkeypatch.setattr(fresh, "EXTENSIONS", tmp_path / "book" / "_ext")
    return tmp_path


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", folder, *who, *words], check=True)


def state(folder: Path, cells: str = "cells") -> str:
    return fresh.state_of_all(SimpleNamespace(srcdir=folder, outdir=folder / "_build" / "html"), cells)


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
