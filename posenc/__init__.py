"""Positional encodings for transformers, in NumPy.

Sinusoidal code    frequencies, wavelengths, sinusoidal_encoding, sinusoidal_table
Change of position similarity, distance, shift_matrix, generator, phasors
Rotary             apply_rotary, rotary_matrix
ALiBi              alibi_slopes, alibi_bias
Learned            learned_encoding
Attention          softmax, causal_mask, attention
Context extension  interpolated, ntk_aware, dynamic_ntk, yarn, yarn_attention_factor, llama3, longrope,
                   longrope_attention_factor
A model's settings from_config, RotarySettings
The lesson's draws LessonRandom

Positions and frequencies are arguments everywhere: nothing has a maximum length or a state. Work is done in float64,
results come in the dtype asked for, inputs are never changed.
"""

from .alibi import alibi_bias, alibi_slopes
from .attention import attention, causal_mask, softmax
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
from .learned import learned_encoding
from .lesson_random import LessonRandom
from .rotary import apply_rotary, rotary_matrix
from .sinusoidal import frequencies, sinusoidal_encoding, sinusoidal_table, wavelengths
from .translation import distance, generator, phasors, shift_matrix, similarity

__all__ = [
    "LessonRandom",
    "RotarySettings",
    "alibi_bias",
    "alibi_slopes",
    "apply_rotary",
    "attention",
    "causal_mask",
    "distance",
    "dynamic_ntk",
    "frequencies",
    "from_config",
    "generator",
    "interpolated",
    "learned_encoding",
    "llama3",
    "longrope",
    "longrope_attention_factor",
    "ntk_aware",
    "phasors",
    "rotary_matrix",
    "shift_matrix",
    "similarity",
    "sinusoidal_encoding",
    "sinusoidal_table",
    "softmax",
    "wavelengths",
    "yarn",
    "yarn_attention_factor",
]
