"""Arrangements: codes in two blocks, weights between layouts of pairs, tables of cosines and sines."""

import copy
import json
import pickle
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import posenc

PEER = json.loads((Path(__file__).parent / "data" / "schemes.json").read_text(encoding="utf8"))
LAYOUTS = ["interleaved", "half"]


def test_cosines_first():
    """C25: a code of width 4 at step 1."""
    want = [0.5403023058681398, 0.9999500004166653, 0.8414709848078965, 0.009999833334166664]
    assert np.abs(posenc.block_encoding(1, 4, order="cos-sin", spacing="d/2") - want).max() < 1e-15


@pytest.mark.parametrize("case", PEER["timesteps"]["cases"], ids=lambda case: f"{case['order']} {case['spacing']}")
def test_blocks_as_in_diffusers(case):
    got = posenc.block_encoding(PEER["timesteps"]["steps"], 8, order=case["order"], spacing=case["spacing"])
    assert np.abs(got - case["code"]).max() < 1e-4  # it works in float32, at step 999


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5), st.sampled_from([2, 4, 10, 64]))
def test_blocks_hold_the_numbers_of_the_interleaved_code(positions, dim):
    code = posenc.sinusoidal_encoding(positions, dim, 500.0)
    sines_first = posenc.block_encoding(positions, dim, 500.0, order="sin-cos", spacing="d/2")
    cosines_first = posenc.block_encoding(positions, dim, 500.0, order="cos-sin", spacing="d/2")
    assert (sines_first == np.concatenate([code[:, 0::2], code[:, 1::2]], -1)).all()
    assert (cosines_first == np.concatenate([code[:, 1::2], code[:, 0::2]], -1)).all()


@pytest.mark.parametrize("base", [10_000.0, 3.0, 0.5, 1e300])
def test_the_other_spacing_ends_at_the_base_itself(base):
    dim = 12
    got = posenc.block_encoding([0.0, 1.0, 123.0], dim, base, order="sin-cos", spacing="d/2-1")
    angles = np.array([0.0, 1.0, 123.0])[:, None] * np.array([base ** (-j / 5) for j in range(6)])
    assert np.allclose(got, np.concatenate([np.sin(angles), np.cos(angles)], -1), rtol=0, atol=1e-13)
    far = posenc.block_encoding([10**15], dim, base, order="sin-cos", spacing="d/2-1")
    reference = posenc.sinusoidal_encoding([10**15], dim - 2, base)[0]
    assert (far[0, :5] == reference[0::2]).all()


def test_narrow_codes_in_blocks():
    assert posenc.block_encoding(2, 4, 5.0, order="cos-sin", spacing="d/2-1") == pytest.approx(
        [np.cos(2), np.cos(0.4), np.sin(2), np.sin(0.4)]
    )
    assert posenc.block_encoding([], 4, order="cos-sin", spacing="d/2").shape == (0, 4)
    assert posenc.block_encoding([1], 4, order="cos-sin", spacing="d/2", dtype="float16").dtype == np.float16
    with pytest.raises(ValueError, match="dim must be 4 or more for the spacing"):
        posenc.block_encoding(1, 2, order="cos-sin", spacing="d/2-1")
    with pytest.raises(ValueError, match="order must be one of"):
        posenc.block_encoding(1, 4, order="cos", spacing="d/2")
    with pytest.raises(ValueError, match="spacing must be one of"):
        posenc.block_encoding(1, 4, order="cos-sin", spacing="d/2 - 1")
    with pytest.raises(ValueError, match="base must be large enough"):
        posenc.block_encoding(1, 4, 1e-300, order="cos-sin", spacing="d/2-1")
    with pytest.raises(ValueError, match="positions must be"):
        posenc.block_encoding([2**53 + 1], 4, order="cos-sin", spacing="d/2")


@pytest.mark.parametrize("source", LAYOUTS)
@pytest.mark.parametrize("rotary_dim", [8, 4])
def test_scores_are_the_same_in_the_other_layout(source, rotary_dim):
    """C28: W_q and W_k of 4 and 2 heads, and their biases."""
    target = next(name for name in LAYOUTS if name != source)
    rng = np.random.default_rng(5)
    words, n = rng.standard_normal((6, 10)), np.arange(6)

    def turned(weights, bias, heads, layout):
        x = (words @ weights.T + bias).reshape(6, heads, 8).swapaxes(0, 1)
        return posenc.apply_rotary(x, n, layout=layout, rotary_dim=rotary_dim)

    scores = []
    for layout in (source, target):
        by_name = {}
        for name, heads in (("q", 4), ("k", 2)):
            made = np.random.default_rng(heads)
            weights, bias = made.standard_normal((8 * heads, 10)), made.standard_normal(8 * heads)
            moved, moved_bias = (
                posenc.to_layout(part, heads, source, layout, rotary_dim=rotary_dim) for part in (weights, bias)
            )
            by_name[name] = turned(moved, moved_bias, heads, layout)
        scores.append(by_name["q"] @ by_name["k"].repeat(2, 0).swapaxes(-1, -2))
    assert np.abs(scores[0] - scores[1]).max() < 1e-12


