"""Notice, in the kernel, what a cell depends on that no key of the cache knows.

A cell may read files that are named as sources, and what belongs to Python and its packages. Whatever else it asks
would go unnoticed when it changes: other files, whether they exist and when they were written, which files a folder
holds, other processes and libraries, the network, and the clock. Each is noted and becomes a fault on the page. The
clock answers the book's code with the time of SOURCE_DATE_EPOCH, and without that it refuses. What a package asks while
it is imported counts as the package's.

Python tells its auditors of most of this. It does not tell that somebody asks for the state of a file, so `os.stat` and
its like are replaced. What NumPy asks by itself nobody can notice: the words by which it reads the clock are looked for
in the code.
"""

import ast
import datetime
import functools
import importlib.util
import linecache
import os
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

FONTS = "matplotlib.font_manager"  # makes its list of fonts when it first needs one
ROOT, SOURCES, FOLDERS = "GUARD_ROOT", "GUARD_SOURCES", "GUARD_FOLDERS"
PROCESSES = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "pty.spawn"}
NETWORK = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostname"}
LISTINGS = {"os.listdir", "os.scandir"}
LIBRARIES = {"ctypes.dlopen"}
ASKING = PROCESSES | NETWORK | LISTINGS | LIBRARIES
HEARD = frozenset({"open", "sqlite3.connect", "os.mkdir"} | ASKING)
STATES = "stat", "lstat", "access"  # of a file, which Python tells no auditor
TIMES = {"getmtime", "getatime", "getctime"}  # of os.path
# Functions that look at all folders above a path, or at whether a text to display is the name of a file, which is read.
NOT_ASKING = {"realpath", "_joinrealpath", "_safe_exists"}
STYLES = "matplotlib.style"  # asks whether a style's name is that of a package's style
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
        above = folders_above([*self.sources, *self.folders, *self.passed, self.root])
        self.known = self.sources, self.folders, above, DEVICES
        self.made: set[str] = set()  # by the cells themselves
        self.running = False
        self.has_dates = False  # some code of the page names NumPy's kind of dates
        self.scanned: set[str] = set()  # modules of the book whose code has been looked at
        self.unlisted: dict[str, None] = {}  # files of the project
        self.unseen: dict[tuple[str, str], None] = {}  # kind, and what was asked for
        self.thread = threading.local()  # what watching asks itself does not count

    def begin(self, code: str = "") -> None:
        self.running = True
        self.scan(code)

    def end(self) -> tuple[list[str], list[tuple[str, str]]]:
        """Return what the cell asked for, and forget it."""
        self.running = False
        self.scan_modules()
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
            elif event == "sqlite3.connect":
                self.opened(arguments[0], "r", 0)
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
        if path in self.sources or self.is_own(path):
            return
        if not os.path.isfile(path):
            if self.running and not os.path.exists(path) and self.is_asked_by_the_book(sys._getframe(2)):
                self.unseen["state", self.named(path)] = None
        elif path.startswith(self.root):
            self.unlisted[path] = None
        elif self.running and not self.is_import(sys._getframe(2)):
            self.unseen["file", path] = None

    def asked(self, event: str, arguments: tuple) -> None:
        if event not in ASKING or self.is_import(sys._getframe(2)):
            return
        if event in PROCESSES:
            self.unseen["process", " ".join(str(part) for part in arguments[:1])] = None
        elif event in LIBRARIES:
            self.unseen["library", str(arguments[0])] = None
        elif event in NETWORK:
            self.unseen["network", event] = None
        elif event in LISTINGS and isinstance(arguments[0] or ".", str | bytes | os.PathLike):
            path = os.path.abspath(os.fsdecode(arguments[0] or "."))
            if inside(path, self.passed) or path in self.folders or self.is_own(path):
                return
            self.unseen["folder", self.named(path)] = None

    def looked_for(self, name: object, frame) -> None:
        """Note a file whose state is asked for, whether or not it exists."""
        if not self.running or getattr(self.thread, "busy", False) or not isinstance(name, str | bytes | os.PathLike):
            return
        self.thread.busy = True
        try:
            path = os.path.abspath(os.fsdecode(name))
            kind = "time" if frame.f_code.co_name in TIMES and not inside(path, self.passed) else "state"
            if kind == "state" and (inside(path, self.passed) or any(path in known for known in self.known)):
                return
            if not self.is_own(path) and self.is_asked_by_the_book(frame):
                self.unseen[kind, self.named(path)] = None
        finally:
            self.thread.busy = False

    def named(self, path: str) -> str:
        """Return a path as the report tells it."""
        return os.path.relpath(path, self.root) if inside(path, (self.root,)) else path

    def may_name_dates(self, code: str) -> bool:
        """Tell whether code has to be scanned, for which IPython's own syntax must first become Python's."""
        return self.has_dates or "datetime64" in code

    def scan(self, code: str) -> None:
        """Note where code gives NumPy the words by which it asks the clock."""
        self.has_dates = self.may_name_dates(code)
        if self.has_dates and (word := word_for_the_clock(code)):
            self.unseen["clock", f'"{word}" for NumPy'] = None

    def scan_modules(self) -> None:
        """Scan the book's modules that were imported since."""
        for name in sys.modules.keys() - self.scanned:  # of the thousand most were there when the last cell ended
            self.scanned.add(name)
            file = getattr(sys.modules[name], "__file__", None)
            if not file or not str(file).endswith(".py"):
                continue
            path = os.path.abspath(file)
            if self.is_file_of_the_book(path):
                with suppress(OSError):
                    code = Path(path).read_text(encoding="utf8")
                    if "datetime64" in code:
                        self.scan(code)

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

    def is_asked_by_the_book(self, frame) -> bool:
        """Tell whether code of the book asks, by itself or through a package, and not for a line of its own code."""
        while frame is not None and not self.is_of_the_book(frame):
            file = frame.f_code.co_filename
            asks_nothing = frame.f_code.co_name in NOT_ASKING
            if asks_nothing or file.startswith(IMPORTING) or file == linecache.__file__:
                return False
            if str(frame.f_globals.get("__name__")).startswith((FONTS, STYLES)):
                return False
            frame = frame.f_back
        return frame is not None

    def is_of_the_book(self, frame) -> bool:
        """Tell whether code of a cell, or of the project, runs in a frame."""
        file = frame.f_globals.get("__file__")
        if file is None:
            return "get_ipython" in frame.f_globals  # a cell
        return self.is_file_of_the_book(os.path.abspath(file))

    def is_file_of_the_book(self, path: str) -> bool:
        return path.startswith(self.root) and not inside(path, self.passed) and not path.startswith(THIS_ROOM)


