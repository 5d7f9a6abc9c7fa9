"""What a reader of a figure meets: labels that lie on each other, legends that show what is not drawn."""

from itertools import combinations


def visible_labels(figure):
    """(text, box) of each tick label that is to be seen."""
    figure.draw_without_rendering()
    found = []
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                label = tick.label1
                inside = low * (1 - 1e-9) <= tick.get_loc() <= high * (1 + 1e-9)
                if inside and tick.get_visible() and label.get_visible() and label.get_text():
                    found.append((label.get_text(), label.get_window_extent()))
    return found


def colliding(figure):
    """The texts of tick labels that lie on each other."""
    return [(a, b) for (a, one), (b, other) in combinations(visible_labels(figure), 2) if one.overlaps(other)]


def legend_without_bars(figure):
    """The labels of series with error bars in the legend and none at their points."""
    from matplotlib.container import ErrorbarContainer

    found = []
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            if isinstance(handle, ErrorbarContainer) and handle.has_yerr:
                bars = handle.lines[2][0].get_segments()
                if not any(bar[0][1] != bar[1][1] for bar in bars):
                    found.append(label)
    return found
