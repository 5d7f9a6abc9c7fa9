"""`gpruntime study`: plan, run, look at, and hand on grids of runs."""

from __future__ import annotations

import json
import re
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpruntime.cli.options import whole_number
from gpruntime.model.errors import BadInput

if TYPE_CHECKING:
    from gpruntime.study import Study

_FORMATS = ("csv", "parquet", "ioh")
_MOST_WORKERS = 1024


@click.group()
def study() -> None:
    """Grids of runs that lose nothing: plan, run, resume, look, export."""


@study.command()
@click.argument("file", metavar="SPEC.toml")
def new(file: str) -> None:
    """Write a commented example of a plan to SPEC.toml."""
    from gpruntime.study.plan_text import EXAMPLE

    try:
        with Path(file).open("x", encoding="utf-8") as target:
            target.write(EXAMPLE)
    except FileExistsError:
        raise BadInput("SPEC.toml", file, "exists already; give another name") from None
    click.echo(f"wrote {file}; next: gpruntime study run {file} -o FOLDER")


@study.command()
@click.argument("spec", metavar="SPEC.toml|DIR")
@click.option("-o", "output", metavar="DIR", help="The study's folder; an existing one is gone on with.")
@click.option("--workers", metavar="W", help="Processes (default: all cores); 0 computes in this one.")
@click.option(
    "--cluster", metavar="local|ADDRESS", help="Compute on a Dask cluster: one of this machine, or tcp://HOST:PORT."
)
@click.option("--part", metavar="I/K", help="Only the I-th of K shares of every cell's runs, to be merged later.")
@click.option("-q", "--quiet", is_flag=True, help="No progress, only what needs attention.")
def run(spec: str, output: str | None, workers: str | None, cluster: str | None, part: str | None, quiet: bool) -> int:
    """Run a study, or go on with one: SPEC.toml -o DIR, or just DIR."""
    from gpruntime.cli.study_progress import StudyProgress
    from gpruntime.study.execute import run_study
    from gpruntime.study.plan import Plan

    number = whole_number("workers", workers, 0, _MOST_WORKERS)
    share = _part(part)
    plan, folder = None, spec
    if not Path(spec).is_dir():
        plan = Plan.from_file(spec)
        if output is None:
            raise BadInput("output", "missing", "give the folder for the study's results: -o DIR")
        folder = output
    elif output is not None and Path(output).resolve() != Path(spec).resolve():
        raise BadInput("output", output, f"{spec} is a study's folder already; leave -o out")
    with StudyProgress(quiet) as progress:
        sitting = run_study(plan, folder, workers=number, cluster=cluster, part=share, listener=progress.listener)
    for failure in sitting.failures:
        click.echo(f"gpruntime: failed: {failure}", err=True)
    if sitting.interrupted:
        click.echo(
            f"gpruntime: interrupted; {sitting.stored:,} runs are stored; to go on: gpruntime study run {folder}",
            err=True,
        )
        return 130
    click.echo(
        f"{sitting.computed:,} runs computed, {sitting.stored:,} in {folder}; next: gpruntime study show {folder}"
    )
    return 1 if sitting.failures else 0


@study.command()
@click.argument("folder", metavar="DIR")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per cell and line.")
def status(folder: str, as_json: bool) -> None:
    """How far a study has come, cell by cell, also while it runs."""
    from gpruntime.study.lock import holder_of

    loaded = load(folder)
    cells = loaded.progress()
    if as_json:
        for cell in cells:
            counts = {"runs": cell.tally.runs, "target": cell.target, "optima": cell.tally.optima}
            click.echo(json.dumps({"cell": cell.cell.id, **cell.cell.spec.law(), **counts}))
        return
    done, wanted = sum(cell.tally.runs for cell in cells), sum(cell.target for cell in cells)
    holder = holder_of(loaded.folder)
    state = f"running ({holder})" if holder else "complete" if done == wanted else "not running"
    complete = sum(cell.complete for cell in cells)
    click.echo(f"{folder}: {state}; {done:,} of {wanted:,} runs, {complete:,} of {len(cells):,} cells complete")
    width = max(len(cell.cell.words()) for cell in cells)
    click.echo(f"  {'cell':<8}  {'':<{width}} {'runs':>12} {'of':>12} {'optima':>12}")
    for cell in cells:
        runs, target, optima = f"{cell.tally.runs:,}", f"{cell.target:,}", f"{cell.tally.optima:,}"
        click.echo(f"  {cell.cell.id[:8]}  {cell.cell.words():<{width}} {runs:>12} {target:>12} {optima:>12}")
    for failure in loaded.failures():
        click.echo(f"failed: {failure}")
    if done < wanted and holder is None:
        click.echo(f"to go on: gpruntime study run {folder}")


