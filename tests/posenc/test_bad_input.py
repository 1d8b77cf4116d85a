"""Whatever is put in for an argument, a function answers in plain arrays or refuses it in words of its own."""

import collections
import datetime
import decimal
import inspect
from fractions import Fraction

import numpy as np
import pytest
from unchecked import unchecked

import posenc
from posenc import layouts


class Indexed:
    def __index__(self):
        return 2


class Floating:
    def __float__(self):
        return 1.0


class Arrayed:
    def __array__(self, dtype=None, copy=None):
        return np.arange(3.0)


ENDLESS = []
ENDLESS.append(ENDLESS)
RUN = np.arange(3.0)
GOOD = {
    "sinusoidal_encoding": {"positions": RUN, "dim": 4, "base": 1e4, "dtype": float},
    "sinusoidal_table": {"length": 3, "dim": 4, "start": 0, "base": 1e4, "dtype": float},
    "frequencies": {"dim": 4, "base": 1e4},
    "wavelengths": {"dim": 4, "base": 1e4},
    "similarity": {"offsets": RUN, "dim": 4, "base": 1e4},
    "distance": {"offsets": RUN, "dim": 4, "base": 1e4},
    "shift_matrix": {"offset": 1.0, "dim": 4, "base": 1e4},
    "generator": {"dim": 4, "base": 1e4},
    "phasors": {"positions": RUN, "dim": 4, "base": 1e4},
    "apply_rotary": {
        **{"x": np.ones((3, 4)), "positions": RUN, "base": 1e4, "frequencies": None},
        **{"layout": "half", "rotary_dim": None, "out": None},
    },
    "rotary_matrix": {"position": 1.0, "dim": 4, "base": 1e4, "frequencies": None, "layout": "half"},
    "alibi_slopes": {"num_heads": 3, "convention": "code"},
    "alibi_bias": {
        **{"q_positions": RUN, "k_positions": RUN, "num_heads": 3},
        **{"convention": "code", "symmetric": False, "dtype": float},
    },
    "learned_encoding": {"table": np.ones((4, 2)), "positions": [0, 1]},
    "softmax": {"x": np.ones((2, 3)), "axis": -1, "mask": None},
    "causal_mask": {"n_queries": 2, "n_keys": 3, "window": 2},
    "attention": {
        **{"q": np.ones((2, 4)), "k": np.ones((3, 4)), "v": np.ones((3, 5))},
        **{"bias": None, "mask": None, "scale": None},
    },
    "interpolated": {"frequencies": [1.0, 0.1], "factor": 2.0},
    "ntk_aware": {"frequencies": [1.0, 0.1], "factor": 2.0},
    "dynamic_ntk": {"frequencies": [1.0, 0.1], "length": 4.0, "trained_length": 2.0, "factor": 2.0},
    "yarn": {
        **{"frequencies": [1.0, 0.1, 0.01], "factor": 2.0, "original_length": 100.0},
        **{"beta_fast": 32.0, "beta_slow": 1.0, "ramp": "reference"},
    },
    "yarn_attention_factor": {"factor": 2.0, "mscale": 1.0, "mscale_all_dim": 0.0},
    "llama3": {
        **{"frequencies": [1.0, 0.1], "factor": 8.0, "low_freq_factor": 1.0},
        **{"high_freq_factor": 4.0, "original_length": 8192.0},
    },
    "longrope": {
        **{"frequencies": [1.0, 0.1], "length": 3.0, "original_length": 2.0},
        **{"short_factors": [1.0, 1.0], "long_factors": [2.0, 2.0]},
    },
    "longrope_attention_factor": {"factor": 2.0, "original_length": 4096.0},
    "block_encoding": {"positions": RUN, "dim": 4, "base": 1e4, "order": "sin-cos", "spacing": "d/2", "dtype": float},
    "xpos_scales": {"positions": RUN, "dim": 4, "keys": False, "scale_base": 512.0, "gamma": 0.4},
    "grid_positions": {"sizes": {"y": 2, "x": 3}},
    "axial_encoding": {
        **{"positions": {"y": RUN, "x": RUN}, "dim": 8, "base": 1e4, "widths": None},
        **{"layout": "interleaved", "dtype": float},
    },
    "apply_axial_rotary": {
        **{"x": np.ones((3, 8)), "positions": [RUN, RUN], "sections": [2, 2], "base": 1e4, "frequencies": None},
        **{"layout": "half", "rotary_dim": None, "order": "contiguous"},
    },
    "axial_frequencies": {"sections": [2, 2], "base": 1e4, "order": "contiguous"},
    "pair_axes": {"sections": [2, 2], "order": "contiguous"},
    "t5_buckets": {"relative": [0, 1], "bidirectional": True, "num_buckets": 32, "max_distance": 128},
    "relative_bias": {
        **{"q_positions": [0, 1], "k_positions": [0, 1], "table": np.ones((32, 2))},
        **{"bidirectional": True, "max_distance": 128},
    },
    "resample_table": {"table": np.ones((4, 2)), "shape": 6, "method": "linear", "align": "cells"},
    "to_layout": {
        **{"weights": np.ones((8, 4)), "num_heads": 2, "source": "half", "target": "interleaved", "rotary_dim": None},
    },
    "rotary_cache": {
        **{"positions": RUN, "rotary_dim": 4, "base": 1e4, "frequencies": None, "layout": "half"},
        **{"dtype": "float32", "angles": "float64", "attention_factor": 1.0},
    },
    "LessonRandom": {"seed": 1},
}
NUMBERS = [
    *(None, True, np.True_, 1j, np.nan, np.inf, -np.inf, -1, 0, -0.0, 1e308, -1e308, 5e-324, 1e-310, 1.5, 4, 1e15),
    *(2**53, 2**53 + 1, 2**62, 2**63, 2**64, -(2**63), -(2**64), 10**400, np.int64(4), np.uint8(4), np.float64(4)),
    *(np.longdouble(2) ** 53 + 1, np.longdouble("1e-400"), np.float32("nan"), Fraction(1, 3), Fraction(10**400)),
    *(
        Fraction(1, 10**400),
        decimal.Decimal("1.5"),
        datetime.date(2020, 1, 1),
        np.datetime64("2020"),
        np.timedelta64(3),
    ),
]
THINGS = [
    *("x", b"x", "", [], [[]], (), {}, set(), object(), Indexed(), Floating(), Arrayed(), ENDLESS, range(3)),
    *([1, [2]], [1, None], [np.nan, 1, 2], [np.inf, 1], [1e308] * 3, [2**53 + 1, 0.5], [np.uint64(2**63), -1]),
    *(float, int, np.float32, "float32", "bfloat16", np.dtype(">f4"), np.longdouble, len, memoryview(b"abc")),
    *(bytearray(b"abc"), np.void(b"ab"), np.str_("a word"), np.ma.masked, [np.ma.masked], RUN.view(np.recarray)),
]
ARRAYS = [
    *(
        np.array(1),
        np.array(1.5),
        np.array([1]),
        np.array([1.5]),
        np.array([]),
        np.array([], int),
        np.array([], object),
    ),
    *(np.zeros((0, 4)), np.zeros((3, 0)), np.zeros((0, 0)), np.zeros((2, 0, 4)), np.ones((1,) * 61 + (4,))),
    *(
        RUN.astype(dtype)
        for dtype in (object, "U8", ">i2", ">f4", ">f8", "u1", "i1", "f2", np.longdouble, complex, bool)
    ),
    *(np.array([1, 2, 3], "M8[s]"), np.array([1, 2, 3], "m8[s]"), np.ma.array(RUN, mask=[True, False, False])),
    *(np.arange(12.0)[::4], np.arange(12.0).reshape(3, 4)[:, ::-1], np.asfortranarray(np.ones((3, 4)))),
    *(np.broadcast_to(1.0, (3, 4)), np.frombuffer(b"\0" * 24), np.full((3, 4), np.nan), np.full((3, 4), np.inf)),
    *(np.full((3, 4), 1e308), np.full((3, 4), 3e38, np.float32), np.full((3, 4), 6e4, np.float16)),
]
SUBJECTS = ("position ", "positions ", "the leading axes", "the last axis", "rows / num_heads ")
ENORMOUS = {"dim", "rotary_dim", "shape", "length", "n_queries", "n_keys", "num_heads"}


