"""What is proved, conjectured or reported about expected times: a file for each paper, found if it is put here."""

from __future__ import annotations

import importlib
import pkgutil

from gpruntime.analysis.bound import Bound

_MODULES = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
_FILES = sorted(_MODULES, key=lambda module: not module.__name__.endswith(".founding"))

BOUNDS: tuple[Bound, ...] = tuple(bound for module in _FILES for bound in module.BOUNDS)
OPEN: dict[tuple[str, str], str] = {
    cell: question for module in _FILES for cell, question in getattr(module, "OPEN", {}).items()
}
"""By problem and algorithm: what the theory does not say."""
