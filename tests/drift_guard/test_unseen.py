"""What a cell depends on without naming it: every kind is a fault, in a real build, and twice."""

import datetime
import re
import sys
import time
from typing import Any

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
    "name of the machine": "import socket\nsocket.gethostname() and None",
    "database": "import sqlite3\nsqlite3.connect('%s/outside.txt').close()",
    "library": "import ctypes\nctypes.CDLL('libc.so.6') and None",
    "existence": "import os\nos.path.exists('%s/outside.txt') and None",
    "existence of none": "import os\nos.path.isfile('%s/nothing') and None",
    "existence by a path": "from pathlib import Path\nPath('%s/nothing').exists() and None",
    "existence in the project": "import os\nos.path.exists('extra.csv') and None",
    "existence by opening": "try: open('%s/nothing')\nexcept FileNotFoundError: pass",
    "existence through a package": "import numpy\ntry: numpy.loadtxt('nothing.csv')\nexcept OSError: pass",
    "state": "import os\nos.stat('%s/outside.txt').st_size and None",
    "access": "import os\nos.access('%s/outside.txt', os.R_OK) and None",
    "time": "import os\nos.path.getmtime('../toy/__init__.py') and None",
    "clock of NumPy": "import numpy\nnumpy.datetime64('now') and None",
    "clock of NumPy by an array": "import numpy\nnumpy.array(['Today'], dtype='datetime64[s]') and None",
    "clock of NumPy in a module": "import asking",
}
ASKING = "import numpy\nTIME = numpy.datetime64('today')\n"
ALLOWED = """
import os, tempfile, time
from pathlib import Path
import matplotlib.pyplot as plt
from IPython.display import Markdown, display
from PIL import Image
import toy

with tempfile.TemporaryDirectory() as folder:
    Path(folder, "made").write_text("1")
    print(Path(folder, "made").read_text(), os.listdir(folder))
begun = time.perf_counter()
print(time.strftime("%Y", time.gmtime(0)), time.perf_counter() > begun)
print(sorted(set(os.environ) & {"USER", "LANG", "TZ", "SECRET", "PYTHONPATH"}), os.environ["TZ"])
print(os.path.exists("record.py"), Path("../toy/__init__.py").stat().st_size > 0, os.path.isdir("../toy"))
display(Markdown("a text"))
print(Path("../toy").resolve().name, os.path.exists(toy.__file__), os.path.exists("/dev/null"))
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
    toy.write("asking.py", ASKING)
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
    assert "1970 True" in recorded and "['PYTHONPATH', 'TZ'] UTC" in recorded
    assert "toy True True" in recorded


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


def test_with_a_fixed_time_the_clock_tells_it(toy):
    code = """
import datetime, time
print(time.time(), datetime.datetime.now(), datetime.date.today(), time.strftime("%H:%M"))
"""
    toy.write("first.md", page([code]))
    status, output = toy.build(GUARD_ACCEPT="1", SOURCE_DATE_EPOCH="86400", TZ="Asia/Kolkata")
    assert status == 0, output
    assert "86400.0 1970-01-02 00:00:00 1970-01-02 00:00" in toy.records()["first.json"].decode()
    status, output = toy.build(SOURCE_DATE_EPOCH="172800")
    assert status == 1 and "172800.0" in output, "another time is another key"


CLOCKS = "time", "time_ns", "localtime", "gmtime", "ctime", "asctime", "strftime", "clock_gettime", "clock_gettime_ns"


def is_here(frame) -> bool:
    return frame.f_code.co_filename == __file__


@pytest.fixture
def clock(monkeypatch) -> None:
    """Have the clock restored."""
    for name in CLOCKS:
        monkeypatch.setattr(time, name, getattr(time, name))
    for name in "datetime", "date":
        monkeypatch.setattr(datetime, name, getattr(datetime, name))


@pytest.fixture
def refusing(clock) -> None:
    """The clock as it is in a kernel, in which this file is the book's code."""
    unseen.fix_clock(is_here)


@pytest.mark.parametrize("ask", [
    lambda: time.time(), lambda: time.time_ns(), lambda: time.localtime(), lambda: time.gmtime(), lambda: time.ctime(),
    lambda: time.strftime("%Y"), lambda: datetime.datetime.now(), lambda: datetime.datetime.now(datetime.UTC),
    lambda: datetime.datetime.today(), lambda: datetime.date.today(), lambda: time.localtime(None),
    lambda: datetime.datetime.utcnow(), lambda: time.clock_gettime(time.CLOCK_REALTIME), lambda: time.asctime(),
    lambda: time.clock_gettime_ns(time.CLOCK_REALTIME), lambda: type("Own", (datetime.date,), {}).today(),
])  # fmt: skip
def test_each_way_to_ask_the_clock_is_refused(refusing, ask):
    with pytest.raises(unseen.ClockAsked, match="asks the clock"):
        ask()


@pytest.mark.parametrize("ask, answer", [
    (lambda: time.time(), 86400.0), (lambda: time.time_ns(), 86400 * 10**9), (lambda: time.gmtime().tm_mday, 2),
    (lambda: time.gmtime(None).tm_mday, 2), (lambda: time.strftime("%Y"), "1970"),
    (lambda: time.asctime()[-4:], "1970"), (lambda: time.ctime()[-4:], "1970"),
    (lambda: time.localtime().tm_year, 1970),
    (lambda: time.clock_gettime(time.CLOCK_REALTIME), 86400.0),
    (lambda: time.clock_gettime_ns(time.CLOCK_REALTIME), 86400 * 10**9),
    (lambda: datetime.datetime.now(datetime.UTC), datetime.datetime(1970, 1, 2, tzinfo=datetime.UTC)),
    (lambda: datetime.datetime.now(tz=datetime.UTC).day, 2), (lambda: datetime.datetime.utcnow().day, 2),
    (lambda: datetime.datetime.today().year, 1970), (lambda: datetime.date.today().year, 1970),
    (lambda: time.perf_counter() > 0 and time.clock_gettime(time.CLOCK_MONOTONIC) != 86400.0, True),
])  # fmt: skip
def test_each_way_to_ask_the_clock_is_told_the_fixed_time(clock, ask, answer):
    unseen.fix_clock(is_here, 86400)
    assert ask() == answer


def test_times_that_are_given_are_served(refusing):
    assert time.gmtime(0).tm_year == 1970 and time.strftime("%Y", time.gmtime(0)) == "1970"
    day = datetime.datetime(2026, 1, 2, 3)
    assert type(day).__name__ == "datetime" and isinstance(day, datetime.datetime) and isinstance(day, datetime.date)
    assert type(day) == datetime.datetime and {type(day): 1}[datetime.datetime] == 1  # noqa: E721
    assert datetime.datetime.strptime("2026", "%Y").year == datetime.datetime.fromtimestamp(1.8e9).year - 1
    assert datetime.date.fromisoformat("2026-01-02") == day.date()


def test_other_code_has_the_clock(refusing):
    asked: dict[str, Any] = {"datetime": datetime, "time": time}
    exec(compile("now = time.time(), datetime.datetime.now()", "a_package.py", "exec"), asked)
    assert asked["now"][0] > 1e9 and asked["now"][1].year > 2000


def test_this_python_tells_its_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    folders = unseen.environment()
    assert unseen.inside(pytest.__file__, folders) and unseen.inside(re.__file__, folders)
    assert not unseen.inside("/etc/passwd", folders) and not unseen.inside(f"{sys.prefix}-other/file", folders)
