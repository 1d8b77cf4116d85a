"""Measure what the book takes to build and to open, beside a plain Jupyter Book of the same pages, and write book.json:

    python -m benchmarks.book [--rounds N] [--output FILE] [--guard]

Cold builds of three copies take turns: the book; the same without the guard (no comparison, no record of figures, no
watch on what cells read); and its pages with none of its extensions, as Jupyter Book builds them by itself. A build
with nothing changed follows each. Of the guard the processor time is compared, which depends less on what else the
machine does. Then Chromium opens every page of the two sites from a local server, without a cache, and drags the
explorer (`interactive_drag`). With `--guard` only what the guard adds is measured anew, which other work on the machine
disturbs least, and the rest of the file stays.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import yaml
from playwright.sync_api import sync_playwright

from benchmarks import interactive_drag
from benchmarks.machine import machine

ROOT = Path(__file__).parents[1]
LEFT_OUT = shutil.ignore_patterns("_build", ".venv", ".git", ".bench", ".*_cache", "__pycache__")
BOOK, UNGUARDED, PLAIN = "the book", "without the guard", "plain Jupyter Book"
COUNTING = """
import sys
def load_ipython_extension(shell):
    sys.stdout.flush_interval = 24 * 3600  # as with the guard: what is printed is sent when a cell ends
    shell.runs = 0
    def count(info):
        shell.runs += 1
    shell.events.register("pre_run_cell", count)
"""
REST = 500  # milliseconds after which a browser has come to rest
PAINT = """() => new Promise(done => new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (entry.name === "first-contentful-paint") done(entry.startTime);
}).observe({ type: "paint", buffered: true }))"""
SIZES = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .filter(entry => !entry.name.includes("/_images/")).map(entry => entry.decodedBodySize)"""


# ---- builds


def copy(folder: Path, kind: str) -> Path:
    shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
    config = yaml.safe_load((folder / "_config.yml").read_text(encoding="utf8"))
    sphinx = config["sphinx"]
    if kind == UNGUARDED:
        del sphinx["local_extensions"]["drift_guard"]
        sphinx["config"] = {name: value for name, value in sphinx["config"].items() if not name.startswith("guard_")}
        (folder / "book" / "_ext" / "drift_guard" / "kernel_recorder.py").write_text(COUNTING, encoding="utf8")
    elif kind == PLAIN:
        config["sphinx"] = {"extra_extensions": ["sphinx_exercise"]}  # the links in code need the book's own extensions
    (folder / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf8")
    return folder


class Cost(NamedTuple):
    """Seconds of a build: on the wall, and of the processors for it and all that it starts."""

    wall: float
    processor: float


def build(folder: Path) -> Cost:
    command = [Path(sys.executable).with_name("jupyter-book"), "build", "."]
    modules = (folder / name for name in ("", "book", "book/_ext"))  # which the plain book's cells import
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, modules))}
    with tempfile.TemporaryFile() as words:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdout=words, stderr=words, env=env)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        if status:
            words.seek(0)
            raise SystemExit(f"the build of {folder.name} failed:\n{words.read().decode()[-2000:]}")
    return Cost(wall, used.ru_utime + used.ru_stime)


def measure_builds(books: dict[str, Path], rounds: int) -> dict:
    cold: dict[str, list[Cost]] = {name: [] for name in books}
    unchanged: dict[str, list[Cost]] = {name: [] for name in books}
    for turn in range(rounds):
        for name in sorted(books, reverse=bool(turn % 2)):
            shutil.rmtree(books[name] / "_build", ignore_errors=True)
            cold[name].append(build(books[name]))
            unchanged[name] += [build(books[name]) for _ in range(3)]
            print(
                f"round {turn + 1}, {name}: {cold[name][-1].wall:.1f} s cold, {unchanged[name][-1].wall:.2f} s "
                "with nothing changed",
                flush=True,
            )
    return {
        "rounds": rounds,
        "cold": {name: summary(costs) for name, costs in cold.items()},
        "unchanged": {name: summary(costs) for name, costs in unchanged.items()},
        "guard_added": guard_added(cold),
    }


