"""Plans: what they stand for, what is refused, and that nothing else can happen."""

import importlib.metadata
import math
import re
import tomllib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpruntime import BadInput, RunSpec
from gpruntime.study import BadPlan, Plan
from gpruntime.study.cell import Fixed, Goal
from gpruntime.study.grid import CELL_KEYS, sizes_of
from gpruntime.study.plan import STUDY_KEYS
from gpruntime.study.plan_text import EXAMPLE, toml_of
from tests import parts

MINIMAL = {"problem": "order", "algorithm": "gp-single", "n": 10, "runs": 5}


def plan(**keys):
    return Plan.of(**{**MINIMAL, **keys})


def problems(**keys):
    with pytest.raises(BadPlan) as error:
        plan(**keys)
    return [str(problem) for problem in error.value.problems]


@pytest.mark.parametrize(
    ("value", "sizes"),
    [
        (7, [7]),
        ([3, 1, 2], [3, 1, 2]),
        ({"from": 10, "to": 40, "step": 15}, [10, 25, 40]),
        ({"from": 10, "to": 39, "step": 15}, [10, 25]),
        ({"from": 10, "to": 10_000, "factor": 10}, [10, 100, 1000, 10_000]),
        ({"from": 10, "to": 9999, "factor": 10}, [10, 100, 1000]),
        ({"from": 1, "to": 4, "factor": 1.3}, [1, 2, 3, 4]),  # 1, 1.3, 1.69, 2.197, 2.86, 3.71
        ({"from": 5, "to": 5, "factor": 2}, [5]),
        ([5, {"from": 10, "to": 20, "step": 10}], [5, 10, 20]),
        (range(2, 5), [2, 3, 4]),
    ],
)
def test_sizes(value, sizes):
    assert sizes_of(value) == sizes


@given(st.integers(1, 10**6), st.integers(1, 10**8), st.floats(1.01, 100))
def test_geometric_sizes_lie_within_and_reach_the_end(first, span, factor):
    sizes = sizes_of({"from": first, "to": first + span, "factor": factor})
    assert sizes[0] == first
    assert sizes == sorted(set(sizes))
    assert sizes[-1] <= first + span
    assert (sizes[-1] + 1) * factor * (1 + 1e-9) >= first + span - 1  # the next would be beyond


@pytest.mark.parametrize(
    "value",
    [0, -1, 1.5, True, "10", [], {}, {"from": 1, "to": 5}, {"from": 5, "to": 1, "step": 1},
     {"from": 1, "to": 5, "factor": 1}, {"from": 1, "to": 5, "step": 1, "factor": 2}, {"from": 1, "to": 5, "step": 0},
     {"from": 1, "to": 5, "factor": math.nan},
     {"from": 1, "to": 10**8, "step": 1}, {"from": 1, "to": 10**8, "factor": 1.0000001}, [[1]], None],
)  # fmt: skip
def test_bad_sizes(value):
    with pytest.raises(BadInput, match=r"^n"):
        sizes_of(value)


def test_every_combination_is_a_cell_in_the_order_of_the_plan():
    cells = plan(problem=["order", "majority"], n=[1, 2], weights=[[1, 1, 1], [0, 1, 1]]).cells
    assert [(c.spec.problem.id, c.spec.n, c.spec.weights) for c in cells] == [
        (problem, n, weights)
        for problem in ("order", "majority")
        for n in (1, 2)
        for weights in ((1, 1, 1), (0, 1, 1))
    ]  # fmt: skip
    assert cells[0].rule == Fixed(5)
    assert len({cell.id for cell in cells}) == 8


def test_the_id_of_a_cell_is_the_digest_of_its_law():
    spec = RunSpec(problem="majority", algorithm="gp-single", n=100)
    assert spec.cell_id == RunSpec(**{**spec.law(), "budget": 7}).cell_id  # the budget has no part in it
    assert bytes.fromhex(spec.cell_id)[:4] == spec.cell[0].to_bytes(4, "little")


def test_a_size_in_n_is_the_cell_of_the_size_in_figures():
    cells = plan(n=[10, 20], init=["unity:leaves=4n", "bad:leaves=n"]).cells
    assert [str(cell.spec.init) for cell in cells] == [
        "unity:leaves=40",
        "bad:leaves=10",
        "unity:leaves=80",
        "bad:leaves=20",
    ]
    assert cells[0].id == plan(init="unity:leaves=40").cells[0].id == "a614ca5b212746b588bc5a80f852882e"
    assert "this cell is in the plan already" in problems(init=["unity", "unity:leaves=2n"])[0]


