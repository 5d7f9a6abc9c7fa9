"""The equations of `levels` in fractions: exact, for single-operation algorithms, whose probabilities are rational.

Gaussian elimination on each level, sparse by rows; under strict acceptance that is one division per state.
Fractions grow with every step (each elimination multiplies denominators), which is what limits the size; see `sizes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from gpruntime.exact.chain import OPTIMUM, Chain

_Row = dict[int, Fraction]


@dataclass
class RationalSolution:
    """The answers, weighted with the initial law: P(optimum), P(stuck), E[T; optimum], E[T²; optimum]."""

    optimum: Fraction
    stuck: Fraction
    time: Fraction
    square: Fraction


def solve_rationally(chain: Chain, falls: bool) -> RationalSolution:
    """Solves the equations; T counts further evaluations, from the initial tree on."""
    zero, one = Fraction(0), Fraction(1)
    values = [[zero] * 4 for _ in range(len(chain))]  # optimum, stuck, time, square
    values[OPTIMUM][0] = one
    worst_first, places = chain.levels()
    levels: list[list[int]] = [[] for _ in worst_first]
    for number, place in enumerate(places.tolist()):
        if number != OPTIMUM:
            levels[0 if falls else place].append(number)
    for level in reversed(levels):
        _solve_level(chain, values, level)
    answers = [sum((chance * values[number][k] for number, chance in chain.start.items()), zero) for k in range(4)]
    return RationalSolution(*answers)


def _solve_level(chain: Chain, values: list[list[Fraction]], level: list[int]) -> None:
    """Solves B x = b on one level for the four right-hand sides, of which the last two need the ones before."""
    for number in level:
        if not chain.row(number):
            values[number] = [Fraction(0), Fraction(1), Fraction(0), Fraction(0)]
    within = _ending(chain, {number for number in level if chain.row(number)})
    rows: dict[int, _Row] = {}
    right: dict[int, list[Fraction]] = {}
    for number in within:
        entries = chain.row(number)
        rows[number] = {number: sum((chance for _, chance in entries), Fraction(0))}
        right[number] = [Fraction(0)] * 4
        for to, chance in entries:
            if to in within:
                rows[number][to] = rows[number].get(to, Fraction(0)) - chance
            else:
                right[number] = [b + chance * value for b, value in zip(right[number], values[to], strict=True)]
    solve = _Elimination(rows)
    optimum = solve({number: b[0] for number, b in right.items()})
    stuck = solve({number: b[1] for number, b in right.items()})
    time = solve({number: b[2] + optimum[number] for number, b in right.items()})
    square = solve({number: b[3] + 2 * time[number] - optimum[number] for number, b in right.items()})
    for number in within:
        values[number] = [optimum[number], stuck[number], time[number], square[number]]


def _ending(chain: Chain, within: set[int]) -> set[int]:
    """The states of a level from which something outside it can be reached; the others never end."""
    ending = {number for number in within if any(to not in within for to, _ in chain.row(number))}
    while True:
        more = {number for number in within - ending if any(to in ending for to, _ in chain.row(number))}
        if not more:
            return ending
        ending |= more


class _Elimination:
    """Gaussian elimination without pivoting (B is a nonsingular M-matrix), kept to be used again."""

    def __init__(self, rows: dict[int, _Row]) -> None:
        self._order = sorted(rows, key=lambda number: len(rows[number]))
        self._steps: list[tuple[int, int, Fraction]] = []  # row, minus factor × row of the pivot
        self._rows = {number: dict(row) for number, row in rows.items()}
        holding: dict[int, set[int]] = {number: set() for number in rows}  # by column, the rows that have an entry
        for number, row in rows.items():
            for column in row:
                holding[column].add(number)
        for pivot in self._order:
            pivot_row = self._rows[pivot]
            for column in pivot_row:
                holding[column].remove(pivot)
            for number in holding[pivot]:
                row = self._rows[number]
                factor = row.pop(pivot) / pivot_row[pivot]
                self._steps.append((number, pivot, factor))
                for column, value in pivot_row.items():
                    if column != pivot:
                        row[column] = row.get(column, Fraction(0)) - factor * value
                        holding[column].add(number)

    def __call__(self, right: dict[int, Fraction]) -> dict[int, Fraction]:
        right = dict(right)
        for number, pivot, factor in self._steps:
            right[number] -= factor * right[pivot]
        solved: dict[int, Fraction] = {}
        for number in reversed(self._order):
            row = self._rows[number]
            known = sum((value * solved[to] for to, value in row.items() if to in solved), Fraction(0))
            solved[number] = (right[number] - known) / row[number]
        return solved
