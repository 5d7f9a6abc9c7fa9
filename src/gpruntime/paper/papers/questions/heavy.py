"""Q7: heavy-tailed numbers of operations as a cure for parsimony's traps."""

from __future__ import annotations

from collections.abc import Sequence

from gpruntime.paper.claim import OURS, QUESTION, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.rules import share_words
from gpruntime.paper.scale import Scale, by_scale
from gpruntime.paper.shares import above, asked_of, below, reached, share_records, shares_figure
from gpruntime.paper.verdict import SEVERAL_RULE, Numbers, Verdict, several
from gpruntime.show.drawing import Drawing

_OPERATIONS = {"one": "one", "1 + Poisson(1)": "poisson:mean=1", "power law, β = 1.5": "power:beta=1.5"}
_HEAVY = "power law, β = 1.5"
_LEVEL = 0.9


def _lines(scale: Scale) -> dict[str, Line]:
    sizes = by_scale(scale, quick=(3, 4, 5, 6, 8), full=(3, 4, 5, 6, 8, 10, 12), tiny=(3, 4, 5))
    runs = by_scale(scale, quick=200, full=1000, tiny=60)
    return {
        name: over_n(
            name,
            sizes,
            runs,
            problem="sorting:measure=run",
            algorithm="gp-single",
            accept="parsimony",
            operations=law,
            init="unity:leaves=n",
            budget=lambda n: 100 * n**3,
        )
        for name, law in _OPERATIONS.items()
    }


def _cells(scale: Scale) -> Sequence[Asked]:
    return asked_of(_lines(scale))


def _check(evidence: Evidence) -> Verdict:
    lines = _lines(evidence.scale)
    last = {name: reached(evidence, line.specs[-1]) for name, line in lines.items()}
    status = several([below(last["one"], _LEVEL), above(last[_HEAVY], _LEVEL)])
    n = lines["one"].x[-1]
    told = "; ".join(f"{name} {share_words(share)}" for name, share in last.items())
    sentence = f"P(SORTING by RUN solved within 100·n³ evaluations) at n = {n}, by the number of operations: {told}."
    tables = (Numbers("q7-numbers", "P(optimum within 100·n³ evaluations)", share_records(evidence, lines)),)
    return Verdict(status, sentence, "P(optimum), heavy tail", last[_HEAVY], tables=tables)


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    caption = "With 95 % intervals. One operation is trapped; many operations at once can leave a trap."
    title = "SORTING by RUN with parsimony, by operations an offspring"
    return [
        shares_figure("q7", evidence, _lines(evidence.scale), title, caption, "P(optimum within 100·n³ evaluations)")
    ]


CLAIM = Claim(
    id="Q7",
    title="Heavy tails against parsimony's traps",
    kind=QUESTION,
    place="open in the papers",
    statement="On SORTING by RUN with parsimony, where one operation is trapped, a heavy-tailed number of operations "
    "(power law, β = 1.5) reaches the optimum.",
    rule=f"At the largest n two things are asked: P(optimum within 100·n³ evaluations) below {_LEVEL} with one "
    f"operation, above {_LEVEL} with the power law (95 % intervals). {SEVERAL_RULE}",
    check=_check,
    figures=_figures,
    cells=_cells,
    wording=OURS,
)
