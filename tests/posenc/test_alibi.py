"""ALiBi: slopes for every head count under both conventions, and the bias as view and as array."""

import tracemalloc

import numpy as np
import pytest

import posenc


@pytest.mark.parametrize("heads", [1, 2, 4, 8, 16, 64])
def test_slopes_of_a_power_of_two(heads):
    want = [2 ** (-8 * h / heads) for h in range(1, heads + 1)]
    assert np.allclose(posenc.alibi_slopes(heads), want, rtol=1e-15)
    assert np.array_equal(posenc.alibi_slopes(heads), posenc.alibi_slopes(heads, "paper"))


@pytest.mark.parametrize("heads", range(1, 70))
def test_slopes_of_other_counts(heads):
    """The authors' program: the power of two below, then every other slope of the one above; by its own recursion."""

    def program(n):
        if n & (n - 1) == 0:
            return [2 ** (-8 * h / n) for h in range(1, n + 1)]
        below = 1 << (n.bit_length() - 1)
        return program(below) + program(2 * below)[0::2][: n - below]

    assert np.allclose(posenc.alibi_slopes(heads), program(heads), rtol=1e-15)
    assert np.allclose(np.diff(np.log2(posenc.alibi_slopes(heads, "paper"))), -8 / heads)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize(
    "q, k",
    [
        (np.arange(5), np.arange(5)),
        (np.arange(7, 9), np.arange(9)),
        (np.arange(3), np.arange(-2, 8)),
        ([4], range(5)),
        ([3, 1, 2], [0, 5, 1.5]),
        (np.arange(4) + 0.5, np.arange(4)),
        (np.arange(12) + 0.3758616900655539, np.arange(12) + 0.3758616900655539),
        ([5e-324, 1e-300], [0, 1e-310]),
        (np.arange(4)[::-1], np.arange(4)),
        ([], [1, 2]),
        ([1], []),
        (np.array([0, 127], np.int8), np.array([0, 200], np.uint8)),
    ],
)
def test_the_bias_entry_by_entry(q, k, symmetric, dtype):
    slopes = posenc.alibi_slopes(6)
    with np.errstate(all="raise"):
        bias = posenc.alibi_bias(q, k, 6, symmetric=symmetric, dtype=dtype)
    assert bias.shape == (6, len(q), len(k)) and bias.dtype == dtype and not bias.flags.writeable
    for h in range(6):
        for i, qi in enumerate(q):
            for j, kj in enumerate(k):
                gap = float(qi) - float(kj)
                want = -np.inf if gap < 0 and not symmetric else -slopes[h] * abs(gap)
                with np.errstate(under="ignore"):
                    assert bias[h, i, j] == dtype(want)
                assert bias[h, i, j] != 0 or not np.signbit(bias[h, i, j])


def test_a_causal_bias_is_the_causal_mask_too():
    scores = np.random.default_rng(0).standard_normal((4, 6, 6))
    bias = posenc.alibi_bias(np.arange(6), np.arange(6), 4)
    both = posenc.alibi_bias(np.arange(6), np.arange(6), 4, symmetric=True)
    assert np.array_equal(posenc.softmax(scores + bias), posenc.softmax(scores + both, mask=posenc.causal_mask(6)))


def test_two_runs_of_positions_take_a_row_a_head():
    tracemalloc.start()
    try:
        bias = posenc.alibi_bias(np.arange(2048), np.arange(2048), 32)
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert bias.shape == (32, 2048, 2048)
    assert held < peak < 2e6


def test_distances_beyond_float16_stay_finite():
    bias = posenc.alibi_bias([0, 200_000], [0, 200_000], 2, dtype=np.float16)
    assert np.isfinite(bias[:, 1, 0]).all() and bias[0, 1, 0] == bias[0, 1].min()


@pytest.mark.parametrize(
    "arguments, error, name",
    [
        (([0], [0], 0), ValueError, "num_heads"),
        (([0], [0], -3), ValueError, "num_heads"),
        (([0], [0], 2.0), TypeError, "num_heads"),
        (([0], [0], True), TypeError, "num_heads"),
        (([0], [0], 10**400), ValueError, "num_heads"),
        (([0], [0], 2, "press"), ValueError, "convention"),
        (([0], [0], 2, "code", 1), TypeError, "symmetric"),
        (([[0]], [0], 2), ValueError, "q_positions"),
        (([0], 3, 2), ValueError, "k_positions"),
        (([0], ["a"], 2), TypeError, "k_positions"),
        (([np.nan], [0], 2), ValueError, "q_positions"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, error, name):
    with pytest.raises(error, match=name):
        posenc.alibi_bias(*arguments)
