"""Many runs of one spec, compiled: spec and run numbers in, columns out."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.cache import CODE
from gpruntime.engine.columns import FITNESS, Columns, row_of, width_of
from gpruntime.engine.forms import form_of, why_not
from gpruntime.engine.guard import guarded, say_once
from gpruntime.engine.hopeful import plan_of
from gpruntime.engine.improvements import IMPROVEMENT_WIDTH, Improvements, improvements_of
from gpruntime.engine.law import drawing_of, law_of, least_gains, sizes_of
from gpruntime.engine.memory import record
from gpruntime.engine.own import PartFailed, desk_of
from gpruntime.engine.pool import Pool
from gpruntime.engine.random import seed_states
from gpruntime.engine.score import fitness_of
from gpruntime.engine.trace import (
    DONE,
    GROW_POOL,
    GROW_TREE,
    LOG_WIDTH,
    NOTED,
    ROW,
    STAND_WIDTH,
    TRACE_FULL,
    TRACE_WIDTH,
    TRACED,
)
from gpruntime.model.errors import BadInput, known, whole
from gpruntime.model.run import run_of
from gpruntime.model.spec import RunSpec
from gpruntime.model.stream import MOST_RUN, MOST_SEED

METHODS = ("stepping", "skipping")
Progress = Callable[[int, int], None]

_SLICE = 1_000_000  # offspring: a fraction of a second, at n = 10⁶ too
_TRACE_ROWS = 65_536
_IMPROVEMENT_ROWS = 65_536


def unsupported(spec: RunSpec) -> str | None:
    """Why the engine cannot run this spec, or None if it can."""
    if spec.search_ is not None:
        return f"{spec.search_.name} is an algorithm of your own: the model runs it"
    if spec.family is not None and spec.operator != "hvl-prime":
        return f"{spec.algorithm_.name} is compiled for hvl-prime: the model runs it"
    if spec.family is not None and not spec.primitives.is_binary:
        return f"{spec.algorithm_.name} is compiled for functions of two arguments: the model runs it"
    if spec.operator_.is_own:
        return f"{spec.operator_.name} is an operator of your own: the model runs it"
    if not spec.problem_.is_loaded:
        return None  # what runs it says so
    weighs = spec.accept_.is_own and spec.accept_.is_loaded and spec.problem_.is_real(spec.n)
    most = spec.operations_.most
    if weighs and not all(spec.accept_.goes_by_sign(growth) for growth in range(-most, most + 1)):
        return f"{spec.accept_.name} weighs gains, and the engine only orders floats: the model runs it"
    if spec.problem_.is_own and spec.proof is not None and most > 1:
        return f"only the model can ask {spec.problem_.name} for its proof of stuck: the model runs it"
    why = why_not(spec)
    return None if why is None else f"{spec.problem_.name} is outside Numba's subset ({why}): the model runs it"


def method_for(spec: RunSpec, method: str | None = None) -> str:
    """The method to use: the one asked for, or skipping where it exists (strict acceptance, HVL-Prime)."""
    if method is None:
        return "skipping" if spec.can_skip else "stepping"
    known("method", method, METHODS)
    if method == "skipping" and not spec.can_skip:
        raise BadInput("method", method, "needs an algorithm that accepts improvements only, and hvl-prime")
    return method


def run_many(
    spec: RunSpec,
    seed: int = 0,
    runs: int | Iterable[int] = 1,
    method: str | None = None,
    progress: Progress | None = None,
    improvements: bool = False,
    device: str = "cpu",
) -> Columns:
    """Runs of one spec: `runs` is how many (then they are numbered from 0), or their numbers.

    Where the engine cannot run the spec (`unsupported`), the model does. `progress` is called a few times a second
    with the number of runs that have ended and the evaluations of those and the present one. Ctrl-C stops within a
    second. With `improvements` the columns also say when each run reached each new best fitness.

    `device` is "cpu", "gpu", or "auto" for whichever suits the job. A GPU makes every proposal (stepping), and the very
    same runs as this processor does.
    """
    whole("seed", seed, 0, MOST_SEED)
    spec.require_parts()
    numbers = _numbers(runs)
    if device != "cpu":
        gpu = importlib.import_module("gpruntime.gpu")  # downstream of this folder: looked up by name, when asked
        if gpu.device_for(spec, len(numbers), device, method, improvements) == "gpu":
            table, name, _ = gpu.run_on_gpu(spec, seed, numbers, progress)
            return Columns(spec, seed, numbers, "stepping", table, device=name)
    chosen = method_for(spec, method)
    if (why := unsupported(spec)) is not None:
        say_once(why)
        return _by_the_model(spec, seed, numbers, chosen, progress, improvements)
    execution = Execution(spec, seed, numbers, chosen, improvements=improvements)
    while not execution.done:
        execution.slice()
        if progress is not None:
            progress(execution.ended, execution.evaluations())
    return Columns(spec, seed, numbers, chosen, execution.out, execution.improvements())


def _by_the_model(
    spec: RunSpec, seed: int, numbers: NDArray[np.int64], method: str, progress: Progress | None, improvements: bool
) -> Columns:
    rows: list[list[int]] = []
    noted: list[tuple[int, int, int, int]] = []
    for number in numbers.tolist():
        run = run_of(spec, seed, number)
        if improvements:
            noted.extend(improvements_of(run, len(rows)))
        rows.append(row_of(run.result()))
        if progress is not None:
            progress(len(rows), sum(row[1] for row in rows))
    found = np.array(noted, np.int64).reshape(-1, IMPROVEMENT_WIDTH)
    return Columns(
        spec,
        seed,
        numbers,
        method,
        np.array(rows, np.int64).reshape(-1, width_of(spec)),
        Improvements.from_rows(found, len(numbers), spec) if improvements else None,
    )


def _numbers(runs: int | Iterable[int]) -> NDArray[np.int64]:
    if isinstance(runs, int):
        return np.arange(whole("runs", runs, 0, MOST_RUN), dtype=np.int64)
    numbers = np.array(list(runs) if not isinstance(runs, np.ndarray) else runs)
    if numbers.size == 0:
        return np.zeros(0, np.int64)
    if numbers.dtype.kind not in "iu" or numbers.ndim != 1 or numbers.min() < 0 or numbers.max() > MOST_RUN:
        raise BadInput("runs", str(runs), f"must be a number of runs, or run numbers from 0 to {MOST_RUN}")
    return numbers.astype(np.int64)


class Execution:
    """Runs under way. Call `slice` until `done`.

    Attributes:
        out: the table of results, one row a run.
        done: whether all runs have ended.
    """

    def __init__(
        self,
        spec: RunSpec,
        seed: int,
        numbers: NDArray[np.int64],
        method: str,
        tracing: bool = False,
        improvements: bool = False,
    ) -> None:
        if (why := unsupported(spec)) is not None:
            raise BadInput("method", method, f"there is no compiled run: {why}")
        if tracing and spec.has_population:
            raise BadInput("algorithm", spec.algorithm, "is no (1+1) GP, and has no steps to see")
        self.spec = spec
        form = form_of(spec, method)
        self._form = form
        self._desk = desk_of(spec.problem_, spec.n)
        address = form.own.address if form.own is not None else 0
        self.law = law_of(spec, form.tries, tracing, address, self._desk.ctypes.data)
        self.state = form.state(self.law)
        self.seeds, self.rng = seed_states(seed, spec.cell, numbers), np.zeros(4, np.uint64)
        self._drawing, self._plan = drawing_of(spec, form.planted), plan_of(sizes_of(spec))
        self._log = self._empty_log()
        self.out = np.zeros((len(numbers), width_of(spec)), np.int64)
        self.stand = np.zeros(STAND_WIDTH, np.int64)
        self._tracing = tracing
        self._trace: NDArray[np.int64] | None = None  # made when it is first needed: a checkpoint needs none
        self._improvements = np.zeros((_IMPROVEMENT_ROWS if improvements else 0, IMPROVEMENT_WIDTH), np.int64)
        self._noted: list[NDArray[np.int64]] = []
        self.done = len(numbers) == 0

    def _empty_log(self) -> NDArray[np.int64]:
        """Room for the operations of an offspring, and the least gains behind it."""
        fall = self.state.room if self._form.subtrees else self.law.most
        return np.concatenate([np.zeros(self.law.most * LOG_WIDTH, np.int64), least_gains(self.spec, fall)])

    def fork(self) -> Execution:
        """The same runs from where they stand, on their own from here on: a checkpoint."""
        twin = copy.copy(self)
        twin.state, twin.rng, twin._plan = self.state.copy(), self.rng.copy(), self._plan.copy()
        twin.out, twin.stand, twin._trace = self.out.copy(), self.stand.copy(), None
        twin._improvements, twin._noted = self._improvements.copy(), list(self._noted)
        return twin

    @property
    def is_planted(self) -> bool:
        """Whether the state holds the shape of the tree."""
        return self._form.planted

    @property
    def ended(self) -> int:
        """How many runs have ended."""
        return int(self.stand[ROW])

    def evaluations(self) -> int:
        """Evaluations so far, of the runs that have ended and the present one."""
        return int(self.out[: self.ended + 1, 1].sum())

    def bytes(self) -> int:
        """What the arrays of the present run take."""
        return self.state.bytes() + self._drawing.nbytes + self._log.nbytes + self._plan.nbytes

    def improvements(self) -> Improvements | None:
        """The improvements so far, if they were asked for."""
        if len(self._improvements) == 0:
            return None
        return Improvements.from_rows(np.concatenate([self._improvements[:0], *self._noted]), len(self.out), self.spec)

    def _call(self, *args: Any) -> int:
        """Calls the kernel. A user's function may raise, or never end: then the kernel does, and Ctrl-C must work."""
        kernel, own = self._form.kernel, self._form.own
        name = f"{self._form.name}_{len(self.law.arities)}"  # Numba compiles for each length

        def call() -> int:
            try:
                return CODE.call(name, kernel, *args)
            except PartFailed:
                assert own is not None
                own.raise_again(self.spec.problem_, self._desk, self.spec.n)
                raise

        return guarded(self.spec.problem_, call) if self.spec.problem_.is_own else call()

    def _numbers(self) -> tuple[Any, Any]:
        """`law` and `at`. Skipping reads few of the many numbers of `at` in a long step, so they come as a record."""
        return record(self.law), record(self.state.at) if self._form.skips else self.state.at

    def slice(self, offspring: int | None = None) -> NDArray[np.int64]:
        """Goes on for at most this number of offspring; returns the trace of them, if there is to be one."""
        if offspring is None:  # a fraction of a second's, also where an offspring takes time in proportion to its size
            offspring = max(_SLICE // max(self.law.planted, 1), 1) if self._form.linear else _SLICE
        if self._trace is None:
            rows = _TRACE_ROWS + self.law.most * self.law.fresh if self._tracing else 0
            self._trace = np.zeros((rows, TRACE_WIDTH), np.int64)
        state = self.state
        reason = self._call(
            *self._numbers(),
            state.cells,
            state.wide,
            state.tiny,
            self._drawing,
            self.seeds.reshape(-1),
            self.rng,
            self._plan.reshape(-1),
            self._log,
            self.out.reshape(-1),
            self.stand,
            self._trace.reshape(-1),
            self._improvements.reshape(-1),
            state.room,
            offspring,
        )
        if reason == GROW_TREE:
            state.grow()
            self._log = self._empty_log() if self._form.subtrees else self._log
        elif reason == GROW_POOL:
            assert isinstance(state, Pool)
            state.grow_pool()
        if self.spec.problem_.is_own and (self.out[: self.ended + 1, FITNESS] > self.law.best).any():
            self.spec.problem_.check(fitness_of(self.out[: self.ended + 1, FITNESS], self.spec).max(), self.spec.n)
        self.done = reason == DONE
        if self.stand[NOTED] > 0:
            self._noted.append(self._improvements[: self.stand[NOTED]].copy())
            self.stand[NOTED] = 0
        traced = self._trace[: self.stand[TRACED]].copy()
        self.stand[TRACED] = 0
        assert reason != TRACE_FULL or len(traced) > 0
        return traced
