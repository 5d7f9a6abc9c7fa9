"""What a run is asked to be: problem, algorithm, n, initial tree, operator, limits.

A problem, an acceptance rule and an operator can be given as themselves or by name (`gpruntime.model.part`).

Everything but the budget determines the law of the run and with it the *cell*, which addresses its random stream
(`gpruntime.model.stream`). The budget does not: a run with a larger budget is the same run, continued.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gpruntime.model.acceptance import ACCEPTANCES, Acceptance, acceptance_named
from gpruntime.model.algorithms import Algorithm, algorithm_id, algorithm_named, preset, split_variant
from gpruntime.model.arity import AnyHvl, AnyHvlPrime
from gpruntime.model.errors import BadInput, known, whole
from gpruntime.model.family import GOALS, Family
from gpruntime.model.hvl import Hvl
from gpruntime.model.initial import MOST_LEAVES, NAMES, Initial
from gpruntime.model.loading import no_files
from gpruntime.model.mutation import LAST_LEAF, SUBSTITUTE_AT, HvlPrime
from gpruntime.model.operations import LAWS, Operations, operations_named
from gpruntime.model.operator import OPERATORS, Mutation, Operator, operator_named
from gpruntime.model.part import Part
from gpruntime.model.problem import MOST_VARIABLES, Fitness, Problem, Proof
from gpruntime.model.problems import problem_named
from gpruntime.model.search_part import SearchPart, search_named
from gpruntime.model.stream import poisson_table
from gpruntime.model.terminals import Primitives

MOST_BUDGET = 2**62
_MOST_FRONT = 10**7  # leaves of the largest tree of a front
_LEAST_PROPORTION = 1e-12  # less would be lost in the 53 bits of the number that decides


def _setting(default: Any, option: str, metavar: str, help_: str = "", words: str = "") -> Any:
    """A field with what others need to know of it: its option on the command line, and the words before its value."""
    return field(default=default, metadata={"option": option, "metavar": metavar, "help": help_, "words": words})


@dataclass(frozen=True, kw_only=True)
class RunSpec:
    """One cell of an experiment. Checked when it is made; raises `BadInput` with the field and what is allowed.

    Attributes:
        problem: a name (`gpruntime.model.problems`), "FILE.py:NAME", or a problem of one's own; then its id.
        algorithm: "gp-single", "gp-multi", "gpstar-single" or "gpstar-multi", or a member of a family such as
            "smo-single" (`gpruntime.model.populations`); a rule or a law of its own may follow, as in
            "gp-single accept=parsimony".
        n: the number of variables.
        init: the initial tree as text, see `gpruntime.model.initial`.
        weights: of substitution, insertion and deletion, in proportion to their probabilities.
        poisson_mean: λ in k = 1 + Pois(λ), for the multi algorithms.
        accept: the acceptance rule (`gpruntime.model.acceptance`); empty for the algorithm's own.
        operations: the law of k (`gpruntime.model.operations`); empty for the algorithm's own.
        operator: "hvl-prime", "hvl" for the original, or one's own (`gpruntime.model.operator`).
        substitute: "leaves", or "nodes" for the dialect in which joins are picked too: in vain, if J is the only
            function. Left out, it is "nodes" for a problem with several functions and "leaves" for others.
        last_leaf: deleting the only leaf changes nothing ("keep") or gives the empty tree ("empty").
        search: an algorithm of one's own in place of the (1+1) GP (`gpruntime.model.search`); empty for none.
        until: when a run ends that has a choice: "front", the whole front of fitness and size, or "optimum"; empty for
            the algorithm's own.
        max_leaves_allowed: a larger offspring is rejected; None for no limit.
        budget: the run stops after this many evaluations; None for no limit.
    """

    problem: str
    algorithm: str
    n: int
    init: str = _setting(
        "unity",
        "--init",
        "|".join(NAMES) + "|'TREE'|@FILE",
        "Initial tree; NAME:leaves=M for M leaves instead of 2n, also leaves=4n; a tree such as "
        "'((x1 !x4) (x2 x3))', or the file that holds it.",
        "initial tree",
    )
    weights: tuple[float, float, float] = _setting(
        (1.0, 1.0, 1.0), "--weights", "S,I,D", "Weights of substitution, insertion and deletion.", "weights"
    )
    poisson_mean: float = _setting(1.0, "--poisson-mean", "L", "Multi algorithms make 1 + Pois(L) operations.", "λ =")
    accept: str = _setting(
        "",
        "--accept",
        "|".join(ACCEPTANCES) + "|FILE.py:NAME",
        "Acceptance rule in place of the algorithm's.",
        "accept",
    )
    operations: str = _setting(
        "",
        "--operations",
        "|".join(LAWS),
        "Operations per offspring in place of the algorithm's, as in power:beta=1.5 or exactly:k=3.",
        "operations",
    )
    operator: str = _setting(
        "hvl-prime", "--operator", "|".join(OPERATORS) + "|FILE.py:NAME", "The mutation.", "operator"
    )
    substitute: str = _setting(
        "",
        "--substitute",
        "|".join(SUBSTITUTE_AT),
        "What a substitution picks; a join it picks stays as it is where J is the only function.",
        "substitution at",
    )
    last_leaf: str = _setting(
        "keep", "--last-leaf", "|".join(LAST_LEAF), "What deleting the only leaf does.", "last leaf"
    )
    search: str = _setting(
        "", "--search", "FILE.py:NAME", "An algorithm of your own in place of the (1+1) GP.", "search"
    )
    until: str = _setting(
        "",
        "--until",
        "|".join(GOALS),
        "When a run of SMO-GP ends: with the whole front of fitness and size, or with the first optimum.",
        "until",
    )
    max_leaves_allowed: int | None = _setting(None, "--max-leaves", "M", "Reject offspring with more than M leaves.")
    budget: int | None = _setting(None, "--budget", "B", "Stop after B evaluations.")

    def __post_init__(self) -> None:
        problem = problem_named(self.problem)
        self._set("problem", problem.id)
        self._set("n", whole("n", self.n, 1, MOST_VARIABLES))
        self._set("operator", operator_named(self.operator).id)
        self._set("substitute", known("substitute", self.substitute or self.usual_substitute, SUBSTITUTE_AT))
        known("last_leaf", self.last_leaf, LAST_LEAF)
        if self.budget is not None:
            self._set("budget", whole("budget", self.budget, 1, MOST_BUDGET, " (the initial tree's evaluation counts)"))
        self._set("weights", _checked_weights(self.weights))
        self._set("poisson_mean", _checked_number("poisson_mean", self.poisson_mean))
        poisson_table(self.poisson_mean)
        self._settle_algorithm()
        if problem.is_loaded:
            self._check_problem(problem)
        self._set("init", str(Initial.parse(str(self.init), self.n, self.primitives)))
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

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def usual_substitute(self) -> str:
        """What a substitution picks unless it is said."""
        return "nodes" if len(self.problem_.functions) > 1 else "leaves"

    def _settle_algorithm(self) -> None:
        """One spelling of one law: of the preset, the rule and the law of k, the one that says most."""
        name, said = split_variant(self.algorithm)
        asked = algorithm_named(algorithm_id(name))
        rule = self.accept or said.get("accept")
        if rule and asked.family is not None and not asked.family.rules:
            raise BadInput("accept", rule, f"{asked.name} goes by {asked.family.selection} and takes no rule")
        accept = acceptance_named(rule or asked.accept)
        usual = f"poisson:mean={self.poisson_mean!r}" if asked.multi else "one"
        operations = operations_named(self.operations or said.get("operations") or usual, self.n)
        if search := self.search or said.get("search"):
            self._set("search", search_named(search).id)
        if operations.id.startswith("poisson"):
            self._set("poisson_mean", float(operations.id.partition("=")[2]))
        algorithm = preset(asked, accept, operations)
        self._set("algorithm", algorithm.id)
        self._settle_goal(algorithm, self.until or said.get("until", ""))
        self._set("accept", "" if accept.id == algorithm.accept else accept.id)
        self._set("operations", "" if algorithm.multi or operations.id == "one" else operations.id)

    def _settle_goal(self, algorithm: Algorithm, until: str) -> None:
        goals = ("optimum",) if algorithm.family is None else algorithm.family.goals
        if until and known("until", until, GOALS) not in goals:
            raise BadInput("until", until, f"{algorithm.name} has no front: its runs end with the optimum")
        self._set("until", "" if until == goals[0] else until)

    def _check_family(self) -> None:
        family = self.family
        if family is None:
            return
        if self.search:
            raise BadInput("search", self.search, f"stands in place of the algorithm: {self.algorithm} is another one")
        if self.accept and self.accept not in family.rules and not family.own_rules:
            raise BadInput("accept", self.accept, f"{self.algorithm_.name} honours {', '.join(family.rules)} only")
        family.check(self)
        if self.goal == "front" and self.problem_.is_loaded:
            self._check_front()

    def _check_front(self) -> None:
        least = self.problem_.least_optimal_leaves(self.n)
        if least > _MOST_FRONT:
            most = f"a front has at most {_MOST_FRONT:,} sizes, and an optimal tree has {least:,} leaves"
            raise BadInput("until", "front", f"{most}: say --until optimum")
        if not self.front:
            what = f"the best fitness for each size is not known for {self.problem_.name}"
            raise BadInput("until", "front", f"{what}: say --until optimum")

    def _check_problem(self, problem: Problem) -> None:
        size = self.primitives.size
        if not 1 <= size <= 2 * MOST_VARIABLES:
            raise BadInput(
                "n", self.n, f"{problem.name} would have {size} terminals; from 1 to {2 * MOST_VARIABLES} can be"
            )
        problem.best(self.n)
        problem.check_data(self.n)

    def _check_limits(self) -> None:
        limit, least = self.max_leaves_allowed, 1
        if limit is not None:
            if self.problem_.is_loaded:
                least = self.problem_.least_optimal_leaves(self.n)
            why = f" (an optimal tree has at least {least} leaves)" if least > 1 else ""
            limit = whole("max_leaves_allowed", limit, least, MOST_LEAVES, why)
            self._set("max_leaves_allowed", limit)
            if self.initial.leaves > limit:
                allowed = f"must be at least {self.initial.leaves}, the leaves the initial tree can have"
                raise BadInput("max_leaves_allowed", limit, allowed)
        if self.budget is None and all(part.is_loaded for part in self.parts):
            self._check_end()

    def _check_end(self) -> None:
        """A run that may never end needs a budget."""
        _, insert, delete = self.weights
        if self.search_ is not None:
            raise BadInput("budget", None, f"nothing proves that {self.search_.name} ends: give a budget")
        if self.family is not None:
            goes_on = self._is_vouched_for(self.family.id)
            if not (goes_on or (self.family.decides(self) and self._improves_one_at_a_time())):
                what = f"{self.algorithm_.name} on {self.problem_.name}"
                raise BadInput("budget", None, f"nothing proves that {what} ends: give a budget")
            return
        if self.proof is not None and not self.accept_.is_strict:
            if insert == 0:
                allowed = "without insertion a run that accepts neutral moves may never end: give a budget"
                raise BadInput("weights", self.weights, allowed)
            if delete == 0 and self.max_leaves_allowed is None:
                allowed = "without deletion the tree grows for ever: give a budget or max_leaves_allowed"
                raise BadInput("weights", self.weights, allowed)
        elif self.proof is None and not self._is_known_to_end():
            what = f"{self.algorithm_.name} on {self.problem_.name}"
            raise BadInput("budget", None, f"nothing proves that {what} ends: give a budget")

    def _is_known_to_end(self) -> bool:
        """Improvements only, one at a time, so that a stuck run is seen to be; or a rule the problem vouches for."""
        return self._improves_one_at_a_time() or self._is_vouched_for(self.accept_.id)

    def _is_vouched_for(self, by: str) -> bool:
        """Whether the problem says that runs of this rule, or family, end, as they are asked to be here."""
        problem, limit = self.problem_, self.max_leaves_allowed
        has_room = limit is None or problem.ends_within(limit, self.n)
        return by in problem.ends and has_room and self._goes_step_by_step()

    def _improves_one_at_a_time(self) -> bool:
        rule = self.accept_
        by_one = self.operator == "hvl-prime" and self.primitives.is_binary  # others may add or take out more leaves
        return (
            self.operations_.most == 1
            and (by_one or not rule.is_own)
            and all(rule.least_gain(growth) > 0 for growth in (-1, 0, 1))
        )

    def _goes_step_by_step(self) -> bool:
        """Whether every single operation can be drawn, and nothing else with it."""
        by_one = self.operations_.fewest == 1 and self.operations_.table[0] > 0
        return by_one and min(self.weights) > 0 and not self.operator_.is_own

    def _check_dialect(self) -> None:
        usual = self.usual_substitute if self.problem_.is_loaded else self.substitute
        if self.operator != "hvl-prime" and (self.substitute, self.last_leaf) != (usual, "keep"):
            raise BadInput("operator", self.operator, "the dialects substitute and last_leaf are hvl-prime's")
        if self.initial.leaves == 0 and self.last_leaf != "empty":
            raise BadInput("init", self.init, "the empty tree needs last_leaf = empty")

    # ---- the parts, as objects

    @cached_property
    def problem_(self) -> Problem:
        """The problem itself."""
        return problem_named(self.problem)

    @cached_property
    def accept_(self) -> Acceptance:
        """The acceptance rule itself."""
        return acceptance_named(self.accept or algorithm_named(self.algorithm).accept)

    @cached_property
    def operator_(self) -> Operator:
        """The operator as a part; `mutation` is it at work."""
        return operator_named(self.operator)

    @cached_property
    def search_(self) -> SearchPart | None:
        """The algorithm of one's own, if there is one."""
        return search_named(self.search) if self.search else None

    @cached_property
    def operations_(self) -> Operations:
        """The law of k itself."""
        usual = f"poisson:mean={self.poisson_mean!r}" if algorithm_named(self.algorithm).multi else "one"
        return operations_named(self.operations or usual, self.n)

    @cached_property
    def algorithm_(self) -> Algorithm:
        """The algorithm itself."""
        algorithm = preset(algorithm_named(self.algorithm), self.accept_, self.operations_)
        if self.search_ is None:
            return algorithm
        said = f"accept {self.accept_.name if self.accept_.is_own else self.accept_.id}, k ~ {self.operations_.id}"
        return dataclasses.replace(algorithm, name=f"{self.search_.name}, {said}")

    @cached_property
    def family(self) -> Family | None:
        """The family of the algorithm, where it keeps several trees or makes several offspring."""
        return algorithm_named(self.algorithm).family

    @property
    def has_population(self) -> bool:
        """Whether a run is other than one of a (1+1) GP: its record says how many trees it kept."""
        return bool(self.search) or self.family is not None

    @property
    def selection(self) -> str:
        """The id of the acceptance rule, or what an algorithm has in its place."""
        return self.family.selection if self.family is not None and not self.family.rules else self.accept_.id

    @cached_property
    def goal(self) -> str:
        """When a run ends: one of `GOALS`."""
        return self.until or ("optimum" if self.family is None else self.family.goals[0])

    @cached_property
    def front(self) -> dict[int, Fitness]:
        """The sizes at which the best fitness is better than at all smaller ones, with it; none where it is unknown."""
        problem, found = self.problem_, dict[int, Fitness]()
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
        search = () if self.search_ is None else (self.search_,)
        return self.problem_, self.accept_, self.operator_, *search

    @property
    def variant(self) -> str:
        """The algorithm with its rule and its law, where they are not the preset's, as one text; and one's own."""
        said = {"accept": self.accept, "operations": self.operations, "search": self.search, "until": self.until}
        return " ".join([self.algorithm, *(f"{name}={value}" for name, value in said.items() if value)])

    @cached_property
    def primitives(self) -> Primitives:
        """The functions and terminals of the problem."""
        return self.problem_.primitives(self.n)

    @cached_property
    def best(self) -> Fitness:
        """The best fitness."""
        return self.problem_.best(self.n)

    @property
    def proof(self) -> Proof | None:
        """What the problem brings to decide whether a run of this rule and law is stuck, if it does."""
        by_law = self.operations_.most == 1 or (self.algorithm_.multi and self.family is None)
        ours = self.accept_.id in ("weak", "strict") and not (self.operator_.is_own or self.search)
        return self.problem_.proof if by_law and ours else None

    @property
    def can_skip(self) -> bool:
        """Whether hopeless offspring can be skipped: where a problem knows them, by the strict rule and HVL-Prime."""
        by_law = self.operations_.most == 1 or self.algorithm_.multi
        by_proposals = self.operator == "hvl-prime" and not self.has_population
        return self.problem_.can_skip and self.accept_.is_strict and by_law and by_proposals

    @cached_property
    def initial(self) -> Initial:
        """The law of the initial tree."""
        return Initial.parse(self.init, self.n, self.primitives)

    @cached_property
    def mutation(self) -> Mutation:
        """The mutation operator."""
        if self.operator_.is_own:
            return self.operator_.made(self.primitives, self.proportions)
        binary = self.primitives.is_binary
        if self.operator == "hvl":
            return (Hvl if binary else AnyHvl)(self.n, self.proportions, self.primitives)
        return (HvlPrime if binary else AnyHvlPrime)(
            self.n, self.proportions, self.last_leaf, self.substitute, self.primitives
        )

    @cached_property
    def proportions(self) -> tuple[float, float, float]:
        """The weights scaled to a maximum of 1, so that (1, 1, 2) and (3, 3, 6) are one law and one stream."""
        largest = max(self.weights)
        substitute, insert, delete = (weight / largest for weight in self.weights)
        return substitute, insert, delete

    def require_parts(self) -> None:
        """Raises `BadInput` if a part of one's own cannot be run, see `Part.require`."""
        for part in self.parts:
            part.require()

    # ---- the cell

    def law(self) -> dict[str, Any]:
        """The fields that determine the law of the run: all but the budget, and defaults left out.

        Defaults are left out so that a field added later does not change the cell of a run that does not use it.
        λ has no part in a single algorithm, so it is left out there too. What a substitution picks by default depends
        on the problem, so for a user's own, which need not be loaded, it is always said.
        """
        usual = {one.name: one.default for one in dataclasses.fields(self)}
        usual["substitute"] = None if self.problem_.is_own else "leaves"
        left_out = {"budget"} if self.algorithm_.multi else {"budget", "poisson_mean"}
        fields = {}
        for name, default in usual.items():
            value = self.proportions if name == "weights" else getattr(self, name)
            if name not in left_out and (name in ("problem", "algorithm", "n", "init") or value != default):
                fields[name] = value
        return fields

    @cached_property
    def cell(self) -> tuple[int, int, int, int]:
        """The address of the cell: the first 128 bits of SHA-256 over the law as canonical JSON, as four words."""
        text = json.dumps(self.law(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        digest = hashlib.sha256(text.encode("ascii")).digest()
        a, b, c, d = (int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
        return a, b, c, d

    def __reduce__(self) -> Any:
        """Parts of one's own travel with their source: another process needs no file."""
        fields = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        return _unpickled, (fields, [part for part in self.parts if part.is_own])

    @property
    def cell_id(self) -> str:
        """The same as 32 hexadecimal digits."""
        return b"".join(word.to_bytes(4, "little") for word in self.cell).hex()


SETTINGS = {one.name: one for one in dataclasses.fields(RunSpec)}
"""The fields of a spec by name, with their defaults and what is said about them (`metadata`)."""


def _unpickled(fields: dict[str, Any], parts: list[Part]) -> RunSpec:  # noqa: ARG001  # they have been restored
    return RunSpec(**fields)


def _checked_weights(weights: Any) -> tuple[float, float, float]:
    allowed = "must be three non-negative numbers, not all zero: substitution, insertion, deletion"
    try:
        values = tuple(float(weight) for weight in weights)
    except (TypeError, ValueError, OverflowError):
        raise BadInput("weights", weights, allowed) from None
    if len(values) != 3 or not all(math.isfinite(w) and w >= 0 for w in values) or max(values) == 0:
        raise BadInput("weights", weights, allowed)
    if any(0 < weight < max(values) * _LEAST_PROPORTION for weight in values):
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
