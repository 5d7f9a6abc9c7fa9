"""The engine made ready before anyone asks: its kernels are compiled or loaded, one after the other, in a thread.

Compiling takes seconds, once on a machine, and cannot be interrupted; so no request may be the one that does it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

from gpruntime.engine.execute import METHODS, run_many
from gpruntime.model.problem import Problem
from gpruntime.model.spec import RunSpec
from gpruntime.watch.recording import Recording
from gpruntime.watch.source import method_of, needs_model


class Warmth:
    """Which kernels are ready. Made in the server's loop; `begin` starts the thread."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self._kernels = [(method, _base(problem.id)) for method in METHODS for problem in problems]
        self._ready = {kernel: asyncio.Event() for kernel in self._kernels}
        self._loop = asyncio.get_running_loop()

    def begin(self) -> None:
        """Makes all ready, one after the other. The end of the server does not wait for it: hence a daemon."""
        threading.Thread(target=self._make, daemon=True).start()

    def _make(self) -> None:
        for method, problem in self._kernels:
            _warm(method, problem)
            try:
                self._loop.call_soon_threadsafe(self._ready[method, problem].set)
            except RuntimeError:  # the loop has ended
                return

    def is_ready(self, spec: RunSpec, method: str | None = None) -> bool:
        """Whether a job with this spec can begin at once."""
        return needs_model(spec) or self._ready[method or method_of(spec), _base(spec.problem)].is_set()

    async def wait(self, spec: RunSpec, method: str | None = None) -> None:
        """Returns when it can."""
        if not needs_model(spec):
            await self._ready[method or method_of(spec), _base(spec.problem)].wait()


def _base(problem: str) -> str:
    """Its id without parameters."""
    return problem.partition(":")[0]


def _warm(method: str, problem: str) -> None:
    algorithm = "gpstar-single" if method == "skipping" else "gp-single"
    spec = RunSpec(problem=problem, algorithm=algorithm, n=2, budget=10)
    if needs_model(spec):
        return
    if method == "stepping":
        Recording(spec, 0, 0).advance()
    run_many(spec, method=method)
