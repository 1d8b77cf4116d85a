"""Context extension: the same rotation with slower frequencies, so that longer texts keep to angles seen in training.

Every function takes frequencies (radians per token, fastest first, as `frequencies` gives them) and returns new ones.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checks

RAMPS = ("reference", "unrounded", "paper")


def _blend(omega: NDArray[np.float64], factor: float, keep: NDArray[Any]) -> NDArray[np.float64]:
    """keep * omega + (1 - keep) * omega / factor, refused where a frequency leaves the range of float64."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return _in_range(omega / factor * (1 - keep) + omega * keep, factor)


def _share(omega: NDArray[np.float64], length: float, slow: float, fast: float) -> NDArray[np.float64]:
    """From 0 for pairs of `slow` turns in `length` tokens or fewer, evenly up to 1 for `fast` turns or more."""
    with np.errstate(over="ignore", under="ignore"):
        return np.clip((length * omega / (2 * math.pi) - slow) / (fast - slow), 0, 1)


def _in_range(omega: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
    if not np.isfinite(omega).all():
        raise ValueError(f"factor must be such that frequencies stay within the range of float64, got {factor}")
    return omega


def interpolated(frequencies: ArrayLike, factor: float) -> NDArray[np.float64]:
    """Position interpolation: every frequency divided by the factor by which the context grows.

    omega'_j = omega_j / factor, which is to say that position p is read as p / factor.

    Parameters: `frequencies` (n,), radians per token; `factor` > 0, new length over trained length.
    Returns: float64 array of shape (n,).
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: Chen et al. 2023, "Extending Context Window of Large Language Models via Positional
    Interpolation", section 2.3.

    >>> interpolated([1.0, 0.1], 4)
    array([0.25 , 0.025])
    """
    omega, factor = _checks.frequency_list(frequencies), _checks.positive(factor, "factor")
    with np.errstate(over="ignore", under="ignore"):
        return _in_range(omega / factor, factor)


def ntk_aware(frequencies: ArrayLike, factor: float) -> NDArray[np.float64]:
    """NTK-aware scaling: the base is raised so that the slowest pair is stretched by the factor and the fastest not.

    omega'_j = omega_j factor**(-j/(n - 1)), which is base' = base * factor**(d/(d - 2)), n = d/2 pairs.

    A single pair is both the fastest and the slowest: with factor 1 it stays as it is, any other factor is refused.

    Parameters: `frequencies` (n,), radians per token; `factor` > 0.
    Returns: float64 array of shape (n,).
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: bloc97 2023, "NTK-Aware Scaled RoPE"; Peng et al. 2023, "YaRN", section 3.1, definition 1.

    >>> ntk_aware([1.0, 0.1, 0.01], 4)
    array([1.    , 0.05  , 0.0025])
    """
    omega, factor = _checks.frequency_list(frequencies), _checks.positive(factor, "factor")
    if omega.size == 1:
        if factor != 1:
            raise ValueError(
                "frequencies must have at least two entries: a single pair is both the fastest, which stays, and the "
                f"slowest, which is stretched by the factor {factor}"
            )
        return omega.copy()
    j = np.arange(omega.size)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return _in_range(omega * factor ** (-j / (omega.size - 1)), factor)


def dynamic_ntk(
    frequencies: ArrayLike, length: float, trained_length: float, factor: float = 1.0
) -> NDArray[np.float64]:
    """NTK-aware scaling by as much as the text at hand needs, and not at all within the trained length.

    ntk_aware with the multiplier max(1, factor * length / trained_length - (factor - 1)); so a single pair stays as it
    is within the trained length and is refused beyond.

    Parameters: `frequencies` (n,), radians per token; `length`, tokens in the text now; `trained_length`,
    tokens; `factor` >= 1.
    Returns: float64 array of shape (n,).
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: emozilla 2023, "Dynamically Scaled RoPE"; Peng et al. 2023, "YaRN", section 3.3; the form with a factor is
    that of the transformers library.

    >>> dynamic_ntk([1.0, 0.1, 0.01], 4096, 2048, 2).round(6)
    array([1.      , 0.057735, 0.003333])
    """
    length, trained = _checks.positive(length, "length"), _checks.positive(trained_length, "trained_length")
    factor = _checks.positive(factor, "factor")
    if factor < 1:
        raise ValueError(f"factor must be 1 or more, got {factor}")
    if length <= trained:
        return ntk_aware(frequencies, 1.0)
    multiplier = factor * (length / trained) - (factor - 1)
    if not math.isfinite(multiplier):
        raise ValueError(
            f"length must be nearer to trained_length, or factor smaller, got {length} and {trained} with {factor}"
        )
    return ntk_aware(frequencies, multiplier)


def yarn(
    frequencies: ArrayLike,
    factor: float,
    original_length: float,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    ramp: str = "reference",
) -> NDArray[np.float64]:
    """YaRN: pairs that turn often in the trained length stay, pairs that turn less than once are interpolated.

    omega'_j = g_j omega_j + (1 - g_j) omega_j / factor, with g falling from 1 to 0 between the pairs that make
    `beta_fast` and `beta_slow` turns in `original_length` tokens. Three ramps are in use:
    "reference", the authors' program: linear in the pair index, ends rounded outward, the upper cut at d - 1;
    "unrounded", the same with the ends as they come; "paper", the text: linear in the number of turns.
    Ramps over pairs are cut to the indices 0 and d - 1, d = 2n. Where the pair of `beta_slow` turns would stand before
    pair 0 (by a whole pair or more when ends are rounded, so that "reference" still keeps a pair 0 that turns a little
    less often), all are interpolated; where the pair of `beta_fast` turns would stand beyond d - 1, all stay. In these
    two cases the authors' program does the contrary. A ramp over pairs needs two of them, unless the factor is 1.

    Parameters: `frequencies` (n,), geometric for a ramp over pairs, radians per token; `factor` > 0;
    `original_length`, tokens; `beta_fast` > `beta_slow` > 0, turns (or, for a ramp over pairs, equal, as in Kimi K2:
    rounding outward then decides how wide the ramp is); `ramp`, one of the three names.
    Returns: float64 array of shape (n,). The factor on the scores is `yarn_attention_factor`.
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: Peng et al. 2023, "YaRN", section 3.2, equations 17 to 23 (the paper's count), and the published code.

    >>> yarn([1.0, 0.1, 0.01, 0.001], 4, 131072)[2:]
    array([0.01   , 0.00075])
    """
    omega = _checks.frequency_list(frequencies)
    factor, length = _checks.positive(factor, "factor"), _checks.positive(original_length, "original_length")
    fast, slow = _checks.positive(beta_fast, "beta_fast"), _checks.positive(beta_slow, "beta_slow")
    _checks.choice(ramp, "ramp", RAMPS)
    if fast < slow or (fast == slow and ramp == "paper"):  # over pairs, a ramp without width is a step
        raise ValueError(f"beta_fast must be above beta_slow, got {fast} and {slow}")
    if omega.size == 1 and ramp != "paper":
        if factor != 1:
            raise ValueError(f"frequencies must have at least two entries for a ramp over pairs, got {omega.size}")
        return omega.copy()
    if ramp == "paper":
        keep = _share(omega, length, slow, fast)
    else:
        if omega.min() <= 0:
            raise ValueError("frequencies must be above 0 for a ramp over pairs")
        logs = np.log(omega)
        steps = -np.diff(logs)
        if not (steps[0] > 0 and np.allclose(steps, steps[0], rtol=1e-5, atol=0)):
            raise ValueError("frequencies must fall in one ratio for a ramp over pairs, as those of `frequencies` do")
        step = (logs[0] - logs[-1]) / (omega.size - 1)
        first = logs[0] + math.log(length) - math.log(2 * math.pi)
        low, high = (float(first - math.log(turns)) / step for turns in (fast, slow))
        if ramp == "reference":
            low, high = math.floor(low), math.ceil(high)
        last = 2 * omega.size - 1
        if high < 0 or low > last:  # every pair turns too little, or often; the cut below would turn the ramp round
            keep = np.full(omega.size, float(low > last))
        else:
            low, high = max(low, 0), min(high, last)
            if low == high:
                high += 0.001  # the authors' way round a ramp of no width
            keep = 1 - np.clip((np.arange(omega.size) - low) / (high - low), 0, 1)
    return _blend(omega, factor, keep)


def yarn_attention_factor(factor: float, mscale: float = 1.0, mscale_all_dim: float = 0.0) -> float:
    """What YaRN multiplies queries and keys by, each, so that scores grow by its square.

    m(factor, mscale) / m(factor, mscale_all_dim) with m(s, c) = 0.1 c ln(s) + 1, and 1 for s up to 1. The paper's
    sqrt(1/t) is m(factor, 1), the default; DeepSeek's models state both scales, and multiply the softmax scale by
    m(factor, mscale_all_dim)**2 besides.

    Parameters: `factor` > 0; `mscale` and `mscale_all_dim`, 0 or more.
    Returns: a float.
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: Peng et al. 2023, "YaRN", section 3.4, equation 22; the two scales are those of DeepSeek's published code.

    >>> yarn_attention_factor(1), round(yarn_attention_factor(40), 6), yarn_attention_factor(40, 0.707, 0.707)
    (1.0, 1.368888, 1.0)
    """
    factor = _checks.positive(factor, "factor")
    scales = _checks.real(mscale, "mscale"), _checks.real(mscale_all_dim, "mscale_all_dim")
    for name, scale in zip(("mscale", "mscale_all_dim"), scales):
        if scale < 0:
            raise ValueError(f"{name} must be 0 or more, got {scale}")
    if factor <= 1:
        return 1.0
    over, under = (0.1 * scale * math.log(factor) + 1.0 for scale in scales)
    if not max(over, under) < math.inf:
        raise ValueError(
            f"mscale and mscale_all_dim must be small enough to stay within the range of float64, got "
            f"{scales[0]} and {scales[1]}"
        )
    return over / under


def llama3(
    frequencies: ArrayLike,
    factor: float = 8.0,
    low_freq_factor: float = 1.0,
    high_freq_factor: float = 4.0,
    original_length: float = 8192,
) -> NDArray[np.float64]:
    """The scaling of Llama 3.1: fast pairs stay, slow pairs are interpolated, a linear blend between.

    omega'_j = s_j omega_j + (1 - s_j) omega_j / factor, with
    s_j = (original_length / lambda_j - low) / (high - low) cut to [0, 1], lambda_j = 2 pi / omega_j.

    Parameters: `frequencies` (n,), radians per token; `factor` > 0; `high_freq_factor` > `low_freq_factor` > 0,
    turns in `original_length` tokens.
    Returns: float64 array of shape (n,).
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: Grattafiori et al. 2024, "The Llama 3 Herd of Models", and Meta's published code (`apply_scaling`).

    >>> llama3([1.0, 0.1, 0.0002]).round(6)
    array([1.0e+00, 1.0e-01, 2.5e-05])
    """
    omega = _checks.frequency_list(frequencies)
    factor, length = _checks.positive(factor, "factor"), _checks.positive(original_length, "original_length")
    low = _checks.positive(low_freq_factor, "low_freq_factor")
    high = _checks.positive(high_freq_factor, "high_freq_factor")
    if high <= low:
        raise ValueError(f"high_freq_factor must be above low_freq_factor, got {high} and {low}")
    return _blend(omega, factor, _share(omega, length, low, high))


def longrope(
    frequencies: ArrayLike, length: float, original_length: float, short_factors: ArrayLike, long_factors: ArrayLike
) -> NDArray[np.float64]:
    """LongRoPE: every frequency divided by a factor of its own, found by a search and published with the model.

    omega'_j = omega_j / s_j for texts up to and including `original_length`, omega_j / l_j for longer ones, s_j being
    the short factors and l_j the long ones.

    Parameters: `frequencies` (n,), radians per token; `length`, tokens in the text at hand; `original_length`, tokens;
    `short_factors` and `long_factors`, (n,), above 0.
    Returns: float64 array of shape (n,). The factor on the scores is `longrope_attention_factor`.
    Raises: TypeError or ValueError for arguments outside their domains or lists that do not fit.
    Source: Ding et al. 2024, "LongRoPE", section 3; the two lists and their switch are those of Microsoft's Phi-3.

    >>> longrope([1.0, 0.1], 4096, 4096, [1, 1], [1, 4]), longrope([1.0, 0.1], 4097, 4096, [1, 1], [1, 4])
    (array([1. , 0.1]), array([1.   , 0.025]))
    """
    omega = _checks.frequency_list(frequencies)
    length, original = _checks.positive(length, "length"), _checks.positive(original_length, "original_length")
    both: list[NDArray[np.float64]] = []
    for name, value in (("short_factors", short_factors), ("long_factors", long_factors)):
        factors = _checks.finite(value, name).astype(np.float64, copy=False)
        if factors.shape != omega.shape:
            raise ValueError(f"{name} must have one entry per pair, {omega.size} of them, got shape {factors.shape}")
        if not factors.min() > 0:
            raise ValueError(f"{name} must be above 0, got {factors.min()}")
        both.append(factors)
    factors = both[1] if length > original else both[0]
    with np.errstate(over="ignore", under="ignore"):
        return _in_range(omega / factors, float(factors.min()))


def longrope_attention_factor(factor: float, original_length: float) -> float:
    """What LongRoPE multiplies cosines and sines by, so that scores grow by its square.

    sqrt(1 + ln(factor) / ln(original_length)), and 1 for a factor up to 1.

    Parameters: `factor` > 0, new length over original length; `original_length` > 1, tokens.
    Returns: a float.
    Raises: TypeError or ValueError for arguments outside their domains.
    Source: Microsoft's published code of Phi-3, and the transformers library after it.

    >>> round(longrope_attention_factor(131072 / 4096, 4096), 6)
    1.190238
    """
    factor, original = _checks.positive(factor, "factor"), _checks.positive(original_length, "original_length")
    if original <= 1:
        raise ValueError(f"original_length must be above 1, got {original}")
    return math.sqrt(1 + math.log(factor) / math.log(original)) if factor > 1 else 1.0
