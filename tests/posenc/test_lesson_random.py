"""The lesson's stream: ChaCha12 as published, the four printed weights, moments and goodness of fit."""

import numpy as np
import pytest
import scipy.special
from numpy.typing import NDArray

import posenc
from posenc.lesson_random import _chacha_block, _ziggurat

# draft-strombergson-chacha-test-vectors-01, TC1: 256-bit key and IV of zeros, 12 rounds, blocks 0 and 1.
TC1_12 = (
    "9bf49a6a0755f953811fce125f2683d50429c3bb49e074147e0089a52eae155f"
    "0564f879d27ae3c02ce82834acfa8c793a629f2ca0de6919610be82f411326be"
    "0bd58841203e74fe86fc71338ce0173dc628ebb719bdcbcc151585214cc089b4"
    "42258dcda14cf111c602b8971b8cc843e91e46ca905151c02744a6b017e69316"
)
TC1_8 = (
    "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e"
    "984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42"
)
TC1_20 = (
    "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
    "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
)


def as_bytes(words):
    return np.array(words, "<u4").tobytes().hex()


def chacha_on_rows(key, counter, rounds):
    """Another way to the same block: the state as a 4 x 4 matrix, diagonals by rolling its rows."""
    constants = np.frombuffer(b"expand 32-byte k", "<u4")
    state = np.concatenate(
        [constants, np.array(key, "<u4"), np.array([counter & 0xFFFFFFFF, counter >> 32, 0, 0], "<u4")]
    )
    rows: list[NDArray[np.uint32]] = list(state.reshape(4, 4).copy())
    a, b, c, d = rows

    def left(x: NDArray[np.uint32], n: int) -> NDArray[np.uint32]:
        return x << np.uint32(n) | x >> np.uint32(32 - n)

    for i in range(rounds):
        a = a + b
        d = left(d ^ a, 16)
        c = c + d
        b = left(b ^ c, 12)
        a = a + b
        d = left(d ^ a, 8)
        c = c + d
        b = left(b ^ c, 7)
        turn = -1 if i % 2 == 0 else 1  # on to the diagonals, and back
        b, c, d = np.roll(b, turn), np.roll(c, 2 * turn), np.roll(d, 3 * turn)
    return (np.concatenate([a, b, c, d]) + state).tolist()


@pytest.mark.parametrize("rounds, stream", [(8, TC1_8), (12, TC1_12), (20, TC1_20)])
def test_published_vectors(rounds, stream):
    blocks = len(stream) // 128
    assert "".join(as_bytes(_chacha_block([0] * 8, i, rounds)) for i in range(blocks)) == stream
    assert "".join(as_bytes(chacha_on_rows([0] * 8, i, rounds)) for i in range(blocks)) == stream


def test_any_key_and_counter_by_another_way():
    rng = np.random.default_rng(12)
    for counter in (0, 1, 2**32 - 1, 2**32, 2**63 + 5):
        key = rng.integers(0, 2**32, 8).tolist()
        assert _chacha_block(key, counter) == chacha_on_rows(key, counter, 12)


def test_the_ziggurat_has_layers_of_one_area():
    x, f = (np.array(side) for side in _ziggurat())
    assert len(x) == 257 and x[-1] == 0 and f[-1] == 1 and (np.diff(x) < 0).all()
    area = x[1:-1] * np.diff(f[1:])
    assert np.allclose(area, 0.00492867323399, rtol=1e-9)
    tail = x[1] * f[1] + np.sqrt(np.pi / 2) * scipy.special.erfc(x[1] / np.sqrt(2))
    assert tail == pytest.approx(0.00492867323399, rel=1e-9)


def weights_of_row_5(with_positions):
    embedding = posenc.LessonRandom(42).standard_normal((6, 32)) * 0.1
    x = embedding[[0, 1] * 4] * np.sqrt(32)  # words 1 and 2 of six, in turn
    if with_positions:
        x = x + posenc.sinusoidal_encoding(np.arange(1, 9), 32)
    draws = posenc.LessonRandom(7)
    w_q, w_k = draws.standard_normal((32, 32)) * 0.1, draws.standard_normal((32, 32)) * 0.1
    return posenc.attention(x @ w_q, x @ w_k, x, mask=posenc.causal_mask(8))[1][4]


