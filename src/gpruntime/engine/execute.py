"""Many runs of one spec, compiled: spec and run numbers in, columns out."""

from __future__ import annotations

import copy
import dataclasses
import importlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.engine.cache import CODE, say_once
from gpruntime.engine.columns import (
    FITNESS,
    IMPROVEMENT,
    RESULT,
    Columns,
    Improvements,
    improvements_of,
    row_of,
    width_of,
)
from gpruntime.engine.cores import WORTH_PROCESSES, WORTH_THREADS, Made, Threads, by_the_model
from gpruntime.engine.dispatch import form_of, why_not
from gpruntime.engine.initial import planting_of
from gpruntime.engine.jit import PLAIN
from gpruntime.engine.params import fitness_of, min_gains, operations_law, record_of
from gpruntime.engine.populations import PopulationMemory
from gpruntime.engine.random import seed_states
from gpruntime.engine.rejection_free import plan_of
from gpruntime.engine.run_state import CURSOR, DONE, GROW_POOL, GROW_TREE, LOG, TRACE, TRACE_FULL, Run
from gpruntime.engine.tree_memory import record, records
from gpruntime.engine.user_function import PartFailed, frame_of, guarded
from gpruntime.model.errors import BadInput, known, whole
from gpruntime.model.run import run_of
from gpruntime.model.spec import RunSpec, a_spec
from gpruntime.model.stream import MAX_RUN, MAX_SEED
from gpruntime.processes import is_a_worker, number_of_workers
from gpruntime.progress import RunProgress, Shown, telling

METHODS = ("stepping", "skipping")

_SLICE = 1_000_000  # offspring: a fraction of a second, at n = 10⁶ too
_TRACE_ROWS = 65_536
_IMPROVEMENT_ROWS = 65_536


def unsupported(spec: RunSpec) -> str | None:
    """Why the engine cannot run this spec, or None if it can."""
    if spec.search is not None:
        return f"{spec.search.name} is an algorithm of your own: the model runs it"
    if spec.family is not None and not spec.family.is_compiled:
        return f"{spec.algorithm.name} is not compiled: the model runs it"
    if spec.family is not None and spec.operator.id != "hvl-prime":
        return f"{spec.algorithm.name} is compiled for hvl-prime: the model runs it"
    if spec.family is not None and spec.representation.is_tree and not spec.primitives.is_binary:
        return f"{spec.algorithm.name} is compiled for functions of two arguments: the model runs it"
    if spec.operator.is_own:
        return f"{spec.operator.name} is an operator of your own: the model runs it"
    if not spec.problem.is_loaded:
        return None  # what runs it says so
    weighs = spec.accept.is_own and spec.accept.is_loaded and spec.problem.is_real(spec.n)
    most = spec.operations.most
    if weighs and not all(spec.accept.goes_by_sign(growth) for growth in range(-most, most + 1)):
        return f"{spec.accept.name} weighs gains, and the engine only orders floats: the model runs it"
    if spec.problem.is_own and spec.proof is not None and most > 1:
        return f"only the model can ask {spec.problem.name} for its proof of stuck: the model runs it"
    why = why_not(spec)
    return None if why is None else f"{spec.problem.name} is outside Numba's subset ({why}): the model runs it"


def method_for(spec: RunSpec, method: str | None = None) -> str:
    """The method to use: the one asked for, or skipping where it exists (strict acceptance, HVL-Prime)."""
    if method is None:
        return "skipping" if spec.can_skip else "stepping"
    known("method", method, METHODS)
    if method == "skipping" and not spec.can_skip:
        needs = (
            "needs an algorithm that accepts improvements only, hvl-prime without substitute = functions, and a problem"
        )
        needs += " that counts expressed variables"
        raise BadInput("method", method, needs)
    return method


