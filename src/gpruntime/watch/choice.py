"""What is watched, from the words of an address: a spec, a seed, whose initial tree. And the limits of the page.

The limits keep every request small enough for a laptop that also shows slides. Whoever wants more has
`gpruntime run` and `gpruntime study`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from gpruntime.model.algorithms import algorithm_id, algorithm_named, split_variant
from gpruntime.model.errors import BadInput, known, whole
from gpruntime.model.operator import OPERATORS
from gpruntime.model.representations.circuits import CIRCUITS, shape_of
from gpruntime.model.representations.representation import TREES
from gpruntime.model.representations.truth_tables import TRUTH_TABLES
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import fields_from, link_of
from gpruntime.model.stream import MAX_RUN, MAX_SEED, Stream
from gpruntime.watch.offer import OURS, Offer
from gpruntime.watch.source import is_linear, method_of, needs_model


class Limit(NamedTuple):
    """The most variables, and the most evaluations of a run."""

    variables: int
    evaluations: int


# By how an offspring is made: in constant time, in time in proportion to its size, by the model alone.
WATCHED = {"constant": Limit(10_000, 10**8), "linear": Limit(2_000, 10**7), "model": Limit(200, 200_000)}
MANY = {"constant": Limit(100_000, 10**9), "linear": Limit(2_000, 10**9), "model": Limit(50, 200_000)}
MAX_MANY_SKIPPING = 10**13  # evaluations: skipping leaves most of them out
MAX_RUNS = 1_000
MAX_SIZES = 40  # in a law
MAX_STEPS = 1_000  # in a window
MAX_ADDRESS = 16_000  # characters of a request's query

_LEAVES_PER_VARIABLE = 4  # the most leaves of an initial tree are this many for each variable, or _MIN_ROOM
_MIN_ROOM = 400
_BESIDE = "must be an algorithm with one program, of the same kind as the run beside it"
_MAX_GATES, _MAX_OFFSPRING = 2_000, 100  # of a circuit; of a generation
_MAX_ROWS = 2**33  # of truth tables, in all evaluations of a watched run

_LAWS = ("accept", "operations", "operator", "until", "search", "poisson_mean")
_FIELDS = ("problem", "algorithm", "init", *_LAWS, "substitute", "last_leaf")
_INTEGERS = ("max_leaves_allowed", "budget")
_START = ("start", "start_accept", "start_operations")
NAMES = (*_FIELDS, *_INTEGERS, "n", "weights", "seed", "run", *_START)

Words = Iterable[tuple[str, str]]


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

    @property
    def is_population(self) -> bool:
        """Whether the page shows the changes of a population, not every offspring."""
        return shows_population(self.spec)

    @cached_property
    def watched(self) -> RunSpec:
        """The spec of the run itself. A borrowed initial tree is an explicit one, and the run another cell's.

        A law of initial trees draws from the stream of its cell, which the algorithm is part of: without borrowing, two
        algorithms never begin with the same tree.
        """
        lender = self.lender
        is_given = self.spec.init.tree is not None or getattr(self.spec.init, "name", "") in ("circuit", "table")
        if lender is None or lender.cell == self.spec.cell or is_given:
            return self.spec
        tree = lender.init.build(Stream(self.seed, lender.cell, self.run))
        return self.spec.replace(init=str(tree))


def shows_population(spec: RunSpec) -> bool:
    """Whether the page shows the changes of a population of trees; else it shows every offspring of one program."""
    return spec.has_population and spec.representation.is_tree


def address_of(spec: RunSpec, seed: int, run: int, versus: str | None = None) -> list[tuple[str, str]]:
    """The names and values that describe this run, as the page's address holds them; defaults are left out."""
    words = list(link_of(spec).items())
    if versus is not None:
        words.insert(3, ("versus", _algorithm("versus", versus, spec)))
    return [*words, ("seed", str(seed)), *([("run", str(run))] if run else [])]


def choice_of(words: Words, offer: Offer = OURS) -> Choice:
    """The run that these names and values describe; raises `BadInput`."""
    given = _given(words, NAMES, offer)
    spec = _spec(given, WATCHED)
    lender = None
    if "start" in given:
        accept, operations = (given.get(name, "") for name in ("start_accept", "start_operations"))
        algorithm = _algorithm("start", given["start"], spec)
        lender = _changed(spec, algorithm=algorithm, accept=accept, operations=operations)
    choice = Choice(spec, *_place(given), lender)
    if not spec.representation.is_tree:
        _ = choice.watched  # a start that does not fit is refused here
    return choice


def many_of(words: Words, offer: Offer = OURS) -> tuple[RunSpec, int, int]:
    """The spec, the seed and how many runs of it these names and values describe; raises `BadInput`."""
    given = _given(words, (*NAMES, "runs"), offer)
    spec = _spec(given, MANY)
    return spec, _place(given)[0], integer_of("runs", given.get("runs", "100"), 1, MAX_RUNS, " on the page")


def law_of(words: Words, offer: Offer = OURS) -> tuple[list[RunSpec], int, int]:
    """The specs, one for each size of `ns`, the seed and how many runs of each; raises `BadInput`."""
    words = list(words)
    ns = ",".join(value for name, value in words if name == "ns")
    rest = [(name, value) for name, value in words if name != "ns"]
    if ns.count(",") >= MAX_SIZES:
        raise BadInput("ns", ns, f"must be at most {MAX_SIZES} sizes")
    each = [many_of([*rest, ("n", n)], offer) for n in ns.split(",")]
    return list(dict.fromkeys(spec for spec, _, _ in each)), *each[0][1:]


