"""A small book with the real extensions, for tests that need a real build."""

import compileall
import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

import yaml
from warm import jupyter_book

ROOT = Path(__file__).parents[1]
HEADER = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---
"""


@functools.cache
def compiled_extensions() -> tempfile.TemporaryDirectory[str]:
    """Return a copy of the project's extensions with their bytecode, which each of a hundred books would make anew."""
    place = tempfile.TemporaryDirectory()
    copy = Path(place.name, "_ext")
    shutil.copytree(ROOT / "book" / "_ext", copy, ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(copy, quiet=2)
    return place


class WrittenBook:
    """Pages and numbers of a test's own in a folder of its own, with the project's extensions and configuration."""

    def __init__(self, folder: Path, pages: dict[str, str], numbers: str, extensions: list[str]):
        self.folder = folder
        side_by_side = "build_control.execute_pages", "build_control.write_pages"  # whose kernels do not meet
        extensions = list(dict.fromkeys([*extensions, *side_by_side]))
        self.extensions = extensions
        book = folder / "book"
        shutil.copytree(Path(compiled_extensions().name, "_ext"), book / "_ext")  # the times of files stay
        for name in "record.py", "source-numbers.csv":
            shutil.copy(ROOT / "book" / name, book / name)
        (folder / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n', encoding="utf8")
        self.write("numbers.yml", numbers)
        for name, text in pages.items():
            self.write(f"{name}.md", text)
        config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf8"))
        sphinx = config["sphinx"]
        sphinx["local_extensions"] = {name: "book/_ext" for name in extensions}
        sphinx["extra_extensions"] = ["sphinx_exercise"]
        config["html"].pop("favicon", None)
        # A value for an extension that is not there is a warning.
        absent = ["autodoc_", "codeautolink_", *(["guard_"] if "drift_guard.guard" not in extensions else [])]
        if "number_audit.audit" not in extensions:
            del config["bibtex_bibfiles"]
            absent.append("bibtex_")
        sphinx["config"] = {key: value for key, value in sphinx["config"].items() if not key.startswith(tuple(absent))}
        if "site_features.mathml" not in extensions:  # formulas stay TeX
            del sphinx["config"]["html_math_renderer"]
        (folder / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf8")
        first, *others = pages
        toc: dict[str, object] = {"format": "jb-book", "root": f"book/{first}"}
        if others:
            toc["chapters"] = [{"file": f"book/{name}"} for name in others]
        (folder / "_toc.yml").write_text(yaml.safe_dump(toc), encoding="utf8")

    def write(self, name: str, text: str) -> None:
        (self.folder / "book" / name).write_text(text, encoding="utf8")

    def html(self, page: str) -> str:
        return (self.folder / "_build" / "html" / "book" / f"{page}.html").read_text(encoding="utf8")


class ToyBook(WrittenBook):
    """A written book that is built as it stands."""

    def build(self) -> subprocess.CompletedProcess[str]:
        return jupyter_book("build", ".", folder=self.folder)
