"""Faults that other programs had: the right answer comes out, and the wrong one would have been noticed.

data/known_faults.json holds for each the reports it was seen in, the right values and, where there are any, the wrong.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from unchecked import unchecked

import posenc

FAULTS = json.loads((Path(__file__).parent / "data" / "known_faults.json").read_text(encoding="utf8"))
TESTED = set()


def fault(name):
    """Right and wrong values of a fault, counted as tested."""
    TESTED.add(name)
    return FAULTS[name].get("right"), FAULTS[name].get("wrong")


def check(got, right, wrong=None, tol=1e-12):
    assert np.shape(got) == np.shape(right)
    assert np.allclose(got, right, rtol=0, atol=tol)
    if wrong is not None:
        assert not (np.shape(wrong) == np.shape(right) and np.allclose(wrong, right, rtol=0, atol=tol))


def code(position, dim, base=10_000.0, **more):
    return posenc.sinusoidal_encoding(position, dim, base, **more)


def test_odd_width():
    fault("odd width")
    for call in (lambda: code(3, 5), lambda: posenc.sinusoidal_table(4, 5)):
        with pytest.raises(ValueError, match=r"dim must be a positive even number .* got 5"):
            call()


def test_smallest_widths():
    right, _ = fault("smallest widths")
    check(code(1, 2), right["d2"])
    for dim in (1, 0, -2):
        with pytest.raises(ValueError, match="dim must be a positive even number"):
            code(1, dim)


def test_exponent_from_the_pair():
    right, wrong = fault("exponent from the column instead of the pair")
    check(code(1, 8), right["row"], wrong)


def test_layout_of_the_paper():
    right, _ = fault("another program's layout")
    check(code(1, 8), right["paper"], right["tensor2tensor"])


@pytest.mark.parametrize("base", [10_000, np.int64(10_000), np.float32(10_000), np.array(10_000)])
def test_integers_in_the_exponent(base):
    right, wrong = fault("integers in the exponent")
    omega = posenc.frequencies(128, base)
    check(omega[[1, 63]], [right["freq1"], right["freq63"]], [wrong["freq1"], wrong["freq63"]])
    for positions in ([2], np.array([2], np.int32), np.array([2], np.uint8)):
        check(code(positions, 128, base)[0, 2], right["sin_pair1_p2"], wrong["sin_pair1_p2"])


def test_first_position():
    right, _ = fault("first position 0, 1 or 2")
    check(code(0, 4), right["zero_based_row0"], code(1, 4))
    check(posenc.sinusoidal_table(1, 4)[0], right["zero_based_row0"])
    check(posenc.sinusoidal_table(1, 4, start=2)[0], right["table_row_2_used_for_the_first_token"])


def test_angles_in_low_precision():
    right, wrong = fault("angles in low precision")
    want = [right["sin"], right["cos"]]
    for positions in (65_579, np.float32(65_579), np.array([65_579], np.int32)):
        check(np.ravel(code(positions, 128))[2:4], want, [wrong["sin"], wrong["cos"]], tol=2e-11)
        check(np.ravel(code(positions, 128, dtype=np.float32))[2:4], want, [wrong["sin"], wrong["cos"]], tol=3e-8)
    x = np.zeros((1, 128), np.float32)
    x[0, 2] = 1
    check(posenc.apply_rotary(x, [65_579])[0, 2:4], [right["cos"], right["sin"]], tol=1e-7)


def test_positions_in_float16():
    right, _ = fault("positions in float16")
    out = posenc.apply_rotary(np.ones((2050, 2), np.float16), np.arange(2050))
    check(out[2048], right["row2048"], tol=1e-3)
    check(out[2049], right["row2049"], right["row2048"], tol=1e-3)
    check(posenc.apply_rotary(np.ones((1, 2), np.float16), [65_536])[0], right["row65536"], tol=2e-3)


def test_narrow_integers():
    right, wrong = fault("narrow integers overflow")
    for dtype, last in ((np.int8, 127), (np.uint8, 255), (np.int16, 32_767)):
        positions = np.array([0, last], dtype)
        want = right[f"a_{np.dtype(dtype).name}_{last}"]
        check(code(positions, 2)[1], want, tol=2e-11)
        check(posenc.apply_rotary(np.tile([1.0, 0.0], (2, 1)), positions)[1], want[::-1], tol=2e-11)
        moved = right[f"b_{last + 3}"]
        check(posenc.shift_matrix(3, 2) @ code(positions, 2)[1], moved, wrong[f"b_{last + 3}_wrapped"], tol=2e-11)
        check(unchecked.sinusoidal_table(2, 2, start=np.int64(last) + 2)[1], moved, tol=2e-11)
    bias = posenc.alibi_bias(np.array([100], np.int8), np.array([-100], np.int8), 1)
    assert bias.item() == -200 * posenc.alibi_slopes(1)[0]


def test_integers_give_floats():
    right, wrong = fault("table in the dtype of integers")
    table = code(np.array([1, 2], np.int32), 2)
    check(table, right["table"], wrong["table"])
    assert (np.zeros((2, 2), np.int64) + table).dtype == np.float64
    assert posenc.apply_rotary(np.array([[1, 0]]), [1]).dtype == np.float64


def test_keys_turn_the_same_way():
    right, wrong = fault("keys turned the other way")
    q, k = np.array([1.0, 2, 3, 4]), np.array([4.0, 3, 2, 1])
    turn = posenc.apply_rotary
    check(turn(q, 7) @ turn(k, 4), right["score"], wrong["score"], tol=1e-11)
    check(turn(q, 1007) @ turn(k, 1004), right["score_shifted_by_1000"], tol=1e-11)
    check(turn(turn(q, 7), -7), q)


def test_interpolation_divides_every_frequency():
    right, wrong = fault("interpolation in the wrong place")
    slow = posenc.interpolated(posenc.frequencies(8), 4)
    check(slow, right["freq"], wrong["freq_inside_power"])
    got = posenc.apply_rotary([1.0, 0, 0, 0, 0, 0, 0, 0], 8, frequencies=slow)[:2]
    check(got, right["pair0_p8"], wrong["pair0_p8_inverted"])


def test_every_row_is_turned_by_its_own_position():
    right, wrong = fault("positions ignored")
    x = np.tile([1.0, 0.0], (4, 1))
    check(posenc.apply_rotary(x, [0, 1, 0, 1]), right["packed"], wrong["packed"])
    check(posenc.apply_rotary(x, [5, 2, 9, 2]), right["scattered"])
    check(posenc.apply_rotary(x, [0, 0, 0, 1])[3], right["slot3_with_left_padding_2"])


def test_leading_axes_share_the_positions():
    right, _ = fault("turned along another axis")
    out = posenc.apply_rotary(np.ones((2, 3, 4, 2)), np.arange(4))
    for b in range(2):
        for h in range(3):
            check(out[b, h], right["block"])
    check(posenc.apply_rotary(np.ones((4, 2)), np.arange(4)), right["block"])
    check(posenc.apply_rotary(np.ones(2), 3), right["vector_p3"])


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_inputs_are_not_written_to(layout):
    right, _ = fault("inputs written to")
    q = np.array([[1.0, 2.0, 3.0, 4.0]])
    for view in (q, q[:, ::-1]):
        before = view.copy()
        view.flags.writeable = False
        out = posenc.apply_rotary(view, [1], layout=layout)
        assert np.array_equal(view, before) and out.flags.writeable
        if layout == "interleaved" and view is q:
            check(out[0], right["result"], before[0])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_results_keep_the_dtype(dtype):
    right, _ = fault("dtype of the result")
    out = posenc.apply_rotary(np.array([1, 2, 3, 4], dtype), 1000)
    want = np.array(right[np.dtype(dtype).name]).astype(dtype)
    assert out.dtype == dtype
    assert (np.abs(out - want) <= np.spacing(np.abs(want)) + 1e-12 * (dtype is np.float64)).all()


def test_the_base_is_an_argument():
    right, wrong = fault("base built in")
    slowest = [posenc.frequencies(128, base)[63] for base in (1e4, 5e5, 1e6)]
    want = [right["f63_1e4"], right["f63_5e5"], right["f63_1e6"]]
    assert np.allclose(slowest, want, rtol=1e-12, atol=0)
    check(code(4096, 128, 500_000)[65], right["cos_pair32_p4096_5e5"], wrong["cos_pair32_p4096_with_1e4"], tol=1e-11)


def test_partial_rotary_width():
    right, wrong = fault("partial rotary width")
    x = np.arange(1.0, 9.0)
    half = posenc.apply_rotary(x, 5, layout="half", rotary_dim=4)
    check(half, right["half_split"], wrong["from_head_dim"])
    check(posenc.apply_rotary(x, 5, rotary_dim=4), right["interleaved"])
    assert np.array_equal(half[4:], x[4:])


def test_layouts_are_not_mixed():
    right, wrong = fault("layouts mixed")
    x, p = np.arange(1.0, 7.0), [0, 2, 4, 1, 3, 5]
    one, other = (posenc.apply_rotary(x, 2, layout=layout) for layout in ("interleaved", "half"))
    check(one, right["interleaved"], wrong["mixed"])
    check(other, right["half_split"], wrong["mixed"])
    check(one[p], posenc.apply_rotary(x[p], 2, layout="half"))
    check([one @ one, other @ other], [right["squared_length"]] * 2, [wrong["squared_length"]] * 2)


def test_an_xpos_scale_laid_out_in_pairs():
    """posenc offers no xPos; with a scale a pair, in the layout of the rotation, its rotary gives what xPos should."""
    right, wrong = fault("xPos scale in the wrong layout")
    q, k, dim = np.array([1.0, 2, 3, 4]), np.array([4.0, 3, 2, 1]), 4
    scale = (np.arange(0, dim, 2) + 0.4 * dim) / (1.4 * dim)
    check(scale, right["scales"])

    def score(m, n, spread):
        up, down = spread(scale ** (m / 512)), spread(scale ** (-n / 512))
        return (posenc.apply_rotary(q, m) * up) @ (posenc.apply_rotary(k, n) * down)

    pairs, halves = (lambda s: np.repeat(s, 2)), (lambda s: np.tile(s, 2))
    check([score(600, 500, pairs), score(100, 0, pairs)], [right["score_600_500"], right["score_100_0"]], tol=1e-10)
    check([score(600, 500, halves), score(100, 0, halves)], [wrong["score_600_500"], wrong["score_100_0"]], tol=1e-10)


def test_ntk_exponent():
    right, wrong = fault("NTK exponent")
    omega = posenc.frequencies(128)
    scaled = posenc.ntk_aware(omega, 8)
    check([scaled[63] / omega[63], scaled[0], scaled[32]], [right["ratio_pair63"], right["pair0"], right["pair32"]])
    bases = [wrong["base_times_alpha"], wrong["inverted_exponent"]]
    check([scaled[1] ** -64] * 2, [right["new_base"]] * 2, bases, tol=1e-6)


def test_dynamic_ntk_follows_the_length():
    right, wrong = fault("dynamic NTK that is constant")
    bases = [posenc.dynamic_ntk(posenc.frequencies(128), n, 2048, 2)[1] ** -64 for n in (2048, 4096, 3000)]
    check(bases, [right["L2048"], right["L4096"], right["L3000"]], [wrong["constant"]] * 3, tol=1e-6)


def test_yarn_ramp_ends():
    right, wrong = fault("YaRN ramp ends")
    yarn = lambda ramp: posenc.yarn(posenc.frequencies(8), 4, 131_072, ramp=ramp)  # noqa: E731
    check(yarn("reference"), right["freq_rounded"], wrong["capped_at_d/2-1"])
    check(yarn("unrounded"), right["freq_exact"], right["freq_rounded"])
    check(yarn("paper"), right["freq_paper_ramp_in_rotations"], right["freq_rounded"])


def test_yarn_factor_is_applied_once_and_not_behind_the_readers_back():
    right, wrong = fault("YaRN factor twice")
    got = [posenc.yarn_attention_factor(s) for s in (40, 1, 0.5, 64)]
    want = [right["s40"], right["s1"], right["s0.5"], right["s64_default"]]
    check(got, want, [wrong["s40_squared"], *want[1:]], tol=1e-13)
    # A model that gives its own factor, 1 say, uses that one: the frequencies carry none.
    x = np.ones(128)
    turned = posenc.apply_rotary(x, 9, frequencies=posenc.yarn(posenc.frequencies(128), 64, 4096))
    check(np.linalg.norm(turned) / np.linalg.norm(x), right["s64_explicit_1"], right["s64_default"])


def test_llama3_blend():
    right, wrong = fault("Llama 3 blend backwards")
    scaled = posenc.llama3(posenc.frequencies(8, 500_000), 8, 1, 4, 8192)
    assert np.allclose(scaled, right["freq"], rtol=1e-12, atol=0)
    assert not np.allclose(wrong["blend_backwards"], right["freq"], rtol=1e-12, atol=0)
    check(posenc.llama3([1.0], 8, 1, 4, 2 * np.pi * 4)[0], right["pair0_at_boundary"])
    with pytest.raises(ValueError, match="high_freq_factor must be above low_freq_factor"):
        posenc.llama3([1.0], 8, 4, 4)


def test_alibi_slopes_of_other_counts():
    right, wrong = fault("ALiBi slopes of other counts")
    check(posenc.alibi_slopes(8), right["n8"], wrong["n8_off_by_one"], tol=1e-15)
    check(posenc.alibi_slopes(12), right["n12"], wrong["n12_plain_geometric"], tol=1e-15)
    check(posenc.alibi_slopes(12, "paper"), wrong["n12_plain_geometric"], tol=1e-15)


def test_alibi_sign():
    right, wrong = fault("ALiBi sign")
    bias = posenc.alibi_bias(range(4), range(4), 8)[0]  # slope 0.5
    check(bias[3], right["last_bias_row"])
    check(posenc.softmax(bias)[3], right["last_weights"], wrong["last_weights_wrong_sign"])
    both = posenc.alibi_bias(range(4), range(4), 8, symmetric=True)[0]
    check(posenc.softmax(both, mask=posenc.causal_mask(4))[3], right["last_weights"])


def test_causal_mask_is_aligned_at_the_end():
    right, wrong = fault("causal mask aligned at the start")
    mask = posenc.causal_mask(2, 5)
    check(mask, right["mask_end_aligned"], wrong["mask_top_left"])
    out, _ = posenc.attention(np.zeros((2, 3)), np.zeros((5, 3)), np.arange(5.0)[:, None], mask=mask)
    check(out, right["output"], wrong["output"], tol=1e-13)


def test_rows_with_nothing_allowed():
    right, _ = fault("rows with nothing allowed")
    forbidden = np.array([[-np.inf] * 3, [0, 0, -np.inf]])
    v = np.array([[1.0], [2.0], [6.0]])
    with np.errstate(all="raise"):
        q, k = np.zeros((2, 4)), np.zeros((3, 4))
        for out, weights in (
            posenc.attention(q, k, v, bias=forbidden),
            posenc.attention(q, k, v, mask=forbidden == 0),
        ):
            check(weights, right["weights"], tol=1e-13)
            check(out, right["output"], tol=1e-13)


def test_mask_before_the_softmax_on_the_keys():
    right, wrong = fault("mask after the softmax")
    mask = posenc.causal_mask(4) & np.array([True, True, False, False])
    _, weights = posenc.attention(np.zeros((4, 2)), np.zeros((4, 2)), np.zeros((4, 1)), mask=mask)
    check(weights, right["weights"])
    check(weights[1], right["weights"][1], wrong["masked_after_softmax_row1"])


def test_softmax_does_not_overflow():
    right, _ = fault("softmax overflow")
    with np.errstate(over="raise", invalid="raise"):
        check(posenc.softmax([1000.0, 1001, 1002]), right["three"], tol=1e-14)
        check(posenc.softmax(np.array([151.29, 150.29], np.float32)), right["two"], tol=1e-6)
        check(posenc.softmax(np.array([12, 11], np.float16)), right["two"], tol=1e-3)
        check(posenc.softmax([-1000.0, -1001]), right["two"], tol=1e-14)


def test_empty_sequences():
    right, _ = fault("empty sequences")
    shapes = right["shapes"]
    assert code([], 8).shape == posenc.sinusoidal_table(0, 8).shape == tuple(shapes["table"])
    for shape in shapes["rotary"]:
        for layout in ("interleaved", "half"):
            assert posenc.apply_rotary(np.empty(shape), [], layout=layout).shape == tuple(shape)
    out, _ = posenc.attention(np.empty((0, 4)), np.ones((3, 4)), np.ones((3, 5)))
    assert out.shape == tuple(shapes["attention"])
    assert posenc.causal_mask(0).shape == tuple(shapes["mask"])


@pytest.mark.parametrize("positions", [4, [0, 4], np.arange(5)])
def test_learned_tables_are_not_clamped(positions):
    fault("learned table clamped")
    with pytest.raises(IndexError, match="position 4 is not in a table of 4 positions"):
        posenc.learned_encoding(np.ones((4, 2)), positions)


def test_every_known_fault_has_its_test():
    """Runs last in this file; a run of single tests has not seen the others."""
    if len(TESTED) < len(FAULTS):
        source = Path(__file__).read_text(encoding="utf8")
        assert all(f'fault("{name}")' in source for name in FAULTS)
    assert len(FAULTS) == 33
