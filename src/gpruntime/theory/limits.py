"""The limit n → ∞ of a problem that counts leaves, and what it says of finite n: times, their law, leaves, constants.

`limit(spec)` solves the mean field (`transitions`, `mean_field`). Variables are independent there, and a share u(s) of
them is suboptimal after s·n evaluations, so

    P(T ≤ n·s) ≈ (1 − u(s))ⁿ    and    E[T] ≈ 1 + n·∫ 1 − (1 − u(s))ⁿ ds.

u falls like exp(−μ·s) in the end, so T/(n ln n) tends to 1/μ, and (T − E[T])·μ/n to a law of Gumbel. Both may be slow:
1/μ is the constant of trees whose leaves are at rest, and they may come to rest long after runs have ended.

What is left out is a share of about 1/n of the mean for some n. So the limit is near where n is some hundreds, and not
meant for small n, or for chances far out in a tail (`compared` says how near it is).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import interpolate

from gpruntime.model.errors import BadInput, whole
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import record_of, sentence
from gpruntime.progress import Shown, simple_bar, telling
from gpruntime.theory.answer import Answer
from gpruntime.theory.gumbel_law import Gumbel, gumbel
from gpruntime.theory.mean_field import LEAST, Course, Progress, follow
from gpruntime.theory.variables import Values, Variables, variables_of

if TYPE_CHECKING:
    from gpruntime.show.drawing import Drawing

MAX_N = 10**15
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(6)
_ODDS, _NARROW, _GOLDEN = (0.25, 0.6), 0.004, (math.sqrt(5) - 1) / 2
_KEPT = ("problem", "algorithm", "n", "init", "accept", "weights")


@dataclass(frozen=True)
class Prediction:
    """What the limit says of one n.

    Attributes:
        n: the number of variables.
        mean, deviation, skewness: of the evaluations; None where the mean is infinite.
        leaves: E[leaves at the end]/n.
        chance: P(the optimum is ever found).
    """

    n: int
    mean: float | None
    deviation: float | None
    skewness: float | None
    leaves: float
    chance: float

    @property
    def constant(self) -> float | None:
        """E[T]/(n ln n)."""
        return None if self.mean is None or self.n < 2 else self.mean / (self.n * math.log(self.n))

    def to_record(self) -> dict[str, Any]:
        """One flat row."""
        return {**self.__dict__, "constant": self.constant}


@dataclass(frozen=True)
class Compared:
    """Runs beside what the limit says of them.

    Attributes:
        n, runs: which they are.
        what: "mean evaluations", or "P(optimum)" where the mean is infinite.
        simulated, error, predicted: the number, its standard error, and the limit's.
        law: the test of Gumbel's law; None where there is no mean.
    """

    n: int
    runs: int
    what: str
    simulated: float
    error: float
    predicted: float
    law: Gumbel | None

    @property
    def z(self) -> float:
        """How many standard errors the runs are above."""
        return (self.simulated - self.predicted) / self.error

    def to_record(self) -> dict[str, Any]:
        """One flat row."""
        law = {} if self.law is None else self.law.to_record()
        return {**{name: value for name, value in self.__dict__.items() if name != "law"}, "z": self.z, **law}


@dataclass(frozen=True, repr=False)
class Limit(Answer):
    """The mean field of a setting.

    Attributes:
        spec: the setting.
        variables: the kinds of variables.
        course: what they do over time.
        sizes: the n that are shown.
        compared: runs beside it, where there were any.
    """

    spec: RunSpec
    variables: Variables = field(compare=False)
    course: Course = field(compare=False)
    sizes: tuple[int, ...] = ()
    compared: tuple[Compared, ...] = ()

    @property
    def constant(self) -> float | None:
        """1/μ, the limit of T/(n ln n); None where there is none."""
        rate = self.course.limit[1]
        return None if rate is None else 1 / rate

    @property
    def leaves(self) -> float | None:
        """τ as time goes on: leaves for each variable."""
        return self.course.limit[0]

    def chance(self, n: int, evaluations: float) -> float:
        """P(the optimum is found within so many evaluations)."""
        if not self.course.falls and self.course.grid.n != n:
            return self._with_insides(n).chance(n, evaluations)
        variables = self._variables(n)
        time = min(max(evaluations - 1, 0) / variables, float(self.course.times[-1]))
        return float(np.exp(self._log_chance(variables, np.array([time])))[0])

    def at(self, n: int) -> Prediction:
        """What the limit says of n."""
        whole("n", n, 1, MAX_N)
        if not self.course.falls and self.course.grid.n != n:
            return self._with_insides(n).at(n)
        number, course = self._variables(n), self.course
        times, weights = self._nodes
        missing = -np.expm1(self._log_chance(number, times))
        slopes = interpolate.CubicHermiteSpline(course.times, course.leaves, course.leaf_slopes)(times, 1)
        leaves = float(course.leaves[0] + (weights * slopes * missing).sum()) * number / n
        ever = float(np.exp(self._log_chance(number, course.times[-1:]))[0])
        if not course.falls or math.isfinite(course.grid.n):
            return Prediction(n, None, None, None, leaves, ever)
        first, second, third = (k * float((weights * times ** (k - 1) * missing).sum()) for k in (1, 2, 3))
        variance = second - first**2
        skewness = (third - 3 * first * variance - first**3) / variance**1.5 if variance > 0 else 0.0
        return Prediction(n, 1 + number * first, number * math.sqrt(max(variance, 0.0)), skewness, leaves, 1.0)

    def _with_insides(self, n: int, progress: Progress | None = None) -> Limit:
        """With substitutions inside variables: rare as they are, they count where u is at rest without them."""
        known: dict[int, Limit] = self.__dict__.setdefault("_known", {})
        if n not in known:
            known[n] = Limit(self.spec, self.variables, follow(self.spec, self.variables, progress=progress, n=n))
        return known[n]

    def prepare(self, sizes: Iterable[int], progress: Progress | None = None) -> None:
        """Computes what these n will be asked, where that takes seconds for each."""
        for n in () if self.course.falls else sizes:
            self._with_insides(n, progress)

    def against(self, times: Mapping[int, tuple[Sequence[float], int]]) -> Limit:
        """The same with runs beside it.

        Args:
            times: for each n the evaluations of runs that found the optimum, and how many others there were.
        """
        return Limit(
            self.spec,
            self.variables,
            self.course,
            self.sizes,
            tuple(self._compared(n, *some) for n, some in times.items()),
        )

    def _compared(self, n: int, times: Sequence[float], others: int) -> Compared:
        values, said = np.asarray(times, float), self.at(n)
        runs = len(values) + others
        if said.mean is None:
            expected = min(max(said.chance, 1e-300), 1 - 1e-16)
            error = math.sqrt(expected * (1 - expected) / runs)
            return Compared(n, runs, "P(optimum)", len(values) / runs, error, said.chance, None)
        if others or runs < 2:
            raise BadInput("runs", runs, f"{others} at n = {n} did not find the optimum: give a larger budget")
        error = float(values.std(ddof=1)) / math.sqrt(runs)
        return Compared(n, runs, "mean evaluations", float(values.mean()), error, said.mean, gumbel(values))

    def _variables(self, n: float) -> float:
        """There may be more variables than n."""
        return n * self.spec.primitives.variables / self.spec.n

    def _log_chance(self, number: float, times: Values) -> Values:
        """ln P(all are optimal)."""
        counts, found = self.variables.counts(number), np.zeros(len(times))
        for count, share in zip(counts, self._shares(times), strict=True):
            found += count * np.log1p(-np.minimum(share, 1 - 1e-16))
        return found

    def _shares(self, times: Values) -> list[Values]:
        """u of each kind; between two times its logarithm is a cubic."""
        course, found = self.course, []
        for u, slopes in zip(course.u.T, course.slopes.T, strict=True):
            if (u > 0).all():
                found.append(np.exp(interpolate.CubicHermiteSpline(course.times, np.log(u), slopes / u)(times)))
            else:
                found.append(np.interp(times, course.times, u))
        return found

    @cached_property
    def _nodes(self) -> tuple[Values, Values]:
        """Gauss's nodes between all times, and their weights."""
        begin, length = self.course.times[:-1, None], np.diff(self.course.times)[:, None]
        return (begin + length * (1 + _POINTS) / 2).ravel(), (length * _WEIGHTS / 2).ravel()

    @property
    def predictions(self) -> list[Prediction]:
        """Of each of `sizes`."""
        return [self.at(n) for n in self.sizes]

    def rows(self) -> list[tuple[str, ...]]:
        """A row for each n, the first with heads."""
        if not self.course.falls:
            cells = [(f"{one.n:,}", _number(one.chance), f"{one.leaves:.4f}") for one in self.predictions]
            return [("n", "P(optimum)", "leaves/n"), *cells]
        found: list[tuple[str, ...]] = [("n", "E[T]", "E[T]/(n ln n)", "deviation", "skewness", "leaves/n")]
        for one in self.predictions:
            constant = "" if one.constant is None else f"{one.constant:.4f}"
            spread = f"{one.skewness:.4f}", f"{one.leaves:.4f}"
            found.append((f"{one.n:,}", _number(one.mean), constant, _number(one.deviation), *spread))
        return found

    def compared_rows(self) -> list[tuple[str, ...]]:
        """A row for each n with runs, the first with heads."""
        found: list[tuple[str, ...]] = [("n", "runs", "simulated", "± error", "limit", "z", "skewness", "Gumbel p")]
        for one in self.compared:
            law = (
                ("", "")
                if one.law is None
                else (f"{one.law.skewness:.3f} ± {one.law.skewness_error:.3f}", f"{one.law.p:.3f}")
            )
            numbers = (_number(value) for value in (one.simulated, one.error, one.predicted))
            found.append((f"{one.n:,}", f"{one.runs:,}", *numbers, f"{one.z:+.2f}", *law))
        return found

    def sentences(self) -> list[str]:
        """The answer in words."""
        course = self.course
        if not course.falls:
            rest = float(course.u[-1] @ np.maximum(self.variables.shares, 0))
            return [
                f"A share of {rest:.6g} of the variables stays suboptimal, so the mean time is infinite.",
                f"P(optimum within O(n) evaluations) falls like exp(−{-math.log1p(-rest):.4g}·n).",
                f"Trees come to rest at {course.leaves[-1]:.4f}·n leaves.",
                _NOT_EXACT,
            ]
        if self.leaves is None:
            words = ["The leaves go on growing with time, and no limit of T/(n ln n) was found."]
        else:
            words = [f"Trees tend to {self.leaves:.4f}·n leaves."]
            if self.constant is not None:
                words.append(f"T/(n ln n) tends to {self.constant:.4f}.")
        return [*words, _NOT_EXACT]

    def to_latex(self) -> str:
        """The table of n, as a tabular."""
        head, *rows = self.rows()
        signs = {"E[T]/(n ln n)": r"$E[T]/(n\ln n)$", "E[T]": "$E[T]$", "n": "$n$"}
        lines = [rf"\begin{{tabular}}{{{'r' * len(head)}}}", " & ".join(signs.get(h, h) for h in head) + r" \\ \hline"]
        return "\n".join([*lines, *(" & ".join(row) + r" \\" for row in rows), r"\end{tabular}"])

    def to_record(self) -> dict[str, Any]:
        """Plain data: what `gpruntime limit --json` prints."""
        settings = record_of(self.spec)
        return {
            **{name: settings[name] for name in _KEPT if name in settings},
            "mean_is_infinite": not self.course.falls,
            "constant": self.constant,
            "leaves": self.leaves,
            "predictions": [one.to_record() for one in self.predictions],
            "compared": [one.to_record() for one in self.compared],
        }

    def gumbel_plot(self) -> Drawing:
        """The runs' times beside Gumbel's law."""
        from gpruntime.theory.limit_figure import gumbel_plot

        return gumbel_plot({f"n = {one.n:,}": one.law for one in self.compared if one.law is not None})

    @property
    def title(self) -> str:
        """What it is the limit of."""
        return sentence(self.spec)

    more = ".at(n), .chance(n, evaluations), .to_latex(), .to_record(), .plot()"
    figure = "limit_figure:figure"

    def _facts(self) -> list[tuple[str, object]]:
        head, *rows = self.rows()
        said = (", ".join(f"{h} {cell}" for h, cell in zip(head[1:], row[1:], strict=True)) for row in rows)
        return [*((f"n = {row[0]}", words) for row, words in zip(rows, said, strict=True)), *super()._facts()]


