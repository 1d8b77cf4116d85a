"""The audit of typed numbers: what it finds in texts and formulas, and in a small real build."""

import re
from decimal import Decimal

import pytest
from docutils import nodes
from docutils.utils import new_document
from matching import matched
from toy_book import HEADER, ToyBook

from number_audit import audit, number_scan, page_numbers


@pytest.mark.parametrize(
    "text, value",
    [
        ("the minimum is 5.97 here", "5.97"),
        ("It is 5.97.", "5.97"),
        ("(5.97)", "5.97"),
        ("−5.97, or -5.97", "5.97"),
        ("about 97 % or 99.9%", "99.9"),
        ("0.50", "0.5"),
        ("4.0", "4"),
        ("wavelength of 35333 tokens", "35333"),
        ("35,333", "35333"),
        ("35\u2009333", "35333"),
        ("35\u202f333", "35333"),
        ("35\u00a0333.5", "35333.5"),
        ("35 333", "35333"),
        ("35\u2060333", "35333"),
        ("35\u00ad333", "35333"),
        ("35\u200b333", "35333"),
        ("35'333", "35333"),
        ("35’333", "35333"),
        ("35_333", "35333"),
        ("1,572,864 parameters", "1572864"),
        ("1.78e-4", "0.000178"),
        ("1.78E−4", "0.000178"),
        ("1e-14", "1E-14"),
        ("2e5", "200000"),
        ("1.78 × 10⁻⁴", "0.000178"),
        ("2 × 10⁻⁴", "0.0002"),
        ("2·10⁴", "20000"),
        ("2 * 10^-4", "0.0002"),
        ("2 x 10^(-4)", "0.0002"),
        ("10⁻¹⁴", "1E-14"),
        ("10⁴ tokens", "10000"),
        ("10^4 tokens", "10000"),
        ("10²", "100"),
        (".97 of it", "0.97"),
        ("5·97", "5.97"),
        ("5,97", "5.97"),
        ("５．９７", "5.97"),
        ("３５３３３", "35333"),
        ("𝟓.𝟗𝟕", "5.97"),
        ("٣٥٣", "353"),
        ("2 million parameters", "2000000"),
        ("25 thousand", "25000"),
        ("128K", "128000"),
        ("1024-token", "1024"),
        ("2048x768", "2048"),
        ("512d", "512"),
        ("d=512", "512"),
        ("≈512", "512"),
        ("ω=5.97", "5.97"),
        ("Llama3.1", "3.1"),
        ("002", "2"),
        ("1..999", "999"),
        ("from 100..200", "200"),
        ("…512", "512"),
        ("5½ turns", "5.5"),
        ("about ¾", "0.75"),
        ("x⁵¹²", "512"),
        ("PE₅₁₂", "512"),
        ("17 %", "0.17"),
        ("97% of it", "97"),
        ("17 per cent", "0.17"),
        ("17 percent", "17"),
        ("seventeen per cent", "0.17"),
        ("Ninety-nine percent", "99"),
        ("two hundred tokens", "200"),
        ("two hundred and five", "205"),
        ("One hundred thousand", "100000"),
        ("thirty-five thousand three hundred and thirty-three", "35333"),
        ("one million, five", "1000000"),
        ("five point nine seven", "5.97"),
        ("between one and two hundred", "200"),
    ],
)
def test_a_number_in_text_is_found_in_any_dress(text, value):
    assert Decimal(value) in [found for one in number_scan.in_text(text) for found in one.values]


@pytest.mark.parametrize(
    "text",
    [
        "rank 15 at offset 28",
        "float64 and int32",
        "GPT-2",
        "version 1.2.3",
        "arXiv:1706.03762",
        "https://a.org/5.97",
        "Section 3.5",
        "§ 12.1",
        "Figure 3.1",
        "Table 2.4",
        "10¹",
        "pair 5, 6, 7",
        "(1, 2)",
        "H100",
        "base64",
        "one. 2 more",
        "k = 0..39",
        "the end of 15. Then 16",
        "doi:10.1000/182",
        "one point of one curve",
        "d512",
        "hundreds of tokens, a thousand times",
        "one hundredth",
        "twenty-one or ninety",
        "seven of its sixteen digits",
        "half of it, 3/4",
        "7 % 3",
        "x⁵¹, a₁₂",
        "someone percentages",
        "two per centre",
    ],
)
def test_names_and_small_integers_are_left_alone(text):
    assert list(number_scan.in_text(text)) == []


