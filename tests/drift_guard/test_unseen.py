"""What a cell depends on without naming it: every kind is a fault, in a real build, and twice."""

import datetime
import re
import sys
import time

import pytest
from test_guard import PACKAGE, Guarded
from toy_book import HEADER

from drift_guard import unseen

CELL = """
```{code-cell} ipython3
%s
```
"""
CODE = {
    "file": "open('%s/outside.txt').read()",
    "file through a package": "import numpy\nnumpy.loadtxt('%s/outside.txt')",
    "process": "import subprocess, sys\nsubprocess.run([sys.executable, '-c', ''])",
    "shell": "import os\nos.system('true')",
    "folder": "import os\nlen(os.listdir('../toy'))",
    "folder by pattern": "import glob\nlen(glob.glob('../toy/*.py'))",
    "folder outside": "from pathlib import Path\nlen(list(Path('%s').iterdir()))",
    "network": "import socket\ntry: socket.create_connection(('127.0.0.1', 9), timeout=1)\nexcept OSError: pass",
}
ALLOWED = """
import os, tempfile, time
from pathlib import Path
import matplotlib.pyplot as plt
from PIL import Image
import toy

with tempfile.TemporaryDirectory() as folder:
    Path(folder, "made").write_text("1")
    print(Path(folder, "made").read_text(), os.listdir(folder))
begun = time.perf_counter()
print(time.strftime("%Y", time.gmtime(0)), time.perf_counter() > begun)
print(sorted(set(os.environ) & {"USER", "LANG", "TZ", "SECRET", "PYTHONPATH"}))
"""


def page(cells: list[str]) -> str:
    return HEADER + "\n# Page\n" + "".join(CELL % code for code in cells)


@pytest.fixture
def toy(tmp_path) -> Guarded:
    book = Guarded(tmp_path / "toy", PACKAGE)
    book.write("numbers.yml", "")
    book.write("second.md", page(["print('nothing but words')"]))
    (tmp_path / "outside.txt").write_text("1\n", encoding="utf8")
    return book


def test_what_a_cell_asks_beside_its_sources_is_named_twice(toy, tmp_path):
    codes = [code % tmp_path if "%s" in code else code for code in CODE.values()]
    toy.write("first.md", page([f"{code};" for code in codes]))
    for _ in range(2):
        status, output = toy.build(GUARD_ACCEPT="1")
        assert status == 1 and "no record can accept" in output, output
        cells = set(re.findall(r"^book/first +(\d+) ", output, re.MULTILINE))
        assert cells == {str(place) for place in range(1, len(CODE) + 1)}, output


def test_what_a_cell_may_ask(toy):
    toy.write("first.md", page([ALLOWED]))
    status, output = toy.build(GUARD_ACCEPT="1", SECRET="1", TZ="Asia/Kolkata", LANG="C")
    assert status == 0, output
    recorded = toy.records()["first.json"].decode()
    assert "1970 True" in recorded and "['PYTHONPATH']" in recorded


def test_a_page_that_names_what_its_processes_read_may_start_them(toy):
    head = HEADER.replace("kernelspec:", "process_inputs: [%s]\nkernelspec:")
    cell = CELL % CODE["process"].replace("subprocess.run(", "_ = subprocess.run(")
    for inputs, status in {"book/other.txt": 1, "toy/nothing*": 1, "toy/*.py": 0}.items():
        toy.write("first.md", head % inputs + "\n# Page\n" + cell)
        done, output = toy.build(GUARD_ACCEPT="1")
        assert done == status, output


def test_the_clock_refuses(toy):
    toy.write("first.md", page(["import datetime\nprint(datetime.date.today().year > 2000)"]))
    status, output = toy.build(GUARD_ACCEPT="1")
    assert status == 1 and "date.today() asks the clock" in output


@pytest.fixture
def refusing(monkeypatch) -> None:
    """The clock as it is in a kernel, in which this file is the book's code."""
    for name in "time", "time_ns", "localtime", "gmtime", "ctime", "asctime", "strftime":
        monkeypatch.setattr(time, name, getattr(time, name))
    for name in "datetime", "date":
        monkeypatch.setattr(datetime, name, getattr(datetime, name))
    unseen.refuse_clock(lambda frame: frame.f_code.co_filename == __file__)


@pytest.mark.parametrize("ask", [
    lambda: time.time(), lambda: time.time_ns(), lambda: time.localtime(), lambda: time.gmtime(), lambda: time.ctime(),
    lambda: time.strftime("%Y"), lambda: datetime.datetime.now(), lambda: datetime.datetime.now(datetime.UTC),
    lambda: datetime.datetime.today(), lambda: datetime.date.today(),
])  # fmt: skip
def test_each_way_to_ask_the_clock_is_refused(refusing, ask):
    with pytest.raises(unseen.ClockAsked, match="asks the clock"):
        ask()


def test_times_that_are_given_are_served(refusing):
    assert time.gmtime(0).tm_year == 1970 and time.strftime("%Y", time.gmtime(0)) == "1970"
    day = datetime.datetime(2026, 1, 2, 3)
    assert type(day).__name__ == "datetime" and isinstance(day, datetime.datetime) and isinstance(day, datetime.date)
    assert type(day) == datetime.datetime and {type(day): 1}[datetime.datetime] == 1  # noqa: E721
    assert datetime.datetime.strptime("2026", "%Y").year == datetime.datetime.fromtimestamp(1.8e9).year - 1
    assert datetime.date.fromisoformat("2026-01-02") == day.date()


def test_other_code_has_the_clock(refusing):
    asked = {"datetime": datetime, "time": time}
    exec(compile("now = time.time(), datetime.datetime.now()", "a_package.py", "exec"), asked)
    assert asked["now"][0] > 1e9 and asked["now"][1].year > 2000


def test_this_python_tells_its_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    folders = unseen.environment()
    assert unseen.inside(pytest.__file__, folders) and unseen.inside(re.__file__, folders)
    assert not unseen.inside("/etc/passwd", folders) and not unseen.inside(f"{sys.prefix}-other/file", folders)
