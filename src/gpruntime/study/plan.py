"""What a study is asked to be: cells, and how many runs each gets.

A plan is written as TOML, or as the same keys in Python:

    Plan.of(seed=1, problem="order", algorithm="gp-single", n={"from": 10, "to": 1000, "factor": 2}, runs=100)

Each key of a cell takes one value or a list, and the plan holds every combination. With tables `[[grid]]` it holds
the combinations of each: a grid takes the keys of the plan, with its own in their place.

Everything is checked before anything runs, and all that is wrong is reported at once (`BadPlan`).
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from gpruntime.files import odd_kind
from gpruntime.model.acceptance import Acceptance
from gpruntime.model.algorithms import split_variant
from gpruntime.model.errors import BadInput, known, whole
from gpruntime.model.face import facts
from gpruntime.model.operator import Operator
from gpruntime.model.part import Part, restored
from gpruntime.model.problem import Problem
from gpruntime.model.search_part import SearchPart
from gpruntime.model.source import digest_of
from gpruntime.model.stream import MAX_SEED
from gpruntime.model.tree_file import init_from
from gpruntime.study.cell import Cell, Goal
from gpruntime.study.errors import BadPlan, noting
from gpruntime.study.grid import CELL_KEYS, cells_of, check_keys
from gpruntime.study.plan_text import toml_of

METHODS = ("auto", "stepping", "skipping")
DEVICES = ("cpu", "gpu")
STORES = ("rows", "summaries")
_MAX_EXTREMES = 1000
_DEFAULTS = {"seed": 0, "method": "auto", "device": "cpu", "improvements": False, "store": "rows", "extremes": 20}
STUDY_KEYS = (*_DEFAULTS, "parts", "grid")
# Keys whose values may be user-defined.
PART_KEYS = {"problem": Problem, "accept": Acceptance, "operator": Operator, "search": SearchPart}
_MAX_PROBLEMS = 50
_MAX_SHOWN = 20  # cells, in a notebook
_MAX_BYTES = 50_000_000
_STREAM = re.compile(r"/dev/(?:stdin|fd/[0-9]{1,6})")


@dataclass(frozen=True, repr=False)
class Plan:
    """Checked: every cell can be run.

    Attributes:
        seed: the root seed of all runs.
        cells: in the order of the plan.
        method: "auto", "stepping" or "skipping"; on a GPU "auto" is stepping.
        device: "cpu" or "gpu".
        improvements: whether each new best fitness of a run is kept.
        store: "rows", one for each run, or "summaries" of many runs.
        extremes: how many of the longest runs a summary keeps by number, and of the shortest.
        text: the plan as TOML.
        parts: the sources of user-defined components, by their ids; they are not run until `loaded`.
    """

    seed: int
    cells: tuple[Cell, ...]
    method: str
    device: str
    improvements: bool
    store: str
    extremes: int
    text: str = field(compare=False, repr=False)
    parts: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def __repr__(self) -> str:
        return (
            f"<Plan: {len(self.cells):,} cells, {self._runs()}, seed {self.seed}\n"
            " .cells: one by one; .text: as TOML; gpruntime.study.run_study(plan, folder) runs it>"
        )

    def _runs(self) -> str:
        """How many runs it asks for, in words: of a cell with a goal the least number is known."""
        least = sum(cell.rule.first_target() for cell in self.cells)
        goals = sum(isinstance(cell.rule, Goal) for cell in self.cells)
        return f"{least:,} runs" + (f" or more ({goals:,} cells run to a goal)" if goals else "")

    def _repr_html_(self) -> str:
        title = f"Plan: {len(self.cells):,} cells, {self._runs()}, seed {self.seed}"
        rows = [(f"{cell.rule.first_target():,} runs", cell.words()) for cell in self.cells[:_MAX_SHOWN]]
        left = len(self.cells) - len(rows)
        more = f"… and {left:,} more cells. " if left else ""
        return facts(title, rows, more=f"{more}gpruntime.study.run_study(plan, folder) runs it")

    @classmethod
    def of(cls, **keys: Any) -> Plan:
        """The plan with these keys, the same as in TOML. Raises `BadPlan`.

        `@FILE` and `FILE.py:NAME` are of the current folder; user-defined components may be given as themselves.
        """
        given = _with_files({key: value for key, value in keys.items() if value is not None}, Path())
        plan = _read(given, "")
        text = toml_of(given)
        try:
            same = cls.from_toml(text) == plan
        except BadPlan:
            same = False
        if not same:
            allowed = "use numbers, texts, lists and dictionaries only"
            raise BadPlan([BadInput("plan", "cannot be written down", allowed)])
        return dataclasses.replace(plan, text=text)

    @staticmethod
    @lru_cache(maxsize=4)  # a folder's plan is read more than once, and may have a hundred thousand cells
    def from_toml(text: str) -> Plan:
        """The plan that a TOML text holds, without a look at any file. Raises `BadPlan`."""
        return _read(_keys(text), text)

    @classmethod
    def from_file(cls, path: str | Path) -> Plan:
        """The plan in a TOML file; `@FILE` and `FILE.py:NAME` are beside it, and the latter is run.

        Raises `BadPlan`, or `OSError` if it cannot be read.
        """
        text = _text(_bytes_of(Path(path)), str(path))
        plain = _keys(text)
        keys = _with_files(plain, Path(path).parent)
        return cls.from_toml(text if keys == plain else toml_of(keys))

    @classmethod
    def from_bytes(cls, content: bytes, path: str) -> Plan:
        """The same from the content of a file, read from this path."""
        return cls.from_toml(_text(content, path))

    def kept_parts(self, cells: Iterable[Cell] | None = None) -> list[Part]:
        """The parts of its cells, or of some of them, of which it has the source and that are not in this process."""
        known = [restored(type(part), part.id, None) for part in self._unloaded(cells)]
        return [part for part in known if not part.is_loaded and part.base in self.parts]

    def loaded(self, cells: Iterable[Cell] | None = None) -> Plan:
        """The same plan with these parts ready to run: their sources are executed (`gpruntime.study.trust`)."""
        for part in self.kept_parts(cells):
            restored(type(part), part.id, self.parts[part.base])
        return _read(_keys(self.text), self.text) if self._unloaded(cells) else self

    def _unloaded(self, cells: Iterable[Cell] | None) -> list[Part]:
        """Those that were in no process of ours when the plan was read."""
        parts = {part.id: part for cell in (self.cells if cells is None else cells) for part in cell.spec.parts}
        return [part for part in parts.values() if not part.is_loaded]

    @property
    def summarised(self) -> bool:
        """Whether summaries are stored in place of rows."""
        return self.store == "summaries"

    @cached_property
    def is_real(self) -> bool | None:
        """Whether a fitness is a float, in all cells alike; None if no problem is loaded that says so."""
        known = (cell.spec for cell in self.cells if cell.spec.problem.is_loaded)
        return next((spec.problem.is_real(spec.n) for spec in known), None)

    @cached_property
    def by_id(self) -> dict[str, Cell]:
        """The cells by their ids."""
        return {cell.id: cell for cell in self.cells}

    def find(self, prefix: str) -> Cell:
        """The cell whose id begins like this. Raises `BadInput` unless there is one, and one only."""
        cells = [cell for cell in self.cells if prefix and cell.id.startswith(prefix)]
        if len(cells) != 1:
            raise BadInput("cell", prefix, f"{len(cells) or 'no'} cells of the study begin with {prefix!r}")
        return cells[0]

    def most_runs(self) -> int:
        """How many runs the study makes, or at most makes."""
        return sum(cell.rule.ceiling for cell in self.cells)

    def contradictions(self, old: Plan) -> list[str]:
        """What keeps this plan from taking up a study made with the old one: nothing, if it only adds."""
        names = ["seed", "method", "improvements", "store"]
        names += ["extremes"] if self.summarised and old.summarised else []
        values = [(name, getattr(old, name), getattr(self, name)) for name in names]
        differences = [
            f"{name}: {theirs} in the folder, {ours} in the plan" for name, theirs, ours in values if theirs != ours
        ]
        if self.device != old.device and self.method == "auto" and any(cell.spec.can_skip for cell in old.cells):
            devices = f"{old.device} in the folder, {self.device} in the plan"
            differences.append(f"device: {devices}, which is another method for GP*")
        cells: dict[str, list[str]] = {}
        for cell in old.cells:
            new = self.by_id.get(cell.id)
            if new is None:
                why = "in the folder, not in the plan"
            elif new.spec.budget != cell.spec.budget:
                why = f"budget: {cell.spec.budget} in the folder, {new.spec.budget} in the plan"
            elif not new.rule.extends(cell.rule):
                why = f"fewer runs: {cell.rule.words()} in the folder, {new.rule.words()} in the plan"
            else:
                continue
            cells.setdefault(why, []).append(cell.words())
        for why, words in cells.items():
            more = f", and {len(words) - 1} more cells" if len(words) > 1 else ""
            differences.append(f"{why}: {words[0]}{more}")
        return differences


def _bytes_of(path: Path) -> bytes:
    """What a file holds, unless it is no ordinary file and no open stream, /dev/stdin say, or has no end."""
    odd = None if _STREAM.fullmatch(str(path)) else odd_kind(path.stat().st_mode)
    if odd is not None:
        raise BadPlan([BadInput("plan", str(path), f"{odd}; give a file")])
    with path.open("rb") as file:
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise BadPlan([BadInput("plan", str(path), f"has more than {_MAX_BYTES // 10**6} MB: that is no plan")])
    return content


def _text(content: bytes, path: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise BadPlan([BadInput("plan", path, "is not UTF-8 text")]) from None


def _keys(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:  # nested too deep; numbers too long
        raise BadPlan([BadInput("plan", "not TOML", str(error) or type(error).__name__)]) from None


def _with_files(keys: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The same keys with what files hold in place of their names: a study's folder needs no others.

    A tree takes the place of `@FILE`. A user-defined component is named by its id, also behind an algorithm's name
    ("gp-single accept=FILE.py:NAME"), and its source goes to `parts`. From here on the plan is data: see
    `RunSpec.from_data`.
    """
    problems: list[BadInput] = []
    given = keys.get("parts", {})
    sources: dict[str, str] = dict(given) if isinstance(given, Mapping) else {}

    def tree(value: Any) -> Any:
        return init_from(value, folder) if isinstance(value, str) else value

    def part(kind: type[Part]) -> Callable[[Any], Any]:
        def named(value: Any) -> Any:
            component = kind.in_folder(value, folder)
            if component is None or component.source is None:
                return value
            sources[component.base] = component.source
            return component.id

        return named

    def each(change: Callable[[Any], Any], value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [each(change, entry) for entry in value]
        with noting(problems):
            return change(value)

    parts = {key: part(kind) for key, kind in PART_KEYS.items()}

    def variant(value: Any) -> Any:
        try:
            name, options = split_variant(value)
        except BadInput:  # reported with all that is wrong with the plan
            return value
        words = (f"{key}={parts[key](text) if key in parts else text}" for key, text in options.items())
        return " ".join([str(name), *words]) if options else value

    changes = {"init": tree, "algorithm": variant, **parts}

    def table(value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return {**value, **{key: each(change, value[key]) for key, change in changes.items() if key in value}}

    named = dict(table(keys))
    if isinstance(named.get("grid"), list | tuple):
        named["grid"] = [table(grid) for grid in named["grid"]]
    if problems:
        raise BadPlan(problems)
    return named | ({"parts": sources} if sources else {})


def _parts(keys: Mapping[str, Any], problems: list[BadInput]) -> dict[str, str]:
    """The sources that a plan carries, each the one its id was made from."""
    parts = keys.get("parts", {})
    if not isinstance(parts, Mapping) or not all(isinstance(source, str) for source in parts.values()):
        problems.append(BadInput("parts", parts, "must be a table of sources by id"))
        return {}
    for id_, source in parts.items():
        if id_.partition("@")[2] != digest_of(source):
            problems.append(BadInput("parts", id_, "its source has another digest: it was changed"))
    return dict(parts)


def _read(keys: Mapping[str, Any], text: str) -> Plan:
    problems: list[BadInput] = []
    check_keys(keys, (*STUDY_KEYS, *CELL_KEYS), "", problems)
    settings = {key: keys.get(key, default) for key, default in _DEFAULTS.items()}
    for check in (
        lambda: whole("seed", settings["seed"], 0, MAX_SEED),
        lambda: known("method", settings["method"], METHODS),
        lambda: _check_device(settings),
        lambda: _check_store(settings),
        lambda: whole("extremes", settings["extremes"], 0, _MAX_EXTREMES),
        lambda: _check_improvements(settings["improvements"]),
    ):
        with noting(problems):
            check()
    parts = _parts(keys, problems)
    cells = cells_of({**keys, "parts": parts}, problems)
    if problems:
        problems = list({str(problem): problem for problem in problems}.values())
        if len(problems) > _MAX_PROBLEMS:
            more = BadInput("plan", f"{len(problems) - _MAX_PROBLEMS} more problems", "correct these first")
            problems = [*problems[:_MAX_PROBLEMS], more]
        raise BadPlan(problems)
    numbers = {name: int(settings[name]) for name in ("seed", "extremes")}
    return Plan(**{**settings, **numbers}, cells=cells, text=text, parts=parts)


def _check_device(settings: Mapping[str, Any]) -> None:
    if known("device", settings["device"], DEVICES) == "gpu":
        if settings["method"] == "skipping":
            raise BadInput("device", "gpu", "kernels make every proposal: method must be stepping")
        if settings["improvements"] is True:
            raise BadInput("device", "gpu", "kernels do not note improvements")


def _check_store(settings: Mapping[str, Any]) -> None:
    if known("store", settings["store"], STORES) == "summaries" and settings["improvements"] is True:
        raise BadInput("store", "summaries", "improvements are kept with rows only")


def _check_improvements(value: Any) -> None:
    if not isinstance(value, bool):
        raise BadInput("improvements", value, "must be true or false")
