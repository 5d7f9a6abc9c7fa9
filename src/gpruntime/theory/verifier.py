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
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

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
from gpruntime.theory.features import Column, column_of
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
        seen = f"{self.visited:,} states visited"
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
        _check_supported(claim.spec)
        try:
            return _Walk(claim, _Keys(claim.spec)).check(progress)
        except _Differ:
            return _Walk(claim, _Keys(claim.spec, alike=False)).check(progress)


def _check_supported(spec: RunSpec) -> None:
    spec.require_parts()
    spec.require_trees("a certificate")
    if spec.has_population or spec.operations.most > 1 or spec.algorithm.multi:
        raise BadInput("algorithm", spec.algorithm.id, "must be a (1+1) GP with one operation per offspring")
    if spec.operator.is_own:
        raise BadInput("operator", spec.operator.id, "a user-defined operator gives its probabilities as floats")


class _Differ(Exception):  # no error: the walk begins anew, without renaming
    """Two variables were seen to have different terms."""


@dataclass
class _State:
    tree: Tree
    fitness: Fitness
    potential: Fraction = Fraction(0)
    is_reached: bool = False


class _Walk:
    """From state to state, breadth first."""

    def __init__(self, claim: Claim, keys: _Keys) -> None:
        self.claim, self.spec, self.keys = claim, claim.spec, keys
        self.columns: list[tuple[Column, Fraction]] = [
            (column_of(self.spec, name), value) for name, value in claim.coefficients.items()
        ]
        self.mutation = in_fractions(self.spec)
        self.states: dict[Hashable, _State] = {}
        self.waiting: deque[_State] = deque()

    def check(self, progress: Progress | None) -> Checked:
        total = Fraction(1)
        for tree, chance in _initial_law(self.spec, self.keys.by_counts):
            total += chance * self.reached(self.state(tree)).potential
        upper = self.claim.direction == UPPER
        visited = 0
        while self.waiting:
            state = self.waiting.popleft()
            visited += 1
            if progress is not None and visited % _REPORT_EVERY == 0:
                progress(visited, visited + len(self.waiting))
            moves = self.moves(state)
            drift = sum((chance * (state.potential - after.potential) for after, chance in moves), Fraction(0))
            if (drift < 1) if upper else (drift > 1):
                why = f"the drift is {shown(drift)}, {'less' if upper else 'more'} than 1, at {state.tree}"
                return Checked(self.spec, False, visited, None, why, witness_of(self.spec, state.tree, self.potential))
        if self.claim.states is not None and self.claim.states != visited:
            why = f"it says that there are {self.claim.states:,} states"
            return Checked(self.spec, False, visited, total, why)
        if (self.claim.bound < total) if upper else (self.claim.bound > total):
            why = f"it says {shown(self.claim.bound, 60)}, and its potential gives {shown(total, 60)}"
            return Checked(self.spec, False, visited, total, why)
        return Checked(self.spec, True, visited, total)

    def state(self, tree: Tree, key: Hashable = None) -> _State:
        """The state of a tree, new or known; φ is 0 at the optimum. It waits to be looked at once it is reached."""
        key = self.keys.of(tree) if key is None else key
        known = self.states.get(key)
        if known is None:
            known = self.states[key] = _State(tree, self.fitness(tree))
            if len(self.states) > MAX_STATES:
                raise BadInput("check", f"{MAX_STATES:,}", "trees were looked at, and there are more")
        return known

    def reached(self, state: _State) -> _State:
        """The same, with its potential."""
        if not state.is_reached:
            state.is_reached = True
            if state.fitness != self.spec.best:
                state.potential = self.potential(state.tree, state.fitness)
                self.waiting.append(state)
        return state

    def potential(self, tree: Tree, fitness: Fitness) -> Fraction:
        """Σ c_j f_j."""
        return sum((value * column.value(tree, fitness) for column, value in self.columns), Fraction(0))

    def moves(self, state: _State) -> Iterator[tuple[_State, Fraction]]:
        """What one evaluation can accept, with its chance."""
        for operation, chance, key in self.proposals(state.tree):
            after = None if key is None else self.states.get(key)
            if after is None:
                offspring = state.tree.copy()
                self.mutation.apply(offspring, operation)
                after = _State(offspring, self.fitness(offspring)) if key is None else self.state(offspring, key)
            if self.accepts(state, after):
                yield self.reached(self.state(after.tree) if key is None else after), chance

    def accepts(self, state: _State, after: _State) -> bool:
        """What the size limit and the rule say."""
        limit, leaves = self.spec.max_leaves_allowed, len(after.tree.leaves)
        if limit is not None and leaves > limit:
            return False
        gain = (after.fitness - state.fitness) * self.spec.problem.direction
        return self.spec.accept.accepts(gain, leaves - len(state.tree.leaves))

    def fitness(self, tree: Tree) -> Fitness:
        """f."""
        fitness = self.spec.problem.fitness(tree, self.spec.n)
        self.spec.problem.check(fitness, self.spec.n)
        return fitness

    def proposals(self, tree: Tree) -> Iterator[tuple[Operation, Fraction, Hashable]]:
        """All that can be drawn; where counts are seen, once for all that take out and put in the same terminals."""
        proposals: Iterator[tuple[Operation, Any]] = self.mutation.proposals(tree)
        if not self.keys.by_counts:
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
                yield ways[goes, comes], Fraction(times * chance[0], chance[1]), self.keys.after(counts, goes, comes)


