"""The page "For lecturers" of the built book, opened from a disk: all figures are there, and every file opens."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pypdf
import pytest
from PIL import Image
from playwright.sync_api import Page

import posenc

pytestmark = pytest.mark.browser

WEIGHT = 900_000  # bytes of the page with all that it loads, all its thumbnails among them
HERE = "book/for-lecturers.html"


@pytest.fixture(scope="module")
def files(built_book: Path) -> Path:
    return built_book / "downloads" / "figures"


@pytest.fixture
def lectures(page: Page, built_book: Path) -> Page:
    page.goto((built_book / HERE).as_uri())
    return page


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf8"))))


def test_every_figure_of_the_book_is_listed_once(built_book: Path, lectures: Page):
    shown = []
    for path in built_book.rglob("book/*.html"):
        figures = re.findall(r"<figure\b.*?</figure>", path.read_text(encoding="utf8"), re.DOTALL)
        drawn = [figure for figure in figures if "on-dark" in figure]
        shown += [re.findall(r'\bid="([^"]+)"', figure)[0] for figure in drawn]
    listed = lectures.locator(".lecture-figure").evaluate_all("all => all.map(e => e.id.replace('files-', ''))")
    assert len(shown) > 40 and sorted(listed) == sorted(shown)
    numbers = lectures.locator(".lecture-figure strong").evaluate_all("all => all.map(e => e.textContent)")
    assert all(re.fullmatch(r"Figure \d+", number) for number in numbers) and len(set(numbers)) == len(numbers)


def test_each_figure_has_all_forms(lectures: Page):
    wanted = ["SVG", "PNG", "PDF", "SVG", "PNG", "PDF", "CSV"]
    found = lectures.locator(".lecture-figure").evaluate_all(
        "all => all.map(e => [...e.querySelectorAll('.lecture-files a')].map(a => a.textContent))"
    )
    assert all(links == wanted for links in found)


def test_every_file_opens(files: Path, lectures: Page):
    links = lectures.locator(".lecture-files a").evaluate_all("all => all.map(a => a.href.split('/').pop())")
    assert len(links) == len(set(links))
    for name in links:
        path = files / name
        if path.suffix == ".svg":
            assert ElementTree.parse(path).getroot().tag.endswith("svg"), name
        elif path.suffix == ".png":
            root = ElementTree.parse(path.with_suffix(".svg")).getroot()
            width, height = (float(root.attrib[side].removesuffix("pt")) * 96 / 72 for side in ("width", "height"))
            with Image.open(path) as image:
                image.load()
                assert image.size == pytest.approx((2 * width, 2 * height), abs=1.01), name
        elif path.suffix == ".pdf":
            assert len(pypdf.PdfReader(path).pages) == 1, name
        else:
            found = rows(path)
            assert found and all(None not in row and None not in row.values() for row in found), name


def test_the_data_of_a_heatmap_are_the_table_that_is_drawn(files: Path):
    """Its cell draws the encodings of positions 1 to 64 at width 32, which it computes in a loop."""
    found = [row for row in rows(files / "fig-pe-heatmap.csv") if "sinusoidal" in row["panel"]]
    expected = posenc.sinusoidal_encoding(np.arange(1, 65), 32)
    assert np.allclose([float(row["value"]) for row in found], expected.ravel(), rtol=0, atol=1e-13)
    places = [(float(row["x"]), float(row["y"])) for row in found]
    assert np.allclose(places, [(column, t) for t in range(1, 65) for column in range(32)], rtol=0, atol=1e-9)


def test_one_chapter_can_be_chosen(lectures: Page):
    select = lectures.get_by_label("Chapter")
    every = lectures.locator(".lecture-figure").count()
    said = lectures.locator(".lecture-filter output")
    assert said.inner_text().startswith(f"{every} figures")
    select.select_option("from-lesson-10")
    assert lectures.locator("section.lecture:visible").evaluate_all("all => all.map(e => e.id)") == ["from-lesson-10"]
    some = lectures.locator(".lecture-figure:visible").count()
    assert 0 < some < every
    assert said.inner_text().startswith(f"{some} figures")
    lectures.evaluate("location.hash = 'from-part-2'")
    lectures.locator("#from-part-2").wait_for(state="visible")
    assert select.input_value() == ""


def test_a_citation_is_copied(lectures: Page):
    lectures.evaluate("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }")
    figure = lectures.locator(".lecture-figure").first
    figure.locator("summary").click()
    figure.get_by_role("button", name="Copy citation").click()
    figure.get_by_text("Copied").wait_for()
    copied = lectures.evaluate("window.copied")
    assert copied == figure.locator(".lecture-cite").text_content()
    assert re.search(r"^The posenc authors .*Figure 1 of .*CC BY 4\.0", copied)


def test_a_citation_is_copied_where_a_browser_has_no_clipboard(lectures: Page):
    lectures.evaluate(
        """() => {
            navigator.clipboard.writeText = () => Promise.reject();
            document.execCommand = () => { window.copied = document.activeElement.value; return true; };
        }"""
    )
    figure = lectures.locator(".lecture-figure").nth(1)
    figure.locator("summary").click()
    figure.get_by_role("button", name="Copy citation").click()
    figure.get_by_text("Copied").wait_for()
    assert lectures.evaluate("window.copied") == figure.locator(".lecture-cite").text_content()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_with_all_its_thumbnails_is_light(browser, built_book: Path, scheme: str):
    """Every file that it loads comes from the disk, and each thumbnail of this scheme is shown."""
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    loaded, failed = [], []
    page.on("requestfinished", lambda request: loaded.append(request.url))
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.goto((built_book / HERE).as_uri())
    images = page.locator(f".lecture-figure img.on-{scheme}")
    images.evaluate_all("all => all.forEach(image => { image.loading = 'eager'; })")
    page.wait_for_function(
        "scheme => [...document.querySelectorAll(`.lecture-figure img.on-${scheme}`)].every(e => e.naturalWidth > 0)",
        arg=scheme,
    )
    assert images.evaluate_all("all => all.every(e => e.width === 176 && getComputedStyle(e).display !== 'none')")
    shown = images.count()
    context.close()
    assert failed == [] and all(url.startswith("file://") for url in loaded)
    paths = {Path(unquote(urlsplit(url).path)) for url in loaded}
    assert sum(path.suffix == ".webp" for path in paths) == shown
    assert sum(path.stat().st_size for path in paths) < WEIGHT
