"""Whatever comes back, in whatever order, cut short or lost: every run is computed once, and goals stop in time."""

import random
from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st

from gpruntime.study import Plan
from gpruntime.study.cell import Tally
from gpruntime.study.chunk import Computed
from gpruntime.study.execute import ProgressReport
from gpruntime.study.progress import CellProgress
from gpruntime.study.schedule import Schedule
from gpruntime.study.shard import Finished, Piece, gaps


def optimal(run: int) -> bool:
    return run * 7919 % 10 < 6


def tally(first: int, count: int) -> Tally:
    optima = sum(optimal(run) for run in range(first, first + count))
    return Tally(count, optima, 100 * optima, 10_000 * optima)


def fresh(plan: Plan) -> Schedule:
    progress = [CellProgress(cell, Tally(), cell.rule.first_target(), False) for cell in plan.cells]
    return Schedule(plan, progress, {}, "sources")


def runs_a_goal_takes(goal) -> int:
    at = goal.first_target()
    while (then := goal.next_target(tally(0, at))) > at:
        at = then
    return at


plans = st.sampled_from(
    [
        {"n": [1, 5, 20], "runs": 37},
        {"n": 7, "runs": 1},
        {"n": [2, 6], "goal": {"optima": 60, "at_most": 500}},
        {"n": [2, 6], "goal": {"optima": 60, "at_most": 75}},
        {"n": {"from": 1, "to": 40, "step": 1}, "runs": 3},
    ]
)


@settings(deadline=None, max_examples=60)
@given(plans, st.integers(1, 5), st.integers(0, 10**9))
def test_every_run_is_computed_once(keys, slots, seed):
    chance = random.Random(seed)
    plan = Plan.of(problem="order", algorithm=["gp-single", "gpstar-single"], **keys)
    schedule, flying, done = fresh(plan), [], {cell.id: [] for cell in plan.cells}
    for _ in range(100_000):
        while len(flying) < 2 * slots and (chunk := schedule.next_chunk(slots)) is not None:
            flying.append(chunk)
        if not flying:
            break
        chunk = flying.pop(chance.randrange(len(flying)))
        if chance.random() < 0.1:
            schedule.lose(chunk, "lost", suspect=False)
            continue
        finished = []
        for part in chunk.parts:
            count = part.count if chance.random() < 0.7 else chance.randrange(part.count + 1)
            if count:
                piece = Piece(part.spec.cell_id, part.first, count)
                finished.append(
                    Finished(piece, tally(part.first, count), count * part.spec.n * 10.0 ** chance.randrange(-7, 1))
                )
                done[piece.cell].append((piece.first, piece.end))
        schedule.finish(chunk, Computed(b"", tuple(finished), {}))
    for cell in plan.cells:
        wanted = cell.rule.runs if "runs" in keys else runs_a_goal_takes(cell.rule)
        assert gaps((0, wanted), done[cell.id]) == []
        assert sum(end - first for first, end in done[cell.id]) == wanted  # none twice, none beyond
        assert schedule.states[cell.id].tally == tally(0, wanted)
        assert schedule.states[cell.id].outstanding() == 0


def test_a_suspect_is_tried_alone_and_given_up_after_three_times():
    plan = Plan.of(problem="order", algorithm="gp-single", n=[1, 2, 3], runs=2)
    schedule = fresh(plan)
    bad, tried = plan.cells[1].id, []
    while (chunk := schedule.next_chunk(1)) is not None:
        cells = [part.spec.cell_id for part in chunk.parts]
        if bad in cells:
            tried.append(len(cells))
            schedule.lose(chunk, "a worker died", suspect=True)
        else:
            pieces = [Piece(part.spec.cell_id, part.first, part.count) for part in chunk.parts]
            done = tuple(Finished(piece, tally(piece.first, piece.count), 0.001) for piece in pieces)
            schedule.finish(chunk, Computed(b"", done, {}))
    assert [state.failure for state in schedule.states.values()] == [None, "a worker died", None]
    assert len(tried) == 3
    assert tried[1:] == [1, 1]
    assert [state.tally.runs for state in schedule.states.values()] == [2, 0, 2]


def test_the_longest_runs_go_first_and_chunks_are_about_a_second():
    plan = Plan.of(problem="order", algorithm="gp-single", n=[1, 10, 100], runs=1000)
    schedule = fresh(plan)
    probe = schedule.next_chunk(2)
    assert [(part.spec.n, part.count) for part in probe.parts] == [(100, 1)]
    for number in range(3):  # a hundredth of a second a run at n = 100
        done = tuple(
            Finished(Piece(part.spec.cell_id, part.first, part.count), tally(part.first, part.count), part.count * 0.01)
            for part in probe.parts
        )
        schedule.finish(probe, Computed(b"", done, {}))
        probe = schedule.next_chunk(2)
        assert [part.spec.n for part in probe.parts] == [100], number
        assert probe.parts[0].count == 100


def test_the_time_left_is_told_once_every_setting_was_timed():
    plan = Plan.of(problem="order", algorithm=["gp-single", "gpstar-single"], n=100, runs=11)
    schedule = fresh(plan)
    probes = [schedule.next_chunk(2), schedule.next_chunk(2)]
    for probe, left in zip(probes, (None, 2.0), strict=True):  # 10 runs of each, a tenth of a second a run
        pieces = [Piece(part.spec.cell_id, part.first, part.count) for part in probe.parts]
        done = tuple(Finished(piece, tally(piece.first, piece.count), 0.1 * piece.count) for piece in pieces)
        assert schedule.remaining_seconds() is None
        schedule.finish(probe, Computed(b"", done, {}))
        assert schedule.remaining_seconds() == left


def test_the_time_left_counts_what_a_study_does_besides_its_runs():
    cell = SimpleNamespace(seconds=0.0)
    situation = ProgressReport(SimpleNamespace(states={"a": cell}, remaining_seconds=lambda: 10.0), slots=2)
    assert situation.seconds_left() == 5.0  # nothing is known yet
    situation.seconds, cell.seconds = 10.0, 4.0  # two workers for ten seconds, and runs that took four
    assert situation.seconds_left() == 25.0
    situation.seconds, cell.seconds = 60.0, 104.0  # compiled: that was long ago
    situation.seconds_left()
    situation.seconds, cell.seconds = 70.0, 124.0
    assert situation.seconds_left() == 5.0
