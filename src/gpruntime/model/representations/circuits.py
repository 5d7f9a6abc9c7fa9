"""Circuits, the programs of Cartesian GP: gates in a line, each fed by what stands before it.

**Nodes** (Dang, Kalkreuth, Opris, PPSN 2026): the inputs 0 … m − 1, which are the terminals of the problem, and the
gates m … m + D − 1. **Genotype:** for each gate a function gene, 0 … |F| − 1, and k connection genes, 0 … i − 1 for the
node i, where k is the largest number of arguments of a function; then the output gene, 0 … m + D − 1. That is D(k + 1)
+ 1 genes. A gate whose function has fewer arguments takes the first ones. With `levels-back=L` the connection genes
of node i are i − L … i − 1, as far as there are such nodes.

**Active:** a gate is if a path leads from it to the output; so are the genes that it uses; the output gene always is.
The size of a circuit is its active gates. The **fitness** is that of the tree that it unfolds into. Where the problem
has a table of rows (`Problem.table`) that is the number of rows on which it errs.

**Mutation.** NewValue is uniform over the other values of a gene; a gene with one value keeps it.

- `sam` (single active gene): a uniform gene gets a NewValue, again and again, until one that is active *in the parent*
  has changed. What was changed on the way stays changed. `sam:stop=active` stops at an active gene, changed or not.
- `point:rate=P`: each gene gets a NewValue with probability P.

**As text:** `and(x1,x2) and(#1,x3) > #2`: the gates in their order, #i for the i-th, and the output.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from gpruntime.model.arrays import np
from gpruntime.model.errors import BadInput, BadTree, known
from gpruntime.model.initial import Initial
from gpruntime.model.mutation import SUBSTITUTE, Operation
from gpruntime.model.parameters import settle, split
from gpruntime.model.problem import Fitness
from gpruntime.model.problems.truth_table import Bits, rows_of
from gpruntime.model.representations.representation import Representation, only_start
from gpruntime.model.stream import Stream
from gpruntime.model.terminals import Primitives
from gpruntime.model.tree import Node, Tree, hang

if TYPE_CHECKING:
    from gpruntime.model.spec import RunSpec

MAX_GATES = 100_000
MAX_UNFOLDED = 16  # gates, where a circuit is judged as the tree it unfolds into: of up to 2^17 − 1 nodes
MAX_WORDS = 2**25  # of 64 rows, for all nodes together: 256 MiB
_NUMBER = re.compile(r"(\d{0,9})n([+-]\d{1,9})?|(\d{1,9})")
_GATE = re.compile(r"(.*?)\((.*)\)")


@dataclass(frozen=True)
class Shape:
    """What circuits of a spec have in common.

    Attributes:
        primitives: functions and terminals.
        gates: D.
        levels_back: L; 0 where every earlier node can be connected.
    """

    primitives: Primitives
    gates: int
    levels_back: int

    @property
    def inputs(self) -> int:
        """m."""
        return self.primitives.size

    @property
    def connections(self) -> int:
        """k."""
        return self.primitives.most_arguments

    @property
    def genes(self) -> int:
        """D(k + 1) + 1."""
        return self.gates * (self.connections + 1) + 1

    @cached_property
    def ranges(self) -> list[tuple[int, int]]:
        """Of each gene, the least value and how many there are."""
        found, functions = [], len(self.primitives.functions)
        for node in range(self.inputs, self.inputs + self.gates):
            least = max(0, node - self.levels_back) if self.levels_back else 0
            found += [(0, functions), *[(least, node - least)] * self.connections]
        return [*found, (0, self.inputs + self.gates)]

    @cached_property
    def arities(self) -> tuple[int, ...]:
        """How many arguments each function has."""
        return self.primitives.arities or (2,) * len(self.primitives.functions)

    def node_name(self, node: int) -> str:
        """A terminal, or #i for the i-th gate."""
        below = node - self.inputs
        return f"#{below + 1}" if below >= 0 else str(self.primitives.terminal(node))


