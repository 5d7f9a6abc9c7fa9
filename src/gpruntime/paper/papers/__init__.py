"""The papers, one folder each with a file for each claim; a folder that is put here is found.

The founding paper comes first, then the others as they appeared.
"""

from __future__ import annotations

import importlib
import pkgutil

from gpruntime.paper.claim import Claim
from gpruntime.paper.paper import Paper

FOUNDING = "founding"


def _found() -> dict[str, Paper]:
    """The `PAPER` of each folder here."""
    modules = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    papers: list[Paper] = [module.PAPER for module in modules]
    return {paper.name: paper for paper in sorted(papers, key=lambda paper: (paper.name != FOUNDING, paper.year))}


PAPERS = _found()
CLAIMS: dict[str, Claim] = {claim.id: claim for paper in PAPERS.values() for claim in paper.claims}


def paper_of(identifier: str) -> Paper:
    """The paper that has this claim."""
    return next(paper for paper in PAPERS.values() if any(claim.id == identifier for claim in paper.claims))
