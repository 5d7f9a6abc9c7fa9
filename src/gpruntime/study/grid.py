"""From the keys of a plan to its cells: every combination of the lists, each value and each combination checked.

Sizes n are numbers and ranges, arithmetic or geometric:

    n = 100
    n = [10, 20, 50]
    n = {from = 10, to = 100, step = 10}
    n = {from = 10, to = 10000, factor = 2}
    n = [5, {from = 10, to = 10000, factor = 2}]

A geometric range is from·factorᵏ, rounded; sizes that round to the same number are one size.
"""

from __future__ import annotations

import ast
import difflib
import itertools
import math
from collections.abc import Mapping
from typing import Any

from gpruntime.model.errors import BadInput, whole
from gpruntime.model.problem import MAX_VARIABLES
from gpruntime.model.problems import PROBLEMS
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import SETTINGS
from gpruntime.model.stream import MAX_RUN
from gpruntime.study.cell import Cell, Fixed, Rule, goal_of
from gpruntime.study.errors import noting
from gpruntime.study.plan_text import NO_LIMIT

MAX_CELLS = 100_000

RULE_KEYS = ("runs", "goal")
LISTED_KEYS = tuple(name for name in SETTINGS if name != "budget")
CELL_KEYS = (*LISTED_KEYS, "budget", *RULE_KEYS)
_REQUIRED = ("problem", "algorithm", "n")


def cells_of(keys: Mapping[str, Any], problems: list[BadInput]) -> tuple[Cell, ...]:
    """The cells of a plan with these keys, in order. What is wrong goes to `problems`."""
    cells: dict[str, Cell] = {}
    several = {id_ for id_, source in keys["parts"].items() if _has_several_functions(id_, source)}
    for where, grid in _grids(keys, problems):
        rule = _rule(where, grid, problems)
        _add_cells(cells, where, grid, rule, keys.get("method"), several, problems)
    known = [cell.spec for cell in cells.values() if cell.spec.problem.is_loaded]
    if len({spec.problem.is_real(spec.n) for spec in known}) > 1:
        floats = next(spec.problem.id for spec in known if spec.problem.is_real(spec.n))
        problems.append(
            BadInput("problem", floats, "has floats as fitness and others have not: make two studies of them")
        )
    return tuple(cells.values())


def check_keys(keys: Mapping[str, Any], allowed: tuple[str, ...], where: str, problems: list[BadInput]) -> None:
    """Notes the keys that are not allowed, with the near one."""
    for key in keys:
        if key not in allowed:
            near = difflib.get_close_matches(str(key), allowed, n=1, cutoff=0.6)
            hint = f"; did you mean {near[0]}?" if near else f"; the keys are {', '.join(allowed)}"
            problems.append(BadInput(where + str(key), keys[key], "unknown key" + hint))


def _grids(keys: Mapping[str, Any], problems: list[BadInput]) -> list[tuple[str, dict[str, Any]]]:
    """The grids of a plan, each with the words for messages that say where it stands."""
    shared = {key: keys[key] for key in CELL_KEYS if key in keys}
    if "grid" not in keys:
        return [("", shared)]
    tables = keys["grid"]
    if not isinstance(tables, list | tuple) or not tables or not all(isinstance(table, dict) for table in tables):
        problems.append(BadInput("grid", tables or "[]", "must be one or more tables [[grid]]"))
        return []
    grids = []
    for number, table in enumerate(tables, 1):
        where = f"grid {number}: "
        check_keys(table, CELL_KEYS, where, problems)
        own_rule = any(key in table for key in RULE_KEYS)
        inherited = {key: value for key, value in shared.items() if not (own_rule and key in RULE_KEYS)}
        grids.append((where, {**inherited, **{key: table[key] for key in CELL_KEYS if key in table}}))
    return grids


def _rule(where: str, grid: dict[str, Any], problems: list[BadInput]) -> Rule | None:
    if "runs" in grid and "goal" in grid:
        problems.append(BadInput(where + "goal", "beside runs", "give one of the two"))
    elif "goal" in grid:
        return goal_of(where, grid["goal"], problems)
    elif "runs" not in grid:
        problems.append(BadInput(where + "runs", "missing", "give a number of runs for each cell, or a goal"))
    else:
        with noting(problems):
            return Fixed(whole(where + "runs", grid["runs"], 1, MAX_RUN))
    return None


