"""The Numbers page, the tables of expected outputs, "How to cite", and numbers.json, numbers.csv and their schema.

    ```{numbers-page}                    every number of the book, by chapter, with its source's value and a citation
    ```{numbers-of-record} book/one      the table of all numbers that one page records
    ```{how-to-cite}                     citations of the book, one chapter, one number
    :chapter: book/one
    :number: minimum-similarity

The address `book/numbers.html#<id>` of a number never changes: an id that is renamed or removed leaves an entry
`old-id: {retired: "renamed in 0.3.0", now: new-id}` in numbers.yml.
"""

import csv
import json
import shutil
from html import escape
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from cited_numbers import num_role, source_verdict
from cited_numbers.edition import Edition
from cited_numbers.num_role import PAGE, entries, prose, shown
from drift_guard import published

FILES = Path(__file__).with_name("numbers_files")
SCHEMA = FILES / "numbers.schema.json"
COLUMNS = ["id", "value", "shown", "meaning", "unit", "page", "cell", "tolerance", "below", "source", "printed"]
LONG = 12  # a list of more numbers is closed until it is asked for, and a value of more than VALUES items
VALUES = 8
WORDS = {
    source_verdict.SAME: "same to all printed digits",
    source_verdict.BELOW: "below the bound",
    source_verdict.DIFFERS: "differs",
}


# ---- what is known of each number


def exact(value) -> bool:
    return all(isinstance(item, int) for item in source_verdict.flat(value))


def row_of(number: dict) -> dict:
    """Return a number as numbers.json gives it."""
    entry = entries()[number["id"]]
    source = published.sources(entry)
    printed = [published.source_rows()[name]["printed"] for name in source]
    if source and not isinstance(entry["source"], list):
        source, printed = source[0], printed[0]
    residual = "below" in number
    return {
        "id": number["id"],
        "value": None if residual else number["value"],
        "shown": bound(number["below"]) if residual else shown(number["value"], entry["shown"]),
        "meaning": entry["meaning"],
        "unit": entry.get("unit"),
        "page": number["page"],
        "cell": number.get("cell"),
        "tolerance": None if residual else 0 if exact(number["value"]) else published.tolerance(entry),
        "below": number.get("below"),
        "source": source or None,
        "printed": printed or None,
    }


def bound(value: float) -> str:
    return f"{value:.0e}".replace("e-0", "e-")


def verdict_of(number: dict) -> str:
    rows = published.source_rows()
    return source_verdict.verdict(number, [rows[name] for name in published.sources(entries()[number["id"]])])


def pages_in_order(env) -> list[str]:
    """Return the pages as the table of contents has them."""
    order: list[str] = []

    def walk(page):
        if page not in order:
            order.append(page)
            for child in env.toctree_includes.get(page, []):
                walk(child)

    walk(env.config.root_doc)
    return order + sorted(env.found_docs - set(order))


def retired() -> dict[str, dict]:
    return {name: entry for name, entry in entries().items() if "retired" in entry}


def collect(app, env):
    """Work out the rows of all numbers, by page; return the pages to write again if one has changed."""
    numbers = published.numbers(env)
    faults = []
    for name, number in numbers.items():
        erratum = entries()[name].get("erratum")
        if erratum and f"erratum-{erratum.lower()}" not in env.get_domain("std").anonlabels:
            faults.append(f"book/numbers.yml: {name}: no page has an erratum {erratum}")
        elif verdict_of(number) == source_verdict.DIFFERS and not erratum:
            printed = row_of(number)["printed"]
            faults.append(
                f"book/numbers.yml: {name}: the source prints {printed}, the cell gives "
                f"{number.get('value', number.get('below'))}: name the erratum that says so (erratum: E1)"
            )
    users = places(env)
    for page, (_, options) in users.items():
        if options.get("number", next(iter(numbers), None)) not in {None, *numbers}:
            faults.append(f"{page}: how-to-cite: no cell publishes a number {options['number']!r}")
    if faults:
        raise num_role.NumberError("\n  ".join([f"{len(faults)} fault(s)", *faults]))
    order = pages_in_order(env)
    by_page = {page: [number for number in numbers.values() if number["page"] == page] for page in order}
    env.numbers_by_page = {page: found for page, found in by_page.items() if found}
    if PAGE in users:
        list_in_contents(env)
    digest = json.dumps([[row_of(n) for n in numbers.values()], entries(), Edition.of(app.config)], default=str)
    before, env.numbers_digest = getattr(env, "numbers_digest", None), digest
    return list(users) if digest != before else []


