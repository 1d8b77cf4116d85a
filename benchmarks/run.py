"""Measure posenc and write results.json: python -m benchmarks.run [--quick] [--output FILE]

What is compared, how, and what came out on one machine stand on the book's page "Performance".
"""

import argparse
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

# One thread, before any library starts its own. PyTorch gets large pages for large arrays, as NumPy does by itself; it
# asks for them once, so that the group without them, which is PyTorch's default, is measured by a program of its own.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
SMALL_PAGES = "--small-pages"
if SMALL_PAGES in sys.argv:
    os.environ.pop("THP_MEM_ALLOC_ENABLE", None)
else:
    os.environ["THP_MEM_ALLOC_ENABLE"] = "1"

import numpy as np  # noqa: E402

import posenc  # noqa: E402
from benchmarks import peers  # noqa: E402
from benchmarks.machine import machine  # noqa: E402
from benchmarks.timing import CONTROL, measure  # noqa: E402
from posenc import _kernels, _rotation  # noqa: E402

TABLES = [(64, 32), (512, 512), (8192, 1024), (131_072, 128)]
PACKAGES = [
    "numpy",
    "torch",
    "transformers",
    "torchtune",
    "x-transformers",
    "rotary-embedding-torch",
    "positional-encodings",
]


def textbook(length: int, dim: int, dtype: type = np.float64) -> np.ndarray:
    """The formula as it is printed, in one NumPy expression a column."""
    p = np.arange(length, dtype=dtype)[:, None]
    angles = p * (10_000.0 ** (-np.arange(0, dim, 2) / dim)).astype(dtype)
    out = np.empty((length, dim), dtype)
    out[:, 0::2], out[:, 1::2] = np.sin(angles), np.cos(angles)
    return out


def forget() -> None:
    """Have the library keep nothing from earlier calls but frequencies."""
    for memo in (_kernels._kept_rows, _kernels._kept_table_factors, _kernels._kept_factors, _rotation._kept_turns):
        memo.cache_clear()


def available(make: Callable[..., peers.Calls], *arguments: Any) -> peers.Calls:
    try:
        return make(*arguments)
    except ImportError as error:
        print(f"  no peers: {error}", file=sys.stderr)
        return {}


def table_group(length: int, dim: int) -> dict[str, Callable[[], Any]]:
    def first_call(dtype: type = np.float64) -> np.ndarray:
        """With the frequencies kept, as the peers keep theirs, but no list of phasors from an earlier call."""
        forget()
        return posenc.sinusoidal_table(length, dim, dtype=dtype)

    return {
        "posenc": lambda: posenc.sinusoidal_table(length, dim),
        "posenc, float32": lambda: posenc.sinusoidal_table(length, dim, dtype=np.float32),
        "posenc, first call": first_call,
        "posenc, first call, float32": lambda: first_call(np.float32),
        "filling, float64": lambda: np.full((length, dim), 1.0),
        "filling, float32": lambda: np.full((length, dim), 1.0, np.float32),
        "textbook NumPy": lambda: textbook(length, dim),
        "textbook NumPy, all float32": lambda: textbook(length, dim, np.float32),
        **available(peers.tables, length, dim),
    }


def rotary_group(heads: int, n: int, dim: int) -> dict[str, Callable[[], Any]]:
    x = queries(heads, n, dim)
    p, kept = np.arange(n), np.empty_like(x)

    def first_call() -> np.ndarray:
        """With the frequencies kept, but neither the turns nor the phasors they are products of."""
        forget()
        return posenc.apply_rotary(x, p)

    return {
        "posenc, interleaved": lambda: posenc.apply_rotary(x, p),
        "posenc, half": lambda: posenc.apply_rotary(x, p, layout="half"),
        "posenc, first call": first_call,
        "posenc, into kept memory": lambda: posenc.apply_rotary(x, p, out=kept),
        "posenc, half, into kept memory": lambda: posenc.apply_rotary(x, p, layout="half", out=kept),
        "copy": lambda: x.copy(),
        "copy, into kept memory": lambda: np.copyto(kept, x),
        **available(peers.rotary, x),
    }


def queries(heads: int, n: int, dim: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((1, heads, n, dim)).astype(np.float32)


def small_pages_group(heads: int, n: int, dim: int) -> dict[str, Callable[[], Any]]:
    x = queries(heads, n, dim)
    p = np.arange(n)
    return {
        "posenc, interleaved": lambda: posenc.apply_rotary(x, p),
        "copy": lambda: x.copy(),
        **available(peers.rotary, x),
    }


def small_pages_rows(quick: bool) -> dict[str, dict[str, Any]]:
    """The rows of `small_pages_group`, measured by a program in which PyTorch has its default setting."""
    command = [sys.executable, "-m", "benchmarks.run", SMALL_PAGES, *(["--quick"] if quick else [])]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, check=True)
    rows: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return rows


