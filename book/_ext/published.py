"""What the executed cells published: the numbers of record of every page, read from MyST-NB's glue files."""

import json
from pathlib import Path

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
    """Return every number of the book by id, in the order of the pages: what its cell published, and `page`."""
    found: dict[str, dict] = {}
    for page in sorted(env.found_docs):
        for name, payload in glued(env, page).items():
            if name.startswith("number:"):
                found[payload["id"]] = {**payload, "page": page}
    return found
