"""What a problem tells the kernels: a few functions, chosen by the type of the problem's state.

A state is a named tuple of arrays: `MajorityState` or `OrderState` for stepping, `MajoritySkip` or `OrderSkip` for
skipping. The functions below are only names; Numba puts in their place what `@of(function, State)` has registered,
when it compiles a kernel for that state. So the stepping loop is written once, and compiled for each problem without
a call that is decided at run time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from numba.extending import overload

from gpruntime.engine.kernel import HELPER_OPTIONS


def start(law: Any, given: Any, state: Any, rng: Any) -> NoReturn:
    """Draws the initial tree; returns (leaves, fitness)."""
    raise NotImplementedError


def judge(law: Any, state: Any, leaves: Any, kind: Any, site: Any, side: Any, code: Any) -> NoReturn:
    """What the operation would add to the fitness; changes nothing."""
    raise NotImplementedError


def attempt(law: Any, state: Any, leaves: Any, kind: Any, site: Any, side: Any, code: Any, least: Any) -> NoReturn:
    """Makes the operation, one that does something, if it adds at least `least`; returns what it adds."""
    raise NotImplementedError


def foresee(state: Any, leaves: Any, site: Any, code: Any) -> NoReturn:
    """Asks for the memory that an operation at this node with this terminal, likely the next, will look at first."""
    raise NotImplementedError


def make(law: Any, state: Any, leaves: Any, kind: Any, site: Any, side: Any, code: Any) -> NoReturn:
    """Makes the operation and returns what it added to the fitness."""
    raise NotImplementedError


def note(law: Any, state: Any, leaves: Any, kind: Any, site: Any, code: Any, log: Any, j: Any) -> NoReturn:
    """Notes in `log[j]`, before the operation is made, its kind and what `undo` or `refile` will need."""
    raise NotImplementedError


def undo(law: Any, state: Any, leaves: Any, log: Any, j: Any) -> NoReturn:
    """Takes back the operation of `log[j]`, the last one made; `leaves` is the number after it was made."""
    raise NotImplementedError


def is_stuck(law: Any, state: Any, leaves: Any, fitness: Any) -> NoReturn:
    """Whether nothing can be accepted again: `gpruntime.model.stuck` has the criteria and the proofs."""
    raise NotImplementedError


# ---- for skipping, see `hopeful`


def measure(law: Any, state: Any) -> NoReturn:
    """(|U|, blocking leaves β, leaves β₂, how much β can grow per operation, operations at least needed to improve)."""
    raise NotImplementedError


def draw_hopeful(law: Any, state: Any, rng: Any, leaves: Any, kind: Any) -> NoReturn:
    """A hopeful operation of this kind: (site, side, code, which).

    On MAJORITY the site is a terminal, and `which` one of its leaves. On ORDER an unexpressed variable that comes in is
    given by `which`, its place in a list, or that is −1; `terminal_of` looks it up.
    """
    raise NotImplementedError


def draw_hopeless(law: Any, state: Any, rng: Any, leaves: Any, kind: Any) -> NoReturn:
    """An operation of this kind that is not hopeful: (site, side, code, which)."""
    raise NotImplementedError


def is_vain(law: Any, state: Any, leaves: Any, kind: Any, site: Any, which: Any) -> NoReturn:
    """Whether a hopeful operation can be seen at a glance, with less memory touched than by `judge`, not to improve."""
    raise NotImplementedError


def terminal_of(state: Any, code: Any, which: Any) -> NoReturn:
    """The terminal that comes in with what `draw_hopeful` or `draw_hopeless` has drawn."""
    raise NotImplementedError


def foresee_change(state: Any, leaves: Any, kind: Any, site: Any, side: Any, code: Any) -> NoReturn:
    """Asks for the memory that `make` and `refile` will need for this operation."""
    raise NotImplementedError


def refile(law: Any, state: Any, log: Any, operations: Any) -> NoReturn:
    """Brings U and the blocking leaves up to date after an accepted offspring."""
    raise NotImplementedError


LOG_WIDTH = 13


_implementations: dict[tuple[Callable[..., Any], type], Callable[..., Any]] = {}


def of(function: Callable[..., Any], state_type: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers what `function` is for states of this type."""

    def register(implementation: Callable[..., Any]) -> Callable[..., Any]:
        _implementations[function, state_type] = implementation
        return implementation

    return register


def _declare(function: Callable[..., Any], choose: Callable[..., Any]) -> None:
    # the others are called less often, and each copy costs the user compile time
    inline = function in (attempt, draw_hopeful, foresee, is_vain, make, terminal_of)
    options: Any = {**HELPER_OPTIONS, "forceinline": inline}
    overload(function, jit_options=options)(choose)


def _find(function: Callable[..., Any], state: Any) -> Callable[..., Any] | None:
    return _implementations.get((function, getattr(state, "instance_class", type(None))))


_declare(start, lambda law, given, state, rng: _find(start, state))
_declare(judge, lambda law, state, leaves, kind, site, side, code: _find(judge, state))
_declare(attempt, lambda law, state, leaves, kind, site, side, code, least: _find(attempt, state))
_declare(foresee, lambda state, leaves, site, code: _find(foresee, state))
_declare(make, lambda law, state, leaves, kind, site, side, code: _find(make, state))
_declare(note, lambda law, state, leaves, kind, site, code, log, j: _find(note, state))
_declare(undo, lambda law, state, leaves, log, j: _find(undo, state))
_declare(is_stuck, lambda law, state, leaves, fitness: _find(is_stuck, state))
_declare(measure, lambda law, state: _find(measure, state))
_declare(draw_hopeful, lambda law, state, rng, leaves, kind: _find(draw_hopeful, state))
_declare(draw_hopeless, lambda law, state, rng, leaves, kind: _find(draw_hopeless, state))
_declare(is_vain, lambda law, state, leaves, kind, site, which: _find(is_vain, state))
_declare(terminal_of, lambda state, code, which: _find(terminal_of, state))
_declare(foresee_change, lambda state, leaves, kind, site, side, code: _find(foresee_change, state))
_declare(refile, lambda law, state, log, operations: _find(refile, state))
