"""M4: XOR is not found in polynomial time, but with a probability exponentially near 0."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from gpruntime.paper.claim import READ, THEOREM, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.rules import share_words
from gpruntime.paper.scale import Scale, by_scale
from gpruntime.paper.shares import asked_of, below, reached, share_records, shares_figure
from gpruntime.paper.verdict import CONTRADICTED, Numbers, Verdict, all_of
from gpruntime.show.drawing import Drawing

_LEVEL = 0.05


def _lines(scale: Scale) -> dict[str, Line]:
    sizes = by_scale(scale, quick=(4, 8, 12, 16, 20, 24), full=(4, 8, 12, 16, 20, 24, 28, 32), tiny=(4, 8, 12, 16))
    runs = by_scale(scale, quick=300, full=2000, tiny=60)
    setting = {"problem": "xor", "init": "unity:leaves=1", "budget": lambda n: n**3}
    return {
        name: over_n("XOR", sizes, runs, algorithm=algorithm, **setting)
        for name, algorithm in (("GP-single", "gp-single"), ("GP-multi", "gp-multi"))
    }


def _cells(scale: Scale) -> Sequence[Asked]:
    return asked_of(_lines(scale))


def _check(evidence: Evidence) -> Verdict:
    lines = _lines(evidence.scale)
    statuses, rises = [], []
    for name, line in lines.items():
        shares = [reached(evidence, spec) for spec in line.specs]
        statuses.append(below(shares[-1], _LEVEL))
        rises += [name for a, b in pairwise(shares) if (b.low or 0.0) > (a.high or 1.0)]
    status = CONTRADICTED if rises else all_of(statuses)
    last = {name: reached(evidence, line.specs[-1]) for name, line in lines.items()}
    told = ", ".join(f"{share_words(share)} with {name}" for name, share in last.items())
    n = next(iter(lines.values())).x[-1]
    sentence = f"P(XOR found within n³ evaluations) is {told} at n = {n}{', rising' if rises else ', never rising'}."
    tables = (Numbers("m4-numbers", "P(optimum within n³ evaluations)", share_records(evidence, lines)),)
    return Verdict(status, sentence, f"P(optimum) of GP-single, n = {n}", last["GP-single"], tables=tables)


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    caption = "With 95 % intervals. A polynomial budget of n³ evaluations is soon of no use."
    words = "P(optimum within n³ evaluations)"
    return [shares_figure("m4", evidence, _lines(evidence.scale), "XOR within n³ evaluations", caption, words)]


CLAIM = Claim(
    id="M4",
    title="XOR is out of reach",
    kind=THEOREM,
    place="theorem",
    statement="On the parity of n variables, from XOR alone, the (1+1) GP fails in polynomial time with a probability "
    "exponentially near 1.",
    rule=f"The budget is n³ evaluations. Supported if P(optimum) at the largest n has a 95 % interval below {_LEVEL} "
    "and P(optimum) never rises with n (disjoint intervals); contradicted if it lies above, or P(optimum) rises; open "
    "otherwise.",
    check=_check,
    figures=_figures,
    cells=_cells,
    wording=READ,
)
