"""Standings: what a window says can be replayed step by step, and each problem tells of itself in its own words."""

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpruntime import PROBLEMS, BadInput, RunSpec, Tree
from gpruntime.model.run import Run
from gpruntime.watch.annotations import LEAF_STANDINGS, ROW_STANDINGS, annotations_of
from gpruntime.watch.narrator import Narrator
from gpruntime.watch.recording import Recording, Stop
from gpruntime.watch.source import operations_of
from gpruntime.watch.window import _MAX_DESCRIBED, course, tree_to_json, window
from tests.field import IN_THE_SUITE, SIZES
from tests.strategies import trees_over
from tests.watch import own

OWN = (own.two_thirds, own.up_to_three, own.weighted, own.kinds, own.wrong_rows, own.told_otherwise, own.ends_alike)
OWN += (own.variety, own.colours)
DIALECTS = {
    "single": {},
    "multi": {"algorithm": "gp-multi", "poisson_mean": 3},
    "strict": {"algorithm": "gpstar-multi"},
    "hvl": {"operator": "hvl"},
    "parsimony": {"accept": "parsimony", "operations": "power:beta=1.5"},
    "own-rule": {"accept": own.not_much_larger},
    "many": {"n": _MAX_DESCRIBED + 1, "budget": 60},
}


def specs():
    """Every problem in every dialect; but for those with a truth table, of which there are 2^n rows, not with many."""
    for problem, (name, dialect) in itertools.product((*PROBLEMS, *OWN), DIALECTS.items()):
        if problem is own.wrong_rows and name == "many":
            continue
        n = SIZES.get(problem, (5,))[-1] if isinstance(problem, str) else 5
        try:
            spec = RunSpec(**{"problem": problem, "algorithm": "gp-single", "n": n, "budget": 120, **dialect})
        except BadInput:
            assert name == "many"
            continue
        seldom = problem in PROBLEMS and problem not in IN_THE_SUITE
        compiled = name == "hvl" and problem not in ("order", own.colours)  # a loop for each that sees something else
        marks = pytest.mark.long if seldom or compiled else ()
        yield pytest.param(spec, id=f"{getattr(problem, 'name', problem)}-{name}", marks=marks)


SPECS = list(specs())


def snapshot(spec, tree, fitness):
    """How this tree stands, looked at anew."""
    narrator = Narrator(spec, tree.copy(), fitness)
    rows = [row if len(narrator.annotated.rows) <= _MAX_DESCRIBED else row[:3] for row in narrator.annotated.rows]
    of_leaf = narrator.annotated.of_leaf
    return [of_leaf.get(leaf, "") for leaf in narrator.tree.leaves], [tuple(row) for row in rows]


@pytest.mark.parametrize("spec", SPECS)
def test_standings_can_be_replayed_and_every_step_is_the_models(spec):
    run = Run(spec, seed=1)
    answer = window(Recording(spec, 1, 0), 1, 120, Stop())
    json.dumps(answer, allow_nan=False)
    assert answer["tree"] == tree_to_json(run.tree, spec.primitives)
    rows = [(ROW_STANDINGS[row[0]], *row[1:]) for row in answer["rows"]]
    leaves = [int(digit) for digit in answer.get("standings", "0" * len(run.tree.leaves))]
    of_leaf = dict(zip(run.tree.leaves, leaves, strict=True))
    variables = list(answer["variables"])
    tree = run.tree  # ours from here on: it is changed in place, so that a leaf stays the same object
    run.tree = tree.copy()
    for accepted, fitness, count, numbers, _, verdict, *changes in answer["steps"]:
        step = run.step()
        assert (bool(accepted), fitness, count) == (step.accepted, step.offspring_fitness, step.offspring_leaves)
        if spec.primitives.is_binary:
            assert len(numbers) == (5 if len(spec.primitives.functions) > 1 else 4) * len(step.operations)
        assert verdict.startswith("accepted: " if accepted else "rejected: ")
        assert accepted or not changes
        if accepted:
            for operation in step.operations:
                spec.mutation.apply(tree, operation)
        of_leaves, of_rows = [*changes, [], []][:2]
        for place, standing in zip(of_leaves[::2], of_leaves[1::2], strict=True):
            of_leaf[tree.leaves[place]] = standing
        for place, row in zip(of_rows[::2], of_rows[1::2], strict=True):
            variables[place] = row
        told = [LEAF_STANDINGS[of_leaf.get(leaf, 0)] for leaf in tree.leaves]
        assert (told, [rows[row] for row in variables]) == snapshot(spec, tree, run.fitness)
    assert len(answer["steps"]) > 0 or run.outcome is not None


