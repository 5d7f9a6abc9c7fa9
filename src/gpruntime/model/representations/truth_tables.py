"""Truth tables, the programs of geometric semantic GP: a value for each of the N = 2^v rows of v variables.

The fitness is the number of rows on which the table errs: of all rows, or of those that the problem samples, each as
often as it is in the sample. Functions have no part in it. The size is the number of minterms, the rows on which the
table is true.

**Block mutations** (Moraglio, Mambrini, Manzoni, FOGA 2013): T ∨ M or T ∧ ¬M, with probability one half each, where M
is a uniform minterm over some variables: all rows of its block become true, or all become false.

| mutation                  | the variables of M                                     | rows of a block |
|---------------------------|--------------------------------------------------------|-----------------|
| `forcing-point`           | all                                                    | 1               |
| `fixed-block:v=3`         | the first v                                            | N/2^v           |
| `varying-block:v=3`       | v variables drawn anew                                 | N/2^v           |
| `fixed-alternative:v=3`   | a uniform one of the groups of v: 1 … v, v + 1 … 2v, … | N/2^v or more   |
| `multiple-size`           | v uniform in 0 … |variables|, then as `varying-block`  | any             |

**Known.** Forcing points take 2N·H_k offspring in the mean from k wrong rows: of i wrong rows one is set right with
probability i/2N. `fixed-block` takes 2·2^v·H_k from k wrong blocks if the rows of a block agree, otherwise it gets
stuck: that is decided by trying all blocks, where there are not too many.

**As text:** the values from row 0 on, as 0110; variable x_i is bit i − 1 of a row's number. `uniform`, `true`, `false`.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from gpruntime.model.arrays import np
from gpruntime.model.errors import BadInput, BadTree, known
from gpruntime.model.initial import Initial
from gpruntime.model.mutation import DELETE, INSERT, Operation
from gpruntime.model.parameters import settle, split
from gpruntime.model.problem import Fitness, Problem
from gpruntime.model.problems.truth_table import MAX_COMPLETE, rows_of
from gpruntime.model.representations.representation import Representation, only_start
from gpruntime.model.stream import Stream

if TYPE_CHECKING:
    from gpruntime.model.spec import RunSpec

POINT, FIXED, VARYING, ALTERNATIVE, SIZES = range(5)
_NAMES = ("forcing-point", "fixed-block", "varying-block", "fixed-alternative", "multiple-size")
_STARTS = ("uniform", "true", "false")
_MAX_TRIED = 2**20  # rows that are looked at to see whether a run is stuck
_SHOWN = 32  # minterms
Array = Any


class TruthTable:
    """A truth table. It is not changed once it is made."""

    __slots__ = ("rows",)

    def __init__(self, rows: Array) -> None:
        self.rows = rows

    @property
    def size(self) -> int:
        """Its minterms."""
        return int(np.count_nonzero(self.rows))

    def __str__(self) -> str:
        return "".join("1" if row else "0" for row in self.rows)

    def __repr__(self) -> str:
        return f"TruthTable({str(self)!r})"

    @classmethod
    def parse(cls, text: str, variables: int) -> TruthTable:
        """Reads the text form above."""
        if not re.fullmatch("[01]+", text) or len(text) != 2**variables:
            raise BadTree(
                "init", text, f"must be {', '.join(_STARTS)}, or the values of {2**variables:,} rows as in 0110"
            )
        return cls(np.array([value == "1" for value in text]))


class Blocks(NamedTuple):
    """A mutation: which it is, and v."""

    kind: int
    v: int


@lru_cache
def blocks_from(text: str) -> Blocks:
    """The mutation of this text."""
    name, given = split("algorithm", text)
    kind = _NAMES.index(known("algorithm", name, _NAMES, "with v=3 after a colon for blocks of v variables"))
    takes = {"v": 0} if kind in (FIXED, VARYING, ALTERNATIVE) else {}
    v = int(settle("algorithm", text, given, takes).get("v", 0))
    if takes and not 1 <= v <= MAX_COMPLETE:
        raise BadInput(
            "algorithm", text, f"needs v, how many variables a block fixes, from 1 to {MAX_COMPLETE}, as in {name}:v=3"
        )
    return Blocks(kind, v)


def groups_of(variables: int, v: int) -> list[list[int]]:
    """The groups of v variables, from 0; the last may be smaller."""
    return [list(range(first, min(first + v, variables))) for first in range(0, variables, v)]


def drawn_block(blocks: Blocks, variables: int, stream: Stream) -> tuple[int, int]:
    """A block, as the variables of its minterm and their values, bit by bit: the rows r with r & variables = values."""
    kind, v = blocks
    if kind == POINT:
        return 2**variables - 1, stream.below(2**variables)
    chosen = list(range(variables))
    if kind == ALTERNATIVE:
        groups = groups_of(variables, v)
        chosen = groups[stream.below(len(groups)) if len(groups) > 1 else 0]
    elif kind == FIXED:
        chosen = chosen[:v]
    else:
        count = stream.below(variables + 1) if kind == SIZES else v
        for place in range(count):
            other = place + (stream.below(variables - place) if variables - place > 1 else 0)
            chosen[place], chosen[other] = chosen[other], chosen[place]
        chosen = chosen[:count]
    values = stream.below(2 ** len(chosen)) if chosen else 0
    return sum(1 << i for i in chosen), sum((values >> j & 1) << i for j, i in enumerate(chosen))


def masks_of(blocks: Blocks, variables: int) -> Iterator[int]:
    """The variables that a minterm can be over."""
    kind, v = blocks
    ways: Any = {
        POINT: [range(variables)],
        FIXED: [range(v)],
        ALTERNATIVE: groups_of(variables, max(v, 1)),
        VARYING: itertools.combinations(range(variables), v),
        SIZES: itertools.chain.from_iterable(
            itertools.combinations(range(variables), size) for size in range(variables + 1)
        ),
    }[kind]
    return (sum(1 << i for i in chosen) for chosen in ways)


@lru_cache(maxsize=4)
def block_law(blocks: Blocks, variables: int) -> list[tuple[Array, Fraction]]:
    """All blocks, as rows that are in it or not, with their chances; one that two minterms share comes twice."""
    rows, masks = np.arange(2**variables), list(masks_of(blocks, variables))
    law = []
    for mask in masks:
        size = mask.bit_count()
        ways = math.comb(variables, size) * (variables + 1) if blocks.kind == SIZES else len(masks)
        law += [(rows & mask == values, Fraction(1, ways * 2**size)) for values in set((rows & mask).tolist())]
    return law


def tries(blocks: Blocks, variables: int) -> bool:
    """Whether it is decided by trying all blocks if a strict run is stuck. One that can force a point never is."""
    kind, v = blocks
    if (
        kind in (POINT, SIZES)
        or (kind in (FIXED, VARYING) and v == variables)
        or (kind == ALTERNATIVE and v == 1 == variables)
    ):
        return False
    number = {FIXED: 1, VARYING: math.comb(variables, v), ALTERNATIVE: -(-variables // v)}[kind]
    return number << variables <= _MAX_TRIED


@lru_cache(maxsize=4)
def gains_of(problem: Problem, n: int) -> Array:
    """By row, how many more rows of the problem's sample want it true than false: a row of all rows counts once."""
    complete = rows_of(problem, n, True)
    variables = len(complete) - 1
    if not problem.samples_rows(n):
        return np.where(complete[0], 1, -1)
    wanted, *columns = rows_of(problem, n, False)
    number = sum(column.astype(np.int64) << i for i, column in enumerate(columns))
    return np.bincount(number, np.where(wanted, 1, -1), 2**variables).astype(np.int64)


