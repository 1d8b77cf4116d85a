"""Pages that are executed side by side know nothing of one another."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import start_kernels
from matching import matched
from toy_book import HEADER, ToyBook
from warm import jupyter_book

from build_control import forked_kernels

CELL = """
# Page

```{code-cell} ipython3
import os, random, sys
import numpy as np
print("drawn", repr(np.random.random()), repr(random.random()))
print("process", os.getpid(), "in", os.path.basename(os.getcwd()), "as", __name__)
ours = {"record", "posenc", "drift_guard.figure_record", "build_control"}
print("known", sorted(ours & set(sys.modules)), "here" in globals())
here = True
np.set_printoptions(precision=3)
```

```{code-cell} ipython3
print("set", np.get_printoptions()["precision"])
```
"""
PAGES = {name: HEADER + CELL + f"\nThis is {name}.\n" for name in ("one", "two", "three")}
EXTENSIONS = ["build_control"]


@pytest.fixture(scope="module")
def shown(tmp_path_factory) -> list[str]:
    book = ToyBook(tmp_path_factory.mktemp("pages"), PAGES, "{}\n", EXTENSIONS)
    done = book.build()
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("Executing notebook") == 3
    return [re.sub(r"<[^>]+>", "", book.html(name)) for name in PAGES]


@pytest.mark.parametrize("word, number", [("drawn", 3), ("process", 3), ("known", 1), ("set", 1)])
def test_each_page_has_a_process_of_its_own(shown, word, number):
    lines = [next(line for line in text.splitlines() if line.startswith(f"{word} ")) for text in shown]
    assert len(set(lines)) == number
    assert all(
        line.endswith({"process": "in book as __main__", "known": "[] False", "set": "3"}.get(word, ""))
        for line in lines
    )


def test_both_generators_are_drawn_anew(shown):
    drawn = [matched(r"drawn (\S+) (\S+)", text).groups() for text in shown]
    assert all(len(set(column)) == 3 for column in zip(*drawn))


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 15)"])
def test_a_page_whose_kernel_dies_is_named_and_no_traceback_follows(tmp_path, end):
    cells = "".join(f"```{{code-cell}} ipython3\n{code}\n```\n\n" for code in ("print(1)", f"import os\n{end}", "2"))
    pages = {"page": cells, "other": "```{code-cell} ipython3\nimport time\ntime.sleep(20)\n```\n"}
    pages = {name: f"{HEADER}\n# A page\n\n{text}" for name, text in pages.items()}
    done = ToyBook(tmp_path, pages, "{}\n", EXTENSIONS).build()
    assert done.returncode == 1 and "Traceback" not in done.stdout + done.stderr
    assert re.search(r"/book/page.md: Kernel died\s*$", done.stderr), done.stderr


# ---- kernels that start


def run_starts(code: str) -> list[str]:
    """Run a program that has imported start_kernels.py, and return the lines that it prints."""
    path = [str(Path(start_kernels.__file__).parent), str(Path(forked_kernels.__file__).parents[1])]
    program = f"import sys\nsys.path[:0] = {path}\nfrom start_kernels import *\n{code}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, encoding="utf8")
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    return done.stdout.splitlines()


def test_kernels_that_start_together_all_answer():
    assert run_starts("print(starts(16, 8))") == ["[]"]


def test_where_no_process_is_forked_the_sockets_lie_in_a_folder_that_goes(tmp_path):
    code = f"""
import asyncio, os, tempfile
sys.platform, tempfile.tempdir = "darwin", tempfile.mkdtemp(dir={tempfile.gettempdir()!r})
manager = forked_kernels.Manager()
print(manager.transport, os.path.dirname(manager.ip) == manager.folder, os.path.isdir(manager.folder))
asyncio.run(manager.cleanup_resources())
print(os.path.exists(manager.folder), start(5))
print([name for name in os.listdir(tempfile.tempdir) if name.startswith("book-")])
os.rmdir(tempfile.tempdir)
"""
    assert run_starts(code) == ["ipc True True", "False 5", "[]"]


def test_a_kernel_that_ends_before_its_first_answer_is_started_once_more():
    code = """
def fork_and_kill(self, *how, fork=forked_kernels.Server.fork):
    global left
    kernel = fork(self, *how)
    if left:
        left -= 1
        kernel.kill()
    return kernel

forked_kernels.Server.fork = fork_and_kill
for left in 1, 3:
    print(start(7), left)
forked_kernels.SERVER.end()
"""
    assert run_starts(code) == ["7 0", "RuntimeError: Kernel died before replying to kernel_info 1"]


def test_a_build_whose_kernels_never_answer_names_the_page_and_ends_without_a_traceback(tmp_path):
    kernel = tmp_path / "data" / "kernels" / "ends" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    kernel.write_text('{"argv": ["false"], "display_name": "It ends", "language": "python"}', encoding="utf8")
    page = HEADER.replace("name: python3", "name: ends") + "\n# Page\n\n```{code-cell} ipython3\n1\n```\n"
    (tmp_path / "toy").mkdir()
    book = ToyBook(tmp_path / "toy", {"page": page}, "{}\n", EXTENSIONS)
    done = jupyter_book("build", ".", folder=book.folder, env=os.environ | {"JUPYTER_PATH": str(tmp_path / "data")})
    assert done.returncode == 1 and "Traceback" not in done.stdout + done.stderr
    assert re.search(r"/book/page.md: Kernel died before replying to kernel_info\s*$", done.stderr), done.stderr


def test_a_cell_that_hangs_is_executed_once_and_named(tmp_path):
    pages = {"one": HEADER + "\n# Page\n\n```{code-cell} ipython3\nimport time\ntime.sleep(60)\n```\n"}
    book = ToyBook(tmp_path, pages, "{}\n", EXTENSIONS)
    config = tmp_path / "_config.yml"
    config.write_text(config.read_text(encoding="utf8").replace("timeout: 120", "timeout: 2"), encoding="utf8")
    done = book.build()
    assert done.returncode == 1 and done.stdout.count("Executing notebook") == 1
    assert "one.md" in done.stderr and "timed out" in done.stderr and "Traceback" not in done.stderr
