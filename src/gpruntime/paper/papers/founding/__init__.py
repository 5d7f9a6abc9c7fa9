"""The founding paper. Its claims are in its order: figures and table first, then section by section.

figures         the two figures, and how often GP*-single fails
table_1         the table of bounds
order_lemma     ORDER: improving insertions, counted
order_times     ORDER: bounds on the time
majority_steps  MAJORITY: single steps, counted
majority_times  MAJORITY: bounds on the time of GP-single
traps           MAJORITY from T_lopt
initial_trees   MAJORITY: what is missing in an initial tree
smallest_tree   MAJORITY: how far a tree shrinks
neutral         whether rejecting neutral moves helps
operators       what other operators do, and how trees grow
"""

from __future__ import annotations

from gpruntime.paper.claim import Claim, Paper
from gpruntime.paper.papers.founding.figures import BAD_START, CONSTANT_FAILURE, FAILURE
from gpruntime.paper.papers.founding.initial_trees import ABSENT_VARIABLES
from gpruntime.paper.papers.founding.majority_steps import DECOMPOSABLE, WALKS
from gpruntime.paper.papers.founding.majority_times import AVERAGE, OVERALL, WORST
from gpruntime.paper.papers.founding.neutral import ON_MAJORITY, ON_ORDER
from gpruntime.paper.papers.founding.operators import ASYMMETRY, INSERT_ONLY, NO_SUBSTITUTION
from gpruntime.paper.papers.founding.order_lemma import IMPROVING_INSERTIONS
from gpruntime.paper.papers.founding.order_times import IN_N_SQUARED, IN_N_SQUARED_MULTI, IN_N_T_MAX
from gpruntime.paper.papers.founding.smallest_tree import SMALLEST_TREE
from gpruntime.paper.papers.founding.table_1 import TABLE_1
from gpruntime.paper.papers.founding.traps import MULTI, SINGLE

PAPER = Paper(
    name="founding",
    authors="Durrett, Neumann, O'Reilly",
    title="Computational Complexity Analysis of Simple Genetic Programming On Two Problems Modeling Isolated Program "
    "Semantics",
    venue="FOGA 2011",
    year=2011,
    seen="read whole",
    claims=(
        BAD_START,
        FAILURE,
        TABLE_1,
        IMPROVING_INSERTIONS,
        IN_N_T_MAX,
        IN_N_SQUARED,
        IN_N_SQUARED_MULTI,
        DECOMPOSABLE,
        WALKS,
        OVERALL,
        WORST,
        SINGLE,
        MULTI,
        AVERAGE,
        ABSENT_VARIABLES,
        SMALLEST_TREE,
        CONSTANT_FAILURE,
        ON_ORDER,
        ON_MAJORITY,
        INSERT_ONLY,
        NO_SUBSTITUTION,
        ASYMMETRY,
    ),
)
CLAIMS: dict[str, Claim] = {claim.id: claim for claim in PAPER.claims}
