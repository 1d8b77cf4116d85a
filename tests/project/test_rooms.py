"""What the rooms of book/_ext may know of one another."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

EXTENSIONS = Path(__file__).parents[2] / "book" / "_ext"
ROOMS = ("drift_guard", "cited_numbers", "number_audit", "build_control", "site_features")
MAY_IMPORT = {
    "drift_guard": set(),
    "cited_numbers": {"drift_guard"},
    "number_audit": {"drift_guard", "cited_numbers"},
    "build_control": {"drift_guard"},
    "site_features": {"drift_guard", "cited_numbers", "number_audit", "build_control"},
}


def imported(path: Path) -> set[str]:
    """Return the packages that a module imports, or sets up as extensions, by their first name."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "setup_extension":
            found.update(argument.value for argument in node.args if isinstance(argument, ast.Constant))
    return {name.partition(".")[0] for name in found}


def test_every_module_stands_in_a_room():
    assert {path.name for path in EXTENSIONS.iterdir() if path.name != "__pycache__"} == {*ROOMS, "README.md"}
    assert all((EXTENSIONS / room / "README.md").exists() for room in ROOMS)
    assert not set(ROOMS) & set(sys.stdlib_module_names)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_it_may(room):
    for path in (EXTENSIONS / room).glob("*.py"):
        others = imported(path) & set(ROOMS) - {room}
        assert others <= MAY_IMPORT[room], f"{path.name} imports {others - MAY_IMPORT[room]}"


def test_the_guard_knows_no_module_of_the_book():
    modules = {path.stem for path in (EXTENSIONS.parent).glob("*.py")} | {"posenc", "benchmarks"}
    for path in (EXTENSIONS / "drift_guard").glob("*.py"):
        assert not imported(path) & modules, path.name


def test_what_a_kernel_loads_imports_nothing_of_the_build():
    """Cells run without Sphinx: what the recorder needs is there, and its start is quick."""
    waiting, seen = ["kernel_recorder"], set()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        path = EXTENSIONS / "drift_guard" / f"{name}.py"
        assert not imported(path) & {"sphinx", "docutils", "myst_nb", "yaml"}, path.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("drift_guard"):
                names = [alias.name for alias in node.names] if node.module == "drift_guard" else [node.module[12:]]
                waiting += [name for name in names if name not in seen]
    assert seen == {"kernel_recorder", "figure_record", "artist_looks", "axis_record", "array_digest", "ink", "unseen"}