def test_gates_that_are_none_at_n_1_are_gates():
    keys = {"problem": "and", "algorithm": "cgp:gates=n-1", "budget": None}
    assert [cell.spec.init.leaves for cell in Plan.of(**{**MINIMAL, **keys, "n": [3, 5]}).cells] == [2, 4]
    with pytest.raises(BadPlan, match="gates=n-1"):
        Plan.of(**{**MINIMAL, **keys, "n": [1, 3]})
    with pytest.raises(BadPlan, match="gates=0n"):
        Plan.of(**{**MINIMAL, **keys, "algorithm": "cgp:gates=0n", "n": [3]})


def test_trees_in_files_beside_the_plan(tmp_path, monkeypatch):
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "one.txt").write_text("(x1\n  !x2)\n", encoding="utf-8")
    (tmp_path / "two").write_text("\ufeffx1", encoding="utf-8")
    text = toml_of({**MINIMAL, "init": ["@trees/one.txt", "bad"], "grid": [{"n": 3}, {"n": 4, "init": "@two"}]})
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    found = Plan.from_file(tmp_path / "plan.toml")
    assert [str(cell.spec.init) for cell in found.cells] == ["(x1 !x2)", "bad", "x1"]
    assert Plan.from_toml(found.text) == found  # a study's folder needs no other files
    monkeypatch.chdir(tmp_path)
    assert plan(init="@two").cells[0].spec.settings["init"] == "x1"


def test_parts_behind_an_algorithm_and_of_a_package_are_kept_with_the_plan(tmp_path, monkeypatch):
    entry = importlib.metadata.EntryPoint("theirs", "tests.parts:plus_c", "gpruntime.parts")
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [entry] if group == entry.group else [])
    rule = "from gpruntime import acceptance\n\n@acceptance\ndef rule(gain, growth):\n    return gain > 0\n"
    (tmp_path / "mine.py").write_text(rule, encoding="utf-8")
    keys = {"problem": "theirs:c=3", "algorithm": ["gp-single accept=mine.py:rule until=optimum", "gp-multi"]}
    (tmp_path / "plan.toml").write_text(toml_of({**MINIMAL, **keys, "budget": 9}), encoding="utf-8")
    found = Plan.from_file(tmp_path / "plan.toml")
    assert {cell.spec.problem.id for cell in found.cells} == {f"{parts.plus_c.id}:c=3"}
    assert sorted(id_.partition("@")[0] for id_ in found.parts) == ["plus_c", "rule"]
    (tmp_path / "mine.py").unlink()
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: [])  # the package is gone, and so is the file
    assert Plan.from_toml(found.text) == found


@pytest.mark.attack
def test_the_text_of_a_plan_loads_nothing(tmp_path):
    (tmp_path / "mine.py").write_text("1 / 0", encoding="utf-8")
    for key in ("problem", "accept", "operator", "search", "init"):
        for text in (f"{tmp_path}/mine.py:rule", f"@{tmp_path}/mine.py"):
            with pytest.raises(BadPlan) as refused:
                Plan.from_toml(toml_of({**MINIMAL, key: text}))
            assert "ZeroDivisionError" not in str(refused.value)


def test_files_without_trees_are_told_at_once(tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    text = toml_of({**MINIMAL, "init": ["@nowhere", "@bytes"]})
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadPlan) as error:
        Plan.from_file(tmp_path / "plan.toml")
    assert [str(problem) for problem in error.value.problems] == [
        "init = @nowhere: there is no such file",
        "init = @bytes: the file is not UTF-8 text",
    ]


def test_grids_take_the_keys_of_the_plan_with_their_own_in_place():
    cells = plan(grid=[{"n": [20, 30]}, {"algorithm": "gpstar-single", "goal": {"optima": 3, "at_most": 9}}]).cells
    assert [(c.spec.algorithm.id, c.spec.n) for c in cells] == [
        ("gp-single", 20),
        ("gp-single", 30),
        ("gpstar-single", 10),
    ]
    assert cells[0].rule == Fixed(5)
    assert cells[2].rule == Goal(None, 3, 9)


