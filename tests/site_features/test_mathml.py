"""Mathematics is rendered by the build: native MathML on the page, an end of the build for TeX that cannot be read."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from site_features.mathml import to_mathml

ROOT = Path(__file__).parents[2]
FONT = ROOT / "book" / "theme" / "static" / "fonts" / "stix-two-math.woff2"

CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "book" / "_ext")!r})
extensions = ["myst_parser", "site_features.mathml"]
myst_enable_extensions = ["dollarmath", "amsmath"]
html_math_renderer = "mathml"
numfig = math_numfig = True
"""


def build(folder: Path, text: str) -> tuple[int, str, str]:
    """Build a site of one page; return exit status, log and the page's HTML."""
    folder.joinpath("conf.py").write_text(CONF, encoding="utf8")
    folder.joinpath("index.md").write_text(text, encoding="utf8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", str(folder), str(folder / "html")]
    done = subprocess.run(command, capture_output=True, text=True)
    page = folder / "html" / "index.html"
    return done.returncode, done.stdout + done.stderr, page.read_text(encoding="utf8") if page.exists() else ""


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"x^\top", "<msup><mi>x</mi>"),
        (r"\boldsymbol{\Phi}", "<mi>𝚽</mi>"),
        (r"\operatorname{softmax}(z)", "<mi>softmax</mi>"),
        (r"\underbrace{a+b}_{\text{content}}", "<mtext>content</mtext>"),
        (r"\lVert x \rVert", "‖"),
        (r"\{\!\{a, b\}\!\}", "<mspace"),
        (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", "<mtable"),
        (r"\begin{cases} 1 & x > 0 \\ 0 & \text{otherwise} \end{cases}", "<mtext>otherwise</mtext>"),
        (r"\begin{split} a &= b \\ &= c \end{split}", "<mtable"),
        (r"12\,345 \times 10^{-4}", "<mn>345</mn>"),
    ],
)
def test_the_constructs_of_the_book_render(tex, expected):
    assert expected in to_mathml(tex, display=True)


@pytest.mark.parametrize("environment", ["align", "equation", "gather", "multline"])
def test_environments_do_not_number_themselves(environment):
    assert "(1)" not in to_mathml(rf"\begin{{{environment}}} a \\ b \end{{{environment}}}", display=True)


def test_bare_rows_become_rows():
    assert to_mathml(r"a &= b \\ &= \begin{pmatrix} c \\ d \end{pmatrix}", display=True).count("<mtr>") == 4
    assert to_mathml(r"\begin{pmatrix} c \\ d \end{pmatrix}", display=True).count("<mtr>") == 2


@pytest.mark.parametrize("tex", [r"\nosuchmacro", r"\frac{1}{2", "a_", "a & b", r"\begin{nosuch} a \end{nosuch}"])
def test_unreadable_tex_is_refused(tex):
    with pytest.raises(ValueError):
        to_mathml(tex, display=True)


def test_a_page_shows_mathml_with_numbers_and_references(tmp_path):
    text = r"""# Title with $d_k$

Inline $a_i$, then ($b$). {eq}`eq-first` and {eq}`eq-second`.

$$
a &= b \\ &= c
$$ (eq-first)

\begin{align}
x &= y
\end{align}

```{math}
:label: eq-second
\begin{pmatrix} 1 & 2 \end{pmatrix}
```
"""
    status, log, page = build(tmp_path, text)
    assert status == 0, log
    body = page[page.index("<h1>") : page.index("</section>")]
    assert body.count("<math") == 6
    assert "$" not in body and "<script" not in body
    assert "</math>,</span> then" in body and "</math>)</span>. " in body, "no line may start with the mark"
    assert 'href="#equation-eq-first">(1)' in body and 'href="#equation-eq-second">(2)' in body
    assert body.count('class="eqno"') == 2, "an environment nobody can refer to has no number"


def test_bad_tex_ends_the_build_naming_page_line_and_formula(tmp_path):
    status, log, _ = build(tmp_path, "# Title\n\nGood $a$.\n\nBad $\\nosuch{x}$ here.\n\n$$\n\\frac{1}{\n$$\n")
    assert status != 0
    assert "index.md:5" in log and r"\nosuch{x}" in log
    assert "index.md:7" in log and r"\frac{1}{" in log


def cut_cells(text: str) -> list[str]:
    """Return the lines of tables in which a bar stands within a formula: Markdown ends the cell there."""
    lines = [re.sub(r"`[^`]*`", "", line) for line in text.splitlines() if line.startswith("|")]
    return [line for line in lines if any(cell.count("$") % 2 for cell in re.split(r"(?<!\\)\|", line))]


def test_no_bar_within_a_formula_ends_a_cell_of_a_table():
    assert cut_cells("| norm | $|x|$ |\n| norm | $\\lvert x\\rvert$ | `$` |\n") == ["| norm | $|x|$ |"]
    for page in ROOT.joinpath("book").glob("*.md"):
        assert cut_cells(page.read_text(encoding="utf8")) == [], page.name


def test_a_number_of_record_is_left_for_later(tmp_path):
    """`\\num{id}` is no fault while pages are read; unreplaced, it is one in the writer."""
    status, log, page = build(tmp_path, "# Title\n\n$$ s = \\num{minimum-similarity} $$\n")
    assert status != 0 and "<math" not in page
    assert "WARNING" not in log and r"\num{minimum-similarity}" in log


def test_the_font_has_the_characters_of_formulas():
    codes = TTFont(FONT).getBestCmap()
    assert codes is not None, "the font has no table from characters to glyphs"
    characters = {chr(code) for code in codes}
    assert set("abcxyz019+-=()[]{}|‖∑∏∫√⊤≤≥≠≈∝→↦⟨⟩⏟⏞ℝℂℤ𝑎𝜃𝚽𝐱Ω∈×·…⋯⋮⋱′") <= characters
    assert "MATH" in TTFont(FONT), "without this table formulas have no shapes of their own"
