"""Positional encodings for transformers, in NumPy.

Sinusoidal code    frequencies, wavelengths, sinusoidal_encoding, sinusoidal_table, block_encoding
Change of position similarity, distance, shift_matrix, generator, phasors
Rotary             apply_rotary, rotary_matrix, xpos_scales
Several axes       grid_positions, axial_encoding, apply_axial_rotary, axial_frequencies, pair_axes
ALiBi              alibi_slopes, alibi_bias
T5's buckets       t5_buckets, relative_bias
Learned            learned_encoding, resample_table
Attention          softmax, causal_mask, attention
Context extension  interpolated, ntk_aware, dynamic_ntk, yarn, yarn_attention_factor, llama3, longrope,
                   longrope_attention_factor
A model's settings from_config, RotarySettings
Between models     to_layout, rotary_cache, RotaryCache
The lesson's draws LessonRandom

Positions and frequencies are arguments everywhere: nothing has a maximum length or a state. Work is done in float64,
results come in the dtype asked for, inputs are never changed.
"""

from .alibi import alibi_bias, alibi_slopes
from .attention import attention, causal_mask, softmax
from .axes import apply_axial_rotary, axial_encoding, axial_frequencies, grid_positions, pair_axes
from .config import RotarySettings, from_config
from .context import (
    dynamic_ntk,
    interpolated,
    llama3,
    longrope,
    longrope_attention_factor,
    ntk_aware,
    yarn,
    yarn_attention_factor,
)
from .layouts import RotaryCache, block_encoding, rotary_cache, to_layout
from .learned import learned_encoding, resample_table
from .lesson_random import LessonRandom
from .relative import relative_bias, t5_buckets, xpos_scales
from .rotary import apply_rotary, rotary_matrix
from .sinusoidal import frequencies, sinusoidal_encoding, sinusoidal_table, wavelengths
from .translation import distance, generator, phasors, shift_matrix, similarity

__all__ = [
    "LessonRandom",
    "RotaryCache",
    "RotarySettings",
    "alibi_bias",
    "alibi_slopes",
    "apply_axial_rotary",
    "apply_rotary",
    "attention",
    "axial_encoding",
    "axial_frequencies",
    "block_encoding",
    "causal_mask",
    "distance",
    "dynamic_ntk",
    "frequencies",
    "from_config",
    "generator",
    "grid_positions",
    "interpolated",
    "learned_encoding",
    "llama3",
    "longrope",
    "longrope_attention_factor",
    "ntk_aware",
    "pair_axes",
    "phasors",
    "relative_bias",
    "resample_table",
    "rotary_cache",
    "rotary_matrix",
    "shift_matrix",
    "similarity",
    "sinusoidal_encoding",
    "sinusoidal_table",
    "softmax",
    "t5_buckets",
    "to_layout",
    "wavelengths",
    "xpos_scales",
    "yarn",
    "yarn_attention_factor",
]
