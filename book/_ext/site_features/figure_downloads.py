"""The page for lecturers: every figure and table of the book as files to take to a lecture.

    ```{for-lecturers}
    ```            a list by chapter, with a thumbnail of each figure, its files, its data and a citation

The files stand in `downloads/figures` of the site and are named as the book's source names the figure or table. The
data of a figure come from the kernel that drew it (see `drift_guard.figure_data`); PNG and PDF are made of its SVG
(see `figure_files`).
"""

import csv
import io
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from markupsafe import Markup
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from build_control.processors import processors
from cited_numbers import numbers_page, source_lines
from cited_numbers.edition import Edition
from drift_guard import cell_outputs, figure_data
from drift_guard.kept import Kept
from drift_guard.templates import template
from site_features import dark_figures, figure_files
from site_features.errata import erratum_mark
from site_features.interactive_figures import interactive

FOLDER = "downloads/figures"
FILES = Path(__file__).with_name("figure_downloads_files")
LICENCE = "CC BY 4.0, https://creativecommons.org/licenses/by/4.0/"
SHADES = ("light", "dark")
FORMATS = ("svg", "png", "pdf")
NUMERAL = re.compile(r"[-−]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?([eE][-−+]?\d+)?%?")
WORDS = "<!-- words -->"  # in the template: what a caption or a title says goes here
SHOWN = 176  # pixels across of a thumbnail on the page
LEFT_OUT = nodes.footnote_reference, nodes.target, nodes.system_message


class DownloadError(SphinxError):
    category = "The figures cannot be offered for download, and the build ends here"


@dataclass
class Figure:
    """A figure of the book, as its page shows it."""

    page: str
    name: str
    caption: list[nodes.Node]
    alt: str
    uri: str  # of the SVG, from the source folder
    table: str = ""  # what it draws, packed
    live: str = ""  # the interactive figure in whose place it stands
    states: list[tuple[str, str]] = field(default_factory=list)  # title and address of the states the text leads to


@dataclass
class Table:
    page: str
    name: str
    title: list[nodes.Node]  # of its section where it has no caption
    numbered: bool


@dataclass
class Found(Kept):
    """What the pages hold."""

    figures: dict[str, list[Figure]] = field(default_factory=dict)
    tables: dict[str, list[Table]] = field(default_factory=dict)
    place: str = ""  # the page that lists them


# ---- when a page is read


class for_lecturers(nodes.General, nodes.Element):
    """Where the list goes."""


