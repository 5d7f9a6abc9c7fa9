import copy
import dataclasses
import gc
import math
import pickle

import numpy as np
import pytest

from gpruntime import MAJORITY, ORDER, BadInput, Run, RunSpec
from gpruntime.model import ALGORITHMS, PROBLEMS, Algorithm
from gpruntime.study import BadPlan, Plan

BASE = {"problem": "majority", "algorithm": "gp-single", "n": 4}


@pytest.mark.parametrize(
    ("changes", "name", "message"),
    [
        ({"n": 0}, "n", "must be a whole number, 1 or more"),
        ({"n": -1}, "n", "must be a whole number, 1 or more"),
        ({"n": "four"}, "n", "must be a whole number"),
        ({"n": 4.0}, "n", "must be a whole number"),
        ({"n": True}, "n", "must be a whole number"),
        ({"n": 10**10}, "n", "must be at most"),
        ({"problem": "oder"}, "problem", "did you mean order?"),
        ({"algorithm": "gpstarsingle"}, "algorithm", "did you mean gpstar-single?"),
        ({"algorithm": "zzz"}, "algorithm", "must be one of gp-single"),
        ({"init": "(x1 x9)"}, "tree", "x9 does not fit n = 4"),
        ({"init": "(x1 x2"}, "tree", "expected 1 more )"),
        ({"init": "()"}, "init", "needs last_leaf = empty"),
        ({"budget": -5}, "budget", "must be a whole number, 1 or more"),
        ({"budget": 0}, "budget", "must be a whole number, 1 or more"),
        ({"weights": (0, 0, 0)}, "weights", "not all zero"),
        ({"weights": (1, -1, 1)}, "weights", "non-negative"),
        ({"weights": (1, 1)}, "weights", "three"),
        ({"weights": (1, 1, math.inf)}, "weights", "three non-negative numbers"),
        ({"weights": (1, 1, math.nan)}, "weights", "three non-negative numbers"),
        ({"weights": None}, "weights", "three non-negative numbers"),
        ({"weights": (10**400, 1, 1)}, "weights", "three non-negative numbers"),
        ({"weights": (1, 1e-320, 1e300)}, "weights", "at least 1e-12 of the largest"),
        ({"n": 10**5000}, "n", "must be at most"),
        ({"poisson_mean": 10**400}, "poisson_mean", "must be a number"),
        ({"weights": (1, 0, 1)}, "weights", "give a budget"),
        ({"weights": (1, 1, 0)}, "weights", "give a budget or max_leaves_allowed"),
        ({"poisson_mean": -1}, "poisson_mean", "between 0 and 100"),
        ({"poisson_mean": "x"}, "poisson_mean", "must be a number"),
        ({"operator": "hvl2"}, "operator", "did you mean hvl?"),
        ({"operator": "hvl", "last_leaf": "empty"}, "operator", "are hvl-prime's"),
        ({"substitute": "node"}, "substitute", "did you mean nodes?"),
        ({"last_leaf": "drop"}, "last_leaf", "must be one of keep, empty"),
        ({"max_leaves_allowed": 3}, "max_leaves_allowed", "an optimal tree has at least 4 leaves"),
        ({"max_leaves_allowed": 5}, "max_leaves_allowed", "at least 8, the leaves the initial tree can have"),
    ],
)
def test_bad_input_names_the_field_and_what_is_allowed(changes, name, message):
    with pytest.raises(BadInput) as refused:
        RunSpec(**{**BASE, **changes})
    assert isinstance(refused.value, ValueError)
    assert refused.value.name == name
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["(1+1) GP*-single", "GP*-single", "gp*-single", "gpstar-single"])
def test_the_papers_names_are_understood(name):
    assert RunSpec(**{**BASE, "algorithm": name}).algorithm.id == "gpstar-single"


def test_the_fields_are_objects_and_their_texts_are_settings():
    spec = RunSpec(**BASE, init="bad:leaves=4n", operations="power:beta=2", operator="hvl")
    assert spec.problem is PROBLEMS["majority"]
    assert (spec.accept.id, spec.operations.id, spec.operator.id) == ("weak", "power:beta=2.0", "hvl")
    assert (spec.search, spec.init.leaves, spec.algorithm.multi) == (None, 16, False)
    texts = {"problem": "majority", "algorithm": "gp-single", "init": "bad:leaves=16", "operator": "hvl"}
    texts |= {"accept": "", "operations": "power:beta=2.0", "search": "", "until": ""}
    assert {name: spec.settings[name] for name in texts} == texts
    assert f"{spec.algorithm} on {spec.problem} from {spec.init}" == "gp-single on majority from bad:leaves=16"
    assert RunSpec(**spec.settings) == spec
    objects = {name: getattr(spec, name) for name in spec.settings}
    assert RunSpec(**objects) == spec
    assert repr(spec).startswith("RunSpec(problem='majority', algorithm='gp-single', n=4, init='bad:leaves=16', ")


