"""Context extension against published values and the laws that each formula is built on."""

import math
from itertools import pairwise

import numpy as np
import pytest

import posenc

LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_length": 8192}


def test_interpolation_reads_positions_on_a_finer_scale():
    omega = posenc.frequencies(64)
    assert np.array_equal(posenc.interpolated(omega, 4), omega / 4)
    x = np.random.default_rng(0).standard_normal((10, 64))
    squeezed = posenc.apply_rotary(x, np.arange(10), frequencies=posenc.interpolated(omega, 4))
    assert np.abs(squeezed - posenc.apply_rotary(x, np.arange(10) / 4)).max() < 1e-14


@pytest.mark.parametrize("dim, factor", [(128, 8.0), (64, 2.0), (4, 32.0), (128, 0.5)])
def test_ntk_is_a_change_of_base(dim, factor):
    omega = posenc.frequencies(dim)
    scaled = posenc.ntk_aware(omega, factor)
    assert scaled[0] == 1 and scaled[-1] / omega[-1] == pytest.approx(1 / factor, rel=1e-14)
    assert np.allclose(scaled, posenc.frequencies(dim, 10_000 * factor ** (dim / (dim - 2))), rtol=1e-13)


def test_dynamic_ntk_begins_at_the_trained_length():
    omega = posenc.frequencies(128)
    for length in (1, 2000, 2048):
        assert np.array_equal(posenc.dynamic_ntk(omega, length, 2048, 4), omega)
    assert np.array_equal(
        posenc.dynamic_ntk(omega, 6144, 2048), posenc.ntk_aware(omega, 3)
    )  # factor 1: the ratio itself
    slowest = [posenc.dynamic_ntk(omega, n, 2048, 2)[-1] for n in (2048, 2049, 4096, 10_000)]
    assert all(a > b for a, b in pairwise(slowest))


@pytest.mark.parametrize("ramp", ["reference", "unrounded", "paper"])
def test_yarn_keeps_fast_pairs_and_interpolates_slow_ones(ramp):
    omega = posenc.frequencies(128)
    scaled = posenc.yarn(omega, 16, 4096, ramp=ramp)
    turns = 4096 * omega / (2 * math.pi)
    margin = 0 if ramp != "reference" else 1  # its ends are rounded outward
    assert np.array_equal(scaled[turns > 32][: -margin or None], omega[turns > 32][: -margin or None])
    assert np.allclose(scaled[turns < 1][margin:], omega[turns < 1][margin:] / 16, rtol=1e-15)
    assert (np.diff(scaled) < 0).all() and (np.diff(scaled / omega) <= 0).all()
    assert np.allclose(posenc.yarn(omega, 1, 4096, ramp=ramp), omega, rtol=1e-15)


def test_yarn_ramp_ends_of_llama_2():
    """The authors' example: width 128, base 10000, 4096 tokens: the ramp runs from pair 20 to pair 46."""
    ratio = posenc.yarn(posenc.frequencies(128), 16, 4096) / posenc.frequencies(128)
    assert (ratio[:21] == 1).all() and ratio[21] < 1
    assert ratio[45] > 1 / 16 and np.allclose(ratio[46:], 1 / 16)
    assert np.allclose(np.diff(ratio[20:47]), -(15 / 16) / 26)


@pytest.mark.parametrize("factor, want", [(0.5, 1.0), (1, 1.0), (16, 0.1 * math.log(16) + 1), (40, 1.3688879454113936)])
def test_yarn_attention_factor(factor, want):
    assert posenc.yarn_attention_factor(factor) == pytest.approx(want, rel=1e-15)


def test_llama3_is_continuous_and_keeps_its_ends():
    omega = posenc.frequencies(128, 500_000)
    scaled = posenc.llama3(omega, **LLAMA3)
    wavelength = 2 * math.pi / omega
    assert np.array_equal(scaled[wavelength < 8192 / 4], omega[wavelength < 8192 / 4])
    assert np.allclose(scaled[wavelength > 8192], omega[wavelength > 8192] / 8, rtol=1e-15)
    for edge in (8192, 8192 / 4):
        w = 2 * math.pi / edge
        below, at, above = posenc.llama3(np.array([w * (1 - 1e-9), w, w * (1 + 1e-9)]), **LLAMA3)
        assert above - below < 1e-8 * w * 8 and below <= at <= above
    # The published program's three branches, written out.
    for w, got in zip(omega, scaled):
        turns = 8192 * w / (2 * math.pi)
        s = (turns - 1) / 3
        want = w / 8 if turns < 1 else w if turns > 4 else (1 - s) * w / 8 + s * w
        assert got == pytest.approx(want, rel=1e-15)


