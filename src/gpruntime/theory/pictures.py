"""Figures of certificates, fitness levels, guesses and policies."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from gpruntime.model.spec_text import sentence
from gpruntime.show.axes import log_values, new_figure, wrapped
from gpruntime.show.drawing import Drawing, slug
from gpruntime.show.markup import tex
from gpruntime.show.style import FAINT, INK, PAPER, look, shades, styled
from gpruntime.theory.form_search import HELD_BACK

if TYPE_CHECKING:
    from gpruntime.theory.certificate import Certificate
    from gpruntime.theory.guessing import Guess
    from gpruntime.theory.leveling import LevelBounds
    from gpruntime.theory.policies import Policy

_MAX_POINTS = 4000
_BEYOND = 4  # further n, dotted
_MANY_TIMES = 1000.0
_LONGEST = 120
_LOOKS = (0, 1, 5)  # of kinds; neighbours differ in grey too
_HIGHEST, _PANEL = 1.1, 1.35


def potential_against_time(certificate: Certificate) -> Drawing:
    """What the certificate says of each state, over the exact expected time from there."""
    from gpruntime.theory.enclosing import cut_times

    spec, space = certificate.spec, certificate._space
    is_cut = space is None
    times = cut_times(spec) if space is None else space.trees_with_times()
    step = math.ceil(max(len(times), 1) / _MAX_POINTS)
    records: list[dict[str, Any]] = [
        {
            "tree": str(tree),
            "fitness": spec.representation.fitness(tree, spec),
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


def values_and_form(guess: Guess) -> Drawing:
    """Exact values, those that were held back, and the form beyond them."""
    places, values = guess.places, [_float(value) for value in guess.values]
    further = [(n, guess.at(n)) for n in range(places[-1], places[-1] + _BEYOND + 1)] if guess.form else []
    beyond = [(n, _float(value)) for n, value in further if value is not None]
    with styled():
        from matplotlib.ticker import MaxNLocator

        drawn, (axes,) = new_figure(3.4)
        if guess.form is not None:
            axes.plot(places, values, color=look(0).colour, label="the form")
            axes.plot(*zip(*beyond, strict=True), color=look(0).colour, linestyle=":", label="the form, beyond")
        fitted = len(places) - (HELD_BACK if guess.form is not None else 0)
        axes.plot(places[:fitted], values[:fitted], "o", color=INK, label="exact, fitted" if guess.form else "exact")
        if guess.form is not None:
            style: dict[str, Any] = {
                "markerfacecolor": PAPER,
                "markeredgecolor": INK,
                "markersize": 6,
                "linestyle": "none",
            }
            axes.plot(places[fitted:], values[fitted:], marker="s", label="exact, held back", **style)
        known = [*values, *(value for _, value in beyond)]
        if min(known) > 0 and max(known) > _MANY_TIMES * min(known):
            log_values(axes)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("n")
        axes.set_ylabel("f(n)" if guess.spec is None else "E[evaluations]")
        text = guess.text if len(guess.text) <= _LONGEST else guess.text[: _LONGEST - 1] + "…"
        axes.set_title(tex(re.sub(r"H_\(([^()]*)\)", r"H_{\1}", wrapped(text if guess.form else text.capitalize()))))
        axes.legend()
    records = [
        {"n": n, "value": str(value), "held_back": n in places[-HELD_BACK:]}
        for n, value in zip(places, guess.values, strict=True)
    ]
    return Drawing(slug(f"guess {guess.kind}"), drawn, " ".join(guess.sentences()), records)


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("nan")


def choices_by_level(policy: Policy) -> Drawing:
    """For each fitness level a bar, divided by what is chosen there: a panel for each strategy that ends."""
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
