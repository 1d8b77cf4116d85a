"""End the build where an output drifted: when all pages are read, and before one is written, compare what the cells
made with the committed record, and list all differences in one table.

`guard_folder` is the folder of the records, one JSON file a page; `guard_command` is the command that accepts, as the
report tells it. With GUARD_ACCEPT=1 in the environment the build rewrites the records where they differ, and prints the
same table. It never does so where CI is set. The event `guard-accepted` hands the table to whoever prints it last.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError

from drift_guard import cell_outputs, compare_pages, record_files, report
from drift_guard.page_data import Number, Page, Row

ACCEPT = "GUARD_ACCEPT"
NO = ("", "0", "false")


class Drifted(SphinxError):
    """Sphinx prints the category, then the message."""

    category = "What the cells made is not what is recorded, and the build ends here"


@dataclass
class Comparison:
    """What came of comparing all pages with their records."""

    rows: list[Row] = field(default_factory=list)
    writes: dict[Path, Page | None] = field(default_factory=dict)  # the records to write or, None, to remove
    numbers: dict[str, dict[str, Number]] = field(default_factory=dict)  # as recorded where that agrees


<<<<<<< HEAD
def text_of(node: nodes.Node) -> str:
    """Return the text of an output as it stands, the cells of a table between bars; a quoted number as its name."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if "quote" in getattr(node, "attributes", {}):
        return f"{{{node['quote']}}}"
    parts = [text_of(child) for child in node.children]
    if isinstance(node, nodes.row):
        return " | ".join(parts)
    if isinstance(node, nodes.enumerated_list) and node.get("start", 1) != 1:
        parts.insert(0, f"from {node['start']}")
    if isinstance(node, nodes.superscript | nodes.subscript):
        parts.insert(0, "^" if isinstance(node, nodes.superscript) else "_")
    return ("" if isinstance(node, nodes.TextElement) else "\n").join(parts)


def images(node: nodes.Element) -> list[nodes.image]:
    return list(node.findall(nodes.image))


def outputs_of(doctree: nodes.document) -> list[dict]:
    """Return the outputs of all cells of a page in their order, without what figures draw."""
    found = []
    for place, cell in enumerate(published.code_cells(doctree), start=1):
        for shown in cell.children:
            if shown.get("nb_element") != "cell_code_output":
                continue
            for node in shown.children:
                found += [{"cell": place, **output} for output in described(node)]
    return found


def described(node: nodes.Element) -> list[dict]:
    """Return a node of a cell's output as a list of one output, or of none."""
    bundles = [n for n in node.findall(nodes.container) if n.get("nb_element") == "mime_bundle"]
    if not bundles:
        text = text_of(node).rstrip()
        return [{"text": text.splitlines()}] if text else []
    pictures = images(node)
    if pictures:
        captions = list(node.findall(nodes.caption))
        return [
            {
                "figure": node["names"][0] if node.get("names") else "",
                "alt": pictures[0].get("alt", "").strip(),
                "caption": text_of(captions[0]).strip() if captions else "",
                "draws": None,
            }
        ]
    kinds = {part["mime_type"]: part for part in bundles[0].children}
    for mime, kind in KINDS.items():
        if mime in kinds:
            return [{kind: text_of(kinds[mime]).rstrip().splitlines()}]
    return [{"other": sorted(kinds)}]