def test_a_lambda_makes_no_second_cell_of_a_single_algorithm():
    cells = plan(algorithm=["gp-single", "gp-multi"], poisson_mean=[1, 2]).cells
    assert [(c.spec.algorithm.id, c.spec.poisson_mean) for c in cells] == [
        ("gp-single", 1),
        ("gp-multi", 1),
        ("gp-multi", 2),
    ]


def test_all_that_is_wrong_is_told_at_once():
    told = problems(sed=1, problem=["order", "order"], algorithm=[], n=[1, 2, 1], runs=0, weights=[0, 0, 0], budget="x")
    for key in ("sed", "problem", "algorithm", "n", "runs", "weights", "budget"):
        assert any(line.startswith(f"{key} = ") for line in told), (key, told)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"n": [10, 10]}, "n = 10: stands there twice"),
        ({"weights": [[1, 1, 1], [2, 2, 2]]}, "this cell is in the plan already"),
        ({"grid": [{"n": 5}, {"n": 5}]}, "grid 2: duplicate = order, gp-single, n = 5"),
        ({"grid": []}, "grid = []: must be one or more tables"),
        ({"grid": [{"seed": 1}]}, "grid 1: seed = 1: unknown key"),
        ({"goal": {"optima": 3, "at_most": 9}}, "goal = beside runs"),
        ({"method": "skipping"}, "needs strict acceptance"),
        ({"method": "fast"}, "method = fast: must be one of auto, stepping, skipping"),
        ({"improvements": 1}, "improvements = 1: must be true or false"),
        ({"init": "(x1 x99)"}, "x99"),
        ({"weights": [1, 0, 1]}, "without insertion"),
        ({"operator": "hvl", "last_leaf": "empty"}, "the dialects substitute and last_leaf are hvl-prime's"),
        ({"n": {"from": 1, "to": 100_000, "step": 1}, "problem": ["order", "majority"]}, "at most 100000 are allowed"),
        ({"max_leaves": 7}, "did you mean max_leaves_allowed?"),
        ({"seed": -1}, "seed = -1: must be a whole number, 0 or more"),
        ({"weights": "111"}, "weights = 111: must be three numbers"),
        ({"weights": [True, 1, 1]}, "weights = True,1,1: must be three numbers"),
        ({"weights": {1, 2, 3}}, "weights"),
        ({"poisson_mean": "2"}, "poisson_mean = 2: must be a number"),
        ({"problem": [["order"]]}, "problem = order: must be one word"),
    ],
)
def test_refusals(keys, said):
    assert any(said in line for line in problems(**keys)), problems(**keys)


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        (3, "must be a table"),
        ({}, "needs mean_within or optima"),
        ({"optima": 3}, "needs at_most"),
        ({"mean_within": 2, "at_most": 9}, "goal.mean_within = 2: must be a number between 0 and 1"),
        ({"mean_within": True, "at_most": 9}, "goal.mean_within"),
        ({"optima": 0, "at_most": 9}, "goal.optima = 0"),
        ({"optima": 3, "at_most": 9, "what": 1}, "goal.what = 1: unknown key"),
        ({"optima": 5, "at_most": 3}, "goal.optima = 5: is more than at_most = 3"),
    ],
)
def test_bad_goals(goal, said):
    keys = {key: value for key, value in MINIMAL.items() if key != "runs"}
    with pytest.raises(BadPlan, match=said.replace(".", r"\.")):
        Plan.of(**keys, goal=goal)


def test_all_that_is_wrong_with_a_goal_is_told_at_once():
    keys = {key: value for key, value in MINIMAL.items() if key != "runs"}
    with pytest.raises(BadPlan) as error:
        Plan.of(**keys, goal={"optima": 0, "mean_within": 7, "what": 1})
    assert len(error.value.problems) == 4


def test_no_limit_can_be_said():
    limits = Plan.of(**MINIMAL, max_leaves_allowed=[None, 30], budget=None)
    assert [cell.spec.max_leaves_allowed for cell in limits.cells] == [None, 30]
    text = 'problem="order"\nalgorithm="gp-single"\nn=10\nruns=5\nmax_leaves_allowed=["none", 30]'
    assert Plan.from_toml(text) == limits
    assert Plan.of(**{**MINIMAL, "n": np.arange(3, 6)}).cells[2].spec.n == 5


