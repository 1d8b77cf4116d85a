"""The coarse picture of a figure's ink: what no record of its artists one by one holds shows in it."""

import copy
import functools
import io
import json

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import Rectangle
from planted import CHANGES, Change, X, draw, left

from drift_guard import ink, record_files
from drift_guard.compare_figures import compare_figures
from drift_guard.figure_record import figure_record
from drift_guard.page_data import Figure, Page
from record import noise


@pytest.fixture(autouse=True)
def plain_style():
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, "backend": "agg"}):
        yield
        plt.close("all")


def drawn(change, is_changed=True):
    """Return the record of a figure after a change, or as it is without."""
    figure = draw(change, is_changed)
    record = {**figure_record(figure), "ink": ink.picture(figure)}
    assert "refused" not in record
    return json.loads(json.dumps(record))


@functools.cache
def unchanged(panels):
    """Return the record of a figure with some panels."""
    return drawn(Change(panels, lambda _: None), is_changed=False)


@pytest.fixture
def before():
    """The record of the figure with both panels."""
    return unchanged(("left", "right"))


def differences(old, new):
    return list(compare_figures(*(Figure("fig-a", "a", "c", side) for side in (old, new))))


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_reader_sees_is_named_twice(name):
    """The comparison names it, and the same change made once more is the same difference."""
    before = unchanged(CHANGES[name].panels)
    once, again = drawn(CHANGES[name]), drawn(CHANGES[name])
    assert differences(before, once), name
    assert differences(before, again) == differences(before, once), name
    assert not differences(once, again), name


def one_panel(change=lambda a: None, **axes):
    figure, a = plt.subplots(figsize=(4, 4), subplot_kw=axes)
    change(a)
    return {"ink": ink.picture(figure)}


