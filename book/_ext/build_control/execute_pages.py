"""Execute pages side by side while others are read.

MyST-NB executes a page when it comes to read it, one after the other, and takes what it finds in its cache. Here every
page that is to be read and is not in the cache is executed beforehand, as many at a time as there are processors, and
what its cells made is in the cache when its turn to be read comes. A page whose cells fail is left to MyST-NB, which
executes it again and tells what is wrong. A kernel that ends before its first answer, as one may on a machine that is
short of memory, is started once more.
"""

import atexit
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import jupyter_cache.executors.utils
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution
from myst_nb.core.read import create_nb_reader
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError
from nbclient.util import run_sync
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.util import logging

from build_control import end_stalled, forked_kernels
from build_control.processors import processors
from drift_guard.kept import Kept

log = logging.getLogger(__name__)


class NotExecuted(SphinxError):
    category = "A page could not be executed, and the build ends here"


def notebook_of(env: BuildEnvironment, path: Path) -> NotebookNode | None:
    """Return a page as MyST-NB reads it, or None where it has no cells."""
    text = path.read_text(encoding="utf8")
    reader = create_nb_reader(str(path), vars(env)["myst_config"], vars(env)["mystnb_config"], text)
    return None if reader is None else reader.read(text)


class Client(NotebookClient):
    """What executes a notebook, on a kernel that is started again if it ends before its first answer."""

    async def async_start_new_kernel(self, **how: Any) -> None:
        await super().async_start_new_kernel(**how)
        atexit.unregister(self._cleanup_kernel)  # a kernel that is left when the build ends has ended by itself
        try:
            await self.async_start_new_kernel_client()
        except RuntimeError as error:
            if "died" not in str(error):
                raise
            log.info("A kernel ended before its first answer and is started again")
            self.create_kernel_manager()
            await super().async_start_new_kernel(**how)
            atexit.unregister(self._cleanup_kernel)

    async def _async_cleanup_kernel(self) -> None:
        if self.km is not None:  # or nothing is left to do, and nbclient would raise an error at the end of the build
            await super()._async_cleanup_kernel()

    async def async_execute_cell(self, *arguments: Any, **how: Any) -> NotebookNode:
        end_stalled.PULSE.beat()
        return await super().async_execute_cell(*arguments, **how)

    _cleanup_kernel = run_sync(_async_cleanup_kernel)


def run(notebook: NotebookNode, cwd: str, **settings: Any) -> NotebookNode:
    """Take the place of nbclient's function of the same purpose, for MyST-NB too."""
    settings |= {"resources": {"metadata": {"path": cwd}}, "kernel_manager_class": forked_kernels.Manager}
    # Nothing is left to do for a kernel whose last cell has answered; asked to end by itself it takes up to 3 seconds.
    return Client(notebook, shutdown_kernel="immediate", **settings).execute()


def execute(notebook: NotebookNode, folder: Path, timeout: int) -> ExecutionResult:
    return single_nb_execution(notebook, str(folder), timeout, allow_errors=False)


class Executions:
    """The pages that wait to be executed, those that are, and what came of them."""

    def __init__(self, env: BuildEnvironment):
        settings = vars(env)["mystnb_config"]
        self.cache = get_cache(settings.execution_cache_path)
        self.timeout = settings.execution_timeout
        self.waiting: SimpleQueue[tuple[Path, NotebookNode, Future[ExecutionResult]]] = SimpleQueue()
        self.begun: dict[str, tuple[Path, Future[ExecutionResult]]] = {}

    def add(self, page: str, path: Path, notebook: NotebookNode) -> None:
        """Let a page be executed, unless the cache knows what comes of it."""
        try:
            self.cache.match_cache_notebook(notebook)
        except KeyError:
            self.begun[page] = path, Future()
            self.waiting.put((path, notebook, self.begun[page][1]))

    def begin(self) -> None:
        if len(self.begun) > 2:
            forked_kernels.SERVER.imports = forked_kernels.KERNEL + forked_kernels.DRAWING
        for _ in range(min(processors(), len(self.begun))):
            Thread(target=self.work, daemon=True).start()  # a build that is interrupted does not wait for it

    def work(self) -> None:
        try:
            while True:
                path, notebook, future = self.waiting.get_nowait()
                log.info("%s: Executing notebook", path)
                try:
                    future.set_result(execute(notebook, path.parent, self.timeout))
                except BaseException as error:
                    future.set_exception(error)
        except Empty:
            return

    def finish(self, page: str) -> None:
        """Wait until a page is executed, and keep what came of it."""
        path, future = self.begun.pop(page, (None, None))
        if future is None:
            return
        try:
            error = future.exception()
        except BaseException:  # an interruption of the wait
            self.end()
            raise
        if error is not None:  # of the kernel, not of a cell
            raise NotExecuted(f"\n{path}: {error}") from error
        result = future.result()
        if isinstance(result.err, CellTimeoutError):  # once is long enough
            raise NotExecuted(f"\n{path}: {result.err}") from result.err
        if result.err is not None:
            return
        bundle = CacheBundleIn(result.nb, str(path), data={"execution_seconds": result.time})
        self.cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)

    def end(self) -> None:
        """Begin no other page, where the build ends before all are read, and let the kernels go."""
        while not self.waiting.empty():
            self.waiting.get_nowait()
        forked_kernels.SERVER.end()


@dataclass
class OfBuild(Kept):
    """The executions of a build, once they have begun."""

    executions: Executions | None = None


def begin(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    if vars(env)["mystnb_config"].execution_mode != "cache":
        return
    executions = OfBuild.of(app).executions = Executions(env)
    for page in pages:
        path = Path(env.doc2path(page))
        if (notebook := notebook_of(env, path)) is not None:
            executions.add(page, path, notebook)
    executions.begin()


def finish(app: Sphinx, page: str, source: list[str]) -> None:
    if executions := OfBuild.of(app).executions:
        executions.finish(page)


def end(app: Sphinx, *_) -> None:
    if executions := OfBuild.of(app).executions:
        executions.end()


def setup(app: Sphinx) -> None:
    jupyter_cache.executors.utils.executenb = run
    app.connect("env-before-read-docs", begin, priority=900)  # when others have chosen what is read
    app.connect("source-read", finish, priority=0)
    app.connect("env-updated", end, priority=0)
    app.connect("build-finished", end, priority=0)
