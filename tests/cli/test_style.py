"""Help in one style, and hints that can be typed as they stand."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from gpruntime.cli.main import commands
from gpruntime.cli.output import LAUNCHER, settings, typed


def every_command(group=commands, words=()):
    for name, command in group.commands.items():
        yield (*words, name), command
        if isinstance(command, click.Group):
            yield from every_command(command, (*words, name))


EVERY = dict(every_command())


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_help_ends_with_examples_and_fits(words, monkeypatch):
    monkeypatch.delenv("GPRUNTIME_COMMAND", raising=False)
    told = CliRunner().invoke(commands, [*words, "--help"], terminal_width=80, **settings())
    assert told.exit_code == 0
    text, _, examples = told.output.partition("\nExamples:\n")
    assert max(map(len, text.splitlines())) <= 80
    lines = examples.splitlines()
    assert lines
    for line in lines:
        assert line.startswith(f"  gpruntime {words[0]}")
    for option in EVERY[words].params:
        assert "-o" not in option.opts or option.opts == ["-o", "--output"]


def test_the_examples_name_real_options():
    for words, command in EVERY.items():
        for example in command.examples:
            given = example.split()
            named, rest = EVERY[words], given[len(words) :]
            if isinstance(named, click.Group):
                named, rest = EVERY[(*words, given[len(words)])], given[len(words) + 1 :]
            known = {name for option in named.params for name in option.opts}
            assert {word for word in rest if word.startswith("-")} <= known, example


@pytest.mark.parametrize("example", [*EVERY["run",].examples, *EVERY["exact",].examples])
def test_the_examples_of_runs_and_exact_answers_run(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "mine.py" not in example:
        told = CliRunner().invoke(commands, example.split(), **settings())
        assert told.exit_code == 0, told.output


def test_through_the_launcher_commands_are_named_as_they_are_typed(monkeypatch):
    monkeypatch.setenv("GPRUNTIME_COMMAND", "./run")
    told = CliRunner().invoke(commands, ["--help"], **settings()).output
    for name, _ in LAUNCHER:
        assert f"\n  {name} " in told
    assert "\n  ./run paper\n" in told
    assert "\n  gpruntime " not in told
    assert typed("what is stored stays: gpruntime study run s") == "what is stored stays: ./run study run s"
    assert typed("gpruntime is a laboratory") == "gpruntime is a laboratory"
    monkeypatch.delenv("GPRUNTIME_COMMAND")
    assert "launcher" not in CliRunner().invoke(commands, ["--help"], **settings()).output
