"""A spec as text, and back: one table of its fields, and a function for each form.

| form                       | of a spec         | back                             |
|----------------------------|-------------------|----------------------------------|
| plain values               | `spec.settings`   | `RunSpec(**…)`                   |
| options of the command     | `options_of`      | `cli.options`, by `fields_from`  |
| keys of a plan             | `plan_keys`       | `study.grid`                     |
| names and values of a link | `link_of`         | `watch.choice`, by `fields_from` |
| columns of a row           | `columns_of`      | `from_columns`                   |
| JSON record of a result    | `record_of`       | `RunSpec.from_data`              |
| a short line, for a list   | `short`           |                                  |
| words, for a report        | `sentence`, `words_for` |                            |

Of many, `common_parts` and `short_labels` say what they share and what tells them apart.

Whatever is read here is data: it loads no code. Three numbers are one value: `weights` is a list of words in options
and links, three columns in a row, a list in a record.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from gpruntime.model.acceptance import ACCEPTANCES
from gpruntime.model.family import GOALS
from gpruntime.model.initial import NAMES
from gpruntime.model.mutation import KINDS, LAST_LEAF, SUBSTITUTE_AT
from gpruntime.model.operations import LAWS
from gpruntime.model.operator import OPERATORS
from gpruntime.model.part import Part
from gpruntime.model.spec import DEFAULTS, RunSpec


class Setting(NamedTuple):
    """What is said about a field of a spec.

    Attributes:
        option: its option on the command line.
        metavar, help: for that option.
        words: what people read before its value.
        default: for a field that may be left out.
    """

    option: str
    metavar: str = ""
    help: str = ""
    words: str = ""
    default: Any = None


INTEGERS = ("n", "max_leaves_allowed", "budget")
IN_ALGORITHM = ("accept", "operations", "search", "until")
"""Of a row these are in the column of the algorithm, where they are not its own."""
_HEAD = ("problem", "algorithm", "n", "init")
_LONG_TREE = 40
_LONG_VALUE = 40
_SETTINGS = {
    "problem": Setting("--problem"),
    "algorithm": Setting("--algorithm"),
    "n": Setting("-n"),
    "init": Setting(
        "--init",
        "|".join(NAMES) + "|'TREE'|@FILE",
        "Initial tree; NAME:leaves=M for M leaves instead of 2n, also leaves=4n; a tree such as "
        "'((x1 !x4) (x2 x3))', or the file that holds it.",
        "initial",
    ),
    "weights": Setting("--weights", "S,I,D", "Weights of substitution, insertion and deletion.", "weights"),
    "poisson_mean": Setting("--poisson-mean", "L", "Multi algorithms make 1 + Pois(L) operations.", "λ ="),
    "accept": Setting(
        "--accept", "|".join(ACCEPTANCES) + "|FILE.py:NAME", "Acceptance rule in place of the algorithm's.", "accept"
    ),
    "operations": Setting(
        "--operations",
        "|".join(LAWS),
        "Operations per offspring in place of the algorithm's, as in power:beta=1.5 or exactly:k=3.",
        "operations",
    ),
    "operator": Setting("--operator", "|".join(OPERATORS) + "|FILE.py:NAME", "The mutation.", "operator"),
    "substitute": Setting(
        "--substitute",
        "|".join(SUBSTITUTE_AT),
        "What a substitution picks; a join it picks stays as it is where J is the only function.",
        "substitution at",
    ),
    "last_leaf": Setting("--last-leaf", "|".join(LAST_LEAF), "What deleting the only leaf does.", "last leaf"),
    "search": Setting("--search", "FILE.py:NAME", "An algorithm of your own in place of the (1+1) GP.", "search"),
    "until": Setting(
        "--until",
        "|".join(GOALS),
        "When a run of SMO-GP ends: with the whole front of fitness and size, or with the first optimum.",
        "until",
    ),
    "max_leaves_allowed": Setting("--max-leaves", "M", "Reject offspring with more than M leaves."),
    "budget": Setting("--budget", "B", "Stop after B evaluations."),
}
SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {name: _SETTINGS[name]._replace(default=default) for name, default in DEFAULTS.items()}
)
"""The fields of a spec by name, in their order."""
OPTIONAL = tuple(name for name, setting in SETTINGS.items() if setting.metavar)
"""Those that may be left out."""


def _changed(spec: RunSpec) -> dict[str, Any]:
    """The settings that are not the default; of the substitution, not the problem's."""
    usual = {**DEFAULTS, "substitute": spec.usual_substitute}
    return {name: value for name, value in spec.settings.items() if value != usual[name]}


