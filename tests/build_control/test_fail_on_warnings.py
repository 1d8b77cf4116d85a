"""Every fault ends a real build with a non-zero exit, each time it is run, named with page and place, last of all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from warm import jupyter_book

EXTENSIONS = Path(__file__).parents[2] / "book" / "_ext"

CONFIG = f"""
title: Toy
only_build_toc_files: true
execute: {{execute_notebooks: cache, raise_on_error: true, stderr_output: warn}}
parse: {{myst_enable_extensions: [dollarmath]}}
sphinx:
  local_extensions:
    build_control: {str(EXTENSIONS)!r}
    site_features.mathml: {str(EXTENSIONS)!r}
  config: {{html_math_renderer: mathml}}
"""
CELLS = "---\njupytext: {text_representation: {extension: .md, format_name: myst}}\nkernelspec: {name: python3}\n---\n"
GOOD = "# Toy\n\nSee [the other page](other.md).\n"


class Toy:
    """A book of two pages in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("_config.yml", CONFIG)
        self.write("_toc.yml", "format: jb-book\nroot: index\nchapters:\n  - file: other\n")
        self.write("index.md", GOOD)
        self.write("other.md", "(label)=\n# Other\n")

    def write(self, name: str, text: str) -> None:
        self.folder.joinpath(name).write_text(text, encoding="utf8")

    def build(self) -> tuple[int, str]:
        """Build as a reader would; return exit status and the output without colours, errors after the rest."""
        done = jupyter_book("build", ".", folder=self.folder)
        return done.returncode, re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)

    def page(self, name: str) -> Path:
        return self.folder / "_build" / "html" / name


@pytest.fixture
def toy(tmp_path):
    return Toy(tmp_path)


def last_words(output: str) -> str:
    return output[output.rindex("The build found faults and ends here") :]


def test_faults_of_reading_end_every_build_before_a_page_is_written(toy):
    toy.write("_toc.yml", "format: jb-book\nroot: index\nchapters:\n  - file: other\n  - file: missing\n")
    toy.write("index.md", "# Toy\n\nAn {nosuchrole}`x`.\n\nA formula $\\nosuchmacro$.\n")
    cell = "```{code-cell} ipython3\nimport warnings\nwarnings.warn('a warning of the cell')\n```\n"
    toy.write("other.md", f"{CELLS}# Other\n\n{cell}")
    for _ in range(2):
        status, output = toy.build()
        assert status == 1
        faults = last_words(output)
        assert "missing" in faults
        assert re.search(r'index\.md:3: .*"nosuchrole"', faults)
        assert re.search(r"index\.md:5: .*\\nosuchmacro", faults)
        assert re.search(r"other\.md:9: stderr was found in the cell outputs", faults)
        assert not toy.page("index.html").exists()
        assert "Traceback" not in output


def test_faults_of_writing_end_every_build_until_they_are_mended(toy):
    toy.write("index.md", "# Toy\n\nSee {ref}`label`.\n")
    status, output = toy.build()
    assert status == 0, output

    toy.write("other.md", "(renamed)=\n# Other\n")
    for _ in range(2):
        status, output = toy.build()
        assert status == 1, "the page with the reference did not change, but it is broken now"
        assert re.search(r"index\.md:3: .*'label'", last_words(output))
        assert "Traceback" not in output

    toy.write("index.md", "# Toy\n\nSee {ref}`renamed`.\n")
    status, output = toy.build()
    assert status == 0, output


def test_a_raising_cell_ends_every_build(toy):
    toy.write("other.md", f"{CELLS}# Other\n\n```{{code-cell}} ipython3\n1 / 0\n```\n")
    for _ in range(2):
        status, output = toy.build()
        assert status == 1
        assert re.search(r"other\.md: .*1 / 0.*ZeroDivisionError", last_words(output), re.DOTALL)
        assert not toy.page("index.html").exists()
