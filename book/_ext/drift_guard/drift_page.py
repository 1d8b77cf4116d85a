"""A page on which a person sees how figures drifted: `_build/drift/index.html`, complete in its folder.

The old drawing comes from the last built site where that has one, and always, coarse, from the record's ink; the new
one is what the cell drew. They stand side by side and one over the other, with the rows of the report beside them.
"""

import re
import shutil
from html import escape, unescape
from pathlib import Path
from typing import NamedTuple

from drift_guard import ink
from drift_guard.page_data import Figure, Row
from drift_guard.report import COLUMNS, cells_of
from drift_guard.templates import template

TEMPLATE = Path(__file__).with_name("drift_page.html.jinja")


class Picture(NamedTuple):
    """Cells of given colours, with the proportions of a figure."""

    colours: list[list[str]]
    inches: list[float]


class Drift(NamedTuple):
    """What the page shows of one figure; an image is the name of its file, and None or empty where there is none."""

    page: str
    name: str
    rows: list[list[str]]
    images: list[str]  # old and new
    inks: list[Picture | None]  # old, new, and what moved


# ---- pictures


def levels(picture: dict) -> list[list[float]]:
    """Return the shares of black of a picture of ink, row by row."""
    top = len(ink.LEVELS) - 1
    return [[ink.LEVELS.index(char) / top for char in row] for row in picture["rows"]]


def grey(share: float) -> str:
    dark = round(255 * (1 - share))
    return f"rgb({dark} {dark} {dark})" if share else ""


def change(old: float, new: float) -> str:
    """Return the colour of a cell in the picture of both: red where ink went, blue where it came, else a pale grey."""
    moved = abs(new - old) * (len(ink.LEVELS) - 1) > ink.STEPS + 0.5
    if not moved:
        return grey(0.3 * new)
    strength = 0.35 + 0.65 * min(1.0, 2 * abs(new - old))
    return f"rgb(200 30 30 / {strength:.2f})" if new < old else f"rgb(20 70 200 / {strength:.2f})"


def ink_pictures(figures: tuple[Figure | None, Figure | None]) -> list[Picture | None]:
    """Return the recorded ink, the new ink, and what moved; None where there is none."""
    old, new = ((figure.draws or {}).get("ink") if figure else None for figure in figures)
    sides = [one and Picture([list(map(grey, row)) for row in levels(one)], one["inches"]) for one in (old, new)]
    if not old or not new:
        return [*sides, None]
    both = [list(map(change, *rows)) for rows in zip(levels(old), levels(new))]
    return [*sides, Picture(both, new["inches"])]


def image_on_site(site: Path, page: str, name: str) -> Path | None:
    """Return the image file of a named figure in the last built site, if that has it."""
    file = site / f"{page}.html"
    if not name or not file.exists():
        return None
    place = re.escape(escape(name.lower().replace("_", "-").replace(" ", "-")))
    found = re.search(rf'id="{place}".*?<img\b[^>]*?\bsrc="([^"]+)"', file.read_text(encoding="utf8"), re.DOTALL)
    return file.parent / unescape(found[1]) if found else None


# ---- the page


def copied(source: Path | None, folder: Path, name: str) -> str:
    """Copy an image beside the page, and return the name of the copy; an empty text without an image."""
    if source is None or not source.is_file():
        return ""
    copy = folder / f"{name}{source.suffix}"
    shutil.copyfile(source, copy)
    return copy.name


def drift_of(place: int, rows: list[Row], folder: Path, root: Path, site: Path) -> Drift:
    """Return what the page shows of one figure, whose images it puts into the folder."""
    figures = rows[0].figures or (None, None)
    old_name, new_name = (figure.name if figure else "" for figure in figures)
    page, new = rows[0].page, figures[1]
    drawn = root / new.image.lstrip("/") if new and new.image else None
    before = copied(image_on_site(site, page, old_name or new_name), folder, f"{place}-old")
    after = copied(drawn, folder, f"{place}-new")
    return Drift(page, new_name or old_name, list(map(cells_of, rows)), [before, after], ink_pictures(figures))


def write(folder: Path, rows: list[Row], root: Path, site: Path) -> Path | None:
    """Write the page of the rows about figures, or remove an old one where there are none; return its file."""
    shutil.rmtree(folder, ignore_errors=True)
    about: dict[tuple, list[Row]] = {}
    for row in rows:
        if row.figures:
            about.setdefault((row.page, *map(id, row.figures)), []).append(row)
    if not about:
        return None
    folder.mkdir(parents=True)
    drifts = [drift_of(place, found, folder, root, site) for place, found in enumerate(about.values(), start=1)]
    others = [cells_of(row) for row in rows if not row.figures]
    file = folder / "index.html"
    file.write_text(template(TEMPLATE).render(figures=drifts, others=others, columns=COLUMNS), encoding="utf8")
    return file
