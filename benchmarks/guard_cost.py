"""What the guard adds to a build of the book, and how long a build with nothing changed takes.

    python -m benchmarks.guard_cost [--rounds N]

Cold builds of two copies of the book take turns, one with the guard, one without it: no comparison, no record of
figures, no watch on what cells read. Processor time of the build and its kernels is compared, because it depends less
on what else the machine does. The results stand in guard_cost.json.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
COUNTING = """
def load_ipython_extension(shell):
    shell.runs = 0
    def count(info):
        shell.runs += 1
    shell.events.register("pre_run_cell", count)
"""


def copy(folder: Path, guarded: bool) -> Path:
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns("_build", ".venv", ".git", ".bench", "__pycache__"))
    if not guarded:
        config = yaml.safe_load((folder / "_config.yml").read_text(encoding="utf8"))
        del config["sphinx"]["local_extensions"]["guard"], config["sphinx"]["config"]["guard_folder"]
        (folder / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf8")
        (folder / "book" / "_ext" / "recorder.py").write_text(COUNTING, encoding="utf8")
    return folder


def build(folder: Path) -> tuple[float, float]:
    """Return processor and wall-clock seconds of a build and all that it starts."""
    command = [Path(sys.executable).with_name("jupyter-book"), "build", "."]
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    problem = process.stderr.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the build in {folder.name} failed:\n{problem[-2000:]}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=5)
    rounds = options.parse_args().rounds
    cold: dict[str, list[float]] = {"with": [], "without": []}
    unchanged = []
    with tempfile.TemporaryDirectory() as place:
        books = {name: copy(Path(place, name), name == "with") for name in cold}
        for turn in range(rounds):
            for name in sorted(books, reverse=bool(turn % 2)):
                shutil.rmtree(books[name] / "_build", ignore_errors=True)
                cold[name].append(build(books[name])[0])
                print(f"round {turn + 1}, {name} the guard: {cold[name][-1]:.2f} s", flush=True)
            unchanged.append(build(books["with"]))
    ratios = [a / b for a, b in zip(cold["with"], cold["without"])]
    results = {
        "cold_processor_seconds": {name: round(statistics.median(times), 2) for name, times in cold.items()},
        "added_percent": round(100 * (statistics.median(ratios) - 1), 1),
        "added_percent_of_rounds": [round(100 * (ratio - 1), 1) for ratio in ratios],
        "unchanged_processor_seconds": round(statistics.median(cpu for cpu, _ in unchanged), 2),
        "unchanged_wall_seconds": round(min(wall for _, wall in unchanged), 2),
        "rounds": rounds,
    }
    Path(__file__).with_suffix(".json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf8", newline="\n")
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
