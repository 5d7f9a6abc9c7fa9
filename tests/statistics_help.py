"""Two checks that statistical tests share. Seeds are fixed, so a test that passes once passes always.

A correct program fails `assert_frequencies` for one seed in a thousand and `assert_mean` (four standard errors) for one
in sixteen thousand; a test whose seed was unlucky may take another, and says so.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from scipy import stats


def assert_frequencies(counts: Mapping[Hashable, int], law: Mapping[Hashable, float]) -> None:
    """The counts fit the law (a chi-square test, p ≥ 0.001), and nothing happened that the law rules out."""
    total = sum(counts.values())
    possible = {key: chance for key, chance in law.items() if chance > 0}
    assert math.isclose(sum(possible.values()), 1.0, abs_tol=1e-12)
    assert set(counts) <= set(possible), f"impossible: {set(counts) - set(possible)}"
    assert min(possible.values()) * total >= 5, "too few draws for a chi-square test"
    if len(possible) == 1:
        return
    observed = [Counter(counts)[key] for key in possible]
    expected = [chance * total for chance in possible.values()]
    assert stats.chisquare(observed, expected, sum_check=False).pvalue >= 0.001


def assert_mean(values: Sequence[float], expected: float) -> None:
    """The mean is within four standard errors of what is expected."""
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
    assert abs(mean - expected) <= 4 * deviation / math.sqrt(len(values)), f"{mean} against {expected}"