def alibi_group(heads: int, n: int) -> dict[str, Callable[[], Any]]:
    scores = np.zeros((heads, n, n), np.float32)
    view = posenc.alibi_bias(np.arange(n), np.arange(n), heads, symmetric=True, dtype=np.float32)
    whole = np.ascontiguousarray(view)

    def add_unbuffered() -> np.ndarray:
        with np.errstate():
            np.setbufsize(16)
            return np.add(scores, view, out=scores)

    return {
        "adding the view": add_unbuffered,
        "adding the view, NumPy's buffer": lambda: np.add(scores, view, out=scores),
        "adding the whole bias": lambda: np.add(scores, whole, out=scores),
        "making the view": lambda: posenc.alibi_bias(
            np.arange(n), np.arange(n), heads, symmetric=True, dtype=np.float32
        ),
    }


def similarity_group(length: int, dim: int) -> dict[str, Callable[[], Any]]:
    k = np.arange(length)
    omega = posenc.frequencies(dim)

    def sum_of_cosines() -> np.ndarray:
        out = np.zeros(length)
        for w in omega:  # a pair at a time keeps to the cache better than all at once
            out += np.cos(w * k)
        return out

    return {"posenc": lambda: posenc.similarity(k, dim), "sum of cosines": sum_of_cosines}


def single_group(dim: int) -> dict[str, Callable[[], Any]]:
    return {"posenc": lambda: posenc.sinusoidal_encoding(1234, dim), "textbook NumPy": lambda: textbook(1, dim)}


def peak(function: Callable[[], np.ndarray]) -> float:
    """Memory at the peak, as a multiple of the result's."""
    function()
    tracemalloc.start()
    try:
        size = function().nbytes
        return tracemalloc.get_traced_memory()[1] / size
    finally:
        tracemalloc.stop()


def held(function: Callable[[], np.ndarray]) -> int:
    """Bytes held by what a function returns."""
    tracemalloc.start()
    try:
        result = function()
        return tracemalloc.get_traced_memory()[0] if result.size else 0
    finally:
        tracemalloc.stop()


def surroundings() -> dict[str, Any]:
    features = np.show_config(mode="dicts")
    return {**machine(PACKAGES), "simd": features["SIMD Extensions"].get("found", [])}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter samples, smaller rotary and ALiBi")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("results.json"))
    parser.add_argument(SMALL_PAGES, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    rounds, sample = (9, 0.01) if options.quick else (31, 0.02)
    heads, n = (8, 1024) if options.quick else (32, 4096)
    if options.small_pages:
        print(json.dumps(measure(small_pages_group(heads, n, 128), rounds, sample)))
        return

    groups: dict[str, Callable[[], dict[str, Callable[[], Any]]] | None] = {
        **{f"table {t} x {d}": (lambda t=t, d=d: table_group(t, d)) for t, d in TABLES},
        "single position, 512 wide": lambda: single_group(512),
        f"rotary (1, {heads}, {n}, 128)": lambda: rotary_group(heads, n, 128),
        f"rotary (1, {heads}, {n}, 128), PyTorch with small pages": None,  # measured elsewhere
        "rotary (1, 32, 1, 128)": lambda: rotary_group(32, 1, 128),
        f"ALiBi ({heads}, {n // 2}, {n // 2})": lambda: alibi_group(heads, n // 2),
        "similarity 131072 x 128": lambda: similarity_group(131_072, 128),
    }
    results = {}
    for name, make in groups.items():
        print(f"{name} ...", flush=True)
        rows = measure(make(), rounds, sample) if make else small_pages_rows(options.quick)
        results[name] = rows
        for row, value in rows.items():
            print(f"  {row:32s} {value['seconds'] * 1e3:10.3f} ms   {value['ratio']:6.2f}")
        if abs(rows[CONTROL]["ratio"] - 1) > 0.05:
            print("  The control is off by more than 5 %: this machine is too busy for these ratios.")

    print("growth ...", flush=True)
    lengths, widths = [2**k for k in range(8, 18)], [2**k for k in range(5, 12)]
    growth = {
        "lengths": measure({str(t): (lambda t=t: posenc.sinusoidal_table(t, 128)) for t in lengths}, rounds, sample),
        "widths": measure({str(d): (lambda d=d: posenc.sinusoidal_table(4096, d)) for d in widths}, rounds, sample),
    }
    memory = {
        "table, float64": peak(lambda: posenc.sinusoidal_table(8192, 1024)),
        "table, float32": peak(lambda: posenc.sinusoidal_table(8192, 1024, dtype=np.float32)),
        "textbook NumPy": peak(lambda: textbook(8192, 1024)),
        "ALiBi view, bytes": held(lambda: posenc.alibi_bias(np.arange(2048), np.arange(2048), 32, dtype=np.float32)),
    }
    report = {
        "mode": "quick" if options.quick else "full",
        "machine": surroundings(),
        "groups": results,
        "growth": growth,
        "memory": memory,
    }
    options.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf8")
    print(f"Written to {options.output}")


if __name__ == "__main__":
    main()
