"""Optimal choices: against value iteration, brute force and simulation, on chains that the model alone makes."""

import inspect
import itertools
import json
import math
import re

import numpy as np
import pytest

from gpruntime import BadInput, RunSpec, simulate
from gpruntime.exact import solve
from gpruntime.theory import policy
from tests import parts
from tests.theory import choosing
from tests.theory.choosing import Chain, counted, renamed

PARSIMONY = {"algorithm": "gp-single", "accept": "parsimony"}
STRICT = {"algorithm": "gpstar-single"}
SETTINGS = {
    "order-strict": ({"problem": "order", "n": 3, "init": "unity:leaves=2", **STRICT}, renamed),
    "order-parsimony": ({"problem": "order", "n": 3, "init": "unity:leaves=2", **PARSIMONY}, renamed),
    "majority-strict": ({"problem": "majority", "n": 3, "init": "unity:leaves=1", **STRICT}, counted),
    "majority-parsimony": ({"problem": "majority", "n": 3, "init": "unity:leaves=4", **PARSIMONY}, counted),
}


@pytest.fixture(params=SETTINGS, scope="module")
def setting(request):
    fields, state_of = SETTINGS[request.param]
    spec = RunSpec(**fields)
    return policy(spec), Chain(spec, state_of)


def test_two_methods_agree_on_the_optimum(setting):
    """Policy iteration, and value iteration."""
    found, chain = setting
    assert found.optimal.mean == pytest.approx(chain.least_mean(), rel=1e-10)
    assert found.gap < 1e-12


def test_brute_force_over_strategies_by_level_agrees(setting):
    found, chain = setting
    means = chain.by_level()
    assert len(means) == 64
    assert found.by_level.mean == pytest.approx(min(means.values()), rel=1e-10)
    assert found.fixed.mean == pytest.approx(means[3, 3, 3], rel=1e-10)


def test_maximal_drift(setting):
    found, chain = setting
    assert found.drift.mean == pytest.approx(chain.mean(chain.drift()), rel=1e-10)


def test_what_is_spent_adds_up(setting):
    found, _ = setting
    for name, strategy in found.strategies.items():
        assert 1 + strategy.spent.sum() == pytest.approx(strategy.mean, rel=1e-10)
        assert strategy.spent.min() >= 0
        assert found.regret(name) == pytest.approx(strategy.mean - found.optimal.mean)
    assert found.fixed.mean == pytest.approx(float(solve(found.spec).expected), rel=1e-10)


@pytest.mark.parametrize("algorithm", [STRICT, PARSIMONY], ids=["strict", "parsimony"])
def test_brute_force_over_all_policies(algorithm):
    """All 3^states of them."""
    spec = RunSpec(problem="majority", n=2, init="unity:leaves=1", **algorithm)
    chain, kinds = Chain(spec, counted), np.eye(3)
    states = len(chain.texts) - 1
    means = [chain.mean(kinds[[0, *picked]]) for picked in itertools.product(range(3), repeat=states)]
    assert len(means) == 3**states >= 81
    assert policy(spec).optimal.mean == pytest.approx(min(means), rel=1e-12)


def test_the_choices_at_trees():
    """From a leaf, AND_n only ever needs insertions: of n − i good terminals among n."""
    found = policy(RunSpec(problem="and", n=4, init="unity:leaves=1", **STRICT))
    assert found.choice("(x1 x2)") == {"insert": 1.0}
    assert found.choice("(x1 x2)", "fixed odds") == pytest.approx(dict.fromkeys(found.choices.names, 1 / 3))
    assert found.choice("(x1 (x2 (x3 x4)))") == {}
    assert found.optimal.mean == pytest.approx(1 + 4 * (1 + 1 / 2 + 1 / 3))
    assert found.fixed.mean == pytest.approx(1 + 3 * 4 * (1 + 1 / 2 + 1 / 3))
    with pytest.raises(BadInput, match="no run from unity:leaves=1 comes to this tree"):
        found.choice("(x1 x1)")
    with pytest.raises(BadInput, match="has more variables than"):
        found.choice("(x1 x9)")
    with pytest.raises(BadInput, match="must be one of optimal"):
        found.choice("x1", "best")


def test_numbers_of_operations():
    """The best of k = 1 … 3 is no worse than any k, and than the law itself."""
    law = {"problem": "majority", "n": 2, "init": "unity:leaves=1", "budget": 10**9, **STRICT}
    spec = RunSpec(**law, operations="table:p=0.5/0.3/0.2")
    found = policy(spec)
    assert found.choices.names == ("k = 1", "k = 2", "k = 3")
    assert found.fixed.mean == pytest.approx(float(solve(spec).expected), rel=1e-9)
    assert found.optimal.mean <= found.by_level.mean <= found.fixed.mean
    for k in (1, 2, 3):
        alone = solve(RunSpec(**law, operations=f"exactly:k={k}")).expected
        assert found.optimal.mean <= float(alone) + 1e-9
    assert policy(RunSpec(**law, operations="table:p=0.5/0/0.5")).choices.names == ("k = 1", "k = 3")


