"""The timing behind the page Performance: ratios, the control, and a results file that holds what the page reads."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from benchmarks.timing import CONTROL, measure

ROOT = Path(__file__).parents[2]


def test_ratios_are_taken_within_a_round_and_the_control_is_the_first_function():
    calls = []
    rows = measure({"one": lambda: calls.append(1), "many": lambda: np.sort(np.ones(100_000))}, rounds=5, sample=1e-4)
    assert list(rows) == ["one", "many", CONTROL]
    assert rows["one"]["ratio"] == 1 and rows["one"]["quartiles"] == [1, 1]
    assert rows["many"]["ratio"] > 2  # sorting a hundred thousand numbers against appending one
    for row in rows.values():
        assert row["quartiles"][0] <= row["ratio"] <= row["quartiles"][1] and row["seconds"] > 0
    assert len(calls) > 10


def test_committed_results_are_of_a_full_run_with_controls():
    path = ROOT / "benchmarks" / "results.json"
    results = json.loads(path.read_text(encoding="utf8"))
    assert results["mode"] == "full" and results["machine"]["processor"] and results["machine"]["date"]
    assert all(results["machine"]["packages"].values())
    for rows in [*results["groups"].values(), *results["growth"].values()]:
        assert 0.9 < rows[CONTROL]["ratio"] < 1.1


def test_the_group_with_small_pages_is_measured_where_pytorch_has_its_default_setting(tmp_path):
    """A torch that only tells its setting stands in for PyTorch, whose peers are then left out."""
    told = "import os\nraise ImportError(f\"large pages: {os.environ.get('THP_MEM_ALLOC_ENABLE')}\")\n"
    (tmp_path / "torch.py").write_text(told, encoding="utf8")
    program = """
import json
from benchmarks import run
run.available(run.peers.rotary, run.queries(1, 2, 4))
print(json.dumps([run.small_pages_rows(quick=True), [*run.rotary_group(1, 2, 4)]]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        encoding="utf8",
        env=os.environ | {"PYTHONPATH": str(tmp_path), "THP_MEM_ALLOC_ENABLE": "1"},
    )
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if "large pages" in line]
    assert [line.split()[-1] for line in said] == ["1", "None", "1"], done.stderr
    rows, large = json.loads(done.stdout)
    assert list(rows) == ["posenc, interleaved", "copy", CONTROL] and set(rows) <= {*large, CONTROL}
    for row in rows.values():
        assert row["quartiles"][0] <= row["ratio"] <= row["quartiles"][1] and row["seconds"] > 0
    assert {"posenc, into kept memory", "copy, into kept memory"} <= set(large)