class Outputs(EnvironmentCollector):
    """Keep the outputs of every page with Sphinx's environment, so that a build that reads no page compares all."""

    def process_doc(self, app: Sphinx, doctree: nodes.document) -> None:
        kept(app.env)[app.env.docname] = outputs_of(doctree)

    def clear_doc(self, app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        kept(env).pop(docname, None)

    def merge_other(self, app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
        kept(env).update({page: kept(other)[page] for page in docnames})


def kept(env: BuildEnvironment) -> dict[str, list[dict]]:
    if not hasattr(env, "guard_outputs"):
        env.guard_outputs = {}
    return env.guard_outputs


def computed_page(env: BuildEnvironment, page: str) -> dict:
    """Return what the cells of a page published and showed."""
    numbers, drawn, faults = {}, {}, []
    for name, payload in published.glued(env, page).items():
        kind, _, rest = name.partition(":")
        cell = payload["cell"]
        if kind == "number":
            numbers[payload["id"]] = payload
        elif kind == "figure":
            drawn.setdefault(payload.pop("cell"), []).append(payload)
        elif kind == "data":
            continue  # for an interactive figure; `store_data` asks for a number that stands for all of it
        elif kind == "unlisted":
            faults += [
                (cell, file, "read by the cell", "name it in `fresh_sources`: its changes would go unnoticed")
                for file in payload["files"]
            ]
        else:
            faults.append((cell, f"glue {rest}", "not displayed", "not recorded: show it in its cell, or use `record`"))
    outputs = [dict(output) for output in kept(env).get(page, [])]
    for output in outputs:
        if "figure" in output and drawn.get(output["cell"]):
            output["draws"] = drawn[output["cell"]].pop(0)
    return {"numbers": numbers, "outputs": outputs, "faults": faults}


# ---- the records


def dumps(value, indent: str = "") -> str:
    """Return JSON with sorted keys, on one line what fits there: a review reads its diff."""
    flat = json.dumps(value, sort_keys=True, ensure_ascii=False)
    if not value or not isinstance(value, dict | list) or len(indent) + len(flat) <= 116:
        return flat
    inner = indent + " "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {dumps(value[key], inner)}" for key in sorted(value)]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + dumps(part, inner) for part in value) + f"\n{indent}]"


class Broken(Exception):
    """A record that cannot be read: line and reason."""

    def __init__(self, line: int, reason: str):
        super().__init__(reason)
        self.line = line


def no_repeats(pairs: list[tuple]) -> dict:
    repeated = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
    if repeated:
        raise KeyError(repeated[0])
    return dict(pairs)


def line_of_repeat(text: str) -> int:
    """Return the line on which a mapping has a key for the second time."""
    waiting = [yaml.compose(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))]
    lines = []
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.MappingNode):
            seen = set()
            for key, value in node.value:
                if key.value in seen:
                    lines.append(key.start_mark.line + 1)
                seen.add(key.value)
                waiting.append(value)
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value
    return min(lines, default=1)


def refuse_constant(name: str):
    raise ValueError(f"{name} is no number")


def read_record(path: Path) -> dict:
    """Return a record; raise `Broken` for a file that is none."""
    try:
        text = path.read_text(encoding="utf8")
    except UnicodeDecodeError as error:
        raise Broken(path.read_bytes()[: error.start].count(b"\n") + 1, "not UTF-8 text") from None
    if not text.strip():
        raise Broken(1, "the file is empty")
    try:
        record = json.loads(text, object_pairs_hook=no_repeats, parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip())
        raise Broken(error.lineno, f"{'cut off' if cut else 'not JSON'}: {error.msg}") from None
    except KeyError as error:
        raise Broken(line_of_repeat(text), f"the key {error.args[0]!r} stands twice") from None
    except (ValueError, RecursionError) as error:
        raise Broken(1, f"not a record: {error}") from None
    if not (
        isinstance(record, dict) and isinstance(record.get("numbers"), dict) and isinstance(record.get("outputs"), list)
    ):
        raise Broken(1, "not a record: it needs `numbers` (an object) and `outputs` (a list)")
    return record


