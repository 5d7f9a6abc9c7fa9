"""Claims that are a bound along lines: what grows, times, runs and verdict are alike for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpruntime.paper.claim import Asked, Change, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import (
    BOTH_RULE,
    LOWER_RULE,
    UPPER_RULE,
    Line,
    LineCheck,
    SizeBound,
    constants,
    hold_line,
)
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.rules import CANNOT_PROVE, said
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import OPEN, SUPPORTED, Numbers, Verdict, all_of
from gpruntime.show.drawing import Drawing

UPPER, LOWER, BOTH = "upper", "lower", "both"
_RULES = {UPPER: UPPER_RULE, LOWER: LOWER_RULE, BOTH: BOTH_RULE}
_MOST_SERIES = 6


def line_claim(
    identifier: str,
    title: str,
    kind: str,
    statement: str,
    *,
    lines: Callable[[Scale], Sequence[Line]],
    bound: SizeBound,
    formula: str,
    side: str = UPPER,
    setting: str,
    wording: str,
    place: str = "abstract",
    terms: Mapping[str, SizeBound] | None = None,
    slip: str = "",
    changes: tuple[Change, ...] = (),
    over_leaves: bool = False,
    exponents: bool = False,
) -> Claim:
    """A claim that E[time] is O, Ω or Θ of a bound.

    Args:
        identifier, title, kind, statement, wording, place, slip, changes: see `Claim`.
        lines: the cells.
        bound, formula: f(n, T_init), as code and in words.
        side: "upper" for O, "lower" for Ω, "both" for Θ.
        setting: what is run, in a sentence, for the rule.
        terms: of a sum that is fitted to all cells of an algorithm: their constants are remarked on.
        over_leaves: whether the figure is drawn over T_init and not over n.
        exponents: whether the power with which E[time] itself grows is told, as news.
    """
    name = identifier.lower()

    def cells(scale: Scale) -> Sequence[Asked]:
        return [one for line in lines(scale) for one in line.asked]

    def checks_of(evidence: Evidence) -> list[LineCheck]:
        return [hold_line(evidence, line, bound) for line in lines(evidence.scale)]

    def check(evidence: Evidence) -> Verdict:
        checks = checks_of(evidence)
        sides = {UPPER: (LineCheck.upper,), LOWER: (LineCheck.lower,), BOTH: (LineCheck.upper, LineCheck.lower)}[side]
        status = all_of(look(one) for one in checks for look in sides)
        records = [record for one in checks for record in one.records()]
        tables = (Numbers(f"{name}-numbers", f"E[time] ÷ ({formula})", records),)
        known = [(one.label, one.trend) for one in checks if one.trend is not None]
        if not known or len(known) < len(checks):
            return Verdict(OPEN, "Along some line a mean is not known: no verdict.", tables=tables)
        ways: dict[str, tuple[str, Callable[[Any], float]]] = {
            UPPER: ("largest power", lambda pair: pair[1].value),
            LOWER: ("smallest power", lambda pair: -pair[1].value),
            BOTH: ("power furthest from 0", lambda pair: abs(pair[1].value)),
        }
        words, size = ways[side]
        which, power = max(known, key=size)
        sentence = f"The {words} in E[time] ÷ ({formula}) is {said(power)} ({which}). {CANNOT_PROVE}"
        if status == SUPPORTED and side == UPPER and (power.high or 0.0) < -0.2:
            sentence = sentence.replace(f". {CANNOT_PROVE}", f": the bound is loose. {CANNOT_PROVE}")
        return Verdict(status, sentence, f"{words} in E[time] ÷ bound", power, _remarks(evidence), tables)

    def _remarks(evidence: Evidence) -> tuple[str, ...]:
        found = []
        by_name: dict[str, list[Line]] = {}
        for line in lines(evidence.scale):
            by_name.setdefault(line.specs[0].algorithm.name, []).append(line)
        for algorithm, some in by_name.items() if terms else ():
            sums = constants(evidence, some, terms or {})
            if sums:
                text = " + ".join(f"{said(c)}·{term}" for term, c in sums.items())
                found.append(f"{algorithm}: E[time] ≈ {text} over all lines, each constant with its interval.")
        return tuple(found)

    def news(evidence: Evidence, _: Verdict) -> Sequence[str]:
        found = []
        for line in lines(evidence.scale) if exponents else ():
            power = hold_line(evidence, line, lambda *_: 1.0)
            if power.trend is not None:
                found.append(f"{power.label}: E[time] goes like {line.factor}^{said(power.trend)} at the larger sizes.")
        return found

    def figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        checks = checks_of(evidence)[:_MOST_SERIES]
        return [
            series_figure(
                name,
                [
                    Series(
                        one.label,
                        [spec.init.leaves if over_leaves else spec.n for spec in one.line.specs],
                        list(one.ratios),
                    )
                    for one in checks
                ],
                title=f"{title}: E[time] ÷ ({formula})",
                xlabel="T_init, leaves of the initial tree" if over_leaves else "n, number of variables",
                ylabel="measured ÷ bound (constant 1)",
                caption="With 95 % intervals. A line that ends level has the bound's growth; one that falls stays ever "
                "further below it.",
            )
        ]

    return Claim(
        id=identifier, title=title, kind=kind, place=place, statement=statement, rule=f"{setting} {_RULES[side]}",
        check=check, figures=figures, cells=cells, news=news, slip=slip, changes=changes, wording=wording,
    )  # fmt: skip
