"""Erratum boxes are copied to the errata page with links that lead from there, in a small real build."""

import re

import pytest
from toy_book import HEADER, ToyBook

EXTENSIONS = ["build_control.fail_on_warnings", "build_control.freshness", "drift_guard.published", "cited_numbers.num_role", "site_features.errata", "site_features.exercise_bodies"]
BOX = """
```{{erratum}} {number}
:source: 000
Said, computed, and {text}.
```
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    pages = {
        "one": HEADER + "# One\n\n(here)=\n## Here\n" + BOX.format(number="E10", text="[a link](#here)")
        + "\n```{exercise} Try\n:label: try\nIt.\n```\n\n```{exercise} Again\n:label: again\nIt.\n```\n",
        "two": HEADER + "# Two\n" + BOX.format(number="E9", text="{ref}`another <try>`"),
        "all": "# Errata\n\n```{errata}\n```\n",
    }
    book = ToyBook(tmp_path_factory.mktemp("errata"), pages, "{}", EXTENSIONS)
    result = book.build()
    assert result.returncode == 0, result.stdout + result.stderr
    return book


def test_the_page_has_all_boxes_in_the_order_of_their_numbers(book):
    assert re.findall(r'id="all-erratum-(e\d+)"', book.html("all")) == ["e9", "e10"]


def test_links_of_a_copy_lead_to_the_page_that_the_box_stands_on(book):
    copies = book.html("all")
    assert 'href="one.html#here"' in copies and 'href="one.html#try"' in copies
    assert 'href="one.html#erratum-e10"' in copies and 'href="two.html#erratum-e9"' in copies


def test_no_id_occurs_twice_on_a_page_with_exercises(book):
    article = book.html("one").split("<article", 1)[1].split("</article>", 1)[0]
    ids = re.findall(r'\bid="([^"]+)"', article)
    assert {"erratum-e10", "try", "again"} <= set(ids) and len(ids) == len(set(ids))
