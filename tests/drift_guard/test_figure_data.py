"""The table of what a figure draws holds the numbers that it was drawn from, each exactly."""

import csv
import io

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt

from drift_guard import figure_data
from drift_guard.figure_record import figure_record

X = np.linspace(0, 7, 29)
IMAGE = np.outer(np.cos(X[:5]), np.sin(X[:3]))


@pytest.fixture(autouse=True)
def look():
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, "backend": "agg"}):
        yield
        plt.close("all")


def rows(figure):
    parts = []
    assert "refused" not in figure_record(figure, parts)
    return list(csv.DictReader(io.StringIO(figure_data.unpacked(figure_data.packed(parts)))))


def column(found, name):
    return np.array([float(row[name] or "nan") for row in found])


def drawn(draw, **layout):
    figure, ax = plt.subplots(**layout)
    draw(ax)
    return rows(figure)


def test_a_line_has_its_points_and_its_label_on_any_scale():
    found = drawn(lambda ax: (ax.semilogy(X, np.exp(X), label="growth"), ax.set_title("One\npanel")))
    assert {(row["panel"], row["artist"], row["label"]) for row in found} == {("1: One panel", "line 1", "growth")}
    assert np.array_equal(column(found, "x"), X) and np.array_equal(column(found, "y"), np.exp(X))
    assert all(row["value"] == "" for row in found)


def test_what_is_not_drawn_is_empty():
    found = drawn(lambda ax: ax.plot(X, np.ma.masked_greater(X, 3)))
    assert [row["y"] == "" for row in found] == list(X > 3)


def test_of_a_line_across_the_panel_only_its_place_is_data():
    found = drawn(lambda ax: (ax.axvline(0.1), ax.axhline(1 / 3)))
    assert [(row["x"], row["y"]) for row in found] == [("0.1", "")] * 2 + [("", repr(1 / 3))] * 2


@pytest.mark.parametrize("origin", ["upper", "lower"])
def test_a_heatmap_has_a_row_for_each_cell_with_its_place_and_value(origin):
    limits = (9.5, 12.5, 4.5, -0.5) if origin == "upper" else (9.5, 12.5, -0.5, 4.5)
    found = drawn(lambda ax: ax.figure.colorbar(ax.imshow(IMAGE, origin=origin, extent=limits), ax=ax))
    assert {row["artist"] for row in found} == {"image 1"}, "a colour bar has no rows"
    assert np.array_equal(column(found, "value"), IMAGE.ravel())
    assert np.allclose(column(found, "x"), np.tile([10, 11, 12], 5))
    assert np.allclose(column(found, "y"), np.repeat(np.arange(5), 3))


def test_a_mesh_has_the_centres_of_its_cells():
    found = drawn(lambda ax: ax.pcolormesh([0, 1, 3, 7], np.arange(6), IMAGE))
    assert np.array_equal(column(found, "value"), IMAGE.ravel())
    assert list(column(found, "x")[:3]) == [0.5, 2, 5] and list(column(found, "y")[::3]) == [0.5, 1.5, 2.5, 3.5, 4.5]


def test_bars_have_their_lengths_and_the_names_of_their_places():
    found = drawn(lambda ax: ax.barh(["old", "new"], [2.5, 0.1], label="seconds"))
    ticks = [row for row in found if row["artist"] == "y tick"]
    bars = [row for row in found if row["artist"] == "bars 1"]
    assert [(row["label"], row["y"]) for row in ticks] == [("old", "0"), ("new", "1")]
    assert [(row["label"], float(row["x"]), float(row["y"])) for row in bars] == [
        ("seconds", 2.5, 0),
        ("seconds", 0.1, 1),
    ]


def test_upright_bars_end_where_they_end():
    found = drawn(lambda ax: ax.bar([3, 4], [0.25, -7], bottom=1))
    assert [(float(row["x"]), float(row["y"])) for row in found] == [(3, 1.25), (4, -6)]


def test_points_have_the_value_behind_their_colour():
    found = drawn(lambda ax: ax.scatter(X, X**2, c=np.sin(X)))
    assert np.array_equal(column(found, "y"), X**2) and np.array_equal(column(found, "value"), np.sin(X))


def test_pieces_are_told_apart():
    found = drawn(lambda ax: ax.vlines([1, 2], 0, [3, 4]))
    assert [row["artist"] for row in found] == ["segments 1.1"] * 2 + ["segments 1.2"] * 2


def test_a_text_is_its_own_label_and_what_stands_at_no_place_of_the_axes_has_no_row():
    def draw(ax):
        ax.text(0.5, 2, "here")
        ax.text(0.5, 0.5, "a title of its own", transform=ax.transAxes)

    assert [(row["artist"], row["label"], row["x"], row["y"]) for row in drawn(draw)] == [
        ("text 1", "here", "0.5", "2")
    ]


def test_panels_are_counted():
    figure, (left, right) = plt.subplots(1, 2)
    left.plot([0, 1], [1, 2])
    right.plot([0, 1], [3, 4])
    right.set_title("Right")
    assert [row["panel"] for row in rows(figure)] == ["1", "1", "2: Right", "2: Right"]


def test_contours_can_stand_in_a_figure_whose_numbers_are_given():
    """They have a method `get_text` that is no label."""
    figure, ax = plt.subplots()
    ax.contour(IMAGE, levels=[0.1, 0.2], colors="k")
    ax.plot(X, X, label="a line")
    assert {row["label"] for row in rows(figure)} >= {"a line"}
