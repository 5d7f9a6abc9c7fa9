"""MAX: the largest value within a depth."""

from gpruntime.paper.paper import Paper
from gpruntime.paper.papers.koetzing_2012 import max_sum

PAPER = Paper(
    name="koetzing-2012",
    authors="Kötzing, Sutton, Neumann, O'Reilly",
    title="The Max Problem Revisited: The Importance of Mutation in Genetic Programming",
    venue="GECCO 2012, TCS 545, 2014",
    year=2012,
    seen="abstract read; bounds reported",
    claims=(max_sum.SUM, max_sum.PRODUCT),
)
