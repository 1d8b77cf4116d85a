"""posenc's reference from its docstrings, for sphinx.ext.autodoc.

The docstrings are plain text: a sentence, the formula, then lines that begin with "Parameters:", "Returns:", "Raises:",
"Accuracy:" or "Source:", then an example. These become a field list. Names in single backquotes are code
(`default_role`), and nothing else in a formula is markup.
"""

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parents[3]
FIELD = re.compile(r"(Parameters|Returns|Raises|Accuracy|Source): +")


def escape(text: str) -> str:
    """Escape what reStructuredText would read as markup, outside backquotes."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*|])|_(?!\w)", r"\\\g<0>", part) for part in parts)


def fields(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Rewrite the lines of a docstring, in place."""
    written: list[str] = []
    inside = example = False
    for line in lines:
        example = line.strip() != "" and (example or line.startswith(">>>"))
        if example:
            written.append(line)
        elif field := FIELD.match(line):
            if not inside:
                written.append("")
            written.append(f":{field[1]}: {escape(line[field.end() :])}")
            inside = True
        else:
            inside = inside and line.strip() != ""
            written.append("   " * inside + escape(line))
    lines[:] = written


def setup(app: Sphinx) -> None:
    sys.path.insert(0, str(ROOT))  # autodoc imports posenc, installed or not
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", fields)
