"""Trees to and from DEAP, so that one can begin with a tree of DEAP's and carry a result back.

    pset = primitive_set(spec.problem, spec.n)          # or one's own
    tree = from_deap(individual, spec.primitives)        # any gp.PrimitiveTree; str(tree) can be an initial tree
    individual = creator.Individual(to_deap(tree, pset))

DEAP's names and ours: an argument ARG0, ARG1, … is x1, x2, …, as is one that was renamed to x1; an argument not_x1 is
the complement x̄1; a function keeps its name, but for the underscore that Python makes DEAP write (`and_` is our
`and`), and J is the join without a name. `names` says otherwise, by DEAP's names: {"conjunction": "and", "IN0": "x1"}.

DEAP is imported when a set or a tree of its kind is made, and not before.
"""

from __future__ import annotations

import keyword
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gpruntime.model.errors import BadTree, require
from gpruntime.model.problem import Problem
from gpruntime.model.terminals import Primitives
from gpruntime.model.tree import Tree, walk

JOIN = "J"
_ARGUMENT = re.compile(r"ARG(\d+)")
_COMPLEMENT = re.compile(r"not_(x\d+)")
_MEANINGS: dict[str, Callable[..., Any]] = {
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "nand": lambda a, b: not (a and b),
    "nor": lambda a, b: not (a or b),
    "not": operator.not_,
    "if": lambda condition, then, otherwise: then if condition else otherwise,
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": lambda a, b: a / b if abs(b) >= 1e-9 else 1.0,
}


def from_deap(
    tree: Iterable[Any], primitives: Primitives | None = None, names: Mapping[str, str] | None = None
) -> Tree:
    """The tree that a `gp.PrimitiveTree` is, with its names made ours; raises `BadTree` if it is none of ours.

    `primitives` are those of the problem; they can be left out where terminals are x1, x2, …
    """
    names = names or {}
    parts: list[str] = []
    missing: list[int] = []  # arguments that the functions that are open still wait for
    for node in tree:
        if node.arity > 0:
            name = names.get(node.name) or node.name.rstrip("_")
            if primitives is not None and ("" if name == JOIN else name) not in primitives.functions:
                allowed = ", ".join(one or JOIN for one in primitives.functions)
                raise BadTree("tree", node.name, f"is no function here; they are {allowed}")
            parts.append("(" if name == JOIN else f"({name}")
            missing.append(node.arity)
            continue
        text = str(node.format())
        parts.append(names.get(node.name) or names.get(text) or _terminal(text))
        while missing:
            missing[-1] -= 1
            if missing[-1]:
                break
            missing.pop()
            parts.append(")")
    return Tree.parse(" ".join(parts) or "()", primitives)


def to_deap(tree: Tree, pset: Any, names: Mapping[str, str] | None = None) -> Any:
    """The `gp.PrimitiveTree` over a primitive set of DEAP's; raises `BadTree` if the set has not what it needs."""
    require("deap", "a tree for DEAP")
    from deap import gp

    ours = {name: theirs for theirs, name in (names or {}).items()}
    nodes = [] if tree.root is None else list(walk(tree.root))
    return gp.PrimitiveTree(
        [_found(pset, str(node.terminal) if node.is_leaf else node.function, ours) for node in nodes]
    )


def primitive_set(problem: Problem, n: int) -> Any:
    """The functions and terminals of a problem as a `gp.PrimitiveSet`: its terminals are the arguments of a program.

    With complements these are x1, not_x1, x2, … Terminals that are numbers are numbers there too. A function that only
    the problem gives a meaning makes a tuple.
    """
    require("deap", "a primitive set for DEAP")
    from deap import gp

    primitives = problem.primitives(n)
    terminals = [str(terminal).replace("!", "not_") for terminal in primitives.terminals]
    arguments = [name for name in terminals if name.isidentifier()]
    pset = gp.PrimitiveSet("main", len(arguments))
    pset.renameArguments(**{f"ARG{place}": name for place, name in enumerate(arguments)})
    for name in terminals:
        if name not in arguments:
            pset.addTerminal(float(name), name=name)
    for name in primitives.functions:
        theirs = f"{name}_" if keyword.iskeyword(name) else name or JOIN
        pset.addPrimitive(_MEANINGS.get(name, _tuple), primitives.arity(name), name=theirs)
    return pset


def _tuple(*arguments: Any) -> tuple[Any, ...]:
    return arguments


def _terminal(text: str) -> str:
    if found := _ARGUMENT.fullmatch(text):
        return f"x{int(found[1]) + 1}"
    if found := _COMPLEMENT.fullmatch(text):
        return f"!{found[1]}"
    return text


def _found(pset: Any, name: str, ours: Mapping[str, str]) -> Any:
    """What the set has for a function or terminal of ours."""
    tried = [ours[name]] if name in ours else [name or JOIN, f"{name}_", name.replace("!", "not_"), _argument(name)]
    for one in tried:
        if one in pset.mapping:
            return pset.mapping[one]
    raise BadTree("tree", name or JOIN, f"the primitive set has no {' and no '.join(dict.fromkeys(tried))}")


def _argument(name: str) -> str:
    return f"ARG{int(name[1:]) - 1}" if re.fullmatch(r"x[1-9]\d*", name) else name
