"""Weighted problems: what the weights do to the time."""

from gpruntime.paper.paper import Paper
from gpruntime.paper.papers.nguyen_2013 import w1

PAPER = Paper(
    name="nguyen-2013",
    authors="Nguyen, Urli, Wagner",
    title="Single- and Multi-objective Genetic Programming: New Bounds for Weighted Order and Majority",
    venue="FOGA 2013",
    year=2013,
    seen="abstract read; bounds reported",
    claims=(w1.CLAIM,),
)
