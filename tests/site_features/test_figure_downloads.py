"""The page for lecturers in a small real build: each file opens, and the data are what is drawn."""

import csv
import io
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pypdf
import pytest
from matching import matched
from PIL import Image
from toy_book import HEADER, ToyBook

from site_features import figure_files

EXTENSIONS = [
    "build_control",
    "drift_guard.cell_outputs",
    "cited_numbers.num_role",
    "cited_numbers.numbers_page",
    "site_features.interactive_figures",
    "site_features.figure_downloads",
]
NUMBERS = 'answer: {meaning: the answer, shown: "d"}\n'
CELL = """
```{{code-cell}} ipython3
---
mystnb:
  image: {{alt: A picture that is described in some words.}}
  figure: {{caption: "{caption}", name: {name}}}
---
{code}
```
"""
START = """import matplotlib.pyplot as plt
import numpy as np
figure, ax = plt.subplots(figsize=(4, 2), facecolor="none", subplot_kw={"facecolor": "none"})
plt.close(figure)
"""
WAVE = START + 'x = np.arange(40) / 7\nax.plot(x, np.sin(x), label="sine")\nfigure'
HEAT = START + "ax.imshow(np.outer(np.arange(3), np.arange(4)) / 3)\nfigure"
CHAPTER = (
    HEADER
    + """
# A chapter

```{code-cell} ipython3
from record import record
record("answer", 42)
```

"""
    + CELL.format(
        caption="A wave of {num}`answer` points, see {ref}`here <tbl-two>`, $a^2$.", name="fig-wave", code=WAVE
    )
    + CELL.format(caption="A heatmap.", name="fig-heat", code=HEAT)
    + """
```{list-table} Two & rows
:header-rows: 1
:name: tbl-two

* - what
  - how much
* - $x^2$, and {num}`answer`
  - −10,000.5
```

## A section

| a | b |
|---|---|
| 1, 2 | 1e−5 |
"""
)
LIVE = (
    HEADER
    + "# Live\n\n{state}`pair five <lab:k=5,delta=3>`\n\n```{interactive} lab\n```\n"
    + CELL.format(caption="The lab on paper.", name="fig-lab", code=WAVE)
)
LIST = "# For lecturers\n\n```{for-lecturers}\n```\n"


def toy(folder, pages=None):
    pages = pages or {"one": CHAPTER, "two": LIVE, "list": LIST, "numbers": "# Numbers\n\n```{numbers-page}\n```\n"}
    book = ToyBook(folder, pages, NUMBERS, EXTENSIONS)
    interactive = folder / "book" / "interactive"
    interactive.mkdir()
    for name in ("lab.html", "lab.js", "figure.js", "maths.js", "interactive.css"):
        (interactive / name).write_text("", encoding="utf8")
    return book


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    book = toy(tmp_path_factory.mktemp("lecture"))
    result = book.build()
    assert result.returncode == 0, result.stdout + result.stderr
    return book


@pytest.fixture(scope="module")
def files(book):
    return book.folder / "_build" / "html" / "downloads" / "figures"


def read(path):
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf8"))))


@pytest.mark.parametrize("name", ["fig-wave", "fig-wave-dark", "fig-heat", "fig-heat-dark", "fig-lab"])
def test_each_form_of_a_figure_opens_at_its_size(files, name):
    root = ElementTree.parse(files / f"{name}.svg").getroot()
    width, height = (float(root.attrib[side].removesuffix("pt")) for side in ("width", "height"))
    with Image.open(files / f"{name}.png") as png:
        png.load()
        assert png.size == pytest.approx((2 * width * 96 / 72, 2 * height * 96 / 72), abs=1)
        opacity = np.asarray(png.convert("RGBA"))[..., 3]
        assert opacity[0, 0] == 0, "its ground is transparent"
        assert (opacity.min(), opacity.max()) == (0, 255), "and something is drawn on it"
    (page,) = pypdf.PdfReader(files / f"{name}.pdf").pages
    assert (page.mediabox.width, page.mediabox.height) == pytest.approx((width, height), abs=1)
    contents = page.get_contents()
    assert contents is not None and contents.get_data()
    with Image.open(files / f"{name}.webp") as thumbnail:
        assert thumbnail.width == figure_files.THUMBNAIL


