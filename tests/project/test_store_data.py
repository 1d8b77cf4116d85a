"""What a cell stores for an interactive figure is guarded by one number that changes with each of its numbers."""

import pytest

import record

DATA = {"edges": [0, 1, 2], "schemes": [{"name": "t5", "shares": [[0.25, 0.75], None]}]}


@pytest.fixture
def published(monkeypatch):
    """The numbers of record that were published, in their order."""
    numbers = []
    monkeypatch.setattr(record, "record", lambda name, value: numbers.append((name, value)))
    return numbers


def test_every_number_moves_the_number_of_record(published):
    record.store_data("emblem", DATA, "farther-emblem")
    changed = [
        {**DATA, "edges": [0, 1, 3]},
        {**DATA, "edges": [1, 0, 2]},
        {**DATA, "schemes": [{"name": "t5", "shares": [[0.2501, 0.75], None]}]},
    ]
    for data in changed:
        record.store_data("emblem", data, "farther-emblem")
    (name, first), *others = published
    assert name == "farther-emblem"
    assert all(abs(value - first) > 1e-5 for _, value in others)


def test_the_same_data_give_the_same_number(published):
    record.store_data("emblem", DATA, "farther-emblem")
    record.store_data("emblem", DATA, "farther-emblem")
    assert published[0] == published[1]


def test_data_need_a_number_of_record():
    with pytest.raises(KeyError, match="no such id"):
        record.store_data("emblem", DATA, "an-id-that-nobody-wrote")
