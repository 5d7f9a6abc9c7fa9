"""What is watched, from the words of an address: a spec, a seed, whose initial tree. And the limits of the page.

The limits keep every request small enough for a laptop that also shows slides. Whoever wants more has
`gpruntime run` and `gpruntime study`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gpruntime.model.algorithms import algorithm_id, algorithm_named, split_variant
from gpruntime.model.errors import BadInput, known, whole
from gpruntime.model.family import split_member
from gpruntime.model.operator import OPERATORS
from gpruntime.model.spec import DEFAULTS, RunSpec
from gpruntime.model.stream import MOST_RUN, MOST_SEED, Stream
from gpruntime.watch.offer import OURS, Offer
from gpruntime.watch.source import is_linear, method_of, needs_model

MOST_WATCHED = 10_000  # variables: a tree of 20,000 leaves and more
MOST_WATCHED_LINEAR = 2_000  # where an offspring takes time in proportion to its size
MOST_WATCHED_BY_MODEL = 200  # where only the model can make the run
MOST_WATCHED_EVALUATIONS = 100_000_000
MOST_WATCHED_LINEAR_EVALUATIONS = 10_000_000
MOST_WATCHED_BY_MODEL_EVALUATIONS = 200_000
MOST_MANY = 100_000  # variables
MOST_MANY_BY_MODEL = 50
MOST_MANY_EVALUATIONS = 10**13  # of a run: skipping leaves most of them out
MOST_MANY_STEPPED = 10**9  # where every proposal is made
MOST_RUNS = 1_000
MOST_SIZES = 40  # in a law
MOST_STEPS = 1_000  # in a window
MOST_ADDRESS = 16_000  # characters of a request's query

_ONE_TREE = "this page shows the (1+1) GP; a run with several trees has a page of its own, /population"
_LEAVES_PER_VARIABLE = 4  # the most leaves of an initial tree are this many for each variable, or _LEAST_ROOM
_LEAST_ROOM = 400

_FIELDS = ("problem", "algorithm", "init", "accept", "operations", "operator", "substitute", "last_leaf")
_START = ("start", "start_accept", "start_operations")
NAMES = (*_FIELDS, "n", "weights", "poisson_mean", "max_leaves_allowed", "budget", "seed", "run", *_START)


@dataclass(frozen=True)
class Choice:
    """A run to watch.

    Attributes:
        spec: its setting; the page's limit of evaluations is its budget, if it has no smaller one.
        seed, run: its address.
        lender: the setting whose initial tree it begins with; None for its own.
    """

    spec: RunSpec
    seed: int = 0
    run: int = 0
    lender: RunSpec | None = None

    @cached_property
    def watched(self) -> RunSpec:
        """The spec of the run itself. A borrowed initial tree is an explicit one, and the run another cell's.

        A law of initial trees draws from the stream of its cell, which the algorithm is part of: without borrowing, two
        algorithms never begin with the same tree.
        """
        lender = self.lender
        if lender is None or lender.cell == self.spec.cell or self.spec.init.tree is not None:
            return self.spec
        tree = lender.init.build(Stream(self.seed, lender.cell, self.run))
        return self.spec.replace(init=str(tree))


def address_of(spec: RunSpec, seed: int, run: int, versus: str | None = None) -> list[tuple[str, str]]:
    """The names and values that describe this run, as the page's address holds them; defaults are left out."""
    words = [("problem", spec.problem.id), ("algorithm", spec.algorithm.id), ("n", str(spec.n))]
    if versus is not None:
        words.append(("versus", _algorithm("versus", versus)))
    for name, value in spec.settings.items():
        usual = spec.usual_substitute if name == "substitute" else DEFAULTS[name]
        if name not in ("problem", "algorithm", "n") and value != usual:
            text = str(value)
            if name == "weights":
                text = ",".join(repr(weight).removesuffix(".0") for weight in value)
            words.append((name, text))
    return [*words, ("seed", str(seed)), *([("run", str(run))] if run else [])]


