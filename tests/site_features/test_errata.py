"""Errata are entries on one page and marks in the chapters, linked both ways, in a small real build."""

import re

import pytest
from matching import matched
from toy_book import HEADER, ToyBook

EXTENSIONS = [
    "build_control",
    "drift_guard.cell_outputs",
    "cited_numbers.num_role",
    "site_features.errata",
    "site_features.exercise_bodies",
]
ENTRY = """
```{{erratum}} {number}
:source: 000
Said, computed, and {text}.
```
"""


def toy(folder, one="True here {erratum}`E10`, and there {erratum}`E9`.", entries=("E9", "E10")):
    pages = {
        "one": HEADER + f"# One\n\n(here)=\n## Here\n{one}\n\n```{{exercise}} Try\n:label: try\nIt.\n```\n",
        "two": "# Two\n\nAgain {erratum}`E10`.\n",
        "all": "# Errata\n" + "".join(ENTRY.format(number=number, text="[a link](#here)") for number in entries),
    }
    return ToyBook(folder, pages, "{}", EXTENSIONS)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    book = toy(tmp_path_factory.mktemp("errata"))
    result = book.build()
    assert result.returncode == 0, result.stdout + result.stderr
    return book


def test_a_mark_leads_to_its_entry(book):
    assert 'href="all.html#erratum-e10"' in book.html("one") and 'href="all.html#erratum-e9"' in book.html("one")
    assert 'href="all.html#erratum-e10"' in book.html("two")


def test_an_entry_leads_to_every_paragraph_that_bears_its_mark(book):
    entry = matched(r'id="erratum-e10".*?</aside>', book.html("all"), re.DOTALL)[0]
    links = re.findall(r'href="(one|two)\.html#(see-e10-\d+)"', entry)
    assert [page for page, _ in links] == ["one", "two"]
    assert all(f'id="{label}"' in book.html(page) for page, label in links)
    assert 'href="one.html#here"' in entry


def test_no_id_occurs_twice_on_a_page(book):
    article = book.html("one").split("<article", 1)[1].split("</article>", 1)[0]
    ids = re.findall(r'\bid="([^"]+)"', article)
    assert "try" in ids and len(ids) == len(set(ids))


@pytest.mark.parametrize(
    "change, message",
    [
        ({"one": "No mark of the ninth."}, "no page has the mark {erratum}`E9`"),
        ({"entries": ("E9",)}, "{erratum}`E10` has no entry"),
        ({"entries": ("E9", "E10", "E9")}, "erratum E9 stands on book/all and on book/all"),
        ({"one": "Wrong {erratum}`ten`, {erratum}`E9`."}, "an erratum is named E1, E2"),
    ],
)
def test_a_fault_ends_the_build(tmp_path, change, message):
    result = toy(tmp_path, **change).build()
    assert result.returncode != 0
    assert message in result.stdout + result.stderr