def test_rows_are_permuted_as_llamas_are():
    heads, head_dim, width = 3, 8, 5
    weights = np.random.default_rng(6).standard_normal((heads * head_dim, width))
    want = weights.reshape(heads, head_dim // 2, 2, width).swapaxes(1, 2).reshape(weights.shape)
    assert (posenc.to_layout(weights, heads, "interleaved", "half") == want).all()


def test_there_and_back_is_the_identity_and_twice_is_refused():
    weights = np.arange(24.0).reshape(12, 2)
    for source, target in (LAYOUTS, LAYOUTS[::-1]):
        once = posenc.to_layout(weights, 3, source, target)
        assert (posenc.to_layout(once, 3, target, source) == weights).all()
        assert (posenc.to_layout(weights, 3, source, source) == weights).all()
        assert (posenc.to_layout(once, 3, target, target) == once).all()
        changed = {
            "as it came": once,
            "a view": once[:8],
            "a copy": once.copy(),
            "another dtype": once.astype(np.float32),
            "deep copy": copy.deepcopy(once),
            "pickle": pickle.loads(pickle.dumps(once)),
        }
        for name, twice in changed.items():
            assert twice.layout == target, name
            with pytest.raises(ValueError, match=f"source must be '{target}', in which to_layout has left"):
                posenc.to_layout(twice, len(twice) // 4, source, target)


def test_heads_of_another_width_are_refused_afterwards():
    once = posenc.to_layout(np.arange(24.0), 3, "interleaved", "half")
    with pytest.raises(ValueError, match=r"heads of 8 rows with 8 rotated, .* got 4 and 4"):
        posenc.to_layout(once, 6, "half", "interleaved")
    with pytest.raises(ValueError, match=r"with 8 rotated, .* got 8 and 4"):
        posenc.to_layout(once, 3, "half", "interleaved", rotary_dim=4)


def test_arithmetic_makes_plain_arrays_of_weights():
    once = posenc.to_layout(np.arange(16.0).reshape(8, 2), 2, "interleaved", "half")
    for made in (once @ np.ones((2, 3)), once * 2, once + once, np.asarray(once), np.add.reduce(once)):
        assert type(made) is np.ndarray
    once += 1
    assert once.layout == "half" and once[0, 0] == 1
    assert np.abs(once).sum() == np.arange(1, 17).sum()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.longdouble, ">f4"])
def test_weights_keep_their_numbers_and_dtype(dtype):
    weights = np.arange(8).astype(dtype)
    before = weights.copy()
    got = posenc.to_layout(weights, 1, "interleaved", "half")
    assert got.dtype == np.dtype(dtype) and got.tolist() == [0, 2, 4, 6, 1, 3, 5, 7]
    assert (weights == before).all() and not np.shares_memory(weights, got)
    odd = np.array([np.nan, np.inf, -0.0, 2**60 + 1], np.longdouble)
    moved = posenc.to_layout(odd, 1, "interleaved", "half")
    assert np.isnan(moved[0]) and moved[2] == np.inf and moved[3] == odd[3]


@pytest.mark.parametrize(
    "weights, heads, ends, settings, error, words",
    [
        (np.ones(8), 3, LAYOUTS, {}, ValueError, "a multiple of 3 rows"),
        (np.ones(0), 1, LAYOUTS, {}, ValueError, "a multiple of 1 rows"),
        (np.ones(6), 2, LAYOUTS, {}, ValueError, "rows / num_heads must be a positive even"),
        (np.ones((2, 2, 2)), 1, LAYOUTS, {}, ValueError, "weights must have shape"),
        (np.ones(8), 0, LAYOUTS, {}, ValueError, "num_heads must be 1 or more"),
        (np.ones(8), 2, ["interleaved", "gptj"], {}, ValueError, "target must be one of"),
        (np.ones(8), 2, [None, "half"], {}, TypeError, "source must be one of"),
        (np.ones(8), 2, LAYOUTS, {"rotary_dim": 6}, ValueError, "rotary_dim must be at most the 4 rows"),
        (np.ma.ones(8), 2, LAYOUTS, {}, TypeError, "masked"),
        (np.ones(8, complex), 2, LAYOUTS, {}, TypeError, "weights must be"),
    ],
)
def test_faulty_weights_are_refused(weights, heads, ends, settings, error, words):
    with pytest.raises(error, match=words):
        posenc.to_layout(weights, heads, *ends, **settings)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_cache_rotates_as_apply_rotary_does(layout):
    rng = np.random.default_rng(7)
    x, places = rng.standard_normal((2, 5, 8)), [0, 1, 7, 500, 100_000]
    cosines, sines = posenc.rotary_cache(places, 8, layout=layout, dtype="float64")
    if layout == "half":
        swapped = np.concatenate([-x[..., 4:], x[..., :4]], -1)
    else:
        swapped = np.stack([-x[..., 1::2], x[..., 0::2]], -1).reshape(x.shape)
    assert np.abs(x * cosines + swapped * sines - posenc.apply_rotary(x, places, layout=layout)).max() < 1e-14