def choice_of(words: Iterable[tuple[str, str]], offer: Offer = OURS) -> Choice:
    """The run that these names and values describe; raises `BadInput`."""
    given = _of_one_tree(words, NAMES, offer)
    spec = _spec(given, MOST_WATCHED, MOST_WATCHED_BY_MODEL)
    most = MOST_WATCHED_LINEAR_EVALUATIONS if is_linear(spec) else MOST_WATCHED_EVALUATIONS
    spec = _within(spec, given, MOST_WATCHED_BY_MODEL_EVALUATIONS if needs_model(spec) else most)
    lender = None
    if "start" in given:
        accept, operations = (given.get(name, "") for name in ("start_accept", "start_operations"))
        algorithm = _algorithm("start", given["start"])
        lender = _changed(spec, algorithm=algorithm, accept=accept, operations=operations)
    return Choice(spec, *place_in(given), lender)


def many_of(words: Iterable[tuple[str, str]], offer: Offer = OURS) -> tuple[RunSpec, int, int]:
    """The spec, the seed and how many runs of it these names and values describe; raises `BadInput`."""
    given = _of_one_tree(words, (*NAMES, "runs"), offer)
    spec = _spec(given, MOST_MANY, MOST_MANY_BY_MODEL)
    most = MOST_MANY_EVALUATIONS if method_of(spec) == "skipping" else MOST_MANY_STEPPED
    if needs_model(spec):
        most = MOST_WATCHED_BY_MODEL_EVALUATIONS
    runs = whole_of("runs", given.get("runs", "100"), 1, MOST_RUNS, " on the page")
    return _within(spec, given, most), place_in(given)[0], runs


def law_of(words: Iterable[tuple[str, str]], offer: Offer = OURS) -> tuple[list[RunSpec], int, int]:
    """The specs, one for each size of `ns`, the seed and how many runs of each; raises `BadInput`."""
    words = list(words)
    ns = ",".join(value for name, value in words if name == "ns")
    rest = [(name, value) for name, value in words if name != "ns"]
    if ns.count(",") >= MOST_SIZES:
        raise BadInput("ns", ns, f"must be at most {MOST_SIZES} sizes")
    each = [many_of([*rest, ("n", n)], offer) for n in ns.split(",")]
    return list(dict.fromkeys(spec for spec, _, _ in each)), *each[0][1:]


def place_of(words: Iterable[tuple[str, str]]) -> tuple[list[tuple[str, str]], int, int]:
    """Splits off `from` and `count`, a window of steps."""
    rest, places = [], {"from": "1", "count": "250"}
    for name, value in words:
        if name in places:
            places[name] = value
        else:
            rest.append((name, value))
    first = whole_of("from", places["from"], 1, MOST_WATCHED_EVALUATIONS, " on the page")
    return rest, first, whole_of("count", places["count"], 1, MOST_STEPS, " steps at a time")


def _of_one_tree(words: Iterable[tuple[str, str]], names: tuple[str, ...], offer: Offer) -> dict[str, str]:
    words = list(_spelled_out(words))
    for name, value in words:
        if name == "search" or (name == "algorithm" and split_member(value) is not None):
            raise BadInput(name, value, _ONE_TREE)
    return given_of(words, names, offer)