@pytest.mark.parametrize(
    "tex, value",
    [
        (r"s_{28} = 5.97", "5.97"),
        (r"35{,}333", "35333"),
        (r"35\,333", "35333"),
        (r"1\,572\,864", "1572864"),
        (r"35{\,}333", "35333"),
        (r"35~333", "35333"),
        (r"35\ 333", "35333"),
        (r"35,333", "35333"),
        (r"5{,}97", "5.97"),
        (r"5{.}97", "5.97"),
        (r"5{}.97", "5.97"),
        (r"5\!.97", "5.97"),
        (r"1.78\times10^{-4}", "0.000178"),
        (r"1.78 \cdot 10^{-4}", "0.000178"),
        (r"2\times 10^{-4}", "0.0002"),
        (r"2\cdot{10}^{-4}", "0.0002"),
        (r"10^{-14}", "1E-14"),
        (r"10^4", "10000"),
        (r"2\pi \cdot 10^4", "10000"),
        (r"10000^{2k/d}", "10000"),
        (r"\frac{1}{10000}", "10000"),
        (r"\pi5.97", "5.97"),
        (r"x_{128}", "128"),
        (r"d512", "512"),
        (r"\mathrm{5.97}", "5.97"),
        (r"\text{about } 5.97", "5.97"),
        (r"\begin{aligned} a &= 5.97 \\ b &= 2 \end{aligned}", "5.97"),
        (r"\begin{pmatrix}1&512\end{pmatrix}", "512"),
        (r"e^{-0.5}", "0.5"),
        (r"99.9\%", "99.9"),
        (r"17\,\%", "0.17"),
        (r"17\%", "0.17"),
        (r"a \\[1.5ex] 5.97", "5.97"),
        (r".97", "0.97"),
    ],
)
def test_a_number_in_a_formula_is_found_in_any_dress(tex, value):
    assert Decimal(value) in [found for one in number_scan.in_formula(tex) for found in one.values]


@pytest.mark.parametrize(
    "tex",
    [
        r"\num{minimum-similarity-512}",
        r"\num{rows[2]:.2f}",
        r"x_{12} + \frac{1}{2}",
        r"a \\[1.5ex] b",
        r"\tag{5.1} x",
        r"10^{2k/d}",
        r"\hspace{1.5em}",
        r"k = 0, 1, 2",
        r"2^{2k}",
        r"R(\theta)_{11}",
        r"\label{eq-512}",
    ],
)
def test_small_integers_and_quotes_in_formulas_are_left_alone(tex):
    assert list(number_scan.in_formula(tex)) == []


# ---- what backs a number


@pytest.mark.parametrize(
    "code, values",
    [
        ("d = 512", {"512"}),
        ("base = 10_000.0", {"10000"}),
        ("n = 8 * 1024", {"8", "1024", "8192"}),
        ("n = 10**6", {"10", "6", "1000000"}),
        ("x = -0.25", {"0.25"}),
        ("n = 2 ** 10 - 1", {"2", "10", "1024", "1", "1023"}),
        ("f'{x:.4f} 5.97'", set()),
        ("# 5.97\nx = '5.97'", set()),
        ("%matplotlib inline\nt = 64", {"64"}),
        ("flag = True", set()),
        ("n = 10**10**10", {"10", "10000000000"}),
    ],
)
def test_the_literals_of_a_cell(code, values):
    assert {Decimal(value) for value in values} == page_numbers.literals(code)


@pytest.mark.parametrize(
    "code",
    [
        'ax.set_title("wavelength 6.31")',
        'ax.plot(x, label="6.31")',
        'print(f"at {k}: 6.31")',
        "x = 1  # gives 6.31",
        "x = 1  #6.31",
        'Markdown("<p>6.31</p>")',
        'table(["k"], [["6.31"]])',
        'ax.text(0, 0, r"$x=6.31$")',
        '"""A cell with 6.31"""',
        'ax.set_title("6.31x")',
        'ax.set_title("loss:6.31")',
    ],
)
def test_a_number_typed_in_a_cells_text_is_found(code):
    found = [one for text in page_numbers.strings(code) for one in number_scan.in_text(text)]
    assert Decimal("6.31") in [value for one in found for value in one.values]


