"""The figure of a guess: exact values, those that were held back, and the form beyond them."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from gpruntime.show.axes import log_values, new_figure, wrapped
from gpruntime.show.drawing import Drawing, slug
from gpruntime.show.markup import tex
from gpruntime.show.style import INK, PAPER, look, styled
from gpruntime.theory.form_search import HELD_BACK

if TYPE_CHECKING:
    from gpruntime.theory.guessing import Guess

_BEYOND = 4  # further n, dotted
_MANY_TIMES = 1000.0
_LONGEST = 120


def figure(guess: Guess) -> Drawing:
    """The values over n."""
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
