"""Agreement with other programs, whose results stand in data/peers.json (made by data/make_peers.py)."""

import json
from pathlib import Path

import numpy as np
import pytest

import posenc

PEERS = json.loads((Path(__file__).parent / "data" / "peers.json").read_text(encoding="utf8"))
TRANSFORMERS, X, POSITIONS = PEERS["transformers"], np.array(PEERS["x"]), PEERS["positions"]
FLOAT32 = 3e-7  # transformers keeps its frequencies in float32


def test_every_result_has_an_origin():
    assert {"torch", "transformers", "rotary-embedding-torch", "x-transformers"} <= PEERS["origin"].keys()


def test_rotary_half_as_in_llama():
    got = posenc.apply_rotary(X, POSITIONS, layout="half")
    assert np.abs(got - TRANSFORMERS["llama_half"]).max() < 1e-12  # angles up to 2000 in one float64 product


@pytest.mark.parametrize("peer", [TRANSFORMERS["gptj_interleaved"], PEERS["rotary-embedding-torch"]["interleaved"]])
def test_rotary_interleaved_as_in_gptj_and_rotary_embedding_torch(peer):
    assert np.abs(posenc.apply_rotary(X, POSITIONS) - peer).max() < 1e-12


def test_the_code_as_in_x_transformers():
    peer = np.array(PEERS["x-transformers"]["sinusoidal_sines_then_cosines"])
    codes = posenc.sinusoidal_encoding(POSITIONS, 8)
    assert np.abs(np.concatenate([codes[:, 0::2], codes[:, 1::2]], -1) - peer).max() < 1e-12


@pytest.mark.parametrize(
    "name, scaled",
    [
        ("linear", lambda: posenc.interpolated(posenc.frequencies(128), 4)),
        ("dynamic", lambda: posenc.dynamic_ntk(posenc.frequencies(128), 20_000, 8192, 2)),
        ("yarn", lambda: posenc.yarn(posenc.frequencies(128), 4, 8192)),
        ("yarn_unrounded", lambda: posenc.yarn(posenc.frequencies(128, 150_000), 32, 4096, ramp="unrounded")),
        ("llama3", lambda: posenc.llama3(posenc.frequencies(128, 500_000))),
    ],
)
def test_context_extension_as_in_transformers(name, scaled):
    assert np.allclose(scaled(), TRANSFORMERS[name]["frequencies"], rtol=3e-6, atol=0)
    assert len(TRANSFORMERS[name]["frequencies"]) == 64


def test_yarn_factor_as_in_transformers():
    for name, factor in (("yarn", 4), ("yarn_unrounded", 32)):
        assert posenc.yarn_attention_factor(factor) == pytest.approx(TRANSFORMERS[name]["attention_factor"], rel=1e-15)


@pytest.mark.parametrize("heads", ["4", "6"])
def test_alibi_as_in_x_transformers(heads):
    got = posenc.alibi_bias(range(4), range(4), int(heads), symmetric=True)
    assert np.allclose(got, PEERS["x-transformers"]["alibi"][heads], rtol=FLOAT32)


@pytest.mark.parametrize("program", ["bloom", "mpt"])
def test_alibi_as_in_bloom_and_mpt(program):
    """Both add slope * (j - n + 1) or slope * j to key j: the bias of the last query up to a constant of the row."""
    for heads, rows in TRANSFORMERS[f"{program}_alibi_last_row"].items():
        got, want = posenc.alibi_bias([3], range(4), int(heads))[:, 0], np.array(rows)
        assert np.allclose(got - got[:, :1], want - want[:, :1], rtol=1e-6)


def test_attention_as_in_torch():
    q, k, v = X, np.array(PEERS["k"]), np.array(PEERS["v"])
    assert np.abs(posenc.attention(q, k, v)[0] - PEERS["torch"]["attention"]).max() < 1e-14
    causal = posenc.attention(q, k, v, mask=posenc.causal_mask(5))[0]
    assert np.abs(causal - PEERS["torch"]["attention_causal"]).max() < 1e-14
