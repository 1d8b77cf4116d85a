"""The comparison with the record, part by part: printed text, numbers of record, pages, and record files."""

import copy
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from docutils import nodes
from stand_ins import stand_in

from drift_guard import cell_outputs, compare_figures, compare_pages, compare_text, guard, record_files, report
from drift_guard.page_data import Figure, Number, Page, Row, Text

# ---- printed text

SAME = {
    "nothing": ("rank 15 of 32", "rank 15 of 32"),
    "negative zero": ("[-0.  1.]", "[0.  1.]"),
    "negative zero with decimals": ("x -0.00 y", "x 0.00 y"),
    "full precision": ("0.30000000000000004", "0.3"),
    "full precision in a list": ("[0.30000000000000004, 1.0]", "[0.3, 1.0]"),
    "full precision in columns": ("a  0.1234567890123456  b", "a   0.123456789012346  b"),
}
DIFFERENT = {
    "last printed digit": ("sine 0.841471", "sine 0.841472"),
    "twelve digits": ("0.123456789012", "0.123456789013"),
    "seventeen digits": ("0.30000000000000004", "0.30000001"),
    "long integer": ("1234567890123", "1234567990123"),
    "sign": ("-0.5", "0.5"),
    "word": ("rank 15", "level 15"),
    "space": ("a  1", "a 1"),
    "case": ("True", "true"),
    "fewer decimals": ("0.50", "0.5"),
    "notation": ("1e-05", "0.00001"),
    "another number": ("1 2", "1 2 3"),
    "another line": ("1\n2", "1 2"),
    "digit inside a word": ("pair2", "pair3"),
    "not a number": ("nan", "0.0"),
    "true zero": ("0.0", "0.1"),
    "typographic minus": ("−2", "2"),
}


@pytest.mark.parametrize("name", SAME)
def test_texts_that_agree(name):
    one, other = SAME[name]
    assert compare_text.difference(one, other) is None
    assert compare_text.difference(other, one) is None


@pytest.mark.parametrize("name", DIFFERENT)
def test_texts_that_do_not(name):
    one, other = DIFFERENT[name]
    assert compare_text.difference(one, other)
    assert compare_text.difference(other, one)


def excerpts(recorded: str, computed: str) -> tuple[str, str]:
    """Return what is shown of two texts that differ."""
    found = compare_text.difference(recorded, computed)
    assert found is not None
    return found


def test_the_first_difference_of_a_long_text_is_shown():
    text = "word " * 50
    old, new = excerpts(text + "sine 0.841471 and 2", text + "sine 0.841472 and 3")
    assert old.endswith("sine 0.841471 (+1 more)") and new.endswith("sine 0.841472 (+1 more)")
    old, new = excerpts(text + "end", text + "END")
    assert "end" in old and "END" in new and len(old) < 60


def test_printing_options_of_numpy_show():
    values = np.arange(30) / 7
    usual = str(values)
    tried: list[dict[str, Any]] = [
        {"precision": 3},
        {"linewidth": 40},
        {"suppress": True, "precision": 12},
        {"threshold": 9},
    ]
    for options in tried:
        with np.printoptions(**options):
            assert compare_text.difference(usual, str(values)), options
    assert compare_text.difference(usual, str(values)) is None


@pytest.mark.parametrize("text", [
    "residual 4.4e-16", "-2.1e-13", "[<Line2D at 0x7f21c0ffee10>]", "0x7f21c0ffee10", repr([np.float64(2) ** 0.5]),
    "<Figure size 640x480 with 1 Axes>", "file ipykernel_4711/1.py",
])  # fmt: skip
def test_noise_and_names_of_objects_may_not_be_printed(text):
    assert compare_text.faults(text)


@pytest.mark.parametrize("text", ["0.0 1e-12 -0.0 1e-9", "mask 0xff at 0", "1e-13"])
def test_other_text_may(text):
    assert compare_text.faults(text, small={1e-13}) == []


