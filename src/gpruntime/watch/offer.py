"""What the page can choose from: problems and rules of ours, and what the user named when the server was started.

Its form shows the problems that have words of their own there, and the one that was named; an address can name any of
ours.

Loading a file runs it. So a request names what is on offer, and never makes the server load anything.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, field

from gpruntime.model.acceptance import ACCEPTANCES, Acceptance
from gpruntime.model.errors import BadInput, known
from gpruntime.model.family import SUFFIXES, families
from gpruntime.model.problem import Problem
from gpruntime.model.problems import PROBLEMS
from gpruntime.model.spec import RunSpec

_SHOWN = [problem for problem in PROBLEMS.values() if problem.can_skip]


@dataclass(frozen=True)
class Offer:
    """What is on offer besides ours.

    Attributes:
        problem: the one that was named, if the form does not show it anyway.
        accept: the user's own, if one was named.
        chosen: the id of the problem that is shown first.
        texts: how a command names what is not ours, by id: FILE.py:NAME.
        command: what a user types to call us.
    """

    problem: Problem | None = None
    accept: Acceptance | None = None
    chosen: str = ""
    texts: dict[str, str] = field(default_factory=dict, hash=False)
    command: str = "gpruntime"

    @classmethod
    def of(cls, spec: RunSpec, problem: str, accept: str = "") -> Offer:
        """What a command offers that names these two for this spec."""
        other = None if spec.problem in _SHOWN else spec.problem
        own_accept = spec.accept if spec.accept.is_own else None
        named = [(other, problem), (own_accept, accept)]
        texts = {part.id: text for part, text in named if part is not None}
        return cls(other, own_accept, spec.problem.id, texts)

    @property
    def problems(self) -> list[Problem]:
        """The problems that the form shows."""
        return [*_SHOWN, *([self.problem] if self.problem else [])]

    @property
    def rules(self) -> list[Acceptance]:
        """All acceptance rules on offer."""
        return [*ACCEPTANCES.values(), *([self.accept] if self.accept else [])]

    def check(self, given: dict[str, str]) -> None:
        """Raises `BadInput` if a request names a problem or a rule that is not on offer."""
        if self.problem is None or given["problem"] != self.problem.id:
            _check("problem", given["problem"], [*self.problems, *PROBLEMS.values()])
        for name in ("accept", "start_accept"):
            if given.get(name):
                _check(name, given[name], self.rules)

    def form(self, page: str) -> str:
        """The page with the choices in its form."""
        problems = "\n".join(self._radio(problem) for problem in self.problems)
        rules = "".join(f"<option {self._named(rule)}>{html.escape(_said(rule))}</option>" for rule in self.rules)
        others = "".join(
            f'<option value="{id_}" data-page="/population">{html.escape(name)}</option>'
            for id_, name in several_trees()
        )
        page = page.replace("<!-- several trees -->", f'<optgroup label="Several trees">{others}</optgroup>')
        page = page.replace('data-command="gpruntime"', f'data-command="{html.escape(self.command)}"')
        return page.replace("<!-- problems -->", problems).replace("<!-- rules -->", rules)

    def _radio(self, problem: Problem) -> str:
        checked = " checked" if problem.id == (self.chosen or next(iter(PROBLEMS))) else ""
        button = f'<input type="radio" name="problem" {self._named(problem)}{checked}>'
        return f"<label>{button}<span>{html.escape(problem.name)}</span></label>"

    def _named(self, part: Problem | Acceptance) -> str:
        """Its id, and what a command calls it."""
        text = html.escape(self.texts.get(part.id, part.id))
        return f'value="{html.escape(part.id)}" data-text="{text}"'


OURS = Offer()


def several_trees() -> list[tuple[str, str]]:
    """The algorithms that have a page of their own: ids and names, with letters for their parameters."""
    return [
        (
            family.id + suffix,
            family.title(suffix.removeprefix("-"), {**family.parameters, "mu": "μ", "lambda": "λ"}),
        )
        for family in families().values()
        for suffix in SUFFIXES
    ]


def _said(rule: Acceptance) -> str:
    return rule.name if rule.is_own else f"{rule.id}: {rule.name}"


def _check(name: str, text: str, parts: list[Problem] | list[Acceptance]) -> None:
    """The id of one of them, perhaps with other parameters; with a second colon it could be a file's name."""
    base, _, parameters = text.partition(":")
    ids = [part.id.partition(":")[0] for part in parts]
    if base in ids and ":" not in parameters:
        return
    if ".py" in text or "@" in text:
        option = f"--{name.removeprefix('start_')}"
        raise BadInput(name, text, f"a page loads no file: start gpruntime watch with {option} FILE.py:NAME")
    known(name, text, ids)
