"""Compare what a page's cells made with the record: pure functions of the two, from which the guard makes its table.

A page's record is `{"numbers": {id: {"value" or "below": …}}, "outputs": […]}`, the outputs in their order on the page:
`{"text": lines}`, `{"html": lines}`, `{"table": lines}` and so on, or `{"figure": name, "alt", "caption", "draws": …}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from drift_guard import compare_text

EXTREMES, SUMS = 1e-9, 1e-7  # of an array's unit: see `figure_record`
ROUNDING = 1e-15  # of a list's largest number: what a zero among its numbers may be computed as


@dataclass
class Row:
    """A difference; what `make record` cannot accept is a `fault`, and its tolerance says why."""

    page: str
    cell: int | None
    what: str
    recorded: str
    computed: str
    tolerance: str
    fault: bool = False


def aligned(recorded: list, computed: list, key: Callable) -> Iterator[tuple]:
    """Pair the items of two lists, None for a missing one; an item put in between shifts no other."""
    matcher = SequenceMatcher(None, [key(r) for r in recorded], [key(c) for c in computed], autojunk=False)
    for _, i, j, k, m in matcher.get_opcodes():
        yield from zip_longest(recorded[i:j], computed[k:m])


# ---- numbers of record


def flat(value) -> list:
    return [number for item in value for number in flat(item)] if isinstance(value, list) else [value]


def kind(value) -> str:
    """Return type and shape of a value in words."""
    if isinstance(value, list):
        return f"list of {len(value)}" + (f" x {kind(value[0])}" if value else "")
    return "integer" if isinstance(value, int) else "float"


def same_value(recorded, computed, tolerance: float) -> bool:
    if not tolerance:
        return recorded == computed
    noise = ROUNDING * max((abs(r) for r in flat(recorded)), default=0.0)
    return all(abs(r - c) <= tolerance * abs(r) + noise for r, c in zip(flat(recorded), flat(computed)))


def short(value) -> str:
    text = str(value)
    return text if len(text) <= compare_text.WIDTH else text[: compare_text.WIDTH - 1] + "…"


def first_apart(recorded, computed) -> tuple[str, str]:
    """Return the first numbers that differ, each with its place in a list."""
    if not isinstance(recorded, list):
        return str(recorded), str(computed)
    place = next(n for n, (r, c) in enumerate(zip(flat(recorded), flat(computed))) if r != c)
    return tuple(f"[{place}] {flat(value)[place]}" for value in (recorded, computed))


def compare_number(recorded: dict | None, computed: dict | None) -> tuple[str, str, str] | None:
    """Return (recorded, computed, tolerance) where a number of record differs."""
    if recorded is None or computed is None:
        gone, here = ("—", short(told(computed))) if recorded is None else (short(told(recorded)), "—")
        return gone, here, "new" if recorded is None else "missing"
    if "below" in recorded or "below" in computed:
        return None if recorded.get("below") == computed.get("below") else (told(recorded), told(computed), "bound")
    r, c, tolerance = recorded["value"], computed["value"], float(computed.get("tolerance") or 1e-9)
    if kind(r) != kind(c) or [type(v) for v in flat(r)] != [type(v) for v in flat(c)]:
        return f"{kind(r)} {short(r)}", f"{kind(c)} {short(c)}", "type"
    if tolerance <= 1e-9 and all(isinstance(v, int) for v in flat(r)):
        tolerance = 0.0  # a count does not round, not even one of ten digits
    allowed = f"{tolerance:g} relative" if tolerance else "exact"
    return None if same_value(r, c, tolerance) else (*first_apart(r, c), allowed)


def told(number: dict) -> str:
    return f"below {number['below']:g}" if "below" in number else str(number["value"])


def shown_pairs(recorded: dict, computed: dict) -> set[tuple[str, str]]:
    """Return the forms in which two agreeing values may be printed apart: one at a rounding edge."""
    if "value" not in recorded or "value" not in computed or compare_number(recorded, computed):
        return set()
    return set(zip(forms({**computed, "value": recorded["value"]}), forms(computed)))


def forms(number: dict) -> list[str]:
    """Return the numbers in the shown form of a value."""
    values = flat(number["value"]) if number.get("shown") and "value" in number else []
    return [token for value in values for token in compare_text.NUMBER.findall(format(value, number["shown"]))]


# ---- figures


def is_digest(leaf) -> bool:
    return isinstance(leaf, dict) and ("unit" in leaf or "empty" in leaf)


def leaves(record: dict, path: str = "") -> dict:
    """Return what a record of axes or of an artist holds, by path; arrays are leaves, artists and insets left out."""
    found = {}
    for key, value in record.items():
        if key in ("artists", "insets"):
            continue
        name = f"{path} {key}".strip()
        if isinstance(value, list) and value and all(isinstance(item, dict) and not is_digest(item) for item in value):
            value = {str(place): item for place, item in enumerate(value, start=1)}
        if isinstance(value, dict) and not is_digest(value):
            found.update(leaves(value, name))
        else:
            found[name] = value
    return found


def compare_arrays(recorded: dict, computed: dict) -> tuple[str, str, str] | None:
    sizes = [d.get("shape", [len(d.get("values", []))]) for d in (recorded, computed)]
    if sizes[0] != sizes[1] or ("empty" in recorded) != ("empty" in computed):
        return f"shape {sizes[0]}", f"shape {sizes[1]}", "exact"
    if "empty" in recorded:
        return None
    unit = max(recorded["unit"], computed["unit"])
    if "values" in recorded:
        for place, (r, c) in enumerate(zip(recorded["values"], computed["values"])):
            if r != c and (isinstance(r, str) or isinstance(c, str) or abs(r - c) > EXTREMES * unit):
                return f"[{place}] {r}", f"[{place}] {c}", f"{EXTREMES:g} of {unit:g}"
        return None
    for name in "min", "max":
        if abs(recorded[name] - computed[name]) > EXTREMES * unit:
            return f"{name} {recorded[name]:.12g}", f"{name} {computed[name]:.12g}", f"{EXTREMES:g} of {unit:g}"
    for r, c in zip(recorded["sums"], computed["sums"]):
        if abs(r - c) > SUMS:
            return f"sum {r:.9f}", f"sum {c:.9f}", f"{SUMS:g} of the range"
    return None


def compare_leaves(recorded: dict, computed: dict) -> Iterator[tuple[str, str, str, str]]:
    """Yield (path, recorded, computed, tolerance) for all that differs in two records of axes or artists."""
    r, c = leaves(recorded), leaves(computed)
    for name in dict.fromkeys([*r, *c]):
        if name not in r or name not in c:
            yield (name, *(short(side.get(name, "—")) for side in (r, c)), "exact")
        elif is_digest(r[name]) and is_digest(c[name]):
            if apart := compare_arrays(r[name], c[name]):
                yield (name, *apart)
        elif floats(r[name]) and floats(c[name]):
            old, new = flat(r[name]), flat(c[name])
            unit = max(map(abs, old), default=0.0) or 1.0
            if len(old) != len(new) or not all(abs(a - b) <= EXTREMES * unit for a, b in zip(old, new)):
                yield name, short(r[name]), short(c[name]), f"{EXTREMES:g}"
        elif r[name] != c[name]:
            yield (name, *first_items_apart(r[name], c[name]), "exact")


def floats(leaf) -> bool:
    return all(isinstance(value, float) for value in flat(leaf))


def first_items_apart(recorded, computed) -> tuple[str, str]:
    """Return two values in short, of two lists of one length the first items that differ."""
    if isinstance(recorded, list) and isinstance(computed, list) and len(recorded) == len(computed):
        return next(
            (f"[{n}] {short(r)}", f"[{n}] {short(c)}") for n, (r, c) in enumerate(zip(recorded, computed)) if r != c
        )
    return short(recorded), short(computed)


def artist_key(artist: dict) -> tuple:
    return artist["kind"], artist.get("label"), artist.get("text")


def artist_name(artist: dict) -> str:
    named = artist.get("label") or artist.get("text")
    return artist["kind"] + (f" {short(named)!r}" if named else "")


def compare_artists(recorded: list, computed: list, where: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield one difference an artist."""
    for r, c in aligned(recorded, computed, artist_key):
        if r is None or c is None:
            what = "new" if r is None else "gone"
            yield f"{where} {artist_name(c or r)}", "—" if r is None else "drawn", "—" if c is None else "drawn", what
        elif apart := list(compare_leaves(r, c)):
            name, old, new, tolerance = apart[0]
            more = f" (+{len(apart) - 1} more)" if len(apart) > 1 else ""
            yield f"{where} {artist_name(r)}: {name}{more}", old, new, tolerance


