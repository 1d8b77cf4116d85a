"""The drawing that the chapters share: what is asked for is what stands in the figure, and pyplot keeps none of it."""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.patches import FancyBboxPatch
from matplotlib.text import Annotation

import figures


def test_heatmap_draws_the_matrix_with_its_own_numbering():
    values = np.arange(6.0).reshape(2, 3)
    figure = figures.heatmap(values, xlabel="column", ylabel="row", first=(1, 1), limits=None)
    image = figure.axes[0].images[0]
    drawn = image.get_array()
    assert drawn is not None and np.array_equal(drawn, values)
    assert image.get_extent() == [0.5, 3.5, 2.5, 0.5]  # row 1 on top
    assert not plt.get_fignums()


def test_flow_chart_draws_each_box_and_arrow():
    boxes = {"a": (0, 0, "first"), "b": (3, 0, "second"), "c": (0, -2, "third")}
    figure = figures.flow_chart(boxes, [("a", "b"), ("a", "c", "label")])
    ax = figure.axes[0]
    drawn = [patch.get_x() for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert drawn == [-0.8, 2.2, -0.8] and len(ax.patches) == 3
    arrows = [text for text in ax.texts if isinstance(text, Annotation)]
    assert [(text.xyann, text.xy) for text in arrows] == [((0.8, 0), (2.2, 0)), ((0, -0.3), (0, -1.7))]
    assert {"first", "second", "third", "label"} <= {text.get_text() for text in ax.texts}


def test_position_lab_draws_the_hands_and_marks_the_offset():
    turn = np.linspace(0, 2 * np.pi, 9)
    wave = np.column_stack([np.sin(turn), np.cos(turn)])
    figure = figures.position_lab(wave, (1, 3), (4, 6), offsets := np.arange(-4, 5), np.cos(offsets * np.pi / 4))
    top, circle, curve = figure.axes
    assert np.array_equal(top.lines[0].get_ydata(), wave[:, 0])
    hands = [text.xy for text in circle.texts if isinstance(text, Annotation)]
    np.testing.assert_allclose(hands, wave[[1, 3, 4, 6]][:, ::-1])
    np.testing.assert_allclose(np.asarray(curve.lines[1].get_xydata()), [[2, 0]], atol=1e-15)
    assert not plt.get_fignums()
