"""Every number of the book: what its cell published, joined once with its entry in `numbers.yml`.

The rows of `source-numbers.csv` tell what the source documents print for them.
"""

import csv
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from drift_guard import cell_outputs
from drift_guard.kept import Kept
from drift_guard.page_data import TOLERANCE, Number, Value

BOOK = Path(__file__).parents[2]
sys.path.insert(0, str(BOOK))
from record import NUMBERS, entries, shown  # noqa: E402, F401


@dataclass(frozen=True)
class Entry:
    """What `numbers.yml` says of a number."""

    meaning: str
    shown: str = ""  # the format of a value
    unit: str = ""
    tolerance: float = TOLERANCE
    sources: tuple[str, ...] = ()  # rows of source-numbers.csv
    lists_sources: bool = False  # whether the entry names them as a list
    given: bool = False  # an input that a source states
    erratum: str = ""


@dataclass(frozen=True)
class NumberOfRecord:
    """A number that a page publishes, with its entry."""

    id: str
    page: str
    cell: int | None
    value: Value | None  # None for rounding noise
    below: float | None  # the bound of rounding noise
    entry: Entry

    @property
    def known(self) -> Value:
        """Return the value of a number that is no rounding noise."""
        if self.value is None:
            raise ValueError(f"{self.id} is rounding noise, of which only the bound is known")
        return self.value


@dataclass(frozen=True)
class Quote:
    """Where a page quotes a number."""

    text: str
    line: int
    in_heading: bool = False


@dataclass
class State(Kept):
    """What is known of the numbers when all pages are read."""

    numbers: dict[str, NumberOfRecord] = field(default_factory=dict)  # by id, in the order of the pages
    quotes: dict[str, list[Quote]] = field(default_factory=dict)  # by page
    places: dict[str, dict[str, str]] = field(default_factory=dict)  # by page: what stands there that lists numbers


def read_entry(entry: dict[str, Any]) -> Entry:
    source = entry.get("source", [])
    return Entry(
        meaning=entry["meaning"],
        shown=entry.get("shown", ""),
        unit=entry.get("unit", ""),
        tolerance=float(entry.get("tolerance", TOLERANCE)),
        sources=tuple(source) if isinstance(source, list) else (source,),
        lists_sources=isinstance(source, list),
        given=entry.get("given", False),
        erratum=entry.get("erratum", ""),
    )


def published(env: BuildEnvironment) -> dict[str, list[tuple[str, Number]]]:
    """Return what pages publish by id, with the page; more than one where an id is recorded twice."""
    found: dict[str, list[tuple[str, Number]]] = {}
    for page in sorted(env.found_docs):
        for name, number in cell_outputs.numbers_of(env, page).items():
            found.setdefault(name, []).append((page, number))
    return found


def join(page: str, number: Number) -> NumberOfRecord:
    entry = read_entry(entries()[number.id])
    return NumberOfRecord(number.id, page, number.cell, number.value, number.below, entry)


@cache
def source_rows() -> dict[str, dict[str, str]]:
    """Return the rows of `source-numbers.csv` by id."""
    with (BOOK / "source-numbers.csv").open(encoding="utf8", newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def repeated_keys(path: Path) -> dict[str, int]:
    """Return the top-level keys that stand in a YAML file more than once, which YAML itself lets pass."""
    root = yaml.compose(path.read_text(encoding="utf8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    counts = Counter(key.value for key, _ in root.value) if root else Counter()
    return {key: count for key, count in counts.items() if count > 1}


def setup(app: Sphinx) -> dict:
    app.setup_extension("drift_guard.cell_outputs")
    app.connect("env-purge-doc", State.forget_page)
    return {"version": "1", "env_version": 1, "parallel_read_safe": False, "parallel_write_safe": True}
