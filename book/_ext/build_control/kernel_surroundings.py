"""Run the cells of all pages in the same surroundings, whoever builds the book.

Cells import the project's modules whether or not it is installed, figures are SVG whose parts have the same names in
every build, and no settings of the user take part. A cell may read the files that `fresh_sources` names and no other
file, because a change of that would go unnoticed. Of the environment they see what is listed here, and nothing else.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from build_control import source_state
from drift_guard import kernel_setup

DRAWING = (
    'c.InlineBackend.figure_formats = {"svg"}',
    'c.InlineBackend.print_figure_kwargs = {"bbox_inches": "tight", "metadata": {"Date": None}}',
)
GIVEN = (
    "IPYTHONDIR PYTHONPATH PYTHONUTF8 MATPLOTLIBRC MPLBACKEND JUPYTER_PREFER_ENV_PATH GUARD_ROOT GUARD_SOURCES "
    "GUARD_FOLDERS JPY_PARENT_PID JPY_INTERRUPT_EVENT IPY_INTERRUPT_EVENT"
).split()  # by the build


def environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return what a kernel sees of an environment: what the build gives it, and what NumPy and others need."""
    seen = {name: env[name] for name in (*GIVEN, *source_state.PASSED) if name in env}
    # In a zone of its own, each machine would tell another hour for the same time.
    return seen | {"PATH": os.pathsep.join([os.path.dirname(sys.executable), os.defpath]), "TZ": "UTC"}


def add(app: Sphinx, config: Config) -> None:
    kernels = kernel_setup.KernelSetup.of(app)
    settings = kernel_setup.folder_of(app) / "matplotlibrc"
    settings.write_text("svg.hashsalt: book\n", encoding="utf8")
    kernels.configuration += DRAWING
    kernels.modules.append(Path(app.srcdir))
    kernels.variables.update(MATPLOTLIBRC=str(settings), JUPYTER_PREFER_ENV_PATH="1", PYTHONUTF8="1")
    kernels.sources = source_state.of(app).listed
    kernels.folders = source_state.folders_listed(Path(app.srcdir), config.fresh_sources)
    kernels.advice = "name it in `fresh_sources`: its changes would go unnoticed"


def setup(app: Sphinx) -> None:
    app.setup_extension("build_control.source_state")
    app.setup_extension("drift_guard.kernel_setup")
    app.connect("config-inited", add, priority=910)
