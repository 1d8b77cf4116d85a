#!/usr/bin/env python3
"""Build the table of Lesson 10 twice, by the textbook loop and in vectorised form, and draw its heatmap.

Run it with `make lesson-10`, or with `python book/scripts/pe_matrix.py`; `--help` lists the options.
"""

import argparse
import math
from pathlib import Path

import numpy as np

import posenc


def by_loop(length: int, dim: int) -> np.ndarray:
    """Return the table, (length, dim), positions from 1, one entry at a time."""
    table = np.zeros((length, dim))
    for t in range(1, length + 1):
        for column in range(dim):
            angle = t / 10_000 ** (2 * (column // 2) / dim)
            table[t - 1, column] = math.cos(angle) if column % 2 else math.sin(angle)
    return table


def vectorised(length: int, dim: int) -> np.ndarray:
    """Return the same table from grids of positions and columns."""
    columns, positions = np.meshgrid(np.arange(dim), np.arange(1, length + 1))  # (length, dim) each
    angles = positions / 10_000 ** (2 * (columns // 2) / dim)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))


def numbers(length: int = 64, dim: int = 32) -> dict:
    """Return the program's numbers by their ids in the book."""
    loop = by_loop(length, dim)
    return {
        "pe-shape": list(loop.shape),
        "pe-row-1": loop[0, :6].tolist(),
        "pe-row-64": loop[-1, :6].tolist(),
        "loop-against-vectorised": float(np.abs(loop - vectorised(length, dim)).max()),
        "loop-against-library": float(np.abs(loop - posenc.sinusoidal_table(length, dim, start=1)).max()),
    }


def draw(path: Path, length: int = 64, dim: int = 32) -> None:
    """Draw the heatmap into the file `path`."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(7.2, 5.2), layout="constrained")
    image = ax.imshow(
        by_loop(length, dim),
        cmap="viridis",
        aspect="auto",
        vmin=-1,
        vmax=1,
        extent=(-0.5, dim - 0.5, length + 0.5, 0.5),
    )
    ax.set(
        title=f"Sinusoidal positional encoding (T = {length}, d = {dim})",
        xlabel="embedding dimension (column)",
        ylabel="position t",
    )
    fig.colorbar(image, ax=ax, label="entry")
    fig.savefig(path)
    plt.close(fig)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(__file__).with_name("output"),
        metavar="FOLDER",
        help="where the figure goes (default: %(default)s)",
    )
    options = parser.parse_args(arguments)
    found = numbers()
    print("shape of PE:", " x ".join(map(str, found["pe-shape"])))
    for t in (1, 64):
        print(f"PE, t = {t:2}, first six columns:", "  ".join(f"{x:.6f}" for x in found[f"pe-row-{t}"]))
    for other in ("vectorised", "library"):
        difference = found[f"loop-against-{other}"]
        if not difference < 1e-13:
            raise SystemExit(f"the loop and the {other} table differ by {difference:.1e}, more than rounding explains")
        print(f"loop against {other}: max difference below 1e-13")
    options.output.mkdir(parents=True, exist_ok=True)
    figure = options.output / "pe_matrix.svg"
    draw(figure)
    print("figure:", figure)


if __name__ == "__main__":
    main()
