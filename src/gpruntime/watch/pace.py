"""How many offspring a slice may have, so that it ends soon enough to look whether anyone still waits.

What an offspring costs depends on the setting: from 20 ns to milliseconds (a hundred operations, all leaves of one
variable, whose first is looked for). So slices begin small, and grow or shrink by what the last one took.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

_SHORT, _LONG = 0.02, 0.06  # seconds
_FIRST, _MOST = 64, 1 << 20


class Pace:
    """The size of the next slice.

    Attributes:
        offspring: the most there may be.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self.offspring = min(_FIRST, most)

    @contextmanager
    def slice(self, at_most: int | None = None) -> Iterator[int]:
        """Around a slice of the size it yields; `at_most` says where it has to end."""
        size = self.offspring if at_most is None else min(self.offspring, at_most)
        begun = time.perf_counter()
        yield size
        took = time.perf_counter() - begun
        if took > _LONG:
            self.offspring = max(1, min(size, self.offspring) // 4)
        elif took < _SHORT and size == self.offspring:
            self.offspring = min(2 * self.offspring, self._most)