def run_many(
    spec: RunSpec,
    *,
    seed: int = 0,
    runs: int | Iterable[int] = 1,
    method: str | None = None,
    progress: Shown = None,
    improvements: bool = False,
    device: str = "cpu",
    workers: int | None = None,
) -> Columns:
    """Runs of one spec: `runs` is how many (then they are numbered from 0), or their numbers.

    Where the engine cannot run the spec (`unsupported`), the model does. `progress` is called a few times a second
    with the number of runs that have ended and the evaluations of those and the ones under way; True shows a bar.
    Ctrl-C stops within a second. With `improvements` the columns also say when each run reached each new best fitness.

    `workers` is how many cores make the runs, −1 for all; left out, all as soon as that is worth it. The runs are the
    same for any number.

    `device` is "cpu", "gpu", or "auto" for whichever suits the job. A GPU makes every proposal (stepping), and the very
    same runs as this processor does.
    """
    spec = a_spec(spec)
    seed = whole("seed", seed, 0, MAX_SEED)
    spec.require_parts()
    numbers, chosen = _numbers(runs), method_for(spec, method)
    cores = 1 if workers is None and (PLAIN or is_a_worker()) else number_of_workers(workers)
    with telling(progress, lambda: RunProgress(len(numbers), spec.budget, asked=True)) as tell:
        if device != "cpu":
            gpu = importlib.import_module("gpruntime.gpu")  # downstream of this folder: looked up by name, when asked
            if gpu.device_for(spec, len(numbers), device, method, improvements) == "gpu":
                table, name, _ = gpu.run_on_gpu(spec, seed, numbers, tell)
                return Columns(spec, seed, numbers, "stepping", table, device=name)
        if (why := unsupported(spec)) is not None:
            say_once(why)
            patience = WORTH_PROCESSES if workers is None else 0.0
            words = (spec, seed, improvements)
            rows, noted = by_the_model(_made, words, numbers, 1 if is_a_worker() else cores, patience, tell)
            table = np.array(rows, np.int64).reshape(-1, width_of(spec))
            notes = [np.array(noted, IMPROVEMENT)]
        else:

            def begin(some: NDArray[np.int64]) -> Execution:
                return Execution(spec, seed, some, chosen, improvements=improvements)

            threads = Threads(numbers, width_of(spec), cores, begin)
            threads.run(tell, WORTH_THREADS if workers is None else 0.0)
            table, notes = threads.table, [threads.noted[first] for first in sorted(threads.noted)]
    improved = np.concatenate([np.zeros(0, IMPROVEMENT), *notes])
    found = Improvements.from_rows(improved, len(numbers), spec) if improvements else None
    return Columns(spec, seed, numbers, chosen, table, found)


def _made(numbers: NDArray[np.int64], spec: RunSpec, seed: int, improvements: bool) -> Made:
    """Runs of the model: their rows, and when they improved."""
    rows: list[list[int]] = []
    noted: list[tuple[int, int, int, int]] = []
    for number in numbers.tolist():
        run = run_of(spec, seed, number)
        if improvements:
            noted.extend(improvements_of(run, len(rows)))
        rows.append(row_of(run.result()))
    return rows, noted


def _numbers(runs: int | Iterable[int]) -> NDArray[np.int64]:
    if not isinstance(runs, Iterable):  # a number; one such as 1e3 is told in our words
        return np.arange(whole("runs", runs, 0, MAX_RUN), dtype=np.int64)
    numbers = np.array(list(runs) if not isinstance(runs, np.ndarray) else runs)
    if numbers.size == 0:
        return np.zeros(0, np.int64)
    if numbers.dtype.kind not in "iu" or numbers.ndim != 1 or numbers.min() < 0 or numbers.max() > MAX_RUN:
        raise BadInput("runs", str(runs), f"must be a number of runs, or run numbers from 0 to {MAX_RUN}")
    return numbers.astype(np.int64)