def guard_added(cold: dict[str, list[Cost]]) -> dict:
    """Return the share by which the guard adds to the processor time of a build."""
    added = [a.processor / b.processor - 1 for a, b in zip(cold[BOOK], cold[UNGUARDED])]
    return {"median": statistics.median(added), "rounds": added}


def measure_guard(books: dict[str, Path], rounds: int) -> dict:
    """Build with and without the guard in turns, from nothing, and return what it adds."""
    cold: dict[str, list[Cost]] = {BOOK: [], UNGUARDED: []}
    for turn in range(rounds):
        for name in sorted(cold, reverse=bool(turn % 2)):
            shutil.rmtree(books[name] / "_build", ignore_errors=True)
            cold[name].append(build(books[name]))
            print(f"round {turn + 1}, {name}: {cold[name][-1].processor:.1f} s of the processors", flush=True)
    return guard_added(cold)


def summary(costs: list[Cost]) -> dict[str, float]:
    return {field: statistics.median(getattr(cost, field) for cost in costs) for field in Cost._fields}


# ---- pages


class Handler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        pass  # a page that is closed before all of it has come


@contextmanager
def served(site: Path) -> Iterator[str]:
    with Server(("127.0.0.1", 0), functools.partial(Handler, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def open_pages(site: Path, rounds: int) -> dict[str, dict[str, float]]:
    """Return of each page the time of the first text, in seconds, and the bytes of it and of all it loads but figures.

    No other host is found: a page that needs one paints, and weighs, what it can without. The browser itself refuses,
    since to have every request pass by here first kept pages waiting for 30 to 140 ms; and it may rest before it is
    asked for a page, since what it still does for the empty one that it opens first took 50 to 120 ms of the time.
    """
    found = {}
    pages = sorted(path.relative_to(site).as_posix() for path in site.joinpath("book").glob("*.html"))
    with sync_playwright() as playwright, served(site) as address:
        browser = interactive_drag.launch(playwright, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
        for name in pages:
            paints, weight = [], 0
            for _ in range(rounds):
                context = browser.new_context(viewport={"width": 1280, "height": 900})
                page = context.new_page()
                page.wait_for_timeout(REST)
                page.goto(address + name)
                paints.append(page.evaluate(PAINT) / 1000)
                weight = sum(page.evaluate(SIZES))
                context.close()
            found[Path(name).stem] = {"first_text": statistics.median(paints), "bytes": weight}
        browser.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".json"))
    parser.add_argument("--guard", action="store_true", help="measure only what the guard adds")
    options = parser.parse_args()
    if options.guard:
        report = json.loads(options.output.read_text(encoding="utf8"))
        with tempfile.TemporaryDirectory() as place:
            books = {name: copy(Path(place, name), name) for name in (BOOK, UNGUARDED)}
            report["builds"]["guard_added"] = measure_guard(books, options.rounds)
        write(options.output, report)
        return
    with tempfile.TemporaryDirectory() as place:
        books = {name: copy(Path(place, name), name) for name in (BOOK, UNGUARDED, PLAIN)}
        report = {
            "machine": machine(["jupyter-book", "sphinx", "myst-nb", "playwright"]),
            "builds": measure_builds(books, options.rounds),
        }
        report["pages"] = {
            name: open_pages(books[name] / "_build" / "html", 2 * options.rounds + 1) for name in (BOOK, PLAIN)
        }
    for name, pages in report["pages"].items():
        slowest = max(pages, key=lambda page: pages[page]["first_text"])
        print(f"{name}: first text after at most {pages[slowest]['first_text']:.2f} s ({slowest})")
    report["drags"] = interactive_drag.measure()
    interactive_drag.show(report["drags"])
    write(options.output, report)


def write(path: Path, report: dict) -> None:
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf8", newline="\n")
    print(f"Written to {path}")


if __name__ == "__main__":
    main()
