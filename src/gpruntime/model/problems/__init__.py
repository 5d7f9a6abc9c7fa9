"""Our problems, one file each: a file that is put here is found, and has its tests (tests/model/test_problems.py)."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType

from gpruntime.model.problem import Problem


def _found() -> dict[str, Problem]:
    """The `PROBLEM` of each file here, in the order of their numbers."""
    modules = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    problems = [module.PROBLEM for module in modules if hasattr(module, "PROBLEM")]
    return {problem.id: problem for problem in sorted(problems, key=lambda problem: problem.number)}


_OURS = _found()
PROBLEMS: Mapping[str, Problem] = MappingProxyType(dict(_OURS))


def problem_named(text: object) -> Problem:
    """The problem of this name, in this file, or itself."""
    return Problem.named(text, _OURS)


__all__ = ["PROBLEMS", "Problem", "problem_named"]
