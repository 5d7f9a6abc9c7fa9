"""Our algorithms with populations, or with other programs than trees, one file each: a file that is put here is found.

smo               multi-objective: all trees that no other beats in fitness and size
one_plus_lambda   the best of λ offspring
mu_plus_one       μ trees, of which the worst goes; with subtree crossover
concatenation     local searches whose trees are joined
qd                the best tree of each height
cgp               Cartesian GP: circuits
cgpstar           the same, with improvements only
gsgp              geometric semantic GP: truth tables
"""

from __future__ import annotations

import importlib
import pkgutil

from gpruntime.model.family import Family


def _found() -> dict[str, Family]:
    """The `FAMILY` of each file here, in the order of their numbers."""
    modules = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    return {module.FAMILY.id: module.FAMILY for module in sorted(modules, key=lambda module: module.FAMILY.number)}


FAMILIES = _found()
