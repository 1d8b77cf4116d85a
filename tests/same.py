"""`make check-same`: build and print the last commit twice, in other folders, locales, time zones and homes, and
compare the two sites to the byte."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SURROUNDINGS = {
    "one": {"LC_ALL": "C.UTF-8", "TZ": "Asia/Kolkata", "PYTHONHASHSEED": "1"},
    "another, with a blank": {"LC_ALL": "C", "TZ": "America/St_Johns", "PYTHONHASHSEED": "2", "COLUMNS": "40"},
}


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def apart(one: dict[str, bytes], two: dict[str, bytes]) -> list[str]:
    """Return the names of files that differ or that one of the two lacks."""
    return sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name))


def build(folder: Path, changed: dict[str, str]) -> dict[str, bytes]:
    """Return the site that a clone builds."""
    environment = {
        **os.environ,
        **changed,
        "HOME": str(folder.parent),
        "PYTHONPATH": os.pathsep.join([str(folder), str(folder / "book" / "_ext")]),
    }
    for command in (
        [Path(sys.executable).with_name("jupyter-book"), "build", "."],
        [sys.executable, "-m", "site_features.print_pdf"],
    ):
        subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    return files(folder / "_build" / "html")


def main() -> int:
    with tempfile.TemporaryDirectory() as place:
        for name in SURROUNDINGS:  # all before the first build: commits may come while it runs
            subprocess.run(["git", "clone", "--quiet", ROOT, Path(place, name)], check=True)
        one, two = (build(Path(place, name), changed) for name, changed in SURROUNDINGS.items())
    different = apart(one, two)
    print(f"{len(one)} files, {sum(map(len, one.values())) / 1e6:.1f} MB:", *(different or ["the same to the byte"]))
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
