"""An independent check of a certificate: no exact solver, no linear program, no floats; it counts in fractions.

It walks from state to state (`walk`), so the drift of the potential is known exactly in each; where trees grow without
end, it looks at all cells instead (`cells`, with what the problem says of them in theory/problems). Besides the model
it relies on these and on `features`.

The drift of the file's potential is looked at in every state; its bound and its number of states are held to what is
found.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gpruntime.model.errors import BadInput
from gpruntime.model.loading import no_files
from gpruntime.model.representations.truth_tables import TRUTH_TABLES
from gpruntime.model.spec import MAX_BUDGET, RunSpec
from gpruntime.theory.cells import (
    MAX_TREES,
    Beyond,
    Steps,
    all_cells,
    degree_for,
    differences,
    q_of,
    too_many,
    trees_needed,
    trees_of,
)
from gpruntime.theory.features import brought_of, column_of, many_operations
from gpruntime.theory.walk import Differ, State, Walk, initial_law, sees_counts
from gpruntime.theory.witness import Witness, shown, witness_of

FORMAT, VERSION = "gpruntime certificate", 1
UPPER, LOWER = "upper", "lower"
Progress = Callable[[int, int], None]
MAX_ROWS = 16  # of a truth table
MAX_VARIABLES = 1000
_REPORT_EVERY = 100
_BEYOND_ANY = "beyond any number of leaves; give a size limit (--max-leaves) and one operation"
_FRACTION = re.compile(r"-?[0-9]+(/[0-9]+)?")  # no exponents: 1e-99999999 takes for ever
_FIELDS = ("format", "version", "spec", "direction", "coefficients", "bound", "states")


@dataclass(frozen=True)
class Checked:
    """The verifier's answer.

    Attributes:
        spec: the setting of the certificate.
        holds: whether all that the certificate says is true.
        visited: the states that were looked at, the optimum not counted.
        bound: the bound that follows from the potential; None where it is no potential.
        why: what is false, in a line; empty if nothing is.
        witness: the state at which the drift is wrong.
    """

    spec: RunSpec
    holds: bool
    visited: int
    bound: Fraction | None
    why: str = ""
    witness: Witness | None = None

    def sentences(self) -> list[str]:
        """In words."""
        seen = f"{self.visited:,} {'trees that stand for all' if grows(self.spec) else 'states visited'}"
        if self.holds:
            assert self.bound is not None
            return [f"The certificate holds: {seen}, the bound is {shown(self.bound, 60)}."]
        return [
            f"The certificate does not hold: {self.why} ({seen}).",
            *(self.witness.sentences() if self.witness else []),
        ]

    def to_record(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "holds": self.holds,
            "visited": self.visited,
            "bound": None if self.bound is None else str(self.bound),
            "why": self.why,
            "witness": None if self.witness is None else self.witness.to_record(),
        }


@dataclass(frozen=True)
class Claim:
    """What a certificate says, read from a file."""

    spec: RunSpec
    direction: str
    coefficients: dict[str, Fraction]
    bound: Fraction
    states: int | None

    @classmethod
    def read(cls, record: object) -> Claim:
        """Raises `BadInput` if this is no certificate. No code is loaded: a part of one's own is named before."""
        if not isinstance(record, Mapping) or [record.get("format"), str(record.get("version"))] != [
            FORMAT,
            str(VERSION),
        ]:
            raise BadInput("check", "the file", f"must be a {FORMAT} of version {VERSION}")
        if unknown := set(record) ^ set(_FIELDS):
            raise BadInput("check", min(unknown), f"must be a certificate's field, and there: {', '.join(_FIELDS)}")
        if record["direction"] not in (UPPER, LOWER):
            raise BadInput("check", record["direction"], f"must be {UPPER} or {LOWER} as the direction")
        settings, said = record["spec"], record["coefficients"]
        if not isinstance(settings, Mapping) or not isinstance(said, Mapping):
            raise BadInput("check", "spec, coefficients", "must be fields with names")
        try:
            spec = RunSpec.from_data(**dict(settings), budget=MAX_BUDGET)
        except TypeError:
            raise BadInput("check", "spec", "must be the fields of a RunSpec without the budget") from None
        states = record["states"]
        if states is not None and (not isinstance(states, int) or isinstance(states, bool)):
            raise BadInput("check", states, "must be a whole number of states, or null")
        coefficients = {str(name): _fraction(value) for name, value in said.items()}
        return cls(spec, str(record["direction"]), coefficients, _fraction(record["bound"]), states)


def _fraction(text: object) -> Fraction:
    try:
        if isinstance(text, str) and _FRACTION.fullmatch(text):
            return Fraction(text)
    except (ValueError, ZeroDivisionError):  # too many digits for Python, or a denominator of 0
        pass
    raise BadInput("check", text if isinstance(text, str) else repr(text), "must be a fraction as text, such as '3/2'")


