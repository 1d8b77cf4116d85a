"""A state that an earlier version kept with Sphinx's environment is taken, though it lacks what came later."""

import pickle

import pytest

from cited_numbers import numbers_of_record
from drift_guard import cell_outputs
from number_audit import audit


@pytest.mark.parametrize("kind", [numbers_of_record.State, cell_outputs.State, audit.State])
def test_a_field_that_was_not_kept_begins_empty(kind):
    before = kind()
    [first, *others] = vars(before)
    vars(before)[first]["page"] = "kept"
    for name in others:
        delattr(before, name)
    after = pickle.loads(pickle.dumps(before))
    assert vars(after) == {first: {"page": "kept"}, **{name: {} for name in others}}
