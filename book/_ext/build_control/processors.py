"""Count the processors that this process may use, which may be fewer than the machine has."""

import os


def processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
