"""Large terms, and data that a function writes to: engine and model refuse alike, and no number is wrong in silence."""

import pytest

from gpruntime import BadPart, RunSpec, problem, run_many, simulate, verify
from gpruntime.engine import unsupported

pytestmark = pytest.mark.attack


@problem(sees="counts", best=lambda n: 0, better="smaller")
def missing_costs(i, plain, bar, n):
    return 2**60 if plain == 0 else 0


@problem(sees="first", best=lambda n: 0, better="smaller")
def absent_costs(i, sign, n):
    return 2**60 if sign < 0 else 0


@problem(sees="counts", best=lambda n: 0)
def missing_loses(i, plain, bar, n):
    return -(2**59) if plain == 0 else 0


@problem(sees="counts", best=lambda n: 1, parameters={"c": 57})
def late(i, plain, bar, n, c):
    return 2**c if plain > 5 else 0


def refused(spec, **more):
    """What engine and model say, which is the same line."""
    said = []
    for run in (simulate, lambda spec, seed: run_many(spec, seed=seed, runs=4, **more)):
        with pytest.raises(BadPart) as error:
            run(spec, 1)
        said.append(str(error.value))
    assert said[0] == said[1]
    assert "\n" not in said[0]
    return said[0]


@pytest.mark.parametrize("algorithm", ["gp-single", "gp-multi", "gpstar-single", "mu-plus-one-single:mu=2"])
@pytest.mark.parametrize("part", [missing_costs, absent_costs, missing_loses], ids=str)
def test_terms_that_do_not_fit_together_are_refused(part, algorithm):
    """Sixteen times 2⁶⁰ is 0 in 64 bits: the first tree would be an optimum."""
    said = refused(RunSpec(problem=part, algorithm=algorithm, n=40, budget=500, init="x1"))
    assert "each must be at most 28823037615171174, so that the sum of 40 has 60 bits at most" in said


@pytest.mark.long
def test_so_they_are_where_offspring_are_written_anew():
    refused(RunSpec(problem=absent_costs, algorithm="gp-single", n=20, budget=500, init="x1", operator="hvl"))


def test_so_they_are_where_the_variables_are_more_than_n():
    @problem(sees="counts", best=lambda n: 0, better="smaller", variables=lambda n: 16 * n)
    def many(i, plain, bar, n):
        return 2**59 if plain == 0 else 0

    assert "the sum of 16 has" in refused(RunSpec(problem=many, algorithm="gp-single", n=1, budget=500, init="x1"))


def test_a_term_that_comes_late_is_refused_when_it_comes():
    spec = RunSpec(problem=late, algorithm="gp-single", n=10, budget=10**4, init="unity:leaves=60")
    assert "gave 144115188075855872 as a term" in refused(spec)


@problem(sees="counts", best=lambda n: n * (2**60 // n))
def largest(i, plain, bar, n):
    return 2**60 // n if plain > bar else -(2**60 // n)


@pytest.mark.parametrize("n", [1, 7, 40])
@pytest.mark.parametrize("algorithm", ["gp-multi", "gpstar-multi"])
def test_the_largest_terms_that_fit_are_added_up_right(n, algorithm):
    spec = RunSpec(problem=largest, algorithm=algorithm, n=n, budget=300)
    model = [simulate(spec, 1, run) for run in range(3)]
    assert [(run.evaluations, run.fitness, run.max_leaves) for run in run_many(spec, seed=1, runs=3).results()] == [
        (run.evaluations, run.fitness, run.max_leaves) for run in model
    ]


@pytest.mark.parametrize("problem", ["wmajority:weights=powers", "worder:weights=powers"])
def test_powers_of_two_add_up_right_as_far_as_they_go(problem):
    """Ours are known to add up to 2⁶⁰ − 1 at most."""
    spec = RunSpec(problem=problem, algorithm="gp-multi", n=60, budget=200, init="unity:leaves=300")
    model, (engine,) = simulate(spec, 1), run_many(spec, seed=1).results()
    assert (engine.evaluations, engine.fitness) == (model.evaluations, model.fitness)
    assert model.fitness > 2**59


def test_verify_sees_it():
    found = verify(missing_costs)
    assert not found.good
    assert "so that the sum of" in str(found)


# ---- data


@problem(sees="counts", best=lambda n: n, data=lambda n: [1] * n)
def writes(i, plain, bar, n, weights):
    weights[i - 1] = 0
    return plain >= 1


@problem(sees="leaves", best=lambda n: float(n), data=lambda n: [1.0] * n)
def adds(leaves, n, weights):
    weights += 1.0
    return weights[0]


def clear(weights):
    weights[:] = 0


@problem(sees="counts", best=lambda n: n, data=lambda n: [1] * n)
def lets_a_helper_write(i, plain, bar, n, weights):
    clear(weights)
    return plain >= 1


@pytest.mark.parametrize("part", [writes, adds, lets_a_helper_write], ids=str)
def test_data_are_not_written_to(part):
    """The engine's are those of all runs, in an order that nobody promised."""
    spec = RunSpec(problem=part, algorithm="gp-single", n=3, budget=50)
    assert "read-only" in refused(spec)
    assert not verify(part).good


@problem(
    sees="leaves",
    best=lambda n: float(n),
    data=lambda n: [0.5 + i for i in range(2 * n)],
)
def reads(leaves, n, weights):
    total = weights.sum() * 0 + weights[1:3].copy().max() * 0 + weights.reshape(2, n)[0, 0] * 0
    twice = 2 * weights
    twice[0] = 0
    for leaf in leaves:
        total += weights[leaf] * 0 + (leaf % 2) / n
    return min(total, float(n)) - 1


def test_data_that_are_read_are_compiled():
    spec = RunSpec(problem=reads, algorithm="gp-single", n=3, budget=50)
    assert unsupported(spec) is None
    assert run_many(spec, seed=1, runs=3).fitness.tolist() == [simulate(spec, 1, run).fitness for run in range(3)]
