"""The guard's folder alone, in another executable book: plain sphinx-build and MyST-NB, and nothing else of this."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from warm import sphinx_build

ROOM = Path(__file__).parents[2] / "book" / "_ext" / "drift_guard"
CONFIGURATION = """
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "tools"))
project = "Another book"
extensions = ["myst_nb", "drift_guard"]
exclude_patterns = ["_build", "tools"]
nb_execution_mode = "force"
nb_execution_raise_on_error = True
"""
HEADER = """---
file_format: mystnb
kernelspec: {name: python3}
---
"""
INDEX = (
    HEADER
    + """
# Another book

```{toctree}
second
```

```{code-cell} python
print("a third of", 6, "is", 6 / 3)
```
"""
)
SECOND = (
    HEADER
    + """
# Second

```{code-cell} python
---
mystnb:
  image: {alt: A line that rises.}
  figure: {caption: A line., name: fig-line}
---
import matplotlib.pyplot as plt

figure, ax = plt.subplots()
ax.plot([0, 1, 4, 9, 16], label="squares")
plt.show()
```
"""
)


class Book:
    def __init__(self, folder: Path):
        self.folder = folder
        shutil.copytree(ROOM, folder / "tools" / "drift_guard", ignore=shutil.ignore_patterns("__pycache__"))
        for name, text in {"conf.py": CONFIGURATION, "index.md": INDEX, "second.md": SECOND}.items():
            (folder / name).write_text(text, encoding="utf8")

    def build(self, as_command: bool = False, **variables: str) -> tuple[int, str]:
        """Return exit status and output; `as_command` starts a new process, in which nothing was imported before."""
        left_out = ("CI", "GUARD_ACCEPT", "PYTHONPATH")
        env = {name: value for name, value in os.environ.items() if name not in left_out} | variables
        arguments = ["-b", "html", ".", "_build/html"]
        if as_command:
            command = [sys.executable, "-m", "sphinx", *arguments]
            done = subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True, encoding="utf8")
        else:
            done = sphinx_build(*arguments, folder=self.folder, env=env)
        return done.returncode, re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)

    def change(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        text = path.read_text(encoding="utf8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf8")


@pytest.fixture
def book(tmp_path) -> Book:
    return Book(tmp_path)


def test_a_drift_fails_another_book_and_accepting_mends_it(book):
    status, output = book.build(as_command=True)
    assert status != 0 and output.count("no such file") == 2, "outputs without a record are a difference too"
    status, output = book.build(GUARD_ACCEPT="1")
    assert status == 0, output
    assert sorted(path.name for path in (book.folder / "recorded").iterdir()) == ["index.json", "second.json"]

    book.change("index.md", "6 / 3", "6 / 4")
    book.change("second.md", "9, 16]", "9, 17]")
    for _ in range(2):
        status, output = book.build()
        assert status != 0
        assert re.search(r"index +1 +text +is 2.0 +is 1.5 +as printed", output), output
        assert re.search(r"second +1 +fig-line: axes 1 Line2D 'squares': y .* max 16 +max 17 ", output), output
    status, output = book.build(GUARD_ACCEPT="1")
    assert status == 0 and "Accepted:" in output, output
    status, output = book.build()
    assert status == 0, output


def test_a_page_that_is_not_read_again_is_compared_all_the_same(book):
    assert book.build(GUARD_ACCEPT="1")[0] == 0
    book.change("recorded/second.json", '"caption": "A line."', '"caption": "A curve."')
    status, output = book.build()
    assert status != 0 and "fig-line: caption" in output, output
