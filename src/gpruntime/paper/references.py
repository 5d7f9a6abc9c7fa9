"""The papers that results refer to, as references of a `.bib` file, and claims as rows for a paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from gpruntime.files import write_whole
from gpruntime.paper.claim import Claim, Paper
from gpruntime.paper.papers import FOUNDING, PAPERS, paper_of
from gpruntime.paper.report import Evaluated
from gpruntime.show.bibliography import Reference, bibtex, software
from gpruntime.show.latex_tables import rows_latex


def reference_of(paper: Paper) -> Reference:
    """A paper as a reference; the founding one has a key like the others."""
    key = f"durrett-{paper.year}" if paper.name == FOUNDING else paper.name
    return Reference(key, paper.authors, paper.title, paper.venue, paper.year)


def cited_by(sources: Iterable[str]) -> list[Reference]:
    """The papers that the sources of bounds name, as they appeared."""
    named = list(sources)
    papers = [paper for paper in PAPERS.values() if any(_is(paper, source) for source in named)]
    return [reference_of(paper) for paper in papers]


def _is(paper: Paper, source: str) -> bool:
    """Whether a source begins with the paper's authors, and names where it first appeared."""
    venue = paper.venue.split(",")[0].split(";")[0]
    return any(source.startswith(f"{authors}, ") for authors in paper.authors.split("; ")) and venue in source


def write_claims(claims: Sequence[Claim], results: Sequence[Evaluated], folder: str | Path) -> None:
    """The claims with their verdicts and numbers as a table, claims.tex, and their papers, claims.bib."""
    by_id = {result.id: result.verdict for result in results}
    rows = [(claim.title, claim.statement, by_id[claim.id].status, by_id[claim.id].shown_number()) for claim in claims]
    table = rows_latex(("claim", "statement", "verdict", "number"), rows, "Claims and what came out.", "tab:claims")
    papers = dict.fromkeys(paper_of(claim.id).name for claim in claims)
    cited = [reference_of(PAPERS[name]) for name in papers if name != "questions"]
    Path(folder).mkdir(parents=True, exist_ok=True)
    write_whole(Path(folder) / "claims.tex", table.encode("utf-8"))
    write_whole(Path(folder) / "claims.bib", bibtex([software(), *cited]).encode("utf-8"))
