"""Each problem of ours with the parameters that make a difference to how it is compiled, for tests that go through all.

A kernel takes seconds to compile: most are for `-m long`, and one cheap one stands for them in the suite. (What the
forms do is tried on the parts of tests/parts.py, each time.)
"""

import pytest

from gpruntime import PROBLEMS

VARIANTS = {
    "order": ["order"],
    "majority": ["majority"],
    "worder": ["worder:weights=linear", "worder:weights=drawn:5/9"],
    "wmajority": ["wmajority:weights=linear", "wmajority:weights=powers"],
    "plus-c-majority": ["plus-c-majority", "plus-c-majority:c=1"],
    "two-thirds-majority": ["two-thirds-majority"],
    "two-thirds-supermajority": ["two-thirds-supermajority"],
    "sorting": [f"sorting:measure={measure}" for measure in ("inv", "ham", "las", "run", "exc")],
    "and": ["and", "and:unwanted=1", "and:negated=1,unwanted=1", "and:rows=5,negated=1"],
    "xor": ["xor", "xor:negated=1,unwanted=1", "xor:rows=5"],
    "and-or": ["and-or", "and-or:rows=70,seed=3", "and-or:negated=1,unwanted=4"],
    "max": ["max", "max:t=3/2,depth=2", "max:functions=+*", "max:functions=+*,t=0.3"],
    "alternate": ["alternate", "alternate:terminals=majority"],
    "order-and-majority": ["order-and-majority"],
    "multiplexer": ["multiplexer"],
    "parity": ["parity", "parity:kind=odd"],
    "regression": ["regression", "regression:function=nguyen-7"],
}
SIZES = {"multiplexer": (3, 6), "regression": (2, 5)}  # where not every n has a meaning
IN_THE_SUITE = ("order", "majority", "wmajority:weights=linear")


assert set(VARIANTS) == set(PROBLEMS)
EVERY = [
    pytest.param(variant, id=variant, marks=() if variant in IN_THE_SUITE else pytest.mark.long)
    for variants in VARIANTS.values()
    for variant in variants
]


def sizes_of(problem, usual):
    """The n to try a problem at."""
    return SIZES.get(problem.id.partition(":")[0], usual)
