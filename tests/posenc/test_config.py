"""Published settings: the frequencies of the transformers library come out, and faulty settings are refused by name.

data/configs.json holds what that library makes of the settings in book/data/models.json and of some made up for the
purpose; data/make_configs.py wrote it, and says with which versions.
"""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from unchecked import unchecked

import posenc

ROOT = Path(__file__).parents[2]
PEER = json.loads((ROOT / "tests" / "posenc" / "data" / "configs.json").read_text(encoding="utf8"))
MODELS = json.loads((ROOT / "book" / "data" / "models.json").read_text(encoding="utf8"))["models"]
SETTINGS = {model["name"]: model["settings"] for model in MODELS}
ROTARY = [model["name"] for model in MODELS if model["scheme"] == "rotary"]
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500_000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
LONGROPE = {
    "rope_type": "longrope",
    "short_factor": [1.0, 1.5],
    "long_factor": [2.0, 8.0],
    "original_max_position_embeddings": 4096,
    "max_position_embeddings": 131_072,
}
YARN = {"rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 4096}


def check(got, want):
    assert np.allclose(got.frequencies, want["frequencies"], rtol=1e-12, atol=0)
    assert got.attention_factor == pytest.approx(want["attention_factor"], rel=1e-14)
    assert got.rotary_dim == 2 * len(want["frequencies"]) == 2 * got.frequencies.size
    assert got.frequencies.dtype == np.float64


def by_layer_type(settings: dict[str, Any], head_dim: int | None = None) -> dict[str, posenc.RotarySettings]:
    """Return what comes of settings that depend on the type of a layer."""
    made = posenc.from_config(settings, head_dim)
    assert isinstance(made, dict)
    return made


def test_the_results_of_transformers_have_an_origin_and_cover_twelve_models():
    assert {"torch", "transformers", "python", "script"} == PEER["origin"].keys()
    assert len(PEER["models"]) >= 12
    assert set(ROTARY) - PEER["models"].keys() == {"GPT-J"}  # whose program has the one base and no settings for it


@pytest.mark.parametrize("name", PEER["models"])
def test_whole_files_as_in_transformers(name):
    wanted = PEER["models"][name]
    by_type = wanted if isinstance(wanted, dict) else {None: wanted}
    for layer_type, results in by_type.items():
        for want in results:
            check(posenc.from_config(SETTINGS[name], length=want["length"], layer_type=layer_type), want)
    if isinstance(wanted, dict):
        assert by_layer_type(SETTINGS[name]).keys() == wanted.keys()


@pytest.mark.parametrize("case", PEER["cases"], ids=lambda case: f"{case['parameters']['rope_type']} {case['length']}")
def test_every_type_as_in_transformers(case):
    check(posenc.from_config(case["parameters"], case["head_dim"], length=case["length"]), case)


def test_gpt_j_rotates_64_of_256_coordinates():
    got = posenc.from_config(SETTINGS["GPT-J"])
    assert isinstance(got, posenc.RotarySettings)
    assert got.rotary_dim == 64
    assert (got.frequencies == posenc.frequencies(64)).all()


@pytest.mark.parametrize("name", sorted(SETTINGS.keys() - set(ROTARY)))
def test_models_without_rotary_positions_have_none_to_read(name):
    with pytest.raises(ValueError, match="rope_theta is missing"):
        posenc.from_config(SETTINGS[name])


def test_every_model_says_where_its_values_were_read():
    assert len({(model["name"], model["file"]) for model in MODELS}) == len(MODELS)
    for model in MODELS:
        assert model["repository"].count("/") == 1 and model["file"] == "config.json" and model["read_in"]
        assert model["read_on"].count("-") == 2
        assert model["scheme"] in ("learned", "relative", "alibi", "rotary")


def test_both_spellings_mean_the_same():
    new = posenc.from_config({"rope_type": "linear", "factor": 4.0, "rope_theta": 1e6}, 64)
    spellings = [
        {"type": "linear", "factor": 4.0, "rope_theta": 1e6},
        {"type": "linear", "rope_type": "linear", "factor": 4, "rope_theta": 1_000_000, "partial_rotary_factor": None},
        {"rope_scaling": {"type": "linear", "factor": 4.0}, "rope_theta": 1e6},
        {"rope_scaling": {"type": "linear", "factor": 4.0}, "rope_theta": 1e6, "model_type": "llama", "vocab_size": 9},
        {"rope_parameters": {"rope_type": "linear", "factor": 4.0, "rope_theta": 1e6}, "hidden_size": 4096},
        {"rope_parameters": {"rope_type": "linear", "factor": 4.0}, "rope_scaling": {"type": "linear", "factor": 4.0},
         "rope_theta": 1e6},
    ]  # fmt: skip
    for spelling in spellings:
        got = posenc.from_config(spelling, 64)
        assert (got.frequencies == new.frequencies).all() and got[1:] == new[1:] == (1.0, 64)


def test_settings_by_layer_type():
    plain, slow = {"rope_theta": 10_000.0}, {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6}
    both = by_layer_type({"sliding_attention": plain, "full_attention": slow, "none": None}, 256)
    assert both.keys() == {"sliding_attention", "full_attention"}
    for name, one in (("sliding_attention", plain), ("full_attention", slow)):
        alone = posenc.from_config(one, 256)
        chosen = posenc.from_config({"rope_parameters": {"sliding_attention": plain, "full_attention": slow},
                                     "head_dim": 256}, layer_type=name)  # fmt: skip
        for got in (both[name], chosen):
            assert (got.frequencies == alone.frequencies).all() and got[1:] == alone[1:]
    shared = posenc.from_config({"a": {"rope_type": "default"}, "rope_theta": 5e5}, 8, layer_type="a")
    assert (shared.frequencies == posenc.frequencies(8, 5e5)).all()
    with pytest.raises(ValueError, match=r"'sliding_attention'.*got 'chunked'"):
        posenc.from_config({"sliding_attention": plain}, 8, layer_type="chunked")


def test_heads_whose_width_depends_on_the_layer_type():
    """As in Gemma 4: the heads of full attention are wider, and a quarter of their pairs turn."""
    full = {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6}
    file = {
        "model_type": "gemma4_text",
        "head_dim": 256,
        "global_head_dim": 512,
        "rope_parameters": {"sliding_attention": {"rope_theta": 1e4}, "full_attention": full},
    }
    both = by_layer_type(file)
    assert (both["sliding_attention"].rotary_dim, both["full_attention"].rotary_dim) == (256, 512)
    alone = posenc.from_config(full, 512)
    assert (both["full_attention"].frequencies == alone.frequencies).all()
    assert (posenc.from_config(file, layer_type="full_attention").frequencies == alone.frequencies).all()
    assert (alone.frequencies[64:] == 0).all() and (alone.frequencies[:64] == posenc.frequencies(512, 1e6)[:64]).all()
    faulty = [
        ({**file, "global_head_dim": None}, "global_head_dim is missing"),
        ({**file, "rope_parameters": full}, "global_head_dim must come with rope_parameters by layer type"),
        ({**file, "per_layer_config": {"5": {"head_dim": 512}}}, "per_layer_config is not a setting"),
    ]
    for settings, words in faulty:
        with pytest.raises(ValueError, match=words):
            posenc.from_config(settings)


def test_longrope_switches_beyond_the_original_length():
    """C20: the short factors serve up to and including the original length."""
    for length, row in ((None, "short_factor"), (1, "short_factor"), (4096, "short_factor"), (4097, "long_factor")):
        got = posenc.from_config(LONGROPE, 4, length=length)
        assert (got.frequencies == posenc.frequencies(4) / LONGROPE[row]).all()
        assert got.attention_factor == pytest.approx(1.1902380714238083, rel=1e-12)
    assert posenc.longrope_attention_factor(32, 4096) == pytest.approx(1.1902380714238083, rel=1e-12)
    scaled = {**LONGROPE, "short_mscale": 1.1, "long_mscale": 1.3}
    assert posenc.from_config(scaled, 4, length=4096).attention_factor == 1.1
    assert posenc.from_config(scaled, 4, length=4097).attention_factor == 1.3


def test_yarn_score_factors():
    """C21: one scale alone counts as in DeepSeek's program, and two are a ratio."""
    factors = [
        ({}, 0.1 * math.log(40) + 1),
        ({"mscale": 0.707}, 1.2608037774058554),
        ({"mscale": 1.0, "mscale_all_dim": 1.0}, 1.0),
        ({"mscale_all_dim": 1.0}, 1.0),
        ({"attention_factor": 1.5}, 1.5),
    ]
    for more, want in factors:
        assert posenc.from_config({**YARN, **more}, 64).attention_factor == pytest.approx(want, rel=1e-12)
    assert posenc.yarn_attention_factor(40, 1.0) ** 2 == pytest.approx(1.87385420709263, rel=1e-12)


def test_yarn_takes_the_lengths_for_a_factor_left_out():
    stated = posenc.from_config(YARN, 64)
    implied = {"rope_type": "yarn", "original_max_position_embeddings": 4096, "max_position_embeddings": 163_840}
    assert (posenc.from_config(implied, 64).frequencies == stated.frequencies).all()
    fallback = {"rope_type": "yarn", "factor": 40.0, "max_position_embeddings": 4096}
    assert (posenc.from_config(fallback, 64).frequencies == stated.frequencies).all()


def test_the_width_of_a_head_is_read_from_a_whole_file():
    whole = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32}
    assert posenc.from_config(whole).rotary_dim == 128
    assert posenc.from_config({**whole, "head_dim": 64}).rotary_dim == 64
    assert posenc.from_config({**whole, "head_dim": 64}, 64).rotary_dim == 64
    assert posenc.from_config(whole, 96).rotary_dim == 96  # what these sizes make is a guess, which a width overrules
    with pytest.raises(TypeError, match="head_dim must be given"):
        posenc.from_config({"rope_theta": 1e4, "n_embd": 256, "hidden_size": 256})
    with pytest.raises(ValueError, match="hidden_size 100 is no multiple of n_head 3"):
        posenc.from_config({"rope_theta": 1e4, "hidden_size": 100, "n_head": 3})
    with pytest.raises(ValueError, match="head_dim must be the qk_rope_head_dim of the settings, 64, got 192"):
        posenc.from_config(SETTINGS["DeepSeek-V3"], 192)


