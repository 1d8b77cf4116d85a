"""The package without its types, for tests that pass what the types refuse and hear what the functions say to it."""

from typing import Any

import posenc

unchecked: Any = posenc
