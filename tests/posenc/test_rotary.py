"""RoPE: the relative-position law, both layouts, partial width, positions of every kind, and dtypes."""

from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from unchecked import unchecked

import posenc
from posenc import _angles, _rotation

LAYOUTS = ["interleaved", "half"]


def order(width):
    """The coordinates of the interleaved layout in the order of the half layout."""
    return np.concatenate([np.arange(0, width, 2), np.arange(1, width, 2)])


@pytest.mark.parametrize("layout", LAYOUTS)
@given(
    seed=st.integers(0, 2**32 - 1),
    m=st.floats(-1e5, 1e5),
    n=st.floats(-1e5, 1e5),
    shift=st.integers(-1000, 1000),
    pairs=st.integers(1, 16),
    base=st.floats(10, 1e6),
)
def test_scores_depend_on_the_offset_alone(layout, seed, m, n, shift, pairs, base):
    q, k = np.random.default_rng(seed).standard_normal((2, 2 * pairs))
    turn = lambda x, p: posenc.apply_rotary(x, p, base, layout=layout)  # noqa: E731
    slack = np.linalg.norm(q) * np.linalg.norm(k) * (1e-14 + 4 * np.spacing(abs(m) + abs(n) + 1000))
    score = turn(q, m) @ turn(k, n)
    assert abs(score - turn(q, m + shift) @ turn(k, n + shift)) <= slack
    assert abs(score - q @ turn(k, n - m)) <= slack
    assert abs(np.linalg.norm(turn(q, m)) - np.linalg.norm(q)) <= 1e-14 * np.linalg.norm(q)
    assert np.abs(turn(turn(q, m), -m) - q).max() <= 1e-14 * np.linalg.norm(q)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_matrix_does_the_same(layout):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((5, 12))
    p = np.array([0, 1, -2.5, 300, 77])
    r = posenc.rotary_matrix(p, 12, 500.0, layout=layout)
    assert r.shape == (5, 12, 12)
    assert np.abs(np.einsum("nij,nj->ni", r, x) - posenc.apply_rotary(x, p, 500.0, layout=layout)).max() < 2e-15
    assert np.abs(r[1].T @ r[3] - posenc.rotary_matrix(299, 12, 500.0, layout=layout)).max() < 1e-15
    assert np.abs(r[2] @ r[2].T - np.eye(12)).max() < 5e-16
    assert np.array_equal(posenc.rotary_matrix(3, 12).T, posenc.shift_matrix(3, 12))  # the code's own shift, transposed


