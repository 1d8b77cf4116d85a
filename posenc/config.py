"""The positions of a published model: from the settings in its config.json to frequencies and a factor on the scores.

A model's file states its rotary positions in one of several spellings. Every key that is read stands in a table below,
and a key that is in none is refused, because a setting that goes unread would change the numbers without a word.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, cast, overload

import numpy as np
from numpy.typing import NDArray

from . import _checks, context, sinusoidal

Setting = str | float | bool | None | Sequence[float]

_BASE = 10_000.0
_ALIASES = {"mrope": "default", "su": "longrope"}  # two names that files of Qwen2-VL and Phi-3 give
_NEEDED: dict[str, tuple[str, ...]] = {
    "default": (),
    "linear": ("factor",),
    "dynamic": ("factor",),
    "yarn": (),
    "longrope": ("short_factor", "long_factor", "original_max_position_embeddings"),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"),
    "proportional": (),
}
_OPTIONAL: dict[str, tuple[str, ...]] = {
    "default": (),
    "linear": (),
    "dynamic": (),
    "yarn": (
        *("factor", "original_max_position_embeddings", "attention_factor", "beta_fast", "beta_slow"),
        *("mscale", "mscale_all_dim", "truncate", "finetuned"),
    ),
    "longrope": ("factor", "attention_factor", "short_mscale", "long_mscale"),
    "llama3": (),
    "proportional": ("factor",),
}
# What a dict of parameters may hold whatever its type. The two of M-RoPE say which axis a pair belongs to, which leaves
# the frequencies as they are.
_ALWAYS = ("rope_type", "type", "rope_theta", "partial_rotary_factor", "mrope_section", "mrope_interleaved")
# What stands beside that dict in a model's file, and may stand in it. `rotary_dim` says in coordinates what
# `partial_rotary_factor` says as a share of the head.
_BESIDE = (
    *("rope_theta", "partial_rotary_factor", "rotary_dim"),
    *("max_position_embeddings", "original_max_position_embeddings"),
)
_OTHER_NAMES = {"rotary_emb_base": "rope_theta", "rotary_pct": "partial_rotary_factor"}  # GPT-NeoX's
_TWO_BASES = (("rope_theta", "rope_local_base_freq"), ("global_rope_theta", "local_rope_theta"))  # Gemma 3, ModernBERT
# Keys of a model's file whose names speak of rotary positions, but which change no frequency.
_NO_MATTER = (
    *("rope_interleave", "rope_interleaved", "use_rope", "use_rotary", "rotary", "use_mrope"),
    *("no_rope_layers", "no_rope_layer_interval", "rope_parameters", "rope_scaling"),
    *("qk_rope_head_dim", "qk_nope_head_dim"),
)
_WIDTHS_BY_TYPE = {"global_head_dim": "full_attention", "swa_head_dim": "sliding_attention"}
_WIDTH_NEEDED = ("gemma4_text", "gemma4_unified_text")
# A file that leaves the base out means the one of its model's class. These classes have 10,000; the base of another is
# not guessed. Nor is the share of the head that is rotated, in classes where it is not the whole head.
_BASE_UNSAID = (
    *("llama", "mistral", "gptj", "gpt_neox", "codegen", "falcon", "phi", "phi3", "qwen2", "qwen2_moe", "qwen3"),
    *("qwen3_moe", "gemma", "gemma2", "stablelm", "olmo", "olmo2", "granite", "starcoder2"),
    *("deepseek_v2", "deepseek_v3"),
)
_SHARE_NEEDED = (
    *("bamba", "codegen", "fuyu", "glm", "glm4", "glm4_moe", "glm4v_moe", "glmasr", "gptj", "gpt_neox", "moonshine"),
    *("musicflamingo", "nemotron", "persimmon", "phi", "qwen3_5", "qwen3_5_moe", "qwen3_next", "recurrent_gemma"),
    *("stablelm",),
)


class RotarySettings(NamedTuple):
    """What a model's settings come to.

    `frequencies`, (pairs,) radians per token; `attention_factor`, by which cosines and sines are multiplied, so that
    scores grow by its square; `rotary_dim`, how many leading coordinates of a head are rotated, twice the pairs.
    """

    frequencies: NDArray[np.float64]
    attention_factor: float
    rotary_dim: int


@overload
def from_config(
    rope_parameters: Mapping[str, Setting],
    head_dim: int | None = None,
    *,
    length: int | None = None,
    layer_type: str | None = None,
) -> RotarySettings: ...
@overload
def from_config(
    rope_parameters: Mapping[str, Any], head_dim: int | None = None, *, length: int | None = None, layer_type: str
) -> RotarySettings: ...
@overload
def from_config(
    rope_parameters: Mapping[str, Any],
    head_dim: int | None = None,
    *,
    length: int | None = None,
    layer_type: None = None,
) -> RotarySettings | dict[str, RotarySettings]: ...
def from_config(
    rope_parameters: Mapping[str, Any],
    head_dim: int | None = None,
    *,
    length: int | None = None,
    layer_type: str | None = None,
) -> RotarySettings | dict[str, RotarySettings]:
    """The frequencies, score factor and rotated width that a model's published settings stand for.

    By `rope_type`: "default", `frequencies`; "linear", `interpolated`; "dynamic", `dynamic_ntk`; "yarn", `yarn` and
    `yarn_attention_factor`; "longrope", `longrope` and `longrope_attention_factor`; "llama3", `llama3`;
    "proportional", omega_j = base**(-2j/head_dim) / factor for the first share of the pairs and 0 for the others.

    Parameters: `rope_parameters`, the dict of that name in a config.json, or the older `rope_scaling` (`type` for
    `rope_type`), with what stands beside it (`rope_theta`, 10,000 by default; `partial_rotary_factor`;
    `max_position_embeddings`; `original_max_position_embeddings`) put in or not; or a dict of such dicts, one a layer
    type; or the whole config.json, of which only what bears on rotary positions is read; `head_dim`, which a whole
    config.json may state itself (`qk_rope_head_dim`, `head_dim`, or `hidden_size` over `num_attention_heads`, and
    `global_head_dim` or `swa_head_dim` for the heads of one layer type);
    `length`, tokens in the text at hand, on which "dynamic" and "longrope" depend (None: within the trained length;
    "longrope" takes its long factors beyond the original length only); `layer_type`, which one of several to return. A
    stated `factor` counts, whatever the ratio of the two lengths, which differs from it in published files.
    Returns: a named tuple (frequencies, attention_factor, rotary_dim): float64 array of shape (rotary_dim/2,) in
    radians per token, what cosines and sines are multiplied by (scores by its square), and the number of leading
    coordinates that are rotated; for settings by layer type without `layer_type`, a dict of them, in which a type whose
    entry is null, a layer without positions, is left out.
    Raises: TypeError or ValueError, with the name of the key, for a key that is not known, one that is missing, a value
    outside its domain, and two keys that contradict each other; ValueError for a whole config.json that leaves the base
    out, unless its `model_type` is one of those known to mean 10,000.
    Source: the configuration files of the transformers library (`modeling_rope_utils`, version 5), with one difference:
    of `mscale` and `mscale_all_dim` one alone is taken as DeepSeek's program does, which counts a missing
    `mscale_all_dim` as 0 and a missing `mscale` as 1; there one alone is not read. (DeepSeek's models multiply the
    scale of the softmax, too, by `yarn_attention_factor(factor, mscale_all_dim)**2`, which is no part of the result.)

    >>> settings = from_config({"rope_type": "linear", "factor": 4.0, "rope_theta": 10000.0}, 4)
    >>> settings.frequencies, settings.attention_factor, settings.rotary_dim
    (array([0.25  , 0.0025]), 1.0, 4)
    """
    settings = _mapping(rope_parameters, "rope_parameters")
    width = None if head_dim is None else _checks.width(head_dim, "head_dim")
    tokens = None if length is None else _checks.count(length, "length", least=1, most=int(_checks.LARGEST))
    chosen: Any = layer_type
    if not (chosen is None or isinstance(chosen, str)):
        raise TypeError(f"layer_type must be a string or None, got {_checks.show(chosen)}")
    if _is_whole(settings):
        width = _stated_head_dim(settings, width)
        several, beside = _read_whole(settings)
    elif settings:
        several, beside = _read_parameters(settings, {})
    else:
        raise ValueError("rope_parameters must hold settings, got an empty dict")
    if width is None:
        raise TypeError("head_dim must be given, because these settings do not state it")
    widths = _head_dims_by_type(settings)
    if isinstance(several, dict):
        by_type: dict[str, Mapping[str, Any]] = several
        if layer_type is None:
            return {
                name: _settings(one, beside, widths.get(name, width), tokens, name) for name, one in by_type.items()
            }
        if layer_type not in by_type:
            known = ", ".join(map(repr, by_type))
            raise ValueError(f"layer_type must be one that has rotary positions here ({known}), got {layer_type!r}")
        return _settings(by_type[layer_type], beside, widths.get(layer_type, width), tokens, layer_type)
    if any(other != width for other in widths.values()):
        raise ValueError(
            f"{' and '.join(key for key in _WIDTHS_BY_TYPE if key in settings)} must come with rope_parameters by "
            "layer type, because heads of different widths have different frequencies"
        )
    return _settings(several.parameters, beside, width, tokens, "rope_parameters")


class _One(NamedTuple):
    """The parameters of a model whose layers have all the same."""

    parameters: Mapping[str, Any]


def _mapping(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a dict of settings, got {_checks.show(value)}")
    items = cast(Mapping[Any, Any], value)
    for key in items:
        if not isinstance(key, str):
            raise TypeError(f"{name} must have strings as keys, got {_checks.show(key)}")
    return dict(items)


def _is_whole(settings: dict[str, Any]) -> bool:
    """Whether this is a model's whole file: only such a one names the dict of parameters, the model or its widths."""
    signs = ("rope_parameters", "rope_scaling", "model_type", "architectures", "hidden_size", "num_attention_heads")
    return any(sign in settings for sign in (*signs, "head_dim", "qk_rope_head_dim", "text_config"))


