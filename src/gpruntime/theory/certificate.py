"""A bound on E[evaluations] that comes with its proof: a potential, and that it has the right drift at every state.

**Upper bound.** Let φ ≥ 0 be a function of trees that is 0 at optimal ones, and let it lose at least 1 in the mean with
each evaluation, at every tree that can be reached and is not optimal. Then E[evaluations] ≤ 1 + E[φ(X₀)], where X₀ is
the initial tree and the 1 its evaluation (additive drift; He, Yao 2001). That φ ≥ 0 need not be asked: of finitely many
states the one with the least φ would have no drift, so it is optimal.

**Lower bound.** If φ loses at most 1, then E[evaluations] ≥ 1 + E[φ(X₀)]; of finitely many states φ is bounded.

A certificate is for its spec: this n, these initial trees, this rule. It says nothing about other n.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpruntime.files import write_whole
from gpruntime.model.representations.truth_tables import TruthTable
from gpruntime.model.spec import RunSpec
from gpruntime.model.tree import Tree
from gpruntime.progress import Shown, states_bar, telling
from gpruntime.theory.answer import Answer
from gpruntime.theory.features import Column, column_of, many_operations
from gpruntime.theory.verifier import FORMAT, UPPER, VERSION, Checked, verify
from gpruntime.theory.witness import Witness, shown

if TYPE_CHECKING:
    from gpruntime.theory.drifts import StateSpace


@dataclass(frozen=True, repr=False)
class Certificate(Answer):
    """A potential and the bound that follows from it.

    Attributes:
        spec: the setting.
        direction: "upper" or "lower".
        coefficients: of the features, by name; those that are 0 are left out.
        bound: of E[evaluations], the initial tree's included.
        states: how many states can be reached, the optimum not counted; None where they are not comparable with the
            verifier's.
        mean: E[evaluations] as the exact solver has it; None where trees grow without end.
        tight: at how many states the drift is exactly 1; None there, too.
        cells: in how many products of cells the potential was found, and at how many trees; where they do.
    """

    spec: RunSpec
    direction: str
    coefficients: dict[str, Fraction]
    bound: Fraction
    states: int | None
    mean: float | None
    tight: int | None
    cells: tuple[int, int] | None = None
    _space: StateSpace | None = field(default=None, repr=False, compare=False)

    def at(self, tree: Any) -> Fraction:
        """The bound from this tree (or truth table, or text) on, if the run can come to it: 1 + φ(tree)."""
        if isinstance(tree, str):
            primitives = self.spec.primitives
            is_tree = self.spec.representation.is_tree
            tree = Tree.parse(tree, primitives) if is_tree else TruthTable.parse(tree, primitives.variables)
        fitness = self.spec.representation.fitness(tree, self.spec)
        if fitness == self.spec.best:
            return Fraction(1)
        return 1 + sum((value * column.value(tree, fitness) for column, value in self._columns), Fraction(0))

    @cached_property
    def _columns(self) -> list[tuple[Column, Fraction]]:
        return [(column_of(self.spec, name), value) for name, value in self.coefficients.items()]

    # ---- as a file

    def to_record(self) -> dict[str, Any]:
        """All that a verifier needs, as JSON holds it."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "spec": self.spec.stated(),
            "direction": self.direction,
            "coefficients": {name: str(value) for name, value in self.coefficients.items()},
            "bound": str(self.bound),
            "states": self.states,
        }

    def to_json(self) -> str:
        """The certificate's file."""
        return json.dumps(self.to_record(), indent=1, ensure_ascii=False) + "\n"

    def save(self, file: str | Path) -> Path:
        """Writes it."""
        return write_whole(file, self.to_json().encode())

    def check(self, progress: Shown = None) -> Checked:
        """What the independent verifier says of the file."""
        with telling(progress, states_bar) as tell:
            return verify(json.loads(self.to_json()), tell)

    # ---- for people

    @property
    def sign(self) -> str:
        """≤ or ≥."""
        return "≤" if self.direction == UPPER else "≥"

    def potential(self) -> str:
        """φ in words."""
        return _sum([(value, _named(self.spec, name)) for name, value in self.coefficients.items()])

    def sentences(self) -> list[str]:
        """In words."""
        drift = "at least" if self.direction == UPPER else "at most"
        bound, potential = f"E[evaluations] {self.sign} {shown(self.bound, 60)}", f"φ = {self.potential()}"
        if self._space is None or self.mean is None:
            count, trees = self.cells or (0, 0)
            many = "however many operations an offspring has" if many_operations(self.spec) else "however large"
            closing = f"The drift of φ is {drift} 1 at all trees, {many}: seen in {count:,} cells, at {trees:,} trees."
            return [bound, f"{potential}, and 0 at the optimum", closing]
        ratio = float(self.bound) / self.mean
        beside = "the same" if abs(ratio - 1) < 1e-9 else f"the bound is {ratio:.4g} times it"
        states = f"{len(self._space):,} states"
        return [
            bound,
            f"{potential}, and 0 at the optimum",
            f"The drift of φ is {drift} 1 at each of the {states} that can be reached; exactly 1 at {self.tight:,}.",
            f"The exact mean is {self.mean:.10g}: {beside}.",
        ]

    def to_latex(self) -> str:
        """The bound and the potential, for a paper."""
        sign = r"\le" if self.direction == UPPER else r"\ge"
        terms = [(value, _named(self.spec, name, latex=True)) for name, value in self.coefficients.items()]
        return (
            rf"\mathrm{{E}}[T] {sign} 1 + \mathrm{{E}}[\varphi(X_0)] = {_latex(self.bound)}, \qquad "
            rf"\varphi(X) = {_sum(terms, latex=True)}"
        )

    more = ".check(), .save(FILE), .at(TREE), .to_latex(), .plot()"
    figure = "pictures:potential_against_time"

    def _facts(self) -> list[tuple[str, object]]:
        return list(zip(("bound", "potential", "drift", "beside"), self.sentences(), strict=False))