def test_layouts_are_reorderings_of_each_other():
    x = np.random.default_rng(2).standard_normal((3, 4, 10))
    one = posenc.apply_rotary(x, [5, 6, 7, 80], layout="interleaved")[..., order(10)]
    other = posenc.apply_rotary(x[..., order(10)], [5, 6, 7, 80], layout="half")
    assert np.abs(one - other).max() < 1e-15


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype, unit", [(np.float64, 2.0**-52), (np.float32, 2.0**-23), (np.float16, 2.0**-10)])
@pytest.mark.parametrize("n", [1, 63, 64, 500])
def test_against_mpmath(layout, dtype, unit, n):
    """Error in units of the pair's length: the products of float32 are rounded once more than a float64 result."""
    rng = np.random.default_rng(n)
    x = rng.standard_normal((2, n, 8)).astype(dtype)
    start = 1_000_000
    out = posenc.apply_rotary(x, start + np.arange(n), layout=layout)
    assert out.dtype == dtype and out.shape == x.shape
    a, b = (slice(0, 8, 2), slice(1, 8, 2)) if layout == "interleaved" else (slice(0, 4), slice(4, 8))
    with mpmath.workdps(40):
        for row in {0, n // 2, n - 1}:
            for j in range(4):
                angle = (start + row) * mpmath.mpf(10) ** -j
                c, s = mpmath.cos(angle), mpmath.sin(angle)
                xa, xb = (mpmath.mpf(float(x[1, row, part][j])) for part in (a, b))
                length = float(mpmath.hypot(xa, xb))
                assert abs(float(out[1, row, a][j]) - float(xa * c - xb * s)) <= 1.5 * unit * length
                assert abs(float(out[1, row, b][j]) - float(xa * s + xb * c)) <= 1.5 * unit * length


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n", [7, 100])
def test_partial_width_leaves_the_rest_bit_for_bit(layout, n):
    x = np.random.default_rng(3).standard_normal((2, n, 16)).astype(np.float32)
    out = posenc.apply_rotary(x, np.arange(n), layout=layout, rotary_dim=6)
    assert np.array_equal(out[..., 6:], x[..., 6:])
    assert np.array_equal(out[..., :6], posenc.apply_rotary(x[..., :6], np.arange(n), layout=layout))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_positions_of_every_kind(layout):
    """Batched, repeated, out of order, fractional, one step at a time: each row is turned by its own position."""
    x = np.random.default_rng(4).standard_normal((2, 3, 70, 8))
    turn = lambda x, p: posenc.apply_rotary(x, p, layout=layout)  # noqa: E731
    p = np.stack([np.arange(70) % 9, np.linspace(-4, 1e6, 70)])[:, None]  # (batch, 1, n)
    whole = turn(x, p)
    for b in range(2):
        for i in (0, 5, 69):
            assert np.abs(whole[b, :, i] - turn(x[b, :, i], p[b, 0, i])).max() < 1e-15
    run = turn(x, np.arange(70))
    for i in (0, 1, 69):
        step = turn(x[:, :, i : i + 1], [i])
        assert np.abs(run[:, :, i : i + 1] - step).max() < 2e-15
    assert np.array_equal(turn(x, np.arange(70)[None, None]), turn(x, np.broadcast_to(np.arange(70), (2, 3, 70))))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "make",
    [
        lambda x: x[..., ::-1],
        lambda x: x[::-1],
        np.asfortranarray,
        lambda x: np.broadcast_to(x[:1], x.shape),
        lambda x: x.astype(">f8"),
        lambda x: np.repeat(x, 2, -1)[..., ::2],
        lambda x: x.transpose(1, 0, 2),
        lambda x: x.astype(np.float32)[..., 1:-1],
    ],
)
def test_arrays_of_every_form(layout, make):
    x = make(np.random.default_rng(5).standard_normal((4, 4, 8)))
    before = x.copy()
    x.flags.writeable = False
    out = posenc.apply_rotary(x, np.arange(4), layout=layout)
    assert np.array_equal(x, before) and not np.shares_memory(out, x)
    assert np.array_equal(out, posenc.apply_rotary(np.ascontiguousarray(before), np.arange(4), layout=layout))
    assert out.dtype == x.dtype.newbyteorder("=") and out.flags.writeable


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(3, 2, 700, 64), (5, 700, 64), (40_000, 4), (700, 40, 1, 8), (2, 3, 2, 9, 512)])
def test_large_arrays_in_pieces_are_the_same(layout, shape):
    x = np.random.default_rng(7).standard_normal(shape)
    n = shape[-2]
    for p in (np.arange(n), [5], 5, np.arange(n)[::-1], np.full((*shape[:-2], 1), 5)):
        whole = posenc.apply_rotary(x, p, layout=layout)
        positions = np.broadcast_to(p, shape[:-1])
        for index in ((0,) * (len(shape) - 1), tuple(s - 1 for s in shape[:-1]), tuple(s // 2 for s in shape[:-1])):
            alone = posenc.apply_rotary(x[index], positions[index], layout=layout)
            assert np.abs(whole[index] - alone).max() < 5e-15


def test_frequencies_take_the_place_of_the_base():
    x = np.random.default_rng(6).standard_normal((9, 8))
    slow = posenc.interpolated(posenc.frequencies(8), 4)
    assert (
        np.abs(posenc.apply_rotary(x, np.arange(9) * 4, frequencies=slow) - posenc.apply_rotary(x, np.arange(9))).max()
        < 1e-15
    )
    assert np.array_equal(posenc.apply_rotary(x, np.arange(9), frequencies=np.zeros(4)), x)


def test_integers_and_empty_arrays():
    assert posenc.apply_rotary(np.array([1, 0]), 1).tolist() == posenc.apply_rotary([1.0, 0.0], 1).tolist()
    for shape in ((0, 8), (2, 0, 8), (0, 5, 8)):
        out = posenc.apply_rotary(np.empty(shape), np.arange(shape[-2]))
        assert out.shape == shape


@pytest.mark.parametrize(
    "change, error, name",
    [
        ({"x": np.ones((2, 7))}, ValueError, "the last axis of x"),
        ({"x": np.ones((2, 0))}, ValueError, "the last axis of x"),
        ({"x": 1.0}, ValueError, "x must have at least one axis"),
        ({"x": np.ones((2, 8), complex)}, TypeError, "x must be"),
        ({"x": np.ones((2, 8), bool)}, TypeError, "x must be"),
        ({"x": "xy"}, TypeError, "x must be"),
        ({"x": None}, TypeError, "x must be"),
        ({"x": [["1", "2"]]}, TypeError, "x must be"),
        ({"positions": [0, 1, 2]}, ValueError, "positions must broadcast"),
        ({"positions": [[0, 1]] * 3}, ValueError, "positions must broadcast"),
        ({"base": 0}, ValueError, "base must be"),
        ({"layout": "halves"}, ValueError, "layout must be one of"),
        ({"layout": None}, TypeError, "layout must be one of"),
        ({"rotary_dim": 10}, ValueError, "rotary_dim must be at most"),
        ({"rotary_dim": 3}, ValueError, "rotary_dim must be"),
        ({"rotary_dim": 0}, ValueError, "rotary_dim must be"),
        ({"rotary_dim": 4.0}, TypeError, "rotary_dim must be"),
        ({"frequencies": [1.0]}, ValueError, "frequencies must have one entry for each of the 4 pairs"),
        ({"frequencies": [1, 1, 1, -1]}, ValueError, "frequencies must be 0 or more"),
        ({"frequencies": [1, 1, 1, np.nan]}, ValueError, "frequencies must be finite"),
        ({"frequencies": [[1, 1, 1, 1]]}, ValueError, "frequencies must be one-dimensional"),
        ({"frequencies": [1, 1, 1, 1e300]}, ValueError, "frequencies must be at most"),
    ],
)
def test_what_does_not_fit_is_refused(change, error, name):
    with pytest.raises(error, match=name):
        posenc.apply_rotary(**({"x": np.ones((2, 8)), "positions": [0, 1]} | change))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("rows", [1, 20_000])
def test_a_rotation_beyond_the_range_of_the_dtype_is_refused(layout, dtype, rows):
    x = np.full((rows, 2), np.finfo(dtype).max)
    with pytest.raises(ValueError, match=f"x must be small enough to stay within the range of {np.dtype(dtype)}"):
        posenc.apply_rotary(x, np.full(rows, -0.8), layout=layout)
    assert np.array_equal(posenc.apply_rotary(x, 0, layout=layout), x)
    assert np.isinf(posenc.apply_rotary([np.inf, 1.0], -0.8, layout=layout)).all()  # one that came is no overflow


def kept():
    return _rotation._kept_turns.cache_info()


@pytest.fixture
def nothing_kept():
    _rotation._kept_turns.cache_clear()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, int])
