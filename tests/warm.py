"""`jupyter-book` and `sphinx-build` for the many builds of small books: a process that has imported Sphinx splits.

Of the two seconds or three of such a build more than half goes to importing packages. What runs is the main function of
the command, with its arguments, in the folder and the environment asked for, as if it had just been started; nothing of
the project is imported ahead. What a test says of processes, or of the environment of the build itself, it shows with
the command. Run as a program this file is the process that splits.
"""

from __future__ import annotations

import functools
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BIN = Path(sys.executable).parent
USED = (  # of what nearly every build imports only when it comes to use it
    "bs4",
    "jupyter_book.sphinx",
    "math_core",
    "matplotlib.pyplot",
    "multiprocessing.popen_fork",
    "myst_nb.ext.glue.domain",
    "myst_nb.sphinx_ext",
    "pybtex.database.input.bibtex",
    "pydata_sphinx_theme",
    "sphinx_codeautolink",
    "sphinx_design.extension",
    "sphinx_exercise",
    "sphinx_external_toc.events",
    "sphinx_jupyterbook_latex.events",
    "sphinxcontrib.bibtex",
    "sqlalchemy.dialects.sqlite",
)
LIMIT = 300  # seconds after which a build that hangs is ended, with the status of its signal


# ---- in the process that splits


def become(program: str, arguments: list[str], folder: str, env: dict[str, str], paths: list[str]) -> None:
    """Take the place of a command that was just started, its output going to two files."""
    signal.alarm(LIMIT)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    os.chdir(folder)
    sys.argv = [str(BIN / program), *arguments]
    sys.path[:1] = [str(BIN), *filter(None, env.get("PYTHONPATH", "").split(os.pathsep))]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, path in enumerate(paths, 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_APPEND), number)


def serve() -> None:
    from jupyter_book.cli.main import main as jupyter_book
    from jupyter_book.config import get_default_sphinx_config
    from pygments.lexers import get_lexer_by_name
    from sphinx.application import builtin_extensions
    from sphinx.cmd.build import main as sphinx_build

    extensions = get_default_sphinx_config()["extensions"]
    assert isinstance(extensions, list)
    for name in *builtin_extensions, *extensions, *USED:
        importlib.import_module(name)
    for name in "ipython3", "python3":
        get_lexer_by_name(name)  # which compiles its expressions
    gc.freeze()
    for line in sys.stdin:
        if (pid := os.fork()) == 0:
            become(**json.loads(line))
            sys.exit(sphinx_build() if sys.argv[0].endswith("sphinx-build") else jupyter_book())
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


# ---- in the tests


@functools.cache
def server() -> subprocess.Popen[str]:
    """Return this test run's process that splits; it ends with the run, which closes its input."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, __file__], env=env, stdin=pipe, stdout=pipe, text=True, encoding="utf8")


def run(
    program: str, *arguments: str, folder: Path, env: dict[str, str] | None = None, as_one: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder, and return what subprocess.run would; `as_one` puts errors among the output."""
    with tempfile.TemporaryDirectory() as place:
        out, err = (Path(place, name) for name in ("stdout", "stderr"))
        out.touch()
        err.touch()
        paths = [str(out), str(out if as_one else err)]
        asked = {"program": program, "arguments": arguments, "folder": str(folder), "env": dict(env or os.environ)}
        process = server()
        assert process.stdin is not None and process.stdout is not None, "both are pipes"
        process.stdin.write(json.dumps({**asked, "paths": paths}) + "\n")
        process.stdin.flush()
        if not (answer := process.stdout.readline()):
            raise RuntimeError(f"the process that begins builds ended with {process.wait()}")
        texts = [path.read_text(encoding="utf8") for path in (out, err)]
    return subprocess.CompletedProcess([BIN / program, *arguments], int(answer), *texts)


jupyter_book = functools.partial(run, "jupyter-book")
sphinx_build = functools.partial(run, "sphinx-build")


if __name__ == "__main__":
    serve()
