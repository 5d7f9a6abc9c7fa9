"""How a population changed, step by step: who came in, who went, what they are.

The model makes the run. A step that leaves the population as it was is passed over. Of a long run there are the first
changes, and the end.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from gpruntime.model.errors import BadInput
from gpruntime.model.run import Outcome, run_of
from gpruntime.model.search import Individual, Made, Search
from gpruntime.model.spec import RunSpec
from gpruntime.watch.annotated import annotated
from gpruntime.watch.annotations import LEAF_STANDINGS, annotations_of, number
from gpruntime.watch.definitions import Definition
from gpruntime.watch.recording import Stop
from gpruntime.watch.window import start_of
from gpruntime.watch.words import counted, ending, listed, phrase

MAX_CHANGES = 2_000
_MAX_TREES = 500
_SLICE_SECONDS = 0.05


def population_course(spec: RunSpec, seed: int, run: int, stop: Stop) -> Iterator[dict[str, Any]]:
    """The beginning, the changes as the run is made, the end; each piece says what is new, see `_Changes`."""
    if int(spec.algorithm.values.get("mu", 1)) > _MAX_TREES:
        raise BadInput("algorithm", spec.algorithm.id, f"a page shows at most {_MAX_TREES} trees")
    search = run_of(spec, seed, run)
    assert isinstance(search, Search)
    changes = _Changes(spec, search)
    yield {"start": _start(spec)}
    while search.outcome is None:
        end = time.monotonic() + _SLICE_SECONDS
        while search.outcome is None and time.monotonic() < end:
            stop.check()
            search.advance()
            changes.note()
        yield {**changes.take(), "upto": search.evaluations}
    words = _ending(spec, search)
    if changes.left_out:
        words += f"; the first {counted(MAX_CHANGES, 'change')} of the population are shown, and the last"
    yield {"end": {"outcome": str(search.outcome), "evaluations": search.evaluations, "words": words}}


def _start(spec: RunSpec) -> dict[str, Any]:
    selection = spec.family.line if spec.family is not None else "a user-defined algorithm"
    start = start_of(spec)
    problem, _, *others = start["definitions"]  # the second is the rule by which an offspring takes its parent's place
    return {
        **start,
        "view": "population",
        "title": "",
        "definitions": [problem, Definition("The algorithm", f"{selection[0].upper()}{selection[1:]}."), *others],
        "front": sorted(spec.front.items()) if spec.goal == "front" else [],
    }


def _ending(spec: RunSpec, search: Search) -> str:
    assert search.outcome is not None
    if search.outcome is Outcome.OPTIMUM and spec.goal == "front":
        return f"the whole front is there after {counted(search.evaluations, 'evaluation')}"
    return ending(spec, search.outcome, search.evaluations)


class _Changes:
    """The changes of a population.

    Attributes:
        trees: new texts, each once in a run, with the standings of its leaves from left to right.
        members: new trees that were kept: fitness, leaves, the place of its text.
        changes: evaluations, words, members that came, members that went, their parent or −1.
        left_out: steps after the last change that is kept.
    """

    def __init__(self, spec: RunSpec, search: Search) -> None:
        self._spec, self._search, self._annotations = spec, search, annotations_of(spec)
        self._new: dict[str, list[Any]] = {"trees": [], "members": [], "changes": []}
        self._texts: dict[str, int] = {}
        self._places: dict[int, int] = {}  # of members, by the identity of what is kept
        self._count = {"members": 0, "changes": 0}
        self._kept: list[Individual] = []
        self.left_out = 0

    def take(self) -> dict[str, list[Any]]:
        """What is new since this was asked last."""
        new, self._new = self._new, {name: [] for name in self._new}
        return new

    def note(self) -> None:
        """The population after a step, if it is another one."""
        if self._count["changes"] >= MAX_CHANGES and self._search.outcome is None:
            self.left_out += 1
            return
        before, self._kept = self._kept, list(self._search.population)
        came = [one for one in self._kept if not any(one is other for other in before)]
        gone = [one for one in before if not any(one is other for other in self._kept)]
        if not came and not gone:
            return
        made = {id(offspring.offspring): offspring for offspring in self._search.last_made}
        by = [made[id(one.tree)] for one in came if id(one.tree) in made]
        parent = next((self._places[id(one)] for one in before if by and one.tree is by[0].parent), -1)
        words = self._words(came, gone, by) if before else self._beginning(came)
        if self.left_out:
            words = f"the end, {counted(self.left_out + 1, 'step')} after the change before"
        places = [self._enter(one) for one in came], [self._places.pop(id(one)) for one in gone]
        self._new["changes"].append((self._search.evaluations, words, *places, parent))
        self._count["changes"] += 1

    def _enter(self, one: Individual) -> int:
        text = str(one.tree)
        if text not in self._texts:
            self._texts[text] = len(self._texts)
            of_leaf = annotated(self._spec, self._annotations, one.tree).of_leaf
            standings = [LEAF_STANDINGS.index(of_leaf[leaf]) for leaf in one.tree.leaves_in_order() if of_leaf]
            self._new["trees"].append((text, "".join(map(str, standings))))
        self._new["members"].append((one.fitness, len(one.tree.leaves), self._texts[text]))
        self._places[id(one)] = self._count["members"]
        self._count["members"] += 1
        return self._places[id(one)]

    def _beginning(self, came: list[Individual]) -> str:
        return f"the beginning: {', '.join(map(_described, came[:3]))}{' …' if len(came) > 3 else ''}"

    def _words(self, came: list[Individual], gone: list[Individual], by: list[Made]) -> str:
        how = f"{self._how(by[0])}: " if len(by) == 1 and len(came) == 1 else ""
        comes = f"{_described(came[0])} comes in" if len(came) == 1 else f"{counted(len(came), 'tree')} come in"
        if not came:
            comes = "nothing comes in"
        if not gone:
            return how + comes
        goes = f"{_described(gone[0])} goes" if len(gone) == 1 else f"{counted(len(gone), 'tree')} go"
        return f"{how}{comes}, {goes}"

    def _how(self, made: Made) -> str:
        """Its operations; they are made again, on a copy, since their words are about the tree before each."""
        tree, phrases = made.parent.copy(), []
        for operation in made.operations:
            phrases.append(phrase(self._spec, tree, operation))
            self._spec.mutation.apply(tree, operation)
        return listed(phrases, "; then ", "operation")


def _described(one: Individual) -> str:
    return f"fitness {number(one.fitness)} with {counted(len(one.tree.leaves), 'leaf', 'leaves')}"