def test_the_dark_version_is_lighter_ink(files):
    def ink(name):
        dots = np.asarray(Image.open(files / name).convert("RGBA"), dtype=float)
        return (dots[..., :3].mean(axis=-1) * dots[..., 3]).sum() / dots[..., 3].sum()

    assert ink("fig-wave-dark.png") > ink("fig-wave.png") + 50


def test_the_data_are_what_the_cell_drew(files):
    rows = read(files / "fig-wave.csv")
    x = np.arange(40) / 7
    assert [float(row["x"]) for row in rows] == list(x)
    assert [float(row["y"]) for row in rows] == list(np.sin(x))
    assert {row["label"] for row in rows} == {"sine"}
    heat = read(files / "fig-heat.csv")
    assert [float(row["value"]) for row in heat] == list((np.outer(np.arange(3), np.arange(4)) / 3).ravel())
    assert [(float(row["x"]), float(row["y"])) for row in heat[:5]] == [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1)]


def test_a_table_is_what_the_page_shows_with_numbers_that_programs_read(files):
    found = [list(row.values()) for row in read(files / "tbl-two.csv")]
    assert found == [["$x^2$, and 42", "-10000.5"]]
    assert read(files / "tbl-one-2.csv") == [{"a": "1, 2", "b": "1e-5"}]


def test_the_page_lists_all_with_number_caption_and_citation(book):
    html = book.html("list")
    figure = matched(r'id="files-fig-wave".*?</details>', html, re.DOTALL)[0]
    assert 'href="one.html#fig-wave">Figure 1</a>' in figure
    assert re.search(r"A wave of <span class=\"num\">.*42.* points", figure)
    assert 'href="one.html#tbl-two"' in figure, "references lead from this page"
    assert "Figure 1 of “A chapter”. In: " in figure and "book/one.html#fig-wave" in figure and "CC BY 4.0" in figure
    assert figure.count('loading="lazy"') == 2 and 'width="176"' in figure
    assert "Table 1</a></strong>. Two &amp; rows" in html and "Table</a></strong>. A section" in html
    assert [f'id="{name}"' in html for name in ("from-one", "from-two", "from-numbers")] == [True, True, False]


def test_an_interactive_figure_has_links_to_its_states(book):
    live = matched(r'<p class="lecture-live">.*?</p>', book.html("list"))[0]
    assert re.findall(r'href="([^"]*)">([^<]*)<', live) == [
        ("two.html#lab", "as it starts"),
        ("two.html#lab:k=5,delta=3", "pair five"),
    ]


def test_what_was_converted_is_not_converted_again(book, files):
    kept = book.folder / "_build" / "html" / ".doctrees" / "figure_files"
    kept = kept if kept.exists() else next(book.folder.glob("_build/**/figure_files"))
    before = {path.name: path.stat().st_mtime_ns for path in kept.iterdir()}
    (kept / "left-over.png").write_bytes(b"")
    book.write("one.md", CHAPTER + "\nA sentence more.\n")
    assert book.build().returncode == 0
    assert {path.name: path.stat().st_mtime_ns for path in kept.iterdir()} == before
    assert (files / "fig-wave.png").exists()


def test_a_drawing_that_cannot_be_converted_is_an_error(tmp_path):
    with pytest.raises(figure_files.Failed, match="could not be converted from SVG"):
        figure_files.convert([figure_files.Drawing("<svg", "light")], tmp_path, 1)


@pytest.mark.parametrize(
    "change, message",
    [
        (("name: fig-heat", "name: fig-wave"), "fig-wave"),
        ((", name: fig-heat", ""), "a figure without a name"),
    ],
)
def test_a_figure_without_a_name_of_its_own_ends_the_build(tmp_path, change, message):
    assert change[0] in CHAPTER
    result = toy(tmp_path, {"one": CHAPTER.replace(*change), "list": LIST, "numbers": "# Numbers\n"}).build()
    assert result.returncode != 0
    assert message in result.stdout + result.stderr
