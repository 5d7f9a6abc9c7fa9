"""How often intervals hold the truth, what planted laws are called, what rules say of planted times.

The tables of docs/statistics.md: `./run bench coverage`, a few minutes of a processor.

Planted laws, and times of ours: a pool of runs is drawn from, with the pool's mean as the truth.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpruntime import RunSpec, run_many
from gpruntime.analysis.compare import chance_less, ratio_of_means
from gpruntime.analysis.estimates import Estimate, Moments, Sums, mean, mean_of, proportion, ratio_of_sums, share
from gpruntime.analysis.fitting import Points, points_of
from gpruntime.analysis.laws import fit_laws
from gpruntime.analysis.runs import Address, Operations
from gpruntime.analysis.survival import from_times
from gpruntime.model.mutation import KINDS
from gpruntime.paper.evidence import Evidence, SeenRuns
from gpruntime.paper.papers import CLAIMS
from gpruntime.paper.scale import SCALES
from gpruntime.study.cell import Goal, Tally

RUNS = (10, 20, 30, 100)
TRIALS = 2000
POOLS = (("order", "gpstar-single", 40, 20), ("majority", "gp-single", 20, 10))  # ours, and what each holds from
_POOLED = 40_000

Generator: TypeAlias = np.random.Generator
Values: TypeAlias = "NDArray[np.float64]"


class Kind(NamedTuple):
    """An interval, and what it is to hold.

    Attributes:
        name: what is estimated, and the law of the times.
        truth: the number.
        estimate: from this many runs; None where they say nothing, which counts as held.
        holds_from: with this many runs and more it holds the truth in 93 %; infinite where tails are too heavy.
    """

    name: str
    truth: float
    estimate: Callable[[Generator, int], Estimate]
    holds_from: float = 10

    def covered(self, runs: int, trials: int = 0, seed: int = 1) -> float:
        """The share of intervals that hold the truth."""
        trials = trials or TRIALS
        generator = np.random.default_rng([seed, runs])
        return sum(_holds(self.estimate(generator, runs), self.truth) for _ in range(trials)) / trials


def _holds(found: Estimate, truth: float) -> bool:
    return found.low is None or found.high is None or found.low <= truth <= found.high


@cache
def _pool(**spec: Any) -> Values:
    return np.asarray(run_many(RunSpec(**spec), seed=1, runs=_POOLED).evaluations, float)


def _goal(generator: Generator, runs: int) -> Estimate:
    """The mean where runs were made until it was known so well that about this many are needed."""
    goal = Goal(2 / math.sqrt(runs), None, 40 * runs)
    times = 100 + generator.exponential(1e6, 40 * runs)
    wanted = min(goal.first_target(), len(times))
    while (more := goal.next_target(Tally.of(times[:wanted].astype(np.int64), np.ones(wanted, bool)))) > wanted:
        wanted = more
    return mean(times[:wanted])


def _beyond(chance: float) -> Callable[[Generator, int], Estimate]:
    """P(time > t) where it is this chance, from exponential times."""

    def estimate(generator: Generator, runs: int) -> Estimate:
        curve, time = from_times(generator.exponential(size=runs), runs, None), -math.log(chance)
        place = int(np.searchsorted(curve.times, time, side="right")) - 1
        if place < 0:  # before the first time: all runs took longer
            return proportion(runs, runs)
        return Estimate(float(curve.chance[place]), float(curve.low[place]), float(curve.high[place]))

    return estimate


def _spent(generator: Generator, runs: int) -> Estimate:
    """Evaluations ÷ successes where half of the runs are stopped."""
    times = generator.exponential(size=runs)
    return ratio_of_sums(np.minimum(times, math.log(2)), (times < math.log(2)).astype(float))


def _restricted(generator: Generator, runs: int) -> Estimate:
    return mean_of(Moments.of(np.minimum(generator.exponential(size=runs), math.log(2))), most=math.log(2))


def _clustered(generator: Generator, runs: int) -> Estimate:
    """Accepted ÷ proposed, 40 operations a run: one run in fifty accepts half of them, the others none."""
    accepted = np.where(generator.random(runs) < 0.02, 20.0, 0.0)
    return share(Sums.of(accepted, np.full(runs, 40.0)))


def kinds(pools: Iterable[tuple[str, str, int, float]] = POOLS) -> Iterator[Kind]:
    """All of them."""
    laws: list[tuple[str, float, Callable[[Generator, int], Values], float]] = [
        ("exponential", 1.0, lambda g, runs: g.exponential(size=runs), 10),
        ("gamma, shape 4", 4.0, lambda g, runs: g.gamma(4, size=runs), 10),
        ("log-normal, σ = 1", math.exp(0.5), lambda g, runs: g.lognormal(size=runs), 20),
        ("Pareto, α = 2.5", 2.5 / 1.5, lambda g, runs: 1 + g.pareto(2.5, runs), math.inf),
        ("Pareto, α = 1.5", 3.0, lambda g, runs: 1 + g.pareto(1.5, runs), math.inf),
    ]
    for name, truth, draw, start in laws:
        yield Kind(f"mean, {name}", truth, lambda g, runs, draw=draw: mean(draw(g, runs)), start)
    for problem, algorithm, n, start in pools:
        pool = _pool(problem=problem, algorithm=algorithm, n=n)
        name = f"mean, {problem.upper()}, {algorithm}, n = {n}"
        yield Kind(name, float(pool.mean()), lambda g, runs, pool=pool: mean(g.choice(pool, runs)), start)
    yield Kind("mean after a goal, exponential", 1e6 + 100, _goal)
    yield Kind("restricted mean, half stopped", 0.5, _restricted)
    yield Kind("evaluations ÷ successes, half stopped", 1.0, _spent)
    yield Kind("ratio of means, exponential", 1.0, lambda g, runs: ratio_of_means(*g.exponential(size=(2, runs))))
    yield Kind("P(A faster), exponential, 3 : 1", 0.75, lambda g, runs: chance_less(*_three_to_one(g, runs)))
    for chance in (0.5, 0.01):
        yield Kind(f"P(time > t) = {chance}", chance, _beyond(chance))
    yield Kind(
        "share, 0.17 expected",
        0.17,
        lambda g, runs: _scaled(proportion(int(g.binomial(runs, 0.17 / runs)), runs), runs),
    )
    yield Kind("share, 0.3", 0.3, lambda g, runs: proportion(int(g.binomial(runs, 0.3)), runs))
    yield Kind("accepted ÷ proposed, rare and clustered", 0.01, _clustered)


def _three_to_one(generator: Generator, runs: int) -> tuple[Values, Values]:
    times = generator.exponential(size=(2, runs))
    return times[0] / 3, times[1]


def _scaled(found: Estimate, runs: int) -> Estimate:
    return found.transformed(lambda end: end * runs)


def table(pools: Iterable[tuple[str, str, int, float]] = POOLS) -> list[str]:
    """The rows, as docs/statistics.md has them."""
    lines = ["| interval | " + " | ".join(f"{runs} runs" for runs in RUNS) + " |", "|---" * (len(RUNS) + 1) + "|"]
    for kind in kinds(pools):
        shares = (f"{100 * kind.covered(runs):.1f}" for runs in RUNS)
        lines.append(f"| {kind.name} | {' | '.join(shares)} |")
    return lines


# ---- laws

SIZES = [int(n) for n in np.geomspace(20, 20_000, 11)]
TRUTHS: dict[str, tuple[str, float, Callable[[Values], Values]]] = {
    "3·n·ln n": ("n log n", 3, lambda n: 3 * n * np.log(n)),
    "3·n·ln n + 3·n": ("n log n", 3, lambda n: 3 * n * np.log(n) + 3 * n),
    "3·n·ln n + 10·√n": ("n log n", 3, lambda n: 3 * n * np.log(n) + 10 * np.sqrt(n)),
    "3·n·ln n + 3·n·ln ln n": ("n log n", 3, lambda n: 3 * n * np.log(n) + 3 * n * np.log(np.log(n))),
    "5·n·(1 − n^−¼)": ("n", 5, lambda n: 5 * n * (1 - n**-0.25)),
    "n²·(1 + 2·n^−¼)": ("n^2", 1, lambda n: n**2 * (1 + 2 * n**-0.25)),
    "n²": ("n^2", 1, lambda n: n**2),
    "n^1.1": ("", 1, lambda n: n**1.1),
    "n²/ln n": ("", 1, lambda n: n**2 / np.log(n)),
    "n·ln n·(3.8 + 0.085·ln n)": ("n log^2 n", 0.085, lambda n: n * np.log(n) * (3.8 + 0.085 * np.log(n))),
}


def planted(
    generator: Generator,
    law: Callable[[Values], Values],
    sizes: Sequence[int] = SIZES,
    runs: int = 100,
    shape: float = 10,
) -> Points:
    """Means of gamma-distributed times, of which one deviates by mean/√shape, around a law."""
    means = law(np.asarray(sizes, float))
    times = generator.gamma(shape, means[:, None] / shape, (len(sizes), runs))
    measured = times.mean(1)
    return points_of(sizes, measured, times.var(1, ddof=1) / measured**2, [runs] * len(sizes))


def laws(trials: int = 100, runs: int = 100) -> list[str]:
    """For each planted truth: how often it is the best, is excluded, has its constant in the interval, and how wide."""
    lines = ["| truth | preferred | excluded | another excluded | constant held | width |", "|---" * 6 + "|"]
    for name, (truth, constant, law) in TRUTHS.items():
        generator = np.random.default_rng(2)
        fits = [fit_laws(planted(generator, law, runs=runs)) for _ in range(trials)]
        found = [(fit, fit.of(truth)) for fit in fits if fit is not None]
        shares = [
            sum(fit.best is own for fit, own in found),
            sum(own is not None and own.excluded for _, own in found),
            sum(any(one.excluded for one in fit.ranking) for fit, _ in found),
            sum(own is not None and _holds(own.constant, constant) for _, own in found),
        ]
        widths = [(own.constant.high - own.constant.low) / own.constant.value for _, own in found if own is not None]
        width = f"{100 * float(np.median(widths)):.0f} %" if widths else "–"
        lines.append(f"| {name} | " + " | ".join(f"{100 * share / trials:.0f}" for share in shares) + f" | {width} |")
    return lines


# ---- verdicts

_NONE = {kind: Operations(0.0, 0.0, 0.0, 0.0, 0.0) for kind in KINDS}
_FACTORS: dict[str, Callable[[float], float]] = {
    "exact": lambda _: 1.0,
    "× ln n": math.log,
    "÷ ln n": lambda n: 1 / math.log(n),
    "× √n": math.sqrt,
}
_LAWS: dict[str, Callable[[float], float]] = {
    "7·n·ln n": lambda n: 7 * n * math.log(n),
    "3·n^1.1": lambda n: 3 * n**1.1,
    "n·ln n·(3.8 + 0.085·ln n)": lambda n: n * math.log(n) * (3.8 + 0.085 * math.log(n)),
    "n·ln² n": lambda n: n * math.log(n) ** 2,
}


def found(identifier: str, time: Callable[[RunSpec], float], trials: int = 20) -> str:
    """What the rule of a claim says of planted times, and how often; gamma-distributed, of deviation 0.32·mean."""
    claim, scale = CLAIMS[identifier], SCALES["quick"]
    requests = dict(claim.cells(scale))
    said: Counter[str] = Counter()
    for trial in range(trials):
        generator = np.random.default_rng([3, trial])
        runs = {}
        for spec, count in requests.items():
            times = np.ceil(generator.gamma(10, 100 * time(spec) / 10, count)).astype(np.int64)
            leaves, ended = np.full(count, spec.n + 1), np.zeros(count, np.int8)
            address = (Address(1, "planted", 0, count - 1, count),)
            runs[spec] = SeenRuns(spec, ended, times, leaves, _NONE, address, leaves)
        said[claim.check(Evidence(scale, 1, runs)).status] += 1
    return ", ".join(f"{status} {100 * count / trials:.0f} %" for status, count in said.most_common())


def verdicts(trials: int = 20) -> list[str]:
    """For some rules on a bound, and one on laws: what they say of planted times."""
    lines = ["| claim | planted | said |", "|---|---|---|"]
    for identifier in ("B1", "N2", "S2", "M1", "D1"):
        bound = CLAIMS[identifier].check.bound
        for name, factor in _FACTORS.items():

            def time(spec: RunSpec, factor: Callable[[float], float] = factor, bound: Any = bound) -> float:
                return float(bound(float(spec.n), float(spec.init.leaves)) * factor(spec.n))

            lines.append(f"| `{identifier}` | its bound, {name} | {found(identifier, time, trials)} |")
    for name, law in _LAWS.items():
        lines.append(f"| `Q1` | {name} | {found('Q1', lambda spec, law=law: law(spec.n), trials)} |")
    return lines


def main() -> None:
    """Prints it."""
    for part in (table, laws, verdicts):
        print(*part(), "", sep="\n", flush=True)


if __name__ == "__main__":
    main()
