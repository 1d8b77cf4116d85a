"""A browser for the tests, and the built book for it to look at.

`browser` is one Chromium for the whole run, the one that chromium.py finds; `make test` has it installed before the
tests begin. Where there is none, that is an error which says what to do. Nothing is skipped.
"""

from __future__ import annotations

import fcntl
import functools
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal, TypedDict, Unpack

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, ViewportSize, sync_playwright

from site_features import chromium

ROOT = Path(__file__).parents[1]
LEFT_OUT = shutil.ignore_patterns("_build", ".venv", ".bench", ".git", ".*_cache", ".hypothesis", "__pycache__")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.path(playwright), args=chromium.FLAGS)
        yield browser
        browser.close()


class Options(TypedDict, total=False):
    """What a test may ask of the browser for its page."""

    color_scheme: Literal["light", "dark"]
    has_touch: bool
    reduced_motion: Literal["no-preference", "reduce"]


class Pages:
    """Pages for tests, each as if it were the first: a tab of a context that was made for the same options.

    Tabs are used again, because a new one takes Chromium half a second of processor time, and a new context as much
    more. What one test leaves behind is removed before the next: the page, what it stored, the media it was shown for,
    and where the mouse was. A listener stays, but nobody reads what it notes.
    """

    def __init__(self, browser: Browser):
        self.browser = browser
        self.contexts: dict[str, BrowserContext] = {}
        self.options: dict[BrowserContext, Options] = {}
        self.free: dict[BrowserContext, list[Page]] = {}

    def open(self, viewport: ViewportSize, **options: Unpack[Options]) -> Page:
        key = json.dumps(options, sort_keys=True)
        if key not in self.contexts:
            self.contexts[key] = self.browser.new_context(**options)
            self.options[self.contexts[key]] = options
        context = self.contexts[key]
        free = self.free.setdefault(context, [])
        page = free.pop() if free else context.new_page()
        page.set_viewport_size(viewport)
        return page

    def take_back(self, page: Page) -> None:
        with suppress(Error):  # a blank page, or one from a file that forbids it, stores nothing
            page.evaluate("() => { localStorage.clear(); sessionStorage.clear() }")
        page.goto("about:blank")  # which takes no time to show in other media
        page.context.clear_cookies()
        page.mouse.move(0, 0)
        options = self.options[page.context]
        page.emulate_media(
            media="null",
            color_scheme=options.get("color_scheme", "light"),
            reduced_motion=options.get("reduced_motion", "no-preference"),
        )
        self.free[page.context].append(page)


@pytest.fixture(scope="session")
def pages(browser: Browser) -> Pages:
    return Pages(browser)


@pytest.fixture
def page(pages: Pages) -> Iterator[Page]:
    page = pages.open(viewport={"width": 1280, "height": 900})
    yield page
    pages.take_back(page)


def settle(page: Page) -> None:
    """Wait until the browser has drawn what a script or a new size changed."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def note_errors(page: Page, noted: list[str], levels: tuple[str, ...] = ("error", "warning")) -> None:
    """Append to a list what scripts fail with from now on, and what the page writes to the console at these levels."""

    def note(message: ConsoleMessage) -> None:
        if message.type in levels:
            noted.append(message.text)

    page.on("pageerror", lambda error: noted.append(str(error)))
    page.on("console", note)


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
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="session")
def site(built_book: Path) -> Iterator[Site]:
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(built_book))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Site(built_book, f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()
        thread.join()
