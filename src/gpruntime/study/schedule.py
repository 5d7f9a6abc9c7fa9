"""Which runs are computed next: chunks of about a second, the longest runs first.

The cost of a run is measured as chunks come back; until then it is guessed from the nearest size of the same
setting, or a single run is tried. Towards the end chunks get smaller, so that all workers finish together. What is
computed never depends on any of this, only when.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from gpruntime.study.cell import Cell, cell_id, spec_words
from gpruntime.study.chunk import Chunk, Part
from gpruntime.study.goal import Tally
from gpruntime.study.plan import Plan
from gpruntime.study.shard import Finished, Piece

CHUNK_SECONDS = 1.0
_LEAST_SECONDS = 0.05
_PATIENCE = 5.0  # times a chunk's seconds
_MOST_PARTS = 1000
_MOST_STRIKES = 3
_DOUBT = 4.0  # a guessed cost may be far off: begin with fewer runs
_GUESSED_GROWTH = 1.5  # seconds ~ n^1.5, for sizes not yet measured
Span = tuple[int, int]


@dataclass
class CellState:
    """How far a cell has come.

    Attributes:
        target: how many runs it is to have, as far as its goal is known by now.
        missing: spans of runs below the target that nobody is computing.
        share: the runs that are ours to compute, when the study is split between machines.
        tally: of the runs that are done.
        seconds: wall time of the runs that were timed, `timed` many.
        strikes: how often in a row a chunk with it was lost.
        failure: why it was given up.
    """

    cell: Cell
    target: int
    missing: list[Span]
    share: Span
    tally: Tally = field(default_factory=Tally)
    seconds: float = 0.0
    timed: int = 0
    strikes: int = 0
    failure: str | None = None

    def left(self) -> int:
        """Runs that nobody has begun."""
        return sum(end - first for first, end in self.missing)


class Schedule:
    """The cells of a plan with what is done, under way and missing.

    `done` has, for each cell, the spans of runs that are stored, and their tally. `part` = (i, k) takes the i-th of k
    shares of every cell's runs.
    """

    def __init__(
        self,
        plan: Plan,
        done: Mapping[str, list[Piece]],
        tallies: Mapping[str, Tally],
        sources: str,
        part: Span = (1, 1),
    ) -> None:
        self._plan, self._sources = plan, sources
        self.states: dict[str, CellState] = {}
        for cell in plan.cells:
            tally = tallies.get(cell.id, Tally())
            target = cell.rule.first_target()
            if tally.runs >= target:
                target = max(cell.rule.next_target(tally), tally.runs)
            ceiling = cell.rule.ceiling
            share = (ceiling * (part[0] - 1) // part[1], ceiling * part[0] // part[1])
            state = CellState(cell, target, [], share, tally)
            state.missing = gaps(self._span(state, 0), [(piece.first, piece.end) for piece in done.get(cell.id, [])])
            self.states[cell.id] = state
        self._curves = {id_: spec_words(state.cell.spec, but=("n",)) for id_, state in self.states.items()}
        self._in_flight: dict[str, int] = dict.fromkeys(self.states, 0)
        self._known_costs: dict[str, float] = {}
        self._costs_until = 0.0

    # ---- what to do next

    def next_chunk(self, slots: int) -> Chunk | None:
        """The next chunk for one of so many workers; None if there is nothing to begin now."""
        waiting = [state for state in self.states.values() if state.missing and state.failure is None]
        costs = self._fresh_costs()
        unknown = self._largest_untried(waiting, costs)
        if unknown is not None:
            return self._chunk([self._take(unknown, 1)], CHUNK_SECONDS)
        known = [state for state in waiting if state.cell.id in costs]
        if not known:
            return None
        remaining = sum(costs[state.cell.id] * state.left() for state in known)
        seconds = min(CHUNK_SECONDS, max(_LEAST_SECONDS, remaining / (3 * slots)))
        known.sort(key=lambda state: costs[state.cell.id], reverse=True)
        parts: list[Part] = []
        room = seconds
        for state in known:
            cost = costs[state.cell.id] * (1 if state.timed else _DOUBT)
            while state.missing and (not parts or room >= max(cost, seconds / 4)):
                parts.append(self._take(state, max(1, round(room / cost))))
                room -= parts[-1].count * cost
            if room < seconds / 4 or len(parts) >= _MOST_PARTS:
                break
        return self._chunk(parts, seconds)

    def _largest_untried(self, waiting: list[CellState], costs: dict[str, float]) -> CellState | None:
        """The largest cell of a setting of which no run has been timed or is under way."""
        tried = {self._curves[id_] for id_, runs in self._in_flight.items() if runs > 0}
        untried = [
            state for state in waiting if state.cell.id not in costs and self._curves[state.cell.id] not in tried
        ]
        return max(untried, key=lambda state: state.cell.spec.n, default=None)

    def _take(self, state: CellState, count: int) -> Part:
        first, end = state.missing[0]
        last = min(end, first + count)
        state.missing[:1] = [(last, end)] if last < end else []
        self._in_flight[state.cell.id] += last - first
        return Part(state.cell.spec, first, last - first)

    def _chunk(self, parts: list[Part], seconds: float) -> Chunk:
        plan = self._plan
        return Chunk(tuple(parts), plan.seed, plan.method, plan.improvements, _PATIENCE * seconds, self._sources)

    def _fresh_costs(self) -> dict[str, float]:
        """The costs, worked out again unless that was a moment ago: a moment being long beside what it takes."""
        begun = time.monotonic()
        if begun >= self._costs_until:
            self._known_costs = self._costs()
            self._costs_until = begun + 20 * (time.monotonic() - begun)
        return self._known_costs

    def _costs(self) -> dict[str, float]:
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
                near = min(sizes, key=lambda size: abs(math.log(size / n)))
                costs[id_] = sizes[near] * (n / near) ** _GUESSED_GROWTH
        return costs

    # ---- what came back

    def finish(self, chunk: Chunk, finished: tuple[Finished, ...]) -> None:
        """Takes in a chunk's results; what it did not get done is missing again."""
        done = {(item.piece.cell, item.piece.first): item for item in finished}
        for state, part in self._parts(chunk):
            item = done.get((state.cell.id, part.first))
            count = 0 if item is None else item.piece.count
            self._give_back(state, part, part.first + count)
            if item is not None:
                state.tally.add(item.tally)
                state.seconds += item.seconds
                state.timed += count
                state.strikes = 0
            self._look(state)

    def lose(self, chunk: Chunk, why: str) -> None:
        """A chunk that will not come back: it is missing again, or its cells are given up after too many losses."""
        for state, part in self._parts(chunk):
            self._give_back(state, part, part.first)
            state.strikes += 1
            if state.strikes >= _MOST_STRIKES:
                state.failure = why

    def _parts(self, chunk: Chunk) -> list[tuple[CellState, Part]]:
        return [(self.states[cell_id(part.spec)], part) for part in chunk.parts]

    def _give_back(self, state: CellState, part: Part, first: int) -> None:
        self._in_flight[state.cell.id] -= part.count
        if first < part.first + part.count:
            state.missing.append((first, part.first + part.count))
            state.missing.sort()

    def _look(self, state: CellState) -> None:
        """Looks at the goal, once all runs up to the target are there."""
        if not state.missing and self._in_flight[state.cell.id] == 0 and state.tally.runs >= state.target:
            before, state.target = state.target, max(state.target, state.cell.rule.next_target(state.tally))
            if state.target > before:
                state.missing = [self._span(state, before)]

    @staticmethod
    def _span(state: CellState, first: int) -> Span:
        """The runs from `first` up to the target that are ours."""
        return max(first, state.share[0]), max(state.share[0], min(state.target, state.share[1]))

    # ---- how things stand

    def outstanding(self, id_: str) -> int:
        """Runs of a cell that are missing or under way."""
        return self.states[id_].left() + self._in_flight[id_]

    def remaining_seconds(self) -> float | None:
        """Work that is left, in seconds of one worker; None while nothing is known. Goals may ask for more."""
        costs = self._fresh_costs()
        left = {id_: self.outstanding(id_) for id_, state in self.states.items() if state.failure is None}
        if not any(costs.get(id_) for id_ in left):
            return None
        return sum(costs.get(id_, 0.0) * count for id_, count in left.items())


def gaps(span: Span, done: list[Span]) -> list[Span]:
    """The parts of a span that are not done."""
    missing = []
    at, end = span
    for first, last in sorted(done):
        if first > at:
            missing.append((at, min(first, end)))
        at = max(at, last)
        if at >= end:
            break
    if at < end:
        missing.append((at, end))
    return [(first, last) for first, last in missing if first < last]
