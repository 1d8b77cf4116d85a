r"""Quote a number of record: `` {num}`id` `` in text, tables, captions and footnotes, `\num{id}` inside formulas.

    {num}`id`       the number in its shown form          {num}`id[2]`      an item of a list, counted from 0
    {num}`id:.2f`   in another format of the full value   {num}`id[1][3]:.2f`

In a formula (`$x = \num{id[2]:.2f}$`) the digits stand alone. Elsewhere the number links to its row on the Numbers page
and carries a tip with value, meaning and tolerance that shows on hover and on keyboard focus, without a script.

Everything that is wrong with the quotes or with `numbers.yml` ends the build before a page is written, in one list.
A page is written again when a number that it quotes has changed on another page.
"""

import re
import sys
from pathlib import Path

from docutils import nodes
from sphinx.environment.collectors import EnvironmentCollector
from sphinx.errors import SphinxError
from sphinx.util.docutils import SphinxRole

from cited_numbers import source_lines
from drift_guard import published

sys.path.insert(0, str(Path(__file__).parents[2]))
from record import NUMBERS, entries, shown

PAGE = "book/numbers"  # the Numbers page, whose rows the numbers link to
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
QUOTE = re.compile(r"(?P<id>" + NAME.pattern + r")(?P<items>(?:\[\d+\])*)(?::(?P<spec>[^{}]+))?")
IN_FORMULA = re.compile(r"\\num\s*\{([^{}]*)\}")
SUPERSCRIPT = str.maketrans("+-0123456789", "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
KEYS = {"meaning", "shown", "unit", "tolerance", "below", "source", "given", "erratum"}


class NumberError(SphinxError):
    category = "Numbers of record"


class quoted(nodes.Inline, nodes.TextElement):
    """A number of record in running text; its child is the text that a reader sees."""


class NumRole(SphinxRole):
    def run(self):
        node = quoted(self.rawtext, quote=self.text)
        self.set_source_info(node)
        return [node], []


# ---- the text of a number


def parts(text: str) -> tuple[str, str]:
    """Return the factor and the exponent of ten of a formatted number; no exponent: ''. A factor of 1 is left out."""
    factor, _, exponent = text.partition("e")
    return ("" if exponent and float(factor) == 1 and "." not in factor else factor), exponent and str(int(exponent))


def prose(text: str) -> str:
    """Return a formatted number as running text shows it: 1.78e-04 as 1.78 × 10⁻⁴, with a real minus sign."""
    factor, exponent = parts(text)
    power = exponent and "10" + exponent.translate(SUPERSCRIPT)
    return " × ".join(filter(None, [factor.replace("-", "−"), power]))


def tex(text: str) -> str:
    """Return a formatted number as TeX."""
    factor, exponent = parts(text)
    power = exponent and f"10^{{{exponent}}}"
    return r" \times ".join(filter(None, [factor.replace(",", "{,}"), power]))


def full(item: float) -> str:
    """Return a number with all its digits as running text shows it: 2 and not 2.0, and 10,000 with a comma."""
    digits = format(item, ",")
    return prose(digits.removesuffix(".0"))


def every(value, one, comma: str, semicolon: str) -> str:
    """Return `one(item)` of every item of a number or a nest of lists, joined."""
    if not isinstance(value, list):
        return one(value)
    nested = any(isinstance(item, list) for item in value)
    return (semicolon if nested else comma).join(every(item, one, comma, semicolon) for item in value)


def find(numbers: dict[str, dict], quote: str) -> tuple[dict, object, str]:
    """Return the number that `quote` names, its value (or item) and the format; ValueError says what is wrong."""
    match = QUOTE.fullmatch(quote)
    if match is None:
        raise ValueError(f"{quote!r} is not of the form id, id[2] or id:.2f")
    if match["id"] not in numbers:
        raise ValueError(f"no cell publishes a number {match['id']!r}")
    number, entry = numbers[match["id"]], entries()[match["id"]]
    if "below" in number:
        if match["items"] or match["spec"]:
            raise ValueError(f"{quote!r}: a residual is quoted as its bound, without an item or a format")
        return number, number["below"], ".0e"
    value = number["value"]
    for index in re.findall(r"\d+", match["items"]):
        if not isinstance(value, list):
            raise ValueError(f"{quote!r}: {match['id']!r} has no item [{index}], it is not nested that deep")
        if int(index) >= len(value):
            last = len(value) - 1
            raise ValueError(f"{quote!r}: no item [{index}], the items of {match['id']!r} are [0] to [{last}]")
        value = value[int(index)]
    spec = match["spec"] or entry["shown"]
    try:
        shown(value, spec)
    except ValueError as error:
        raise ValueError(f"{quote!r}: the format {spec!r} does not fit the value {value!r} ({error})") from None
    return number, value, spec


def text_of(numbers: dict[str, dict], quote: str) -> str:
    """Return the quoted number as running text shows it."""
    _, value, spec = find(numbers, quote)
    return every(value, lambda item: prose(shown(item, spec)), ", ", "; ")


def tex_of(numbers: dict[str, dict], quote: str) -> str:
    """Return the quoted number as a formula shows it."""
    _, value, spec = find(numbers, quote)
    return every(value, lambda item: tex(shown(item, spec)), r",\; ", r";\; ")


def tip_of(numbers: dict[str, dict], quote: str) -> str:
    """Return what the tip tells: value and unit, meaning, and how firmly the digits hold."""
    number, value, _ = find(numbers, quote)
    entry = entries()[number["id"]]
    if "below" in number:
        return f"{entry['meaning']}: rounding noise, below {prose(f'{value:.0e}')}; its digits depend on the processor."
    count = len(value) if isinstance(value, list) else 0
    digits = f"{count} items" if count > 8 else every(value, full, ", ", "; ")
    unit = f" {entry['unit']}" if "unit" in entry else ""
    if entry.get("given"):
        firm = "Given by the source."
    elif isinstance(number["value"], int):
        firm = "Exact."
    else:
        firm = f"Holds to a relative {prose(format(published.tolerance(entry), '.0e'))}."
    return f"{entry['meaning']}: {digits}{unit}. {firm}"


# ---- what is wrong with the entries and the quotes


def faults_of_entries(numbers: dict[str, dict], source_rows: set[str]) -> list[str]:
    """Return what is wrong with `numbers.yml`."""
    found = []
    for name, count in published.repeated_keys(NUMBERS).items():
        found.append(f"book/numbers.yml: {name} stands there {count} times")
    for name, entry in entries().items():
        wrong = []
        if not isinstance(entry, dict):
            found.append(f"book/numbers.yml: {name}: expected keys such as meaning and shown, got {entry!r}")
            continue
        if not NAME.fullmatch(str(name)):
            wrong.append("an id has small letters, digits and single hyphens")
        if "retired" in entry:
            if not isinstance(entry["retired"], str) or entry.keys() - {"retired", "now"}:
                wrong.append("a retired id has only `retired` (a text) and, if renamed, `now` (its new id)")
            if entry.get("now", name) not in {name} | numbers.keys():
                wrong.append(f"now: no cell records {entry['now']!r}")
            if name in numbers:
                wrong.append("is retired, and a cell records it")
            found += [f"book/numbers.yml: {name}: {what}" for what in wrong]
            continue
        wrong += [f"unknown key {key!r} (known: {', '.join(sorted(KEYS))})" for key in entry.keys() - KEYS]
        if not isinstance(entry.get("meaning"), str):
            wrong.append("no meaning (a text)")
        if ("shown" in entry) == ("below" in entry):
            wrong.append("needs either shown (a value's format) or below (a residual's bound)")
        if not isinstance(entry.get("shown", ""), str):
            wrong.append(f"shown is a Python format in quotation marks, not {entry['shown']!r}")
        if not isinstance(entry.get("unit", ""), str):
            wrong.append(f"unit is a text, not {entry['unit']!r}")
        for key in "tolerance", "below":
            if key in entry and not positive(entry[key]):
                wrong.append(f"{key} is a positive number such as 1.0e-9, not {entry[key]!r}")
        wrong += [
            f"no row {row!r} in book/source-numbers.csv" for row in published.sources(entry) if row not in source_rows
        ]
        if not re.fullmatch(r"E\d+[a-z]?", str(entry.get("erratum", "E1"))):
            wrong.append(f"erratum is the number of an erratum box, such as E1, not {entry['erratum']!r}")
        if not isinstance(entry.get("given", True), bool):
            wrong.append(f"given is true or false, not {entry['given']!r}")
        if name not in numbers:
            wrong.append("no cell records this number")
        found += [f"book/numbers.yml: {name}: {what}" for what in wrong]
    return found


def positive(value) -> bool:
    try:
        return float(value) > 0
    except (TypeError, ValueError):
        return False


class Quotes(EnvironmentCollector):
    """Remembers which page quotes which numbers, and where."""

    def clear_doc(self, app, env, docname):
        quotes(env).pop(docname, None)

    def merge_other(self, app, env, docnames, other):
        quotes(env).update({page: quotes(other)[page] for page in docnames if page in quotes(other)})

    def process_doc(self, app, doctree):
        found = []
        source = source_lines.source_of(app.env, app.env.docname)
        for node in doctree.findall(quoted):
            in_title = isinstance(node.parent, nodes.title) and isinstance(node.parent.parent, nodes.section)
            found.append((node["quote"], source_lines.line_of(node, f"`{node['quote']}`", source), in_title))
        for node in doctree.findall(lambda n: isinstance(n, nodes.math | nodes.math_block)):
            if r"\num" in node.astext():
                node["with-quotes"] = node.astext()
                found += [
                    (match[1], source_lines.line_of(node, match[0], source), False)
                    for match in IN_FORMULA.finditer(node.astext())
                ]
        if found:
            quotes(app.env)[app.env.docname] = sorted(found, key=lambda one: one[1])


def quotes(env) -> dict[str, list[tuple[str, int, bool]]]:
    if not hasattr(env, "quotes_of_numbers"):
        env.quotes_of_numbers = {}
    return env.quotes_of_numbers


def check(app, env):
    """Refuse wrong entries and quotes; return the pages whose quoted numbers have changed."""
    numbers = published.numbers(env)
    faults = [
        f"{number['page']}: the number {name!r} is recorded more than once ({', '.join(number['again'])} too)"
        for name, number in numbers.items()
        if "again" in number
    ]
    faults += faults_of_entries(numbers, published.source_rows().keys())
    if not faults:  # the quotes need sound entries
        for page, found in sorted(quotes(env).items()):
            for quote, line, in_title in found:
                where = f"{page}:{line}"
                if in_title:
                    faults.append(f"{where}: a heading cannot quote a number, its link is made from the words: {quote}")
                try:
                    find(numbers, quote)
                except ValueError as error:
                    faults.append(f"{where}: {error}")
    if faults:
        raise NumberError("\n  ".join([f"{len(faults)} fault(s)", *faults]))
    texts = {
        quote: (text_of(numbers, quote), tip_of(numbers, quote))
        for found in quotes(env).values()
        for quote, _, _ in found
    }
    before, env.texts_of_numbers = getattr(env, "texts_of_numbers", {}), texts
    env.numbers_of_record = numbers
    return [
        page for page, found in quotes(env).items() if any(texts[quote] != before.get(quote) for quote, _, _ in found)
    ]


# ---- writing


def fill(app, doctree, page):
    """Give every quote its text, link and tip."""
    numbers = app.env.numbers_of_record
    for count, node in enumerate(doctree.findall(quoted), 1):
        number, _, _ = find(numbers, node["quote"])
        node[:] = [nodes.Text(text_of(numbers, node["quote"]))]
        node["tip"] = tip_of(numbers, node["quote"])
        node["tip-id"] = f"num-tip-{count}"
        if app.builder.format == "html":
            node["uri"] = f"{app.builder.get_relative_uri(page, PAGE)}#{number['id']}"
    for node in doctree.findall(lambda n: "with-quotes" in getattr(n, "attributes", {})):
        source = node["with-quotes"]
        node[:] = [nodes.Text(IN_FORMULA.sub(lambda match: tex_of(numbers, match[1]), source))]


def visit_html(self, node):
    encode = self.attval
    self.body.append(f'<span class="num"><a href="{encode(node["uri"])}" aria-describedby="{node["tip-id"]}">')


def depart_html(self, node):
    self.body.append(
        f'</a><span class="num-tip" role="tooltip" id="{node["tip-id"]}">{self.encode(node["tip"])}</span></span>'
    )


def setup(app):
    app.setup_extension("drift_guard.published")
    alone = (lambda self, node: None, lambda self, node: None)
    app.add_node(quoted, html=(visit_html, depart_html), latex=alone, text=alone, man=alone, texinfo=alone)
    app.add_role("num", NumRole())
    app.add_env_collector(Quotes)
    app.connect("env-updated", check)
    app.connect("doctree-resolved", fill, priority=100)
    files = [str(Path(__file__).with_name(name)) for name in ("num.css", "num.js")]
    app.connect("config-inited", lambda app, config: config.html_static_path.extend(files))
    app.add_css_file("num.css")
    app.add_js_file("num.js", loading_method="defer")
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