@pytest.mark.parametrize(
    "name, argument",
    [(name, argument) for name, arguments in GOOD.items() for argument in arguments],
)
@pytest.mark.parametrize("values", [NUMBERS, THINGS, ARRAYS], ids=["numbers", "things", "arrays"])
def test_bad_input_is_refused_in_words(name, argument, values):
    function = getattr(posenc, name)
    others = {*GOOD[name], "shape"}
    answered = 0
    for value in values:
        before = None
        if isinstance(value, np.ndarray) and value.dtype != object and argument != "out":
            before = value.copy()
        try:
            result = function(**(GOOD[name] | {argument: value}))
        except (TypeError, ValueError, IndexError) as error:
            message = str(error)
            subject = message.split()[0].strip(",").partition("[")[0]
            assert subject in others or message.startswith(SUBJECTS), message
            assert any(word in message for word in ("must", "is not in the table", "is not in a table")), message
            continue
        except MemoryError:
            assert argument in ENORMOUS
            continue
        answered += 1
        for part in result if isinstance(result, tuple) else (result,):
            if isinstance(part, np.ndarray):
                assert type(part) in (np.ndarray, layouts.LaidOut) and part.dtype.isnative
            if isinstance(part, (np.ndarray, np.floating, float)) and argument != "x":
                assert not np.isnan(part).any(), (name, argument, value)
        if before is not None:
            assert np.array_equal(value, before, equal_nan=before.dtype.kind == "f"), "what was given is changed"
    assert answered < len(values)


