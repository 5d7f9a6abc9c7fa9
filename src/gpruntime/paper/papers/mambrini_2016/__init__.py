"""Conjunctions and parities, evolved from AND or XOR alone."""

from gpruntime.paper.paper import Paper
from gpruntime.paper.papers.mambrini_2016 import m1, m2, m4

PAPER = Paper(
    name="mambrini-2016",
    authors="Mambrini, Oliveto",
    title="On the Analysis of Simple Genetic Programming for Evolving Boolean Functions",
    venue="EuroGP 2016",
    year=2016,
    seen="abstract and statements read",
    claims=(m1.CLAIM, m2.CLAIM, m4.CLAIM),
)
