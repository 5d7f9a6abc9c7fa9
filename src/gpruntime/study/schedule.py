"""Which runs are computed next: chunks of about a second, the longest runs first.

The cost of a run is measured as chunks come back; until then it is guessed from the nearest size of the same
setting, or a single run is tried. Towards the end chunks get smaller, so that all workers finish together. What is
computed never depends on any of this, only when. Where summaries are stored, a chunk is one part, which is fixed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gpruntime.model.spec_text import short
from gpruntime.study.cell import Cell, Tally
from gpruntime.study.chunk import Chunk, Computed, Part, is_on_gpu
from gpruntime.study.plan import Plan
from gpruntime.study.progress import CellProgress
from gpruntime.study.shard import Piece, Span, gaps
from gpruntime.study.summaries import part_end

CHUNK_SECONDS = 1.0
_MIN_SECONDS = 0.05
_TIMEOUT = 5.0  # times a chunk's seconds
_MAX_PARTS = 1000
_MAX_PROBES = 64
_MAX_STRIKES = 3
_DOUBT = 4.0  # a guessed cost may be far off: begin with fewer runs
_GUESSED_GROWTH = 1.5  # seconds ~ n^1.5, for sizes not yet measured


@dataclass
class CellState:
    """How far a cell has come.

    Attributes:
        target: how many runs it is to have, as far as its goal is known by now.
        missing: spans of runs below the target that nobody is computing.
        share: the runs that are ours to compute, when the study is split between machines.
        stored: spans of runs that were there at the beginning.
        tally: of the runs that are done.
        in_flight: runs that are being computed.
        seconds: wall time of the runs that were timed, `timed` many.
        strikes: how often in a row it failed, or was lost with a worker.
        failure: why it was given up.
        data: the digest of its problem's data.
    """

    cell: Cell
    target: int
    missing: list[Span]
    share: Span
    stored: list[Span]
    tally: Tally
    in_flight: int = 0
    seconds: float = 0.0
    timed: int = 0
    strikes: int = 0
    failure: str | None = None
    data: str | None = None

    def left(self) -> int:
        """Runs that nobody has begun."""
        return sum(end - first for first, end in self.missing) if self.failure is None else 0

    def outstanding(self) -> int:
        """Runs that are missing or under way."""
        return self.left() + self.in_flight


class Schedule:
    """The cells of a plan with what is done, under way and missing.

    `progress` says how far each cell has come, `done` which runs are stored. `part` = (i, k) takes the i-th of k shares
    of every cell's runs.
    """

    def __init__(
        self,
        plan: Plan,
        progress: Iterable[CellProgress],
        done: Mapping[str, list[Piece]],
        sources: str,
        part: Span = (1, 1),
    ) -> None:
        self._plan, self._sources = plan, sources
        self.states: dict[str, CellState] = {}
        for cell, tally, target, _ in progress:
            ceiling = cell.rule.ceiling
            share = (ceiling * (part[0] - 1) // part[1], ceiling * part[0] // part[1])
            stored = [(piece.first, piece.end) for piece in done.get(cell.id, [])]
            state = CellState(cell, target, [], share, stored, tally)
            state.missing = gaps(_span(state, 0), stored)
            state.data = cell.spec.problem.data_digest(cell.spec.n)
            self.states[cell.id] = state
        self._curves = {id_: short(state.cell.spec, but=("n",)) for id_, state in self.states.items()}
        self._costs: dict[str, float] = {}
        self._longest_first: list[CellState] = []
        self._remaining = 0.0
        self._fresh_until = 0.0

    # ---- what to do next

    def next_chunk(self, slots: int) -> Chunk | None:
        """The next chunk for one of this number of workers; None if there is nothing to begin now."""
        self._refresh()
        probes = self._untried(slots)
        if self._plan.summarised:
            waiting = probes[0] if probes else next((state for state in self._longest_first if state.left()), None)
            return None if waiting is None else self._chunk([self._take(waiting, 1)], CHUNK_SECONDS)
        if probes:
            return self._chunk([self._take(state, 1) for state in probes], CHUNK_SECONDS)
        seconds = min(CHUNK_SECONDS, max(_MIN_SECONDS, self._remaining / (3 * slots)))
        parts: list[Part] = []
        room = seconds
        for state in self._longest_first:
            if not state.missing or state.failure is not None:
                continue
            if state.strikes:  # alone, so that it takes no other with it
                if not parts:
                    return self._chunk([self._take(state, 1)], CHUNK_SECONDS)
                continue
            cost = self._costs[state.cell.id] * (1 if state.timed else _DOUBT)
            while state.missing and (not parts or room >= max(cost, seconds / 4)):
                parts.append(self._take(state, max(1, round(room / cost))))
                room -= parts[-1].count * cost
                self._remaining -= parts[-1].count * self._costs[state.cell.id]
            if room < seconds / 4 or len(parts) >= _MAX_PARTS:
                break
        return self._chunk(parts, seconds) if parts else None

    def _untried(self, slots: int) -> list[CellState]:
        """Of some settings of which no run has been timed or is under way, the largest size: one run each is tried."""
        largest: dict[str, CellState] = {}
        under_way = set()
        for id_, state in self.states.items():
            curve = self._curves[id_]
            if state.in_flight:
                under_way.add(curve)
            untried = id_ not in self._costs and state.left() and not state.strikes
            if untried and (curve not in largest or state.cell.spec.n > largest[curve].cell.spec.n):
                largest[curve] = state
        probes = [state for curve, state in largest.items() if curve not in under_way]
        probes.sort(key=lambda state: state.cell.spec.n, reverse=True)
        return probes[: max(1, min(_MAX_PROBES, len(probes) // (2 * slots)))]

    def _take(self, state: CellState, count: int) -> Part:
        """This number of runs; of a study that stores summaries a part of them, which is fixed."""
        first, end = state.missing[0]
        if self._plan.summarised:
            count = part_end(first, is_on_gpu(state.cell.spec, self._plan.device)) - first
        last = min(end, first + count)
        state.missing[:1] = [(last, end)] if last < end else []
        state.in_flight += last - first
        return Part(state.cell.spec, first, last - first, state.data)

    def _chunk(self, parts: list[Part], seconds: float) -> Chunk:
        plan = self._plan
        how = (plan.seed, plan.method, plan.improvements)
        extremes = plan.extremes if plan.summarised else None
        return Chunk(tuple(parts), *how, _TIMEOUT * seconds, self._sources, plan.device, extremes)

    def _refresh(self) -> None:
        """Works costs and order out again, unless that was a moment ago: a moment being long beside what it takes."""
        begun = time.monotonic()
        if begun < self._fresh_until:
            return
        self._costs = self._known_costs()
        known = [state for state in self.states.values() if state.cell.id in self._costs and state.left()]
        known.sort(key=lambda state: self._costs[state.cell.id], reverse=True)
        self._longest_first = known
        self._remaining = sum(self._costs[state.cell.id] * state.left() for state in known)
        self._fresh_until = begun + 20 * (time.monotonic() - begun)

    def _known_costs(self) -> dict[str, float]:
        """Seconds a run, measured or guessed; a cell nobody can say anything about is left out."""
        measured: dict[str, dict[int, float]] = {}
        for id_, state in self.states.items():
            if state.timed:
                curve = measured.setdefault(self._curves[id_], {})
                curve[state.cell.spec.n] = max(state.seconds / state.timed, 1e-9)
        costs = {}
        for id_, state in self.states.items():
            sizes = measured.get(self._curves[id_])
            if sizes:
                n = state.cell.spec.n
                near = n if n in sizes else min(sizes, key=lambda size: abs(math.log(size / n)))
                costs[id_] = sizes[near] * (n / near) ** _GUESSED_GROWTH
            elif state.strikes:
                costs[id_] = CHUNK_SECONDS
        return costs

    # ---- what came back

    def finish(self, chunk: Chunk, computed: Computed) -> None:
        """Takes in a chunk's results; what it did not get done is missing again."""
        done = {(item.piece.cell, item.piece.first): item for item in computed.finished}
        for part in chunk.parts:
            state = self.states[part.spec.cell_id]
            item = done.get((state.cell.id, part.first))
            count = 0 if item is None else item.piece.count
            self._give_back(state, part, part.first + count)
            if item is not None:
                if state.timed == 0:
                    self._fresh_until = 0.0  # news about costs
                state.tally.add(item.tally)
                state.seconds += item.seconds
                state.timed += count
                state.strikes = 0
            if state.cell.id in computed.failed:
                _strike(state, computed.failed[state.cell.id])
            if _look(state):
                self._fresh_until = 0.0

    def lose(self, chunk: Chunk, why: str, suspect: bool) -> None:
        """A chunk that will not come back is missing again; its cells are suspects if it may be their fault."""
        for part in chunk.parts:
            state = self.states[part.spec.cell_id]
            self._give_back(state, part, part.first)
            if suspect:
                _strike(state, why)

    def _give_back(self, state: CellState, part: Part, first: int) -> None:
        """The runs of a part from `first` on are missing again."""
        state.in_flight -= part.count
        if first < part.first + part.count:
            state.missing.append((first, part.first + part.count))
            state.missing.sort()
            self._fresh_until = 0.0  # the cell may have been left out as done

    # ---- how things stand

    def remaining_seconds(self) -> float | None:
        """Work that is left, in seconds of one worker; None while a setting is untimed. Goals may ask for more."""
        self._refresh()
        outstanding = {id_: runs for id_, state in self.states.items() if (runs := state.outstanding())}
        if not outstanding.keys() <= self._costs.keys():
            return None
        return sum(self._costs[id_] * runs for id_, runs in outstanding.items())


def _strike(state: CellState, why: str) -> None:
    state.strikes += 1
    if state.strikes >= _MAX_STRIKES:
        state.failure = why


def _look(state: CellState) -> bool:
    """Looks at the goal, once all runs up to the target are there; True if it asks for more."""
    if state.missing or state.in_flight or state.tally.runs < state.target:
        return False
    before, state.target = state.target, max(state.target, state.cell.rule.next_target(state.tally))
    if state.target > before:
        state.missing = gaps(_span(state, before), state.stored)
    return state.target > before


def _span(state: CellState, first: int) -> Span:
    """The runs from `first` up to the target that are ours."""
    return max(first, state.share[0]), max(state.share[0], min(state.target, state.share[1]))