def test_the_example_is_a_plan_and_so_is_all_that_is_commented_out():
    assert len(Plan.from_toml(EXAMPLE).cells) == 20
    lines = [
        line.removeprefix("# ") if " = " in line or line == "# [[grid]]" else line for line in EXAMPLE.splitlines()
    ]
    keys = tomllib.loads("\n".join(line for line in lines if not line.startswith(("goal", "runs = 100"))) + "\n")
    assert set(keys) | {"runs", "goal", "parts"} == {*STUDY_KEYS, *CELL_KEYS}
    del keys["max_leaves_allowed"]  # 1000 is too few for n = 160 with other initial trees
    assert len(Plan.of(**keys, runs=1).cells) == 5


@pytest.mark.parametrize(
    "text", ["n = ", "n = [", "\x00", "a = 1\na = 2", "[" * 5000, "n = 1" + "0" * 5000, "seed = 1979-05-27"]
)
def test_what_is_not_toml_is_refused(text):
    with pytest.raises(BadPlan):
        Plan.from_toml(text)


def test_files_that_are_not_text(tmp_path):
    (tmp_path / "plan.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadPlan, match="UTF-8"):
        Plan.from_file(tmp_path / "plan.toml")


# ---- fuzzed plans: accepted, or refused with lines that name a key

NESTED = ("from", "to", "step", "factor", "optima", "at_most", "mean_within", "x", "n", "problem", "runs")
scalars = st.one_of(
    st.sampled_from(
        [
            "order",
            "majority",
            "gp-single",
            "gpstar-multi",
            "unity",
            "bad",
            "(x1 !x2)",
            "hvl",
            "nodes",
            "empty",
            "skipping",
        ]
    ),
    st.integers(-(2**70), 2**70),
    st.integers(0, 50),
    st.floats(),
    st.booleans(),
    st.text(max_size=5),
    st.none(),
    st.dates(),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(NESTED), inner, max_size=4),
    max_leaves=6,
)  # fmt: skip
good = {
    "problem": st.sampled_from(["order", "majority", ["order", "majority"]]),
    "algorithm": st.sampled_from(["gp-single", ["gpstar-single", "gp-multi"]]),
    "n": st.sampled_from([5, [1, 2], {"from": 1, "to": 9, "step": 2}]),
    "runs": st.integers(1, 10),
}
keys = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys((*STUDY_KEYS, *CELL_KEYS), values),
        **{k: v | values for k, v in good.items()},
        "typo": values,
    },
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(keys)
def test_fuzzed_plans_are_accepted_or_refused_with_the_key(drawn):
    known = {*STUDY_KEYS, *CELL_KEYS, *NESTED, "typo", "plan", "duplicate", "tree"}
    refused = []
    try:
        accepted = Plan.of(**drawn)
    except BadPlan as error:
        refused = error.problems
    if refused:
        assert not any("\n" in str(problem) for problem in refused)
        assert {re.sub(r"^grid \d+: ", "", problem.name).split(".")[0] for problem in refused} <= known
    else:
        assert accepted.cells
        assert Plan.from_toml(accepted.text) == accepted


@given(st.fixed_dictionaries(good))
def test_a_plan_survives_its_own_text(drawn):
    made = Plan.of(**drawn)
    assert Plan.from_toml(toml_of(drawn)) == made
    assert made.contradictions(made) == []


# ---- plans that add, and plans that contradict


@pytest.mark.parametrize("new", [{"n": [10, 20]}, {"runs": 6}, {"algorithm": ["gpstar-single", "gp-single"]}, {}])
def test_adding_contradicts_nothing(new):
    assert plan(**new).contradictions(plan()) == []


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ({"seed": 2}, "seed: 0 in the folder, 2 in the plan"),
        (
            {"runs": 4},
            "fewer runs: 5 runs for each cell in the folder, 4 runs for each cell in the plan: order, gp-single",
        ),
        ({"n": 20}, "in the folder, not in the plan: order, gp-single, n = 10, init = unity"),
        ({"budget": 9}, "budget: None in the folder, 9 in the plan"),
        ({"method": "stepping"}, "method: auto in the folder, stepping in the plan"),
        ({"improvements": True}, "improvements: False in the folder, True in the plan"),
    ],
)
def test_contradictions(new, said):
    assert any(line.startswith(said) for line in plan(**new).contradictions(plan()))


def test_contradictions_of_many_cells_are_one_line():
    old, new = plan(n=[1, 2, 3]), plan(n=[1, 2, 3], runs=1)
    assert len(new.contradictions(old)) == 1
    assert new.contradictions(old)[0].endswith("and 2 more cells")
