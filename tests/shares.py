"""Which of many tests are made: the suite takes minutes, `./run test -m long` has the rest, and CI a share of that."""

import hashlib
import re
from collections.abc import Iterable
from typing import Any

import pytest


def one_in(every: int, cases: Iterable[Any]) -> list[Any]:
    """All cases; but for the first and every so many, only with `-m long`."""
    return [case if place % every == 0 else long_case(case) for place, case in enumerate(cases)]


def long_case(case: Any) -> Any:
    """A case of a parametrised test, only with `-m long`."""
    if isinstance(case, type(pytest.param())):  # with an id of its own, say
        return case._replace(marks=(*case.marks, pytest.mark.long))
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.long)


def share_of(asked: str, names: Iterable[str]) -> set[str]:
    """One in N of these names for "1/N", "2/N", …: each name is in one of them, whatever others there are."""
    found = re.fullmatch(r"([1-9]\d{0,3})/([1-9]\d{0,3})", asked)
    if found is None or int(found[1]) > int(found[2]):
        raise pytest.UsageError(f"--share {asked}: must be like 1/10: the first of ten shares")
    which, shares = int(found[1]), int(found[2])
    return {name for name in names if int(hashlib.sha256(name.encode()).hexdigest(), 16) % shares == which - 1}
