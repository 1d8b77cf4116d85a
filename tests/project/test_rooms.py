"""What the rooms of book/_ext may know of one another."""

from __future__ import annotations

import ast
import re
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
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("drift_guard"):
                names = [alias.name for alias in node.names] if node.module == "drift_guard" else [node.module[12:]]
                waiting += [name for name in names if name not in seen]
    kernel = {"kernel_recorder", "figure_record", "figure_data", "artist_looks", "axis_record", "array_digest", "ink"}
    assert seen == {*kernel, "unseen"}


# ---- the tables of the README

README = (EXTENSIONS / "README.md").read_text(encoding="utf8")
COLLECTORS = {"add_env_collector": "doctree-read", "add_transform": "(transform)"}  # which Sphinx runs like hooks
OURS = {"_replace", "_asdict", "_exit", "_build", "_static", "_sources"}  # of Python, and three folders


def hooks(path: Path) -> list[tuple[str, str, str]]:
    """Return event, priority and module of every hook that a module connects."""
    module = f"{path.parent.name}.{path.stem}"
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "connect" and isinstance(node.func.value, ast.Name) and node.func.value.id == "app":
            priorities = [ast.literal_eval(word.value) for word in node.keywords if word.arg == "priority"]
            found.append((ast.literal_eval(node.args[0]), str(*priorities or [500]), module))
        elif node.func.attr in COLLECTORS:
            found.append((COLLECTORS[node.func.attr], "500", module))
    return found


def table_of(heading: str) -> list[list[str]]:
    """Return the rows of the table under a heading, without its head."""
    part = README.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`") for cell in row] for row in rows[2:]]


def test_the_table_of_hooks_is_complete():
    told = sorted((event, priority, module) for event, priority, module, _ in table_of("The order of the build"))
    told = [row for row in told if row[0] != "(loading)"]
    assert told == sorted(hook for path in EXTENSIONS.rglob("*.py") for hook in hooks(path))


def test_the_table_of_hooks_is_in_order():
    last = {}
    for event, priority, module, reason in table_of("The order of the build"):
        if priority:
            assert int(priority) >= last.get(event, -1), (event, module)
            last[event] = int(priority)
        assert len(reason.split()) >= 3, module


def private_names(path: Path) -> set[str]:
    """Return the private names of others that a module uses: attributes, imports, and names given to getattr."""
    found = set()
    root = ast.parse(path.read_text(encoding="utf8"))
    parts = {part for node in ast.walk(root) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(root):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.ImportFrom):
            found.update(alias.name for alias in node.names)
            found.update((node.module or "").split("."))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in parts:
            found.update([node.value] if node.value.isidentifier() else [])
    is_private = [name for name in found if name.startswith("_") and not name.startswith("__") and len(name) > 1]
    return set(is_private) - OURS


def test_every_private_name_stands_in_the_table():
    rows = table_of("What we lean on")
    for path in EXTENSIONS.rglob("*.py"):
        module = f"{path.parent.name}.{path.stem}"
        told = {name for row in rows if module in row[2] for name in re.findall(r"\b_\w+", row[1])}
        own = {node.id for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))) if isinstance(node, ast.Name)}
        assert private_names(path) - own <= told, module


def test_every_test_that_notices_exists():
    for row in table_of("What we lean on"):
        for name in re.findall(r"[\w/]+\.py", row[3]):
            assert (EXTENSIONS.parents[1] / "tests" / name).exists(), name
