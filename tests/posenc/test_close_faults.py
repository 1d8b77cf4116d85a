"""Faults found by trying what lies close to what works: rounding before a check, masks in lists, underflow, messages.

data/close_faults.json holds the right values and words, one entry per fault, C01 to C10.
"""

import copy
import json
import pickle
import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from unchecked import unchecked

import posenc

FAULTS = json.loads((Path(__file__).parent / "data" / "close_faults.json").read_text(encoding="utf8"))
LONG = np.finfo(np.longdouble).nmant > 52  # on some machines a longdouble is a float64
long_only = pytest.mark.skipif(not LONG, reason="a longdouble is a float64 here")
PLACES = {
    "sinusoidal_encoding": lambda p: posenc.sinusoidal_encoding(p, 2),
    "phasors": lambda p: posenc.phasors(p, 2),
    "similarity": lambda p: posenc.similarity(p, 2),
    "distance": lambda p: posenc.distance(p, 2),
    "shift_matrix": lambda p: posenc.shift_matrix(p, 2),
    "rotary_matrix": lambda p: posenc.rotary_matrix(p, 2),
    "apply_rotary": lambda p: posenc.apply_rotary(np.ones((2, 2)), p),
    "alibi_bias, queries": lambda p: posenc.alibi_bias(np.atleast_1d(p) if isinstance(p, np.generic) else p, [0], 1),
    "alibi_bias, keys": lambda p: posenc.alibi_bias([0], np.atleast_1d(p) if isinstance(p, np.generic) else p, 1),
}
places = pytest.mark.parametrize("call", PLACES.values(), ids=PLACES)


def said_of(function: Callable[..., object]) -> str:
    """Return what a function's docstring says, as one line."""
    return " ".join((function.__doc__ or "").split())


# ---- C01: a position is checked as it came


@places
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "make",
    [
        lambda n: [n],
        lambda n: [n, 0.5],
        lambda n: (0.5, n),
        lambda n: [np.int64(n), np.float32(0.5)],
        lambda n: [np.array(n), np.array(0.5)],
        lambda n: [np.uint64(abs(n)), np.int64(-1)] if n > 0 else [np.int64(n), np.uint64(1)],
        pytest.param(lambda n: np.longdouble(n), marks=long_only),
        pytest.param(lambda n: np.array([n, 0], np.longdouble), marks=long_only),
        pytest.param(lambda n: [np.longdouble(n), 0], marks=long_only),
    ],
)
def test_positions_beyond_what_float64_counts_are_refused_however_they_come(call, make, sign):
    far = FAULTS["C01"]["refused"].replace("*", r"\*").replace("got ", "got -" if sign < 0 else "got ")
    with pytest.raises(ValueError, match=far):
        call(make(sign * (2**53 + 1)))
    call(make(sign * 2**53))  # itself it holds


@pytest.mark.parametrize("start", [2**53 + 1, np.int64(2**53 + 1), np.uint64(2**53 + 1), Fraction(2**54 + 1, 2)])
def test_a_run_that_begins_beyond_is_refused_even_if_it_is_empty(start):
    with pytest.raises(ValueError, match=r"start must be finite and at most 2\*\*53 in size, got"):
        posenc.sinusoidal_table(0, 2, start)


def test_tables_are_looked_up_by_integers_of_several_types():
    table = np.arange(6.0).reshape(3, 2)
    assert np.array_equal(posenc.learned_encoding(table, [np.uint64(2), np.int64(0)]), table[[2, 0]])
    with pytest.raises(IndexError, match="position 9223372036854775807 is not in a table"):
        posenc.learned_encoding(table, [np.uint64(2**63 - 1), np.int64(0)])
    with pytest.raises(IndexError, match="position -1 is not in a table"):
        posenc.learned_encoding(table, [np.uint64(1), np.int64(-1)])
    for positions in ([np.uint64(1), 0.5], [1.0], [1.0, 2]):
        with pytest.raises(TypeError, match="positions must be integers, got dtype float64"):
            posenc.learned_encoding(table, positions)


# ---- C02: a longdouble that float64 does not hold is refused, not rounded


@long_only
@places
def test_longdoubles_do_not_lose_their_fraction_without_a_word(call):
    place = np.longdouble("1000000000000000.3")
    for value in (place, np.array([place, 0]), [place, 1]):
        with pytest.raises(ValueError, match=FAULTS["C02"]["refused"].replace(".", r"\.")):
            call(value)
    assert np.array_equal(call(np.longdouble(5.5)), call(np.float64(5.5)))


