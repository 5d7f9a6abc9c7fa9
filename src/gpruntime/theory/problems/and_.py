"""How AND goes on beyond all counts."""

from gpruntime.theory.cells import Beyond

BEYOND = Beyond(counts=1, difference=0)  # c(x_i) ≥ 1