# ---- directives


class place(nodes.General, nodes.Element):
    """Where something made of the numbers goes, once they are known."""


class Place(SphinxDirective):
    """A directive whose content is made when all pages are read."""

    option_spec: ClassVar = {"chapter": directives.unchanged_required, "number": directives.unchanged_required}
    optional_arguments = 1

    def run(self):
        options = {"page": self.arguments[0] if self.arguments else None, **self.options}
        places(self.env)[self.env.docname] = (self.name, options)
        node = place("", kind=self.name, options=options)
        self.set_source_info(node)
        return [node]


def places(env) -> dict[str, tuple[str, dict]]:
    if not hasattr(env, "places_of_numbers"):
        env.places_of_numbers = {}
    return env.places_of_numbers


def purge(app, env, page):
    places(env).pop(page, None)


def merge(app, env, pages, other):
    places(env).update({page: places(other)[page] for page in pages if page in places(other)})


def make(app, doctree, page):
    makers = {"numbers-page": all_numbers, "numbers-of-record": table, "how-to-cite": how_to_cite}
    for node in list(doctree.findall(place)):
        node.replace_self(makers[node["kind"]](app, page, node["options"]))


# ---- a table of one page's numbers


def table(app, page, options) -> list[nodes.Node]:
    """Return a table of the numbers that a source prints, and in a closed block one of the page's other numbers."""
    numbers = app.env.numbers_by_page.get(options["page"] or page, [])
    printed = [number for number in numbers if row_of(number)["printed"]]
    others = [number for number in numbers if number not in printed]
    made = [rows_of(printed)] if printed else []
    if others:
        words = f"Numbers of this page that no source prints: {len(others)}"
        made += [
            nodes.raw("", f'<details class="numbers-list"><summary>{words}</summary>', format="html"),
            rows_of(others),
            nodes.raw("", "</details>", format="html"),
        ]
    return made


def rows_of(numbers: list[dict]) -> nodes.table:
    """Return a table of numbers: what, id, shown form, what the source prints."""
    heads = ["Meaning", "Here", "Source prints", "Id"]
    group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in (45, 20, 20, 15)), cols=len(heads))
    group += nodes.thead("", table_row([nodes.Text(head) for head in heads]))
    body = nodes.tbody()
    for number in numbers:
        row = row_of(number)
        printed = row["printed"] if isinstance(row["printed"], list) else [row["printed"]]
        below = [nodes.Text("below ")] if "below" in number else []
        body += table_row(
            [
                nodes.Text(row["meaning"] + (f" ({row['unit']})" if row["unit"] else "")),
                [*below, num_role.quoted("", quote=number["id"])],
                nodes.Text("; ".join(filter(None, printed)) or "–"),
                nodes.literal("", number["id"]),
            ]
        )
    group += body
    return nodes.table("", group, classes=["numbers-of-record"])


def table_row(cells) -> nodes.row:
    return nodes.row(
        "", *(nodes.entry("", nodes.paragraph("", "", *(cell if isinstance(cell, list) else [cell]))) for cell in cells)
    )


# ---- how to cite