@long_only
def test_a_run_begins_where_it_is_told_to():
    with pytest.raises(ValueError, match=r"float64 holds, got 1000000000000000\.3"):
        unchecked.sinusoidal_table(3, 2, np.longdouble("1000000000000000.3"))
    with pytest.raises(ValueError, match=r"float64 holds, got Fraction\(1, 3\)"):
        unchecked.sinusoidal_table(3, 2, Fraction(1, 3))
    want = posenc.sinusoidal_table(3, 2, 0.25)
    for start in (np.longdouble(0.25), Fraction(1, 4), np.float16(0.25), np.array(0.25, ">f4")):
        assert np.array_equal(unchecked.sinusoidal_table(3, 2, start), want)


# ---- C03: YaRN's ramp at its ends


def test_the_first_pair_stays_where_it_turns_a_little_too_little():
    right, tol = FAULTS["C03"]["right"], FAULTS["C03"]["tol"]
    assert np.allclose(posenc.yarn(posenc.frequencies(8), 4, 4), right, rtol=tol, atol=0)
    assert 4 / (2 * np.pi) < 1  # so it makes fewer turns than beta_slow
    omega = posenc.frequencies(8)
    assert np.array_equal(posenc.yarn(omega, 4, 0.1 * 2 * np.pi), omega / 4)  # a whole pair below: none stays
    assert np.array_equal(posenc.yarn(omega, 4, 4, ramp="unrounded"), omega / 4)
    assert 'so that "reference" still keeps a pair 0 that turns a little less often' in said_of(posenc.yarn)


# ---- C04: the accuracy that is claimed, for every base


