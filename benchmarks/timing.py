"""Times of several functions side by side, as ratios that another program on the machine does not move.

A wall clock on a busy machine gave ratios of 0.3 to 0.5 between two *identical* functions. So: the CPU time of this one
thread; short samples of about equal length; the functions in a new random order every round, each divided by the first
of the same round, as what slows a round slows them all; medians with quartiles; and in every group a control, the first
function again under another name, whose ratio to the first should be 1.
"""

import gc
import math
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np

CONTROL = "control"


def _seconds(function: Callable[[], object], repeats: int) -> float:
    start = time.thread_time()
    for _ in range(repeats):
        function()
    return (time.thread_time() - start) / repeats


def measure(functions: dict[str, Callable[[], object]], rounds: int, sample: float) -> dict[str, dict[str, Any]]:
    """For each function the median seconds of CPU time a call, and the ratio to the first with its quartiles."""
    first = next(iter(functions))
    everything = functions | {CONTROL: functions[first]}
    repeats = {}
    for name, function in everything.items():
        function()  # imports, memos and the first touch of memory
        repeats[name] = max(1, math.ceil(sample / max(_seconds(function, 1), 1e-7)))
    times: dict[str, list[float]] = {name: [] for name in everything}
    draw = random.Random(0)
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            names = list(everything)
            draw.shuffle(names)
            for name in names:
                times[name].append(_seconds(everything[name], repeats[name]))
    finally:
        gc.enable()
    result = {}
    for name in everything:
        low, ratio, high = np.percentile(np.divide(times[name], times[first]), (25, 50, 75))
        result[name] = {"seconds": float(np.median(times[name])), "ratio": ratio, "quartiles": [low, high]}
    return result
