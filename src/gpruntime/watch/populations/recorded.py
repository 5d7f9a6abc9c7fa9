"""How a population changed, step by step: who came in, who went, what they are.

The model makes the run. A step that leaves the population as it was is passed over. A file has the first changes of a
long run, and its end.
"""

from __future__ import annotations

from typing import Any

from gpruntime.model.errors import BadInput, whole
from gpruntime.model.run import Outcome, run_of
from gpruntime.model.search import Individual, Made, Search
from gpruntime.model.spec import RunSpec
from gpruntime.watch.definitions import definitions_of
from gpruntime.watch.recording import Stop
from gpruntime.watch.standing import number
from gpruntime.watch.window import name_of
from gpruntime.watch.words import counted, ending, listed, phrase

MOST_CHANGES = 2_000
MOST_VARIABLES = 200
MOST_EVALUATIONS = 200_000
_MOST_TREES = 500


def recorded(spec: RunSpec, seed: int, run: int, stop: Stop | None = None) -> dict[str, Any]:
    """The run as the page wants it; raises `BadInput` where that would take long."""
    _check(spec)
    search = run_of(spec, seed, run)
    assert isinstance(search, Search)
    book = _Book(spec, search)
    while search.outcome is None:
        if stop is not None:
            stop.check()
        search.advance()
        if len(book.changes) < MOST_CHANGES or search.outcome is not None:
            book.note()
        else:
            book.left_out += 1
    return {
        "title": f"{name_of(spec)}, seed {seed}" + (f", run {run}" if run else ""),
        "selection": spec.family.line if spec.family is not None else "an algorithm of one's own",
        "definitions": [one for one in definitions_of(spec) if one.title != "When an offspring is accepted"],
        "best": spec.best,
        "is_smaller_better": spec.problem.better == "smaller",
        "front": sorted(spec.front.items()) if spec.goal == "front" else [],
        "functions": [name for name in spec.primitives.functions if name],
        "trees": book.trees,
        "members": book.members,
        "changes": book.changes,
        "contents": _contents(book),
        "end": {"evaluations": search.evaluations, "words": _ending(spec, search)},
    }


def _check(spec: RunSpec) -> None:
    whole("n", spec.n, 1, MOST_VARIABLES, " for a page of several trees")
    if spec.budget is None or spec.budget > MOST_EVALUATIONS:
        raise BadInput("budget", spec.budget, f"must be at most {MOST_EVALUATIONS:,} for a page of several trees")
    if int(spec.algorithm.values.get("mu", 1)) > _MOST_TREES:
        raise BadInput("algorithm", spec.algorithm.id, f"a page shows at most {_MOST_TREES} trees")


def _contents(book: _Book) -> str:
    if not book.left_out:
        return f"All {counted(len(book.changes), 'change')} of the population are here"
    return f"The first {counted(len(book.changes) - 1, 'change')} of the population are here, and the last"


def _ending(spec: RunSpec, search: Search) -> str:
    assert search.outcome is not None
    if search.outcome is Outcome.OPTIMUM and spec.goal == "front":
        return f"the whole front is there after {counted(search.evaluations, 'evaluation')}"
    return ending(spec, search.outcome, search.evaluations)


class _Book:
    """What is written down.

    Attributes:
        trees: their texts, each once.
        members: each tree that was ever kept: fitness, leaves, the place of its text.
        changes: evaluations, words, members that came, members that went, their parent or −1.
    """

    def __init__(self, spec: RunSpec, search: Search) -> None:
        self._spec, self._search = spec, search
        self.trees: list[str] = []
        self.members: list[tuple[Any, int, int]] = []
        self.changes: list[tuple[int, str, list[int], list[int], int]] = []
        self._texts: dict[str, int] = {}
        self._places: dict[int, int] = {}  # of members, by the identity of what is kept
        self._kept: list[Individual] = []
        self.left_out = 0  # steps after the last change that is kept

    def note(self) -> None:
        """The population after a step, if it is another one."""
        before, self._kept = self._kept, list(self._search.population)
        came = [one for one in self._kept if not any(one is other for other in before)]
        gone = [one for one in before if not any(one is other for other in self._kept)]
        if not came and not gone:
            return
        made = {id(one.offspring): one for one in self._search.last_made}
        by = [made[id(one.tree)] for one in came if id(one.tree) in made]
        parent = next((self._places[id(one)] for one in before if by and one.tree is by[0].parent), -1)
        words = self._words(came, gone, by) if before else self._beginning(came)
        if self.left_out:
            words = f"the end, {counted(self.left_out + 1, 'step')} after the change before"
        places = [self._enter(one) for one in came], [self._places.pop(id(one)) for one in gone]
        self.changes.append((self._search.evaluations, words, *places, parent))

    def _enter(self, one: Individual) -> int:
        text = str(one.tree)
        if text not in self._texts:
            self._texts[text] = len(self.trees)
            self.trees.append(text)
        self._places[id(one)] = len(self.members)
        self.members.append((one.fitness, len(one.tree.leaves), self._texts[text]))
        return self._places[id(one)]

    def _beginning(self, came: list[Individual]) -> str:
        return f"the beginning: {', '.join(map(_told, came[:3]))}{' …' if len(came) > 3 else ''}"

    def _words(self, came: list[Individual], gone: list[Individual], by: list[Made]) -> str:
        how = f"{self._how(by[0])}: " if len(by) == 1 and len(came) == 1 else ""
        comes = f"{_told(came[0])} comes in" if len(came) == 1 else f"{counted(len(came), 'tree')} come in"
        if not came:
            comes = "nothing comes in"
        if not gone:
            return how + comes
        goes = f"{_told(gone[0])} goes" if len(gone) == 1 else f"{counted(len(gone), 'tree')} go"
        return f"{how}{comes}, {goes}"

    def _how(self, made: Made) -> str:
        """Its operations; they are made again, on a copy, since their words are about the tree before each."""
        tree, phrases = made.parent.copy(), []
        for operation in made.operations:
            phrases.append(phrase(self._spec, tree, operation))
            self._spec.mutation.apply(tree, operation)
        return listed(phrases, "; then ", "operation")


def _told(one: Individual) -> str:
    return f"fitness {number(one.fitness)} with {counted(len(one.tree.leaves), 'leaf', 'leaves')}"
