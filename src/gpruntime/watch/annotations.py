"""How a tree stands in the eyes of its problem, for the page: each leaf in a word, each variable in a row.

What a problem gets is decided by what it sees. It says more, or otherwise, by a subclass of one of the classes below:
in `gpruntime/watch/problems/ID.py` if it is one of ours; a user sets it below the problem, as in

    class Shares(OfCounts):
        title = "Share of x_i among the leaves of each variable"

        def row(self, variable):
            share = variable.plain / max(1, variable.plain + variable.bar)
            return Row(self.standing_of(variable), 0, share, f"{share:.0%}", f"x{variable.number}: {share:.0%}")

    two_thirds.page = Shares
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from typing import NamedTuple

from gpruntime.model.errors import BadPart
from gpruntime.model.problem import Fitness, Problem
from gpruntime.model.problems.truth_table import wrong_rows
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Named, Terminal
from gpruntime.model.tree import Tree

EXPRESSED, BLOCKING, HIDDEN, ABSENT = "expressed", "blocking", "hidden", "absent"
LEAF_STANDINGS = ("", EXPRESSED, BLOCKING, HIDDEN)  # the page gets their places
ROW_STANDINGS = (EXPRESSED, BLOCKING, ABSENT)
TILES, BARS = "tiles", "bars"
NOTHING = "∅"
_OURS = "gpruntime.watch.problems"


class Variable(NamedTuple):
    """What a problem sees of a variable, and what it makes of it.

    Attributes:
        number: i.
        plain, bar: how many leaves x_i and x̄_i there are.
        sign: 1 if x_i comes first, 0 if x̄_i does, −1 if there is neither; where only counts are seen, of no meaning.
        adds: its part of the fitness.
        counts: whether that is better than if it were absent.
    """

    number: int
    plain: int
    bar: int
    sign: int
    adds: Fitness
    counts: bool

    @property
    def is_absent(self) -> bool:
        """Whether there is no leaf of it."""
        return self.plain == self.bar == 0


class Row(NamedTuple):
    """A variable in the panel of variables.

    Attributes:
        standing: EXPRESSED, BLOCKING or ABSENT.
        up, down: how far its bar goes up and down.
        text: what is written on its tile, or above its bar.
        words: the same for a screen reader.
    """

    standing: str
    up: float
    down: float
    text: str
    words: str


class Annotations:
    """What all have in common.

    Attributes:
        title: of the panel of variables; empty if there is none.
        shape: TILES or BARS.
        legend: what a leaf's standing means, in words.
    """

    title = ""
    shape = TILES
    legend: dict[str, str] = {}  # noqa: RUF012

    def __init__(self, spec: RunSpec) -> None:
        self.spec, self.problem, self.n = spec, spec.problem, spec.n
        self.signed = spec.primitives.signed

    def reached(self) -> str:
        """What the optimum is, in words."""
        return f"the best fitness, {number(self.spec.best)}, is reached"

    def definition(self) -> str:
        """What the fitness of a tree is, in words."""
        better = "larger" if self.problem.better == "larger" else "smaller"
        line = f"{self.problem.line}. " if self.problem.line else ""
        return f"{line}{self._seen()} The best fitness is {number(self.spec.best)}; {better} is better."

    def _seen(self) -> str:
        seen = "its leaves from left to right" if self.problem.sees == "leaves" else "the whole program"
        return f"The fitness of a tree depends on {seen}."


class OfVariables(Annotations):
    """Of a problem whose fitness is a sum over the variables."""

    def variable(self, i: int, plain: int, bar: int, sign: int) -> Variable:
        """What the problem makes of these counts, or of this sign."""
        adds, absent = self._adds(i, plain, bar, sign), self._adds(i, 0, 0, -1)
        return Variable(i, plain, bar, sign, adds, (adds - absent) * self.problem.direction > 0)

    def _adds(self, i: int, plain: int, bar: int, sign: int) -> Fitness:
        if self.problem.sees == "counts":
            return self.problem.answer(i, plain, bar, self.n)
        return self.problem.answer(i, sign, self.n)

    def named(self, variable: Variable, negated: bool = False) -> str:
        """x_i or x̄_i, under the name it has."""
        return sign(self.spec.primitives.terminal_of(variable.number, negated))

    def leaf(self, variable: Variable, negated: bool, is_first: bool) -> str:
        """The standing of a leaf x_i or x̄_i; `is_first` is false where only counts are seen."""
        raise NotImplementedError

    def row(self, variable: Variable) -> Row:
        """The variable in the panel."""
        raise NotImplementedError

    def gained(self, variable: Variable, accepted: bool) -> str:
        """That it has come to count, or would have."""
        return f"{self.named(variable)} {'is now' if accepted else 'would be'} expressed"

    def lost(self, variable: Variable, accepted: bool) -> str:
        """That it does not count any more, or would not."""
        if variable.plain == 0:
            return f"{self.named(variable)} {'is' if accepted else 'would be'} gone"
        return f"{self.named(variable)} {'is no longer' if accepted else 'would no longer be'} expressed"

    def _seen(self) -> str:
        seen = (
            "how many leaves x_i and x̄_i there are" if self.problem.sees == "counts" else "which of x_i, x̄_i is first"
        )
        return f"The fitness of a tree is a sum over its variables x_1 … x_n, each by {seen}."

    def standing_of(self, variable: Variable) -> str:
        """The standing of a row."""
        return ABSENT if variable.is_absent else EXPRESSED if variable.counts else BLOCKING

    def _adding(self, variable: Variable) -> str:
        return "" if variable.adds in (0, 1) else f", adds {number(variable.adds)}"


class OfCounts(OfVariables):
    """Of a problem that sees how many x_i and x̄_i there are."""

    shape = BARS
    legend = {  # noqa: RUF012
        EXPRESSED: "expressed: it counts",
        BLOCKING: "blocking: x1 does not count, and this is its complement",
        HIDDEN: "it does not count",
    }

    def __init__(self, spec: RunSpec) -> None:
        super().__init__(spec)
        if not self.title:
            self.title = "Leaves of each variable" + (": complements up, variables down" if self.signed else "")

    def leaf(self, variable: Variable, negated: bool, is_first: bool) -> str:  # noqa: ARG002
        """The x_i of a variable that counts are expressed, the x̄_i of one that does not are in its way."""
        if negated:
            return HIDDEN if variable.counts else BLOCKING
        return EXPRESSED if variable.counts else HIDDEN

    def row(self, variable: Variable) -> Row:
        """Both counts."""
        name, plain, bar = self.named(variable), variable.plain, variable.bar
        text = NOTHING if variable.is_absent else f"{plain}:{bar}" if self.signed else f"{plain}"
        return Row(self.standing_of(variable), bar, plain, text, f"{name}: {self.counted(variable)}")

    def counted(self, variable: Variable) -> str:
        """The counts for a screen reader."""
        name, expressed = self.named(variable), "expressed" if variable.counts else "not expressed"
        if variable.is_absent:
            return f"{expressed}, absent"
        times = f"{variable.plain} times {name}" + (f", {variable.bar} times not {name}" if self.signed else "")
        return f"{expressed}, {times}{self._adding(variable)}"


class OfFirst(OfVariables):
    """Of a problem that sees which of x_i and x̄_i comes first."""

    title = "First occurrence of each variable"
    legend = {  # noqa: RUF012
        EXPRESSED: "expressed: it comes first and counts",
        BLOCKING: "blocking: it comes first, so that x1 does not count",
        HIDDEN: "hidden behind an earlier leaf",
    }

    def leaf(self, variable: Variable, negated: bool, is_first: bool) -> str:  # noqa: ARG002
        """The first of its variable is expressed or in the way; all later ones are hidden."""
        return (EXPRESSED if variable.counts else BLOCKING) if is_first else HIDDEN

    def row(self, variable: Variable) -> Row:
        """The first occurrence."""
        name, standing = self.named(variable), self.standing_of(variable)
        if variable.is_absent:
            return Row(standing, 0, 0, f"{NOTHING}{variable.number}", f"{name}: absent")
        text = self.named(variable, variable.sign == 0)
        first = f"first is {'' if variable.sign else 'not '}{name}"
        words = f"{name}: {first}, {'expressed' if variable.counts else 'blocked'}{self._adding(variable)}"
        return Row(standing, int(not variable.counts), int(variable.counts), text, words)

    def lost(self, variable: Variable, accepted: bool) -> str:
        """What now comes before it."""
        if variable.plain == 0 or variable.sign != 0:
            return super().lost(variable, accepted)
        return f"{self.named(variable, True)} {'now comes' if accepted else 'would come'} before {self.named(variable)}"


class OfTree(Annotations):
    """Of a problem that sees the leaves or the program: unless it says more, leaves are leaves."""

    def leaves(self, tree: Tree) -> Sequence[str]:  # noqa: ARG002
        """The standings of the leaves from left to right, each one of LEAF_STANDINGS; empty if none has any."""
        return ()

    def rows(self, tree: Tree) -> Sequence[Row]:  # noqa: ARG002
        """The panel of variables, if there is a title: always as many rows."""
        return ()


def annotations_of(spec: RunSpec) -> OfVariables | OfTree:
    """How this spec's problem tells of itself."""
    problem = spec.problem
    usual = {"counts": OfCounts, "first": OfFirst}.get(problem.sees, OfTree)
    page = problem.page or _of_ours(problem) or usual
    wanted = OfVariables if problem.adds_up else OfTree
    if not (isinstance(page, type) and issubclass(page, wanted)):
        raise BadPart("problem", problem.id, f"its page is {page!r}: must be a subclass of {usual.__name__}")
    return page(spec)


def _of_ours(problem: Problem) -> type[Annotations] | None:
    """What the file named after it says, by what the problem sees where its parameters decide that; or the table's."""
    plain = problem.id.partition(":")[0].replace("-", "_")
    names = [f"{_OURS}.{plain}", f"{_OURS}.{plain}_"] if not problem.is_own else []
    for name in [*names, *([f"{_OURS}.truth_table"] if problem.function is wrong_rows else [])]:
        if importlib.util.find_spec(name) is not None:
            page: type[Annotations] | dict[str, type[Annotations]] = importlib.import_module(name).ANNOTATIONS
            if isinstance(page, type) or problem.sees in page:
                return page if isinstance(page, type) else page[problem.sees]
    return None


def sign(terminal: Terminal) -> str:
    """x3, or x̄3 with a macron; or the name it has."""
    if isinstance(terminal, Named):
        return terminal.name
    return f"x\u0304{terminal.variable}" if terminal.negated else f"x{terminal.variable}"


def number(value: Fitness) -> str:
    """A fitness for people."""
    return f"{value:,.6g}" if isinstance(value, float) else f"{value:,}"
