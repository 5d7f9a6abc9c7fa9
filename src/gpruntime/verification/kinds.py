"""`verify`: what kind of part is meant, and who looks at it; acceptance rules are looked at here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gpruntime.model.acceptance import Acceptance
from gpruntime.model.errors import BadInput
from gpruntime.model.operator import Operator
from gpruntime.model.part import Part
from gpruntime.model.problem import Problem
from gpruntime.model.search_part import SearchPart, search_named
from gpruntime.progress import Shown, simple_bar, telling
from gpruntime.verification.elsewhere import Answers, same_elsewhere
from gpruntime.verification.finding import BAD, GOOD, Finding, Verification
from gpruntime.verification.operator import of_operator
from gpruntime.verification.problem import of_problem
from gpruntime.verification.runs import agreement, problems_of_ours
from gpruntime.verification.search import of_search


def of_rule(rule: Acceptance) -> Iterator[Finding]:
    """What was found about an acceptance rule: that it is monotone, and that engine and model agree on it."""
    gains = {growth: rule.least_gain(growth) for growth in range(-3, 4)}
    words = ", ".join(f"{growth:+}: {_gain(gain)}" for growth, gain in gains.items())
    yield Finding(GOOD, "monotone", f"least gain by growth {words}")
    for problem in reversed(problems_of_ours()):
        yield agreement(problem, rule, f"runs on {problem.name}")
    if rule.is_own:
        yield same_elsewhere(rule, rule_answers, "least gain by growth")


def rule_answers(rule: Acceptance) -> Answers:
    """What every process must say of it."""
    return {f"least gain for growth {growth:+}": _gain(rule.least_gain(growth)) for growth in range(-3, 4)}


def _gain(gain: int) -> str:
    return "never" if gain > 2**60 else "always" if gain < -(2**60) else str(gain)


_LOOKS: dict[Any, Callable[[Any], Iterator[Finding]]] = {
    Problem: of_problem,
    Acceptance: of_rule,
    Operator: of_operator,
    SearchPart: of_search,
}
_NOT_THIS = tuple(f"is not made by @{kind}" for kind in ("problem", "acceptance", "operator"))


def verify(part: Part | type | str, progress: Shown = None) -> Verification:
    """Looks at a problem, a rule, an operator or an algorithm, given as itself or as `FILE.py:NAME`.

    `progress` is called with how many things were looked at, twice: how many there are is not known before. Or True.
    """
    if isinstance(part, type):
        part = search_named(part)
    elif isinstance(part, str):
        part = named(part)
    look = next(look for kind, look in _LOOKS.items() if isinstance(part, kind))
    findings: list[Finding] = []
    try:
        with telling(progress, lambda: simple_bar("things looked at", asked=True)) as tell:
            for finding in look(part):  # what was found before it was refused stays
                findings.append(finding)
                if tell is not None:
                    tell(len(findings), len(findings))
    except BadInput as refused:
        what = "a run of it" if isinstance(part, SearchPart) else "a call of it"
        findings.append(Finding(BAD, what, str(refused)))
    return Verification(part, tuple(findings))


def named(text: str) -> Part:
    """The part with this name, of whatever kind it is; what is refused is about the text itself."""
    refusals = []
    for kind in _LOOKS:
        try:
            part: Part = kind.named(text, kind.registry())
            return part
        except BadInput as refused:
            refusals.append(refused)
    if ".py:" not in text:
        ours = ", ".join(name for kind in _LOOKS for name in kind.registry())
        raise BadInput("FILE.py:NAME", text, f"must be FILE.py:NAME, or one of {ours}")
    if all(refused.allowed.endswith(_NOT_THIS) for refused in refusals[:3]):
        kinds = "@problem, @acceptance or @operator, and no class derived from gpruntime.Search"
        raise BadInput("FILE.py:NAME", text, f"is not made by {kinds}")
    first = next(refused for refused in refusals if not refused.allowed.endswith(_NOT_THIS))
    raise BadInput("FILE.py:NAME", first.value, first.allowed)
