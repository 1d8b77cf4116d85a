"""What a figure draws is recorded: each change that a reader could see shows, and nothing that fonts or sizes make."""

import json
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from cycler import cycler
from matplotlib import ticker, transforms
from matplotlib.colors import BoundaryNorm, ListedColormap, LogNorm, PowerNorm, TwoSlopeNorm
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Polygon, Wedge
from matplotlib.typing import RcKeyType

from drift_guard import artist_looks, compare_figures
from drift_guard.array_digest import digest
from drift_guard.figure_record import figure_record
from drift_guard.page_data import Figure
from record import noise

X = np.linspace(0, 10, 200)


@pytest.fixture(autouse=True)
def plain_style():
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, "backend": "agg"}):
        yield
        plt.close("all")


def drawn(change=lambda *_: None, before=lambda: None, y=None, image=None):
    """Return the record of a figure with curve, image, arrows and marks, after a change."""
    before()
    y = np.sin(X) if y is None else y
    image = np.outer(np.cos(X[:9]), np.sin(X[:7])) if image is None else image
    figure, (left, right) = plt.subplots(1, 2)
    left.plot(X, y, label="sine")
    left.axhline(0.5, linestyle="--", label="level")
    left.fill_between(X, 0, y)
    left.scatter(X[:5], y[:5], c=X[:5])
    left.set(title="A wave", xlabel="position", ylabel="value", ylim=(-2, 2))
    left.set_xticks([0, 5, 10], ["none", "half", "all"])
    left.annotate("peak", (1.57, 1), xytext=(4, 1.5), arrowprops={"arrowstyle": "->"})
    left.text(2, -1.5, "$\\sin x$")
    left.legend(title="curves")
    figure.colorbar(right.imshow(image, cmap="viridis", vmin=-1, vmax=1), ax=right, label="similarity")
    right.add_patch(FancyArrowPatch((1, 1), (2, 3)))
    right.add_patch(FancyBboxPatch((1, 1), 2, 1))
    right.add_patch(Circle((3, 3), 1))
    change(figure, left, right)
    record = json.loads(json.dumps(figure_record(figure)))
    assert "refused" not in record
    return record


@pytest.fixture(scope="module")
def before():
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, "backend": "agg"}):
        return drawn()


def differences(old, new):
    sides = [Figure("fig-a", "a", "c", side) for side in (old, new)]
    return list(compare_figures.compare_figures(*sides))


def moved(array, by, at=37):
    changed = np.array(array)
    changed.flat[at] += by * np.ptp(array)
    return changed


def line(n):
    return lambda figure, left, right: left.lines[n]


