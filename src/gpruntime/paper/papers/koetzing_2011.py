"""PAC learning with linear genetic programming."""

from gpruntime.paper.claim import LeftOut, Paper

PAPER = Paper(
    name="koetzing-2011",
    authors="Kötzing, Neumann, Spöhel",
    title="PAC Learning and Genetic Programming",
    venue="GECCO 2011",
    year=2011,
    seen="abstract read",
    claims=(),
    left_out=(
        LeftOut(
            "P1",
            "A linear genetic programming algorithm PAC-learns a class of linear pseudo-Boolean functions efficiently.",
            "its programs are sequences of instructions, which are no representation here: trees, circuits and truth "
            "tables are.",
        ),
    ),
)
