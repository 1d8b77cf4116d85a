"""Join the pages of the built site to one document for the paper, with a cover and a table of contents.

Within the document every link between pages leads to the page's place in it, and ids are unique.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote, urljoin, urlsplit

from bs4 import BeautifulSoup, Tag
from markupsafe import Markup

from build_control.git_commit import Commit
from cited_numbers.edition import version
from drift_guard.templates import template

TEMPLATE = Path(__file__).with_name("paper_document.html.jinja")
# What a page shows only on a screen, or only in dark, and the code of figures, which the screen folds away.
SCREEN = (
    "details.hide, script, style, a.headerlink, button, .num-tip, .interactive-live, .on-dark, .d-print-none, "
    "a.paper, .interactive-still > summary"
)
REFERENCES = ("for", "headers", "aria-labelledby", "aria-describedby", "aria-controls")


class NoSite(Exception):
    pass


class Heading(NamedTuple):
    level: int
    text: Markup
    id: str


def key(page: str) -> str:
    """Return a page's name as the front part of its ids in the document."""
    return page.removesuffix(".html").replace("/", ".")


def anchor(page: str, name: str) -> str:
    return f"{key(page)}:{name}" if name else key(page)


def local(page: str, target: str) -> tuple[str, str]:
    """Return the path within the site that a link on a page leads to, and the anchor there."""
    found = urlsplit(urljoin(f"/{page}", target))
    return unquote(found.path).lstrip("/"), unquote(found.fragment)


def outside(target: str) -> bool:
    return bool(urlsplit(target).scheme or urlsplit(target).netloc)


def read(site: Path, page: str) -> BeautifulSoup:
    html = site.joinpath(page).read_text(encoding="utf8")
    return BeautifulSoup(html, "html.parser", multi_valued_attributes=None)


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
    return list(dict.fromkeys([first, *(local(first, str(link["href"]))[0] for link in links)]))


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
        for name in REFERENCES:
            node.attrs.pop(name, None)  # they are about tips and controls, which are not on paper
        own, source, target = (str(node.get(name, "")) for name in ("id", "src", "href"))
        if own:
            node["id"] = anchor(page, own)
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
    article["class"] = f"{article['class']} paper-chapter"
    article["id"] = key(page)
    return article


def headings(article: Tag) -> Iterator[Heading]:
    """Yield the headings that the contents list."""
    for heading in article.find_all(["h1", "h2"]):
        section = article if heading.name == "h1" else heading.find_parent("section")
        if section is not None and section.get("id"):
            text = re.sub(r"\s+id=\"[^\"]*\"|</?a\b[^>]*>", "", heading.decode_contents())
            yield Heading(int(heading.name[1]), Markup(text), str(section["id"]))


def edition(commit: Commit | None) -> str:
    text = f"Version {version()}"
    return f"{text}, commit {commit.id[:10]} of {commit.date}" if commit else text


def document(site: Path, folder: str, config: dict, numbers: dict[str, int], commit: Commit | None) -> str:
    """Return the whole book as HTML; `folder` is the way to the site, and a page number is empty until it is known."""
    pages = contents(site, front(site))
    links = [(page, link["href"]) for page in pages for link in read(site, page).select("link[rel=stylesheet]")]
    address = config.get("html", {}).get("baseurl") or ""
    articles = [chapter(site, page, set(pages), folder, address) for page in pages]
    return template(TEMPLATE).render(
        title=config["title"],
        author=config["author"],
        edition=edition(commit),
        folder=folder,
        sheets=dict.fromkeys(local(page, str(link))[0] for page, link in links),
        contents=[list(headings(article)) for article in articles],
        numbers=numbers,
        articles=map(Markup, articles),
    )
