"""The verifier: independent of the exact solver, and it finds every error that is planted."""

import ast
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import gpruntime.theory
from gpruntime import BadInput, RunSpec
from gpruntime.theory import certify, verify
from gpruntime.theory.certifying import solve
from gpruntime.theory.features import Feature
from tests.theory import own

ROOM = Path(gpruntime.theory.__file__).parent
LITTLE = Fraction(1, 10**12)


def a_certificate(direction="upper"):
    spec = RunSpec(problem="majority", algorithm="gp-single", accept="parsimony", n=2)
    return certify(spec, direction=direction)


@pytest.fixture(scope="module")
def record():
    return a_certificate().to_record()


def imported(file):
    """The modules of ours that a file imports, and what those import."""
    names, waiting = set(), [file]
    while waiting:
        tree = ast.parse(waiting.pop().read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gpruntime"):
                if node.module.startswith("gpruntime.theory") and node.module not in names:
                    waiting.append(ROOM / (node.module.removeprefix("gpruntime.theory.") + ".py"))
                names.add(node.module)
            elif isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names if alias.name.startswith("gpruntime"))
    return names


def test_the_verifier_imports_the_model_alone():
    rooms = {name.split(".")[1] for name in imported(ROOM / "verifier.py")}
    assert rooms == {"model", "theory"}
    problems = {name for file in (ROOM / "problems").glob("*.py") for name in imported(file)}
    assert {name for name in problems if not name.startswith("gpruntime.model")} <= {"gpruntime.theory.cells"}
    assert "exact" in {name.split(".")[1] for name in imported(ROOM / "certifying.py")}  # it would be seen


def test_nothing_of_the_solver_is_loaded_by_it():
    loaded = "print([name for name in sys.modules if 'exact' in name or 'scipy' in name])"
    code = f"import sys; from gpruntime.theory import verify; {loaded}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_certificate_as_it_is(record):
    checked = verify(json.loads(json.dumps(record)))
    assert (checked.holds, checked.visited) == (True, 43)
    assert str(checked.bound) == record["bound"]


def planted(record, **changes):
    return {**json.loads(json.dumps(record)), **changes}


@pytest.mark.parametrize("name", ["level:0", "level:1", "leaves", "absent", "surplus", "burden"])
@pytest.mark.parametrize("by", [LITTLE, -LITTLE])
def test_a_coefficient_changed(record, name, by):
    """At the optimum of the program every coefficient is held by some state, or by the bound."""
    changed = {**record["coefficients"], name: str(Fraction(record["coefficients"][name]) + by)}
    checked = verify(planted(record, coefficients=changed))
    assert not checked.holds
    assert checked.witness is None or checked.witness.drift < 1


def test_a_coefficient_left_out(record):
    for name in record["coefficients"]:
        fewer = {key: value for key, value in record["coefficients"].items() if key != name}
        assert not verify(planted(record, coefficients=fewer)).holds


def test_a_bound_lowered(record):
    bound = Fraction(record["bound"])
    lowered = verify(planted(record, bound=str(bound - LITTLE)))
    assert not lowered.holds
    assert "its potential gives" in lowered.why
    assert verify(planted(record, bound=str(bound + LITTLE))).holds  # weaker, and true
    lower = a_certificate("lower").to_record()
    assert verify(lower).holds
    assert not verify(planted(lower, bound=str(Fraction(lower["bound"]) + LITTLE))).holds
    assert not verify(planted(record, direction="lower")).holds


def test_a_spec_exchanged(record):
    spec = record["spec"]
    for changes in (
        {"n": 3},
        {"accept": "strict"},
        {"accept": "parsimony-smaller"},
        {"init": "unity:leaves=5"},
        {"weights": [1, 1, 2]},
        {"substitute": "nodes"},
        {"problem": "order", "init": "unity:leaves=1"},
    ):
        try:
            assert not verify(planted(record, spec={**spec, **changes})).holds, changes
        except BadInput:
            assert "problem" in changes  # another has no burden
    same_law = {**spec, "algorithm": "gpstar-single"}  # the rule is said besides
    assert verify(planted(record, spec=same_law)).holds