# ---- the command line


def options_of(spec: RunSpec) -> dict[str, str]:
    """The options of a command that runs it. A user-defined part is named by its file, which must be known."""
    stated = spec.stated() if spec.budget is None else {**spec.stated(), "budget": spec.budget}
    names = [name for name in SETTINGS if name in stated]
    return {SETTINGS[name].option: _option_value(spec, name) for name in names}


def _option_value(spec: RunSpec, name: str) -> str:
    if name == "weights":
        return ",".join(repr(weight) for weight in spec.weights)
    value = str(spec.settings[name])
    own = {part.id: part for part in spec.parts if part.is_own and part.field == name}
    return _in_file(own[value]) if value in own else value


def _in_file(part: Part) -> str:
    """A part as FILE.py:NAME, with its parameters; the file as it is seen from the current folder."""
    assert part.file is not None
    file, here = Path(part.file), Path(os.curdir).resolve()
    name, _, parameters = part.id.partition(":")
    shown = file.relative_to(here) if file.is_relative_to(here) else file
    return ":".join([str(shown), name.partition("@")[0], *([parameters] if parameters else [])])


def fields_from(texts: Mapping[str, str], integer: Callable[[str, str], int | None]) -> dict[str, Any]:
    """The fields of a spec that options or a link give as text; `integer` reads a number, given its name."""
    fields: dict[str, Any] = {name: text for name, text in texts.items() if name in SETTINGS}
    fields |= {name: integer(name, fields[name]) for name in INTEGERS if name in fields}
    return fields | ({"weights": texts["weights"].split(",")} if "weights" in texts else {})


# ---- plans and links


def plan_keys(spec: RunSpec) -> dict[str, Any]:
    """The keys of a plan's table, but for n."""
    keys = {name: value for name, value in spec.settings.items() if name in _HEAD or value != DEFAULTS[name]}
    del keys["n"]
    return keys | ({"weights": [list(spec.weights)]} if "weights" in keys else {})


def link_of(spec: RunSpec) -> dict[str, str]:
    """The names and values of a link; defaults are left out."""
    texts = {name: str(value) for name, value in _changed(spec).items()}
    if "weights" in texts:
        texts["weights"] = ",".join(repr(weight).removesuffix(".0") for weight in spec.weights)
    return texts


# ---- rows and records

_WEIGHTS = {f"weight_{kind}": float for kind in KINDS}
_KINDS = {"poisson_mean": float, **dict.fromkeys(INTEGERS, int)}  # the others are words
SPEC_COLUMNS: dict[str, type] = {
    column: kind
    for name in SETTINGS
    if name not in IN_ALGORITHM
    for column, kind in (_WEIGHTS if name == "weights" else {name: _KINDS.get(name, str)}).items()
}
"""The columns of a spec in a table of runs, with their types."""


def columns_of(spec: RunSpec) -> dict[str, Any]:
    """The spec columns of a run. Equal laws have equal rows if they are spelled alike, as those of a plan."""
    weights = dict(zip(_WEIGHTS, spec.weights, strict=True))
    values = {**spec.settings, **weights, "algorithm": spec.algorithm.variant}
    return {name: values[name] for name in SPEC_COLUMNS}


def from_columns(row: Mapping[str, Any]) -> RunSpec:
    """The spec that the spec columns of a row describe; it loads nothing."""
    weights = tuple(row[name] for name in _WEIGHTS)
    return RunSpec.from_data(weights=weights, **{name: row[name] for name in SPEC_COLUMNS if name not in _WEIGHTS})


def record_of(spec: RunSpec) -> dict[str, Any]:
    """All fields for a JSON record, with the rule, the law and the goal that hold, whoever said them."""
    until = "" if spec.family is None else spec.goal
    values = {**spec.settings, "accept": spec.selection, "operations": spec.operations.id, "until": until}
    values["weights"] = list(spec.weights)
    return {name: value for name, value in values.items() if value or name not in ("search", "until")}