def test_a_stated_width_is_taken_to_the_coordinate():
    for head_dim in range(2, 300, 2):
        for width in range(2, head_dim + 1, 2):
            assert posenc.config._share({"rotary_dim": width}, head_dim) * head_dim == width


REFUSED = [
    # unknown keys
    ({"rope_type": "default", "factor": 2.0}, ValueError, "factor is not a setting of rope_type 'default'"),
    ({"rope_type": "dynamic", "factor": 2.0, "alpha": 1000.0}, ValueError, "alpha is not a setting"),
    ({**YARN, "llama_4_scaling_beta": 0.1}, ValueError, "llama_4_scaling_beta is not a setting"),
    ({"rope_type": "ntk", "factor": 2.0}, ValueError, "rope_type must be one of .* got 'ntk'"),
    ({"type": 3}, TypeError, "type must be one of .* got 3"),
    ({"model_type": "chatglm", "rope_theta": 1e4, "rope_ratio": 50}, ValueError, "rope_ratio is not a setting"),
    ({"a": {"rope_theta": 1e4}, "b": 3}, ValueError, "b must be the parameters of a layer type"),
    ({1: 2}, TypeError, "strings as keys, got 1"),
    # contradictions
    ({"rope_type": "linear", "type": "yarn", "factor": 2.0}, ValueError, "rope_type and type must agree"),
    ({"rope_scaling": {"type": "linear", "factor": 2.0, "rope_theta": 1e6}, "rope_theta": 1e4}, ValueError,
     "rope_theta beside rope_parameters contradicts another rope_theta"),
    ({"rope_parameters": {"factor": 2.0}, "rope_scaling": {"factor": 4.0}}, ValueError, "factor contradicts"),
    ({**YARN, "attention_factor": 1.5, "mscale": 1.0}, ValueError, "attention_factor contradicts mscale"),
    ({"rotary_dim": 32, "partial_rotary_factor": 1.0}, ValueError, "rotary_dim contradicts partial_rotary_factor"),
    ({"rope_theta": 1e4, "mrope_section": [16, 24]}, ValueError, "mrope_section must add up to the 32 pairs .* got 40"),
    ({"model_type": "x", "rope_theta": 1e6, "rope_local_base_freq": 1e4, "rope_parameters": {"a": {}}}, ValueError,
     "rope_local_base_freq must not stand beside"),
    ({"model_type": "x", "rope_local_base_freq": 1e4}, ValueError, "rope_theta is missing beside rope_local_base_freq"),
    ({"model_type": "modernbert", "global_rope_theta": 1e5}, ValueError, "local_rope_theta is missing"),
    (
        {"type": "dynamic", "factor": 2.0, "max_position_embeddings": 9, "original_max_position_embeddings": 8},
        ValueError,
        "original_max_position_embeddings contradicts max_position_embeddings",
    ),
    ({"rope_theta": 1e4, "n_embd": 256, "hidden_size": 128}, ValueError, "n_embd contradicts hidden_size"),
    ({"model_type": "falcon", "alibi": True}, ValueError, "alibi is set"),
    # what is missing
    ({}, ValueError, "empty dict"),
    ({"rope_type": "linear"}, ValueError, "factor is missing, which rope_type 'linear' needs"),
    ({k: v for k, v in LLAMA3.items() if k != "low_freq_factor"}, ValueError, "low_freq_factor is missing"),
    ({k: v for k, v in YARN.items() if k == "rope_type"}, ValueError, "original_max_position_embeddings is missing"),
    ({"type": "yarn", "original_max_position_embeddings": 9}, ValueError, "factor is missing, and so is max_position"),
    ({"model_type": "gemma3_text", "hidden_size": 64}, ValueError, "rope_theta is missing"),
    ({"model_type": "gpt_neox", "rotary_emb_base": 1e4}, ValueError, "partial_rotary_factor is missing"),
    ({"text_config": {"rope_theta": 1e4}}, ValueError, "text_config holds the settings"),
    # values out of their domains
    ({"rope_theta": 1e4, "max_position_embeddings": "4k"}, TypeError, "max_position_embeddings must be a real number"),
    ({"rope_theta": 1e4, "model_type": ["llama"]}, TypeError, "model_type must be a string"),
    ({"rope_theta": -1.0}, ValueError, "rope_theta must be above 0"),
    ({"rope_theta": "10000"}, TypeError, "rope_theta must be a real number"),
    ({"rope_theta": math.nan}, ValueError, "rope_theta must be finite"),
    ({"rope_theta": np.ma.array(1e4, mask=True)}, TypeError, "rope_theta must be a real number"),
    ({"rope_theta": 10**400}, ValueError, "rope_theta must be within the range"),
    ({"rope_type": "linear", "factor": 0.5}, ValueError, "factor must be 1 or more, got 0.5"),
    ({"rope_type": "linear", "factor": True}, TypeError, "factor must be a real number"),
    ({"partial_rotary_factor": 1.5}, ValueError, "partial_rotary_factor must be at most 1"),
    ({"partial_rotary_factor": 0.3}, ValueError, "partial_rotary_factor must make an even number"),
    ({"rotary_dim": 66}, ValueError, "rotary_dim must be at most head_dim, 64, got 66"),
    ({**YARN, "beta_fast": 1.0, "beta_slow": 2.0}, ValueError, "beta_fast must be above beta_slow"),
    ({**YARN, "truncate": 1}, TypeError, "truncate must be True or False"),
    ({**YARN, "mscale": -1.0}, ValueError, "mscale must be 0 or more"),
    ({**LLAMA3, "high_freq_factor": 1.0}, ValueError, "high_freq_factor must be above low_freq_factor"),
    (LONGROPE, ValueError, "short_factor must have one number for each of the 32 pairs, got 2"),
    ({**LONGROPE, "short_factor": "ab"}, TypeError, "short_factor must be a list"),
    ({"rope_type": "default", "mrope_section": [16, 16.0]}, TypeError, "mrope_section must be an integer"),
    ({"rope_scaling": "linear", "head_dim": 64}, TypeError, "rope_scaling must be a dict"),
]  # fmt: skip


