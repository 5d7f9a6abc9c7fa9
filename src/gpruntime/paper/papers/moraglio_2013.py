"""Geometric semantic genetic programming on Boolean functions."""

from gpruntime.paper.claim import LeftOut, Paper

PAPER = Paper(
    name="moraglio-2013",
    authors="Moraglio, Mambrini, Manzoni",
    title="Runtime Analysis of Mutation-Based Geometric Semantic Genetic Programming on Boolean Functions",
    venue="FOGA 2013",
    year=2013,
    seen="abstract read",
    claims=(),
    left_out=(
        LeftOut(
            "G1",
            "With forcing point mutation, a hill climber finds every Boolean function of n variables; from k wrong "
            "rows of N = 2^n that takes 2N·H_k offspring in the mean (derived here).",
            "it is no bound but an exact mean, that of collecting coupons: `gpruntime exact --algorithm gsgp` gives it "
            "as a fraction, and runs take it.",
        ),
    ),
)
