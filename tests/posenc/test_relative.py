"""T5's buckets, their bias, and xPos: as other programs have them, and what must hold whatever the numbers."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from unchecked import unchecked

import posenc

PEER = json.loads((Path(__file__).parent / "data" / "schemes.json").read_text(encoding="utf8"))


def test_bucket_by_bucket():
    """C23: relative means key minus query, so that a key before the query is at -1."""
    assert posenc.t5_buckets([-1, 1], bidirectional=True).tolist() == [1, 17]
    assert posenc.t5_buckets([-1, 1], bidirectional=False).tolist() == [1, 0]


@pytest.mark.parametrize("case", PEER["t5"]["cases"], ids=lambda case: str(list(case.values())[:3]))
def test_buckets_as_in_transformers(case):
    got = posenc.t5_buckets(
        PEER["t5"]["relative"],
        bidirectional=case["bidirectional"],
        num_buckets=case["num_buckets"],
        max_distance=case["max_distance"],
    )
    assert got.tolist() == case["buckets"] and got.dtype == np.int64


@given(st.integers(2, 60), st.integers(1, 5000), st.booleans(), st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_buckets_are_those_of_the_formula_in_whole_numbers(half, more, bidirectional, offsets):
    number, side = (2 * half, half) if bidirectional else (half, half)
    exact = side // 2
    farthest = exact + more
    got = posenc.t5_buckets(offsets, bidirectional=bidirectional, num_buckets=number, max_distance=farthest)
    for offset, bucket in zip(offsets, got.tolist()):
        r = abs(offset) if bidirectional else max(-offset, 0)
        want = r
        if r >= exact:
            r = min(r, farthest)
            steps = side - exact
            k = 0  # the largest k with (r/e)**steps >= (farthest/e)**k
            while k < steps and Fraction(r, exact) ** steps >= Fraction(farthest, exact) ** (k + 1):
                k += 1
            want = min(side - 1, exact + k)
        assert bucket == want + side * (bidirectional and offset > 0)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint64, np.int64])
def test_buckets_of_the_ends_of_every_dtype(dtype):
    limits = np.iinfo(dtype)
    ends = np.array([limits.min, limits.max], dtype)
    got = posenc.t5_buckets(ends, bidirectional=True, num_buckets=32, max_distance=1000)
    want = posenc.t5_buckets([max(limits.min, -5000), min(limits.max, 5000)], bidirectional=True, max_distance=1000)
    assert got.tolist() == want.tolist()
    assert (ends == [limits.min, limits.max]).all()


def test_buckets_keep_shapes():
    assert posenc.t5_buckets([], bidirectional=True).shape == (0,)
    assert posenc.t5_buckets(3, bidirectional=True).shape == ()
    assert posenc.t5_buckets(np.zeros((2, 3, 4), int), bidirectional=False).shape == (2, 3, 4)


@pytest.mark.parametrize(
    "relative, settings, error, words",
    [
        ([0.5], {}, TypeError, "relative must be integers"),
        ([True], {}, TypeError, "relative must be"),
        (np.ma.array([1], mask=[True]), {}, TypeError, "masked"),
        ([2**70], {}, (TypeError, ValueError), "relative must be"),
        ([1], {"bidirectional": 1}, TypeError, "bidirectional must be True or False"),
        ([1], {"num_buckets": 33}, ValueError, "num_buckets must be even"),
        ([1], {"num_buckets": 2}, ValueError, "num_buckets must be 4 or more"),
        ([1], {"bidirectional": False, "num_buckets": 1}, ValueError, "num_buckets must be 2 or more"),
        ([1], {"num_buckets": 2**20}, ValueError, "num_buckets must be at most"),
        ([1], {"max_distance": 8}, ValueError, "max_distance must be above the 8 distances"),
        ([1], {"max_distance": 128.0}, TypeError, "max_distance must be an integer"),
    ],
)
def test_faulty_arguments_of_buckets_are_refused(relative, settings, error, words):
    with pytest.raises(error, match=words):
        posenc.t5_buckets(relative, **{"bidirectional": True, **settings})


def test_the_bias_looks_up_the_bucket_of_each_key_and_query():
    table = np.arange(64.0).reshape(32, 2)
    q, k = [5, 2], [0, 2, 5, 400]
    got = posenc.relative_bias(q, k, table, bidirectional=True)
    assert got.shape == (2, 2, 4)
    for i, m in enumerate(q):
        for j, n in enumerate(k):
            bucket = int(posenc.t5_buckets(n - m, bidirectional=True))
            assert got[:, i, j].tolist() == table[bucket].tolist()
    narrow = posenc.relative_bias(q, k, table.astype(np.float32), bidirectional=True)
    assert narrow.dtype == np.float32 and (narrow == got).all()
    assert posenc.relative_bias([], k, table, bidirectional=False).shape == (2, 0, 4)


def test_the_bias_depends_on_offsets_alone_however_far():
    table = np.random.default_rng(1).standard_normal((32, 3))
    near = posenc.relative_bias(range(40), range(40), table, bidirectional=True)
    far = posenc.relative_bias(
        np.arange(40) + 2**53 - 50, np.arange(40) + 2**53 - 50, table, bidirectional=True
    )  # fmt: skip
    assert (near == far).all()


def test_faulty_arguments_of_the_bias_are_refused():
    table = np.zeros((32, 2))
    cases = [
        (([0.5], [1], table), TypeError, "q_positions must be integers"),
        (([1], [[1]], table), ValueError, "k_positions must be one-dimensional"),
        (([2**53 + 1], [1], table), ValueError, "q_positions must be finite and at most"),
        (([1], [1], table[0]), ValueError, "table must have two axes"),
        (([1], [1], table * np.nan), ValueError, "table must be finite"),
        (([1], [1], np.full((32, 2), 2**53 + 1)), ValueError, "table must be"),
        (([1], [1], np.ma.array(table)), TypeError, "masked"),
    ]
    for arguments, error, words in cases:
        with pytest.raises(error, match=words):
            posenc.relative_bias(*arguments, bidirectional=True)


def test_xpos_as_in_rotary_embedding_torch():
    peer = np.array(PEER["xpos"]["scales"])[:, ::2]  # the program says each number twice
    assert np.allclose(posenc.xpos_scales(PEER["xpos"]["positions"], 8), peer, rtol=1e-6)  # it works in float32


@given(st.integers(-2000, 2000), st.integers(-2000, 2000), st.integers(0, 2000))
def test_xpos_scores_depend_on_the_offset_alone(m, n, shift):
    def product(m, n):
        return posenc.xpos_scales(m, 16) * posenc.xpos_scales(n, 16, keys=True)

    assert np.allclose(product(m, n), product(m + shift, n + shift), rtol=1e-12, atol=0)
    assert m < n or (product(m, n) <= 1 + 1e-12).all()


def test_xpos_scores_of_rotated_queries_and_keys():
    rng = np.random.default_rng(2)
    q, k = rng.standard_normal((2, 8))

    def score(m, n, layout):
        spread = (lambda s: np.repeat(s, 2)) if layout == "interleaved" else (lambda s: np.concatenate([s, s]))
        turned_q = posenc.apply_rotary(q, m, layout=layout) * spread(posenc.xpos_scales(m, 8))
        turned_k = posenc.apply_rotary(k, n, layout=layout) * spread(posenc.xpos_scales(n, 8, keys=True))
        return turned_q @ turned_k

    for layout in ("interleaved", "half"):
        assert score(90, 80, layout) == pytest.approx(score(10, 0, layout), rel=1e-12)


def test_faulty_arguments_of_xpos_are_refused():
    with pytest.raises(ValueError, match="count them from the middle"):
        posenc.xpos_scales([10**6], 8)
    with pytest.raises(ValueError, match="count them from the middle"):
        posenc.xpos_scales([10**6], 8, keys=True)
    for settings, words in (({"gamma": 0}, "gamma"), ({"scale_base": -1}, "scale_base"), ({"keys": 1}, "keys")):
        with pytest.raises((TypeError, ValueError), match=f"{words} must be"):
            unchecked.xpos_scales([1], 8, **settings)
    assert posenc.xpos_scales([], 8).shape == (0, 4)
