"""Table 1: a bound for each problem, acceptance and number of operations, with what was measured beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gpruntime.model.algorithms import ALGORITHMS
from gpruntime.paper.claim import SECOND, TABLE, Change, Check, Claim, Request
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.known import (
    RULE,
    Known,
    caption_words,
    known_bad,
    known_order,
    known_table,
    setting_short,
    small_bad,
    small_order,
    small_order_requests,
    unmet,
)
from gpruntime.paper.lines import FOUR, Line, majority, order, requests_of
from gpruntime.paper.papers.founding.figures import CONSTANT_FAILURE, STUCK_HELD
from gpruntime.paper.papers.founding.order_times import HELD_TO_EXACT, POWER, STRICT_RUNS
from gpruntime.paper.papers.founding.traps import MULTI, TRAP_HELD, TRAP_RUNS
from gpruntime.paper.phrases import how_far, law_of
from gpruntime.paper.pictures import Series, exact_series, series_figure
from gpruntime.paper.rules import CANNOT_PROVE, MARGIN, SEVERAL_RULE, bound_named, hold, no_growth, powers_of, several
from gpruntime.paper.scale import Scale
from gpruntime.paper.verdict import OPEN, SUPPORTED, Numbers, Record, Verdict
from gpruntime.show.drawing import Drawing

_LATER = "Doerr, Kötzing, Lagodzinski, Lengler (GECCO 2017; TCS 816, 2020; known to us from the abstracts)"
_SINCE = f"O(T_init·log T_init + n·log³ n) and Ω(T_init + n·log n) without bloat control: {_LATER}"
_NONE_SINCE = "no unconditional bound found since: open"


class _Bounded(NamedTuple):
    """A bound of the table that simulation can be held against."""

    problem: str
    algorithm: str
    init: str
    printed: str
    bound: str
    since: str

    def line(self, scale: Scale) -> Line:
        """Its runs."""
        return (order if self.problem == "order" else majority)(scale, self.algorithm, self.init)


_BOUNDED = (
    _Bounded("order", "gp-single", "unity", "O(n·T_max) w.c. †", "thm:oneonegp", _NONE_SINCE),
    _Bounded("order", "gp-multi", "unity", "O(n·T_max) w.c. †", "thm:oneonegp", _NONE_SINCE),
    _Bounded("order", "gpstar-single", "unity", "O(n²) w.c.", "cor:star-order", "–"),
    _Bounded("order", "gpstar-multi", "unity", "O(n·T_max) w.c. †", "thm:oneonegp", "† is conj:star-multi: open"),
    _Bounded("majority", "gp-single", "bad", "O(n²·T_max·log n) w.c. †", "cor:majority_gp_wc", _SINCE),
    _Bounded("majority", "gp-single", "unity", "O(n·T_max·log n) a.c.", "cor:majority_gp_ac", _SINCE),
)


def _row(problem: str, algorithm: str, printed: str, measured: str, verdict: str, since: str = "–") -> Record:
    name = ALGORITHMS[algorithm].name.removeprefix("(1+1) ")
    return {
        "cell": f"{problem.upper()}, {name}",
        "printed": printed,
        "measured": measured,
        "verdict": verdict,
        "since": since,
    }


class _Cells(Check):
    """Each cell of the table by the rule of its own claim."""

    def cells(self, scale: Scale) -> Sequence[Request]:
        lines = [*(bounded.line(scale) for bounded in _BOUNDED), majority(scale, "gp-multi")]
        return [
            *requests_of(lines),
            *(request for algorithm in FOUR for request in small_order_requests(scale, algorithm)),
            *small_bad(scale).requests,
            *CONSTANT_FAILURE.cells(scale),
            *MULTI.cells(scale),
        ]

    def _known_order(self, scale: Scale) -> list[Known]:
        return [exact for algorithm in FOUR for exact in known_order(scale, algorithm)]

    def __call__(self, evidence: Evidence) -> Verdict:
        known = [*self._known_order(evidence.scale), *known_bad(evidence.scale)]
        solved = known_table("table-1-exact", evidence, known)
        if off := unmet(evidence, known, [solved]):
            return off
        rows, trends = [], {}
        for cell in _BOUNDED:
            check = hold(evidence.curve(cell.line(evidence.scale).specs), bound_named(cell.bound))
            measured = f"{law_of(check.curve)} from {cell.init}; ÷ bound {how_far(check)}"
            status = no_growth(check.trend)
            rows.append(_row(cell.problem, cell.algorithm, cell.printed, measured, status, cell.since))
            trends[f"{ALGORITHMS[cell.algorithm].name} on {cell.problem.upper()} from {cell.init}"] = check.trend
        stuck, trap = CONSTANT_FAILURE.check(evidence), MULTI.check(evidence)
        multi = law_of(evidence.curve(majority(evidence.scale, "gp-multi").specs))
        growth = f"{trap.quantity}: × {trap.number.short()} {trap.number.bracket()}"
        rows += [
            _row("majority", "gpstar-single", "Ω(∞) a.c.", stuck.shown_number(), stuck.status),
            _row("majority", "gp-multi", "?", f"{multi} from unity", OPEN, _SINCE),
            _row("majority", "gpstar-multi", "Ω((n/2e)^(n/2)) w.c.", growth, trap.status),
        ]
        judged = [row["verdict"] for row in rows if row["printed"] != "?"]
        powers = powers_of(trends)
        sentence = (
            f"{judged.count(SUPPORTED)} of the {len(judged)} bounds in seven cells are supported; the largest power of "
            f"n in E[time]/bound is {powers}. The cell “?” is measured as {multi}. {CANNOT_PROVE}"
        )
        remarks = (
            (
                "† means that the authors conjecture a better bound. Where the ratio to the bound falls with n, the "
                "data agree: ORDER with neutral moves and MAJORITY with GP-single look like n log n."
            ),
            (
                "With lexicographic parsimony pressure, which the paper does not have, both problems take Θ(T_init + "
                f"n log n): {_LATER}."
            ),
        )
        headings = {
            "cell": "cell", "printed": "printed bound", "measured": "measured", "since": "known since",
        }  # fmt: skip
        tables = (Numbers("table-1", "Table 1, filled with measurements", rows, headings, opens=True), solved)
        quantity = "largest power of n in E[time]/bound"
        return Verdict(several(judged), sentence, quantity, powers.largest[1], remarks, tables)

    def figures(self, evidence: Evidence, _: Verdict) -> Sequence[Drawing]:
        scale = evidence.scale
        on_order = {
            setting_short(line.specs[0]): [*small_order(scale, algorithm), *line.specs]
            for algorithm in FOUR
            for line in [order(scale, algorithm)]
        }
        on_majority = {
            "GP-single, bad": [*small_bad(scale).specs, *majority(scale, init="bad").specs],
            "GP-single, unity": majority(scale).specs,
            "GP-multi, unity": majority(scale, "gp-multi").specs,
        }
        unlimited = [exact for exact in self._known_order(scale) if exact.limit is None]
        drawings = []
        for problem, curves, known in (("order", on_order, unlimited), ("majority", on_majority, known_bad(scale))):
            series = [
                Series(name, [spec.n for spec in specs], [evidence.cell(spec).mean for spec in specs])
                for name, specs in curves.items()
            ]
            figure = series_figure(
                f"table-1-{problem}",
                [*series, *exact_series(known)],
                title=f"{problem.upper()}: evaluations to the optimum",
                ylabel="mean evaluations",
                caption=f"{problem.upper()}: the settings of Table 1 whose mean is finite, with 95 % intervals. "
                f"{caption_words(known)}",
            )
            drawings.append(figure)
        return drawings

    def news(self, evidence: Evidence, _: Verdict) -> Sequence[str]:
        multi = evidence.curve(majority(evidence.scale, "gp-multi").specs)
        text = f"The cell “?” of the paper's table, MAJORITY with GP-multi: {law_of(multi)} from unity expectation."
        return [text] if multi.fit else []


TABLE_1 = Claim(
    id="table-1",
    title="The table of bounds",
    kind=TABLE,
    place="section 5, Table 1",
    statement="Expected optimisation times for ORDER and MAJORITY, neutral and strict acceptance, one and many "
    "operations: eight cells, † where a better bound is conjectured, ? where nothing is known.",
    rule=f"Each cell by the rule of its own claim (upper bounds: the power of n in E[time]/bound ends below {MARGIN}). "
    f"Of the cells with a bound: {SEVERAL_RULE} The cell “?” has nothing to contradict. {RULE}",
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
    check=_Cells(),
)
