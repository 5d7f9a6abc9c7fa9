"""Cartesian GP: the (1+λ) algorithm on circuits (`gpruntime.model.representations.circuits`).

1. x := a uniform genotype of D gates
2. make λ offspring of x by mutation; y := the best of them, the first of equals
3. x := y if y is at least as good (CGP), or better (CGP*)
4. go to 2

With λ = 1 it is the (1+1) CGP of Dang, Kalkreuth, Opris (PPSN 2026), with λ = 4 the usual CGP. `ties=uniform` keeps a
uniform one of those that are best, the parent among them: the dialect of the authors' program, as are `levels-back=n`
and `mutation=sam:stop=active`.

**It ends** on AND with wanted variables only and D ≥ n − 1, under all rules and with complete or sampled rows, unless
levels back are limited or `point:rate=1` changes all genes at once. While a row is wrong, some input is missing that
would set it right. If a gate g is inactive, SAM can rewire it and with it the first active gate behind it, or the
output: g takes what that was connected to and the missing input. If all are active and fewer than n inputs connected,
some input is connected twice or some gate feeds two places; one of the two connections can be given to the missing
input.

**Stuck.** A strict run is if no offspring is better. The inactive genes of an offspring can be anything, and one active
gene is another: all these are tried where they are 4,096 at most. Otherwise, and for other rules, it is unknown.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

from gpruntime.model.errors import BadInput, known
from gpruntime.model.family import Family, check_whole
from gpruntime.model.parameters import Value
from gpruntime.model.populations.one_plus_lambda import MAX_OFFSPRING, OnePlusLambda
from gpruntime.model.representations.circuits import CIRCUITS, Circuit, change_from, tidy_number
from gpruntime.model.spec import RunSpec

MAX_TRIED = 4096
PARAMETERS: Mapping[str, Value] = {
    "gates": "2n",
    "mutation": "sam",
    "lambda": 1,
    "levels-back": "all",
    "ties": "offspring",
}


class Cgp(OnePlusLambda):
    """One circuit, and λ offspring a generation."""

    def step(self) -> None:
        if self.spec.algorithm.values["ties"] != "uniform":
            super().step()
            return
        (parent,) = self.population
        best, alike = parent, 1
        for _ in range(int(self.spec.algorithm.values["lambda"])):
            child = self.evaluate(self.mutate(parent.tree), in_place_of=parent)
            alike = 1 if child.score > best.score else alike + (child.score == best.score)
            if child.score > best.score or (child.score == best.score and self.stream.below(alike) == 0):
                best = child
            if self.outcome is not None:
                break
        self.population = [best]

    def is_stuck(self) -> bool:
        circuit: Any = self.population[0].tree
        is_whole = (self.evaluations - 1) % int(self.spec.algorithm.values["lambda"]) == 0
        return is_whole and tries(self.spec) and self._cannot_improve(circuit)

    def _cannot_improve(self, circuit: Circuit) -> bool:
        spec, ranges, genes = self.spec, circuit.shape.ranges, range(circuit.shape.genes)
        active = [gene for gene in genes if circuit.is_active(gene)]
        others = [gene for gene in genes if not circuit.is_active(gene)]
        ways = math.prod(ranges[gene][1] for gene in others) * sum(ranges[gene][1] - 1 for gene in active)
        if ways > MAX_TRIED:
            return False
        now, direction = CIRCUITS.fitness(circuit, spec), spec.problem.direction
        for values in itertools.product(*(range(least, least + count) for least, count in (ranges[i] for i in others))):
            tried = circuit.genes.copy()
            for gene, value in zip(others, values, strict=True):
                tried[gene] = value
            for gene in active:
                least, count = ranges[gene]
                for value in range(least, least + count):
                    changed = [*tried[:gene], value, *tried[gene + 1 :]]
                    if (CIRCUITS.fitness(Circuit(circuit.shape, changed), spec) - now) * direction > 0:
                        return False
        return True


def tries(spec: RunSpec) -> bool:
    """Whether it is looked whether runs are stuck: strict ones by SAM that are not known to end."""
    return spec.accept.is_strict and not change_from(str(spec.algorithm.values["mutation"])).rate and not ends(spec)


def ends(spec: RunSpec) -> bool:
    """Whether a run is known to end with probability 1."""
    values = spec.algorithm.values
    leaves_some = change_from(str(values["mutation"])).rate < 1  # or no offspring has a gene in common with its parent
    return "cgp" in spec.problem.ends and values["levels-back"] == "all" and leaves_some


def title_of(name: str) -> Callable[[str, Mapping[str, Value]], str]:
    """The title of the algorithm of this name."""

    def title(_: str, values: Mapping[str, Value]) -> str:
        words = {"mutation": f"{values['mutation']}", "levels-back": f"levels back {values['levels-back']}"}
        words["ties"] = f"ties {values['ties']}"
        more = [text for key, text in words.items() if values[key] != PARAMETERS[key]]
        return ", ".join(
            [f"(1+{values['lambda']}) {name}, {values['gates']} gate{'s' * (values['gates'] != '1')}", *more]
        )

    return title


def check(spec: RunSpec) -> None:
    """Raises `BadInput` where a parameter makes no sense."""
    check_whole(spec, "lambda", 1, MAX_OFFSPRING)
    ties = spec.algorithm.values["ties"]
    known("algorithm", ties, ("offspring", "uniform"))
    if ties == "uniform" and spec.accept.id != "weak":
        raise BadInput("algorithm", f"ties={ties}", f"has no meaning where {spec.accept.id} decides about ties")


def tidy(values: Mapping[str, Value]) -> dict[str, Value]:
    """One spelling of the numbers of gates."""
    return {**values, **{name: tidy_number(str(values[name])) for name in ("gates", "levels-back")}}


FAMILY = Family(
    id="cgp",
    title=title_of("CGP"),
    line="circuits of D gates: an offspring takes its parent's place if it is at least as good",
    cite="Dang, Kalkreuth, Opris 2026",
    search=Cgp,
    number=4,
    parameters=PARAMETERS,
    rules=("weak", "parsimony", "parsimony-smaller"),
    check=check,
    ends=ends,
    representation=CIRCUITS,
    suffixes=("",),
    stated=("gates",),
    tidy=tidy,
)
