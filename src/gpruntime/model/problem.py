"""Problems: what a fitness function sees of a tree chooses how it is written, and how it is run.

| sees      | the function                    | the fitness                          | work per offspring |
|-----------|---------------------------------|--------------------------------------|--------------------|
| `counts`  | `f(i, plain, bar, n)`           | the sum over all variables i         | O(1) an operation  |
| `first`   | `f(i, sign, n)`                 | the sum over all variables i         | O(1) an operation  |
| `leaves`  | `f(leaves, n)`                  | what it returns                      | O(T)               |
| `program` | `f(program, n)`                 | what it returns                      | O(T)               |

There are n variables, or as many as the problem says for n. `plain` and `bar` are the numbers of leaves x_i and x̄_i.
`sign` is 1 if x_i comes before every x̄_i, 0 if x̄_i comes first, −1 if there is neither. `leaves` is an array of the
terminals from left to right, as codes: 2(i − 1) for x_i and 2(i − 1) + 1 for x̄_i, or i − 1 where terminals are plain or
have names of their own. `program` is the whole tree in postfix order: a terminal as its code, a function, after its
arguments, as −1 − (its place among the problem's functions). So

    for token in program:
        if token >= 0:
            push the terminal
        else:
            pop the arguments, the last one first; push what function −1 − token makes of them

Truth values count as 0 and 1. A fitness is a whole number of at most 60 bits, and so is the number of variables times
a term; where it is computed anew for each offspring (`leaves`,
`program`) it may be a float, and is one if the best fitness is. Parameters follow n, in their order.

A problem may have `data`: numbers that are worked out once for n and the parameters, such as weights or the rows of a
truth table. Its function is given that array after n, in place of the parameters. So it is compiled once for all of
their values.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from gpruntime.model.arrays import np
from gpruntime.model.bound import Bound, checked_bounds
from gpruntime.model.declared import (
    Terminals,
    check_arguments,
    checked_functions,
    checked_names,
    checked_parameters,
    checked_terminals,
    one_of,
)
from gpruntime.model.errors import BadInput, BadPart, NotInstalled
from gpruntime.model.parameters import Value
from gpruntime.model.part import NOT_LOADED, Part, one_line
from gpruntime.model.terminals import ANY, Primitives, Terminal
from gpruntime.model.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from gpruntime.model.spec import RunSpec

SEES = ("counts", "first", "leaves", "program")
ADDS_UP = ("counts", "first")
_ARGUMENTS = {"counts": 4, "first": 3, "leaves": 2, "program": 2}
_BETTER = ("larger", "smaller")
MAX_FITNESS = 2**60
MAX_VARIABLES = 10**9 // 2
_MAX_KEPT = 2**28  # bytes of data, of all values of a problem's n and parameters together

Fitness = int | float
Numbers = np.ndarray[Any, np.dtype[Any]]
Proof = Callable[[Tree, "RunSpec"], bool]
Made = TypeVar("Made")


class Problem(Part):
    """A fitness function, and what is known about it.

    Attributes:
        sees: what the function is given, see above.
        better: "larger" or "smaller".
        terminals: "signed" for x_i and x̄_i, "plain" for x_i alone, "named" for names of its own.
        functions: the names of the functions; the join J has the empty name.
        arities: how many arguments each of them has; empty where all have two.
        cite: where it comes from.
        has_data: whether its function is given data in place of parameters; `check`, if there is one, says whether
            there are such, without making them.
        ends: the acceptance rules, and families of algorithms, with which a run is known to end with probability 1.
        bounds: what the theory says about the expected time (`gpruntime.model.bound`); a run does not depend on it.
        page: may be set to what tells of it on the page (`gpruntime.watch.annotations`); a run does not depend on it.
    """

    field = "problem"
    line = ""
    """What it asks for, in a line."""
    can_skip = False
    """Whether the engine knows its hopeless offspring: for some of ours."""
    chooses = False
    """Whether its parameters choose the function (`_settle`), and are not given to it: for some of ours."""
    number = 0
    """Where it stands in lists, and its number for IOHprofiler."""
    open_questions: Mapping[str, str] = MappingProxyType({})
    """What the theory does not say, by algorithm: for some of ours."""
    page: Any = None

    def __init__(
        self,
        id_: str,
        name: str,
        function: Callable[..., Any],
        *,
        sees: str,
        best: Callable[..., Any],
        better: str = "larger",
        terminals: Terminals = "signed",
        functions: Mapping[str, int] | None = None,
        variables: Callable[..., int] | None = None,
        parameters: Mapping[str, Value] | None = None,
        data: Callable[..., Any] | None = None,
        check: Callable[..., Any] | None = None,
        ends: Sequence[str] = (),
        optimal_leaves: Callable[..., int] | None = None,
        stuck: Proof | None = None,
        cite: str = "",
        line: str = "",
        number: int = 0,
        bounds: Sequence[Bound] = (),
    ) -> None:
        super().__init__(id_, name, function)
        self.defaults = checked_parameters(self, parameters)
        self.line, self.number = line or self.line, number or self.number
        self.sees = one_of(self, "sees", sees, SEES)
        self.better = one_of(self, "better", better, _BETTER)
        self.functions, self.arities = checked_functions(self, functions)
        self.terminals, self._names = checked_terminals(self, terminals, variables is not None)
        self.cite, self.ends, self._proof = cite, tuple(ends), stuck
        self.bounds = checked_bounds(id_, bounds)
        self._best, self._variables, self._optimal_leaves = best, variables, optimal_leaves
        self._data, self.has_data, self._check_data = data, data is not None, check
        self._known_best: dict[tuple[Any, ...], Fitness] = {}  # by n and parameters
        self._known_data: dict[tuple[Any, ...], Numbers] = {}
        self._known_primitives: dict[tuple[Any, ...], Primitives] = {}
        if len(self.functions) > 1 and sees != "program":
            raise BadPart(self.field, id_, "only what sees the program can tell functions apart")
        self.parameters = dict(self.defaults)
        self._settle()
        check_arguments(self, self.function, _ARGUMENTS[self.sees] + (1 if self.has_data else len(self.values)))

    # ---- what it says

    @property
    def adds_up(self) -> bool:
        """Whether the fitness is a sum over variables, so that an operation changes at most two terms."""
        return self.sees in ADDS_UP

    @property
    def direction(self) -> int:
        """1 where larger is better, −1 where smaller is: a gain is the difference times this."""
        if not self.is_loaded:
            raise BadPart(self.field, self.id, NOT_LOADED)
        return 1 if self.better == "larger" else -1

    def best(self, n: int) -> Fitness:
        """The best fitness for n variables."""
        key = n, *self.parameters.values()
        if key not in self._known_best:
            self._known_best[key] = self._same_twice("best fitness", self._make_best, n)
        return self._known_best[key]

    def _make_best(self, n: int) -> Fitness:
        value = self._ask(self._best, n)
        real = isinstance(value, float | np.floating) and not self.adds_up
        return self._value(value, "best", real)

    def check_data(self, n: int) -> None:
        """Raises `BadInput` if there are no data for n. Large data are not made for that: `check` knows."""
        if self._check_data is not None:
            self._ask(self._check_data, n)
        elif self.has_data:
            self.data(n)

    def data(self, n: int) -> Numbers:
        """What its function is given after n, see above; nothing, if it has no data."""
        key = n, *self.parameters.values()
        known = self._known_data.get(key)
        if known is None:
            known = self._known_data[key] = self._same_twice("data", self._made_data, n)
            others = list(self._known_data)[:-1]
            while others and sum(one.nbytes for one in list(self._known_data.values())) > _MAX_KEPT:
                self._known_data.pop(others.pop(0), None)
        return known

    def _made_data(self, n: int) -> Numbers:
        found = np.zeros(0, np.int64) if self._data is None else np.array(self._ask(self._data, n))
        if found.ndim != 1 or found.dtype.kind not in "if":
            raise BadPart(self.field, self.id, f"gave {found.dtype} of {found.ndim} dimensions as its data")
        found = found.astype(np.int64 if found.dtype.kind == "i" else np.float64)
        found.flags.writeable = False
        return found

    def data_digest(self, n: int) -> str | None:
        """What tells its data, its best fitness and its terminals for n from others, in 16 hexadecimal digits.

        They may come from code of a user's own, or from the functions of a system's library: each process works them
        out for itself, and equal digests say that they are the same. None for a problem of ours without data.
        """
        if not (self.is_own or self.has_data):
            return None
        data, primitives = self.data(n), self.primitives(n)
        names = (primitives.functions, primitives.arities, primitives.names)
        said = [data.dtype.name, len(data), repr(self.best(n)), primitives.variables, primitives.signed, *names]
        digest = hashlib.sha256(json.dumps(said).encode())
        digest.update(data.astype(data.dtype.newbyteorder("<")).tobytes())
        return digest.hexdigest()[:16]

    def table(self, n: int, complete: bool = False) -> Numbers | None:  # noqa: ARG002
        """A truth table on which the wrong rows of a program are its fitness, where there is one; or one of all rows.

        Such tables are what `gpruntime.model.problems.truth_table` makes.
        """
        return None

    def samples_rows(self, n: int) -> bool:  # noqa: ARG002
        """Whether the fitness is the errors on sampled rows of a table that can be looked at in full."""
        return False

    @property
    def compiled_as(self) -> str:
        """A name for what is compiled: problems that differ in their data alone share it."""
        if not self.has_data:
            return self.id
        return f"{self.id.partition(':')[0]}-{self.function.__name__}-{self.better}"

    @property
    def values(self) -> tuple[Any, ...]:
        """What its function is given after n where it has no data: the parameters, unless they chose it."""
        return () if self.chooses else tuple(self.parameters.values())

    def __call__(self, *args: Any) -> Any:
        """The function itself, parameters or data left to their values."""
        return self.function(*args, *((self.data(args[-1]),) if self.has_data else self.values))

    def primitives(self, n: int) -> Primitives:
        """Its functions and terminals for n; any, where it is not loaded."""
        if not self.is_loaded:
            return ANY
        key = n, *self.parameters.values()
        if key not in self._known_primitives:
            self._known_primitives[key] = self._same_twice("terminals", self._make_primitives, n)
        return self._known_primitives[key]

    def _make_primitives(self, n: int) -> Primitives:
        if self._names is not None:
            names = self._names if isinstance(self._names, tuple) else self._ask(self._names, n)
            checked = checked_names(self, names)
            return Primitives(len(checked), False, self.functions, self.arities, checked)
        variables = n if self._variables is None else self._ask(self._variables, n)
        if not isinstance(variables, int | np.integer):
            raise BadPart(self.field, self.id, f"gave {variables!r} as its variables: must be a whole number")
        return Primitives(int(variables), self.terminals == "signed", self.functions, self.arities)

    def least_optimal_leaves(self, n: int) -> int:
        """A lower bound on the leaves of an optimal tree; 1 where nothing is known."""
        return 1 if self._optimal_leaves is None else int(self._ask(self._optimal_leaves, n))

    def ends_within(self, leaves: int, n: int) -> bool:  # noqa: ARG002
        """Whether what `ends` says holds where trees may have this many leaves, at least `least_optimal_leaves`."""
        return True

    def best_of_size(self, leaves: int, n: int) -> Fitness | None:  # noqa: ARG002
        """The best fitness of a tree with this number of leaves, or None where that is not known."""
        return None

    @property
    def proof(self) -> Proof | None:
        """What decides by proof whether a run of the weak or the strict rule is stuck, if that is known."""
        return self._proof

    def _same_twice(self, what: str, make: Callable[[int], Made], n: int) -> Made:
        """What is made for n; of a user's own a second time, since one that changes is another problem each time."""
        value = make(n)
        if self.is_own and not _equal(value, make(n)):
            must = "must depend on n and the parameters alone"
            raise BadPart(self.field, self.id, f"gave other {what} for n = {n} when asked again: {what} {must}")
        return value

    def _ask(self, function: Callable[..., Any], n: int) -> Any:
        self.require()  # the answer is kept
        takes = len(inspect.signature(function).parameters)
        try:
            return function(n, *list(self.parameters.values())[: takes - 1])
        except (BadInput, NotInstalled):
            raise
        except Exception as error:
            raise BadPart(self.field, self.id, f"raised {type(error).__name__}: {error}") from error

    # ---- the fitness

    def fitness(self, of: Tree | Sequence[Terminal], n: int) -> Fitness:
        """The fitness of a tree; where only the leaves count, of a list of terminals too."""
        if self.sees == "program":
            assert isinstance(of, Tree)
            return self.answer(self.program(of, n), n)
        terminals = of.terminals() if isinstance(of, Tree) else of
        primitives = self.primitives(n)
        codes = [primitives.code(terminal) for terminal in terminals]
        if self.sees == "leaves":
            return self.answer(np.array(codes, np.int64), n)
        if self.sees == "counts":
            counts = [0] * primitives.size
            for code in codes:
                counts[code] += 1
            plain = counts[:: 1 + primitives.signed]
            bar = counts[1::2] if primitives.signed else [0] * len(plain)
            return sum(self.answer(i + 1, plain[i], bar[i], n) for i in range(len(plain)))
        return sum(self.answer(i, sign, n) for i, sign in enumerate(signs(terminals, primitives.variables), 1))

    def program(self, tree: Tree, n: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The tree in postfix order, see above."""
        primitives = self.primitives(n)
        tokens: list[int] = []
        waiting = [] if tree.root is None else [tree.root]
        while waiting:  # the parent, then its parts from right to left: postfix order from behind
            node = waiting.pop()
            if node.terminal is not None:
                tokens.append(primitives.code(node.terminal))
            else:
                tokens.append(-1 - self.functions.index(node.function))
                waiting += node.children
        return np.array(tokens[::-1], np.int64)

    def answer(self, *args: Any) -> Fitness:
        """What its function returns, given this; raises `BadPart` if that is no fitness."""
        try:
            value = self(*args)
        except (BadInput, NotInstalled):
            raise
        except Exception as error:
            shown = ", ".join(f"{argument}" for argument in args)
            raise BadPart(self.field, self.id, f"raised {type(error).__name__}: {error}, given {shown}") from error
        n = args[-1]
        largest = self.largest(n)
        if isinstance(value, int | np.integer) and largest < abs(int(value)) <= MAX_FITNESS:
            words = (
                f"each must be at most {largest}, so that the sum of {self.primitives(n).variables} has 60 bits at most"
            )
            raise BadPart(self.field, self.id, f"gave {value} as a term: {words}")
        return self._value(value, "fitness", self.is_real(n))

    def largest(self, n: int) -> int:
        """How large what its function returns may be: terms of a user's own, so that all of them fit 60 bits together.

        Ours are known to fit.
        """
        adds_up = self.adds_up and self.is_own
        return MAX_FITNESS // max(self.primitives(n).variables, 1) if adds_up else MAX_FITNESS

    def is_real(self, n: int) -> bool:
        """Whether a fitness is a float: if the best one is."""
        return isinstance(self.best(n), float)

    def _value(self, value: Any, what: str, real: bool) -> Fitness:
        if isinstance(value, bool | np.bool_ | int | np.integer) and abs(int(value)) <= MAX_FITNESS:
            return rounded(float(value)) if real else int(value)
        if isinstance(value, float | np.floating) and real and math.isfinite(value):
            return rounded(float(value))
        kind = "a number" if real else "a whole number of at most 60 bits"
        hint = "" if real or self.adds_up or not isinstance(value, float) else "; for floats, let best be one"
        shown = f"a number of {value.bit_length()} bits" if isinstance(value, int) else repr(value)
        raise BadPart(self.field, self.id, f"gave {shown} as its {what}: must be {kind}{hint}")

    def check(self, fitness: Fitness, n: int) -> None:
        """Raises `BadPart` if this fitness is better than the best."""
        if (fitness - self.best(n)) * self.direction > 0:
            words = f"a tree has fitness {fitness}, beyond the best it says, {self.best(n)} for n = {n}"
            other = _BETTER[self.better == "larger"]
            raise BadPart(self.field, self.id, words + f": correct best, or say better={other!r}")

    # ---- for pictures

    def expressed_places(self, terminals: Sequence[Terminal], n: int) -> list[int]:
        """The places of the leaves that make their variable count: what a drawing marks."""
        if not self.adds_up:
            return []
        found, seen = [], set()
        worth = {i: self._worth(terminals, i, n) for i in {terminal.variable for terminal in terminals}}
        for place, (variable, negated) in enumerate(terminals):
            first = variable not in seen
            seen.add(variable)
            if worth[variable] and (first if self.sees == "first" else not negated):
                found.append(place)
        return found

    def _worth(self, terminals: Sequence[Terminal], variable: int, n: int) -> bool:
        """Whether a variable adds more to the fitness than if it were absent."""
        signs_ = [negated for i, negated in terminals if i == variable]
        if self.sees == "first":
            now, absent = self.answer(variable, int(not signs_[0]), n), self.answer(variable, -1, n)
        else:
            bars = sum(signs_)
            now, absent = self.answer(variable, len(signs_) - bars, bars, n), self.answer(variable, 0, 0, n)
        return (now - absent) * self.direction > 0

    @classmethod
    def unloaded(cls, text: str) -> Problem:
        """A problem known by its id only."""
        part = super().unloaded(text)
        part.sees, part.better, part.terminals, part.functions = "leaves", "", "signed", ("",)
        part.arities, part._names, part._known_primitives = (), None, {}
        part.cite, part.ends, part._proof, part.bounds = "", (), None, ()
        part._best = part._variables = part._optimal_leaves = None  # type: ignore[assignment]
        part._known_best, part._known_data, part._data, part.has_data = {}, {}, None, False
        return part

    @staticmethod
    def registry() -> Mapping[str, Problem]:
        """Ours."""
        from gpruntime.model.problems import PROBLEMS

        return PROBLEMS


@one_line("problem")
def problem(
    *,
    sees: Literal["counts", "first", "leaves", "program"],
    best: Callable[..., Fitness],
    better: Literal["larger", "smaller"] = "larger",
    terminals: Terminals = "signed",
    functions: Mapping[str, int] | None = None,
    variables: Callable[..., int] | None = None,
    parameters: Mapping[str, Value] | None = None,
    data: Callable[..., ArrayLike] | None = None,
    check: Callable[..., object] | None = None,
    ends: Sequence[str] = (),
    optimal_leaves: Callable[..., int] | None = None,
    stuck: Proof | None = None,
    bounds: Sequence[Bound] | None = None,
    name: str = "",
    line: str = "",
    cite: str = "",
) -> Callable[[Callable[..., Any]], Problem]:
    """Makes a problem of the function below it, as in `@problem(sees="counts", best=lambda n: n)`.

    Functions of n are given the parameters after n, as many as they take.

    Args:
        sees: what the function is given: "counts", "first", "leaves" or "program" (`gpruntime.model.problem`).
        best: the best fitness for n.
        better: "larger" or "smaller".
        terminals: "signed" for x_i and x̄_i, "plain" for x_i alone; names of their own, or a function of n that gives
            them.
        functions: names, each with the number of its arguments; where none are given, one join of two.
        variables: how many there are for n, if not n.
        parameters: names and defaults; their values are given to the function after n.
        data: numbers for n, worked out once, and given to the function in place of the parameters.
        check: raises `BadInput` where there are no data for n, without making them.
        ends: acceptance rules and families of algorithms with which a run is known to end with probability 1.
        optimal_leaves: a lower bound on the leaves of an optimal tree for n.
        stuck: whether a tree is stuck in a run of a spec, by proof, for the weak and the strict rule.
        bounds: what is known about the expected time, as `bound` makes them.
        name, line, cite: for people: its name, what it asks for in a line, where it comes from.
    """

    def made(function: Callable[..., Any]) -> Problem:
        part = Problem.own(
            function,
            sees=sees,
            best=best,
            better=better,
            terminals=terminals,
            functions=functions,
            variables=variables,
            parameters=parameters,
            data=data,
            check=check,
            ends=ends,
            optimal_leaves=optimal_leaves,
            stuck=stuck,
            bounds=bounds or (),
            line=line,
            cite=cite,
        )
        part.name = name or part.name
        if bounds is not None:  # it may be one that was there before: bounds are no part of its source
            part.bounds = checked_bounds(part.id, bounds)
        return part

    return made


def _equal(value: Any, other: Any) -> bool:
    """Whether two answers are the same; of arrays bit for bit, since NaN is no number and equals nothing."""
    if isinstance(value, np.ndarray):
        return bool(value.dtype == other.dtype and value.tobytes() == other.tobytes())
    return bool(value == other)


def rounded(value: float) -> float:
    """A float without its last bit, so that compiled code can compare floats as whole numbers of 63 bits."""
    bits = np.float64(value).view(np.int64) & ~1
    return float(np.int64(bits).view(np.float64)) + 0.0  # no −0


def signs(terminals: Sequence[Terminal], variables: int) -> list[int]:
    """For each variable 1 if x_i comes first, 0 if x̄_i does, −1 if there is neither."""
    found = [-1] * variables
    for variable, negated in terminals:
        if found[variable - 1] < 0:
            found[variable - 1] = int(not negated)
    return found
