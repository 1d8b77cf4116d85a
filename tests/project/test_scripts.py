"""The lesson's standalone programs: run as a reader runs them, and held to the numbers that the chapter records."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "book" / "scripts"
PROGRAMS = ["pe_matrix", "pe_translation"]


def run(program, *arguments, **environment):
    """Run a program from another folder, as strict about encodings as Python can be."""
    strict = [
        "-X",
        "warn_default_encoding",
        "-W",
        "error",
        "-W",
        "ignore::EncodingWarning",
        "-W",
        "error::EncodingWarning:__main__",
    ]  # matplotlib may open files without one
    command = [sys.executable, *strict, str(SCRIPTS / f"{program}.py"), *arguments]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(command, cwd=SCRIPTS.anchor, env=env, capture_output=True, text=True, encoding="utf8")


@pytest.fixture(scope="module")
def recorded():
    return json.loads((ROOT / "book/recorded/lesson-10.json").read_text(encoding="utf8"))["numbers"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_program_prints_its_numbers_and_draws_its_figure(program, recorded, tmp_path):
    done = run(program, "--output", str(tmp_path / "a new folder"), LC_ALL="C")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    figure = tmp_path / "a new folder" / f"{program}.svg"
    assert f"figure: {figure}" in done.stdout
    assert figure.read_text(encoding="utf8").count("<path") > 20
    if program == "pe_matrix":
        assert "shape of PE: 64 x 32" in done.stdout
        for name in ("pe-row-1", "pe-row-64"):
            assert "  ".join(f"{x:.6f}" for x in recorded[name]["value"]) in done.stdout
        assert done.stdout.count("max difference below 1e-13") == 2
    else:
        # the last digits follow the order of the sum and NumPy's `pow`: the book prints them once, not twice unlike
        assert f"minimum {recorded['minimum-similarity']['value']:.12g} at k = 28" in done.stdout
        assert "pairs with cos(39 omega_j) > 0.9: 9" in done.stdout


@pytest.mark.parametrize("program", PROGRAMS)
def test_help_names_the_option(program):
    done = run(program, "--help")
    assert done.returncode == 0
    assert "--output FOLDER" in done.stdout


@pytest.mark.parametrize("program", PROGRAMS)
def test_its_numbers_are_the_chapters(program, recorded, monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    numbers = importlib.import_module(program).numbers()
    compared = 0
    for name, value in numbers.items():
        if name not in recorded:  # the chapter compares the loop with the library, the program with NumPy's arrays too
            assert name == "loop-against-vectorised"
            assert value < 1e-13
        elif "below" in recorded[name]:
            assert value < recorded[name]["below"]
            compared += 1
        else:
            assert value == pytest.approx(recorded[name]["value"], rel=1e-12, abs=1e-15), name
            compared += 1
    assert compared >= 4
