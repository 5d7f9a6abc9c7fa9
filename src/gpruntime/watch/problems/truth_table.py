"""Problems that are held against a truth table, on the page: its rows, right or wrong."""

from __future__ import annotations

from collections.abc import Sequence

from gpruntime.model.problems.truth_table import judged
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree
from gpruntime.watch.annotations import BLOCKING, EXPRESSED, OfTree, Row

_MAX_ROWS = 4096  # more are not drawn


class _OfTruthTable(OfTree):
    """The rows."""

    def __init__(self, spec: RunSpec) -> None:
        super().__init__(spec)
        self._rows = judged(self.problem.data(spec.n)).shape[1]
        names = [str(spec.primitives.terminal_of(i, False)) for i in range(1, spec.primitives.variables + 1)]
        if self._rows <= _MAX_ROWS:
            self.title = f"Rows of the truth table, right or wrong: {' '.join(names)}" if len(names) <= 12 else "Rows"

    def rows(self, tree: Tree) -> Sequence[Row]:
        data = self.problem.data(self.n)
        wanted, *columns = judged(data)
        given = judged(data, self.problem.program(tree, self.n))[0]
        return [
            self._row("".join(str(int(column[place])) for column in columns), bool(wanted[place]), bool(given[place]))
            for place in range(self._rows)
        ]

    def _row(self, bits: str, wanted: bool, given: bool) -> Row:
        right = wanted == given
        words = f"{bits}: {'true' if given else 'false'}, {'right' if right else 'wrong'}"
        return Row(EXPRESSED if right else BLOCKING, int(not right), int(right), bits, words)

    def reached(self) -> str:
        return f"all {self._rows:,} rows are right"


ANNOTATIONS = _OfTruthTable
