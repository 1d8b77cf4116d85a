"""The Numbers page, the tables of expected outputs, "How to cite", and numbers.json, numbers.csv and their schema.

    ```{numbers-page}                    every number of the book, by chapter, with its source's value and a citation
    ```{numbers-of-record} book/one      the table of all numbers that one page records
    :printed:                            ... of those only that a source prints, too
    ```{how-to-cite}                     citations of the book, one chapter, one number
    :chapter: book/one
    :number: minimum-similarity

The address `book/numbers.html#<id>` of a number never changes: an id that is renamed or removed leaves an entry
`old-id: {retired: "renamed in 0.3.0", now: new-id}` in numbers.yml.
"""

import csv
import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import ClassVar, NamedTuple

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from cited_numbers import num_role, numbers_of_record, source_verdict
from cited_numbers.edition import Edition
from cited_numbers.num_role import PAGE
from cited_numbers.number_text import bound, every, full, prose, text_of
from cited_numbers.numbers_of_record import NumberOfRecord, entries, shown, source_rows
from cited_numbers.tip import LISTED
from drift_guard.page_data import flat
from drift_guard.templates import template

HERE = Path(__file__).parent
SCHEMA = HERE / "numbers.schema.json"
COLUMNS = ["id", "value", "shown", "meaning", "unit", "page", "cell", "tolerance", "below", "source", "printed"]
LONG = 12  # a list of more numbers is closed until it is asked for


# ---- what is known of each number


def row_of(number: NumberOfRecord) -> dict:
    """Return a number as numbers.json gives it."""
    entry = number.entry
    source: list[str] | str = list(entry.sources)
    printed: list[str] | str = [source_rows()[name]["printed"] for name in source]
    if source and not entry.lists_sources:
        source, printed = source[0], printed[0]
    return {
        "id": number.id,
        "value": number.value,
        "shown": shown(number.known, entry.shown) if number.below is None else bound(number.below),
        "meaning": entry.meaning,
        "unit": entry.unit or None,
        "page": number.page,
        "cell": number.cell,
        "tolerance": tolerance_of(number),
        "below": number.below,
        "source": source or None,
        "printed": printed or None,
    }


def tolerance_of(number: NumberOfRecord) -> float | None:
    if number.value is None:
        return None
    is_exact = all(isinstance(item, int) for item in flat(number.value))
    return 0 if is_exact else number.entry.tolerance


def verdict_of(number: NumberOfRecord) -> str:
    rows = [source_rows()[name] for name in number.entry.sources]
    return source_verdict.verdict(number.value, number.below, rows)


def pages_in_order(env: BuildEnvironment) -> list[str]:
    """Return the pages as the table of contents has them, and then those that it has not."""
    return list(dict.fromkeys([*env.collect_relations(), *sorted(env.found_docs)]))


def collect(app, env):
    """Refuse what differs from a source without an erratum, and return the pages that list numbers."""
    state = numbers_of_record.State.of(env)
    faults = []
    for name, number in state.numbers.items():
        erratum = number.entry.erratum
        if erratum and f"erratum-{erratum.lower()}" not in env.domaindata["std"]["anonlabels"]:
            faults.append(f"book/numbers.yml: {name}: no page has an erratum {erratum}")
        elif verdict_of(number) == source_verdict.DIFFERS and not erratum:
            printed = row_of(number)["printed"]
            faults.append(
                f"book/numbers.yml: {name}: the source prints {printed}, the cell gives "
                f"{number.value if number.below is None else number.below}: name the erratum that says so (erratum: E1)"
            )
    for page, options in state.places.items():
        if "number" in options and options["number"] not in state.numbers:
            faults.append(f"{page}: how-to-cite: no cell publishes a number {options['number']!r}")
    if faults:
        raise num_role.NumberError("\n  ".join([f"{len(faults)} fault(s)", *faults]))
    if PAGE in state.places:
        list_in_contents(env, PAGE, {page: group_id(page) for page in numbers_by_page(env)})
    return list(state.places)


def numbers_by_page(env) -> dict[str, list[NumberOfRecord]]:
    """Return the numbers of the pages that have some, the pages as the table of contents has them."""
    found = {page: [] for page in pages_in_order(env)}
    for number in numbers_of_record.State.of(env).numbers.values():
        found[number.page].append(number)
    return {page: numbers for page, numbers in found.items() if numbers}