class ForLecturers(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        Found.of(self.env).place = self.env.docname
        node = for_lecturers()
        self.set_source_info(node)
        return [node]


def collect(app: Sphinx, doctree: nodes.document) -> None:
    """Note the figures and tables of a page."""
    env = app.env
    page = env.docname
    Found.of(env).figures[page] = list(figures_of(env, page, doctree))
    tables = []
    for number, node in enumerate(doctree.findall(nodes.table), start=1):
        stem = page.rpartition("/")[2]
        name = node["names"][0] if node.get("names") else f"tbl-{stem}-{number}"
        node["csv"] = name  # by which `write_tables` finds it
        own = node.next_node(nodes.title)
        tables.append(Table(page, name, words_of(own or heading_of(node)), own is not None))
    Found.of(env).tables[page] = tables


def figures_of(env: BuildEnvironment, page: str, doctree: nodes.document) -> Iterator[Figure]:
    addresses = [(node.astext(), node["refuri"]) for node in doctree.findall(nodes.reference) if node.get("refuri")]
    for place, cell in enumerate(cell_outputs.code_cells(doctree), start=1):
        tables = iter(cell_outputs.State.of(env).tables[page].get(place, []))
        for node in cell.findall(nodes.figure):
            image = node.next_node(nodes.image)
            if image is None or "drawn" not in image["classes"]:
                continue
            table = next(tables, "")
            if not node.get("names"):
                raise DownloadError(
                    f"{page}, cell {place}: a figure without a name: give it one in its cell's `figure`"
                )
            caption = node.next_node(nodes.caption)
            live = cell.parent["figure"] if isinstance(cell.parent, interactive) else ""
            yield Figure(
                page=page,
                name=node["names"][0],
                caption=words_of(caption),
                alt=image.get("alt", ""),
                uri=image["uri"],
                table=table,
                live=live,
                states=[(title, to) for title, to in addresses if live and to.startswith(f"#{live}:")],
            )


def words_of(node: nodes.Element | None) -> list[nodes.Node]:
    """Return a copy of what a caption or a title says, without what can stand on one page only."""
    if node is None:
        return []
    copy = node.deepcopy()
    for part in [one for one in copy.findall() if isinstance(one, (*LEFT_OUT, erratum_mark))]:
        part.parent.remove(part)
    for part in copy.findall(nodes.Element):
        part["ids"] = []
    return copy.children


def heading_of(node: nodes.Node) -> nodes.title | None:
    """Return the title of the section in which something stands."""
    section = next(one for one in source_lines.ancestors(node) if isinstance(one, nodes.section | nodes.document))
    return section.next_node(nodes.title)


def list_in_contents(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Put the chapters into the table of contents of the page that lists the files."""
    found = Found.of(env)
    if not found.place:
        return []
    things = chain(*found.figures.values(), *found.tables.values())
    for name, count in Counter(thing.name for thing in things).items():
        if count > 1:
            said = f"two figures or tables have the name {name!r}, and one file would overwrite the other"
            raise DownloadError(said)
    numbers_page.list_in_contents(env, found.place, {chapter: group_id(chapter) for chapter in chapters(env)})
    return [found.place]


def chapters(env: BuildEnvironment) -> list[str]:
    """Return the pages that have figures or tables, in the order of the book."""
    found, pages = Found.of(env), numbers_page.pages_in_order(env)
    return [page for page in pages if found.figures.get(page) or found.tables.get(page)]


def group_id(page: str) -> str:
    return "from-" + page.rpartition("/")[2]


# ---- the list


class Shown(NamedTuple):
    """What the list shows of a figure or a table."""

    thing: str  # what the book calls it
    name: str
    words: nodes.paragraph
    height: int = 0  # of the thumbnail
    alt: str = ""
    has_data: bool = False
    live: Sequence[tuple[str, str]] = ()  # titles and addresses of states of an interactive figure
    citation: str = ""


class FillList(SphinxPostTransform):
    """Put the list in its place, before references are resolved: captions have some."""

    default_priority = 5

    def run(self, **kwargs) -> None:
        for node in list(self.document.findall(for_lecturers)):
            node.replace_self(self.made() if self.app.builder.format == "html" else [])

    def made(self) -> list[nodes.Node]:
        """Return the markup of the template, with the words about each thing in their places."""
        words: list[nodes.Node] = []

        def put(thing: Shown) -> Markup:
            words.append(thing.words)
            return Markup(WORDS)

        found = Found.of(self.env)
        markup = template(FILES / "list.html.jinja").render(
            chapters=[
                {
                    "id": group_id(page),
                    "title": self.env.titles[page].astext(),
                    "figures": list(map(self.figure, found.figures.get(page, []))),
                    "tables": list(map(self.table, found.tables.get(page, []))),
                }
                for page in chapters(self.env)
            ],
            put=put,
            stem=stem,
            shades=SHADES,
            formats=FORMATS,
            width=SHOWN,
            folder="../" * self.app.builder.get_target_uri(self.env.docname).count("/") + FOLDER,
        )
        first, *others = (nodes.raw("", text, format="html") for text in markup.split(WORDS))
        return [first, *chain.from_iterable(zip(words, others))]

    def number(self, page: str, name: str, kind: str) -> str:
        """Return what the book calls a figure or table: its kind and its number, where it has one."""
        numbers = self.env.toc_fignumbers.get(page, {}).get(kind, {})
        number = numbers.get(nodes.make_id(name))
        return f"{kind.title()} {'.'.join(map(str, number))}" if number else kind.title()

    def uri(self, page: str, place: str = "") -> str:
        return self.app.builder.get_relative_uri(self.env.docname, page) + place

    def words(self, thing: str, uri: str, words: list[nodes.Node]) -> nodes.paragraph:
        link = nodes.reference("", "", nodes.Text(thing), internal=True, refuri=uri)
        copies = [word.deepcopy() for word in words]
        made = nodes.paragraph(
            "", "", nodes.strong("", "", link), nodes.Text(". "), *copies, classes=["lecture-caption"]
        )
        for reference in made.findall(addnodes.pending_xref):
            reference["refdoc"] = self.env.docname
        return made

    def figure(self, figure: Figure) -> Shown:
        thing, place = self.number(figure.page, figure.name, "figure"), f"#{nodes.make_id(figure.name)}"
        drawing = Path(self.app.srcdir, figure.uri).read_text(encoding="utf8")
        width, height = (int(side) for side in re.findall(r'"(\d+)"', dark_figures.size(drawing)))
        part = f"{thing} of “{self.env.titles[figure.page].astext()}”"
        citation = Edition.of(self.app.config).citation(f"{figure.page}.html{place}", part)
        states = [("as it starts", f"#{figure.live}"), *figure.states] if figure.live else []
        return Shown(
            thing,
            figure.name,
            self.words(thing, self.uri(figure.page, place), figure.caption),
            height=round(SHOWN * height / width),
            alt=figure.alt,
            has_data=bool(figure.table),
            live=[(title, self.uri(figure.page, to)) for title, to in dict.fromkeys(states)],
            citation=f"{citation} Licence: {LICENCE}.",
        )

    def table(self, table: Table) -> Shown:
        thing = self.number(table.page, table.name, "table") if table.numbered else "Table"
        place = f"#{nodes.make_id(table.name)}" if table.numbered else ""  # or nothing on its page has its name
        return Shown(thing, table.name, self.words(thing, self.uri(table.page, place), table.title))


def stem(name: str, shade: str) -> str:
    return name if shade == "light" else f"{name}-{shade}"


def add_assets(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    if page == Found.of(app.env).place:
        app.add_css_file("figure_downloads.css")
        app.add_js_file("copy_button.js", loading_method="defer")
        app.add_js_file("figure_downloads.js", loading_method="defer")


# ---- the files


def note_tables(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Keep the tables of a page as CSV, when all that they quote is filled in."""
    folder = tables_folder(app)
    folder.mkdir(exist_ok=True)
    for node in doctree.findall(nodes.table):
        if "csv" in node:
            write_text(folder / f"{node['csv']}.csv", csv_of(node))


def tables_folder(app: Sphinx) -> Path:
    """Return the folder that keeps tables also of pages that are not written again."""
    return Path(app.doctreedir, "tables")


def csv_of(table: nodes.table) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in table.findall(nodes.row):
        writer.writerow(cell_text(entry) for entry in row.findall(nodes.entry))
    return text.getvalue()


def cell_text(entry: nodes.entry) -> str:
    """Return a cell as text, formulas as TeX; a number as programs read it, without commas and with a hyphen-minus."""
    copy = entry.deepcopy()
    for formula in list(copy.findall(nodes.math)):
        formula.replace_self(nodes.Text(f"${formula.astext()}$"))
    text = " ".join(copy.astext().split())
    return text.replace(",", "").replace("−", "-") if NUMERAL.fullmatch(text) else text


def write(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html" or not Found.of(app.env).place:
        return
    folder, images = Path(app.outdir, FOLDER), Path(app.outdir, app.builder.imagedir)
    folder.mkdir(parents=True, exist_ok=True)
    drawings = {}
    for figure in (figure for page in chapters(app.env) for figure in Found.of(app.env).figures.get(page, [])):
        light = images / app.env.images[figure.uri][1]
        for shade, path in zip(SHADES, (light, light.with_name(f"{light.stem}.dark.svg"))):
            drawings[stem(figure.name, shade)] = figure_files.Drawing(path.read_text(encoding="utf8"), shade)
        if figure.table:
            write_text(folder / f"{figure.name}.csv", figure_data.unpacked(figure.table))
    try:
        made = figure_files.convert(list(drawings.values()), Path(app.doctreedir, "figure_files"), processors())
    except figure_files.Failed as error:
        raise DownloadError(str(error)) from error
    for name, drawing in drawings.items():
        write_text(folder / f"{name}.svg", drawing.svg)
        for kind in figure_files.KINDS:
            shutil.copyfile(f"{made[drawing]}.{kind}", folder / f"{name}.{kind}")
    for table in (table for tables in Found.of(app.env).tables.values() for table in tables):
        shutil.copyfile(tables_folder(app) / f"{table.name}.csv", folder / f"{table.name}.csv")


def write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf8", newline="\n")


def setup(app: Sphinx) -> None:
    app.setup_extension("drift_guard.cell_outputs")
    app.setup_extension("cited_numbers.numbers_page")
    app.setup_extension("site_features.dark_figures")
    app.add_node(for_lecturers)
    app.add_directive("for-lecturers", ForLecturers)
    app.add_post_transform(FillList)
    app.connect("doctree-read", collect, priority=600)  # after figures are marked as drawn and cells are read
    app.connect("env-purge-doc", Found.forget_page)
    app.connect("env-updated", list_in_contents, priority=700)
    app.connect("html-page-context", add_assets)
    app.connect("doctree-resolved", note_tables, priority=950)  # after numbers have their digits
    app.connect("build-finished", write, priority=560)
    app.connect("config-inited", lambda app, config: config.html_static_path.append(str(FILES / "static")))
