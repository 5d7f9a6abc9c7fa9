"""The papers, a file for each or a folder; one that is put here is found.

The founding paper comes first, then the others as they appeared.

founding        Durrett, Neumann, O'Reilly (FOGA 2011): ORDER and MAJORITY, first bounds
koetzing_2011   linear GP as a learner: not executed
koetzing_2012   MAX
neumann_2012    weights, parsimony, and SMO-GP
wagner_2012     SORTING
moraglio_2013   geometric semantic GP: not executed
nguyen_2013     the largest weight
mambrini_2016   conjunctions and parities
doerr_2017      bloat control, by n and T_init
koetzing_2018   MAJORITY with plateaus
lissovoi_2018   conjunctions, unwanted and negated variables
doerr_2019      AND and OR, with a limit on the leaves
corus_2024      blocks of geometric semantic GP
dang_2026       Cartesian GP, and trees beside it
questions       what the papers leave open
"""

from __future__ import annotations

import importlib
import pkgutil

from gpruntime.paper.claim import Claim, Paper

FOUNDING = "founding"


def _papers() -> dict[str, Paper]:
    """The `PAPER` of each module here."""
    modules = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    papers: list[Paper] = [module.PAPER for module in modules]
    return {paper.name: paper for paper in sorted(papers, key=lambda paper: (paper.name != FOUNDING, paper.year))}


PAPERS = _papers()
CLAIMS: dict[str, Claim] = {claim.id: claim for paper in PAPERS.values() for claim in paper.claims}


def paper_of(identifier: str) -> Paper:
    """The paper that has this claim."""
    return next(paper for paper in PAPERS.values() if any(claim.id == identifier for claim in paper.claims))