@pytest.mark.parametrize("settings, kind, words", REFUSED, ids=lambda value: value if isinstance(value, str) else "")
def test_faulty_settings_are_refused_by_name(settings, kind, words):
    with pytest.raises(kind, match=words):
        posenc.from_config(settings, 64)


def test_faulty_arguments_are_refused():
    for settings in (None, [], "default", 3):
        with pytest.raises(TypeError, match="rope_parameters must be a dict"):
            unchecked.from_config(settings, 64)
    plain = {"rope_theta": 1e4}
    with pytest.raises(TypeError, match="head_dim must be given"):
        posenc.from_config(plain)
    for head_dim in (0, 3, -2):
        with pytest.raises(ValueError, match="head_dim must be a positive even number"):
            posenc.from_config(plain, head_dim)
    for length in (0, -1, 2**53 + 1):
        with pytest.raises(ValueError, match="length must be"):
            posenc.from_config(plain, 64, length=length)
    with pytest.raises(TypeError, match="length must be an integer"):
        unchecked.from_config(plain, 64, length=1.5)
    with pytest.raises(TypeError, match="layer_type must be a string"):
        unchecked.from_config(plain, 64, layer_type=1)


def test_settings_are_left_as_they_were():
    for settings in SETTINGS.values():
        before = json.dumps(settings)
        try:
            posenc.from_config(settings)
        except ValueError:
            pass
        assert json.dumps(settings) == before


def test_longrope_refuses_lists_that_do_not_fit():
    with pytest.raises(ValueError, match="long_factors must have one entry per pair"):
        posenc.longrope([1.0, 0.1], 5, 4, [1, 1], [1])
    with pytest.raises(ValueError, match="short_factors must be above 0"):
        posenc.longrope([1.0, 0.1], 5, 4, [1, 0], [1, 1])
    with pytest.raises(ValueError, match="original_length must be above 1"):
        posenc.longrope_attention_factor(2, 1)
