"""Cartesian GP on Boolean functions, with tree GP beside it."""

from gpruntime.paper.paper import Paper
from gpruntime.paper.papers.dang_2026 import table_2

PAPER = Paper(
    name="dang-2026",
    authors="Dang, Kalkreuth, Opris",
    title="Runtime Analysis of Cartesian Genetic Programming in Evolving Boolean Functions",
    venue="PPSN 2026, arXiv 2606.15923",
    year=2026,
    seen="read whole",
    claims=(table_2.CLAIM,),
)
