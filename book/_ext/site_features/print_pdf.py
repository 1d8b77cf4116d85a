"""Print the book: join the pages of the built site to one document, and let headless Chromium make one PDF of it.

    PYTHONPATH=book/_ext python -m site_features.print_pdf [_build/html]

writes book.pdf there, and the front page links to it.

Within the document every link between pages leads to the page's place in it; contents, page numbers and bookmarks are
made here. Dates and identifier come from the commit and the text, so that a commit gives one PDF.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape
from io import BytesIO
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote, urldefrag

import yaml
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, ByteStringObject, DictionaryObject, NameObject, PdfObject, TextStringObject

from build_control import skip_unchanged
from build_control.git_commit import Commit, commit_of
from cited_numbers.edition import ROOT, version
from site_features import chromium
from site_features.downloads import PLACE

NAME = "book.pdf"
# What a page shows only on a screen, or only in dark, and the code of figures, which the screen folds away.
SCREEN = (
    "details.hide, script, style, a.headerlink, button, .num-tip, .interactive-live, .on-dark, .d-print-none, "
    "a.paper, .interactive-still > summary"
)
ELEMENT = re.compile(rb"\(node\d{8}\)")  # the name of an element of a PDF's structure
REFERENCES = ("for", "headers", "aria-labelledby", "aria-describedby", "aria-controls")
STYLE = """
@page { size: A4; margin: 20mm 22mm 22mm; }
html, body { background: white; }
body { margin: 0; }
.paper-cover { height: 235mm; display: flex; flex-direction: column; justify-content: center; }
.paper-cover h1 { font-size: 2.6rem; }
.paper-contents, article.paper-chapter { break-before: page; }
.paper-contents ol { list-style: none; margin: 0; padding: 0; }
.paper-contents ol ol { padding-left: 1.5rem; font-size: 0.92em; }
.paper-contents li { margin: 0.1rem 0; break-inside: avoid; }
.paper-contents li.paper-1 { margin-top: 0.6rem; font-weight: 600; }
.paper-row { display: flex; gap: 0.5rem; }
.paper-row::after { content: attr(data-page); margin-left: auto; }
.paper-contents a { color: inherit; text-decoration: none; }
"""
FOOT = '<div style="width: 100%; text-align: center; font: 8pt serif"><span class="pageNumber"></span></div>'


class NoSite(Exception):
    pass


# ---- the document


def key(page: str) -> str:
    """Return a page's name as the front part of its ids in the document."""
    return page.removesuffix(".html").replace("/", ".")


def anchor(page: str, name: str) -> str:
    return f"{key(page)}:{name}" if name else key(page)


def local(page: str, target: str) -> tuple[str, str]:
    """Return the path within the site that a link on a page leads to, and the anchor there."""
    path, name = urldefrag(target)
    joined = PurePosixPath(page).parent / unquote(path) if path else PurePosixPath(page)
    parts: list[str] = []
    for part in joined.parts:
        if part != "..":
            parts.append(part)
        elif parts:
            parts.pop()
    return "/".join(parts), unquote(name)


def outside(target: str) -> bool:
    return re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.IGNORECASE) is not None


def read(site: Path, page: str) -> BeautifulSoup:
    return BeautifulSoup(site.joinpath(page).read_text(encoding="utf8"), "html.parser")


def front(site: Path) -> str:
    """Return the front page: where the site's root leads."""
    root = site / "index.html"
    if not root.exists():
        raise NoSite(f"{site} holds no site; build it first: make book")
    lead = re.search(r'http-equiv="refresh"[^>]*url=([^"\s>]+)', root.read_text(encoding="utf8"), re.IGNORECASE)
    return lead[1] if lead else "index.html"


def contents(site: Path, first: str) -> list[str]:
    """Return all pages in the order of the navigation, the front page first."""
    links = read(site, first).select("nav.bd-links a.reference.internal")
    pages = [local(first, text_of(link, "href"))[0] for link in links]
    return list(dict.fromkeys([first, *pages]))


def text_of(node: Tag, name: str) -> str:
    """Return an attribute of an element as text, an empty one where it has none."""
    value = node.get(name) or ""
    return value if isinstance(value, str) else " ".join(value)


