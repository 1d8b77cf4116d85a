"""Bodies of exercises and solutions that other extensions and browsers can digest.

sphinx-exercise wraps each body in a section without a title, with one and the same id for all bodies of a page. Ids are
unique in a page, and sphinx-codeautolink expects sections to have titles; a plain container is all that is needed.
"""

from docutils import nodes
from sphinx.application import Sphinx


def unwrap(app: Sphinx, doctree: nodes.document) -> None:
    for section in list(doctree.findall(nodes.section)):
        if section["ids"] in (["exercise-content"], ["solution-content"]):
            section.parent.replace(section, nodes.container("", *section.children))


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", unwrap, priority=100)
