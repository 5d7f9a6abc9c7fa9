"""The four algorithms: acceptance × number of operations (paper, section "Algorithms").

| id            | name              | an offspring is accepted if | operations per offspring |
|---------------|-------------------|-----------------------------|--------------------------|
| gp-single     | (1+1) GP-single   | f(X′) ≥ f(X) (weak)         | k = 1                    |
| gp-multi      | (1+1) GP-multi    | f(X′) ≥ f(X) (weak)         | k = 1 + Pois(λ)          |
| gpstar-single | (1+1) GP*-single  | f(X′) > f(X) (strict)       | k = 1                    |
| gpstar-multi  | (1+1) GP*-multi   | f(X′) > f(X) (strict)       | k = 1 + Pois(λ)          |

λ is 1 in the paper (`RunSpec.poisson_mean`). They are presets of `acceptance` and `operations`: a spec may set either
of the two instead, and then has the id of the preset that is nearest: `gp` unless the rule is strict, `single` unless
the law is 1 + Pois(λ).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from gpruntime.model.acceptance import WEAK, Acceptance
from gpruntime.model.errors import BadInput, own
from gpruntime.model.operations import Operations


@dataclass(frozen=True)
class Algorithm:
    """One of the four, or a (1+1) GP with another rule or law.

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

    @property
    def accept(self) -> str:
        """Its acceptance rule."""
        return "strict" if self.strict else "weak"


def algorithm_named(name: object) -> Algorithm:
    """The algorithm with this id."""
    return own("algorithm", name, ALGORITHMS, _OURS)


def algorithm_id(text: object) -> str:
    """The id for an id or for the paper's name: "(1+1) GP*-single" and "gp*-single" are `gpstar-single`."""
    if isinstance(text, str):
        plain = text.lower().replace("(1+1)", "").strip().replace("*", "star")
        text = plain if plain in ALGORITHMS else text
    return algorithm_named(text).id


def split_variant(text: object) -> tuple[object, dict[str, str]]:
    """The preset, and the rule and law that follow it: "gp-single accept=parsimony operations=power:beta=2.0"."""
    if not isinstance(text, str) or "=" not in text:
        return text, {}
    name, *words = text.split(" ")
    said = dict(word.split("=", 1) for word in words if "=" in word)
    if len(said) != len(words) or not set(said) <= {"accept", "operations", "search"}:
        raise BadInput("algorithm", text, "may have accept=RULE and operations=LAW after its name, and nothing else")
    return name, said


def preset(accept: Acceptance, operations: Operations) -> Algorithm:
    """The algorithm with this rule and this law: one of the four, or named after the nearest."""
    multi = operations.id.startswith("poisson")
    nearest = _OURS[("gpstar" if accept.is_strict else "gp") + ("-multi" if multi else "-single")]
    name = nearest.name if multi or operations.id == "one" else nearest.name.partition("-")[0]
    said = [] if accept.is_strict or accept is WEAK else [accept.name if accept.is_own else accept.id]
    said += [] if name == nearest.name else [f"k ~ {operations.id}"]
    return replace(nearest, name=", ".join([name, *said]))


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
