"""Write schemes.json: small results of other programs, which the tests of the newer schemes compare with posenc.

Run by hand in an environment of its own:

    pip install torch==2.13.0 transformers==5.24.0 rotary-embedding-torch==0.9.1 diffusers==0.42.1
    python tests/posenc/data/make_schemes.py
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import torch
from diffusers.models.embeddings import get_timestep_embedding
from rotary_embedding_torch import RotaryEmbedding
from torch.nn.functional import interpolate
from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLRotaryEmbedding, apply_rotary_pos_emb
from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLTextRotaryEmbedding
from transformers.models.t5.modeling_t5 import T5Attention

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)

# T5's buckets
RELATIVE = [*range(-300, 301), -10_000, 10_000]
SETTINGS = [(32, 128), (32, 64), (64, 500), (16, 40), (20, 1000)]
buckets = [
    {
        "bidirectional": both,
        "num_buckets": number,
        "max_distance": most,
        "buckets": T5Attention._relative_position_bucket(torch.tensor(RELATIVE), both, number, most).tolist(),
    }
    for both in (True, False)
    for number, most in SETTINGS
]

# M-RoPE, pairs of a head of width 16 by three axes
HEADS, N, D = 2, 5, 16
x = torch.round(torch.randn(1, HEADS, N, D), decimals=3)
places = torch.tensor([[0, 3, 3, 3, 9], [0, 3, 4, 5, 9], [1, 3, 3, 3, 70]])
inv_freq = 10_000.0 ** (-torch.arange(0, D, 2) / D)
per_axis = places[:, None, :, None] * inv_freq  # (3, batch, n, d/2)
SECTIONS = {"contiguous": [2, 3, 3], "interleaved": [4, 2, 2]}
rotated = {}
for order, rotary in (("contiguous", Qwen2VLRotaryEmbedding), ("interleaved", Qwen3VLTextRotaryEmbedding)):
    model = SimpleNamespace(mrope_section=SECTIONS[order])
    angles = rotary.recomposition_frequencies(model, per_axis.clone())  # (1, n, d)
    rotated[order] = apply_rotary_pos_emb(x, x, angles.cos(), angles.sin())[0][0].tolist()

# Resampling of learned tables
table = torch.round(torch.randn(3, 4, 2), decimals=3)
resampled = [
    {
        "method": method,
        "align": "ends" if ends else "cells",
        "shape": shape,
        "table": interpolate(
            table.permute(2, 0, 1)[None], shape, mode="bi" + method, align_corners=ends
        )[0].permute(1, 2, 0).tolist(),
    }
    for method in ("linear", "cubic")
    for ends in (True, False)
    for shape in ([7, 9], [2, 3], [1, 8], [3, 4])
]  # fmt: skip

# Codes of diffusion models, and xPos
STEPS = [0.0, 1.0, 7.5, 999.0]
codes = [
    {
        "order": "cos-sin" if flip else "sin-cos",
        "spacing": "d/2-1" if shift else "d/2",
        "code": get_timestep_embedding(
            torch.tensor(STEPS), 8, flip_sin_to_cos=flip, downscale_freq_shift=shift
        ).double().tolist(),
    }
    for flip in (True, False)
    for shift in (0, 1)
]  # fmt: skip
xpos = RotaryEmbedding(8, use_xpos=True)
xpos.scale = xpos.scale.double()
scales = xpos.get_scale(torch.arange(6.0))  # counts from the middle

# Rounding to bfloat16, ties included
numbers = torch.cat((
    torch.cos(torch.arange(64.0)),
    1 + 2.0**-8 * torch.tensor([1.0, 3.0, 0.5, 1.5]) - torch.tensor([0.0, 0.0, 2.0**-24, 0.0]),
    torch.tensor([0.0, -1e-40, 3e-39, 0.99999]),
)).float()  # fmt: skip

result = {
    "origin": {
        "script": "tests/posenc/data/make_schemes.py",
        "python": sys.version.split()[0],
        **{name: version(name) for name in ("torch", "transformers", "diffusers", "rotary-embedding-torch")},
    },
    "t5": {"relative": RELATIVE, "cases": buckets},
    "mrope": {
        "x": x[0].tolist(),
        "positions": places.tolist(),
        "sections": SECTIONS,
        **rotated,
    },
    "resampled": {"table": table.tolist(), "cases": resampled},
    "timesteps": {"steps": STEPS, "cases": codes},
    "xpos": {"positions": [place - 3 for place in range(6)], "scales": scales.tolist()},
    "bfloat16": {"float32": numbers.double().tolist(), "rounded": numbers.bfloat16().double().tolist()},
}
Path(__file__).with_name("schemes.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf8")