@pytest.mark.parametrize(
    "code",
    [
        'f"{x:.4f}"',
        'format(x, ",.3f")',
        '"%.3f" % x',
        '"{:.4f}".format(x)',
        'ax.plot(x, color="0.25")',
        'record("d-512", x)',
        'ax.grid(linestyle="0.25")',
        '{"connectionstyle": "arc3,rad=0.45"}',
        'open("data/run.512.csv")',
        'rng = "float64"',
        "print(x, '#0072B2')",
    ],
)
def test_formats_names_and_colours_are_no_numbers(code):
    assert [one for text in page_numbers.strings(code) for one in number_scan.in_text(text)] == []


def test_a_number_in_a_links_text_or_as_an_html_entity_is_text():
    link = nodes.reference("", "6.31", refuri="https://example.org/6.31")
    for text in (page_numbers.text_of(link), page_numbers.text_of_html("<b>6&#46;31</b>")):
        assert [one.text for one in number_scan.in_text(text)] == ["6.31"]
    assert page_numbers.text_of_html("35&nbsp;333") == "35\u00a0333"


def test_the_number_that_a_list_starts_with_is_typed():
    doctree = new_document("one")
    doctree += nodes.enumerated_list("", nodes.list_item("", nodes.paragraph("", "apples")), start=631)
    doctree += nodes.enumerated_list("", nodes.list_item("", nodes.paragraph("", "pears")))
    assert [one.text for one in page_numbers.read_page(doctree, ["631. apples"], []).typed] == ["631"]


def test_what_a_pointer_over_a_word_brings_up_is_an_alternative_text():
    doctree = new_document("one")
    doctree += nodes.paragraph(
        "",
        "",
        nodes.reference("", "here", refuri="a.html", reftitle="of 6.31"),
        nodes.abbreviation("", "RoPE", explanation="gives 6.32"),
    )
    typed = page_numbers.read_page(doctree, ["here RoPE"], []).typed
    assert [one.text for one in typed if one.backing == "alt"] == ["6.31", "6.32"]


# ---- a small real book

NUMBERS = """
minimum: {meaning: Smallest similarity of 64 positions, shown: .4f, source: L13}
"""
BIBLIOGRAPHY = """@article{someone2017, author = {A. Someone}, title = {On}, journal = {J}, year = {2017}}
@article{other2019, author = {B. Other}, title = {Off}, journal = {J}, year = {2019}}
"""
GOOD = (
    HEADER
    + """
# A chapter of 64 tokens

The code has $d = 512$ columns, 8K tokens, base 10,000 and $10^4$; the minimum is {num}`minimum`, $s = \\num{minimum}$.
The 2017 paper {cite}`someone2017` says so, and Other (2018), in its section 3.5, under [CC BY 4.0](https://example.org/by/4.0).
See <https://example.org/1234>.

```{code-cell}
---
mystnb:
  image: {alt: A line that rises}
  figure: {caption: "A line of 512 points and {num}`minimum`.", name: fig-line}
---
import matplotlib.pyplot as plt
from record import record
dim, tokens, base = 512, 8 * 1024, 10_000
fig, ax = plt.subplots()
ax.plot([0, 1], label=f"{dim / 7:.3f}", color="0.25")
print("minimum", record("minimum", 5.968563765195686), "of", 64 / 7);
```

The same as text, `base=10000`:

```python
decay = 0.125
```

It decays by 0.125.
"""
)
EXCEPTIONS = "CC BY 4.0: the name of a licence\n"
EXTENSIONS = ["drift_guard.cell_outputs", "cited_numbers.num_role", "number_audit.audit"]


