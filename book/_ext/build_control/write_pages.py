"""Write pages side by side.

Sphinx can write pages by several processes, and Jupyter Book has no way to ask for it. Sphinx forgets a failure of one
that it meets while it still hands out pages, and ends well with pages missing; here the build fails.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sphinx.builders
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.util.parallel import ParallelTasks

from build_control.processors import processors


class NotWritten(SphinxError):
    category = "Pages could not be written, and the build ends here"


class Writers(ParallelTasks):
    """The processes that write pages, none of whose failures is forgotten."""

    failure: Exception | None = None

    def _join_one(self) -> bool:
        try:
            return super()._join_one()
        except EOFError as error:
            reason = "a process that writes them was killed (by hand, or for want of memory?): build again"
            failure = NotWritten(reason)
            self.fail(failure)
            raise failure from error
        except Exception as error:
            self.fail(error)
            raise

    def fail(self, error: Exception) -> None:
        """Keep the failure, and end the other processes.

        One that has more to tell than a pipe holds waits for somebody to listen, and Python waits for it when it ends.
        """
        self.failure = error
        self.terminate()

    def join(self) -> None:
        if self.failure is not None:
            self.terminate()
            raise self.failure
        super().join()


def by_size(env: BuildEnvironment, pages: Iterable[str]) -> list[str]:
    """Return the smallest page, which Sphinx writes before all others, then the largest, and so on down."""
    sizes = {page: Path(env.doctreedir, f"{page}.doctree").stat().st_size for page in pages}
    *others, smallest = sorted(sizes, key=lambda page: sizes[page], reverse=True)
    return [smallest, *others]


def write_side_by_side(app: Sphinx, env: BuildEnvironment) -> None:
    # All pages are read by now. With two processes for each processor, the one that prepares pages and those that write
    # them have something to do all the time.
    module: Any = sphinx.builders
    module.ParallelTasks = Writers
    module.make_chunks = lambda pages, nproc: [[page] for page in pages]
    app.parallel = 1 + 2 * processors()
    write = app.builder._write_parallel
    vars(app.builder)["_write_parallel"] = lambda pages, nproc: write(by_size(env, pages), nproc)


def setup(app: Sphinx) -> None:
    app.connect("env-updated", write_side_by_side)
