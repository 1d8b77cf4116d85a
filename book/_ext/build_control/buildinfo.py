"""Keep .buildinfo out of the site: Sphinx's note on its settings, which depends on where packages are installed.

It lies beside the site between builds, and is put back for Sphinx to read.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx


def places(app: Sphinx) -> tuple[Path, Path]:
    """Return where Sphinx looks for the note, and where it lies between builds."""
    return Path(app.outdir, ".buildinfo"), Path(app.outdir).with_name(f"buildinfo-{app.builder.name}")


def put_back(app: Sphinx) -> None:
    inside, beside = places(app)
    if beside.exists():
        beside.replace(inside)


def take_out(app: Sphinx, exception: Exception | None) -> None:
    inside, beside = places(app)
    if inside.exists():
        inside.replace(beside)


def setup(app: Sphinx) -> dict:
    app.connect("builder-inited", put_back)
    app.connect("build-finished", take_out)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
