"""`gpruntime paper` and `gpruntime atlas`: each fills a folder with runs and ends with a page.

An interrupted command goes on when it is called again.
"""

from __future__ import annotations

import difflib
import shlex
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from gpruntime.cli.options import integer
from gpruntime.cli.output import Command, command, complain, examples, wrote
from gpruntime.model.errors import BadInput, known
from gpruntime.model.stream import MAX_SEED
from gpruntime.processes import MAX_WORKERS
from gpruntime.progress import StudyProgress, simple_bar

if TYPE_CHECKING:
    from gpruntime.paper import Claim, Paper
    from gpruntime.paper.frame import Executed

Found = TypeVar("Found")
_SCALES = ("quick", "full")

_WORKERS = "Processes (default, and -1: all cores); 0 computes in this one."
WORKERS = integer("--workers", least=-1, most=MAX_WORKERS, metavar="W", help=_WORKERS)
QUIET = click.option("-q", "--quiet", is_flag=True, help="No progress, only what needs attention.")
_LATEX = click.option("--latex", metavar="FOLDER", help="The rows as a table for a paper too, with a .bib.")
_SEED = integer("--seed", most=MAX_SEED, default=1, metavar="S", help="The same seed gives the same page.")


@examples(
    "paper",
    "paper --list",
    "paper all",
    "paper --only thm:majority_gpstar_single_wc -o results",
    "paper --scale full",
)
@click.command(cls=Command)
@click.argument("names", nargs=-1, metavar="[NAME…|all]")
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    help="Where everything goes (default: paper-results; for others literature-results).",
)
@click.option(
    "--scale", default="quick", show_default=True, metavar="|".join(_SCALES), help="quick: minutes; full: hours."
)
@click.option("--only", multiple=True, metavar="ID", help="Only this claim; may be given several times.")
@click.option("--list", "list_", is_flag=True, help="Show all papers and claims, run nothing.")
@_LATEX
@_SEED
@WORKERS
@QUIET
def paper(
    names: tuple[str, ...],
    output: str | None,
    scale: str,
    only: tuple[str, ...],
    list_: bool,
    latex: str | None,
    seed: int,
    workers: int | None,
    quiet: bool,
) -> int:
    """Reproduce the founding paper: its figures, its table, every claim, each with a verdict.

    With NAMEs, the claims of these papers; with all, those of all papers. Call it again with the same DIR, and an
    interrupted run goes on.
    """
    known("scale", scale, _SCALES)
    from gpruntime.paper.papers import FOUNDING, paper_of
    from gpruntime.paper.report import papers_text, verdicts_text

    papers = _papers(names, everything=list_ or bool(only))
    claims = _claims(papers, only, every=list_)
    if list_:
        click.echo(papers_text(papers, only))
        return 0
    if not claims:
        raise BadInput("paper", " ".join(names), "has no claim that is executed; --list says why")
    from gpruntime.paper.run import execute
    from gpruntime.paper.scale import scale_named

    is_founding = all(paper_of(claim.id).name == FOUNDING for claim in claims)
    usual = ("paper-results" if is_founding else "literature-results") + ("" if scale == "quick" else "-full")
    folder = Path(output or usual)
    words = ["paper", *names, "-o", str(folder), "--scale", scale, "--seed", str(seed)]
    words += [word for id_ in only for word in ("--only", id_)]
    run = partial(execute, claims, scale_named(scale), seed, folder, workers=workers, keep=True)
    done = _carry_out(run, "claims checked", quiet, words)
    if isinstance(done, int):
        return done
    click.echo(verdicts_text(done.results, min(shutil.get_terminal_size((100, 24)).columns, 120)))
    wrote(done.page)
    if latex is not None:
        from gpruntime.paper.references import write_claims

        write_claims(claims, done.results, latex)
        wrote(latex)
    return 0


