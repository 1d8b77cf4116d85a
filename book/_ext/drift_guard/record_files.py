"""The records: one JSON file a page, `{"numbers": {id: {"value", "shown"} or {"below"}}, "outputs": […]}`.

`shown` is the format in which readers see a value; without it they see all digits. An output is `{"text": lines}`,
`{"html": lines}` and so on, or `{"figure": name, "alt", "caption", "draws": …}`.
What is not of this form is refused when a file is read, so that the comparison deals with sound records only.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from drift_guard import ink
from drift_guard.page_data import Figure, Number, Output, Page, Text, Value, flat

WIDTH = 116  # of a line that holds a value in one piece


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


def demand(holds: bool, what: str) -> None:
    if not holds:
        raise Broken(1, f"not of the form that records have: {what}")


def from_json(record: Any) -> Page:
    is_record = isinstance(record, dict) and isinstance(record.get("numbers"), dict)
    if not is_record or not isinstance(record.get("outputs"), list):
        raise Broken(1, "not a record: it needs `numbers` (an object) and `outputs` (a list)")
    numbers = {name: number_from_json(name, number) for name, number in record["numbers"].items()}
    return Page(numbers, [output_from_json(output) for output in record["outputs"]])


def number_from_json(name: str, number: Any) -> Number:
    what = f"the number {name}"
    demand(isinstance(number, dict) and set(number) in ({"value"}, {"value", "shown"}, {"below"}), what)
    if "below" in number:
        demand(is_value(number["below"]) and not isinstance(number["below"], list), what)
    else:
        demand(is_value(number["value"]) and has_format(number), what)
    return Number(name, **number)


def has_format(number: dict) -> bool:
    """Tell whether a value can be shown as the record says."""
    try:
        for value in flat(number["value"]):
            format(value, number.get("shown", ""))
    except (TypeError, ValueError):
        return False
    return True


def is_value(value: Value) -> bool:
    if isinstance(value, list):
        return all(map(is_value, value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def output_from_json(output: Any) -> Output:
    demand(isinstance(output, dict), "an output")
    if "figure" in output:
        name, alt, caption = (output.get(part) for part in ("figure", "alt", "caption"))
        demand(all(isinstance(text, str) for text in (name, alt, caption)) and len(output) == 4, "a figure")
        demand_drawing(output.get("draws"))
        return Figure(name, alt, caption, output["draws"])
    demand(len(output) == 1, "an output")
    [(kind, lines)] = output.items()
    demand(isinstance(lines, list) and all(isinstance(line, str) for line in lines), f"an output, {kind}")
    return Text(kind, lines)


def demand_drawing(draws: Any) -> None:
    """Refuse what the comparison of two figures could not read."""
    demand(isinstance(draws, dict), "what a figure draws")
    demand("ink" not in draws or ink.is_picture(draws["ink"]), "the ink of a figure")
    demand_artists({name: draws[name] for name in draws if name != "ink"})
    demand_axes(draws.get("axes", []))


def demand_axes(every: Any) -> None:
    demand(isinstance(every, list), "the axes of a figure")
    for axes in every:
        demand(isinstance(axes, dict), "the axes of a figure")
        demand_artists(axes)
        demand_axes(axes.get("insets", []))


def demand_artists(drawing: dict) -> None:
    artists = drawing.get("artists", [])
    demand(isinstance(artists, list), "the artists of a figure")
    for artist in artists:
        demand(isinstance(artist, dict) and isinstance(artist.get("kind"), str), "an artist of a figure")
        names = [artist.get("label", ""), artist.get("text", "")]
        demand(all(isinstance(name, str) for name in names), "an artist of a figure")
    demand_digests(drawing)


def demand_digests(leaf: Any) -> None:
    if isinstance(leaf, list):
        for item in leaf:
            demand_digests(item)
    elif isinstance(leaf, dict) and "unit" in leaf:
        values = leaf.get("values")
        has_values = isinstance(values, list) and all(isinstance(value, str) or is_value(value) for value in values)
        has_sums = isinstance(leaf.get("sums"), list) and is_value([leaf.get("min"), leaf.get("max"), *leaf["sums"]])
        demand(is_value(leaf["unit"]) and (has_values or has_sums), "the digest of an array")
    elif isinstance(leaf, dict):
        for item in leaf.values():
            demand_digests(item)