# ---- directives


class place(nodes.General, nodes.Element):
    """Where something made of the numbers goes, once they are known."""


class Place(SphinxDirective):
    """A directive whose content is made when all pages are read."""

    option_spec: ClassVar = {
        "chapter": directives.unchanged_required,
        "number": directives.unchanged_required,
        "printed": directives.flag,
    }
    optional_arguments = 1

    def run(self):
        options = {"page": self.arguments[0] if self.arguments else None, **self.options}
        if self.name in OWN:  # these list numbers of all pages
            numbers_of_record.State.of(self.env).places.setdefault(self.env.docname, {}).update(self.options)
        node = place("", kind=self.name, options=options)
        self.set_source_info(node)
        return [node]


MAKERS: dict[str, Callable[[Sphinx, str, dict], list[nodes.Node]]] = {}  # by their directives


def add_place(app: Sphinx, directive: str, make: Callable[[Sphinx, str, dict], list[nodes.Node]]) -> None:
    """Add a directive in whose place stands what `make` returns for a page and the directive's options."""
    MAKERS[directive] = make
    app.add_directive(directive, Place)


def make(app, doctree, page):
    for node in list(doctree.findall(place)):
        node.replace_self(MAKERS[node["kind"]](app, page, node["options"]))


# ---- a table of one page's numbers


def table(app, page, options) -> list[nodes.Node]:
    """Return the table of the numbers that a page records: what, id, shown form, what the source prints."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in (45, 20, 20, 15)), cols=4)
    heads = ("Meaning", "Here", "Source prints", "Id")
    group += nodes.thead("", table_row(*([nodes.Text(head)] for head in heads)))
    body = nodes.tbody()
    for number in numbers_by_page(app.env).get(options["page"] or page, []):
        entry = number.entry
        printed = "; ".join(filter(None, (source_rows()[name]["printed"] for name in entry.sources)))
        if "printed" in options and not printed:
            continue
        meaning = nodes.Text(entry.meaning + (f" ({entry.unit})" if entry.unit else ""))
        below = [] if number.below is None else [nodes.Text("below ")]
        here = [*below, num_role.quoted("", quote=number.id)]
        body += table_row([meaning], here, [nodes.Text(printed or "–")], [nodes.literal("", number.id)])
    group += body
    return [nodes.table("", group, classes=["numbers-of-record"])]


def table_row(*cells: list) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", *cell)) for cell in cells))


# ---- how to cite


def part_of(number: NumberOfRecord) -> str:
    """Return what a citation calls a number."""
    entry = number.entry
    if number.below is not None:
        value = f"below {bound(number.below)}"
    else:
        is_long = len(flat(number.known)) > LISTED
        value = shown(number.known, entry.shown if is_long else "")
        value += f" {entry.unit}" if entry.unit else ""
    return f"{entry.meaning} (number of record {number.id}): {value}"


def how_to_cite(app, page, options) -> list[nodes.Node]:
    edition, made = Edition.of(app.config), []
    parts = [("The book", "posenc-book", "", "")]
    if chapter := options.get("chapter"):
        title = app.env.titles[chapter].astext()
        parts.append(("One chapter", f"posenc-{chapter.rpartition('/')[2]}", f"{chapter}.html", title))
    if name := options.get("number"):
        number = numbers_of_record.State.of(app.env).numbers[name]
        parts.append(("One number", f"posenc-{name}", f"{PAGE}.html#{name}", part_of(number)))
    for label, key, path, part in parts:
        made.append(
            nodes.paragraph("", "", nodes.strong("", label), nodes.Text(". "), nodes.Text(edition.citation(path, part)))
        )
        made.append(nodes.literal_block("", edition.bibtex(key, path, part), language="bibtex", classes=["cite"]))
    return made


# ---- the Numbers page


def group_id(page: str) -> str:
    return "of-" + page.rpartition("/")[2]


def list_in_contents(env: BuildEnvironment, page: str, anchors: dict[str, str]) -> None:
    """Put chapters, each with the anchor of what the page says of it, into the page's own table of contents."""
    contents = env.tocs[page]
    for item in list(contents.findall(nodes.list_item)):
        if "listed-chapter" in item["classes"]:  # of an earlier build
            item.parent.remove(item)
    top = next(iter(contents.findall(nodes.list_item)))
    inner = top.children[-1]
    if not isinstance(inner, nodes.bullet_list):
        inner = nodes.bullet_list()
        top += inner
    for chapter, anchor in anchors.items():
        text = nodes.Text(env.titles[chapter].astext())
        link = nodes.reference("", "", text, internal=True, refuri=page, anchorname=f"#{anchor}")
        inner += nodes.list_item("", addnodes.compact_paragraph("", "", link), classes=["listed-chapter"])


