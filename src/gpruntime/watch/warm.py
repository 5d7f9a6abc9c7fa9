"""The engine made ready before anyone asks: its kernels are compiled or loaded, one after the other, in a thread.

Compiling takes seconds, once on a machine, and cannot be interrupted; so no request may be the one that does it.
"""

from __future__ import annotations

import asyncio
import threading

from gpruntime.engine.execute import run_many
from gpruntime.model.spec import RunSpec
from gpruntime.watch.recording import Recording

_KERNELS = [(method, problem) for method in ("stepping", "skipping") for problem in ("order", "majority")]


class Warmth:
    """Which kernels are ready. Made in the server's loop; `begin` starts the thread."""

    def __init__(self) -> None:
        self._ready = {kernel: asyncio.Event() for kernel in _KERNELS}
        self._loop = asyncio.get_running_loop()

    def begin(self) -> None:
        """Makes all ready, one after the other. The end of the server does not wait for it: hence a daemon."""
        threading.Thread(target=self._make, daemon=True).start()

    def _make(self) -> None:
        for method, problem in _KERNELS:
            _warm(method, problem)
            try:
                self._loop.call_soon_threadsafe(self._ready[method, problem].set)
            except RuntimeError:  # the loop has ended
                return

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
