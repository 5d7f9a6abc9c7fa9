"""ORDER: insertions are accepted more often than deletions, so the tree grows (section 5.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpruntime.analysis.estimates import Estimate, mean
from gpruntime.engine import run_many
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import DISCUSSION, Asked, Claim
from gpruntime.paper.claims.conj_star_multi import leaves_per_variable
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.pictures import Series, series_figure
from gpruntime.paper.scale import Scale
from gpruntime.paper.settings import order_asked, order_specs
from gpruntime.paper.verdict import CONTRADICTED, OPEN, SUPPORTED, Numbers, Verdict
from gpruntime.show.drawing import Drawing

_FROM = 10
_TIME_N = 200


def _cells(scale: Scale) -> Sequence[Asked]:
    return order_asked(scale, "gp-single")


def _check(evidence: Evidence) -> Verdict:
    cells = [evidence.cell(spec) for spec in order_specs(evidence.scale, "gp-single") if spec.n >= _FROM]
    sizes = dict(leaves_per_variable(evidence, "gp-single"))
    states: list[str] = []
    records: list[dict[str, Any]] = []
    for cell in cells:
        insert, delete, size = cell.acceptance["insert"], cell.acceptance["delete"], sizes[cell.n]
        added = _added(evidence, cell.n)
        state = OPEN
        if (insert.low or 0.0) > (delete.high or 1.0) and added > 0:
            state = SUPPORTED
        elif (insert.high or 1.0) < (delete.low or 0.0) or added <= 0:
            state = CONTRADICTED
        states.append(state)
        records.append(
            {
                "n": cell.n,
                "insertions_accepted": insert.value,
                "insertions_low": insert.low,
                "insertions_high": insert.high,
                "deletions_accepted": delete.value,
                "deletions_low": delete.low,
                "deletions_high": delete.high,
                "mean_max_leaves_per_variable": size.value,
                "leaves_added_per_variable": added,
            }
        )
    last = cells[-1]
    insert, delete = last.acceptance["insert"], last.acceptance["delete"]
    status = states[0] if len(set(states)) == 1 else CONTRADICTED if CONTRADICTED in states else OPEN
    first, end = sizes[cells[0].n], sizes[last.n]
    sentence = (
        f"At n = {last.n:,} GP-single accepts {100 * (insert.value or 0):.2f} % of the insertions and "
        f"{100 * (delete.value or 0):.2f} % of the deletions; its tree goes from 2n leaves to "
        f"{2 + _added(evidence, last.n):.3g}·n in the end, and to {end.short()}·n at most ({first.short()}·n at n = "
        f"{cells[0].n})."
    )
    tables = (Numbers("disc-asymmetry-numbers", "accepted ÷ proposed, by kind", records),)
    remark = (
        f"In the whole run the largest tree comes to {(end.value or 2.0) / 2:.2f} times the initial 2n leaves; see "
        "disc:order-neutral for what that costs."
    )
    return Verdict(status, sentence, f"insertions accepted, n = {last.n:,}", insert, (remark,), tables)


def _added(evidence: Evidence, n: int) -> float:
    """Leaves at the end less those at the beginning, mean of all runs, ÷ n: each operation is accepted by itself."""
    runs = evidence.runs[RunSpec(problem="order", algorithm="gp-single", n=n)]
    return (runs.operations["insert"].accepted - runs.operations["delete"].accepted) / len(runs) / n


def _figures(evidence: Evidence, verdict: Verdict) -> Sequence[Drawing]:
    records = verdict.tables[0].records
    rates = [
        Series(
            kind,
            [r["n"] for r in records],
            [Estimate(r[f"{kind}_accepted"], r[f"{kind}_low"], r[f"{kind}_high"]) for r in records],
        )
        for kind in ("insertions", "deletions")
    ]
    return [
        series_figure(
            "disc-asymmetry-rates",
            rates,
            title="ORDER, GP-single: accepted ÷ proposed",
            ylabel="accepted ÷ proposed",
            logy=False,
            caption="Which share of the proposed insertions and deletions is accepted, with 95 % intervals.",
            ylim=(0, 1.02),
            legend="lower right",
        ),
        series_figure(
            "disc-asymmetry-size",
            [_over_fitness(evidence)],
            title=f"ORDER, GP-single, n = {_TIME_N}: the tree grows as the fitness rises",
            xlabel="fitness k",
            ylabel="mean leaves when k is reached",
            logx=False,
            logy=False,
            caption=f"Leaves of the tree when fitness k is first reached, mean of {evidence.scale.runs} runs with 95 % "
            "intervals.",
        ),
    ]


def _over_fitness(evidence: Evidence) -> Series:
    spec = RunSpec(problem="order", algorithm="gp-single", n=_TIME_N)
    columns = run_many(spec, evidence.seed, evidence.scale.runs, improvements=True)
    assert columns.improvements is not None
    noted = columns.improvements
    chosen = [k for k in range(_TIME_N // 2, _TIME_N + 1, _TIME_N // 20) if int((noted.fitness == k).sum()) > 1]
    return Series("", chosen, [mean(noted.leaves[noted.fitness == k].astype(np.float64)) for k in chosen])


CLAIM = Claim(
    id="disc:asymmetry",
    title="On ORDER insertions are accepted more often and the tree grows",
    kind=DISCUSSION,
    place="section 5.2",
    statement="On ORDER insertions are less likely to lower the fitness than deletions, so they are accepted more "
    "often and the tree grows over time.",
    rule=f"At every n ≥ {_FROM}: supported if the 95 % interval of GP-single's acceptance of insertions lies above "
    "that of deletions and the tree has more leaves at the end than at the beginning, in the mean; contradicted if "
    "either is the other way round; open otherwise.",
    cells=_cells,
    check=_check,
    figures=_figures,
)
