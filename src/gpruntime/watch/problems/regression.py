"""REGRESSION on the page: the points, hit or missed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree
from gpruntime.watch.annotations import BLOCKING, EXPRESSED, OfTree, Row


class _Regression(OfTree):
    """The error at each point."""

    title = "Error at each point; 0 where it is hit"

    def __init__(self, spec: RunSpec) -> None:
        super().__init__(spec)
        data = self.problem.data(spec.n)
        self._points, self._wanted, self._constants = data[: spec.n], data[spec.n : 2 * spec.n], data[2 * spec.n :]

    def rows(self, tree: Tree) -> Sequence[Row]:
        program, rows = self.problem.program(tree, self.n), []
        for x, wanted in zip(self._points, self._wanted, strict=True):
            error = float(self.problem.function(program, 1, np.array([x, wanted, *self._constants])))
            hit = error == 0
            words = f"x = {x:.3g}: {'hit' if hit else f'missed by {error:.3g}'}"
            rows.append(Row(EXPRESSED if hit else BLOCKING, min(error, 10.0), int(hit), f"{error:.2g}", words))
        return rows

    def reached(self) -> str:
        return f"all {self.n:,} points are hit"


ANNOTATIONS = _Regression
