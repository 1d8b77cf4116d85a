"""A shift of position is a rotation: closed forms, the group of shifts, and their generator."""

import mpmath
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

import posenc

DIMS = st.integers(1, 20).map(lambda n: 2 * n)
BASES = st.floats(1e2, 1e6)
OFFSETS = st.floats(-1e5, 1e5)


@given(OFFSETS, OFFSETS, DIMS, BASES)
def test_a_shift_carries_every_code_along(t, k, dim, base):
    shifted = posenc.shift_matrix(k, dim, base) @ posenc.sinusoidal_encoding(t, dim, base)
    slack = 1e-15 + np.spacing(abs(t) + abs(k))  # t + k itself is rounded
    assert np.abs(shifted - posenc.sinusoidal_encoding(t + k, dim, base)).max() <= slack


@given(OFFSETS, OFFSETS, DIMS, BASES)
def test_shifts_form_a_group_of_rotations(a, b, dim, base):
    shift = lambda k: posenc.shift_matrix(k, dim, base)  # noqa: E731
    assert np.abs(shift(a) @ shift(b) - shift(a + b)).max() <= 1e-15 + np.spacing(abs(a) + abs(b))
    assert np.abs(shift(a) @ shift(a).T - np.eye(dim)).max() <= 5e-16
    assert np.array_equal(shift(-a), shift(a).T)
    assert np.array_equal(shift(0), np.eye(dim))
    assert np.linalg.det(shift(a)) == pytest.approx(1, abs=1e-12)


def test_shifts_of_several_offsets():
    several = posenc.shift_matrix([[1, 2.5, -3]], 6)
    assert several.shape == (1, 3, 6, 6)
    assert np.array_equal(several[0, 1], posenc.shift_matrix(2.5, 6))


@pytest.mark.parametrize("dim, base", [(2, 1e4), (8, 1e4), (32, 1e2)])
def test_the_generator(dim, base):
    omega = posenc.generator(dim, base)
    assert np.array_equal(omega, -omega.T)
    assert np.abs(scipy.linalg.expm(3 * omega) - posenc.shift_matrix(3, dim, base)).max() < 2e-15
    turns = np.sort(np.linalg.eigvals(omega).imag)[dim // 2 :]
    assert np.allclose(turns, np.sort(posenc.frequencies(dim, base)), rtol=0, atol=1e-14)
    slope = (posenc.sinusoidal_encoding(5 + 1e-6, dim, base) - posenc.sinusoidal_encoding(5 - 1e-6, dim, base)) / 2e-6
    assert np.allclose(omega @ posenc.sinusoidal_encoding(5, dim, base), slope, atol=1e-9)


@given(OFFSETS, OFFSETS, DIMS, BASES)
def test_similarity_and_distance_are_those_of_the_codes(t, k, dim, base):
    one, other = posenc.sinusoidal_encoding([t, t + k], dim, base)
    k = (t + k) - t if (t + k) - k == t else k
    slack = dim * np.spacing(abs(t) + abs(k)) + dim * 1e-15
    assert abs(one @ other - posenc.similarity(k, dim, base)) <= slack
    assert abs(np.linalg.norm(other - one) - posenc.distance(k, dim, base)) <= slack
    assert posenc.similarity(0, dim, base) == dim / 2 and posenc.distance(0, dim, base) == 0
    assert posenc.similarity(-k, dim, base) == posenc.similarity(k, dim, base)
    assert abs(posenc.distance(k, dim, base) ** 2 - (dim - 2 * posenc.similarity(k, dim, base))) <= dim * 1e-15


def test_small_distances_do_not_cancel():
    with mpmath.workdps(50):
        omega = [mpmath.mpf(10) ** -j for j in range(4)]
        want = float(2 * mpmath.sqrt(sum(mpmath.sin(w * mpmath.mpf("1e-9") / 2) ** 2 for w in omega)))
    assert posenc.distance(1e-9, 8) == pytest.approx(want, rel=1e-14)


@pytest.mark.parametrize("start, length, dim", [(0, 5000, 32), (-2000, 4001, 128), (9_000_000, 300, 512), (7, 64, 2)])
def test_similarity_of_a_run_agrees_with_single_offsets(start, length, dim):
    offsets = np.arange(start, start + length)
    run = posenc.similarity(offsets, dim)
    assert run.shape == offsets.shape
    assert np.abs(run - posenc.similarity(offsets[::-1], dim)[::-1]).max() <= dim * 3e-16
    with mpmath.workdps(50):
        for i in (0, 1, length // 3, length - 1):
            parts = [
                mpmath.cos(int(offsets[i]) * mpmath.mpf(10_000) ** (-mpmath.mpf(2 * j) / dim)) for j in range(dim // 2)
            ]
            want = mpmath.mpf(mpmath.fsum(parts))
            assert abs(run[i] - float(want)) <= dim * 3e-16


def test_shapes_and_empty_input():
    assert posenc.similarity(np.zeros((2, 3, 1)), 8).shape == posenc.distance(np.zeros((2, 3, 1)), 8).shape == (2, 3, 1)
    assert posenc.similarity([], 8).shape == posenc.distance([], 8).shape == (0,)
    assert np.ndim(posenc.similarity(3, 8)) == np.ndim(posenc.distance(3, 8)) == 0
    assert posenc.shift_matrix([], 8).shape == (0, 8, 8)
    assert posenc.phasors([], 8).shape == (0, 4) and posenc.phasors([[1, 2]], 8).shape == (1, 2, 4)


@given(OFFSETS, DIMS, BASES)
def test_phasors_are_the_code_as_complex_numbers(p, dim, base):
    z, code = posenc.phasors(p, dim, base), posenc.sinusoidal_encoding(p, dim, base)
    assert np.array_equal(z.real, code[1::2]) and np.array_equal(z.imag, code[0::2])
    assert np.abs(np.abs(z) - 1).max() < 4e-16