def window_of(words: Words) -> tuple[list[tuple[str, str]], int, int]:
    """Splits off `from` and `count`, a window of steps."""
    words = list(words)
    places = {"from": "1", "count": "250", **{name: value for name, value in words if name in ("from", "count")}}
    first = integer_of("from", places["from"], 1, WATCHED["constant"].evaluations, " on the page")
    count = integer_of("count", places["count"], 1, MAX_STEPS, " steps at a time")
    return [(name, value) for name, value in words if name not in places], first, count


def of_earlier_link(words: Words) -> list[tuple[str, str]]:
    """The words of a link to /population, where several trees once had a page: their parameters stood by themselves."""
    given = dict(words)
    if parameters := given.pop("parameters", ""):
        given["algorithm"] = f"{given.get('algorithm', '').partition(':')[0]}:{parameters}"
    return [*given.items()]


def _given(words: Words, names: tuple[str, ...], offer: Offer) -> dict[str, str]:
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


def _spelled_out(words: Words) -> Iterator[tuple[str, str]]:
    """The same words; what follows an algorithm's name ("gp-single accept=weak") as words of their own."""
    for name, value in words:
        if name == "algorithm":
            algorithm, variant = split_variant(value)
            yield name, str(algorithm)
            yield from variant.items()
        else:
            yield name, value


def _spec(given: dict[str, str], limits: dict[str, Limit]) -> RunSpec:
    """The spec within these limits; a large one is refused before its problem's data are made."""

    def check_n(kind: str) -> None:
        integer_of("n", given["n"], 1, limits[kind].variables, " on the page")

    check_n(kind := "constant")
    spec = _bounded(given)
    if spec.has_population or is_linear(spec):
        check_n(kind := "linear")
    _check_room(spec)
    if (spec.has_population and limits is WATCHED) or needs_model(spec):  # to answer that may make the data
        check_n(kind := "model")
    most = most_evaluations(spec, kind) if limits is WATCHED else limits[kind].evaluations
    if limits is MANY and kind != "model" and method_of(spec) == "skipping":
        most = MAX_MANY_SKIPPING
    if "budget" not in given:
        return spec.replace(budget=most)
    if spec.budget is not None and spec.budget > most:
        raise BadInput("budget", given["budget"], f"must be at most {most:,} on the page")
    return spec


def most_evaluations(spec: RunSpec, kind: str) -> int:
    """The most of a watched run of this kind; of a truth table fewer, the more rows it has."""
    most = WATCHED[kind].evaluations
    return min(most, _MAX_ROWS >> spec.primitives.variables) if spec.representation is TRUTH_TABLES else most


def _bounded(given: dict[str, str]) -> RunSpec:
    """The spec; where nothing proves that its runs end, the page's limit is their budget."""
    words = fields_from(given, lambda name, text: integer_of(name, text, 1))
    try:
        return RunSpec.from_data(**words)
    except BadInput as error:
        if error.name != "budget" or "budget" in words:
            raise
    return RunSpec.from_data(**words, budget=WATCHED["linear"].evaluations)


def _check_room(spec: RunSpec) -> None:
    """Raises `BadInput` where the initial tree is larger than a page shows, or there are too many variables."""
    if not spec.representation.is_tree:
        _check_program(spec)
    most = MANY["constant"].variables
    if spec.primitives.variables > most:
        what = f"has {spec.primitives.variables:,} variables; there can be {most:,} on the page"
        raise BadInput("problem", spec.problem.id, what)
    room = max(_LEAVES_PER_VARIABLE * spec.n, _MIN_ROOM)
    if spec.representation.is_tree and spec.init.leaves > room:
        raise BadInput("init", str(spec.init), f"must have at most {room:,} leaves on the page")


def _check_program(spec: RunSpec) -> None:
    """The same for circuits and truth tables."""
    offspring = int(spec.algorithm.values.get("lambda", 1))
    if offspring > _MAX_OFFSPRING:
        what = f"a page shows at most {_MAX_OFFSPRING} offspring of a generation"
        raise BadInput("algorithm", f"lambda={offspring}", what)
    if spec.representation is CIRCUITS and shape_of(spec).gates > _MAX_GATES:
        what = f"a page shows at most {_MAX_GATES:,} gates"
        raise BadInput("algorithm", f"gates={spec.algorithm.values['gates']}", what)


def _changed(spec: RunSpec, **words: Any) -> RunSpec:
    return RunSpec.from_data(**spec.settings | words)


def _algorithm(name: str, text: str, spec: RunSpec) -> str:
    """The id of an algorithm whose run can stand beside one of this spec."""
    try:
        algorithm = algorithm_named(algorithm_id(text))
    except BadInput as error:
        raise BadInput(name, text, error.allowed) from None
    kind = TREES if algorithm.family is None else algorithm.family.representation
    is_population = algorithm.family is not None and kind.is_tree
    if shows_population(spec) or is_population or kind is not spec.representation:
        raise BadInput(name, text, _BESIDE)
    return algorithm.id


def _place(given: dict[str, str]) -> tuple[int, int]:
    """Seed and run."""
    return integer_of("seed", given.get("seed", "0"), 0, MAX_SEED), integer_of("run", given.get("run", "0"), 0, MAX_RUN)


def integer_of(name: str, text: str, least: int, most: int | None = None, why: str = "") -> int:
    """The number that a word of an address is."""
    if not re.fullmatch("[+-]?[0-9]{1,30}", text):
        raise BadInput(name, text, f"must be a whole number, {least} or more")
    return whole(name, whole(name, int(text), least), least, most, why)
