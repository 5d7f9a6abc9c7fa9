"""Questions that the papers leave open, and how far measurements reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpruntime.analysis.estimates import Estimate, proportion
from gpruntime.analysis.growth import MORE_LAWS
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import OURS, QUESTION, Claim, Paper
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.kinds import Ask, Levels, law_question
from gpruntime.paper.kinds.levels import SHARE_AXIS, Quantity
from gpruntime.paper.lines import Line, majority, order, over_n
from gpruntime.paper.papers.neumann_2012 import POWERS, smo_lines
from gpruntime.paper.phrases import share_words, stated
from gpruntime.paper.rules import SEVERAL_RULE, above, all_of, below
from gpruntime.paper.scale import Scale, by_scale
from gpruntime.paper.verdict import Layout

# ---- Q4: how many trees SMO-GP keeps when weights allow many more than n + 1 levels of fitness

_MORE_TREES = 0.05


def _weighted(scale: Scale) -> list[Line]:
    starts = {"one leaf": "unity:leaves=1", "2n leaves": "unity"}
    return [
        Line(f"{line.name} from {start}", line.factor, line.specs, line.runs)
        for start, init in starts.items()
        for line in smo_lines(scale, POWERS, init=init)
    ]


def _beyond(evidence: Evidence, spec: RunSpec) -> Estimate:
    """P(P_max > n + 1), with its exact interval."""
    kept = evidence.runs[spec].max_population
    if kept is None:
        return Estimate(None, remark="not known")
    return proportion(int(np.count_nonzero(kept > spec.n + 1)), len(kept))


def _largest_populations(evidence: Evidence, lines: Sequence[Line]) -> Sequence[str]:
    kept = {line.name: evidence.cell(line.specs[-1]).max_population for line in lines}
    known = [f"{name} {stated(estimate)}" for name, estimate in kept.items() if estimate.value is not None]
    n = lines[0].x[-1]
    return [f"SMO-GP with weights 2^(i−1): E[P_max] at n = {n} is {'; '.join(known)}."] if known else []


_POPULATION = Claim(
    id="Q4",
    title="The population of SMO-GP with weights",
    kind=QUESTION,
    place="open in the papers",
    statement="With weights there are up to 2^n levels of fitness, and bounds on SMO-GP depend on its largest "
    "population P_max. In practice P_max is at most n + 1, as with equal weights: less than one run in twenty keeps "
    "more.",
    rule="At the largest n, for each of four curves: supported if P(P_max > n + 1) has a 95 % interval below "
    f"{_MORE_TREES}. Contradicted if one lies above; open otherwise.",
    check=Levels(
        name="q4",
        lines=_weighted,
        of=Quantity(
            "p_beyond", "P(P_max > n + 1)", _beyond, share_words, layout=Layout("n", ("curve",), ("p_beyond",))
        ),
        asks=[Ask(below, _MORE_TREES)],
        combine=all_of,
        unknown="How many trees were kept is not known.",
        sentence=lambda facts: f"P(more than n + 1 trees at once) at n = {facts.n}, weights 2^(i−1): {facts.each()}.",
        number="",
        quantity="largest P(P_max > n + 1)",
        caption="P(more than n + 1 trees kept at once)",
        figure={
            "title": "SMO-GP with weights 2^i: more than n + 1 trees",
            "ylabel": "P(P_max > n + 1)",
            "caption": "With 95 % intervals. With equal weights there are n + 1 levels of fitness, so it cannot "
            "happen.",
            **SHARE_AXIS,
        },
        more_news=_largest_populations,
    ),
    wording=OURS,
)


# ---- Q7: heavy-tailed numbers of operations as a cure for parsimony's traps

_ONE, _HEAVY = "one", "power law, β = 1.5"
_OPERATIONS = {_ONE: "one", "1 + Poisson(1)": "poisson:mean=1", _HEAVY: "power:beta=1.5"}
_REACHED = 0.9


def _sorting(scale: Scale) -> list[Line]:
    sizes = by_scale(scale, quick=(3, 4, 5, 6, 8), full=(3, 4, 5, 6, 8, 10, 12), tiny=(3, 4, 5))
    runs = by_scale(scale, quick=200, full=1000, tiny=60)
    setting = {
        "problem": "sorting:measure=run",
        "algorithm": "gp-single",
        "accept": "parsimony",
        "init": "unity:leaves=n",
        "budget": lambda n: 100 * n**3,
    }
    return [over_n(name, sizes, runs, operations=law, **setting) for name, law in _OPERATIONS.items()]


_HEAVY_TAIL = Claim(
    id="Q7",
    title="Heavy tails against parsimony's traps",
    kind=QUESTION,
    place="open in the papers",
    statement="On SORTING by RUN with parsimony, where one operation is trapped, a heavy-tailed number of operations "
    "(power law, β = 1.5) reaches the optimum.",
    rule=f"At the largest n two things are asked: P(optimum within 100·n³ evaluations) below {_REACHED} with one "
    f"operation, above {_REACHED} with the power law (95 % intervals). {SEVERAL_RULE}",
    check=Levels(
        name="q7",
        lines=_sorting,
        asks=[Ask(below, _REACHED, _ONE), Ask(above, _REACHED, _HEAVY)],
        sentence=lambda facts: (
            f"P(SORTING by RUN solved within 100·n³ evaluations) at n = {facts.n}, by the number of operations: "
            f"{facts.each()}."
        ),
        number=_HEAVY,
        quantity="P(optimum), heavy tail",
        caption="P(optimum within 100·n³ evaluations)",
        figure={
            "title": "SORTING by RUN with parsimony, by operations an offspring",
            "ylabel": "P(optimum within 100·n³ evaluations)",
            "caption": "With 95 % intervals. One operation is trapped; many operations at once can leave a trap.",
            **SHARE_AXIS,
        },
    ),
    wording=OURS,
)


# ---- Q1, Q2, Q9: which law a time follows

PAPER = Paper(
    name="questions",
    authors="Questions left open",
    title="What the papers above do not answer, each with what the measurements say",
    venue="asked here",
    year=9999,
    seen="claimed by nobody",
    claims=(
        law_question(
            "Q1",
            "ORDER without bloat control",
            "ORDER without bloat control takes a time of the order n log n (no bound without T_max is proved).",
            ("n log n",),
            lambda scale: order(scale, "gp-single"),
        ),
        law_question(
            "Q2",
            "MAJORITY: is log³ n real?",
            "MAJORITY without bloat control takes a time of the order n log n, so that the log³ n of B3 is an artefact "
            "of its proof.",
            ("n log n", "n loglog n", "n"),
            majority,
        ),
        _POPULATION,
        _HEAVY_TAIL,
        law_question(
            "Q9",
            "ORDER with strict acceptance: n² or n²/log n?",
            "ORDER with strict acceptance and one operation takes a time of the order n², and not n²/log n.",
            ("n^2", "n^2 log n"),
            lambda scale: order(scale, "gpstar-single"),
            MORE_LAWS,
        ),
    ),
)
