"""`gpruntime limit`: the mean field of a problem that counts leaves, n → ∞."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import numpy as np

from gpruntime.cli.answers import answer_options, give, tell
from gpruntime.cli.options import integer, law_options, setting_line, spec_from, whole_number
from gpruntime.cli.output import Command, echo, examples
from gpruntime.model.errors import BadInput
from gpruntime.model.spec import MAX_BUDGET, RunSpec
from gpruntime.model.stream import MAX_SEED
from gpruntime.progress import simple_bar

_AT = (10**3, 10**6, 10**9, 10**12, 10**15)
_SIZES = 5  # with runs: n, 2n, 4n, …
_MAX_RUNS = 10**6


@examples(
    "limit --problem majority --algorithm gp-single -n 100",
    "limit --problem majority --algorithm gp-single -n 40 --runs 400 -o here",
    "limit --problem and --algorithm gpstar-single -n 20 --init unity:leaves=1 --at 20,1e6",
)
@click.command(cls=Command)
@law_options
@click.option("--budget", metavar="B", help="Stop a run after B evaluations: for runs that may never end.")
@click.option("--at", metavar="N,…", help="The n to show, up to 1e15; from 1e3 to 1e15 by default.")
@integer("--runs", least=20, most=_MAX_RUNS, metavar="R", help="Make R runs at n, 2n, 4n, 8n and 16n, and compare.")
@integer("--seed", most=MAX_SEED, default=1, metavar="S", help="Root seed of the runs.")
@click.option(
    "--best-insertion",
    "best",
    is_flag=True,
    help="Which share of insertions has the least mean, deletions being the rest.",
)
@answer_options
def limit(
    at: str | None, runs: int | None, seed: int, best: bool, latex: bool, as_json: bool, output: str | None,
    budget: str | None, **options: Any,
) -> None:  # fmt: skip
    """The mean field of a problem that counts leaves: expected times and their law for n up to 10^15.

    One operation an offspring, any acceptance rule, weights and random initial leaves. It says what the time divided by
    n ln n tends to, and how large trees become.
    """
    spec = spec_from({**options, "budget": budget or str(MAX_BUDGET)})
    from gpruntime.theory import limits

    sizes = _AT if at is None else [whole_number("at", word, 1, limits.MAX_N) or 0 for word in at.split(",")]
    with simple_bar("steps") as progress:
        found = limits.limit(spec, sizes, progress=progress)
        if runs is not None and budget is None and not found.course.falls:
            raise BadInput("budget", None, "the mean time is infinite: give a budget, by which runs have mostly ended")
        found.prepare([] if runs is None else _doubled(spec), progress)
    if runs is not None:
        found = found.against({n: _runs(limits.at_size(spec, n), runs, seed) for n in _doubled(spec)})
    with simple_bar("shares of insertions") as progress:
        odds = {n: limits.best_insertion(spec, n, progress) for n in sizes} if best else {}
    insertion = [{"n": n, "odds": found_odds, "mean": mean} for n, (found_odds, mean) in odds.items()]
    rows = found.rows()  # may be refused: before anything is printed

    def words() -> None:
        echo(setting_line(spec).replace(f"n = {spec.n}", "n → ∞"))
        tell(found.sentences())
        _table(rows)
        for n, (chance, mean) in odds.items():
            echo(f"  best share of insertions at n = {n:,}: {chance:.3f}, E[T] = {mean:,.1f}")
        if found.compared:
            echo(f"  {found.compared[0].what}, by runs of seed {seed} and by the limit:")
            _table(found.compared_rows())

    has_laws = any(one.law for one in found.compared)
    drawings = (found.plot, found.gumbel_plot)[: 1 + has_laws]
    more = {"best_insertion": insertion} if best else {}
    give(found, words, latex, as_json, output, more, lambda: (draw() for draw in drawings))


def _doubled(spec: RunSpec) -> list[int]:
    """The n with runs."""
    return [spec.n] if spec.init.tree is not None else [spec.n << power for power in range(_SIZES)]


def _runs(spec: RunSpec, runs: int, seed: int) -> tuple[Sequence[float], int]:
    """The evaluations of runs that found the optimum, and how many did not."""
    from gpruntime.engine.execute import run_many
    from gpruntime.model.run import Outcome

    with simple_bar("runs") as progress:
        some = run_many(
            spec, seed=seed, runs=runs, progress=None if progress is None else lambda done, _: progress(done, runs)
        )
    solved = np.array([outcome is Outcome.OPTIMUM for outcome in some.outcome])
    return some.evaluations[solved].tolist(), int((~solved).sum())


def _table(rows: list[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        echo("  " + "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)))
