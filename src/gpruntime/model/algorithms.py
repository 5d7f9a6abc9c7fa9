"""The four algorithms: acceptance × number of operations (paper, section "Algorithms").

| id            | name              | an offspring is accepted if | operations per offspring |
|---------------|-------------------|-----------------------------|--------------------------|
| gp-single     | (1+1) GP-single   | f(X′) ≥ f(X) (weak)         | k = 1                    |
| gp-multi      | (1+1) GP-multi    | f(X′) ≥ f(X) (weak)         | k = 1 + Pois(λ)          |
| gpstar-single | (1+1) GP*-single  | f(X′) > f(X) (strict)       | k = 1                    |
| gpstar-multi  | (1+1) GP*-multi   | f(X′) > f(X) (strict)       | k = 1 + Pois(λ)          |

λ is 1 in the paper (`RunSpec.poisson_mean`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpruntime.model.errors import own


@dataclass(frozen=True)
class Algorithm:
    """One of the four.

    Attributes:
        id: shell-safe name.
        name: the paper's name.
        strict: whether only improvements are accepted.
        multi: whether an offspring has 1 + Pois(λ) operations instead of one.
    """

    id: str
    name: str
    strict: bool
    multi: bool

    def accepts(self, offspring_fitness: int, fitness: int) -> bool:
        """The acceptance rule: step 4 of the paper's algorithm, or 4′."""
        return offspring_fitness > fitness if self.strict else offspring_fitness >= fitness


def algorithm_named(name: object) -> Algorithm:
    """The algorithm with this id."""
    return own("algorithm", name, ALGORITHMS, _OURS)


def algorithm_id(text: object) -> str:
    """The id for an id or for the paper's name: "(1+1) GP*-single" and "gp*-single" are `gpstar-single`."""
    if isinstance(text, str):
        plain = text.lower().replace("(1+1)", "").strip().replace("*", "star")
        text = plain if plain in ALGORITHMS else text
    return algorithm_named(text).id


_OURS = {
    algorithm.id: algorithm
    for algorithm in (
        Algorithm("gp-single", "(1+1) GP-single", strict=False, multi=False),
        Algorithm("gp-multi", "(1+1) GP-multi", strict=False, multi=True),
        Algorithm("gpstar-single", "(1+1) GP*-single", strict=True, multi=False),
        Algorithm("gpstar-multi", "(1+1) GP*-multi", strict=True, multi=True),
    )
}
ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType(dict(_OURS))
