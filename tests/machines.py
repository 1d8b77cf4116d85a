"""Other machines, as far as this one can play them: processor features, BLAS kernels, threads, locale, time zone.

`make check-drift` builds the whole book as each of them, from nothing, and tells which builds drift.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROBE = """
import hashlib, locale, time
import numpy as np
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
rng = np.random.default_rng(1)
a, b = rng.normal(size=(2, 300, 300))
print(*(f for f in __cpu_dispatch__ if __cpu_features__[f]))
made = [1e4 ** (-np.arange(64) / 64), np.exp(a), np.tanh(a), (a + 1j * b) * (b - 1j * a)]
print(hashlib.sha256(b"".join(array.tobytes() for array in made)).hexdigest())
print(hashlib.sha256((a @ b).tobytes()).hexdigest())
"""


def probe(**changed: str) -> tuple[list[str], str, str]:
    """Return the processor features NumPy uses, and digests of functions' values and of a matrix product."""
    done = subprocess.run(
        [sys.executable, "-W", "error::ImportWarning", "-c", PROBE],
        env={**os.environ, **changed},
        capture_output=True,
        text=True,
        encoding="utf8",
        check=True,
    )
    features, values, product = done.stdout.splitlines()
    return features.split(), values, product


def newest(features: list[str], values: str) -> str:
    """Return the fewest features, from the newest back, without which functions have other values than these."""
    for n in range(1, len(features)):
        fewest = " ".join(features[-n:])
        if probe(NPY_DISABLE_CPU_FEATURES=fewest)[1] != values:
            return fewest
    return " ".join(features)


def variations() -> dict[str, dict[str, str]]:
    """Return environments by name, made of what this machine has; `varies` tells that they do change bits."""
    features, values, _ = probe()
    old, older = ("Nehalem", "Prescott") if platform.machine() in ("x86_64", "AMD64") else ("ARMV8", "CORTEXA53")
    locales = subprocess.run(["locale", "-a"], capture_output=True, text=True, encoding="utf8").stdout.split()
    foreign = next((name for name in locales if name.startswith(("de_", "fr_"))), "C")
    return {
        "an older processor": {
            "NPY_DISABLE_CPU_FEATURES": newest(features, values),
            "OPENBLAS_CORETYPE": old,
            "OPENBLAS_NUM_THREADS": "1",
            "LC_ALL": foreign,
            "TZ": "Asia/Kolkata",
            "COLUMNS": "40",
        },
        "a processor without extensions": {
            "NPY_DISABLE_CPU_FEATURES": " ".join(features),
            "OPENBLAS_CORETYPE": older,
            "OPENBLAS_NUM_THREADS": "2",
            "LC_ALL": "C",
            "TZ": "America/St_Johns",
        },
    }


def varies(changed: dict[str, str]) -> bool:
    """Tell whether an environment really computes other bits, in functions as well as in products."""
    plain, other = probe(), probe(**changed)
    return plain[1] != other[1] and plain[2] != other[2]


def main() -> int:
    status = 0
    for name, changed in variations().items():
        assert varies(changed), f"{name} computes the same bits as this machine: {changed}"
        output = ROOT / ".bench" / "machines"
        shutil.rmtree(output, ignore_errors=True)
        jupyter_book = Path(sys.executable).with_name("jupyter-book")
        done = subprocess.run(
            [jupyter_book, "build", "--path-output", output, ROOT],
            env={**os.environ, **changed},
            capture_output=True,
            text=True,
            encoding="utf8",
        )
        print(f"{name} ({', '.join(f'{key}={value}' for key, value in changed.items())}): ", end="")
        print("no drift" if done.returncode == 0 else "\n" + re.sub(r"\x1b\[[0-9;]*m", "", done.stderr))
        status |= done.returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
