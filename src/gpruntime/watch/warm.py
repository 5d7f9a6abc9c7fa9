"""The engine made ready before anyone asks: its kernels are compiled or loaded, one after the other, in a thread.

Compiling takes seconds, once on a machine, and cannot be interrupted; so no request may be the one that does it.
"""

from __future__ import annotations

import asyncio

from gpruntime.engine.execute import run_many
from gpruntime.model.spec import RunSpec
from gpruntime.watch.recording import Recording

_KERNELS = [(method, problem) for method in ("stepping", "skipping") for problem in ("order", "majority")]


class Warmth:
    """Which kernels are ready."""

    def __init__(self) -> None:
        self._ready = {kernel: asyncio.Event() for kernel in _KERNELS}

    async def make(self) -> None:
        """Makes all ready."""
        for method, problem in _KERNELS:
            await asyncio.to_thread(_warm, method, problem)
            self._ready[method, problem].set()

    def is_ready(self, method: str, problem: str) -> bool:
        """Whether a job with this kernel can begin at once."""
        return self._ready[method, problem].is_set()

    async def wait(self, method: str, problem: str) -> None:
        """Returns when it can."""
        await self._ready[method, problem].wait()


def _warm(method: str, problem: str) -> None:
    if method == "stepping":
        Recording(RunSpec(problem=problem, algorithm="gp-single", n=2, budget=10), 0, 0).advance()
        run_many(RunSpec(problem=problem, algorithm="gp-single", n=2), method=method)
    else:
        run_many(RunSpec(problem=problem, algorithm="gpstar-single", n=2), method=method)
