"""MAJORITY, single steps: substitutions are deletions and insertions (the SDP), and deficits walk at random."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from gpruntime.analysis.estimates import Estimate, Values, mean
from gpruntime.analysis.fitting import slope
from gpruntime.model.initial import balanced
from gpruntime.model.mutation import DELETE, INSERT, SUBSTITUTE, HvlPrime
from gpruntime.model.problems.majority import MAJORITY
from gpruntime.model.run import Run, Step
from gpruntime.model.spec import RunSpec
from gpruntime.model.terminals import Terminal
from gpruntime.model.tree import Tree
from gpruntime.paper.claim import FIRST, LEMMA, PROPERTY, Change, Check, Claim
from gpruntime.paper.evidence import Evidence
from gpruntime.paper.papers.founding.order_times import POWER
from gpruntime.paper.phrases import stated
from gpruntime.paper.pictures import drawn, series_figure
from gpruntime.paper.rules import CANNOT_PROVE, MARGIN, all_of, decide, no_growth, powers_of
from gpruntime.paper.trees import all_multisets, visited_trees
from gpruntime.paper.verdict import CONTRADICTED, SUPPORTED, Layout, Numbers, Record, Verdict, record
from gpruntime.show.drawing import Drawing

# ---- a substitution is a deletion followed by an insertion, judged as one, exactly

_MULTISETS = {1: 6, 2: 5, 3: 4}  # n: all multisets with up to this number of leaves
Multiset = tuple[int, ...]


def _multiset_of(tree: Tree) -> Multiset:
    """The leaves without their order."""
    return tuple(sorted(terminal.code for terminal in tree.terminals()))


def _after(tree: Tree, operator: HvlPrime, kind: str) -> dict[Multiset, Fraction]:
    """The law of the multiset after one operation of this kind, by making every one: they are equally likely."""
    results: Counter[Multiset] = Counter()
    for operation, _ in operator.proposals(tree):
        if operation.kind == kind:
            offspring = tree.copy()
            operator.apply(offspring, operation)
            results[_multiset_of(offspring)] += 1
    total = results.total()
    return {multiset: Fraction(count, total) for multiset, count in results.items()}


def _after_both(tree: Tree, operator: HvlPrime) -> dict[Multiset, Fraction]:
    """The law after a deletion and then an insertion."""
    results: defaultdict[Multiset, Fraction] = defaultdict(Fraction)
    for middle, chance in _after(tree, operator, DELETE).items():
        for end, further in _after(_tree_of(middle), operator, INSERT).items():
            results[end] += chance * further
    return dict(results)


def _tree_of(multiset: Multiset) -> Tree:
    return balanced([Terminal.from_code(code) for code in multiset]) if multiset else Tree()


def _order_matters(n: int, leaves: int) -> bool:
    """Whether MAJORITY's fitness depends on the order of the leaves, over all multisets."""
    for tree in all_multisets(n, leaves):
        terminals = tree.terminals()
        turned = [terminals[i:] + terminals[:i] for i in range(leaves)] + [terminals[::-1]]
        if len({MAJORITY.fitness(order, n) for order in turned}) > 1:
            return True
    return False


class _Decomposable(Check):
    """Whether both laws are equal on every small multiset."""

    def __call__(self, _: Evidence) -> Verdict:
        records: list[Record] = []
        failures: list[str] = []
        edges = looked = 0
        for n, most in _MULTISETS.items():
            operator, emptying = HvlPrime(n), HvlPrime(n, last_leaf="empty")
            for leaves in range(1, most + 1):
                trees = list(all_multisets(n, leaves))
                different = [tree for tree in trees if not _equal_laws(tree, operator)]
                at_the_edge = [tree for tree in different if leaves == 1 and _equal_laws(tree, emptying)]
                failures += [str(tree) for tree in different if tree not in at_the_edge]
                looked, edges = looked + len(trees), edges + len(at_the_edge)
                equal = len(trees) - len(different)
                records.append({"n": n, "leaves": leaves, "multisets": len(trees), "equal_laws": equal})
            if _order_matters(n, min(most, 4)):
                failures.append(f"the order of the leaves, n = {n}")
        headings = {"leaves": "leaves", "multisets": "multisets", "equal_laws": "with equal laws"}
        caption = "multisets on which both laws are equal, in fractions"
        tables = (Numbers("sdp-numbers", caption, records, headings),)
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
                "The edge: with T = 1 the paper does not say what a deletion does. If the only leaf is kept (our "
                f"default) the two laws differ on all {edges} trees of one leaf; if it goes and leaves the empty tree "
                "they are equal there too."
            ),
            "It is the proposals that are equal in law. Judged one by one, the deletion alone could be rejected.",
        )
        return Verdict(SUPPORTED, sentence, "share of multisets", number, remarks, tables)