def hearing(watch: Watch) -> Callable:
    """Return what Python is to tell of every event: a function, which forgets at once those that no watch asks about.

    matplotlib alone makes a million of them in a build of this book (each call of `id` is one). A function hears one in
    0.2 microseconds, and a method that looks at it in 0.9.
    """
    heard, audit = HEARD, watch.audit

    def hear(event: str, arguments: tuple) -> None:
        if event in heard:
            audit(event, arguments)

    return hear


def is_new(mode: str | None, flags: int) -> bool:
    """Tell whether nothing that a file held before can be read; "r+" reads it: np.memmap opens a file so."""
    if mode:
        return "r" not in mode
    return bool(flags & WRITING and flags & (os.O_TRUNC | os.O_EXCL))


def folders_above(paths: Iterable[str]) -> set[str]:
    """Return all folders that paths lie in, which exist because they do."""
    return {str(folder) for path in paths for folder in [Path(path), *Path(path).parents] if str(folder) != path}


def word_for_the_clock(code: str) -> str | None:
    """Return the word in a piece of Python that stands for the present where NumPy reads a date, if there is one."""
    with suppress(SyntaxError):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
                word = os.fsdecode(node.value).strip().lower()
                if word in ("now", "today"):
                    return word
    return None


def watch_states(watch: Watch) -> None:
    """Let `os` tell the watch whose state is asked for; `os.path` and `pathlib` ask there."""
    capabilities = os.supports_dir_fd, os.supports_effective_ids, os.supports_fd, os.supports_follow_symlinks
    for name in STATES:
        real = getattr(os, name)
        told = telling(real, watch)
        for able in capabilities:
            if real in able:
                able.add(told)
        setattr(os, name, told)


def telling(function: Callable, watch: Watch) -> Callable:
    """Return a function that tells the watch of the file that it is asked about."""

    @functools.wraps(function)
    def asked(path, *arguments, **named):
        if named.get("dir_fd") is None:  # else the path begins at a folder that the caller has opened
            watch.looked_for(path, sys._getframe(1))
        return function(path, *arguments, **named)

    return asked


