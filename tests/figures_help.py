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


def drawn_words(figure):
    """The words a caption may use, by what is drawn."""
    lines = [line for axes in figure.axes for line in axes.get_lines()]
    hollow = [line for line in lines if line.get_markerfacecolor() in ("none", "None")]
    joined = [line for line in lines if line.get_linestyle() not in ("None", "none", "") and len(line.get_xdata()) > 1]
    bars = [bar for axes in figure.axes for bar in axes.collections]
    return {
        "dotted": any(line.get_linestyle() == ":" for line in joined),
        "dashed": any(line.get_linestyle() == "--" for line in joined),
        "line": bool(joined),
        "ring": any(line.get_marker() == "o" for line in hollow),
        "diamond": any(line.get_marker() == "D" for line in hollow),
        "interval": any(len(bar.get_paths()) > 0 for bar in bars),
        "bar marks": any(line.get_marker() == "|" for line in lines),
        "hollow": any(line.get_markerfacecolor() == "white" and line.get_marker() != "None" for line in lines),
        "fitted laws": bool(joined),
    }


def not_drawn(drawing):
    """What the caption speaks of and the figure does not show."""
    there = drawn_words(drawing.figure)
    return [word for word, is_there in there.items() if word in drawing.caption.lower() and not is_there]