def test_the_lessons_weights_to_their_last_printed_digits():
    same = weights_of_row_5(with_positions=False)[[0, 2, 4]]
    apart = weights_of_row_5(with_positions=True)[[0, 2, 4]]
    assert np.abs(same - 0.21107649686042962).max() <= 2e-16
    assert np.abs(apart - [0.18095986764064959, 0.19700350376113004, 0.25360475109171016]).max() <= 2e-16


def test_a_hundred_thousand_draws_are_standard_normal():
    draws = posenc.LessonRandom(1).standard_normal(100_000)
    assert abs(draws.mean()) < 4 / np.sqrt(1e5)
    assert abs(draws.var() - 1) < 4 * np.sqrt(2 / 1e5)
    standard = (draws - draws.mean()) / draws.std()
    assert abs((standard**3).mean()) < 4 * np.sqrt(6 / 1e5)  # skewness
    assert abs((standard**4).mean() - 3) < 4 * np.sqrt(24 / 1e5)  # excess kurtosis
    share = scipy.special.ndtr(np.sort(draws))  # of a normal distribution that lies below each draw
    steps = np.arange(100_001) / 100_000  # of the draws
    furthest = max((steps[1:] - share).max(), (share - steps[:-1]).max())
    assert scipy.special.kolmogorov(np.sqrt(1e5) * furthest) > 0.001
    # 256 layers can go wrong one by one: a chi-squared test over 500 equally likely cells, tails included.
    cells = np.bincount((share * 500).astype(int), minlength=500)
    assert scipy.special.chdtrc(499, ((cells - 200.0) ** 2 / 200).sum()) > 0.001
    beyond = draws[np.abs(draws) > 3.654152885361008796]  # drawn by the tail's own method, of either sign
    assert (beyond > 0).any() and (beyond < 0).any()
    assert abs(beyond.size - 1e5 * 2 * scipy.special.ndtr(-3.654152885361008796)) < 4 * np.sqrt(25.8)


def test_calls_continue_the_stream_and_fill_by_rows():
    whole = posenc.LessonRandom(3).standard_normal(12)
    parts = posenc.LessonRandom(3)
    assert np.array_equal(parts.standard_normal((2, 3)).reshape(-1), whole[:6])
    assert np.array_equal(parts.standard_normal(()), whole[6])
    assert np.array_equal(parts.standard_normal((5,)), whole[7:])
    assert not np.array_equal(posenc.LessonRandom(4).standard_normal(12), whole)
    assert posenc.LessonRandom(2**64 - 1).standard_normal((2, 0)).shape == (2, 0)


@pytest.mark.parametrize(
    "seed, error",
    [(-1, ValueError), (2**64, ValueError), (1.0, TypeError), (None, TypeError), (True, TypeError), ("42", TypeError)],
)
def test_seeds_out_of_range_are_refused(seed, error):
    with pytest.raises(error, match="seed must be"):
        posenc.LessonRandom(seed)


@pytest.mark.parametrize(
    "shape, error",
    [
        (-1, ValueError),
        ((2, -1), ValueError),
        (2.0, TypeError),
        ("23", TypeError),
        (None, TypeError),
        ((2, True), TypeError),
    ],
)
def test_shapes_that_are_none_are_refused(shape, error):
    with pytest.raises(error, match="shape must be"):
        posenc.LessonRandom(0).standard_normal(shape)


def test_a_shape_too_large_leaves_the_stream_where_it_was():
    draws = posenc.LessonRandom(3)
    for shape in ((1,) * 65, (2**61, 2)):
        with pytest.raises(ValueError):
            draws.standard_normal(shape)
    assert draws.standard_normal(4).tolist() == posenc.LessonRandom(3).standard_normal(4).tolist()
