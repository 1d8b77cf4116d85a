"""Write configs.json: what the transformers library makes of published settings, which test_config.py compares.

The settings of published models are those of book/data/models.json. Run by hand in an environment of its own:

    pip install torch==2.13.0 transformers==5.24.0
    python tests/posenc/data/make_configs.py

The library works in float32. Here the name float32 means float64 while it works, so that nothing is rounded before
float64 rounds it.
"""

import json
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import torch

torch.set_default_dtype(torch.float64)
torch.float = torch.float32 = torch.float64
torch.Tensor.float = torch.Tensor.double

from transformers import AutoConfig  # noqa: E402
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS  # noqa: E402

ROOT = Path(__file__).parents[3]
MODELS = json.loads((ROOT / "book" / "data" / "models.json").read_text(encoding="utf8"))["models"]
CLASSES = {
    "gpt_neox": ("gpt_neox", "GPTNeoX"),
    "llama": ("llama", "Llama"),
    "mistral": ("mistral", "Mistral"),
    "phi": ("phi", "Phi"),
    "qwen2": ("qwen2", "Qwen2"),
    "phi3": ("phi3", "Phi3"),
    "gemma3_text": ("gemma3", "Gemma3"),
    "deepseek_v3": ("deepseek_v3", "DeepseekV3"),
    "kimi_k2": ("deepseek_v3", "DeepseekV3"),
    "gpt_oss": ("gpt_oss", "GptOss"),
    "smollm3": ("smollm3", "SmolLM3"),
    "qwen3": ("qwen3", "Qwen3"),
    "qwen2_vl": ("qwen2_vl", "Qwen2VL"),
}


def of_model(settings):
    """The frequencies of a model's rotary module, at its first length and, where they change, one beyond it."""
    settings = json.loads(json.dumps(settings))
    if (settings.get("rope_scaling") or {}).get("type") == "su":
        settings["rope_scaling"]["type"] = "longrope"  # the library renames it only after it has looked for its keys
    folder, name = CLASSES[settings["model_type"]]
    module = import_module(f"transformers.models.{folder}.modeling_{folder}")
    kind = {"qwen2_vl": "qwen2_vl_text", "kimi_k2": "deepseek_v3"}.get(settings["model_type"], settings["model_type"])
    config = AutoConfig.for_model(kind, **{key: value for key, value in settings.items() if key != "model_type"})
    rotary = getattr(module, f"{name}RotaryEmbedding")(config)
    if settings["model_type"] == "gemma3_text":
        return {
            layer: [
                {
                    "length": None,
                    **made(getattr(rotary, f"{layer}_inv_freq"), getattr(rotary, f"{layer}_attention_scaling")),
                }
            ]
            for layer in ("full_attention", "sliding_attention")
        }
    results = [{"length": None, **made(rotary.inv_freq, rotary.attention_scaling)}]
    if rotary.rope_type == "longrope":
        first = config.rope_parameters["original_max_position_embeddings"]
        for length in (first, first + 1):
            rotary(torch.zeros(1, 1, 1), torch.tensor([[length - 1]]))
            results.append({"length": length, **made(rotary.inv_freq, rotary.attention_scaling)})
    return results


def made(frequencies, factor):
    assert frequencies.dtype == torch.float64
    return {"attention_factor": float(factor), "frequencies": frequencies.tolist()}


def of_parameters(parameters, head_dim, length):
    """The result of the library's function for one type, called as its models call it."""
    parameters = json.loads(json.dumps(parameters))
    longest = parameters.pop("max_position_embeddings", None)
    config = SimpleNamespace(
        head_dim=head_dim,
        hidden_size=head_dim,
        num_attention_heads=1,
        max_position_embeddings=longest,
        rope_parameters=parameters,
        standardize_rope_params=lambda: None,
    )
    return made(*ROPE_INIT_FUNCTIONS[parameters["rope_type"]](config, "cpu", length))


YARN = {"rope_type": "yarn", "rope_theta": 50_000.0, "factor": 16.0, "original_max_position_embeddings": 2048}
LONG = {
    "rope_type": "longrope",
    "rope_theta": 10_000.0,
    "partial_rotary_factor": 0.5,
    "original_max_position_embeddings": 1024,
    "max_position_embeddings": 8192,
    "short_factor": [1.0 + 0.01 * i for i in range(8)],
    "long_factor": [1.0 + 1.7 * i for i in range(8)],
}
DYNAMIC = {"rope_type": "dynamic", "rope_theta": 10_000.0, "factor": 2.0, "max_position_embeddings": 2048}
PROPORTIONAL = {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.25}
CASES = [
    ({"rope_type": "linear", "rope_theta": 10_000.0, "factor": 2.5}, 64, None),
    ({"rope_type": "linear", "rope_theta": 10_000.0, "factor": 2.5, "partial_rotary_factor": 0.3}, 40, None),
    *((DYNAMIC, 64, length) for length in (None, 1, 2048, 2049, 20_000)),
    ({**DYNAMIC, "factor": 1.0, "partial_rotary_factor": 0.5}, 64, 5000),
    (YARN, 64, None),
    ({**YARN, "truncate": False}, 64, None),
    ({**YARN, "beta_fast": 20, "beta_slow": 2}, 64, None),
    ({**YARN, "beta_fast": 1.0, "beta_slow": 1.0}, 64, None),
    ({**YARN, "attention_factor": 1.25}, 64, None),
    ({**YARN, "mscale": 0.707, "mscale_all_dim": 1.2}, 64, None),
    ({**YARN, "factor": 1.0}, 64, None),
    ({**YARN, "factor": None, "max_position_embeddings": 65_536}, 64, None),
    ({**YARN, "partial_rotary_factor": 0.5}, 64, None),
    *((LONG, 32, length) for length in (None, 1024, 1025)),
    ({**LONG, "factor": 32.0}, 32, 2000),
    ({**LONG, "attention_factor": 1.5}, 32, 2000),
    (
        {
            "rope_type": "llama3",
            "rope_theta": 500_000.0,
            "factor": 32.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 8192,
        },
        64,
        None,
    ),
    (PROPORTIONAL, 64, None),
    ({**PROPORTIONAL, "factor": 8.0}, 512, None),
]

result = {
    "origin": {
        "script": "tests/posenc/data/make_configs.py",
        "python": sys.version.split()[0],
        **{name: version(name) for name in ("torch", "transformers")},
    },
    "models": {
        entry["name"]: of_model(entry["settings"]) for entry in MODELS if entry["settings"]["model_type"] in CLASSES
    },
    "cases": [
        {"parameters": case[0], "head_dim": case[1], "length": case[2], **of_parameters(*case)} for case in CASES
    ],
}
Path(__file__).with_name("configs.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf8")