def compare_axes(recorded: list, computed: list, where: str) -> Iterator[tuple[str, str, str, str]]:
    for place, (r, c) in enumerate(zip_longest(recorded, computed), start=1):
        name = f"{where}{place}"
        if r is None or c is None:
            yield name, "—" if r is None else "drawn", "—" if c is None else "drawn", "new" if r is None else "gone"
            continue
        for leaf, old, new, tolerance in compare_leaves(r, c):
            yield f"{name} {leaf}", old, new, tolerance
        yield from compare_artists(r.get("artists", []), c.get("artists", []), name)
        yield from compare_axes(r.get("insets", []), c.get("insets", []), f"{name} inset ")


def compare_figures(recorded: dict, computed: dict) -> Iterator[tuple[str, str, str, str]]:
    """Yield (what, recorded, computed, tolerance) for all that differs in two figures."""
    for name in "figure", "alt", "caption":
        old, new = recorded.get(name) or "", computed.get(name) or ""
        if apart := compare_text.difference(old, new):
            yield (name, *apart, "exact")
    r, c = recorded["draws"], computed["draws"]
    beside = [{k: v for k, v in side.items() if k not in ("axes", "refused")} for side in (r, c)]
    yield from compare_leaves(*beside)
    yield from compare_artists(r.get("artists", []), c.get("artists", []), "figure")
    yield from compare_axes(r.get("axes", []), c.get("axes", []), "axes ")


