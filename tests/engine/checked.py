"""Runs of every form of the engine with every index checked: `NUMBA_BOUNDSCHECK=1 python -m tests.engine.checked FORM`.

A form is a kernel (`gpruntime.engine.dispatch`). For each there are some dozens of settings, always the same.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numba
import numpy as np

from gpruntime import BadInput, RunSpec
from gpruntime import problem as own
from gpruntime.engine.dispatch import form_of
from gpruntime.engine.execute import Execution
from gpruntime.engine.watched import ShadowTree
from tests import parts

SETTINGS = 40
SEED = 18

_ONE = ("gp-single", "gp-multi", "gpstar-single", "gpstar-multi")
_STRICT = _ONE[2:]
_MANY = (
    "smo-single", "smo-multi", "one-plus-lambda-single:lambda=3", "one-plus-lambda-multi:lambda=4",
    "mu-plus-one-single:mu=3", "mu-plus-one-multi:mu=5", "concatenation-single:steps=20", "concatenation-multi:steps=7",
)  # fmt: skip
_CROSSING = ("mu-plus-one-single:mu=3,crossover=0.5", "mu-plus-one-multi:mu=4,crossover=1.0")
_SIZES, _SMALL = (1, 2, 3, 4, 7, 20, 60), (1, 2, 3, 6)  # where there are 2^n rows, or trees grow fast
_TREES = ("unity", "unity", "insertion", "bad", "tlopt", "grow", "grow:join=0.6", "unity:leaves=1", "unity:leaves=9")
_WEIGHTS = ((1, 1, 1), (1, 1, 1), (2, 1, 0.5), (1, 3, 1), (0, 1, 1), (1, 0, 1), (0, 1, 0), (0, 0, 1))


@own(sees="first", functions={"mix": 3}, best=lambda n: n)
def order_of_any(i, sign, n):
    return sign == 1


@own(sees="leaves", functions={"mix": 3}, best=lambda n: n)
def different(leaves, n):
    seen = np.zeros(2 * n, np.bool_)
    for leaf in leaves:
        seen[leaf] = True
    return min(seen.sum(), n)


class Form(NamedTuple):
    """Which specs have one form."""

    problems: tuple[Any, ...]
    algorithms: tuple[str, ...] = _ONE
    method: str = "stepping"
    operator: str = "hvl-prime"


_COUNTS = (parts.two_thirds, parts.plus_c, parts.missing, "wmajority:weights=linear", "and")
_FIRST = (parts.order, parts.weighted_order, "worder:weights=linear")
_LEAVES = (
    parts.order_by_leaves,
    parts.inversions,
    parts.far_from_pi,
    "sorting:measure=las",
    "xor",
    "order-and-majority",
)
_PROGRAM = (parts.wrong_rows, "and-or", "max", "alternate", "parity", "regression")
_PROGRAM_ANY = (parts.not_parity, "multiplexer")
_STAY_SMALL = (*_PROGRAM, *_PROGRAM_ANY, "xor", order_of_any, different)

FORMS = {
    "order_stepping": Form(("order",)),
    "order_skipping": Form(("order",), _STRICT, "skipping"),
    "majority_stepping": Form(("majority",)),
    "majority_skipping": Form(("majority",), _STRICT, "skipping"),
    "counts_stepping": Form(_COUNTS),
    "first_stepping": Form(_FIRST),
    "counts_hvl_binary": Form(("majority", *_COUNTS), operator="hvl"),
    "first_hvl_binary": Form(("order", *_FIRST), operator="hvl"),
    "leaves_hvl_binary": Form(_LEAVES, operator="hvl"),
    "program_hvl_binary": Form(_PROGRAM, operator="hvl"),
    "counts_hvl_any": Form((parts.colours,), operator="hvl"),
    "first_hvl_any": Form((order_of_any,), operator="hvl"),
    "leaves_hvl_any": Form((different,), operator="hvl"),
    "program_hvl_any": Form(_PROGRAM_ANY, operator="hvl"),
    "counts_hvl_prime_any": Form((parts.colours,)),
    "first_hvl_prime_any": Form((order_of_any,)),
    "leaves_hvl_prime_any": Form((different,)),
    "program_hvl_prime_any": Form(_PROGRAM_ANY),
    "leaves_hvl_prime_binary": Form(_LEAVES),
    "program_hvl_prime_binary": Form(_PROGRAM),
    **{
        f"{sees}_{operator.replace('-', '_')}_binary": Form(problems, operator=operator)
        for sees, problems in {"counts": _COUNTS, "first": _FIRST, "leaves": _LEAVES, "program": _PROGRAM}.items()
        for operator in ("node-unbiased", "depth-unbiased")
    },
    "counts_population": Form(("majority", *_COUNTS), _MANY),
    "first_population": Form(("order", *_FIRST), _MANY),
    "counts_by_copy": Form(("majority", *_COUNTS), _CROSSING),
    "first_by_copy": Form(("order", *_FIRST), _CROSSING),
    "leaves_by_copy": Form(_LEAVES, _MANY + _CROSSING),
    "program_by_copy": Form(_PROGRAM, _MANY + _CROSSING),
}


def settings(name: str) -> Iterator[tuple[RunSpec, str]]:
    """(spec, what is noted besides): so many of this form, always the same."""
    form, draw, found = FORMS[name], random.Random(name), 0
    while found < SETTINGS:
        try:
            spec = _spec(draw, form)
        except BadInput:  # an initial tree that is not this problem's, or larger than allowed
            continue
        if form_of(spec, form.method).name != name:  # rules under which ours have no faster form
            continue
        noted = draw.choice(("", "improvements")) if spec.has_population else draw.choice(("", "trace", "improvements"))
        found += 1
        yield spec, noted


def _spec(draw: random.Random, form: Form) -> RunSpec:
    problem, algorithm = draw.choice(form.problems), draw.choice(form.algorithms)
    n = draw.choice(_SMALL if problem in _STAY_SMALL else _SIZES)
    fields: dict[str, Any] = {}
    if "star" not in algorithm and "smo" not in algorithm:
        fields["accept"] = draw.choice(("weak", "parsimony", "parsimony-smaller"))
    if "single" in algorithm and draw.random() < 0.3 and form.method != "skipping":
        fields["operations"] = draw.choice(parts.LAWS)
    return RunSpec(
        problem=problem,
        algorithm=algorithm,
        n=n,
        init=draw.choice(_TREES),
        weights=draw.choice(_WEIGHTS),
        operator=form.operator,
        substitute=draw.choice(("leaves", "nodes")),
        last_leaf=draw.choice(("keep", "empty")),
        max_leaves_allowed=draw.choice((None, None, 9, 2 * n, 100)) if "crossover" not in algorithm else 40,
        budget=draw.choice((1, 10, 300, 3000)),
        **fields,
    )


def run(name: str) -> int:
    """Makes the runs of a form, 3 of each setting; returns how many settings there were."""
    done = 0
    for spec, noted in settings(name):
        tracing, improvements = noted == "trace", noted == "improvements"
        execution = Execution(spec, SEED, np.arange(3), FORMS[name].method, tracing, improvements)
        shadow = ShadowTree(execution) if tracing and not execution.form.has_shape else None
        while not execution.done:
            row, rows = execution.ended, execution.slice(1001)
            if shadow is not None and row == execution.ended == 0:  # the tree of the first run
                shadow.follow(rows)
        done += 1
    return done


if __name__ == "__main__":
    assert numba.config.BOUNDSCHECK
    print(run(sys.argv[1]))
