"""Start the kernels of all pages in surroundings that the build makes, so that IPython loads the recorder in each.

They have a profile of their own, so that no start-up file of the user takes part. Other extensions add to the
surroundings before the first page is read: lines of IPython's configuration, folders of modules, variables.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from drift_guard.kept import Kept

EXTENSIONS = Path(__file__).parents[1]  # where a kernel finds drift_guard
PROFILE = """# Written by the build: how IPython runs the cells.
c.InteractiveShellApp.extensions = ["drift_guard.kernel_recorder"]
c.HistoryManager.enabled = False
c.IPKernelApp.log_level = "ERROR"
"""


@dataclass
class KernelSetup(Kept):
    """What the kernels are started with."""

    configuration: list[str] = field(default_factory=list)  # lines of IPython's configuration
    modules: list[Path] = field(default_factory=list)  # folders that come first where modules are looked for
    variables: dict[str, str] = field(default_factory=dict)  # of the environment
    # The files that cells may read: it is a fault to read another one. None: nobody watches what they ask for.
    sources: list[Path] | None = None
    folders: list[Path] = field(default_factory=list)  # the folders that cells may list
    advice: str = ""  # what to do with a file that is not among them


def folder_of(app: Sphinx) -> Path:
    """Return the folder of what kernels read to start; what lies there is no file of the project."""
    folder = Path(app.doctreedir, "kernels")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write(app: Sphinx, config: Config) -> None:
    """Write the profile, and put all that kernels inherit into the environment."""
    setup = KernelSetup.of(app)
    folder = folder_of(app)
    profile = folder / "profile_default"
    profile.mkdir(exist_ok=True)
    lines = "".join(f"{line}\n" for line in setup.configuration)
    (profile / "ipython_kernel_config.py").write_text(PROFILE + lines, encoding="utf8")
    before = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    modules = dict.fromkeys([*map(str, setup.modules), str(EXTENSIONS), *before])
    os.environ.update(IPYTHONDIR=str(folder), PYTHONPATH=os.pathsep.join(modules), **setup.variables)
    if setup.sources is not None:
        listed = folder / "sources.txt"
        listed.write_text("".join(f"{path}\n" for path in setup.sources), encoding="utf8")
        folders = os.pathsep.join(map(str, setup.folders))
        os.environ.update(GUARD_ROOT=str(app.srcdir), GUARD_SOURCES=str(listed), GUARD_FOLDERS=folders)


def setup(app: Sphinx) -> None:
    app.connect("config-inited", write, priority=950)  # after those that add to the surroundings
