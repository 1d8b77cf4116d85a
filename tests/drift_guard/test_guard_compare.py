"""The comparison with the record, part by part: printed text, numbers of record, pages, and record files."""

import copy
import json

import numpy as np
import pytest
from docutils import nodes

from drift_guard import compare_pages, compare_text, guard, published

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
    assert compare_text.difference(*SAME[name]) is None
    assert compare_text.difference(*SAME[name][::-1]) is None


@pytest.mark.parametrize("name", DIFFERENT)
def test_texts_that_do_not(name):
    assert compare_text.difference(*DIFFERENT[name])
    assert compare_text.difference(*DIFFERENT[name][::-1])


def test_the_first_difference_of_a_long_text_is_shown():
    text = "word " * 50
    old, new = compare_text.difference(text + "sine 0.841471 and 2", text + "sine 0.841472 and 3")
    assert old.endswith("sine 0.841471 (+1 more)") and new.endswith("sine 0.841472 (+1 more)")
    old, new = compare_text.difference(text + "end", text + "END")
    assert "end" in old and "END" in new and len(old) < 60


def test_printing_options_of_numpy_show():
    values = np.arange(30) / 7
    usual = str(values)
    for options in {"precision": 3}, {"linewidth": 40}, {"suppress": True, "precision": 12}, {"threshold": 9}:
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
        return guard.described(nodes.container("", bundle))

    assert shown("show(1)") != shown("show(2)")


def test_what_is_displayed_and_cannot_be_recorded_is_refused():
    outputs = [{"cell": 1, "other": ["application/vnd.jupyter.widget-view+json"]}]
    assert compare_pages.faults("one", {"numbers": {}, "outputs": outputs})


def test_where_a_numbered_list_starts_is_recorded():
    def shown(start):
        return guard.text_of(nodes.enumerated_list("", nodes.list_item("", nodes.paragraph("", "apples")), **start))

    assert shown({}) == "apples" and shown({"start": 512}) != shown({"start": 513})


def test_what_stands_raised_or_lowered_is_recorded_as_such():
    texts = [guard.text_of(nodes.paragraph("", "10", kind("", "4"))) for kind in (nodes.superscript, nodes.subscript)]
    assert texts == ["10^4", "10_4"]


# ---- figures


@pytest.mark.parametrize("old, new", [
    (1e-12, 1e-11), (180.0, 179.9), ([0.45], [0.46]), ([5.0, 1.0], [5.0, 1.0, 2.0]), ([5.0, 1.0], 5.0), (1.0, "auto"),
    (["line -, colour C0", "line --, colour C1"], ["line -, colour C1", "line --, colour C0"]), ([1], [2]),
])  # fmt: skip
def test_settings_that_differ(old, new):
    assert list(compare_pages.compare_leaves({"a": old}, {"a": new})) and list(
        compare_pages.compare_leaves({"a": new}, {"a": old})
    )
    assert list(compare_pages.compare_leaves({"a": old}, {"a": old})) == []


def test_settings_that_round_agree():
    assert (
        list(compare_pages.compare_leaves({"a": 0.3, "b": [0.0, 0.3]}, {"a": 0.1 + 0.2, "b": [-0.0, 0.1 + 0.2]})) == []
    )


def test_the_entry_of_a_legend_that_differs_is_shown():
    legends = [{"legend": [{"title": "", "handles": ["line -, colour C0", f"line --, colour C{n}"]}]} for n in (1, 2)]
    assert list(compare_pages.compare_leaves(*legends)) == [
        ("legend 1 handles", "[1] line --, colour C1", "[1] line --, colour C2", "exact")
    ]


# ---- numbers of record


def number(value, **other):
    return {"value": value, "cell": 1, "tolerance": 1e-9, "shown": ".4f", **other}


@pytest.mark.parametrize("old, new", [
    (1.0, 1.0 + 5e-10), (-3.0, -3.0), (0.0, -0.0), (7, 7), ([1.0, 0.0], [1.0, 6e-17]),
    ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
    (0.12345, 0.12345 - 1e-16),
])  # fmt: skip
def test_numbers_that_agree(old, new):
    assert compare_pages.compare_number({"value": old}, number(new)) is None


@pytest.mark.parametrize("old, new, tolerance", [
    (1.0, 1.0 + 2e-9, "1e-09 relative"), (1e-7, 1.00001e-7, "1e-09 relative"), (0.0, 1e-17, "1e-09 relative"),
    (7, 8, "exact"), (7, 7.0, "type"), ([1.0, 2.0], [1.0], "type"), ([1.0], 1.0, "type"),
    ([[1.0, 2.0]], [[1.0], [2.0]], "type"), ([1.0, 1e-14], [1.0, 3e-14], "1e-09 relative"),
    ([1, 2.0], [1.0, 2.0], "type"), (12345678901, 12345678902, "exact"),
])  # fmt: skip
def test_numbers_that_do_not(old, new, tolerance):
    assert compare_pages.compare_number({"value": old}, number(new))[2] == tolerance