def _spelled_out(words: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The same words; what follows an algorithm's name ("gp-single accept=weak") as words of their own."""
    for name, value in words:
        if name == "algorithm":
            algorithm, said = split_variant(value)
            yield name, str(algorithm)
            yield from said.items()
        else:
            yield name, value


def given_of(words: Iterable[tuple[str, str]], names: tuple[str, ...], offer: Offer) -> dict[str, str]:
    """The words of an address by name; raises `BadInput` where there are others than these, or what is not on offer."""
    given: dict[str, str] = {}
    for name, value in _spelled_out(words):
        if name not in names:
            raise BadInput("parameter", name, f"must be one of {', '.join(names)}")
        if name in given:
            raise BadInput(name, value, "must be given once")
        given[name] = value
    for name in ("problem", "algorithm", "n"):
        if name not in given:
            raise BadInput(name, "", "must be given")
    offer.check(given)
    known("operator", given.get("operator", "hvl-prime"), OPERATORS)  # the page makes their operations itself
    return given


def fields_of(given: dict[str, str], most: int) -> dict[str, Any]:
    """The fields of a spec that these words describe."""
    n = whole_of("n", given["n"], 1, most, " on the page")
    words: dict[str, Any] = {"n": n, **{name: given[name] for name in _FIELDS if name in given}}
    if "weights" in given:
        words["weights"] = given["weights"].split(",")
    if "poisson_mean" in given:
        words["poisson_mean"] = given["poisson_mean"]
    if "max_leaves_allowed" in given:
        words["max_leaves_allowed"] = whole_of("max_leaves_allowed", given["max_leaves_allowed"], 1)
    if "budget" in given:
        words["budget"] = whole_of("budget", given["budget"], 1)
    return words


def _spec(given: dict[str, str], most: int, most_by_model: int) -> RunSpec:
    spec = _bounded(fields_of(given, most))
    if is_linear(spec):
        whole_of("n", given["n"], 1, MOST_WATCHED_LINEAR, " on the page")
    check_room(spec)
    if needs_model(spec):  # the last question: it may take a while, and make the problem's data
        whole_of("n", given["n"], 1, most_by_model, " on the page")
    return spec


def check_room(spec: RunSpec) -> None:
    """Raises `BadInput` where the initial tree is larger than a page shows, or there are too many variables."""
    if spec.primitives.variables > MOST_MANY:
        what = f"has {spec.primitives.variables:,} variables; there can be {MOST_MANY:,} on the page"
        raise BadInput("problem", spec.problem.id, what)
    room = max(_LEAVES_PER_VARIABLE * spec.n, _LEAST_ROOM)
    if spec.init.leaves > room:
        raise BadInput("init", str(spec.init), f"must have at most {room:,} leaves on the page")


def _bounded(words: dict[str, Any]) -> RunSpec:
    """The spec; where nothing proves that its runs end, the page's limit is their budget."""
    try:
        return RunSpec.from_data(**words)
    except BadInput as error:
        if error.name != "budget" or "budget" in words:
            raise
    return RunSpec.from_data(**words, budget=MOST_WATCHED_LINEAR_EVALUATIONS)


def _changed(spec: RunSpec, **words: Any) -> RunSpec:
    return RunSpec.from_data(**spec.settings | words)


def _within(spec: RunSpec, given: dict[str, str], most: int) -> RunSpec:
    if "budget" not in given:
        return spec.replace(budget=most)
    if spec.budget is not None and spec.budget > most:
        raise BadInput("budget", given["budget"], f"must be at most {most:,} on the page")
    return spec


def _algorithm(name: str, text: str) -> str:
    try:
        found = algorithm_named(algorithm_id(text))
    except BadInput as error:
        raise BadInput(name, text, error.allowed) from None
    if found.family is not None:
        raise BadInput(name, text, _ONE_TREE)
    return found.id


def place_in(given: dict[str, str]) -> tuple[int, int]:
    """Seed and run."""
    return whole_of("seed", given.get("seed", "0"), 0, MOST_SEED), whole_of("run", given.get("run", "0"), 0, MOST_RUN)


def whole_of(name: str, text: str, least: int, most: int | None = None, why: str = "") -> int:
    """The number that a word of an address is."""
    if not re.fullmatch("[+-]?[0-9]{1,30}", text):
        raise BadInput(name, text, f"must be a whole number, {least} or more")
    return whole(name, whole(name, int(text), least), least, most, why)