def verify(record: object, progress: Progress | None = None) -> Checked:
    """Checks a certificate: what its file says, as JSON is read.

    Raises:
        BadInput: it is no certificate, or the setting cannot be checked.
    """
    with no_files():  # its features are words of whoever wrote it, too
        claim = Claim.read(record)
        check_supported(claim.spec)
        check = _check_cells if grows(claim.spec) else _check_states
        try:
            return check(claim, Walk(claim.spec), progress)
        except Differ:
            return check(claim, Walk(claim.spec, alike=False), progress)


def check_supported(spec: RunSpec) -> None:
    """Raises `BadInput` for what has no potential of one tree, or truth table, with fractions for chances."""
    spec.require_parts()
    if spec.representation is TRUTH_TABLES:
        if (rows := 2**spec.primitives.variables) > MAX_ROWS:
            words = f"too large: tables are looked at one by one, of at most {MAX_ROWS} rows, not {rows:,}"
            raise BadInput("n", spec.n, words)
        return
    spec.require_trees("a potential")
    if spec.primitives.variables > MAX_VARIABLES:
        raise BadInput("n", spec.n, f"too large: trees of at most {MAX_VARIABLES:,} variables are looked at")
    if spec.has_population:
        name, value = ("search", spec.search.id) if spec.search else ("algorithm", spec.algorithm.id)
        raise BadInput(name, value, "keeps several trees: a potential is a function of one tree")
    if spec.operator.is_own:
        raise BadInput("operator", spec.operator.id, "a user-defined operator gives its probabilities as floats")


def grows(spec: RunSpec) -> bool:
    """Whether the states are not finitely many, or not all of them can be walked: then all cells are looked at."""
    if spec.representation is TRUTH_TABLES:
        return False
    if many_operations(spec):
        return True
    larger = spec.accept.accepts(0, 1) or any(spec.accept.accepts(-1, growth) for growth in (-1, 0, 1))
    return spec.max_leaves_allowed is None and spec.weights[1] > 0 and larger


def _check_states(claim: Claim, walk: Walk, progress: Progress | None) -> Checked:
    """The drift at each state that can be reached, breadth first."""
    spec, upper = claim.spec, claim.direction == UPPER
    potential, reached = _potential(claim), set[int]()
    waiting: deque[State] = deque()

    def at(state: State) -> Fraction:
        if id(state) not in reached:
            reached.add(id(state))
            if state.fitness != spec.best:
                waiting.append(state)
        return potential(state)

    total = Fraction(1)
    for tree, chance in initial_law(spec, walk.by_counts):
        total += chance * at(walk.state(tree))
    visited = 0
    while waiting:
        state = waiting.popleft()
        visited += 1
        if progress is not None and visited % _REPORT_EVERY == 0:
            progress(visited, visited + len(waiting))
        here = at(state)
        drift = sum((chance * (here - at(after)) for after, chance in walk.moves(state)), Fraction(0))
        if (drift < 1) if upper else (drift > 1):
            return _wrong_drift(claim, state, drift, visited)
    if claim.states is not None and claim.states != visited:
        return Checked(spec, False, visited, total, f"it says that there are {claim.states:,} states")
    return _with_bound(claim, total, visited)


def _check_cells(claim: Claim, walk: Walk, progress: Progress | None) -> Checked:
    """The drift at all trees, by Newton's differences in each cell (`cells`)."""
    spec, potential = claim.spec, _potential(claim)
    beyond = beyond_of(spec, claim.direction, claim.coefficients)
    if claim.states is not None:
        return Checked(spec, False, 0, None, f"it says that there are {claim.states:,} states, and they have no end")
    if negative := next((name for name, value in claim.coefficients.items() if value < 0), None):
        return Checked(spec, False, 0, None, f"φ may be negative: the coefficient of {negative} is")
    once = chance_of_one(spec)
    visited = 0
    total = Fraction(1)
    for tree, chance in initial_law(spec, walk.by_counts):
        total += chance * potential(walk.state(tree))
    for place, corner in enumerate(corners(spec, beyond, list(claim.coefficients), walk), 1):
        excess: dict[Steps, Fraction] = {}
        for steps, state, q in corner:
            here = potential(state)
            drift = sum((chance * (here - potential(after)) for after, chance in walk.moves(state)), Fraction(0))
            visited += 1
            if once * drift < 1:
                return _wrong_drift(claim, state, once * drift, visited)
            excess[steps] = q * (once * drift - 1)
        if excess and min(differences(excess).values()) < 0:
            why = f"the drift is not seen to be 1 or more at all trees that are {corner[0][1].tree} or larger alike"
            return Checked(spec, False, visited, None, why)
        if progress is not None and place % _REPORT_EVERY == 0:
            progress(visited, visited)
    return _with_bound(claim, total, visited)


