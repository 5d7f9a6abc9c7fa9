"""Programs over truth values, held against a truth table, 64 rows at a time: what problems on Boolean functions share.

A table has a word of 64 rows for each variable and each block of 64 rows, and one for what is wanted: so a function
of a program is one instruction for 64 rows. Its rows are all 2^v assignments of v variables, or a sample of R of
them: uniform, independent, from a seed. The fitness is the number of rows on which the program errs.

The empty tree is what its only function makes of no arguments: true for AND, as the conjunction of no variables is, and
false for XOR. Where there are several functions it is false.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import log
from typing import Any

from gpruntime.model.arrays import np
from gpruntime.model.bound import PROVED, UPPER, Bound
from gpruntime.model.errors import BadInput
from gpruntime.model.problem import Problem
from gpruntime.model.stream import MAX_SEED, Stream

Bits = Any  # an array of truth values, a row for each variable
Array = Any

MAX_COMPLETE = 20  # variables of a complete table
_MAX_SAMPLED = 10**6  # rows
_CELL = (0, 0, 0, 1)  # the address of the draws of rows; no run has it

# Data of a table: the number of words, 1 if terminals are signed, the bits of the last word that are rows, the number
# of variables, where the row of terminal 0 is for `_one_word` (or 0), what the functions are, from _FUNCTIONS on, the
# value of the empty tree for 64 rows; then the words that are wanted, those of each variable, and for `_one_word` the
# rows of functions and terminals.
_WORDS, _SIGNED, _LAST, _VARIABLES, _ROWS, _FUNCTIONS, _EMPTY, _BEGIN = 0, 1, 2, 3, 4, 5, 13, 14
_ROW = 8
_FRONT, _BEGINS = 2**63 - 1, 2**63 - _ROW  # what an index keeps, and that of a row
_AT_ONCE = 16  # words
_MAX_KEPT = 8  # tables
_MAX_IN_ROWS = 1000  # variables: rows take 16 times as much memory as words

OPERATORS = ("and", "or", "xor", "nand", "nor", "not", "if")
_ARITIES = (2, 2, 2, 2, 2, 1, 3)
_POLYNOMIALS = (  # see `_one_word`
    (0, 0, 0, 1, 0),
    (0, 1, 1, 1, 0),
    (0, 1, 1, 0, 0),
    (1, 0, 0, 1, 0),
    (1, 1, 1, 1, 0),
    (1, 1, 0, 0, 0),
    (0, 1, 0, 0, 1),
)


def wrong_rows(program: Array, n: int, data: Array) -> int:  # noqa: ARG001
    """On how many rows the program errs."""
    words, signed = data[_WORDS], data[_SIGNED]
    if data[_ROWS] > 0:
        return _ones((_one_word(program, data) ^ data[_BEGIN]) & data[_LAST])
    stack = np.zeros((len(program) + 1) * min(words, _AT_ONCE), np.int64)
    wrong = 0
    for begin in range(0, words, _AT_ONCE):
        width = min(words - begin, _AT_ONCE)
        _evaluate(program, data, stack, begin, width, signed)
        for i in range(width):
            differs = stack[i] ^ data[_BEGIN + begin + i]
            wrong += _ones(differs & data[_LAST] if begin + i == words - 1 else differs)
    return wrong


def points_bound(id_: str) -> Bound:
    """What forcing points take on any complete table of n variables: 2N·H_k offspring from k of N = 2^n wrong rows."""
    return Bound(
        f"G1:{id_}", "O(n·2^n)", r"n\,2^n", UPPER, "Moraglio, Mambrini, Manzoni, FOGA 2013", "complete truth table",
        PROVED, ("gsgp:mutation=forcing-point",), ("uniform",), lambda n, *_: log(n) + n * log(2),
    )  # fmt: skip


class TruthTable(Problem):
    """The wrong rows of a complete table, of n variables."""

    def __init__(
        self, id_: str, name: str, functions: Mapping[str, int], data: Callable[..., Any], **more: Any
    ) -> None:
        super().__init__(
            id_,
            name,
            wrong_rows,
            sees="program",
            functions=functions,
            best=lambda n: 0,  # noqa: ARG005
            better="smaller",
            data=data,
            optimal_leaves=lambda n: n,  # each variable matters, so it has a leaf
            bounds=(points_bound(id_),),
            **more,
        )

    def table(self, n: int, complete: bool = False) -> Array:  # noqa: ARG002
        """See `Problem`: it is complete."""
        return self.data(n)


def judged(data: Array, program: Array | None = None) -> Bits:
    """Row by row: what is wanted, or given by a program, and below it each variable."""
    words = data[_WORDS]
    packed = data[_BEGIN : _BEGIN + (1 + data[_VARIABLES]) * words].copy()
    if program is not None:
        stack = np.zeros((len(program) + 1) * words, np.int64)
        _evaluate(program, data, stack, 0, words, data[_SIGNED])
        packed[:words] = stack[:words]
    bits = np.unpackbits(packed.astype("<i8").view(np.uint8), bitorder="little").reshape(-1, 64 * words)
    return bits[:, : 64 * (words - 1) + _ones(data[_LAST])] == 1


def parts_of(data: Array) -> tuple[int, int, Array, Array]:
    """The number of words, the bits of the last one that are rows, the words that are wanted, those of variables."""
    words, variables = int(data[_WORDS]), int(data[_VARIABLES])
    body = data[_BEGIN : _BEGIN + (1 + variables) * words].reshape(1 + variables, words)
    return words, int(data[_LAST]), body[0].copy(), body[1:].copy()


@lru_cache(maxsize=4)
def rows_of(problem: Problem, n: int, complete: bool) -> Bits:
    """The rows of its table (`Problem.table`): what is wanted on each, and below it the value of each variable."""
    table = problem.table(n, complete)
    assert table is not None
    return judged(table)


def _one_word(program: Array, data: Array) -> Any:
    """What `_evaluate` does for a table of one word, without a branch: in each new program one would be guessed wrong.

    A token is a row: by how much it makes the stack higher, and which of 1, c, b, b·c and a·(b + c) add up, modulo 2,
    to what it gives for its last arguments a, b, c. The compiler sees that no index here counts from the end.
    """
    stack = np.empty(len(program) + 3, np.int64)
    stack[0] = stack[1] = c = data[_EMPTY]
    top, rows = 1, data[_ROWS]
    for token in program:
        row = (rows + _ROW * token) & _BEGINS
        a, b = stack[(top - 1) & _FRONT] & data[row | 5], stack[top & _FRONT]
        stack[(top + 1) & _FRONT] = c
        c = (c & (data[row | 2] ^ (b & data[row | 4]) ^ a)) ^ data[row | 1] ^ (b & (data[row | 3] ^ a))
        top += data[row]
    return c


def _evaluate(program: Array, data: Array, stack: Array, begin: int, width: int, signed: int) -> None:
    """Leaves what the program gives for these words at the bottom of the stack."""
    stack[:width] = data[_EMPTY]
    top = 0
    for token in program:
        if token >= 0:
            place = _BEGIN + (1 + (token >> signed)) * data[_WORDS] + begin
            flip = -(token & signed)
            for i in range(width):
                stack[top + i] = data[place + i] ^ flip
            top += width
            continue
        operator = data[_FUNCTIONS - 1 - token]
        if operator == 5:
            for i in range(top - width, top):
                stack[i] = ~stack[i]
        elif operator == 6:
            top -= 2 * width
            for i in range(top - width, top):
                stack[i] = (stack[i] & stack[i + width]) | (~stack[i] & stack[i + 2 * width])
        else:
            top -= width
            _combine(operator, stack, top - width, width)


def _combine(operator: int, stack: Array, left: int, width: int) -> None:
    right = left + width
    if operator == 0:
        for i in range(width):
            stack[left + i] &= stack[right + i]
    elif operator == 1:
        for i in range(width):
            stack[left + i] |= stack[right + i]
    elif operator == 2:
        for i in range(width):
            stack[left + i] ^= stack[right + i]
    elif operator == 3:
        for i in range(width):
            stack[left + i] = ~(stack[left + i] & stack[right + i])
    else:
        for i in range(width):
            stack[left + i] = ~(stack[left + i] | stack[right + i])


def _ones(word: int) -> int:
    """How many bits are set."""
    count = 0
    for shift in (0, 32):
        half = (word >> shift) & 0xFFFFFFFF
        half -= (half >> 1) & 0x55555555
        half = (half & 0x33333333) + ((half >> 2) & 0x33333333)
        half = (half + (half >> 4)) & 0x0F0F0F0F
        count += (half * 0x01010101 >> 24) & 0xFF
    return count


def table_of(
    wanted: Callable[[Bits], Bits], variables: int, signed: bool, functions: Sequence[str], rows: int = 0, seed: int = 0
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The data of a table: `wanted` gives the values for the columns of the variables; all rows if `rows` is 0."""
    check_table(variables, rows)
    if rows == 0:
        count = 2**variables
        columns = (np.arange(count) >> np.arange(variables)[:, None]) & 1 == 1
    else:
        count = rows
        columns = _sampled(variables, rows, seed)
    return packed_table(wanted(columns), columns, signed, functions)


