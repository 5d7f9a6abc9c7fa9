"""`gpruntime study`: plan, run, look at, and hand on grids of runs."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import shlex
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpruntime.cli.options import whole_number
from gpruntime.cli.output import complain, echo
from gpruntime.files import LEDGER, check_target, whole_file
from gpruntime.model.errors import BadInput
from gpruntime.model.printable import printable

if TYPE_CHECKING:
    from gpruntime.analysis import Summary
    from gpruntime.study import Study

_FORMATS = ("csv", "parquet", "ioh")
_MOST_WORKERS = 1024


@click.group()
def study() -> None:
    """Grids of runs that lose nothing: plan, run, resume, look, export."""


@study.command()
@click.argument("file", metavar="PLAN.toml")
def new(file: str) -> None:
    """Write a commented example of a plan to PLAN.toml."""
    from gpruntime.study.plan_text import EXAMPLE

    with whole_file(file, "PLAN.toml", new=True) as target:
        target.write(EXAMPLE.encode("utf-8"))
    echo(f"wrote {file}; next: gpruntime study run {file} -o FOLDER")


@study.command()
@click.argument("plan_or_folder", metavar="PLAN.toml|DIR")
@click.option("-o", "output", metavar="DIR", help="The study's folder; an existing one is gone on with.")
@click.option("--workers", metavar="W", help="Processes (default: all cores); 0 computes in this one.")
@click.option(
    "--cluster", metavar="local|ADDRESS", help="Compute on a Dask cluster: one of this machine, or tcp://HOST:PORT."
)
@click.option("--part", metavar="I/K", help="Only the I-th of K shares of every cell's runs, to be merged later.")
@click.option("-q", "--quiet", is_flag=True, help="No progress, only what needs attention.")
def run(
    plan_or_folder: str, output: str | None, workers: str | None, cluster: str | None, part: str | None, quiet: bool
) -> int:
    """Run a study, or go on with one: PLAN.toml -o DIR, or just DIR."""
    from gpruntime.cli.study_progress import StudyProgress
    from gpruntime.study.execute import run_study
    from gpruntime.study.plan import Plan

    number = whole_number("workers", workers, 0, _MOST_WORKERS)
    share = _part(part)
    plan, folder = None, plan_or_folder
    if not Path(folder).is_dir():
        if not Path(folder).exists():
            raise BadInput("PLAN.toml", folder, "there is no such file or folder")
        plan = Plan.from_file(folder)
        if output is None:
            raise BadInput("output", "missing", "give the folder for the study's results: -o DIR")
        folder = output
    elif output is not None and Path(output).resolve() != Path(folder).resolve():
        raise BadInput("output", output, f"{folder} is a study's folder already; leave -o out")
    try:
        with StudyProgress(quiet) as progress:
            sitting = run_study(plan, folder, workers=number, cluster=cluster, part=share, listener=progress.listener)
    except (KeyboardInterrupt, OSError) as error:
        if not (Path(folder) / LEDGER).is_file():
            raise
        why = f"{error.filename or folder}: {error.strerror or error}" if isinstance(error, OSError) else "interrupted"
        complain(f"{why}; what was finished is stored; {_to_go_on(folder)}")
        return 1 if isinstance(error, OSError) else 130
    for failure in sitting.failures:
        complain(f"failed: {failure}")
    if sitting.interrupted or sitting.failures:
        state = "interrupted" if sitting.interrupted else "not complete"
        complain(f"{state}; {sitting.stored:,} runs are stored; {_to_go_on(folder)}")
        return 130 if sitting.interrupted else 1
    if not quiet:
        then = f"next: gpruntime study show {shlex.quote(folder)}"
        echo(f"{sitting.computed:,} runs computed, {sitting.stored:,} in {folder}; {then}")
    return 0


def _to_go_on(folder: str) -> str:
    """The command that goes on with a study as it was last run."""
    from gpruntime.study import provenance

    begins = [record for record in provenance.read(Path(folder)) if record.get("event") == "begin"]
    last = begins[-1] if begins else {}
    words = ["gpruntime", "study", "run", folder]
    if last.get("part", [1, 1]) != [1, 1]:
        words += ["--part", "/".join(map(str, last["part"]))]
    if last.get("cluster"):
        words += ["--cluster", last["cluster"]]
    return "to go on: " + shlex.join(words)


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
            spec = {field.name: getattr(cell.cell.spec, field.name) for field in dataclasses.fields(cell.cell.spec)}
            click.echo(json.dumps({"cell": cell.cell.id, **spec, **counts}))
        return
    done, wanted = sum(cell.tally.runs for cell in cells), sum(cell.target for cell in cells)
    holder = holder_of(loaded.folder)
    state = f"running ({holder})" if holder else "complete" if done == wanted else "not running"
    complete = sum(cell.complete for cell in cells)
    echo(f"{folder}: {state}; {done:,} of {wanted:,} runs, {complete:,} of {len(cells):,} cells complete")
    width = max(len(printable(cell.cell.words())) for cell in cells)
    click.echo(f"  {'cell':<8}  {'':<{width}} {'runs':>12} {'of':>12} {'optima':>12}")
    for cell in cells:
        runs, target, optima = f"{cell.tally.runs:,}", f"{cell.target:,}", f"{cell.tally.optima:,}"
        echo(f"  {cell.cell.id[:8]}  {printable(cell.cell.words()):<{width}} {runs:>12} {target:>12} {optima:>12}")
    for failure in loaded.failures():
        echo(f"failed: {failure}")
    if done < wanted and holder is None:
        echo(_to_go_on(folder))


@study.command()
@click.argument("folder", metavar="DIR")
@click.option("--json", "as_json", is_flag=True, help="The estimates as one JSON object per cell and line.")
def show(folder: str, as_json: bool) -> None:
    """What came out: estimates, growth laws, comparisons and bounds, also while it runs."""
    loaded = load(folder)
    summary = _summary(loaded)
    if as_json:
        for record in summary.to_records()["cells"]:
            click.echo(json.dumps({name: _told(value) for name, value in record.items()}))
        return
    from gpruntime.show.terminal import summary_text

    click.echo(summary_text(summary))
    _tell_incomplete(loaded)


def _told(value: Any) -> Any:
    """Infinite and beyond the budget are not unknown, and JSON has no numbers for them."""
    from gpruntime.analysis.words import Above

    if isinstance(value, Above):
        return f"> {float(value):.0f}"
    return "infinite" if value == math.inf else None if value != value else value


@study.command()
@click.argument("folder", metavar="DIR")
@click.option("-o", "output", required=True, metavar="FILE.html", help="The page to write.")
@click.option("--figures", metavar="FOLDER", help="All figures too, as SVG, PDF and PNG, each with its numbers as CSV.")
def report(folder: str, output: str, figures: str | None) -> None:
    """Write one self-contained page: summary, figures, tables, provenance, how to repeat each number."""
    from gpruntime.show.report import write_report

    check_target(output)
    loaded = load(folder)
    write_report(_summary(loaded), loaded.connect(), loaded.account(), output, figures)
    echo(f"wrote {output}")
    _tell_incomplete(loaded)


def _summary(loaded: Study) -> Summary:
    from gpruntime.analysis import summarise
    from gpruntime.cli.progress import simple_bar

    with simple_bar("runs") as progress:
        return summarise(loaded.connect(), progress=progress)


def _tell_incomplete(loaded: Study) -> None:
    cells = loaded.progress()
    missing = sum(not cell.complete for cell in cells)
    if missing:
        complain(f"not complete: {missing:,} of {len(cells):,} cells have runs to come (gpruntime study status)")


@study.command()
@click.argument("folder", metavar="DIR")
@click.argument("query")
@click.option("--csv", "as_csv", is_flag=True, help="The answer as CSV.")
@click.option("--json", "as_json", is_flag=True, help="The answer as one JSON object per row and line.")
def sql(folder: str, query: str, as_csv: bool, as_json: bool) -> None:
    """Ask in SQL (duckdb) over the table `runs`; read-only."""
    if as_csv and as_json:
        raise BadInput("json", "with --csv", "give one of the two")
    from gpruntime.cli.rows import print_csv, print_json, print_table, rows_of

    with load(folder).sql_reader(query) as answer:
        tell = print_json if as_json else print_csv if as_csv else print_table
        tell(answer.schema.names, rows_of(answer))


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
    echo(f"{len(loaded):,} runs written to {output}")


@study.command()
@click.argument("folders", nargs=-1, required=True, metavar="A B …")
@click.option("-o", "output", required=True, metavar="C", help="The new folder.")
def merge(folders: tuple[str, ...], output: str) -> None:
    """Join studies of the same plan, run on different machines, into a new folder."""
    from gpruntime.study.merge import merge as join

    with telling():
        join([Path(folder) for folder in folders], Path(output), echo)


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
        echo(f"equal: run {found.id}, {told}")
        return 0
    for name, (stored, repeated) in found.differences.items():
        echo(f"different: run {found.id}: {name} is {stored} in the study and {repeated} repeated")
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
        warnings.showwarning = lambda message, *_, **__: complain(str(message))
        return entered


def _part(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    if not re.fullmatch(r"[0-9]{1,6}/[0-9]{1,6}", text):
        raise BadInput("part", text, "must be I/K, as in 1/4")
    number, of = text.split("/")
    return int(number), int(of)
