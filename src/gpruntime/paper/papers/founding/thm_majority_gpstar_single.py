"""MAJORITY: GP*-single fails with constant probability under unity expectation (thm:majority_gpstar_single)."""

from __future__ import annotations

from collections.abc import Sequence

from gpruntime.paper.changes import STUCK_HELD
from gpruntime.paper.claim import THEOREM, Asked, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.papers.founding.fig_failure import STUCK_RULE, exact_stuck, stuck_share, unmet_stuck
from gpruntime.paper.rules import share_words
from gpruntime.paper.scale import Scale
from gpruntime.paper.settings import asked, failure_specs
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SUPPORTED, Numbers, Verdict
from gpruntime.show.drawing import Drawing

_FROM, _CONSTANT = 3, 0.02


def _cells(scale: Scale) -> Sequence[Asked]:
    return asked(failure_specs(scale), scale.failure_runs)


def _check(evidence: Evidence) -> Verdict:
    shares = {s.n: stuck_share(evidence, s) for s in failure_specs(evidence.scale) if s.n >= _FROM}
    exact = exact_stuck(evidence.scale)
    rows = [
        {"n": n, "p_stuck": s.value, "low": s.low, "high": s.high, "exact": exact.get(n)} for n, s in shares.items()
    ]
    tables = (Numbers("thm-majority-gpstar-single-numbers", "P(stuck) under unity expectation", rows),)
    if off := unmet_stuck(evidence, exact, tables):
        return off
    sizes = sorted(shares)
    middle, last = shares[sizes[len(sizes) // 2]], shares[sizes[-1]]
    least = min(shares.values(), key=lambda share: share.value or 0.0)
    falls = (last.high or 1.0) < (middle.low or 0.0)
    status = OPEN
    if all((share.low or 0.0) > _CONSTANT for share in shares.values()) and not falls:
        status = SUPPORTED
    elif falls or any((share.high or 1.0) < _CONSTANT for share in shares.values()):
        status = CONTRADICTED
    sentence = (
        f"P(stuck) is at least {share_words(least)} for n from {_FROM} to {sizes[-1]:,} and rises to "
        f"{share_words(last)}; so E[time] is infinite, as the corollary says. Simulation cannot show it for all n."
        if not falls
        else f"P(stuck) falls to {share_words(last)} at n = {sizes[-1]:,}."
    )
    remark = "Exact: " + ", ".join(f"{value:.6f} at n = {n}" for n, value in exact.items()) + "."
    return Verdict(status, sentence, f"least P(stuck), n ≥ {_FROM}", least, (remark,), tables)


def _figures(_: Evidence, __: Verdict) -> Sequence[Drawing]:
    return []


CLAIM = Claim(
    id="thm:majority_gpstar_single",
    title="GP*-single fails on MAJORITY with constant probability",
    kind=THEOREM,
    place="section 4.2.2, theorem, with its corollary",
    statement="Under unity expectation the time of GP*-single on MAJORITY is infinite with probability Ω(1), so its "
    "expectation is infinite.",
    rule=f"Supported if at every n ≥ {_FROM} the 95 % interval of P(stuck) lies above {_CONSTANT} and the one at the "
    "largest n not below the one in the middle; contradicted if P(stuck) falls so or lies below; open otherwise. Stuck "
    f"is proved, not timed out. {STUCK_RULE} The figure is that of fig-failure.",
    changes=(STUCK_HELD,),
    cells=_cells,
    check=_check,
    figures=_figures,
)
