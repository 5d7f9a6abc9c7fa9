"""Conjunctions and parities, evolved from AND or XOR alone."""

from gpruntime.paper.paper import LeftOut, Paper
from gpruntime.paper.papers.mambrini_2016 import m1, m2, m4

PAPER = Paper(
    name="mambrini-2016",
    authors="Mambrini, Oliveto",
    title="On the Analysis of Simple Genetic Programming for Evolving Boolean Functions",
    venue="EuroGP 2016",
    year=2016,
    seen="abstract and statements read",
    claims=(m1.CLAIM, m2.CLAIM, m4.CLAIM),
    left_out=(
        LeftOut(
            "M3",
            "With NOT among the functions, the (1+1) GP needs at least exponential time for the conjunction of n "
            "variables.",
            "the operator is that of functions of two arguments; how it inserts and deletes a NOT could not be read. "
            "The laboratory has a way of its own (docs/own-problem.md), and a verdict would be about that one.",
        ),
    ),
)
