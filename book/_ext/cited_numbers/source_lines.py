"""Where in a page's source a node of its document stands.

A node carries the line of its paragraph at best, and MyST-NB's lines are off by the blank lines around cells. The line
nearest to that one that holds the text itself is the place a writer looks for.
"""

from docutils import nodes


def line_of(node: nodes.Node, text: str, source: list[str]) -> int:
    """Return the line of `source` near the node's own, rather after than before it, that has `text`; else its own."""
    while node.line is None and node.parent is not None:
        node = node.parent
    near = node.line or 1
    around = range(max(1, near - 5), min(len(source), near + 60) + 1)
    return min(
        (number for number in around if text in source[number - 1]), key=lambda number: abs(number - near), default=near
    )


def source_of(env, page: str) -> list[str]:
    """Return the lines of a page's source."""
    with open(env.doc2path(page), encoding="utf8") as file:
        return file.read().splitlines()
