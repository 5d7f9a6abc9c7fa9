"""Multi-objective genetic programming, and parsimony."""

from gpruntime.paper.paper import Paper
from gpruntime.paper.papers.neumann_2012 import n1, smo

PAPER = Paper(
    name="neumann-2012",
    authors="Neumann",
    title="Computational Complexity Analysis of Multi-Objective Genetic Programming",
    venue="GECCO 2012, arXiv 1203.4881",
    year=2012,
    seen="abstract read; bounds reported",
    claims=(n1.CLAIM, smo.FRONT, smo.WEIGHTED),
)