# ---- for people


def short(spec: RunSpec, but: Collection[str] = ()) -> str:
    """A line for a list: problem, algorithm, n, initial tree, and what else is not the default."""
    texts = {name: str(spec.settings[name]) for name in _HEAD} | {k: str(v) for k, v in _changed(spec).items()}
    if "weights" in texts:
        texts["weights"] = ",".join(f"{weight:g}" for weight in spec.weights)
    parts = []
    for name, text in texts.items():
        shown = text if len(text) <= _LONG_VALUE else text[: _LONG_VALUE - 3] + "..."
        if name not in but:
            parts.append(shown if name in ("problem", "algorithm") else f"{name} = {shown}")
    return ", ".join(parts)


def sentence(spec: RunSpec, but: Collection[str] = (), init: str | None = None, sized: bool = False) -> str:
    """What a run was asked to be, all but n, limits and budget; defaults are left out.

    Args:
        spec: the run's.
        but: fields that are left out too; λ goes with the algorithm.
        init: the initial tree's text, where it is not the spec's: 4n leaves at every n, say.
        sized: n and the limit on leaves, too.
    """
    head = {"algorithm": spec.algorithm.name, "problem": spec.problem.name}
    if "search" in but:
        del head["algorithm"]
    parts = [" on ".join(text for name, text in head.items() if name not in but)]
    if sized:
        parts.append(f"n = {spec.n}")
    if spec.search is not None and spec.search.is_foreign:  # of another tool's algorithm nothing else is known
        return ", ".join(parts)
    if "init" not in but:
        parts.append(words_for("init", spec, init))
    if "weights" not in but and spec.weights != DEFAULTS["weights"]:
        parts.append("weights " + ", ".join(f"{k} {_exact(w)}" for k, w in zip(KINDS, spec.weights, strict=True)))
    hidden = {*but, *(["substitute"] if spec.problem.is_own else []), *(["poisson_mean"] if "algorithm" in but else [])}
    others = ("poisson_mean", "operator", "substitute", "last_leaf", "until")
    parts += [words_for(name, spec) for name in others if name in spec.law() and name not in hidden]
    if sized and spec.max_leaves_allowed is not None:
        parts.append(f"at most {spec.max_leaves_allowed:,} leaves")
    return ", ".join(filter(None, parts))


def words_for(name: str, spec: RunSpec, init: str | None = None) -> str:
    """One setting of a run in words, also where it is the default."""
    if name == "algorithm":
        own = spec.algorithm.multi and spec.poisson_mean != 1.0
        return spec.algorithm.name + (f" with {words_for('poisson_mean', spec)}" if own else "")
    if name == "problem":
        return spec.problem.name
    values = {
        "init": _short_tree(init or str(spec.init)),
        "weights": ":".join(map(_exact, spec.weights)),
        "poisson_mean": _exact(spec.poisson_mean),
        "search": "" if spec.search is None else spec.search.name,
    }
    value = values[name] if name in values else spec.settings[name]
    program = f" {spec.representation.id.replace('-', ' ')}" if name == "init" else ""
    return f"{SETTINGS[name].words}{program} {value or 'as usual'}".lstrip()


def _exact(value: float) -> str:
    """All digits of a number that was asked for: two settings must not share a name."""
    return digits if float(digits := f"{value:g}") == value else repr(float(value))


def _short_tree(init: str) -> str:
    """A long tree by its beginning, its size and its digest: two settings must not share a name."""
    if len(init) <= _LONG_TREE:
        return init
    digest = hashlib.sha256(init.encode()).hexdigest()[:8]
    return f"{init[: _LONG_TREE // 2]}… ({init.count('x'):,} leaves; {digest})"


def common_parts(names: list[str]) -> list[str]:
    """What names of settings have in common."""
    parts = [name.split(", ") for name in names]
    return [part for part in parts[0] if all(part in other for other in parts[1:])] if parts else []


def short_labels(names: list[str]) -> dict[str, str]:
    """Only what tells them apart."""
    common = common_parts(names) if len(names) > 1 else []
    return {name: ", ".join(part for part in name.split(", ") if part not in common) or name for name in names}
