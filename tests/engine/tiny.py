"""Kernels that compile in no time, kept where the engine's kernels are."""

from __future__ import annotations

from gpruntime.engine.jit import kernel


@kernel
def twice(number):
    return 2 * number


@kernel
def thrice(number):
    return 3 * number
