"""Notice, in the kernel, what a cell depends on that no key of the cache knows.

A cell may read files that are named as sources, and what belongs to Python and its packages. Whatever else it asks
would go unnoticed when it changes: other files, which files a folder holds, other processes, the network, and the
clock. The clock refuses to answer, the rest is noted and becomes a fault on the page. What a package asks while it is
imported counts as the package's. Whether a file exists and when it was written cannot be noticed, because Python tells
nobody that it is asked for that; nor can what is asked beyond Python, as by `numpy.datetime64("now")`.
"""

from __future__ import annotations

import datetime
import importlib.util
import os
import sys
import sysconfig
import threading
import time
from collections.abc import Callable
from pathlib import Path

FONTS = "matplotlib.font_manager"  # makes its list of fonts when it first needs one
ROOT, SOURCES, FOLDERS = "GUARD_ROOT", "GUARD_SOURCES", "GUARD_FOLDERS"
PROCESSES = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "pty.spawn"}
NETWORK = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname"}
LISTINGS = {"os.listdir", "os.scandir"}
ASKING = PROCESSES | NETWORK | LISTINGS
WRITING = os.O_WRONLY | os.O_RDWR
THIS_ROOM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
DEVICES = "/dev/null", "/dev/urandom", "/dev/random"
IMPORTING = "<frozen importlib", os.path.join(os.path.dirname(importlib.util.__file__), "")


def inside(path: str, folders: tuple[str, ...]) -> bool:
    return os.path.join(path, "").startswith(folders)


def environment() -> tuple[str, ...]:
    """Return the folders of Python, of its packages, and of what the build gives its kernels."""
    folders = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders.append(os.environ["IPYTHONDIR"])
    if sys.prefix != sys.base_prefix:
        folders.append(sys.prefix)
    folders += [os.path.realpath(folder) for folder in folders]
    return tuple(os.path.join(folder, "") for folder in dict.fromkeys(folders))


class Watch:
    """What the cell that runs asked for beyond its sources."""

    def __init__(self) -> None:
        self.root = os.path.join(os.environ[ROOT], "")
        self.passed = environment()
        self.sources = set(Path(os.environ[SOURCES]).read_text(encoding="utf8").splitlines())
        self.folders = set(filter(None, os.environ.get(FOLDERS, "").split(os.pathsep)))
        self.made: set[str] = set()  # by the cells themselves
        self.running = False
        self.unlisted: dict[str, None] = {}  # files of the project
        self.unseen: dict[tuple[str, str], None] = {}  # kind, and what was asked for
        self.thread = threading.local()  # what watching asks itself does not count

    def begin(self) -> None:
        self.running = True

    def end(self) -> tuple[list[str], list[tuple[str, str]]]:
        """Return what the cell asked for, and forget it."""
        self.running = False
        files = sorted(os.path.relpath(path, self.root) for path in self.unlisted)
        unseen = list(self.unseen)
        self.sources |= set(self.unlisted)
        self.unlisted.clear()
        self.unseen.clear()
        return files, unseen

    def audit(self, event: str, arguments: tuple) -> None:
        """Take note of an event that Python tells its auditors."""
        if getattr(self.thread, "busy", False):
            return
        self.thread.busy = True
        try:
            if event == "open":
                self.opened(*arguments)
            elif event == "os.mkdir":
                self.made.add(os.path.abspath(os.fsdecode(arguments[0])))
            elif self.running:
                self.asked(event, arguments)
        finally:
            self.thread.busy = False

    def opened(self, name: object, mode: str | None, flags: int) -> None:
        """Note a file that is opened for reading, or the module whose compiled form is."""
        if not isinstance(name, str | bytes | os.PathLike):
            return
        path = os.path.abspath(os.fsdecode(name))
        if is_new(mode, flags):
            self.made.add(path)
            return
        if path in self.made or inside(path, self.passed) or path in DEVICES:
            return
        if path.endswith(".pyc"):
            path = importlib.util.source_from_cache(path)
        if path in self.sources or not os.path.isfile(path) or self.is_own(path):
            return
        if path.startswith(self.root):
            self.unlisted[path] = None
        elif self.running and not self.is_import(sys._getframe(2)):
            self.unseen["file", path] = None

    def asked(self, event: str, arguments: tuple) -> None:
        if event not in ASKING or self.is_import(sys._getframe(2)):
            return
        if event in PROCESSES:
            self.unseen["process", " ".join(str(part) for part in arguments[:1])] = None
        elif event in NETWORK:
            self.unseen["network", event] = None
        elif event in LISTINGS and isinstance(arguments[0] or ".", str | bytes | os.PathLike):
            path = os.path.abspath(os.fsdecode(arguments[0] or "."))
            if inside(path, self.passed) or path in self.folders or self.is_own(path):
                return
            self.unseen["folder", os.path.relpath(path, self.root) if inside(path, (self.root,)) else path] = None

    def is_own(self, path: str) -> bool:
        """Tell whether a cell made the file or a folder around it, or matplotlib keeps its list of fonts there."""
        if path in self.made or any(inside(path, (os.path.join(folder, ""),)) for folder in self.made):
            return True
        cache = getattr(sys.modules.get("matplotlib"), "get_cachedir", None)
        return cache is not None and inside(path, (os.path.join(cache(), ""),))

    def is_import(self, frame) -> bool:
        """Tell whether a module is being looked for or loaded, or fonts are, and not by the book's own code."""
        while frame is not None and not self.is_of_the_book(frame):
            if frame.f_code.co_filename.startswith(IMPORTING) or frame.f_globals.get("__name__") == FONTS:
                return True
            frame = frame.f_back
        return False

    def is_of_the_book(self, frame) -> bool:
        """Tell whether code of a cell, or of the project, runs in a frame."""
        file = frame.f_globals.get("__file__")
        if file is None:
            return "get_ipython" in frame.f_globals  # a cell
        path = os.path.abspath(file)
        return path.startswith(self.root) and not inside(path, self.passed) and not path.startswith(THIS_ROOM)


