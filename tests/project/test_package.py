"""posenc as a package: it builds, holds what it should, runs beside NumPy alone, is typed, and is imported quickly."""

import ast
import inspect
import subprocess
import sys
import tomllib
import typing
from importlib.metadata import metadata
from pathlib import Path

import package
import pytest

import posenc

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    return {kind: package.build(kind, folder) for kind in ("wheel", "sdist")}


def modules():
    return {path.relative_to(ROOT).as_posix() for path in (ROOT / "posenc").rglob("*.py")} | {"posenc/py.typed"}


def test_the_wheel_holds_the_modules_and_nothing_else(built):
    names = package.contents(built["wheel"])
    assert {name for name in names if ".dist-info/" not in name} == modules()
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_sdist_holds_what_a_wheel_is_built_from(built):
    names = package.contents(built["sdist"])
    assert modules() | {"LICENSE", "README.md", "pyproject.toml", "PKG-INFO"} <= names


def test_the_installed_wheel_runs_its_examples_beside_numpy_alone(built, tmp_path):
    python = package.bare_environment(built["wheel"], tmp_path / "bare")
    told = package.run_examples(python, tmp_path)
    lines = int(told.rpartition(": ")[2].split()[0])
    assert lines >= len(posenc.__all__) - 2, told
    done = subprocess.run([str(python), "-I", "-c", "import scipy"], capture_output=True, encoding="utf8")
    assert "ModuleNotFoundError" in done.stderr  # so the environment is bare


def test_the_librarys_tests_find_all_they_need_away_from_the_project(built, tmp_path, capfd):
    """They are collected here, for which they read their data; make package runs them."""
    python = package.bare_environment(built["wheel"], tmp_path / "bare")
    package.run_tests(python, tmp_path, "--collect-only")
    assert "test_close_faults.py" in capfd.readouterr().out


def test_the_metadata_say_what_packages_say():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    assert project["dependencies"] == ["numpy>=2"]
    assert {"Typing :: Typed", "Operating System :: OS Independent"} <= set(project["classifiers"])
    assert not any(classifier.startswith("License ::") for classifier in project["classifiers"])  # `license` says it
    for version in ("3.11", "3.12", "3.13"):
        assert f"Programming Language :: Python :: {version}" in project["classifiers"]
    assert project["keywords"] and project["authors"]
    assert metadata("posenc")["Version"] == project["version"] == posenc.__version__


OPTIONAL: dict[str, set[str]] = {"layouts.py": {"ml_dtypes"}}  # used where installed


def test_modules_import_nothing_but_numpy_and_the_standard_library():
    known = {*sys.stdlib_module_names, "numpy"}
    for path in (ROOT / "posenc").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            strangers = {name.partition(".")[0] for name in names} - known
            assert not strangers or strangers <= OPTIONAL.get(path.name, set()), (path.name, strangers)


IMPORT = """
import sys, time
sys.path.insert(0, sys.argv[1])
start = time.process_time_ns()
__import__(sys.argv[2])
print(time.process_time_ns() - start)
"""


def test_importing_the_library_takes_little_more_than_importing_numpy(tmp_path):
    """Processor time, the least of several turns, with modules that are compiled: about 1.05 times NumPy's own."""
    settings = package.surroundings(PYTHONPYCACHEPREFIX=str(tmp_path))
    least: dict[str, int] = {}
    for turn in range(60):  # beside other work few turns are undisturbed
        for name in ("numpy", "posenc"):
            command = [sys.executable, "-c", IMPORT, str(ROOT), name]
            done = subprocess.run(command, capture_output=True, encoding="utf8", env=settings, check=True)
            if turn:  # the first turn compiles
                least[name] = min(int(done.stdout), least.get(name, int(done.stdout)))
        if turn >= 8 and least["posenc"] < 1.3 * least["numpy"]:
            break
    assert least["posenc"] < 1.3 * least["numpy"], least


@pytest.mark.parametrize("name", posenc.__all__)
def test_all_that_is_public_is_typed_and_tells_how_it_is_used(name):
    thing = getattr(posenc, name)
    assert thing.__doc__ and thing.__doc__.strip(), name
    if inspect.isfunction(thing):
        assert set(typing.get_type_hints(thing)) == {*inspect.signature(thing).parameters, "return"}
        assert all(word in thing.__doc__ for word in ("Returns:", "Raises:", "Source:", ">>> ")), name
