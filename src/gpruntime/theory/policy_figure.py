"""The figure of a policy: for each fitness level a bar, divided by what is chosen there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpruntime.show.axes import new_figure, wrapped
from gpruntime.show.drawing import Drawing
from gpruntime.show.style import PAPER, look, shades, styled

if TYPE_CHECKING:
    from gpruntime.theory.policies import Policy

_LOOKS = (0, 1, 5)  # of kinds; neighbours differ in grey too
_HIGHEST, _PANEL = 1.1, 1.35


def figure(policy: Policy) -> Drawing:
    """A panel for each strategy that ends."""
    from matplotlib.colors import to_hex
    from matplotlib.ticker import PercentFormatter

    names = policy.choices.names
    shown = policy.shown
    colours = (
        [look(at).colour for at in _LOOKS] if len(names) <= len(_LOOKS) else [to_hex(c) for c in shades(len(names))]
    )
    places = np.arange(len(policy.levels))
    records: list[dict[str, Any]] = []
    with styled():
        drawn, panels = new_figure(_HIGHEST + _PANEL * len(shown), rows=len(shown))
        for axes, name in zip(panels, shown, strict=True):
            spent = policy.strategies[name].spent
            assert spent is not None
            totals = spent.sum(axis=1)
            shares = spent / np.where(totals > 0, totals, 1.0)[:, None]
            bottom = np.zeros(len(places))
            for choice, colour in zip(range(len(names)), colours, strict=False):
                axes.bar(places, shares[:, choice], 0.8, bottom, color=colour, edgecolor=PAPER, label=names[choice])
                bottom += shares[:, choice]
            axes.set_title(f"{name}: {policy.strategies[name].mean:,.6g} evaluations")
            axes.set_ylabel("evaluations")
            axes.set_ylim(0, 1)
            axes.yaxis.set_major_formatter(PercentFormatter(1.0))
            axes.grid(visible=False, axis="x")
            for level, row in zip(policy.levels, spent, strict=True):
                records.append({"strategy": name, "fitness": level, **dict(zip(names, map(float, row), strict=True))})
        labels = [f"{level:,}" if isinstance(level, int) else f"{level:.4g}" for level in policy.levels]
        every = max(1, len(places) // 12)
        panels[-1].set_xticks(places[::every], labels[::every])
        panels[-1].set_xlabel("fitness before the choice")
        if len(names) <= len(_LOOKS):
            drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(names))
        else:
            drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside right upper")
        spec = policy.spec
        drawn.suptitle(
            wrapped(f"{spec.algorithm.name} on {spec.problem.name}, n = {spec.n}"), fontsize=9.5, x=0.02, ha="left"
        )
    caption = " ".join(
        [*policy.sentences(), "Bars: which choice takes the evaluations that are spent at each fitness."]
    )
    return Drawing("policy", drawn, caption, records)
