"""What the executed cells published: the numbers of record of every page, and the place of their cells.

Code cells count from 1 as they stand on their page, and the n-th has the anchor `cell-<n>`.
"""

import csv
import json
from collections import Counter
from functools import cache
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors import EnvironmentCollector

OURS = ("number:", "figure:", "unlisted:", "data:")


def glued(env: BuildEnvironment, page: str) -> dict[str, dict]:
    """Return what the cells of `page` published, by glue name (`number:<id>` and others).

    `cell` in each is the place of its cell on the page, None for a cell that is not on the page.
    """
    return {name: dict(payload) for name, payload in payloads(env).get(page, {}).items()}


def payloads(env: BuildEnvironment) -> dict[str, dict[str, dict]]:
    if not hasattr(env, "cell_payloads"):
        env.cell_payloads = {}
    return env.cell_payloads


def numbers(env: BuildEnvironment) -> dict[str, dict]:
    """Return every number of the book by id, in the order of the pages: what its cell published, and `page`.

    Where the guard found that the value agrees with its record, it is the recorded one: the same on every machine.
    An id that a second page records too gets `again`, a list of these pages.
    """
    found: dict[str, dict] = {}
    for page in sorted(env.found_docs):
        for name, payload in glued(env, page).items():
            if not name.startswith("number:"):
                continue
            payload.update(settled(env).get(page, {}).get(payload["id"], {}))
            if payload["id"] in found:
                found[payload["id"]].setdefault("again", []).append(page)
            else:
                found[payload["id"]] = {**payload, "page": page}
    return found


def settled(env: BuildEnvironment) -> dict[str, dict[str, dict]]:
    """Return the records that the guard found to agree with the computed numbers, by page and id."""
    if not hasattr(env, "cell_settled"):
        env.cell_settled = {}
    return env.cell_settled


def tolerance(entry: dict) -> float:
    """Return the relative tolerance of a value."""
    return float(entry.get("tolerance", 1e-9))


def sources(entry: dict) -> list[str]:
    """Return the rows of `source-numbers.csv` that an entry of `numbers.yml` names."""
    source = entry.get("source", [])
    return source if isinstance(source, list) else [source]


@cache
def source_rows() -> dict[str, dict[str, str]]:
    """Return the rows of `source-numbers.csv` by id."""
    with (Path(__file__).parents[2] / "source-numbers.csv").open(encoding="utf8", newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def repeated_keys(path: Path) -> dict[str, int]:
    """Return the top-level keys that stand in a YAML file more than once, which YAML itself lets pass."""
    root = yaml.compose(path.read_text(encoding="utf8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    counts = Counter(key.value for key, _ in root.value) if root else Counter()
    return {key: count for key, count in counts.items() if count > 1}


def code_cells(doctree: nodes.document) -> list[nodes.container]:
    """Return the code cells of a page in their order."""
    return [node for node in doctree.findall(nodes.container) if node.get("nb_element") == "cell_code"]


class Published(EnvironmentCollector):
    """Give every code cell its anchor, and keep what the cells published with Sphinx's environment."""

    def process_doc(self, app: Sphinx, doctree: nodes.document) -> None:
        places = {}
        for place, cell in enumerate(code_cells(doctree), start=1):
            cell["ids"].append(f"cell-{place}")
            places[cell["exec_count"]] = place
        page = app.env.docname
        payloads(app.env)[page] = found = {}
        if not app.env.nb_metadata.get(page, {}).get("glue"):
            return
        path = Path(app.env.mystnb_config.output_folder, *f"{page}.glue.json".split("/"))
        for name, bundle in json.loads(path.read_text(encoding="utf8")).items():
            if name.startswith(OURS):
                payload = json.loads(bundle["data"]["text/plain"])
                found[name] = {**payload, "cell": places.get(payload.pop("run") or 0)}
            elif bundle["metadata"]["scrapbook"]["mime_prefix"]:  # not displayed, to be shown elsewhere
                found[f"glue:{name}"] = {"cell": None}

    def clear_doc(self, app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        payloads(env).pop(docname, None)

    def merge_other(self, app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
        payloads(env).update({page: payloads(other)[page] for page in docnames})


def setup(app: Sphinx) -> dict:
    app.setup_extension("build_control.freshness")  # the kernels count the runs
    app.add_env_collector(Published)
    return {"version": "1", "env_version": 2, "parallel_read_safe": True, "parallel_write_safe": True}