# ---- what stands on a page


def test_a_script_that_a_cell_displays_is_recorded():
    def shown(script):
        bundle = nodes.container("", nb_element="mime_bundle")
        for mime, text in ("application/javascript", script), ("text/plain", "<Javascript object>"):
            bundle += nodes.container("", nodes.raw(text=text, format="html"), mime_type=mime)
        return cell_outputs.read_output(nodes.container("", bundle))

    assert shown("show(1)") != shown("show(2)")


def test_what_is_displayed_and_cannot_be_recorded_is_refused():
    widget = Text("other", ["application/vnd.jupyter.widget-view+json"], cell=1)
    assert compare_pages.faults("one", Page(outputs=[widget]))


def test_where_a_numbered_list_starts_is_recorded():
    def shown(start):
        return cell_outputs.text_of(
            nodes.enumerated_list("", nodes.list_item("", nodes.paragraph("", "apples")), **start)
        )

    assert shown({}) == "1. apples" and shown({"start": 512}) != shown({"start": 513})
    assert shown({}) != shown({"enumtype": "loweralpha"})


def paragraph(kind, text="apples", **attributes):
    return nodes.paragraph("", "", nodes.Text("ten "), kind("", text, **attributes))


def table(head, *body):
    rows = [[nodes.row("", nodes.entry("", nodes.paragraph("", text))) for text in part] for part in ([head], body)]
    parts = [nodes.thead("", *rows[0]), nodes.tbody("", *rows[1])] if head else [nodes.tbody("", *rows[1])]
    return nodes.table("", nodes.tgroup("", *parts))


LOOKS = [
    nodes.paragraph("", "ten apples"),
    paragraph(nodes.strong),
    paragraph(nodes.emphasis),
    paragraph(nodes.literal),
    paragraph(nodes.reference, refuri="https://example.org/a"),
    paragraph(nodes.reference, refuri="https://example.org/b"),
    paragraph(nodes.reference, refid="a-place"),
    nodes.bullet_list("", nodes.list_item("", nodes.paragraph("", "ten apples"))),
    nodes.enumerated_list("", nodes.list_item("", nodes.paragraph("", "ten apples"))),
    nodes.rubric("", "ten apples"),
    nodes.block_quote("", nodes.paragraph("", "ten apples")),
    nodes.note("", nodes.paragraph("", "ten apples")),
    nodes.warning("", nodes.paragraph("", "ten apples")),
    table("ten apples"),
    table(None, "ten apples"),
]


def test_what_makes_a_displayed_text_look_otherwise_is_recorded():
    texts = [cell_outputs.text_of(node) for node in LOOKS[:-1]]
    assert len(set(texts)) == len(texts), texts
    pages = [Page(outputs=[Text("markdown", text.splitlines(), cell=1)]) for text in texts]
    for page in pages[1:]:
        assert compare_pages.compare_page("one", pages[0], page)[0]


def test_a_head_row_that_becomes_a_body_row_is_recorded():
    assert cell_outputs.text_of(table("kind", "a", "b")) != cell_outputs.text_of(table(None, "kind", "a", "b"))


def test_what_stands_raised_or_lowered_is_recorded_as_such():
    texts = [
        cell_outputs.text_of(nodes.paragraph("", "10", kind("", "4"))) for kind in (nodes.superscript, nodes.subscript)
    ]
    assert texts == ["10^4", "10_4"]


# ---- figures


@pytest.mark.parametrize("old, new", [
    (1e-12, 1e-11), (180.0, 179.9), ([0.45], [0.46]), ([5.0, 1.0], [5.0, 1.0, 2.0]), ([5.0, 1.0], 5.0), (1.0, "auto"),
    (["line -, colour C0", "line --, colour C1"], ["line -, colour C1", "line --, colour C0"]), ([1], [2]),
])  # fmt: skip
def test_settings_that_differ(old, new):
    assert list(compare_figures.compare_settings({"a": old}, {"a": new})) and list(
        compare_figures.compare_settings({"a": new}, {"a": old})
    )
    assert list(compare_figures.compare_settings({"a": old}, {"a": old})) == []


