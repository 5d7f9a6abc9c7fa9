"""`gpruntime run`: runs of one setting, with the results in words, as JSON, as a drawing, as a trace."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import click

from gpruntime.cli.options import integer, run_options, setting_line, spec_from
from gpruntime.cli.output import Command, echo, echo_wrapped, examples, terminal_width, wrote
from gpruntime.files import check_target, whole_file, write_whole
from gpruntime.model.drawing import MAX_ASCII_LEAVES, ascii_drawing
from gpruntime.model.errors import BadInput
from gpruntime.model.mutation import KINDS
from gpruntime.model.run import Outcome, Run, RunResult, simulate
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import MAX_RUN, MAX_SEED
from gpruntime.model.trace import trace_lines
from gpruntime.model.tree import Tree
from gpruntime.processes import MAX_WORKERS, number_of_workers
from gpruntime.progress import RunProgress

if TYPE_CHECKING:
    from gpruntime.engine import Columns, WatchedRun

_MAX_ROWS = 20
_CHUNK_SECONDS = 2.0  # about as long until there are new results, once there are many
_MAX_CHUNK = 1_000_000


@examples(
    "run --problem order --algorithm gp-single -n 20",
    "run --problem majority --algorithm gpstar-single -n 10 --runs 100 --seed 1",
    "run --problem order --algorithm gp-single -n 6 --draw",
    "run --problem order --algorithm gp-single -n 6 --draw -o tree.svg",
    "run --problem mine.py:two_thirds --algorithm gp-single -n 20 --budget 1e6",
)
@click.command(cls=Command)
@run_options
@integer("--seed", most=MAX_SEED, default=0, metavar="S", help="Root seed: the same seed, the same runs.")
@integer("--runs", least=1, most=MAX_RUN, default=1, metavar="R", help="How many runs.")
@click.option(
    "--method",
    metavar="stepping|skipping",
    help="Make every proposal, or only those that may improve: the same law, faster, and the default for GP*.",
)
@click.option(
    "--device",
    default="cpu",
    show_default=True,
    metavar="cpu|gpu|auto",
    help="Where the runs are made; a GPU makes the same ones, many at a time (stepping).",
)
@integer(
    "--workers",
    least=-1,
    most=MAX_WORKERS,
    metavar="W",
    help="How many cores make the runs, -1 for all (default: all, where that is worth it); the same runs.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per run and line.")
@click.option("--trace", metavar="FILE", help="Write every offspring to FILE as JSON lines.")
@click.option("--draw", is_flag=True, help="Draw the last tree of each run.")
@click.option("-o", "--output", metavar="FILE.svg|.tex", help="Draw it into FILE, as SVG or as TikZ for LaTeX.")
def run(
    seed: int,
    runs: int,
    method: str | None,
    device: str,
    workers: int | None,
    as_json: bool,
    trace: str | None,
    draw: bool,
    output: str | None,
    **options: Any,
) -> None:
    """Run an algorithm on a problem until the optimum, and say how long it took."""
    spec = spec_from(options)
    if workers is not None:
        number_of_workers(workers)
    if trace is not None:
        spec.require_trees("a trace")
    if trace is not None and spec.has_population:
        raise BadInput("trace", trace, f"{spec.algorithm.name} has no steps of one tree to write down")
    if as_json and draw:
        raise BadInput("draw", "with --json", "a drawing is not JSON; leave one of the two out")
    if output is not None:
        _check_picture(spec, runs, draw, output)
    least = spec.problem.least_optimal_leaves(spec.n)
    if draw and output is None and least > MAX_ASCII_LEAVES and spec.representation.is_tree:
        allowed = f"a drawing has at most {MAX_ASCII_LEAVES} leaves, and an optimal tree at least {least:,}"
        raise BadInput("draw", f"at n = {spec.n}", allowed)
    from gpruntime.engine import method_for  # takes as long to import as all the rest together

    device = _device(spec, runs, device, method, trace is not None or draw)
    chosen = "stepping" if device == "gpu" else method_for(spec, method)
    with _trace_file(trace) as trace_file:
        if trace_file is not None or draw:
            results: Iterator[Any] = _watched(spec, seed, runs, chosen, trace_file)
        else:
            chunks = _in_bulk(spec, seed, runs, chosen, device, workers)
            results = (row for columns in chunks for row in columns.results()) if as_json else _rows(chunks)
        if as_json:
            for result in results:
                click.echo(json.dumps(result.record()))
        else:
            _print(spec, seed, runs, results, draw, output)
    if trace is not None:
        wrote(trace, err=as_json)


def _check_picture(spec: RunSpec, runs: int, draw: bool, output: str) -> None:
    if not draw:
        raise BadInput("output", output, "is where --draw draws; give --draw too")
    if not output.endswith((".svg", ".tex")):
        raise BadInput("output", output, "must end with .svg, or with .tex for TikZ")
    if runs > 1:
        raise BadInput("output", output, "holds the picture of one run; leave --runs out")
    spec.require_trees("a picture")
    check_target(output)


def _device(spec: RunSpec, runs: int, device: str, method: str | None, watched: bool) -> str:
    """Where the runs are made, "cpu" or "gpu"."""
    if device == "cpu":
        return device
    from gpruntime.gpu import device_for

    if watched and device == "gpu":
        raise BadInput("device", device, "traces and drawings are made by this processor; leave it out")
    return "cpu" if watched else device_for(spec, runs, device, method, improvements=False)


@contextlib.contextmanager
def _one_line(device: str) -> Iterator[None]:
    """A GPU that fails is reported in one line."""
    if device == "cpu":
        yield
        return
    from gpruntime.gpu import DeviceFailed

    try:
        yield
    except DeviceFailed as error:
        raise click.ClickException(f"{error}; the same runs on this processor: --device cpu") from error


def _in_bulk(spec: RunSpec, seed: int, runs: int, method: str, device: str, workers: int | None) -> Iterator[Columns]:
    """The runs in chunks, small ones first so that the first result comes soon; on a GPU large ones."""
    from gpruntime.engine import run_many

    done, chunk = 0, 1 if device == "cpu" else _MAX_CHUNK
    with RunProgress(runs, spec.budget) as progress, _one_line(device):
        while done < runs:
            numbers, begun = range(done, min(done + chunk, runs)), time.monotonic()
            columns = run_many(
                spec, seed=seed, runs=numbers, method=method, progress=progress, device=device, workers=workers
            )
            done, seconds = numbers.stop, time.monotonic() - begun
            chunk = min(2 * chunk, _MAX_CHUNK) if seconds < _CHUNK_SECONDS else chunk
            progress.hide()
            yield columns


class _End(NamedTuple):
    """What is said of a run that has no line of its own."""

    outcome: Outcome
    evaluations: int


def _rows(chunks: Iterator[Columns]) -> Iterator[RunResult | _End]:
    """The first runs, and how the others ended."""
    told = 0
    for columns in chunks:
        yield from itertools.islice(columns.results(), max(_MAX_ROWS - told, 0))
        ends = zip(columns.outcome, columns.evaluations.tolist(), strict=True)
        yield from itertools.starmap(_End, itertools.islice(ends, max(_MAX_ROWS - told, 0), None))
        told += len(columns)


def _watched(spec: RunSpec, seed: int, runs: int, method: str, trace_file: IO[str] | None) -> Iterator[RunResult]:
    """The runs one by one with their trees, by the model where the engine cannot make them."""
    from gpruntime.engine import WatchedRun, unsupported

    by_model = unsupported(spec) is not None
    for number in range(runs):
        if spec.has_population:
            yield simulate(spec, seed, number)
            continue
        run: Run | WatchedRun = Run(spec, seed, number) if by_model else WatchedRun(spec, seed, number, method)
        if trace_file is not None:
            for line in trace_lines(run):
                trace_file.write(line + "\n")
        yield run.result()


@contextlib.contextmanager
def _trace_file(name: str | None) -> Iterator[IO[str] | None]:
    """Where the trace goes, line by line."""
    if name is None:
        yield None
        return
    with whole_file(name, "trace") as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
        try:
            yield text
            text.flush()
        finally:
            text.detach()


def _print(spec: RunSpec, seed: int, runs: int, results: Iterator[Any], draw: bool, output: str | None) -> None:
    echo(f"{setting_line(spec)}, seed {seed}")
    if runs == 1:
        result = next(results)
        _details(result)
        if output is not None:
            _write_picture(result, output)
        elif draw:
            _draw(result)
        return
    size = spec.representation.size.split()[-1]
    click.echo(f"  {'run':>6}  {'outcome':<8} {'evaluations':>14} {'fitness':>9} {size:>9} {'max_' + size:>11}")
    ends = []
    for result in results:
        ends.append((result.outcome, result.evaluations))
        if len(ends) <= _MAX_ROWS or draw:
            click.echo(
                f"  {result.run:>6}  {result.outcome:<8} {result.evaluations:>14,} {result.fitness:>9,} "
                f"{result.leaves:>9,} {result.max_leaves:>11,}"
            )
        if draw:
            _draw(result)
    if len(ends) > _MAX_ROWS and not draw:
        click.echo(f"  … and {len(ends) - _MAX_ROWS} more (--json prints them all)")
    _summary(spec, ends)


def _details(result: RunResult) -> None:
    ended = "optimum (the whole front)" if result.spec.goal == "front" else _OUTCOME_WORDS[Outcome.OPTIMUM]
    words = ended if result.outcome is Outcome.OPTIMUM else _OUTCOME_WORDS[result.outcome]
    click.echo(f"  outcome      {words}")
    click.echo(f"  evaluations  {result.evaluations:,}")
    best = result.spec.best
    goal = f" of {best:,}" if result.spec.problem.better == "larger" else f" (best {best:,}, smaller is better)"
    click.echo(f"  fitness      {result.fitness:,}{goal}")
    representation = result.spec.representation
    click.echo(f"  {representation.size:<12} {result.leaves:,} (at most {result.max_leaves:,} on the way)")
    if result.wrong_on_all_rows is not None:
        rows = 2**result.spec.primitives.variables
        click.echo(f"  all rows     {result.wrong_on_all_rows:,} of {rows:,} wrong")
    if result.max_population is not None and representation.is_tree:
        trees = "tree" if result.max_population == 1 else "trees"
        click.echo(f"  population   at most {result.max_population:,} {trees}")
    click.echo("  operations         proposed       accepted")
    for kind, word in zip(KINDS, representation.operations, strict=True):
        if not word:
            continue
        click.echo(f"    {word:<10} {result.proposed[kind]:>14,} {result.accepted[kind]:>14,}")


def _summary(spec: RunSpec, ends: list[tuple[Outcome, int]]) -> None:
    """Outcomes and the mean time. Runs that did not reach the optimum are named, never left out in silence."""
    import numpy as np

    from gpruntime.analysis.runs import RowTimes
    from gpruntime.analysis.times import mean_time
    from gpruntime.engine.columns import OUTCOMES

    times = np.array([evaluations for outcome, evaluations in ends if outcome is Outcome.OPTIMUM])
    counts = Counter(outcome for outcome, _ in ends)
    click.echo("outcomes: " + ", ".join(f"{counts[outcome]} {outcome}" for outcome in Outcome if counts[outcome]))
    if len(times):
        which = "all runs" if len(times) == len(ends) else f"the {len(times)} of {len(ends)} runs that reached it"
        spread = f", standard deviation {times.std(ddof=1):,.1f}" if len(times) > 1 else ""
        middle = f", median {np.median(times):,.1f}"
        mean = f"mean {times.mean():,.1f}"
        echo_wrapped(f"evaluations to the optimum, over {which}: {mean}{spread}{middle}", terminal_width())
    codes = np.array([OUTCOMES.index(outcome) for outcome, _ in ends])
    echo(f"mean time: {mean_time(RowTimes(spec, codes, np.array([evaluations for _, evaluations in ends])))}")


def _draw(result: RunResult) -> None:
    assert result.tree is not None
    if not result.spec.representation.is_tree:
        click.echo(f"the last {result.spec.representation.id} of run {result.run}, {_drawn(result)}")
        return
    tree = Tree.parse(result.tree, result.spec.primitives)
    if len(tree.leaves) > MAX_ASCII_LEAVES:
        click.echo(f"gpruntime: not drawn: {len(tree.leaves):,} leaves, at most {MAX_ASCII_LEAVES} fit", err=True)
        return
    click.echo(f"the last tree of run {result.run}, expressed leaves marked *:")
    click.echo(ascii_drawing(tree, result.spec.problem, result.spec.n))


def _write_picture(result: RunResult, output: str) -> None:
    """The last tree; a large one is folded."""
    tree = Tree.parse(str(result.tree), result.spec.primitives)
    draw = tree.to_tikz if output.endswith(".tex") else tree.to_svg
    write_whole(Path(output), draw(result.spec.problem, result.spec.n).encode("utf-8"))
    wrote(output)


def _drawn(result: RunResult) -> str:
    return result.spec.representation.drawing(str(result.tree), result.spec)


_OUTCOME_WORDS = {
    Outcome.OPTIMUM: "optimum",
    Outcome.STUCK: "stuck (no proposal can ever be accepted again: the time is infinite)",
    Outcome.BUDGET: "budget (stopped by the limit on evaluations)",
}
