"""Learned tables at another length: as PyTorch does it, and what resampling must leave alone."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from unchecked import unchecked

import posenc

PEER = json.loads((Path(__file__).parent / "data" / "schemes.json").read_text(encoding="utf8"))["resampled"]
CHOICES = [(method, align) for method in ("linear", "cubic") for align in ("cells", "ends")]


@pytest.mark.parametrize("case", PEER["cases"], ids=lambda case: str(list(case.values())[:3]))
def test_grids_as_in_torch(case):
    got = posenc.resample_table(PEER["table"], case["shape"], method=case["method"], align=case["align"])
    assert got.shape == (*case["shape"], 2)
    assert np.abs(got - case["table"]).max() < 1e-14


@pytest.mark.parametrize("method, align", CHOICES)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**31))
def test_constants_stay_and_the_same_length_changes_nothing(method, align, length, size, seed):
    row = np.random.default_rng(seed).standard_normal(3)
    constant = posenc.resample_table(np.tile(row, (length, 1)), size, method=method, align=align)
    assert np.allclose(constant, row, rtol=0, atol=1e-14) and constant.shape == (size, 3)
    table = np.random.default_rng(seed).standard_normal((length, 3))
    assert (posenc.resample_table(table, length, method=method, align=align) == table).all()


@given(st.integers(2, 9), st.integers(1, 20), st.sampled_from(["linear", "cubic"]))
def test_ends_stay_where_they_are(length, size, method):
    table = np.random.default_rng(length).standard_normal((length, 2))
    got = posenc.resample_table(table, size, method=method, align="ends")
    assert (got[0] == table[0]).all()
    if size > 1:
        assert np.allclose(got[-1], table[-1], rtol=0, atol=1e-14)


def test_a_straight_line_stays_one_between_its_ends():
    line = np.arange(5.0)[:, np.newaxis]
    assert np.allclose(posenc.resample_table(line, 17, align="ends")[:, 0], np.linspace(0, 4, 17), atol=1e-14)
    inner = posenc.resample_table(line, 10)[:, 0]
    assert np.allclose(inner, np.clip((np.arange(10) + 0.5) / 2 - 0.5, 0, 4))


def test_axes_are_resampled_each_for_itself():
    table = np.random.default_rng(8).standard_normal((3, 4, 5, 2))
    got = posenc.resample_table(table, (2, 6, 5), method="cubic")
    assert got.shape == (2, 6, 5, 2)
    first = np.stack([posenc.resample_table(table[:, :, k], (2, 6), method="cubic") for k in range(5)], 2)
    assert np.allclose(got, first, rtol=0, atol=1e-14)


def test_dtypes_and_inputs():
    table = np.ones((4, 2), np.float16)
    assert posenc.resample_table(table, 8).dtype == np.float16
    assert posenc.resample_table([[1], [3]], 4)[:, 0].tolist() == [1, 1.5, 2.5, 3]
    same = posenc.resample_table(table, 4)
    assert not np.shares_memory(same, table)
    assert posenc.resample_table(np.ones((4, 0)), 8).shape == (8, 0)
    assert unchecked.resample_table(np.ones((4, 2)), np.int64(3)).shape == (3, 2)


@pytest.mark.parametrize(
    "table, shape, settings, error, words",
    [
        (np.ones(4), 8, {}, ValueError, "table must have shape"),
        (np.ones((0, 2)), 8, {}, ValueError, "table must have shape"),
        (np.ones((4, 2)), 0, {}, ValueError, "shape must be 1 or more"),
        (np.ones((4, 2)), (2, 2), {}, ValueError, "shape must have one length for each of the 1 axes"),
        (np.ones((4, 4, 2)), 2, {}, ValueError, "shape must have one length for each of the 2 axes"),
        (np.ones((4, 2)), 2.0, {}, TypeError, "shape must be an integer"),
        (np.ones((4, 2)), "8", {}, TypeError, "shape must be an integer"),
        (np.full((4, 2), np.nan), 8, {}, ValueError, "table must be finite"),
        (np.ma.ones((4, 2)), 8, {}, TypeError, "masked"),
        (np.full((4, 2), 2**53 + 1), 8, {}, ValueError, "table must be"),
        (np.ones((4, 2)), 8, {"method": "nearest"}, ValueError, "method must be one of"),
        (np.ones((4, 2)), 8, {"align": "corners"}, ValueError, "align must be one of"),
        (np.array([[6e4], [-6e4], [6e4], [6e4]], np.float16), 9, {"method": "cubic"}, ValueError, "range of float16"),
        (np.array([[1.7e308], [-1.7e308], [1.7e308]]), 9, {"method": "cubic"}, ValueError, "range of float64"),
    ],
)
def test_faulty_arguments_are_refused(table, shape, settings, error, words):
    with pytest.raises(error, match=words):
        posenc.resample_table(table, shape, **settings)
