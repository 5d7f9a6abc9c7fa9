"""Conjunctions with many operations, with unwanted variables and with negated ones."""

from gpruntime.paper.paper import Paper
from gpruntime.paper.papers.lissovoi_2018 import l1, l2, l3

PAPER = Paper(
    name="lissovoi-2018",
    authors="Lissovoi, Oliveto",
    title="On the Time and Space Complexity of Genetic Programming for Evolving Boolean Conjunctions",
    venue="AAAI 2018, JAIR 66, 2019",
    year=2018,
    seen="abstract read",
    claims=(l1.CLAIM, l2.CLAIM, l3.CLAIM),
)
