"""Changes of a figure that a reader sees and that no artist's own record holds, planted one by one.

Of the panels only those are drawn that a change is about, each where it stands beside the other one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import patches, patheffects, ticker, transforms

X = np.linspace(0, 9, 200)


@dataclass(frozen=True)
class Change:
    """What is done to a figure with some panels, or to the first of them."""

    panels: tuple[str, ...]
    apply: Callable[[Any], object]


def draw(change: Change, is_changed: bool = True):
    """Return a figure with the panels that a change is about, after the change or as it is without."""
    figure = plt.figure(figsize=(7.2, 3.6))
    for name in change.panels:
        PANELS[name](figure)
    if is_changed:
        change.apply(figure if len(change.panels) > 1 else figure.axes[0])
    return figure


def draw_left(figure) -> None:
    a = figure.add_subplot(1, 2, 1)
    a.plot(X, np.sin(X), label="sine")
    a.scatter(X[::20], np.cos(X[::20]), c=X[::20], cmap="viridis")
    a.quiver([1, 3, 5], [0.2, 0.2, 0.2], [1, 1, 1], [1, 0, -1])
    a.boxplot([[0, 0.1, 0.2, 0.5]], positions=[8], manage_ticks=False)
    a.plot(X[::20], 0.5 * np.cos(X[::20]) - 1, "o")
    a.text(2, -0.5, "a note")
    a.legend(loc="lower left")
    a.set(title="A wave", xlabel="position", ylabel="value", ylim=(-1.5, 1.5))


def draw_right(figure) -> None:
    a = figure.add_subplot(1, 2, 2)
    few = X[::5]  # because a reader may have all values as a table, which takes time to make
    values = np.outer(np.sin(few), np.cos(few))
    values[30:, :10] = np.nan
    figure.colorbar(a.imshow(values, vmin=-0.9, vmax=0.9), ax=a, extend="both")
    a.contour(np.outer(few, few), levels=[10, 40], colors="k")
    a.hlines([10, 20], 4, 30, colors="w")


def draw_polar(figure) -> None:
    figure.add_subplot(1, 2, 1, projection="polar").plot(X, X)


def draw_table(figure) -> None:
    figure.add_subplot(1, 2, 1).table([["1", "2"], ["3", "4"]], loc="center")


PANELS = {"left": draw_left, "right": draw_right, "polar": draw_polar, "table": draw_table}


def left(change: Callable[[Any], object]) -> Change:
    """Return a change of the left panel."""
    return Change(("left",), change)


def right(change: Callable[[Any], object]) -> Change:
    return Change(("right",), change)


def both(change: Callable[[Any], object]) -> Change:
    """Return a change of a figure with two panels."""
    return Change(("left", "right"), change)


CHANGES = {
    "a patch over the curve": left(lambda a: a.add_patch(patches.Rectangle((2, -1), 3, 2, color="w", zorder=9))),
    "the order of drawing": right(lambda a: a.images[0].set_zorder(9)),
    "a clip path": left(lambda a: a.lines[0].set_clip_path(patches.Rectangle((0, 0), 0.5, 1, transform=a.transAxes))),
    "a clip box": left(lambda a: a.lines[0].set_clip_box(transforms.Bbox([[0, 0], [99, 999]]))),
    "scatter without opacity": left(lambda a: a.collections[0].set_alpha(0)),
    "scatter of size 0": left(lambda a: a.collections[0].set_sizes([0])),
    "quiver without opacity": left(lambda a: a.collections[1].set_alpha(0)),
    "quiver of no width": left(lambda a: setattr(a.collections[1], "width", 1e-6)),
    "quiver's scale": left(lambda a: setattr(a.collections[1], "scale", 30)),
    "scatter without edges and faces": left(lambda a: a.collections[0].set(facecolors="none", edgecolors="none")),
    "markers of size 0": left(lambda a: a.lines[-1].set_markersize(0)),
    "contours without opacity": right(lambda a: a.collections[0].set_alpha(0)),
    "contours of no width": right(lambda a: a.collections[0].set_linewidth(0)),
    "segments without opacity": right(lambda a: a.collections[1].set_alpha(0)),
    "segments of no width": right(lambda a: a.collections[1].set_linewidth(0)),
    "a curve of hardly any width": left(lambda a: a.lines[0].set_linewidth(0.01)),
    "a curve white on white": left(lambda a: a.lines[0].set_color("w")),
    "a legend over the curve": left(lambda a: a.get_legend().set_loc("upper center")),
    "a legend without its frame": left(lambda a: a.get_legend().set_frame_on(False)),
    "text aligned to the other side": left(lambda a: a.texts[0].set_ha("right")),
    "text off the page": left(lambda a: a.texts[0].set(in_layout=False, position=(2, -90))),
    "text of another size": left(lambda a: a.texts[0].set_fontsize(13)),
    "tick labels rounded": left(lambda a: a.yaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:.0f}"))),
    "tick labels of other digits": left(
        lambda a: a.yaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v + 0.1:.1f}"))
    ),
    "tick labels emptied": left(lambda a: a.yaxis.set_major_formatter(ticker.NullFormatter())),
    "tick labels white": left(lambda a: a.tick_params(labelcolor="w")),
    "fewer ticks": left(lambda a: a.yaxis.set_major_locator(ticker.MaxNLocator(3))),
    "ticks of no length": left(lambda a: a.tick_params(length=0)),
    "an offset of the ticks": left(lambda a: a.yaxis.set_major_formatter(ticker.ScalarFormatter(useOffset=1000.0))),
    "a multiplier of the ticks": left(lambda a: a.ticklabel_format(axis="y", style="sci", scilimits=(-1, -1))),
    "a spine gone": left(lambda a: a.spines["left"].set_visible(False)),
    "a spine moved": left(lambda a: a.spines["left"].set_position(("data", 4))),
    "a grid": left(lambda a: a.grid(True)),
    "a twin": left(lambda a: a.twinx().set_yticks([0, 1])),
    "a panel over another": both(
        lambda figure: (figure.axes[1].set_in_layout(False), figure.axes[1].set_position((0.3, 0.2, 0.4, 0.6)))
    ),
    "another ratio of panels": both(
        lambda figure: [
            (a.get_gridspec().set_width_ratios([1, 2]), a.set_subplotspec(a.get_subplotspec())) for a in figure.axes[:1]
        ]
    ),
    "another height": both(lambda figure: figure.set_size_inches(7.2, 4.4)),
    "scaled as a whole": both(lambda figure: (figure.set_size_inches(14.4, 7.2), figure.set_dpi(50))),
    "a whisker gone": left(lambda a: a.lines[2].set_visible(False)),
    "values beyond the range": right(
        lambda a: a.images[0].set_cmap(plt.get_cmap("viridis").with_extremes(over="r", under="w"))
    ),
    "values that are missing": right(lambda a: a.images[0].set_cmap(plt.get_cmap("viridis").with_extremes(bad="r"))),
    "the origin of a radius": Change(("polar",), lambda a: a.set_rorigin(-5)),
    "the origin of angles": Change(("polar",), lambda a: a.set_theta_zero_location("N")),
    "the colour of a table's cell": Change(("table",), lambda a: a.tables[0][0, 0].set_facecolor("lightblue")),
    "a halo": left(lambda a: a.lines[0].set_path_effects([patheffects.withStroke(linewidth=6, foreground="k")])),
    "a sketch": left(lambda a: a.lines[0].set_sketch_params(8, 50, 2)),
    "ticks white": left(lambda a: a.tick_params(color="w")),
    "a face": left(lambda a: a.set_facecolor("0.9")),
}
