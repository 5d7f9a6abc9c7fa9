"""Binomial numbers from the run's own stream, for any size of n: the kinds of millions of skipped proposals at once.

Inversion where n·p is small, otherwise Hörmann's transformed rejection BTRS (1993), exact up to the rounding of
doubles. With a standard deviation above 10⁶ that rounding is worse than the normal distribution, whose error is then
below 10⁻⁶.
"""

from __future__ import annotations

import math

import numpy as np

from gpruntime.engine.kernel import helper
from gpruntime.engine.random import uniform

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
