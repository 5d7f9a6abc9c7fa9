"""(1+1) GP with HVL-Prime against DEAP's population GP on problems of practice, at equal evaluations.

    ./run bench practice          measures, into docs/data/practice.json; also practice=ROUNDS
    ./run bench practice=kept     shows what is kept there

Both print the tables, and put them and the figure into docs/practice.md.

A run ends with its first optimal tree, or after `BUDGET` evaluations: as many as 50 generations of DEAP's 500 programs
have, if all are new. Times are those of the processor, so that what else runs on the machine does not count. Results
are written after each round, so that a measurement can be stopped there.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.deap_population import population_run
from benchmarks.practice_results import BUDGET, KEPT, THEIRS, Arm, Ended, Results, keep, kept
from benchmarks.practice_tables import draw, sheets, with_tables
from gpruntime import RunSpec, run_many
from gpruntime.files import write_whole

DOCS = Path(__file__).parents[1] / "docs"
PAGE, FIGURE = DOCS / "practice.md", DOCS / "images" / "practice.svg"
PROBLEMS = [
    ("multiplexer", 6),
    ("multiplexer", 11),
    ("parity", 4),
    ("parity", 5),
    ("parity", 6),
    ("regression:function=quartic", 20),
    ("regression:function=sextic", 20),
    ("regression:function=nguyen-7", 20),
]
INITIAL = "unity:leaves=8"
# Settings of ours, fixed before the measurement.
ARMS: dict[str, dict[str, Any]] = {
    "GP-single": {"algorithm": "gp-single"},
    "GP-multi": {"algorithm": "gp-multi"},
    "GP-multi, parsimony": {"algorithm": "gp-multi", "accept": "parsimony"},
}
RESTARTED, STARTS = "GP-multi, 5 starts", 5  # with a fifth of the evaluations each
ROUNDS, DEAP_RUNS, RUNS = 3, 5, 25  # runs of a round
SEED = 1


def main(told: str = "") -> None:
    """Shows what is kept, or measures."""
    if told == "kept":
        results = kept()
    elif not told or (told.isdecimal() and int(told)):
        results = measured(int(told or ROUNDS))
    else:
        print(f"gpruntime: bench practice={told}: must be a number of rounds from 1, or kept", file=sys.stderr)
        sys.exit(2)
    tables = sheets(results)
    for table in tables:
        table.show()
    write_whole(PAGE, with_tables(PAGE.read_text("utf-8"), tables).encode("utf-8"))
    write_whole(FIGURE, draw(results).encode("utf-8"))


def title(problem: str, n: int) -> str:
    """A problem's name in tables."""
    name, _, function = problem.partition(":function=")
    return function or f"{name}-{n}"


def measured(rounds: int, path: Path = KEPT, problems: Sequence[tuple[str, int]] = PROBLEMS) -> Results:
    """Both sides, round by round."""
    names = [THEIRS, *ARMS, RESTARTED]
    results: Results = {title(*problem): {name: Arm() for name in names} for problem in problems}
    for problem, n in problems:
        for fields in ARMS.values():
            run_many(spec_of(problem, n, fields, 100), seed=SEED)  # compiled before the clock runs
    for number in range(rounds):
        for problem, n in problems:
            one_round(results[title(problem, n)], problem, n, number)
        keep(results, path)
        print(f"round {number + 1} of {rounds}", flush=True)
    return results


def one_round(arms: dict[str, Arm], problem: str, n: int, number: int) -> None:
    """The runs of a round on one problem."""
    theirs, ours = (range(number * count, (number + 1) * count) for count in (DEAP_RUNS, RUNS))
    part = spec_of(problem, n, ARMS["GP-multi"], BUDGET // STARTS)
    sides: dict[str, Callable[[], list[Ended]]] = {
        THEIRS: lambda: [population_run(problem, n, seed, BUDGET) for seed in theirs],
        **{name: partial(runs_of, spec_of(problem, n, fields, BUDGET), SEED, ours) for name, fields in ARMS.items()},
        RESTARTED: lambda: restarted(part, ours),
    }
    for name, make in sides.items():
        begun = time.process_time()
        ended = make()
        arms[name].add(ended, time.process_time() - begun)


def spec_of(problem: str, n: int, fields: dict[str, Any], budget: int) -> RunSpec:
    """Of one of our sides."""
    return RunSpec(problem=problem, n=n, init=INITIAL, budget=budget, **fields)


def runs_of(spec: RunSpec, seed: int, runs: Iterable[int]) -> list[Ended]:
    """Runs of ours."""
    done = run_many(spec, seed=seed, runs=runs)
    return [
        Ended(*run) for run in zip(*(c.tolist() for c in (done.evaluations, done.fitness, done.leaves)), strict=True)
    ]


def restarted(part: RunSpec, runs: Iterable[int]) -> list[Ended]:
    """Runs that begin anew, up to `STARTS` times: evaluations are of all starts, the tree is the best of theirs."""
    found: dict[int, Ended] = {}
    for start in range(STARTS):
        left = [run for run in runs if run not in found or found[run].fitness]
        for run, new in zip(left, runs_of(part, SEED + 1, [run * STARTS + start for run in left]), strict=True):
            old = found.get(run, Ended(0, new.fitness, new.leaves))
            better = new if new.fitness < old.fitness else old
            found[run] = Ended(old.evaluations + new.evaluations, better.fitness, better.leaves)
    return list(found.values())
