"""Compare what a page's cells made with its record: pure functions of the two, whose rows the report lists."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from drift_guard import compare_text
from drift_guard.compare_figures import DRAWN, NOTHING, aligned, compare_figures, one_sided
from drift_guard.compare_text import shorten
from drift_guard.page_data import TOLERANCE, Figure, Number, Output, Page, Row, Text, Value, flat

SHOWN = "as shown"  # in the place of a tolerance: the value is the same, and readers see another text
ROUNDING = 1e-15  # of a list's largest number: what a zero among its numbers may be computed as


# ---- numbers of record


def kind(value: Value) -> str:
    """Return type and shape of a value in words."""
    if isinstance(value, list):
        return f"list of {len(value)}" + (f" x {kind(value[0])}" if value else "")
    return "integer" if isinstance(value, int) else "float"


def same_value(recorded: Value, computed: Value, tolerance: float) -> bool:
    if not tolerance:
        return recorded == computed
    noise = ROUNDING * max((abs(number) for number in flat(recorded)), default=0.0)
    return all(abs(r - c) <= tolerance * abs(r) + noise for r, c in zip(flat(recorded), flat(computed)))


def first_apart(recorded: Value, computed: Value) -> tuple[str, str]:
    """Return the first numbers that differ, each with its place in a list."""
    if not isinstance(recorded, list):
        return str(recorded), str(computed)
    pairs = list(zip(flat(recorded), flat(computed)))
    place = next(place for place, (old, new) in enumerate(pairs) if old != new)
    old, new = pairs[place]
    return f"[{place}] {old}", f"[{place}] {new}"


def compare_number(recorded: Number, computed: Number) -> tuple[str, str, str] | None:
    """Return (recorded, computed, tolerance) where a number of record differs."""
    old, new, tolerance = recorded.value, computed.value, computed.tolerance
    if old is None or new is None:
        return None if recorded.below == computed.below else (in_words(recorded), in_words(computed), "bound")
    if kind(old) != kind(new) or [type(number) for number in flat(old)] != [type(number) for number in flat(new)]:
        return f"{kind(old)} {shorten(old)}", f"{kind(new)} {shorten(new)}", "type"
    if tolerance <= TOLERANCE and all(isinstance(number, int) for number in flat(old)):
        tolerance = 0.0  # a count does not round, not even one of ten digits
    if same_value(old, new, tolerance):
        return None if recorded.shown == computed.shown else (as_shown(recorded), as_shown(computed), SHOWN)
    return (*first_apart(old, new), f"{tolerance:g} relative" if tolerance else "exact")


def as_shown(number: Number) -> str:
    """Return a value, or the first of a list, as readers see it, with its format."""
    first = next(iter(flat(number.value or 0)), 0)
    return f"{format(first, number.shown)} ({number.shown or 'all digits'})"


def in_words(number: Number) -> str:
    return str(number.value) if number.below is None else f"below {number.below:g}"


def forms(number: Number) -> list[str]:
    """Return the numbers in the shown form of a value."""
    if number.value is None or not number.shown:
        return []
    texts = [format(value, number.shown) for value in flat(number.value)]
    return [token for text in texts for token in compare_text.NUMBER.findall(text)]


def forms_at_an_edge(recorded: Page, computed: Page, cell: int | None) -> set[tuple[str, str]]:
    """Return the forms in which agreeing values of a cell may be printed apart: those at a rounding edge."""
    found: set[tuple[str, str]] = set()
    for name, number in computed.numbers.items():
        old = recorded.numbers.get(name)
        if old is None or number.cell != cell or old.value is None:
            continue
        if compare_number(replace(old, shown=number.shown), number):
            continue
        found.update(zip(forms(replace(number, value=old.value)), forms(number)))
    return found


# ---- outputs


def output_key(output: Output) -> tuple:
    """Return what two outputs have in common that are to be compared: a figure's name, a text's words."""
    if isinstance(output, Figure):
        return "figure", output.name
    return output.kind, tuple(compare_text.NUMBER.split(output.joined))


def compare_outputs(
    page: str, recorded: Output | None, computed: Output | None, edges: Collection[tuple[str, str]]
) -> list[Row] | None:
    """Compare two outputs, None if one is missing or of another kind; `edges` are forms that show one number."""
    if isinstance(recorded, Figure) and isinstance(computed, Figure):
        apart = compare_figures(recorded, computed)
        both = recorded, computed
        return [found.row(page, computed.cell, f"{computed.title}: {found.what}", both) for found in apart]
    if isinstance(recorded, Text) and isinstance(computed, Text) and recorded.kind == computed.kind:
        two = compare_text.difference(recorded.joined, computed.joined, edges)
        return [Row(page, computed.cell, computed.kind, *two, "as printed")] if two else []
    return None


def one_sided_row(page: str, output: Output, is_new: bool) -> Row:
    cell = output.cell if is_new else None
    if isinstance(output, Text):
        found = one_sided(output.kind, shorten(output.joined), is_new)
        return found.row(page, cell, found.what, None)
    found = one_sided(output.title, DRAWN, is_new)
    return found.row(page, cell, found.what, (None, output) if is_new else (output, None))


# ---- pages


def compare_page(page: str, recorded: Page, computed: Page) -> tuple[list[Row], Page]:
    """Return the differences, and the page to record: what is computed, and what was recorded where the two agree."""
    rows: list[Row] = []
    kept = Page()
    for name in dict.fromkeys([*computed.numbers, *recorded.numbers]):
        old, new = recorded.numbers.get(name), computed.numbers.get(name)
        what = f"number {name}"
        if new is None:
            rows.append(Row(page, None, what, shorten(in_words(recorded.numbers[name])), NOTHING, "missing"))
            continue
        kept.numbers[name] = new
        if old is None:
            rows.append(Row(page, new.cell, what, NOTHING, shorten(in_words(new)), "new"))
            continue
        apart = compare_number(old, new)
        if apart:
            rows.append(Row(page, new.cell, what, *apart))
        if not apart or apart[2] == SHOWN:
            kept.numbers[name] = replace(new, value=old.value)
    for old, new in aligned(recorded.outputs, computed.outputs, output_key):
        edges = forms_at_an_edge(recorded, computed, new.cell) if new else set()
        apart = compare_outputs(page, old, new, edges)
        if apart is None:
            apart = [one_sided_row(page, one, is_new=one is new) for one in (old, new) if one is not None]
        rows += apart
        if new is not None:
            kept.outputs.append(new if apart else old)
    return rows, kept


# ---- what no record can accept


def faults(page: str, computed: Page) -> list[Row]:
    """Return what no record can accept."""
    found = list(computed.faults)
    for number in computed.numbers.values():
        found += faults_of_number(page, number)
    figures: set[int | None] = set()
    for output in computed.outputs:
        if isinstance(output, Text):
            found += faults_of_text(page, output, computed)
            continue
        if output.cell in figures:
            reason = "one figure a cell: two share one caption"
            found.append(fault(page, output.cell, output.title, "a second figure", reason))
        figures.add(output.cell)
        found += faults_of_figure(page, output)
    return found


def fault(page: str, cell: int | None, what: str, found: str, reason: str) -> Row:
    return Row(page, cell, what, NOTHING, found, reason, fault=True)


def faults_of_number(page: str, number: Number) -> Iterator[Row]:
    what = f"number {number.id}"
    if number.above is not None:
        yield fault(page, number.cell, what, f"{number.above:.2g}", f"must stay below {number.below:g}")
    if number.cell is None:
        yield fault(page, None, what, "recorded", "its cell is not on the page")


def faults_of_text(page: str, text: Text, computed: Page) -> Iterator[Row]:
    if text.kind == "other":
        yield fault(page, text.cell, "output", text.joined, "not recorded, so not accepted")
    beside = [number for number in computed.numbers.values() if number.cell == text.cell]
    small = {number.below for number in beside if number.below is not None}
    small |= {compare_text.value(form) for number in beside for form in forms(number)}
    for found, reason in compare_text.faults(text.joined, small):
        yield fault(page, text.cell, text.kind, found, reason)


def faults_of_figure(page: str, figure: Figure) -> Iterator[Row]:
    if not figure.alt:
        yield fault(page, figure.cell, f"{figure.title}: alt", "none", "a figure needs its alternative text")
    if not figure.caption:
        yield fault(page, figure.cell, f"{figure.title}: caption", "none", "a figure needs its caption")
    if figure.draws is None:
        reason = "only what matplotlib draws in the cell can be checked"
        yield fault(page, figure.cell, figure.title, "an image", reason)
        return
    for problem in figure.draws.get("refused", []):
        yield fault(page, figure.cell, figure.title, problem, "not recorded, so not accepted")
