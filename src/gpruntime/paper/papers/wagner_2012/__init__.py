"""SORTING by five measures of sortedness."""

from gpruntime.paper.paper import Paper
from gpruntime.paper.papers.wagner_2012 import lost, times

PAPER = Paper(
    name="wagner-2012",
    authors="Wagner, Neumann; Wagner, Neumann, Urli",
    title="Parsimony Pressure versus Multi-objective Optimization for Variable Length Representations; On the "
    "Performance of Different Genetic Programming Approaches for the SORTING Problem",
    venue="PPSN 2012; ECJ 23(4), 2015",
    year=2012,
    seen="abstracts read, definitions from the authors' program; bounds reported",
    claims=(times.INV, times.LAS, lost.CLAIM),
)
