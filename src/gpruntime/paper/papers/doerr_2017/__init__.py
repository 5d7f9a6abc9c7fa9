"""Bounding bloat: what bloat control does to ORDER and MAJORITY, by n and by the size of the initial tree."""

from gpruntime.paper.paper import Paper
from gpruntime.paper.papers.doerr_2017 import b5, control, without

PAPER = Paper(
    name="doerr-2017",
    authors="Doerr, Kötzing, Lagodzinski, Lengler",
    title="Bounding Bloat in Genetic Programming",
    venue="GECCO 2017, arXiv 1806.02112, TCS 816, 2020",
    year=2017,
    seen="abstract read",
    claims=(control.ORDER, control.MAJORITY, without.UPPER, without.LOWER, b5.CLAIM),
)
