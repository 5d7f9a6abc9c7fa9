"""One source of randomness: 64-bit words of NumPy's SFC64, and the three draws made from them.

A run is addressed by (seed, cell, run): the seed is the user's, the cell is a 128-bit digest of everything that
determines the law of the run (`RunSpec.cell`), and the run is its number, from 0. The address becomes the entropy and
the spawn key of NumPy's `SeedSequence`, so the stream of a run depends on nothing else: not on how many runs there are,
nor on who computes them. Both are written out here in integers, so the model needs no NumPy; a test holds them to it.

| draw        | words       | value                                                                            |
|-------------|-------------|----------------------------------------------------------------------------------|
| `below(m)`  | 1 or more   | uniform in 0 … m − 1, exactly: Lemire's method on the word's upper 32 bits       |
| `uniform()` | 1           | a double in [0, 1): the word's upper 53 bits                                     |
| `pick(c)`   | 1           | the first place in the table c of cumulative probabilities that exceeds a uniform |

In which order a run makes its draws is written down in `docs/random-stream.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from gpruntime.model.errors import BadInput, whole

MAX_SEED = 2**63 - 1  # a seed fits a signed 64-bit column
MAX_RUN = 2**32 - 1  # a run's number is one word of the spawn key
_WARM_UP = 12
_32_BITS, _64_BITS = 2**32 - 1, 2**64 - 1


class Stream:
    """The random words of one run, in order."""

    def __init__(self, seed: int, cell: Sequence[int], run: int) -> None:
        self._state = (*seed_words(seed, cell, run), 1)
        for _ in range(_WARM_UP):
            self.word()

    def word(self) -> int:
        """The next 64-bit word: a step of SFC64."""
        a, b, c, counter = self._state
        word = (a + b + counter) & _64_BITS
        rotated = (c << 24 | c >> 40) & _64_BITS
        self._state = b ^ b >> 11, (c + (c << 3)) & _64_BITS, (rotated + word) & _64_BITS, counter + 1
        return word

    def below(self, bound: int) -> int:
        """A uniform number in 0 … bound − 1, for 1 ≤ bound < 2³².

        The product of a 32-bit word and the bound has the answer in its upper half. Of the 2³² words the lower halves
        below 2³² mod bound are drawn again, which makes every answer equally likely.
        """
        product = (self.word() >> 32) * bound
        if product & 0xFFFFFFFF < bound:
            threshold = 2**32 % bound
            while product & 0xFFFFFFFF < threshold:
                product = (self.word() >> 32) * bound
        return product >> 32

    def uniform(self) -> float:
        """A double in [0, 1)."""
        return (self.word() >> 11) * 2.0**-53

    def pick(self, cumulative: Sequence[float]) -> int:
        """The first place whose cumulative probability exceeds a uniform number."""
        uniform = self.uniform()
        place = 0
        while uniform >= cumulative[place]:
            place += 1
        return place


def seed_words(seed: int, cell: Sequence[int], run: int) -> tuple[int, int, int]:
    """The three words that the stream of an address starts from: what NumPy's `SeedSequence` makes of it.

    A pool of four 32-bit words takes up the address word by word; each word is hashed with another constant before it
    is mixed in. The three words are then read from the pool, hashed once more.
    """
    seed, run = whole("seed", seed, 0, MAX_SEED), whole("run", run, 0, MAX_RUN)
    low, high = seed & _32_BITS, seed >> 32
    take_in, give_out = _hash(0x43B0D7E5, 0x931E8875), _hash(0x8B51F9DD, 0x58F38DED)
    pool = [take_in(word) for word in (low, high, 0, 0)]
    for source in range(4):
        for target in range(4):
            if source != target:
                pool[target] = _mixed(pool[target], take_in(pool[source]))
    for word in (*cell, run):
        pool = [_mixed(kept, take_in(word)) for kept in pool]
    a, b, c, d, e, f = (give_out(pool[place % 4]) for place in range(6))
    return a | b << 32, c | d << 32, e | f << 32


def _hash(constant: int, factor: int) -> Callable[[int], int]:
    def hashed(word: int) -> int:
        nonlocal constant
        word ^= constant
        constant = constant * factor & _32_BITS
        word = word * constant & _32_BITS
        return word ^ word >> 16

    return hashed


def _mixed(x: int, y: int) -> int:
    word = (0xCA01F9DD * x - 0x4973F715 * y) & _32_BITS
    return word ^ word >> 16


def weight_table(weights: Sequence[float]) -> tuple[float, ...]:
    """Cumulative probabilities for `pick` from non-negative weights.

    From the last positive weight on the table is 1, so rounding never lets a weight of zero be picked.
    """
    if len(weights) != 3 or min(weights) < 0 or max(weights) <= 0:
        raise BadInput("weights", tuple(weights), "must be three non-negative numbers, not all zero")
    total = math.fsum(weights)
    last = max(place for place, weight in enumerate(weights) if weight > 0)
    return tuple(1.0 if place >= last else math.fsum(weights[: place + 1]) / total for place in range(len(weights)))


def poisson_table(mean: float) -> tuple[float, ...]:
    """Cumulative probabilities of the Poisson distribution for `pick`, as far as doubles can tell them from 1.

    What is left out has probability below 2⁻⁵³, less than the spacing of the uniform numbers it is compared with.
    """
    if not 0 <= mean <= 100:
        raise BadInput("poisson_mean", mean, "must be a number between 0 and 100")
    cumulative, term, table = 0.0, math.exp(-mean), []
    for k in range(1, 1000):
        cumulative += term
        table.append(min(cumulative, 1.0))
        term *= mean / k
        if k > mean and term < 2.0**-60:
            break
    table[-1] = 1.0
    return tuple(table)
