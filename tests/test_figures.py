"""The drawing that the chapters share: what is asked for is what stands in the figure, and pyplot keeps none of it."""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.text import Annotation

import figures


def test_heatmap_draws_the_matrix_with_its_own_numbering():
    values = np.arange(6.0).reshape(2, 3)
    figure = figures.heatmap(values, xlabel="column", ylabel="row", first=(1, 1), limits=None)
    image = figure.axes[0].images[0]
    assert np.array_equal(image.get_array(), values)
    assert image.get_extent() == [0.5, 3.5, 2.5, 0.5]  # row 1 on top
    assert not plt.get_fignums()


def test_flow_chart_draws_each_box_and_arrow():
    boxes = {"a": (0, 0, "first"), "b": (3, 0, "second"), "c": (0, -2, "third")}
    figure = figures.flow_chart(boxes, [("a", "b"), ("a", "c", "label")])
    ax = figure.axes[0]
    assert [patch.get_x() for patch in ax.patches] == [-0.8, 2.2, -0.8]
    arrows = [text for text in ax.texts if isinstance(text, Annotation)]
    assert [(text.xyann, text.xy) for text in arrows] == [((0.8, 0), (2.2, 0)), ((0, -0.3), (0, -1.7))]
    assert {"first", "second", "third", "label"} <= {text.get_text() for text in ax.texts}
