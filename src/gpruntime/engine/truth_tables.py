"""Truth tables, compiled: the runs of `gpruntime.model.populations.gsgp`, draw by draw.

What a block gains is added up over its rows, and only they are looked at: with forcing points, one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy import int64

from gpruntime.engine.jit import ONE, ZERO, helper, inlined_once
from gpruntime.engine.main_loop import Method, lacks_nothing, make_kernel, note_improvement
from gpruntime.engine.params import RunParams, min_gain_by_size, shared_params
from gpruntime.engine.random import below, word
from gpruntime.engine.run_state import DELETE, INSERT, record_type
from gpruntime.engine.tree_memory import ProgramMemory, record
from gpruntime.model.problems.truth_table import rows_of
from gpruntime.model.representations.truth_tables import (
    ALTERNATIVE,
    FIXED,
    POINT,
    SIZES,
    TableStart,
    blocks_of,
    false_rows,
    gains_of,
    masks_of,
    tries,
)
from gpruntime.model.spec import RunSpec

BOOK = record_type("score", "leaves")


@dataclass(frozen=True, kw_only=True)
class TableParams(RunParams):
    """What a run depends on. An offspring takes the rows of a block."""

    kind: int  # of mutation, see `gpruntime.model.representations.truth_tables`, and v
    v: int
    variables: int
    rows: int
    worst: int  # the errors of the table that is always true
    is_given: bool  # whether there is one start
    judges: bool  # whether the last table is judged on all rows
    masks: int  # choices of variables that are tried to see if it is stuck; 0 if that is not asked


class TableRun(NamedTuple):
    """A truth table, and room to work in."""

    table: Any  # by row, 0 or 1
    given: Any  # the start, if there is one
    gains: Any  # by row, what it adds to the score to be true and not false
    wanted: Any  # by row, of the complete table
    masks: Any  # the variables a block can be over, if all are tried
    gained: Any  # by block, what it would gain
    chosen: Any  # the variables of a block
    book: Any


def table_params(spec: RunSpec, tracing: bool, function: int, frame: int) -> TableParams:
    """The numbers of a spec."""
    blocks, variables = blocks_of(spec), spec.primitives.variables
    free = 0 if blocks.kind == POINT else variables if blocks.kind == SIZES else variables - blocks.v
    return TableParams(
        **shared_params(spec),
        initial_leaves=1 + 2**free // 64,
        kind=blocks.kind,
        v=blocks.v,
        variables=variables,
        rows=2**variables,
        worst=false_rows(spec.problem, spec.n),
        is_given=str(spec.init) != "uniform",
        judges=spec.representation.judges_all_rows(spec),
        masks=sum(1 for _ in _masks(spec)),
    )


def _masks(spec: RunSpec) -> Iterator[int]:
    blocks, variables = blocks_of(spec), spec.primitives.variables
    return masks_of(blocks, variables) if spec.accept.is_strict and tries(blocks, variables) else iter(())


def table_memory(spec: RunSpec, params: TableParams) -> ProgramMemory:
    """The memory of a run."""
    start = spec.init.table.rows if isinstance(spec.init, TableStart) and spec.init.table is not None else []
    return ProgramMemory(
        TableRun(
            table=np.zeros(params.rows, np.int8),
            given=np.array(start, np.int8),
            gains=gains_of(spec.problem, spec.n),
            wanted=rows_of(spec.problem, spec.n, True)[0].astype(np.int8),
            masks=np.array([*_masks(spec)], np.int64),
            gained=np.zeros(params.rows if params.masks else 0, np.int64),
            chosen=np.zeros(params.variables, np.int64),
            book=record(BOOK),
        )
    )


@helper
def choose(params, pop, rng):
    """Writes the variables of a block into `chosen`; returns how many."""
    chosen, variables, count = pop.chosen, params.variables, params.v
    for i in range(variables):
        chosen[i] = i
    if params.kind == FIXED:
        return count
    if params.kind == ALTERNATIVE:
        groups = (variables + count - 1) // count
        first = (below(rng, groups) if groups > 1 else ZERO) * count
        size = min(count, variables - first)
        for i in range(size):
            chosen[i] = first + i
        return size
    if params.kind == SIZES:
        count = below(rng, variables + 1)
    for place in range(count):
        other = place + (below(rng, variables - place) if variables - place > 1 else ZERO)
        chosen[place], chosen[other] = chosen[other], chosen[place]
    return count


@helper
def draw_block(params, pop, rng):
    """A block: the variables of its minterm, as bits, and their values."""
    if params.kind == POINT:
        return params.rows - 1, below(rng, params.rows)
    count = choose(params, pop, rng)
    drawn = below(rng, ONE << count) if count > 0 else ZERO
    mask, values = ZERO, ZERO
    for j in range(count):
        mask |= ONE << pop.chosen[j]
        values |= ((drawn >> j) & 1) << pop.chosen[j]
    return mask, values


@helper
def judge(params, pop, mask, values, becomes):
    """What a block gains that becomes true, or false, and how many of its rows change."""
    free, part, gain, changed = (params.rows - 1) & ~mask, ZERO, ZERO, ZERO
    while True:
        row = values | part
        if pop.table[row] != becomes:
            gain += pop.gains[row]
            changed += 1
        part = (part - free) & free
        if part == 0:
            return (gain if becomes == 1 else -gain), changed


@helper
def force(params, pop, mask, values, becomes):
    """Makes the rows of a block true, or false."""
    free, part = (params.rows - 1) & ~mask, ZERO
    while True:
        pop.table[values | part] = becomes
        part = (part - free) & free
        if part == 0:
            return


@helper
def any_better(params, pop):
    """Whether some block improves."""
    gained = pop.gained
    for i in range(params.masks):
        mask = pop.masks[i]
        for becomes in range(2):
            for row in range(params.rows):
                gained[row] = 0
            for row in range(params.rows):
                if pop.table[row] != becomes:
                    gained[row & mask] += pop.gains[row] if becomes == 1 else -pop.gains[row]
            for row in range(params.rows):
                if gained[row] > 0:
                    return True
    return False


@inlined_once
def _start(params, pop, run):
    size, score, bits = ZERO, -params.worst, word(run.rng) if not params.is_given else np.uint64(0)
    for row in range(params.rows):
        if params.is_given:
            value = int64(pop.given[row])
        else:
            if row > 0 and row & 63 == 0:
                bits = word(run.rng)
            value = int64((bits >> np.uint64(row & 63)) & np.uint64(1))
        pop.table[row] = value
        size += value
        if value == 0:
            score -= pop.gains[row]
    pop.book.score, pop.book.leaves = score, size
    return size, score


@inlined_once
def _is_stuck(params, pop, run, result, changed):
    return changed and params.masks > 0 and result.fitness < params.best and not any_better(params, pop)


@inlined_once
def _offspring(params, pop, run, result):
    book = pop.book
    run.cursor.steps -= 1
    result.evaluations += 1
    mask, values = draw_block(params, pop, run.rng)
    becomes = below(run.rng, 2)
    kind = INSERT if becomes == 1 else DELETE
    result.proposed[kind] += 1
    gain, changed = judge(params, pop, mask, values, becomes)
    size = book.leaves + (changed if becomes == 1 else -changed)
    if gain < min_gain_by_size(params, book.leaves, size):
        return False
    force(params, pop, mask, values, becomes)
    result.accepted[kind] += 1
    book.score, book.leaves = book.score + gain, size
    result.max_leaves = max(result.max_leaves, size)
    if gain > 0:
        result.fitness, result.leaves = book.score, size
        note_improvement(run, result)
    return True


@inlined_once
def _conclude(params, pop, run, result):
    result.fitness, result.leaves, result.max_population = pop.book.score, pop.book.leaves, 1
    if params.judges:
        wrong = ZERO
        for row in range(params.rows):
            wrong += int64(pop.table[row] != pop.wanted[row])
        result.wrong_on_all_rows = wrong


TABLE_KERNEL = make_kernel("truth_tables", Method(_start, _is_stuck, _offspring, _conclude, lacks=lacks_nothing))