def error_of(row, position, dim, base):
    with mpmath.workdps(60):
        errors = []
        for j in range(dim // 2):
            angle = mpmath.mpf(position) * mpmath.power(mpmath.mpf(base), mpmath.mpf(-2 * j) / dim)
            errors += [abs(mpmath.sin(angle) - row[2 * j]), abs(mpmath.cos(angle) - row[2 * j + 1])]
        return [float(error) for error in errors]


def test_the_claim_for_small_angles_is_made_of_small_angles():
    case = FAULTS["C04"]
    position, dim, base = case["position"], case["dim"], case["base"]
    error = error_of(posenc.sinusoidal_encoding(position, dim, base).tolist(), position, dim, base)[case["column"]]
    assert case["error"][0] < error < case["error"][1]
    claims = said_of(posenc.sinusoidal_encoding)
    assert "within 1.2e-16 where the angles p omega_j are up to 2**24 radians" in claims
    assert "within 2e-16 for all others" in claims


@pytest.mark.parametrize("base", [1e-6, 1e-3, 0.5, 1.0, 3.0, 1e4, 5e5, 1e300])
@pytest.mark.parametrize("reach, one, run", [(2.0**24, 1.2e-16, 4e-16), (2.0**52, 2e-16, 6e-16)])
def test_accuracy_is_as_claimed_for_every_base(base, reach, one, run):
    dim = 24
    far = reach / max(1.0, base ** (2 / dim - 1))
    draw = np.random.default_rng(4)
    for position in draw.uniform(-far, far, 4):
        row = posenc.sinusoidal_encoding(position, dim, base)
        assert max(error_of(row.tolist(), position, dim, base)) < one
        start = float(position) * 0.9
        table = posenc.sinusoidal_table(int(min(500, far / 10)), dim, start, base)
        for i in draw.integers(0, len(table), 3):
            with mpmath.workdps(60):
                assert max(error_of(table[i].tolist(), mpmath.mpf(start) + int(i), dim, base)) < run


# ---- C05: squares that are too small


def test_small_distances_keep_their_digits():
    case = FAULTS["C05"]
    for (offset, dim), right, wrong in zip(case["offsets"], case["right"], case["wrong"]):
        for sign in (1, -1):
            got = posenc.distance(sign * offset, dim)
            assert abs(got / right - 1) < case["tol"] and got != wrong


@pytest.mark.parametrize("base", [1e-3, 1.0, 1e4])
def test_distances_of_every_size_are_right(base):
    dim = 8
    offsets = 10.0 ** np.arange(-307, 4, 0.7)
    got = posenc.distance(offsets, dim, base)
    for offset, distance in zip(offsets, got):
        with mpmath.workdps(40):
            angles = [
                mpmath.mpf(offset) * mpmath.power(mpmath.mpf(base), mpmath.mpf(-2 * j) / dim) / 2 for j in range(4)
            ]
            right = 2 * mpmath.sqrt(sum(mpmath.sin(angle) ** 2 for angle in angles))
            assert abs(distance / right - 1) < 1e-13, offset
    assert posenc.distance(5e-324, 2) == 5e-324


# ---- C06: integers whose difference counts


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
@pytest.mark.parametrize("axis", [0, 1])
def test_softmax_takes_integers_of_any_size(dtype, axis):
    case = FAULTS["C06"]
    x = np.array([[2**62, 2**62 + 1]], dtype)
    got = posenc.softmax(x if axis else x.T, axis)
    assert np.allclose(got.ravel(), case["right"], rtol=0, atol=case["tol"])
    assert not np.allclose(got.ravel(), case["wrong"], rtol=0, atol=0.1)
    masked = posenc.softmax(np.array([2**62, 2**62 + 1, np.iinfo(dtype).max], dtype), mask=[True, True, False])
    assert np.allclose(masked, [*case["right"], 0], rtol=0, atol=case["tol"])


def test_softmax_of_small_integers_and_extremes():
    for dtype in (np.int16, np.int64):
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        assert np.array_equal(posenc.softmax(np.array([low, high], dtype)), [0, 1])
        assert np.allclose(posenc.softmax(np.array([low, low + 1], dtype)), FAULTS["C06"]["right"])
    assert np.array_equal(posenc.softmax(np.array([3, 4]), mask=[False, False]), [0, 0])
    assert posenc.softmax(np.zeros((2, 0), int)).shape == (2, 0)


@long_only
def test_softmax_takes_differences_of_longdoubles_as_they_are():
    case = FAULTS["C06"]
    got = posenc.softmax(np.array([2**62, 2**62 + 1, -np.inf], np.longdouble))
    assert got.dtype == np.float64
    assert np.allclose(got, [*case["right"], 0], rtol=0, atol=case["tol"])


def test_a_bias_beyond_what_scores_hold_is_refused():
    q, k, v = np.zeros((1, 2)), np.zeros((2, 2)), np.eye(2)
    with pytest.raises(ValueError, match=FAULTS["C06"]["refused"]):
        posenc.attention(q, k, v, bias=[-(2**62), -(2**62) - 1])
    for near in (2**52, -(2**53) + 1):
        _, weights = posenc.attention(q, k, v, bias=[near, near + 1])
        assert np.allclose(weights, FAULTS["C06"]["right"])


@pytest.mark.parametrize("bias", [[-(2**30) - 1, -(2**30)], [-1e9 - 1, -1e9]])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_a_bias_keeps_what_a_shorter_score_would_lose(dtype, bias):
    q, k, v = np.zeros((1, 2), dtype), np.zeros((2, 2), dtype), np.eye(2, dtype=dtype)
    out, weights = posenc.attention(q, k, v, bias=bias)
    assert out.dtype == weights.dtype == dtype
    assert np.allclose(weights, FAULTS["C06"]["right"], atol=1e-3)


# ---- C07: infinities


@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("rows", [1, 20_000])
def test_an_infinity_stays_within_its_pair(layout, dtype, rows):
    assert FAULTS["C07"]["rule"] in said_of(posenc.apply_rotary)
    x = np.ones((rows, 4), dtype)
    pair = [0, 1] if layout == "interleaved" else [0, 2]
    x[:, 0] = np.inf
    others = [i for i in range(4) if i not in pair]
    still = posenc.apply_rotary(x, 0, layout=layout)
    assert np.isinf(still[:, 0]).all() and np.isnan(still[:, pair[1]]).all()
    assert np.array_equal(still[:, others], x[:, others])
    turned = posenc.apply_rotary(x, 1, layout=layout)
    assert np.isinf(turned[:, pair]).all() and np.isfinite(turned[:, others]).all()
    x[:, pair] = np.inf
    turned = posenc.apply_rotary(x, 1, layout=layout)
    assert np.isnan(turned[:, pair[0]]).all() and np.isinf(turned[:, pair[1]]).all()
    assert np.isfinite(turned[:, others]).all()


# ---- C08: masked arrays, however deep


class Masked:
    """An object that NumPy asks for its array."""

    def __array__(self, dtype=None, copy=None):
        return np.ma.array([1.0, 2.0], mask=[False, True])


class Row:
    """A sequence that is no list."""

    def __init__(self, *items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


MASKED = np.ma.array([1.0, 2.0], mask=[False, True])
HIDDEN = {
    "bare": MASKED,
    "without a masked entry": np.ma.array([1.0, 2.0]),
    "no axes": np.ma.array(1.0, mask=True),
    "the constant": np.ma.masked,
    "list": [MASKED],
    "tuple in a list": [([0.0, 1.0], MASKED)],
    "entry of a list": [1.0, np.ma.masked],
    "__array__": Masked(),
    "list of __array__": [Masked()],
    "sequence": Row(MASKED),
    "list of a sequence": [Row(1.0, np.ma.masked)],
}
ARRAYS = PLACES | {
    "learned_encoding, table": lambda a: posenc.learned_encoding(a, [0]),
    "learned_encoding, positions": lambda a: posenc.learned_encoding(np.ones((4, 2)), a),
    "softmax": lambda a: posenc.softmax(a),
    "softmax, mask": lambda a: posenc.softmax([1.0, 2.0], mask=a),
    "attention, q": lambda a: posenc.attention(a, np.ones((1, 2)), np.ones((1, 2))),
    "attention, k": lambda a: posenc.attention(np.ones((1, 2)), a, np.ones((1, 2))),
    "attention, v": lambda a: posenc.attention(np.ones((1, 2)), np.ones((1, 2)), a),
    "attention, bias": lambda a: posenc.attention(np.ones((1, 2)), np.ones((2, 2)), np.ones((2, 2)), bias=a),
    "attention, mask": lambda a: posenc.attention(np.ones((1, 2)), np.ones((2, 2)), np.ones((2, 2)), mask=a),
    "apply_rotary, x": lambda a: posenc.apply_rotary(a, 0),
    "apply_rotary, frequencies": lambda a: posenc.apply_rotary(np.ones(4), 0, frequencies=a),
    "interpolated": lambda a: posenc.interpolated(a, 2),
    "ntk_aware": lambda a: posenc.ntk_aware(a, 2),
    "dynamic_ntk": lambda a: posenc.dynamic_ntk(a, 2, 1),
    "yarn": lambda a: posenc.yarn(a, 2, 100),
    "llama3": lambda a: posenc.llama3(a),
}


@pytest.mark.parametrize("value", HIDDEN.values(), ids=HIDDEN)
@pytest.mark.parametrize("call", ARRAYS.values(), ids=ARRAYS)
def test_masked_entries_are_never_taken(call, value):
    with pytest.raises(
        TypeError, match="must be a plain array, got a masked array; fill or drop its masked entries first"
    ):
        call(value)


@pytest.mark.parametrize("value", [np.ma.array(2.0), np.ma.array(2.0, mask=True), np.ma.masked, np.ma.array(2)])
def test_masked_numbers_are_never_taken(value):
    for call in (
        lambda: posenc.frequencies(4, value),
        lambda: posenc.sinusoidal_table(2, 4, value),
        lambda: posenc.interpolated([1.0], value),
        lambda: posenc.attention(np.ones((1, 2)), np.ones((1, 2)), np.ones((1, 2)), scale=value),
        lambda: posenc.frequencies(value),
        lambda: posenc.causal_mask(value),
    ):
        with pytest.raises(TypeError, match=r"must be (a real number|an integer), got"):
            call()


def test_sequences_of_other_types_are_read_as_lists():
    want = posenc.sinusoidal_encoding([1.0, 2.0], 4)
    for same in (Row(1.0, 2.0), range(1, 3), np.array([1.0, 2.0]).view(np.recarray)):
        assert np.array_equal(np.reshape(unchecked.sinusoidal_encoding(same, 4), (2, 4)), want)


# ---- C09: one pair


def test_a_single_pair_stays_where_nothing_changes():
    right = FAULTS["C09"]["right"]
    one = posenc.frequencies(2)
    for got in (
        posenc.ntk_aware(one, 1),
        posenc.dynamic_ntk([1.0], 10, 20),
        posenc.dynamic_ntk([1.0], 20, 20, 4),
        posenc.yarn(one, 1, 100),
    ):
        assert np.array_equal(got, right) and got is not one
    assert np.array_equal(posenc.yarn(one, 4, 1, ramp="paper"), [0.25])
    for call in (
        lambda: posenc.ntk_aware(one, 2),
        lambda: posenc.dynamic_ntk(one, 30, 20),
        lambda: posenc.yarn(one, 2, 9),
    ):
        with pytest.raises(ValueError, match="frequencies must have at least two entries"):
            call()


# ---- C10: what is said, and what does not break


@pytest.mark.parametrize(
    "name, call, error",
    [
        ("sinusoidal_encoding", lambda: posenc.sinusoidal_encoding(2**64, 2), ValueError),
        ("apply_rotary", lambda: posenc.apply_rotary(np.ones((1,) * 63 + (2,)), 1), ValueError),
        ("learned_encoding", lambda: posenc.learned_encoding(np.zeros((0, 2)), 0), IndexError),
        ("softmax", lambda: posenc.softmax(1.0), ValueError),
        ("causal_mask", lambda: posenc.causal_mask(2**62), ValueError),
        ("large frequencies", lambda: posenc.frequencies(2**62), ValueError),
        pytest.param(
            "frequencies", lambda: unchecked.frequencies(4, np.longdouble("1e400")), ValueError, marks=long_only
        ),
    ],
)
def test_messages_say_what_came(name, call, error):
    with pytest.raises(error, match=FAULTS["C10"]["messages"][name]):
        call()


def test_numbers_too_small_for_float64_are_not_called_0():
    with pytest.raises(ValueError, match=r"base must be within the range of float64, got Fraction\(1, 1000"):
        unchecked.frequencies(4, Fraction(1, 10**400))
    with pytest.raises(ValueError, match="base must be within the range of float64, got an integer of"):
        posenc.frequencies(4, 10**400)


@pytest.mark.parametrize("factor", [1.0, 1e10, 1e308])
def test_dynamic_scaling_changes_nothing_within_the_trained_length(factor):
    omega = posenc.frequencies(8)
    assert np.array_equal(posenc.dynamic_ntk(omega, 1e300, 1e300, factor), omega)
    assert np.array_equal(posenc.dynamic_ntk(omega, 5, 1e-300 + 5, factor), omega)
    with pytest.raises(ValueError, match="length must be nearer to trained_length, or factor smaller, got 1e"):
        posenc.dynamic_ntk(omega, 1e300, 1e-300, factor)


@pytest.mark.parametrize(
    "call",
    [
        lambda n: posenc.sinusoidal_table(n, 2),
        lambda n: posenc.sinusoidal_table(2, n),
        lambda n: posenc.sinusoidal_encoding(1, n),
        lambda n: posenc.wavelengths(n),
        lambda n: posenc.generator(n),
        lambda n: posenc.shift_matrix(1, n),
        lambda n: posenc.rotary_matrix(1, n),
        lambda n: posenc.similarity(1, n),
        lambda n: posenc.alibi_slopes(n),
        lambda n: posenc.alibi_bias([1], [1], n),
        lambda n: posenc.causal_mask(n, 3),
        lambda n: posenc.LessonRandom(1).standard_normal((n, 2)),
    ],
)
def test_sizes_beyond_all_memory_are_refused_in_words_of_our_own(call):
    with pytest.raises(ValueError, match=r"must be (smaller: the result of shape|at most|above)"):
        call(2**62)


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize("drawn", [0, 1, 7, 8, 100])
def test_a_copy_of_the_lessons_draws_goes_on_by_itself(copied, drawn):
    one = posenc.LessonRandom(42)
    want = posenc.LessonRandom(42).standard_normal(drawn + 50)
    assert np.array_equal(one.standard_normal(drawn), want[:drawn])
    other = copied(one)
    assert np.array_equal(other.standard_normal(50), want[drawn:])
    assert np.array_equal(one.standard_normal(50), want[drawn:])


def test_threads_share_the_draws_and_none_comes_twice():
    source, drawn = posenc.LessonRandom(3), []
    threads = [threading.Thread(target=lambda: drawn.append(source.standard_normal(2000))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    want = posenc.LessonRandom(3).standard_normal(8000).reshape(4, 2000)
    assert sorted(part.tolist() for part in drawn) == sorted(want.tolist())  # whole calls, in some order


def test_every_fault_is_tested():
    assert list(FAULTS) == [f"C{i:02d}" for i in range(1, 11)]
    source = Path(__file__).read_text(encoding="utf8")
    assert all(f"# ---- {name}:" in source for name in FAULTS)
