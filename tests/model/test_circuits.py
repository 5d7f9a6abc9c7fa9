"""Circuits and truth tables in the model: what they compute, what SAM does, what is refused."""

import itertools
from collections import Counter

import numpy as np
import pytest

from gpruntime.model import BadInput, RunSpec, Stream, simulate
from gpruntime.model.problems.truth_table import rows_of
from gpruntime.model.representations.circuits import CIRCUITS, Circuit, shape_of
from gpruntime.model.representations.truth_tables import TRUTH_TABLES, TruthTable, blocks_of, drawn_block, masks_of
from gpruntime.model.run import run_of
from tests import parts

BOOLEAN = [("and", 4), ("xor", 3), ("and-or", 3), ("multiplexer", 3), ("parity", 3), ("and:rows=9", 4)]
BOOLEAN += [("and:unwanted=1,negated=1", 3), ("xor:rows=7,negated=1", 3), ("and-or:rows=5,unwanted=2", 2)]


def spec_of(problem="and", n=4, algorithm="cgp:gates=6", **more):
    return RunSpec(problem=problem, algorithm=algorithm, n=n, **{"budget": 1000, **more})


def stream(seed=1):
    return Stream(seed, (1, 2, 3, 4), 0)


# ---- circuits


@pytest.mark.parametrize(("problem", "n"), BOOLEAN)
def test_the_fitness_is_that_of_the_tree_a_circuit_unfolds_into(problem, n):
    spec, words = spec_of(problem, n), stream()
    seen = set()
    for _ in range(40):
        circuit = spec.init.build(words)
        fitness = CIRCUITS.fitness(circuit, spec)
        assert fitness == spec.problem.fitness(circuit.unfolded(), n)
        assert str(Circuit.parse(str(circuit), shape_of(spec))) == str(circuit)
        seen.add(fitness)
    assert len(seen) > 1


def test_what_is_active():
    spec = spec_of(n=3, algorithm="cgp:gates=4")
    circuit = Circuit.parse("and(x1,x2) and(x3,x3) and(#1,x1) and(#2,#3) > #3", shape_of(spec))
    assert circuit.active == [True, False, True, False]
    assert circuit.size == 2
    assert [circuit.is_active(gene) for gene in range(13)] == [True] * 3 + [False] * 3 + [True] * 3 + [False] * 3 + [
        True
    ]
    assert str(circuit.unfolded()) == "(and (and x1 x2) x1)"
    assert CIRCUITS.fitness(circuit, spec) == 1


def test_arguments_that_a_function_does_not_have_are_inactive():
    spec = spec_of("multiplexer", 3, "cgp:gates=1")
    circuit = Circuit.parse("not(a0,d0,d1) > #1", shape_of(spec))
    assert [circuit.is_active(gene) for gene in range(5)] == [True, True, False, False, True]


def test_sam_changes_one_active_gene_and_keeps_what_it_changed_on_the_way():
    spec = spec_of("and-or", 3, "cgp:gates=5")
    words, wandered = stream(), 0
    for _ in range(200):
        parent = spec.init.build(words)
        child, operations = CIRCUITS.mutate(parent, spec, words)
        last = operations[-1].site
        different = [i for i, pair in enumerate(zip(parent.genes, child.genes, strict=True)) if len(set(pair)) > 1]
        assert [i for i in different if parent.is_active(i)] == [last]
        assert child == parent.with_genes(operations)
        wandered += len(different) > 1
    assert wandered > 50


def test_sam_may_stop_at_an_active_gene_that_cannot_change():
    spec = spec_of(n=2, algorithm="cgp:gates=1,mutation=sam:stop=active")
    parent = Circuit.parse("and(x1,x2) > #1", shape_of(spec))
    words = stream()
    unchanged = sum(CIRCUITS.mutate(parent, spec, words)[0] == parent for _ in range(4000))
    assert abs(unchanged - 1000) < 5 * (4000 * 3 / 16) ** 0.5  # the function gene is one of four, all active


def test_levels_back_cut_late_gates_off():
    spec = spec_of(n=3, algorithm="cgp:gates=4,levels-back=2")
    assert shape_of(spec).ranges == [
        (0, 1),
        (1, 2),
        (1, 2),
        (0, 1),
        (2, 2),
        (2, 2),
        (0, 1),
        (3, 2),
        (3, 2),
        (0, 1),
        (4, 2),
        (4, 2),
        (0, 7),
    ]
    with pytest.raises(BadInput, match="only what comes before"):
        spec_of(n=3, algorithm="cgp:gates=4,levels-back=2", init="and(x1,x2) and(x3,x3) and(#1,#2) and(#2,#3) > #3")