def _add_cells(
    cells: dict[str, Cell],
    where: str,
    grid: dict[str, Any],
    rule: Rule | None,
    method: Any,
    several: set[str],
    problems: list[BadInput],
) -> None:
    lists, wrong = _lists(grid)
    problems += [BadInput(where + problem.name, problem.value, problem.allowed) for problem in wrong]
    if wrong or rule is None:
        return
    number = math.prod(len(values) for values in lists.values())
    if number + len(cells) > MAX_CELLS:
        problems.append(BadInput(where + "plan", f"{number} cells", f"at most {MAX_CELLS} are allowed"))
        return
    for values in itertools.product(*lists.values()):
        fields = dict(zip(lists, values, strict=True))
        if fields["problem"].partition(":")[0] in several:
            fields.setdefault("substitute", "nodes")  # the default, also where the problem is not loaded
        try:
            spec = RunSpec.from_data(**fields, budget=_limit(grid.get("budget")))
            _check_method(spec, method)
        except BadInput as problem:
            name = "init" if problem.name == "tree" else problem.name
            problems.append(BadInput(where + name, problem.value, problem.allowed))
            continue
        spec = spec.in_one_spelling()
        cell = Cell(spec, rule)
        if cell.id not in cells:
            cells[cell.id] = cell
        elif spec.algorithm.multi or len(lists.get("poisson_mean", ())) < 2:  # λ has no part in single algorithms
            problems.append(BadInput(where + "duplicate", cell.words(), "this cell is in the plan already"))


def _has_several_functions(id_: str, source: str) -> bool:
    """Whether a user-defined problem has several functions, by its source, which is read and not run."""
    try:
        definitions = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    decorators = [
        decorator
        for definition in definitions
        if isinstance(definition, ast.FunctionDef) and definition.name == id_.partition("@")[0]
        for decorator in definition.decorator_list
        if isinstance(decorator, ast.Call)
    ]
    functions = [keyword.value for call in decorators for keyword in call.keywords if keyword.arg == "functions"]
    return any(isinstance(value, ast.Dict) and len(value.keys) > 1 for value in functions)


def _lists(grid: dict[str, Any]) -> tuple[dict[str, list[Any]], list[BadInput]]:
    """The values each key of a grid stands for, and what is wrong with them one by one."""
    lists: dict[str, list[Any]] = {}
    wrong = []
    for key in (*LISTED_KEYS, "budget"):
        if key not in grid:
            if key in _REQUIRED:
                wrong.append(BadInput(key, "missing", "every plan needs problem, algorithm and n"))
            continue
        try:
            values = _values(key, grid[key])
        except BadInput as problem:
            wrong.append(problem)
            continue
        wrong += _alone(key, values)
        if key != "budget":
            lists[key] = values
    return lists, wrong


def _values(key: str, value: Any) -> list[Any]:
    """The values a key stands for: one, or those of a list, each once."""
    if key == "n":
        values: list[Any] = sizes_of(value)
    elif key == "budget" or not _is_list(value) or (key == "weights" and value and not _is_list(value[0])):
        values = [value]
    else:
        values = list(value)
    if key in ("max_leaves_allowed", "budget"):
        values = [_limit(entry) for entry in values]
    if not values:
        raise BadInput(key, "[]", "the list is empty")
    if len(values) > MAX_CELLS:
        raise BadInput(key, f"{len(values)} values", f"at most {MAX_CELLS} are allowed")
    seen: set[str] = set()
    for entry in values:
        if _plain(entry) in seen:
            raise BadInput(key, entry, "stands there twice")
        seen.add(_plain(entry))
    return values


