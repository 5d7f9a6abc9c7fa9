"""Operators of one's own: the model runs them, everything else runs by the model or says why not."""

import math
import pickle
import subprocess
import sys
from collections import Counter

import pytest

from gpruntime import BadInput, HvlPrime, Operation, Run, RunSpec, Terminal, operator, run_many, simulate
from gpruntime.analysis import summarise
from gpruntime.engine import unsupported
from gpruntime.model.operator import Operator
from gpruntime.model.part import Part
from gpruntime.model.stream import Stream
from gpruntime.model.tree import Tree
from gpruntime.study import Plan, Study, run_study
from gpruntime.watch.choice import address_of, choice_of

STEP = 1


def shifted(terminal, by):
    return terminal._replace(variable=terminal.variable + by)


@operator
class Again:
    """HVL-Prime, written again."""

    def __init__(self, primitives, proportions):
        self.inner = HvlPrime(primitives.variables, proportions, primitives=primitives)

    def draw(self, tree, stream):
        return self.inner.draw(tree, stream)

    def apply(self, tree, operation):
        self.inner.apply(tree, operation)

    def proposals(self, tree):
        return self.inner.proposals(tree)


@operator
class Next(HvlPrime):
    """A leaf x_i becomes x_{i+1}, as far as there is one: nothing else."""

    def __init__(self, primitives, proportions):
        super().__init__(primitives.variables, proportions, primitives=primitives)

    def draw(self, tree, stream):
        return self._at(tree, stream.below(len(tree.leaves)))

    def proposals(self, tree):
        for site in range(len(tree.leaves)):
            yield self._at(tree, site), 1 / len(tree.leaves)

    def _at(self, tree, site):
        terminal = tree.leaves[site].terminal
        return Operation("substitute", site, None, shifted(terminal, STEP) if terminal.variable < self.n else terminal)


@operator
class Spoil(HvlPrime):
    """A leaf becomes x̄_1, and nothing else."""

    def __init__(self, primitives, proportions):
        super().__init__(primitives.variables, proportions, primitives=primitives)

    def draw(self, tree, stream):
        return Operation("substitute", stream.below(len(tree.leaves)), None, Terminal(1, True))

    def proposals(self, tree):
        for site in range(len(tree.leaves)):
            yield Operation("substitute", site, None, Terminal(1, True)), 1 / len(tree.leaves)


def spec_of(**fields):
    return RunSpec(**{"problem": "order", "algorithm": "gp-single", "n": 4, "budget": 300, "operator": Again, **fields})


def test_HVL_Prime_written_again_agrees_draw_by_draw():
    again, ours = spec_of(), spec_of(operator="hvl-prime")
    assert again.cell != ours.cell
    again.__dict__["cell"] = ours.cell  # the address, and with it the stream
    for step, theirs in zip(Run(again, 3), Run(ours, 3), strict=True):
        assert step == theirs


def test_a_spec_names_it_by_its_digest():
    spec = spec_of()
    assert spec.operator.id == Again.id == spec.law()["operator"]
    assert Again.id.startswith("Again@")
    assert RunSpec(**spec.law(), budget=300) == spec


def test_the_model_runs_it_everywhere(tmp_path):
    spec = spec_of(operator=Next, algorithm="gpstar-single", init="(x1 x1)")
    assert unsupported(spec) == "Next is an operator of your own: the model runs it"
    columns = run_many(spec, seed=1, runs=5)
    assert [result.evaluations for result in columns.results()] == [simulate(spec, 1, r).evaluations for r in range(5)]
    assert summarise(columns).cells
    plan = Plan.of(problem="order", algorithm="gp-single", n=3, operator=Next, budget=20, runs=3)
    assert "class Next(HvlPrime)" in plan.parts[Next.id]
    run_study(plan, tmp_path / "s")
    rows = Study.load(tmp_path / "s").table().to_pylist()
    assert [row["evaluations"] for row in rows] == [
        simulate(plan.cells[0].spec, 0, run).evaluations for run in range(3)
    ]
    assert {row["operator"] for row in rows} == {Next.id}


def test_the_page_says_that_it_cannot():
    with pytest.raises(BadInput, match="operator"):
        choice_of(address_of(spec_of(operator=Next, init="(x1 x1)", algorithm="gpstar-single"), 0, 0))


