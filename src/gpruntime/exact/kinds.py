"""What a state of a tree is: a problem's own states if it brings any, otherwise by what its function sees.

- `problems`: a file named like the problem, whose `STATES` are fewer than the general ones;
- `counts`: the numbers of leaves x_i and x̄_i, for what sees the counts;
- `trees`: whole trees, for all else;
- `circuits`, `truth_tables`: where programs are these;
- `proposed`: whole trees, where an operation is not HVL-Prime's on functions of two arguments.
"""

from __future__ import annotations

import importlib
import importlib.util

from gpruntime.exact.circuits import CircuitStates
from gpruntime.exact.counts import CountStates
from gpruntime.exact.law import OperationLaw
from gpruntime.exact.proposed import ProposedStates
from gpruntime.exact.states import States
from gpruntime.exact.trees import TreeStates
from gpruntime.exact.truth_tables import TableStates
from gpruntime.model.problem import Problem
from gpruntime.model.spec import RunSpec

_OF_PROGRAMS: dict[str, type[States]] = {"circuit": CircuitStates, "truth-table": TableStates}
_OF_PROBLEMS = "gpruntime.exact.problems"


def kind_of(problem: Problem) -> type[States]:
    """The kind of states of a problem."""
    name = f"{_OF_PROBLEMS}.{problem.id.partition(':')[0].replace('-', '_')}"
    if not problem.is_own and importlib.util.find_spec(name) is not None:
        kind: type[States] = importlib.import_module(name).STATES
        return kind
    return CountStates if problem.sees == "counts" else TreeStates


def kind_for(spec: RunSpec) -> type[States]:
    """The kind of states of a spec: its problem's, where operations are HVL-Prime's on functions of two arguments."""
    if not spec.representation.is_tree:
        return _OF_PROGRAMS[spec.representation.id]
    if spec.operator.id != "hvl-prime" or not spec.primitives.is_binary:
        return ProposedStates
    return kind_of(spec.problem)


def states_of(spec: RunSpec, rational: bool = False) -> States:
    """The states of the spec's problem."""
    return kind_for(spec)(spec, OperationLaw(spec, rational))


def is_multi(spec: RunSpec) -> bool:
    """Whether an offspring can have several operations."""
    return spec.algorithm.multi or spec.operations.most > 1