def build(folder, page: str, exceptions: str = EXCEPTIONS, numbers: str = NUMBERS):
    book = ToyBook(folder, {"one": page}, numbers, EXTENSIONS)
    book.write("audit.yml", exceptions)
    book.write("references.bib", BIBLIOGRAPHY)
    return book, book.build()


def test_a_page_without_typed_results_passes(tmp_path):
    _, result = build(tmp_path, GOOD)
    assert result.returncode == 0, result.stderr
    found = matched(
        r"audit: (\d+) numbers on 1 pages, of which (\d+) quoted from the record, (\d+) literals of the "
        r"page's cells, (\d+) years of cited works, (\d+) excepted: 100 % backed",
        result.stdout,
    )
    total, quoted, literal, year, excepted = map(int, found.groups())
    assert (quoted, literal, year, excepted) == (3, 7, 2, 1) and total == 13


PLANTED = """

(planted)=
## Heading 1.11

A sentence with 2.22 and `3.33`, **4**.44, 5<!-- -->.55, [link 6.66](https://example.org), [see 6.77](#planted).[^note]
The 2019 paper is not cited here, nor is Nobody 2018. Thin 77\u2009777, grouped 88,888, 9.99e-9, 1.01 × 10⁻⁴, 10⁻¹⁴.

[^note]: A footnote 1.21.

| a | b |
|---|---|
| x | 1.31 |

:::{admonition} Title 1.41
Body 1.51.
:::

```{list-table} A caption 1.61
* - one
```

```{figure} dot.svg
:alt: A dot at 1.71
:name: fig-dot
A figure 1.81
```

Inline $x = 1.91$ and $35\\,333$, $2{,}5$.

$$ y = 2.01 \\times 10^{-4} $$

\\begin{align}
z &= 2.11 \\\\
\\end{align}

term 2.21
: definition 2.31

```text
printed 2.41
```

```python
rate = spread  # gives 2.42
```

<p title="2.51">raw 2.61</p>

> quoted 2.71

- item 2.81

```{code-cell}
---
mystnb:
  image: {alt: A line of 2.91}
  figure: {caption: "Caption 3.01 and $3.11$", name: fig-typed}
---
fig, ax = plt.subplots()
ax.set_title("title 3.21")
print("text 3.31")  # comment 3.41
```

{glue:text}`other`

```{code-cell}
from myst_nb import glue
glue("other", sum([3, 4]) / 8, display=False)
```
"""


