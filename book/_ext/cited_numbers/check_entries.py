"""Tell what is wrong with `numbers.yml`, before anything relies on it."""

import re
from collections.abc import Collection, Iterator
from typing import Any

from cited_numbers.number_text import NAME
from cited_numbers.numbers_of_record import NUMBERS, entries, repeated_keys

FILE = "book/numbers.yml"
KEYS = {"meaning", "shown", "unit", "tolerance", "below", "source", "given", "erratum"}
ERRATUM = re.compile(r"E\d+[a-z]?")


def faults_of_entries(published: Collection[str], source_rows: Collection[str]) -> list[str]:
    """Return what is wrong, with the ids that pages publish and those of source-numbers.csv as given."""
    found = [f"{FILE}: {name} stands there {count} times" for name, count in repeated_keys(NUMBERS).items()]
    for name, entry in entries().items():
        if not isinstance(entry, dict):
            found.append(f"{FILE}: {name}: expected keys such as meaning and shown, got {entry!r}")
            continue
        wrong = [] if NAME.fullmatch(str(name)) else ["an id has small letters, digits and single hyphens"]
        if "retired" in entry:
            wrong += faults_of_retired(name, entry, published)
        else:
            wrong += faults_of_entry(entry, source_rows)
            wrong += [] if name in published else ["no cell records this number"]
        found += [f"{FILE}: {name}: {what}" for what in wrong]
    return found


def faults_of_retired(name: str, entry: dict[str, Any], published: Collection[str]) -> Iterator[str]:
    if not isinstance(entry["retired"], str) or entry.keys() - {"retired", "now"}:
        yield "a retired id has only `retired` (a text) and, if renamed, `now` (its new id)"
    if entry.get("now", name) not in {name, *published}:
        yield f"now: no cell records {entry['now']!r}"
    if name in published:
        yield "is retired, and a cell records it"


def faults_of_entry(entry: dict[str, Any], source_rows: Collection[str]) -> Iterator[str]:
    for key in entry.keys() - KEYS:
        yield f"unknown key {key!r} (known: {', '.join(sorted(KEYS))})"
    if not isinstance(entry.get("meaning"), str):
        yield "no meaning (a text)"
    if ("shown" in entry) == ("below" in entry):
        yield "needs either shown (a value's format) or below (a residual's bound)"
    if not isinstance(entry.get("shown", ""), str):
        yield f"shown is a Python format in quotation marks, not {entry['shown']!r}"
    if not isinstance(entry.get("unit", ""), str):
        yield f"unit is a text, not {entry['unit']!r}"
    for key in "tolerance", "below":
        if key in entry and not is_positive(entry[key]):
            yield f"{key} is a positive number such as 1.0e-9, not {entry[key]!r}"
    source = entry.get("source", [])
    for row in source if isinstance(source, list) else [source]:
        if row not in source_rows:
            yield f"no row {row!r} in book/source-numbers.csv"
    if not ERRATUM.fullmatch(str(entry.get("erratum", "E1"))):
        yield f"erratum is the number of an erratum box, such as E1, not {entry['erratum']!r}"
    if not isinstance(entry.get("given", True), bool):
        yield f"given is true or false, not {entry['given']!r}"


def is_positive(value: Any) -> bool:
    try:
        return float(value) > 0
    except (TypeError, ValueError):
        return False