@pytest.mark.parametrize(
    "positions",
    [
        5,
        [5],
        np.arange(90),  # a run
        np.arange(180)[::-2],
        np.arange(90) / 3,
        np.stack([np.arange(90), np.linspace(-4, 1e6, 90)])[:, None],
        np.asfortranarray(np.arange(540.0).reshape(2, 3, 90)),
        np.broadcast_to(np.arange(90), (2, 3, 90)),
    ],
)
@pytest.mark.parametrize("width", [4, 256])  # products in float64, and for float32 and 16 in float32
def test_turns_of_an_earlier_call_give_the_same_bits(nothing_kept, layout, dtype, positions, width):
    x = (100 * np.random.default_rng(8).standard_normal((2, 3, 90, width))).astype(dtype)
    first = posenc.apply_rotary(x, positions, layout=layout)
    want = first.copy()
    first[:] = 0  # the caller's own
    again = posenc.apply_rotary(x, positions, layout=layout)
    assert (kept().misses, kept().hits) == (1, 1)
    assert np.array_equal(again, want) and again.flags.writeable
    _rotation._kept_turns.cache_clear()
    assert np.array_equal(posenc.apply_rotary(x, positions, layout=layout), want)


def test_turns_are_taken_up_again_by_the_same_call_alone(nothing_kept):
    """Whatever changes the turns makes new ones, and what came before is no part of the result."""
    x = np.random.default_rng(9).standard_normal((4, 4, 8))
    changes = [
        {},
        {"positions": np.arange(4) + 1},
        {"positions": np.arange(4)[:, None]},  # the same numbers in another shape
        {"positions": -np.arange(4)},
        {"base": 500.0},
        {"rotary_dim": 4},
        {"x": np.tile(x.astype(np.float32), (1, 1, 200))[..., :1600], "rotary_dim": 8},
    ]
    calls = [{"x": x, "positions": np.arange(4)} | change for change in changes]
    alone = []
    for call in calls:
        _rotation._kept_turns.cache_clear()
        alone.append(posenc.apply_rotary(**call))
    _rotation._kept_turns.cache_clear()
    for call, want in zip(calls * 2, alone * 2):
        assert np.array_equal(posenc.apply_rotary(**call), want)
    assert kept().hits == 0 and kept().currsize == 4  # seven in turn, of which the last four are kept


