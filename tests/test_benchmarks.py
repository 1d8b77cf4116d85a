"""The timing behind the page Performance: ratios, the control, and a results file that holds what the page reads."""

import json
from pathlib import Path

import numpy as np

from benchmarks.timing import CONTROL, measure


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
    path = Path(__file__).parents[1] / "benchmarks" / "results.json"
    results = json.loads(path.read_text(encoding="utf8"))
    assert results["mode"] == "full" and results["machine"]["processor"] and results["machine"]["date"]
    assert all(results["machine"]["packages"].values())
    for rows in [*results["groups"].values(), *results["growth"].values()]:
        assert 0.9 < rows[CONTROL]["ratio"] < 1.1
