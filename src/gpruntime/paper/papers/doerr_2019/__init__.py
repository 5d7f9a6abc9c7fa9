"""Conjunctions from AND and OR, with a limit on the leaves."""

from gpruntime.paper.paper import Paper
from gpruntime.paper.papers.doerr_2019 import d1

PAPER = Paper(
    name="doerr-2019",
    authors="Doerr, Lissovoi, Oliveto",
    title="Evolving Boolean functions with conjunctions and disjunctions via genetic programming",
    venue="GECCO 2019, arXiv 1903.11936; AIJ 319, 2023, arXiv 2303.07455",
    year=2019,
    seen="abstracts read",
    claims=(d1.CLAIM,),
)
