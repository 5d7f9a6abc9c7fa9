"""Circuits and truth tables on the page: windows of steps, words for a step, what a page must know of a setting.

Every offspring is a step. What differs between it and its parent is told as numbers: of a circuit gene and value, one
pair after the other; of a truth table the variables of its minterm, their values, and 1 where the rows become true.
Where a generation has several offspring, the one that takes the parent's place does so with the last of them.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np

from gpruntime.model.acceptance import WEAK
from gpruntime.model.mutation import INSERT
from gpruntime.model.problems.truth_table import rows_of
from gpruntime.model.representations.circuits import CIRCUITS, Circuit, change_from, shape_of
from gpruntime.model.representations.truth_tables import TruthTable, gains_of
from gpruntime.model.spec import RunSpec
from gpruntime.watch.annotations import number, sign
from gpruntime.watch.recording import Recording, Stop
from gpruntime.watch.source import ProgramSource, Proposal
from gpruntime.watch.words import counted, ending, listed, verdict

ACCEPTED, LAST = 1, 2  # of a step's first number: takes its parent's place; is the last of its generation
_MAX_SIGNS = 8  # of a minterm in words
_BLOCKS = {
    "forcing-point": "over all variables, which is one row",
    "fixed-block": "over the first v variables",
    "varying-block": "over v variables, drawn anew each time",
    "fixed-alternative": "over the variables of a random one of the fixed groups of v",
    "multiple-size": "over v random variables, with v from 0 to all of them",
}
_COUNTED = (
    "Evaluations: every fitness evaluation, that of the initial {} included. Its size is the number of its {}. A run "
    "ends at the optimum, when it is proved to be stuck, or at its budget."
)
_STUCK = {
    "circuit": "All values of each active gene, with any values in the inactive ones, were tried: none is better.",
    "truth-table": "All blocks, set to true and to false, were tried: none is better.",
}


# ---- the setting


def facts(spec: RunSpec) -> dict[str, Any]:
    """What a page must know of the setting, besides what it knows of any."""
    primitives, size = spec.primitives, spec.representation.size
    shared = {"view": spec.representation.id, "size": size, "title": "", "definitions": _definitions(spec)}
    if spec.representation is CIRCUITS:
        shape = shape_of(spec)
        inputs = [sign(primitives.terminal(node)) for node in range(shape.inputs)]
        numbers = {"inputs": inputs, "gates": shape.gates, "connections": shape.connections, "takes": shape.arities}
        return {**shared, **numbers}
    gains = gains_of(spec.problem, spec.n)
    inputs = [sign(primitives.terminal_of(i + 1, False)) for i in range(primitives.variables)]
    return {**shared, "inputs": inputs, "wanted": _packed(gains > 0), "judged": _packed(gains != 0)}


def _definitions(spec: RunSpec) -> list[tuple[str, str]]:
    what, problem = spec.representation.id.replace("-", " "), spec.problem
    line = f"{problem.line}. " if problem.line else ""
    if problem.table(spec.n) is None:
        better = "larger" if problem.better == "larger" else "smaller"
        fitness = f"The fitness is that of the tree that the circuit unfolds into; {better} is better."
    else:
        count = rows_of(
            problem, spec.n, spec.representation is not CIRCUITS and not problem.samples_rows(spec.n)
        ).shape[1]
        which = "of a random sample" if problem.samples_rows(spec.n) else "of the truth table"
        fitness = f"The fitness is the number of rows on which a {what} is wrong; {count:,} {which} are looked at."
    return [
        (problem.name, f"{line}{fitness} The best fitness is {number(spec.best)}."),
        ("When an offspring is accepted", _rule(spec)),
        ("How an offspring is made", _mutation(spec)),
        ("What is counted", _COUNTED.format(what, spec.representation.size)),
    ]


def _rule(spec: RunSpec) -> str:
    offspring = int(spec.algorithm.values.get("lambda", 1))
    best = "The offspring" if offspring == 1 else f"The best of {offspring} offspring"
    if spec.accept.is_strict:
        return f"{best} takes its parent's place only if it is better: neutral moves are rejected."
    if spec.algorithm.values.get("ties") == "uniform":
        return "Of the parent and its offspring the best stays; of several that are equally good, a uniform one."
    rule = "is at least as good: neutral moves are accepted" if spec.accept is WEAK else f"is {spec.accept.name}"
    return f"{best} takes its parent's place if it {rule}."


def _mutation(spec: RunSpec) -> str:
    text = str(spec.algorithm.values["mutation"])
    if spec.representation is not CIRCUITS:
        over = _BLOCKS[text.partition(":")[0]].replace(" v ", f" {text.partition('v=')[2] or 'v'} ")
        return f"A block of rows is set to true, or to false: those of a random minterm {over}."
    rate, stops = change_from(text)
    genes = (
        "A gate has a gene for its function and one for each of its connections; the output has one. A gate is active "
        "if a path leads from it to the output. "
    )
    if rate:
        return f"{genes}Each gene gets another value with probability {rate:g}."
    end = "was picked" if stops else "has another value"
    return (
        f"{genes}A random gene gets another value, again and again, until one that is active in the parent {end}. What "
        "was changed on the way stays changed."
    )


# ---- a window


def window(recording: Recording, after: int, count: int, stop: Stop) -> dict[str, Any]:
    """The program after this number of evaluations, and the next steps.

    A step is [ACCEPTED + LAST, offspring's fitness, offspring's size, changes, words, verdict]. `kept` is an offspring
    of the generation under way that is to take the parent's place.
    """
    state, pieces, outcome = recording.steps(after, count, stop)
    assert isinstance(state, ProgramSource)
    spec, steps = recording.spec, []
    for piece in pieces:
        for one in piece.proposals:
            stop.check()
            flags = ACCEPTED * (one.offspring is one.kept) + LAST * (one.place == one.of)
            numbers = list(_changes(one, spec))
            size = one.offspring.tree.size
            steps.append([flags, one.offspring.fitness, size, numbers, _words(one, spec), _verdict(one, spec)])
    answer: dict[str, Any] = {"after": state.evaluations, "accepted": state.accepted, "fitness": state.fitness}
    answer["parent"] = _written(state.parent.tree)
    if state.kept is not None:
        answer["kept"] = _written(state.kept.tree)
    answer["steps"] = steps
    if outcome is not None:
        evaluations = state.evaluations + len(steps)
        answer["end"] = {"outcome": str(outcome), "words": ending(spec, outcome, evaluations)}
    return answer


def proof_of(spec: RunSpec) -> str:
    """Why a run of it is stuck."""
    return _STUCK[spec.representation.id]


def _written(program: Any) -> Any:
    return program.genes if isinstance(program, Circuit) else _packed(program.rows)


def _packed(rows: Any) -> str:
    return base64.b64encode(np.packbits(rows, bitorder="little").tobytes()).decode()


def _changes(one: Proposal, spec: RunSpec) -> Iterator[int]:
    if spec.representation is CIRCUITS:
        for gene, _, value in _differences(one):
            yield from (gene, value)
    else:
        (block,) = one.operations
        yield from (int(block.place or 0), int(block.site or 0), int(block.kind == INSERT))


# ---- words


def _words(one: Proposal, spec: RunSpec) -> str:
    which = f"offspring {one.place} of {one.of}: " if one.of > 1 else ""
    return which + (_rewired(one) if spec.representation is CIRCUITS else _set(one, spec))


def _verdict(one: Proposal, spec: RunSpec) -> str:
    """Why; of several offspring, one that the rule would accept can be beaten by another."""
    parent, offspring = one.parent, one.offspring
    accepted = spec.accept.accepts(offspring.score - parent.score, offspring.tree.size - parent.tree.size)
    changes = _became(one) if spec.representation is CIRCUITS else _rights(one, spec)
    sizes = parent.tree.size, offspring.tree.size
    words = verdict(spec, accepted, (parent.fitness, offspring.fitness), sizes, changes)
    if not accepted or offspring is one.kept:
        return words if one.of == 1 or not accepted else f"{words}; it takes its parent's place after the last one"
    best = one.kept
    if best is not None and best.score > offspring.score:
        why = "another is better"
    elif best is not None and best.score == offspring.score and best.tree.size < offspring.tree.size:
        why = "another is smaller"
    else:
        why = (
            "a tie, decided by chance"
            if spec.algorithm.values.get("ties") == "uniform"
            else "an earlier one is as good"
        )
    return f"rejected: {why}, fitness {number(parent.fitness)} → {number(offspring.fitness)}"


def _differences(one: Proposal) -> list[tuple[int, int, int]]:
    """Gene, old and new value."""
    parent: Any = one.parent.tree
    offspring: Any = one.offspring.tree
    pairs = zip(parent.genes, offspring.genes, strict=True)
    return [(gene, before, after) for gene, (before, after) in enumerate(pairs) if before != after]


def _rewired(one: Proposal) -> str:
    """What became of the genes: those that matter first, then those that change nothing."""
    parent: Any = one.parent.tree
    offspring: Any = one.offspring.tree
    differences = _differences(one)
    idle = [gene for gene, _, _ in differences if not parent.is_active(gene) and not offspring.is_active(gene)]
    active = [_gene(offspring, *difference) for difference in differences if difference[0] not in set(idle)]
    parts = [listed(active, ", ", "change")] if active else []
    if idle:
        said = [_gene(offspring, *difference) for difference in differences if difference[0] in set(idle)]
        is_one = len({gene // (offspring.shape.connections + 1) for gene in idle}) == 1
        parts.append(
            f"{listed(said, ', ', 'change')}; {'it is' if is_one else 'they are'} inactive, so nothing changes"
        )
    return "; ".join(parts) or "no gene gets another value: nothing changes"


def _gene(circuit: Circuit, gene: int, before: int, after: int) -> str:
    shape = circuit.shape
    i, place = divmod(gene, shape.connections + 1)
    if i == shape.gates:
        return f"the output is now {_node(circuit, after)} instead of {_node(circuit, before)}"
    if place == 0:
        functions = shape.primitives.functions
        return f"gate {i + 1} is now {functions[after]} instead of {functions[before]}"
    return f"gate {i + 1} now reads {_node(circuit, after)} instead of {_node(circuit, before)}"


def _node(circuit: Circuit, node: int) -> str:
    i = node - circuit.shape.inputs
    return f"gate {i + 1}" if i >= 0 else sign(circuit.shape.primitives.terminal(node))


def _became(one: Proposal) -> list[str]:
    """Which gates have come to be active, or no longer are; and which inputs they read."""
    before: Any = one.parent.tree
    after: Any = one.offspring.tree
    used = _inputs(before), _inputs(after)
    gates = [{i + 1 for i, active in enumerate(circuit.active) if active} for circuit in (before, after)]
    primitives = after.shape.primitives
    changes = []
    for come, gates_come, inputs_come in (
        (True, gates[1] - gates[0], used[1] - used[0]),
        (False, gates[0] - gates[1], used[0] - used[1]),
    ):
        if gates_come:
            verb = "come in" if come else "drop out"
            names = listed([str(i) for i in sorted(gates_come)], ", ", "gate")
            changes.append(
                f"gates {names} {verb}" if len(gates_come) > 1 else f"gate {names} {verb.replace(' ', 's ')}"
            )
        if inputs_come:
            names = listed([sign(primitives.terminal(node)) for node in sorted(inputs_come)], ", ", "input")
            changes.append(f"{names} {'is' if len(inputs_come) == 1 else 'are'} {'now' if come else 'no longer'} used")
    return changes


def _inputs(circuit: Circuit) -> set[int]:
    nodes = {circuit.output}
    for i, active in enumerate(circuit.active):
        if active:
            nodes.update(circuit.gate(i)[1])
    return {node for node in nodes if node < circuit.shape.inputs}


def _set(one: Proposal, spec: RunSpec) -> str:
    (block,) = one.operations
    variables, values = int(block.place or 0), int(block.site or 0)
    primitives = spec.primitives
    chosen = [i for i in range(primitives.variables) if variables >> i & 1]
    signs = [f"{'' if values >> i & 1 else '¬'}{sign(primitives.terminal_of(i + 1, False))}" for i in chosen]
    where = " ∧ ".join(signs[:_MAX_SIGNS]) + (f" ∧ … ({len(signs)} variables)" if len(signs) > _MAX_SIGNS else "")
    rows = 2 ** (primitives.variables - len(chosen))
    value = "true" if block.kind == INSERT else "false"
    words = f"set {counted(rows, 'row')} to {value}{f' where {where}' if where else ''}"
    return words if _differ(one).any() else f"{words}: so it was, nothing changes"


def _differ(one: Proposal) -> Any:
    parent: Any = one.parent.tree
    offspring: Any = one.offspring.tree
    return parent.rows ^ offspring.rows


def _rights(one: Proposal, spec: RunSpec) -> Sequence[str]:
    """How many rows are set right, and spoiled."""
    gains, table = gains_of(spec.problem, spec.n), cast("TruthTable", one.offspring.tree)
    changed = np.flatnonzero(_differ(one))
    gained = np.where(table.rows[changed], gains[changed], -gains[changed])
    right, wrong, unseen = int((gained > 0).sum()), int((gained < 0).sum()), int((gained == 0).sum())
    told = [f"{counted(right, 'row')} set right"] * bool(right) + [f"{counted(wrong, 'row')} set wrong"] * bool(wrong)
    return told + [f"{counted(unseen, 'row')} not in the sample"] * bool(unseen)
