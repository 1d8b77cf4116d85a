"""Where in a page's source a node of its document stands.

A node carries the line of its paragraph at best, and MyST-NB's lines are off by the blank lines around cells. The line
nearest to that one that holds the text itself is the place a writer looks for. The cells of a table carry no line at
all, so there it is the line that shares most words with the row.
"""

import re
from collections.abc import Iterator

from docutils import nodes


def line_of(node: nodes.Node, text: str, source: list[str]) -> int:
    """Return the line of `source` near the node's own, rather after than before it, that has `text`; else its own."""
    near = next((one.line for one in ancestors(node) if one.line is not None), None) or 1
    for row in ancestors(node):
        if isinstance(row, nodes.row):
            return line_of_row(row, text, source, near)
    around = range(max(1, near - 5), min(len(source), near + 60) + 1)
    return min(
        (number for number in around if text in source[number - 1]), key=lambda number: abs(number - near), default=near
    )


def ancestors(node: nodes.Node | None) -> Iterator[nodes.Node]:
    """Yield a node and all that it stands in."""
    while node is not None:
        yield node
        node = node.parent


def line_of_row(row: nodes.row, text: str, source: list[str], near: int) -> int:
    """Return the line with `text` that has most of the row's words, then the one with most of them around it."""
    words = words_of(row.astext())
    height = len(row.children)  # a list-table has a line for each cell

    def likeness(number: int) -> tuple[int, int, int]:
        around = " ".join(source[max(0, number - 1 - height) : number + height])
        return len(words & words_of(source[number - 1])), len(words & words_of(around)), -abs(number - near)

    return max((number for number, line in enumerate(source, 1) if text in line), key=likeness, default=near)


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[\w.]+", text))


def source_of(env, page: str) -> list[str]:
    """Return the lines of a page's source."""
    with open(env.doc2path(page), encoding="utf8") as file:
        return file.read().splitlines()
