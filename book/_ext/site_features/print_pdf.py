"""Print the book: headless Chromium makes one PDF of the document that `paper_document` joins from the built site.

    PYTHONPATH=book/_ext python -m site_features.print_pdf [_build/html]

writes book.pdf there, and the front page links to it.

It is printed twice, the second time with the page numbers of the first in its contents, and its bookmarks are mended.
Dates and identifier come from the commit and the text, so that a commit gives one PDF.
"""

import hashlib
import logging
import os
import re
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote

import yaml
from bs4 import BeautifulSoup
from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, ByteStringObject, DictionaryObject, NameObject, PdfObject, TextStringObject

from build_control import skip_unchanged
from build_control.git_commit import Commit, commit_of
from cited_numbers.edition import ROOT
from site_features import chromium, paper_document
from site_features.downloads import PLACE
from site_features.paper_document import NoSite

NAME = "book.pdf"
ELEMENT = re.compile(rb"\(node\d{8}\)")  # the name of an element of a PDF's structure
FOOT = '<div style="width: 100%; text-align: center; font: 8pt serif"><span class="pageNumber"></span></div>'


def places(pdf: Path) -> dict[str, int]:
    """Return the page number, from 1, of every anchor that something links to."""
    reader = PdfReader(pdf)
    found = {name: reader.get_destination_page_number(target) for name, target in reader.named_destinations.items()}
    return {unquote(name.removeprefix("/")): number + 1 for name, number in found.items() if number is not None}


def children(item: PdfObject) -> Iterator[DictionaryObject]:
    child = item.get("/First") if isinstance(item, DictionaryObject) else None
    while child is not None and isinstance(found := child.get_object(), DictionaryObject):
        yield found
        child = found.get("/Next")


def squeezed(text: str) -> str:
    return "".join(text.split())


def name_bookmarks(item: PdfObject, titles: dict[str, str]) -> None:
    """Give the bookmarks their headings' text: Chromium joins words where a heading goes on in a new line."""
    for child in children(item):
        title = str(child["/Title"])
        title = titles.get(squeezed(title), title)
        child[NameObject("/Title")] = TextStringObject(title)
        name_bookmarks(child, titles)


def steady(pdf: bytes) -> bytes:
    """Return the PDF with the elements of its structure (headers of tables, say) numbered from 1, in their order.

    Chromium takes the numbers of the page's nodes, which depend on what the browser did before. The new names are as
    long as the old ones, so that every object stays in its place.
    """
    names = {old: b"(node%08d)" % new for new, old in enumerate(sorted(set(ELEMENT.findall(pdf))), start=1)}
    return ELEMENT.sub(lambda match: names[match[0]], pdf)


def seal(source: Path, target: Path, text: str, title: str, author: str, commit: Commit | None) -> None:
    """Write the PDF with dates of the commit and an identifier of the text."""
    writer = PdfWriter(clone_from=BytesIO(steady(source.read_bytes())))
    facts = {
        "/Title": title,
        "/Author": author,
        "/Producer": "Chromium",
        "/Creator": f"{title}, {paper_document.edition(commit)}",
    }
    if commit:
        date = f"D:{datetime.fromtimestamp(commit.time, UTC):%Y%m%d%H%M%S}Z"
        facts |= {"/CreationDate": date, "/ModDate": date}
    writer.metadata = facts
    name = ByteStringObject(hashlib.sha256(f"{text}{commit}".encode()).digest()[:16])
    writer._ID = ArrayObject((name, name))
    headings = (node.get_text() for node in BeautifulSoup(text, "html.parser").find_all(re.compile("h[1-6]")))
    name_bookmarks(writer.root_object["/Outlines"], {squeezed(title): " ".join(title.split()) for title in headings})
    writer.root_object[NameObject("/PageMode")] = NameObject("/UseOutlines")
    with target.open("wb") as file:
        writer.write(file)


def print_site(site: Path, commit: Commit | None) -> Path:
    """Print a site and link to the PDF from its front page; return the PDF."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf8"))
    first = paper_document.front(site)
    work = site.parent / "paper"
    work.mkdir(exist_ok=True)
    page_file, raw = work / "book.html", work / "raw.pdf"
    numbers: dict[str, int] = {}
    text = ""
    with sync_playwright() as playwright:
        steady: dict[str, str | float | bool] = {**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": "en", "TZ": "UTC"}
        browser = playwright.chromium.launch(executable_path=chromium.path(playwright), args=chromium.FLAGS, env=steady)
        page = browser.new_page()
        page.set_default_timeout(300_000)
        for _ in range(2):  # the second time with the page numbers in the contents
            text = paper_document.document(site, f"../{site.name}", config, numbers, commit)
            page_file.write_text(text, encoding="utf8")
            page.goto(page_file.as_uri())
            page.evaluate("() => document.fonts.ready.then(() => true)")
            page.pdf(
                path=raw,
                prefer_css_page_size=True,
                print_background=True,
                outline=True,
                tagged=True,
                display_header_footer=True,
                header_template="<span></span>",
                footer_template=FOOT,
            )
            numbers = places(raw)
        browser.close()
    target = site / NAME
    seal(raw, target, text, config["title"], config["author"], commit)
    shutil.rmtree(work)
    start = site / first
    html = start.read_text(encoding="utf8")
    way = "../" * first.count("/") + NAME
    link = f'{PLACE}<a class="paper" href="{way}">The whole book as one PDF</a>'
    start.write_text(re.sub(re.escape(PLACE) + '(<a class="paper".*?</a>)?', link, html, count=1), encoding="utf8")
    skip_unchanged.add_to_site(site)
    return target


def main(arguments: list[str]) -> int:
    logging.getLogger("pypdf").setLevel(logging.ERROR)  # Chromium counts a few objects less than it writes
    site = Path(arguments[0] if arguments else ROOT / "_build" / "html").resolve()
    try:
        pdf = print_site(site, commit_of(ROOT))
    except (NoSite, chromium.NoBrowser) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"The book on paper: {pdf} ({len(PdfReader(pdf).pages)} pages)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