def test_settings_that_round_agree():
    assert (
        list(compare_figures.compare_settings({"a": 0.3, "b": [0.0, 0.3]}, {"a": 0.1 + 0.2, "b": [-0.0, 0.1 + 0.2]}))
        == []
    )


def test_the_entry_of_a_legend_that_differs_is_shown():
    legends = [{"legend": [{"title": "", "handles": ["line -, colour C0", f"line --, colour C{n}"]}]} for n in (1, 2)]
    assert list(compare_figures.compare_settings(*legends)) == [
        ("legend 1 handles", "[1] line --, colour C1", "[1] line --, colour C2", "exact")
    ]


# ---- numbers of record


def number(value, **other):
    return Number("n", cell=1, value=value, **{"shown": ".4f", **other})


@pytest.mark.parametrize("old, new", [
    (1.0, 1.0 + 5e-10), (-3.0, -3.0), (0.0, -0.0), (7, 7), ([1.0, 0.0], [1.0, 6e-17]),
    ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
    (0.12345, 0.12345 - 1e-16),
])  # fmt: skip
def test_numbers_that_agree(old, new):
    assert compare_pages.compare_number(number(old), number(new)) is None


@pytest.mark.parametrize("old, new, tolerance", [
    (1.0, 1.0 + 2e-9, "1e-09 relative"), (1e-7, 1.00001e-7, "1e-09 relative"), (0.0, 1e-17, "1e-09 relative"),
    (7, 8, "exact"), (7, 7.0, "type"), ([1.0, 2.0], [1.0], "type"), ([1.0], 1.0, "type"),
    ([[1.0, 2.0]], [[1.0], [2.0]], "type"), ([1.0, 1e-14], [1.0, 3e-14], "1e-09 relative"),
    ([1, 2.0], [1.0, 2.0], "type"), (12345678901, 12345678902, "exact"),
])  # fmt: skip
def test_numbers_that_do_not(old, new, tolerance):
    assert tolerance_of(number(old), number(new)) == tolerance


def tolerance_of(recorded: Number, computed: Number) -> str:
    """Return by which tolerance two numbers differ."""
    found = compare_pages.compare_number(recorded, computed)
    assert found is not None
    return found[2]


def test_a_number_may_have_another_tolerance():
    assert compare_pages.compare_number(number(1.0), number(1.001, tolerance=1e-2)) is None
    assert tolerance_of(number(1.0), number(1.1, tolerance=1e-2)) == "0.01 relative"


def test_bounds_compare_and_not_the_residuals_under_them():
    tight, loose = Number("n", below=1e-12), Number("n", cell=1, below=1e-11)
    assert compare_pages.compare_number(tight, Number("n", cell=1, below=1e-12)) is None
    assert tolerance_of(tight, loose) == "bound"
    assert tolerance_of(number(1.0), loose) == "bound"


def test_a_value_at_a_rounding_edge_compares_by_its_full_value():
    edge = [2.5, 2.5 + 5e-16]
    texts = [f"mean {value:.0f}" for value in edge]
    assert texts[0] != texts[1]
    old, new = (Page({"mean": number(one, shown=".0f")}, [text(1, words)]) for one, words in zip(edge, texts))
    assert rows(old, new) == []
    new.numbers["mean"] = number(edge[1] + 1e-6, shown=".0f")
    assert {row.what for row in rows(old, new)} == {"number mean", "text"}
    other_cell = Page({"mean": replace(number(edge[1], shown=".0f"), cell=2)}, [text(1, texts[1])])
    assert [row.what for row in rows(old, other_cell)] == ["text"]


