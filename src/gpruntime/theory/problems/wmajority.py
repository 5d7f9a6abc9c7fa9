"""How WMAJORITY goes on beyond all counts."""

from gpruntime.theory.cells import Beyond

BEYOND = Beyond(counts=1, difference=1)  # c(x_i) ≥ 1, and which count is larger
