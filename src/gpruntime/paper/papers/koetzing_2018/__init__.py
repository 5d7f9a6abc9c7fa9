"""When parsimony destroys, and when it helps: MAJORITY with plateaus."""

from gpruntime.paper.paper import Paper
from gpruntime.paper.papers.koetzing_2018 import reversal

PAPER = Paper(
    name="koetzing-2018",
    authors="Kötzing, Lagodzinski, Lengler, Melnichenko",
    title="Destructiveness of Lexicographic Parsimony Pressure and Alleviation by a Concatenation Crossover in Genetic "
    "Programming",
    venue="PPSN 2018, arXiv 1805.10169, TCS 816, 2020",
    year=2018,
    seen="abstract read; definitions reported",
    claims=(reversal.CLAIM,),
)
