"""How block mutations generalise: conjunctions of some of the variables, learnt from sampled rows."""

from __future__ import annotations

from collections.abc import Sequence

from gpruntime.analysis.estimates import Estimate
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import ABSTRACT, FOURTH, THEOREM, Change, Claim, LeftOut, Paper
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.kinds import Ask, Levels
from gpruntime.paper.kinds.errors import mean_error, share_with_error
from gpruntime.paper.kinds.levels import Quantity
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.phrases import share_words
from gpruntime.paper.pictures import Series
from gpruntime.paper.rules import SEVERAL_RULE, above, below
from gpruntime.paper.scale import Scale, by_scale

_V, _ALL, _ROWS, _ERROR = 3, 12, 144, 0.02
_OFTEN, _SELDOM = 0.9, 0.1
_PERCENT = f"{100 * _ERROR:g} %"
_CONSTANT, _MANY = (1, 2), 14
_WITHIN, _BEYOND = f"n ≤ {_V}", f"n > {_V}"


_SHARE_OF_RUNS = Change(
    FOURTH, "rule", "the share of runs with few wrong rows is asked for; their mean share is 0 in all runs at some n."
)


def _runs(scale: Scale) -> int:
    return by_scale(scale, quick=200, full=2000, tiny=40)


FEW_WRONG = Quantity(
    "p_few_wrong",
    f"P(at most {_PERCENT} of all rows wrong)",
    lambda evidence, spec: share_with_error(_ERROR, spec, evidence.seed, _runs(evidence.scale)),
    share_words,
    before=lambda evidence, spec: {
        "variables": spec.primitives.variables, "p_optimum": evidence.cell(spec).chance.value,
        "mean_error": _error(evidence, spec).value,
    },
)  # fmt: skip


def _error(evidence: Evidence, spec: RunSpec) -> Estimate:
    return mean_error(spec, evidence.seed, _runs(evidence.scale))


def _fixed(scale: Scale) -> list[Line]:
    setting = {
        "problem": lambda n: f"and:rows={_ROWS},unwanted={_ALL - n}",
        "algorithm": f"gsgp:mutation=fixed-block:v={_V}",
        "budget": 20_000,
    }
    beyond = by_scale(scale, quick=(4, 5, 6, 8, 12), full=(4, 5, 6, 8, 10, 12), tiny=(4, 5, 6))
    return [
        over_n(_WITHIN, (1, 2, 3), _runs(scale), **setting),
        over_n(_BEYOND, beyond, _runs(scale), **setting),
    ]


def _over_n(evidence: Evidence, lines: Sequence[Line]) -> list[Series]:
    return [Series(line.name, line.x, [_error(evidence, spec) for spec in line.specs]) for line in lines]


def _among(v: int, variables: int) -> str:
    return f"v = {v} of {variables}"


def _constant(scale: Scale) -> list[Line]:
    """Of v wanted variables, with ever more unwanted ones."""
    others = by_scale(scale, quick=(6, 10), full=(6, 8, 10, 12), tiny=(4,))
    return [
        over_n(
            _among(v, variables),
            [v],
            _runs(scale),
            problem=f"and:rows={variables**2},unwanted={variables - v}",
            algorithm=f"gsgp:mutation=varying-block:v={v}",
            budget=20_000,
        )
        for v in _CONSTANT
        for variables in (*others, _MANY)
    ]


def _over_variables(evidence: Evidence, lines: Sequence[Line]) -> list[Series]:
    series = []
    for v in _CONSTANT:
        specs = [spec for line in lines for spec in line.specs if spec.n == v]
        errors = [_error(evidence, spec) for spec in specs]
        series.append(Series(f"v = {v}", [spec.primitives.variables for spec in specs], errors))
    return series


