"""Times of several functions side by side, as ratios that another program on the machine does not move.

A wall clock on a busy machine gave ratios of 0.3 to 0.5 between two *identical* functions. So: the CPU time of this one
thread, samples of about equal length, the functions in a new random order every round, medians with quartiles; and in
every group a control, the first function again under another name, whose ratio to the first should be 1.
"""
import gc
import math
import random
import time
from collections.abc import Callable

import numpy as np

CONTROL = "control"


def _seconds(function: Callable[[], object], repeats: int) -> float:
    start = time.thread_time()
    for _ in range(repeats):
        function()
    return (time.thread_time() - start) / repeats


def measure(functions: dict[str, Callable[[], object]], rounds: int, sample: float) -> dict[str, dict[str, float]]:
    """Median, quartiles and ratio to the first function, in seconds of CPU time a call, for each function."""
    first = next(iter(functions))
    everything = functions | {CONTROL: functions[first]}
    repeats = {}
    for name, function in everything.items():
        function()                                       # imports, memos and the first touch of memory
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
    medians = {name: float(np.median(values)) for name, values in times.items()}
    return {
        name: {
            "seconds": medians[name],
            "quartiles": [float(q) for q in np.percentile(times[name], (25, 75))],
            "ratio": medians[name] / medians[first],
        }
        for name in everything
    }