@pytest.mark.parametrize("value, forms, sides", [
    (0.12345, (".2f", ".3f"), ("0.12 (.2f)", "0.123 (.3f)")),
    (10000, ("d", ",d"), ("10000 (d)", "10,000 (,d)")),
    ([0.5, 0.25], (".1f", ""), ("0.5 (.1f)", "0.5 (all digits)")),
])  # fmt: skip
def test_a_number_that_readers_see_in_another_form_is_named(value, forms, sides):
    """A record that is accepted holds the new form beside the value that it held before."""
    old, new = (Page({"n": number(value, shown=form)}) for form in forms)
    [row] = rows(old, new)
    assert (row.what, row.recorded, row.computed, row.tolerance, row.fault) == ("number n", *sides, "as shown", False)
    assert rows(new, new) == []
    new.numbers["n"] = replace(new.numbers["n"], value=nearly(value))
    _, kept = compare_pages.compare_page("p", recorded(old), new)
    assert recorded(kept).numbers["n"] == Number("n", value=value, shown=forms[1])


def nearly(value):
    """Return a value that differs from another one within its tolerance."""
    if isinstance(value, list):
        return [nearly(one) for one in value]
    return value if isinstance(value, int) else value * (1 + 1e-12)


# ---- pages


def text(cell, *lines):
    return Text("text", list(lines), cell)


def figure(cell, name="fig-a", **changed):
    draws = {"axes": [{"title": "", "artists": []}], "artists": []}
    return replace(Figure(name, "A line.", "A line.", draws, cell), **changed)


def recorded(page):
    """Return what a page's record says of it."""
    return record_files.from_json(json.loads(record_files.dumps(record_files.to_json(page))))


def rows(old, new):
    return compare_pages.compare_page("p", recorded(old), new)[0]


def noise(**changed):
    return Number("r", cell=1, below=1e-12, **changed)


WHOLE = Page(
    {"a": number(1.0), "b": number([1, 2, 3])}, [text(1, "one 1"), text(2, "two 2"), figure(3), text(4, "four 4")]
)


@pytest.mark.parametrize("change, what", [
    (lambda p: p.numbers.pop("a"), [("number a", "missing")]),
    (lambda p: p.numbers.update(c=number(2.0)), [("number c", "new")]),
    (lambda p: p.numbers.update(c=p.numbers.pop("a")), [("number c", "new"), ("number a", "missing")]),
    (lambda p: p.outputs.pop(1), [("text", "gone")]),
    (lambda p: p.outputs.insert(1, text(2, "between")), [("text", "new")]),
    (lambda p: p.outputs.pop(2), [("fig-a", "gone")]),
    (lambda p: p.outputs.append(figure(9, "fig-b")), [("fig-b", "new")]),
    (lambda p: p.outputs.__setitem__(2, figure(3, alt="Another line.")), [("fig-a: alt", "exact")]),
    (lambda p: p.outputs.__setitem__(2, figure(3, caption="A curve.")), [("fig-a: caption", "exact")]),
    (lambda p: p.outputs.__setitem__(2, figure(3, name="fig-z")), [("fig-z: figure", "exact")]),
    (lambda p: p.outputs.__setitem__(0, Text("html", ["one 1"], 1)), [("text", "gone"), ("html", "new")]),
    (lambda p: p.outputs.__setitem__(0, text(1, "one 2")), [("text", "as printed")]),
])  # fmt: skip
def test_differences_of_a_page(change, what):
    changed = copy.deepcopy(WHOLE)
    change(changed)
    found = rows(WHOLE, changed)
    assert [(row.what, row.tolerance) for row in found] == what
    assert not any(row.fault for row in found)


def test_a_page_that_agrees_and_one_that_only_moved():
    assert rows(WHOLE, WHOLE) == []
    moved = Page(WHOLE.numbers, [replace(output, cell=cell) for cell, output in enumerate(WHOLE.outputs, start=4)])
    assert rows(WHOLE, moved) == []
    assert record_files.to_json(moved) == record_files.to_json(WHOLE), "no place of a cell is recorded"


