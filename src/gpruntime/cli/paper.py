"""`gpruntime paper`: the founding paper, or others, executed."""

from __future__ import annotations

import difflib
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpruntime.cli.options import whole_number
from gpruntime.cli.output import command, complain, wrote
from gpruntime.cli.progress import simple_bar
from gpruntime.cli.style import Command, examples
from gpruntime.model.errors import BadInput, known
from gpruntime.model.stream import MOST_SEED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpruntime.paper import Claim

_SCALES = ("quick", "full")
_FOLDERS = {"quick": "paper-results", "full": "paper-results-full"}
_FOLDERS_OF_OTHERS = {"quick": "literature-results", "full": "literature-results-full"}
_MOST_WORKERS = 1024


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
@click.option("--seed", default="1", show_default=True, metavar="S", help="The same seed gives the same report.")
@click.option("--workers", metavar="W", help="Processes (default: all cores); 0 computes in this one.")
@click.option("-q", "--quiet", is_flag=True, help="No progress, only what needs attention.")
def paper(
    names: tuple[str, ...],
    output: str | None,
    scale: str,
    only: tuple[str, ...],
    list_: bool,
    seed: str,
    workers: str | None,
    quiet: bool,
) -> int:
    """Reproduce the founding paper: its figures, its table, every claim, each with a verdict.

    With NAMEs, the claims of these papers; with all, those of all papers. Call it again with the same DIR, and an
    interrupted run goes on.
    """
    known("scale", scale, _SCALES)
    root_seed = whole_number("seed", seed, 0, MOST_SEED)
    number = whole_number("workers", workers, 0, _MOST_WORKERS)
    assert root_seed is not None
    from gpruntime.paper.papers import FOUNDING, paper_of
    from gpruntime.paper.terminal import papers_text, verdicts_text

    claims = _chosen(names, only, everything=list_ or bool(only))
    if list_:
        click.echo(papers_text(claims))
        return 0
    from gpruntime.cli.study_progress import StudyProgress
    from gpruntime.paper.run import execute
    from gpruntime.paper.scale import scale_named

    is_founding = all(paper_of(claim.id).name == FOUNDING for claim in claims)
    folder = Path(output or (_FOLDERS if is_founding else _FOLDERS_OF_OTHERS)[scale])
    words = ["paper", *names, "-o", str(folder), "--scale", scale, "--seed", str(root_seed)]
    again = f"{command()} {shlex.join(words + [word for id_ in only for word in ('--only', id_)])}"
    try:
        with StudyProgress(quiet) as progress, simple_bar("claims checked", quiet, progress.hide) as checked:
            done = execute(
                claims,
                scale_named(scale),
                root_seed,
                folder,
                workers=number,
                listener=progress.listener,
                checked=checked,
            )
    except KeyboardInterrupt:
        complain(f"interrupted; what is stored stays; to go on: {again}")
        return 130
    for failure in done.failures:
        complain(f"failed: {failure}")
    if done.interrupted:
        complain(f"interrupted; {done.stored:,} runs are stored; to go on: {again}")
        return 130
    if done.failures:
        return 1
    click.echo(verdicts_text(done.settled, min(shutil.get_terminal_size((100, 24)).columns, 120)))
    wrote(done.report)
    return 0


def _chosen(names: Sequence[str], only: Sequence[str], everything: bool) -> list[Claim]:
    """The claims of the papers named, of the founding one where none is; of these, those that are asked for."""
    from gpruntime.paper.papers import FOUNDING, PAPERS

    if not names:
        names = list(PAPERS) if everything else [FOUNDING]
    for name in names:
        if name not in (*PAPERS, "all"):
            raise BadInput("paper", name, f"is no paper; {_near(name, PAPERS, '--list shows all papers')}")
    papers = [paper for paper in PAPERS.values() if paper.name in names or "all" in names]
    claims = {claim.id: claim for paper in papers for claim in paper.claims}
    for identifier in only:
        if identifier not in claims:
            raise BadInput("only", identifier, f"is no claim; {_near(identifier, claims, '--list shows all claims')}")
    return [claim for id_, claim in claims.items() if not only or id_ in only]


def _near(word: str, known_words: Iterable[str], otherwise: str) -> str:
    near = difflib.get_close_matches(word, list(known_words), n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else otherwise
