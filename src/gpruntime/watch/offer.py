"""What the page can choose from: all that is ours, and what the user named when the server was started.

Loading a file runs it. So a request names what is on offer, and never makes the server load anything.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from gpruntime.model.acceptance import ACCEPTANCES
from gpruntime.model.errors import BadInput, known
from gpruntime.model.family import GOALS, families
from gpruntime.model.part import Part
from gpruntime.model.problem import Problem
from gpruntime.model.problems import PROBLEMS
from gpruntime.model.representations.circuits import CIRCUITS
from gpruntime.model.representations.representation import TREES, Representation
from gpruntime.model.representations.truth_tables import TRUTH_TABLES
from gpruntime.model.spec import RunSpec

_GROUPS = {"counts": "A sum over the variables", "first": "A sum over the variables"}
_GROUPS |= {"leaves": "The order of the leaves", "program": "The whole program"}


@dataclass(frozen=True)
class Offer:
    """What is on offer besides ours.

    Attributes:
        named: what the user named, by field: problem, accept, search.
        texts: how a command names it, by id: FILE.py:NAME.
        chosen: the id of the problem that is shown first.
        command: what a user types to call us.
    """

    named: Mapping[str, Part] = field(default_factory=dict, hash=False)
    texts: Mapping[str, str] = field(default_factory=dict, hash=False)
    chosen: str = next(iter(PROBLEMS))
    command: str = "gpruntime"

    @classmethod
    def of(cls, spec: RunSpec, problem: str, accept: str = "", search: str = "") -> Offer:
        """What a command offers that names these for this spec."""
        parts = ("problem", spec.problem, problem), ("accept", spec.accept, accept), ("search", spec.search, search)
        named: dict[str, Part] = {}
        texts: dict[str, str] = {}
        for name, part, text in parts:
            if part is not None and part.id not in (*PROBLEMS, *ACCEPTANCES):
                named[name], texts[part.id] = part, text
        return cls(named, texts, spec.problem.id)

    @property
    def usual(self) -> list[Problem]:
        """The problems that a server is asked for most: the one it was started with, and those of the lessons."""
        named = [part for part in self.named.values() if isinstance(part, Problem)]
        return [*(problem for problem in PROBLEMS.values() if problem.can_skip or problem.id == self.chosen), *named]

    def check(self, given: Mapping[str, str]) -> None:
        """Raises `BadInput` if a request names something that is not on offer."""
        rules = [*ACCEPTANCES]
        for name, ours in {"problem": [*PROBLEMS], "accept": rules, "start_accept": rules, "search": []}.items():
            part = self.named.get(name.removeprefix("start_"))
            if given.get(name) or name == "problem":
                _check(name, given[name], [*ours, *([part.id] if part is not None else [])])

    def form(self, page: str) -> str:
        """The page with the choices in its form."""
        problem, rule = self.named.get("problem"), self.named.get("accept")
        groups: dict[str, list[str]] = {}
        for part in (problem, *PROBLEMS.values()):
            if isinstance(part, Problem):
                group = "User-defined" if part.is_own else _GROUPS[part.sees]
                groups.setdefault(group, []).append(self._option(part.id, part.name, selected=part.id == self.chosen))
        problems = "".join(
            f'<optgroup label="{group}">{"".join(options)}</optgroup>' for group, options in sorted(groups.items())
        )
        rules = [self._option(part.id, f"{part.id}: {part.name}") for part in ACCEPTANCES.values()]
        if rule is not None:
            rules.append(self._option(rule.id, rule.name))
        for place, put in {
            "<!-- problems -->": problems,
            "<!-- rules -->": "".join(rules),
            "<!-- families -->": "".join(map(self._families, (TREES, CIRCUITS, TRUTH_TABLES))),
            "<!-- goals -->": "".join(self._option(goal, goal) for goal in GOALS),
            'data-command="gpruntime"': f'data-command="{html.escape(self.command)}"',
            'id="settings"': f'id="settings" data-texts="{html.escape(json.dumps(dict(self.texts)))}"',
        }.items():
            page = page.replace(place, put)
        return page

    def _families(self, kind: Representation) -> str:
        """The algorithms with these programs, other than the (1+1) GPs: letters for parameters, and their defaults."""
        options = [
            self._option(
                family.id + suffix,
                family.title(suffix.removeprefix("-"), {**family.parameters, "mu": "μ", "lambda": "λ"}),
                ",".join(f"{name}={value}" for name, value in family.parameters.items()),
            )
            for family in families().values()
            for suffix in (family.suffixes if family.representation is kind else ())
        ]
        label = "Several trees" if kind.is_tree else kind.many.capitalize()
        return f'<optgroup label="{label}" data-kind="{kind.id}">{"".join(options)}</optgroup>'

    def _option(self, id_: str, name: str, parameters: str = "", selected: bool = False) -> str:
        more = f' data-parameters="{html.escape(parameters)}"' if parameters else ""
        more += " selected" if selected else ""
        return f'<option value="{html.escape(id_)}"{more}>{html.escape(name)}</option>'


OURS = Offer()


def _check(name: str, text: str, known_ids: list[str]) -> None:
    """The id of one of them, perhaps with other parameters; with a second colon it could be a file's name."""
    base, _, parameters = text.partition(":")
    ids = [id_.partition(":")[0] for id_ in known_ids]
    if base in ids and ":" not in parameters:
        return
    if ".py" in text or "@" in text or not ids:
        option = f"--{name.removeprefix('start_')}"
        what = f"is not known here, and a page loads no file: start gpruntime watch with {option} FILE.py:NAME"
        raise BadInput(name, text, what)
    known(name, text, ids)