@pytest.mark.parametrize("change, what, reason", [
    (lambda p: p.numbers.update(r=noise(above=3e-9)), "number r", "must stay below 1e-12"),
    (lambda p: p.numbers.update(n=replace(number(1.0), cell=None)), "number n", "not on the page"),
    (lambda p: p.outputs.append(figure(3, "fig-b")), "fig-b", "one figure a cell"),
    (lambda p: p.outputs.append(figure(5, alt="")), "fig-a: alt", "alternative text"),
    (lambda p: p.outputs.append(figure(5, caption="")), "fig-a: caption", "caption"),
    (lambda p: p.outputs.append(figure(5, draws=None)), "fig-a", "matplotlib"),
    (lambda p: p.outputs.append(figure(5, draws={"refused": ["Barbs"]})), "fig-a", "not recorded"),
    (lambda p: p.outputs.append(text(5, "3e-16")), "text", "below 1e-12"),
    (lambda p: p.outputs.append(Text("html", ["<p>3e-16</p>"], 5)), "html", "below 1e-12"),
    (lambda p: p.outputs.append(text(5, "<Figure at 0x7f00>")), "text", "address"),
])  # fmt: skip
def test_what_no_record_can_accept(change, what, reason):
    assert compare_pages.faults("p", WHOLE) == []
    changed = copy.deepcopy(WHOLE)
    change(changed)
    (row,) = compare_pages.faults("p", changed)
    assert row.fault and row.what == what and reason in row.tolerance


def test_small_numbers_are_printed_through_record():
    numbers = {"r": replace(noise(), below=1e-14), "t": number(3.3e-13, shown=".1e")}
    assert compare_pages.faults("p", Page(numbers, [text(1, "below 1e-14, tolerance 3.3e-13")])) == []
    assert len(compare_pages.faults("p", Page(numbers, [text(2, "below 1e-14, tolerance 3.3e-13")]))) == 2


def test_what_agrees_keeps_its_recorded_form():
    old = Page({"a": number(1.0), "b": number(2.0)}, [text(1, "0.30000000000000004"), text(2, "two 2")])
    new = Page({"a": number(1.0 + 1e-16), "b": number(3.0)}, [text(1, "0.3"), text(2, "two 3")])
    _, kept = compare_pages.compare_page("p", recorded(old), new)
    assert record_files.to_json(kept) == {
        "numbers": {"a": {"value": 1.0, "shown": ".4f"}, "b": {"value": 3.0, "shown": ".4f"}},
        "outputs": [{"text": ["0.30000000000000004"]}, {"text": ["two 3"]}],
    }


# ---- record files


def write(folder, content, name="p.json"):
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def file_of(page):
    return record_files.dumps(record_files.to_json(page)) + "\n"


def with_artist(artist):
    return GOOD.replace('"artists": []', f'"artists": [{artist}]', 1)


