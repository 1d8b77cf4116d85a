"""Drawing that the chapters share: it takes arrays and labels, returns a Figure, and computes no number of the subject.

    figures.heatmap(table, xlabel="coordinate", ylabel="position")

A cell ends with the Figure as its value. pyplot has let go of it by then: else it would show the Figure once more.
Importing the module sets the book's style. `C0` to `C6` are the colours of that style.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from numpy.typing import ArrayLike

plt.style.use(Path(__file__).with_name("book.mplstyle"))

INK = "#22201c"
FAINT = "#6b665d"
# One colour for one meaning through the whole book, from the style's palette.
COLOR = {
    "none": FAINT,  # no encoding, the plain baseline
    "sinusoidal": "C0",
    "learned": "C4",
    "rope": "C1",
    "alibi": "C2",
    "t5": "C3",
    "xpos": "C5",
    "query": "C0",
    "key": "C1",
    "sine": "C0",
    "cosine": "C3",
    "interpolation": "C2",
    "ntk-aware": "C4",
    "yarn": "C3",
    "llama3": "C5",
    "longrope": "C0",
    "measured": INK,
}
FAST_TO_SLOW = "viridis_r"  # the colormap along which pairs go: dark is slow


def panels(columns: int = 1, rows: int = 1, size: tuple[float, float] = (7.2, 3.6), **options) -> tuple[Figure, Any]:
    """Return a Figure and its Axes (one, or an array), as `plt.subplots` does; `options` go there."""
    figure, axes = plt.subplots(rows, columns, figsize=size, **options)
    plt.close(figure)
    return figure, axes


def mosaic(
    layout: list[list[str]], size: tuple[float, float] = (7.2, 3.6), **options
) -> tuple[Figure, dict[str, Axes]]:
    """Return a Figure and its Axes by name, as `plt.subplot_mosaic` does; `options` go there."""
    named: Any = layout  # whose type in matplotlib takes no list of texts
    figure, axes = plt.subplot_mosaic(named, figsize=size, **options)
    plt.close(figure)
    return figure, axes


def heatmap(
    values: ArrayLike,
    *,
    xlabel: str,
    ylabel: str,
    label: str = "",
    first: tuple[float, float] = (0, 0),
    limits: tuple[float, float] | None = (-1, 1),
    cmap: str = "viridis",
    size: tuple[float, float] = (7.2, 3.8),
) -> Figure:
    """Draw a matrix as coloured cells, row 0 on top; `first` is the number of the first column and of the first row."""
    values = np.asarray(values)
    figure, ax = panels(size=size)
    column, row = first
    image = ax.imshow(
        values,
        aspect="auto",
        interpolation="nearest",
        cmap=cmap,
        extent=(column - 0.5, column + values.shape[1] - 0.5, row + values.shape[0] - 0.5, row - 0.5),
        **({} if limits is None else {"vmin": limits[0], "vmax": limits[1]}),
    )
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.grid(False)
    figure.colorbar(image, ax=ax, label=label)
    return figure


def plane(ax: Axes, reach: float | tuple[float, float, float, float], xlabel: str = "", ylabel: str = ""):
    """Make `ax` a plane with equal units and its two axes drawn; `reach` is a radius or (left, right, bottom, top)."""
    left, right, bottom, top = reach if isinstance(reach, tuple) else (-reach, reach, -reach, reach)
    ax.axhline(0, color=FAINT, linewidth=0.8, zorder=1)
    ax.axvline(0, color=FAINT, linewidth=0.8, zorder=1)
    ax.set(xlim=(left, right), ylim=(bottom, top), aspect="equal", xlabel=xlabel, ylabel=ylabel)


def arrow(ax: Axes, tail: Sequence[float], tip: Sequence[float], color: str = "C0", width: float = 1.8, **style):
    """Draw an arrow between two points; `style` goes to the arrow's patch (linestyle, connectionstyle …)."""
    style = {"arrowstyle": "-|>", "mutation_scale": 13, "shrinkA": 0, "shrinkB": 0, **style}
    (x0, y0), (x1, y1) = tail, tip
    ax.annotate("", xy=(x1, y1), xytext=(x0, y0), arrowprops={"color": color, "linewidth": width, **style})


def write(ax: Axes, at: Sequence[float], text: str, color: str = INK, **style):
    """Write `text` centred on a point, over a white ground that keeps lines off the letters."""
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 1.2, "alpha": 0.85}
    x, y = at
    ax.text(x, y, text, **{"color": color, "ha": "center", "va": "center", "bbox": ground, "zorder": 5, **style})


def arc(ax: Axes, start: float, stop: float, radius: float = 0.35, text: str = "", color: str = INK, **style):
    """Mark the angle from `start` to `stop` (radians from the first axis) by an arrow round the origin."""
    angles = np.linspace(start, stop, 60)
    ax.plot(radius * np.cos(angles), radius * np.sin(angles), color=color, linewidth=1.2, **style)
    end, before = angles[-1], angles[-4]
    arrow(
        ax,
        (radius * np.cos(before), radius * np.sin(before)),
        (radius * np.cos(end), radius * np.sin(end)),
        color=color,
        width=1.2,
        mutation_scale=9,
    )
    if text:
        middle = (start + stop) / 2
        write(ax, (1.35 * radius * np.cos(middle), 1.35 * radius * np.sin(middle)), text, color=color, fontsize=9)