# ---- the clock


EPOCH = "SOURCE_DATE_EPOCH"  # what time the book's code is told, in seconds since 1970
RUNNING_CLOCKS = "CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW", "CLOCK_PROCESS_CPUTIME_ID", "CLOCK_THREAD_CPUTIME_ID"


class ClockAsked(RuntimeError):
    """Raised in a cell that asks what time it is."""


def fixed_time() -> int | None:
    """Return the time that the environment sets, if it does."""
    text = os.environ.get(EPOCH, "")
    return int(text) if text else None


def time_to_tell(name: str, fixed: int | None) -> int:
    if fixed is None:
        text = f"{name}() asks the clock, and what a cell made is used again later"
        raise ClockAsked(f"{text}: give it a fixed time, or build with {EPOCH}")
    return fixed


def fix_clock(is_of_the_book: Callable, fixed: int | None = None) -> None:
    """Let `time` and `datetime` tell the book's code a fixed time, or none; measuring durations stays possible."""
    real = {name: getattr(time, name) for name in ("localtime", "gmtime", "ctime", "asctime", "strftime")}
    answers: dict[str, Callable] = {
        "time": lambda now: float(now),
        "time_ns": lambda now: now * 10**9,
        "localtime": lambda now: real["localtime"](now),
        "gmtime": lambda now: real["gmtime"](now),
        "ctime": lambda now: real["ctime"](now),
        "asctime": lambda now: real["asctime"](real["localtime"](now)),
        "strftime": lambda now, form: real["strftime"](form, real["localtime"](now)),
        "clock_gettime": lambda now, clock: float(now),
        "clock_gettime_ns": lambda now, clock: now * 10**9,
    }
    of_durations = {getattr(time, name) for name in RUNNING_CLOCKS if hasattr(time, name)}

    def asks_the_clock(name: str, arguments: list) -> bool:
        if name.startswith("clock_gettime"):
            return not of_durations.intersection(arguments)
        return len(arguments) == (name == "strftime")  # with one more, it is given a time

    for name, answer in answers.items():
        if hasattr(time, name):
            setattr(time, name, answering(getattr(time, name), answer, asks_the_clock, is_of_the_book, fixed))
    datetimes = {
        "now": lambda kind, now, *zone, **named: kind.fromtimestamp(now, *zone, **named),
        "utcnow": lambda kind, now: kind.fromtimestamp(now, datetime.UTC).replace(tzinfo=None),
        "today": lambda kind, now: kind.fromtimestamp(now),
    }
    dates = {"today": datetimes["today"]}
    datetime.datetime = standing_in(datetime.datetime, datetimes, is_of_the_book, fixed)
    datetime.date = standing_in(datetime.date, dates, is_of_the_book, fixed)


def answering(
    function: Callable, answer: Callable, asks_the_clock: Callable, is_of_the_book: Callable, fixed: int | None
) -> Callable:
    """Return a function that answers the book's code where that asks the clock, and calls the real one elsewhere."""

    @functools.wraps(function)
    def asked(*arguments, **named):
        given = [argument for argument in arguments if argument is not None]
        if asks_the_clock(function.__name__, given) and is_of_the_book(sys._getframe(1)):
            return answer(time_to_tell(function.__name__, fixed), *given)
        return function(*arguments, **named)

    return asked


def standing_in(real: type, answers: dict[str, Callable], is_of_the_book: Callable, fixed: int | None) -> type:
    """Return a class that makes objects of the real one, counts as equal to it, and asks no clock for the book."""

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

    def wrapped(name: str, answer: Callable) -> classmethod:
        def asked(cls, *arguments, **named):
            kind = real if cls is stand_in else cls
            if is_of_the_book(sys._getframe(1)):
                return answer(kind, time_to_tell(f"{real.__name__}.{name}", fixed), *arguments, **named)
            return getattr(super(stand_in, cls) if cls is not stand_in else real, name)(*arguments, **named)

        return classmethod(asked)

    methods = {name: wrapped(name, answer) for name, answer in answers.items()}
    stand_in = Kind(real.__name__, (real,), {"__new__": new, "__module__": real.__module__, **methods})
    stand_in.__qualname__ = real.__qualname__
    return stand_in
