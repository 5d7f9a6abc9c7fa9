"""A figure as pgfplots draws it, in the fonts of the document and as wide as a column, with its numbers in files.

What matplotlib would draw is asked of its figure: lines with their marks, intervals, bands, words, ticks. So every
figure of the laboratory has this form too, and shows the same numbers. Titles stay out: a paper has captions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpruntime.show.latex import mixed
from gpruntime.show.style import styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MARKS = {"o": "*", "s": "square*", "D": "diamond*", "^": "triangle*", "P": "+", "X": "x", "x": "x", "|": "|", "_": "-"}
_DASHES = {"-": "solid", "--": "dashed", "-.": "dash dot", ":": "densely dotted"}
_TURNED = {"v": "mark options={rotate=180, solid}"}
_HEIGHT = 0.6  # of a panel alone, by its width
_MOST_HEIGHT = 0.85  # of all panels together

# For the preamble of a document; the width is that of the axes, with room for their labels.
PREAMBLE = r"""\usepackage{booktabs,array,longtable}
\usepackage{pgfplots}
\usepgfplotslibrary{groupplots}
\pgfplotsset{compat=1.16}
\pgfplotsset{gpruntime/.style={
  scale only axis, width=\linewidth-3.9em, axis lines*=left, grid=major, grid style={black!12}, tick align=outside,
  scaled ticks=false, minor tick num=0, enlargelimits=false, label style={font=\footnotesize},
  tick label style={font=\scriptsize}, every axis plot/.append style={line width=0.7pt, mark size=1.8pt},
  mark options={solid}, xlabel near ticks, ylabel near ticks, unbounded coords=jump,
  legend style={font=\scriptsize, draw=none, fill=none, at={(0.5,1.03)}, anchor=south, inner sep=1pt, row sep=-1pt},
  legend cell align=left},
  gpruntime area/.style={/pgfplots/legend image code/.code={\fill[##1] (0cm,-0.08cm) rectangle (0.5cm,0.08cm);}}}
\providecommand{\gprdir}{.}
"""


def pgf(figure: Figure, name: str) -> tuple[str, dict[str, str]]:
    r"""The picture, and its files by name, which it looks for in `\gprdir/data/`."""
    data: dict[str, str] = {}
    with styled():
        figure.draw_without_rendering()
        panels = [axes for axes in figure.axes if axes.get_visible()]
        shares = [axes.get_position().height * figure.get_figheight() for axes in panels]
        total = min(_HEIGHT * (1 + 0.45 * (len(panels) - 1)), _MOST_HEIGHT)
        lines = [r"\begin{tikzpicture}"]
        many = len(panels) > 1
        if many:
            lines.append(
                rf"\begin{{groupplot}}[gpruntime, group style={{group size=1 by {len(panels)}, "
                rf"vertical sep={_apart(panels):g}em}}]"
            )
        for number, (axes, share) in enumerate(zip(panels, shares, strict=True), 1):
            options = ", ".join([*([] if many else ["gpruntime"]), *_options(axes, total * share / sum(shares))])
            lines.append(rf"\nextgroupplot[{options}]" if many else rf"\begin{{axis}}[{options}]")
            lines += _drawn(axes, f"{name}-{number}", data)
            lines += [] if many else [r"\end{axis}"]
    lines += [r"\end{groupplot}"] if many else []
    return "\n".join([*lines, r"\end{tikzpicture}", ""]), data


def _apart(panels: Sequence[Any]) -> float:
    """Room between panels, in em: for tick labels, for what is written below one, for legend and title of the next."""
    above = max((_legend_rows(axes) + bool(_title(axes)) for axes in panels[1:]), default=0)
    below = any(axes.get_xlabel() for axes in panels[:-1])
    return 2.4 + 1.4 * below + 1.1 * above


def _title(axes: Any) -> str:
    """What a panel is called, where it is one of several with titles: a caption does not say it then."""
    titles = {other: other.get_title(loc="left") or other.get_title() for other in axes.figure.axes}
    return titles[axes] if sum(map(bool, titles.values())) > 1 else ""


def _ends(axes: Any) -> list[tuple[Any, str]]:
    """Marks and names that stand on the right of a panel, at the ends of its curves, from above."""
    marks = [line for line in axes.lines if line.get_transform() is axes.transAxes and len(line.get_xdata()) == 1]
    names = [text for text in axes.texts if text.get_transform() is axes.transAxes and text.get_position()[0] > 1]
    return [(mark, " ".join(name.get_text().split())) for mark, name in zip(marks, names, strict=True)][::-1]


def _legend_words(axes: Any) -> list[str]:
    """The names in the legend of a panel; a figure's own legend is above its first panel."""
    of_figure = axes.figure.legends[:1] if axes is axes.figure.axes[0] else []
    legends = [axes.get_legend()] if axes.get_legend() else of_figure
    return [text.get_text() for legend in legends for text in legend.get_texts()] + [name for _, name in _ends(axes)]


def _columns(words: Sequence[str]) -> int:
    return 1 if max(map(len, words), default=0) > 16 else 3


def _legend_rows(axes: Any) -> int:
    words = _legend_words(axes)
    return math.ceil(len(words) / _columns(words))


def _options(axes: Any, height: float) -> Iterator[str]:
    yield f"height={height:.3f}*\\linewidth"
    for side, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        yield f"{side}mode={'log' if axis.get_scale() == 'log' else 'normal'}"
        yield f"{side}min={_number(low)}, {side}max={_number(high)}"
        at = [float(place) for place in axis.get_majorticklocs() if low <= place <= high]
        words = axis.get_major_formatter().format_ticks(at)
        # Panels stand above each other here: what those on the left say for the others there, each says itself.
        labelled = any(axis.get_ticklabels()) and (side == "y" or axis.get_tick_params().get("labelbottom", True))
        yield f"{side}tick={{{','.join(map(_number, at))}}}"
        yield f"{side}ticklabels={{{','.join(f'{{{mixed(word)}}}' for word in words) if labelled else ''}}}"
        if axis.get_label().get_text():
            yield f"{side}label={{{mixed(axis.get_label().get_text())}}}"
    if words := _legend_words(axes):
        yield f"legend columns={_columns(words)}"
    if title := _title(axes):
        above = f"title style={{font=\\footnotesize, yshift={_legend_rows(axes)}em}}"
        yield f"title={{{mixed(' '.join(title.split()))}}}, {above}"


def _drawn(axes: Any, name: str, data: dict[str, str]) -> Iterator[str]:
    """The series of a panel, in the order in which they cover each other."""
    import matplotlib.collections as mc

    legend = axes.get_legend() is not None or bool(axes.figure.legends)
    bars = [container for container in axes.containers if hasattr(container, "has_yerr")]
    parts = {line for container in bars for line in (container[0], *container[1]) if line is not None}
    for patch in axes.patches:
        (left, low), (right, high) = axes.transData.inverted().transform(patch.get_window_extent().get_points())
        edge = f"(axis cs:{_number(left)},{_number(low)}) rectangle (axis cs:{_number(right)},{_number(high)})"
        yield rf"\fill[{_colour(patch.get_facecolor(), 'fill')}, fill opacity={patch.get_alpha() or 1:g}] {edge};"
    for collection in axes.collections:
        if isinstance(collection, mc.PolyCollection):
            for path in collection.get_paths():
                table = _file(name, data, ("x", "y"), np.asarray(path.vertices))
                colour, opacity = _colour(collection.get_facecolor()[0], "fill"), collection.get_alpha() or 1
                fill = f"draw=none, {colour}, fill opacity={opacity:g}"
                yield from _plot(
                    [fill, "gpruntime area"], table, "x=x, y=y", collection.get_label() if legend else "", " -- cycle"
                )
    named = _ends(axes)
    parts |= {mark for mark, _ in named}
    for line in axes.lines:
        if line in parts:
            continue
        x, y = line.get_xdata(orig=False), line.get_ydata(orig=False)
        if line.get_transform() is not axes.transData and len(x) == 2:  # across the whole panel
            (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
            x, y = ([left, right], y) if y[0] == y[1] else (x, [low, high])
        style = _line_style(line) + (["const plot"] if line.get_drawstyle() == "steps-post" else [])
        yield from _plot(
            style, _file(name, data, ("x", "y"), zip(x, y, strict=True)), "x=x, y=y", line.get_label() if legend else ""
        )
    for container in bars:
        line, _, arms = container
        x, y = line.get_xdata(orig=False), line.get_ydata(orig=False)
        ends = arms[0].get_segments() if arms else [[(0, v), (0, v)] for v in y]
        rows = (
            (a, b, end[0][1], end[-1][1], b - end[0][1], end[-1][1] - b) for a, b, end in zip(x, y, ends, strict=True)
        )
        table = _file(name, data, ("x", "y", "low", "high", "below", "above"), rows)
        style = [
            *_line_style(line),
            "error bars/.cd, y dir=both, y explicit, error bar style={solid, line width=0.5pt}",
        ]
        yield from _plot(
            style, table, "x=x, y=y, y error plus=above, y error minus=below", container.get_label() if legend else ""
        )
    for mark, words in named:
        yield rf"\addlegendimage{{{', '.join(['only marks', *_line_style(mark)])}}}"
        yield rf"\addlegendentry{{{mixed(words)}}}"
    for text in axes.texts if not named else ():
        x, y = text.get_position() if not hasattr(text, "xy") else text.xy
        system = "rel axis cs" if text.get_transform() == axes.transAxes else "axis cs"
        at = f"{system}:{_number(x)},{_number(y)}"
        words = mixed(text.get_text())
        yield rf"\node[font=\scriptsize, align=center, text width=0.8\linewidth] at ({at}) {{{words}}};"


def _plot(style: list[str], file: str, columns: str, label: object, after: str = "") -> Iterator[str]:
    named = isinstance(label, str) and label and not label.startswith("_")
    options = ", ".join([*style, *([] if named else ["forget plot"])])
    if "error bars/.cd" in options:  # what follows it belongs to the bars
        options = ", ".join([*([] if named else ["forget plot"]), *style])
    yield rf"\addplot[{options}] table[col sep=comma, {columns}] {{\gprdir/data/{file}}}{after};"
    if named:
        yield rf"\addlegendentry{{{mixed(' '.join(str(label).split()))}}}"


def _line_style(line: Any) -> list[str]:
    marker, dashes = line.get_marker(), line.get_linestyle()
    style = [_colour(line.get_color(), "color")]
    if dashes in ("None", "none", "", " "):
        style.append("only marks")
    else:
        style.append(_dashes(line))
        style.append(f"line width={max(line.get_linewidth(), 0.6) / 2:.2f}pt")
    if marker in ("None", "none", "", " ", None):
        return [*style, "no marks"]
    mark = _MARKS.get(marker, "triangle*" if marker == "v" else "*")
    hollow = str(line.get_markerfacecolor()) in ("white", "none")
    style.append(f"mark={mark}")
    turned = _TURNED.get(marker)
    style += [turned] if turned and not hollow else []
    return style + (["mark options={solid, fill=white}"] if hollow else [])


def _dashes(line: Any) -> str:
    offset, pattern = line._unscaled_dash_pattern  # the only place where matplotlib keeps it
    if line.get_linestyle() in _DASHES and pattern is None:
        return _DASHES[line.get_linestyle()]
    if pattern is None:
        return "solid"
    steps = [f"{'on' if place % 2 == 0 else 'off'} {step:g}pt" for place, step in enumerate(pattern)]
    return f"dash pattern={{{' '.join(steps)}}}" + (f", dash phase={offset:g}pt" if offset else "")


def _file(name: str, data: dict[str, str], headings: Iterable[str], rows: Iterable[Iterable[float]]) -> str:
    file = f"{name}-{len(data) + 1}.csv"
    lines = [",".join(headings), *(",".join(_number(value) for value in row) for row in rows)]
    data[file] = "\n".join(lines) + "\n"
    return file


def _number(value: float) -> str:
    return f"{float(value):.8g}" if math.isfinite(value) else "nan"


def _colour(colour: Any, key: str) -> str:
    from matplotlib.colors import to_rgb

    red, green, blue = (round(255 * part) for part in to_rgb(colour))
    return f"{key}={{rgb,255:red,{red};green,{green};blue,{blue}}}"