def test_a_cache_in_low_precision_is_off_by_half_a_unit_of_its_last_place():
    places = np.arange(5000)
    exact = posenc.rotary_cache(places, 64, dtype="float64")
    for dtype, bound in (("bfloat16", 2.0**-9), ("float16", 2.0**-12), ("float32", 2.0**-25)):
        for kept, right in zip(posenc.rotary_cache(places, 64, dtype=dtype), exact):
            error = np.abs(kept.astype(float) - right).max()
            assert bound * 0.9 < error <= bound * 1.001
    for dtype, bound in (("float32", 2.0**-23), ("bfloat16", 2.0**-6)):
        for kept, right in zip(posenc.rotary_cache(places, 64, dtype="float64", angles=dtype), exact):
            turned = places[:, None] * np.concatenate([posenc.frequencies(64)] * 2)
            assert (np.abs(kept - right) <= bound * turned).all()
            assert (np.abs(kept - right) > bound * turned / 10).any()


def test_angles_in_bfloat16_stop_at_256():
    cosines, sines = posenc.rotary_cache([256, 257, 8191, 8192], 2, dtype="float64", angles="bfloat16")
    assert (cosines[0] == cosines[1]).all() and (sines[2] == sines[3]).all()
    assert cosines[0, 0] == np.cos(256.0)


def test_rounding_to_bfloat16_as_in_torch():
    rounded = posenc.layouts._to_bfloat16(np.array(PEER["bfloat16"]["float32"], np.float32))
    assert (rounded == PEER["bfloat16"]["rounded"]).all()


def test_bfloat16_without_and_with_ml_dtypes(monkeypatch):
    kept = posenc.rotary_cache([1, 2, 3], 8, dtype="bfloat16")
    assert kept.cosines.dtype == ml_dtypes.bfloat16
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)  # as if it were not installed
    alone = posenc.rotary_cache([1, 2, 3], 8, dtype=ml_dtypes.bfloat16)
    for numbers, same in zip(alone, kept):
        assert numbers.dtype == np.float32 and (numbers == same.astype(np.float32)).all()


def test_weights_in_bfloat16():
    weights = np.arange(8).astype(ml_dtypes.bfloat16)
    got = posenc.to_layout(weights, 1, "interleaved", "half")
    assert got.dtype == ml_dtypes.bfloat16 and got.astype(int).tolist() == [0, 2, 4, 6, 1, 3, 5, 7]


def test_the_attention_factor_is_in_the_numbers():
    plain = posenc.rotary_cache([3], 4, dtype="float64")
    scaled = posenc.rotary_cache([3], 4, dtype="float64", attention_factor=1.25)
    assert (scaled.cosines == plain.cosines * 1.25).all() and (scaled.sines == plain.sines * 1.25).all()
    settings = posenc.from_config({"rope_type": "linear", "factor": 4.0}, 8)
    cache = posenc.rotary_cache([3], settings.rotary_dim, frequencies=settings.frequencies)
    assert cache.cosines[0, :4] == pytest.approx(np.cos(3 * posenc.frequencies(8) / 4), rel=1e-6)
    assert posenc.rotary_cache([], 4).cosines.shape == (0, 4)


@pytest.mark.parametrize(
    "positions, settings, error, words",
    [
        ([np.nan], {}, ValueError, "positions must be finite"),
        (np.ma.array([1]), {}, TypeError, "masked"),
        ([2**53 + 1], {}, ValueError, "positions must be"),
        ([1], {"dtype": "int8"}, TypeError, "dtype must be 'bfloat16'"),
        ([1], {"dtype": None}, TypeError, "dtype must be 'bfloat16'"),
        ([1], {"angles": np.longdouble}, TypeError, "angles must be 'bfloat16'"),
        ([10**5], {"angles": "float16"}, ValueError, "angles stay within the range of float16"),
        ([1], {"dtype": "float16", "attention_factor": 1e6}, ValueError, "attention_factor must be small enough"),
        ([1], {"attention_factor": 0}, ValueError, "attention_factor must be above 0"),
        ([1], {"layout": "thirds"}, ValueError, "layout must be one of"),
        ([1], {"frequencies": [1.0]}, ValueError, "frequencies must have one entry"),
    ],
)
def test_faulty_arguments_of_a_cache_are_refused(positions, settings, error, words):
    with pytest.raises(error, match=words):
        posenc.rotary_cache(positions, 4, **settings)