def test_a_spec_is_replaced_and_not_changed():
    spec = RunSpec(**BASE)
    assert spec.replace(n=9) == RunSpec(**{**BASE, "n": 9})
    strict = spec.replace(algorithm="gpstar-multi", poisson_mean=2.0)
    assert strict == RunSpec(**{**BASE, "algorithm": "gpstar-multi"}, poisson_mean=2.0), "the new algorithm's rule"
    assert spec.replace(algorithm="gpstar-single", accept=spec.accept) == spec, "a rule that is given"
    assert strict.replace(poisson_mean=1.0).operations.id == "poisson:mean=1.0"
    with pytest.raises(AttributeError, match=r"use spec.replace\(n=...\)"):
        spec.n = 5
    with pytest.raises(TypeError, match="dataclass"):
        dataclasses.replace(spec, n=5)  # it would hand on a rule that was not given
    assert len({spec, RunSpec(**BASE), strict}) == 2
    assert pickle.loads(pickle.dumps(strict)) == strict == copy.copy(strict)


def test_an_algorithm_takes_its_rule_and_its_law_along():
    spec = RunSpec(**BASE, accept="parsimony", operations="exactly:k=2", budget=9)
    assert RunSpec(**{**BASE, "algorithm": spec.algorithm}, budget=9) == spec
    assert RunSpec(**{**BASE, "algorithm": spec.algorithm.id}, budget=9) == RunSpec(**BASE, budget=9)


def test_numbers_of_numpy_are_numbers():
    spec = RunSpec(problem="order", algorithm="gp-single", n=np.int64(4), budget=np.int32(9))
    assert spec == RunSpec(problem="order", algorithm="gp-single", n=4, budget=9)
    assert type(spec.n) is type(spec.budget) is int


def test_a_spec_is_canonical():
    assert RunSpec(**BASE, init=" ( x̄1 x2 )").settings["init"] == "(!x1 x2)"
    assert RunSpec(**BASE, init="unity:leaves=8") == RunSpec(**BASE)


def test_the_cell_is_the_law_and_nothing_but_the_law():
    base = RunSpec(**BASE)
    assert RunSpec(**BASE, budget=7).cell == base.cell, "a larger budget continues the same run"
    assert RunSpec(**BASE, weights=(2, 2, 2)).cell == base.cell, "weights count in proportion"
    assert RunSpec(**BASE, poisson_mean=3).cell == base.cell, "λ has no part in a single algorithm"
    others = [
        RunSpec(**{**BASE, **change})
        for change in (
            {"problem": "order"},
            {"algorithm": "gp-multi"},
            {"algorithm": "gp-multi", "poisson_mean": 2},
            {"n": 5},
            {"init": "bad"},
            {"weights": (1, 2, 1)},
            {"operator": "hvl"},
            {"substitute": "nodes"},
            {"last_leaf": "empty"},
            {"max_leaves_allowed": 100},
        )
    ]
    assert len({spec.cell for spec in [base, *others]}) == 11


def test_the_address_of_a_cell_never_changes():
    """Published runs are found by these numbers: if this fails, every old seed gives other runs."""
    assert RunSpec(**BASE).law() == {"problem": "majority", "algorithm": "gp-single", "n": 4, "init": "unity"}
    assert RunSpec(**BASE).cell == (3460644398, 233582721, 2798396644, 1595829667)


MY_ALGORITHM = Algorithm("mine", "mine", strict=False, multi=False)


@pytest.mark.parametrize("exported", [PROBLEMS, ALGORITHMS])
def test_nothing_can_be_put_into_what_is_exported(exported):
    with pytest.raises(TypeError, match="does not support item assignment"):
        exported["mine"] = MAJORITY
    assert "mine" not in exported


@pytest.mark.parametrize(
    ("exported", "name", "key", "member"),
    [
        (ALGORITHMS, "algorithm", "mine", MY_ALGORITHM),
        (ALGORITHMS, "algorithm", "gp-single", MY_ALGORITHM),
    ],
)
def test_what_was_put_there_all_the_same_is_refused(monkeypatch, exported, name, key, member):
    """No room sees a spec of it: a problem besides ours made the engine crash, and exact/ took it for ORDER."""
    (behind,) = gc.get_referents(exported)
    monkeypatch.setitem(behind, key, member)
    fields = {"problem": "order", "algorithm": "gp-single", "n": 2, "max_leaves_allowed": 4, name: key}
    with pytest.raises(BadInput, match=f"^{name} = {key}: is not gpruntime's own {name}; .*: [a-z, -]*$"):
        RunSpec(**fields)
    with pytest.raises(BadPlan, match=f"{name} = {key}: is not gpruntime's own"):
        Plan.of(**fields, runs=1)


@pytest.mark.parametrize("key", ["mine", "order"])
def test_a_problem_put_there_all_the_same_is_not_seen(monkeypatch, key):
    """Every room goes by our own table: a problem besides ours once made the engine crash."""
    before = RunSpec(**{**BASE, "problem": "order"})
    (behind,) = gc.get_referents(PROBLEMS)
    monkeypatch.setitem(behind, key, MAJORITY)
    assert RunSpec(**{**BASE, "problem": "order"}).problem is Run(before).spec.problem is ORDER
    with pytest.raises(BadInput, match=r"^problem = mine: must be one of order, majority, .* or FILE\.py:NAME"):
        RunSpec(**{**BASE, "problem": "mine"})
