"""A page with a cell for each kind of change that a reader sees, in real builds: each is named, twice."""

import re
import shutil

import planted
import pytest
from machines import variations, varies
from test_guard import FIRST, Guarded, outcome
from test_guard import PACKAGE as NUMBERS_PACKAGE
from toy_book import HEADER

CELL = """
```{code-cell} ipython3
:mystnb:
:  image: {alt: "A wave and a picture."}
:  figure: {caption: "A wave.", name: planted-%d}
import matplotlib.pyplot as plt
from toy import drawn
drawn(%r)
plt.show()
```
"""
DISPLAYED = {
    "bold": ("ten apples", "ten **apples**"),
    "slanted": ("ten apples", "ten *apples*"),
    "a link": ("[ten apples](https://example.org/a)", "[ten apples](https://example.org/b)"),
    "the number of an item": ("3. apples", "4. apples"),
    "a list without numbers": ("1. apples", "- apples"),
    "a head row as a body row": ("| a |\n|---|\n| b |", "|  |\n|---|\n| a |\n| b |"),
}
SHOWN = """
```{code-cell} ipython3
from IPython.display import Markdown
from toy import shown
Markdown(shown(%r))
```
"""
PACKAGE = """{numbers}
from toy.planted import CHANGES, draw
DISPLAYED = {displayed!r}
def drawn(name):
    return draw(CHANGES[name], {changed})
def shown(name):
    return DISPLAYED[name][{changed:d}]
"""


class Planted(Guarded):
    """A book with a page of its own for the kinds, and a second page, without a change, with numbers of record."""

    def plant(self, changed: bool) -> None:
        self.set_package(PACKAGE.format(numbers=NUMBERS_PACKAGE, displayed=DISPLAYED, changed=changed))


@pytest.fixture(scope="module")
def toy(tmp_path_factory) -> Planted:
    book = Planted(tmp_path_factory.mktemp("planted") / "toy", "")
    shutil.copy(planted.__file__, book.folder / "toy" / "planted.py")
    book.plant(changed=False)
    cells = [CELL % (place, name) for place, name in enumerate(planted.CHANGES, start=1)]
    book.write("first.md", "".join([HEADER, "\n# All kinds\n", *cells, *(SHOWN % name for name in DISPLAYED)]))
    book.write("second.md", FIRST.replace("# First", "# Second"))
    status, output = book.build(GUARD_ACCEPT="1")
    assert status == 0, output
    return book


def test_the_unchanged_pages_pass_on_other_machines(toy):
    for name, changed in variations().items():
        assert varies(changed), name
        status, output = outcome(toy.start(FRESH_ANEW="1", **changed))
        assert status == 0, f"{name}: {output}"


def test_every_change_is_named_twice(toy):
    toy.plant(changed=True)
    try:
        for _ in range(2):
            status, output = toy.build()
            assert status == 1
            cells = set(re.findall(r"^book/first +(\d+) ", output, re.MULTILINE))
            kinds = [*planted.CHANGES, *DISPLAYED]
            missed = [kind for place, kind in enumerate(kinds, start=1) if str(place) not in cells]
            assert not missed, output
            assert "_build/drift/index.html" in output
            page = (toy.folder / "_build" / "drift" / "index.html").read_text(encoding="utf8")
            assert all(f"planted-{place}<" in page for place in range(1, len(planted.CHANGES) + 1))
    finally:
        toy.plant(changed=False)
    status, output = toy.build()
    assert status == 0, output
    assert not (toy.folder / "_build" / "drift").exists(), "a build without drift leaves no page about one"
