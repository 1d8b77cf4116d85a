"""The records: one JSON file a page, `{"numbers": {id: {"value", "shown"} or {"below"}}, "outputs": […]}`.

`shown` is the format in which readers see a value; without it they see all digits. An output is `{"text": lines}`,
`{"html": lines}` and so on, or `{"figure": name, "alt", "caption", "draws": …}`.
What is not of this form is refused when a file is read, so that the comparison deals with sound records only.
"""

import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import fastjsonschema
import yaml

from drift_guard.page_data import Figure, Number, Output, Page, Text, flat

SCHEMA = Path(__file__).with_name("record.schema.json")
WIDTH = 116  # of a line that holds a value in one piece
PARTS = {
    "ink": "the ink of a figure",
    "artists": "an artist of a figure",
    "axes": "the axes of a figure",
    "insets": "the axes of a figure",
    "draws": "what a figure draws",
    "outputs": "an output",
    "numbers": "a number",
}
ANOTHER_FORM = "not of the form that records have"


class Broken(Exception):
    """A record that cannot be read: line and reason."""

    def __init__(self, line: int, reason: str):
        super().__init__(reason)
        self.line = line


# ---- from a page to JSON


def to_json(page: Page) -> dict:
    """Return what is recorded of a page."""
    numbers = {name: number_to_json(number) for name, number in page.numbers.items()}
    return {"numbers": numbers, "outputs": [output_to_json(output) for output in page.outputs]}


def number_to_json(number: Number) -> dict:
    if number.below is not None:
        return {"below": number.below}
    return {"value": number.value, "shown": number.shown} if number.shown else {"value": number.value}


def output_to_json(output: Output) -> dict:
    if isinstance(output, Text):
        return {output.kind: output.lines}
    return {"figure": output.name, "alt": output.alt, "caption": output.caption, "draws": output.draws}


def dumps(value: Any, indent: str = "") -> str:
    """Return JSON with sorted keys, on one line what fits there: a review reads its diff."""
    in_one_line = json.dumps(value, sort_keys=True, ensure_ascii=False)
    if not value or not isinstance(value, dict | list) or len(indent) + len(in_one_line) <= WIDTH:
        return in_one_line
    inner = indent + " "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {dumps(value[key], inner)}" for key in sorted(value)]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + dumps(part, inner) for part in value) + f"\n{indent}]"


def write(path: Path, page: Page) -> None:
    """Write a record at one stroke, so that a killed build leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".json.part")
    half.write_text(dumps(to_json(page)) + "\n", encoding="utf8", newline="\n")
    half.replace(path)


# ---- from JSON to a page


def read(path: Path) -> Page:
    """Return what a file records; raise `Broken` for a file that is no record."""
    try:
        text = path.read_text(encoding="utf8")
    except UnicodeDecodeError as error:
        raise Broken(path.read_bytes()[: error.start].count(b"\n") + 1, "not UTF-8 text") from None
    if not text.strip():
        raise Broken(1, "the file is empty")
    try:
        record = json.loads(text, object_pairs_hook=without_repeats, parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        is_cut_off = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        raise Broken(error.lineno, f"{'cut off' if is_cut_off else 'not JSON'}: {error.msg}") from None
    except KeyError as error:
        raise Broken(line_of_repeat(text), f"the key {error.args[0]!r} stands twice") from None
    except (ValueError, RecursionError) as error:
        raise Broken(1, f"not a record: {error}") from None
    return from_json(record)


def without_repeats(pairs: list[tuple[str, Any]]) -> dict:
    repeated = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
    if repeated:
        raise KeyError(repeated[0])
    return dict(pairs)


def line_of_repeat(text: str) -> int:
    """Return the line on which a mapping has a key for the second time."""
    waiting = [yaml.compose(text, Loader=yaml.SafeLoader)]
    lines = []
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.MappingNode):
            seen = set()
            for key, value in node.value:
                if key.value in seen:
                    lines.append(key.start_mark.line + 1)
                seen.add(key.value)
                waiting.append(value)
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value
    return min(lines, default=1)


def refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


@cache
def demand_form() -> Callable[[Any], Any]:
    """Return what raises an error for a record that has another form than the schema."""
    return fastjsonschema.compile(json.loads(SCHEMA.read_text(encoding="utf8")))


def from_json(record: Any) -> Page:
    is_record = isinstance(record, dict) and isinstance(record.get("numbers"), dict)
    if not is_record or not isinstance(record.get("outputs"), list):
        raise Broken(1, "not a record: it needs `numbers` (an object) and `outputs` (a list)")
    try:
        demand_form()(record)
    except fastjsonschema.JsonSchemaValueException as error:
        part = next(PARTS[step] for step in reversed(error.path) if step in PARTS)
        raise Broken(1, f"{ANOTHER_FORM}: {part}: {error}") from None
    numbers = {name: number_from_json(name, number) for name, number in record["numbers"].items()}
    return Page(numbers, [output_from_json(output) for output in record["outputs"]])


def number_from_json(name: str, number: dict) -> Number:
    try:
        for value in flat(number.get("value", [])):
            format(value, number.get("shown", ""))
    except (TypeError, ValueError) as error:
        raise Broken(1, f"{ANOTHER_FORM}: the number {name}: {error}") from None
    return Number(name, **number)


def output_from_json(output: dict) -> Output:
    if "figure" in output:
        return Figure(output["figure"], output["alt"], output["caption"], output["draws"])
    [(kind, lines)] = output.items()
    return Text(kind, lines)
