"""The settings of a curve, and which curves differ in exactly one.

The size of an initial tree, or a limit on leaves, may be a number or a multiple of n: `unity:leaves=400` at n = 100 may
stand for 400 leaves or for 4n. Cells are sorted into the fewest curves; what is the same at every n comes first.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any

from gpruntime.analysis import formatting
from gpruntime.model.algorithms import ALGORITHMS
from gpruntime.model.initial import NAMES
from gpruntime.model.spec import DEFAULTS, RunSpec
from gpruntime.model.spec_text import SETTINGS

if TYPE_CHECKING:
    from gpruntime.analysis.cells import CellEstimate
    from gpruntime.analysis.curves import Curve

LIMIT = "max_leaves_allowed"
_USUAL = (True, 2)  # 2n leaves
MAX_PAIRS = 100_000  # that are looked at, of those that may differ in one setting
# What curves are compared in, besides the limit on leaves, which may change with n.
COMPARED = tuple(name for name in SETTINGS if name not in ("problem", "n", "max_leaves_allowed", "budget"))


# ---- cells of one setting


def kind_of(spec: RunSpec) -> Hashable:
    """A setting, but for n, the size of the initial tree and the limit on leaves."""
    law = {name: value for name, value in spec.law().items() if name not in ("n", LIMIT)}
    if spec.init.tree is None:
        law["init"] = spec.init.text("")
    return tuple(sorted(law.items()))


def by_initial_size(cells: Sequence[CellEstimate]) -> list[list[CellEstimate]]:
    """Cells of one kind, sorted by how the size of their initial trees goes with n."""
    return _by_growth(cells, lambda spec: spec.init.leaves)


def by_limit(cells: Sequence[CellEstimate]) -> list[list[CellEstimate]]:
    """The same by how the limit on leaves goes with n."""
    return _by_growth(cells, lambda spec: spec.max_leaves_allowed)


def _by_growth(cells: Sequence[CellEstimate], size: Callable[[RunSpec], int | None]) -> list[list[CellEstimate]]:
    ways = (sorted(_families(cells, size, constants_first)) for constants_first in (True, False))
    return [[cells[place] for place in family] for family in min(ways, key=len)]


def _families(
    cells: Sequence[CellEstimate], size: Callable[[RunSpec], int | None], constants_first: bool
) -> Iterator[list[int]]:
    """The family with the most sizes first; a cell belongs to the first that takes it."""
    members: dict[tuple[bool, int], list[int]] = defaultdict(list)
    for place, cell in enumerate(cells):
        leaves = size(cell.spec)
        members[False, -1 if leaves is None else leaves].append(place)
        if leaves is not None and leaves % cell.n == 0:
            members[True, leaves // cell.n].append(place)
    free = set(range(len(cells)))

    def entry(form: tuple[bool, int]) -> tuple[int, bool, bool, tuple[bool, int]]:
        sizes = {cells[place].n for place in members[form] if place in free}
        return -len(sizes), form != _USUAL, form[0] == constants_first, form

    heap = [entry(form) for form in members]
    heapq.heapify(heap)
    while heap:
        before = heapq.heappop(heap)
        now = entry(before[-1])
        if now[0] and now[0] != before[0]:
            heapq.heappush(heap, now)
        elif now[0]:
            family = [place for place in members[now[-1]] if place in free]
            free -= set(family)
            yield family


def init_of(specs: Sequence[RunSpec]) -> str:
    """The initial tree of a curve as text: as its cells have it, or with a size that goes with n."""
    if len({str(spec.init) for spec in specs}) == 1:
        return str(specs[0].init)
    return specs[0].init.text(formatting.size_in_n({spec.n: spec.init.leaves for spec in specs}))


# ---- curves that differ


def settings_of(spec: RunSpec, init: str) -> dict[str, Any]:
    """What a curve may be compared in; λ where the algorithm has one."""
    settings = {name: spec.settings[name] for name in COMPARED}
    settings["init"], settings["weights"] = init, spec.proportions
    if not spec.algorithm.multi:
        settings["poisson_mean"] = None
    return settings


def differences(a: Curve, b: Curve) -> list[str]:
    """The settings that two curves differ in; λ counts where both have one."""
    names = [name for name in COMPARED if a.settings[name] != b.settings[name]]
    if not (a.spec.algorithm.multi and b.spec.algorithm.multi) and "poisson_mean" in names:
        names.remove("poisson_mean")
    if a.spec.problem.id != b.spec.problem.id:
        names.insert(0, "problem")
    return names


def differing_in_one(curves: Iterable[Curve]) -> dict[str, Iterator[tuple[Curve, Curve]]]:
    """Pairs of curves on one problem that differ in one setting, by its name, defaults before others.

    Curves that differ in the budget alone hold the same runs, and are no pair.
    """
    every = list(curves)
    return {name: _pairs(every, name) for name in (*COMPARED, LIMIT)}


def _pairs(curves: list[Curve], name: str) -> Iterator[tuple[Curve, Curve]]:
    groups: dict[Hashable, list[Curve]] = defaultdict(list)
    apart = {name, "poisson_mean"} if name == "algorithm" else {name}
    for curve in curves:
        rest = tuple(value for key, value in curve.settings.items() if key not in apart)
        groups[curve.spec.problem.id, rest].append(curve)
    wanted = [] if name == LIMIT else [name]
    for group in groups.values():
        group.sort(key=lambda curve: _order(curve, name))
        yield from ((a, b) for a, b in islice(combinations(group, 2), MAX_PAIRS) if differences(a, b) == wanted)


def _order(curve: Curve, name: str) -> tuple[Any, ...]:
    """Algorithms and initial trees as they are listed; other values by size, the default first."""
    spec = curve.spec
    if name == "algorithm":
        listed = list(ALGORITHMS)
        return listed.index(spec.algorithm.id) if spec.algorithm.id in listed else len(listed), spec.algorithm.id
    if name == "init":
        named = NAMES.index(spec.init.name) if spec.init.name in NAMES else len(NAMES)
        return named, spec.init.leaves / spec.n, curve.init
    if name == LIMIT:
        limit = spec.max_leaves_allowed
        return limit is not None, limit or 0
    value = spec.settings[name]
    return value != DEFAULTS[name], value
