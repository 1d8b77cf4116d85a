"""Several axes: the order of cells, the codes and rotations of places, and the laws of shifts along an axis."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from unchecked import unchecked

import posenc

PEER = json.loads((Path(__file__).parent / "data" / "schemes.json").read_text(encoding="utf8"))["mrope"]
LAYOUTS = ["interleaved", "half"]
ORDERS = ["contiguous", "interleaved"]


def test_columns_run_first_on_a_grid_that_is_not_square():
    """C22: a grid of 3 rows and 4 columns."""
    grid = posenc.grid_positions({"y": 3, "x": 4})
    assert grid["x"].tolist() == [0, 1, 2, 3] * 3
    assert grid["y"].tolist() == [0] * 4 + [1] * 4 + [2] * 4
    code = posenc.axial_encoding(grid, 8)
    assert (code[:, :4] == posenc.sinusoidal_encoding(grid["y"], 4)).all()
    assert (code[:, 4:] == posenc.sinusoidal_encoding(grid["x"], 4)).all()


@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 1), (5,), (0, 3), (3, 0)])
def test_cells_are_in_the_order_of_arrays(shape):
    grid = posenc.grid_positions(dict(zip("tyx", shape)))
    want = np.indices(shape).reshape(len(shape), -1)
    assert [places.tolist() for places in grid.values()] == want.tolist()
    assert all(places.dtype == np.int64 for places in grid.values())


def test_faulty_grids_are_refused():
    for sizes, error, words in (
        ((3, 4), TypeError, "names of axes as keys, got .3, 4."),
        ({}, ValueError, "at least one axis"),
        ({"x": -1}, ValueError, "sizes.'x'. must be 0 or more"),
        ({"x": 2.0}, TypeError, "sizes.'x'. must be an integer"),
        ({0: 2}, TypeError, "names of axes as keys, got 0"),
        ({"y": 2**30, "x": 2**30}, ValueError, "2..53 cells at most"),
    ):
        with pytest.raises(error, match=words):
            unchecked.grid_positions(sizes)


def test_codes_of_video_with_widths_of_their_own():
    grid = posenc.grid_positions({"t": 2, "y": 3, "x": 4})
    code = posenc.axial_encoding(grid, 16, widths={"x": 6, "y": 6, "t": 4}, dtype=np.float32)
    assert code.shape == (24, 16) and code.dtype == np.float32
    parts = [posenc.sinusoidal_encoding(grid[name], width, dtype=np.float32) for name, width in zip("tyx", (4, 6, 6))]
    assert (code == np.concatenate(parts, -1)).all()


@pytest.mark.parametrize("layout", ["sin-cos", "cos-sin"])
def test_codes_in_blocks(layout):
    places = {"y": [0.5, 2.0], "x": [[1.0], [7.0], [9.0]]}  # broadcast to (3, 2)
    code = posenc.axial_encoding(places, 8, layout=layout)
    assert code.shape == (3, 2, 8)
    y = posenc.block_encoding(places["y"], 4, order=layout, spacing="d/2")
    x = posenc.block_encoding(places["x"], 4, order=layout, spacing="d/2")
    assert (code[..., :4] == y).all() and (code[..., 4:] == x).all()


def test_dot_products_of_codes_depend_on_offsets_along_each_axis():
    def dot(a, b):
        one, other = (posenc.axial_encoding({"y": place[0], "x": place[1]}, 16) for place in (a, b))
        return one @ other

    assert dot((3, 9), (5, 4)) == pytest.approx(dot((103, 2), (105, -3)), abs=1e-12)
    assert dot((3, 9), (5, 4)) == pytest.approx(posenc.similarity(2, 8) + posenc.similarity(5, 8), abs=1e-12)


@pytest.mark.parametrize(
    "positions, dim, settings, error, words",
    [
        ([[1], [2]], 8, {}, TypeError, "names of axes"),
        ({"y": [1], "x": [2]}, 6, {}, ValueError, "dim must be a multiple of 4"),
        ({"y": [1, 2], "x": [1, 2, 3]}, 8, {}, ValueError, "must broadcast together, got shapes 'y' .2,., 'x' .3,."),
        ({"y": [1], "x": [np.nan]}, 8, {}, ValueError, "positions.'x'. must be finite"),
        ({"y": [1], "x": np.ma.array([1])}, 8, {}, TypeError, "masked"),
        ({"y": [1], "x": [2**53 + 1]}, 8, {}, ValueError, "at most 2..53"),
        ({"y": [1], "x": [1]}, 8, {"widths": {"y": 4}}, ValueError, "widths must have the axes"),
        ({"y": [1], "x": [1]}, 8, {"widths": {"y": 4, "x": 6}}, ValueError, "widths must add up to dim, 8, got 10"),
        ({"y": [1], "x": [1]}, 8, {"widths": {"y": 3, "x": 5}}, ValueError, "widths.'y'. must be a positive even"),
        ({"y": [1], "x": [1]}, 8, {"layout": "half"}, ValueError, "layout must be one of"),
    ],
)
def test_faulty_arguments_of_codes_are_refused(positions, dim, settings, error, words):
    with pytest.raises(error, match=words):
        posenc.axial_encoding(positions, dim, **settings)


def test_pairs_of_published_sections():
    contiguous = posenc.pair_axes([16, 24, 24])
    assert contiguous.tolist() == [0] * 16 + [1] * 24 + [2] * 24
    interleaved = posenc.pair_axes({"t": 24, "h": 20, "w": 20}, "interleaved")
    assert interleaved.tolist() == [0, 1, 2] * 20 + [0] * 4
    assert posenc.pair_axes([3, 3], "interleaved").tolist() == [0, 1] * 3
    assert posenc.pair_axes([4]).tolist() == posenc.pair_axes([4], "interleaved").tolist() == [0] * 4


@pytest.mark.parametrize(
    "sections, order, error, words",
    [
        ([1, 5, 1], "interleaved", ValueError, "every axis its pairs"),
        ([], "contiguous", ValueError, "at least one pair"),
        ([0, 0], "contiguous", ValueError, "at least one pair"),
        ([2.0], "contiguous", TypeError, r"sections\[0\] must be an integer"),
        ([-1, 2], "contiguous", ValueError, r"sections\[0\] must be 0 or more"),
        ([2**40], "contiguous", ValueError, "at most"),
        ("ab", "contiguous", TypeError, "sections must be a list"),
        (3, "contiguous", TypeError, "sections must be a list"),
        ([2], "mixed", ValueError, "order must be one of"),
    ],
)
def test_faulty_sections_are_refused(sections, order, error, words):
    with pytest.raises(error, match=words):
        posenc.pair_axes(sections, order)


@pytest.mark.parametrize("order", ORDERS)
def test_m_rope_as_in_qwen_models(order):
    got = posenc.apply_axial_rotary(PEER["x"], PEER["positions"], PEER["sections"][order], layout="half", order=order)
    assert np.abs(got - PEER[order]).max() < 1e-13


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("n", [5, 200])
def test_equal_positions_on_all_axes_are_plain_rotation(layout, order, dtype, n):
    """C27, number for number."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal((2, n, 24)).astype(dtype)
    for places in (np.arange(n), rng.integers(0, 10**6, n)):
        every: list[dict[str, Any]] = [
            {},
            {"base": 5e5},
            {"frequencies": rng.uniform(0, 1, 8)},
            {"frequencies": np.zeros(8)},
        ]
        for settings in every:
            got = posenc.apply_axial_rotary(
                x, [places] * 3, [4, 2, 2], layout=layout, rotary_dim=16, order=order, **settings
            )
            plain = posenc.apply_rotary(x, places, layout=layout, rotary_dim=16, **settings)
            assert got.dtype == dtype and (got == plain).all()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("order", ORDERS)