@pytest.mark.parametrize("spec", [RunSpec(problem=one, algorithm="gp-multi", n=4, budget=80) for one in OWN])
def test_the_narrators_tree_is_the_models(spec):
    """Rejected offspring are made and taken back in place, functions too."""
    run = Run(spec, seed=2)
    state, pieces, _ = Recording(spec, 2, 0).steps(1, 80, Stop())
    narrator = Narrator(spec, state.tree(), state.fitness)
    for trace in pieces:
        for operations, accepted, fitness, _ in operations_of(trace, spec.primitives):
            assert tuple(operations) == run.step().operations
            narrator.describe(operations, accepted, fitness)
            assert narrator.tree == run.tree
            assert narrator.fitness == run.fitness


def test_a_course_of_floats_and_of_a_fitness_to_be_small():
    for problem in (own.kinds, own.wrong_rows):
        spec = RunSpec(problem=problem, algorithm="gp-single", n=4, budget=100, init="x1")
        run, seen = Run(spec, 3), {}
        seen[1] = (run.fitness, False)
        before = run.fitness
        for step in run:
            better = step.fitness > before if problem is own.kinds else step.fitness < before
            seen[step.evaluations], before = (step.fitness, better), step.fitness
        pieces = list(course(Recording(spec, 3, 0), Stop()))
        points = [point for piece in pieces for point in piece.get("points", [])]
        assert [(point[1], bool(point[3])) for point in points] == [seen[point[0]] for point in points]
        assert {point[0] for point in points if point[3]} == {t for t, (_, better) in seen.items() if better}


def rows_of(problem, tree, n=3):
    spec = RunSpec(problem=problem, algorithm="gp-single", n=n, init=tree, budget=10)
    narrator = Narrator(spec, Tree.parse(tree), spec.problem.fitness(Tree.parse(tree), n))
    leaves = [narrator.annotated.of_leaf[leaf] for leaf in narrator.tree.leaves_in_order()]
    return leaves, [tuple(row) for row in narrator.annotated.rows]


def test_our_problems_are_told_as_the_theory_has_them():
    tree = "((x1 !x1) (!x2 (x2 !x2)))"
    assert rows_of("order", tree) == (
        ["expressed", "hidden", "blocking", "hidden", "hidden"],
        [
            ("expressed", 0, 1, "x1", "x1: first is x1, expressed"),
            ("blocking", 1, 0, "x\u03042", "x2: first is not x2, blocked"),
            ("absent", 0, 0, "∅3", "x3: absent"),
        ],
    )
    assert rows_of("majority", tree) == (
        ["expressed", "hidden", "blocking", "hidden", "blocking"],
        [
            ("expressed", 0, 0, "0", "x1: expressed, 1 times x1, 1 times not x1, deficit 0"),
            ("blocking", 1, 0, "+1", "x2: not expressed, 1 times x2, 2 times not x2, deficit 1"),
            ("absent", 0, 0, "∅", "x3: not expressed, absent"),
        ],
    )
    assert rows_of("majority", "(x1 (x1 x1))", 1)[1][0][3:] == (
        "−3",
        "x1: expressed, 3 times x1, 0 times not x1, deficit -3",
    )


SHOWN = {  # the fitness of a tree, from its rows
    "sorting:measure=ham": lambda rows: rows.count("expressed"),
    "sorting:measure=las": lambda rows: rows.count("expressed"),
    "sorting:measure=run": lambda rows: rows.count("blocking") + 1 + rows.count("absent"),
    "order-and-majority": lambda rows: rows.count("expressed"),
    "and": lambda rows: rows.count("absent"),
    "and:rows=9,negated=1": lambda rows: rows.count("blocking"),
    "and-or": lambda rows: rows.count("blocking"),
    "parity": lambda rows: rows.count("blocking"),
    "xor": lambda rows: 8 * (rows != ["expressed"] * 4),
    "multiplexer": lambda rows: rows.count("blocking"),
}