PAIRS = {
    "the origin of angles": (
        lambda a: a.plot(X, X), lambda a: (a.plot(X, X), a.set_theta_zero_location("N")), {"projection": "polar"}),
    "the direction of angles": (
        lambda a: a.plot(X, X), lambda a: (a.plot(X, X), a.set_theta_direction(-1)), {"projection": "polar"}),
    "the colour of a table's cell": (
        lambda a: a.table([["1", "2"]], loc="center"),
        lambda a: a.table([["1", "2"]], loc="center")[0, 0].set_facecolor("lightblue"), {}),
    "a table's cell aligned otherwise": (
        lambda a: a.table([["1", "2"]], loc="center"),
        lambda a: a.table([["1", "2"]], loc="center", cellLoc="left"), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_what_other_panels_show_is_named(name):
    old, new, axes = PAIRS[name]
    assert differences(one_panel(old, **axes), one_panel(new, **axes)), name
    assert not differences(one_panel(new, **axes), one_panel(new, **axes)), name


def test_an_unchanged_figure_has_the_same_picture(before):
    assert drawn(Change(("left", "right"), lambda _: None), is_changed=False) == before


def test_rounding_does_not_show():
    def curve(values):
        return one_panel(lambda a: (a.plot(X, values), a.axhline(values[50]), a.bar(X[::40], values[::40])))

    old = curve(np.sin(X))
    for factor in 1 + 3e-16, 1 - 3e-16, 1 + 1e-12:
        assert not differences(old, curve(np.sin(X) * factor))


def test_noise_does_not_show():
    def residual(seed):
        def draw(a):
            a.plot(X, np.sin(X))
            noise(a.plot(X, np.random.default_rng(seed).normal(size=200) * 1e-16), below=1e-12)
            a.set_ylim(-2e-16, 2e-16)

        return one_panel(draw)

    assert residual(1) == residual(2)


def images(a):
    a.imshow(np.eye(9), interpolation="none")
    a.imshow(np.eye(3), interpolation="nearest", extent=(2, 5, 2, 5), alpha=0.8)
    a.add_patch(Rectangle((6, 1), 2, 2, hatch="/", rasterized=True))


PRINTED = {
    "curves and texts": lambda a: (a.plot(X, np.sin(X), "o-", label=r"$\sin x_1$"), a.legend(), a.set(title="A wave")),
    "an image that is not resampled, one that is, and a part drawn as dots": images,
    "noise": lambda a: (noise(a.plot(X, 1e-16 * X), below=1e-12), a.plot(X, X)),
}


@pytest.mark.parametrize("name", PRINTED)
def test_a_figure_has_its_ink_from_being_printed(name):
    """The printed image is the one without the guard, and the ink is that of a figure that nobody prints."""
    printed, alone, plain = (plt.subplots(figsize=(7.2, 3.6), layout="constrained") for _ in range(3))
    for _, a in (printed, alone, plain):
        PRINTED[name](a)
    files = io.BytesIO(), io.BytesIO()
    how = {"format": "svg", "bbox_inches": "tight", "metadata": {"Date": None}}
    with matplotlib.rc_context({"svg.hashsalt": "book"}):
        plain[0].canvas.print_figure(files[0], **how)
        with ink.copied(printed[0]) as drawings:
            printed[0].canvas.print_figure(files[1], **how)
    assert files[0].getvalue() == files[1].getvalue()
    assert len(drawings) == 1
    assert ink.picture(printed[0], drawings) == ink.picture(alone[0])


@pytest.mark.parametrize("part", ["fill", "edge", "text", "ground of a text", "a table's cell", "grid", "style"])
def test_a_step_of_a_colour_shows(part):
    """Nine of 255 steps of blue alone darken no cell by a level."""

    def draw(a, blue):
        colour = f"#0068{blue:02x}"
        if part == "style":
            a.set_prop_cycle(color=[colour])
        a.plot(X, np.sin(X))
        a.scatter([1, 2], [0, 0.5], **{"fill": {"color": colour}, "edge": {"edgecolor": colour}}.get(part, {}))
        ground = {"facecolor": colour} if part == "ground of a text" else None
        a.text(3, 0, "a note", color=colour if part == "text" else "k", bbox=ground)
        a.grid(color=colour if part == "grid" else "0.8")
        cell = a.table([["1"]], loc="center")[0, 0]
        cell.set_facecolor(colour if part == "a table's cell" else "w")

    old, new = (one_panel(lambda a, blue=blue: draw(a, blue)) for blue in (0x9D, 0xA6))
    assert ("colours", "#00689d", "#0068a6", "exact") in differences(old, new)
    assert not differences(new, one_panel(lambda a: draw(a, 0xA6)))


def test_colours_that_an_array_makes_are_not_listed():
    def draw(a, cmap):
        points = a.scatter(X, X, c=X, cmap=cmap)
        a.quiver(X[:5], X[:5], X[:5], X[:5], X[:5], cmap=cmap)
        a.contour(np.outer(X, X), cmap=cmap)
        a.pcolormesh(np.outer(X, X), cmap=cmap)
        assert points.get_array() is not None

    colours = [one_panel(lambda a, cmap=cmap: draw(a, cmap))["ink"]["colours"] for cmap in ("viridis", "magma")]
    assert colours[0] == colours[1] == ["#000000", "#ffffff"]


def test_the_figure_is_left_as_it_was():
    figure, a = plt.subplots(figsize=(5, 3), dpi=77)
    [curve] = noise(a.plot([1e-16, 2e-16]), below=1e-12)
    canvas = figure.canvas
    ink.picture(figure)
    assert (figure.dpi, figure.canvas) == (77, canvas)
    assert "draw" not in vars(curve)
    assert matplotlib.rcParams["path.snap"]


def test_a_difference_tells_where_on_the_figure(before):
    alone = unchanged(("left",))
    [difference] = differences(alone, drawn(left(lambda a: a.lines[0].set_linewidth(0.01))))
    assert difference.what.startswith("ink, ") and "of panel 1" in difference.what
    assert difference.recorded.endswith("% black") and difference.computed.endswith("% black")
    [difference] = differences(alone, drawn(left(lambda a: a.tick_params(color="w"))))
    assert "beside its panels" in difference.what
    [difference, *_] = differences(before, drawn(CHANGES["scaled as a whole"]))
    assert difference[:3] == ("size in inches", "7.2 x 3.6", "14.4 x 7.2")


@pytest.mark.parametrize("column, row, place", [
    (0, 0, "upper left of panel 1"), (11, 15, "middle of panel 1"), (23, 31, "lower right of panel 1"),
    (36, 2, "upper middle of panel 2"), (47, 31, "lower right of the figure, beside its panels"),
])  # fmt: skip
def test_places_in_words(column, row, place):
    assert ink.place(column, row, [[0, 0, 24, 32], [24, 0, 46, 32]]) == place


def test_a_step_of_rounding_is_tolerated_and_two_are_not(before):
    for steps, count in ((ink.STEPS, 0), (ink.STEPS + 1, 1)):
        changed = copy.deepcopy(before)
        row = changed["ink"]["rows"][0]
        level = ink.LEVELS.index(row[0]) + steps
        changed["ink"]["rows"][0] = ink.LEVELS[level] + row[1:]
        assert len(differences(before, changed)) == count


def test_a_picture_that_appears_is_a_difference(before):
    without = {name: value for name, value in before.items() if name != "ink"}
    assert [d.tolerance for d in differences(without, before)] == ["new"]
    assert [d.tolerance for d in differences(before, without)] == ["gone"]


# ---- the picture in a record


BROKEN = {
    "no picture": lambda picture: "dark",
    "a row too few": lambda picture: {**picture, "rows": picture["rows"][1:]},
    "a row too short": lambda picture: {**picture, "rows": [picture["rows"][0][1:], *picture["rows"][1:]]},
    "a letter that is no level": lambda picture: {**picture, "rows": ["ä" * ink.COLUMNS, *picture["rows"][1:]]},
    "numbers for rows": lambda picture: {**picture, "rows": [0] * ink.ROWS},
    "no rows": lambda picture: {name: part for name, part in picture.items() if name != "rows"},
    "no size": lambda picture: {name: part for name, part in picture.items() if name != "inches"},
    "no colours": lambda picture: {name: part for name, part in picture.items() if name != "colours"},
    "a colour as a number": lambda picture: {**picture, "colours": [0]},
    "a size in words": lambda picture: {**picture, "inches": ["7", "4"]},
    "a panel of three edges": lambda picture: {**picture, "panels": [[0, 0, 9]]},
    "a panel of fractions": lambda picture: {**picture, "panels": [[0.5, 0, 9, 9]]},
    "one entry too many": lambda picture: {**picture, "dots": 1},
}


def test_a_picture_survives_the_record(before, tmp_path):
    record_files.write(tmp_path / "page.json", Page(outputs=[Figure("fig-a", "a", "c", before)]))
    [figure] = record_files.read(tmp_path / "page.json").outputs
    assert isinstance(figure, Figure) and figure.draws == before
    lines = (tmp_path / "page.json").read_text(encoding="utf8").splitlines()
    assert any(json.dumps(before["ink"]["rows"][20]) in line for line in lines)  # it can be read in a diff


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_picture_is_refused(name, before, tmp_path):
    draws = {**before, "ink": BROKEN[name](before["ink"])}
    record_files.write(tmp_path / "page.json", Page(outputs=[Figure("fig-a", "a", "c", draws)]))
    with pytest.raises(record_files.Broken, match="the ink of a figure"):
        record_files.read(tmp_path / "page.json")