def test_kept_turns_can_not_be_written_to(nothing_kept):
    posenc.apply_rotary(np.ones((3, 8)), [4, 6, 5])
    posenc.apply_rotary(np.ones((3, 8)), [4, 6, 5], layout="half")
    for layout in LAYOUTS:
        turns = _rotation.turns(np.array([4.0, 6, 5]), _angles.from_base(8, 10_000.0), layout, np.dtype(float))
        for array in (*turns, turns[0].view(complex)):
            assert len(array) == 3
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0
    assert kept().hits == 2


def test_frequencies_of_the_caller_and_many_positions_are_not_kept(nothing_kept):
    posenc.apply_rotary(np.ones((3, 8)), [4, 6, 5], frequencies=posenc.frequencies(8))
    for layout, most in (("interleaved", 2**17), ("half", 2**16)):  # tokens of 8 numbers of four bytes, once or twice
        misses = kept().misses
        posenc.apply_rotary(np.ones((most + 1, 8), np.float32), np.arange(most + 1), layout=layout)
        assert kept().misses == misses
        posenc.apply_rotary(np.ones((most, 8), np.float32), np.arange(most), layout=layout)
        assert kept().misses == misses + 1
    most = kept().maxsize
    assert most is not None and most * _rotation._KEPT == 2**24  # bytes


@st.composite
def views(draw, shape, dtype):
    """A view of a shape, and the bytes it looks into: axes in any order, with gaps, backwards, at any address."""
    axes = draw(st.permutations(range(len(shape))))
    steps = draw(st.lists(st.sampled_from([1, 1, 1, 2, -1, -3]), min_size=len(shape), max_size=len(shape)))
    before, after = draw(st.tuples(st.integers(0, 2), st.integers(0, 2)))
    extents = [before + (n - 1) * abs(step) + 1 + after for n, step in zip(shape, steps)]
    itemsize = np.dtype(dtype).itemsize
    size = np.prod([extents[a] for a in axes]) * itemsize
    memory = np.full(size + itemsize, 77, np.uint8)
    start = draw(st.integers(0, itemsize))
    array = memory[start : start + size].view(dtype).reshape([extents[a] for a in axes]).transpose(np.argsort(axes))
    array = array[tuple(slice(before, before + (n - 1) * abs(step) + 1) for n, step in zip(shape, steps))]
    return memory, array[tuple(slice(None, None, step) for step in steps)]