class _Keys:
    """What tells states apart.

    Attributes:
        by_counts: whether the counts do: with HVL-Prime, functions of two arguments, and a fitness that sees no more.
    """

    def __init__(self, spec: RunSpec, alike: bool = True) -> None:
        self.spec = spec
        usual = spec.operator.id == "hvl-prime" and spec.primitives.is_binary
        self.by_counts = usual and spec.problem.sees == "counts"
        self._alike = alike and spec.problem.sees in ("counts", "first")
        self._seen: set[tuple[int, int]] = set()
        if self._alike and not self.by_counts:
            self._check([False])
            if spec.primitives.signed:
                self._check([True])

    def of(self, tree: Tree) -> Hashable:
        """Equal for trees of one state."""
        return self._counts(Counter(tree.terminals())) if self.by_counts else self._shape(tree)

    def after(self, counts: Counter[Terminal], goes: Terminal | None, comes: Terminal | None) -> Hashable:
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
        if not self._alike:
            return tuple(pairs)
        for pair in pairs:
            if pair not in self._seen:
                self._seen.add(pair)
                self._check([False] * pair[0] + [True] * pair[1])
        return tuple(sorted(pairs))

    def _check(self, negated: list[bool]) -> None:
        """The same leaves of each variable are worth the same."""
        named, fitness = self.spec.primitives.terminal_of, self.spec.problem.fitness
        variables = range(1, self.spec.primitives.variables + 1)
        if len({fitness([named(i, sign) for sign in negated], self.spec.n) for i in variables}) > 1:
            raise _Differ

    def _shape(self, tree: Tree) -> Hashable:
        names: dict[int, int] = {}

        def below(node: Node) -> Hashable:
            if node.terminal is None:
                return (node.function, *map(below, node.children))
            variable, negated = node.terminal
            return (names.setdefault(variable, len(names)) if self._alike else variable), negated

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


def _initial_law(spec: RunSpec, by_counts: bool) -> Iterator[tuple[Tree, Fraction]]:
    """Initial trees with their chances; where counts are seen, one for all with the same leaves."""
    initial, size = spec.init, spec.primitives.size
    if by_counts and initial.name in ("unity", "insertion"):
        leaves = initial.leaves
        if math.comb(size + leaves - 1, leaves) > MAX_INITIAL:
            raise _too_many(spec)
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
                raise _too_many(spec) from None
            waiting += [((*answers, answer), chance * each) for answer, each in branch.chances if each]
            continue
        yield tree, chance


def _too_many(spec: RunSpec) -> BadInput:
    return BadInput("init", str(spec.init), f"has more than {MAX_INITIAL:,} trees: take fewer leaves")
