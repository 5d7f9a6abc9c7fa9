"""What a run is asked to be: problem, algorithm, n, initial tree, operator, limits.

A problem, an acceptance rule and an operator can be given as themselves or by name (`gpruntime.model.part`).

Everything but the budget determines the law of the run and with it the *cell*, which addresses its random stream
(`gpruntime.model.stream`). The budget does not: a run with a larger budget is the same run, continued.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gpruntime.model.acceptance import Acceptance, acceptance_named
from gpruntime.model.algorithms import Algorithm, algorithm_id, algorithm_named, preset, split_variant
from gpruntime.model.arity import ANY_ARITY
from gpruntime.model.errors import BadInput, known, whole
from gpruntime.model.face import Face
from gpruntime.model.family import GOALS, Family
from gpruntime.model.initial import MAX_LEAVES, Initial
from gpruntime.model.loading import no_files
from gpruntime.model.mutation import LAST_LEAF, SUBSTITUTE_AT
from gpruntime.model.operations import Operations, operations_named
from gpruntime.model.operator import Mutation, Operator, operator_named
from gpruntime.model.part import Part
from gpruntime.model.problem import MAX_VARIABLES, Fitness, Problem, Proof
from gpruntime.model.problems import problem_named
from gpruntime.model.representations.representation import TREES, Representation
from gpruntime.model.search_part import SearchPart, search_named
from gpruntime.model.stream import poisson_table
from gpruntime.model.terminals import Primitives
from gpruntime.model.tree import Tree

if TYPE_CHECKING:
    from gpruntime.model.search import Search

MAX_BUDGET = 2**62
_MAX_FRONT = 10**7  # leaves of the largest tree of a front
_MIN_PROPORTION = 1e-12  # less would be lost in the 53 bits of the number that decides


_BY_NAME = "RunSpec(problem=…, algorithm=…, n=…)"


class RunSpec(Face):
    """One cell of an experiment. Checked when it is made; raises `BadInput` with the field and what is allowed.

    Problem, algorithm, rule, law, operator, initial tree and search may be given by name, by file ("FILE.py:NAME") or
    as themselves. Afterwards they are objects, whose text is `str(object)`. `settings` has all fields as plain data.

    Attributes:
        problem: see `gpruntime.model.problems`.
        algorithm: "gp-single", "gp-multi", "gpstar-single" or "gpstar-multi", or a member of a family such as
            "smo-single" (`gpruntime.model.populations`); a rule or a law of its own may follow, as in
            "gp-single accept=parsimony".
        n: the number of variables.
        init: the initial tree, or its law (`gpruntime.model.initial`).
        weights: of substitution, insertion and deletion, in proportion to their probabilities.
        poisson_mean: λ in k = 1 + Pois(λ), for the multi algorithms.
        accept: the acceptance rule (`gpruntime.model.acceptance`); where none is given, the algorithm's own.
        operations: the law of k (`gpruntime.model.operations`); where none is given, the algorithm's own.
        operator: "hvl-prime", "hvl" for the original, "node-unbiased" or "depth-unbiased" for other deletions, or a
            user-defined one (`gpruntime.model.operator`).
        substitute: "leaves", or "nodes" for the dialect in which joins are picked too: in vain, if J is the only
            function; or "functions", joins only. Left out, it is "nodes" for a problem with several functions and
            "leaves" for others.
        last_leaf: deleting the only leaf changes nothing ("keep") or gives the empty tree ("empty").
        search: a user-defined algorithm in place of the (1+1) GP (`gpruntime.model.search`), or None.
        until: when a run ends that has a choice: "front", the whole front of fitness and size, or "optimum"; empty for
            the algorithm's own.
        max_leaves_allowed: a larger offspring is rejected; None for no limit.
        budget: the run stops after this many evaluations; None for no limit.
    """

    problem: Problem
    algorithm: Algorithm
    n: int
    init: Initial
    weights: tuple[float, float, float]
    poisson_mean: float
    accept: Acceptance
    operations: Operations
    operator: Operator
    substitute: str
    last_leaf: str
    search: SearchPart | None
    until: str
    max_leaves_allowed: int | None
    budget: int | None

    def __new__(cls, *words: object, **_: Any) -> RunSpec:
        """A spec to be."""
        if words:
            raise BadInput("spec", tuple(map(str, words)), f"the fields of a spec have names: {_BY_NAME}")
        return super().__new__(cls)

    def __init__(
        self,
        *,
        problem: str | Problem,
        algorithm: str | Algorithm,
        n: int,
        init: str | Initial | Tree = "unity",
        weights: Sequence[float] = (1.0, 1.0, 1.0),
        poisson_mean: float = 1.0,
        accept: str | Acceptance = "",
        operations: str | Operations = "",
        operator: str | Operator = "hvl-prime",
        substitute: str = "",
        last_leaf: str = "keep",
        search: str | SearchPart | type[Search] | None = "",
        until: str = "",
        max_leaves_allowed: int | None = None,
        budget: int | None = None,
    ) -> None:
        fields = self.__dict__  # a spec cannot be changed otherwise
        fields["problem"] = problem_named(problem)
        fields["n"] = whole("n", n, 1, MAX_VARIABLES)
        fields["operator"] = operator_named(operator)
        fields["last_leaf"] = known("last_leaf", last_leaf, LAST_LEAF)
        why = " (the initial tree's evaluation counts)"
        fields["budget"] = None if budget is None else whole("budget", budget, 1, MAX_BUDGET, why)
        fields["weights"] = _checked_weights(weights)
        fields["poisson_mean"] = _checked_number("poisson_mean", poisson_mean)
        poisson_table(self.poisson_mean)
        self._settle_algorithm(algorithm, accept, operations, search, until)
        fields["substitute"] = self._substitute_at(substitute)
        if self.problem.is_loaded:
            self._check_problem(self.problem)
        fields["max_leaves_allowed"] = max_leaves_allowed
        self.representation.check(self)
        fields["init"] = self.representation.initial(str(init), self)
        self._check_family()
        self._check_limits()
        self._check_dialect()

    @classmethod
    def from_data(cls, **fields: Any) -> RunSpec:
        """The spec of words that come from a file, a table, a link or a request, not from the user.

        They load no code and open no file, whatever they say. A part of one's own is named by its id: its source is
        known already, or the spec can be shown and not run (`require_parts`).
        """
        with no_files():
            return cls(**fields)

    def replace(self, **changes: Any) -> RunSpec:
        """The spec with these fields in place of its own. A rule or law that was not given is the new algorithm's."""
        return RunSpec(**self.settings | changes)

    __replace__ = replace  # for copy.replace

    def in_one_spelling(self) -> RunSpec:
        """The spec with which all of the same law and budget agree in all fields: in the scale of the weights, too."""
        return RunSpec.from_data(**self.stated(), budget=self.budget)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """All fields as words and numbers, in one spelling: `RunSpec(**spec.settings)` is the same spec.

        A rule, a law and a goal that are the algorithm's own are empty words, whether they were given or not.
        """
        texts = {"problem": self.problem.id, "algorithm": self.algorithm.id, "init": str(self.init)}
        texts |= {"operator": self.operator.id, **self._in_algorithm()}
        return {name: texts[name] if name in texts else getattr(self, name) for name in DEFAULTS}

    def _in_algorithm(self) -> dict[str, str]:
        """The fields that stand with the algorithm in one text: empty words where they are its own."""
        is_usual_law = self.algorithm.multi or self.operations.id == "one"
        return {
            "accept": "" if self.accept.id == self.algorithm.accept else self.accept.id,
            "operations": "" if is_usual_law else self.operations.id,
            "search": "" if self.search is None else self.search.id,
            "until": self.until,
        }

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a spec cannot be changed: use spec.replace({name}=...)")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RunSpec) and self.settings == other.settings

    def __hash__(self) -> int:
        return hash(tuple(self.settings.values()))

    def __repr__(self) -> str:
        return f"RunSpec({', '.join(f'{name}={value!r}' for name, value in self.settings.items())})"

    @property
    def usual_substitute(self) -> str:
        """What a substitution picks unless it is said."""
        return "nodes" if len(self.problem.functions) > 1 and self.representation.is_tree else "leaves"

    def _substitute_at(self, said: str) -> str:
        """What a substitution picks; nothing but "leaves" for other programs than trees, though plans may say more."""
        if not self.representation.is_tree and said == "functions":
            raise BadInput(
                "substitute", said, f"is for trees, and {self.algorithm.name} has {self.representation.many}"
            )
        return known(
            "substitute", said if said and self.representation.is_tree else self.usual_substitute, SUBSTITUTE_AT
        )

    def _settle_algorithm(self, algorithm: Any, accept: Any, operations: Any, search: Any, until: str) -> None:
        """One spelling of one law: of the preset, the rule and the law of k, the one that says most."""
        name, given = split_variant(algorithm)
        asked, fields = algorithm_named(algorithm_id(name)), self.__dict__
        rule = accept or given.get("accept")
        if rule and asked.family is not None and not asked.family.rules:
            raise BadInput("accept", rule, f"{asked.name} goes by {asked.family.selection} and takes no rule")
        fields["accept"] = acceptance_named(rule or asked.accept)
        usual = f"poisson:mean={self.poisson_mean!r}" if asked.multi else "one"
        fields["operations"] = operations_named(operations or given.get("operations") or usual, self.n)
        search = search or given.get("search")
        fields["search"] = search_named(search) if search else None
        if self.operations.id.startswith("poisson"):
            fields["poisson_mean"] = float(self.operations.id.partition("=")[2])
        fields["algorithm"] = preset(asked, self.accept, self.operations)
        fields["until"] = self._goal_besides(until or given.get("until", ""))
        fields["algorithm"] = self._named_algorithm()

    def _goal_besides(self, until: str) -> str:
        """The goal, or nothing if it is the algorithm's own."""
        algorithm = self.algorithm
        goals = ("optimum",) if algorithm.family is None else algorithm.family.goals
        if until and known("until", until, GOALS) not in goals:
            raise BadInput("until", until, f"{algorithm.name} has no front: its runs end with the optimum")
        return "" if until == goals[0] else until

    def _named_algorithm(self) -> Algorithm:
        """With the search in its name, and with what is not the preset's in its text."""
        others = [f"{name}={text}" for name, text in self._in_algorithm().items() if text]
        name, variant = self.algorithm.name, " ".join([self.algorithm.id, *others])
        if self.search is not None:
            rule = self.accept.name if self.accept.is_own else self.accept.id
            name = self.search.name
            name += "" if self.search.is_foreign else f", accept {rule}, k ~ {self.operations.id}"
        return dataclasses.replace(self.algorithm, name=name, variant=variant)

    def _check_family(self) -> None:
        family = self.family
        if family is None:
            return
        if self.search:
            raise BadInput(
                "search", self.search.id, f"stands in place of the algorithm: {self.algorithm} is another one"
            )
        if family.rules and self.accept.id not in family.rules and not family.own_rules:
            raise BadInput("accept", self.accept.id, f"{self.algorithm.name} honours {', '.join(family.rules)} only")
        family.check(self)
        if self.goal == "front" and self.problem.is_loaded:
            self._check_front()

    def _check_front(self) -> None:
        least = self.problem.least_optimal_leaves(self.n)
        if least > _MAX_FRONT:
            most = f"a front has at most {_MAX_FRONT:,} sizes, and an optimal tree has {least:,} leaves"
            raise BadInput("until", "front", f"{most}: say --until optimum")
        if not self.front:
            what = f"the best fitness for each size is not known for {self.problem.name}"
            raise BadInput("until", "front", f"{what}: say --until optimum")

    def _check_problem(self, problem: Problem) -> None:
        size = self.primitives.size
        if not 1 <= size <= 2 * MAX_VARIABLES:
            raise BadInput(
                "n", self.n, f"{problem.name} would have {size} terminals; from 1 to {2 * MAX_VARIABLES} can be"
            )
        problem.best(self.n)
        problem.check_data(self.n)

    def _check_limits(self) -> None:
        limit, least = self.max_leaves_allowed, 1
        if limit is not None:
            if self.problem.is_loaded:
                least = self.problem.least_optimal_leaves(self.n)
            why = f" (an optimal tree has at least {least} leaves)" if least > 1 else ""
            limit = whole("max_leaves_allowed", limit, least, MAX_LEAVES, why)
            self.__dict__["max_leaves_allowed"] = limit
            if self.init.leaves > limit:
                allowed = f"must be at least {self.init.leaves}, the leaves the initial tree can have"
                raise BadInput("max_leaves_allowed", limit, allowed)
        if self.budget is None and all(part.is_loaded for part in self.parts):
            self._check_end()

    def _check_end(self) -> None:
        """A run that may never end needs a budget."""
        _, insert, delete = self.weights
        if self.search is not None:
            raise BadInput("budget", None, f"nothing proves that {self.search.name} ends: give a budget")
        if self.family is not None:
            is_tree = self.representation.is_tree
            goes_on = self._is_vouched_for(self.family.id) if is_tree else self.family.ends(self)
            if not (goes_on or (self.family.decides(self) and self._improves_one_at_a_time())):
                what = f"{self.algorithm.name} on {self.problem.name}"
                raise BadInput("budget", None, f"nothing proves that {what} ends: give a budget")
            return
        if self.proof is not None and not self.accept.is_strict:
            if insert == 0:
                allowed = "without insertion a run that accepts neutral moves may never end: give a budget"
                raise BadInput("weights", self.weights, allowed)
            if delete == 0 and self.max_leaves_allowed is None:
                allowed = "without deletion the tree grows for ever: give a budget or max_leaves_allowed"
                raise BadInput("weights", self.weights, allowed)
        elif self.proof is None and not self._is_known_to_end():
            what = f"{self.algorithm.name} on {self.problem.name}"
            raise BadInput("budget", None, f"nothing proves that {what} ends: give a budget")

    def _is_known_to_end(self) -> bool:
        """Improvements only, one at a time, so that a stuck run is seen to be; or a rule the problem vouches for."""
        return self._improves_one_at_a_time() or self._is_vouched_for(self.accept.id)

    def _is_vouched_for(self, by: str) -> bool:
        """Whether the problem says that runs of this rule, or family, end, as they are asked to be here."""
        problem, limit = self.problem, self.max_leaves_allowed
        has_room = limit is None or problem.ends_within(limit, self.n)
        return by in problem.ends and has_room and self._goes_step_by_step()

    def _improves_one_at_a_time(self) -> bool:
        rule = self.accept
        by_one = self.operator.id == "hvl-prime" and self.primitives.is_binary  # others may add or take out more leaves
        return (
            self.operations.most == 1
            and (by_one or not rule.is_own)
            and all(rule.least_gain(growth) > 0 for growth in (-1, 0, 1))
        )

    def _goes_step_by_step(self) -> bool:
        """Whether every single operation can be drawn, and nothing else with it."""
        by_one = self.operations.fewest == 1 and self.operations.table[0] > 0
        at_leaves = self.substitute != "functions"
        return by_one and min(self.weights) > 0 and at_leaves and not self.operator.is_own

    def _check_dialect(self) -> None:
        usual = self.usual_substitute if self.problem.is_loaded else self.substitute
        is_other = self.operator.is_own or self.operator.id == "hvl"
        if is_other and (self.substitute, self.last_leaf) != (usual, "keep"):
            raise BadInput("operator", self.operator.id, "the dialects substitute and last_leaf are hvl-prime's")
        if not (self.operator.is_own or self.primitives.is_binary or self.operator.id in ANY_ARITY):
            raise BadInput(
                "operator", self.operator.id, f"needs functions of two arguments; {self.problem.name} has others"
            )
        if self.init.leaves == 0 and self.last_leaf != "empty" and self.representation.is_tree:
            raise BadInput("init", str(self.init), "the empty tree needs last_leaf = empty")

    # ---- what follows from them

    @property
    def family(self) -> Family | None:
        """The family of the algorithm, where it keeps several trees or makes several offspring."""
        return self.algorithm.family

    @property
    def representation(self) -> Representation:
        """What its programs are: trees, unless the algorithm has others."""
        return TREES if self.family is None else self.family.representation

    @property
    def more_columns(self) -> tuple[str, ...]:
        """What its runs tell besides those of a (1+1) GP (`gpruntime.model.row`)."""
        judges = self.problem.is_loaded and self.representation.judges_all_rows(self)
        return (*(["max_population"] if self.has_population else []), *(["wrong_on_all_rows"] if judges else []))

    @property
    def has_population(self) -> bool:
        """Whether a run is other than one of a (1+1) GP: its record says how many trees it kept."""
        return bool(self.search) or self.family is not None

    @property
    def selection(self) -> str:
        """The id of the acceptance rule, or what an algorithm has in its place."""
        return self.family.selection if self.family is not None and not self.family.rules else self.accept.id

    @cached_property
    def goal(self) -> str:
        """When a run ends: one of `GOALS`."""
        return self.until or ("optimum" if self.family is None else self.family.goals[0])

    @cached_property
    def front(self) -> dict[int, Fitness]:
        """The sizes at which the best fitness is better than at all smaller ones, with it; none where it is unknown."""
        problem, found = self.problem, dict[int, Fitness]()
        for leaves in range(self.last_leaf == "keep", problem.least_optimal_leaves(self.n) + 1):
            best = problem.best_of_size(leaves, self.n)
            if best is None:
                return {}
            if not found or (best - next(reversed(found.values()))) * problem.direction > 0:
                found[leaves] = best
        return found

    @property
    def parts(self) -> tuple[Part, ...]:
        """What may be a user's own."""
        search = () if self.search is None else (self.search,)
        return self.problem, self.accept, self.operator, *search

    @cached_property
    def primitives(self) -> Primitives:
        """The functions and terminals of the problem."""
        return self.problem.primitives(self.n)

    @cached_property
    def best(self) -> Fitness:
        """The best fitness."""
        return self.problem.best(self.n)

    @property
    def proof(self) -> Proof | None:
        """What the problem brings to decide whether a run of this rule and law is stuck, if it does."""
        by_law = self.operations.most == 1 or (self.algorithm.multi and self.family is None)
        ours = self.accept.id in ("weak", "strict") and not (self.operator.is_own or self.search)
        return self.problem.proof if by_law and ours and self.substitute != "functions" else None

    @property
    def can_skip(self) -> bool:
        """Whether hopeless offspring can be skipped: where a problem knows them, by the strict rule and HVL-Prime."""
        by_law = self.operations.most == 1 or self.algorithm.multi
        by_proposals = self.operator.id == "hvl-prime" and self.substitute != "functions" and not self.has_population
        return self.problem.can_skip and self.accept.is_strict and by_law and by_proposals

    @cached_property
    def mutation(self) -> Mutation:
        """The mutation operator."""
        return self._operator_with(self.proportions)

    @cached_property
    def mutation_in_fractions(self) -> Mutation:
        """The same with its weights as fractions, so that its proposals are exact; a user's own as it is."""
        return self._operator_with([Fraction(weight) for weight in self.weights])

    def _operator_with(self, weights: Sequence[Any]) -> Mutation:
        if self.operator.is_own:
            return self.operator.made(self.primitives, self.proportions)
        made = self.operator.function if self.primitives.is_binary else ANY_ARITY[self.operator.id]
        operator: Mutation = made(self.n, weights, self.last_leaf, self.substitute, self.primitives)
        return operator

    @cached_property
    def proportions(self) -> tuple[float, float, float]:
        """The weights scaled to a maximum of 1, so that (1, 1, 2) and (3, 3, 6) are one law and one stream."""
        largest = max(self.weights)
        substitute, insert, delete = (weight / largest for weight in self.weights)
        return substitute, insert, delete

    def fits(self, leaves: int) -> bool:
        """Whether a tree may have this many leaves."""
        return self.max_leaves_allowed is None or leaves <= self.max_leaves_allowed

    def require_parts(self) -> None:
        """Raises `BadInput` if a part of one's own cannot be run, see `Part.require`."""
        for part in self.parts:
            part.require()

    def require_trees(self, what: str) -> None:
        """Raises `BadInput` if its programs are others, for what is about trees."""
        if not self.representation.is_tree:
            words = f"has {self.representation.many}, and {what} is for trees"
            raise BadInput("algorithm", self.algorithm.id, words)

    # ---- the cell

    def law(self) -> dict[str, Any]:
        """The fields that determine the law of the run: all but the budget, and defaults left out.

        Defaults are left out so that a field added later does not change the cell of a run that does not use it.
        λ has no part in a single algorithm, so it is left out there too. What a substitution picks by default depends
        on the problem, so for a user's own, which need not be loaded, it is always said.
        """
        usual = {**DEFAULTS, "init": None, "substitute": None if self.problem.is_own else "leaves"}
        settings = {**self.settings, "weights": self.proportions}
        left_out = {"budget"} if self.algorithm.multi else {"budget", "poisson_mean"}
        return {name: value for name, value in settings.items() if name not in left_out and value != usual[name]}

    def stated(self) -> dict[str, Any]:
        """The law as fields that make it again: what a substitution picks is said where the default is another."""
        is_usual = self.substitute == self.usual_substitute
        return self.law() | ({} if is_usual else {"substitute": self.substitute})

    @cached_property
    def cell(self) -> tuple[int, int, int, int]:
        """The address of the cell: the first 128 bits of SHA-256 over the law as canonical JSON, as four words."""
        text = json.dumps(self.law(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        digest = hashlib.sha256(text.encode("ascii")).digest()
        a, b, c, d = (int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
        return a, b, c, d

    def __reduce__(self) -> Any:
        """Parts of one's own travel with their source: another process needs no file."""
        return _unpickled, (self.settings, [part for part in self.parts if part.is_own])

    @property
    def cell_id(self) -> str:
        """The same as 32 hexadecimal digits."""
        return b"".join(word.to_bytes(4, "little") for word in self.cell).hex()


RunSpec.__signature__ = inspect.signature(RunSpec.__init__.__get__(object()))  # type: ignore[attr-defined]

DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {name: field.default for name, field in inspect.signature(RunSpec.__init__).parameters.items() if name != "self"}
)
"""The fields of a spec in their order, with their defaults; those without one have `inspect.Parameter.empty`."""


def a_spec(value: object) -> RunSpec:
    """Returns a value that is a spec; otherwise raises, and says how to make one."""
    if isinstance(value, RunSpec):
        return value
    raise BadInput("spec", value, f"must be a RunSpec: {_BY_NAME}")


def _unpickled(settings: dict[str, Any], parts: list[Part]) -> RunSpec:  # noqa: ARG001  # they have been restored
    return RunSpec(**settings)


def _checked_weights(weights: Any) -> tuple[float, float, float]:
    allowed = "must be three non-negative numbers, not all zero: substitution, insertion, deletion"
    try:
        values = tuple(float(weight) for weight in weights)
    except (TypeError, ValueError, OverflowError):
        raise BadInput("weights", weights, allowed) from None
    if len(values) != 3 or not all(math.isfinite(w) and w >= 0 for w in values) or max(values) == 0:
        raise BadInput("weights", weights, allowed)
    if any(0 < weight < max(values) * _MIN_PROPORTION for weight in values):
        raise BadInput("weights", weights, "a weight above zero must be at least 1e-12 of the largest")
    return values


def _checked_number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number):
        raise BadInput(name, value, "must be a number")
    return number
