"""A page on which a person sees how figures drifted: `_build/drift/index.html`, complete in its folder.

The old drawing comes from the last built site where that has one, and always, coarse, from the record's ink; the new
one is what the cell drew. They stand side by side and one over the other, with the rows of the report beside them.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from html import escape, unescape
from pathlib import Path

from drift_guard import ink
from drift_guard.page_data import Figure, Row
from drift_guard.report import COLUMNS, cells_of

CELL = 12  # units of the picture of ink
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; color: #22201c; }
table { border-collapse: collapse; font-size: 0.85rem; } th, td { border: 1px solid #bbb; padding: 0.2rem 0.5rem; }
th { text-align: left; } td { overflow-wrap: anywhere; }
.pairs { display: grid; grid-template-columns: repeat(3, 1fr); gap: 1rem; margin: 1rem 0 3rem; }
figure { margin: 0; } img, svg { width: 100%; height: auto; background: #fff; border: 1px solid #bbb; }
.over { position: relative; isolation: isolate; } .over img + img { position: absolute; inset: 0; }
.over img + img { mix-blend-mode: difference; }
.none { color: #666; border: 1px dashed #bbb; padding: 2rem; }
"""
HEAD = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>What drifted</title>
<style>{STYLE}</style>
<h1>What drifted</h1>
"""


# ---- pictures


def levels(picture: dict | None) -> list[list[float]]:
    """Return the shares of black of a picture of ink, row by row; nothing without a picture."""
    top = len(ink.LEVELS) - 1
    return [[ink.LEVELS.index(char) / top for char in row] for row in picture["rows"]] if picture else []


def ink_of(figure: Figure | None) -> dict | None:
    return (figure.draws or {}).get("ink") if figure else None


def drawing(colours: Iterable[Iterable[str]], size: list[float]) -> str:
    """Return cells of given colours as an SVG picture with the proportions of the figure."""
    wide = CELL * ink.COLUMNS
    high = wide * size[1] / size[0]
    step = high / ink.ROWS
    cells = [
        f'<rect x="{column * CELL}" y="{row * step:.2f}" width="{CELL}" height="{step:.2f}" fill="{colour}"/>'
        for row, line in enumerate(colours)
        for column, colour in enumerate(line)
        if colour
    ]
    return f'<svg viewBox="0 0 {wide} {high:.2f}" shape-rendering="crispEdges">{"".join(cells)}</svg>'


def grey(share: float) -> str:
    return f"rgb({round(255 * (1 - share))} {round(255 * (1 - share))} {round(255 * (1 - share))})" if share else ""


def change(old: float, new: float) -> str:
    """Return the colour of a cell in the picture of both: red where ink went, blue where it came, else a pale grey."""
    moved = abs(new - old) * (len(ink.LEVELS) - 1) > ink.STEPS + 0.5
    if not moved:
        return grey(0.3 * new)
    strength = 0.35 + 0.65 * min(1.0, 2 * abs(new - old))
    return f"rgb(200 30 30 / {strength:.2f})" if new < old else f"rgb(20 70 200 / {strength:.2f})"


def ink_pictures(old: dict | None, new: dict | None) -> list[str]:
    """Return the recorded ink, the new ink, and what moved; empty texts where there is none."""
    sides = [
        drawing(([grey(share) for share in row] for row in levels(one)), one["inches"]) if one else ""
        for one in (old, new)
    ]
    if not old or not new:
        return [*sides, ""]
    both = (map(change, *rows) for rows in zip(levels(old), levels(new)))
    return [*sides, drawing(both, new["inches"])]


def image_on_site(site: Path, page: str, name: str) -> Path | None:
    """Return the image file of a named figure in the last built site, if that has it."""
    file = site / f"{page}.html"
    if not name or not file.exists():
        return None
    place = re.escape(escape(name.lower().replace("_", "-").replace(" ", "-")))
    found = re.search(rf'id="{place}".*?<img\b[^>]*?\bsrc="([^"]+)"', file.read_text(encoding="utf8"), re.DOTALL)
    image = (file.parent / unescape(found[1])).resolve() if found else None
    return image if image and image.is_file() else None


# ---- the page


def pictured(source: Path | None, folder: Path, name: str) -> str:
    """Copy an image beside the page, and return the element that shows it; an empty text without an image."""
    if source is None or not source.is_file():
        return ""
    copy = folder / f"{name}{source.suffix}"
    shutil.copyfile(source, copy)
    return f'<img src="{copy.name}" alt="">'


def captioned(content: str, caption: str, where_none: str) -> str:
    content = content or f'<p class="none">{escape(where_none)}</p>'
    return f"<figure>{content}<figcaption>{escape(caption)}</figcaption></figure>\n"


def rows_as_table(rows: list[Row]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in COLUMNS)
    body = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in cells_of(row)) + "</tr>\n" for row in rows)
    return f"<table>\n<tr>{head}</tr>\n{body}</table>\n"


def section(place: int, rows: list[Row], folder: Path, root: Path, site: Path) -> str:
    """Return the part of the page about one figure, whose images it puts into the folder."""
    old, new = rows[0].figures or (None, None)
    old_name, new_name = (figure.name if figure else "" for figure in (old, new))
    page, name = rows[0].page, new_name or old_name
    before = pictured(image_on_site(site, page, old_name or new_name), folder, f"{place}-old")
    after = pictured(root / new.image.lstrip("/") if new and new.image else None, folder, f"{place}-new")
    over = f'<div class="over">{before}{after}</div>' if before and after else ""
    inks = ink_pictures(ink_of(old), ink_of(new))
    return (
        f"<h2>{escape(page)}: {escape(name or 'a figure without a name')}</h2>\n{rows_as_table(rows)}"
        '<div class="pairs">\n'
        + captioned(before, "Old: the last built site, which may be older or newer than the record.", "not on the site")
        + captioned(after, "New: what the cell drew.", "not drawn")
        + captioned(over, "One over the other: what is black is alike.", "only one of the two is there")
        + captioned(inks[0], "Old: the ink of the record.", "no ink is recorded")
        + captioned(inks[1], "New: the ink of what the cell drew.", "not drawn")
        + captioned(inks[2], "Ink that went is red, ink that came is blue.", "only one of the two is there")
        + "</div>\n"
    )


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
    sections = [section(place, found, folder, root, site) for place, found in enumerate(about.values(), start=1)]
    rest = [row for row in rows if not row.figures]
    others = f"<h2>All else</h2>\n{rows_as_table(rest)}" if rest else ""
    file = folder / "index.html"
    file.write_text(HEAD + "".join(sections) + others, encoding="utf8")
    return file
