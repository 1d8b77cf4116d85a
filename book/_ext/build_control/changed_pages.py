"""Read only pages that changed, write only pages that look otherwise, and remove from the site what is left over.

A build continues the last one where that came to its end, its files are as it left them, and nothing changed since but
the text of pages. Then Sphinx reads those pages. What pages show of one another (see `shared_state`) is compared with
what it was before: if it is the same, only the pages are written that were read, and those that an extension names
because they list something of all pages. If it is not, all pages are written. In any other case all are read.

Every page is kept as Sphinx wrote it, because later steps of a build work on all pages: a page that is not written
again is put back in that form.
"""

import pickle
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment
from sphinx.search import js_index
from sphinx.util import logging

from build_control import shared_state, skip_unchanged, source_state
from build_control.execution_cache import is_anew
from drift_guard.kept import Kept

log = logging.getLogger(__name__)
INDEX = "searchindex.js"


@dataclass
class Read(Kept):
    """What Sphinx's environment was made of, which is kept with it."""

    others: str = ""  # the state of all that a build reads but the pages
    pages: dict[str, str] = field(default_factory=dict)  # the sums of the pages' files
    shared: dict[str, str] = field(default_factory=dict)  # what pages show of one another, in digests
    code: bytes = b""  # what sphinx-codeautolink found in the code of the pages


@dataclass
class Build(Kept):
    """What a build found, and how it goes on."""

    before: source_state.States = field(default_factory=dict)  # of the files in the site
    can_continue: bool = False  # all is as the last build left it that Sphinx will find
    continues: bool = False


# ---- what is read


def look(app: Sphinx) -> None:
    """Look at what an earlier build left, before this one writes anything."""
    build, site = Build.of(app), Path(app.outdir)
    if isinstance(app.builder, StandaloneHTMLBuilder) and not is_anew() and "--all" not in sys.argv:
        _, *left = skip_unchanged.stamped(app) or [""]
        build.can_continue = left == [source_state.state_of_site(site), source_state.state_of_kept(app)]
    for path in site.glob("_static/mystnb.*.css"):  # which MyST-NB writes now, unless it is there
        path.unlink()
    build.before = source_state.states(site.rglob("*"))


def choose(app: Sphinx, env: BuildEnvironment, added: set, changed: set, removed: set) -> list[str]:
    """Return the pages to read."""
    build, last = Build.of(app), Read.of(env)
    now = source_state.of(app)
    pages = {page: Path(env.doc2path(page)).relative_to(env.srcdir).as_posix() for page in sorted(env.found_docs)}
    sums = {page: now.files.get(file, "") for page, file in pages.items()}
    others = now.state({file: digest for file, digest in now.files.items() if file not in pages.values()})
    build.continues = build.can_continue and last.others == others and last.pages.keys() == sums.keys()
    to_read = [page for page in sums if not build.continues or last.pages[page] != sums[page]]
    if build.continues and last.code:
        vars(env).get("sphinx_codeautolink_transforms", {}).update(pickle.loads(last.code))
    last.others, last.pages = others, sums
    return to_read


def keep_code(app: Sphinx, env: BuildEnvironment) -> None:
    """Keep what sphinx-codeautolink found, before it resolves names; its own cache knows no Markdown."""
    Read.of(env).code = pickle.dumps(vars(env).get("sphinx_codeautolink_transforms", {}))


# ---- what is written


def choose_written(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return the pages to write beside those that were read, and those that an extension named."""
    read = Read.of(env)
    before, read.shared = read.shared, shared_state.digests(env)
    if not Build.of(app).continues:
        return sorted(env.found_docs)
    apart = [name for name in before.keys() | read.shared.keys() if before.get(name) != read.shared.get(name)]
    if apart:
        log.info("\nPages show something else of one another and are all written: %s", ", ".join(sorted(apart)))
        return sorted(env.found_docs)
    return [page for page, entries in env.domaindata["index"]["entries"].items() if entries]  # or Sphinx forgets them


def clear(app: Sphinx, env: BuildEnvironment) -> None:
    """Before pages are written remove what an earlier build wrote: pages and figures that left the book would stay."""
    build = Build.of(app)
    kept = files_of_pages(app, env) if build.continues else set()
    for path, state in source_state.states(Path(app.outdir).rglob("*")).items():
        if build.before.get(path) == state and path not in kept:
            path.unlink()


def files_of_pages(app: Sphinx, env: BuildEnvironment) -> set[Path]:
    """Return the files that belong to pages, and what Sphinx goes on from."""
    site = Path(app.outdir)
    images = [site / app.builder.imagedir / name for _, name in env.images.values()]
    dark = [path.with_name(f"{path.stem}.dark.svg") for path in images]
    pages = [page_file(app, page) for page in env.found_docs]
    return {site / INDEX, *images, *dark, *pages, *site.joinpath("_sources").rglob("*")}


def page_file(app: Sphinx, page: str) -> Path:
    return Path(app.outdir, f"{page}.html")


def finish_pages(app: Sphinx, exception: Exception | None) -> None:
    """Keep the pages that were written, and put the others back as they were before later steps changed them."""
    if exception is not None or not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    build = Build.of(app)
    for page in app.env.found_docs:
        path, copy = page_file(app, page), Path(app.doctreedir, "pages", f"{page}.html")
        copy.parent.mkdir(parents=True, exist_ok=True)
        is_written = source_state.states([path])[path] != build.before.get(path)
        shutil.copyfile(*((path, copy) if is_written else (copy, path)))
    if build.continues:
        index = Path(app.outdir, INDEX)
        index.write_text(without_gone_words(index.read_text(encoding="utf8")), encoding="utf8")


def without_gone_words(index: str) -> str:
    """Return the search index without words that no page has any more, which Sphinx leaves in."""
    data = js_index.loads(index)
    for terms in "terms", "titleterms":
        data[terms] = {word: pages for word, pages in data[terms].items() if pages != []}
    return js_index.dumps(data)


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", look, priority=0)
    app.connect("env-get-outdated", choose)
    app.connect("env-updated", keep_code, priority=50)
    app.connect("env-get-updated", choose_written, priority=900)  # when all parts are numbered
    app.connect("env-check-consistency", clear, priority=999)  # after every extension that may end the build there
    app.connect("build-finished", finish_pages, priority=590)  # before styles are joined
