#!/usr/bin/env python3
"""Measure the similarity of two positions against their offset, from two base positions, and draw the curve.

Run it with `make lesson-10`, or with `python book/scripts/pe_translation.py`; `--help` lists the options.
"""

import argparse
from pathlib import Path

import numpy as np

import posenc

OFFSETS = np.arange(40)


def measured(base_position: int, dim: int = 32) -> np.ndarray:
    """Return the similarities, (40,), of `base_position` with itself and the 39 positions after it."""
    encodings = posenc.sinusoidal_table(len(OFFSETS), dim, start=base_position)
    return (encodings[0] * encodings).sum(axis=1)


def numbers(dim: int = 32) -> dict:
    """Return the program's numbers by their ids in the book."""
    from_10, from_20 = measured(10, dim), measured(20, dim)
    return {
        "similarity-0": float(from_10[0]),
        "similarity-drift": float(np.abs(from_10 - from_20).max()),
        "similarity-closed-form-error": float(np.abs(from_10 - posenc.similarity(OFFSETS, dim)).max()),
        "minimum-similarity": float(from_10.min()),
        "minimum-similarity-offset": int(from_10.argmin()),
        "pairs-above-at-39": int((np.cos(39 * posenc.frequencies(dim)) > 0.9).sum()),
    }


def draw(path: Path, dim: int = 32) -> None:
    """Draw the curves into the file `path`."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
    for base_position in (10, 20):
        ax.plot(OFFSETS, measured(base_position, dim), label=f"measured from t = {base_position}")
    ax.plot(OFFSETS, posenc.similarity(OFFSETS, dim), "--", label="closed form")
    ax.axhline(dim / 2, color="0.5", linewidth=1, label="value at offset 0")
    ax.set(title="Similarity against offset", xlabel="offset k (tokens)", ylabel="dot product")
    ax.legend()
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
    print("similarity at offset 0:", found["similarity-0"])
    for name, text in (
        ("similarity-drift", "from t = 10 against from t = 20"),
        ("similarity-closed-form-error", "measured against closed form"),
    ):
        if not found[name] < 1e-13:
            raise SystemExit(f"{text}: they differ by {found[name]:.1e}, more than rounding explains")
        print(f"{text}: max difference below 1e-13")
    print(f"minimum {found['minimum-similarity']:.12g} at k = {found['minimum-similarity-offset']}")
    print("pairs with cos(39 omega_j) > 0.9:", found["pairs-above-at-39"])
    options.output.mkdir(parents=True, exist_ok=True)
    figure = options.output / "pe_translation.svg"
    draw(figure)
    print("figure:", figure)


if __name__ == "__main__":
    main()