@lru_cache(maxsize=4)
def false_rows(problem: Problem, n: int) -> int:
    """On how many rows, of the sample or of all, false is wanted: the errors of a table that is always true."""
    return int((~rows_of(problem, n, not problem.samples_rows(n))[0]).sum())


@dataclass(frozen=True)
class TableStart(Initial):
    """A truth table, or a uniform one."""

    table: TruthTable | None = None
    variables: int = 0

    def text(self, size: str) -> str:  # noqa: ARG002
        return self.name if self.table is None or self.name != "table" else str(self.table)

    def law(self) -> tuple[int, Iterator[TruthTable]]:
        """How many tables it can be, each as likely, and these."""
        if self.table is not None:
            return 1, iter((self.table,))
        count = 2**self.variables
        return 2**count, (TruthTable(np.array(rows)) for rows in itertools.product((False, True), repeat=count))

    def build(self, stream: Stream) -> Any:
        """A uniform table takes a word of the stream for 64 rows, the lowest bit first."""
        if self.table is not None:
            return self.table
        count = 2**self.variables
        words = np.array([stream.word() for _ in range(-(-count // 64))], np.uint64)
        return TruthTable(np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")[:count] == 1)


class TruthTables(Representation):
    """Truth tables."""

    id, many, size = "truth-table", "truth tables", "minterms"
    operations = ("", "to true", "to false")

    def check(self, spec: RunSpec) -> None:
        super().check(spec)
        blocks = blocks_from(str(spec.algorithm.values["mutation"]))
        if not spec.problem.is_loaded:
            return
        problem, variables = spec.problem, spec.primitives.variables
        if variables > MAX_COMPLETE:
            raise BadInput("n", spec.n, f"a truth table can have {MAX_COMPLETE} variables, not {variables:,}")
        if problem.table(spec.n, True) is None:
            raise BadInput("problem", problem.name, "has no truth table: gsgp is for Boolean problems of ours")
        if blocks.v > variables:
            raise BadInput("algorithm", f"v={blocks.v}", f"{problem.name} has {variables} variables at this n")

    def initial(self, text: str, spec: RunSpec) -> Initial:
        name, variables = only_start(text, _STARTS), spec.primitives.variables
        table = None
        if name in ("true", "false"):
            table = TruthTable(np.full(2 ** min(variables, MAX_COMPLETE), name == "true"))
        elif name != "uniform":
            name, table = "table", TruthTable.parse(text, min(variables, MAX_COMPLETE))
        return TableStart(name, spec.n, 0, 0.0, None, spec.primitives, table, variables)

    def fitness(self, program: TruthTable, spec: RunSpec) -> Fitness:
        gains = gains_of(spec.problem, spec.n)
        return int(np.dot(gains, ~program.rows)) + false_rows(spec.problem, spec.n)

    def mutate(self, program: TruthTable, spec: RunSpec, stream: Stream) -> tuple[TruthTable, list[Operation]]:
        variables, values = drawn_block(blocks_of(spec), spec.primitives.variables, stream)
        rows, becomes = program.rows.copy(), stream.below(2) == 1
        rows[np.arange(len(rows)) & variables == values] = becomes
        return TruthTable(rows), [Operation(INSERT if becomes else DELETE, values, place=variables)]

    def judges_all_rows(self, spec: RunSpec) -> bool:
        return spec.problem.samples_rows(spec.n)

    def wrong_on_all_rows(self, program: TruthTable, spec: RunSpec) -> int:
        return int((program.rows ^ rows_of(spec.problem, spec.n, True)[0]).sum())

    def drawing(self, text: str, spec: RunSpec) -> str:
        primitives = spec.primitives
        terms = []
        for row in [i for i, value in enumerate(text) if value == "1"][: _SHOWN + 1]:
            signs = (
                f"{'' if row >> i & 1 else '¬'}{primitives.terminal_of(i + 1, False)}"
                for i in range(primitives.variables)
            )
            terms.append("  " + " ∧ ".join(signs))
        if len(terms) > _SHOWN:
            terms[-1] = f"  … and {text.count('1') - _SHOWN:,} more"
        return "\n".join(["true where one of these minterms is:", *(terms or ["  none"])])


def proposals(table: TruthTable, spec: RunSpec) -> Iterator[tuple[TruthTable, Fraction]]:
    """All offspring of a table, with their chances."""
    for block, chance in block_law(blocks_of(spec), spec.primitives.variables):
        yield TruthTable(table.rows | block), chance / 2
        yield TruthTable(table.rows & ~block), chance / 2


def blocks_of(spec: RunSpec) -> Blocks:
    """The mutation of a spec."""
    return blocks_from(str(spec.algorithm.values["mutation"]))


def is_stuck(table: TruthTable, spec: RunSpec) -> bool:
    """Whether no block improves on a table, which is not optimal: by trying them all, where they are not too many."""
    variables = spec.primitives.variables
    if not spec.accept.is_strict or not tries(blocks_of(spec), variables):
        return False
    gains, rows = gains_of(spec.problem, spec.n), np.arange(len(table.rows))
    for mask in masks_of(blocks_of(spec), variables):
        for true in (False, True):  # what a block gains by it: nothing in the rows that have the value already
            gained = np.where(table.rows == true, 0, gains if true else -gains)
            if np.bincount(rows & mask, gained).max() > 0:
                return False
    return True


TRUTH_TABLES = TruthTables()
