"""Circuits, compiled: the runs of `gpruntime.model.populations.cgp`, draw by draw.

Only active gates are evaluated, 64 rows at a time; what they give stands in `values`, node after node, the inputs
first. A problem without a table is given the tree that a circuit unfolds into, in postfix order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy import int64, uint64
from numpy.typing import NDArray

from gpruntime.engine.jit import ONE, ZERO, helper, inlined, inlined_once
from gpruntime.engine.main_loop import Method, lacks_nothing, make_kernel, note_improvement
from gpruntime.engine.params import RunParams, min_gain_by_size, shared_params
from gpruntime.engine.random import below, thresholds, word
from gpruntime.engine.run_state import record_type
from gpruntime.engine.tree_memory import ProgramMemory, record
from gpruntime.engine.user_function import value_of_array
from gpruntime.model.populations.cgp import MAX_TRIED, tries
from gpruntime.model.problems.truth_table import OPERATORS, parts_of
from gpruntime.model.representations.circuits import CircuitStart, change_from, shape_of
from gpruntime.model.spec import RunSpec

_U11 = uint64(11)
_AND, _OR, _XOR, _NAND, _NOR, _NOT = range(6)

# The parent's score and size (`leaves`: records have a `size` of their own); of this generation, how many offspring are
# made, the score, size and changed genes of the one that is held, how many are alike with it; 1 if there is one.
BOOK = record_type("score", "leaves", "made", "held_score", "held_size", "held_genes", "alike", "is_held")


@dataclass(frozen=True, kw_only=True)
class CircuitParams(RunParams):
    """What a run depends on. An offspring takes its gates times their words of rows."""

    inputs: int  # nodes before the gates
    gates: int
    connections: int  # of a gate
    genes: int
    words: int  # of 64 rows
    last: int  # the bits of the last word that are rows
    all_words: int  # of all rows, on which the last circuit is judged; 0 if it is not
    all_last: int
    unfolds: bool  # whether the problem is given the tree
    is_given: bool  # whether there is one start
    is_point: bool  # point mutation, with this rate
    rate_below: np.uint64
    stops_at_active: bool  # SAM stops at an active gene, changed or not
    is_uniform: bool  # of equals, parent among them, a uniform one stays
    offspring: int  # of a generation: λ
    tries: bool  # whether all offspring are tried to see if it is stuck


class CircuitRun(NamedTuple):
    """A circuit, its offspring, and room to work in."""

    least: Any  # by gene: its least value, and how many there are
    count: Any
    arity: Any  # by function: its arguments, and which of `OPERATORS` it is
    operator: Any
    given: Any  # the genes of the start, if there is one
    parent: Any  # genes
    child: Any
    held: Any  # the best offspring of this generation so far
    active: Any  # by gate, of the parent: 1 if it is
    reached: Any  # the same of the circuit that is evaluated
    values: Any  # words of rows, by node
    wanted: Any
    all_values: Any  # the same on all rows
    all_wanted: Any
    tokens: Any  # of the tree, and room to unfold it
    waiting: Any
    book: Any


def circuit_params(spec: RunSpec, tracing: bool, function: int, frame: int) -> CircuitParams:
    """The numbers of a spec."""
    shape, values, primitives = shape_of(spec), spec.algorithm.values, spec.primitives
    change, table = change_from(str(values["mutation"])), spec.problem.table(spec.n)
    words, last, _, _ = table_parts(table)
    all_words, all_last, _, _ = table_parts(spec.problem.table(spec.n, True) if _judges(spec) else None)
    return CircuitParams(
        **shared_params(spec),
        initial_leaves=1 + shape.gates * max(words, 1) // 64,
        user_function=function,
        user_frame=frame,
        inputs=primitives.size,
        gates=shape.gates,
        connections=shape.connections,
        genes=shape.genes,
        words=words,
        last=last,
        all_words=all_words,
        all_last=all_last,
        unfolds=table is None,
        is_given=str(spec.init) != "uniform",
        is_point=change.rate > 0,
        rate_below=thresholds([change.rate])[0],
        stops_at_active=change.stops_at_active,
        is_uniform=values["ties"] == "uniform",
        offspring=int(values["lambda"]),
        tries=tries(spec),
    )


def _judges(spec: RunSpec) -> bool:
    return spec.representation.judges_all_rows(spec)


def circuit_memory(spec: RunSpec, params: CircuitParams) -> ProgramMemory:
    """The memory of a run."""
    shape, genes = shape_of(spec), params.genes
    ranges = np.array(shape.ranges, np.int64)
    start = spec.init.circuit.genes if isinstance(spec.init, CircuitStart) and spec.init.circuit else []
    nodes, gates = params.inputs + params.gates, params.gates
    unfolded = 2 ** (gates + 1) if params.unfolds else 0
    operators = [0] if params.unfolds else [OPERATORS.index(name) for name in spec.primitives.functions]
    signed, table = spec.primitives.signed, spec.problem.table(spec.n)
    complete = spec.problem.table(spec.n, True) if params.all_words else None
    return ProgramMemory(
        CircuitRun(
            least=ranges[:, 0].copy(),
            count=ranges[:, 1].copy(),
            arity=np.array(shape.arities, np.int64),
            operator=np.array(operators, np.int64),
            given=np.array(start, np.int64),
            parent=np.zeros(genes, np.int64),
            child=np.zeros(genes, np.int64),
            held=np.zeros(genes, np.int64),
            active=np.zeros(gates, np.int64),
            reached=np.zeros(gates, np.int64),
            values=_nodes(table, signed, nodes),
            wanted=table_parts(table)[2],
            all_values=_nodes(complete, signed, nodes),
            all_wanted=table_parts(complete)[2],
            tokens=np.zeros(unfolded, np.int64),
            waiting=np.zeros(unfolded, np.int64),
            book=record(BOOK),
        )
    )


def _nodes(table: Any, signed: bool, nodes: int) -> NDArray[np.int64]:
    """Room for the words of all nodes; those of the inputs are filled in."""
    words, _, _, columns = table_parts(table)
    found = np.zeros((nodes, words), np.int64)
    if words:
        found[: len(columns) << signed : 1 + signed] = columns
        if signed:
            found[1 : 2 * len(columns) : 2] = ~columns
    return found.reshape(-1)


def table_parts(table: Any) -> tuple[int, int, NDArray[np.int64], NDArray[np.int64]]:
    """The number of words, the bits of the last one that are rows, what is wanted, and the variables; none of None."""
    if table is None:
        return 0, 0, np.zeros(0, np.int64), np.zeros((0, 0), np.int64)
    return parts_of(table)


@inlined
def ones(word):
    """How many bits are set."""
    count = ZERO
    for shift in range(0, 64, 32):
        half = (word >> shift) & 0xFFFFFFFF
        half -= (half >> 1) & 0x55555555
        half = (half & 0x33333333) + ((half >> 2) & 0x33333333)
        half = (half + (half >> 4)) & 0x0F0F0F0F
        count += (half * 0x01010101 >> 24) & 0xFF
    return count


@helper
def wrong_words(values, first, wanted, words, last):
    """On how many rows the words from `first` on are not what is wanted, of which the last has these bits."""
    wrong = ZERO
    for i in range(words - 1):
        wrong += ones(values[first + i] ^ wanted[i])
    return wrong + ones((values[first + words - 1] ^ wanted[words - 1]) & last)


# ---- a circuit and its offspring


@inlined
def is_active(params, pop, gene):
    """Whether a gene of the parent is."""
    gate = gene // (params.connections + 1)
    if gate == params.gates:
        return True
    place = gene - gate * (params.connections + 1)
    return pop.active[gate] == 1 and place <= pop.arity[pop.parent[gene - place]]


@inlined
def renew(pop, rng, genes, gene):
    """Gives a gene a NewValue; returns whether it has another value."""
    count = pop.count[gene]
    if count == 1:
        return ZERO
    value = pop.least[gene] + below(rng, count - 1)
    genes[gene] = value + int64(value >= genes[gene])
    return ONE


@helper
def mutate(params, pop, rng):
    """Changes the child, a copy of the parent; returns how many changes that took."""
    changes, genes = ZERO, pop.child
    if params.is_point:
        for gene in range(params.genes):
            if (word(rng) >> _U11) < params.rate_below:
                changes += renew(pop, rng, genes, gene)
        return changes
    while True:
        gene = below(rng, params.genes)
        changes += renew(pop, rng, genes, gene)
        if is_active(params, pop, gene) and (params.stops_at_active or genes[gene] != pop.parent[gene]):
            return changes


@helper
def reach(params, pop, genes, reached):
    """Writes which gates of a circuit are active; returns how many."""
    width, size = params.connections + 1, ZERO
    for gate in range(params.gates):
        reached[gate] = 0
    last = genes[params.genes - 1] - params.inputs
    if last >= 0:
        reached[last] = 1
    for back in range(last + 1):
        gate = last - back
        if reached[gate] == 1:
            size += 1
            at = gate * width
            for place in range(1, pop.arity[genes[at]] + 1):
                below_it = genes[at + place] - params.inputs
                if below_it >= 0:
                    reached[below_it] = 1
    return size


@helper
def run_gates(params, pop, genes, reached, values, words):
    """Works out the active gates."""
    width, last = params.connections + 1, genes[params.genes - 1] - params.inputs
    for gate in range(last + 1):
        if reached[gate] == 1:
            at, to = gate * width, (params.inputs + gate) * words
            function = genes[at]
            operator, a, b = pop.operator[function], genes[at + 1] * words, genes[at + 2] * words
            if operator == _AND:
                for i in range(words):
                    values[to + i] = values[a + i] & values[b + i]
            elif operator == _OR:
                for i in range(words):
                    values[to + i] = values[a + i] | values[b + i]
            elif operator == _XOR:
                for i in range(words):
                    values[to + i] = values[a + i] ^ values[b + i]
            elif operator == _NAND:
                for i in range(words):
                    values[to + i] = ~(values[a + i] & values[b + i])
            elif operator == _NOR:
                for i in range(words):
                    values[to + i] = ~(values[a + i] | values[b + i])
            elif operator == _NOT:
                for i in range(words):
                    values[to + i] = ~values[a + i]
            else:
                c = genes[at + 3] * words
                for i in range(words):
                    values[to + i] = (values[a + i] & values[b + i]) | (~values[a + i] & values[c + i])


@helper
def unfold(params, pop, genes):
    """Writes the tree of a circuit in postfix order: from behind, a node, then its arguments from right to left."""
    tokens, waiting, width = pop.tokens, pop.waiting, params.connections + 1
    size, count = ZERO, ONE
    waiting[0] = genes[params.genes - 1]
    while count > 0:
        count -= 1
        node = waiting[count]
        if node < params.inputs:
            tokens[size] = node
        else:
            at = (node - params.inputs) * width
            tokens[size] = -1 - genes[at]
            for place in range(1, width):
                waiting[count] = genes[at + place]
                count += 1
        size += 1
    for i in range(size >> 1):
        tokens[i], tokens[size - 1 - i] = tokens[size - 1 - i], tokens[i]
    return size


@helper
def score_of(params, pop, genes, reached):
    """The score of a circuit whose active gates are known."""
    if params.unfolds:
        return value_of_array(params, pop.tokens, unfold(params, pop, genes))
    run_gates(params, pop, genes, reached, pop.values, params.words)
    return -wrong_words(pop.values, genes[params.genes - 1] * params.words, pop.wanted, params.words, params.last)


@inlined
def copy_genes(params, source, target):
    """Copies a genotype."""
    for gene in range(params.genes):
        target[gene] = source[gene]


# ---- whether it is stuck


@helper
def ways(params, pop):
    """How many offspring there are to try, up to a few more than are tried."""
    inactive, active = ONE, ZERO
    for gene in range(params.genes):
        if is_active(params, pop, gene):
            active += pop.count[gene] - 1
        elif inactive <= MAX_TRIED:
            inactive *= pop.count[gene]
    return inactive * active if inactive <= MAX_TRIED else inactive


@helper
def any_better(params, pop):
    """Whether some offspring is, with any values in inactive genes."""
    child, score = pop.child, pop.book.score
    for gene in range(params.genes):
        child[gene] = pop.parent[gene] if is_active(params, pop, gene) else pop.least[gene]
    while True:
        for gene in range(params.genes):
            if is_active(params, pop, gene):
                for value in range(pop.least[gene], pop.least[gene] + pop.count[gene]):
                    child[gene] = value
                    reach(params, pop, child, pop.reached)
                    if score_of(params, pop, child, pop.reached) > score:
                        return True
                child[gene] = pop.parent[gene]
        gene = ZERO  # the next values of the inactive genes
        while gene < params.genes:
            if not is_active(params, pop, gene):
                child[gene] += 1
                if child[gene] < pop.least[gene] + pop.count[gene]:
                    break
                child[gene] = pop.least[gene]
            gene += 1
        if gene == params.genes:
            return False


# ---- the loop


@inlined_once
def _start(params, pop, run):
    book = pop.book
    for gene in range(params.genes):
        if params.is_given:
            pop.parent[gene] = pop.given[gene]
        else:
            count = pop.count[gene]
            pop.parent[gene] = pop.least[gene] + (below(run.rng, count) if count > 1 else ZERO)
    book.leaves = reach(params, pop, pop.parent, pop.active)
    book.score = score_of(params, pop, pop.parent, pop.active)
    book.made = 0
    return book.leaves, book.score


@inlined_once
def _is_stuck(params, pop, run, result, changed):
    if not (changed and params.tries) or result.fitness >= params.best:
        return False
    return ways(params, pop) <= MAX_TRIED and not any_better(params, pop)


@inlined_once
def _offspring(params, pop, run, result):
    book, rng = pop.book, run.rng
    run.cursor.steps -= 1
    result.evaluations += 1
    copy_genes(params, pop.parent, pop.child)
    changes = mutate(params, pop, rng)
    result.proposed[0] += changes
    size = reach(params, pop, pop.child, pop.reached)
    score = score_of(params, pop, pop.child, pop.reached)
    if book.made == 0:
        book.is_held, book.held_score, book.held_size, book.alike = 0, book.score, book.leaves, 1
    book.made += 1
    accepted = score - book.score >= min_gain_by_size(params, book.leaves, size)
    ends = accepted and score >= params.best
    if params.is_uniform:
        same, takes = score == book.held_score, score > book.held_score
        book.alike = ONE if takes else book.alike + int64(same)
        if same:
            takes = below(rng, book.alike) == 0
    else:
        smaller = params.min_gain_smaller <= 0 < params.min_gain_larger and size < book.held_size
        takes = ends or book.is_held == 0 or score > book.held_score or (score == book.held_score and smaller)
    if takes:
        book.is_held, book.held_score, book.held_size, book.held_genes = 1, score, size, changes
        copy_genes(params, pop.child, pop.held)
    if accepted and score > result.fitness:
        result.fitness, result.leaves = score, size
        note_improvement(run, result)
    is_whole = book.made == params.offspring
    if not (is_whole or ends or result.evaluations >= params.budget):
        return False
    book.made = 0
    if book.is_held == 0 or book.held_score - book.score < min_gain_by_size(params, book.leaves, book.held_size):
        return False
    book.score, book.leaves = book.held_score, book.held_size
    copy_genes(params, pop.held, pop.parent)
    reach(params, pop, pop.parent, pop.active)
    result.accepted[0] += book.held_genes
    result.max_leaves = max(result.max_leaves, book.leaves)
    return is_whole


@inlined_once
def _conclude(params, pop, run, result):
    result.fitness, result.leaves, result.max_population = pop.book.score, pop.book.leaves, 1
    if params.all_words > 0:
        run_gates(params, pop, pop.parent, pop.active, pop.all_values, params.all_words)
        first = pop.parent[params.genes - 1] * params.all_words
        result.wrong_on_all_rows = wrong_words(pop.all_values, first, pop.all_wanted, params.all_words, params.all_last)


CIRCUIT_KERNEL = make_kernel("circuits", Method(_start, _is_stuck, _offspring, _conclude, lacks=lacks_nothing))
