"""Pages are written side by side, and no failure of one is forgotten."""

import os
import signal

import pytest
from sphinx.errors import SphinxError
from stand_ins import stand_in

from build_control.write_pages import Writers, by_size


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
    assert by_size(stand_in(doctreedir=tmp_path), ["a", "b", "c", "d"]) == ["b", "c", "a", "d"]
