"""What the executed cells published: the numbers of record of every page, read from MyST-NB's glue files."""

import csv
import json
from collections import Counter
from functools import cache
from pathlib import Path

import yaml
from sphinx.environment import BuildEnvironment


def glued(env: BuildEnvironment, page: str) -> dict[str, dict]:
    """Return what the cells of `page` published, by glue name: `number:<id>` or `figure:<cell>`."""
    if not env.nb_metadata.get(page, {}).get("glue"):
        return {}
    path = Path(env.mystnb_config.output_folder, *f"{page}.glue.json".split("/"))
    bundles = json.loads(path.read_text(encoding="utf8"))
    return {name: json.loads(bundle["data"]["text/plain"]) for name, bundle in bundles.items()
            if name.startswith(("number:", "figure:"))}


def numbers(env: BuildEnvironment) -> dict[str, dict]:
    """Return every number of the book by id, in the order of the pages: what its cell published, and `page`.

    An id that a second page records too gets `again`, a list of these pages.
    """
    found: dict[str, dict] = {}
    for page in sorted(env.found_docs):
        for name, payload in glued(env, page).items():
            if not name.startswith("number:"):
                continue
            if payload["id"] in found:
                found[payload["id"]].setdefault("again", []).append(page)
            else:
                found[payload["id"]] = {**payload, "page": page}
    return found


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
    with (Path(__file__).parents[1] / "source-numbers.csv").open(encoding="utf8", newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def repeated_keys(path: Path) -> dict[str, int]:
    """Return the top-level keys that stand in a YAML file more than once, which YAML itself lets pass."""
    root = yaml.compose(path.read_text(encoding="utf8"), yaml.SafeLoader)
    counts = Counter(key.value for key, _ in root.value) if root else Counter()
    return {key: count for key, count in counts.items() if count > 1}
