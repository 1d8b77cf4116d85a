"""What a pattern finds in a text where a test goes on with what it found."""

from __future__ import annotations

import re


def matched(pattern: str, text: str, flags: int = 0) -> re.Match[str]:
    """Return the first match of a pattern in a text, which there must be."""
    found = re.search(pattern, text, flags)
    assert found is not None, f"nothing matches {pattern!r} in:\n{text[:2000]}"
    return found