def test_a_number_may_have_another_tolerance():
    assert compare_pages.compare_number({"value": 1.0}, number(1.001, tolerance=1e-2)) is None
    assert compare_pages.compare_number({"value": 1.0}, number(1.1, tolerance=1e-2))[2] == "0.01 relative"


def test_bounds_compare_and_not_the_residuals_under_them():
    assert compare_pages.compare_number({"below": 1e-12}, {"below": 1e-12, "cell": 1}) is None
    assert compare_pages.compare_number({"below": 1e-12}, {"below": 1e-11, "cell": 1})[2] == "bound"
    assert compare_pages.compare_number({"value": 1.0}, {"below": 1e-11, "cell": 1})[2] == "bound"


def test_a_value_at_a_rounding_edge_compares_by_its_full_value():
    edge = [2.5, 2.5 + 5e-16]
    texts = [f"mean {value:.0f}" for value in edge]
    assert texts[0] != texts[1]
    pages = [
        page(numbers={"mean": number(value, shown=".0f")}, outputs=[{"cell": 1, "text": [text]}])
        for value, text in zip(edge, texts)
    ]
    assert rows(*pages) == []
    pages[1]["numbers"]["mean"]["value"] += 1e-6
    assert {row.what for row in rows(*pages)} == {"number mean", "text"}
    other_cell = page(numbers={"mean": number(edge[1], shown=".0f", cell=2)}, outputs=[{"cell": 1, "text": [texts[1]]}])
    assert [row.what for row in rows(pages[0], other_cell)] == ["text"]


# ---- pages


def page(numbers=None, outputs=None):
    return {"numbers": numbers or {}, "outputs": outputs or []}


def text(cell, *lines):
    return {"cell": cell, "text": list(lines)}


def figure(cell, name="fig-a", **changed):
    draws = {"axes": [{"title": "", "artists": []}], "artists": []}
    return {"cell": cell, "figure": name, "alt": "A line.", "caption": "A line.", "draws": draws, **changed}


def rows(old, new):
    return compare_pages.compare_page("p", json.loads(guard.dumps(compare_pages.page_record(old))), new)[0]


WHOLE = page(
    {"a": number(1.0), "b": number([1, 2, 3])}, [text(1, "one 1"), text(2, "two 2"), figure(3), text(4, "four 4")]
)


@pytest.mark.parametrize("change, what", [
    (lambda p: p["numbers"].pop("a"), [("number a", "missing")]),
    (lambda p: p["numbers"].update(c=number(2.0)), [("number c", "new")]),
    (lambda p: p["numbers"].update(c=p["numbers"].pop("a")), [("number c", "new"), ("number a", "missing")]),
    (lambda p: p["outputs"].pop(1), [("text", "gone")]),
    (lambda p: p["outputs"].insert(1, text(2, "between")), [("text", "new")]),
    (lambda p: p["outputs"].pop(2), [("fig-a", "gone")]),
    (lambda p: p["outputs"].append(figure(9, "fig-b")), [("fig-b", "new")]),
    (lambda p: p["outputs"].__setitem__(2, figure(3, alt="Another line.")), [("fig-a: alt", "exact")]),
    (lambda p: p["outputs"].__setitem__(2, figure(3, caption="A curve.")), [("fig-a: caption", "exact")]),
    (lambda p: p["outputs"].__setitem__(2, figure(3, name="fig-z")), [("fig-z: figure", "exact")]),
    (lambda p: p["outputs"].__setitem__(0, {"cell": 1, "html": ["one 1"]}), [("text", "gone"), ("html", "new")]),
    (lambda p: p["outputs"].__setitem__(0, text(1, "one 2")), [("text", "as printed")]),
])  # fmt: skip
def test_differences_of_a_page(change, what):
    changed = copy.deepcopy(WHOLE)
    change(changed)
    found = rows(WHOLE, changed)
    assert [(row.what, row.tolerance) for row in found] == what
    assert not any(row.fault for row in found)


def test_a_page_that_agrees_and_one_that_only_moved():
    assert rows(WHOLE, WHOLE) == []
    moved = copy.deepcopy(WHOLE)
    for output in moved["outputs"]:
        output["cell"] += 3
    assert rows(WHOLE, moved) == []


