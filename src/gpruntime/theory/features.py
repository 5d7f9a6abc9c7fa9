"""Features: numbers of a tree, of which a potential is a linear combination.

| name      | its value at a tree that is not optimal                                             |
|-----------|-------------------------------------------------------------------------------------|
| `one`     | 1                                                                                   |
| `level`   | for each fitness k that occurs: 1 if the fitness is k or worse (`level:k`)          |
| `gap`     | how far the fitness is from the best                                                |
| `leaves`  | T; of a truth table its minterms                                                    |
| `absent`  | the variables without a leaf                                                        |
| `surplus` | Σ over i of max(0, c(x̄_i) − c(x_i)), where terminals are signed                     |

Truth tables have the first four of these. At an optimal tree every feature is 0. A problem may bring more (`problems`,
a file named after it), `a*b` is the product of two features, and a user's own is a function of (tree, n), or
`FILE.py:NAME`.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import keyword
import math
import types
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from gpruntime.model.errors import BadInput, BadPart, known
from gpruntime.model.part import Part
from gpruntime.model.problem import Fitness
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree

Value = int | Fraction
Level = Fitness
Function = Callable[[Tree, int], Any]
MAX_COLUMNS = 300
_PROBLEMS = "gpruntime.theory.problems"


class Feature(Part):
    """A user's function of (tree, n), with its source and digest."""

    field = "features"

    @classmethod
    def _check(cls, text: str, found: Any, name: str) -> Feature:
        if isinstance(found, types.FunctionType):
            return cls.own(found)
        return super()._check(text, found, name)

    def value(self, tree: Tree, n: int) -> Value:
        """What it says, as a fraction; raises `BadPart` if that is no number."""
        try:
            value = self.function(tree, n)
        except Exception as error:
            raise BadPart(self.field, self.name, f"raised {type(error).__name__}: {error}, given {tree}") from error
        if isinstance(value, int | Fraction):
            return value
        try:
            return Fraction(float(value))
        except (TypeError, ValueError, OverflowError):
            raise BadPart(self.field, self.name, f"gave {value!r} for {tree}: must be a number") from None


class Column:
    """One feature of a spec: its name, and its value at a tree that is not optimal."""

    def __init__(self, name: str, parts: Sequence[Callable[[Tree, Fitness], Value]]) -> None:
        self.name, self._parts = name, parts

    def value(self, tree: Tree, fitness: Fitness) -> Value:
        """Of a tree with this fitness."""
        return math.prod(part(tree, fitness) for part in self._parts)


def feature_of(given: object) -> str | Feature:
    """A name of ours, or one's own: a function, FILE.py:NAME, or one that is known by its id."""
    if isinstance(given, types.FunctionType):
        return Feature.own(given)
    if isinstance(given, Feature):
        return given
    if isinstance(given, str) and (".py:" in given or "@" in given):
        return Feature.named(given, {})
    if isinstance(given, str):
        return given
    raise BadInput("features", given, "must be names, or functions of (tree, n)")


def define(names: Mapping[str, Any]) -> None:
    """Makes a feature of each function that a file defines and that takes (tree, n), to be found by its id."""
    for function in list(names.values()):
        its_own = isinstance(function, types.FunctionType) and function.__module__ == names["__name__"]
        if its_own and function.__code__.co_argcount == 2 and function.__name__ != "<lambda>":
            with contextlib.suppress(BadInput):
                Feature.own(function)


def names_for(spec: RunSpec) -> list[str]:
    """The names of the features there are for a spec: those that are taken where none are given."""
    if not spec.representation.is_tree:
        return ["level", "leaves"]
    signed = ["surplus"] if spec.primitives.signed else []
    return ["level", "leaves", "absent", *signed, *_brought(spec)]


def many_operations(spec: RunSpec) -> bool:
    """Whether an offspring can have several operations."""
    return spec.operations.most > 1 or spec.algorithm.multi