def beyond_of(spec: RunSpec, direction: str, names: Iterable[str]) -> Beyond:
    """How the problem goes on; raises `BadInput`, with the reason, where no certificate can close the cut."""
    many = many_operations(spec)
    name, value = ("max_leaves_allowed", "none") if not many else ("operations", spec.operations.id)
    grow = "an offspring can have many operations" if many else "trees grow without end"
    brought = None if spec.problem.is_own else brought_of(spec, "BEYOND")
    if direction == LOWER:
        raise BadInput("direction", direction, f"{grow}: a potential bounds from above; `gpruntime exact` from below")
    if not isinstance(brought, Beyond) or not sees_counts(spec):
        raise BadInput(name, value, f"{grow}, and nothing is known of {spec.problem.name} {_BEYOND_ANY}")
    if spec.max_leaves_allowed is not None:
        raise BadInput("max_leaves_allowed", spec.max_leaves_allowed, "with many operations there must be no limit")
    if spec.accept.is_own:
        raise BadInput("accept", spec.accept.id, f"{grow}: nothing is known of an own rule beyond any number of leaves")
    for feature in names:
        if brought.degree(feature) is None:
            raise BadInput("features", feature.partition("@")[0], f"{grow}, and nothing is known of it {_BEYOND_ANY}")
        if many and not feature.startswith("level:"):
            raise BadInput("features", feature, f"{grow}: only level:K is known not to grow with them")
    return brought


def chance_of_one(spec: RunSpec) -> Fraction:
    """P(k = 1), at most: a potential of levels loses at least this share of what it loses by one operation.

    The fitness never falls, whatever k; so a level is left at least as soon as if only k = 1 counted.
    """
    if spec.algorithm.multi:
        return Fraction(math.exp(-spec.poisson_mean)) * (1 - Fraction(1, 2**50))
    if spec.operations.most == 1:
        return Fraction(1)
    if spec.operations.fewest > 1:
        raise BadInput("operations", spec.operations.id, "must leave k = 1 a chance")
    return Fraction(spec.operations.table[0])


def corners(
    spec: RunSpec, beyond: Beyond, names: Sequence[str], walk: Walk, most_trees: int = MAX_TREES
) -> Iterator[list[tuple[Steps, State, int]]]:
    """For each product of cells without the optimum: steps from the corner, the state there, and q.

    Raises:
        BadInput: there are too many, or the fitness is not what the problem says.
    """
    most = max((beyond.degree(name) or 0 for name in names), default=0)
    degree, chosen = degree_for(spec, most), all_cells(spec, beyond, walk.alike)
    if (needed := trees_needed(chosen, degree)) > most_trees:
        raise too_many(spec, needed, most_trees)
    for cells in chosen:
        found = [(steps, walk.state(tree), q_of(spec, tree)) for steps, tree in trees_of(spec, cells, degree)]
        if len({state.fitness for _, state, _ in found}) > 1:
            raise BadInput("problem", spec.problem.name, "has not the same fitness where it says so")
        if found[0][1].fitness != spec.best:
            yield found


def _potential(claim: Claim) -> Callable[[State], Fraction]:
    """φ = Σ c_j f_j, and 0 at the optimum."""
    columns = [(column_of(claim.spec, name), value) for name, value in claim.coefficients.items()]
    values: dict[int, tuple[State, Fraction]] = {}  # by object; it is held, so that no other gets its number

    def potential(state: State) -> Fraction:
        if id(state) not in values:
            is_best = state.fitness == claim.spec.best
            parts = () if is_best else (value * column.value(state.tree, state.fitness) for column, value in columns)
            values[id(state)] = state, sum(parts, Fraction(0))
        return values[id(state)][1]

    return potential


def _wrong_drift(claim: Claim, state: State, drift: Fraction, visited: int) -> Checked:
    potential = _potential(claim)
    why = f"the drift is {shown(drift)}, {'less' if claim.direction == UPPER else 'more'} than 1, at {state.tree}"
    witness = witness_of(claim.spec, state.tree, lambda tree, fitness: potential(State(tree, fitness)))
    return Checked(claim.spec, False, visited, None, why, witness)


def _with_bound(claim: Claim, total: Fraction, visited: int) -> Checked:
    if (claim.bound < total) if claim.direction == UPPER else (claim.bound > total):
        why = f"it says {shown(claim.bound, 60)}, and its potential gives {shown(total, 60)}"
        return Checked(claim.spec, False, visited, total, why)
    return Checked(claim.spec, True, visited, total)
