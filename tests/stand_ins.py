"""Objects that take the place of those of a whole build, or of a browser, in tests of one function."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


def stand_in(**attributes: Any) -> Any:
    """Return an object that has these attributes alone, for a function that asks its argument for no others."""
    return SimpleNamespace(**attributes)