@given(st.tuples(*[st.integers(-1000, 1000)] * 4), st.tuples(*[st.integers(-1000, 1000)] * 2))
def test_scores_depend_on_the_offset_along_each_axis(layout, order, places, shift):
    """C26: a shift of both along any axis changes no score, and turning back gives the vector."""
    q, k = np.random.default_rng(4).standard_normal((2, 12))
    frequencies = posenc.axial_frequencies([3, 3], 100.0, order)

    def turn(x, y_x):
        return posenc.apply_axial_rotary(x, y_x, [3, 3], frequencies=frequencies, layout=layout, order=order)

    a, b = places[:2], places[2:]
    moved = [(place[0] + shift[0], place[1] + shift[1]) for place in (a, b)]
    assert turn(q, a) @ turn(k, b) == pytest.approx(turn(q, moved[0]) @ turn(k, moved[1]), abs=1e-10)
    assert np.allclose(turn(turn(q, a), (-a[0], -a[1])), q, rtol=0, atol=1e-12)


def test_each_axis_turns_its_own_pairs_alone():
    x = np.ones((1, 8))
    still = posenc.apply_axial_rotary(x, [[5], [0]], [2, 2])
    assert (still[0, 4:] == 1).all() and (still[0, :4] != 1).any()
    named = posenc.apply_axial_rotary(x, {"x": [0], "y": [5]}, {"y": 2, "x": 2})  # by name, in whatever order
    assert (named == still).all()


