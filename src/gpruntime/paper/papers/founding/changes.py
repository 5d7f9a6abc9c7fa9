"""Changes after the first run that several claims share; a claim's own stand with it."""

from gpruntime.paper.claim import FIRST, Change

HELD_TO_EXACT = Change(
    FIRST, "rule", "no verdict where a simulated mean misses an exact one, since small sizes had been solved."
)
STRICT_RUNS = Change(FIRST, "setting", "600 runs a size of GP*-single on ORDER, not 200, for narrower intervals.")
STUCK_HELD = Change(FIRST, "rule", "no verdict where P(stuck) misses its exact value, as fig-failure had it.")
TRAP_HELD = Change(
    FIRST,
    "rule",
    "no verdict where a mean is five standard errors off its exact value; before, twice beyond its interval.",
)
TRAP_RUNS = Change(FIRST, "setting", "100 runs a size from T_lopt, not 200, to save time.")
POWER = Change(
    FIRST,
    "interval",
    "that of a power of n is Student's where the fit is poor, and counts the error of T_max; it had been too narrow.",
)
