r"""Quote a number of record: `` {num}`id` `` in text, tables, captions and footnotes, `\num{id}` inside formulas.

    {num}`id`       the number in its shown form          {num}`id[2]`      an item of a list, counted from 0
    {num}`id:.2f`   in another format of the full value   {num}`id[1][3]:.2f`

In a formula (`$x = \num{id[2]:.2f}$`) the digits stand alone. Elsewhere the number links to its row on the Numbers page
and carries a tip with value, meaning and tolerance that shows on hover and on keyboard focus, without a script.

Everything that is wrong with the quotes or with `numbers.yml` ends the build before a page is written, in one list.
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx.errors import SphinxError
from sphinx.util.docutils import SphinxRole

from cited_numbers import numbers_of_record, source_lines
from cited_numbers.check_entries import faults_of_entries
from cited_numbers.number_text import Numbers, find, tex_of, text_of
from cited_numbers.numbers_of_record import Quote
from cited_numbers.tip import tip_of

PAGE = "book/numbers"  # the Numbers page, whose rows the numbers link to
IN_FORMULA = re.compile(r"\\num\s*\{([^{}]*)\}")


class NumberError(SphinxError):
    category = "Numbers of record"


class quoted(nodes.Inline, nodes.TextElement):
    """A number of record in running text; its child is the text that a reader sees."""


class NumRole(SphinxRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        node = quoted(self.rawtext, quote=self.text, recorded_as=f"{{{self.text}}}")
        self.set_source_info(node)
        return [node], []


# ---- when a page is read


def note_quotes(app, doctree):
    """Note which numbers a page quotes, and where."""
    page = app.env.docname
    source = source_lines.source_of(app.env, page)
    found = []
    for node in doctree.findall(quoted):
        in_heading = isinstance(node.parent, nodes.title) and isinstance(node.parent.parent, nodes.section)
        line = source_lines.line_of(node, f"`{node['quote']}`", source)
        found.append(Quote(node["quote"], line, in_heading))
    for node in doctree.findall(lambda node: isinstance(node, nodes.math | nodes.math_block)):
        tex = node.astext()
        if r"\num" in tex:
            node["with-quotes"] = tex
            for match in IN_FORMULA.finditer(tex):
                found.append(Quote(match[1], source_lines.line_of(node, match[0], source)))
    if found:
        numbers_of_record.State.of(app.env).quotes[page] = sorted(found, key=lambda quote: quote.line)


# ---- when all pages are read


def join_numbers(app, env):
    """Join what pages publish with the entries, refuse wrong ones, and return the pages whose quotes have changed."""
    published = numbers_of_record.published(env)
    faults = []
    for name, found in published.items():
        first, *others = [page for page, _ in found]
        if others:
            faults.append(f"{first}: the number {name!r} is recorded more than once ({', '.join(others)} too)")
    faults += faults_of_entries(published, numbers_of_record.source_rows())
    state = numbers_of_record.State.of(env)
    before = state.numbers
    if not faults:  # to join them and to read the quotes needs sound entries
        state.numbers = {name: numbers_of_record.join(*found[0]) for name, found in published.items()}
        faults = list(faults_of_quotes(state))
    if faults:
        raise NumberError("\n  ".join([f"{len(faults)} fault(s)", *faults]))
    changed = {name for name, number in state.numbers.items() if before.get(name) != number}
    named = {page: {find(state.numbers, quote.text)[0].id for quote in quotes} for page, quotes in state.quotes.items()}
    return [page for page, names in named.items() if names & changed]


def faults_of_quotes(state):
    for page, quotes in sorted(state.quotes.items()):
        for quote in quotes:
            if quote.in_heading:
                reason = "a heading cannot quote a number, its link is made from the words"
                yield f"{page}:{quote.line}: {reason}: {quote.text}"
            try:
                find(state.numbers, quote.text)
            except ValueError as error:
                yield f"{page}:{quote.line}: {error}"


# ---- when a page is written


def fill(app, doctree, page):
    """Give every quote its text, link and tip."""
    numbers: Numbers = numbers_of_record.State.of(app.env).numbers
    for count, node in enumerate(doctree.findall(quoted), 1):
        number, _, _ = find(numbers, node["quote"])
        node[:] = [nodes.Text(text_of(numbers, node["quote"]))]
        node["tip"] = tip_of(numbers, node["quote"])
        node["tip-id"] = f"num-tip-{count}"
        if app.builder.format == "html":
            node["uri"] = f"{app.builder.get_relative_uri(page, PAGE)}#{number.id}"
    for node in doctree.findall(lambda n: "with-quotes" in getattr(n, "attributes", {})):
        source = node["with-quotes"]
        node[:] = [nodes.Text(IN_FORMULA.sub(lambda match: tex_of(numbers, match[1]), source))]


def visit_html(self, node):
    self.body.append(f'<span class="num"><a href="{self.attval(node["uri"])}" aria-describedby="{node["tip-id"]}">')


def depart_html(self, node):
    self.body.append(
        f'</a><span class="num-tip" role="tooltip" id="{node["tip-id"]}">{self.encode(node["tip"])}</span></span>'
    )


def setup(app) -> None:
    app.setup_extension("cited_numbers.numbers_of_record")
    alone = (lambda self, node: None, lambda self, node: None)
    app.add_node(quoted, html=(visit_html, depart_html), latex=alone, text=alone, man=alone, texinfo=alone)
    app.add_role("num", NumRole())
    app.connect("doctree-read", note_quotes)
    app.connect("env-updated", join_numbers)
    app.connect("doctree-resolved", fill, priority=100)
    files = str(Path(__file__).with_name("static"))
    app.connect("config-inited", lambda app, config: config.html_static_path.append(files))
    app.add_css_file("num.css")
    app.add_js_file("num.js", loading_method="defer")
