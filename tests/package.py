"""Build posenc as a package, install it beside NumPy alone, and run the library's tests there:

    python tests/package.py [--quick] [--output FOLDER]

Nothing is fetched: setuptools, NumPy and the test tools are those of the environment that runs this. The wheel is
unpacked by pip into an environment made for it, where NumPy is all that it can import. There every example of the
docstrings runs; then the tests of tests/posenc do, copied away from the project so that they can find no other posenc,
with pytest and what else they need behind the rest of the path. With --quick the examples run and the tests do not.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ["pyproject.toml", "README.md", "LICENSE", "CITATION.cff", "CHANGELOG.md", "posenc"]
BUILD = "import sys; from setuptools import build_meta; print(getattr(build_meta, 'build_' + sys.argv[1])(sys.argv[2]))"
EXAMPLES = """
import doctest, importlib, pkgutil, sys
import numpy
before = {name.partition(".")[0] for name in sys.modules}
import posenc
after = {name.partition(".")[0] for name in sys.modules} - before - set(sys.stdlib_module_names)
assert after == {"posenc"}, after
assert posenc.__file__.startswith(sys.prefix), posenc.__file__
run = 0
for module in pkgutil.iter_modules(posenc.__path__, "posenc."):
    result = doctest.testmod(importlib.import_module(module.name))
    assert not result.failed, module.name
    run += result.attempted
from importlib.metadata import version
print(f"posenc {version('posenc')} beside NumPy {numpy.__version__}: {run} lines of examples run")
"""
# The tests of the installed package have a folder of their own, and try the same examples every time.
STEADY = """from hypothesis import settings
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.load_profile("steady")
"""
DATA = ["book/data/models.json"]  # which the tests of settings read
SETTINGS = "[pytest]\naddopts = -q -p no:cacheprovider --strict-markers\nfilterwarnings = error\n"


def surroundings(**more: str) -> dict[str, str]:
    """Return the environment variables without those that lead Python to modules."""
    return {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")} | more


def build(kind: str, folder: Path) -> Path:
    """Build the "wheel" or "sdist" from a copy of the sources, and return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place, "posenc")
        copy.mkdir()
        for name in SOURCES:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / name, copy)
        command = [sys.executable, "-c", BUILD, kind, str(folder.resolve())]
        done = subprocess.run(command, cwd=copy, capture_output=True, encoding="utf8", env=surroundings())
    if done.returncode:
        raise SystemExit(f"the {kind} does not build:\n{done.stdout}{done.stderr}")
    return folder / done.stdout.split()[-1]


def contents(package: Path) -> set[str]:
    """Return the names of all files in a wheel or an sdist, without the sdist's own folder."""
    if package.suffix == ".whl":
        return set(zipfile.ZipFile(package).namelist())
    with tarfile.open(package) as archive:
        return {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}


def bare_environment(wheel: Path, folder: Path) -> Path:
    """Make an environment with NumPy and the wheel, and nothing else, and return its Python."""
    venv.create(folder, symlinks=os.name != "nt", with_pip=False)
    python = next(path for path in (folder / "bin" / "python", folder / "Scripts" / "python.exe") if path.exists())
    command = [str(python), "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"]
    site = Path(subprocess.run(command, capture_output=True, encoding="utf8", check=True).stdout.strip())
    for there in Path(sysconfig.get_paths()["platlib"]).glob("numpy*"):  # NumPy, its libraries, its metadata
        (site / there.name).symlink_to(there)
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index", "--quiet"]
    done = subprocess.run(
        [*install, "--disable-pip-version-check", str(wheel)], capture_output=True, encoding="utf8", env=surroundings()
    )
    if done.returncode:
        raise SystemExit(f"pip cannot install {wheel.name} beside NumPy:\n{done.stdout}{done.stderr}")
    return python


def run_examples(python: Path, folder: Path) -> str:
    """Run all examples of the installed package where nothing but NumPy can be imported."""
    done = subprocess.run(
        [str(python), "-I", "-W", "error", "-c", EXAMPLES], cwd=folder, capture_output=True, encoding="utf8"
    )
    if done.returncode:
        raise SystemExit(f"the examples of the installed package fail:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def run_tests(python: Path, folder: Path, *options: str) -> None:
    """Run the tests of the library against the installed package, with further options of pytest's."""
    tests = folder / "tests" / "posenc"
    shutil.copytree(ROOT / "tests" / "posenc", tests, ignore=shutil.ignore_patterns("__pycache__"))
    for name in DATA:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    (tests / "conftest.py").write_text(STEADY, encoding="utf8")
    settings = folder / "pytest.ini"
    settings.write_text(SETTINGS, encoding="utf8")
    tools = sysconfig.get_paths()["purelib"]
    start = (  # the tools come last, so that posenc and NumPy are the environment's own
        f"import sys; sys.path.append({tools!r}); import posenc, pytest; "
        f"assert posenc.__file__.startswith(sys.prefix), posenc.__file__; sys.exit(pytest.main(sys.argv[1:]))"
    )
    command = [str(python), "-I", "-c", start, "-c", str(settings), str(tests), *options]
    done = subprocess.run(command, cwd=folder, env=surroundings())
    if done.returncode:
        raise SystemExit("the library's tests fail on the installed package")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="run the examples of the docstrings alone")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="where the wheel and the sdist go")
    options = parser.parse_args()
    packages = [build(kind, options.output) for kind in ("sdist", "wheel")]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        python = bare_environment(packages[1], folder / "bare")
        print(run_examples(python, folder))
        if not options.quick:
            run_tests(python, folder)
    print("Built:", *(os.path.relpath(package) for package in packages))


if __name__ == "__main__":
    main()
