"""Positional encodings for transformers, in NumPy.

Sinusoidal         frequencies, wavelengths, sinusoidal_encoding, sinusoidal_table, block_encoding
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
results come in the dtype asked for, inputs are never changed. Positions are taken as they are, so that what float64
does not hold is refused; bases, factors, lengths and frequencies are taken as the float64 nearest to them. Arrays may
have 60 axes, masked ones are refused, also within lists, and entries that are no real numbers are, too.
"""

from typing import TYPE_CHECKING, Any

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

__version__: str

if not TYPE_CHECKING:  # a type checker shall know which names there are

    def __getattr__(name: str) -> Any:
        """Return the version when it is asked for, because to look it up takes as long as half of all modules."""
        if name == "__version__":
            from importlib.metadata import version

            return version("posenc")
        raise AttributeError(f"module 'posenc' has no attribute {name!r}")
