"""What type checkers are told of results is true: `assert_type` is for them, the dtypes are looked at here."""

import inspect
from pathlib import Path
from typing import Any, assert_type, get_overloads

import numpy as np
import pytest
from numpy.typing import NDArray

import posenc
from posenc import layouts

Floats = NDArray[np.floating[Any]]
P = np.arange(3)
HALF, SINGLE, DOUBLE = np.ones((3, 4), np.float16), np.ones((3, 4), np.float32), np.ones((3, 4))


def test_a_dtype_that_is_asked_for_is_the_one_that_comes():
    double = [
        assert_type(posenc.sinusoidal_encoding([1, 2], 4), NDArray[np.float64]),
        assert_type(posenc.sinusoidal_table(3, 4, dtype=float), NDArray[np.float64]),
        assert_type(posenc.sinusoidal_table(3, 4, dtype=np.float64), NDArray[np.float64]),
        assert_type(posenc.block_encoding(P, 4, order="sin-cos", spacing="d/2"), NDArray[np.float64]),
        assert_type(posenc.axial_encoding({"y": P, "x": P}, 4), NDArray[np.float64]),
        assert_type(posenc.alibi_bias(P, P, 2), NDArray[np.float64]),
    ]
    single = [
        assert_type(posenc.sinusoidal_encoding([1, 2], 4, dtype=np.float32), NDArray[np.float32]),
        assert_type(posenc.sinusoidal_table(3, 4, dtype=np.dtype(np.float32)), NDArray[np.float32]),
        assert_type(posenc.block_encoding(P, 4, order="sin-cos", spacing="d/2", dtype=np.float32), NDArray[np.float32]),
        assert_type(posenc.axial_encoding({"y": P, "x": P}, 4, dtype=np.float32), NDArray[np.float32]),
        assert_type(posenc.alibi_bias(P, P, 2, dtype=np.float32), NDArray[np.float32]),
    ]
    named = [
        assert_type(posenc.sinusoidal_encoding([1, 2], 4, dtype="float16"), Floats),
        assert_type(posenc.sinusoidal_table(3, 4, 0, 1e4, "float16"), Floats),
        assert_type(posenc.alibi_bias(P, P, 2, dtype="float16"), Floats),
    ]
    assert {a.dtype for a in double} == {np.dtype(np.float64)}
    assert {a.dtype for a in single} == {np.dtype(np.float32)}
    assert {a.dtype for a in named} == {np.dtype(np.float16)}


def test_floats_keep_their_dtype():
    kept = [
        assert_type(posenc.apply_rotary(SINGLE, P), NDArray[np.float32]),
        assert_type(posenc.apply_rotary(DOUBLE, P), NDArray[np.float64]),
        assert_type(posenc.apply_axial_rotary(SINGLE, [P, P], [1, 1]), NDArray[np.float32]),
        assert_type(posenc.softmax(HALF), NDArray[np.float16]),
        assert_type(posenc.attention(SINGLE, SINGLE, SINGLE)[0], NDArray[np.float32]),
        assert_type(posenc.attention(SINGLE, SINGLE, SINGLE)[1], NDArray[np.float32]),
        assert_type(posenc.learned_encoding(HALF, [0]), NDArray[np.float16]),
        assert_type(posenc.resample_table(SINGLE, 5), NDArray[np.float32]),
        assert_type(posenc.relative_bias(P, P, DOUBLE[:2], bidirectional=False), NDArray[np.float64]),
    ]
    assert [a.dtype.name for a in kept] == [
        *("float32", "float64", "float32", "float16", "float32", "float32", "float16", "float32", "float64"),
    ]


def test_what_is_no_float_comes_as_float64():
    others = [
        assert_type(posenc.apply_rotary([1, 2], 3), Floats),
        assert_type(posenc.softmax([[1, 2]]), Floats),
        assert_type(posenc.attention([[1]], SINGLE[:, :1], DOUBLE)[0], Floats),
        assert_type(posenc.resample_table([[1], [2]], 3), Floats),
        assert_type(posenc.relative_bias([0], [0], [[1], [2]], bidirectional=False), Floats),
    ]
    assert {a.dtype for a in others} == {np.dtype(np.float64)}
    whole = assert_type(posenc.learned_encoding(np.array([[1, 2]], np.int16), [0]), NDArray[np.int16])
    assert whole.dtype == np.int16


def test_one_offset_gives_one_number():
    for offset in (5, 0.5, np.int8(5), np.float32(0.5)):
        assert type(assert_type(posenc.similarity(offset, 4), np.float64)) is np.float64
        assert type(assert_type(posenc.distance(offset, 4), np.float64)) is np.float64
    assert assert_type(posenc.similarity([5], 4), NDArray[np.float64]).shape == (1,)
    assert assert_type(posenc.distance(P, 4), NDArray[np.float64]).shape == (3,)


def test_results_that_know_more_say_so(tmp_path: Path):
    weights = assert_type(posenc.to_layout(SINGLE[:2], 1, "half", "interleaved"), layouts.LaidOut)
    assert weights.layout == "interleaved"
    file = np.memmap(tmp_path / "out", np.float64, "w+", shape=(3, 4))
    assert posenc.apply_rotary(DOUBLE, P, out=file) is file
    settings = {"rope_type": "linear", "factor": 4.0}
    one = assert_type(posenc.from_config(settings, 4, layer_type=None), posenc.RotarySettings)
    assert type(one) is posenc.RotarySettings


@pytest.mark.parametrize("name", posenc.__all__)
def test_overloads_have_the_parameters_of_the_function(name: str):
    function = getattr(posenc, name)
    for overload in get_overloads(function) if inspect.isfunction(function) else ():
        assert list(inspect.signature(overload).parameters) == list(inspect.signature(function).parameters)