@pytest.mark.parametrize("change, what, reason", [
    (lambda p: p["numbers"].update(r={"below": 1e-12, "above": 3e-9, "cell": 1}), "number r", "must stay below 1e-12"),
    (lambda p: p["numbers"]["a"].update(cell=None), "number a", "not on the page"),
    (lambda p: p["outputs"].append(figure(3, "fig-b")), "fig-b", "one figure a cell"),
    (lambda p: p["outputs"].append(figure(5, alt="")), "fig-a: alt", "alternative text"),
    (lambda p: p["outputs"].append(figure(5, caption="")), "fig-a: caption", "caption"),
    (lambda p: p["outputs"].append(figure(5, draws=None)), "fig-a", "matplotlib"),
    (lambda p: p["outputs"].append(figure(5, draws={"refused": ["Barbs"]})), "fig-a", "not recorded"),
    (lambda p: p["outputs"].append(text(5, "3e-16")), "text", "below 1e-12"),
    (lambda p: p["outputs"].append({"cell": 5, "html": ["<p>3e-16</p>"]}), "html", "below 1e-12"),
    (lambda p: p["outputs"].append(text(5, "<Figure at 0x7f00>")), "text", "address"),
])  # fmt: skip
def test_what_no_record_can_accept(change, what, reason):
    assert compare_pages.faults("p", WHOLE) == []
    changed = copy.deepcopy(WHOLE)
    change(changed)
    (row,) = compare_pages.faults("p", changed)
    assert row.fault and row.what == what and reason in row.tolerance


def test_small_numbers_are_printed_through_record():
    numbers = {"r": {"below": 1e-14, "cell": 1}, "t": number(3.3e-13, shown=".1e", cell=1)}
    assert compare_pages.faults("p", page(numbers, [text(1, "below 1e-14, tolerance 3.3e-13")])) == []
    assert len(compare_pages.faults("p", page(numbers, [text(2, "below 1e-14, tolerance 3.3e-13")]))) == 2


def test_what_agrees_keeps_its_recorded_form():
    old = page({"a": number(1.0), "b": number(2.0)}, [text(1, "0.30000000000000004"), text(2, "two 2")])
    new = page({"a": number(1.0 + 1e-16), "b": number(3.0)}, [text(1, "0.3"), text(2, "two 3")])
    _, kept = compare_pages.compare_page("p", compare_pages.page_record(old), new)
    assert kept == page(
        {"a": {"value": 1.0}, "b": {"value": 3.0}}, [{"text": ["0.30000000000000004"]}, {"text": ["two 3"]}]
    )


# ---- record files


def write(folder, content, name="p.json"):
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


GOOD = guard.dumps(compare_pages.page_record(WHOLE)) + "\n"
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
    "another form of output": ('{"numbers": {}, "outputs": [{}]}\n', 1, "form"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_record_is_named_with_its_line(tmp_path, name):
    content, line, reason = BROKEN[name]
    write(tmp_path / "recorded", content)
    (row,), writes, _ = guard.compare(tmp_path / "recorded", "recorded", {"p": WHOLE})
    assert row.what == f"recorded/p.json:{line}" and reason in row.recorded
    assert guard.dumps(writes[tmp_path / "recorded" / "p.json"]) + "\n" == GOOD


def test_missing_and_left_over_records(tmp_path):
    folder = tmp_path / "book" / "recorded"
    (row,), *_ = guard.compare(folder, "book/recorded", {"book/p": WHOLE})
    assert (row.what, row.recorded) == ("book/recorded/p.json", "no such file")
    write(tmp_path / "book", "", "other.json")
    folder.mkdir()
    write(folder, GOOD, "q.json")
    (row,), writes, _ = guard.compare(folder, "book/recorded", {"book/p": page()})
    assert (row.what, row.tolerance) == ("book/recorded/q.json", "gone") and writes == {folder / "q.json": None}


def test_line_endings_are_no_drift(tmp_path):
    write(tmp_path / "recorded", GOOD.replace("\n", "\r\n"))
    assert guard.compare(tmp_path / "recorded", "recorded", {"p": WHOLE})[:2] == ([], {})


def test_pages_quote_what_is_recorded_where_it_agrees(tmp_path):
    write(tmp_path / "recorded", GOOD)
    computed = copy.deepcopy(WHOLE)
    computed["numbers"]["a"]["value"] = 1.0000000000000002
    computed["numbers"]["b"]["value"] = [1, 2, 4]
    found = guard.compare(tmp_path / "recorded", "recorded", {"p": computed})
    assert found.numbers == {"p": {"a": {"value": 1.0}, "b": {"value": [1, 2, 4]}}}

    class Env:
        found_docs = ["p"]  # noqa: RUF012
        cell_payloads = {"p": {f"number:{id}": {"id": id, **n} for id, n in computed["numbers"].items()}}  # noqa: RUF012
        cell_settled = found.numbers

    assert [n["value"] for n in published.numbers(Env).values()] == [1.0, [1, 2, 4]]
    del Env.cell_settled
    assert published.numbers(Env)["a"]["value"] == 1.0000000000000002


def test_records_are_stable_json():
    assert json.loads(GOOD) == json.loads(json.dumps(compare_pages.page_record(WHOLE)))
    assert guard.dumps(json.loads(GOOD)) + "\n" == GOOD
    assert all(len(line) <= 120 for line in GOOD.splitlines())


def test_the_table_has_one_line_a_row():
    row = compare_pages.Row("p", 3, "text", "a\nb", "c", "as printed")
    lines = guard.table([row, row]).splitlines()
    assert len(lines) == 4 and lines[0].split() == guard.COLUMNS
    assert lines[2].split() == ["p", "3", "text", "a", "b", "c", "as", "printed"]
