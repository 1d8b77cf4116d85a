"""A browser for the tests, and the built book for it to look at.

`browser` is one Chromium for the whole run: playwright's own if it is installed, else the system's. On Debian as root a
missing one is installed; elsewhere its absence is an error that says what to do. Nothing is skipped.
"""

from __future__ import annotations

import fcntl
import functools
import os
import platform
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

ROOT = Path(__file__).parents[1]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LEFT_OUT = shutil.ignore_patterns("_build", ".venv", ".bench", ".git", ".*_cache", ".hypothesis", "__pycache__")


def chromium(playwright: Playwright) -> str:
    """Return the path of a Chromium, installing Debian's where that is possible."""
    own = playwright.chromium.executable_path
    if Path(own).exists():
        return own
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and can_install():
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "install", "-qq", "--no-install-recommends", "chromium"], check=True)
        found = shutil.which("chromium")
    if found is None:
        raise RuntimeError(
            "the browser tests need Chromium and found none; install it with\n"
            f"  {sys.executable} -m playwright install --with-deps chromium\n"
            "or as a package of the system (Debian: apt install chromium)"
        )
    return found


def can_install() -> bool:
    """Say whether this is Debian, as root: Ubuntu's package is a mere pointer to a snap, which containers lack."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    try:
        return platform.freedesktop_os_release().get("ID") == "debian"
    except OSError:
        return False


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(playwright), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


def settle(page: Page) -> None:
    """Wait until the browser has drawn what a script or a new size changed."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.fixture(scope="session")
def built_book(tmp_path_factory) -> Path:
    """Return the folder of the site, built from a clean copy of the project in a path with a blank in it.

    It is built once in a run: of several workers the first builds, and the others wait for it.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "a clone"
    folder.mkdir(exist_ok=True)
    copy, built = folder / "book", folder / "built"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
            command = [str(Path(sys.executable).with_name("jupyter-book")), "build", "."]
            done = subprocess.run(command, cwd=copy, capture_output=True, text=True, encoding="utf8")
            assert done.returncode == 0, f"the book does not build:\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}"
            built.touch()
    return copy / "_build" / "html"


@dataclass(frozen=True)
class Site:
    """The built book on a local server."""

    root: Path
    url: str

    @property
    def pages(self) -> list[str]:
        """Return every page that has content, by its path; the redirect at the root has none."""
        return sorted(p.relative_to(self.root).as_posix() for p in self.root.rglob("*.html") if p.stat().st_size > 2000)


class Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="session")
def site(built_book: Path) -> Iterator[Site]:
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(built_book))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Site(built_book, f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()
        thread.join()
