"""The Python of the playground: the model without NumPy makes the runs it makes with NumPy."""

import json
import subprocess
import sys

import numpy
import pytest

from docs.making.places import ROOT
from gpruntime import PROBLEMS, RunSpec, simulate

PYTHON = ROOT / "web" / "playground" / "python"
OWN = """import numpy as np
from gpruntime import problem

_FIRST = np.array([2, 1], np.int64)

@problem(sees="leaves", terminals="plain", best=lambda n: n * (n - 1) // 2)
def inversions(leaves, n):
    seen = np.zeros(n, np.bool_)
    kept = []
    for leaf in leaves:
        if not seen[leaf]:
            seen[leaf] = True
            kept.append(leaf)
    pairs = 0
    for i in range(len(kept)):
        for j in range(i + 1, len(kept)):
            pairs += kept[i] < kept[j]
    return pairs + 0 * _FIRST[0]
"""
ALGORITHMS = ("gp-single", "gpstar-multi", "mu-plus-one-single", "smo-single")
ASKED = [
    *((problem, algorithm, 3) for problem in PROBLEMS for algorithm in ALGORITHMS[:2]),
    *(("sorting", algorithm, 6) for algorithm in ALGORITHMS),
    *((problem, algorithm, 6) for problem in ("multiplexer", "parity", "and:rows=70") for algorithm in ALGORITHMS[:1]),
    *(("and", algorithm, 4) for algorithm in ("cgp", "gsgp")),
    ("own", "gp-single", 4),
]
# What does without the packages of this environment, and so without NumPy.
ALONE = [sys.executable, "-S", "-c"]
PATHS = f"""import sys, sysconfig
sys.path[:0] = [{str(PYTHON)!r}, {str(ROOT / "src")!r}]
paths = sysconfig.get_paths() | dict(purelib={str(PYTHON)!r})
sysconfig.get_paths = lambda: paths
"""


def alone(program, given=""):
    done = subprocess.run([*ALONE, PATHS + program], input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def asked_of(problem, algorithm, n, **more):
    words = {"kind": "many", "problem": problem, "algorithm": algorithm, "n": n, "seed": 7, "runs": 4, "budget": 120}
    return words | {"text": OWN} | more


@pytest.fixture(scope="module")
def answers():
    """Of all that is asked, in one process."""
    program = "import json, laboratory\nfor line in sys.stdin: print(laboratory.answer(line, lambda done: None))"
    lines = alone(program, "\n".join(json.dumps(asked_of(*one)) for one in ASKED)).splitlines()
    return {one: json.loads(line) for one, line in zip(ASKED, lines, strict=True)}


@pytest.mark.parametrize("asked", ASKED, ids=[" ".join(map(str, one)) for one in ASKED])
def test_runs_are_those_with_numpy(asked, answers, tmp_path):
    problem, algorithm, n = asked
    if problem == "own":
        (tmp_path / "own.py").write_text(OWN, "utf-8")
        problem = f"{tmp_path / 'own.py'}:inversions"
    spec = RunSpec(problem=problem, algorithm=algorithm, n=n, budget=120)
    for run, made in enumerate(answers[asked]["results"]):
        result = simulate(spec, 7, run)
        assert made == {name: getattr(result, name) for name in made}


def test_the_random_words_are_those_of_numpy():
    program = "import json; from numpy.random import SFC64, SeedSequence\nfor line in sys.stdin:\n"
    program += "    seed, key = json.loads(line); print(SFC64(SeedSequence(seed, key)).random_raw(5).tolist())"
    addresses = [(0, [0]), (2**63 - 1, [1, 2, 3, 4, 2**32 - 1]), (2**40, [7, 0])]
    made = map(json.loads, alone(program, "\n".join(map(json.dumps, addresses))).splitlines())
    for (seed, key), words in zip(addresses, made, strict=True):
        generator = numpy.random.SFC64(numpy.random.SeedSequence(seed, spawn_key=key))
        assert words == generator.random_raw(5).tolist()


EXPRESSIONS = [
    "np.arange(12).reshape(3, 4).T[1:, ::2]",
    "np.arange(12).reshape(3, 4).sum(axis=0) << np.arange(4)",
    "(np.arange(6).reshape(2, 3)[:, None] * np.arange(2)[:, None])[1, 1]",
    "np.array([2**62, 1]) * 4 + np.array([-1, 2**63 - 1])",
    "np.where(np.arange(5) % 2 == 0, -1, 1) / 2",
    "np.arange(5)[np.arange(5) > 2]",
    "np.arange(9)[np.array([4, 1, -1])]",
    "~np.eye(3, dtype=np.bool_)",
    "~np.arange(3)",
    "np.array([-1, 5]).view(np.uint8)",
    "np.packbits(np.arange(16).reshape(2, 8) % 3 == 0, axis=1, bitorder='little')",
    "np.bincount(np.array([1, 1, 3]), minlength=6)",
    "np.linspace(-1, 1, 7)",
    "np.minimum(np.arange(4), 2).max()",
]


def test_arrays_behave_as_numpys():
    program = "import json, numpy as np\nfor line in sys.stdin: print(json.dumps(np.asarray(eval(line)).tolist()))"
    made = map(json.loads, alone(program, "\n".join(EXPRESSIONS)).splitlines())
    for expression, found in zip(EXPRESSIONS, made, strict=True):
        assert found == eval(expression, {"np": numpy}).tolist(), expression


WRONG = {
    "x = (": "problem = x = (: line 1: '(' was never closed",
    "print(1)": "problem = own: has no function with @problem(…) above it",
    "import numpy\nnumpy.fft\n@problem\ndef f(): pass": "the Python of this page has no numpy.fft",
    OWN.replace("pairs = 0", "pairs = 1 / 0"): "ZeroDivisionError",
}


@pytest.mark.parametrize(("text", "words"), WRONG.items())
def test_what_is_wrong_with_a_text_is_one_line(text, words):
    program = "import laboratory\nprint(laboratory.answer(sys.stdin.read(), print))"
    error = json.loads(alone(program, json.dumps(asked_of("own", "gp-single", 3, text=text))))["error"]
    assert words in error
    assert "\n" not in error
