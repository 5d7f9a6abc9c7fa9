"""MAJORITY: a substitution is a deletion followed by an insertion, judged as one (the SDP), exactly."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from gpruntime.analysis.estimates import Estimate
from gpruntime.model.initial import balanced
from gpruntime.model.mutation import DELETE, INSERT, SUBSTITUTE, HvlPrime
from gpruntime.model.problems.majority import MAJORITY
from gpruntime.model.tree import Tree
from gpruntime.paper.claim import PROPERTY, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.trees import all_multisets
from gpruntime.paper.verdict import CONTRADICTED, SUPPORTED, Numbers, Verdict
from gpruntime.show.drawing import Drawing

_LEAVES = {1: 6, 2: 5, 3: 4}  # n: all multisets with up to this number of leaves
Multiset = tuple[int, ...]


def multiset_of(tree: Tree) -> Multiset:
    """The leaves without their order."""
    return tuple(sorted(terminal.code for terminal in tree.terminals()))


def after(tree: Tree, operator: HvlPrime, kind: str) -> dict[Multiset, Fraction]:
    """The law of the multiset after one operation of this kind, by making every one: they are equally likely."""
    results: Counter[Multiset] = Counter()
    for operation, _ in operator.proposals(tree):
        if operation.kind == kind:
            offspring = tree.copy()
            operator.apply(offspring, operation)
            results[multiset_of(offspring)] += 1
    total = results.total()
    return {multiset: Fraction(count, total) for multiset, count in results.items()}


def after_both(tree: Tree, operator: HvlPrime) -> dict[Multiset, Fraction]:
    """The law after a deletion and then an insertion."""
    results: defaultdict[Multiset, Fraction] = defaultdict(Fraction)
    for middle, chance in after(tree, operator, DELETE).items():
        for end, further in after(_tree_of(middle), operator, INSERT).items():
            results[end] += chance * further
    return dict(results)


def _tree_of(multiset: Multiset) -> Tree:
    from gpruntime.model.terminals import Terminal

    return balanced([Terminal.from_code(code) for code in multiset]) if multiset else Tree()


def order_matters(n: int, leaves: int) -> bool:
    """Whether MAJORITY's fitness depends on the order of the leaves, over all multisets."""
    for tree in all_multisets(n, leaves):
        terminals = tree.terminals()
        turned = [terminals[i:] + terminals[:i] for i in range(leaves)] + [terminals[::-1]]
        if len({MAJORITY.fitness(one, n) for one in turned}) > 1:
            return True
    return False


def _check(_: Evidence) -> Verdict:
    records: list[dict[str, Any]] = []
    failures: list[str] = []
    edges = looked = 0
    for n, most in _LEAVES.items():
        operator, emptying = HvlPrime(n), HvlPrime(n, last_leaf="empty")
        for leaves in range(1, most + 1):
            equal = different = 0
            for tree in all_multisets(n, leaves):
                if after(tree, operator, SUBSTITUTE) == after_both(tree, operator):
                    equal += 1
                else:
                    different += 1
                    if leaves > 1:
                        failures.append(str(tree))
                    elif after(tree, emptying, SUBSTITUTE) == after_both(tree, emptying):
                        edges += 1
                    else:
                        failures.append(str(tree))
            looked += equal + different
            records.append({"n": n, "leaves": leaves, "multisets": equal + different, "equal_laws": equal})
        if order_matters(n, min(most, 4)):
            failures.append(f"the order of the leaves, n = {n}")
    tables = (Numbers("sdp-numbers", "multisets on which both laws are equal, in fractions", records),)
    number = Estimate(1 - len(failures) / looked, remark="exact")
    if failures:
        text = f"On {failures[0]} a substitution and a deletion followed by an insertion have different laws."
        return Verdict(CONTRADICTED, text, "share of multisets", number, tables=tables)
    sentence = (
        f"On all {looked - edges:,} multisets with two or more leaves looked at the two laws are equal, "
        "fraction by fraction."
    )
    remarks = (
        (
            "The edge: with T = 1 the paper does not say what a deletion does. If the only leaf is kept (our default) "
            f"the two laws differ on all {edges} trees of one leaf; if it goes and leaves the empty tree they are "
            "equal there too."
        ),
        "It is the proposals that are equal in law. Judged one by one, the deletion alone could be rejected.",
    )
    return Verdict(SUPPORTED, sentence, "share of multisets", number, remarks, tables)


def _figures(_: Evidence, __: Verdict) -> Sequence[Drawing]:
    return []


CLAIM = Claim(
    id="sdp",
    title="On MAJORITY a substitution is a deletion and an insertion",
    kind=PROPERTY,
    place="section 4, definition",
    statement="On MAJORITY a substitution is exactly equivalent to a deletion followed by an insertion, accepted or "
    "rejected as a unit (substitution decomposability).",
    rule="For every multiset of leaves up to a size, compare the law of the offspring's multiset under both, in "
    "fractions. Contradicted by a single multiset with two or more leaves on which they differ, or if the order of the "
    "leaves matters; supported otherwise.",
    slip="Deleting the only leaf is undefined in the paper.",
    check=_check,
    figures=_figures,
)