def test_stuck_is_found_by_trying_all_proposals_and_never_taken_from_ours():
    stuck = simulate(spec_of(operator=Next, algorithm="gpstar-single", init="(x4 x4)", budget=None))
    assert (str(stuck.outcome), stuck.evaluations) == ("stuck", 1)
    assert str(simulate(spec_of(operator=Next, init="(x4 x4)")).outcome) == "budget"  # x4 → x4 is accepted, for ever
    weak = simulate(spec_of(operator=Spoil, init="(x1 x2)"))  # ours would draw the same terminal again
    assert (str(weak.outcome), weak.evaluations) == ("stuck", 1)
    with pytest.raises(BadInput, match="give a budget"):
        spec_of(operator=Again, budget=None)


def test_the_source_stands_by_itself():
    for name in ("STEP = 1", "def shifted", "from gpruntime import HvlPrime as HvlPrime", "@operator\nclass Next"):
        assert name in Next.source
    assert "STEP" not in Again.source
    kept = pickle.dumps(spec_of(operator=Next, init="(x1 x1)"))
    code = "import pickle, sys; from gpruntime import simulate; print(simulate(pickle.load(sys.stdin.buffer), 2).tree)"
    found = subprocess.run([sys.executable, "-c", code], input=kept, capture_output=True, check=True)
    assert found.stdout.decode().strip() == simulate(spec_of(operator=Next, init="(x1 x1)"), 2).tree


def test_an_edited_operator_has_another_address(tmp_path):
    text = Next.source
    ids = set()
    for step in ("STEP = 1", "STEP = 2"):
        file = tmp_path / "mine.py"
        file.write_text(text.replace("STEP = 1", step) + "\n# a comment elsewhere\n")
        ids.add(spec_of(operator=f"{file}:Next").operator.id)
    assert len(ids) == 2
    assert Next.id in ids
    Part._live.pop(("operator", next(iter(ids - {Next.id}))))


def test_what_one_method_binds_is_not_hidden_from_another(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from gpruntime import HvlPrime, operator\nSIZE = 3\n@operator\nclass Mine(HvlPrime):\n"
        "    def __init__(self, primitives, proportions):\n"
        "        super().__init__(primitives.variables)\n        self.size = SIZE\n"
        "    def other(self, SIZE):\n        return SIZE\n"
    )
    assert "SIZE = 3" in Operator.named(f"{file}:Mine", {}).source


BAD = {
    "draw": "return 3",
    "draw ": "return Operation('swap', 0)",
    "draw  ": "raise KeyError('oh')",
    "draw   ": "return Operation('substitute', 0, None, Terminal(9, False))",
    "apply": "tree.leaves.pop()",
    "proposals": "return iter([(Operation('delete', 0), 0.5)])",
}


@pytest.mark.parametrize("method", BAD)
def test_bad_operators_get_one_line(tmp_path, method):
    file = tmp_path / "mine.py"
    arguments = {"draw": "tree, stream", "apply": "tree, operation", "proposals": "tree"}[method.strip()]
    file.write_text(
        "from gpruntime import HvlPrime, Operation, Terminal, operator\n@operator\nclass Mine(HvlPrime):\n"
        "    def __init__(self, primitives, proportions):\n        super().__init__(primitives.variables)\n"
        f"    def {method.strip()}(self, {arguments}):\n        {BAD[method]}\n"
    )
    with pytest.raises(BadInput) as refused:
        simulate(spec_of(operator=f"{file}:Mine", algorithm="gpstar-single", init="(!x1 !x1)"))
    assert "\n" not in str(refused.value)


def test_what_is_no_operator():
    class Bare:
        def draw(self):
            pass

    for wrong, words in ((Bare, "bare class: put @operator above it"), (3, "must be one of hvl-prime, hvl")):
        with pytest.raises(BadInput, match=words):
            spec_of(operator=wrong)
    with pytest.raises(BadInput, match="has no apply, proposals"):
        operator(Bare)
    with pytest.raises(BadInput, match="must be a class"):
        operator(shifted)
    with pytest.raises(BadInput, match="dialects"):
        spec_of(last_leaf="empty")


def test_proposals_are_what_is_drawn():
    mutation, tree, stream = spec_of(operator=Next).mutation, Tree.parse("(x1 (x2 x4))"), Stream(1, (0, 0, 0, 0), 0)
    expected = dict(mutation.proposals(tree))
    drawn = Counter(mutation.draw(tree, stream) for _ in range(3000))
    assert math.isclose(sum(expected.values()), 1)
    assert set(drawn) == set(expected)
