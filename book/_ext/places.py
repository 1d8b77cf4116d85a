"""Where in a page's source a node of its document stands.

A node carries the line of its paragraph at best, and MyST-NB's lines are off by the blank lines around cells. The line
nearest to that one that holds the text itself is the place a writer looks for.
"""

from docutils import nodes


def line_of(node: nodes.Node, text: str, source: list[str]) -> int:
    """Return the number of the line of `source` nearest to `node`'s own that contains `text`, else the node's own."""
    while node.line is None and node.parent is not None:
        node = node.parent
    near = node.line or 1
    return min((number for number, line in enumerate(source, 1) if text in line),
               key=lambda number: abs(number - near), default=near)


def source_of(env, page: str) -> list[str]:
    """Return the lines of a page's source."""
    with open(env.doc2path(page), encoding="utf8") as file:
        return file.read().splitlines()