def test_by_hand_ties_are_kept_by_half():
    uniform = Counter(
        str(
            run_of(spec_of(n=2, algorithm="cgp:gates=1,ties=uniform", budget=2), 1, i).result().accepted["substitute"]
            > 0
        )
        for i in range(600)
    )
    usual = Counter(
        str(run_of(spec_of(n=2, algorithm="cgp:gates=1", budget=2), 1, i).result().accepted["substitute"] > 0)
        for i in range(600)
    )
    assert uniform["True"] < usual["True"] * 0.75


def test_a_strict_run_on_the_flat_parity_never_moves_but_to_the_optimum():
    spec = spec_of("xor", 4, "cgpstar:gates=4", budget=300)
    outcomes = Counter()
    for number in range(40):
        run = run_of(spec, 2, number)
        run.advance()
        first = str(run.population[0].tree)
        result = run.result()
        outcomes[result.outcome] += 1
        assert result.outcome == "optimum" or result.tree == first
    assert len(outcomes) > 1


def test_stuck_is_proved_by_trying_all_offspring():
    spec = spec_of("xor", 3, "cgpstar:gates=2", budget=2000)
    stuck = [result for number in range(60) if (result := simulate(spec, 1, number)).outcome == "stuck"]
    assert stuck
    for result in stuck[:2]:
        parent, words = Circuit.parse(result.tree, shape_of(spec)), stream()
        assert all(CIRCUITS.fitness(CIRCUITS.mutate(parent, spec, words)[0], spec) == 4 for _ in range(3000))


def test_one_spelling():
    assert spec_of(algorithm="cgp:gates=1n").algorithm.id == "cgp:gates=n"
    assert spec_of(algorithm="cgp").algorithm.id == "cgp:gates=2n"
    assert spec_of(algorithm="cgp:gates=n+02").cell == spec_of(algorithm="cgp:gates=n+2").cell
    assert spec_of(algorithm="cgpstar:gates=n-1").accept.id == "strict"
    spec = spec_of("and-or", algorithm="cgp:gates=2n,lambda=4,mutation=point:rate=0.1")
    assert RunSpec(**spec.settings) == spec
    assert RunSpec(**spec.law(), budget=1000) == spec
    assert spec.substitute == "leaves"
    assert spec.algorithm.name == "(1+4) CGP, 2n gates, point:rate=0.1"


def test_the_record_says_what_size_means():
    record = simulate(spec_of("and:rows=9", 5), 1, 0).record()
    assert record["size"] == "active gates"
    assert 0 <= record["wrong_on_all_rows"] <= 32
    assert simulate(spec_of(algorithm="gsgp"), 1, 0).record()["size"] == "minterms"
    assert "size" not in simulate(spec_of(algorithm="gp-single"), 1, 0).record()


# ---- truth tables


@pytest.mark.parametrize("problem", ["and", "parity", "and:rows=9", "xor:rows=30", "and:unwanted=1"])
def test_the_fitness_of_a_table(problem):
    spec, words = spec_of(problem, 3, "gsgp"), stream()
    for _ in range(20):
        table = spec.init.build(words)
        wanted, *columns = rows_of(spec.problem, 3, not spec.problem.samples_rows(3))
        number = sum(column.astype(int) << i for i, column in enumerate(columns))
        assert TRUTH_TABLES.fitness(table, spec) == (table.rows[number] != wanted).sum()


@pytest.mark.parametrize(
    ("mutation", "sizes"),
    [
        ("forcing-point", {1}),
        ("fixed-block:v=2", {4}),
        ("varying-block:v=3", {2}),
        ("fixed-alternative:v=3", {2, 8}),
        ("multiple-size", {1, 2, 4, 8, 16}),
    ],
)
def test_blocks(mutation, sizes):
    blocks, words = blocks_of(spec_of(algorithm=f"gsgp:mutation={mutation}")), stream()
    drawn = Counter(drawn_block(blocks, 4, words) for _ in range(20_000))
    rows = np.arange(16)
    assert {int((rows & mask == values).sum()) for mask, values in drawn} == sizes
    assert {mask for mask, _ in drawn} == set(masks_of(blocks, 4))
    for mask in {mask for mask, _ in drawn}:
        counts = [count for (other, _), count in drawn.items() if other == mask]
        assert len(counts) == 2 ** mask.bit_count()
        assert max(counts) - min(counts) < 8 * max(counts) ** 0.5


