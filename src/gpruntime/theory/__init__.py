"""What a proof needs, computed on exact chains: closed forms and optimal choices.

guessing     closed forms and recurrences behind exact values
forms        the language of closed forms
form_search  the search for one
recurrences  linear recurrences with polynomial coefficients, and the search for one
policies     the best choice of operations for each state, and what it saves
choices      the chain with a kernel for each choice
strategies   what strategies cost, and which are best
level_solver the same for strategies that look at the fitness alone, quickly
environment  runs in which an agent makes the choices
guess_figure, policy_figure  figures
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpruntime.theory.environment import Environment
    from gpruntime.theory.guessing import Guess, guess
    from gpruntime.theory.policies import Policy, policy

_WHERE = {
    "Environment": "environment",
    "Guess": "guessing",
    "guess": "guessing",
    "Policy": "policies",
    "policy": "policies",
}

__all__ = ["Environment", "Guess", "Policy", "guess", "policy"]


def __getattr__(name: str) -> Any:
    """On first use."""
    if name in _WHERE:
        return getattr(importlib.import_module(f"gpruntime.theory.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
