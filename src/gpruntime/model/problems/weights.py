"""Weights w_1 … w_n of variables, as the parameter `weights` of a problem says them.

| text              | weights                                                                                |
|-------------------|----------------------------------------------------------------------------------------|
| `equal`           | w_i = 1                                                                                |
| `linear`          | w_i = i                                                                                |
| `powers`          | w_i = 2^(i−1)                                                                          |
| `drawn:SEED`      | whole numbers, uniform in 1 … 10⁶, independent, from a seed                            |
| `drawn:SEED/MOST` | the same in 1 … MOST                                                                   |
| `3/1/2`           | these, one for each variable; 0 may be among them                                      |

Drawn weights do not depend on n: more variables have the same first weights. They add up to 60 bits at most, as a
fitness does.

**The front.** Of k leaves each can express a variable, so the best fitness of k leaves is the sum of the k largest
weights. SMO-GP completes it with probability 1, if every single operation can be drawn: the smallest member can lose
leaves until it has one, which can become the heaviest x_i; and the member with the k heaviest can get the next one.
What it then has is the best of its size, and nothing smaller is as good: it is kept.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

from gpruntime.model.errors import BadInput
from gpruntime.model.problem import MOST_FITNESS, Problem
from gpruntime.model.stream import MOST_SEED, Stream

_DRAWN = re.compile(r"drawn:(\d{1,19})(?:/(\d{1,10}))?")
_LIST = re.compile(r"\d+(/\d+)*")
_USUAL_MOST, _MOST = 10**6, 2**32 - 1
_CELL = (0, 0, 0, 0)  # the address of these draws; no run has it
ENDS = ("weak", "parsimony", "parsimony-smaller", "smo")
ALLOWED = "must be equal, linear, powers, drawn:SEED, drawn:SEED/MOST or a list such as 3/1/2"


class Weighted(Problem):
    """A problem whose fitness is the sum of the weights of the expressed variables."""

    def best_of_size(self, leaves: int, n: int) -> int:
        """See above."""
        sums = _best_sums(n, str(self.parameters["weights"]))
        return int(sums[min(leaves, n)])


def weights_of(n: int, text: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The weights of n variables."""
    if text == "powers" and n > 60:  # 2⁶⁰ − 1 in all
        raise BadInput(
            "problem", f"weights={text}", f"with n = {n} they add up to {n} bits; a fitness has 60 at most, so n ≤ 60"
        )
    if text == "equal":
        return np.ones(n, np.int64)
    if text in ("linear", "powers"):
        places = np.arange(n, dtype=np.int64)
        return places + 1 if text == "linear" else np.int64(1) << places
    if drawn := _DRAWN.fullmatch(text):
        return _drawn(n, text, int(drawn[1]), int(drawn[2] or _USUAL_MOST))
    if not _LIST.fullmatch(text) or len(text) > 10**6:
        raise BadInput("problem", f"weights={text}", ALLOWED)
    return _listed(n, text)


def best_of(n: int, text: str) -> int:
    """What they add up to."""
    return int(weights_of(n, text).sum())


def positive(n: int, text: str) -> int:
    """How many of them are above zero."""
    return int(np.count_nonzero(weights_of(n, text)))


@lru_cache(maxsize=64)
def _best_sums(n: int, text: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    """What the k largest of them add up to, for k = 0 … n."""
    heaviest = np.sort(weights_of(n, text))[::-1]
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(heaviest)])


def _drawn(n: int, text: str, seed: int, most: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    if seed > MOST_SEED or not 1 <= most <= _MOST:
        raise BadInput("problem", f"weights={text}", f"SEED goes from 0 to {MOST_SEED} and MOST from 1 to {_MOST}")
    if n * most > MOST_FITNESS:
        raise BadInput("problem", f"weights={text}", f"n = {n} of them may add up to more than 60 bits")
    stream = Stream(seed, _CELL, 0)
    return np.array([1 + stream.below(most) for _ in range(n)], np.int64)


def _listed(n: int, text: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    weights = [int(weight) for weight in text.split("/")]
    if len(weights) != n:
        raise BadInput("problem", f"weights={text}", f"has {len(weights)} weights for n = {n} variables")
    if not 0 < sum(weights) <= MOST_FITNESS:
        raise BadInput("problem", f"weights={text}", "must add up to 1 or more, and to 60 bits at most")
    return np.array(weights, np.int64)