def _equal_laws(tree: Tree, operator: HvlPrime) -> bool:
    return _after(tree, operator, SUBSTITUTE) == _after_both(tree, operator)


DECOMPOSABLE = Claim(
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
    check=_Decomposable(),
)


# ---- deficits as random walks (lem:majority_rw)

_LEAVES = {1: 5, 2: 5, 3: 4}
_DEFICITS, _SIZES = (2, 4, 8, 16), (4, 6, 8, 12, 16)


def touching_chance(tree: Tree, n: int, variable: int) -> Fraction:
    """P(an operation changes c(x_i) or c(x̄_i)), by making every operation; kinds have probability 1/3 each."""
    operator = HvlPrime(n)
    before = _counts(tree, n, variable)
    changed: dict[str, int] = {}
    total: dict[str, int] = {}
    for operation, _ in operator.proposals(tree):
        offspring = tree.copy()
        operator.apply(offspring, operation)
        total[operation.kind] = total.get(operation.kind, 0) + 1
        changed[operation.kind] = changed.get(operation.kind, 0) + (_counts(offspring, n, variable) != before)
    return sum((Fraction(changed[kind], 3 * total[kind]) for kind in total), Fraction(0))


def _counts(tree: Tree, n: int, variable: int) -> tuple[int, int]:
    positive, negative = MAJORITY.counts(tree.terminals(), n)
    return positive[variable - 1], negative[variable - 1]


def _cases(evidence: Evidence) -> Iterator[tuple[Tree, int, int]]:
    """All small multisets and some visited trees, with n and a variable."""
    for n, most in _LEAVES.items():
        for leaves in range(1, most + 1):
            for tree in all_multisets(n, leaves):
                yield tree, n, 1  # all multisets: every variable has its turn as the first
    spec = RunSpec(problem="majority", algorithm="gp-single", n=6)
    for tree in visited_trees(spec, evidence.seed, min(evidence.scale.trees, 4), 10):
        yield from ((tree, spec.n, variable) for variable in (1, 2))


@cache
def operations_until(n: int, deficit: int, seed: int, runs: int) -> tuple[Values, Values]:
    """Proposed operations on x₁ or x̄₁ until x₁ is expressed, and T_max until then: d leaves x̄₁, then x_2 … x_n."""
    leaves = [Terminal(1, True)] * deficit + [Terminal(i, False) for i in range(2, n + 1)]
    spec = RunSpec(problem="majority", algorithm="gp-single", n=n, init=str(balanced(leaves)))
    counts, largest = np.zeros(runs), np.zeros(runs)
    for number in range(runs):
        run = Run(spec, seed, number)
        before = run.tree
        while run.outcome is None and 1 not in MAJORITY.expressed(run.tree.terminals(), n):
            step = run.step()
            counts[number] += _involves(step, before)
            before = run.tree
        largest[number] = run.max_leaves
    return counts, largest


def _involves(step: Step, before: Tree) -> bool:
    operation = step.operations[0]
    added = operation.terminal is not None and operation.terminal.variable == 1
    if operation.kind in (DELETE, "substitute"):
        gone = before.leaves[operation.site or 0].terminal
        return added or (gone is not None and gone.variable == 1)
    return added


