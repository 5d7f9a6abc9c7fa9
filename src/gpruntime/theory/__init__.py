"""What a proof needs: on exact chains bounds with a certificate, closed forms, optimal choices; and limits n → ∞.

certifying   the best potential in the span of some features, by a linear program; or one of one's own
features     what can be spanned: numbers of a tree, by name or one's own
problems     what problems bring
drifts       the states of a run, and the drift of each feature there
certificate  what comes out: words, LaTeX, a file
answer       what all answers share
witness      a state that shows why there is none
walk         states and moves, by the model alone
verifier     an independent check of a certificate's file, without the exact solver
cells        infinitely many trees at once: where trees grow without end
closing      the best potential there, for all trees
enclosing    two-sided answers, with all rounding
leveling     `levels`: the fitness-level method done exactly

guessing     closed forms and recurrences behind exact values
forms        the language of closed forms
form_search  the search for one
recurrences  linear recurrences with polynomial coefficients, and the search for one

policies     the best choice of operations for each state, and what it saves
choices      the chain with a kernel for each choice
strategies   what strategies cost, and which are best
environment  runs in which an agent makes the choices

pictures     figures of all of these

limits       the limit n → ∞ of a problem that counts leaves
variables    the kinds of its variables
transitions  the mean field: how the states of a variable change
mean_field   its course over time, and where it ends
gumbel_law   the law that times tend to, and its test
limit_figure the figures
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpruntime.theory.certificate import Certificate, NoCertificate
    from gpruntime.theory.certifying import certify
    from gpruntime.theory.enclosing import Enclosure, enclose
    from gpruntime.theory.environment import Environment
    from gpruntime.theory.guessing import Guess, guess
    from gpruntime.theory.gumbel_law import Gumbel, gumbel
    from gpruntime.theory.leveling import LevelBounds, LevelChances, levels
    from gpruntime.theory.limits import Limit, best_insertion, limit
    from gpruntime.theory.policies import Policy, policy
    from gpruntime.theory.verifier import Checked, verify
    from gpruntime.theory.witness import Witness

_WHERE = {
    "certificate": ("Certificate", "NoCertificate"),
    "certifying": ("certify",),
    "enclosing": ("Enclosure", "enclose"),
    "environment": ("Environment",),
    "guessing": ("Guess", "guess"),
    "gumbel_law": ("Gumbel", "gumbel"),
    "leveling": ("LevelBounds", "LevelChances", "levels"),
    "limits": ("Limit", "best_insertion", "limit"),
    "policies": ("Policy", "policy"),
    "verifier": ("Checked", "verify"),
    "witness": ("Witness",),
}

__all__ = [
    "Certificate",
    "Checked",
    "Enclosure",
    "Environment",
    "Guess",
    "Gumbel",
    "LevelBounds",
    "LevelChances",
    "Limit",
    "NoCertificate",
    "Policy",
    "Witness",
    "best_insertion",
    "certify",
    "enclose",
    "guess",
    "gumbel",
    "levels",
    "limit",
    "policy",
    "verify",
]


def __getattr__(name: str) -> Any:
    """On first use: the verifier is to be had without the exact solver."""
    for module, names in _WHERE.items():
        if name in names:
            return getattr(importlib.import_module(f"gpruntime.theory.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