def is_new(mode: str | None, flags: int) -> bool:
    """Tell whether nothing that a file held before can be read; "r+" reads it: np.memmap opens a file so."""
    if mode:
        return "r" not in mode
    return bool(flags & WRITING and flags & (os.O_TRUNC | os.O_EXCL))


# ---- the clock


class ClockAsked(RuntimeError):
    """Raised in a cell that asks what time it is."""


def refusing(function: Callable, is_of_the_book: Callable, needs: int = 0) -> Callable:
    """Return a function that refuses the book's code, and serves all other code; `needs` arguments name a time."""

    def asked(*arguments, **named):
        if len(arguments) <= needs and is_of_the_book(sys._getframe(1)):
            raise ClockAsked(
                f"{function.__name__}() asks the clock, and what a cell made is used again later: give it a fixed time"
            )
        return function(*arguments, **named)

    asked.__name__ = function.__name__
    asked.__doc__ = function.__doc__
    return asked


def refuse_clock(is_of_the_book: Callable) -> None:
    """Let `time` and `datetime` tell the book's code no time of the day; measuring durations stays possible."""
    for name in "time", "time_ns", "localtime", "gmtime", "ctime", "asctime", "strftime":
        needs = 1 if name == "strftime" else 0
        setattr(time, name, refusing(getattr(time, name), is_of_the_book, needs))
    datetime.datetime = standing_in(datetime.datetime, ("now", "utcnow", "today"), is_of_the_book)
    datetime.date = standing_in(datetime.date, ("today",), is_of_the_book)


def standing_in(real: type, asking: tuple[str, ...], is_of_the_book: Callable) -> type:
    """Return a class that makes objects of the real one, counts as equal to it, and refuses to ask the clock."""

    class Kind(type):
        def __instancecheck__(cls, one: object) -> bool:
            return isinstance(one, real) if cls is stand_in else super().__instancecheck__(one)

        def __subclasscheck__(cls, one: type) -> bool:
            return issubclass(one, real) if cls is stand_in else super().__subclasscheck__(one)

        def __eq__(cls, other: object) -> bool:
            return other is cls or (cls is stand_in and other is real)

        def __hash__(cls) -> int:
            return hash(real) if cls is stand_in else super().__hash__()

    def new(cls, *arguments, **named):
        return real.__new__(real if cls is stand_in else cls, *arguments, **named)

    def wrapped(name: str) -> classmethod:
        def asked(cls, *arguments, **named):
            if is_of_the_book(sys._getframe(1)):
                text = f"{real.__name__}.{name}() asks the clock, and what a cell made is used again later"
                raise ClockAsked(f"{text}: give it a fixed time")
            return getattr(super(stand_in, cls) if cls is not stand_in else real, name)(*arguments, **named)

        return classmethod(asked)

    methods = {name: wrapped(name) for name in asking}
    stand_in = Kind(real.__name__, (real,), {"__new__": new, "__module__": real.__module__, **methods})
    stand_in.__qualname__ = real.__qualname__
    return stand_in