class Circuit:
    """A circuit: its genes, of the shape of its spec. It is not changed once it is made."""

    __slots__ = ("_active", "genes", "shape")

    def __init__(self, shape: Shape, genes: Sequence[int]) -> None:
        self.shape, self.genes = shape, list(genes)
        self._active: list[bool] | None = None

    def gate(self, i: int) -> tuple[int, list[int]]:
        """The function of the i-th gate, from 0, and the nodes that feed it."""
        at = i * (self.shape.connections + 1)
        function = self.genes[at]
        return function, self.genes[at + 1 : at + 1 + self.shape.arities[function]]

    @property
    def output(self) -> int:
        """The node that is the output."""
        return self.genes[-1]

    @property
    def active(self) -> list[bool]:
        """Of each gate, whether it is active."""
        if self._active is None:
            inputs = self.shape.inputs
            self._active = [False] * self.shape.gates
            waiting = [self.output]
            while waiting:
                i = waiting.pop() - inputs
                if i >= 0 and not self._active[i]:
                    self._active[i] = True
                    waiting += self.gate(i)[1]
        return self._active

    @property
    def size(self) -> int:
        """Its active gates."""
        return sum(self.active)

    def is_active(self, gene: int) -> bool:
        """Whether a gene is active."""
        if gene == len(self.genes) - 1:
            return True
        i, place = divmod(gene, self.shape.connections + 1)
        return self.active[i] and place <= self.shape.arities[self.genes[gene - place]]

    def with_genes(self, operations: Sequence[Operation]) -> Circuit:
        """The circuit after these changes."""
        genes = self.genes.copy()
        for operation in operations:
            assert operation.site is not None
            assert operation.place is not None
            genes[operation.site] = operation.place
        return Circuit(self.shape, genes)

    def unfolded(self) -> Tree:
        """The tree that it stands for."""
        tree, primitives = Tree(), self.shape.primitives

        def below(node: int) -> Node:
            if node < self.shape.inputs:
                return tree.new_leaf(primitives.terminal(node))
            function, feeding = self.gate(node - self.shape.inputs)
            join = tree.new_join(primitives.functions[function], len(feeding))
            for place, child in enumerate(feeding):
                hang(below(child), join, place)
            return join

        tree.root = below(self.output)
        tree.register_in_order()
        return tree

    def values(self, variables: Bits) -> Bits:
        """Its output on each row, given the values of the variables."""
        signed, primitives = self.shape.primitives.signed, self.shape.primitives
        nodes: dict[int, Bits] = {}

        def value(node: int) -> Bits:
            if node < self.shape.inputs:
                return variables[node >> signed] ^ bool(node & signed)
            return nodes[node]

        for i, active in enumerate(self.active):
            if active:
                function, feeding = self.gate(i)
                nodes[self.shape.inputs + i] = _applied(primitives.functions[function], [value(j) for j in feeding])
        return value(self.output)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Circuit) and (self.shape, self.genes) == (other.shape, other.genes)

    def __hash__(self) -> int:
        return hash(tuple(self.genes))

    def __str__(self) -> str:
        shape, width, texts = self.shape, self.shape.connections + 1, []
        for at in range(0, len(self.genes) - 1, width):
            function, *connected = self.genes[at : at + width]
            texts.append(f"{shape.primitives.functions[function]}({','.join(map(shape.node_name, connected))})")
        return f"{' '.join(texts)} > {shape.node_name(self.output)}"

    def __repr__(self) -> str:
        return f"Circuit({str(self)!r})"

    @classmethod
    def parse(cls, text: str, shape: Shape) -> Circuit:
        """Reads the text form above."""
        gates, arrow, output = text.partition(">")
        words = gates.split()
        if not arrow or len(words) != shape.gates:
            raise BadTree(
                "init", text, f"a circuit here is {shape.gates} gates and its output, as in {_example(shape)}"
            )
        nodes = {shape.node_name(node): node for node in range(shape.inputs + shape.gates)}
        genes: list[int] = []
        for word in words:
            found = _GATE.fullmatch(word)
            connected = found[2].split(",") if found else []
            if found is None or found[1] not in shape.primitives.functions or len(connected) != shape.connections:
                takes = f"{shape.connections} connections, and a function of {', '.join(shape.primitives.functions)}"
                raise BadTree("init", word, f"a gate has {takes}, as in {_example(shape)}")
            genes += [shape.primitives.functions.index(found[1]), *(_node(name, nodes) for name in connected)]
        genes.append(_node(output.strip(), nodes))
        for gene, (least, count) in zip(genes, shape.ranges, strict=True):
            if not least <= gene < least + count:
                raise BadTree(
                    "init", text, f"{shape.node_name(gene)} cannot be connected there: only what comes before"
                )
        return cls(shape, genes)