PAPER = Paper(
    name="corus-2024",
    authors="Corus, Oliveto",
    title="On the Generalisation Performance of Geometric Semantic Genetic Programming for Boolean Functions: Learning "
    "Block Mutations",
    venue="TELO 4(4), 2024",
    year=2024,
    seen="abstract read",
    claims=(
        Claim(
            id="CO1",
            title="Fixed blocks do not generalise to conjunctions of any size",
            kind=THEOREM,
            place="abstract",
            statement="A hill climber with fixed block mutation cannot evolve conjunctions of arbitrary size that are "
            "correct on unseen rows.",
            rule=f"Blocks over the first v = {_V} of {_ALL} variables, a uniform first table, {_ROWS} sampled rows; "
            "the target is the conjunction of the first n variables. Two things are asked of "
            f"P(the last table errs on at most {_PERCENT} of all rows): above {_OFTEN} at n = {_V}, below {_SELDOM} at "
            f"n = {_V + 1} (95 % intervals). {SEVERAL_RULE}",
            check=Levels(
                name="co1",
                lines=_fixed,
                of=FEW_WRONG,
                asks=[Ask(above, _OFTEN, _WITHIN), Ask(below, _SELDOM, _BEYOND, 0)],
                sentence=lambda facts: (
                    f"With blocks over {_V} of {_ALL} variables the last table errs on at most {_PERCENT} of all rows "
                    f"with probability {facts[_WITHIN]} for the conjunction of {_V} variables, and {facts[_BEYOND]} "
                    f"for that of {_V + 1}, where the rows of a block no longer agree."
                ),
                number=_BEYOND,
                quantity=f"P(few wrong), n = {_V + 1}",
                caption="how well the last table generalises",
                series=_over_n,
                figure={
                    "title": f"Fixed blocks over {_V} of {_ALL} variables, {_ROWS} sampled rows",
                    "ylabel": "share of all rows that are wrong",
                    "caption": "With 95 % intervals, over the size n of the conjunction. Beyond n = v the wrong rows "
                    "are those of the target, 2^−n of all: larger conjunctions are nearly the constant false, so the "
                    "share falls again, and no row of the target is ever right.",
                    "logy": False,
                },
            ),
            slip="With v = n fixed blocks learn the conjunction, but 2^v of them have to be sampled: no v serves all "
            "sizes.",
            changes=(_SHARE_OF_RUNS,),
            wording=ABSTRACT,
        ),
        Claim(
            id="CO2",
            title="Varying blocks learn functions of constant size",
            kind=THEOREM,
            place="abstract",
            statement="An algorithm with varying block mutation efficiently evolves any Boolean function of constant "
            "size, correct on unseen rows, whatever the number of variables.",
            rule=f"The conjunction of v = 1 and of v = 2 variables among N, blocks over v varying variables, N² "
            f"sampled rows. Two things are asked at N = {_MANY}, for v = 1 and for v = 2: P(the last table errs on at "
            f"most {_PERCENT} of all rows) above {_OFTEN} (95 % intervals). {SEVERAL_RULE}",
            check=Levels(
                name="co2",
                lines=_constant,
                of=FEW_WRONG,
                asks=[Ask(above, _OFTEN, _among(v, _MANY)) for v in _CONSTANT],
                sentence=lambda facts: (
                    f"The last table errs on at most {_PERCENT} of all rows with probability "
                    f"{facts.each('{1} for {0}', ', ')}."
                ),
                number=_among(2, _MANY),
                quantity=f"P(few wrong), {_among(2, _MANY)}",
                caption="how well the last table generalises",
                series=_over_variables,
                figure={
                    "title": "Varying blocks over v variables, the conjunction of v",
                    "xlabel": "N, number of variables",
                    "ylabel": "share of all rows that are wrong",
                    "caption": "With 95 % intervals; N² sampled rows.",
                    "logy": False,
                    "logx": False,
                },
            ),
            slip="The abstract does not tell the algorithm; this is the hill climber, with the block's size that of "
            "the function.",
            changes=(_SHARE_OF_RUNS,),
            wording=ABSTRACT,
        ),
    ),
    left_out=(
        LeftOut(
            "CO3",
            "Another algorithm with varying block mutation evolves conjunctions and disjunctions of any size.",
            "the abstract does not tell how that algorithm chooses the size of a block; multiple-size mutation, which "
            "draws it anew each time, runs here, and a record says on how many of all rows it errs.",
        ),
    ),
)
