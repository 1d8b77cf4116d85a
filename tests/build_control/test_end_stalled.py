"""Every wait of a build ends: one that makes no progress says where it stood, and a failed writer ends the others."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from sphinx.errors import SphinxParallelError
from toy_book import HEADER, ToyBook

from build_control import write_pages

EXTENSIONS = Path(write_pages.__file__).parents[1]
STALLED = """
import multiprocessing, threading, time
from build_control import end_stalled
def wait_for_ever():
    threading.Event().wait()
end_stalled.PULSE.said = "reading sources"
child = multiprocessing.get_context("fork").Process(target=wait_for_ever)
child.start()
print(child.pid, flush=True)
threading.Thread(target=end_stalled.watch, args=[2.0], daemon=True).start()
wait_for_ever()
"""


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf8").split()[2] != "Z"
    except OSError:
        return False


def set_limit(file: Path, seconds: int) -> None:
    text = file.read_text(encoding="utf8")
    assert "  config:\n" in text
    file.write_text(text.replace("  config:\n", f"  config:\n    stalled_after: {seconds}\n"), encoding="utf8")


def test_a_build_without_progress_says_where_it_stood():
    command = [sys.executable, "-c", STALLED]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(EXTENSIONS)}, capture_output=True, text=True, encoding="utf8", timeout=60
    )
    assert done.returncode == 1
    assert "no progress for 2 seconds" in done.stderr and "reading sources" in done.stderr
    assert "wait_for_ever" in done.stderr
    deadline = time.monotonic() + 10
    while is_alive(int(done.stdout)):
        assert time.monotonic() < deadline, "no process stays behind"
        time.sleep(0.1)


def test_a_build_that_goes_on_is_left_alone(tmp_path):
    """Four cells of half the limit each: longer than the limit together, and never silent for so long."""
    cell = "\n```{code-cell} ipython3\nimport time\ntime.sleep(2.5)\n```\n"
    book = ToyBook(tmp_path, {"page": HEADER + "\n# Page\n" + 4 * cell}, "{}\n", ["build_control"])
    set_limit(tmp_path / "_config.yml", 8)
    done = book.build()
    assert done.returncode == 0, done.stderr


def test_a_build_that_stops_ends(tmp_path):
    cell = "\n```{code-cell} ipython3\nimport time\ntime.sleep(60)\n```\n"
    book = ToyBook(tmp_path, {"page": HEADER + "\n# Page\n" + cell}, "{}\n", ["build_control"])
    set_limit(tmp_path / "_config.yml", 4)
    begun = time.monotonic()
    done = book.build()
    assert done.returncode == 1 and time.monotonic() - begun < 50
    assert "no progress for 4 seconds" in done.stderr and "page" in done.stderr.split("said:")[1].split("It stood")[0]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked")
def test_a_failed_writer_ends_those_that_nobody_listens_to_any_more():
    def fail(_):
        time.sleep(1)
        raise OSError(28, "No space left on device")

    def tell_much(_):
        return "x" * 10_000_000  # more than a pipe holds

    writers = write_pages.Writers(3)
    for function in fail, tell_much, tell_much:
        writers.add_task(function, 1)
    processes = list(writers._procs.values())
    time.sleep(3)
    with pytest.raises(SphinxParallelError, match="No space left"):
        writers._join_one()
    for process in processes:
        process.join(10)
        assert process.exitcode is not None
    with pytest.raises(SphinxParallelError, match="No space left"):
        writers.join()