@pytest.mark.parametrize("problem", SHOWN)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_the_rows_show_the_fitness(problem, data):
    n = 3 if problem == "multiplexer" else 4
    spec = RunSpec(problem=problem, algorithm="gp-single", n=n, budget=9)
    tree = data.draw(trees_over(spec.primitives))
    narrator = Narrator(spec, tree, spec.problem.fitness(tree, n))
    assert SHOWN[problem]([row.standing for row in narrator.annotated.rows]) == narrator.fitness
    assert len(annotations_of(spec).definition()) > 40
    assert len(narrator.annotated.of_leaf) in (0, len(tree.leaves))


def test_the_others_by_hand():
    order = rows_of("sorting:measure=inv", "((x3 x1) (x3 (x2 x4)))", 4)
    assert order[0] == ["blocking", "blocking", "hidden", "blocking", "expressed"]
    assert [row[3] for row in order[1]] == ["x3", "x1", "x2", "x4"]
    assert rows_of("sorting:measure=exc", "(x4 (x2 x1))", 4)[1][2:] == [
        ("blocking", 1, 0, "x1", "place 3: x1, to be exchanged"),
        ("absent", 0, 0, "∅", "place 4: empty"),
    ]
    spec = RunSpec(problem="alternate", algorithm="gp-single", n=2, init="(join (join !x1 x1) x2)", budget=9)
    narrator = Narrator(spec, spec.init.build(None), 0)
    assert [row.text for row in narrator.annotated.rows] == ["x\u03041", "x2", "−1"]
    assert [narrator.annotated.of_leaf[leaf] for leaf in narrator.tree.leaves] == ["blocking", "hidden", "expressed"]
    spec = RunSpec(problem="max:functions=+*", algorithm="gp-single", n=2, init="(add (mul x1 x1) x1)", budget=9)
    rows = Narrator(spec, spec.init.build(None), 0).annotated.rows
    assert [(row.standing, row.text) for row in rows] == [
        ("expressed", "1/1 1+ 0×"), ("blocking", "1/2 0+ 1×"), ("blocking", "2/4")
    ]  # fmt: skip
    spec = RunSpec(problem="regression", algorithm="gp-single", n=3, init="x", budget=9)
    tree = spec.init.build(None)
    rows = Narrator(spec, tree, 0).annotated.rows
    assert sum(float(row.text) for row in rows) == spec.problem.fitness(tree, 3)
    assert [row.standing for row in rows] == ["blocking", "expressed", "blocking"]


def test_what_a_problem_sees_decides_how_it_is_told():
    assert rows_of(own.two_thirds, "(x1 (!x2 x2))", 2)[1] == [
        ("expressed", 0, 1, "1:0", "x1: expressed, 1 times x1, 0 times not x1"),
        ("blocking", 1, 1, "1:1", "x2: not expressed, 1 times x2, 1 times not x2"),
    ]
    assert rows_of(own.up_to_three, "(x1 x1)", 1)[1] == [("expressed", 0, 2, "2", "x1: expressed, 2 times x1, adds 2")]
    assert rows_of(own.weighted, "x2", 2)[1][1] == ("expressed", 0, 1, "x2", "x2: first is x2, expressed, adds 2")
    assert rows_of(own.told_otherwise, "(x1 !x1)", 1)[1] == [("blocking", 0, 0.5, "50%", "x1: 50%")]
    assert rows_of(own.ends_alike, "(x1 (x2 x3))")[0] == ["expressed", "", "expressed"]


def test_a_page_that_is_none_is_refused(monkeypatch):
    spec = RunSpec(problem=own.two_thirds, algorithm="gp-single", n=3, budget=10)
    for page in ("blue", own.Ends):
        monkeypatch.setattr(own.two_thirds, "page", page)
        with pytest.raises(BadInput, match="must be a subclass of OfCounts"):
            annotations_of(spec)


def test_a_users_file_may_have_the_earlier_name():
    from gpruntime.watch import annotations, standing

    for name in ("OfCounts", "OfFirst", "OfTree", "Row", "EXPRESSED"):
        assert getattr(standing, name) is getattr(annotations, name)
