"""`gpruntime problems`, `algorithms` and `verify`: what there is to run, and whether a user's component is sound."""

from __future__ import annotations

import sys

import click

from gpruntime.cli.output import Command, command, echo, examples
from gpruntime.model.acceptance import ACCEPTANCES
from gpruntime.model.algorithms import ALGORITHMS
from gpruntime.model.family import Family, families
from gpruntime.model.operations import EXAMPLES
from gpruntime.model.problems import PROBLEMS


@examples("problems")
@click.command(cls=Command)
def problems() -> None:
    """List the problems: what each sees of a tree, its source, and how it is compiled."""
    from gpruntime.show.markup import signs

    for problem in PROBLEMS.values():
        compiled = "stepping and skipping" if problem.can_skip else "stepping"
        echo(f"{problem.id:<20} {signs(problem.line)}")
        echo(f"{'':<20} sees {problem.sees}; compiled: {compiled}; {problem.cite}")
        if problem.defaults:
            values = ",".join(f"{name}={value}" for name, value in problem.defaults.items())
            echo(f"{'':<20} parameters, as they are if left out: {problem.id}:{values}")
    echo(f"{'FILE.py:NAME':<20} a problem of your own; {command()} verify FILE.py:NAME looks at it")


@examples("algorithms")
@click.command(cls=Command)
def algorithms() -> None:
    """List the algorithms, the acceptance rules and the laws of the number of operations."""
    echo("algorithms (--algorithm): presets of a rule and a law")
    for algorithm in ALGORITHMS.values():
        law = "poisson" if algorithm.multi else "one"
        echo(f"  {algorithm.id:<18} {algorithm.name:<18} accept {algorithm.accept}, operations {law}")
    echo(f"  {'':<18} compiled: stepping; skipping for GP*. Durrett, Neumann, O'Reilly 2011")
    trees = [family for family in families().values() if family.representation.is_tree]
    echo("algorithms with populations (--algorithm NAME-single or NAME-multi; docs/algorithms.md)")
    _families(trees, "for hvl-prime. ")
    echo("algorithms whose programs are no trees (--algorithm NAME; docs/circuits.md)")
    _families([family for family in families().values() if family not in trees], "")
    echo("acceptance rules (--accept)")
    for rule in ACCEPTANCES.values():
        echo(f"  {rule.id:<18} {rule.name}")
    echo(f"  {'FILE.py:NAME':<18} one of your own, a function of gain and growth")
    echo("operations per offspring (--operations)")
    for example, words in EXAMPLES.items():
        echo(f"  {example:<22} {words}")


def _families(families_: list[Family], compiled: str) -> None:
    for family in families_:
        parameters = ",".join(f"{name}={value}" for name, value in family.parameters.items())
        echo(f"  {family.id + (':' + parameters if parameters else '')}")
        echo(f"  {'':<18} {family.line}")
        echo(f"  {'':<18} select by {', '.join(family.rules) or family.selection}; until {', '.join(family.goals)}")
        made = f"compiled: stepping, {compiled}" if family.is_compiled else "run by the model. "
        echo(f"  {'':<18} {made}{family.cite}")


@examples("verify mine.py:two_thirds", "verify mine.py:parsimony")
@click.command(cls=Command)
@click.argument("part", metavar="FILE.py:NAME")
def verify(part: str) -> int:
    """Check a problem, a rule, an operator or an algorithm of your own, in seconds, and say what was found."""
    from gpruntime.verification import verify as look  # imports Numba

    report = look(part, progress=sys.stderr is not None and sys.stderr.isatty())
    for line in str(report).splitlines():
        echo(line)
    return 0 if report.good else 1
