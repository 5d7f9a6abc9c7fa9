"""The engine made ready before anyone asks: its kernels are compiled or loaded, one after the other, in a thread.

Compiling takes seconds, once on a machine, and cannot be interrupted; so no request may be the one that does it. What
the form shows is made ready from the beginning, everything else when it is first asked for, and waited for.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Sequence

from gpruntime.engine.execute import METHODS, run_many
from gpruntime.model.errors import BadInput
from gpruntime.model.problem import Problem
from gpruntime.model.problems import PROBLEMS
from gpruntime.model.spec import RunSpec
from gpruntime.watch.recording import Recording
from gpruntime.watch.source import method_of, needs_model

Kernel = tuple[str, str, str, str, str]  # what chooses one: the method, the problem, the operator, rule and family


class Warmth:
    """Which kernels are ready. Made in the server's loop; `begin` starts the thread."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self._ready: dict[Kernel, asyncio.Event] = {}
        self._waiting: queue.Queue[tuple[Kernel, RunSpec]] = queue.Queue()
        self._loop = asyncio.get_running_loop()
        for method in METHODS:
            for problem in problems:
                self._event(_spec(method, problem), method)

    def begin(self) -> None:
        """Makes all ready, one after the other. The end of the server does not wait for it: hence a daemon."""
        threading.Thread(target=self._make, daemon=True).start()

    def _make(self) -> None:
        while True:
            kernel, spec = self._waiting.get()
            with contextlib.suppress(Exception):  # whoever waits for it will meet the same, and say it
                _warm(kernel[0], spec)
            try:
                self._loop.call_soon_threadsafe(self._ready[kernel].set)
            except RuntimeError:  # the loop has ended
                return

    def _event(self, spec: RunSpec, method: str) -> asyncio.Event:
        family = "" if spec.family is None else spec.family.id
        kernel = method, spec.problem.id, spec.operator.id, spec.accept.id, family
        if kernel not in self._ready:
            self._ready[kernel] = asyncio.Event()
            self._waiting.put((kernel, spec))
        return self._ready[kernel]

    def is_ready(self, spec: RunSpec, method: str | None = None) -> bool:
        """Whether a job with this spec can begin at once."""
        return self._event(spec, method or _method(spec)).is_set()

    def end(self) -> None:
        """The server ends: nobody waits any longer."""
        for event in self._ready.values():
            event.set()

    async def wait(self, spec: RunSpec, method: str | None = None) -> None:
        """Returns when it can."""
        await self._event(spec, method or _method(spec)).wait()


def _stand_in(spec: RunSpec) -> RunSpec | None:
    """The same with a problem of ours that has the same loop: a user's own function may never end."""
    own = spec.problem
    for problem in PROBLEMS.values():
        if problem.can_skip or (problem.sees, bool(problem.arities)) != (own.sees, bool(own.arities)):
            continue
        for n in (2, 3):
            with contextlib.suppress(BadInput):
                return spec.replace(problem=problem.id, n=n, init="unity", budget=10)
    return None


def _method(spec: RunSpec) -> str:
    """How many runs of it are made; not asked of the engine, which might have to compile for the answer."""
    return "skipping" if spec.can_skip else "stepping"


def _spec(method: str, problem: Problem) -> RunSpec:
    algorithm = "gpstar-single" if method == "skipping" else "gp-single"
    return RunSpec(problem=problem.id, algorithm=algorithm, n=2, budget=10)


def _warm(method: str, spec: RunSpec) -> None:
    if needs_model(spec):  # to answer that, a problem's function has been compiled
        return
    stand_in = _stand_in(spec) if spec.problem.is_own else spec.replace(budget=10)
    if stand_in is None:
        return
    spec = stand_in
    if method == "stepping":
        Recording(spec, 0, 0).advance()
    elif method_of(spec) == method:
        run_many(spec, method=method)