def _papers(names: Sequence[str], everything: bool) -> list[Paper]:
    """The papers named; where none is, the founding one, or all."""
    from gpruntime.paper.papers import FOUNDING, PAPERS

    if not names:
        names = ["all"] if everything else [FOUNDING]
    for name in names:
        if name not in (*PAPERS, "all"):
            raise BadInput("paper", name, f"is no paper; {_near(name, PAPERS, '--list shows all papers')}")
    return [paper for paper in PAPERS.values() if paper.name in names or "all" in names]


def _claims(papers: Sequence[Paper], only: Sequence[str], every: bool) -> list[Claim]:
    """Their claims, or those that are asked for; with `every`, one that is not executed may be asked for too."""
    from gpruntime.paper.papers import PAPERS

    claims = {claim.id: claim for paper in papers for claim in paper.claims}
    not_executed = [one.id for paper in papers for one in paper.left_out]
    for identifier in only:
        if identifier in not_executed and not every:
            raise BadInput("only", identifier, "is not executed; --list says why")
        if identifier not in (*claims, *not_executed):
            elsewhere = [name for name, paper in PAPERS.items() if identifier in {claim.id for claim in paper.claims}]
            told = f"is a claim of {elsewhere[0]}" if elsewhere else "is no claim"
            near = "name that paper" if elsewhere else _near(identifier, claims, "--list shows all claims")
            raise BadInput("only", identifier, f"{told}; {near}")
    return [claim for id_, claim in claims.items() if not only or id_ in only]


def _near(word: str, known_words: Iterable[str], otherwise: str) -> str:
    near = difflib.get_close_matches(word, list(known_words), n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else otherwise


@examples("atlas", "atlas --problem order --problem majority -o here", "atlas --scale full --workers 16")
@click.command(cls=Command)
@click.option("-o", "--output", default="atlas", show_default=True, metavar="DIR", help="Where everything goes.")
@click.option("--scale", default="quick", show_default=True, metavar="quick|full|tiny", help="How far it goes.")
@click.option("--problem", "problems", multiple=True, metavar="NAME", help="Only this problem; may be repeated.")
@_LATEX
@_SEED
@WORKERS
@QUIET
def atlas(
    output: str,
    scale: str,
    problems: tuple[str, ...],
    latex: str | None,
    seed: int,
    workers: int | None,
    quiet: bool,
) -> int:
    """Measure every problem with every algorithm from every initial tree, beside what is proved: one page.

    Call it again with the same DIR, and an interrupted run goes on; a larger scale goes on from a smaller one.
    """
    from gpruntime.atlas.grid import scale_named
    from gpruntime.atlas.run import execute

    words = ["atlas", "-o", output, "--scale", scale, "--seed", str(seed)]
    words += [word for name in problems for word in ("--problem", name)]
    run = partial(execute, scale_named(scale), seed, Path(output), only=problems, workers=workers)
    done = _carry_out(run, "entries", quiet, words)
    if isinstance(done, int):
        return done
    for mark, count in Counter(entry.mark() for entry in done.results).most_common():
        click.echo(f"{count:5} {mark}")
    wrote(done.page)
    if latex is not None:
        from gpruntime.atlas.page import write_rows

        write_rows(done.results, latex)
        wrote(latex)
    return 0


def _carry_out(
    execute: Callable[..., Executed[Found]], of: str, quiet: bool, words: Sequence[str]
) -> Executed[Found] | int:
    """Calls `execute` with a listener and what counts, and prints how it ended: what came out, or the exit status.

    `words` are what to type to go on after an interruption, `of` what is counted.
    """
    again = f"to go on: {command()} {shlex.join(words)}"
    try:
        with StudyProgress(quiet) as progress, simple_bar(of, quiet, progress.hide, asked=True) as counted:
            done = execute(listener=progress.listener, counted=counted)
    except KeyboardInterrupt:
        complain(f"interrupted; what is stored stays; {again}")
        return 130
    for failure in done.failures:
        complain(f"failed: {failure}")
    if done.interrupted:
        complain(f"interrupted; {done.stored:,} runs are stored; {again}")
        return 130
    return 1 if done.failures else done
