"""How often intervals hold the truth, by kind and number of runs: the table of docs/statistics.md.

Planted laws, and times of ours: a pool of runs is drawn from, with the pool's mean as the truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpruntime import RunSpec, run_many
from gpruntime.analysis.estimates import Estimate, Moments, Sums, mean, mean_of, proportion, ratio_of_sums, share
from gpruntime.analysis.pairs import chance_less, ratio_of_means
from gpruntime.analysis.survival import from_times
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


def main() -> None:
    """Prints it."""
    for line in table():
        print(line, flush=True)


if __name__ == "__main__":
    main()