def _alone(key: str, values: list[Any]) -> list[BadInput]:
    """What is wrong with values whatever the other keys are; but for those that depend on others."""
    wrong = []
    if key not in ("n", "init", "until"):
        for value in values:
            if not _is_plain(key, value):
                wrong.append(BadInput(key, value, "must be " + _PLAIN.get(key, "one word")))
                continue
            fields = {"problem": next(iter(PROBLEMS)), "algorithm": "gpstar-multi", "init": "x1", key: value}
            fields |= {"budget": 1} if key != "budget" else {}
            problems = [problem for n in (1, _LARGE) if (problem := _wrong(key, {**fields, "n": n})) is not None]
            if len(problems) == 2:  # gates=n-1 is wrong at n = 1 alone
                wrong.append(problems[0])
    return wrong


_LARGE = 1000


def _wrong(key: str, fields: dict[str, Any]) -> BadInput | None:
    try:
        RunSpec.from_data(**fields)
    except BadInput as problem:
        return problem if problem.name == key else None
    return None


_PLAIN = {
    "weights": "three numbers: of substitution, insertion and deletion",
    "poisson_mean": "a number",
    "max_leaves_allowed": "a whole number, or none",
    "budget": "a whole number, or none",
}


def _is_plain(key: str, value: Any) -> bool:
    """Whether a value is of the kind the key takes; the model itself takes more, as a command line must."""
    if key == "weights":
        return _is_list(value) and all(_is_number(weight) for weight in value)
    if key in ("poisson_mean", "max_leaves_allowed", "budget"):
        return value is None or _is_number(value)
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _limit(value: Any) -> Any:
    return None if isinstance(value, str) and value == NO_LIMIT else value


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _plain(value: Any) -> str:
    """For comparing values of any type: 1 and 1.0 are the same, 1 and true are not."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(float(value)) if abs(value) < 2**53 else repr(value)
    return "[" + ",".join(map(_plain, value)) + "]" if _is_list(value) else repr(value)


def _check_method(spec: RunSpec, method: Any) -> None:
    if method == "skipping" and not spec.can_skip:
        needs = "needs strict acceptance, hvl-prime and a problem that counts expressed variables"
        raise BadInput("method", method, f"{needs}, not {spec.algorithm.variant}, {spec.operator}")


def sizes_of(value: Any) -> list[int]:
    """The sizes a plan's `n` stands for, in its order. Raises `BadInput`."""
    if hasattr(value, "tolist"):  # NumPy's
        value = value.tolist()
    if isinstance(value, list | tuple | range):
        if len(value) == 0:
            raise BadInput("n", "[]", "the list is empty")
        return [size for part in value for size in _part(part)]
    return _part(value)


def _part(value: Any) -> list[int]:
    if isinstance(value, dict):
        return _range(value)
    return [whole("n", value, 1, MAX_VARIABLES)]


def _range(value: dict[str, Any]) -> list[int]:
    shown = ", ".join(f"{key} = {part!r}" for key, part in value.items())
    if not (set(value) == {"from", "to", "step"} or set(value) == {"from", "to", "factor"}):
        raise BadInput("n", f"{{{shown}}}", "a range has from, to and either step or factor")
    first = whole("n.from", value["from"], 1, MAX_VARIABLES)
    last = whole("n.to", value["to"], 1, MAX_VARIABLES)
    if last < first:
        raise BadInput("n.to", last, f"must not be below n.from = {first}")
    if "step" in value:
        step = whole("n.step", value["step"], 1)
        if (last - first) // step + 1 > MAX_CELLS:
            raise BadInput("n.step", step, f"gives more than {MAX_CELLS} sizes")
        return list(range(first, last + 1, step))
    factor = _factor(value["factor"])
    if math.log(last / first) / math.log(factor) + 1 > MAX_CELLS:
        raise BadInput("n.factor", factor, f"gives more than {MAX_CELLS} sizes")
    powers = (round(first * factor**k) for k in range(math.floor(math.log(last / first) / math.log(factor) + 1e-9) + 1))
    return list(dict.fromkeys(size for size in powers if size <= last))


def _factor(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 < value <= MAX_VARIABLES:
        raise BadInput("n.factor", value, "must be a number above 1")
    if value < 1 + 1e-6:
        raise BadInput("n.factor", value, "must be at least 1.000001")
    return float(value)
