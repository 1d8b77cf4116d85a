"""Let nothing published drift: when all pages are read, and before one is written, compare what the cells made with the
committed record, and end the build with one table of all differences.

`guard_folder` is the folder of the records, one JSON file a page. With GUARD_ACCEPT=1 in the environment the build
rewrites them where they differ, and prints the same table: `make record`. It never does so where CI is set.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors import EnvironmentCollector
from sphinx.errors import SphinxError

from drift_guard import compare_pages, published
from drift_guard.compare_pages import Row

ACCEPT = "GUARD_ACCEPT"
KINDS = {
    "application/javascript": "script",
    "text/html": "html",
    "text/markdown": "markdown",
    "text/latex": "latex",
    "text/plain": "text",
}  # best first, as MyST-NB chooses
COLUMNS = ["page", "cell", "what", "recorded", "computed", "tolerance"]


class Drifted(SphinxError):
    """Sphinx prints the category, then the message."""

    category = "What the cells made is not what is recorded, and the build ends here"


# ---- what the cells made


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
    used = set()
    for page, computed in pages.items():
        path = folder / f"{page.removeprefix(Path(name).parent.as_posix() + '/')}.json"
        rows += compare_pages.faults(page, computed)
        if not (computed["numbers"] or computed["outputs"]):
            continue
        used.add(path)
        file = f"{name}/{path.relative_to(folder).as_posix()}"
        count = f"{len(computed['numbers'])} numbers, {len(computed['outputs'])} outputs"
        if not path.exists():
            rows.append(Row(page, None, file, "no such file", count, "new"))
            writes[path] = compare_pages.page_record(computed)
            continue
        try:
            recorded = read_record(path)
            apart, record = compare_pages.compare_page(page, recorded, computed)
        except Broken as broken:
            rows.append(Row(page, None, f"{file}:{broken.line}", str(broken), count, "broken"))
            writes[path] = compare_pages.page_record(computed)
            continue
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            rows.append(Row(page, None, f"{file}:1", "not of the form that records have", count, "broken"))
            writes[path] = compare_pages.page_record(computed)
            continue
        rows += apart
        numbers[page] = record["numbers"]
        if apart:
            writes[path] = record
    for path in sorted(folder.rglob("*.json")):
        if path not in used:
            file = f"{name}/{path.relative_to(folder).as_posix()}"
            rows.append(Row("—", None, file, "a record", "no page with outputs", "gone"))
            writes[path] = None
    return Comparison(rows, writes, numbers)


def table(rows: list[Row]) -> str:
    """Return the rows as lines of text under a head."""
    lines = [
        COLUMNS,
        *(
            [row.page, "—" if row.cell is None else str(row.cell), row.what, row.recorded, row.computed, row.tolerance]
            for row in rows
        ),
    ]
    lines = [[" ".join(str(text).split()) for text in line] for line in lines]
    widths = [max(len(line[n]) for line in lines) for n in range(len(COLUMNS))]
    lines.insert(1, ["─" * width for width in widths])
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines)


def verdict(rows: list[Row], command: str) -> str:
    """Return the table and what to do."""
    faults = sum(row.fault for row in rows)
    drifted = len(rows) - faults
    ends = []
    if faults:
        ends.append(f"{counted(faults, 'fault')} that no record can accept (the last column says why): mend the page.")
    if drifted:
        ends.append(
            f"{counted(drifted, 'difference')}: mend the cause, or accept {'it' if drifted == 1 else 'them'} "
            f"with:  {command}"
        )
    return f"\n{table(rows)}\n\n" + "\n".join(ends)


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def accepting() -> bool:
    return os.environ.get(ACCEPT, "") not in ("", "0")


def refuse_ci(app: Sphinx, config: Config) -> None:
    if accepting() and os.environ.get("CI", "").lower() not in ("", "0", "false"):
        fail("\nCI is set: a machine may check the records, and only a person accept them: run it yourself.")


def fail(message: str) -> None:
    """End the build with this message as its last output: Jupyter Book would add a traceback."""
    sys.stdout.flush()
    sys.excepthook = lambda *_: None
    raise Drifted(message)


def check(app: Sphinx, env: BuildEnvironment) -> None:
    name = app.config.guard_folder.rstrip("/")
    folder = Path(app.srcdir, name)
    pages = {page: computed_page(env, page) for page in sorted(env.found_docs)}
    app.guard_found = rows, _, numbers = compare(folder, name, pages)
    if any(row.fault for row in rows) or (rows and not accepting()):
        fail(verdict(rows, app.config.guard_command))
    env.cell_settled = numbers  # from here on the pages quote what is recorded


def accept(app: Sphinx, exception: Exception | None) -> None:
    """Rewrite the records of a build that came to its end."""
    if exception is not None or not accepting():
        return
    rows, writes, _ = app.guard_found
    for path, record in writes.items():
        if record is None:
            path.unlink()
        else:
            write(path, record)
    told = f"Accepted:\n\n{table(rows)}" if rows else "The records hold what the cells make: nothing to accept."
    atexit.register(print, f"\n{told}\n", flush=True)  # after what Jupyter Book says of a good build


def setup(app: Sphinx) -> dict:
    app.setup_extension("drift_guard.published")
    app.add_config_value("guard_folder", "recorded", "", [str])
    app.add_config_value("guard_command", "make record", "", [str])
    app.add_env_collector(Outputs)
    app.connect("config-inited", refuse_ci)
    app.connect("env-updated", check, priority=100)  # before others use the numbers
    app.connect("build-finished", accept, priority=900)  # after every extension that may still end the build
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
