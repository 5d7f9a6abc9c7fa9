"""What a problem tells the kernels: a few plain functions in Numba's subset, compiled into the loops.

They share their first arguments: `law`, the numbers of the spec; `at`, where the fields of the state begin; `cells`,
`wide` and `tiny`, its memory (`state`). An operation is (kind, site, side, code), with −1 for what it does not have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Part = Callable[..., Any]


class Stepping(NamedTuple):
    """For `stepping`. `Skipping` has the first five too.

    Attributes:
        start(law, at, cells, wide, tiny, drawing, rng): draws the initial tree; returns (leaves, fitness).
        is_stuck(law, at, cells, wide, leaves, fitness): whether nothing can be accepted again: `gpruntime.model.stuck`
            has the criteria.
        make(law, at, cells, wide, leaves, kind, site, side, code): makes an operation; returns what it adds to the
            fitness.
        note(law, at, cells, wide, leaves, kind, site, code, entry): notes in `entry`, a row of the log, before the
            operation is made, what `undo` or `file` will need.
        undo(law, at, cells, wide, leaves, entry): takes back the operation of `entry`, the last one made; returns the
            number of leaves before it was made.
        attempt(law, at, cells, wide, leaves, kind, site, side, code, least): makes the operation, one that does
            something, if it adds at least `least`; returns what it adds. It may only ask the law for a `Call` (`own`).
        foresee(at, cells, leaves, site, code): asks for the memory that an operation at this node with this terminal,
            likely the next, will look at first.
    """

    start: Part
    is_stuck: Part
    make: Part
    note: Part
    undo: Part
    attempt: Part
    foresee: Part


class Skipping(NamedTuple):
    """For `skipping`, see `hopeful`. All but `is_stuck` are given `tiny` too.

    Attributes:
        measure(law, at, wide): (|U|, blocking leaves β, leaves β₂, how much β can grow per operation, operations at
            least needed to improve).
        draw_hopeful(law, at, cells, wide, tiny, rng, leaves, kind): a hopeful operation of this kind: (site, side,
            code, which). Where only counts are kept, the site is a terminal, and `which` one of its leaves. In a
            planted tree an unexpressed variable that comes in is given by `which`, its place in a list, or that is −1.
        draw_hopeless(law, at, cells, wide, tiny, rng, leaves, kind): an operation that is not hopeful.
        is_vain(law, at, cells, tiny, leaves, kind, site, which): whether a hopeful operation can be seen at a glance,
            with less memory touched than by `judge`, not to improve.
        terminal_of(at, cells, code, which): the terminal that comes in.
        judge(law, at, cells, wide, tiny, leaves, kind, site, side, code): what the operation would add to the fitness;
            changes nothing.
        foresee_change(at, cells, tiny, leaves, kind, site, side, code): asks for the memory that `make` and `file` will
            need.
        file(law, at, cells, wide, tiny, variable): brings U and the blocking leaves up to date for a variable that an
            accepted offspring has touched.
        settle(law, at, cells, wide): the rest of it, after all such variables.
    """

    start: Part
    is_stuck: Part
    make: Part
    note: Part
    undo: Part
    measure: Part
    draw_hopeful: Part
    draw_hopeless: Part
    is_vain: Part
    terminal_of: Part
    judge: Part
    foresee_change: Part
    file: Part
    settle: Part
