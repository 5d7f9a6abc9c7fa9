"""The mutation operator of a spec with its weights as fractions: what `proposals` says is exact then."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from gpruntime.model.arity import AnyHvl, AnyHvlPrime
from gpruntime.model.hvl import Hvl
from gpruntime.model.mutation import HvlPrime
from gpruntime.model.operator import Mutation
from gpruntime.model.spec import RunSpec


def in_fractions(spec: RunSpec) -> Mutation:
    """The operator if it is one of ours; a user's own as it is, whose probabilities may be floats."""
    if spec.operator.is_own:
        return spec.mutation
    weights: Any = [Fraction(weight) for weight in spec.weights]
    binary, n, primitives = spec.primitives.is_binary, spec.n, spec.primitives
    if spec.operator.id == "hvl":
        return (Hvl if binary else AnyHvl)(n, weights, primitives)
    return (HvlPrime if binary else AnyHvlPrime)(n, weights, spec.last_leaf, spec.substitute, primitives)
