"""The same work done by PyTorch programs in common use; a peer that is not installed is left out."""

import importlib
import importlib.util
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

Calls = dict[str, Callable[[], Any]]


def _module(name: str) -> Any:
    """Import a module of the environment .bench by name, because .venv, where types are checked, has none of them."""
    return importlib.import_module(name)


def _torch() -> Any:
    torch = _module("torch")
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    return torch


def _torchtune_rotary() -> Any:
    """The class from its file: the package itself will not import without another that is not needed here."""
    path = Path(sysconfig.get_paths()["purelib"]) / "torchtune" / "modules" / "position_embeddings.py"
    spec = importlib.util.spec_from_file_location("torchtune_position_embeddings", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.RotaryPositionalEmbeddings


def tables(length: int, dim: int) -> Calls:
    """Sinusoidal tables in float32."""
    torch = _torch()
    one_axis = _module("positional_encodings.torch_encodings").PositionalEncoding1D
    m2m100 = _module("transformers.models.m2m_100.modeling_m2m_100").M2M100SinusoidalPositionalEmbedding
    scaled_sinusoidal = _module("x_transformers.x_transformers").ScaledSinusoidalEmbedding

    def tutorial() -> Any:
        position = torch.arange(length).unsqueeze(1)
        rate = torch.exp(torch.arange(0, dim, 2) * (-9.210340371976184 / dim))
        out = torch.zeros(length, dim)
        out[:, 0::2], out[:, 1::2] = torch.sin(position * rate), torch.cos(position * rate)
        return out

    scaled, empty = scaled_sinusoidal(dim), torch.empty(1, length, 0)
    encoding, input_ = one_axis(dim), torch.empty(1, length, dim)

    def positional_encodings() -> Any:
        encoding.cached_penc = None  # else it is made once and handed out again
        return encoding(input_)

    rotary = _torchtune_rotary()(dim)
    return {
        "PyTorch tutorial": tutorial,
        "transformers (M2M100)": lambda: m2m100.get_embedding(length, dim),
        "x-transformers": lambda: scaled(empty),
        "torchtune": lambda: rotary.build_rope_cache(length),
        "positional-encodings": positional_encodings,
    }


def rotary(x: Any) -> Calls:
    """Rotary embedding of x (batch, heads, n, d) in float32; each keeps its angles, or their sines and cosines."""
    torch = _torch()
    rotary_embedding = _module("rotary_embedding_torch").RotaryEmbedding
    gptj = _module("transformers.models.gptj.modeling_gptj").apply_rotary_pos_emb
    llama = _module("transformers.models.llama.modeling_llama").apply_rotary_pos_emb
    x_transformers = _module("x_transformers.x_transformers")
    x_rotary = x_transformers.apply_rotary_pos_emb

    _, _, n, d = x.shape
    q = torch.from_numpy(x)
    omega = 10_000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = (torch.arange(n)[:, None] * omega)[None]  # (1, n, d/2)
    halves = torch.cat((angles, angles), -1)
    cosine, sine = halves.cos().float(), halves.sin().float()
    short_cosine, short_sine = angles.cos().float(), angles.sin().float()
    q_by_row = q.transpose(1, 2).contiguous()  # (batch, n, heads, d), as GPT-J and torchtune have it
    one, other = rotary_embedding(dim=d), x_transformers.RotaryEmbedding(d)
    frequencies, scale = other.forward_from_seq_len(n)
    tune = _torchtune_rotary()(d, max_seq_len=n)

    def llama_alone() -> Any:
        """Its function turns queries and keys; the key here is a single number wide, next to nothing."""
        return llama(q, q[:, :1, :1], cosine, sine)[0]

    return {
        "transformers (Llama)": llama_alone,
        "transformers (GPT-J)": lambda: gptj(q_by_row, short_sine, short_cosine),
        "torchtune": lambda: tune(q_by_row),
        "x-transformers": lambda: x_rotary(q, frequencies, scale),
        "rotary-embedding-torch": lambda: one.rotate_queries_or_keys(q),
        "PyTorch complex": lambda: torch.view_as_real(
            torch.view_as_complex(q.unflatten(-1, (-1, 2))) * torch.complex(short_cosine, short_sine)
        ).flatten(-2),
    }
