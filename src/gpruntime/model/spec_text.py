"""A spec in words: what is said about each of its fields, in one table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from gpruntime.model.acceptance import ACCEPTANCES
from gpruntime.model.family import GOALS
from gpruntime.model.initial import NAMES
from gpruntime.model.mutation import LAST_LEAF, SUBSTITUTE_AT
from gpruntime.model.operations import LAWS
from gpruntime.model.operator import OPERATORS
from gpruntime.model.spec import DEFAULTS


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


_SETTINGS = {
    "problem": Setting("--problem"),
    "algorithm": Setting("--algorithm"),
    "n": Setting("-n"),
    "init": Setting(
        "--init",
        "|".join(NAMES) + "|'TREE'|@FILE",
        "Initial tree; NAME:leaves=M for M leaves instead of 2n, also leaves=4n; a tree such as "
        "'((x1 !x4) (x2 x3))', or the file that holds it.",
        "initial tree",
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