def test_a_state_left_out(monkeypatch):
    """A potential that was found without asking one of the states that hold it."""
    spec = RunSpec(problem="majority", algorithm="gp-single", accept="parsimony", n=2)
    whole = certify(spec)

    def without_one(drifts, means, direction):
        best = solve(drifts, means, direction)
        for row in best.tight:
            kept = [other for other in range(len(drifts)) if other != row]
            found = solve(drifts[kept], means, direction)
            if found.coefficients @ means < best.coefficients @ means - 1e-6:
                return found._replace(tight=[kept[place] for place in found.tight])
        raise AssertionError("no state matters")

    monkeypatch.setattr("gpruntime.theory.certifying.solve", without_one)
    monkeypatch.setattr("gpruntime.theory.certifying.made_valid", lambda coefficients, worst, direction: coefficients)
    checked = certify(spec).check()
    assert not checked.holds
    assert checked.witness.drift < 1
    assert checked.witness.moves
    monkeypatch.undo()
    fewer = verify(planted(whole.to_record(), states=42))
    assert not fewer.holds
    assert "42 states" in fewer.why


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "something"},
        {"version": 2},
        {"version": True},
        {"direction": "sideways"},
        {"coefficients": {"leaves": 1.5}},
        {"coefficients": {"leaves": "1/0"}},
        {"coefficients": {"leaves": "1e-99999999"}},
        {"coefficients": {"leaves": "9" * 5000}},
        {"coefficients": {"leafs": "1"}},
        {"coefficients": {"level": "1"}},
        {"coefficients": {"__import__('os')": "1"}},
        {"coefficients": ["leaves"]},
        {"bound": None},
        {"states": "43"},
        {"spec": {}},
        {"spec": {"problem": "majority", "algorithm": "gp-multi", "n": 2}, "direction": "lower"},
        {"spec": {"problem": "majority", "algorithm": "smo-single", "n": 2}},
        {"spec": {"problem": "majority", "algorithm": "gp-single", "n": 2, "nonsense": 1}},
        {"spec": {"problem": "/tmp/mine.py:two_thirds", "algorithm": "gp-single", "n": 2}},
        {"spec": {"problem": "two_thirds@0123456789abcdef", "algorithm": "gp-single", "n": 2}},
        {"coefficients": {"phi@0123456789abcdef": "1"}},
        {"coefficients": {"/tmp/mine.py:phi": "1"}},
        {"more": 1},
    ],
)
def test_what_is_no_certificate_is_one_line(record, changes):
    with pytest.raises(BadInput) as error:
        verify(planted(record, **changes))
    assert "\n" not in str(error.value)


def test_where_states_have_no_end_none_may_be_counted():
    record = certify(RunSpec(problem="and", algorithm="gp-single", n=2, init="x1")).to_record()
    assert verify(record).holds
    wrong = verify(planted(record, states=1))
    assert not wrong.holds
    assert "no end" in wrong.why


def test_a_setting_that_would_fill_the_memory_is_one_line(record):
    for problem in ("order", "majority"):
        spec = {"problem": problem, "algorithm": "gpstar-single", "n": 400_000_000, "init": "unity:leaves=1"}
        with pytest.raises(BadInput, match="at most 1,000 variables"):
            verify(planted(record, spec=spec))
    spec = spec | {"problem": "order", "n": 3, "init": "unity:leaves=100000"}
    with pytest.raises(BadInput, match="more than 500,000 trees"):
        verify(planted(record, spec=spec, coefficients={"leaves": "1"}))


@pytest.mark.parametrize("text", [None, [], "x", 3, {}])
def test_what_is_no_record_is_one_line(text):
    with pytest.raises(BadInput, match="must be a gpruntime certificate"):
        verify(text)


def test_a_feature_of_ones_own_is_known_by_its_source():
    spec = RunSpec(problem="and", algorithm="gpstar-single", n=3, init="x1")
    record = certify(spec, potential=own.harmonic).to_record()
    (name,) = record["coefficients"]
    assert name == Feature.own(own.harmonic).id
    assert verify(record).holds
    edited = {name[:-1] + ("0" if name[-1] != "0" else "1"): "1"}
    with pytest.raises(BadInput, match="source is not loaded"):
        verify(planted(record, coefficients=edited))