@dataclass(frozen=True, repr=False)
class NoCertificate(Answer):
    """Why there is no certificate.

    Attributes:
        spec: the setting.
        direction: "upper" or "lower".
        why: in a line.
        witnesses: the state or states that show it.
    """

    spec: RunSpec
    direction: str
    why: str
    witnesses: tuple[Witness, ...]

    def sentences(self) -> list[str]:
        """In words."""
        return [f"No certificate: {self.why}.", *(line for one in self.witnesses for line in one.sentences())]

    def to_record(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "certificate": None,
            "spec": self.spec.stated(),
            "direction": self.direction,
            "why": self.why,
            "witnesses": [one.to_record() for one in self.witnesses],
        }


def _named(spec: RunSpec, name: str, latex: bool = False) -> str:
    """A feature in words: `level:3` is [f ≤ 3], where larger is better."""
    parts = []
    for part in name.split("*"):
        text = part.partition("@")[0]
        if part == "one":
            text = ""
        elif part.startswith("level:"):
            worse = (r" \le " if latex else " ≤ ") if spec.problem.direction == 1 else (r" \ge " if latex else " ≥ ")
            text = f"[f{worse}{part.removeprefix('level:')}]"
        elif latex:
            escaped = text.replace("_", r"\_")
            text = rf"\mathrm{{{escaped}}}"
        parts.append(text)
    return (r"\cdot " if latex else "·").join(filter(None, parts))


def _sum(terms: list[tuple[Fraction, str]], latex: bool = False) -> str:
    if not terms:
        return "0"
    dot = r"\," if latex else "·"
    text = ""
    for value, name in terms:
        size = abs(value)
        number = _latex(size) if latex else str(size) if len(str(size)) <= 24 else f"{float(size):.10g}"
        shown_term = name if size == 1 and name else f"{number}{dot}{name}" if name else number
        sign = "−" if value < 0 and not latex else "-" if value < 0 else "+"
        text += (f" {sign} " if text else sign if value < 0 else "") + shown_term
    return text


def _latex(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value)
    sign = "-" if value < 0 else ""
    return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"
