"""Tell in digests what pages can show of one another: titles, labels, numbers of figures, and all else that Sphinx's
environment holds, but for what is known to concern one page alone or all pages that an extension names itself."""

import hashlib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from docutils import nodes
from sphinx.environment import BuildEnvironment

# Of a page alone, or of a build.
OF_A_PAGE = {"all_docs", "dependencies", "included", "images", "original_image_uri", "toc_num_entries", "temp_data",
             "sphinx_exercise_gated_registry"}  # fmt: skip
OF_A_BUILD = {"app", "doctreedir", "srcdir", "config", "config_status", "config_status_extra", "events", "project",
              "version", "domains", "settings", "ref_context", "mystnb_config", "myst_config", "nb_new_exec_data",
              "sphinx_codeautolink_transforms"}  # fmt: skip
# Kept by extensions that return the pages to write from their own hooks on env-updated.
NAMED = {"cited_numbers.", "number_audit.", "build_control.", "site_features.figure_downloads."}
LINES = {"line", "lineno"}  # which no page shows


def digests(env: BuildEnvironment) -> dict[str, str]:
    """Return a digest for each part of the environment."""
    return {name: hashlib.sha256(text(part).encode()).hexdigest() for name, part in parts(env)}


def parts(env: BuildEnvironment) -> Iterator[tuple[str, Any]]:
    for name, part in vars(env).items():
        if name == "domaindata":
            yield from (
                (f"domain {domain}", of_bibliography(data) if domain == "cite" else data)
                for domain, data in part.items()
            )
        elif name == "metadata":
            yield name, {page: of_head(data) for page, data in part.items()}
        elif name == "nb_metadata":  # which has times, too
            yield name, {page: sorted(data) for page, data in part.items()}
        elif name == "sphinx_exercise_registry":
            yield name, {label: of_exercise(entry) for label, entry in part.items()}
        elif name == "drift_guard.cell_outputs.State":
            yield name, {page: made.data for page, made in part.pages.items() if made.data}
        elif name not in OF_A_PAGE | OF_A_BUILD and not name.startswith(("_", *NAMED)):
            yield name, part


def of_head(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of a page without the number of its words and the lines of its headings."""
    known = {name: value for name, value in metadata.items() if name != "wordcount"}
    slugs = {name: place[1:] for name, place in metadata.get("myst_slugs", {}).items()}
    return {**known, "myst_slugs": slugs}


def of_bibliography(data: dict[str, Any]) -> dict[str, Any]:
    """Return who cites what, in whatever order pages were read, and where it is listed; the works are in a file."""
    return {"citation_refs": set(map(text, data["citation_refs"])), "bibliographies": data["bibliographies"]}


def of_exercise(entry: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of an exercise without its text: its title, and what begins its node."""
    node = entry["node"]
    return {**entry, "node": [node.starttag(), *node.children[:1]]}


def text(thing: Any) -> str:
    """Return a text that is the same for things that say the same, in whatever order mappings and sets hold them."""
    if isinstance(thing, nodes.Node):
        return thing.pformat()
    if isinstance(thing, str | int | float | bytes | None):
        return repr(thing)
    if isinstance(thing, dict):
        return in_braces(f"{text(key)}: {text(value)}" for key, value in thing.items() if key not in LINES)
    if isinstance(thing, set | frozenset):
        return in_braces(map(text, thing))
    if as_dict := getattr(thing, "_asdict", None):  # a tuple with names
        return text(as_dict())
    if isinstance(thing, list | tuple):
        return f"[{', '.join(map(text, thing))}]"
    if is_dataclass(thing):
        return text({field.name: getattr(thing, field.name) for field in fields(thing)})
    return f"{type(thing).__name__} {text(vars(thing)) if hasattr(thing, '__dict__') else repr(thing)}"


def in_braces(items: Iterator[str]) -> str:
    return f"{{{', '.join(sorted(items))}}}"