_NOT_EXACT = "Exact as n → ∞ only: what is left out is a share of about 1/n, and more in the tails."


def _number(value: float | None) -> str:
    if value is None:
        return "infinite"
    return f"{value:,.1f}" if 1 <= abs(value) < 1e7 else f"{value:.6g}"


def limit(spec: RunSpec, sizes: Sequence[int] = (), least: float = LEAST, progress: Shown = None) -> Limit:
    """The mean field of a setting, from the initial leaves for each variable that it has at the spec's n.

    Args:
        spec: one operation an offspring, on a problem that sees counts.
        sizes: the n to show, up to 10¹⁵; the spec's own where none is given.
        least: u is followed until it is that small: much less than one in the largest n.
        progress: is told of the steps that are made; True shows a bar.

    Raises:
        BadInput: the mean field is not defined for such a setting, or a variable has too many states.
    """
    _check(spec)
    shown = tuple(whole("n", n, 1, MAX_N) for n in sizes) or (spec.n,)
    variables = variables_of(spec)
    with telling(progress, lambda: simple_bar("steps", asked=True)) as tell:
        found = Limit(spec, variables, follow(spec, variables, least, tell), shown)
        found.prepare(shown, tell)
    return found


def at_size(spec: RunSpec, n: int) -> RunSpec:
    """The setting at another n, with as many initial leaves for each variable; a single leaf stays one.

    Raises:
        BadInput: it has a tree of its own, or no setting at that n.
    """
    if n == spec.n:
        return spec
    if spec.init.tree is not None:
        raise BadInput("init", str(spec.init), f"is a tree for n = {spec.n}: runs at other n need a law such as unity")
    leaves = spec.init.leaves if spec.init.leaves == 1 else round(spec.init.leaves * n / spec.n)
    return spec.replace(n=n, init=spec.init.text(str(leaves)))