class Execution:
    """Runs under way. Call `slice` until `done`.

    Attributes:
        form, params, memory, run, seeds: what a kernel is made of and given: `dispatch` and `run_state` say what it is.
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
            raise BadInput("algorithm", spec.algorithm.id, "is no (1+1) GP, and has no steps to see")
        self.spec, self._tracing = spec, tracing
        self.form = form_of(spec, method)
        self._frame = frame_of(spec.problem, spec.n)
        address = self.form.function.address if self.form.function is not None else 0
        self.params = self.form.params(spec, tracing, address, self._frame.ctypes.data)
        self.memory = self.form.memory(spec, self.params)
        self._seed = seed
        operations = operations_law(spec)
        self.run = Run(
            rng=records(4, np.uint64),
            initial=planting_of(spec, self.form.has_shape),
            operations=operations,
            min_gain=np.zeros(0, np.int64),
            plan=plan_of(operations),
            log=records(self.params.max_operations, LOG),
            cursor=record(CURSOR),
            trace=records(0, TRACE),  # made when it is first needed: a checkpoint needs none
            improvements=records(_IMPROVEMENT_ROWS if improvements else 0, IMPROVEMENT),
        )
        self._make_rule()
        self.take(numbers)

    def take(self, numbers: NDArray[np.int64]) -> None:
        """Begins with these runs, in the memory of those before."""
        self.seeds = seed_states(self._seed, self.spec.cell, numbers)
        self._results = records(len(numbers), RESULT)
        self.run = self.run._replace(cursor=record(CURSOR))
        self._noted: list[NDArray[Any]] = []
        self.done = len(numbers) == 0

    def _make_rule(self) -> None:
        """Works out what is accepted, for all that an offspring can lose: a subtree may be as large as the tree."""
        fall = self.memory.room if self.form.subtrees else self.params.max_operations
        self.params = dataclasses.replace(self.params, max_shrink=fall)
        self.run = self.run._replace(min_gain=min_gains(self.spec, fall))

    def fork(self) -> Execution:
        """The same runs from where they stand, on their own from here on: a checkpoint."""
        twin = copy.copy(self)
        twin.memory, twin._results, twin._noted = self.memory.copy(), self._results.copy(), list(self._noted)
        twin.run = copy.deepcopy(self.run)._replace(trace=records(0, TRACE), initial=self.run.initial)
        return twin

    @property
    def out(self) -> NDArray[np.int64]:
        """The table of results, one row a run."""
        columns = np.asarray(self._results).view(np.int64).reshape(len(self._results), RESULT.itemsize // 8)
        return columns[:, : width_of(self.spec)]

    @property
    def cursor(self) -> Any:
        """Where the kernel stands (`run_state.CURSOR`)."""
        return self.run.cursor

    @property
    def ended(self) -> int:
        """How many runs have ended."""
        return int(self.cursor.row)

    def evaluations(self) -> int:
        """Evaluations so far, of the runs that have ended and the present one."""
        return int(self.out[: self.ended + 1, 1].sum())

    def bytes(self) -> int:
        """What the arrays of the present run take."""
        return int(self.memory.bytes() + sum(array.nbytes for array in (*self.run.initial, self.run.log)))

    def notes(self) -> NDArray[Any]:
        """The improvements so far, as kernels note them; none if they were not asked for."""
        return np.concatenate([np.zeros(0, IMPROVEMENT), *self._noted])

    def _call(self, *args: Any) -> int:
        """Calls the kernel. A user's function may raise, or never end: then the kernel does, and Ctrl-C must work."""
        kernel, function = self.form.kernel, self.form.function
        name = f"{self.form.name}_{len(self.params.arities)}"  # Numba compiles for each length

        def call() -> int:
            try:
                return CODE.call(name, kernel, *args)
            except PartFailed:
                assert function is not None
                function.raise_again(self.spec.problem, self._frame, self.spec.n)
                raise

        return guarded(self.spec.problem, call) if self.spec.problem.is_own else call()

    def slice(self, offspring: int | None = None) -> NDArray[Any]:
        """Goes on for at most this number of offspring; returns the trace of them, if there is to be one."""
        if offspring is None:  # a fraction of a second's, also where an offspring takes time in proportion to its size
            offspring = max(_SLICE // max(self.params.initial_leaves, 1), 1) if self.form.linear else _SLICE
        if self._tracing and len(self.run.trace) == 0:
            rows = _TRACE_ROWS + self.params.max_operations * self.params.max_new_leaves
            self.run = self.run._replace(trace=records(rows, TRACE))
        run, cursor, memory = self.run, self.cursor, self.memory
        cursor.steps, cursor.room = offspring, memory.room
        cursor.trace_room, cursor.note_room = len(run.trace), len(run.improvements)
        reason = self._call(record_of(self.params), memory.tree, run, self.seeds.reshape(-1), self._results)
        if reason == GROW_TREE:
            memory.grow()
            self._make_rule()
        elif reason == GROW_POOL:
            assert isinstance(memory, PopulationMemory)
            memory.add_slots()
        if self.spec.problem.is_own and (self.out[: self.ended + 1, FITNESS] > self.params.best).any():
            self.spec.problem.check(fitness_of(self.out[: self.ended + 1, FITNESS], self.spec).max(), self.spec.n)
        self.done = reason == DONE
        if cursor.noted > 0:
            self._noted.append(run.improvements[: cursor.noted].copy())
            cursor.noted = 0
        traced: NDArray[Any] = run.trace[: cursor.traced].copy()
        cursor.traced = 0
        assert reason != TRACE_FULL or len(traced) > 0
        return traced
