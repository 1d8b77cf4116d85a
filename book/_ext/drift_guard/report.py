"""Tell a reader what differs: one table of all differences, and what to do about them."""

from __future__ import annotations

from drift_guard.page_data import Row

COLUMNS = ["page", "cell", "what", "recorded", "computed", "tolerance"]


def table(rows: list[Row]) -> str:
    """Return the rows as lines of text under a head."""
    lines = [COLUMNS]
    for row in rows:
        cell = "—" if row.cell is None else str(row.cell)
        lines.append([row.page, cell, row.what, row.recorded, row.computed, row.tolerance])
    lines = [[" ".join(str(text).split()) for text in line] for line in lines]
    widths = [max(len(line[column]) for line in lines) for column in range(len(COLUMNS))]
    lines.insert(1, ["─" * width for width in widths])
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines)


def verdict(rows: list[Row], command: str) -> str:
    """Return the table and what to do; `command` accepts what may be accepted."""
    faults = sum(row.fault for row in rows)
    differences = len(rows) - faults
    ends = []
    if faults:
        ends.append(f"{counted(faults, 'fault')} that no record can accept (the last column says why): mend the page.")
    if differences:
        them = "it" if differences == 1 else "them"
        ends.append(f"{counted(differences, 'difference')}: mend the cause, or accept {them} with:  {command}")
    return f"\n{table(rows)}\n\n" + "\n".join(ends)


def accepted(rows: list[Row]) -> str:
    """Return what was accepted."""
    if not rows:
        return "The records hold what the cells make: nothing to accept."
    return f"Accepted:\n\n{table(rows)}"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
