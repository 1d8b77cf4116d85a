"""End a build before it begins where it would find what the last one left.

A stamp, written only when a build came to its end, names the state of everything that a build reads, and of the site.
A build that finds both as the last one left them has nothing to do: what it would check and write was checked and
written. A build during which something was edited leaves no stamp, because that may have been read before or after.
"""

import os
import sys
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from build_control import source_state
from build_control.execution_cache import age, cache_of, is_anew


def end_if_nothing_changed(app: Sphinx) -> None:
    """Look before all extensions are loaded, which takes longer."""
    site, now = Path(app.outdir), source_state.of(app)
    front = site / "index.html"  # no builder but one that writes a site has it
    is_same = stamped(app)[:2] == [now.everything, source_state.state_of_site(site)]
    if is_same and front.exists() and not is_anew() and "--all" not in sys.argv:
        said = f"Nothing changed since the last build, which checked and wrote all of the site: {front}"
        print("\n".join(filter(None, [said, age(cache_of(site, now.cells))])), flush=True)
        os._exit(0)  # nothing is open; to take apart all that was imported takes Python longer than the check did


def stamp(app: Sphinx) -> Path:
    return Path(app.doctreedir, f"complete-{Path(app.outdir).name}")


def stamped(app: Sphinx) -> list[str]:
    """Return what the last build that came to its end found and left: the states of everything, of the site, and of
    what Sphinx kept."""
    return stamp(app).read_text(encoding="utf8").split() if stamp(app).exists() else []


def remove_stamp(app: Sphinx, env: BuildEnvironment, added: set, changed: set, removed: set) -> list[str]:
    stamp(app).unlink(missing_ok=True)
    return []


def write_stamp(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and not any(source_state.edited_meanwhile(app)):
        site = Path(app.outdir)
        states = source_state.of(app).everything, source_state.state_of_site(site), source_state.state_of_kept(app)
        stamp(app).write_text("\n".join(states), encoding="utf8")


def add_to_site(site: Path) -> None:
    """Count what was put into a finished site since (the book on paper) as part of it."""
    file = site.parent / ".doctrees" / f"complete-{site.name}"
    if file.exists():
        everything, _, kept = file.read_text(encoding="utf8").split()
        file.write_text("\n".join([everything, source_state.state_of_site(site), kept]), encoding="utf8")


def setup(app: Sphinx) -> None:
    app.setup_extension("build_control.source_state")
    end_if_nothing_changed(app)
    app.connect("env-get-outdated", remove_stamp)
    app.connect("build-finished", write_stamp, priority=999)  # after every extension that may still end the build