class _Walks(Check):
    """(a) by counting operations, (b) by powers of d and of n."""

    def __call__(self, evidence: Evidence) -> Verdict:
        chances = [(3 * n * touching_chance(tree, n, variable), str(tree)) for tree, n, variable in _cases(evidence)]
        least, where = min(chances, key=lambda pair: pair[0])
        records, errors = self._walks(evidence)
        trends = {
            f"of d, n = {_SIZES[-1]}": _power(records, errors, "deficit", "n"),
            f"of n, d = {_DEFICITS[-1]}": _power(records, errors, "n", "deficit"),
        }
        part_a = decide(least >= 1, True)
        powers = powers_of(trends)
        most = max(records, key=lambda row: float(row["ratio"]))
        sentence = (
            f"(a) on all {len(chances):,} cases counted, an operation touches the variable with at least "
            f"{float(least):.3g}/(3n); (b) operations on it ÷ (d·T_max) are "
            f"{stated(Estimate(most['ratio'], most['low'], most['high']))} where they are most (n = {most['n']}, d = "
            f"{most['deficit']}), and the larger of their two powers is {powers}. {CANNOT_PROVE}"
            if part_a == SUPPORTED
            else f"(a) on {where} an operation touches the variable with only {float(least):.3g}/(3n)."
        )
        headings = {
            "deficit": "deficit d",
            "mean_operations": "mean operations",
            "mean_max_leaves": "E[T_max]",
            "ratio": "operations ÷ (d·E[T_max])",
        }
        caption = "operations on variable 1 until it is expressed, from deficit d"
        layout = Layout("n", ("deficit",), ("ratio",))
        tables = (Numbers("lem-majority-rw-numbers", caption, records, headings, layout),)
        remarks = (
            (
                "The walk is far better than balanced: leaves x̄_i that are many are hit often, so about d operations "
                "do, not d·T_max."
            ),
            "T_max counts nodes in the lemma and leaves here: a factor of 2.",
        )
        status = all_of([part_a, *(no_growth(trend) for trend in trends.values())])
        return Verdict(status, sentence, "larger power in (b)", powers.largest[1], remarks, tables)

    def _walks(self, evidence: Evidence) -> tuple[list[Record], list[float]]:
        """A row for each n and d, and the relative errors of the ratios."""
        runs, records, errors = 5 * evidence.scale.trees, [], []
        for n in _SIZES:
            for deficit in _DEFICITS:
                counts, largest = operations_until(n, deficit, evidence.seed, runs)
                ratio = counts / (deficit * largest.mean())
                row = record(
                    "ratio",
                    n=n,
                    deficit=deficit,
                    runs=runs,
                    mean_operations=mean(counts),
                    mean_max_leaves=mean(largest),
                    ratio=mean(ratio),
                )
                records.append(row)
                errors.append(float(ratio.std(ddof=1) / runs**0.5 / ratio.mean()))
        return records, errors

    def figures(self, _: Evidence, verdict: Verdict) -> Sequence[Drawing]:
        rows = verdict.tables[0].records
        figure = series_figure(
            "lem-majority-rw",
            [drawn([row for row in rows if row["n"] == n], "ratio", f"n = {n}", x="deficit") for n in _SIZES],
            title="MAJORITY, GP-single: operations on x₁ until it is expressed",
            xlabel="initial deficit d",
            ylabel="operations ÷ (d·E[T_max])",
            caption="Proposed operations that involve x₁ or x̄₁, divided by the lemma's bound, with 95 % intervals. A "
            "falling line: they stay ever further below the bound.",
        )
        return [figure]


def _power(records: list[Record], errors: list[float], moving: str, fixed: str) -> Estimate:
    """The power of d, or of n, that the ratio goes like, with the other one at its largest."""
    last = records[-1][fixed]
    rows = [
        (row[moving], row["ratio"], error) for row, error in zip(records, errors, strict=True) if row[fixed] == last
    ]
    x, ratios, spreads = (np.array(column, float) for column in zip(*rows, strict=True))
    power = slope(x, ratios, spreads)
    assert power is not None, "there are three deficits and three sizes at least, far apart"
    return power


WALKS = Claim(
    id="lem:majority_rw",
    title="Deficits on MAJORITY walk at random",
    kind=LEMMA,
    place="section 4.1.1, lemma",
    statement="On MAJORITY with GP-single, (a) an operation changes the number of x_i or of x̄_i with probability "
    "Ω(1/n); (b) a variable with deficit d needs in expectation O(d·T_max) proposed operations on it until it is "
    "expressed.",
    rule="(a) Count all operations on every small multiset and on trees of runs: contradicted by a single case below "
    "1/(3n). (b) Fit powers of d and of n to operations/(d·E[T_max]): supported if both 95 % intervals end below "
    f"{MARGIN}, contradicted if one begins above it, open otherwise.",
    changes=(
        Change(FIRST, "setting", "(b) has 50 runs of each n and d, not 100, to save time."),
        Change(FIRST, "setting", "(b) has five n, not three: too few for the interval of a power."),
        POWER,
    ),
    check=_Walks(),
)
