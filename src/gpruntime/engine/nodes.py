"""How a node of ORDER's tree lies in memory."""

from __future__ import annotations

# Columns of a node's row, half a cache line. A join has LEFT and RIGHT children, a leaf the next four. In between a
# join has room for the LABEL of the leaf in its slot, so that a leaf and its label come from memory together. `wide`
# is the same memory as 64-bit numbers, of which a row has HALF as many.
ROW, HALF = 8, 4
LEFT, RIGHT = range(2)
TERMINAL, BEFORE, AFTER, EARLIER, LATER = range(5)
PARENT, PLACE = 6, 7
LABEL = 6

# The node that stands for no leaf, and the join whose LEFT child is the root.
NOBODY, TOP = range(2)
