"""After each kind of edit a build that continues the last one leaves the site that a build from nothing makes."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from toy_book import HEADER, ROOT, ToyBook

EXTENSIONS = ["build_control", "drift_guard.cell_outputs", "cited_numbers", "number_audit.audit", "site_features"]
NUMBERS = """
answer: {meaning: The answer, shown: d}
other: {meaning: Another number, shown: d}
"""
CELL = """
```{{code-cell}} ipython3
---
mystnb:
  image: {{alt: A line that rises.}}
  figure: {{caption: A line., name: {name}}}
---
import matplotlib.pyplot as plt
figure, ax = plt.subplots(figsize=(3, 2))
plt.close(figure)
ax.plot([0, {end}])
figure
```
"""
INDEX = """
# A book

Where it begins.
"""
ONE = (
    HEADER
    + """
# Chapter one

A sentence of chapter one {erratum}`E1`, and a word that only it has: zebra.

(part)=
## A part

```{code-cell} ipython3
from record import record
record("answer", 42)
```
"""
    + CELL.format(name="fig-one", end=1)
    + """
```{list-table} Some values
:header-rows: 1
:name: tbl-one

* - what
  - how much
* - the answer
  - {num}`answer`
```

$$
a = b
$$ (eq-one)

```{exercise-start} Try it
:label: try
```
Is it {num}`answer`, as {cite:t}`vaswani2017attention` would say?
```{exercise-end}
```
"""
)
TWO = (
    HEADER
    + """
# Chapter two