def test_frequencies_by_axis():
    assert np.allclose(posenc.axial_frequencies([2, 3]), np.concatenate([posenc.frequencies(4), posenc.frequencies(6)]))
    mixed = posenc.axial_frequencies([2, 2], 100.0, "interleaved")
    assert np.allclose(mixed, [1, 1, 0.1, 0.1])
    assert posenc.axial_frequencies([0, 2]).tolist() == posenc.frequencies(4).tolist()


@pytest.mark.parametrize(
    "x, positions, sections, settings, error, words",
    [
        (np.ones((1, 8)), [[1], [2]], [2, 1], {}, ValueError, "sections must add up to the 4 pairs"),
        (np.ones((1, 8)), [[1]], [2, 2], {}, ValueError, "one array for each of the 2 axes, got 1"),
        (np.ones((1, 8)), {"y": [1], "x": [1]}, [2, 2], {}, TypeError, "both be lists or both be dicts"),
        (np.ones((1, 8)), {"y": [1], "z": [1]}, {"y": 2, "x": 2}, {}, ValueError, "positions must have the axes"),
        (np.ones((1, 8)), [[1], [2, 3]], [2, 2], {}, ValueError, "positions must broadcast"),
        (np.ones((1, 8)), [[1], [np.inf]], [2, 2], {}, ValueError, r"positions\[1\] must be finite"),
        (np.ones((1, 8)), [[1], [2**53 + 1]], [2, 2], {}, ValueError, r"positions\[1\] must be"),
        (np.ones((1, 8)), np.ma.array([[1], [2]]), [2, 2], {}, TypeError, "masked"),
        (np.ones((1, 8)), [np.ma.array([1]), [2]], [2, 2], {}, TypeError, "masked"),
        (np.ma.ones((1, 8)), [[1], [2]], [2, 2], {}, TypeError, "masked"),
        (np.ones((1, 7)), [[1], [2]], [2, 2], {}, ValueError, "the last axis of x must be a positive even"),
        (np.ones((1, 8)), [[1], [2]], [2, 2], {"layout": "thirds"}, ValueError, "layout must be one of"),
        (np.ones((1, 8)), [[1], [2]], [3, 2], {"rotary_dim": 10}, ValueError, "rotary_dim must be at most"),
        (np.ones((1, 8)), [[1], [2]], [2, 2], {"frequencies": [1.0]}, ValueError, "frequencies must have one entry"),
        (3.0, [[1], [2]], [2, 2], {}, ValueError, "x must have at least one axis"),
        (np.ones((1, 8)), 5, [2, 2], {}, TypeError, "positions must be a list or a dict"),
        (np.ones((1, 8)), np.array(5), [2, 2], {}, ValueError, "one array per axis, got a single number"),
    ],
)
def test_faulty_arguments_of_rotation_are_refused(x, positions, sections, settings, error, words):
    with pytest.raises(error, match=words):
        posenc.apply_axial_rotary(x, positions, sections, **settings)


def test_inputs_are_left_as_they_were():
    x, places = np.ones((2, 3, 8)), np.arange(6.0).reshape(2, 3)
    unchecked.apply_axial_rotary(x, places, [2, 2])
    assert (x == 1).all() and (places == np.arange(6.0).reshape(2, 3)).all()