def packed_table(
    wanted: Bits, columns: Bits, signed: bool, functions: Sequence[str]
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The data of a table with these rows."""
    variables, count = columns.shape
    head = np.zeros(_BEGIN, np.int64)
    words = -(-count // 64)
    head[_WORDS], head[_SIGNED], head[_LAST], head[_VARIABLES] = words, signed, _last(count), variables
    operators = [OPERATORS.index(name) for name in functions]
    head[_FUNCTIONS : _FUNCTIONS + len(functions)] = operators
    head[_EMPTY] = -1 if operators == [OPERATORS.index("and")] else 0
    body = np.zeros((1 + variables, 64 * words), np.bool_)
    body[0, :count], body[1:, :count] = wanted, columns
    packed = np.packbits(body, axis=1, bitorder="little").reshape(-1).view("<i8").astype(np.int64)
    if words > 1 or variables > _MAX_IN_ROWS:
        return np.concatenate([head, packed])
    room = np.zeros(-(len(head) + len(packed)) % _ROW, np.int64)
    head[_ROWS] = len(head) + len(packed) + len(room) + _ROW * len(operators)
    return np.concatenate([head, packed, room, _rows(packed[1:], signed, operators).reshape(-1)])


def _rows(variables: Array, signed: bool, operators: Sequence[int]) -> Array:
    """See `_one_word`: those of the functions, the last one first, and of the terminals."""
    rows = np.zeros((len(operators) + (len(variables) << signed), _ROW), np.int64)
    for row, operator in zip(rows, reversed(operators), strict=False):
        row[0], row[1:6] = 1 - _ARITIES[operator], np.negative(_POLYNOMIALS[operator])
    terminals = rows[len(operators) :]
    terminals[:, 0] = 1
    for sign in range(1 + signed):
        terminals[sign :: 1 + signed, 1] = variables ^ -sign
    return rows


_kept: dict[Any, Any] = {}


def kept(key: Any, make: Callable[[], Any]) -> Any:
    """A table that is made once, as long as few others are asked for."""
    if key not in _kept:
        while len(_kept) >= _MAX_KEPT:
            del _kept[next(iter(_kept))]
        _kept[key] = make()
    return _kept[key]


def check_table(variables: int, rows: int = 0) -> None:
    """Raises `BadInput` if a table would be too large; it is complete if `rows` is 0."""
    if variables * rows > 2**27:
        raise BadInput("problem", f"rows={rows}", f"times {variables} variables is too large a table")
    if rows == 0 and variables > MAX_COMPLETE:
        words = f"a complete truth table of {variables} variables has 2^{variables} rows"
        raise BadInput("n", variables, f"{words}; it can have {MAX_COMPLETE} variables, or sample them: rows=1000")


def check_rows(rows: int, seed: int) -> None:
    """Raises `BadInput` if these parameters make no sense."""
    if not 0 <= rows <= _MAX_SAMPLED:
        raise BadInput("problem", f"rows={rows}", f"must be from 1 to {_MAX_SAMPLED}, or 0 for all rows")
    if not 0 <= seed <= MAX_SEED:
        raise BadInput("problem", f"seed={seed}", f"must be an integer from 0 to {MAX_SEED}")
    if seed and not rows:
        raise BadInput("problem", f"seed={seed}", "has no meaning without sampled rows: give rows=R too")


def _sampled(variables: int, rows: int, seed: int) -> Bits:
    stream = Stream(seed, _CELL, 0)
    words = np.array([[stream.word() for _ in range(variables)] for _ in range(-(-rows // 64))], "<u8")
    bits = np.unpackbits(words.T.copy().view(np.uint8), axis=1, bitorder="little")
    return bits[:, :rows] == 1


def _last(count: int) -> np.int64:
    """The bits of the last word that are rows."""
    left = count % 64
    return np.int64(-1 if left == 0 else 2**left - 1)
