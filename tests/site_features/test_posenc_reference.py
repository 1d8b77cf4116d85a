"""The reference is complete, and docstrings become clean reStructuredText."""

import re
from pathlib import Path

from stand_ins import stand_in

import posenc
from site_features import posenc_reference

ROOT = Path(__file__).parents[2]


def rewritten(docstring: str) -> str:
    lines = docstring.split("\n")
    posenc_reference.fields(stand_in(), "function", "f", None, None, lines)
    return "\n".join(lines)


def test_every_public_name_has_an_entry():
    page = (ROOT / "book" / "api.md").read_text(encoding="utf8")
    entries = re.findall(r"auto(?:function|class):: posenc\.(\w+)", page)
    assert sorted(entries) == sorted(posenc.__all__)


def test_labelled_lines_become_a_field_list_with_their_continuations():
    text = "A sentence.\n\nParameters: `a`, one;\nand more.\nReturns: two.\n\nAfter."
    assert rewritten(text) == "A sentence.\n\n\n:Parameters: `a`, one;\n   and more.\n:Returns: two.\n\nAfter."


def test_formulas_are_no_markup_and_backquoted_names_stay():
    assert rewritten("|a - b| = 2 * c_ and `d*e_`") == r"\|a - b\| = 2 \* c\_ and `d*e_`"
    assert rewritten("x_a and base**(-2j)") == r"x_a and base\*\*(-2j)"


def test_examples_stay_as_they_are():
    example = ">>> f(2) * 3\narray([|1|])"
    assert rewritten("Text.\n\n" + example) == "Text.\n\n" + example
