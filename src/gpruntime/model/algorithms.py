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

Algorithms with several trees, or several offspring, come in families (`gpruntime.model.family`): `smo-single`,
`mu-plus-one-multi:mu=10`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from gpruntime.model.acceptance import WEAK, Acceptance
from gpruntime.model.errors import BadInput, known, own
from gpruntime.model.family import SUFFIXES, Family, member_names, split_member
from gpruntime.model.operations import Operations
from gpruntime.model.parameters import Value


@dataclass(frozen=True)
class Algorithm:
    """One of the four, a (1+1) GP with another rule or law, or a member of a family.

    Attributes:
        id: shell-safe name.
        name: the paper's name.
        strict: whether only improvements are accepted, by a (1+1) GP.
        multi: whether an offspring has 1 + Pois(λ) operations instead of one.
        family, values: where it keeps several trees or makes several offspring, which it is, and its parameters.
        variant: of a spec's algorithm, its id and what is not the preset's: "gp-single accept=parsimony".
    """

    id: str
    name: str
    strict: bool
    multi: bool
    family: Family | None = None
    values: Mapping[str, Value] = field(default_factory=dict, hash=False)
    variant: str = ""

    def __str__(self) -> str:
        return self.id

    @property
    def accept(self) -> str:
        """Its acceptance rule."""
        if self.family is not None and self.family.rules:
            return self.family.rules[0]
        return "strict" if self.strict else "weak"


def algorithm_named(name: object) -> Algorithm:
    """The algorithm with this id."""
    if isinstance(name, Algorithm):
        name = name.id
    if isinstance(name, str) and name not in _OURS and (found := split_member(name)) is not None:
        return _member(*found)
    known("algorithm", name, [*ALGORITHMS, *member_names()])
    return own("algorithm", name, ALGORITHMS, _OURS)


def _member(family: Family, suffix: str, values: Mapping[str, Value]) -> Algorithm:
    multi = suffix == SUFFIXES[1]
    suffix = suffix if suffix in family.suffixes else family.suffixes[0]
    name = family.title(suffix.removeprefix("-"), values)
    return Algorithm(family.spelled(suffix, values), name, strict=False, multi=multi, family=family, values=values)


def algorithm_id(text: object) -> str:
    """The id for an id or for the paper's name: "(1+1) GP*-single" and "gp*-single" are `gpstar-single`."""
    if isinstance(text, str):
        plain = text.lower().replace("(1+1)", "").strip().replace("*", "star")
        text = plain if plain in ALGORITHMS else text
    return algorithm_named(text).id


def split_variant(text: object) -> tuple[object, dict[str, str]]:
    """The preset, and the rule and law that follow it: "gp-single accept=parsimony operations=power:beta=2.0"."""
    if isinstance(text, Algorithm):
        text = text.variant or text.id
    if not isinstance(text, str) or "=" not in text:
        return text, {}
    name, *words = text.split(" ")
    said = dict(word.split("=", 1) for word in words if "=" in word)
    if len(said) != len(words) or not set(said) <= {"accept", "operations", "search", "until"}:
        allowed = "may have accept=RULE, operations=LAW and until=GOAL after its name, and nothing else"
        raise BadInput("algorithm", text, allowed)
    return name, said


def preset(asked: Algorithm, accept: Acceptance, operations: Operations) -> Algorithm:
    """The algorithm with this rule and this law: of the family that was asked for, or else one of the four, or named
    after the nearest."""
    suffix = SUFFIXES[operations.id.startswith("poisson")]
    if asked.family is not None:
        nearest = _member(asked.family, suffix, asked.values)
        usual = accept.id == nearest.accept
    else:
        nearest = _OURS[("gpstar" if accept.is_strict else "gp") + suffix]
        usual = accept.is_strict or accept is WEAK
    name = nearest.name if nearest.multi or operations.id == "one" else nearest.name.replace(suffix, "")
    said = [] if usual else [accept.name if accept.is_own else accept.id]
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
