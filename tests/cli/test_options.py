"""Numbers as they are typed, and defaults as they are shown."""

import json

import click
import pytest

from gpruntime import BadInput, RunSpec
from gpruntime.cli.main import commands
from gpruntime.cli.options import spec_from, whole_number
from tests.command_help import gpruntime


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        ("+7", 7),
        ("007", 7),
        ("1e4", 10_000),
        ("1E+4", 10_000),
        ("1.25e2", 125),
        ("10_000", 10_000),
        ("2e0", 2),
        ("9007199254740993e0", 2**53 + 1),
        (str(2**63 - 1), 2**63 - 1),
    ],
)
def test_whole_numbers(text, number):
    assert whole_number("n", text, 1) == number


NOT_WHOLE = ["", "x", "1.5e0", "1.25e1", "1.0", "1e-1", "1e", "e4", "1e4.0", "10,000", "_1", "1_", "1__0"]
NOT_WHOLE += ["0x10", "1 0", "1e400", "nan", "inf", "１e4", "-1e4", "0e9", "1" * 50]


@pytest.mark.parametrize("text", NOT_WHOLE)
def test_what_is_none(text):
    with pytest.raises(BadInput, match=r"^n = .*: must be a whole number, 1 or more$"):
        whole_number("n", text, 1)


def test_a_limit_can_be_none_at_all():
    words = ["--problem", "order", "--algorithm", "gp-single", "-n", "1e1", "--max-leaves", "None", "--budget", "none"]
    context = commands.commands["run"].make_context("run", words)
    assert spec_from(context.params) == RunSpec(problem="order", algorithm="gp-single", n=10)


@pytest.mark.parametrize("name", ["new", "run"])
def test_help_speaks_of_plans_as_the_docs_do(name):
    help_text = commands.commands["study"].commands[name].make_context(name, ["x"]).get_help()
    assert "PLAN.toml" in help_text
    assert "SPEC" not in help_text


def test_the_limit_on_leaves_has_the_name_of_its_field_too():
    words = ["run", "--problem", "order", "--algorithm", "gp-single", "-n", "4", "--budget", "50", "--json"]
    old, new = (gpruntime(*words, option, "9").stdout for option in ("--max-leaves", "--max-leaves-allowed"))
    assert old == new
    assert json.loads(old)["max_leaves_allowed"] == 9


def test_every_default_is_shown_in_the_help():
    """Of each command, and of those of a group."""
    waiting, hidden = list(commands.commands.values()), []
    while waiting:
        made = waiting.pop()
        waiting += getattr(made, "commands", {}).values()
        for option in made.params:
            if isinstance(option, click.Option) and isinstance(option.default, str | int) and not option.is_flag:
                hidden += [(made.name, option.name)] if option.default != "" and not option.show_default else []
    assert hidden == []
