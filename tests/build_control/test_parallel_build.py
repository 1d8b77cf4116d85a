"""Pages that are executed side by side know nothing of one another."""

import os
import re
import signal
from types import SimpleNamespace

import pytest
from sphinx.errors import SphinxError
from toy_book import HEADER, ToyBook

from build_control.parallel_build import Writers, by_size
from site_features.numref import read_once

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
    drawn = [re.search(r"drawn (\S+) (\S+)", text).groups() for text in shown]
    assert all(len(set(column)) == 3 for column in zip(*drawn))


def fail() -> None:
    raise FileNotFoundError("no such picture")


def end() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("fault, told", [(fail, "no such picture"), (end, "killed")])
def test_a_failure_met_while_pages_are_handed_out_is_not_forgotten(fault, told):
    writers = Writers(2)
    writers.add_task(fault)
    writers._procs[0].join()
    for _ in range(3):
        writers.add_task(int)
    with pytest.raises(SphinxError, match=told):
        writers.join()


def test_the_smallest_page_is_written_first_and_the_largest_next(tmp_path):
    for page, size in {"a": 20, "b": 1, "c": 30, "d": 2}.items():
        (tmp_path / f"{page}.doctree").write_bytes(bytes(size))
    assert by_size(SimpleNamespace(doctreedir=tmp_path), ["a", "b", "c", "d"]) == ["b", "c", "a", "d"]


def test_a_page_is_read_once_for_all_numbers_of_its_figures():
    read = []

    class Domain:
        def _resolve_numref_xref(self, env, page, target):
            return page, env.get_doctree(target), env.toc_fignumbers[target]

    domain = Domain()
    env = SimpleNamespace(
        get_domain=lambda name: domain,
        toc_fignumbers={"one": 1, "two": 2},
        get_doctree=lambda page: read.append(page) or f"tree of {page}",
    )
    read_once(None, env)
    for target, number in ("one", 1), ("two", 2), ("one", 1):
        assert domain._resolve_numref_xref(env, "here", target) == ("here", f"tree of {target}", number)
    assert read == ["one", "two"]


def test_a_page_whose_kernel_dies_is_named(tmp_path):
    page = HEADER + "\n# Page\n\n```{code-cell} ipython3\nimport os\nos._exit(0)\n```\n"
    done = ToyBook(tmp_path, {"page": page}, "{}\n", EXTENSIONS).build()
    assert done.returncode == 1
    assert re.search(r"/book/page.md: Kernel died\s*$", done.stderr), done.stderr


def test_a_cell_that_hangs_is_executed_once_and_named(tmp_path):
    pages = {"one": HEADER + "\n# Page\n\n```{code-cell} ipython3\nimport time\ntime.sleep(60)\n```\n"}
    book = ToyBook(tmp_path, pages, "{}\n", EXTENSIONS)
    config = tmp_path / "_config.yml"
    config.write_text(config.read_text(encoding="utf8").replace("timeout: 120", "timeout: 2"), encoding="utf8")
    done = book.build()
    assert done.returncode == 1 and done.stdout.count("Executing notebook") == 1
    assert "one.md" in done.stderr and "timed out" in done.stderr and "Traceback" not in done.stderr
