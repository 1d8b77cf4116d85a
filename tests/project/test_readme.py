"""The README's examples print what the README says, and its commands and files exist."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

from matching import matched

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf8")


def test_the_example_prints_what_the_readme_says():
    results = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert results.attempted >= 6 and results.failed == 0


def test_the_program_for_a_models_settings_runs_as_written():
    program, shown = matched(r"```python\n(import.+?)```\n\n```text\n(.+?)```", README, re.DOTALL).groups()
    assert len(program.splitlines()) <= 12  # ten lines and what NumPy and posenc are called
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == shown


def test_every_command_is_a_target_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf8")
    targets = set(re.findall(r"^([a-z][a-z0-9-]*):", makefile, re.MULTILINE))
    commands = set(re.findall(r"\bmake ([a-z0-9-]+)", README))
    assert {"book", "test"} <= commands <= targets


def test_chapters_are_named_by_their_titles():
    titles = {
        line.removeprefix("# ")
        for page in (ROOT / "book").glob("*.md")
        for line in page.read_text(encoding="utf8").splitlines()
        if line.startswith("# ")
    }
    table = README.split("## How to read it")[1].split("## How to cite")[0]
    named = re.findall(r'"(.+?)"', table)
    assert len(named) == 10 and set(named) <= titles


def test_the_number_it_links_to_is_one_of_the_book():
    numbers = (ROOT / "book" / "numbers.yml").read_text(encoding="utf8")
    for name in re.findall(r"numbers\.html#([a-z0-9-]+)", README):
        assert re.search(rf"^{name}:", numbers, re.MULTILINE), name
