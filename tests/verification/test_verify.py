"""`verify` checks user-defined operators and algorithms; what is wrong is named, in a line."""

import importlib.util
import random
import re
import sys

import pytest

import gpruntime
from gpruntime import PROBLEMS, BadInput, Operation, RunSpec, Search, operator, simulate
from gpruntime.cli.main import main
from gpruntime.model.acceptance import ACCEPTANCES
from gpruntime.model.operator import OPERATORS
from gpruntime.verification.kinds import named, verify


class Base:
    """A uniform leaf becomes its complement. Each of the operators below but the first has one thing wrong."""

    def __init__(self, primitives, proportions):
        self.primitives = primitives

    def draw(self, tree, stream):
        return self.at(tree, stream.below(len(tree.leaves)))

    def apply(self, tree, operation):
        tree.substitute(operation.site, operation.terminal)

    def proposals(self, tree):
        for site in range(len(tree.leaves)):
            yield self.at(tree, site), 1 / len(tree.leaves)

    def at(self, tree, site):
        return Operation("substitute", site, terminal=tree.leaves[site].terminal.complement)


@operator
class Sound(Base):
    def at(self, tree, site):
        return Operation("substitute", site, terminal=tree.leaves[site].terminal.complement)


@operator
class LeavesOut(Base):
    def proposals(self, tree):
        yield self.at(tree, 0), 1.0


@operator
class Favours(Base):
    def draw(self, tree, stream):
        return self.at(tree, min(stream.below(len(tree.leaves)), stream.below(len(tree.leaves))))


@operator
class TooMuch(Base):
    def proposals(self, tree):
        for site in range(len(tree.leaves)):
            yield self.at(tree, site), 0.7


@operator
class NoNumber(Base):
    def proposals(self, tree):
        for site in range(len(tree.leaves)):
            yield self.at(tree, site), float("nan")


@operator
class OneNoNumber(Base):
    def proposals(self, tree):
        yield self.at(tree, 0), 1.0
        yield self.at(tree, 0), float("nan")


@operator
class Negative(Base):
    def proposals(self, tree):
        yield self.at(tree, 0), 1.5
        yield self.at(tree, 0), -0.5


@operator
class Elsewhere(Base):
    def draw(self, tree, stream):
        return self.at(tree, random.randrange(len(tree.leaves)))


@operator
class ChangesAtOnce(Base):
    def draw(self, tree, stream):
        operation = self.at(tree, stream.below(len(tree.leaves)))
        tree.substitute(operation.site, operation.terminal)
        return operation


@operator
class ForgetsTheRegister(Base):
    def apply(self, tree, operation):
        tree.leaves.reverse()


@operator
class Raises(Base):
    def apply(self, tree, operation):
        raise KeyError(operation.site)


@pytest.mark.parametrize("part", [Sound, *OPERATORS.values()], ids=str)
def test_a_sound_operator(part):
    found = verify(part)
    assert found.good, str(found)
    assert len(found.findings) == 4 + part.is_own


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (LeavesOut, "which it does not propose"),
        (Favours, "where its probability is"),
        (TooMuch, "add up to"),
        (Elsewhere, "the same random numbers gave it two operations"),
        (ChangesAtOnce, "two operations|changed the tree|does not propose"),
        (ForgetsTheRegister, "does not know its place in the register"),
        (Raises, "raised KeyError"),
    ],
    ids=str,
)
def test_an_operator_that_is_not_what_it_says(part, words):
    found = verify(part)
    wrong = [finding.words for finding in found.findings if finding.verdict == "WRONG"]
    assert any(re.search(words, one) for one in wrong), str(found)
    assert not found.good
    assert len(str(found).splitlines()) == 1 + len(found.findings)


@pytest.mark.attack
@pytest.mark.parametrize(
    ("part", "words"), [(NoNumber, "probability nan"), (OneNoNumber, "probability nan"), (Negative, "probability 1.5")]
)
def test_what_is_no_probability_is_refused(part, words):
    """A sum with NaN is neither 1 nor far from it; and what may be drawn is not tried: a false stuck."""
    found = verify(part)
    assert not found.good
    assert words in str(found)
    with pytest.raises(BadInput, match=words) as refused:
        simulate(RunSpec(problem="order", algorithm="gpstar-single", n=2, operator=part, init="(x2 x2)", budget=9), 1)
    assert "must be from 0 to 1" in str(refused.value)


def test_what_was_found_before_it_raised_is_told():
    assert [finding.verdict for finding in verify(Raises).findings] == ["ok", "ok", "WRONG"]


class TwoPlusOne(Search):
    def start(self):
        self.population = [self.evaluate(self.initial()) for _ in range(2)]

    def step(self):
        child = self.evaluate(self.mutate(self.choose(self.population).tree))
        worst = min(self.population, key=lambda one: one.score)
        if child.score >= worst.score:
            self.population[self.population.index(worst)] = child


class Peeks(TwoPlusOne):
    def step(self):
        self.spec.problem.fitness(self.population[0].tree, self.spec.n)
        TwoPlusOne.step(self)


class Forgets(TwoPlusOne):
    def step(self):
        TwoPlusOne.step(self)
        self.evaluations -= self.evaluations % 2


class Throws(TwoPlusOne):
    def step(self):
        TwoPlusOne.step(self)
        for _ in range(random.randrange(3)):
            self.stream.word()


class Spoils(TwoPlusOne):
    def step(self):
        TwoPlusOne.step(self)
        for one in self.population:
            one.tree.substitute(0, one.tree.leaves[0].terminal.complement)


def test_a_sound_algorithm():
    found = verify(TwoPlusOne)
    assert found.good, str(found)
    assert "optimum" in str(found)
    assert all("fitness" not in vars(problem) for problem in PROBLEMS.values())  # counted on a twin, not on ours


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (Peeks, "only evaluate may ask"),
        (Forgets, "only evaluate may ask|without an evaluation"),
        (Throws, "had .* evaluations, then .*, or ended otherwise"),
        (Spoils, "a tree that was evaluated must not be changed"),
    ],
)
def test_an_algorithm_that_is_not_what_it_says(part, words):
    found = verify(part)
    assert any(re.search(words, one.words) for one in found.findings if one.verdict == "WRONG"), str(found)
    assert not found.good


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nope", "must be FILE.py:NAME, or one of order, majority"),
        ("nowhere.py:mine", "cannot be read: No such file"),
        ("mine.py:absent", "there is no absent in that file"),
        ("mine.py:number", "is not made by @problem, @acceptance or @operator, and no class derived from"),
    ],
)
def test_what_is_refused_is_about_the_argument(tmp_path, monkeypatch, capsys, text, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("number = 3\n")
    with pytest.raises(BadInput, match=words) as refused:
        named(text)
    assert refused.value.name == "FILE.py:NAME"
    monkeypatch.setattr(sys, "argv", ["gpruntime", "verify", text])
    with pytest.raises(SystemExit, match="2"):
        main()
    said = capsys.readouterr().err
    assert said.startswith("gpruntime: FILE.py:NAME ")
    assert said.count("\n") == 1


def test_verify_is_a_function_whatever_was_imported():
    assert gpruntime.verify is gpruntime.verification.verify is verify
    assert importlib.util.find_spec("gpruntime.verify") is None  # once imported, it would stand in its place


def test_each_kind_is_found_by_its_name():
    for name in ("order", *ACCEPTANCES, *OPERATORS):
        assert named(name).id == name