def best_insertion(spec: RunSpec, n: int, progress: Progress | None = None) -> tuple[float, float]:
    """The share of insertions among insertions and deletions with the least E[T] at n; and that E[T].

    Substitutions stay as they are. `progress` is told of the shares that were tried.
    """
    substitute, insert, delete = spec.weights
    tried = itertools.count()
    most = 2 + math.ceil(math.log(_NARROW / (_ODDS[1] - _ODDS[0]), _GOLDEN))

    def mean(share: float) -> float:
        if progress is not None:
            progress(next(tried), most)
        weights = (substitute, share * (insert + delete), (1 - share) * (insert + delete))
        try:
            found = limit(spec.replace(weights=weights), (n,), least=1e-6 / n).at(n).mean
        except BadInput:  # trees become too large
            return math.inf
        return math.inf if found is None else found

    low, high = _ODDS
    inner = [high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)]
    means = [mean(odds) for odds in inner]
    while high - low > _NARROW:  # golden section
        if means[0] <= means[1]:
            high, inner[1], means[1] = inner[1], inner[0], means[0]
            inner[0] = high - _GOLDEN * (high - low)
            means[0] = mean(inner[0])
        else:
            low, inner[0], means[0] = inner[0], inner[1], means[1]
            inner[1] = low + _GOLDEN * (high - low)
            means[1] = mean(inner[1])
    return min(zip(inner, means, strict=True), key=lambda pair: pair[1])


def _check(spec: RunSpec) -> None:
    """Whether there is a mean field."""
    spec.require_parts()
    problem, law = spec.problem, spec.operations
    if problem.sees != "counts":
        raise BadInput("problem", problem.id, f"has no mean field: it sees {problem.sees}, and only counts are enough")
    if spec.has_population:
        raise BadInput("algorithm", spec.algorithm.id, "has no mean field: it must keep one tree")
    if (law.fewest, law.most) != (1, 1):
        raise BadInput("operations", str(law), "has no mean field: an offspring must have one operation")
    if spec.operator.id != "hvl-prime" or spec.substitute == "functions":
        raise BadInput("operator", spec.operator.id, "has no mean field: it must be hvl-prime, and substitute leaves")
    if spec.max_leaves_allowed is not None:
        raise BadInput("max_leaves_allowed", spec.max_leaves_allowed, "has no mean field: trees must be free to grow")