See [](#part), {numref}`fig-one`, {numref}`fig-two`, {eq}`eq-one`, {numref}`tbl-one`, {ref}`try` and {num}`answer`.
So wrote {cite:t}`vaswani2017attention`.
"""
    + CELL.format(name="fig-two", end=2)
    + """
```{code-cell} ipython3
from record import record
import posenc
slopes = posenc.alibi_slopes(8)
record("other", slopes.size)
```
"""
)
THREE = """
# Chapter three

Nothing refers to it.
"""
SOLUTIONS = """
# Solutions

```{solution-start} try
```
It is.
```{solution-end}
```
"""
ERRATA = """
# Errata

```{erratum} E1
:source: 000
What is said.
```
"""
REFERENCES = """
# References

```{bibliography}
```
"""
API = """
# Reference

```{eval-rst}
.. automodule:: posenc.alibi
   :members:
```
"""
PAGES = {
    "index": INDEX,
    "one": ONE,
    "two": TWO,
    "three": THREE,
    "solutions": SOLUTIONS,
    "errata": ERRATA,
    "references": REFERENCES,
    "api": API,
    "numbers": "# Numbers\n\n```{numbers-page}\n```\n",
    "for-lecturers": "# For lecturers\n\n```{for-lecturers}\n```\n",
    "files": "# Files\n\n```{take-along}\n```\n",
}


def make(folder: Path) -> ToyBook:
    """Return a book with all that pages can show of one another."""
    book = ToyBook(folder, PAGES, NUMBERS, EXTENSIONS)
    for name in "theme", "interactive":
        shutil.copytree(ROOT / "book" / name, folder / "book" / name)
    shutil.copy(ROOT / "book" / "references.bib", folder / "book" / "references.bib")
    book.write("audit.yml", "{}\n")
    path = folder / "_config.yml"
    config = yaml.safe_load(path.read_text(encoding="utf8"))
    config["sphinx"]["extra_extensions"].append("sphinx_codeautolink")
    config["sphinx"]["config"] |= {"codeautolink_concat_default": True, "html_math_renderer": "mathml"}
    path.write_text(yaml.safe_dump(config), encoding="utf8")
    return book


def build(book: ToyBook) -> tuple[set[str], set[str]]:
    """Build a book, and return the pages that were read and those that were written."""
    before = times(book)
    done = book.build()
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    changed = [path for path, _ in times(book).items() - before.items()]
    read = {path.stem for path in changed if path.suffix == ".doctree"}
    written = {path.stem for path in changed if path.suffix == ".html"}
    return read, written


def times(book: ToyBook) -> dict[Path, int]:
    """Return when the files were written that are kept of pages as they are read and as they are written."""
    folder = book.folder / "_build" / ".doctrees"
    return {path: path.stat().st_mtime_ns for kind in ("*.doctree", "*.html") for path in folder.rglob(kind)}


def files(book: ToyBook) -> dict[str, bytes]:
    site = book.folder / "_build" / "html"
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> ToyBook:
    book = make(tmp_path_factory.mktemp("continued"))
    read, written = build(book)
    assert read == written == set(PAGES)
    return book


LISTS = {"index", "numbers", "for-lecturers", "api"}  # the front page, and what lists something of all pages
ALL = set(PAGES)


def put_first(text: str, part: str) -> str:
    """Return a page with a part before its first section."""
    return text.replace("\n(part)=", f"{part}\n(part)=")


def replaced(*pairs: tuple[str, str]) -> Callable[[str], str]:
    """Return a change of a page that replaces texts, each of which the page has."""

    def change(text: str) -> str:
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        return text

    return change


STEPS = {
    "a sentence, and the text of an exercise": (
        "one",
        replaced(("A sentence", "Another sentence"), ("zebra", "giraffe"), ("Is it {num}", "Would it be {num}")),
        {"one"} | LISTS,
    ),
    "a number that another page quotes": ("one", replaced(("42)", "43)")), {"one", "two"} | LISTS),
    "what a figure draws, and the code that links to the reference": (
        "two",
        replaced(("[0, 2]", "[0, 5]"), ("slopes(8)", "slopes(16)")),
        {"two"} | LISTS,
    ),
    "a heading to which another page links": ("one", replaced(("## A part", "## Some part")), ALL),
    "a figure before others": ("one", lambda text: put_first(text, CELL.format(name="fig-new", end=3)), ALL),
    "a label that nothing leads to": ("three", lambda text: text + "\n(there)=\n## There\n", ALL),
    "the title of an exercise": ("one", replaced(("Try it", "Try this")), ALL),
    "the title of a page": ("three", replaced(("Chapter three", "The third")), ALL),
    "a citation less": ("two", replaced(("So wrote {cite:t}`vaswani2017attention`.", "")), ALL),
    "a figure less": ("one", replaced((CELL.format(name="fig-new", end=3), "")), ALL),
}
LAST = list(STEPS)[-1]


@pytest.mark.parametrize("edit", STEPS)
def test_the_site_is_that_of_a_build_from_nothing(book, tmp_path, edit):
    """Each edit is built upon the last. Where all pages are written anew, a comparison at the end shows as much."""
    page, change, written = STEPS[edit]
    path = book.folder / "book" / f"{page}.md"
    path.write_text(change(path.read_text(encoding="utf8")), encoding="utf8")
    assert build(book) == ({page}, written)
    if written != ALL or edit == LAST:
        assert_same(book, tmp_path)


@pytest.mark.parametrize("change", ["configuration", "numbers", "site", "environment"])
def test_a_build_begins_anew_where_more_changed_than_pages(book, change):
    page = book.folder / "book" / "three.md"
    page.write_text(page.read_text(encoding="utf8") + "\nMore of it.\n", encoding="utf8")
    if change == "configuration":
        with (book.folder / "_config.yml").open("a", encoding="utf8") as file:
            file.write("# other\n")
    elif change == "numbers":
        book.write("numbers.yml", NUMBERS.replace("The answer", "An answer"))
    elif change == "site":
        (book.folder / "_build" / "html" / "book" / "two.html").write_text("edited", encoding="utf8")
    else:
        (book.folder / "_build" / ".doctrees" / "book" / "two.doctree").touch()
    assert build(book) == (ALL, ALL)


def test_a_page_that_is_gone_leaves_nothing(book, tmp_path):
    toc = book.folder / "_toc.yml"
    toc.write_text(toc.read_text(encoding="utf8").replace("- file: book/three\n", ""), encoding="utf8")
    (book.folder / "book" / "three.md").unlink()
    assert build(book) == (ALL - {"three"}, ALL - {"three"})
    assert_same(book, tmp_path)


def assert_same(book: ToyBook, folder: Path) -> None:
    """Build the same sources from nothing, and compare the sites to the byte."""
    other = ToyBook.__new__(ToyBook)
    other.folder = folder / "fresh"
    shutil.copytree(book.folder, other.folder, ignore=shutil.ignore_patterns("_build", "__pycache__"))
    for cache in ".jupyter_cache", ".doctrees/figure_files":  # what takes long, and is no part of this
        shutil.copytree(book.folder / "_build" / cache, other.folder / "_build" / cache)
    build(other)
    continued, fresh = files(book), files(other)
    assert continued.keys() == fresh.keys()
    assert [name for name in fresh if continued[name] != fresh[name]] == []
