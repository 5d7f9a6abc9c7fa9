"""Small sizes whose mean time is also known exactly, and whether the simulated runs meet it.

**Strict acceptance** is solved as it is. **Neutral acceptance** lets trees grow without end; only a limit L on the
leaves makes the states finitely many, and that is another law. On MAJORITY the limit soon does not matter: the size of
the tree is about a fair walk, √t leaves after t steps, and a tree of T leaves loses its last deficit at a rate of about
1/T, so times beyond t become as rare as exp(−c·√t). There L grows by a third at a time until the mean has settled; each
enlargement changes it far less than the one before, so the last change bounds what is left, as far as can be seen. On
ORDER the states are too many for that: there the limited law itself is simulated as well, and held to its exact value.

**With many operations** some runs are lost (`gpruntime.exact`), and the mean of all is not known. What is known, and
what simulated runs are held to, is the mean of those that are not lost: R simulated runs are all of that kind but with
a probability of R times `lost`, at most.

**Meeting it.** A simulated mean of R runs has the standard error σ/√R, with σ exact. It misses if it is more than
`ERRORS` of them off, plus what the limit L may still hide. By the exact law of that mean, a convolution of the exact
distribution of the time, sound runs miss with probability at most 3·10⁻⁶ for 2,000 runs and 7·10⁻⁵ for 40 to 200.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from gpruntime.analysis import formatting
from gpruntime.exact import solve
from gpruntime.exact.sizes import states_by_leaves
from gpruntime.model.spec import RunSpec
from gpruntime.paper.claim import Asked
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.scale import Scale
from gpruntime.paper.settings import asked, specs
from gpruntime.paper.verdict import OPEN, Numbers, Verdict

ERRORS = 5.0
_SETTLED = 1e-6
_NEUTRAL_MULTI_LIMIT = 3  # leaves: the largest for GP-multi on ORDER, n = 1, of which next to no run is lost


@dataclass(frozen=True)
class Known:
    """An exact mean time.

    Attributes:
        spec: the runs that are held to it.
        mean, deviation: of their evaluations; with many operations, of the runs that are not lost.
        limit: the most leaves in the chain that was solved, where there is a limit at all.
        change: by what share the last enlargement of the limit changed the mean; 0 where none was enlarged.
        lost: for many operations, the probability that a run leaves the states that were solved.
    """

    spec: RunSpec
    mean: float
    deviation: float
    limit: int | None
    change: float
    lost: float

    def tolerance(self, runs: int) -> float:
        """How far off a mean of this number of runs may be."""
        return ERRORS * self.deviation / math.sqrt(runs) + self.change * self.mean


# ---- which


def small_order(scale: Scale, algorithm: str, init: str = "unity") -> list[RunSpec]:
    """The small sizes that are drawn on ORDER."""
    return specs(
        "order", algorithm, range(1, (scale.exact_order_bad if init == "bad" else scale.exact_order) + 1), init
    )


def solvable_order(scale: Scale, algorithm: str, init: str = "unity") -> list[RunSpec]:
    """What is solved on ORDER: with neutral acceptance under a limit on the leaves; many operations at n = 1 only."""
    if algorithm == "gpstar-single":
        return small_order(scale, algorithm, init)
    if algorithm == "gpstar-multi":
        return specs("order", algorithm, [1], init)
    limits = scale.exact_order_limits if algorithm == "gp-single" else (_NEUTRAL_MULTI_LIMIT,)
    return [
        RunSpec(problem="order", algorithm=algorithm, n=n, init=init, max_leaves_allowed=limit)
        for n, limit in enumerate(limits, 1)
    ]


def small_order_asked(scale: Scale, algorithm: str, init: str = "unity") -> list[Asked]:
    """The runs of both."""
    wanted = dict.fromkeys([*small_order(scale, algorithm, init), *solvable_order(scale, algorithm, init)])
    return asked(wanted, scale.exact_runs)


def small_bad(scale: Scale) -> list[RunSpec]:
    """MAJORITY, GP-single from 2n leaves x̄₁."""
    return specs("majority", "gp-single", range(1, scale.exact_bad + 1), "bad")


# ---- how large


def known_order(scale: Scale, algorithm: str, init: str = "unity") -> list[Known]:
    """ORDER, solved."""
    return [solved(spec, scale.exact_states) for spec in solvable_order(scale, algorithm, init)]


def known_bad(scale: Scale) -> list[Known]:
    """MAJORITY, GP-single from 2n leaves x̄₁, solved."""
    return [solved(spec, scale.exact_states) for spec in small_bad(scale)]


@cache
def solved(spec: RunSpec, most_states: int) -> Known:
    """The exact mean; where neutral moves need a limit on the leaves and none is set, of the last in a growing row.

    The row ends when the mean has settled, or before the limit that has more states than these.
    """
    if spec.algorithm_.strict or spec.max_leaves_allowed is not None:
        return _solved_as_it_is(spec)
    limit = 2 * spec.initial.leaves
    found, change = _limited(spec, limit), math.inf
    while change > _SETTLED:
        limit += math.ceil(limit / 3)
        if sum(states_by_leaves(spec.problem, spec.n, limit)) > most_states:
            break
        before, found = found, _limited(spec, limit)
        change = abs(found.mean - before.mean) / found.mean
    return Known(spec, found.mean, found.deviation, found.limit, change, found.lost)


def _limited(spec: RunSpec, limit: int) -> Known:
    return _solved_as_it_is(dataclasses.replace(spec, max_leaves_allowed=limit))


def _solved_as_it_is(spec: RunSpec) -> Known:
    result = solve(spec)
    mean, deviation = result.mean_not_lost, result.deviation_not_lost
    assert mean is not None
    assert deviation is not None
    return Known(spec, float(mean), deviation, spec.max_leaves_allowed, 0.0, result.lost)


# ---- whether it is met


def simulated(evidence: Evidence, known: Known) -> float:
    """The mean of the runs that are held to it; infinite where some never ended, which none of them may."""
    value = evidence.cell(known.spec).mean.value
    return math.inf if value is None else value


def unmet(evidence: Evidence, known: Iterable[Known], tables: Sequence[Numbers] = ()) -> Verdict | None:
    """No verdict, if a simulated mean misses its exact value; None if all meet theirs."""
    for one in known:
        cell, value = evidence.cell(one.spec), simulated(evidence, one)
        if not abs(value - one.mean) <= one.tolerance(cell.runs):
            sentence = (
                f"{setting_of(one.spec)}, n = {one.spec.n}: the simulated mean {formatting.number(value)} is not the "
                f"exact {formatting.number(one.mean, digits=5)}: no verdict."
            )
            return Verdict(OPEN, sentence, f"mean, n = {one.spec.n}", cell.mean, tables=tuple(tables))
    return None


def known_table(name: str, evidence: Evidence, known: Iterable[Known]) -> Numbers:
    """Simulated and exact means side by side."""
    rows: list[dict[str, Any]] = []
    for one in known:
        cell = evidence.cell(one.spec)
        rows.append(
            {
                "setting": setting_of(one.spec),
                "n": one.spec.n,
                "runs": cell.runs,
                "mean": cell.mean.value,
                "low": cell.mean.low,
                "high": cell.mean.high,
                "exact": one.mean,
                "standard_errors_off": (simulated(evidence, one) - one.mean) * math.sqrt(cell.runs) / one.deviation,
                "solved_up_to_leaves": one.limit,
                "changed_at_last_by": one.change,
                "lost_runs": one.lost,
            }
        )
    return Numbers(name, "mean evaluations at small sizes: simulated, and exact", rows)


RULE = f"No verdict where a simulated mean at a small n is more than {ERRORS:g} standard errors off the exact one."


def caption_words(known: Iterable[Known]) -> str:
    """What the exact values in a figure are."""
    all_ = list(known)
    limited = [one for one in all_ if one.spec.max_leaves_allowed is not None]
    grown = [one for one in all_ if one.spec.max_leaves_allowed is None and one.limit is not None]
    text = "Rings are exact values from the Markov chain"
    if lost := max((one.lost for one in all_ if one not in limited), default=0.0):
        text += f", with many operations of all runs but a share of {formatting.number(lost, digits=2)}"
    if grown:
        each = formatting.listing(
            [
                f"{one.limit} leaves at n = {one.spec.n} (a change of {formatting.number(one.change, digits=2)})"
                for one in grown
            ]
        )
        text += (
            ". It has no end with neutral moves: a limit on the leaves was raised by a third at a time until the mean "
            f"had settled, up to {each}"
        )
    if limited:
        each = formatting.listing([f"{one.limit} ({setting_short(one.spec)}, n = {one.spec.n})" for one in limited])
        text += (
            f"; diamonds are exact as well, but of runs with at most {each} leaves, another law: with neutral moves "
            "and without a limit the chain has no end"
        )
    return f"{text}."


def setting_short(spec: RunSpec) -> str:
    """The algorithm alone."""
    return spec.algorithm_.name.removeprefix("(1+1) ")


def setting_of(spec: RunSpec) -> str:
    """What is simulated, in words, but for n."""
    text = f"{spec.problem.upper()}, {setting_short(spec)}, initial tree {spec.init}"
    limit = spec.max_leaves_allowed
    return text if limit is None else f"{text}, at most {limit} leaves"
