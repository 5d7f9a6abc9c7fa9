"""Which cases of a long list are in the suite: the suite takes minutes, and `./run test -m long` has the rest."""

from collections.abc import Iterable
from typing import Any

import pytest


def one_in(every: int, cases: Iterable[Any]) -> list[Any]:
    """All cases; but for the first and every so many, only with `-m long`."""
    found = []
    for place, case in enumerate(cases):
        values = case if isinstance(case, tuple) else (case,)
        found.append(case if place % every == 0 else pytest.param(*values, marks=pytest.mark.long))
    return found
