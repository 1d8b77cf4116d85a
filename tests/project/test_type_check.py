"""The types of all Python here, as `[tool.basedpyright]` in pyproject.toml asks for them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_type_checker_finds_nothing():
    """It reads the project for half a minute on one processor, so it runs beside other tests."""
    checker = Path(sys.executable).with_name("basedpyright")
    done = subprocess.run([checker], cwd=ROOT, capture_output=True, text=True, encoding="utf8")
    assert done.returncode == 0, done.stdout + done.stderr
