"""A longest ascending subsequence, which two problems show."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence


def longest_ascending(values: Sequence[int]) -> set[int]:
    """The places of one, of values that differ."""
    lasts: list[int] = []  # the least last value of an ascending subsequence of each length
    places: list[int] = []  # where it is
    before: list[int] = []  # of each place, the one that comes before it; −1 for none
    for place, value in enumerate(values):
        length = bisect_left(lasts, value)
        before.append(places[length - 1] if length else -1)
        lasts[length : length + 1] = [value]
        places[length : length + 1] = [place]
    longest, at = set[int](), places[-1] if places else -1
    while at >= 0:
        longest.add(at)
        at = before[at]
    return longest
