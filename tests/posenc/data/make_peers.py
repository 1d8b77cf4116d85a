"""Write peers.json: small results of other programs, which test_peers.py compares with posenc.

Run by hand in an environment of its own:

    pip install torch==2.13.0 transformers==5.24.0 rotary-embedding-torch==0.9.1 x-transformers==2.31.10
    python tests/posenc/data/make_peers.py
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import torch
from rotary_embedding_torch import apply_rotary_emb
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as gptj_rotary
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as llama_rotary
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from x_transformers.x_transformers import AlibiPositionalBias, ScaledSinusoidalEmbedding

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
HEADS, N, D = 2, 5, 8
x = torch.round(torch.randn(1, HEADS, N, D), decimals=3)
positions = torch.tensor([0.0, 3.0, 4.0, 100.0, 2000.0])
inv_freq = 10_000.0 ** (-torch.arange(0, D, 2) / D)
angles = positions[:, None] * inv_freq  # (n, d/2)
half = torch.cat((angles, angles), -1)[None]
pairs = torch.repeat_interleave(angles, 2, -1)


def rope_parameters(kind, **settings):
    config = SimpleNamespace(
        hidden_size=128,
        num_attention_heads=1,
        head_dim=128,
        max_position_embeddings=settings.pop("max_length", 8192),
        rope_parameters={"rope_type": kind, "rope_theta": settings.pop("theta", 10_000.0), **settings},
        standardize_rope_params=lambda: None,
    )
    return config


def scaled(kind, seq_len=None, **settings):
    frequencies, factor = ROPE_INIT_FUNCTIONS[kind](rope_parameters(kind, **settings), "cpu", seq_len)
    return {"frequencies": frequencies.double().tolist(), "attention_factor": factor}


sinusoid = ScaledSinusoidalEmbedding(D)
sinusoid.scale.data = torch.ones(1)
sinusoid.inv_freq = inv_freq
q, k, v = x[0], torch.round(torch.randn(HEADS, N, D), decimals=3), torch.round(torch.randn(HEADS, N, 3), decimals=3)

result = {
    "origin": {
        "script": "tests/posenc/data/make_peers.py",
        "python": sys.version.split()[0],
        **{name: version(name) for name in ("torch", "transformers", "rotary-embedding-torch", "x-transformers")},
    },
    "x": x[0].tolist(),
    "k": k.tolist(),
    "v": v.tolist(),
    "positions": positions.tolist(),
    "transformers": {
        "llama_half": llama_rotary(x, x, half.cos(), half.sin())[0][0].tolist(),
        "gptj_interleaved": gptj_rotary(x.transpose(1, 2), angles.sin()[None], angles.cos()[None])
        .transpose(1, 2)[0]
        .tolist(),
        "linear": scaled("linear", factor=4.0),
        "dynamic": scaled("dynamic", seq_len=20_000, factor=2.0),
        "yarn": scaled("yarn", factor=4.0, original_max_position_embeddings=8192),
        "yarn_unrounded": scaled(
            "yarn", factor=32.0, theta=150_000.0, original_max_position_embeddings=4096, truncate=False
        ),
        "llama3": scaled(
            "llama3",
            theta=500_000.0,
            factor=8.0,
            low_freq_factor=1.0,
            high_freq_factor=4.0,
            original_max_position_embeddings=8192,
        ),
        "bloom_alibi_last_row": {
            str(n): build_alibi_tensor(torch.ones(1, 4), n, torch.float64).reshape(n, 4).tolist() for n in (8, 12)
        },
        "mpt_alibi_last_row": {str(n): build_mpt_alibi_tensor(n, 4).reshape(n, 4).tolist() for n in (8, 16)},
    },
    "rotary-embedding-torch": {"interleaved": apply_rotary_emb(pairs, x)[0].tolist()},
    "x-transformers": {
        "sinusoidal_sines_then_cosines": sinusoid(torch.zeros(1, N, D), pos=positions).tolist(),
        "alibi": {str(n): AlibiPositionalBias(n).forward_custom_pos(torch.arange(4.0)).tolist() for n in (4, 6)},
    },
    "torch": {
        "attention": torch.nn.functional.scaled_dot_product_attention(q, k, v).tolist(),
        "attention_causal": torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).tolist(),
    },
}
Path(__file__).with_name("peers.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf8")
