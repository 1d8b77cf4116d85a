"""Read what a page's cells made: the numbers and drawings that they published, and the outputs that they show.

Code cells count from 1 as they stand on their page, and the n-th has the anchor `cell-<n>`. Numbers and drawings come
as glue that is not displayed (see `kernel_recorder`), in messages by these names:

    number:<id>          {"run", "id", "value", "shown", "tolerance"}; of noise {"run", "id", "below"}, with "above"
                         where it is not below its bound
    figure:<run>.<n>     {"run", and the record of the n-th figure that the cell shows}
    drawn:<run>.<n>      {"run", "table"}: the numbers that it draws, for readers, in no record (see `figure_data`)
    data:<name>          {"run", "data"}: what another extension puts on a page; a number stands for it in the record
    unlisted:<run>       {"run", "files"}: files of the project that the cell read and nobody had named
    unseen:<run>         {"run", "asked"}: pairs of kind and name of what else it asked for (see `unseen`)

`run` counts the executions in a kernel. It ends here: the place of the cell takes over, and no record holds either.
"""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors import EnvironmentCollector

from drift_guard.compare_pages import fault
from drift_guard.kept import Kept
from drift_guard.kernel_setup import KernelSetup
from drift_guard.page_data import TOLERANCE, Figure, Number, Output, Page, Text

KINDS = {
    "application/javascript": "script",
    "text/html": "html",
    "text/markdown": "markdown",
    "text/latex": "latex",
    "text/plain": "text",
}  # best first, as MyST-NB chooses
INPUTS = "process_inputs"  # at the head of a page: patterns of the files that processes of its cells read
UNSEEN = {
    "file": ("read by the cell", "outside project and environment: its changes would go unnoticed"),
    "folder": ("listed by the cell", "a new file would go unnoticed: name all of its files (folder/*) as sources"),
    "process": ("started by the cell", f"what it reads goes unnoticed: name that at the head of the page, `{INPUTS}`"),
    "network": ("asked by the cell", "the answer may change unnoticed: keep a copy in the project"),
    "library": ("loaded by the cell", "what it asks for goes unnoticed: use a package"),
    "state": ("looked for by the cell", "no source: it may come, change or go unnoticed"),
    "time": ("asked by the cell when it was written", "every copy of the project has times of its own"),
    "clock": ("asks the clock in the cell", "what the cell made is used again later: give it a fixed time"),
}  # what the cell did, and why that is a fault
MARKS: dict[type[nodes.Node], tuple[str, str]] = {
    nodes.strong: ("**", "**"),
    nodes.emphasis: ("*", "*"),
    nodes.literal: ("`", "`"),
    nodes.superscript: ("^", ""),
    nodes.subscript: ("_", ""),
    nodes.rubric: ("# ", ""),
    nodes.block_quote: ("> ", ""),
}


Tables = dict[int | None, list[str]]  # of what the figures of a page draw (see `figure_data`), by cell, in their order


# ---- what is kept with Sphinx's environment


@dataclass
class State(Kept):
    """What the cells of every page made, so that a build that reads no page compares all."""

    pages: dict[str, Page] = field(default_factory=dict)
    tables: dict[str, Tables] = field(default_factory=dict)
    settled: dict[str, dict[str, Number]] = field(default_factory=dict)  # the guard's, as recorded where that agrees


def numbers_of(env: BuildEnvironment, page: str) -> dict[str, Number]:
    """Return the numbers that a page publishes: as recorded where the guard found that to agree, else computed."""
    made = State.of(env).pages.get(page, Page())
    return State.of(env).settled.get(page, made.numbers)


# ---- the messages of the kernel


def messages(env: BuildEnvironment, page: str) -> Iterator[tuple[str, dict]]:
    """Yield name and content of what the cells of a page sent; None for glue that is not displayed."""
    if not vars(env)["nb_metadata"].get(page, {}).get("glue"):
        return
    path = Path(vars(env)["mystnb_config"].output_folder, *f"{page}.glue.json".split("/"))
    for name, bundle in json.loads(path.read_text(encoding="utf8")).items():
        if name.startswith(("number:", "figure:", "drawn:", "data:", "unlisted:", "unseen:")):
            yield name, json.loads(bundle["data"]["text/plain"])
        elif bundle["metadata"]["scrapbook"]["mime_prefix"]:  # not displayed, to be shown elsewhere
            yield f"glue:{name}", {}


def read_number(message: dict, cell: int | None) -> Number:
    return Number(
        id=message["id"],
        cell=cell,
        value=message.get("value"),
        below=message.get("below"),
        above=message.get("above"),
        shown=message.get("shown", ""),
        tolerance=message.get("tolerance") or TOLERANCE,
    )


# ---- the outputs on the page


def code_cells(doctree: nodes.document) -> list[nodes.container]:
    """Return the code cells of a page in their order."""
    return [node for node in doctree.findall(nodes.container) if node.get("nb_element") == "cell_code"]


def elements(node: nodes.Element) -> list[nodes.Element]:
    """Return the children of a node that are more than text."""
    return [child for child in node.children if isinstance(child, nodes.Element)]


def text_of(node: nodes.Node) -> str:
    """Return the text of an output with the marks of Markdown for what makes it look otherwise.

    The cells of a table stand between bars, and a line of dashes follows its head. A node with the attribute
    `recorded_as` has this text in the record: a quoted number its name, say.
    """
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.Element) and "recorded_as" in node:
        return node["recorded_as"]
    parts = [text_of(child) for child in node.children]
    if isinstance(node, nodes.row):
        return " | ".join(parts)
    if isinstance(node, nodes.thead):
        parts.append("---")
    if isinstance(node, nodes.bullet_list):
        parts = [f"- {part}" for part in parts]
    if isinstance(node, nodes.enumerated_list):
        parts = [numbered(node, place, part) for place, part in enumerate(parts)]
    before, after = marks_of(node)
    return before + ("" if isinstance(node, nodes.TextElement) else "\n").join(parts) + after


