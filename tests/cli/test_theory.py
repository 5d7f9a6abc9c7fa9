import json

import pytest

from tests.command_help import gpruntime

AND = ["certify", "--problem", "and", "--algorithm", "gpstar-single", "-n", "4", "--init", "unity:leaves=1"]
OWN = """
from fractions import Fraction

def harmonic(tree, n):
    missing = n - len({leaf.variable for leaf in tree.terminals()})
    return 3 * n * sum(Fraction(1, k) for k in range(1, missing + 1))

def three(tree, n):
    return 3
"""


def test_a_certificate_and_its_check(tmp_path):
    file = tmp_path / "and.json"
    done = gpruntime(*AND, "-o", file)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("(1+1) GP*-single on AND, n = 4, initial tree unity:leaves=1\n")
    assert "  E[evaluations] ≤ 23\n  φ = 4·[f ≥ 3] + 6·[f ≥ 2] + 12·[f ≥ 1], and 0 at the optimum\n" in done.stdout
    done = gpruntime("certify", "--check", file)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("  The certificate holds: 3 states visited, the bound is 23.\n")
    record = json.loads(file.read_text())
    record["bound"] = "22999999999999/1000000000000"
    file.write_text(json.dumps(record))
    done = gpruntime("certify", f"--check={file}")
    assert (done.returncode, done.stderr) == (1, "")
    assert "does not hold: it says 22999999999999/1000000000000" in done.stdout
    assert not json.loads(gpruntime("certify", "--check", file, "--json").stdout)["holds"]


def test_json_latex_and_a_figure(tmp_path):
    assert json.loads(gpruntime(*AND, "--json").stdout)["bound"] == "23"
    done = gpruntime(*AND, "--latex", "--figure", tmp_path)
    assert done.stdout.startswith(r"\mathrm{E}[T] \le 1 + \mathrm{E}[\varphi(X_0)] = 23")
    assert sorted(file.suffix for file in tmp_path.iterdir()) == [".csv", ".pdf", ".png", ".svg"]
    assert "≥" in gpruntime(*AND, "--lower").stdout


def test_a_potential_of_ones_own(tmp_path):
    mine, file = tmp_path / "mine.py", tmp_path / "c.json"
    mine.write_text(OWN)
    done = gpruntime(*AND, "--potential", f"{mine}:harmonic", "-o", file)
    assert (done.returncode, done.stderr) == (0, "")
    done = gpruntime("certify", "--check", file)
    assert done.returncode == 2
    assert "its source is not loaded" in done.stderr
    assert gpruntime("certify", "--check", file, "--load", mine).returncode == 0
    mine.write_text(OWN.replace("3 * n", "2 * n"))
    assert gpruntime("certify", "--check", file, "--load", mine).returncode == 2
    done = gpruntime(*AND, "--potential", f"{mine}:three")
    assert done.returncode == 1
    assert "No certificate: the potential has drift 0" in done.stdout
    record = json.loads(gpruntime(*AND, "--potential", f"{mine}:three", "--json").stdout)
    assert record["certificate"] is None
    assert record["witnesses"][0]["moves"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([*AND, "--features", "leafs"], "--features leafs: must be one of one, level, gap, leaves, absent"),
        ([*AND, "--features", ","], "--features ,: must be at least one"),
        ([*AND, "--features", "leaves", "--potential", "gap"], "--potential gap: is checked as it is"),
        ([*AND, "--potential", "nowhere.py:phi"], "--features nowhere.py: cannot be read"),
        ([*AND, "--budget", "5"], "--budget 5: bounds are for runs without a budget"),
        ([*AND, "--load", "x.py"], "--load x.py: goes with --check"),
        ([*AND, "--check", "x.json"], "--problem and: has no part in --check"),
        (["certify", "--check", "nowhere.json"], "--check nowhere.json: must be a file"),
        (["certify"], "Missing option"),
        (
            ["certify", "--problem", "order", "--algorithm", "gp-multi", "-n", "2"],
            "--operations poisson:mean=1.0: an offspring can have many operations",
        ),
    ],
)
def test_bad_input_is_one_line(words, complaint):
    done = gpruntime(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_that_is_no_certificate(tmp_path):
    file = tmp_path / "c.json"
    twice = json.dumps(json.loads(gpruntime(*AND, "--json").stdout) | {"bound": "1"})[:-1] + ', "bound": "23"}'
    for text in ("", "[]", "{", "[" * 10**5, '{"format": "gpruntime certificate"}', twice):
        file.write_text(text)
        done = gpruntime("certify", "--check", file)
        assert (done.returncode, done.stdout) == (2, ""), text[:20]
        assert done.stderr.count("\n") == 1


def test_levels(tmp_path):
    words = ["levels", *AND[1:]]
    done = gpruntime(*words, "--rational")
    assert (done.returncode, done.stderr) == (0, "")
    assert "        1       1  1.000000     1/12       1/12\n" in done.stdout
    assert "  E[evaluations] ≤ 23, by Σ 1/pₖ\n" in done.stdout
    record = json.loads(gpruntime(*words, "--json").stdout)
    assert record["bound_fraction"] == "23"
    assert gpruntime(*words, "--latex").stdout.startswith(r"\begin{tabular}")
    assert gpruntime(*words, "-o", tmp_path).returncode == 0
    assert (tmp_path / "levels.csv").exists()
    done = gpruntime(*words, "--budget", "3")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
