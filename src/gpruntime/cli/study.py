"""`gpruntime study`: plan, run, look at, and hand on grids of runs."""

from __future__ import annotations

import contextlib
import json
import math
import re
import shlex
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpruntime.cli.output import Group, command, complain, echo, examples, fitting, terminal_width, wrote
from gpruntime.cli.pages import QUIET, WORKERS
from gpruntime.files import LEDGER, check_target, whole_file
from gpruntime.model.errors import BadInput
from gpruntime.model.printable import printable
from gpruntime.progress import StudyProgress, simple_bar

if TYPE_CHECKING:
    from gpruntime.analysis import Summary
    from gpruntime.analysis.table import RunsLike
    from gpruntime.study import Study

_FORMATS = ("csv", "parquet", "ioh")
_trust_option = click.option(
    "--trust", is_flag=True, help="Run code that the folder or the plan brings: read it first."
)


def _part(_: click.Context, __: click.Parameter, text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    if not re.fullmatch(r"[0-9]{1,6}/[0-9]{1,6}", text):
        raise BadInput("part", text, "must be I/K, as in 1/4")
    number, of = text.split("/")
    return int(number), int(of)


def _share(_: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise BadInput(str(parameter.name), text, "must be a share, as 5% or 0.05") from None


@examples(
    "study new plan.toml",
    "study run plan.toml -o results",
    "study show results",
    "study report results -o report.html",
)
@click.group(cls=Group)
def study() -> None:
    """Run a grid of settings: plan, run, resume, look, export; a kill loses nothing finished."""


@examples("study new plan.toml")
@study.command()
@click.argument("file", metavar="PLAN.toml")
def new(file: str) -> None:
    """Write a commented example of a plan to PLAN.toml."""
    from gpruntime.study.plan_text import EXAMPLE

    with whole_file(file, "PLAN.toml", new=True) as target:
        target.write(EXAMPLE.encode("utf-8"))
    wrote(file, f"next: {command()} study run {shlex.quote(file)} -o FOLDER")


@examples(
    "study run plan.toml -o results",
    "study run results",
    "study run plan.toml -o part1 --part 1/4",
    "study run plan.toml -o results --cluster tcp://HOST:8786",
)
@study.command()
@click.argument("plan_or_folder", metavar="PLAN.toml|DIR")
@click.option("-o", "--output", metavar="DIR", help="The study's folder; one that exists is continued.")
@WORKERS
@click.option(
    "--cluster", metavar="local|ADDRESS", help="Compute on a Dask cluster: one of this machine, or tcp://HOST:PORT."
)
@click.option(
    "--part", callback=_part, metavar="I/K", help="Only share I of K of every cell's runs, to be merged later."
)
@_trust_option
@QUIET
def run(
    plan_or_folder: str,
    output: str | None,
    workers: int | None,
    cluster: str | None,
    part: tuple[int, int],
    trust: bool,
    quiet: bool,
) -> int:
    """Run a study, or go on with one: PLAN.toml -o DIR, or just DIR."""
    from gpruntime.study.execute import Interrupted, run_study
    from gpruntime.study.plan import Plan

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
    plan_file = plan_or_folder if plan is not None and plan.parts else None  # it names the files of the parts
    how_to_go_on = partial(_to_go_on, folder, plan_file, trust)
    try:
        with StudyProgress(quiet) as progress:
            how = partial(run_study, workers=workers, cluster=cluster, part=part, trust=trust)
            try:
                report = how(plan, folder, listener=progress.listener)
            except Interrupted as interrupted:
                report = interrupted.report
    except (KeyboardInterrupt, OSError) as error:
        if not (Path(folder) / LEDGER).is_file():
            raise
        why = f"{error.filename or folder}: {error.strerror or error}" if isinstance(error, OSError) else "interrupted"
        complain(f"{why}; what was finished is stored; {how_to_go_on()}")
        return 1 if isinstance(error, OSError) else 130
    for failure in report.failures:
        complain(f"failed: {failure}")
    if report.interrupted or report.failures:
        state, status = ("interrupted", 130) if report.interrupted else ("not complete", 1)
        complain(f"{state}; {report.stored:,} runs are stored; {how_to_go_on()}")
        return status
    if not quiet:
        following = f"next: {command()} study show {shlex.quote(folder)}"
        echo(f"{report.computed:,} runs computed, {report.stored:,} in {folder}; {following}")
    return 0


def _to_go_on(folder: str, plan_file: str | None = None, trust: bool = False) -> str:
    """The command that goes on with a study as it was last run: by its folder, or by this file, with --trust or not."""
    from gpruntime.study import provenance

    begins = [record for record in provenance.read(Path(folder)) if record.get("event") == "begin"]
    last = begins[-1] if begins else {}
    words = ["study", "run", *([folder] if plan_file is None else [plan_file, "-o", folder])]
    words += ["--trust"] if trust else []
    if last.get("part", [1, 1]) != [1, 1]:
        words += ["--part", "/".join(map(str, last["part"]))]
    if last.get("cluster"):
        words += ["--cluster", last["cluster"]]
    return f"to go on: {command()} {shlex.join(words)}"


@examples("study status results", "study status results --json")
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
            click.echo(json.dumps({"cell": cell.cell.id, **cell.cell.spec.settings, **counts}))
        return
    done, wanted = sum(cell.tally.runs for cell in cells), sum(cell.target for cell in cells)
    holder = holder_of(loaded.folder)
    state = f"running ({holder})" if holder else "complete" if done == wanted else "not running"
    complete = sum(cell.complete for cell in cells)
    echo(f"{folder}: {state}; {done:,} of {wanted:,} runs, {complete:,} of {len(cells):,} cells complete")
    rows = [("cell", "runs", "of", "optima", "setting")]
    for cell in cells:
        runs, target, optima = f"{cell.tally.runs:,}", f"{cell.target:,}", f"{cell.tally.optima:,}"
        rows.append((cell.cell.id[:8], runs, target, optima, printable(cell.cell.words())))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for id_, *numbers, words in rows:
        columns = "  ".join(number.rjust(wide) for number, wide in zip(numbers, widths[1:], strict=True))
        echo(fitting(f"  {id_.ljust(widths[0])}  {columns}  {words}"))
    for failure in loaded.failures():
        echo(f"failed: {failure}")
    if done < wanted and holder is None:
        echo(_to_go_on(folder))


@examples("study show results", "study show results --verbose", "study show results --json")
@study.command()
@click.argument("folder", metavar="DIR")
@click.option("-v", "--verbose", is_flag=True, help="All that speaks for and against each law, and size by size.")
@click.option("--json", "as_json", is_flag=True, help="The estimates as one JSON object per cell and line.")
def show(folder: str, verbose: bool, as_json: bool) -> None:
    """What came out: estimates, growth laws, comparisons and bounds, also while it runs.

    DIR may also be an IOHprofiler folder, or Parquet files with runs.
    """
    from gpruntime.analysis import RunTable, profiles

    loaded = load(folder) if _is_study(folder) else None
    summary = _summary(folder if loaded is None else loaded)
    from gpruntime.show.profiles import profiles_text
    from gpruntime.show.terminal import brief_text, extremes_record, extremes_text, replay_words, summary_text

    summaries = loaded.summaries if loaded is not None and loaded.plan.summarised else {}
    if as_json:
        for record in summary.to_records()["cells"]:
            extremes = extremes_record(summaries[record["cell"]]) if summaries else {}
            click.echo(json.dumps({name: _in_json(value) for name, value in record.items()} | extremes))
        return

    text_of = summary_text if verbose else brief_text
    click.echo(text_of(summary, terminal_width()))
    if loaded is None:
        inside = profiles(RunTable(folder), summary.level)
    else:  # sums say nothing of what is inside a run
        inside = () if loaded.plan.summarised else profiles(RunTable(loaded.connect()), summary.level)
    if inside:
        click.echo("\n" + profiles_text(inside, verbose, terminal_width()))
    if summary.curves and not verbose:
        echo(f"What speaks for and against each law: {command()} study show {shlex.quote(folder)} --verbose")
    if summaries:
        click.echo("\n" + extremes_text(summary, summaries, terminal_width()))
        first = next(iter(summaries.values()))
        run, own = replay_words(first), any(part.is_own for part in first.spec.parts)
        if run is not None:
            what = "To repeat one (CELL:RUN" + (", by code that the folder brings):" if own else "):")
            words = f"study replay {shlex.quote(folder)} --run {run}" + (" --trust" if own else "")
            echo(f"{what} {command()} {words}")
    if loaded is not None:
        _complain_if_incomplete(loaded)


def _in_json(value: Any) -> Any:
    """Infinite and beyond the budget are not unknown, and JSON has no numbers for them."""
    from gpruntime.analysis.formatting import Above

    if isinstance(value, Above):
        return f"> {float(value):.0f}"
    return "infinite" if value == math.inf else None if value != value else value


@examples(
    "study report results -o report.html",
    "study report results -o report.html --figures figures",
    "study report results --latex paper",
)
@study.command()
@click.argument("folder", metavar="DIR")
@click.option("-o", "--output", metavar="FILE.html", help="The page to write.")
@click.option("--figures", metavar="FOLDER", help="All figures too, as SVG, PDF and PNG, each with its numbers as CSV.")
@click.option(
    "--for", "medium", metavar="acm|lncs|ieee", help="Those figures as wide as a column there, without titles."
)
@click.option("--latex", metavar="FOLDER", help="For a paper: tables, pgfplots, methods, .bib, and samples to compile.")
def report(folder: str, output: str | None, figures: str | None, medium: str | None, latex: str | None) -> None:
    """Write one self-contained page: summary, figures, tables, provenance, how to repeat each number.

    DIR may also be an IOHprofiler folder, or Parquet files with runs.
    """
    from gpruntime.analysis import RunTable
    from gpruntime.model.errors import known
    from gpruntime.show.drawing import MEDIA
    from gpruntime.show.report import write_report
    from gpruntime.study.provenance import for_a_page

    if output is None and latex is None:
        raise BadInput("output", "missing", "give the page to write, -o FILE.html, or --latex FOLDER")
    if medium is not None:
        known("for", medium, MEDIA)
        if figures is None:
            raise BadInput("for", medium, "is about --figures FOLDER, which is missing")
    if output is not None:
        check_target(output)
    if _is_study(folder):
        loaded = load(folder)
        loaded.check_rows()
        summary, runs, account = _summary(loaded), RunTable(loaded.connect()), loaded.account()
    else:
        loaded, runs = None, RunTable(folder)
        summary, account = _summary(runs), {"name": Path(folder).name, "read": for_a_page()}
    if latex is not None:
        from gpruntime.paper.references import cited_by
        from gpruntime.show.latex_report import write_latex

        write_latex(summary, runs, account, latex, cited_by(check.bound.source for check in summary.bounds))
        wrote(latex, f"next: cd {shlex.quote(latex)} && pdflatex sample-acmart")
    if output is not None:
        with simple_bar("figures") as progress:
            write_report(summary, runs, account, output, figures, progress, medium)
        wrote(output)
        if figures is not None:
            wrote(figures)
    if loaded is not None:
        _complain_if_incomplete(loaded)


def _is_study(folder: str) -> bool:
    """Whether it is to be read as a study; otherwise it has runs of others in it."""
    from gpruntime.study.ioh_read import metadata_files

    path = Path(folder)
    if (path / LEDGER).exists() or not path.exists():
        return True
    return path.is_dir() and not metadata_files(path) and next(path.glob("*.parquet"), None) is None


def _summary(runs: RunsLike) -> Summary:
    from gpruntime.analysis import summarise

    with simple_bar("runs") as progress:
        return summarise(runs, progress=progress)


def _complain_if_incomplete(loaded: Study) -> None:
    cells = loaded.progress()
    missing = sum(not cell.complete for cell in cells)
    if missing:
        complain(f"not complete: {missing:,} of {len(cells):,} cells have runs to come (gpruntime study status)")


@examples(
    "study plan-runs results --width 5%",
    'study plan-runs results --tell "n log n,n^1.5"',
    "study plan-runs results --difference 10%",
)
@study.command("plan-runs")
@click.argument("folder", metavar="DIR")
@click.option("--width", callback=_share, metavar="W", help="For intervals of the mean that wide, end to end, as 5%.")
@click.option("--tell", metavar="LAW,LAW", help='To tell two growth laws apart: "n log n,n^2", or any power, n^1.1.')
@click.option("--difference", callback=_share, metavar="D", help="To see that two means differ by so much, as 10%.")
@click.option("--json", "as_json", is_flag=True, help="All of it as one JSON object.")
def plan_runs(folder: str, width: float | None, tell: str | None, difference: float | None, as_json: bool) -> None:
    """How many runs do I need? From a pilot: runs and seconds for an aim, and what that assumes.

    DIR may also be an IOHprofiler folder, or Parquet files with runs.
    """
    from gpruntime.analysis import plan_runs as plan
    from gpruntime.show.terminal import runs_needed_text

    pilot = load(folder) if _is_study(folder) else folder
    first, _, second = (tell or "").partition(",")
    laws = None if tell is None else (first, second)
    needed = plan(pilot, width=width, tell=laws, difference=difference)
    if as_json:
        total = {"aim": needed.aim, "more": needed.more, "seconds": needed.seconds}
        click.echo(json.dumps({**total, "cells": needed.to_records(), "assumptions": needed.assumptions}))
        return
    click.echo(runs_needed_text(needed, terminal_width()))


@examples(
    'study sql results "select outcome, count(*) from runs group by outcome"',
    'study sql results "select n, median(evaluations) from runs group by n" --csv',
)
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
        print_rows = print_json if as_json else print_csv if as_csv else print_table
        print_rows(answer.schema.names, rows_of(answer))


@examples(
    "study export results --format csv -o runs.csv",
    "study export results --format ioh -o for-iohanalyzer",
)
@study.command()
@click.argument("folder", metavar="DIR")
@click.option("--format", "form", required=True, metavar="|".join(_FORMATS), help="ioh: for IOHanalyzer.")
@click.option("-o", "--output", required=True, metavar="OUT", help="The file, or for ioh the folder, to write.")
@click.option("--repeatable", is_flag=True, help="csv: without the seconds, so that a repetition has the same bytes.")
@_trust_option
def export(folder: str, form: str, output: str, repeatable: bool, trust: bool) -> None:
    """Write the table of runs as CSV, as one Parquet file, or as an IOHprofiler folder."""
    from gpruntime.model.errors import known

    known("format", form, _FORMATS)
    if repeatable and form != "csv":
        raise BadInput("repeatable", f"with --format {form}", "is for csv")
    loaded = load(folder)
    if form == "ioh":
        from gpruntime.study.ioh import export_ioh

        with simple_bar("runs") as progress:
            export_ioh(loaded, Path(output), progress, trust=trust)
    else:
        from gpruntime.study.export import export_csv, export_parquet

        if form == "csv":
            export_csv(loaded, Path(output), repeatable=repeatable)
        else:
            export_parquet(loaded, Path(output))
    wrote(output, f"{len(loaded):,} runs")


@examples("study import ioh -o runs.parquet", "study import ioh -o runs.parquet --target 0.9n")
@study.command("import")
@click.argument("folder", metavar="IOH")
@click.option("-o", "--output", required=True, metavar="FILE.parquet", help="The file to write.")
@click.option(
    "--target",
    metavar="X|n|best",
    help="The value that ends a run: a number, n, a multiple as 0.9n, or the best of all runs. Needed where the best "
    "value of a function is not known here.",
)
def import_(folder: str, output: str, target: str | None) -> None:
    """Read an IOHprofiler folder, by whatever tool, into a table of runs: for show, report and Python."""
    from gpruntime.study.export import write_table
    from gpruntime.study.ioh_read import read_ioh

    check_target(output, new=True)
    table = read_ioh(folder, target)
    write_table(table, Path(output), "parquet", new=True)
    wrote(output, f"{len(table):,} runs; next: {command()} study show {shlex.quote(output)}")


@examples("study pack results -o artefact.zip", "study pack results -o artefact.zip --wheels")
@study.command()
@click.argument("folder", metavar="DIR")
@click.option("-o", "--output", required=True, metavar="FILE.zip", help="The archive to write.")
@click.option("--wheels", is_flag=True, help="With all that has to be installed, for this system: no network needed.")
def pack(folder: str, output: str, wheels: bool) -> None:
    """Write one archive for artefact evaluation: plan, runs, report, locks, and how to repeat it with one command."""
    import tempfile

    from gpruntime.analysis import RunTable
    from gpruntime.show.report import report_html
    from gpruntime.study.pack import pack as write
    from gpruntime.study.wheels import lock_of, wheels_of

    check_target(output)
    loaded = load(folder)
    loaded.check_rows()
    with tempfile.TemporaryDirectory() as made, contextlib.ExitStack() as stack:
        found = stack.enter_context(wheels_of(Path(made))) if wheels else None
        page = report_html(_summary(loaded), RunTable(loaded.connect()), loaded.account())
        more = {"report.html": page.encode("utf-8", "backslashreplace"), "requirements.lock": lock_of(found)}
        files = write(loaded, Path(output), more, found)
    wrote(output, f"{files:,} files; {command()} study unpack checks it")


@examples("study unpack artefact.zip -o artefact")
@study.command()
@click.argument("archive", metavar="FILE.zip")
@click.option("-o", "--output", required=True, metavar="DIR", help="The new folder.")
def unpack(archive: str, output: str) -> None:
    """Check an archive and write what it holds into a new folder; nothing of it is run."""
    from gpruntime.study.pack import unpack as read

    files = read(Path(archive), Path(output))
    wrote(output, f"{files:,} files, all as their digests say; read REPRODUCE.md next")


@examples("study merge part1 part2 part3 -o results")
@study.command()
@click.argument("folders", nargs=-1, required=True, metavar="A B …")
@click.option("-o", "--output", required=True, metavar="C", help="The new folder.")
def merge(folders: tuple[str, ...], output: str) -> None:
    """Join studies of the same plan, run on different machines, into a new folder."""
    from gpruntime.study.merge import merge as join

    with complaining():
        join([Path(folder) for folder in folders], Path(output), echo)


@examples("study replay results --run 4fe719c5:0")
@study.command()
@click.argument("folder", metavar="DIR")
@click.option("--run", "id_", required=True, metavar="CELL:RUN", help="Which run; the first digits of CELL are enough.")
@_trust_option
def replay(folder: str, id_: str, trust: bool) -> int:
    """Repeat one run of a study and compare it with what the study says."""
    from gpruntime.study.replay import replay as repeat

    repetition = repeat(load(folder), id_, trust=trust)
    if repetition.equal:
        row = repetition.row
        outcome = f"{row['outcome']} after {row['evaluations']:,} evaluations, {row['leaves']:,} leaves"
        echo(f"equal: run {repetition.id}, {outcome}")
        return 0
    for name, (stored, repeated) in repetition.differences.items():
        echo(f"different: run {repetition.id}: {name} is {stored} in the study and {repeated} repeated")
    return 1


def load(folder: str) -> Study:
    """The study in a folder; what is damaged in it is reported, one line each."""
    from gpruntime.study import Study

    with complaining():
        return Study.load(folder)


@contextlib.contextmanager
def complaining() -> Iterator[None]:
    """Warnings about studies become lines on the error stream."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_, **__: complain(str(message))
        yield
