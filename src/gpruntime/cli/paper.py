"""`gpruntime paper`: the founding paper, or others, executed."""

from __future__ import annotations

import difflib
import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpruntime.cli.output import wrote
from gpruntime.cli.page import carry_out, page_options, seed_and_workers
from gpruntime.cli.style import Command, examples
from gpruntime.model.errors import BadInput, known

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpruntime.paper import Claim, Paper

_SCALES = ("quick", "full")
_FOLDERS = {"quick": "paper-results", "full": "paper-results-full"}
_FOLDERS_OF_OTHERS = {"quick": "literature-results", "full": "literature-results-full"}


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
@page_options
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
    root_seed, number = seed_and_workers(seed, workers)
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
    folder = Path(output or (_FOLDERS if is_founding else _FOLDERS_OF_OTHERS)[scale])
    words = ["paper", *names, "-o", str(folder), "--scale", scale, "--seed", str(root_seed)]
    words += [word for id_ in only for word in ("--only", id_)]
    run = partial(execute, claims, scale_named(scale), root_seed, folder, workers=number)
    done = carry_out(run, "claims checked", quiet, words)
    if isinstance(done, int):
        return done
    click.echo(verdicts_text(done.results, min(shutil.get_terminal_size((100, 24)).columns, 120)))
    wrote(done.page)
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
    claims = {claim.id: claim for paper in papers for claim in paper.claims}
    not_executed = [one.id for paper in papers for one in paper.left_out]
    for identifier in only:
        if identifier in not_executed and not every:
            raise BadInput("only", identifier, "is not executed; --list says why")
        if identifier not in (*claims, *not_executed):
            raise BadInput("only", identifier, f"is no claim; {_near(identifier, claims, '--list shows all claims')}")
    return [claim for id_, claim in claims.items() if not only or id_ in only]


def _near(word: str, known_words: Iterable[str], otherwise: str) -> str:
    near = difflib.get_close_matches(word, list(known_words), n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else otherwise