def write(path: Path, record: dict) -> None:
    """Write a record at one stroke, so that a killed build leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".json.part")
    half.write_text(dumps(record) + "\n", encoding="utf8", newline="\n")
    half.replace(path)


# ---- the comparison


class Comparison(NamedTuple):
    rows: list[Row]
    writes: dict[Path, dict | None]  # the records to write if the rows are accepted; None: to remove
    numbers: dict[str, dict[str, dict]]  # by page and id: as recorded where that agrees, else as computed


def compare(folder: Path, name: str, pages: dict[str, dict]) -> Comparison:
    """Compare all pages with their records.

    `pages` holds what the cells of each page made, `name` the record folder as the reader knows it.
    """
    rows: list[Row] = []
    writes: dict[Path, dict | None] = {}
    numbers: dict[str, dict] = {}
=======
def compare(folder: Path, name: str, pages: dict[str, Page]) -> Comparison:
    """Compare what the cells of all pages made with the records; `name` is the folder as the reader knows it."""
    found = Comparison()
>>>>>>> main
    used = set()
    for page, computed in pages.items():
        found.rows += compare_pages.faults(page, computed)
        if not computed:
            continue
        path = folder / f"{page.removeprefix(Path(name).parent.as_posix() + '/')}.json"
        used.add(path)
        compare_with_file(found, page, computed, path, f"{name}/{path.relative_to(folder).as_posix()}")
    for path in sorted(folder.rglob("*.json")):
        if path not in used:
            file = f"{name}/{path.relative_to(folder).as_posix()}"
            found.rows.append(Row("—", None, file, "a record", "no page with outputs", "gone"))
            found.writes[path] = None
    return found


def compare_with_file(found: Comparison, page: str, computed: Page, path: Path, file: str) -> None:
    """Compare a page with its record, and add what comes of it."""
    count = f"{len(computed.numbers)} numbers, {len(computed.outputs)} outputs"
    if not path.exists():
        found.rows.append(Row(page, None, file, "no such file", count, "new"))
        found.writes[path] = computed
        return
    try:
        recorded = record_files.read(path)
    except record_files.Broken as broken:
        found.rows.append(Row(page, None, f"{file}:{broken.line}", str(broken), count, "broken"))
        found.writes[path] = computed
        return
    rows, kept = compare_pages.compare_page(page, recorded, computed)
    found.rows += rows
    found.numbers[page] = kept.numbers
    if rows:
        found.writes[path] = kept


# ---- the build


def is_set(variable: str) -> bool:
    return os.environ.get(variable, "").lower() not in NO


def refuse_ci(app: Sphinx, config: Config) -> None:
    if is_set(ACCEPT) and is_set("CI"):
        raise Drifted("\nCI is set: a machine may check the records, and only a person accept them: run it yourself.")


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Compare all pages, and end the build where they differ from the records and nobody accepts that."""
    name = app.config.guard_folder.rstrip("/")
    state = cell_outputs.state(env)
    found = compare(Path(app.srcdir, name), name, {page: state.pages[page] for page in sorted(state.pages)})
    if any(row.fault for row in found.rows) or (found.rows and not is_set(ACCEPT)):
        sys.stdout.flush()  # the table is the last of the output
        raise Drifted(report.verdict(found.rows, app.config.guard_command))
    vars(app)["drift_guard"] = found
    state.settled = found.numbers  # from here on the pages quote what is recorded


def accept(app: Sphinx, exception: Exception | None) -> None:
    """Rewrite the records of a build that came to its end."""
    if exception is not None or not is_set(ACCEPT):
        return
    found: Comparison = vars(app)["drift_guard"]
    for path, page in found.writes.items():
        if page is None:
            path.unlink()
        else:
            record_files.write(path, page)
    text = f"\n{report.accepted(found.rows)}\n"
    if not app.emit("guard-accepted", text):
        print(text, flush=True)


def setup(app: Sphinx) -> dict:
    app.setup_extension("drift_guard.cell_outputs")
    app.add_config_value("guard_folder", "recorded", "", [str])
    app.add_config_value("guard_command", f"{ACCEPT}=1 and the same build", "", [str])
    app.add_event("guard-accepted")
    app.connect("config-inited", refuse_ci)
    app.connect("env-updated", check, priority=100)  # before others use the numbers
    app.connect("build-finished", accept, priority=900)  # after every extension that may still end the build
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
