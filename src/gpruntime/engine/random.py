"""The random stream of a run, compiled: the same words and the same draws as `gpruntime.model.stream`.

Thresholds are integers here: a uniform double u = (word >> 11) · 2⁻⁵³ is below c exactly if word >> 11 is below
⌈c · 2⁵³⌉, since scaling by a power of two is exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.jit import MINUS_ONE, helper, inlined

_U11, _U24, _U40, _U3, _U32 = (np.uint64(shift) for shift in (11, 24, 40, 3, 32))
_ONE = np.uint64(1)
_LOW = np.uint64(0xFFFFFFFF)
_RANGE = np.uint64(2**32)
_UNIT = 2.0**-53


def _sfc64(a: Any, b: Any, c: Any, counter: Any) -> tuple[Any, Any, Any, Any]:
    """A word of SFC64, and three of its next four state words; the counter goes up by one."""
    out = a + b + counter
    return out, b ^ (b >> _U11), c + (c << _U3), ((c << _U24) | (c >> _U40)) + out


sfc64 = inlined(_sfc64)


@inlined
def word(rng):
    """The next word of the stream; `rng` holds its four state words."""
    out, rng[0], rng[1], rng[2] = sfc64(rng[0], rng[1], rng[2], rng[3])
    rng[3] += _ONE
    return out


@inlined
def below(rng, bound):
    """A uniform number in 0 … bound − 1 by Lemire's method on the upper 32 bits of a word."""
    size = np.uint64(bound)
    product = (word(rng) >> _U32) * size
    if (product & _LOW) < size:
        threshold = _RANGE % size
        while (product & _LOW) < threshold:
            product = (word(rng) >> _U32) * size
    return np.int64(product >> _U32)


@inlined
def draw_place(rng, leaves):
    """Where to insert: a uniform node and a side, in one draw; (−1, −1) on the empty tree."""
    if leaves == 0:
        return MINUS_ONE, MINUS_ONE
    place = below(rng, 2 * (2 * leaves - 1))
    return place >> 1, place & 1


@inlined
def uniform(rng):
    """A double in [0, 1)."""
    return np.float64(word(rng) >> _U11) * _UNIT


# ---- binomial numbers, for any size of n: the kinds of millions of skipped proposals at once
#
# Inversion where n·p is small, otherwise Hörmann's transformed rejection BTRS (1993), exact up to the rounding of
# doubles. With a standard deviation above 10⁶ that rounding is worse than the normal distribution, whose error is then
# below 10⁻⁶.

_INVERSION_BELOW = 10.0
_NORMAL_ABOVE = 1e6


@helper
def binomial(rng, n, p):
    """A binomial number with n trials and success probability p."""
    if n <= 0 or p <= 0.0:
        return np.int64(0)
    if p >= 1.0:
        return np.int64(n)
    rarer = 1.0 - p if p > 0.5 else p
    if n * rarer >= _INVERSION_BELOW:
        k = _btrs(rng, np.int64(n), rarer)
    else:
        ratio = rarer / (1.0 - rarer)
        chance = math.exp(n * math.log1p(-rarer))
        u, k = uniform(rng), np.int64(0)
        while u >= chance and k < n:
            u -= chance
            k += 1
            chance *= ratio * (n - k + 1) / k
    return n - k if p > 0.5 else k


@helper
def _stirling_tail(k):
    """ln k! minus Stirling's formula, to full precision."""
    if k < 10:
        return math.lgamma(k + 1.0) - ((k + 0.5) * math.log(k + 1.0) - (k + 1.0) + 0.9189385332046727)
    square = (k + 1.0) * (k + 1.0)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1.0)


@helper
def _btrs(rng, n, p):
    """The same for a large n·p, with p at most 1/2."""
    spread = math.sqrt(n * p * (1.0 - p))
    if spread > _NORMAL_ABOVE:
        radius = math.sqrt(-2.0 * math.log(1.0 - uniform(rng)))
        return np.int64(math.floor(n * p + spread * radius * math.cos(2.0 * math.pi * uniform(rng)) + 0.5))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    c = n * p + 0.5
    odds = p / (1.0 - p)
    alpha = (2.83 + 5.1 / b) * spread
    mode = math.floor((n + 1) * p)
    while True:
        u, v = uniform(rng) - 0.5, uniform(rng)
        us = 0.5 - abs(u)
        if us <= 0.0:
            continue
        k = math.floor((2 * a / us + b) * u + c)
        if us >= 0.07 and v <= 0.92 - 4.2 / b:
            return np.int64(k)
        if k < 0 or k > n or v <= 0.0:
            continue
        bound = (
            (mode + 0.5) * math.log((mode + 1) / (odds * (n - mode + 1)))
            + (n + 1) * math.log1p((k - mode) / (n - k + 1.0))
            + (k + 0.5) * math.log(odds * (n - k + 1) / (k + 1))
            + _stirling_tail(mode)
            + _stirling_tail(n - mode)
            - _stirling_tail(k)
            - _stirling_tail(n - k)
        )
        if math.log(v * alpha / (a / (us * us) + b)) <= bound:
            return np.int64(k)