@pytest.mark.parametrize(
    "call",
    [
        lambda w: posenc.interpolated(w, 2),
        lambda w: posenc.ntk_aware(w, 2),
        lambda w: posenc.dynamic_ntk(w, 9, 4),
        lambda w: posenc.yarn(w, 2, 100),
        lambda w: posenc.yarn(w, 2, 100, ramp="paper"),
        posenc.llama3,
    ],
)
@pytest.mark.parametrize(
    "bad, error",
    [
        ([], ValueError),
        ([[1.0, 0.1]], ValueError),
        ([1.0, np.nan], ValueError),
        ([1.0, -0.1], ValueError),
        (["a"], TypeError),
        ([1j, 1], TypeError),
        (None, TypeError),
        (1.0, ValueError),
        ([True, False], TypeError),
    ],
)
def test_frequencies_that_are_none_are_refused(call, bad, error):
    with pytest.raises(error, match="frequencies must"):
        call(bad)
    given = np.array([1.0, 0.1])
    call(given)
    assert given.tolist() == [1.0, 0.1]


@pytest.mark.parametrize(
    "call, name",
    [
        (lambda w, bad: posenc.interpolated(w, bad), "factor"),
        (lambda w, bad: posenc.ntk_aware(w, bad), "factor"),
        (lambda w, bad: posenc.dynamic_ntk(w, bad, 4), "length"),
        (lambda w, bad: posenc.dynamic_ntk(w, 4, bad), "trained_length"),
        (lambda w, bad: posenc.dynamic_ntk(w, 4, 4, bad), "factor"),
        (lambda w, bad: posenc.yarn(w, bad, 4), "factor"),
        (lambda w, bad: posenc.yarn(w, 4, bad), "original_length"),
        (lambda w, bad: posenc.yarn(w, 4, 4, bad), "beta_fast"),
        (lambda w, bad: posenc.yarn(w, 4, 4, 2, bad), "beta_slow"),
        (lambda w, bad: posenc.llama3(w, bad), "factor"),
        (lambda w, bad: posenc.llama3(w, 8, bad), "low_freq_factor"),
        (lambda w, bad: posenc.llama3(w, 8, 1, bad), "high_freq_factor"),
        (lambda w, bad: posenc.llama3(w, 8, 1, 4, bad), "original_length"),
        (lambda w, bad: posenc.yarn_attention_factor(bad), "factor"),
    ],
)
@pytest.mark.parametrize(
    "bad, error",
    [
        (0, ValueError),
        (-1, ValueError),
        (np.nan, ValueError),
        (np.inf, ValueError),
        ("8", TypeError),
        (None, TypeError),
        (True, TypeError),
        ([8], TypeError),
    ],
)
def test_settings_that_are_no_positive_numbers_are_refused(call, name, bad, error):
    with pytest.raises(error, match=f"{name} must be"):
        call(np.array([1.0, 0.1]), bad)


@pytest.mark.parametrize(
    "call, name",
    [
        (lambda: posenc.yarn([1, 0.1], 4, 100, 1, 2), "beta_fast must be above beta_slow"),
        (lambda: posenc.yarn([1, 0.1], 4, 100, 1, 1, "paper"), "beta_fast must be above beta_slow"),
        (lambda: posenc.yarn([1, 0.1], 4, 100, ramp="linear"), "ramp must be one of"),
        (lambda: posenc.yarn([1, 0.1, 0.02], 4, 100), "fall in one ratio"),
        (lambda: posenc.yarn([1, 1], 4, 100), "fall in one ratio"),
        (lambda: posenc.yarn([1, 0], 4, 100), "must be above 0"),
        (lambda: posenc.llama3([1.0], 8, 4, 4), "high_freq_factor must be above"),
        (lambda: posenc.ntk_aware([1.0], 2), "at least two"),
        (lambda: posenc.dynamic_ntk([1, 0.1], 9, 4, 0.5), "factor must be 1 or more"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(call, name):
    with pytest.raises(ValueError, match=name):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: posenc.interpolated([1.0, 0.1], 5e-324),
        lambda: posenc.ntk_aware([1.0, 0.1], 5e-324),
        lambda: posenc.yarn([1.0, 0.1], 5e-324, 4, ramp="paper"),
        lambda: posenc.llama3([1.0, 0.1], 5e-324),
    ],
)
def test_frequencies_beyond_float64_are_refused(call):
    with np.errstate(all="raise"), pytest.raises(ValueError, match="factor must be such that frequencies stay within"):
        call()
    with np.errstate(all="raise"):
        assert posenc.interpolated([1.0, 0.1], 1e308)[0] == 1e-308


@pytest.mark.parametrize("ramp", ["reference", "unrounded", "paper"])
def test_yarn_where_the_ramp_meets_no_pair(ramp):
    omega = posenc.frequencies(64)
    with np.errstate(all="raise"):
        for length in (1e-300, 4.0):  # not one turn in the trained length, even by the fastest pair
            assert np.array_equal(posenc.yarn(omega, 4, length, ramp=ramp), omega / 4)
        for length in (1e15, 1e300):  # more than 32 turns by the slowest
            assert np.array_equal(posenc.yarn(omega, 4, length, ramp=ramp), omega)
