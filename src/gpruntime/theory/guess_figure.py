"""The figure of a guess: exact values, those that were held back, and the form beyond them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from gpruntime.show.axes import log_values, new_figure, wrapped
from gpruntime.show.drawing import Drawing, slug
from gpruntime.show.style import FAINT, INK, look, styled
from gpruntime.theory.form_search import HELD_BACK

if TYPE_CHECKING:
    from gpruntime.theory.guessing import Guess

_BEYOND = 4  # further n, dotted
_MANY_TIMES = 100.0
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
        fitted = slice(0, len(places) - HELD_BACK)
        axes.plot(places[fitted], values[fitted], "o", color=INK, label="exact, fitted" if guess.form else "exact")
        held = {"label": "exact, held back"} if guess.form else {}
        style = {"marker": "s", "markerfacecolor": "white", "markeredgecolor": INK, "color": FAINT, "markersize": 6}
        axes.plot(places[-HELD_BACK:], values[-HELD_BACK:], linestyle="none", **style, **held)  # type: ignore[arg-type]
        known = [value for value in (*values, *(value for _, value in beyond))]
        if min(known) > 0 and max(known) > _MANY_TIMES * min(known):
            log_values(axes)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("n")
        axes.set_ylabel("f(n)" if guess.spec is None else "E[evaluations]")
        text = guess.text if len(guess.text) <= _LONGEST else guess.text[: _LONGEST - 1] + "…"
        axes.set_title(wrapped(text[0].upper() + text[1:] if guess.form is None else text))
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