def test_every_argument_is_tried():
    for name, arguments in GOOD.items():
        parameters = inspect.signature(getattr(posenc, name)).parameters
        assert list(arguments) == [p for p in parameters if p in arguments] and arguments
        assert not {p.name for p in parameters.values() if p.default is p.empty} - set(arguments)


@pytest.mark.parametrize("memory", [np.ones((2, 3)), np.arange(6.0).reshape(2, 3).T, np.ones((2, 1, 3), np.int16)])
def test_a_memoryview_of_several_axes_counts_as_its_array(memory):
    """Items of one cannot be asked for, so that none is looked at for masked arrays."""
    view = memory.data
    assert np.array_equal(posenc.sinusoidal_encoding(view, 4), posenc.sinusoidal_encoding(memory, 4))
    assert np.array_equal(unchecked.softmax([view, view])[0], posenc.softmax(memory))


def test_a_memoryview_of_numbers_that_python_does_not_read_is_refused_or_taken_as_its_array():
    halves = np.ones(2, np.float16).data
    with pytest.raises(TypeError, match=r"sections\[0\] must be an integer, got 1.0"):
        posenc.pair_axes(halves)
    with pytest.raises(TypeError, match=r"sections\[0\] must be an integer, got array"):
        posenc.pair_axes(np.ones((2, 2), int).data)
    turned = posenc.apply_axial_rotary(np.ones((1, 4)), np.ones((2, 1)).data, np.ones(2, int).data)
    assert np.array_equal(turned, posenc.apply_axial_rotary(np.ones((1, 4)), [[1], [1]], [1, 1]))
    settings = {"rope_type": "longrope", "original_max_position_embeddings": 4, "attention_factor": 1.0}
    factors = {"short_factor": halves, "long_factor": halves}
    assert np.array_equal(posenc.from_config(settings | factors, 4).frequencies, posenc.frequencies(4))


@pytest.mark.parametrize(
    "value",
    [
        *([1.0, True], [5, False], (2, np.True_), [[1, 2], [3, True]], [np.array(True), 1.5], [[1, 0], [True, False]]),
        *([np.array([True, False]), np.array([1, 2])], collections.deque([1, True]), [range(2), (True, 1)]),
        [np.array([1, True], object), np.array([1.5, 2])],
    ],
)
def test_a_bool_in_a_list_of_numbers_is_no_number(value):
    """NumPy makes it 1 or 0 without a word."""
    words = "real numbers, got (True or False among them|dtype object)"
    with pytest.raises(TypeError, match=f"positions must be an array of {words}"):
        posenc.phasors(value, 2)
    with pytest.raises(TypeError, match=f"offsets must be an array of {words}"):
        posenc.similarity(value, 2)
    with pytest.raises(TypeError, match=f"x must be an array of {words}"):
        posenc.softmax(value)
    with pytest.raises(TypeError, match=f"relative must be an array of {words}"):
        posenc.t5_buckets(value, bidirectional=True)


class Empty:
    def __init__(self, dtype):
        self.dtype = dtype

    def __array__(self, dtype=None, copy=None):
        return np.empty(0, self.dtype)


def test_what_is_empty_is_asked_for_its_dtype_if_it_has_one():
    for value in (Empty(complex), Empty(bool), np.empty(0, complex).data, np.empty(0, complex)):
        with pytest.raises(TypeError, match=r"positions must be an array of real numbers, got dtype (complex128|bool)"):
            posenc.phasors(value, 4)
    for value in (Empty(float), Empty(np.int8), np.empty(0, int).data, [], (), range(0), collections.deque()):
        assert posenc.phasors(value, 4).shape == (0, 2)
    assert posenc.phasors([np.empty(0, complex)], 4).shape == (1, 0, 2)


def test_rows_of_a_table_in_foreign_byte_order_come_in_the_machines_own():
    table = np.arange(6.0).reshape(3, 2).astype(">f4")
    rows = posenc.learned_encoding(table, [2, 0])
    assert rows.dtype == np.float32 and rows.dtype.isnative and np.array_equal(rows, table[[2, 0]])