# ---- outputs and pages


def output_kind(output: dict) -> str:
    kinds = set(output) - {"cell", "alt", "caption", "draws"}
    if len(kinds) != 1:
        raise ValueError(f"an output is of one kind: got {sorted(kinds)}")
    return kinds.pop()


def output_key(output: dict) -> tuple:
    kind = output_kind(output)
    return kind, output[kind] if kind == "figure" else tuple(compare_text.NUMBER.split(joined(output)))


def joined(output: dict) -> str:
    return "\n".join(output[output_kind(output)])


def compare_outputs(page: str, recorded: dict | None, computed: dict | None, pairs: set) -> list[Row]:
    cell = (computed or {}).get("cell")
    if recorded is None or computed is None:
        output = computed or recorded
        what = output["figure"] or "figure" if output_kind(output) == "figure" else output_kind(output)
        text = "drawn" if output_kind(output) == "figure" else short(joined(output))
        return [Row(page, cell, what, *(("—", text, "new") if recorded is None else (text, "—", "gone")))]
    kind = output_kind(computed)
    if kind == "figure":
        name = computed["figure"] or "figure"
        return [Row(page, cell, f"{name}: {what}", *rest) for what, *rest in compare_figures(recorded, computed)]
    apart = compare_text.difference(joined(recorded), joined(computed), pairs)
    return [Row(page, cell, kind, *apart, "as printed")] if apart else []


def compare_page(page: str, recorded: dict, computed: dict) -> tuple[list[Row], dict]:
    """Return the differences, and the record to keep: what is computed, and what was recorded where the two agree."""
    rows: list[Row] = []
    kept: dict = {"numbers": {}, "outputs": []}
    old, new = recorded["numbers"], computed["numbers"]
    for name in [*new, *(name for name in old if name not in new)]:
        apart = compare_number(old.get(name), new.get(name))
        if apart:
            rows.append(Row(page, new.get(name, {}).get("cell"), f"number {name}", *apart))
        if name in new:
            kept["numbers"][name] = number_record(new[name]) if apart else old[name]
    for r, c in aligned(recorded["outputs"], computed["outputs"], output_key):
        if r is not None and c is not None and output_kind(r) != output_kind(c):
            rows += [*compare_outputs(page, r, None, set()), *compare_outputs(page, None, c, set())]
            kept["outputs"].append(output_record(c))
            continue
        pairs = {
            pair
            for name, number in new.items()
            if c and name in old and number.get("cell") == c.get("cell")
            for pair in shown_pairs(old[name], number)
        }
        apart = compare_outputs(page, r, c, pairs)
        rows += apart
        if c is not None:
            kept["outputs"].append(output_record(c) if apart else r)
    return rows, kept


def number_record(number: dict) -> dict:
    return {name: number[name] for name in ("value", "below") if name in number}


def output_record(output: dict) -> dict:
    """Return what is recorded of an output: not its cell's place, which a cell put in before it shifts."""
    return {name: value for name, value in output.items() if name != "cell"}


def page_record(computed: dict) -> dict:
    return {
        "numbers": {name: number_record(number) for name, number in computed["numbers"].items()},
        "outputs": [output_record(output) for output in computed["outputs"]],
    }


def faults(page: str, computed: dict) -> list[Row]:
    """Return what no record can accept."""
    rows: list[Row] = []

    def fault(cell, what: str, found: str, reason: str):
        rows.append(Row(page, cell, what, "—", found, reason, fault=True))

    for cell, what, found, reason in computed.get("faults", []):
        fault(cell, what, found, reason)
    for name, number in computed["numbers"].items():
        if "above" in number:
            fault(number["cell"], f"number {name}", f"{number['above']:.2g}", f"must stay below {number['below']:g}")
        if number["cell"] is None:
            fault(None, f"number {name}", "recorded", "its cell is not on the page")
    figures: dict = {}
    for output in computed["outputs"]:
        cell = output["cell"]
        if output_kind(output) == "other":
            fault(cell, "output", joined(output), "not recorded, so not accepted")
        if output_kind(output) != "figure":
            here = [number for number in computed["numbers"].values() if number["cell"] == cell]
            small = {n["below"] for n in here if "below" in n} | {compare_text.value(t) for n in here for t in forms(n)}
            for found, reason in compare_text.faults(joined(output), small):
                fault(cell, output_kind(output), found, reason)
            continue
        name = output["figure"] or "figure"
        figures.setdefault(cell, []).append(name)
        if len(figures[cell]) == 2:
            fault(cell, name, "a second figure", "one figure a cell: two share one caption")
        for part, words in (("alt", "alternative text"), ("caption", "caption")):
            if not output[part]:
                fault(cell, f"{name}: {part}", "none", f"a figure needs its {words}")
        if output["draws"] is None:
            fault(cell, name, "an image", "only what matplotlib draws in the cell can be checked")
        for problem in (output["draws"] or {}).get("refused", []):
            fault(cell, name, problem, "not recorded, so not accepted")
    return rows