GOOD = file_of(WHOLE)
BROKEN = {
    "empty": ("", 1, "empty"),
    "blank": ("\n\n", 1, "empty"),
    "cut off": (GOOD[: len(GOOD) // 2], GOOD[: len(GOOD) // 2].count("\n") + 1, "cut off"),
    "not JSON": (GOOD.replace('"b":', '"b"', 1), 2, "not JSON"),
    "conflict": ("<" * 7 + " ours\n" + GOOD, 1, "not JSON"),
    "key twice": (GOOD.replace('"b":', '"a":', 1), 2, "'a' stands twice"),
    "list": ("[]\n", 1, "not a record"),
    "no outputs": ('{"numbers": {}}\n', 1, "not a record"),
    "infinite": (GOOD.replace("1.0", "Infinity", 1), 1, "Infinity"),
    "not text": (b'{\n"\xff', 2, "UTF-8"),
    "another form": ('{"numbers": {"a": 7}, "outputs": []}\n', 1, "form"),
    "another form of value": ('{"numbers": {"a": {"value": "7"}}, "outputs": []}\n', 1, "form"),
    "no form to show a value in": ('{"numbers": {"a": {"value": 1.5, "shown": "d"}}, "outputs": []}\n', 1, "form"),
    "a bound with a form": ('{"numbers": {"a": {"below": 1e-9, "shown": ".1f"}}, "outputs": []}\n', 1, "form"),
    "another form of output": ('{"numbers": {}, "outputs": [{}]}\n', 1, "form"),
    "another form of lines": ('{"numbers": {}, "outputs": [{"text": "one"}]}\n', 1, "form"),
    "a drawing of another form": (GOOD.replace('"axes": [', '"axes": [7, ', 1), 1, "form"),
    "an artist without a kind": (with_artist('{"label": "a"}'), 1, "form"),
    "a digest without sums": (with_artist('{"kind": "a", "x": {"unit": 1}}'), 1, "form"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_record_is_named_with_its_line(tmp_path, name):
    content, line, reason = BROKEN[name]
    write(tmp_path / "recorded", content)
    found = guard.compare(tmp_path / "recorded", "recorded", {"p": WHOLE})
    (row,) = found.rows
    assert row.what == f"recorded/p.json:{line}" and reason in row.recorded
    assert file_of(found.writes[tmp_path / "recorded" / "p.json"]) == GOOD


def test_an_error_of_the_comparison_is_no_broken_record(tmp_path, monkeypatch):
    write(tmp_path / "recorded", GOOD)
    monkeypatch.delattr(compare_pages, "compare_outputs")
    with pytest.raises(NameError):
        guard.compare(tmp_path / "recorded", "recorded", {"p": WHOLE})


def test_missing_and_left_over_records(tmp_path):
    folder = tmp_path / "book" / "recorded"
    (row,) = guard.compare(folder, "book/recorded", {"book/p": WHOLE}).rows
    assert (row.what, row.recorded) == ("book/recorded/p.json", "no such file")
    write(tmp_path / "book", "", "other.json")
    folder.mkdir()
    write(folder, GOOD, "q.json")
    found = guard.compare(folder, "book/recorded", {"book/p": Page()})
    (row,) = found.rows
    assert (row.what, row.tolerance) == ("book/recorded/q.json", "gone") and found.writes == {folder / "q.json": None}


def test_line_endings_are_no_drift(tmp_path):
    write(tmp_path / "recorded", GOOD.replace("\n", "\r\n"))
    found = guard.compare(tmp_path / "recorded", "recorded", {"p": WHOLE})
    assert (found.rows, found.writes) == ([], {})


def test_pages_quote_what_is_recorded_where_it_agrees(tmp_path):
    write(tmp_path / "recorded", GOOD)
    computed = Page({"a": number(1.0000000000000002), "b": number([1, 2, 4])}, WHOLE.outputs)
    env = stand_in()
    state = cell_outputs.State.of(env)
    state.pages["p"] = computed
    assert cell_outputs.numbers_of(env, "p")["a"].value == 1.0000000000000002
    state.settled = guard.compare(tmp_path / "recorded", "recorded", state.pages).numbers
    assert [number.value for number in cell_outputs.numbers_of(env, "p").values()] == [1.0, [1, 2, 4]]


def test_records_are_stable_json():
    assert json.loads(GOOD) == record_files.to_json(WHOLE)
    assert record_files.dumps(json.loads(GOOD)) + "\n" == GOOD
    assert all(len(line) <= 120 for line in GOOD.splitlines())


def test_the_table_has_one_line_a_row():
    row = Row("p", 3, "text", "a\nb", "c", "as printed")
    lines = report.table([row, row]).splitlines()
    assert len(lines) == 4 and lines[0].split() == report.COLUMNS
    assert lines[2].split() == ["p", "3", "text", "a", "b", "c", "as", "printed"]