@given(
    data=st.data(),
    layout=st.sampled_from(LAYOUTS),
    dtype=st.sampled_from([np.float16, np.float32, np.float64]),
    lead=st.lists(st.integers(1, 4), max_size=3),
    many=st.sampled_from([1, 1, 1, 900, 2300]),  # more numbers than are turned in float64, or at once
    pairs=st.integers(1, 8),
    more=st.integers(0, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_out_is_written_and_nothing_else(data, layout, dtype, lead, many, pairs, more, seed):
    """Into any view, in place in any view: the bits of a call without `out`."""
    rng = np.random.default_rng(seed)
    if lead:
        lead[-1] *= many
    shape = (*lead, 2 * pairs + more)
    positions = [5, np.arange(lead[-1]) if lead else 7, rng.integers(0, 1000, lead)][seed % 3]
    turn = lambda x, out=None: posenc.apply_rotary(  # noqa: E731
        x, positions, layout=layout, rotary_dim=2 * pairs, out=out
    )
    plain = rng.standard_normal(shape).astype(dtype)
    want = turn(plain.copy())
    source, x = data.draw(views(shape, dtype))
    memory, out = data.draw(views(shape, dtype))
    untouched = memory.copy()
    x[...] = plain
    before = source.copy()
    assert turn(x, out) is out and out.tobytes() == want.tobytes()
    assert np.array_equal(source, before)
    out.view(f"V{out.itemsize}")[...] = b"M" * out.itemsize  # 77, as before
    assert np.array_equal(memory, untouched)
    assert turn(x, x) is x and x.tobytes() == want.tobytes()
    x[...] = plain
    assert np.array_equal(source, before)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(2, 5, 8), (3, 2, 700, 64)])
@pytest.mark.parametrize("width", [4, 8])
@pytest.mark.parametrize(
    "pair",
    [
        lambda a: (a[..., :-1, :, :-1], a[..., 1:, :, :-1]),
        lambda a: (a[..., 1:, :, :-1], a[..., :-1, :, :-1]),
        lambda a: (a[..., :-1, :, 1:], a[..., :-1, :, :-1]),
        lambda a: (a[..., :-1, :, :-1], a[..., :-1, ::-1, :-1]),
        lambda a: (a[..., :-1, :, -2::-1], a[..., :-1, :, :-1]),
        lambda a: (np.broadcast_to(a[..., 2:3, :, :-1], a[..., 1:, :, 1:].shape), a[..., 1:, :, 1:]),
    ],
)
def test_out_may_share_memory_with_x(layout, dtype, shape, width, pair):
    *lead, rows, columns = shape
    memory = np.random.default_rng(11).standard_normal((*lead[:-1], lead[-1] + 1, rows, columns + 1)).astype(dtype)
    x, out = pair(memory)
    assert np.shares_memory(x, out)
    turn = lambda x, **more: posenc.apply_rotary(  # noqa: E731
        x, np.arange(rows), layout=layout, rotary_dim=width, **more
    )
    want = turn(x.copy())
    assert turn(x, out=out) is out and np.array_equal(out, want)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("side", [6, 40])
def test_out_may_be_x_with_its_axes_in_another_order(layout, side):
    cube = np.random.default_rng(15).standard_normal((side, side, side)).astype(np.float32)
    for axes in ((0, 1), (1, 2)):
        out = cube.swapaxes(*axes)
        want = posenc.apply_rotary(cube.copy(), np.arange(side), layout=layout)
        assert np.array_equal(posenc.apply_rotary(cube, np.arange(side), layout=layout, out=out), want)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_out_may_be_memory_of_the_positions_or_frequencies_or_of_another_dtype(layout):
    x = np.random.default_rng(12).standard_normal((4, 3, 8))
    out = np.empty(x.shape)
    for name, part in (("positions", out[..., 0]), ("positions", out[0, 0, :3]), ("frequencies", out[0, 0, 4:])):
        out[...] = np.random.default_rng(13).uniform(0, 9, x.shape)
        arguments: dict[str, Any] = {"x": x, "positions": 5, "layout": layout, name: part}
        copied: dict[str, Any] = arguments | {name: part.copy()}
        want = posenc.apply_rotary(**copied)
        assert np.array_equal(posenc.apply_rotary(**arguments, out=out), want)
    integers = out.view(np.int64)
    integers[...] = np.arange(x.size).reshape(x.shape)
    want = posenc.apply_rotary(integers.copy(), [4, 5, 6], layout=layout, rotary_dim=4)
    assert want.dtype == float
    assert np.array_equal(posenc.apply_rotary(integers, [4, 5, 6], layout=layout, rotary_dim=4, out=out), want)