def thresholds(cumulative: Iterable[float]) -> NDArray[np.uint64]:
    """Cumulative probabilities as integers: a place is picked by how many are not above a word's upper 53 bits."""
    return np.array([math.ceil(c * 2.0**53) for c in cumulative], dtype=np.uint64)


# ---- seeding: NumPy's SeedSequence and SFC64, for many runs at once

_INIT_A, _MULT_A = 0x43B0D7E5, 0x931E8875
_INIT_B, _MULT_B = 0x8B51F9DD, 0x58F38DED
_MIX_L, _MIX_R = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)
_SHIFT = np.uint32(16)
_POOL = 4


def seed_states(seed: int, cell: Sequence[int], runs: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The first state of SFC64 for each run: a row is what `numpy.random.SFC64` starts from.

    One object of NumPy per run takes longer than a short run; this does all runs at once. A test holds it to NumPy.
    """
    words = [np.full(len(runs), value, np.uint32) for value in _address(seed, cell)] + [runs.astype(np.uint32)]
    with np.errstate(over="ignore"):
        pool, _ = _mix_entropy(words)
        return _sfc64_states(_generate_words(pool, 6))


def mixed_pool(seed: int, cell: Sequence[int]) -> tuple[NDArray[np.uint32], int]:
    """What the runs of a cell have in common: the pool with all of their address but the run, and the next constant."""
    words = [np.full(1, value, np.uint32) for value in _address(seed, cell)]
    with np.errstate(over="ignore"):
        pool, constant = _mix_entropy(words)
    return np.concatenate(pool), constant


def _address(seed: int, cell: Sequence[int]) -> tuple[int, ...]:
    return seed & 0xFFFFFFFF, seed >> 32, 0, 0, *cell


def _mix_entropy(words: list[NDArray[np.uint32]]) -> tuple[list[NDArray[np.uint32]], int]:
    constant = _INIT_A

    def hashed(value: NDArray[np.uint32]) -> NDArray[np.uint32]:
        nonlocal constant
        value = value ^ np.uint32(constant)
        constant = constant * _MULT_A & 0xFFFFFFFF
        value = value * np.uint32(constant)
        return value ^ (value >> _SHIFT)

    def mixed(x: NDArray[np.uint32], y: NDArray[np.uint32]) -> NDArray[np.uint32]:
        result: NDArray[np.uint32] = _MIX_L * x - _MIX_R * y
        return result ^ (result >> _SHIFT)

    pool = [hashed(value) for value in words[:_POOL]]
    for source in range(_POOL):
        for target in range(_POOL):
            if source != target:
                pool[target] = mixed(pool[target], hashed(pool[source]))
    for value in words[_POOL:]:
        for target in range(_POOL):
            pool[target] = mixed(pool[target], hashed(value))
    return pool, constant


def _generate_words(pool: list[NDArray[np.uint32]], count: int) -> list[NDArray[np.uint32]]:
    constant, out = _INIT_B, []
    for place in range(count):
        value = pool[place % _POOL] ^ np.uint32(constant)
        constant = constant * _MULT_B & 0xFFFFFFFF
        value = value * np.uint32(constant)
        out.append(value ^ (value >> _SHIFT))
    return out


def _sfc64_states(words: list[NDArray[np.uint32]]) -> NDArray[np.uint64]:
    a, b, c = (words[i].astype(np.uint64) | words[i + 1].astype(np.uint64) << _U32 for i in (0, 2, 4))
    counter = np.uint64(1)
    for _ in range(12):  # as SFC64 warms up
        _, a, b, c = _sfc64(a, b, c, counter)
        counter += _ONE
    return np.stack([a, b, c, np.full_like(a, counter)], axis=1)
