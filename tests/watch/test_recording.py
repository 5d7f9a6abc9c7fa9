"""A recording against the model's run: the tree and the words of every step, the course, windows anywhere."""

import itertools

import pytest

from gpruntime import Run, RunSpec
from gpruntime.watch import recording as recording_module
from gpruntime.watch.narrator import Narrator
from gpruntime.watch.recording import Recording, Stop, Stopped
from gpruntime.watch.source import operations_of
from gpruntime.watch.window import tree_to_json, window
from tests.engine.test_shadow_tree import register_of

ALGORITHMS = ("gp-single", "gp-multi", "gpstar-single", "gpstar-multi")
DIALECTS = {
    "plain": {},
    "empty": {"n": 2, "last_leaf": "empty", "init": "x1", "weights": (1, 1, 3)},
    "nodes": {"substitute": "nodes", "max_leaves_allowed": 17},
    "hvl": {"operator": "hvl"},
    "bad": {"init": "bad:leaves=40", "poisson_mean": 3},
}
SETTINGS = [
    pytest.param(
        RunSpec(**{"problem": problem, "algorithm": algorithm, "n": 8, "budget": 250, **dialect}),
        id=f"{problem}-{algorithm}-{name}",
    )
    for problem, algorithm, (name, dialect) in itertools.product(("order", "majority"), ALGORITHMS, DIALECTS.items())
]


@pytest.fixture
def _short_slices(monkeypatch):
    """Slices, checkpoints, thinning and samples that leave something out happen within short runs."""
    monkeypatch.setattr(recording_module, "_MAX_SLICE", 7)
    monkeypatch.setattr(recording_module, "_RESOLUTION", 4)
    monkeypatch.setattr(recording_module, "_MAX_CHECKPOINTS", 5)
    monkeypatch.setattr(recording_module, "_MIN_CHECKPOINTS", 5)


@pytest.mark.usefixtures("_short_slices")
@pytest.mark.parametrize("spec", SETTINGS)
def test_every_step_is_the_models(spec):
    run = Run(spec, seed=1)
    recording = Recording(spec, 1, 0)
    after = 1
    while run.outcome is None:
        answer = window(recording, after, 11, Stop())
        assert answer["tree"] == tree_to_json(run.tree)
        assert answer["fitness"] == run.fitness
        for accepted, fitness, leaves, numbers, _, verdict, *_ in answer["steps"]:
            step = run.step()
            assert (bool(accepted), fitness, leaves) == (step.accepted, step.offspring_fitness, step.offspring_leaves)
            assert len(numbers) == 4 * len(step.operations)
            assert verdict.startswith("accepted: " if step.accepted else "rejected: ")
        after += len(answer["steps"])
    assert answer["end"]["outcome"] == run.outcome
    assert after == run.evaluations
    assert window(recording, after + 5, 3, Stop())["tree"] == tree_to_json(run.tree)
    assert window(recording, 1, 3, Stop())["tree"] == tree_to_json(Run(spec, seed=1).tree)
    assert len(recording._checkpoints) <= 5


@pytest.mark.usefixtures("_short_slices")
@pytest.mark.parametrize("spec", SETTINGS)
def test_the_course_has_every_improvement_and_true_points(spec):
    recording = Recording(spec, 2, 0)
    course = [point for piece in recording.course_to_the_end(Stop()) for point in piece]
    run = Run(spec, seed=2)
    seen = {1: (run.fitness, len(run.tree.leaves), False)}
    before = run.fitness
    for step in run:
        seen[step.evaluations] = (step.fitness, step.leaves, step.fitness > before)
        before = step.fitness
    assert [seen[point.evaluations] for point in course] == [tuple(point[1:]) for point in course]
    assert {t for t, (_, _, improved) in seen.items() if improved} == {p.evaluations for p in course if p.improved}
    assert course[-1].evaluations == run.evaluations
    assert recording.outcome == run.outcome
    for point, after in itertools.pairwise(course):
        assert after.evaluations - point.evaluations <= max(1, after.evaluations // 4)


@pytest.mark.usefixtures("_short_slices")
@pytest.mark.parametrize("spec", SETTINGS)
def test_the_narrators_tree_keeps_the_register(spec):
    """Rejected offspring are made and taken back in place; afterwards nothing may differ from the model's tree."""
    run = Run(spec, seed=3)
    recording = Recording(spec, 3, 0)
    state, pieces, _ = recording.steps(1, 250, Stop())
    narrator = Narrator(spec, state.tree(), state.fitness)
    for trace in pieces:
        for operations, accepted, fitness, _ in operations_of(trace, spec.primitives):
            narrator.describe(operations, accepted, fitness)
            run.step()
            assert register_of(narrator.tree) == register_of(run.tree)
            for variable, leaves in narrator.annotated._leaves_of.items():
                mine = [leaf.index for leaf in run.tree.leaves if leaf.terminal.variable == variable]
                assert sorted(leaf.index for leaf in (*leaves[0], *leaves[1])) == mine


def test_a_long_run_has_few_points_and_checkpoints_all_along(monkeypatch):
    monkeypatch.setattr(recording_module, "_MAX_CHECKPOINTS", 8)
    spec = RunSpec(problem="order", algorithm="gpstar-single", n=1000)
    recording = Recording(spec, 2, 0)
    for _ in recording.course_to_the_end(Stop()):
        pass
    assert recording.evaluations > 2_000_000
    assert len(recording.course) < 7_000
    places = [checkpoint.evaluations for checkpoint in recording._checkpoints]
    assert 4 <= len(places) <= 8
    assert max(after - before for before, after in itertools.pairwise(places)) <= 2 * recording._spacing
    assert recording.evaluations - places[-1] <= 2 * recording._spacing
    near_the_end = recording.evaluations - 10
    assert len(window(recording, near_the_end, 100, Stop())["steps"]) == 10


def test_a_stop_is_heeded():
    recording = Recording(RunSpec(problem="order", algorithm="gpstar-single", n=2000, budget=10**8), 1, 0)
    stop = Stop()
    stop.set()
    with pytest.raises(Stopped):
        window(recording, 10**7, 5, stop)
    with pytest.raises(Stopped):
        next(recording.course_to_the_end(stop))