def names_without_end(spec: RunSpec) -> list[str]:
    """The same where trees grow without end. With many operations only levels are known not to grow with them."""
    if many_operations(spec):
        return ["level"]
    names = ["level", "absent", *(["surplus"] if spec.primitives.signed else [])]
    return [*names, *(f"leaves*{name}" for name in names)]


def columns_for(spec: RunSpec, given: Iterable[object], levels: Sequence[Level]) -> list[Column]:
    """The columns of these features; `levels` are the fitnesses of trees that can be reached and are not optimal."""
    columns: list[Column] = []
    for feature in map(feature_of, given):
        names = [feature] if isinstance(feature, Feature) else _products(feature, levels)
        columns += [column_of(spec, name) for name in names]
    columns = list({column.name: column for column in columns}.values())
    if len(columns) > MAX_COLUMNS:
        words = f"are {len(columns)} with {len(levels)} fitness levels; at most {MAX_COLUMNS}: take gap for level"
        raise BadInput("features", ",".join(map(str, given)), words)
    return columns


def _products(name: str, levels: Sequence[Level]) -> list[str]:
    """The name, with `level` as one for each level, factor by factor."""
    found = [""]
    for factor in name.split("*"):
        choices = [f"level:{level}" for level in levels] if factor == "level" else [factor]
        found = [f"{before}*{choice}" if before else choice for before in found for choice in choices]
    return found


def column_of(spec: RunSpec, name: str | Feature) -> Column:
    """The column of this name, as `columns_for` and a certificate name it."""
    if isinstance(name, Feature):
        return Column(name.id, [_own(name, spec.n)])
    return Column(name, [_factor(spec, factor) for factor in name.split("*")])


def _factor(spec: RunSpec, name: str) -> Callable[[Tree, Fitness], Value]:
    if "@" in name:
        feature = Feature.named(name, {})
        feature.require()
        return _own(feature, spec.n)
    direction, brought, n = spec.problem.direction, _brought(spec), spec.n
    if name.partition(":")[0] == "level":
        level = _level(name)
        return lambda _, fitness: int((fitness - level) * direction <= 0)
    if name in brought:
        function = brought[name]
        return lambda tree, _: function(tree, n)
    ours: dict[str, Callable[[Tree, Fitness], Value]] = {
        "one": lambda *_: 1,
        "gap": lambda _, fitness: _number((spec.best - fitness) * direction),
        "leaves": lambda tree, _: tree.size,
    }
    if spec.representation.is_tree:
        variables = spec.primitives.variables
        ours["absent"] = lambda tree, _: variables - len({leaf.variable for leaf in tree.terminals()})
    if spec.representation.is_tree and spec.primitives.signed:
        ours["surplus"] = lambda tree, _: _surplus(tree)
    return ours[known("features", name, ["one", "level", *list(ours)[1:], *brought], "FILE.py:NAME")]


def _own(feature: Feature, n: int) -> Callable[[Tree, Fitness], Value]:
    return lambda tree, _: feature.value(tree, n)


def _level(name: str) -> Level:
    text = name.removeprefix("level:")
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise BadInput("features", name, "must be level:K with a fitness K") from None


def _number(value: Fitness) -> Value:
    return value if isinstance(value, int) else Fraction(value)


def _surplus(tree: Tree) -> int:
    counts = Counter(tree.terminals())
    variables = {leaf.variable for leaf in counts}
    return sum(max(0, counts[Terminal(i, True)] - counts[Terminal(i, False)]) for i in variables)


def brought_of(spec: RunSpec, what: str) -> Any:
    """What the problem brings along under this name; None if nothing."""
    plain = spec.problem.base.replace("-", "_")
    name = f"{_PROBLEMS}.{plain}{'_' * keyword.iskeyword(plain)}"
    if spec.problem.is_own or not spec.representation.is_tree or importlib.util.find_spec(name) is None:
        return None
    return getattr(importlib.import_module(name), what, None)


def _brought(spec: RunSpec) -> Mapping[str, Function]:
    """The features that the problem brings."""
    return brought_of(spec, "FEATURES") or {}
