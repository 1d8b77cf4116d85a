"""Tables of computed values, as the same accessible tables that the pages write by hand.

    table(["$k$", "frequency"], [[0, "1"], [1, "0.1"]], caption="Two pairs.", name="tbl-two-pairs")

The first row and, by default, the first column are header cells. Cells are MyST text: `$…$` is mathematics and a number
of record can be quoted by its role. A caption gives the table a number, its name a target for `numref`.
"""

from collections.abc import Iterable, Sequence

from IPython.display import Markdown


def table(
    header: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    caption: str = "",
    name: str = "",
    row_headers: bool = True,
    widths: str = "auto",
) -> Markdown:
    """Return a table for the last line of a cell, or for `display`."""
    header, rows = list(header), [list(row) for row in rows]
    for number, row in enumerate(rows):
        if len(row) != len(header):
            raise ValueError(f"table: row {number} has {len(row)} cells, the header has {len(header)}")
    lines = [
        f"```{{list-table}} {caption}".rstrip(),
        ":header-rows: 1",
        f":stub-columns: {int(row_headers)}",
        f":widths: {widths}",
    ]
    if name:
        lines.append(f":name: {name}")
    lines.append("")
    for row in [header, *rows]:
        lines += [f"{'  -' if column else '* -'} {str(cell) or ' '}" for column, cell in enumerate(row)]
    return Markdown("\n".join([*lines, "```", ""]))
