"""Which machine a measurement was made on, when, and with which packages."""

import datetime
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any


def machine(packages: list[str]) -> dict[str, Any]:
    info = Path("/proc/cpuinfo")
    models = (
        [
            line.split(":")[1].strip()
            for line in info.read_text(encoding="utf8").splitlines()
            if line.startswith("model name")
        ]
        if info.exists()
        else []
    )
    return {
        "date": datetime.date.today().isoformat(),
        "processor": models[0] if models else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": {package: installed(package) for package in packages},
    }


def installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