def test_every_planted_number_is_named_with_its_line(tmp_path):
    numbers = NUMBERS.replace("64 positions", "65.5 positions")
    book = ToyBook(tmp_path, {"one": GOOD + PLANTED}, numbers, EXTENSIONS)
    book.write("audit.yml", EXCEPTIONS + "chapter 9.87: nobody says so\n")
    book.write("references.bib", BIBLIOGRAPHY)
    book.write("dot.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>')
    result = book.build()
    assert result.returncode != 0
    listed = re.findall(r"^  book/one:(\d+): (.+?) (?:is typed|in an alternative)", result.stderr, re.MULTILINE)
    lines = (GOOD + PLANTED).splitlines()
    beginnings = {
        "## Heading": ["1.11"],
        "A sentence": ["2.22", "3.33", "4.44", "5.55", "6.66", "6.77"],
        "The 2019": ["2019", "2018", "77\u2009777", "88,888", "9.99e-9", "1.01 × 10⁻⁴", "10⁻¹⁴"],
        "[^note]": ["1.21"],
        "| x": ["1.31"],
        ":::{admonition}": ["1.41"],
        "Body": ["1.51"],
        "```{list-table}": ["1.61"],
        ":alt: A dot": ["1.71"],
        "A figure": ["1.81"],
        "Inline": ["1.91", "35\u2009333", "2.5"],
        "$$ y": ["2.01 × 10^{-4}"],
        "z &=": ["2.11"],
        "term": ["2.21"],
        ": definition": ["2.31"],
        "printed": ["2.41"],
        "rate": ["2.42"],
        "<p": ["2.51", "2.61"],
        "> quoted": ["2.71"],
        "- item": ["2.81"],
        "  image: {alt: A line of": ["2.91"],
        '  figure: {caption: "Caption': ["3.01", "3.11"],
        "ax.set_title": ["3.21"],
        'print("text': ["3.31", "3.41"],
        "{glue:text}": ["0.875"],
    }
    planted = {number: beginning for beginning, numbers in beginnings.items() for number in numbers}
    assert {text for _, text in listed} == set(planted)
    for number, text in listed:
        line = next(at for at, line in enumerate(lines, 1) if line.startswith(planted[text]))
        assert abs(int(number) - line) <= (0 if text in lines[line - 1] else 2), (number, text, line)
    assert "book/numbers.yml: minimum: 65.5 is typed in the meaning" in result.stderr
    assert "audit.yml: 'chapter 9.87' excepts nothing" in result.stderr
    assert not list(tmp_path.glob("_build/html/book/*.html"))


FORMS = (
    HEADER
    + """
# A page

| scheme | share |
|---|---|
| sinusoidal | 1.31 |
| learned | 1.32 |

| scheme | share |
|---|---|
| rotary | 1.31 |
| learned | 1.31 |

```{list-table}
* - relative
  - 1.31
```

(here)=
## Words

{abbr}`RoPE ("0.3701")` <abbr title="&quot;0.3702&quot;">A</abbr> <abbr title=0.3703>B</abbr> <abbr
title='"0.3704"'>C</abbr> <abbr TITLE = "is &#48;.3705">D</abbr> [a page](https://example.org "0.3706").
[a place](#here "0.3707"), <input placeholder="0.3708" aria-description="0.3709">, ![](dot.svg "0.3710")
"""
)
REFERENCE = """# Reference

```{eval-rst}
.. autofunction:: posenc.function
.. autoclass:: posenc.Class
   :members:
```
"""
DOCUMENTED = '''
def function(a):
    """Return 0.4701 of it, *or* "0.4702".

    y = 0.4703 x, and `0.4704`.

    Parameters: `a`, at most 0.4705;
    and 0.4706 more.
    Returns: "0.4707".
    Raises: where `a` > 0.4708.
    Accuracy: 0.4709.
    Source: page 0.4710.

    A block::

        0.4711

    >>> function(1)  # gives 0.4712
    0.4999
    >>> function("is 0.4713")
    0.4999
    """
class Class:
    """Keep 0.4714."""
    def method(self):
        """Return 0.4715."""
    @property
    def part(self):
        """Of 0.4716."""
'''


def test_a_number_is_found_in_every_form_and_at_its_line(tmp_path):
    extensions = [*EXTENSIONS, "site_features.posenc_reference"]
    book = ToyBook(tmp_path, {"one": FORMS, "reference": REFERENCE}, "{}\n", extensions)
    (tmp_path / "posenc").mkdir()
    (tmp_path / "posenc" / "__init__.py").write_text(DOCUMENTED, encoding="utf8")
    book.write("audit.yml", "{}\n")
    book.write("references.bib", BIBLIOGRAPHY)
    book.write("dot.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>')
    result = book.build()
    listed = re.findall(r"^  book/(\w+):(\d+): (.+?) (?:is typed|in an alternative)", result.stderr, re.MULTILINE)
    lines = FORMS.splitlines()
    with_it = [number for number, line in enumerate(lines, 1) if "1.31" in line]
    assert sorted({int(line) for page, line, text in listed if text == "1.31"}) == with_it
    assert {text for page, _, text in listed if page == "one"} - {"1.31", "1.32"} == {
        f"0.37{n:02}" for n in range(1, 11)
    }
    assert {text for page, _, text in listed if page == "reference"} == {f"0.47{n:02}" for n in range(1, 17)}


@pytest.mark.parametrize("listed", ["CC BY: no number\n", "CC BY 4.0:\n", "4.0: {a: b}\n"])
def test_the_list_of_exceptions_is_checked(tmp_path, listed):
    file = tmp_path / "audit.yml"
    file.write_text(listed, encoding="utf8")
    with pytest.raises(audit.NotBacked, match="expected `phrase with a number: reason`"):
        audit.exceptions(file)


def test_the_real_list_is_short_and_has_reasons():
    assert len(audit.exceptions()) <= 10
    assert all(len(reason.split()) >= 3 for reason in audit.exceptions().values())
