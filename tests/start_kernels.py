"""Start kernels as the build does, many at a time, and tell which of them ended before their first answer.

python tests/start_kernels.py 200 8        starts 200 kernels, eight at a time
"""

from __future__ import annotations

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nbformat.v4 import new_code_cell, new_notebook

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "book" / "_ext"))

from build_control import execute_pages, forked_kernels


def start(number: int) -> str:
    """Run one cell on a kernel of its own; return what it printed, or what went wrong."""
    notebook = new_notebook(cells=[new_code_cell(f"print({number})")])
    notebook.metadata.kernelspec = {"name": "python3", "language": "python", "display_name": "Python 3"}
    with tempfile.TemporaryDirectory() as folder:
        try:
            execute_pages.run(notebook, folder, timeout=60)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return notebook.cells[0].outputs[0].text.strip()


def starts(number: int, at_a_time: int) -> list[str]:
    """Return what went wrong when so many kernels were started."""
    try:
        with ThreadPoolExecutor(at_a_time) as pool:
            told = list(pool.map(start, range(number)))
    finally:
        forked_kernels.SERVER.end()
    return [f"{place}: {text}" for place, text in enumerate(told) if text != str(place)]


if __name__ == "__main__":
    faults = starts(*map(int, sys.argv[1:]))
    print(*faults, f"{len(faults)} of {sys.argv[1]} kernels failed", sep="\n")
    sys.exit(bool(faults))