def part_of(number: dict) -> str:
    """Return what a citation calls a number."""
    entry = entries()[number["id"]]
    if "below" in number:
        value = f"below {bound(number['below'])}"
    else:
        long = len(source_verdict.flat(number["value"])) > 8
        value = shown(number["value"], entry["shown"] if long else "")
        value += f" {entry['unit']}" if "unit" in entry else ""
    return f"{entry['meaning']} (number of record {number['id']}): {value}"


def how_to_cite(app, page, options) -> list[nodes.Node]:
    edition, made = Edition.of(app.config), []
    parts = [("The book", "posenc-book", "", "")]
    if chapter := options.get("chapter"):
        title = app.env.titles[chapter].astext()
        parts.append(("One chapter", f"posenc-{chapter.rpartition('/')[2]}", f"{chapter}.html", title))
    if name := options.get("number"):
        number = app.env.numbers_of_record[name]
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


def list_in_contents(env) -> None:
    """Put the chapters into the page's own table of contents."""
    contents = env.tocs[PAGE]
    for item in list(contents.findall(nodes.list_item)):
        if "of-numbers" in item["classes"]:
            item.parent.remove(item)
    top = next(iter(contents.findall(nodes.list_item)))
    if not isinstance(top.children[-1], nodes.bullet_list):
        top += nodes.bullet_list()
    for page in env.numbers_by_page:
        link = nodes.reference(
            "", "", nodes.Text(env.titles[page].astext()), internal=True, refuri=PAGE, anchorname=f"#{group_id(page)}"
        )
        top.children[-1].append(nodes.list_item("", addnodes.compact_paragraph("", "", link), classes=["of-numbers"]))


def all_numbers(app, page, options) -> list[nodes.Node]:
    """Return every number of the book as HTML: a list per chapter, then the ids that are no longer used.

    The script of the page makes the BibTeX of a number from one pattern, because hundreds of copies would be heavy.
    """
    env, edition = app.env, Edition.of(app.config)
    pattern = edition.bibtex("KEY", "PATH", "PART")
    out = [f'<div class="numbers-filter" data-bibtex="{escape(pattern)}"></div>']
    for chapter, numbers in env.numbers_by_page.items():
        title, key = escape(env.titles[chapter].astext()), group_id(chapter)
        out.append(
            f'<section class="numbers" id="{key}"><h2>{title}'
            f'<a class="headerlink" href="#{key}" title="Link to this heading">#</a></h2>'
        )
        long = len(numbers) > LONG
        out.append(f'<details class="numbers-list"><summary>{len(numbers)} numbers</summary><ul>' if long else "<ul>")
        out += [entry_html(app, page, number, edition) for number in numbers]
        out.append(f"</ul>{'</details>' if long else ''}</section>")
    if retired():
        out.append('<section class="numbers"><h2>Renamed and removed</h2><ul>')
        for name, entry in retired().items():
            now = f' See <a href="#{entry["now"]}"><code>{entry["now"]}</code></a>.' if "now" in entry else ""
            out.append(f'<li id="{name}"><code>{name}</code>: {escape(entry["retired"])}.{now}</li>')
        out.append("</ul></section>")
    root = app.builder.get_relative_uri(page, "index").removesuffix("index.html")
    links = ", ".join(
        f'<a href="{root}{file}" download>{file}</a>' for file in ("numbers.json", "numbers.csv", SCHEMA.name)
    )
    out.insert(0, f"<p>As files: {links}.</p>")
    return [nodes.raw("", "\n".join(out), format="html")]