@pytest.mark.parametrize(
    "fields",
    [
        {"problem": "sorting:measure=exc", "n": 2, **PARSIMONY},
        {"problem": parts.missing, "n": 2, **PARSIMONY},
        {"problem": parts.weighted_order, "n": 2, **STRICT},
        {"problem": "order", "n": 2, "operator": "hvl", **STRICT},
        {"problem": "and-or", "n": 2, "max_leaves_allowed": 4, "algorithm": "gp-single"},
        {"problem": "majority", "n": 2, "max_leaves_allowed": 4, "weights": (2, 1, 0), "algorithm": "gp-single"},
        {"problem": "order", "n": 2, "last_leaf": "empty", "substitute": "nodes", **PARSIMONY},
    ],
    ids=lambda fields: f"{fields['problem']}",
)
def test_other_settings(fields):
    """Minimised ones, one's own, other operators, several functions, size limits: the fixed odds are `exact`'s."""
    spec = RunSpec(init="unity:leaves=1", budget=10**9, **fields)
    found = policy(spec)
    assert found.fixed.mean == pytest.approx(float(solve(spec).expected), rel=1e-9)
    assert 1 <= found.optimal.mean <= min(found.by_level.mean, found.drift.mean) + 1e-9
    json.dumps(found.to_record())


@pytest.mark.parametrize("algorithm", [STRICT, PARSIMONY], ids=["strict", "parsimony"])
def test_a_policy_can_avoid_a_trap(algorithm):
    """x_i must lead by 2. From one leaf of each, an insertion helps with 2 in 4 terminals, then with 1 in 4."""
    spec = RunSpec(problem="plus-c-majority", n=2, init="(x1 x2)", budget=10**9, **algorithm)
    assert solve(spec).expected == math.inf
    found = policy(spec)
    assert found.fixed.mean == math.inf
    assert found.optimal.mean == pytest.approx(1 + 4 / 2 + 4 / 1)
    record = found.to_record()
    assert [row["mean_is_infinite"] for row in record["strategies"]][0::3] == [False, True]
    assert "With the fixed odds the mean is infinite." in found.sentences()
    assert "Infinity" not in json.dumps(record)
    assert len(found.plot().figure.axes) == len(found.shown) >= 1


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"algorithm": "gp-single"}, "a policy needs finitely many states"),
        ({"algorithm": "gp-multi"}, "k has no largest value"),
        ({"algorithm": "smo-single"}, "policies are for one tree"),
        ({"algorithm": "gpstar-single", "weights": (0, 1, 0)}, "nothing to choose"),
        ({"algorithm": "gpstar-single", "operations": "exactly:k=3"}, "leaves 1 numbers"),
        ({"algorithm": "gpstar-single", "init": "unity"}, "infinite whatever is chosen"),
        ({"algorithm": "gpstar-single", "n": 40, "init": "unity:leaves=200"}, "too large"),
    ],
    ids=str,
)
def test_what_is_refused(fields, words):
    fields = {"problem": "majority", "n": 3, "init": "unity:leaves=1", "budget": 100} | fields
    with pytest.raises(BadInput, match=words):
        policy(RunSpec(**fields))


def test_how_it_shows_itself():
    found = policy(RunSpec(problem="majority", n=2, init="unity:leaves=3", **PARSIMONY))
    drawing = found.plot()
    assert len(drawing.figure.axes) == 3
    assert len(drawing.records) == 3 * 2
    assert drawing.to_bytes("svg")
    assert found.to_latex().count(r"\\") == 5
    assert "<svg" in found._repr_html_()
    assert re.search(r"optimal \d", repr(found))
    record = found.to_record()
    assert [row["strategy"] for row in record["strategies"]] == ["optimal", "by level", "maximal drift", "fixed odds"]


def as_operator(found, state_of, folder):
    """The optimal policy as a user's own operator, in a file."""
    kinds = {text: next(iter(found.choice(text))) for text in Chain(found.spec, state_of).texts[1:]}
    source = f"""
import re
from collections import Counter
import itertools

from gpruntime import HvlPrime, operator

KINDS = ("substitute", "insert", "delete")
CHOSEN = {tuple(sorted(kinds.items()))!r}


@operator
class Chosen:
    def __init__(self, primitives, proportions):
        self.primitives = primitives
        n = primitives.variables
        self.alone = {{kind: HvlPrime(n, [float(kind == other) for other in KINDS]) for kind in KINDS}}
        self.chosen = dict(CHOSEN)

    def at(self, tree):
        return self.alone[self.chosen[STATE(tree)]]

    def draw(self, tree, stream):
        return self.at(tree).draw(tree, stream)

    def apply(self, tree, operation):
        self.alone[operation.kind].apply(tree, operation)

    def proposals(self, tree):
        yield from self.at(tree).proposals(tree)
"""
    written = folder / "chosen.py"
    helpers = "\n\n".join(inspect.getsource(part) for part in (choosing._joined, state_of)).replace(": Tree", "")
    written.write_text(
        source.replace("STATE(", f"{state_of.__name__}(").replace("@operator", f"{helpers}\n\n@operator", 1)
    )
    return f"{written}:Chosen"


def simulated(name, runs, folder):
    fields, state_of = SETTINGS[name]
    found = policy(RunSpec(**fields))
    spec = RunSpec(**fields, operator=as_operator(found, state_of, folder), budget=10**6)
    results = [simulate(spec, seed=5, run=run) for run in range(runs)]
    assert all(result.outcome == "optimum" for result in results)
    times = np.array([result.evaluations for result in results])
    return found.optimal.mean, times


@pytest.mark.statistical
@pytest.mark.parametrize("name", [pytest.param("order-parsimony", marks=pytest.mark.long), "majority-parsimony"])
def test_simulation_by_an_own_operator(name, tmp_path):
    mean, times = simulated(name, 1000, tmp_path)
    assert abs(times.mean() - mean) < 4 * times.std() / math.sqrt(len(times))


@pytest.mark.long
@pytest.mark.statistical
@pytest.mark.parametrize("name", SETTINGS)
def test_simulation_by_an_own_operator_of_100000_runs(name, tmp_path):
    mean, times = simulated(name, 100_000, tmp_path)
    assert abs(times.mean() - mean) < 4 * times.std() / math.sqrt(len(times))
