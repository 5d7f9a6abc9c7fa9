"""An independent check of a certificate: it uses the model alone, and counts in fractions.

From each tree that can be reached, `proposals` says what can be drawn and with which chance; each proposal is made on
a copy of the tree, and the rule is asked. So the drift of the potential at the tree is known exactly. Where the fitness
sees counts, the law of the counts after an operation depends on the counts alone, so one tree of each is looked at;
otherwise every tree is. Where all terms of the fitness are seen to be equal, variables may be renamed.

What is found is held against the file: its drift at every state, its bound, and its number of states.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, cast

from gpruntime.model.errors import BadInput
from gpruntime.model.fractions import in_fractions
from gpruntime.model.initial import balanced
from gpruntime.model.loading import no_files
from gpruntime.model.mutation import INSERT, Operation
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import MAX_BUDGET, RunSpec
from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Node, Tree
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
from gpruntime.theory.features import brought_of, column_of
from gpruntime.theory.witness import Witness, shown, witness_of

FORMAT, VERSION = "gpruntime certificate", 1
UPPER, LOWER = "upper", "lower"
MAX_STATES = 2_000_000
MAX_INITIAL = 500_000
Progress = Callable[[int, int], None]
_REPORT_EVERY = 100
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
        if not isinstance(record, Mapping) or record.get("format") != FORMAT or record.get("version") != VERSION:
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
    """Raises `BadInput` for what has no potential of one tree with fractions for chances."""
    spec.require_parts()
    spec.require_trees("a potential")
    if spec.has_population:
        name, value = ("search", spec.search.id) if spec.search else ("algorithm", spec.algorithm.id)
        raise BadInput(name, value, "keeps several trees: a potential is a function of one tree")
    if spec.operator.is_own:
        raise BadInput("operator", spec.operator.id, "a user-defined operator gives its probabilities as floats")


def grows(spec: RunSpec) -> bool:
    """Whether the states are not finitely many, or not all of them can be walked: then all cells are looked at."""
    if spec.operations.most > 1 or spec.algorithm.multi:
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
    many = spec.operations.most > 1 or spec.algorithm.multi
    name, value = ("max_leaves_allowed", "none") if not many else ("operations", spec.operations.id)
    grow = "an offspring can have many operations" if many else "trees grow without end"
    brought = None if spec.problem.is_own else brought_of(spec, "BEYOND")
    if direction == LOWER:
        raise BadInput("direction", direction, f"{grow}: a potential bounds from above; `gpruntime exact` from below")
    if not isinstance(brought, Beyond) or not sees_counts(spec):
        raise BadInput(name, value, f"{grow}, and nothing is known of {spec.problem.name} beyond any number of leaves")
    if spec.max_leaves_allowed is not None:
        raise BadInput("max_leaves_allowed", spec.max_leaves_allowed, "with many operations there must be no limit")
    if spec.accept.is_own:
        raise BadInput("accept", spec.accept.id, f"{grow}: nothing is known of an own rule beyond any number of leaves")
    for feature in names:
        if brought.degree(feature) is None:
            raise BadInput("features", feature.partition("@")[0], f"{grow}: nothing is known of it beyond any number")
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

    values: dict[int, Fraction] = {}  # of states that a walk keeps, each one object

    def potential(state: State) -> Fraction:
        if state.fitness == claim.spec.best:
            return Fraction(0)
        if id(state) not in values:
            parts = (value * column.value(state.tree, state.fitness) for column, value in columns)
            values[id(state)] = sum(parts, Fraction(0))
        return values[id(state)]

    return potential


def _wrong_drift(claim: Claim, state: State, drift: Fraction, visited: int) -> Checked:
    columns = [(column_of(claim.spec, name), value) for name, value in claim.coefficients.items()]

    def potential(tree: Tree, fitness: Fitness) -> Fraction:
        return sum((value * column.value(tree, fitness) for column, value in columns), Fraction(0))

    why = f"the drift is {shown(drift)}, {'less' if claim.direction == UPPER else 'more'} than 1, at {state.tree}"
    return Checked(claim.spec, False, visited, None, why, witness_of(claim.spec, state.tree, potential))


def _with_bound(claim: Claim, total: Fraction, visited: int) -> Checked:
    if (claim.bound < total) if claim.direction == UPPER else (claim.bound > total):
        why = f"it says {shown(claim.bound, 60)}, and its potential gives {shown(total, 60)}"
        return Checked(claim.spec, False, visited, total, why)
    return Checked(claim.spec, True, visited, total)


class Differ(Exception):  # no error: the check begins anew, without renaming
    """Two variables were seen to have different terms."""


class State(NamedTuple):
    """A tree that stands for its state."""

    tree: Tree
    fitness: Fitness


def sees_counts(spec: RunSpec) -> bool:
    """Whether counts tell states apart: with HVL-Prime, functions of two arguments, and a fitness that sees no more."""
    usual = spec.operator.id == "hvl-prime" and spec.primitives.is_binary
    return usual and spec.problem.sees == "counts"


class Walk:
    """States, and the moves between them, by the model's proposals.

    Attributes:
        spec: whose.
        alike: whether variables are renamed, as long as they are seen to be alike.
        by_counts: see `sees_counts`.
    """

    def __init__(self, spec: RunSpec, alike: bool = True) -> None:
        self.spec = spec
        self.by_counts = sees_counts(spec)
        self.alike = alike and spec.problem.sees in ("counts", "first")
        self.mutation = in_fractions(spec)
        self.states: dict[Hashable, State] = {}
        self._seen: set[tuple[int, int]] = set()
        if self.alike and not self.by_counts:
            self._check_alike([False])
            if spec.primitives.signed:
                self._check_alike([True])

    def state(self, tree: Tree, key: Hashable = None) -> State:
        """The state of a tree, new or known."""
        key = self._key(tree) if key is None else key
        known = self.states.get(key)
        if known is None:
            known = self.states[key] = State(tree, self._fitness(tree))
            if len(self.states) > MAX_STATES:
                raise BadInput("check", f"{MAX_STATES:,}", "trees were looked at, and there are more")
        return known

    def moves(self, state: State) -> Iterator[tuple[State, Fraction]]:
        """What one evaluation can accept, with its chance."""
        for operation, chance, key in self._proposals(state.tree):
            after = None if key is None else self.states.get(key)
            if after is None:
                offspring = state.tree.copy()
                self.mutation.apply(offspring, operation)
                after = State(offspring, self._fitness(offspring)) if key is None else self.state(offspring, key)
            if self._accepts(state, after):
                yield (self.state(after.tree) if key is None else after), chance

    def _accepts(self, state: State, after: State) -> bool:
        """What the size limit and the rule say."""
        limit, leaves = self.spec.max_leaves_allowed, len(after.tree.leaves)
        if limit is not None and leaves > limit:
            return False
        gain = (after.fitness - state.fitness) * self.spec.problem.direction
        return self.spec.accept.accepts(gain, leaves - len(state.tree.leaves))

    def _fitness(self, tree: Tree) -> Fitness:
        """f."""
        fitness = self.spec.problem.fitness(tree, self.spec.n)
        self.spec.problem.check(fitness, self.spec.n)
        return fitness

    def _proposals(self, tree: Tree) -> Iterator[tuple[Operation, Fraction, Hashable]]:
        """All that can be drawn; where counts are seen, once for all that take out and put in the same terminals."""
        proposals: Iterator[tuple[Operation, Any]] = self.mutation.proposals(tree)
        if not self.by_counts:
            yield from ((operation, chance, None) for operation, chance in proposals if chance)
            return
        ways: dict[tuple[Terminal | None, Terminal | None], Operation] = {}
        number: Counter[tuple[Terminal | None, Terminal | None, tuple[int, int]]] = Counter()
        for operation, chance in proposals:
            goes = None
            if operation.kind != INSERT and operation.site is not None and operation.site < len(tree.leaves):
                goes = tree.leaves[operation.site].terminal
            if goes != operation.terminal:  # else the counts stay, as where a join is picked
                ways.setdefault((goes, operation.terminal), operation)
                number[goes, operation.terminal, chance.as_integer_ratio()] += 1
        counts = Counter(tree.terminals())
        keeps_last = self.spec.last_leaf == "keep" and len(tree.leaves) == 1
        for (goes, comes, chance), times in number.items():
            if not (keeps_last and comes is None):
                yield ways[goes, comes], Fraction(times * chance[0], chance[1]), self._after(counts, goes, comes)

    def _key(self, tree: Tree) -> Hashable:
        """Equal for trees of one state."""
        return self._counts(Counter(tree.terminals())) if self.by_counts else self._shape(tree)

    def _after(self, counts: Counter[Terminal], goes: Terminal | None, comes: Terminal | None) -> Hashable:
        """Of the counts after a leaf went, or came."""
        now = counts.copy()
        if goes is not None:
            now[goes] -= 1
        if comes is not None:
            now[comes] += 1
        return self._counts(now)

    def _counts(self, counts: Counter[Terminal]) -> Hashable:
        pairs = [
            (counts[Terminal(i, False)], counts[Terminal(i, True)])
            for i in range(1, self.spec.primitives.variables + 1)
        ]
        if not self.alike:
            return tuple(pairs)
        for pair in pairs:
            if pair not in self._seen:
                self._seen.add(pair)
                self._check_alike([False] * pair[0] + [True] * pair[1])
        return tuple(sorted(pairs))

    def _check_alike(self, negated: list[bool]) -> None:
        """The same leaves of each variable are worth the same."""
        named, fitness = self.spec.primitives.terminal_of, self.spec.problem.fitness
        variables = range(1, self.spec.primitives.variables + 1)
        if len({fitness([named(i, sign) for sign in negated], self.spec.n) for i in variables}) > 1:
            raise Differ

    def _shape(self, tree: Tree) -> Hashable:
        names: dict[int, int] = {}

        def below(node: Node) -> Hashable:
            if node.terminal is None:
                return (node.function, *map(below, node.children))
            variable, negated = node.terminal
            return (names.setdefault(variable, len(names)) if self.alike else variable), negated

        return None if tree.root is None else below(tree.root)


# ---- the initial tree


class _Branch(Exception):  # no error: a draw with this many answers
    def __init__(self, chances: list[tuple[float, Fraction]]) -> None:
        super().__init__()
        self.chances = chances


class _Given:
    """A stream whose draws are given."""

    def __init__(self, answers: tuple[float, ...], join: Fraction) -> None:
        self._answers, self._join = iter(answers), join

    def below(self, bound: int) -> int:
        return int(self._next([(value, Fraction(1, bound)) for value in range(bound)]))

    def uniform(self) -> float:
        return self._next([(0.0, self._join), (1.0, 1 - self._join)])

    def _next(self, chances: list[tuple[float, Fraction]]) -> float:
        answer = next(self._answers, None)
        if answer is None:
            raise _Branch(chances)
        return answer


def initial_law(spec: RunSpec, by_counts: bool) -> Iterator[tuple[Tree, Fraction]]:
    """Initial trees with their chances; where counts are seen, one for all with the same leaves."""
    initial, size = spec.init, spec.primitives.size
    if by_counts and initial.name in ("unity", "insertion"):
        leaves = initial.leaves
        if math.comb(size + leaves - 1, leaves) > MAX_INITIAL:
            raise _too_many_initial(spec)
        for codes in itertools.combinations_with_replacement(range(size), leaves):
            orders = math.factorial(leaves) // math.prod(map(math.factorial, Counter(codes).values()))
            terminals = [spec.primitives.terminal(code) for code in codes]
            yield balanced(terminals, spec.primitives.functions[0]), Fraction(orders, size**leaves)
        return
    waiting: list[tuple[tuple[float, ...], Fraction]] = [((), Fraction(1))]
    made = 0
    while waiting:
        answers, chance = waiting.pop()
        try:
            tree = initial.build(cast("Stream", _Given(answers, Fraction(initial.join))))
        except _Branch as branch:
            made += len(branch.chances)
            if made > MAX_INITIAL:
                raise _too_many_initial(spec) from None
            waiting += [((*answers, answer), chance * each) for answer, each in branch.chances if each]
            continue
        yield tree, chance


def _too_many_initial(spec: RunSpec) -> BadInput:
    return BadInput("init", str(spec.init), f"has more than {MAX_INITIAL:,} trees: take fewer leaves")