def entry_html(app, page: str, number: dict, edition: Edition) -> str:
    row, entry, name = row_of(number), entries()[number["id"]], number["id"]
    uri = app.builder.get_relative_uri(page, number["page"])
    where = escape(app.env.titles[number["page"]].astext())
    if row["cell"] is None:
        cell = f'<a href="{uri}">{where}</a>'
    else:
        cell = f'<a href="{uri}#cell-{row["cell"]}">{where}, cell {row["cell"]}</a>'
    text = escape(num_role.text_of(app.env.numbers_of_record, name))
    unit = f" {escape(entry['unit'])}" if "unit" in entry else ""
    if "below" in number:
        facts = [("Bound", f"{text}{unit}; rounding noise, whose digits depend on the processor")]
    else:
        full = escape(num_role.every(number["value"], num_role.full, ", ", "; "))
        if (count := len(source_verdict.flat(number["value"]))) > VALUES:
            full = f"<details><summary>{count} values</summary>{full}</details>"
        firm = "exact" if row["tolerance"] == 0 else f"to a relative {prose(format(row['tolerance'], '.0e'))}"
        facts = [("Value", f"{full}{unit}, {firm}")]
    if printed := printed_html(app, page, number):
        facts.append(("Source", printed))
    facts.append(("Computed in" if not entry.get("given") else "Given; used in", cell))
    before, after = escape(edition.citation(f"{PAGE}.html#{name}", "PART")).split("PART")
    below = "below " if "below" in number else ""
    return (
        f'<li id="{name}"><p class="shown">{below}{text}</p>'
        f'<p class="meaning">{escape(entry["meaning"])} <a class="id" href="#{name}"><code>{name}</code></a></p>'
        "<dl>" + "".join(f"<div><dt>{what}</dt><dd>{fact}</dd></div>" for what, fact in facts) + "</dl>"
        f'<details class="cite"><summary>Cite <span class="visually-hidden">{name}</span></summary>'
        f"<p>{before}<span>{escape(part_of(number))}</span>{after}</p></details></li>"
    )


def printed_html(app, page: str, number: dict) -> str:
    """Return what the sources print, and the verdict on it."""
    entry = entries()[number["id"]]
    prints = [
        f"{escape(row['printed'])} ({row['id']})"
        for name in published.sources(entry)
        if (row := published.source_rows()[name])["printed"]
    ]
    found = verdict_of(number)
    if not found:
        return ""
    words = f'<strong class="verdict {found.split()[0]}">{WORDS[found]}</strong>'
    if erratum := entry.get("erratum"):
        origin, label = app.env.get_domain("std").anonlabels[f"erratum-{erratum.lower()}"]
        words += f', see <a href="{app.builder.get_relative_uri(page, origin)}#{label}">erratum {erratum}</a>'
    return f"prints {'; '.join(prints)}: {words}"


def add_script(app, page, template, context, doctree):
    if page == PAGE:
        app.add_js_file("numbers_page.js", loading_method="defer")


# ---- files at the site's root


def write_files(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    edition = Edition.of(app.config)
    rows = [row_of(number) for numbers in app.env.numbers_by_page.values() for number in numbers]
    data = {"book": {"title": edition.title, "version": edition.version}, "numbers": rows}
    out = Path(app.outdir)
    (out / "numbers.json").write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf8")
    with (out / "numbers.csv").open("w", encoding="utf8", newline="") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        table.writerows([in_csv(row[column]) for column in COLUMNS] for row in rows)
    shutil.copy(SCHEMA, out / SCHEMA.name)


def in_csv(value):
    """Return a cell of numbers.csv: numbers in full, lists as JSON, nothing for null."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value


def setup(app):
    app.add_node(place)
    for name in "numbers-page", "numbers-of-record", "how-to-cite":
        app.add_directive(name, Place)
    app.connect("env-purge-doc", purge)
    app.connect("env-merge-info", merge)
    app.connect("env-updated", collect, priority=600)  # after `num` has checked the entries
    app.connect("doctree-resolved", make, priority=90)  # before `num` fills in the digits
    app.connect("html-page-context", add_script)
    app.connect("build-finished", write_files)
    app.connect(
        "config-inited",
        lambda app, config: config.html_static_path.extend(
            str(FILES / name) for name in ("numbers_page.css", "numbers_page.js")
        ),
    )
    app.add_css_file("numbers_page.css")
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
