"""Checks an acceptance rule: it is monotone, and engine and model agree on it."""

from __future__ import annotations

from collections.abc import Iterator

from gpruntime.model.acceptance import Acceptance
from gpruntime.verification.elsewhere import Answers, same_elsewhere
from gpruntime.verification.finding import GOOD, Finding
from gpruntime.verification.runs import agreement, problems_of_ours


def of_rule(rule: Acceptance) -> Iterator[Finding]:
    """What was found about a rule."""
    gains = {growth: rule.least_gain(growth) for growth in range(-3, 4)}
    words = ", ".join(f"{growth:+}: {_gain(gain)}" for growth, gain in gains.items())
    yield Finding(GOOD, "monotone", f"least gain by growth {words}")
    for problem in reversed(problems_of_ours()):
        yield agreement(problem, rule, f"runs on {problem.name}")
    if rule.is_own:
        yield same_elsewhere(rule, answers, "least gain by growth")


def answers(rule: Acceptance) -> Answers:
    """What every process must say of it."""
    return {f"least gain for growth {growth:+}": _gain(rule.least_gain(growth)) for growth in range(-3, 4)}


def _gain(gain: int) -> str:
    return "never" if gain > 2**60 else "always" if gain < -(2**60) else str(gain)
