"""A build that cannot write says so in words, as the last of its output, and the next one is sound."""

import errno
import os
import re
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from build_control import disk_full

EXTENSIONS = (
    "build_control.last_words",
    "build_control.fail_on_warnings",
    "build_control.disk_full",
)


@pytest.mark.parametrize(
    "error, words",
    [
        (OSError(errno.ENOSPC, "", "a/page.html"), "no room is left on the disk (a/page.html)"),
        (OSError(errno.ENOSPC, "", "page.md", None, "site/page.md"), "no room is left on the disk (site/page.md)"),
        (ValueError("OSError: [Errno 28] No space left on device: 'page.md' -> 'site/page.md'"), "(site/page.md)"),
        (OSError(errno.ENOSPC, ""), "no room is left on the disk (/a/_build)"),
        (ValueError("in a kernel\nOSError: [Errno 28] No space left on device: '/b/c'\n"), "on the disk (/b/c)"),
        (ValueError("in a process: OSError(28, 'No space left on device')"), "on the disk (/a/_build)"),
        (OSError(errno.EROFS, "", "a"), "may not be written to (a)"),
        (PermissionError(errno.EACCES, "", "a"), "may not be written to"),
        (sqlite3.OperationalError("database or disk is full"), "no room is left"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "may not be written to"),
    ],
)
def test_reasons(error, words):
    assert words in disk_full.reason(error, Path("/a/_build"))
    try:
        raise ValueError("while a page was written") from error
    except ValueError as outer:
        assert words in disk_full.reason(outer, Path("/a/_build"))


def test_other_errors_are_left_alone():
    for error in ValueError("x"), FileNotFoundError(errno.ENOENT, "", "a"):
        assert disk_full.reason(error, Path("/a/_build")) is None


def test_a_build_without_room_says_so_and_the_next_one_is_whole(tmp_path):
    extensions = "".join(f"    {name}: {str(Path(disk_full.__file__).parents[1])!r}\n" for name in EXTENSIONS)
    config = f"title: Toy\nonly_build_toc_files: true\nsphinx:\n  local_extensions:\n{extensions}"
    (tmp_path / "_config.yml").write_text(config, encoding="utf8")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: index\n", encoding="utf8")
    (tmp_path / "index.md").write_text("# Toy\n\n" + "A long page.\n" * 4000, encoding="utf8")
    command = [os.path.join(os.path.dirname(sys.executable), "jupyter-book"), "build", "."]

    def build(limit):
        def narrow():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf8", preexec_fn=narrow)
        return done.returncode, re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)

    status, output = build(20_000)  # bytes that a file may have
    last = output.strip().splitlines()[-1]
    assert status == 1 and last.startswith("no room is left on the disk"), output
    status, output = build(resource.RLIM_INFINITY)
    page = (tmp_path / "_build" / "html" / "index.html").read_text(encoding="utf8")
    assert status == 0 and page.count("A long page.") == 4000 and page.rstrip().endswith("</html>")
