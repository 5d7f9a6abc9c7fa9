"""A chunk: about a second of work, from the plan to a worker and back as the bytes of a shard."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from gpruntime.engine import method_for, run_many
from gpruntime.engine.cache import say_once
from gpruntime.engine.columns import OUTCOME, OUTCOMES, Columns
from gpruntime.engine.summary import RunsSummary
from gpruntime.gpu import DeviceFailed, summarise_runs, why_not
from gpruntime.model.errors import BadInput, BadPart
from gpruntime.model.run import Outcome
from gpruntime.model.spec import RunSpec
from gpruntime.study import summaries
from gpruntime.study.cell import Tally
from gpruntime.study.provenance import source_hash
from gpruntime.study.shard import Finished, Piece, encode

Made = TypeVar("Made")
_BATCHES = 8  # a piece is computed in this many parts, so that one that takes too long can be cut short between them


@dataclass(frozen=True)
class Part:
    """The runs first … first + count − 1 of a spec, with data of its problem that have this digest."""

    spec: RunSpec
    first: int
    count: int
    data: str | None = None


@dataclass(frozen=True)
class Chunk:
    """What a worker is asked to compute.

    Attributes:
        parts: the runs.
        seed, method, improvements, device: as in the plan.
        extremes: as in the plan, if summaries are asked for: then there is one part. None for rows.
        timeout: after this many seconds the worker returns what it has; the rest is asked for again.
        sources: the digest of the sources that are to compute it.
    """

    parts: tuple[Part, ...]
    seed: int
    method: str
    improvements: bool
    timeout: float
    sources: str
    device: str = "cpu"
    extremes: int | None = None


@dataclass(frozen=True)
class Computed:
    """What a worker returns.

    Attributes:
        content: a shard's bytes; none if nothing was finished.
        finished: its pieces, which may be fewer runs than were asked for.
        failed: cells in whose runs an error arose, with its words.
    """

    content: bytes
    finished: tuple[Finished, ...]
    failed: dict[str, str]

    @property
    def pieces(self) -> list[Piece]:
        """What the shard is made of."""
        return [finished.piece for finished in self.finished]


def compute(chunk: Chunk) -> Computed:
    """Computes a chunk: at least one batch of it, and no further ones after its timeout."""
    if chunk.sources != source_hash():
        why = f"a worker's sources have the digest {source_hash()}, the study's {chunk.sources}"
        return Computed(b"", (), {part.spec.cell_id: why for part in chunk.parts})
    if chunk.extremes is not None:
        return _summarised(chunk, chunk.parts[0], chunk.extremes)
    tables: list[pa.Table] = []
    finished, failed = [], {}
    end = time.monotonic() + chunk.timeout
    for part in chunk.parts:
        tally, seconds, data = Tally(), 0.0, None
        try:
            data, method, on_gpu = _made_ready(part, chunk)
            batch = part.count if on_gpu else math.ceil(part.count / _BATCHES)
            while tally.runs < part.count and (not tables or time.monotonic() < end):
                first = part.first + tally.runs
                numbers = np.arange(first, min(first + batch, part.first + part.count))
                begun = time.perf_counter()
                ask = partial(run_many, part.spec, seed=chunk.seed, runs=numbers, device="gpu")
                columns: Columns | None = _on_gpu(ask) if on_gpu else None
                if columns is None:
                    columns = _run_here(
                        part.spec, seed=chunk.seed, runs=numbers, method=method, improvements=chunk.improvements
                    )
                seconds += time.perf_counter() - begun
                tables.append(columns.to_arrow((time.perf_counter() - begun) / len(numbers)))
                optimal = columns.table[:, OUTCOME] == OUTCOMES.index(Outcome.OPTIMUM)
                tally.add(Tally.of(columns.evaluations, optimal))
        except Exception as error:
            failed[part.spec.cell_id] = f"{type(error).__name__}: {error}"
        if tally.runs > 0:
            finished.append(Finished(Piece(part.spec.cell_id, part.first, tally.runs), tally, seconds, data))
    if not finished:
        return Computed(b"", (), failed)
    table = pa.concat_tables(tables, promote_options="default").unify_dictionaries().combine_chunks()
    return Computed(encode(table, [done.piece for done in finished], chunk.seed), tuple(finished), failed)


def _made_ready(part: Part, chunk: Chunk) -> tuple[str | None, str, bool]:
    """The digest of its problem's data, how its runs are made, and whether on a GPU; what they need is compiled."""
    spec = part.spec
    data, method = _data_digest(part), study_method(spec, chunk.method, chunk.device)
    key = (spec.problem.id, method, spec.operator.id, spec.representation.id, spec.has_population)
    if key not in _compiled:  # or loaded, so that this is not taken for the cost of the runs
        _run_here(spec.replace(budget=1), method=method)
        _compiled.add(key)
    return data, method, is_on_gpu(spec, chunk.device)


def _run_here(spec: RunSpec, **more: Any) -> Columns:
    """Runs on this core: a study has a worker for each."""
    return run_many(spec, workers=1, **more)


_compiled: set[tuple[str, str, str, str, bool]] = set()


def _data_digest(part: Part) -> str | None:
    """The digest of its problem's data; raises `BadPart` if they are others here than where the study is run."""
    problem, n = part.spec.problem, part.spec.n
    digest = problem.data_digest(n)
    if digest != part.data:
        must = "data must depend on n and the parameters alone"
        raise BadPart(problem.field, problem.id, f"has other data for n = {n} in a worker than in the study: {must}")
    return digest


def is_on_gpu(spec: RunSpec, device: str) -> bool:
    """Whether a GPU makes the runs of a spec, in a study on this device."""
    return device == "gpu" and why_not(spec) is None


def study_method(spec: RunSpec, method: str, device: str) -> str:
    """How a study with this method and device makes runs of a spec: stepping or skipping."""
    usual = "stepping" if device == "gpu" else None
    return method_for(spec, usual if method == "auto" else method)


def _summarised(chunk: Chunk, part: Part, extremes: int) -> Computed:
    """The runs of a part, added up, by a GPU or here: all of them, since what a part holds is fixed."""
    spec, runs, summary = part.spec, range(part.first, part.first + part.count), None
    try:
        data, method, on_gpu = _made_ready(part, chunk)
        begun = time.perf_counter()
        if on_gpu:
            summary = _on_gpu(lambda: summarise_runs(spec, chunk.seed, runs, extremes))
        if summary is None:
            summary = RunsSummary(spec, chunk.seed, part.first)
            size = math.ceil(part.count / _BATCHES)
            for numbers in (runs[at : at + size] for at in range(0, part.count, size)):
                summary.add(
                    _run_here(spec, seed=chunk.seed, runs=numbers, method=method).table, numbers.start, extremes, np
                )
        seconds = time.perf_counter() - begun
    except Exception as error:
        return Computed(b"", (), {spec.cell_id: f"{type(error).__name__}: {error}"})
    piece = Piece(spec.cell_id, part.first, part.count)
    return Computed(summaries.encode(summary), (Finished(piece, summaries.tally_of(summary), seconds, data),), {})


def _on_gpu(made: Callable[[], Made]) -> Made | None:
    """What a GPU makes; None if it fails, which is reported once: then the engine makes the runs, the same ones."""
    try:
        return made()
    except (DeviceFailed, BadInput) as error:
        say_once(f"runs of the study are made by this processor: {error}")
        return None