def numbered(node: nodes.enumerated_list, place: int, text: str) -> str:
    """Return the text of an item after its number, with the kind of number where that is no Arabic one."""
    kind = node.get("enumtype", "arabic")
    return f"{node.get('start', 1) + place}. {'' if kind == 'arabic' else f'({kind}) '}{text}"


def marks_of(node: nodes.Node) -> tuple[str, str]:
    """Return what stands before and after the text of a node."""
    for kind, marks in MARKS.items():
        if isinstance(node, kind):
            return marks
    if isinstance(node, nodes.reference | addnodes.pending_xref):
        aims = [node.get(name) for name in ("refuri", "refid", "reftarget")]
        return "[", f"]({next(filter(None, aims), '')})"
    if isinstance(node, nodes.Admonition):
        return f":::{type(node).__name__}\n", "\n:::"
    return "", ""


def read_output(node: nodes.Element, cell: int | None = None) -> Output | None:
    """Return an output of a cell, a figure without what it draws; None for an empty one."""
    bundles = [part for part in node.findall(nodes.container) if part.get("nb_element") == "mime_bundle"]
    if not bundles:
        text = text_of(node).rstrip()
        return Text("text", text.splitlines(), cell) if text else None
    images = list(node.findall(nodes.image))
    if images:
        captions = list(node.findall(nodes.caption))
        caption = text_of(captions[0]).strip() if captions else ""
        name = node["names"][0] if node.get("names") else ""
        return Figure(name, images[0].get("alt", "").strip(), caption, cell=cell, image=images[0].get("uri", ""))
    parts = {part["mime_type"]: part for part in elements(bundles[0])}
    for mime, kind in KINDS.items():
        if mime in parts:
            return Text(kind, text_of(parts[mime]).rstrip().splitlines(), cell)
    return Text("other", sorted(parts), cell)


def read_outputs(doctree: nodes.document) -> Iterator[Output]:
    """Yield the outputs of all cells of a page in their order, without what figures draw."""
    for place, cell in enumerate(code_cells(doctree), start=1):
        shown = [part for part in elements(cell) if part.get("nb_element") == "cell_code_output"]
        for node in chain.from_iterable(map(elements, shown)):
            if output := read_output(node, place):
                yield output


# ---- the page


def may_start_processes(env: BuildEnvironment, page: str, sources: Collection[Path] | None) -> bool:
    """Tell whether the head of a page names what its processes read, and all of that is among the sources."""
    named = env.metadata.get(page, {}).get(INPUTS)
    patterns = yaml.safe_load(named) if isinstance(named, str) else named
    if not patterns or sources is None:
        return False
    patterns = [patterns] if isinstance(patterns, str) else patterns
    found = [{path for path in Path(env.srcdir).glob(pattern) if path.is_file()} for pattern in patterns]
    return all(files and files <= set(sources) for files in found)


def read_page(
    env: BuildEnvironment, page: str, doctree: nodes.document, advice: str, allowed: Collection[str]
) -> tuple[Page, Tables]:
    """Return what the cells of a page made, and tables of its figures; `allowed` are kinds of what they may ask for."""
    tables: Tables = {}
    places = {cell["exec_count"]: place for place, cell in enumerate(code_cells(doctree), start=1)}
    drawings: dict[int | None, list[dict]] = {}
    made = Page(lines=[cell.line for cell in code_cells(doctree)])
    for name, message in messages(env, page):
        kind, _, rest = name.partition(":")
        run = message.pop("run", None)
        cell = places.get(run) if run else None
        if kind == "number":
            made.numbers[message["id"]] = read_number(message, cell)
        elif kind == "figure":
            drawings.setdefault(cell, []).append(message)
        elif kind == "drawn":
            tables.setdefault(cell, []).append(message["table"])
        elif kind == "data":
            made.data[rest] = message["data"]
        elif kind == "unlisted":
            made.faults += [fault(page, cell, file, "read by the cell", advice) for file in message["files"]]
        elif kind == "unseen":
            asked = [(name, *UNSEEN[what]) for what, name in message["asked"] if what not in allowed]
            made.faults += [fault(page, cell, *one) for one in asked]
        else:
            reason = "not recorded: show it in its cell, or use `record`"
            made.faults.append(fault(page, None, f"glue {rest}", "not displayed", reason))
    for output in read_outputs(doctree):
        if isinstance(output, Figure) and drawings.get(output.cell):
            output = replace(output, draws=drawings[output.cell].pop(0))
        made.outputs.append(output)
    return made, tables


class CellOutputs(EnvironmentCollector):
    """Give every code cell its anchor, and keep what the cells made with Sphinx's environment."""

    def process_doc(self, app: Sphinx, doctree: nodes.document) -> None:
        for place, cell in enumerate(code_cells(doctree), start=1):
            cell["ids"].append(f"cell-{place}")
        page = app.env.docname
        kernels = KernelSetup.of(app)
        allowed = ["process"] if may_start_processes(app.env, page, kernels.sources) else []
        state = State.of(app.env)
        state.pages[page], state.tables[page] = read_page(app.env, page, doctree, kernels.advice, allowed)

    def clear_doc(self, app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        State.forget_page(app, env, docname)


def setup(app: Sphinx) -> dict:
    app.setup_extension("drift_guard.kernel_setup")  # the kernels count the runs
    app.add_env_collector(CellOutputs)
    return {"version": "1", "env_version": 6, "parallel_read_safe": False, "parallel_write_safe": True}
