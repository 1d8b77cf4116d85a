"""End a build that makes no progress, and say where it stood.

Whatever a build waits for (a kernel, a thread, a process that writes) may fail in a way in which the wait never ends.
So a thread looks whether the build still says or executes something. After twice the time limit of a cell without a
sign of life it tells what the build said last and where its threads stand, and ends the build and its processes.
"""

import logging
import multiprocessing
import os
import sys
import threading
import time
import traceback

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.logging import NAMESPACE

from build_control import forked_kernels

LOOKS = 20  # in one time limit


class Pulse(logging.Handler):
    """When the build last gave a sign of life, and what it said."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.last = time.monotonic()
        self.said = "nothing"

    def emit(self, record: logging.LogRecord) -> None:
        self.beat()
        if record.levelno >= logging.INFO:
            self.said = " ".join(record.getMessage().split()) or self.said

    def beat(self) -> None:
        self.last = time.monotonic()


PULSE = Pulse()


def standing() -> str:
    """Return where each thread stands: its innermost calls, the main thread's first."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    main = threading.main_thread().ident
    frames = sorted(sys._current_frames().items(), key=lambda item: item[0] != main)
    lines = []
    for ident, frame in frames:
        if ident == threading.get_ident():
            continue
        calls = [f"{call.filename}:{call.lineno} {call.name}" for call in traceback.extract_stack(frame)[-3:]]
        lines.append(f"  {names.get(ident, ident)}: " + ", ".join(calls))
    return "\n".join(lines)


def kill_processes() -> None:
    """End the processes of this build."""
    for process in multiprocessing.active_children():
        process.kill()
    if forked_kernels.SERVER.process is not None:
        forked_kernels.SERVER.process.kill()  # its kernels end by themselves when it is gone


def watch(limit: float) -> None:
    """End this process when it has been silent for the limit, in seconds."""
    while time.monotonic() - PULSE.last < limit:
        time.sleep(limit / LOOKS)
    words = f"The build made no progress for {limit:.0f} seconds and ends here. The last that it said: {PULSE.said}"
    try:
        sys.stdout.flush()
        print(f"\n{words}\nIt stood at\n{standing()}", file=sys.stderr, flush=True)
        kill_processes()
    finally:
        os._exit(1)


def begin(app: Sphinx, config: Config) -> None:
    """Watch the build from now on."""
    logging.getLogger(NAMESPACE).addHandler(PULSE)
    PULSE.beat()
    limit = config.stalled_after or 2 * config.nb_execution_timeout
    if limit > 0:
        threading.Thread(target=watch, args=[limit], name="watch", daemon=True).start()


def setup(app: Sphinx) -> None:
    app.add_config_value("stalled_after", 0, "", [int, float])
    app.connect("config-inited", begin, priority=920)
