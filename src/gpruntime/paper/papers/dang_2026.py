"""Cartesian GP on Boolean functions, with tree GP beside it: bounds with constants, and the printed means.

The paper counts iterations, the first program not among them; here it is an evaluation, so a printed mean is one more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from gpruntime.analysis import formatting
from gpruntime.analysis.estimates import proportion
from gpruntime.analysis.runs import OPTIMUM
from gpruntime.exact import solve
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import FOURTH, LEMMA, READ, TABLE, THEOREM, THIRD, Change, Check, Claim, LeftOut, Paper
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.kinds import Ask, Levels, PrintedMeans, line_claim
from gpruntime.paper.kinds.levels import SHARE_AXIS, Quantity
from gpruntime.paper.kinds.means import MISSES
from gpruntime.paper.lines import Line, over_n
from gpruntime.paper.phrases import share_words
from gpruntime.paper.pictures import exactly
from gpruntime.paper.rules import SEVERAL_RULE, all_of, apart, below, decide
from gpruntime.paper.scale import Scale, by_scale
from gpruntime.paper.verdict import OPEN, Verdict

# ---- theorem 3: an upper bound with its constant, and its tail

_GATES = {"D = n − 1": "n-1", "D = n": "n", "D = 2n": "2n", "D = 3n": "3n"}
_THREE = list(_GATES.items())[:3]


def _on_and(scale: Scale) -> list[Line]:
    """CGP and CGP* on AND, from uniform genotypes; each run ends."""
    neutral = by_scale(scale, quick=(3, 4, 6, 8, 12, 16), full=(3, 4, 6, 8, 12, 16, 24), tiny=(3, 4, 5, 6, 8, 12))
    strict = by_scale(scale, quick=(3, 4, 5, 6), full=(3, 4, 5, 6, 7, 8), tiny=(3, 4, 5))
    runs = by_scale(scale, quick=100, full=400, tiny=40)
    return [
        over_n(f"{name}, {gates}", sizes, runs, problem="and", algorithm=f"{algorithm}:gates={number}")
        for name, algorithm, sizes in (("CGP", "cgp", neutral), ("CGP*", "cgpstar", strict))
        for gates, number in _THREE
    ]


def upper_bound(spec: RunSpec) -> float:
    """(3D+1)³·4D³·ζ(2)·(n−1)/D, which the paper proves with this constant."""
    gates = float(spec.init.leaves)
    return (3 * gates + 1) ** 3 * 4 * gates**3 * math.pi**2 / 6 * (spec.n - 1) / gates


_RATIO = Quantity(
    "measured_over_bound",
    "measured ÷ bound",
    lambda evidence, spec: evidence.cell(spec).mean.transformed(lambda mean: mean / upper_bound(spec)),
)


def _everywhere(evidence: Evidence, lines: Sequence[Line]) -> str:
    return all_of(below(_RATIO.of(evidence, spec), 1.0) for line in lines for spec in line.specs)


def _tail(evidence: Evidence, lines: Sequence[Line]) -> str:
    """P(T > (1+δ)·20π²(n−1)D⁵) ≤ e^(−δ/3) for δ = 1, 2, 3, where D ≥ 10."""
    statuses = []
    for spec in (spec for line in lines for spec in line.specs if spec.init.leaves >= 10):
        times, runs = evidence.runs[spec].evaluations - 1, len(evidence.runs[spec])
        for delta in (1, 2, 3):
            beyond = (1 + delta) * 20 * math.pi**2 * (spec.n - 1) * spec.init.leaves**5
            share = proportion(int((times > beyond).sum()), runs)
            statuses.append(below(share, math.exp(-delta / 3)))
    return all_of(statuses)


# ---- theorem 4: the start from which strict acceptance takes long


def late_start(n: int) -> str:
    """n − 2 gates join x_1 … x_(n−1); the last gate feeds nothing, and takes neither them nor x_n."""
    joined = ["and(x1,x2)", *(f"and(#{i - 2},x{i})" for i in range(3, n))]
    return f"{' '.join(joined)} and(x1,x1) > #{n - 2}"


def _from_late_start(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=(3, 4, 5, 6, 7), full=(3, 4, 5, 6, 7, 8, 9), tiny=(3, 4, 5))
    runs = by_scale(scale, quick=80, full=200, tiny=40)
    return [over_n("D = n − 1", sizes, runs, problem="and", algorithm="cgpstar:gates=n-1", init=late_start)]


_OVER_N_6 = Quantity(
    "measured_over_bound",
    "measured ÷ n⁶",
    lambda evidence, spec: evidence.cell(spec).mean.transformed(lambda mean: mean / spec.n**6),
)


def _rises(evidence: Evidence, lines: Sequence[Line]) -> str:
    return apart(*(_OVER_N_6.of(evidence, lines[0].specs[place]) for place in (-1, 0)))


def _exact_from_late_start(*_: object) -> Sequence[str]:
    spec = RunSpec(problem="and", algorithm="cgpstar:gates=n-1", n=3, init=late_start(3))
    mean = solve(spec, rational=True).mean
    return [f"From theorem 4's start CGP* with n = 3 and D = 2 takes exactly {mean} evaluations in the mean."]


# ---- theorem 6: a chain of three states


def _with_neutral_moves(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=(3, 4, 6, 8, 12, 16), full=(3, 4, 6, 8, 12, 16, 24, 32), tiny=(3, 4, 5, 6, 8, 12))
    runs = by_scale(scale, quick=100, full=400, tiny=40)
    return [over_n(name, sizes, runs, problem="and", algorithm=f"cgp:gates={gates}") for name, gates in _THREE]


class _Chain(Check):
    """Whether E₁ solves the equations of the chain, in fractions."""

    points = tuple(Fraction(1, k) for k in (4, 5, 7, 11))

    def __call__(self, _: Evidence) -> Verdict:
        wrong = [chances for chances in product(self.points, repeat=4) if not solves_the_chain(*chances)]
        count = len(self.points) ** 4
        sentence = (
            f"With p, q, r, s = {', '.join(map(str, wrong[0]))} E₁ is another number."
            if wrong
            else f"E₁ solves the equations at all {count} points of a grid of 4⁴, as fractions; multiplied out, both "
            "sides have degree 2 at most in each of the four, so they are equal everywhere."
        )
        share = exactly(1 - len(wrong) / count)
        return Verdict(decide(not wrong, True), sentence, "share of points", share)


def solves_the_chain(p: Fraction, q: Fraction, r: Fraction, s: Fraction) -> bool:
    """1 → 3 with p, 1 → 2 with q, 2 → 3 with r, 2 → 1 with s: the first steps from 1 and 2."""
    first = (q + r + s) / (r * q + r * p + s * p)
    second = (1 + s * first) / (r + s)
    return first == 1 + q * second + (1 - p - q) * first


# ---- theorem 9: XOR is flat

_XOR = {"D = n − 1": "n-1", "D = n": "n"}
_LEVEL = 0.05


def _parity(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=(4, 5, 6, 8, 10, 12), full=(4, 5, 6, 8, 10, 12, 14), tiny=(4, 6, 8))
    runs = by_scale(scale, quick=200, full=1000, tiny=80)
    setting = {"problem": "xor", "budget": lambda n: n**4}
    return [over_n(name, sizes, runs, algorithm=f"cgp:gates={gates}", **setting) for name, gates in _XOR.items()]


# ---- table 2

_MOST = 10**6 + 1
_STRICT = {
    "D = n": {3: 19, 4: 206, 5: 2002, 6: 5055, 7: 34_906, 8: 58_849},
    "D = 2n": {3: 8, 4: 174, 5: 102, 6: 146, 7: 4061, 8: 11_533},
    "D = 3n": {3: 3, 4: 24, 5: 48, 6: 124, 7: 93, 8: 1122},
}
_NEUTRAL = {"D = n": {5: 128, 6: 213, 7: 319}, "D = 2n": {6: 66}}
_SOLVED = {6: 20, 7: 15, 8: 17}  # of 30 runs, strict, D = n
_TREES = {"GP*-single": {5: 29, 10: 83, 15: 137}, "GP-single": {5: 28, 10: 86, 15: 135}}
_TRIALS = 30
_OURS = "Ours with 95 % intervals; the printed means are those of 30 runs each, without intervals."
_LEVEL_AXES = {"logy": False, "logx": False}
_DIALECT = "levels-back=n,mutation=sam:stop=active"


def _printed(
    identifier: str,
    name: str,
    rows: dict[str, dict[int, int]],
    statement: str,
    gates: str,
    figure: dict[str, Any],
    trials: Callable[[str, int], int] = lambda *_: _TRIALS,
    slip: str = "",
) -> Claim:
    """What these rows of the table say of CGP or CGP*; the number to remember is that of n = 6 with `gates`."""

    def lines(scale: Scale) -> list[Line]:
        few, many = by_scale(scale, quick=(200, 1000), full=(1000, 10_000), tiny=(40, 100))
        algorithm = name.lower().replace("*", "star")
        return [
            over_n(
                f"{name}, {gates}",
                [n for n in row if scale.name != "tiny" or n <= 6],
                few if name == "CGP*" and gates == "D = n" else many,
                problem="and",
                algorithm=f"{algorithm}:gates={_GATES[gates]}",
            )
            for gates, row in rows.items()
        ]

    check = PrintedMeans(
        name=identifier,
        lines=lines,
        printed={f"{name}, {gates}": {n: mean + 1 for n, mean in row.items()} for gates, row in rows.items()},
        trials=trials,
        line=f"{name}, {gates}",
        quantity=f"mean of {name}, {gates}, n = 6",
        figure={"title": f"AND by {name}: printed and measured", "caption": _OURS, **figure},
    )
    rule = (
        f"For {formatting.listing(list(rows))}: the printed means hold if each is within {MISSES:g} standard errors of "
        f"a mean of that many runs from ours, made by the paper's text. Of these: {SEVERAL_RULE}"
    )
    return Claim(identifier, f"{name} on AND: the printed means", TABLE, "Table 2", statement, rule, check, slip)


def _trees(scale: Scale) -> list[Line]:
    runs = by_scale(scale, quick=2000, full=10_000, tiny=200)
    setting = {"problem": "and", "init": "unity:leaves=1", "substitute": "functions", "budget": 10**7}
    return [over_n(name, means, runs, algorithm=name.lower().replace("*", "star"), **setting)
            for name, means in _TREES.items()]  # fmt: skip


def exact_mean(n: int) -> float:
    """From one leaf: the initial tree, then 3n/(n − i) offspring for each variable that comes i-th.

    Only insertions improve, and a substitution changes nothing; neutral moves repeat variables, and gain none.
    """
    return 1 + 3 * n * sum(1 / i for i in range(1, n))


def _counted(scale: Scale) -> list[Line]:
    few, more = by_scale(scale, quick=(60, 30), full=(400, 200), tiny=(40, 40))
    sizes = [n for n in _SOLVED if scale.name != "tiny" or n < 8]
    return [
        over_n("the text", sizes, few, problem="and", algorithm="cgpstar:gates=n"),
        over_n("the program", sizes[:1], more, problem="and", algorithm=f"cgpstar:gates=n,{_DIALECT}", budget=_MOST),
    ]


_ENDED = Quantity(
    "p_optimum",
    "P(optimum)",
    lambda evidence, spec: proportion(
        int(((evidence.runs[spec].outcome == OPTIMUM) & (evidence.runs[spec].evaluations <= _MOST)).sum()),
        len(evidence.runs[spec]),
    ),
    share_words,
    lambda evidence, spec: {"runs": evidence.cell(spec).runs},
)


def _as_many(evidence: Evidence, lines: Sequence[Line]) -> str:
    """Whether as many are solved as printed: the intervals of both shares overlap at each size."""
    pairs = [(_ENDED.of(evidence, spec), proportion(_SOLVED[spec.n], _TRIALS)) for spec in lines[0].specs]
    apart_at = sum(apart(ours, printed) != OPEN for ours, printed in pairs)
    return decide(apart_at == 0, apart_at == len(pairs))


# ---- the paper

PAPER = Paper(
    name="dang-2026",
    authors="Dang, Kalkreuth, Opris",
    title="Runtime Analysis of Cartesian Genetic Programming in Evolving Boolean Functions",
    venue="PPSN 2026, arXiv 2606.15923",
    year=2026,
    seen="read whole",
    claims=(
        Claim(
            id="dang-3",
            title="AND by circuits: an upper bound with its constant",
            kind=THEOREM,
            place="Theorem 3",
            statement="With D ≥ n − 1 gates the (1+1) CGP and CGP* find AND_n in at most (3D+1)³·4D³·ζ(2)·(n−1)/D = "
            "O(nD⁵) iterations in expectation; for D ≥ 10 and δ ≥ 1, P(T > (1+δ)·20π²·(n−1)·D⁵) ≤ e^(−δ/3).",
            rule="D = n − 1, n and 2n. Supported if at each n the 95 % interval of the mean lies below the bound, "
            "constant and all, and those of the shares of runs beyond the tail's times, δ = 1, 2, 3, below e^(−δ/3); "
            "contradicted if one lies above; open otherwise.",
            check=Levels(
                name="dang-3",
                lines=_on_and,
                of=_RATIO,
                asks=[],
                others={"everywhere": _everywhere, "tail": _tail},
                combine=all_of,
                sentence=lambda facts: (
                    f"E[time] ÷ bound is {facts['CGP, D = 2n']} with CGP and {facts['CGP*, D = 2n']} with CGP* at the "
                    "largest sizes and D = 2n, below 1 "
                    f"{'everywhere' if facts.holds('everywhere') else 'not everywhere'}; the tail "
                    f"{'holds' if facts.holds('tail') else 'fails'}. The bound is very far away."
                ),
                number="CGP*, D = 2n",
                quantity="E[time] ÷ bound, CGP*, D = 2n",
                caption="E[time] ÷ bound",
                figure={
                    "title": "AND by circuits: measured ÷ proved, with its constant",
                    "ylabel": "E[time] ÷ bound",
                    "caption": "With 95 % intervals, from uniform genotypes. Below 1 the bound holds.",
                },
            ),
        ),
        Claim(
            id="dang-4",
            title="AND by circuits, strict: a start that takes long",
            kind=THEOREM,
            place="Theorem 4",
            statement="With D = n − 1 gates the (1+1) CGP* needs Ω(n⁶) iterations for AND_n from a start whose first "
            "n − 2 gates alone are active and use n − 1 inputs, while the last gate is connected neither to them nor "
            "to the free input.",
            rule="From that start: the gates in line, and x₁ twice at the last one. Supported if E[time] ÷ n⁶ is "
            "larger at the largest n than at the smallest (disjoint 95 % intervals); contradicted if it is smaller; "
            "open otherwise.",
            check=Levels(
                name="dang-4",
                lines=_from_late_start,
                of=_OVER_N_6,
                asks=[],
                others={"rises": _rises},
                sentence=lambda facts: (
                    f"E[time] ÷ n⁶ is {facts['D = n − 1']} at n = {facts.n}, and "
                    f"{'less' if facts.holds('rises') else 'not less'} at n = {facts.first}. No simulation can prove "
                    "an Ω(·)."
                ),
                number="D = n − 1",
                quantity=lambda n: f"E[time] ÷ n⁶, n = {n}",
                caption="E[time] ÷ n⁶ from theorem 4's start",
                figure={
                    "title": "AND by CGP*, D = n − 1, from theorem 4's start",
                    "ylabel": "E[time] ÷ n⁶",
                    "caption": "With 95 % intervals. The bound needs a curve that does not fall to 0.",
                },
                more_news=_exact_from_late_start,
            ),
            changes=(
                Change(FOURTH, "rule", "two sizes are compared; a power along a line takes sizes of a factor of two."),
            ),
        ),
        line_claim(
            "dang-6",
            "AND by circuits with neutral moves",
            "The (1+1) CGP with D ≥ n − 1 gates finds AND_n in O(nD⁴) iterations in expectation.",
            lines=_with_neutral_moves,
            bound=lambda n, gates: n * gates**4,
            formula="n·D⁴",
            setting="D = n − 1, n and 2n, from uniform genotypes.",
            wording=READ,
            place="Theorem 6",
            exponents=True,
        ),
        Claim(
            id="dang-chain",
            title="The chain of three states behind the neutral moves",
            kind=LEMMA,
            place="proof of Theorem 6",
            statement="A chain that goes from state 1 to the goal with p and to 2 with q, and from 2 to the goal with "
            "r and back to 1 with s, takes E₁ = (q+r+s)/(rq+rp+sp) steps from 1 in the mean.",
            rule="E₁ is put into the equations of the first step, in fractions, at the 256 points of a grid, as many "
            "as decide on the identity. Contradicted by one point at which they do not hold; supported otherwise.",
            check=_Chain(),
            slip="The names of the transitions are ours: those that make the printed formula right.",
        ),
        Claim(
            id="dang-9",
            title="XOR by circuits is out of reach",
            kind=THEOREM,
            place="Theorem 9",
            statement="With n − 1 ≤ D ≤ (1+d)n gates, d < 10⁻², the (1+1) CGP does not find XOR_n within e^Ω(n) "
            "iterations, with probability 1 − e^(−Ω(n)).",
            rule=f"D = n − 1 and n; the budget is n⁴ evaluations. Supported if both P(optimum) at the largest n have a "
            f"95 % interval below {_LEVEL}; contradicted if one lies above; open otherwise.",
            check=Levels(
                name="dang-9",
                lines=_parity,
                asks=[Ask(below, _LEVEL)],
                combine=all_of,
                sentence=lambda facts: (
                    f"P(XOR found within n⁴ evaluations) is {facts.each('{1} with {0}', ', ')} at n = {facts.n}."
                ),
                number="D = n",
                quantity=lambda n: f"P(optimum), D = n = {n}",
                caption="P(optimum within n⁴ evaluations)",
                figure={
                    "title": "XOR by circuits within n⁴ evaluations",
                    "ylabel": "P(optimum within n⁴ evaluations)",
                    "caption": "With 95 % intervals: fitness has two values, and a run can only walk about.",
                    **SHARE_AXIS,
                },
            ),
        ),
        _printed(
            "dang-table-2-strict",
            "CGP*",
            _STRICT,
            "CGP* finds AND_n in a mean of 19, 206, 2002, 5055, 34906 and 58849 iterations with D = n, of 8, 174, 102, "
            "146, 4061 and 11533 with D = 2n, and of 3, 24, 48, 124, 93 and 1122 with D = 3n, n = 3 … 8; 30 runs each, "
            "or those of them that ended within 10⁶.",
            "D = 2n",
            {},
            lambda line, n: _SOLVED.get(n, _TRIALS) if line == "CGP*, D = n" else _TRIALS,
            "Times vary greatly: a mean of 30 has a standard error of a quarter to nine tenths of it.",
        ),
        _printed(
            "dang-table-2-neutral",
            "CGP",
            _NEUTRAL,
            "CGP finds AND_n in a mean of 128, 213 and 319 iterations with D = n, n = 5, 6, 7, and of 66 with D = 2n, "
            "n = 6; 30 runs each.",
            "D = n",
            _LEVEL_AXES,
        ),
        Claim(
            id="dang-table-2-solved",
            title="CGP* on AND: how many runs end",
            kind=TABLE,
            place="Table 2",
            statement="With D = n, 20, 15 and 17 of 30 runs of CGP* find AND_n within 10⁶ iterations, at n = 6, 7, 8.",
            rule="By the paper's text. Supported if at each n the 95 % intervals of the printed share and of ours "
            "overlap; contradicted if at each n they do not; open otherwise.",
            check=Levels(
                name="dang-table-2-solved",
                lines=_counted,
                asks=[],
                of=_ENDED,
                others={"as many": _as_many},
                sentence=lambda facts: (
                    f"P(optimum within 10⁶ iterations) is {facts['the text']} at n = {facts.n}, where print has "
                    f"{_SOLVED[facts.n]} of {_TRIALS}. In the dialect of the authors' program, where some circuits can "
                    f"no longer reach all inputs, it is {facts['the program']} at n = 6, where print has "
                    f"{_SOLVED[6]}."
                ),
                number="the text",
                quantity=lambda n: f"P(optimum within 10⁶), n = {n}",
                caption="P(optimum within 10⁶ iterations)",
                figure={
                    "title": "AND by CGP*, D = n, within 10⁶ iterations",
                    "ylabel": "P(optimum within 10⁶ iterations)",
                    "caption": "With 95 % intervals, by the paper's text and in the dialect of its program.",
                    **SHARE_AXIS,
                },
            ),
        ),
        Claim(
            id="dang-table-2",
            title="Tree GP beside Cartesian GP on AND",
            kind=TABLE,
            place="Table 2",
            statement="Tree GP with one operation finds AND_n, complete table, in a mean of 29, 83 and 137 evaluations "
            "with strict acceptance and of 28, 86 and 135 with neutral moves, at n = 5, 10 and 15; 30 runs each.",
            rule="For strict and for neutral acceptance: the printed means hold if each is within "
            f"{MISSES:g} standard errors of a mean of {_TRIALS} runs from ours, in which a substitution picks inner "
            f"nodes, as in their program. Of the two: {SEVERAL_RULE} No verdict where ours misses the exact "
            "1 + 3n·H_(n−1).",
            check=PrintedMeans(
                name="dang-table-2",
                lines=_trees,
                printed=_TREES,
                exact=lambda spec: exact_mean(spec.n),
                line="GP-single",
                quantity="mean of GP-single, n = 10",
                figure={
                    "title": "AND from one leaf: printed and measured",
                    "caption": _OURS,
                    **_LEVEL_AXES,
                },
            ),
            slip="The text tells their operator in words only; with HVL-Prime's substitution of leaves neutral moves "
            "save a quarter of the time, with theirs nothing.",
            changes=(
                Change(
                    THIRD, "rule", "strict and neutral acceptance are judged apart; together they were contradicted."
                ),
                Change(
                    FOURTH, "setting", "substitution picks inner nodes, as in the authors' program; it picked leaves."
                ),
            ),
        ),
    ),
    left_out=(
        LeftOut(
            "dang-open",
            "AND on ⌈n^1.3⌉ sampled rows, n to 50.",
            "print gives no numbers for it that could be read, and the paper leaves it open; such runs are possible.",
        ),
    ),
)
