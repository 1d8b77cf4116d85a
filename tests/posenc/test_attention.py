"""Attention: equivariance, masks, empty rows, overflow, shapes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from unchecked import unchecked

import posenc


def straightforward(q, k, v, mask, bias):
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]) + bias
    e = np.exp(scores - scores.max(-1, keepdims=True))
    if mask is not None:
        e = e * mask
    w = e / e.sum(-1, keepdims=True)
    return w @ v, w


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 6))
def test_without_mask_it_is_permutation_equivariant(seed, n, d):
    rng = np.random.default_rng(seed)
    x, (wq, wk, wv), order = rng.standard_normal((n, d)), rng.standard_normal((3, d, d)), rng.permutation(n)
    layer = lambda x: posenc.attention(x @ wq, x @ wk, x @ wv)[0]  # noqa: E731
    assert np.abs(layer(x[order]) - layer(x)[order]).max() < 1e-12


@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
def test_a_causal_row_sees_its_predecessors_as_a_set(seed, n):
    rng = np.random.default_rng(seed)
    x, order = rng.standard_normal((n, 4)), rng.permutation(n - 1)
    layer = lambda x: posenc.attention(x, x, x, mask=posenc.causal_mask(n))[0]  # noqa: E731
    mixed = np.concatenate([x[order], x[-1:]])
    assert np.abs(layer(mixed)[-1] - layer(x)[-1]).max() < 1e-12
    changed = x.copy()
    changed[-1] += 1
    assert np.array_equal(layer(changed)[:-1], layer(x)[:-1])


def test_agreement_with_the_formula():
    rng = np.random.default_rng(0)
    q, k, v = rng.standard_normal((2, 1, 5, 4)), rng.standard_normal((3, 7, 4)), rng.standard_normal((3, 7, 6))
    mask = posenc.causal_mask(5, 7)
    bias = rng.standard_normal((3, 1, 7))
    for got, want in zip(posenc.attention(q, k, v, mask=mask, bias=bias), straightforward(q, k, v, mask, bias)):
        assert got.shape == want.shape and np.abs(got - want).max() < 1e-14
    assert np.abs(posenc.attention(q, k, v, scale=0)[1] - 1 / 7).max() < 1e-15


@pytest.mark.parametrize("n, m", [(0, 0), (1, 1), (3, 3), (1, 5), (2, 5), (5, 2), (0, 4), (3, 0)])
def test_causal_masks_are_aligned_at_the_end(n, m):
    mask = posenc.causal_mask(n, m)
    assert mask.shape == (n, m) and mask.dtype == bool
    assert all(mask[i, j] == (j - m <= i - n) for i in range(n) for j in range(m))
    assert np.array_equal(posenc.causal_mask(n), posenc.causal_mask(n, n))


def test_decoding_by_steps_gives_the_rows_of_the_whole():
    rng = np.random.default_rng(1)
    q, k, v = rng.standard_normal((3, 2, 6, 4))
    whole = posenc.attention(q, k, v, mask=posenc.causal_mask(6))[0]
    for t in range(6):
        step = posenc.attention(q[:, t : t + 1], k[:, : t + 1], v[:, : t + 1], mask=posenc.causal_mask(1, t + 1))[0]
        assert np.abs(step[:, 0] - whole[:, t]).max() < 1e-14


def test_rows_with_nothing_to_attend_to_are_zero():
    with np.errstate(all="raise"):
        q, k, v = np.ones((3, 4)), np.ones((2, 4)), np.ones((2, 5))
        allowed = posenc.causal_mask(3, 2)
        for out, weights in (
            posenc.attention(q, k, v, mask=allowed),
            posenc.attention(q, k, v, bias=np.where(allowed, 0, -np.inf)),
        ):
            assert (out[0] == 0).all() and (weights[0] == 0).all() and np.allclose(weights[1:].sum(-1), 1)
        assert posenc.softmax([-np.inf, -np.inf]).tolist() == [0, 0]
        assert posenc.softmax([1.0, 2.0], mask=[False, False]).tolist() == [0, 0]


@pytest.mark.parametrize(
    "q, k, v, out",
    [
        ((0, 4), (3, 4), (3, 5), (0, 5)),
        ((2, 4), (0, 4), (0, 5), (2, 5)),
        ((2, 0), (3, 0), (3, 5), (2, 5)),
        ((0, 2, 4), (0, 3, 4), (0, 3, 5), (0, 2, 5)),
        ((2, 4), (3, 4), (3, 0), (2, 0)),
    ],
)
def test_empty_shapes(q, k, v, out):
    result, weights = posenc.attention(np.ones(q), np.ones(k), np.ones(v))
    assert result.shape == out and weights.shape == (*out[:-1], k[-2]) and np.isfinite(result).all()


def test_softmax_axes_masks_and_sums():
    x = np.random.default_rng(2).standard_normal((3, 4, 5))
    for axis in (-3, -2, -1, 0, 1, 2):
        assert np.abs(posenc.softmax(x, axis).sum(axis) - 1).max() < 1e-15
    assert posenc.softmax([3, 3]).tolist() == [0.5, 0.5]
    assert posenc.softmax([np.nan, 1.0, 1.0], mask=[False, True, True]).tolist() == [0, 0.5, 0.5]
    assert posenc.softmax(np.empty((2, 0))).shape == (2, 0)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtypes_and_untouched_inputs(dtype):
    x = np.random.default_rng(3).standard_normal((4, 8)).astype(dtype)
    x.flags.writeable = False
    before = x.copy()
    out, weights = posenc.attention(x, x, x, bias=np.zeros((4, 4)), mask=posenc.causal_mask(4))
    assert out.dtype == weights.dtype == posenc.softmax(x).dtype == dtype and np.array_equal(x, before)


@pytest.mark.parametrize(
    "change, error, name",
    [
        ({"q": np.ones(4)}, ValueError, "q must have at least two axes"),
        ({"q": np.ones((2, 5))}, ValueError, "q and k must have the same width"),
        ({"v": np.ones((2, 4))}, ValueError, "k and v must have the same number"),
        ({"k": np.ones((3, 4)) * np.nan}, ValueError, "k must be finite"),
        ({"q": np.ones((2, 4), complex)}, TypeError, "q must be"),
        ({"v": [["a"]]}, TypeError, "v must be"),
        ({"q": np.ones((2, 2, 4)), "k": np.ones((3, 3, 4))}, ValueError, "leading axes"),
        ({"scale": "1"}, TypeError, "scale must be"),
        ({"scale": np.inf}, ValueError, "scale must be"),
        ({"mask": np.ones((2, 3))}, TypeError, "mask must be boolean"),
        ({"mask": np.ones((3, 2), bool)}, ValueError, "mask must broadcast"),
        ({"bias": np.ones((3, 2))}, ValueError, "bias must broadcast"),
        ({"bias": [[np.nan] * 3]}, ValueError, "bias must not hold NaN"),
        ({"bias": [[np.inf] * 3]}, ValueError, "bias must not hold NaN"),
        ({"bias": posenc.causal_mask(2, 3)}, TypeError, "bias must be"),
        ({"q": np.full((2, 4), 1e300), "k": np.full((3, 4), 1e300)}, ValueError, "small enough"),
        ({"mask": "causal"}, TypeError, "mask must be boolean"),
        (
            {"mask": np.ma.array([True] * 3, mask=[True, False, False])},
            TypeError,
            "mask must be a plain array, got a masked",
        ),
        ({"q": np.ones((2, 4)), "bias": np.full(3, 1.7e308), "scale": 2e307}, ValueError, "bias must be small"),
        ({"k": np.zeros((49, 4)), "v": np.full((49, 1), np.finfo(float).max)}, ValueError, "v must be small"),
        ({"mask": [[True], [True, False]]}, TypeError, "mask must be an array of booleans"),
    ],
)
def test_what_does_not_fit_is_refused(change, error, name):
    with pytest.raises(error, match=name):
        posenc.attention(**({"q": np.ones((2, 4)), "k": np.ones((3, 4)), "v": np.ones((3, 5))} | change))


@pytest.mark.parametrize(
    "arguments, error, name",
    [
        (([1.0, np.nan],), ValueError, "x must not hold"),
        (([np.inf],), ValueError, "x must not hold"),
        ((["a"],), TypeError, "x must be"),
        (([1.0], 1), ValueError, "axis must be from -1 to 0"),
        (([1.0], None), TypeError, "axis must be"),
        ((1.0,), ValueError, "x must have at least one axis"),
        (([1.0], 0, [1]), TypeError, "mask must be boolean"),
        (([True],), TypeError, "x must be"),
    ],
)
def test_softmax_refuses_what_has_no_softmax(arguments, error, name):
    with pytest.raises(error, match=name):
        posenc.softmax(*arguments)


@pytest.mark.parametrize("bad, error", [(-1, ValueError), (2.0, TypeError), (True, TypeError), ("3", TypeError)])
def test_masks_of_no_size_are_refused(bad, error):
    with pytest.raises(error, match="n_queries"):
        posenc.causal_mask(bad)
    with pytest.raises(error, match="n_keys"):
        posenc.causal_mask(3, bad)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_entries_as_far_apart_as_the_dtype_allows(dtype):
    most = np.finfo(dtype).max
    with np.errstate(all="raise"):
        assert posenc.softmax(np.array([most, -most], dtype)).tolist() == [1, 0]


@pytest.mark.parametrize("bias", [-1e300, np.finfo(np.float32).min, np.finfo(np.float64).min])
def test_a_finite_bias_makes_a_key_faint_and_does_not_forbid_it(bias):
    q, k, v = (np.full((2, 4), x, np.float32) for x in (-1e10, 1e20, 1))
    with np.errstate(all="raise"):
        assert posenc.attention(q, k, v, bias=np.array([0, bias]))[1].tolist() == [[1, 0]] * 2
        assert posenc.attention(q, k, v, bias=np.full(2, bias))[1].tolist() == [[0.5, 0.5]] * 2
        assert posenc.attention(q, k, v, bias=np.array([-np.inf, bias]))[1].tolist() == [[0, 1]] * 2


def test_long_sums_in_float32_keep_their_digits_along_every_axis():
    x = np.random.default_rng(6).standard_normal((20_000, 2)).astype(np.float32)
    down = posenc.softmax(x, axis=0)
    assert down.dtype == np.float32 and np.abs(down.sum(axis=0, dtype=float) - 1).max() < 1.5e-7
    assert np.array_equal(down, posenc.softmax(np.ascontiguousarray(x.T), axis=1).T)


def test_a_window_counts_the_query_itself():
    """C24: with a window of 4, query 5 sees the keys 2, 3, 4 and 5."""
    assert np.flatnonzero(posenc.causal_mask(8, window=4)[5]).tolist() == [2, 3, 4, 5]


@given(st.integers(0, 9), st.integers(0, 9), st.one_of(st.integers(1, 12), st.integers(2**62, 2**63 - 1)))
def test_a_window_takes_away_the_keys_too_far_back(n, m, window):
    got = posenc.causal_mask(n, m, window=window)
    assert got.shape == (n, m) and got.dtype == bool
    for i in range(n):
        for j in range(m):
            assert got[i, j] == (0 <= i - j + m - n < window)


def test_faulty_windows_are_refused():
    for window, error in ((0, ValueError), (-1, ValueError), (2.0, TypeError), (True, TypeError), (2**63, ValueError)):
        with pytest.raises(error, match="window must be"):
            unchecked.causal_mask(4, window=window)
    with pytest.raises(TypeError):
        unchecked.causal_mask(4, 4, 2)  # by name alone, since it is no count of rows or columns
