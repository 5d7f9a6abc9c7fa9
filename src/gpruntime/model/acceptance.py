"""Acceptance rules: whether an offspring takes its parent's place, by what it gains and by how much it grows.

| id                  | an offspring is accepted if                          |
|---------------------|------------------------------------------------------|
| `weak`              | gain ≥ 0                                             |
| `strict`            | gain > 0                                             |
| `parsimony`         | gain > 0, or gain = 0 and growth ≤ 0                 |
| `parsimony-smaller` | gain > 0, or gain = 0 and growth < 0                 |

The *gain* is the offspring's fitness minus its parent's (the other way round where a smaller fitness is better, so that
a positive gain is always an improvement), the *growth* its leaves minus its parent's. A rule of one's own:

    @acceptance
    def parsimony(gain, growth):
        return gain > 0 or (gain == 0 and growth <= 0)

A rule must be *monotone*: what it accepts at some gain it accepts at every larger one, for the same growth. Then it is
a least gain for each growth, and that is what compiled runs use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from gpruntime.model.errors import BadPart
from gpruntime.model.part import Part, one_line

NEVER = 2**61  # a gain that no offspring has
_LOOK = 40  # gains looked at one by one, on both sides of zero


class Acceptance(Part):
    """A rule of gain and growth."""

    field = "accept"

    def accepts(self, gain: float, growth: int) -> bool:
        """Whether an offspring with this gain and growth takes its parent's place."""
        try:
            answer = self.function(gain, growth)
        except Exception as error:
            raise BadPart(self.field, self.id, f"raised {type(error).__name__}: {error}") from error
        if not isinstance(answer, bool | int) and type(answer).__name__ not in ("bool", "bool_"):
            raise BadPart(
                self.field, self.id, f"gave {answer!r} for gain {gain}, growth {growth}: must be true or false"
            )
        return bool(answer)

    def least_gain(self, growth: int) -> int:
        """The least gain it accepts at this growth; `NEVER` if it accepts none, −`NEVER` if it accepts all.

        Raises `BadPart` where the rule is seen not to be monotone.
        """
        return _least_gain(self, growth)

    def _look_for_least_gain(self, growth: int) -> int:
        looked: list[int] = [-NEVER, *(-(2**power) for power in range(60, 5, -1)), *range(-_LOOK, _LOOK + 1)]
        looked += [*(2**power for power in range(6, 61)), NEVER]
        answers = [self.accepts(gain, growth) for gain in looked]
        if True not in answers:
            return NEVER
        first = answers.index(True)
        if False in answers[first:]:
            worse, better = looked[first], looked[first + answers[first:].index(False)]
            words = f"accepts gain {worse} and not the larger {better} at growth {growth}"
            raise BadPart(self.field, self.id, words + ": a rule must be monotone in the gain")
        if first == 0:
            return -NEVER
        low, high = looked[first - 1], looked[first]  # rejected, accepted
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.accepts(middle, growth) else (middle, high)
        return high

    def goes_by_sign(self, growth: int) -> bool:
        """Whether at this growth, as far as is seen, only the sign of the gain matters: all that floats tell."""
        sizes = (5e-324, 1e-9, 0.5, 1, 1.5, 1e9)
        return all(len({self.accepts(sign * size, growth) for size in sizes}) == 1 for sign in (-1, 1))

    @property
    def prefers_smaller(self) -> bool:
        """Whether of two equally fit trees the smaller is accepted for the other, and not the other way round."""
        return self.accepts(0, -1) and not self.accepts(0, 1)

    @staticmethod
    def registry() -> Mapping[str, Acceptance]:
        """Ours."""
        return ACCEPTANCES

    @property
    def is_strict(self) -> bool:
        """Whether this is the paper's strict rule: improvements only, whatever the size."""
        return self.id == "strict"


@cache
def _least_gain(rule: Acceptance, growth: int) -> int:
    """Hundreds of questions, which every batch of runs would put anew."""
    return rule._look_for_least_gain(growth)


@one_line("accept")
def acceptance(function: Callable[[Any, Any], object], /) -> Acceptance:
    """Makes an acceptance rule of the function below it.

    Args:
        function: of gain and growth, two numbers; whether such an offspring is accepted. It must be monotone in the
            gain.
    """
    return Acceptance.own(function)


def _weak(gain: float, growth: int) -> bool:  # noqa: ARG001
    return gain >= 0


def _strict(gain: float, growth: int) -> bool:  # noqa: ARG001
    return gain > 0


def _parsimony(gain: float, growth: int) -> bool:
    return gain > 0 or (gain == 0 and growth <= 0)


def _parsimony_smaller(gain: float, growth: int) -> bool:
    return gain > 0 or (gain == 0 and growth < 0)


WEAK = Acceptance("weak", "better or equal", _weak)
STRICT = Acceptance("strict", "better", _strict)
ACCEPTANCES: Mapping[str, Acceptance] = MappingProxyType(
    {
        rule.id: rule
        for rule in (
            WEAK,
            STRICT,
            Acceptance("parsimony", "better, or equal and not larger", _parsimony),
            Acceptance("parsimony-smaller", "better, or equal and smaller", _parsimony_smaller),
        )
    }
)


def acceptance_named(text: object) -> Acceptance:
    """The rule of this name, in this file, or itself."""
    return Acceptance.named(text, ACCEPTANCES)