CHANGES = {
    "one point of a curve": {"y": moved(np.sin(X), 2e-6)},
    "one pixel": {"image": moved(np.outer(np.cos(X[:9]), np.sin(X[:7])), 2e-6)},
    "title": {"change": lambda f, a, b: a.set_title("Another wave")},
    "label": {"change": lambda f, a, b: a.set_xlabel("place")},
    "label of the other axes": {"change": lambda f, a, b: b.set_ylabel("row")},
    "curve's label": {"change": lambda f, a, b: a.lines[0].set_label("cosine")},
    "legend gone": {"change": lambda f, a, b: a.get_legend().remove()},
    "legend title": {"change": lambda f, a, b: a.get_legend().set_title("lines")},
    "tick text": {"change": lambda f, a, b: a.set_xticks([0, 5, 10], ["none", "half", "whole"])},
    "tick place": {"change": lambda f, a, b: a.set_xticks([0, 5.001, 10], ["none", "half", "all"])},
    "tick format": {"change": lambda f, a, b: a.yaxis.set_major_formatter("{x:.2f}")},
    "scale": {"change": lambda f, a, b: a.set_yscale("symlog")},
    "limit": {"change": lambda f, a, b: a.set_ylim(-2, 2.00001)},
    "inverted axis": {"change": lambda f, a, b: a.invert_yaxis()},
    "colormap": {"change": lambda f, a, b: b.images[0].set_cmap("magma")},
    "colour range": {"change": lambda f, a, b: b.images[0].set_clim(-1, 1.001)},
    "norm": {"change": lambda f, a, b: b.images[0].set_norm(LogNorm(0.01, 1))},
    "line style": {"change": lambda f, a, b: a.lines[1].set_linestyle(":")},
    "curve's colour": {"change": lambda f, a, b: a.lines[0].set_color("C1")},
    "curve not seen": {"change": lambda f, a, b: a.lines[0].set_alpha(0)},
    "curve of no width": {"change": lambda f, a, b: a.lines[0].set_linewidth(0)},
    "dashes": {"change": lambda f, a, b: a.lines[1].set_dashes((5, 1))},
    "marker hollow": {"change": lambda f, a, b: a.lines[0].set(marker="o", markerfacecolor="none")},
    "title not seen": {"change": lambda f, a, b: a.title.set_visible(False)},
    "label not seen": {"change": lambda f, a, b: a.xaxis.label.set_visible(False)},
    "title in no colour": {"change": lambda f, a, b: a.title.set_color("none")},
    "title's colour": {"change": lambda f, a, b: a.title.set_color("C1")},
    "legend entry": {"change": lambda f, a, b: a.get_legend().get_texts()[0].set_text("cosine")},
    "legend entry not seen": {"change": lambda f, a, b: a.get_legend().get_texts()[0].set_visible(False)},
    "text's colour": {"change": lambda f, a, b: a.texts[1].set_color("C1")},
    "label's colour": {"change": lambda f, a, b: a.yaxis.label.set_color("C1")},
    "tick labels gone": {"change": lambda f, a, b: a.tick_params(labelbottom=False)},
    "tick labels of both gone": {"change": lambda f, a, b: a.tick_params(labelbottom=False, labelleft=False)},
    "tick labels at the other side": {"change": lambda f, a, b: a.yaxis.tick_right()},
    "tick labels switched off": {"change": lambda f, a, b: plt.setp(a.get_yticklabels(), visible=False)},
    "one tick label switched off": {"change": lambda f, a, b: a.get_xticklabels()[1].set_visible(False)},
    "tick labels' colour": {"change": lambda f, a, b: a.tick_params(labelcolor="C1")},
    "multiplier of ticks hidden": {"change": lambda f, a, b: a.yaxis.offsetText.set_visible(False)},
    "text upside down": {"change": lambda f, a, b: a.texts[1].set_rotation(180)},
    "legend's text colours": {"change": lambda f, a, b: a.get_legend().get_texts()[0].set_color("C1")},
    "panels that changed places": {"change": lambda f, a, b: a.set_subplotspec(b.get_subplotspec())},
    "panel put elsewhere": {"change": lambda f, a, b: b.set_position((0.1, 0.1, 0.3, 0.8))},
    "image smoothed": {"change": lambda f, a, b: b.images[0].set_interpolation("bilinear")},
    "unequal units": {"change": lambda f, a, b: b.set_aspect("auto")},
    "opacity of an image": {"change": lambda f, a, b: b.images[0].set_alpha(np.where(np.eye(9, 7), 0.3, 1))},
    "figure text not seen": {"change": lambda f, a, b: a.texts[1].set_visible(False)},
    "scatter's size": {"change": lambda f, a, b: a.collections[1].set_sizes([3])},
    "marker": {"change": lambda f, a, b: a.lines[0].set_marker("o")},
    "another axes": {"change": lambda f, a, b: f.add_axes((0.4, 0.4, 0.1, 0.1))},
    "twin axis": {"change": lambda f, a, b: a.twinx()},
    "inset": {"change": lambda f, a, b: a.inset_axes((0.1, 0.1, 0.2, 0.2)).plot([1, 2])},
    "another curve": {"change": lambda f, a, b: a.plot(X, np.cos(X), scalex=False)},
    "curve gone": {"change": lambda f, a, b: a.lines[0].remove()},
    "hidden curve": {"change": lambda f, a, b: a.lines[0].set_visible(False)},
    "text": {"change": lambda f, a, b: a.texts[1].set_text("$\\cos x$")},
    "text moved": {"change": lambda f, a, b: a.texts[1].set_position((2, -1.4))},
    "annotation": {"change": lambda f, a, b: a.texts[0].set_text("crest")},
    "arrow without text": {"change": lambda f, a, b: a.annotate("", (0, 0), xytext=(1, 1), arrowprops={})},
    "arrow's tip": {"change": lambda f, a, b: setattr(a.texts[0], "xy", (1.6, 1))},
    "figure title": {"change": lambda f, a, b: f.suptitle("Waves")},
    "figure text": {"change": lambda f, a, b: f.text(0.5, 0.5, "draft")},
    "arrow patch": {"change": lambda f, a, b: b.patches[0].set_positions((1, 1), (2, 3.01))},
    "box": {"change": lambda f, a, b: b.patches[1].set_width(2.1)},
    "box style": {"change": lambda f, a, b: b.patches[1].set_boxstyle("square")},
    "circle": {"change": lambda f, a, b: b.patches[2].set_radius(1.00001)},
    "scatter's values": {"change": lambda f, a, b: a.collections[1].set_array(moved(X[:5], 1e-5, 2))},
    "scatter's places": {"change": lambda f, a, b: a.collections[1].set_offsets(np.c_[X[:5], np.cos(X[:5])])},
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_visible_change_shows(name, before):
    assert differences(before, drawn(**CHANGES[name])), name


PALETTE: dict[RcKeyType, Any] = {
    "axes.prop_cycle": cycler("color", ["#00689d", "#b04a00", "#007a57"]),
    "text.color": "#22201c",
    "axes.labelcolor": "#333333",
}
HARMLESS = {
    "nothing": {},
    "rounding": {"y": np.sin(X) * (1 + 3e-16), "image": np.outer(np.cos(X[:9]), np.sin(X[:7])) + 1e-16},
    "font": {"before": lambda: matplotlib.rcParams.update({"font.family": "DejaVu Serif", "font.size": 17})},
    "resolution": {"before": lambda: matplotlib.rcParams.update({"figure.dpi": 300})},
    "size": {"change": lambda f, a, b: f.set_size_inches(9, 4)},
    "palette": {"before": lambda: matplotlib.rcParams.update(PALETTE)},
    "line width": {"change": lambda f, a, b: a.lines[1].set_linewidth(5)},
    "layout": {"before": lambda: matplotlib.rcParams.update({"figure.constrained_layout.use": True})},
    "drawn before it is recorded": {"change": lambda f, a, b: f.canvas.draw()},
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_machine_fonts_and_style_decide_does_not_show(name, before):
    assert differences(before, drawn(**HARMLESS[name])) == [], name


def single(draw, **axes):
    figure = plt.figure()
    ax = figure.add_subplot(**axes)
    draw(ax)
    return json.loads(json.dumps(figure_record(figure), default=lambda scalar: scalar.item()))


PAIRS = {
    "bars": (lambda a, d: a.bar(["u", "v", "w"], [1, 2 + d, 3]), 1e-5),
    "bars' names": (lambda a, d: a.bar(["u", "v" if d else "w"], [1, 2]), 1),
    "histogram": (lambda a, d: a.hist([1, 2, 2, 3, 3 - d], bins=3), 1.5),
    "stems": (lambda a, d: a.stem([1, 2 + d, 3]), 1e-5),
    "error bars": (lambda a, d: a.errorbar([1, 2], [3, 4], yerr=[0.1, 0.2 + d]), 1e-4),
    "segments": (lambda a, d: a.hlines([1, 2 + d, 3], 0, 1), 1e-5),
    "segments' style": (lambda a, d: a.hlines([1, 2], 0, 1, linestyles="dotted" if d else "dashed"), 1),
    "mesh": (lambda a, d: a.pcolormesh(np.arange(12.0).reshape(3, 4) + d * np.eye(3, 4)), 1e-4),
    "contours": (lambda a, d: a.contour(np.outer(X[:40], X[:40]) + d, levels=[1.0, 2.0]), 1e-3),
    "contour levels": (lambda a, d: a.contourf(np.outer(X[:9], X[:9]), levels=[0.01, 0.02, 0.1 + d]), 1e-5),
    "range of contours": (lambda a, d: a.contourf(np.outer(X[:9], X[:9]), vmin=0, vmax=1 + d), 0.1),
    "hatches of contours": (lambda a, d: a.contourf(np.outer(X[:9], X[:9]), 1, hatches=["/", "/x"[d]]), 1),
    "opacity of contours": (lambda a, d: a.contourf(np.outer(X[:9], X[:9]), alpha=0.5 + d), 0.1),
    "colours of contours": (lambda a, d: a.contour(np.outer(X[:9], X[:9]), [0.1, 0.2], colors=["r", "gb"[d]]), 1),
    "arrow not seen": (
        lambda a, d: a.annotate("u", (0, 0), (1, 1), arrowprops={}).arrow_patch.set_visible(not d), 1),
    "quiver": (lambda a, d: a.quiver([0, 1, 2], [0, 1, 2], [1, 1, 1 + d], [0, 1, 0]), 1e-5),
    "wedge": (lambda a, d: a.add_patch(Wedge((0, 0), 1, 0, 90 + d)), 1e-3),
    "polygon": (lambda a, d: a.add_patch(Polygon([(0, 0), (1, 0), (1, 1 + d)])), 1e-5),
    "steps": (lambda a, d: a.step(X, np.floor(X), where="post" if d else "pre"), 1),
    "stairs": (lambda a, d: a.stairs([1, 2, 3 + d]), 1e-5),
    "sloped line": (lambda a, d: a.axline((0, 0), slope=1 + d), 1e-5),
    "events": (lambda a, d: a.eventplot([1, 2, 3, 4, 5 + d]), 1e-4),
    "sizes": (lambda a, d: a.scatter([1, 2, 3], [1, 2, 3], s=[10, 20, 30 + d]), 1e-3),
    "table": (lambda a, d: a.table([["1", f"{2 + d}"]]), 1),
    "second scale": (lambda a, d: a.secondary_xaxis("top", functions=(lambda x: (2 + d) * x, lambda x: x / 2)), 0.1),
    "function of ticks": (lambda a, d: a.xaxis.set_major_formatter(lambda x, _: f"{x + d:.1f}"), 1),
    "steps of ticks": (lambda a, d: a.xaxis.set_major_locator(ticker.MultipleLocator(0.25 + d)), 0.25),
    "colour image": (lambda a, d: a.imshow(np.full((2, 2, 3), 0.5) + d * np.eye(2)[:, :, None]), 1e-4),
    "log curve": (lambda a, d: a.loglog([1, 10, 100], [1e-3, 1e-6 * (1 + d), 1]), 1e-4),
    "mask of a scatter": (lambda a, d: a.scatter(np.ma.array(X, mask=X == X[50 + d]), X), 1),
    "percent": (lambda a, d: a.xaxis.set_major_formatter(ticker.PercentFormatter(1 + d)), 99),
    "unit of ticks": (lambda a, d: a.xaxis.set_major_formatter(ticker.EngFormatter("ms"[d])), 1),
    "start of ticks": (lambda a, d: a.xaxis.set_major_locator(ticker.MultipleLocator(0.5, d)), 0.25),
    "number of ticks": (lambda a, d: a.xaxis.set_major_locator(ticker.LinearLocator(3 + d)), 2),
    "centre of colours": (lambda a, d: a.imshow([[0, 9]], norm=TwoSlopeNorm(4 + d, 0, 9)), 1),
    "power of colours": (lambda a, d: a.imshow([[0, 9]], norm=PowerNorm(0.5 + d, 0, 9)), 0.1),
    "steps of colours": (lambda a, d: a.imshow([[0, 9]], norm=BoundaryNorm([0, 4 + d, 9], 256)), 0.1),
    "hidden axis": (lambda a, d: a.xaxis.set_visible(not d), 1),
    "colours of no registered name": (lambda a, d: a.imshow([[0, 9]], cmap=ListedColormap(["r", "gb"[d]])), 1),
    "dash pattern": (lambda a, d: a.plot(X, X, linestyle=(0, (5, 1 + d))), 1),
    "dash pattern of a patch": (lambda a, d: a.add_patch(Circle((0, 0), 1, linestyle=(0, (5, 1 + d)))), 1),
    "dash pattern of segments": (lambda a, d: a.hlines([1], 0, 1, linestyles=[(0, (5, 1 + d))]), 1),
    "points with markers": (lambda a, d: a.plot(X, X, "-o", markevery=[1 + d]), 1),
    "every which marker": (lambda a, d: a.plot(X, X, "-o", markevery=2 + d), 1),
    "slice of markers": (lambda a, d: a.plot(X, X, "-o", markevery=slice(d, 100, 2)), 1),
    "marker of a scatter": (lambda a, d: a.scatter(X, X, marker="ox"[d]), 1),
    "own marker of a scatter": (lambda a, d: a.scatter(X, X, marker=[(0, 0), (1, 0), (1, 1 + d)]), 1),
    "size of a scatter": (lambda a, d: a.scatter(X, X, s=10 + d), 1),
    "colours of a scatter": (lambda a, d: a.scatter(X, X, color=np.roll(["C0", "C1"] * 100, d)), 1),
    "hollow scatter": (lambda a, d: a.scatter(X, X, facecolor=["C0", "none"][d], edgecolor="C0"), 1),
    "colours of bars": (lambda a, d: a.bar([1, 2], [1, 1], color=["C0", "C1"][:: 1 - 2 * d]), 1),
    "hatch of a bar": (lambda a, d: a.bar([1, 2], [1, 1], hatch=["", "/x"[d]]), 1),
    "bar not seen": (lambda a, d: a.bar([1, 2], [1, 1])[1].set_visible(not d), 1),
    "bar taken away": (lambda a, d: (lambda bars: d and bars[1].remove())(a.bar([1, 2], [1, 1])), 1),
    "colours of wedges": (lambda a, d: a.pie([1, 1], colors=["C0", "C1"][:: 1 - 2 * d]), 1),
    "colour of a band": (lambda a, d: a.fill_between(X, 0, X, color=f"C{d}", alpha=0.3), 1),
    "hatch of a band": (lambda a, d: a.fill_between(X, 0, X, hatch="/x"[d]), 1),
    "opacity of a band": (lambda a, d: a.fill_between(X, 0, X, alpha=0.3 + d), 0.2),
    "colours of segments": (lambda a, d: a.hlines([1, 2], 0, 1, colors=["C0", "C1"][:: 1 - 2 * d]), 1),
    "colour of an arrow": (lambda a, d: a.annotate("", (0, 0), (1, 1), arrowprops={"color": f"C{d}"}), 1),
    "head of an arrow": (
        lambda a, d: a.annotate("", (0, 0), (1, 1), arrowprops={"arrowstyle": ("->", "<-")[d]}), 1),
    "bend of an arrow": (
        lambda a, d: a.annotate("", (0, 0), (1, 1), arrowprops={"connectionstyle": f"arc3,rad={d}"}), 0.3),
    "bend of an arrow patch": (
        lambda a, d: a.add_patch(FancyArrowPatch((0, 0), (1, 1), connectionstyle=f"arc3,rad={d}")), 0.3),
    "coordinates of an arrow's tip": (
        lambda a, d: a.annotate("u", (0, 0), (1, 1), xycoords=("axes fraction", "axes points")[d]), 1),
    "coordinates of an arrow's text": (
        lambda a, d: a.annotate("u", (0, 0), (1, 1), textcoords=("offset points", "offset fontsize")[d]), 1),
    "coordinates by a transform": (
        lambda a, d: a.annotate("u", (0, 0), (1, 1), xycoords=(a.transAxes, a.figure.transFigure)[d]), 1),
    "coordinates of two kinds": (
        lambda a, d: a.annotate("u", (0, 0), xycoords=("data", ("axes fraction", "figure fraction")[d])), 1),
    "text in other coordinates": (
        lambda a, d: (a.set_xlim(0, 2), a.text(0.5, 0.5, "u", transform=(a.transAxes, a.transData)[d])), 1),
    "line in other coordinates": (
        lambda a, d: (a.set_ylim(0, 2), a.plot(X, X / 10, transform=(a.get_xaxis_transform(), a.transData)[d])), 1),
    "steps of a registered colour map": (lambda a, d: a.imshow([[0, 9]], cmap=plt.get_cmap("viridis", 6 + d)), 1),
    "colour map under another's name": (
        lambda a, d: a.imshow([[0, 9]], cmap=ListedColormap(["r", "gb"[d]], name="viridis")), 1),
    "one colour of many": (
        lambda a, d: a.imshow([[0, 9]], cmap=ListedColormap([*"rgbcmykrgbcmyk" "rg"[d], *"rgbcmyk"], name="own")), 1),
    "own formatter of ticks": (
        lambda a, d: a.xaxis.set_major_formatter(type("Own", (ticker.ScalarFormatter,), {
            "__call__": lambda self, x, pos=None: f"{x + d:.1f}"})()), 1),
    "way back of a second scale": (
        lambda a, d: a.secondary_xaxis("top", functions=(lambda x: 2 * x, lambda x: x / (2 + d))), 1),
    "exponents as ticks": (lambda a, d: (a.set_xscale("log"), d and a.xaxis.set_major_formatter(
        ticker.LogFormatterExponent())), 1),
    "ticks of another base": (lambda a, d: (a.set_xscale("log"), d and a.xaxis.set_major_formatter(
        ticker.LogFormatterSciNotation(base=2))), 1),
    "minor tick labels": (lambda a, d: (a.set_xscale("log"), a.tick_params(which="minor", labelbottom=not d)), 1),
    "turned patch": (lambda a, d: a.add_patch(Polygon([(0, 0), (1, 0), (1, 2)], transform=(
        transforms.Affine2D().rotate(d) + a.transData))), 1e-3),
    "moved line": (lambda a, d: a.plot(X, X, transform=transforms.offset_copy(
        a.transData, a.figure, x=9) if d else a.transData), 1),
    "places of hexagons": (lambda a, d: a.hexbin(X + d, X, gridsize=9), 0.01),
    "what is in sight of a curve": (
        lambda a, d: (a.set_ylim(0, 1), a.plot(np.r_[np.full(99, 0.5 + d), 1e9])), 1e-5),
    "what is in sight of an image": (lambda a, d: a.imshow([[0.2 + d, 0.1, 0, 1, 1e9]], vmin=0, vmax=1), 1e-5),
    "what is in sight of an image, log": (
        lambda a, d: a.imshow([[2 + d, 1, 1, 1, 1e99]], norm=LogNorm(1, 3)), 1e-5),
    "scale of arrows": (
        lambda a, d: a.quiver([0], [0], [1], [1], angles="xy", scale_units="xy", scale=1 + d), 1),
    "angles of arrows": (lambda a, d: a.quiver([0], [0], [1], [1], angles=("uv", "xy")[d]), 1),
    "pivot of arrows": (lambda a, d: a.quiver([0], [0], [1], [1], pivot=("tail", "tip")[d]), 1),
    "gap in a curve": (lambda a, d: a.plot(X, np.where((X > 5) & (X < 5.1 + d), np.nan, X)), 0.1),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_every_kind_of_artist_is_recorded(name):
    draw, change = PAIRS[name]
    first, again, other = (single(lambda ax, d=d: draw(ax, d)) for d in (0, 0, change))
    assert "refused" not in first
    assert differences(first, again) == []
    assert differences(first, other)


def told_apart(key, swapped):
    """Draw two of everything that a legend tells apart by `key` alone, with a legend made before they are swapped."""
    values = ["C0", "C1"] if "color" in key else ["-", "--"] if key == "linestyle" else ["o", "s"]
    return [{key: value} for value in values[:: -1 if swapped else 1]]


def curves(ax, marks):
    return [ax.plot(X, X + n, **{"color": "C0", **mark})[0] for n, mark in enumerate(marks)]


MADE = {
    "curves": (curves, "color"), "dashed curves": (curves, "linestyle"), "marked curves": (curves, "marker"),
    "bars": (lambda ax, marks: [ax.bar([n], [1], **mark) for n, mark in enumerate(marks)], "color"),
    "scatters": (lambda ax, marks: [ax.scatter(X, X + n, **mark) for n, mark in enumerate(marks)], "marker"),
    "bands": (lambda ax, marks: [ax.fill_between(X, n, X, **mark) for n, mark in enumerate(marks)], "color"),
    "stems": (lambda ax, marks: [ax.stem([1, 2 + n], linefmt=f"{mark['color']}-") for n, mark in enumerate(marks)],
              "color"),
    "error bars": (lambda ax, marks: [ax.errorbar([n], [1], yerr=1, **mark) for n, mark in enumerate(marks)], "color"),
}  # fmt: skip


@pytest.mark.parametrize("on", ["axes", "figure"])
@pytest.mark.parametrize("name", MADE)
def test_a_legend_whose_entries_changed_places_shows(name, on):
    make, key = MADE[name]

    def draw(handles_swapped=False, drawn_swapped=False):
        def both(ax):
            handles = make(ax, told_apart(key, False))[:: -1 if handles_swapped else 1]
            (ax if on == "axes" else ax.figure).legend(handles, ["one", "other"])
            if drawn_swapped:
                for artist in [*ax.lines, *ax.collections, *ax.patches]:
                    artist.remove()
                make(ax, told_apart(key, True))

        return single(both)

    assert differences(draw(), draw()) == []
    assert any("handles" in what for what, *_ in differences(draw(), draw(handles_swapped=True)))
    assert differences(draw(), draw(drawn_swapped=True)), "the legend tells the old looks"


@pytest.mark.parametrize("proxy", [Line2D, lambda x, y, **mark: Circle((x[0], y[0]), **mark)])
def test_a_legend_of_proxies_shows_their_colours(proxy):
    def draw(*colours):
        def plot(ax):
            ax.legend([proxy([0], [0], color=colour) for colour in colours], ["one", "other"])

        return single(plot)  # fmt: skip

    assert differences(draw("C0", "C1"), draw("C1", "C0"))
    assert differences(draw("C0", "#123456"), draw("C0", "#123457"))


def test_a_colour_is_named_by_its_part_in_the_style():
    styles = (["#00689d", "#b04a00"], "#6b665d", "#22201c"), (["#111111", "#222222"], "#333333", "#444444")
    for cycle, frame, ink in styles:
        style: dict[RcKeyType, Any] = {
            "axes.prop_cycle": cycler("color", cycle),
            "axes.edgecolor": frame,
            "text.color": ink,
        }
        with matplotlib.rc_context(style):
            names = [artist_looks.colour(value) for value in (*cycle, frame, ink, "#123456", "k", "none", (0, 0, 0, 0))]
            assert names == ["C0", "C1", "frame", "ink", "#123456", "black", "none", "none"]
            assert artist_looks.colour("C1", 0.25) == "C1 0.25"


def test_ticks_of_the_books_style_do_not_follow_the_locale():
    with matplotlib.rc_context(fname=Path(__file__).parents[2] / "book" / "book.mplstyle"):
        assert ticker.ScalarFormatter().get_useLocale() is False


@pytest.mark.parametrize("change", [
    lambda ax: ax.set_theta_offset(1), lambda ax: ax.set_yticks([]), lambda ax: ax.set_xticks([0, 1]),
    lambda ax: ax.set_yticks([1, 2], ["one", "two"]), lambda ax: ax.tick_params(labelbottom=False, labelleft=False),
])  # fmt: skip
def test_polar_axes_are_recorded(change):
    first, other = (
        single(lambda ax, d=d: (ax.plot(X, X), change(ax) if d else None), projection="polar") for d in (0, 1)
    )
    assert "refused" not in first and differences(first, other)
    assert "tick labels" not in first["axes"][0]["x"]


def test_unknown_artists_and_axes_are_refused():
    assert "Barbs" in single(lambda ax: ax.barbs([1], [1], [1], [1]))["refused"][0]
    assert "3d" in single(lambda ax: ax.plot([1, 2], [1, 2], [1, 2]), projection="3d")["refused"][0]


def test_a_curve_that_reaches_down_to_rounding_noise_needs_a_bound_and_limits():
    values = np.r_[1e-1, 1e-5, 3e-16, 2e-16]
    other = np.r_[1e-1, 1e-5, 1e-17, 5e-16]

    def draw(values, bound=None, limits=None):
        def plot(ax):
            lines = ax.semilogy(values)
            if bound:
                noise(lines, below=bound)
            if limits:
                ax.set_ylim(*limits)

        return single(plot)  # fmt: skip

    assert differences(draw(values, limits=(1e-13, 1)), draw(other, limits=(1e-13, 1)))
    assert "limits" in draw(values, bound=1e-12)["refused"][0]
    bounded = [draw(v, bound=1e-12, limits=(1e-13, 1)) for v in (values, other)]
    assert "refused" not in bounded[0] and differences(*bounded) == []
    assert differences(bounded[0], draw(np.r_[1e-1, 1.0001e-5, 0, 0], bound=1e-12, limits=(1e-13, 1)))
    assert differences(bounded[0], draw(values, bound=1e-11, limits=(1e-13, 1)))


def test_noise_on_a_linear_axis_and_in_an_image():
    def draw(size):
        def plot(ax):
            noise(ax.plot([0, 1, 2], [size, -size, size]), below=1e-12)
            ax.set_ylim(-1e-12, 1e-12)
            noise(ax.imshow([[size, -size]], vmin=-1e-12, vmax=1e-12), below=1e-12)
            ax.set_ylim(-1e-12, 1e-12)

        return single(plot)  # fmt: skip

    assert "refused" not in draw(1e-16)
    assert differences(draw(1e-16), draw(-4e-16)) == []


@pytest.mark.parametrize("size", [5, 1000, 250_000])
def test_a_digest_tells_one_value_of_many_and_no_rounding(size):
    values = np.random.default_rng(5).normal(size=size)
    for at in (0, size // 3, size - 1):
        assert compare_figures.compare_arrays(digest(values), digest(moved(values, 1e-6, at)))
    assert compare_figures.compare_arrays(digest(values), digest(values[::-1]))
    assert compare_figures.compare_arrays(digest(values), digest(np.nextafter(values, 9))) is None


def test_digests_of_odd_arrays():
    nothing = digest(np.full(7, np.nan))
    assert compare_figures.compare_arrays(nothing, digest(np.full(7, np.nan))) is None
    assert compare_figures.compare_arrays(nothing, digest(np.arange(7.0)))
    assert compare_figures.compare_arrays(digest(np.arange(6.0)), digest(np.arange(6.0).reshape(2, 3)))
    assert compare_figures.compare_arrays(digest(np.full(9, 3.0)), digest(np.full(9, 3.0) + 4e-16)) is None
    assert compare_figures.compare_arrays(digest(np.zeros(9), 1.0), digest(np.full(9, -0.0), 1.0)) is None
    assert compare_figures.compare_arrays(digest(np.zeros(9), 1.0), digest(np.full(9, 1e-17), 1.0)) is None
