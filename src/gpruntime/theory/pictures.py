"""Figures of certificates and of fitness levels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpruntime.model.spec_text import sentence

if TYPE_CHECKING:
    from gpruntime.model.spec import RunSpec
    from gpruntime.model.tree import Tree
    from gpruntime.show.drawing import Drawing
    from gpruntime.theory.certificate import Certificate
    from gpruntime.theory.drifts import StateSpace
    from gpruntime.theory.leveling import LevelBounds

_MAX_POINTS = 4000


def potential_against_time(certificate: Certificate, space: StateSpace | None) -> Drawing:
    """What the certificate says of each state, over the exact expected time from there."""
    from gpruntime.show.axes import new_figure, wrapped
    from gpruntime.show.drawing import Drawing
    from gpruntime.show.markup import tex
    from gpruntime.show.style import INK, look, styled

    spec, is_cut = certificate.spec, space is None
    times = _cut_times(spec) if space is None else _times(space)
    step = math.ceil(max(len(times), 1) / _MAX_POINTS)
    records: list[dict[str, Any]] = [
        {
            "tree": str(tree),
            "fitness": spec.problem.fitness(tree, spec.n),
            "exact": 1 + time,
            "bound": float(certificate.at(tree)),
        }
        for tree, time in times[::step]
    ]
    levels = sorted({record["fitness"] for record in records}, key=lambda f: -f * spec.problem.direction)
    with styled():
        drawn, (axes,) = new_figure(4.2)
        for place, level in enumerate(levels if len(levels) <= 7 else [None]):
            some = [record for record in records if level is None or record["fitness"] == level]
            how, label = look(place), "states" if level is None else f"fitness {level}"
            exact, values = [one["exact"] for one in some], [one["bound"] for one in some]
            axes.plot(exact, values, linestyle="none", marker=how.marker, color=how.colour, label=label, markersize=3)
        most = max([record["exact"] for record in records], default=1.0)
        axes.plot([1, most], [1, most], color=INK, linewidth=0.8, linestyle="--", label="the exact mean itself")
        cut = ", before it is cut off" if is_cut else ""
        axes.set_xlabel(f"exact mean of the evaluations from the state{cut}")
        axes.set_ylabel(tex(f"{certificate.direction} bound, 1 + φ"))
        axes.set_title(wrapped(tex(f"{sentence(spec)}, n = {spec.n:,}")))
        axes.legend()
    count = f"{len(records):,}" + (f" of {len(times):,}" if step > 1 else "")
    return Drawing(f"{certificate.direction}-bound", drawn, f"A point a state; {count} states are drawn.", records)


def chances_by_level(bounds: LevelBounds) -> Drawing:
    """The chances of improvement of each level, from the least to the largest."""
    from gpruntime.show.axes import log_values, new_figure, wrapped
    from gpruntime.show.drawing import Drawing
    from gpruntime.show.markup import tex
    from gpruntime.show.style import FAINT, look, styled

    at = range(len(bounds.levels))
    with styled():
        drawn, (axes,) = new_figure(3.6)
        for place, level in zip(at, bounds.levels, strict=True):
            if level.least > 0:
                axes.plot([place, place], [float(level.least), float(level.largest)], color=FAINT, linewidth=3)
            else:
                axes.axvline(place, color=FAINT, linestyle=":", linewidth=1.5)
        for number, name in enumerate(("largest", "least")):
            chances = [float(getattr(level, name)) for level in bounds.levels]
            seen = [(place, chance) for place, chance in zip(at, chances, strict=True) if chance > 0]
            how = look(number)
            xs, ys = [place for place, _ in seen], [chance for _, chance in seen]
            axes.plot(xs, ys, linestyle="none", marker=how.marker, color=how.colour, label=f"{name} chance")
        log_values(axes)
        axes.set_xticks(list(at), [str(level.fitness) for level in bounds.levels])
        axes.set_xlabel("fitness k")
        axes.set_ylabel("chance of improvement")
        axes.set_title(wrapped(tex(f"{sentence(bounds.spec)}, n = {bounds.spec.n:,}")))
        axes.legend()
    records = [level.to_record() for level in bounds.levels]
    zero = any(level.least == 0 for level in bounds.levels)
    caption = "Over all states that can be reached, computed exactly."
    return Drawing("levels", drawn, caption + (" Where the line is dotted, the least is 0." if zero else ""), records)


def _times(space: StateSpace) -> list[tuple[Tree, float]]:
    return [(space.tree(number), float(space.times[number])) for number in range(1, len(space) + 1)]


def _cut_times(spec: RunSpec) -> list[tuple[Tree, float]]:
    """Where not all states can be had: those that are not too large, with the time until a run is cut off."""
    from gpruntime.theory.enclosing import cut_times

    return cut_times(spec)
