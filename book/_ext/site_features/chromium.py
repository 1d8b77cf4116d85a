"""Find Chromium for all that needs it: the tests, the book on paper, the benchmarks.

    python book/_ext/site_features/chromium.py

finds it, or installs it on Debian, and says in one line which one it is.
`make test` and `make pdf` run this program first, so that a missing browser is told before anything else begins. What
runs afterwards only looks it up, by `path`: playwright's own Chromium if it is installed, else the system's headless
shell, else its full browser.
"""

import functools
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Playwright, sync_playwright

SHELL = "chromium-headless-shell"  # the same browser without windows: a tenth to a quarter less processor time
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGES = (SHELL, "chromium")  # of Debian, whose older releases have no shell
FLAGS = [
    # The pages behind the address bar, which nobody sees here, took a second of processor time per window. Chromium
    # heeds only the last list of this kind, so the part of playwright's that pages here notice stands in it, too.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,PaintHolding,LensOverlay,MediaRouter,OptimizationHints,"
    "HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,DestroyProfileOnBrowserClose",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 300  # seconds to wait for another program that has apt's lock
PAUSE = 2  # seconds between two attempts
LOCKED = ("Could not get lock", "Unable to lock", "Unable to acquire the dpkg frontend lock")


class NoBrowser(Exception):
    """No Chromium was found, and none could be installed; the message says what to do."""


# ---- what is there


def from_snap(path: str) -> bool:
    """Say whether a program is a snap, or Ubuntu's script that leads to one: these cannot read every folder."""
    if os.path.realpath(path).startswith("/snap/") or os.path.basename(os.path.realpath(path)) == "snap":
        return True
    with open(path, "rb") as file:
        start = file.read(10_000)
    return start.startswith(b"#!") and b"/snap/bin" in start


@functools.cache
def version(path: str) -> str | None:
    """Return what a browser says of its version, or None if it cannot be started."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, encoding="utf8", timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def candidates(playwright: Playwright) -> Iterator[str]:
    """Yield the paths of browsers that are installed, playwright's own first."""
    own = playwright.chromium.executable_path
    if Path(own).exists():
        yield own
    for found in filter(None, map(shutil.which, NAMES)):
        if not from_snap(found):
            yield found


def look(playwright: Playwright) -> str | None:
    """Return the path of the first browser that starts, or None."""
    return next(filter(version, candidates(playwright)), None)


def path(playwright: Playwright) -> str:
    """Return the path of Chromium. Nothing is installed here."""
    found = look(playwright)
    if found is None:
        raise NoBrowser(advice(f"No Chromium was found; {sys.executable} {Path(__file__).resolve()} tells why."))
    return found


# ---- what can be installed


def advice(reason: str) -> str:
    return (
        f"{reason}\nInstall Chromium by one of these commands, and then run yours again:\n"
        "  apt install chromium        (Debian, as root)\n"
        f"  {sys.executable} -m playwright install --with-deps chromium        (Ubuntu and others)"
    )


def obstacle() -> str | None:
    """Return why Chromium cannot be installed here without asking, or None if it can."""
    if shutil.which("apt-get") is None:
        return "This system has no apt-get, by which it could be installed."
    try:
        system = platform.freedesktop_os_release()
    except OSError:
        system = {}
    if system.get("ID") != "debian":
        name = system.get("PRETTY_NAME", "This system")
        return f"{name} is not Debian, whose package is a complete browser (Ubuntu's only leads to a snap)."
    if os.geteuid() != 0:
        return "Only root can install it with apt."
    return None


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Let one process at a time install; the lock is on this file's folder and goes with the process."""
    import fcntl  # which Windows lacks, as it lacks apt

    folder = os.open(Path(__file__).parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def is_locked(done: subprocess.CompletedProcess) -> bool:
    """Tell whether apt-get ended because another program has its lock."""
    return done.returncode != 0 and any(words in done.stderr for words in LOCKED)


def apt(*words: str) -> subprocess.CompletedProcess:
    """Run apt-get, and wait while another program has its lock."""
    command = ["apt-get", "-q", "-o", f"DPkg::Lock::Timeout={PATIENCE}", *words]
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    end = time.monotonic() + PATIENCE
    waits = False
    while True:
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf8", errors="replace",
                              stdin=subprocess.DEVNULL, env=environment)  # fmt: skip
        if not is_locked(done) or time.monotonic() > end:
            return done
        if not waits:
            print(f"Another program has apt's lock: waiting for it, for at most {PATIENCE} seconds ...", flush=True)
        waits = True
        time.sleep(PAUSE)


def install() -> None:
    """Install Debian's Chromium, or raise NoBrowser."""
    runs = [apt("update", "-o", "Acquire::Retries=2")]  # a fault of one source need not keep Chromium away
    for package in PACKAGES:
        runs.append(apt("install", "-y", "-o", "Acquire::Retries=2", "--no-install-recommends", package))
        if runs[-1].returncode == 0:
            return
        if is_locked(runs[-1]):
            break
    lines = [line for run in runs for line in run.stderr.splitlines() if line.startswith(("E:", "W:"))]
    told = "\n".join(f"  {line}" for line in dict.fromkeys(lines)) or f"  apt-get ended with {runs[-1].returncode}"
    raise NoBrowser(advice(f"apt could not install Chromium (is there a network?). It said:\n{told}"))


def find_or_install(playwright: Playwright) -> tuple[str, str]:
    """Return the path of Chromium, and how it came to be there; raise NoBrowser if there is none in the end."""
    if found := look(playwright):
        return found, "playwright's own" if found == playwright.chromium.executable_path else "the system's"
    if reason := obstacle():
        raise NoBrowser(advice(f"No Chromium was found. {reason}"))
    with one_at_a_time():
        if found := look(playwright):
            return found, "which another run has just installed"
        print("No Chromium was found: installing Debian's with apt (a minute or two, once) ...", flush=True)
        version.cache_clear()
        install()
        if found := look(playwright):
            return found, "just installed with apt"
    raise NoBrowser(advice("apt installed Chromium, and yet none of its programs starts."))


def main() -> int:
    with sync_playwright() as playwright:
        try:
            found, origin = find_or_install(playwright)
        except NoBrowser as error:
            print(error, file=sys.stderr)
            return 1
        print(f"The browser is {version(found)}, {origin}: {found}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