def _node(name: str, nodes: dict[str, int]) -> int:
    if name not in nodes:
        raise BadTree("init", name, f"is no input and no gate: they are {', '.join(list(nodes)[:3])} … #1, #2 …")
    return nodes[name]


def _example(shape: Shape) -> str:
    return f"'{Circuit(shape, [least for least, _ in shape.ranges])}'" if shape.gates <= 4 else "'and(x1,x2) > #1'"


def _applied(function: str, given: Sequence[Bits]) -> Bits:
    if function == "not":
        return ~given[0]
    if function == "if":
        return np.where(given[0], given[1], given[2])
    value = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}[function.removeprefix("n")](*given)
    return ~value if function.startswith("n") else value


# ---- what the parameters of an algorithm say


def gates_from(text: str, n: int) -> int:
    """The number that stands for "7", "2n" or "n-1"; −1 if the text is none."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return -1
    if found[3]:
        return int(found[3])
    return int(found[1] or 1) * n + int(found[2] or 0)


def tidy_number(text: str) -> str:
    """One spelling of "1n", "n+0", "007"."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return text
    if found[3]:
        return str(int(found[3]))
    times, more = int(found[1] or 1), int(found[2] or 0)
    return ("" if times == 1 else str(times)) + "n" + (f"{more:+d}" if more else "")


class Change(NamedTuple):
    """The mutation.

    Attributes:
        rate: of point mutation; 0 for SAM.
        stops_at_active: whether SAM stops at an active gene that did not change.
    """

    rate: float
    stops_at_active: bool


@lru_cache
def change_from(text: str) -> Change:
    """The mutation of this text."""
    name, given = split("algorithm", text)
    known("algorithm", name, ("sam", "point"), "point:rate=0.1")
    if name == "sam":
        stop = settle("algorithm", text, given, {"stop": "changed"})["stop"]
        return Change(0.0, known("algorithm", f"{stop}", ("changed", "active")) == "active")
    rate = float(settle("algorithm", text, given, {"rate": 0.0})["rate"])
    if not 0 < rate <= 1:
        raise BadInput("algorithm", text, "needs a rate above 0, and at most 1, as in point:rate=0.1")
    return Change(rate, False)


@lru_cache
def _shape(primitives: Primitives, gates: int, levels_back: int) -> Shape:
    return Shape(primitives, gates, levels_back)


def shape_of(spec: RunSpec) -> Shape:
    """The shape of its circuits."""
    values = spec.algorithm.values
    back = "0" if values["levels-back"] == "all" else str(values["levels-back"])
    return _shape(spec.primitives, gates_from(str(values["gates"]), spec.n), gates_from(back, spec.n))


# ---- a run


@dataclass(frozen=True)
class CircuitStart(Initial):
    """A circuit, or a uniform genotype."""

    circuit: Circuit | None = None
    shape: Shape | None = None

    def text(self, size: str) -> str:  # noqa: ARG002
        return "uniform" if self.circuit is None else str(self.circuit)

    def build(self, stream: Stream) -> Any:
        if self.circuit is not None:
            return self.circuit
        assert self.shape is not None
        return Circuit(
            self.shape, [least + (stream.below(count) if count > 1 else 0) for least, count in self.shape.ranges]
        )