def unit_circle(ax: Axes, reach: float = 1.35):
    """Draw the unit circle in a plane with equal units; the first axis is the cosine, the second the sine."""
    plane(ax, reach, "cosine", "sine")
    turn = np.linspace(0, 2 * np.pi, 181)
    ax.plot(np.cos(turn), np.sin(turn), color=FAINT, linewidth=1.2)


def position_lab(
    wave: ArrayLike,
    chosen: Sequence[int],
    repeated: Sequence[int],
    offsets: ArrayLike,
    cosines: ArrayLike,
) -> Figure:
    """Draw the position lab on paper: one pair's wave, two phasors at one angle twice, the cosine of that angle.

    `wave` holds the sine and cosine of the pair at positions 0, 1, …; `chosen` and `repeated` are each two positions,
    with the same offset between them; `cosines` belong to `offsets`.
    """
    wave, offsets, cosines = np.asarray(wave), np.asarray(offsets), np.asarray(cosines)
    layout = [["wave", "wave"], ["circle", "curve"]]
    figure, axes = mosaic(layout, size=(7.2, 5.2), height_ratios=(1, 1.5))
    top, circle, curve = axes["wave"], axes["circle"], axes["curve"]
    top.plot(wave[:, 0], "o-", color="C0", markersize=3, label="sine")
    top.plot(wave[:, 1], "s--", color="C3", markersize=3, label="cosine")
    for position, name in zip(chosen, ("$p$", r"$p + \Delta$")):
        top.axvline(position, color=INK, linewidth=1, linestyle=":")
        write(top, (position, 1.25), name)
    top.set(xlabel="position", ylim=(-1.1, 1.45))
    top.legend(loc="upper right", ncols=2)
    unit_circle(circle)
    for positions, style in ((chosen, "-"), (repeated, ":")):
        for position, color in zip(positions, ("C0", "C1")):
            sine, cosine = wave[position]
            arrow(circle, (0, 0), (cosine, sine), color, linestyle=style)
            write(circle, (1.18 * cosine, 1.18 * sine), str(position), color)
    at = list(offsets).index(chosen[1] - chosen[0])
    curve.plot(offsets, cosines, "-", color=FAINT)
    curve.plot(offsets[at], cosines[at], "o", color=INK)
    curve.axvline(offsets[at], color=INK, linewidth=1, linestyle=":")
    curve.set(xlabel=r"offset $\Delta$", ylabel=r"$\cos(\omega_k \Delta)$", ylim=(-1.1, 1.1))
    return figure


def flow_chart(
    boxes: Mapping[str, tuple[float, float, str]],
    arrows: Sequence[tuple],
    *,
    box: tuple[float, float] = (1.6, 0.6),
    colors: Mapping[str, str] | None = None,
) -> Figure:
    """Draw boxes and arrows, in inches.

    `boxes` maps a key to (x, y, text), the centre of the box and its label (`$…$` is set as mathematics); `arrows` are
    (from, to) or (from, to, text); `box` is the size of every box; `colors` maps a key to the colour of its border.
    An arrow leaves and enters at the middle of the sides that face each other.
    """
    width, height = box
    xs, ys = [b[0] for b in boxes.values()], [b[1] for b in boxes.values()]
    left, right = min(xs) - width / 2 - 0.1, max(xs) + width / 2 + 0.1
    bottom, top = min(ys) - height / 2 - 0.1, max(ys) + height / 2 + 0.1
    figure, ax = panels(size=(right - left, top - bottom), layout="none")
    ax.set(position=(0, 0, 1, 1), xlim=(left, right), ylim=(bottom, top))
    ax.axis("off")
    for key, (x, y, text) in boxes.items():
        ax.add_patch(
            FancyBboxPatch(
                (x - width / 2, y - height / 2),
                width,
                height,
                boxstyle="round,pad=0,rounding_size=0.08",
                facecolor="white",
                edgecolor=(colors or {}).get(key, "C0"),
                linewidth=1.4,
                zorder=2,
            )
        )
        ax.text(x, y, text, ha="center", va="center", color="black", fontsize=10, zorder=3)
    for start, end, *label in arrows:
        x0, y0, _ = boxes[start]
        x1, y1, _ = boxes[end]
        if abs(x1 - x0) > width:  # side by side: out at one side, in at the other
            side = np.sign(x1 - x0) * width / 2
            tail, tip = (x0 + side, y0), (x1 - side, y1)
        else:
            side = np.sign(y1 - y0) * height / 2
            tail, tip = (x0, y0 + side), (x1, y1 - side)
        arrow(ax, tail, tip, color=INK, width=1.2)
        if label:
            write(ax, ((tail[0] + tip[0]) / 2, (tail[1] + tip[1]) / 2), label[0], fontsize=9)
    return figure