def _stated_head_dim(config: dict[str, Any], given: int | None) -> int | None:
    """The width of a head that a whole file states, which must be the one given where both are."""
    for name in ("qk_rope_head_dim", "head_dim"):
        if config.get(name) is not None:
            stated = _checks.width(config[name], name)
            if given is not None and given != stated:
                raise ValueError(f"head_dim must be the {name} of the settings, {stated}, got {given}")
            return stated
    size, number = _first(config, "hidden_size", "n_embd"), _first(config, "num_attention_heads", "n_head")
    if given is not None or size is None or number is None:
        return given
    hidden = _checks.count(config[size], size, least=1)
    heads = _checks.count(config[number], number, least=1)
    if hidden % heads:
        raise ValueError(f"head_dim must be given, because {size} {hidden} is no multiple of {number} {heads}")
    return _checks.width(hidden // heads, f"{size} / {number}")


def _head_dims_by_type(config: dict[str, Any]) -> dict[str, int]:
    """Widths of heads that a whole file states for one type of layers."""
    if config.get("per_layer_config") is not None:
        raise ValueError("per_layer_config is not a setting that is known here, and may change the width of heads")
    if config.get("model_type") in _WIDTH_NEEDED and config.get("global_head_dim") is None:
        raise ValueError("global_head_dim is missing, without which the heads of full attention have another width")
    return {
        layer_type: _checks.width(config[key], key)
        for key, layer_type in _WIDTHS_BY_TYPE.items()
        if config.get(key) is not None
    }


def _first(config: dict[str, Any], *names: str) -> str | None:
    """The first of these names that the file gives a value, in which all that it names so must agree."""
    stated = [name for name in names if config.get(name) is not None]
    for name in stated[1:]:
        if config[name] != config[stated[0]]:
            raise ValueError(f"{name} contradicts {stated[0]}: got {config[name]} and {config[stated[0]]}")
    return stated[0] if stated else None


def _read_whole(config: dict[str, Any]) -> tuple[_One | dict[str, Mapping[str, Any]], dict[str, Any]]:
    """The parameters of a whole file, one dict or one a layer type, and what stands beside them."""
    if config.get("text_config") is not None:
        raise ValueError("text_config holds the settings of the model that reads text; pass that dict")
    if config.get("alibi"):
        raise ValueError("alibi is set, so this model has linear biases and no rotary positions")
    known = (*_BESIDE, *_OTHER_NAMES, *_NO_MATTER, *(name for pair in _TWO_BASES for name in pair))
    for name in config:
        if name not in known and ("rope" in name.lower() or "rotary" in name.lower()):
            raise ValueError(f"{name} is not a setting that is known here, and may change the positions of this model")
    beside = {name: config[name] for name in _BESIDE if config.get(name) is not None}
    for name, meaning in _OTHER_NAMES.items():
        _add(beside, meaning, config.get(name), name)
    parameters = _merged(config)
    for wide, local in _TWO_BASES:
        if config.get(local) is not None:
            return _two_bases(config, parameters, beside, wide, local)
    if config.get("global_rope_theta") is not None:
        raise ValueError("local_rope_theta is missing beside global_rope_theta")
    several, beside = _read_parameters(parameters, beside)
    _check_unsaid(config, list(several.values()) if isinstance(several, dict) else [several.parameters], beside)
    return several, beside


def _merged(config: dict[str, Any]) -> dict[str, Any]:
    """The dict of parameters by either of its names, or what both say."""
    names = [name for name in ("rope_parameters", "rope_scaling") if config.get(name) is not None]
    both = [_mapping(config[name], name) for name in names]
    if not both:
        return {}
    merged = both[0]
    for other in both[1:]:
        for key, value in other.items():
            _add(merged, key, value, f"rope_scaling: {key}")
    return merged


def _check_unsaid(config: dict[str, Any], parameters: list[Mapping[str, Any]], beside: dict[str, Any]) -> None:
    """Refuse a whole file that leaves out what differs from model to model."""
    model = config.get("model_type")
    if model is not None and not isinstance(model, str):
        raise TypeError(f"model_type must be a string, got {_checks.show(model)}")
    if model is None and any(name in config for name in ("rope_parameters", "rope_scaling")):
        return
    if "rope_theta" not in beside and model not in _BASE_UNSAID:
        if any(one.get("rope_theta") is None for one in parameters):
            raise ValueError(
                f"rope_theta is missing, and the base is not known that models of model_type {model!r} "
                "have without it; those without rotary positions have no such settings at all"
            )
    if model in _SHARE_NEEDED and not ("partial_rotary_factor" in beside or "rotary_dim" in beside):
        if any(one.get("partial_rotary_factor") is None for one in parameters):
            raise ValueError(
                f"partial_rotary_factor is missing, without which models of model_type {model!r} rotate "
                "less than the whole head; add it"
            )


def _two_bases(
    config: dict[str, Any], parameters: dict[str, Any], beside: dict[str, Any], wide: str, local: str
) -> tuple[dict[str, Mapping[str, Any]], dict[str, Any]]:
    """The older form of two kinds of layers: the scaling belongs to the layers of full attention alone."""
    if _is_nested(parameters):
        raise ValueError(f"{local} must not stand beside parameters by layer type, got both")
    if config.get(wide) is None and parameters.get("rope_theta") is None:
        raise ValueError(f"{wide} is missing beside {local}")
    beside = {name: value for name, value in beside.items() if name != "rope_theta"}
    full = dict(parameters)
    if config.get(wide) is not None:
        _add(full, "rope_theta", config[wide], wide)
    return {"full_attention": full, "sliding_attention": {"rope_theta": config[local]}}, beside


def _is_nested(parameters: dict[str, Any]) -> bool:
    return any(isinstance(value, Mapping) for value in parameters.values())


def _read_parameters(
    parameters: dict[str, Any], beside: dict[str, Any]
) -> tuple[_One | dict[str, Mapping[str, Any]], dict[str, Any]]:
    """Parameters as they are, or by layer type, with what may stand beside either."""
    if not _is_nested(parameters):
        return _One(parameters), beside
    by_type: dict[str, Mapping[str, Any]] = {}
    for key, value in parameters.items():
        if isinstance(value, Mapping):
            by_type[key] = _mapping(value, key)
        elif key in _BESIDE:
            _add(beside := dict(beside), key, value, key)
        elif value is not None:
            raise ValueError(
                f"{key} must be the parameters of a layer type beside {next(iter(by_type), 'others')!r}, "
                f"got {_checks.show(value)}"
            )
    return by_type, beside


def _add(settings: dict[str, Any], name: str, value: Any, said_as: str) -> None:
    """Take a setting that may be there already, in which case it must be the same."""
    if value is None:
        return
    there = settings.get(name)
    if there is not None and not np.array_equal(there, value):
        raise ValueError(f"{said_as} contradicts another {name}: got {_checks.show(value)} and {_checks.show(there)}")
    settings[name] = value


def _settings(
    parameters: Mapping[str, Any], beside: dict[str, Any], head_dim: int, length: int | None, name: str
) -> RotarySettings:
    """The settings of one kind of layer."""
    given = {key: value for key, value in parameters.items() if value is not None}  # null is as good as not there
    kind = _kind(given, name)
    needed, optional = _NEEDED[kind], _OPTIONAL[kind]
    for key in given:
        if key not in (*needed, *optional, *_ALWAYS, *_BESIDE):
            raise ValueError(
                f"{key} is not a setting of rope_type {kind!r}, which has "
                f"{', '.join((*needed, *optional, *_ALWAYS[2:]))}"
            )
    for key, value in beside.items():
        _add(given, key, value, f"{key} beside {name}")
    for key in needed:
        if key not in given:
            raise ValueError(f"{key} is missing, which rope_type {kind!r} needs")
    for key in ("max_position_embeddings", "original_max_position_embeddings"):
        if key in given:
            _checks.positive(given[key], key)
    base = _checks.positive(given.get("rope_theta", _BASE), "rope_theta")
    share = _share(given, head_dim)
    if kind == "proportional":
        return _proportional(given, base, share, head_dim)
    width = int(head_dim * share)
    if width < 2 or width % 2:
        raise ValueError(
            f"partial_rotary_factor must make an even number of coordinates of head_dim {head_dim}, "
            f"2 or more, got {float(share)}, which makes {width}"
        )
    _check_sections(given, width // 2)
    omega = sinusoidal.frequencies(width, base)
    omega, factor = _scaled(kind, given, omega, length)
    return RotarySettings(omega, factor, width)


def _share(given: dict[str, Any], head_dim: int) -> float | Fraction:
    """The share of the head that is rotated, exact where the width itself is stated."""
    share = _checks.positive(given.get("partial_rotary_factor", 1.0), "partial_rotary_factor")
    if share > 1:
        raise ValueError(f"partial_rotary_factor must be at most 1, got {share}")
    if "rotary_dim" not in given:
        return share
    width = _checks.width(given["rotary_dim"], "rotary_dim")
    if width > head_dim:
        raise ValueError(f"rotary_dim must be at most head_dim, {head_dim}, got {width}")
    if "partial_rotary_factor" in given and int(head_dim * share) != width:
        raise ValueError(
            f"rotary_dim contradicts partial_rotary_factor: got {width}, and {share} of head_dim "
            f"{head_dim} is {int(head_dim * share)}"
        )
    return Fraction(width, head_dim)


def _kind(given: dict[str, Any], name: str) -> str:
    """The rope_type, by either of its names."""
    kinds: list[str] = []
    for key in ("rope_type", "type"):
        if key in given:
            kind = _checks.choice(given[key], key, (*_NEEDED, *_ALIASES))
            kinds.append(_ALIASES.get(kind, kind))
    if len(set(kinds)) > 1:
        raise ValueError(
            f"rope_type and type must agree where both are given, got {kinds[0]!r} and {kinds[1]!r} in {name}"
        )
    return kinds[0] if kinds else "default"


def _check_sections(given: dict[str, Any], pairs: int) -> None:
    """M-RoPE's sections leave no pair out and name none twice."""
    if "mrope_interleaved" in given:
        _checks.flag(given["mrope_interleaved"], "mrope_interleaved")
    if "mrope_section" in given:
        sections = _list(given["mrope_section"], "mrope_section")
        total = sum(_checks.count(section, "mrope_section", least=0) for section in sections)
        if total != pairs:
            raise ValueError(f"mrope_section must add up to the {pairs} pairs that are rotated, got {total}")


def _list(value: Any, name: str) -> list[Any]:
    value = _checks.unwrapped(value)
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, (Sequence, np.ndarray)):
        raise TypeError(f"{name} must be a list of numbers, got {_checks.show(value)}")
    return list(cast(Sequence[Any], value))


def _at_least_one(value: Any, name: str) -> float:
    number = _checks.real(value, name)
    if number < 1:
        raise ValueError(f"{name} must be 1 or more, got {number}")
    return number


def _growth(given: dict[str, Any], original: float) -> float:
    """The factor, or the ratio of the two lengths where none is stated."""
    if "factor" in given:
        return _at_least_one(given["factor"], "factor")
    if "max_position_embeddings" not in given:
        raise ValueError("factor is missing, and so is max_position_embeddings, from which it would follow")
    longest = _checks.positive(given["max_position_embeddings"], "max_position_embeddings")
    if longest < original:
        raise ValueError(
            "max_position_embeddings must be at least original_max_position_embeddings where factor is "
            f"left out, got {longest} and {original}"
        )
    return longest / original


def _scaled(
    kind: str, given: dict[str, Any], omega: NDArray[np.float64], length: int | None
) -> tuple[NDArray[np.float64], float]:
    """The frequencies and the score factor of one of the types that scale by pair."""
    if kind == "linear":
        return context.interpolated(omega, _at_least_one(given["factor"], "factor")), 1.0
    if kind == "dynamic":
        return _dynamic(given, omega, length), 1.0
    if kind == "yarn":
        return _yarn(given, omega)
    if kind == "longrope":
        return _longrope(given, omega, length)
    if kind == "llama3":
        return _llama3(given, omega), 1.0
    return omega, 1.0


def _dynamic(given: dict[str, Any], omega: NDArray[np.float64], length: int | None) -> NDArray[np.float64]:
    factor = _at_least_one(given["factor"], "factor")
    if "max_position_embeddings" not in given:
        if length is None:
            return omega
        raise ValueError("max_position_embeddings is missing, which rope_type 'dynamic' needs for a length")
    trained = _checks.positive(given["max_position_embeddings"], "max_position_embeddings")
    if given.get("original_max_position_embeddings", trained) != trained:
        raise ValueError(
            "original_max_position_embeddings contradicts max_position_embeddings, from which rope_type 'dynamic' "
            f"counts: got {given['original_max_position_embeddings']} and {trained}"
        )
    return omega if length is None or length <= trained else context.dynamic_ntk(omega, length, trained, factor)


def _yarn(given: dict[str, Any], omega: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    lengths = ("original_max_position_embeddings", "max_position_embeddings")
    name = next((name for name in lengths if name in given), None)
    if name is None:
        raise ValueError("original_max_position_embeddings is missing, which rope_type 'yarn' needs")
    original = _checks.positive(given[name], name)
    factor = _growth(given, original)
    fast = _checks.positive(given.get("beta_fast", 32.0), "beta_fast")
    slow = _checks.positive(given.get("beta_slow", 1.0), "beta_slow")
    truncate = _checks.flag(given.get("truncate", True), "truncate")
    if "finetuned" in given:
        _checks.flag(given["finetuned"], "finetuned")
    ramp = "reference" if truncate else "unrounded"
    scaled = context.yarn(omega, factor, original, fast, slow, ramp)
    scales = {key: _checks.real(given[key], key) for key in ("mscale", "mscale_all_dim") if key in given}
    for key, value in scales.items():
        if value < 0:
            raise ValueError(f"{key} must be 0 or more, got {value}")
    if "attention_factor" not in given:
        return scaled, context.yarn_attention_factor(factor, **scales)
    stated = _checks.positive(given["attention_factor"], "attention_factor")
    if scales and not np.isclose(stated, context.yarn_attention_factor(factor, **scales), rtol=1e-3, atol=0):
        raise ValueError(
            f"attention_factor contradicts {' and '.join(scales)}: got {stated}, and they make "
            f"{context.yarn_attention_factor(factor, **scales)}"
        )
    return scaled, stated


def _longrope(
    given: dict[str, Any], omega: NDArray[np.float64], length: int | None
) -> tuple[NDArray[np.float64], float]:
    original = _checks.positive(given["original_max_position_embeddings"], "original_max_position_embeddings")
    by_length: list[Any] = []
    for key in ("short_factor", "long_factor"):
        factors = _list(given[key], key)
        if len(factors) != omega.size:
            raise ValueError(f"{key} must have one number for each of the {omega.size} pairs, got {len(factors)}")
        by_length.append([_checks.positive(number, key) for number in factors])
    short, long = by_length
    at_hand = original if length is None else length
    scaled = context.longrope(omega, at_hand, original, short, long)
    by_hand = [key for key in ("short_mscale", "long_mscale") if key in given]
    if len(by_hand) == 1:
        raise ValueError(
            f"{'short_mscale' if by_hand == ['long_mscale'] else 'long_mscale'} is missing beside {by_hand[0]}"
        )
    if by_hand:
        if "attention_factor" in given:
            raise ValueError("attention_factor must not stand beside short_mscale and long_mscale, got both")
        key = "long_mscale" if at_hand > original else "short_mscale"
        return scaled, _checks.positive(given[key], key)
    if "attention_factor" in given:
        return scaled, _checks.positive(given["attention_factor"], "attention_factor")
    return scaled, context.longrope_attention_factor(_growth(given, original), original)


def _llama3(given: dict[str, Any], omega: NDArray[np.float64]) -> NDArray[np.float64]:
    original = _checks.positive(given["original_max_position_embeddings"], "original_max_position_embeddings")
    factor = _at_least_one(given["factor"], "factor")
    low = _checks.positive(given["low_freq_factor"], "low_freq_factor")
    high = _checks.positive(given["high_freq_factor"], "high_freq_factor")
    return context.llama3(omega, factor, low, high, original)


def _proportional(given: dict[str, Any], base: float, share: float | Fraction, head_dim: int) -> RotarySettings:
    """Frequencies as of the whole head, of which the first pairs keep theirs and the others stand still."""
    _check_sections(given, head_dim // 2)
    turning = int(share * head_dim // 2)
    omega = sinusoidal.frequencies(head_dim, base)
    omega[turning:] = 0.0
    if "factor" in given:
        omega = context.interpolated(omega, _at_least_one(given["factor"], "factor"))
    return RotarySettings(omega, 1.0, head_dim)
