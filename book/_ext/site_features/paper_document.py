"""Join the pages of the built site to one document for the paper, with a cover and a table of contents.

Within the document every link between pages leads to the page's place in it, and ids are unique.
"""

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote, urldefrag

import yaml
from bs4 import BeautifulSoup, Tag

from build_control.git_commit import Commit
from cited_numbers.edition import ROOT, version

# What a page shows only on a screen, or only in dark, and the code of figures, which the screen folds away.
SCREEN = (
    "details.hide, script, style, a.headerlink, button, .num-tip, .interactive-live, .on-dark, .d-print-none, "
    "a.paper, .interactive-still > summary"
)
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


class NoSite(Exception):
    pass


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