def test_out_may_be_a_file(tmp_path):
    x = np.random.default_rng(14).standard_normal((3, 8))
    want = posenc.apply_rotary(x, [1, 2, 3])
    file = np.memmap(tmp_path / "out", float, "w+", shape=x.shape)
    assert posenc.apply_rotary(x, [1, 2, 3], out=file) is file and np.array_equal(file, want)
    file[:] = x
    assert posenc.apply_rotary(file, [1, 2, 3], out=file) is file and np.array_equal(file, want)
    assert np.array_equal(posenc.apply_rotary(x, [1, 2, 3]), want)


def read_only(shape):
    array = np.ones(shape)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "out, error, words",
    [
        ([[0.0] * 8] * 2, TypeError, "a plain NumPy array to write into, or None for a new one, got "),
        (np.ma.ones((2, 8)), TypeError, "a plain NumPy array to write into, or None for a new one, got a masked array"),
        (np.ones((2, 8), np.float32), TypeError, "the dtype of the result, float64, got float32; make it an array of"),
        (np.ones((2, 8), ">f8"), TypeError, "the dtype of the result, float64, got >f8"),
        (np.ones((2, 8), int), TypeError, "the dtype of the result, float64, got int64"),
        (np.ones((2, 6)), ValueError, r"the shape of the result, \(2, 8\), got \(2, 6\); reshape it or take a slice"),
        (np.ones((1, 2, 8)), ValueError, r"the shape of the result, \(2, 8\), got \(1, 2, 8\)"),
        (np.ones(8), ValueError, r"the shape of the result, \(2, 8\), got \(8,\)"),
        (read_only((2, 8)), ValueError, "writeable, got a read-only array"),
        (np.lib.stride_tricks.as_strided(np.ones(8), (2, 8), (0, 8)), ValueError, "a place of its own for every entry"),
        (np.lib.stride_tricks.as_strided(np.ones(9), (2, 8), (8, 8)), ValueError, "a place of its own for every entry"),
    ],
)
def test_an_out_that_does_not_fit_is_refused_and_left_alone(out, error, words):
    before = np.array(out)
    with pytest.raises(error, match=f"out must (be|have) {words}"):
        posenc.apply_rotary(np.ones((2, 8)), [0, 1], out=out)
    assert np.array_equal(out, before)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("rows", [1, 20_000])
def test_out_and_x_when_a_call_is_refused(layout, rows):
    """Arguments outside their domains leave `out` alone; a result beyond the range of its dtype leaves x alone."""
    out = np.full((rows, 4), 3.0, np.float32)
    for wrong in ({"positions": np.nan}, {"positions": [0, 1, 2]}, {"positions": 2.0**53, "base": 1e-9}):
        with pytest.raises(ValueError, match=r"posi|base"):
            unchecked.apply_rotary(np.ones_like(out), **{"layout": layout, "out": out} | wrong)
    assert (out == 3).all()
    x = np.full((rows, 4), np.finfo(np.float32).max)
    before = x.copy()
    with pytest.raises(ValueError, match="x must be small enough"):
        posenc.apply_rotary(x, -0.8, layout=layout, out=out)
    assert np.array_equal(x, before)


def test_a_signalling_nan_is_refused_like_any_other():
    nan = np.full(2, 0x7F800001, np.uint32).view(np.float32)
    for state in ("raise", "warn"):  # warnings are errors here
        with np.errstate(all=state), pytest.raises(ValueError, match=r"positions must be finite .* got nan"):
            posenc.apply_rotary(np.ones((2, 4)), nan)


def test_an_out_whose_axes_interlock_is_refused_without_a_false_word():
    """Every entry of this view has a place of its own, which takes a search to see: it only "may" share."""
    out = np.lib.stride_tricks.as_strided(np.ones(30), (2, 3, 4), (24, 16, 64))
    assert len({24 * i + 16 * j + 64 * k for i, j, k in np.ndindex(out.shape)}) == out.size
    with pytest.raises(ValueError, match="in which some may share one; give a copy of it"):
        posenc.apply_rotary(np.ones(out.shape), 0, out=out)
