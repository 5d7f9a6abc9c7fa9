"""Chains of circuits and truth tables: by hand, by brute force, and against runs."""

from collections import Counter
from fractions import Fraction

import pytest

from gpruntime import BadInput, RunSpec, run_many
from gpruntime.exact import solve
from gpruntime.exact.kinds import states_of
from gpruntime.model import Stream
from gpruntime.model.representations.circuits import CIRCUITS
from tests.statistics_help import assert_frequencies, assert_mean


def spec_of(algorithm, problem="and", n=3, **fields):
    return RunSpec(problem=problem, algorithm=algorithm, n=n, **{"budget": 10**5, **fields})


def test_cgp_on_two_variables_with_one_gate_by_hand():
    """Where the output is an input (its genes alike, A; different, B) or a gate of one input (C).

    From A and B the output gene must be hit; before that the two connections flip an even number of times with
    probability Σ (2/3)^2k/3 = 3/5. It moves to the gate or to the other input. From C each connection gene gives the
    optimum, and the output gene A. So A = 1 + 3A/10 + 3C/10 + B/5, B = 1 + 3B/10 + A/5 + C/5, C = 1 + A/3, and of 12
    genotypes 4 are A, 4 are B, 2 are C. Strictly, nothing but the optimum is accepted: 5, 10/3 and 3/2.
    """
    a, b, c = Fraction(69, 22), Fraction(32, 11), Fraction(45, 22)
    assert a == 1 + 3 * a / 10 + 3 * c / 10 + b / 5
    assert b == 1 + 3 * b / 10 + a / 5 + c / 5
    assert c == 1 + a / 3
    found = solve(spec_of("cgp:gates=1", n=2), rational=True)
    assert (found.mean, found.optimum) == (1 + a / 3 + b / 3 + c / 6, 1)
    strict = solve(spec_of("cgpstar:gates=1", n=2), rational=True)
    assert strict.mean == 1 + Fraction(5, 3) + Fraction(10, 9) + Fraction(1, 4)


@pytest.mark.parametrize("wrong", [1, 3, 15])
def test_forcing_points_take_2N_times_the_harmonic_number(wrong):
    rows = "1" * wrong + "0" * (15 - wrong) + "1"
    harmonic = sum(Fraction(1, i) for i in range(1, wrong + 1))
    assert solve(spec_of("gsgp", n=4, init=rows), rational=True).mean == 1 + 32 * harmonic
    assert_mean(
        run_many(spec_of("gsgp", n=4, init=rows), seed=1, runs=4000).evaluations.tolist(), float(1 + 32 * harmonic)
    )


def test_blocks_that_agree():
    """2·2^v·H_k from k wrong blocks: x_1 alone, of two variables, one of them unwanted, with v = 1."""
    spec = spec_of("gsgp:mutation=fixed-block:v=1", "and:unwanted=1", 1, init="1010")
    assert solve(spec, rational=True).mean == 1 + 4 * Fraction(3, 2)
    beside = solve(spec_of("gsgp:mutation=fixed-block:v=2", init="true"))
    assert (beside.optimum, beside.stuck) == (0, 1)


@pytest.mark.parametrize(
    "algorithm", ["cgp:gates=2", "cgp:gates=2,mutation=sam:stop=active", "cgp:gates=2,mutation=point:rate=0.3"]
)
def test_the_law_of_an_offspring(algorithm):
    """The closed form of SAM against draws, from a circuit with an inactive gate."""
    spec = spec_of(algorithm, n=2, init="and(x1,x2) and(x1,x1) > x2")
    states, words = states_of(spec), Stream(1, (1, 2, 3, 4), 0)
    ((start, _),) = states.initial_law(spec.init)
    law = {state: float(chance) for state, chance in states.moves(start, 0).items()}
    assert sum(law.values()) == pytest.approx(1, abs=1e-12)
    parent = spec.init.build(words)
    numbers = {str(states.circuit(state)): state for state in law}

    def state_of(circuit):
        other = spec.replace(init=str(circuit))
        ((state, _),) = states.initial_law(other.init)
        return state

    known = {}
    drawn = Counter(str(CIRCUITS.mutate(parent, spec, words)[0]) for _ in range(30_000))
    counts = Counter()
    for text, count in drawn.items():
        known[text] = state_of(text)
        counts[known[text]] += count
    assert numbers
    assert_frequencies(counts, law)


SETTINGS = [
    ("cgp:gates=2", "and", 3, {}),
    ("cgpstar:gates=2", "and", 3, {}),
    ("cgp:gates=2,ties=uniform,mutation=sam:stop=active,levels-back=3", "and", 3, {}),
    ("cgp:gates=2,lambda=4", "and", 3, {}),
    ("cgp:gates=2,mutation=point:rate=0.2", "and", 3, {}),
    ("cgp:gates=2", "xor", 3, {}),
    ("cgpstar:gates=2", "xor", 3, {}),
    ("cgp:gates=1", "multiplexer", 3, {}),
    ("cgp:gates=2", "and-or", 2, {}),
    ("cgp:gates=2", "and:rows=4", 3, {"accept": "parsimony"}),
    ("gsgp", "parity", 3, {}),
    ("gsgp", "and:rows=6", 3, {"accept": "weak"}),
    ("gsgp:mutation=fixed-block:v=2", "and", 3, {}),
    ("gsgp:mutation=varying-block:v=2", "parity", 3, {}),
    ("gsgp:mutation=fixed-alternative:v=2", "and", 3, {}),
    ("gsgp:mutation=multiple-size", "multiplexer", 3, {}),
]


def against_runs(spec, runs):
    exact, columns = solve(spec), run_many(spec, seed=2, runs=runs)
    reached = [outcome == "optimum" for outcome in columns.outcome]
    assert_mean([float(one) for one in reached], exact.optimum) if exact.optimum < 1 - 1e-9 else None
    assert all(reached) or exact.optimum < 1 - 1e-9
    assert_mean(columns.evaluations[reached].tolist(), exact.mean)


@pytest.mark.parametrize(("algorithm", "problem", "n", "fields"), SETTINGS, ids=lambda part: str(part))
def test_against_runs(algorithm, problem, n, fields):
    against_runs(spec_of(algorithm, problem, n, **fields), 4000)


@pytest.mark.long
@pytest.mark.parametrize("algorithm", ["cgp:gates=3", "cgpstar:gates=3", "cgp:gates=2"])
@pytest.mark.parametrize("problem", ["and", "xor"])
def test_three_gates_against_a_hundred_thousand_runs(algorithm, problem):
    against_runs(spec_of(algorithm, problem), 100_000)


@pytest.mark.parametrize(
    ("algorithm", "problem", "n", "words"),
    [
        ("cgp:gates=9", "and", 4, "too large"),
        ("cgp:gates=1,lambda=2,ties=uniform", "and", 2, "lambda = 1"),
        ("gsgp:mutation=multiple-size", "and", 5, "too large"),
        ("gsgp", "and", 11, "too large"),
    ],
)
def test_what_is_too_large(algorithm, problem, n, words):
    with pytest.raises(BadInput, match=words):
        solve(spec_of(algorithm, problem, n))