def chapter(site: Path, page: str, pages: set[str], folder: str, address: str) -> Tag:
    """Return a page's article with ids that are unique in the document, and links that stay within it.

    `address` is the site's, or empty: what the paper does not hold is linked there.
    """
    article = read(site, page).select_one("article")
    if article is None:
        raise NoSite(f"{site / page} holds no article; build the site again: make book")
    for node in article.select(SCREEN):
        node.decompose()
    for node in article.select("details"):
        node["open"] = ""
    for node in article.find_all(True):
        if own := text_of(node, "id"):
            node["id"] = anchor(page, own)
        for name in REFERENCES:
            if name in node.attrs:
                del node[name]  # they are about tips and controls, which are not on paper
        source, target = text_of(node, "src"), text_of(node, "href")
        if source and not outside(source):
            node["src"] = f"{folder}/{local(page, source)[0]}"
            node.attrs.pop("loading", None)
        if node.name == "a" and "href" in node.attrs and not outside(target):
            path, name = local(page, target)
            if path in pages:
                node["href"] = f"#{anchor(path, name)}"
            elif address:
                node["href"] = address.rstrip("/") + "/" + quote(path)
            else:
                del node["href"]
    article["class"] = f"{text_of(article, 'class')} paper-chapter"
    article["id"] = key(page)
    return article


def headings(article: Tag) -> Iterator[tuple[int, str, str]]:
    """Yield level, text and id of the headings that the contents list."""
    for heading in article.find_all(["h1", "h2"]):
        section = article if heading.name == "h1" else heading.find_parent("section")
        if section is not None and (name := text_of(section, "id")):
            inner = "".join(str(child) for child in heading.contents)
            yield int(heading.name[1]), re.sub(r"\s+id=\"[^\"]*\"|</?a\b[^>]*>", "", inner), name


def listing(rows: list[tuple[int, str, str]], numbers: dict[str, int]) -> str:
    """Return the contents as nested lists; a page number is empty until it is known."""
    parts, depth = [], 0
    for level, text, name in rows:
        while depth < level:
            parts.append("<ol>")
            depth += 1
        while depth > level:
            parts.append("</ol>")
            depth -= 1
        row = f'<div class="paper-row" data-page="{numbers.get(name, "")}"><a href="#{escape(name)}">{text}</a></div>'
        parts.append(f'<li class="paper-{level}">{row}</li>')
    return "".join([*parts, "</ol>" * depth])


def edition(commit: Commit | None) -> str:
    text = f"Version {version()}"
    return f"{text}, commit {commit.id[:10]} of {commit.date}" if commit else text


def document(site: Path, folder: str, numbers: dict[str, int], commit: Commit | None) -> str:
    """Return the whole book as HTML; `folder` is the way from the document to the site."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf8"))
    address = config.get("html", {}).get("baseurl") or ""
    first = front(site)
    pages = contents(site, first)
    sheets = [
        local(page, text_of(link, "href").split("?")[0])[0]
        for page in pages
        for link in read(site, page).select("link[rel=stylesheet]")
    ]
    articles = [chapter(site, page, set(pages), folder, address) for page in pages]
    rows = [row for article in articles for row in headings(article)]
    links = "".join(f'<link rel="stylesheet" href="{folder}/{escape(sheet)}">' for sheet in dict.fromkeys(sheets))
    title, author = escape(config["title"]), escape(config["author"])
    return "".join(
        [
            '<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf8">',
            f"<title>{title}</title>{links}<style>{STYLE}</style></head><body>",
            f'<div class="bd-article paper-cover"><h1>{title}</h1><p>{author}</p><p>{edition(commit)}</p></div>',
            f'<nav class="bd-article paper-contents"><h1>Contents</h1>{listing(rows, numbers)}</nav>',
            *map(str, articles),
            "</body></html>",
        ]
    )


# ---- the PDF


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
    facts = {"/Title": title, "/Author": author, "/Producer": "Chromium", "/Creator": f"{title}, {edition(commit)}"}
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
    first = front(site)
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
            text = document(site, f"../{site.name}", numbers, commit)
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
