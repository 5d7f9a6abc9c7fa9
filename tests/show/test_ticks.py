"""Log axes: labels that can be read, however much or little the axis spans."""

import pytest

from gpruntime.show.axes import log_times, log_values, new_figure, over_n, spread_out
from gpruntime.show.style import styled
from gpruntime.show.ticks import short
from tests.figures_help import colliding, visible_labels

SIZES = [
    [20, 30, 40, 60, 100],
    [20, 50, 100, 200, 500],  # matplotlib would write 3 × 10¹ and 4 × 10¹ here, beside 100
    [10, 20, 40, 80, 160, 320],
    [1000, 1200, 1400, 1600, 10_240],
    list(range(1000, 1020)),
    [7],
    [1, 2, 10, 20, 40, 80, 102_400],
    [9_000, 11_000, 90_000, 110_000, 1_000_000],
]
VALUES = [(0.86, 1.0), (2.0, 17.0), (3e-8, 0.2), (30.0, 90.0), (95.0, 1.1e5), (1.0, 1.0), (1e3, 5e3), (9.9e-3, 9.1)]


@pytest.mark.parametrize("sizes", SIZES, ids=lambda sizes: f"{sizes[0]}-{sizes[-1]}")
def test_labels_of_sizes_do_not_collide(sizes):
    with styled():
        figure, (axes,) = new_figure(3.6)
        axes.plot(sizes, [1.0] * len(sizes), "o")
        over_n(axes, sizes)
        texts = [text for text, _ in visible_labels(figure)]
    assert colliding(figure) == []
    assert len(texts) >= min(len(sizes), 2) + 1  # some of them along the side


@pytest.mark.parametrize("ends", VALUES)
@pytest.mark.parametrize("scale", [log_times, log_values])
def test_labels_of_values_do_not_collide(ends, scale):
    with styled():
        figure, (axes,) = new_figure(2.4)
        axes.plot(ends, ends, "o")
        scale(axes)
    assert colliding(figure) == []
    axis = axes.xaxis if scale is log_times else axes.yaxis
    low, high = axis.get_view_interval()
    assert sum(low <= place <= high for place in axis.get_majorticklocs()) >= 2
    assert not any(label.get_text() for label in axis.get_minorticklabels())


def test_numbers_on_an_axis():
    values = [0, 0.5, 10, 1000, 1e5, 2e5, 1e-3, 0.01, 2.5e-7]
    assert [short(v) for v in values] == ["0", "0.5", "10", "1,000", "10⁵", "2·10⁵", "10⁻³", "0.01", "2.5·10⁻⁷"]
    assert spread_out([1000, 1200, 1400, 1600, 10_240]) == [1000, 1400, 10_240]