class Circuits(Representation):
    """Circuits."""

    id, many, size = "circuit", "circuits", "active gates"
    operations = ("genes", "", "")

    def check(self, spec: RunSpec) -> None:
        super().check(spec)
        values, gates = spec.algorithm.values, gates_from(str(spec.algorithm.values["gates"]), spec.n)
        if not 1 <= gates <= MAX_GATES:
            told = "" if gates < 0 else f"is {gates:,} at n = {spec.n}: "
            words = f"{told}must be from 1 to {MAX_GATES:,}, or a multiple of n such as 2n or n-1"
            raise BadInput("algorithm", f"gates={values['gates']}", words)
        back = values["levels-back"]
        if back != "all" and not gates_from(str(back), spec.n) >= 1:
            raise BadInput("algorithm", f"levels-back={back}", "must be all, a number from 1 on, or a multiple of n")
        change_from(str(values["mutation"]))
        if spec.problem.is_loaded:
            _check_problem(spec, gates)

    def initial(self, text: str, spec: RunSpec) -> Initial:
        gates, shape = gates_from(str(spec.algorithm.values["gates"]), spec.n), shape_of(spec)
        if (name := only_start(text, ["uniform"])) == "uniform":
            return CircuitStart(name, spec.n, gates, 0.0, None, spec.primitives, None, shape)
        if ">" not in text:
            raise BadInput("init", text, f"must be uniform, over all genotypes, or a circuit such as {_example(shape)}")
        circuit = Circuit.parse(text, shape)
        return CircuitStart("circuit", spec.n, gates, 0.0, None, spec.primitives, circuit, shape)

    def fitness(self, program: Circuit, spec: RunSpec) -> Fitness:
        if spec.problem.table(spec.n) is None:
            return spec.problem.fitness(program.unfolded(), spec.n)
        return self._wrong(program, spec, False)

    def _wrong(self, program: Circuit, spec: RunSpec, complete: bool) -> int:
        rows = rows_of(spec.problem, spec.n, complete)
        return int((program.values(rows[1:]) ^ rows[0]).sum())

    def mutate(self, program: Circuit, spec: RunSpec, stream: Stream) -> tuple[Circuit, list[Operation]]:
        change, ranges = change_from(str(spec.algorithm.values["mutation"])), program.shape.ranges
        genes, operations = program.genes.copy(), list[Operation]()

        def renew(gene: int) -> None:
            least, count = ranges[gene]
            if count > 1:
                value = least + stream.below(count - 1)
                genes[gene] = value + (value >= genes[gene])
                operations.append(Operation(SUBSTITUTE, gene, place=genes[gene]))

        if change.rate:
            for gene in range(len(genes)):
                if stream.uniform() < change.rate:
                    renew(gene)
            return Circuit(program.shape, genes), operations
        while True:
            gene = stream.below(len(genes))
            renew(gene)
            if program.is_active(gene) and (change.stops_at_active or genes[gene] != program.genes[gene]):
                return Circuit(program.shape, genes), operations

    def judges_all_rows(self, spec: RunSpec) -> bool:
        return spec.problem.samples_rows(spec.n)

    def wrong_on_all_rows(self, program: Circuit, spec: RunSpec) -> int:
        return self._wrong(program, spec, True)

    def drawing(self, text: str, spec: RunSpec) -> str:
        circuit = Circuit.parse(text, shape_of(spec))
        lines = list[str]()
        for word, active in zip(text.partition(">")[0].split(), circuit.active, strict=True):
            lines.append(f"  {'*' if active else ' '} #{len(lines) + 1:<4} {word}")
        return "\n".join(["active gates marked *:", *lines, f"    output {circuit.shape.node_name(circuit.output)}"])


def _check_problem(spec: RunSpec, gates: int) -> None:
    problem, n, most = spec.problem, spec.n, spec.primitives.most_arguments
    if most < 2:
        raise BadInput("problem", problem.name, "has functions of one argument only: no circuit comes of them")
    table = problem.table(n)
    if table is None:
        if problem.sees != "program":
            words = f"sees the {problem.sees} of a tree, and a circuit has none: it needs one that sees the program"
            raise BadInput("problem", problem.name, words)
        if not spec.primitives.is_binary:
            arguments = " and ".join(map(str, sorted(set(spec.primitives.arities))))
            words = f"has functions of {arguments} arguments; circuits need functions of two there"
            raise BadInput("problem", problem.name, words)
        if gates > MAX_UNFOLDED:
            words = f"{problem.name} is given the tree it unfolds into, of up to 2^{gates + 1} nodes"
            raise BadInput("algorithm", f"gates={gates}", f"must be at most {MAX_UNFOLDED} here: {words}")
        return
    least = -(-(problem.least_optimal_leaves(n) - 1) // (most - 1))
    if gates < least:
        words = f"{problem.least_optimal_leaves(n)} variables need {least} gates of {most} inputs at least"
        raise BadInput("algorithm", f"gates={spec.algorithm.values['gates']}", f"can never reach the optimum: {words}")
    if (gates + spec.primitives.size) * int(table[0]) > MAX_WORDS:
        words = f"and {spec.primitives.size:,} inputs on {int(table[0]):,} words of rows need too much memory"
        raise BadInput("algorithm", f"gates={gates}", f"{words}: take fewer, or sample rows")


CIRCUITS = Circuits()