class Told(NamedTuple):
    """What the Numbers page tells of a number."""

    number: NumberOfRecord
    text: str
    digits: str  # all of a value
    firm: str
    uri: str  # of its page
    prints: list[str]  # of the sources
    verdict: str
    erratum: str  # its address
    citation: list[str]  # what stands before and after the part that is cited
    part: str


def told(app: Sphinx, page: str, number: NumberOfRecord) -> Told:
    entry, uri_of = number.entry, partial(app.builder.get_relative_uri, page)
    tolerance = tolerance_of(number)
    erratum = ""
    if entry.erratum:
        origin, label = app.env.domaindata["std"]["anonlabels"][f"erratum-{entry.erratum.lower()}"]
        erratum = f"{uri_of(origin)}#{label}"
    rows = [source_rows()[name] for name in entry.sources]
    return Told(
        number=number,
        text=text_of(numbers_of_record.State.of(app.env).numbers, number.id),
        digits="" if number.value is None else every(number.value, full, ", ", "; "),
        firm=f"to a relative {prose(format(tolerance, '.0e'))}" if tolerance else "exact",
        uri=uri_of(number.page),
        prints=[f"{row['printed']} ({row['id']})" for row in rows if row["printed"]],
        verdict=verdict_of(number),
        erratum=erratum,
        citation=Edition.of(app.config).citation(f"{PAGE}.html#{number.id}", "PART").split("PART"),
        part=part_of(number),
    )


def all_numbers(app: Sphinx, page: str, options: dict) -> list[nodes.Node]:
    """Return every number of the book as HTML: a list per chapter, then the ids that are no longer used.

    The script of the page makes the BibTeX of a number from one pattern, because hundreds of copies would be heavy.
    """
    titles = app.env.titles
    chapters = [
        (group_id(chapter), titles[chapter].astext(), [told(app, page, number) for number in numbers])
        for chapter, numbers in numbers_by_page(app.env).items()
    ]
    html = template(HERE / "numbers_page.html.jinja").render(
        files=["numbers.json", "numbers.csv", SCHEMA.name],
        root=app.builder.get_relative_uri(page, "index").removesuffix("index.html"),
        pattern=Edition.of(app.config).bibtex("KEY", "PATH", "PART"),
        chapters=chapters,
        long=LONG,
        listed=LISTED,
        flat=flat,
        retired={name: entry for name, entry in entries().items() if "retired" in entry},
    )
    return [nodes.raw("", html, format="html")]


def add_script(app, page, template, context, doctree):
    if page == PAGE:
        app.add_js_file("copy_button.js", loading_method="defer")
        app.add_js_file("numbers_page.js", loading_method="defer")


# ---- files at the site's root


def write_files(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    edition = Edition.of(app.config)
    rows = [row_of(number) for numbers in numbers_by_page(app.env).values() for number in numbers]
    data = {"book": {"title": edition.title, "version": edition.version}, "numbers": rows}
    out = Path(app.outdir)
    (out / "numbers.json").write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf8")
    with (out / "numbers.csv").open("w", encoding="utf8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        for row in rows:
            lists = {name: json.dumps(value, ensure_ascii=False) for name, value in row.items() if type(value) is list}
            table.writerow(row | lists)
    shutil.copy(SCHEMA, out / SCHEMA.name)


OWN = {"numbers-page": all_numbers, "numbers-of-record": table, "how-to-cite": how_to_cite}


def setup(app: Sphinx) -> None:
    app.add_node(place)
    for name, make_it in OWN.items():
        add_place(app, name, make_it)
    app.connect("env-updated", collect, priority=600)  # after `num` has checked the entries
    app.connect("doctree-resolved", make, priority=90)  # before `num` fills in the digits
    app.connect("html-page-context", add_script)
    app.connect("build-finished", write_files)
    app.add_css_file("numbers_page.css")