@study.command()
@click.argument("folder", metavar="DIR")
@click.argument("query")
@click.option("--csv", "as_csv", is_flag=True, help="The answer as CSV.")
@click.option("--json", "as_json", is_flag=True, help="The answer as one JSON object per row and line.")
def sql(folder: str, query: str, as_csv: bool, as_json: bool) -> None:
    """Ask in SQL (duckdb) over the table `runs`; read-only."""
    if as_csv and as_json:
        raise BadInput("json", "with --csv", "give one of the two")
    answer = load(folder).sql(query)
    if as_json:
        for row in answer.to_pylist():
            click.echo(json.dumps(row, default=str))
    elif as_csv:
        import csv

        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(answer.column_names)
        writer.writerows(row.values() for row in answer.to_pylist())
    else:
        from rich.console import Console
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        for name in answer.column_names:
            table.add_column(
                name, justify="right" if answer.num_rows and _is_number(answer[name][0].as_py()) else "left"
            )
        for row in answer.slice(0, _MOST_ROWS).to_pylist():
            table.add_row(*(_shown(value) for value in row.values()))
        Console(width=None if sys.stdout.isatty() else 200).print(table)
        if answer.num_rows > _MOST_ROWS:
            click.echo(f"… and {answer.num_rows - _MOST_ROWS:,} more rows (--csv prints them all)")


_MOST_ROWS = 100


@study.command()
@click.argument("folder", metavar="DIR")
@click.option("--format", "form", required=True, metavar="|".join(_FORMATS))
@click.option("-o", "output", required=True, metavar="OUT", help="The file, or for ioh the folder, to write.")
def export(folder: str, form: str, output: str) -> None:
    """Write the table of runs as CSV, as one Parquet file, or as an IOHprofiler folder."""
    from gpruntime.model.errors import known

    known("format", form, _FORMATS)
    loaded = load(folder)
    if form == "ioh":
        from gpruntime.study.ioh import export_ioh

        export_ioh(loaded, Path(output))
    else:
        from gpruntime.study.export import export_csv, export_parquet

        (export_csv if form == "csv" else export_parquet)(loaded, Path(output))
    click.echo(f"{len(loaded):,} runs written to {output}")


@study.command()
@click.argument("folders", nargs=-1, required=True, metavar="A B …")
@click.option("-o", "output", required=True, metavar="C", help="The new folder.")
def merge(folders: tuple[str, ...], output: str) -> None:
    """Join studies of the same plan, run on different machines, into a new folder."""
    from gpruntime.study.merge import merge as join

    with telling():
        join([Path(folder) for folder in folders], Path(output), click.echo)


@study.command()
@click.argument("folder", metavar="DIR")
@click.option("--run", "id_", required=True, metavar="CELL:RUN", help="The run: of CELL the first digits are enough.")
def replay(folder: str, id_: str) -> int:
    """Repeat one run of a study from its record and compare."""
    from gpruntime.study.replay import replay as repeat

    found = repeat(load(folder), id_)
    if found.equal:
        row = found.row
        told = f"{row['outcome']} after {row['evaluations']:,} evaluations, {row['leaves']:,} leaves"
        click.echo(f"equal: run {found.id}, {told}")
        return 0
    for name, (stored, repeated) in found.differences.items():
        click.echo(f"different: run {found.id}: {name} is {stored} in the study and {repeated} repeated")
    return 1


def load(folder: str) -> Study:
    """The study in a folder; what is damaged in it is told, one line each."""
    from gpruntime.study import Study

    with telling():
        return Study.load(folder)


class telling(warnings.catch_warnings):  # noqa: N801  # used like a function
    """Warnings about studies become lines on the error stream."""

    def __enter__(self) -> Any:
        entered = super().__enter__()
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_, **__: click.echo(f"gpruntime: {message}", err=True)
        return entered


def _part(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    if not re.fullmatch(r"[0-9]{1,6}/[0-9]{1,6}", text):
        raise BadInput("part", text, "must be I/K, as in 1/4")
    number, of = text.split("/")
    return int(number), int(of)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.1f}"
    return "" if value is None else f"{value:,}" if _is_number(value) else str(value)