def test_a_block_that_disagrees_is_stuck():
    spec = spec_of("and", 3, "gsgp:mutation=fixed-block:v=2", init="true")
    result = simulate(spec, 1, 0)
    assert (result.outcome, result.fitness) == ("stuck", 1)  # the block of row 111 has one row of each value
    assert simulate(spec.replace(init="00000001"), 1, 0).evaluations == 1
    assert str(TruthTable.parse("00000001", 3)) == "00000001"


# ---- what is refused, in one line

REFUSED = [
    ({"algorithm": "cgp:gates=2"}, "4 variables need 3 gates of 2 inputs at least"),
    ({"algorithm": "cgp:gates=n-2"}, "can never reach the optimum"),
    ({"algorithm": "cgp:gates=0"}, "from 1 to 100,000"),
    ({"algorithm": "cgp:gates=many"}, "or a multiple of n"),
    ({"algorithm": "cgp:crossover=0.5"}, "crossover is not known"),
    ({"algorithm": "cgp:levels-back=0"}, "must be all"),
    ({"algorithm": "cgp:lambda=0"}, "from 1 to"),
    ({"algorithm": "cgp:mutation=flip"}, "one of sam, point"),
    ({"algorithm": "cgp:mutation=point:rate=2"}, "a rate above 0, and at most 1"),
    ({"algorithm": "cgp:mutation=sam:stop=never"}, "changed, active"),
    ({"algorithm": "cgp:ties=parent"}, "offspring, uniform"),
    ({"algorithm": "cgpstar:ties=uniform"}, "has no meaning where strict"),
    ({"accept": "strict"}, "honours weak"),
    ({"weights": (1, 2, 1)}, "is for trees"),
    ({"operations": "exactly:k=2"}, "is for trees"),
    ({"operator": "hvl"}, "is for trees"),
    ({"last_leaf": "empty"}, "is for trees"),
    ({"substitute": "functions"}, "is for trees"),
    ({"max_leaves_allowed": 9}, "is for trees"),
    ({"init": "bad"}, "must be uniform"),
    ({"init": "and(x1,x2) > #1"}, "is 6 gates and its output"),
    ({"problem": "order"}, "needs one that sees the program"),
    ({"problem": "xor", "budget": None}, "nothing proves"),
    ({"algorithm": "cgp:levels-back=n", "budget": None}, "nothing proves"),
    ({"algorithm": "cgp:mutation=point:rate=1", "budget": None}, "nothing proves"),
    ({"algorithm": "gsgp", "n": 21}, "can have 20 variables"),
    ({"algorithm": "gsgp", "problem": "order"}, "Boolean problems of ours"),
    ({"algorithm": "gsgp:mutation=fixed-block"}, "needs v, how many variables a block fixes"),
    ({"algorithm": "gsgp:mutation=fixed-block:v=5"}, "has 4 variables"),
    ({"algorithm": "gsgp:mutation=fixed-block:v=2", "budget": None}, "nothing proves"),
    ({"algorithm": "gsgp", "init": "0101"}, "the values of 16 rows"),
]


@pytest.mark.parametrize(("fields", "words"), REFUSED)
def test_what_is_refused(fields, words):
    with pytest.raises(BadInput, match=words) as caught:
        spec_of(**fields)
    assert "\n" not in str(caught.value)


def test_runs_that_end_need_no_budget():
    for algorithm, problem in itertools.product(
        ["cgp:gates=n-1", "cgpstar:gates=n-1,lambda=4", "gsgp"], ["and", "and:rows=20"]
    ):
        assert RunSpec(problem=problem, algorithm=algorithm, n=4).budget is None


def test_own_problems_see_the_tree_a_circuit_unfolds_into():
    own = {"problem": parts.wrong_rows, "n": 3}
    result = simulate(spec_of(algorithm="cgp:gates=8", **own), 1, 0)
    assert result.outcome == "optimum"
    with pytest.raises(BadInput, match="must be at most 16"):
        spec_of(algorithm="cgp:gates=17", **own)
    with pytest.raises(BadInput, match="functions of two"):
        spec_of(problem=parts.not_parity, n=3, algorithm="cgp:gates=8")
