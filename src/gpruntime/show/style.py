"""One style for all figures: readable in print, in grey and by the colour-blind.

Colours are Okabe and Ito's, in an order whose neighbours differ in lightness; markers and lines say the same again.
On a dark page they are others (`dark_of`), of the same hue and as far from the ground.
"""

from __future__ import annotations

import colorsys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

WIDTH = 6.4  # inches
PAPER, INK, FAINT, GRID = "white", "#222222", "#8a8a8a", "#e3e3e3"

_COLOURS = ("#0072B2", "#E69F00", "#000000", "#D55E00", "#56B4E9", "#009E73", "#CC79A7")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_LINES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (3, 1)))

# Those that are too dark or too light on a dark page, the two blues still apart.
_DARK = {
    "#ffffff": "#161718",
    INK: "#e8e8e6",
    FAINT: "#8f8f8c",
    GRID: "#2e3032",
    "#000000": "#ffffff",
    "#0072b2": "#3b95dd",
    "#56b4e9": "#a9dcff",
    "#e69f00": "#e69f00",
    "#d55e00": "#e8702a",
    "#009e73": "#12b386",
    "#cc79a7": "#d88ab4",
}

_SETTINGS: dict[str, Any] = {
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 9.0,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.color": INK,
    "legend.frameon": True,
    "legend.framealpha": 0.92,
    "legend.edgecolor": "none",
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "errorbar.capsize": 2.5,
    "mathtext.fontset": "dejavusans",
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "gpruntime",
}


class Look(NamedTuple):
    """How one series is drawn."""

    colour: str
    marker: str
    line: Any


def look(position: int) -> Look:
    """The look of the series at a position."""
    return Look(_COLOURS[position % len(_COLOURS)], _MARKERS[position % len(_MARKERS)], _LINES[position % len(_LINES)])


def shades(count: int) -> list[Any]:
    """Dark to light, for an ordered series such as n; the order survives in grey."""
    from matplotlib import colormaps

    return [colormaps["cividis"](0.05 + 0.72 * i / max(count - 1, 1)) for i in range(count)]


def dark_of(colour: str) -> str:
    """What stands for a colour on a dark page; for one of `shades`, as light as that is dark."""
    if colour in _DARK:
        return _DARK[colour]
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    mirrored = colorsys.hls_to_rgb(hue, 1 - lightness, saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in mirrored)


@contextmanager
def styled() -> Iterator[None]:
    """Figures made inside have the style; those of the user are not touched."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        for name, value in _SETTINGS.items():
            mpl.rcParams[name] = value  # type: ignore[index]
        yield
