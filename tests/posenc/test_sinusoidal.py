"""Values of the sinusoidal code against mpmath, and its laws."""

import decimal
import json
import time
import tracemalloc
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from unchecked import unchecked

import posenc
from posenc import _angles, _kernels

REFERENCE = json.loads((Path(__file__).parent / "data" / "reference.json").read_text(encoding="utf8"))
DIMS = st.integers(1, 40).map(lambda n: 2 * n)
BASES = st.floats(1e2, 1e6)
PLACES = st.floats(-1e7, 1e7) | st.integers(-(10**7), 10**7)


def exact(position, dim, base, pair):
    """Sine and cosine with 50 digits."""
    with mpmath.workdps(50):
        start, step = position if isinstance(position, tuple) else (position, 0)
        angle = (mpmath.mpf(start) + step) * mpmath.mpf(base) ** (-mpmath.mpf(2 * pair) / dim)
        return mpmath.sin(angle), mpmath.cos(angle)


def error(value, reference):
    with mpmath.workdps(50):
        return abs(float(mpmath.mpf(float(value)) - mpmath.mpf(reference)))


@pytest.mark.parametrize("dim, base", [(2, 1e4), (8, 1e4), (128, 5e5), (1024, 1e6), (30, 17.5), (8, 0.5)])
def test_frequencies_are_the_nearest_float64(dim, base):
    with mpmath.workdps(50):
        nearest = [float(mpmath.mpf(base) ** (-mpmath.mpf(2 * j) / dim)) for j in range(dim // 2)]
    assert posenc.frequencies(dim, base).tolist() == nearest


def test_wavelengths_are_full_turns():
    assert np.allclose(posenc.wavelengths(512) * posenc.frequencies(512), 2 * np.pi, rtol=1e-15)
    assert posenc.wavelengths(512)[-1] < 2 * np.pi * 10_000  # the bound is for no width reached


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_stored_values_of_single_positions(dtype):
    """Absolute error, and units in the last place up to 10**5: 1.1 in float64, half a unit in float32."""
    for position, dim, base, pair, *values in REFERENCE:
        code = posenc.sinusoidal_encoding(position, dim, base, dtype)
        assert code.shape == (dim,) and code.dtype == dtype
        for got, value in zip(code[2 * pair : 2 * pair + 2], values):
            off, unit = error(got, value), float(np.spacing(abs(got)))
            if dtype == np.float32:
                assert off <= 0.5 * unit, (position, dim, base, pair)
            else:
                assert off <= 1.2e-16, (position, dim, base, pair)
                assert off <= 1.1 * unit or abs(position) > 1e5, (position, dim, base, pair)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize(
    "start, length",
    [
        (0, 4096),
        (96_000, 4096),
        (-(10**7), 1000),
        (9_990_000, 9_999),
        (0.3, 500),
        (1e6 + 0.7, 1000),
        (-4.5, 10),
        (9_999_000.1, 1000),
        (2.0**40 + 0.3, 1000),
        (2**53 - 1000, 1000),
        (1 - 2**53, 1000),
    ],
)
def test_tables_against_mpmath(start, length, dtype):
    """Absolute error at most 4e-16, and then one rounding, wherever the run begins, fractional starts included."""
    rng = np.random.default_rng(length)
    for dim, base in ((32, 1e4), (128, 1e6), (1024, 1e2)):
        table = posenc.sinusoidal_table(length, dim, start, base, dtype)
        assert table.shape == (length, dim) and table.dtype == dtype
        for _ in range(25):
            row, pair = int(rng.integers(length)), int(rng.integers(dim // 2))
            for got, value in zip(table[row, 2 * pair : 2 * pair + 2], exact((start, row), dim, base, pair)):
                rounding = 0.5 * float(np.spacing(abs(got))) if dtype != np.float64 else 0.0
                assert error(got, value) <= 4e-16 + rounding, (start, row, dim, base, pair)


@pytest.mark.parametrize("length", [0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 1000])
@pytest.mark.parametrize("dim", [2, 6, 64])
def test_table_rows_are_the_codes_of_their_positions(length, dim):
    for start in (0, 5, -3, 0.25):
        table = posenc.sinusoidal_table(length, dim, start)
        codes = posenc.sinusoidal_encoding(start + np.arange(length), dim)
        assert table.shape == codes.shape == (length, dim)
        assert np.abs(table - codes).max(initial=0) <= 4e-16


def test_float32_of_a_whole_table_is_correctly_rounded():
    """The direct route, right to 1.2e-16, decides all but the few entries that lie that near to a midpoint."""
    table = posenc.sinusoidal_table(4096, 128, dtype=np.float32)
    direct = posenc.sinusoidal_encoding(np.arange(4096), 128)
    low, high = (direct - 3e-16).astype(np.float32), (direct + 3e-16).astype(np.float32)
    assert ((low <= table) & (table <= high)).all()
    assert (low == high).mean() > 0.999


@given(PLACES, DIMS, BASES)
def test_any_position_any_width_any_base(position, dim, base):
    code = posenc.sinusoidal_encoding(position, dim, base)
    for pair in {0, dim // 4, dim // 2 - 1}:
        for got, value in zip(code[2 * pair : 2 * pair + 2], exact(position, dim, base, pair)):
            assert error(got, value) <= 1.2e-16


@given(st.floats(-(2.0**53), 2.0**53), DIMS, BASES)
def test_positions_as_far_as_float64_counts(position, dim, base):
    """Angles that lose up to half a radian to rounding, and get it back."""
    code = posenc.sinusoidal_encoding(position, dim, base)
    for pair in {0, dim // 4, dim // 2 - 1}:
        for got, value in zip(code[2 * pair : 2 * pair + 2], exact(position, dim, base, pair)):
            assert error(got, value) <= 2e-16


@given(st.floats(-1e5, 1e5, width=64), DIMS, BASES)
def test_single_positions_in_units_of_the_last_place(position, dim, base):
    code = posenc.sinusoidal_encoding(position, dim, base)
    for pair in {0, dim // 2 - 1}:
        for got, value in zip(code[2 * pair : 2 * pair + 2], exact(position, dim, base, pair)):
            assert error(got, value) <= 1.1 * float(np.spacing(abs(got))) or abs(got) < 1e-290


@given(st.lists(PLACES, min_size=1, max_size=20), DIMS, BASES)
def test_pairs_have_length_one_and_positions_are_independent(positions, dim, base):
    codes = posenc.sinusoidal_encoding(positions, dim, base)
    assert np.abs(np.hypot(codes[:, 0::2], codes[:, 1::2]) - 1).max() < 4e-16
    for position, code in zip(positions, codes):
        assert np.array_equal(code, posenc.sinusoidal_encoding(position, dim, base))
    mirrored = posenc.sinusoidal_encoding([-p for p in positions], dim, base)
    assert np.array_equal(mirrored[:, 0::2], -codes[:, 0::2]) and np.array_equal(mirrored[:, 1::2], codes[:, 1::2])


def test_shapes_follow_the_positions():
    p = np.arange(24.0).reshape(2, 3, 4)
    codes = posenc.sinusoidal_encoding(p, 6)
    assert codes.shape == (2, 3, 4, 6)
    assert np.array_equal(codes[1, 2], posenc.sinusoidal_encoding(p[1, 2], 6))
    assert posenc.sinusoidal_encoding([], 6).shape == (0, 6)
    assert posenc.sinusoidal_encoding(np.empty((2, 0)), 6).shape == (2, 0, 6)
    assert posenc.sinusoidal_encoding(Fraction(1, 2).__float__(), 6).shape == (6,)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4"])
def test_positions_of_every_dtype(dtype):
    with np.errstate(all="raise"):
        codes = posenc.sinusoidal_encoding(np.array([0, 1, 100], dtype), 8)
    assert np.array_equal(codes, posenc.sinusoidal_encoding([0, 1, 100], 8))


def test_inputs_stay_as_they_are():
    p = np.arange(10.0)
    p.flags.writeable = False
    for view in (p, p[::-1], p[::3]):
        before = view.copy()
        posenc.sinusoidal_encoding(view, 8)
        assert np.array_equal(view, before)
    first = posenc.frequencies(8)
    first[:] = 0  # the caller's copy, not the memo
    assert posenc.frequencies(8)[0] == 1


def test_no_floating_point_signal_on_valid_input():
    with np.errstate(all="raise"):
        for p in (0.0, -0.0, 5e-324, 1e-310, 1e-300, 1e7, 2.0**53):
            posenc.sinusoidal_encoding(p, 64, 1e6)
            posenc.sinusoidal_encoding(p, 64, 1e300, np.float16)
        posenc.sinusoidal_table(100, 64, 1e-310, 1e308, np.float16)


@pytest.mark.parametrize("dtype, most", [(np.float64, 1.15), (np.float32, 1.15), (np.float16, 1.3)])
def test_peak_memory_of_a_table(dtype, most):
    posenc.sinusoidal_table(8, 256)  # imports and the memo of frequencies are not counted
    tracemalloc.start()
    try:
        table = posenc.sinusoidal_table(32_768, 256, dtype=dtype)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak <= most * table.nbytes


def textbook(length, dim, base=10_000.0):
    angles = np.arange(length)[:, None] * base ** (-np.arange(0, dim, 2) / dim)
    out = np.empty((length, dim))
    out[:, 0::2], out[:, 1::2] = np.sin(angles), np.cos(angles)
    return out


def test_a_table_takes_less_than_half_the_time_of_the_textbook_form():
    def seconds(f):
        start = time.thread_time()
        f(4096, 512)
        return time.thread_time() - start

    pairs = [(seconds(textbook), seconds(posenc.sinusoidal_table)) for _ in range(5)]
    assert min(t for t, _ in pairs) > 2 * min(t for _, t in pairs)


@pytest.mark.parametrize("dim", [0, -2, 1, 7])
@pytest.mark.parametrize(
    "call",
    [
        posenc.frequencies,
        posenc.wavelengths,
        posenc.generator,
        lambda dim: posenc.sinusoidal_encoding([1], dim),
        lambda dim: posenc.sinusoidal_table(3, dim),
        lambda dim: posenc.similarity(1, dim),
        lambda dim: posenc.distance(1, dim),
        lambda dim: posenc.shift_matrix(1, dim),
        lambda dim: posenc.phasors(1, dim),
        lambda dim: posenc.rotary_matrix(1, dim),
    ],
)
def test_odd_and_non_positive_widths_are_refused(call, dim):
    with pytest.raises(ValueError, match=rf"dim must be a positive even number .* got {dim}$"):
        call(dim)


@pytest.mark.parametrize(
    "bad, error",
    [
        (True, TypeError),
        (8.0, TypeError),
        ("8", TypeError),
        (None, TypeError),
        ([8], TypeError),
        (np.array([8]), TypeError),
        (8j, TypeError),
        (np.True_, TypeError),
        (np.ma.array(8, mask=True), TypeError),
    ],
)
def test_widths_that_are_no_integers_are_refused(bad, error):
    with pytest.raises(error, match="dim must be an integer, got"):
        posenc.frequencies(bad)
    assert unchecked.frequencies(np.int16(8)).size == unchecked.frequencies(np.array(8)).size == 4


@pytest.mark.parametrize(
    "bad, error",
    [
        (0, ValueError),
        (-1, ValueError),
        (-0.0, ValueError),
        (np.nan, ValueError),
        (np.inf, ValueError),
        (10**400, ValueError),
        pytest.param(10**5000, ValueError, id="too long to write"),
        (1e-300, ValueError),
        (np.timedelta64(10_000), TypeError),
        ("10000", TypeError),
        (None, TypeError),
        (True, TypeError),
        (1j, TypeError),
        ([1e4], TypeError),
        (np.array([1e4]), TypeError),
    ],
)
def test_bases_that_make_no_frequencies_are_refused(bad, error):
    with pytest.raises(error, match="base must be"):
        posenc.sinusoidal_encoding([1], 128, bad)


@pytest.mark.parametrize(
    "bad, error",
    [
        ([1, np.nan], ValueError),
        (np.inf, ValueError),
        (-np.inf, ValueError),
        (1e300, ValueError),
        (2**60, ValueError),
        ([1j], TypeError),
        ([True, False], TypeError),
        ("12", TypeError),
        (["1"], TypeError),
        (None, TypeError),
        ([[1, 2], [3]], TypeError),
        (np.array([1], dtype=object), TypeError),
        ({1, 2}, TypeError),
        (10**30, ValueError),
        (2**53 + 1, ValueError),
        (-(2**53) - 1, ValueError),
        (np.array([2**53 + 1], np.uint64), ValueError),
        (np.array(["1e400"], np.longdouble), ValueError),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), TypeError),
        (np.ma.masked_array([1.0], [True]), TypeError),
        (np.array([(1, 2)], dtype=[("a", int), ("b", int)]), TypeError),
        (np.array([3], dtype="timedelta64[s]"), TypeError),
    ],
)
@pytest.mark.parametrize(
    "call",
    [
        lambda p: posenc.sinusoidal_encoding(p, 8),
        lambda p: posenc.phasors(p, 8),
        lambda p: posenc.similarity(p, 8),
        lambda p: posenc.distance(p, 8),
        lambda p: posenc.shift_matrix(p, 8),
        lambda p: posenc.rotary_matrix(p, 8),
        lambda p: posenc.apply_rotary(np.ones((2, 8)), p),
        lambda p: posenc.alibi_bias(p, [0], 2),
    ],
)
def test_positions_that_are_no_places_are_refused(call, bad, error):
    with pytest.raises(error, match=r"(positions?|offsets?) must be"):
        call(bad)


@pytest.mark.parametrize(
    "bad", [int, complex, bool, "f16", "int8", None, "nonsense", object, np.longdouble, 5, {"names": ["a"]}]
)
def test_dtypes_that_hold_no_code_are_refused(bad):
    for call in (
        lambda: posenc.sinusoidal_encoding([1], 8, dtype=bad),
        lambda: posenc.sinusoidal_table(3, 8, dtype=bad),
        lambda: posenc.alibi_bias([0], [0], 2, dtype=bad),
    ):
        with pytest.raises(TypeError, match="dtype must be float16, float32 or float64"):
            call()


@pytest.mark.parametrize(
    "length, start, error, name",
    [
        (-1, 0, ValueError, "length"),
        (2.0, 0, TypeError, "length"),
        (True, 0, TypeError, "length"),
        (3, np.nan, ValueError, "start"),
        (3, "0", TypeError, "start"),
        (3, [0], TypeError, "start"),
        (3, 2.0**53, ValueError, "start"),
        (1, 2**53 + 1, ValueError, "start"),
        (1, -(2**53) - 1, ValueError, "start"),
        (10**400, 0, ValueError, "length"),
        pytest.param(-(10**5000), 0, ValueError, "length", id="too long to write"),
        (3, 1j, TypeError, "start"),
    ],
)
def test_runs_that_are_none_are_refused(length, start, error, name):
    with pytest.raises(error, match=f"{name} "):
        posenc.sinusoidal_table(length, 8, start)


def test_angles_beyond_float64_are_refused():
    with pytest.raises(ValueError, match=r"position times frequency must be at most 2\*\*53"):
        posenc.sinusoidal_encoding(2.0**52, 8, 1e-3)


def test_frequencies_do_not_depend_on_settings_of_decimal():
    want = posenc.frequencies(46, 777.5)
    _angles.from_base.cache_clear()
    default = decimal.DefaultContext.copy()
    try:
        with decimal.localcontext() as here:
            here.traps[decimal.FloatOperation] = True
            decimal.DefaultContext.traps[decimal.Inexact] = True
            decimal.DefaultContext.rounding = decimal.ROUND_UP
            assert np.array_equal(posenc.frequencies(46, 777.5), want)
    finally:
        decimal.DefaultContext.traps[decimal.Inexact] = default.traps[decimal.Inexact]
        decimal.DefaultContext.rounding = default.rounding


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_position_0_is_exact_wherever_a_run_begins(dtype):
    for start in (0, -1, -999, -1000, -2500.0):
        table = posenc.sinusoidal_table(5000, 128, start, 100, dtype)
        assert np.array_equal(table[int(-start)], [0, 1] * 64)


@pytest.mark.parametrize("length, memo", [(20, "_kept_rows"), (300, "_kept_table_factors")])
def test_what_is_kept_from_a_call_changes_no_later_one(length, memo):
    arguments = (length, 32, -7.25, 777.5)
    kept = getattr(_kernels, memo)
    kept.cache_clear()
    first = posenc.sinusoidal_table(*arguments)
    want = first.copy()
    first[:] = np.nan  # the caller's own
    again = posenc.sinusoidal_table(*arguments)
    assert kept.cache_info().hits == 1 and again.flags.writeable
    assert np.array_equal(again, want)
    more = () if memo == "_kept_rows" else (1,)
    arrays = kept(-7.25, length, (32, 777.5), *more)
    assert kept.cache_info().hits == 2
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    posenc.apply_rotary(np.ones((length, 32)), np.arange(length) - 7, 777.5)
    posenc.similarity(np.arange(length), 32, 777.5)
    assert np.array_equal(posenc.sinusoidal_table(*arguments), want)
    kept.cache_clear()
    assert np.array_equal(posenc.sinusoidal_table(*arguments), want)


def test_lists_that_rotations_and_similarities_share_can_not_be_written_to():
    _kernels._kept_factors.cache_clear()
    posenc.similarity(np.arange(300), 32)
    for array in _kernels.run_factors(0.0, 300, _angles.from_base(32, 10_000.0)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert _kernels._kept_factors.cache_info().hits == 1


def test_only_short_lists_are_kept():
    _kernels._kept_table_factors.cache_clear()
    posenc.sinusoidal_table(2**17, 256)
    assert _kernels._kept_table_factors.cache_info().currsize == 1
    posenc.sinusoidal_table(2**19, 256)
    assert _kernels._kept_table_factors.cache_info().currsize == 1, "lists of more than 2 MiB"


@pytest.mark.parametrize("dim", [64, 256, 1024])
def test_the_length_of_numpys_buffer_stays_the_callers(dim):
    with np.errstate():
        np.setbufsize(4096)
        posenc.sinusoidal_table(300, dim)
        assert np.getbufsize() == 4096


@pytest.mark.parametrize(
    "length, dim, start, dtype",
    [(100, 8, 0, float), (100, 8, -2, float), (100, 8, 0.5, float), (5000, 64, 0, np.float32)],
)
def test_a_run_reaches_as_far_as_its_positions_one_by_one(length, dim, start, dtype):
    """A run takes the sines of some of its positions alone, but is refused for the farthest of all."""
    positions = start + np.arange(length)
    fits = (positions[-1] * 1.001 / 2.0**53) ** (1 / (1 - 2 / dim))  # base**(2/dim - 1) is the fastest
    posenc.sinusoidal_table(length, dim, start, fits, dtype)
    too_small = (positions[-1] * 0.999 / 2.0**53) ** (1 / (1 - 2 / dim))
    for order in (positions, positions[::-1]):
        assert posenc.similarity(order, dim, fits).shape == (length,)
        assert posenc.apply_rotary(np.ones((length, dim)), order, fits).shape == (length, dim)
        for call in (
            lambda p=order: posenc.sinusoidal_encoding(p, dim, too_small, dtype),
            lambda p=order: posenc.similarity(p, dim, too_small),
            lambda p=order: posenc.apply_rotary(np.ones((length, dim)), p, too_small),
        ):
            with pytest.raises(ValueError, match=r"position times frequency must be at most 2\*\*53 radians, got 9"):
                call()
    with pytest.raises(ValueError, match=r"position times frequency must be at most 2\*\*53 radians, got 9"):
        posenc.sinusoidal_table(length, dim, start, too_small, dtype)
