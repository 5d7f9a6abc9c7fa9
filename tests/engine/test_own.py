"""A user's function that is no good: one line, whoever runs it, and no crash."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from gpruntime import BadInput, BadPart, RunSpec, acceptance, problem, run_many, simulate
from gpruntime.engine import unsupported


@problem(sees="counts", best=lambda n: n)
def divides(i, plain, bar, n):
    return 1 // (plain - 2)


@problem(sees="leaves", best=lambda n: n)
def beyond(leaves, n):
    return leaves[len(leaves) + 10**6]


@problem(sees="leaves", best=lambda n: 1.0)
def not_a_number(leaves, n):
    return np.nan


@problem(sees="leaves", best=lambda n: 2)
def too_good(leaves, n):
    return len(leaves)


@problem(sees="counts", best=lambda n: n)
def too_large(i, plain, bar, n):
    return 2**62 + plain


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (divides, "raised ZeroDivisionError"),
        (beyond, "raised IndexError: index"),
        (not_a_number, "finite number|gave nan as its fitness"),
        (too_good, "a tree has fitness 8, beyond the best it says, 2 for n = 4"),
        (too_large, "60 bits"),
    ],
    ids=str,
)
def test_what_goes_wrong_in_it_is_one_line(part, words):
    spec = RunSpec(problem=part, algorithm="gp-single", n=4, budget=200)
    for run in (simulate, lambda spec, seed: run_many(spec, seed=seed, runs=3)):
        with pytest.raises(BadPart, match=words) as refused:
            run(spec, 1)
        assert "\n" not in str(refused.value)


@problem(sees="leaves", best=lambda n: 1000)
def divides_later(leaves, n):
    return 10 // (len(leaves) - 9)


@pytest.mark.parametrize("algorithm", ["gp-single", "smo-single", "mu-plus-one-single:mu=3,crossover=0.5"])
def test_its_own_error_is_told_whatever_the_algorithm(algorithm):
    more = {"until": "optimum"} if algorithm.startswith("smo") else {"max_leaves_allowed": 40}
    spec = RunSpec(problem=divides_later, algorithm=algorithm, n=4, init="unity:leaves=8", budget=500, **more)
    with pytest.raises(BadPart, match="raised ZeroDivisionError"):
        run_many(spec, seed=1, runs=3, method="stepping")


@problem(sees="program", best=lambda n: 10**6)
def uses_it_up(program, n):
    top = 0
    for token in program:  # its stack is the array itself
        if token < 0:
            top -= 1
            program[top - 1] -= program[top]
        else:
            program[top] = token
            top += 1
    return program[0] if len(program) > 0 else 0


@pytest.mark.parametrize("operator", ["hvl-prime", "hvl"])
def test_what_it_is_given_is_its_own_to_write_over(operator):
    spec = RunSpec(problem=uses_it_up, algorithm="gp-single", n=4, operator=operator, init="unity:leaves=8", budget=300)
    assert next(run_many(spec, seed=1, runs=1).results()).evaluations == 300
    assert [run.fitness for run in run_many(spec, seed=1, runs=9).results()] == [
        simulate(spec, 1, i).fitness for i in range(9)
    ]


@problem(sees="counts", best=lambda n: n)
def nothing(i, plain, bar, n):
    return None


@problem(sees="counts", best=lambda n: n)
def words(i, plain, bar, n):
    return "a"


@problem(sees="counts", best=lambda n: n)
def halves(i, plain, bar, n):
    return 0.5


@pytest.mark.parametrize("part", [nothing, words, halves], ids=str)
def test_what_is_no_fitness_is_refused(part):
    spec = RunSpec(problem=part, algorithm="gp-single", n=4, budget=200)
    for run in (simulate, lambda spec, seed: run_many(spec, seed=seed, runs=3)):
        with pytest.raises(BadPart, match="must be a whole number"):
            run(spec, 1)


@problem(sees="leaves", best=lambda n: n)
def by_a_string(leaves, n):
    return min(n, len("".join(sorted({chr(97 + leaf) for leaf in leaves.tolist()})).encode()))


def test_what_numba_does_not_know_is_run_by_the_model_and_said_once(capsys):
    spec = RunSpec(problem=by_a_string, algorithm="gp-single", n=3, budget=40)
    assert "outside Numba's subset" in unsupported(spec)
    first, again = run_many(spec, seed=1, runs=2), run_many(spec, seed=1, runs=2)
    assert first.table.tolist() == again.table.tolist()
    assert first.fitness.tolist() == [simulate(spec, 1, run).fitness for run in range(2)]
    assert capsys.readouterr().err.count("by_a_string is outside Numba's subset") == 1


@pytest.mark.processes
def test_a_function_that_never_ends_can_be_interrupted(tmp_path):
    (tmp_path / "mine.py").write_text(
        textwrap.dedent("""
            from gpruntime import problem

            @problem(sees="leaves", best=lambda n: n)
            def endless(leaves, n):
                turns = 0
                while len(leaves) > 0:
                    turns += 1
                return turns
        """)
    )
    command = [sys.executable, "-m", "gpruntime", "run", "--problem", "mine.py:endless", "--algorithm", "gp-single"]
    with subprocess.Popen(
        [*command, "-n", "3", "--budget", "9"], cwd=tmp_path, stderr=subprocess.PIPE, env={**os.environ}
    ) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(6)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr.read().decode().splitlines()[-1] == "gpruntime: interrupted"


@acceptance
def odd(gain, growth):
    return gain % 2 == 1


def test_a_rule_that_is_not_monotone_is_refused():
    with pytest.raises(BadInput, match="a rule must be monotone in the gain"):
        run_many(RunSpec(problem="majority", algorithm="gp-single", n=3, accept=odd, budget=9), seed=1, runs=1)
