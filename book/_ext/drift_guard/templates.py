"""Fill in the templates of Jinja that lie beside the modules, so that markup stands in files of its own."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template


@cache
def template(path: Path) -> Template:
    """Return a template, which escapes whatever is filled in unless it is marked as safe."""
    environment = Environment(
        loader=FileSystemLoader(path.parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(path.name)
