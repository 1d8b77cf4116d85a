"""Tell a reader what differs: one table of all differences, and what to do about them."""

from drift_guard.page_data import Row

COLUMNS = ["page", "cell", "what", "recorded", "computed", "tolerance"]


def cells_of(row: Row) -> list[str]:
    """Return what stands in the columns of a row, each on one line."""
    cell = "—" if row.cell is None else str(row.cell)
    texts = row.page, cell, row.what, row.recorded, row.computed, row.tolerance
    return [" ".join(str(text).split()) for text in texts]


def table(rows: list[Row]) -> str:
    """Return the rows as lines of text under a head."""
    lines = [COLUMNS, *map(cells_of, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(COLUMNS))]
    lines.insert(1, ["─" * width for width in widths])
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines)


def verdict(rows: list[Row], command: str, page: str = "") -> str:
    """Return the table and what to do; `command` accepts what may be accepted, `page` shows the figures."""
    faults = sum(row.fault for row in rows)
    differences = len(rows) - faults
    ends = []
    if faults:
        ends.append(f"{counted(faults, 'fault')} that no record can accept (the last column says why): mend the page.")
    if differences:
        them = "it" if differences == 1 else "them"
        ends.append(f"{counted(differences, 'difference')}: mend the cause, or accept {them} with:  {command}")
    return f"\n{table(rows)}\n\n" + "\n".join([*look_at(page), *ends])


def accepted(rows: list[Row], page: str = "") -> str:
    """Return what was accepted."""
    if not rows:
        return "The records hold what the cells make: nothing to accept."
    return "\n".join([f"Accepted:\n\n{table(rows)}", *(f"\n{line}" for line in look_at(page))])


def look_at(page: str) -> list[str]:
    return [f"The figures, old and new:  {page}"] if page else []


def github_annotations(rows: list[Row], lines: dict[str, tuple[str, list[int | None]]]) -> list[str]:
    """Return the rows as commands by which GitHub marks lines; `lines` has a page's file and the lines of its cells."""
    found = []
    for row in rows:
        file, places = lines.get(row.page, ("", []))
        line = places[row.cell - 1] if row.cell and row.cell <= len(places) else None
        where = {"file": file, "line": line or 1} if file else {}
        told = where | {"title": "fault" if row.fault else "drift"}
        _, cell, what, recorded, computed, tolerance = cells_of(row)
        text = f"cell {cell}, {what}: recorded {recorded}, computed {computed} ({tolerance})"
        settings = ",".join(f"{name}={escaped(str(value), ':,')}" for name, value in told.items())
        found.append(f"::error {settings}::{escaped(text)}")
    return found


def escaped(text: str, marks: str = "") -> str:
    for char in "%\r\n" + marks:
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
