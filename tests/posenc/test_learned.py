"""Learned tables give what they have, and nothing else."""

import numpy as np
import pytest

import posenc

TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)


def test_rows_by_position():
    assert np.array_equal(posenc.learned_encoding(TABLE, [3, 0, 0]), TABLE[[3, 0, 0]])
    assert posenc.learned_encoding(TABLE, [[1], [2]]).shape == (2, 1, 3)
    assert posenc.learned_encoding(TABLE, 2).shape == (3,)
    assert posenc.learned_encoding(TABLE, []).shape == (0, 3)
    assert posenc.learned_encoding(TABLE, np.array([3], np.uint8)).dtype == np.float32


def test_the_result_is_a_copy():
    out = posenc.learned_encoding(TABLE, np.arange(4))
    out += 1
    assert TABLE[0, 0] == 0


@pytest.mark.parametrize("positions, bad", [(4, 4), (-1, -1), ([0, 1, 9], 9), ([[-4]], -4), (np.uint64(2**63), 2**63)])
def test_positions_that_it_does_not_have(positions, bad):
    with pytest.raises(IndexError, match=f"position {bad} is not in a table of 4 positions, 0 to 3"):
        posenc.learned_encoding(TABLE, positions)


@pytest.mark.parametrize(
    "table, positions, error, name",
    [
        (TABLE, [1.0], TypeError, "positions must be integers"),
        (TABLE, [True], TypeError, "positions must be"),
        (TABLE, "1", TypeError, "positions must be"),
        (TABLE[0], [1], ValueError, "table must have two axes"),
        ([[1j]], [0], TypeError, "table must be"),
        (TABLE, None, TypeError, "positions must be"),
    ],
)
def test_what_does_not_fit_is_refused(table, positions, error, name):
    with pytest.raises(error, match=name):
        posenc.learned_encoding(table, positions)


def test_an_empty_table_has_no_position():
    with pytest.raises(
        IndexError, match=r"position 0 is not in the table, which has no positions: its shape is \(0, 3\)"
    ):
        posenc.learned_encoding(np.empty((0, 3)), [0])
