"""Table 1: a bound for each problem, acceptance and number of operations, with what was measured beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gpruntime.analysis.bounds import BoundCheck
from gpruntime.analysis.curves import Curve
from gpruntime.model.algorithms import ALGORITHMS
from gpruntime.model.spec import RunSpec
from gpruntime.paper.changes import HELD_TO_EXACT, POWER, SECOND, STRICT_RUNS, STUCK_HELD, TRAP_HELD, TRAP_RUNS
from gpruntime.paper.claim import TABLE, Asked, Change, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.known import (
    RULE,
    Known,
    caption_words,
    known_bad,
    known_order,
    known_table,
    small_bad,
    small_order,
    small_order_asked,
    unmet,
)
from gpruntime.paper.papers.founding import thm_majority_gpstar_single, thm_tlopt
from gpruntime.paper.pictures import Series, exact_series, series_figure
from gpruntime.paper.rules import CANNOT_PROVE, MARGIN, bound_named, hold, how_far, law_of, no_growth, powers_of
from gpruntime.paper.scale import Scale
from gpruntime.paper.settings import FOUR, asked, majority_specs, order_asked, order_specs
from gpruntime.paper.verdict import OPEN, SEVERAL_RULE, SUPPORTED, Numbers, Verdict, several
from gpruntime.show.drawing import Drawing

LATER = "Doerr, Kötzing, Lagodzinski, Lengler (GECCO 2017; TCS 816, 2020; known to us from the abstracts)"


@dataclass(frozen=True)
class _Entry:
    """A bound of the table that simulation can be held against."""

    printed: str
    bound: str
    init: str
    since: str


_ORDER = {
    "gp-single": _Entry("O(n·T_max) w.c. †", "thm:oneonegp", "unity", "no unconditional bound found since: open"),
    "gp-multi": _Entry("O(n·T_max) w.c. †", "thm:oneonegp", "unity", "no unconditional bound found since: open"),
    "gpstar-single": _Entry("O(n²) w.c.", "cor:star-order", "unity", "–"),
    "gpstar-multi": _Entry("O(n·T_max) w.c. †", "thm:oneonegp", "unity", "† is conj:star-multi: open"),
}
_SINCE = f"O(T_init·log T_init + n·log³ n) and Ω(T_init + n·log n) without bloat control: {LATER}"
_MAJORITY = (
    _Entry("O(n²·T_max·log n) w.c. †", "cor:majority_gp_wc", "bad", _SINCE),
    _Entry("O(n·T_max·log n) a.c.", "cor:majority_gp_ac", "unity", _SINCE),
)


def _cells(scale: Scale) -> Sequence[Asked]:
    found = [one for algorithm in FOUR for one in order_asked(scale, algorithm)]
    for entry in _MAJORITY:
        found += asked(majority_specs(scale, init=entry.init), scale.runs)
    found += asked(majority_specs(scale, "gp-multi"), scale.runs)
    found += [one for algorithm in FOUR for one in small_order_asked(scale, algorithm)]
    found += asked(small_bad(scale), scale.exact_runs)
    found += thm_majority_gpstar_single.CLAIM.cells(scale)
    found += thm_tlopt.MULTI.cells(scale)
    return found


def _row(problem: str, algorithm: str, entry: str, measured: str, verdict: str, since: str) -> dict[str, str]:
    name = ALGORITHMS[algorithm].name.removeprefix("(1+1) ")
    return {
        "cell": f"{problem.upper()}, {name}",
        "printed": entry,
        "measured": measured,
        "verdict": verdict,
        "since": since,
    }


def _short(spec: RunSpec) -> str:
    return f"{spec.algorithm.name} on {spec.problem.id.upper()} from {spec.init}"


def _known_order(scale: Scale) -> list[Known]:
    return [one for algorithm in FOUR for one in known_order(scale, algorithm)]


def _check(evidence: Evidence) -> Verdict:
    known = [*_known_order(evidence.scale), *known_bad(evidence.scale)]
    solved = known_table("table-1-exact", evidence, known)
    if off := unmet(evidence, known, [solved]):
        return off
    rows: list[dict[str, Any]] = []
    checks: list[BoundCheck] = []

    def bounded(curve: Curve, algorithm: str, entry: _Entry) -> None:
        check: BoundCheck = hold(curve, bound_named(entry.bound))
        checks.append(check)
        measured = f"{law_of(curve)} from {entry.init}; ÷ bound {how_far(check)}"
        rows.append(
            _row(curve.spec.problem.id, algorithm, entry.printed, measured, no_growth(check.trend), entry.since)
        )

    for algorithm, entry in _ORDER.items():
        bounded(evidence.curve(order_specs(evidence.scale, algorithm)), algorithm, entry)
    for entry in _MAJORITY:
        bounded(evidence.curve(majority_specs(evidence.scale, init=entry.init)), "gp-single", entry)
    stuck = thm_majority_gpstar_single.CLAIM.check(evidence)
    measured = stuck.shown_number()
    rows.append(_row("majority", "gpstar-single", "Ω(∞) a.c.", measured, stuck.status, "–"))
    multi = evidence.curve(majority_specs(evidence.scale, "gp-multi"))
    rows.append(_row("majority", "gp-multi", "?", f"{law_of(multi)} from unity", OPEN, _SINCE))
    trap = thm_tlopt.MULTI.check(evidence)
    measured = f"{trap.quantity}: × {trap.number.short()} {trap.number.bracket()}"
    rows.append(_row("majority", "gpstar-multi", "Ω((n/2e)^(n/2)) w.c.", measured, trap.status, "–"))
    judged = [row["verdict"] for row in rows if row["printed"] != "?"]
    status = several(judged)
    powers = powers_of({_short(check.curve.spec): check.trend for check in checks})
    supported = judged.count(SUPPORTED)
    sentence = (
        f"{supported} of the {len(judged)} bounds in seven cells are supported; the largest power of n in "
        f"E[time]/bound is {powers}. The cell “?” is measured as {law_of(multi)}. {CANNOT_PROVE}"
    )
    remarks = (
        (
            "† means that the authors conjecture a better bound. Where the ratio to the bound falls with n, the data "
            "agree: ORDER with neutral moves and MAJORITY with GP-single look like n log n."
        ),
        (
            "With lexicographic parsimony pressure, which the paper does not have, both problems take Θ(T_init + n log "
            f"n): {LATER}."
        ),
    )
    tables = (Numbers("table-1", "Table 1, filled with measurements", rows), solved)
    return Verdict(status, sentence, "largest power of n in E[time]/bound", powers.largest[1], remarks, tables)


def _figures(evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
    drawings = []
    scale = evidence.scale
    for problem, settings, known in (
        ("order", [(a, "unity") for a in FOUR], [one for one in _known_order(scale) if one.limit is None]),
        ("majority", [("gp-single", "bad"), ("gp-single", "unity"), ("gp-multi", "unity")], known_bad(scale)),
    ):
        series = []
        for algorithm, init in settings:
            cells = [evidence.cell(spec) for spec in _drawn(scale, problem, algorithm, init)]
            label = ALGORITHMS[algorithm].name.removeprefix("(1+1) ") + (f", {init}" if problem == "majority" else "")
            series.append(Series(label, [cell.n for cell in cells], [cell.mean for cell in cells]))
        drawings.append(
            series_figure(
                f"table-1-{problem}",
                [*series, *exact_series(known)],
                title=f"{problem.upper()}: evaluations to the optimum",
                ylabel="mean evaluations",
                caption=f"{problem.upper()}: the settings of Table 1 whose mean is finite, with 95 % intervals. "
                f"{caption_words(known)}",
            )
        )
    return drawings


def _drawn(scale: Scale, problem: str, algorithm: str, init: str) -> list[RunSpec]:
    """The sizes of a curve: small ones first, where some are solved."""
    if problem == "order":
        return [*small_order(scale, algorithm, init), *order_specs(scale, algorithm, init)]
    return [*(small_bad(scale) if init == "bad" else []), *majority_specs(scale, algorithm, init)]


def _news(evidence: Evidence, _: Verdict) -> Sequence[str]:
    multi = evidence.curve(majority_specs(evidence.scale, "gp-multi"))
    known = f"The cell “?” of the paper's table, MAJORITY with GP-multi: {law_of(multi)} from unity expectation."
    return [known] if multi.fit else []


CLAIM = Claim(
    id="table-1",
    title="The table of bounds",
    kind=TABLE,
    place="section 5, Table 1",
    statement="Expected optimisation times for ORDER and MAJORITY, neutral and strict acceptance, one and many "
    "operations: eight cells, † where a better bound is conjectured, ? where nothing is known.",
    rule=f"Each cell by the rule of its own claim (upper bounds: the power of n in E[time]/bound ends below {MARGIN}). "
    f"Of the cells with a bound: {SEVERAL_RULE} The cell “?” has nothing to contradict. "
    f"{RULE}",
    slip="For MAJORITY, GP-single, worst case, the table prints log n where cor:majority_gp_wc proves log log n. "
    "Section 4.2.2 says “at least Ω(n^(−k/2)) steps” where it means n^(k/2).",
    changes=(
        TRAP_RUNS,
        STRICT_RUNS,
        POWER,
        HELD_TO_EXACT,
        TRAP_HELD,
        STUCK_HELD,
        Change(
            SECOND, "rule", "in part where some cells hold and some fail, which had been contradicted: a new verdict."
        ),
    ),
    cells=_cells,
    check=_check,
    figures=_figures,
    news=_news,
)
