"""Give the entries of the bibliography the role of list items.

docutils puts them in a list and calls each `doc-biblioentry`, a role that is deprecated and that no list may hold.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def visit_citation(self: HTML5Translator, node: nodes.citation) -> None:
    start = len(self.body)
    HTML5Translator.visit_citation(self, node)
    self.body[start:] = [part.replace('role="doc-biblioentry"', 'role="listitem"') for part in self.body[start:]]


def setup(app: Sphinx) -> None:
    app.add_node(nodes.citation, override=True, html=(visit_citation, HTML5Translator.depart_citation))
