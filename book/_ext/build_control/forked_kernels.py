"""Start the kernels of pages by forking one process in which the slow imports are done.

Of the three seconds that the cells of a page with figures take, half goes to importing IPython's kernel and matplotlib.
Here a process imports both once and splits in two for every page; so each page's cells run in a process of their own,
in which nothing of the book was imported before. Run as a program this file is that process.

Where a process cannot be forked safely (macOS, Windows) kernels start in the ordinary way.

A kernel listens on Unix sockets under a name of its own. On TCP two kernels that start at the same moment may choose
the same port, and one of them ends; so TCP is only for Windows, where there is nothing else.
"""

import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

KERNEL = ("ipykernel.kernelapp", "ipykernel.debugger", "psutil")
DRAWING = ("matplotlib.pyplot", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg")
LONGEST = 90  # characters of a folder with sockets: with their names, 103 is the most that a system allows
LAUNCHER = ["-m", "ipykernel_launcher"]


# ---- in the process that splits


def become_kernel(cmd: list[str], folder: str, env: dict[str, str]) -> None:
    """Run a kernel as `cmd` says, and end with it."""
    os.setsid()  # a group of its own, which the build may interrupt or kill
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    os.environ.clear()
    os.environ.update(env, JPY_PARENT_PID=str(os.getppid()))
    os.chdir(folder)
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()  # each process draws its own numbers, as it would have without the split
    sys.argv = cmd[2:]
    sys.modules["ipykernel.kernelapp"].launch_new_instance()


def clear_away(*_: object) -> None:
    """Take note of kernels that ended: until then the system counts them as running."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def serve() -> None:
    """Split once for each line of the input, and answer each with the new process's number."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who interrupts the build ends this process by closing its input
    if Path(sys.path[0]).resolve() == Path(__file__).resolve().parent:
        del sys.path[0]  # kernels find the project's modules by their environment
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"  # as kernels have it
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # a kernel ends by itself when its parent is gone
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # or the debugger, which nobody will use, writes a warning
    for name in sys.argv[1:]:
        with suppress(ImportError):  # a cell that needs it will say so
            import_module(name)
    gc.freeze()  # what is imported stays: no process looks for garbage in it
    signal.signal(signal.SIGCHLD, clear_away)
    while line := sys.stdin.readline():
        if (pid := os.fork()) == 0:
            become_kernel(**json.loads(line))
            os._exit(0)
        print(pid, flush=True)


# ---- in the build


class Kernel:
    """A running kernel, with what jupyter_client asks of a process."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int):
        self.pid = pid

    def poll(self) -> int | None:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 1
        return None

    def wait(self) -> int | None:
        return self.poll()

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


class Server:
    """The process that splits; it starts with the first kernel, and its kernels end with it.

    `imports` says what it imports first: for a page or two, of which none may draw, the kernel alone is quicker.
    """

    def __init__(self) -> None:
        self.imports: tuple[str, ...] = KERNEL
        self.lock = threading.Lock()
        self.process: subprocess.Popen[str] | None = None

    def fork(self, cmd: list[str], folder: str, env: dict[str, str]) -> Kernel:
        with self.lock:
            if self.process is None:
                pipe = subprocess.PIPE
                command = [sys.executable, os.path.abspath(__file__), *self.imports]
                # Where the build was started may lie a matplotlibrc, which would count more than the project's.
                here = os.path.dirname(os.path.abspath(__file__))
                self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=here, env=env)
            asking, answering = self.process.stdin, self.process.stdout
            assert asking is not None and answering is not None, "both are pipes"
            asking.write(json.dumps({"cmd": cmd, "folder": folder, "env": env}) + "\n")
            asking.flush()
            if not (answer := answering.readline()):
                raise RuntimeError(f"{__file__}: the process that starts kernels ended with {self.process.wait()}")
            return Kernel(int(answer))

    def end(self) -> None:
        if self.process is not None:
            self.process.communicate()
            self.process = None


SERVER = Server()


class Forked(LocalProvisioner):
    async def launch_kernel(self, cmd: list[str], **how: Any) -> Any:
        from build_control.kernel_surroundings import environment  # this file run as a program needs no Sphinx

        how["env"] = environment(how["env"])
        if cmd[1:3] != LAUNCHER or sys.platform != "linux":
            return await super().launch_kernel(cmd, **how)
        self.process = SERVER.fork(cmd, os.fspath(how["cwd"]), how["env"])
        self.pid = self.pgid = self.process.pid
        self.cwd = how["cwd"]
        return self.connection_info


class Manager(AsyncKernelManager):
    def __init__(self, **settings: Any):
        super().__init__(**settings)
        self.provisioner = Forked(kernel_id=str(uuid.uuid4()), kernel_spec=self.kernel_spec, parent=self)
        self.folder: str | None = None
        if sys.platform == "linux":  # such a name belongs to no folder, and goes with the process
            self.transport, self.ip = "ipc", f"@book-{uuid.uuid4().hex}"
        elif sys.platform != "win32":
            self.folder = tempfile.mkdtemp(prefix="book-")
            if len(self.folder) < LONGEST:
                self.transport, self.ip = "ipc", os.path.join(self.folder, "kernel")

    async def _async_cleanup_resources(self, restart: bool = False) -> None:
        await super()._async_cleanup_resources(restart)
        if self.folder is not None and not restart:
            shutil.rmtree(self.folder, ignore_errors=True)

    cleanup_resources = _async_cleanup_resources


if __name__ == "__main__":
    serve()
