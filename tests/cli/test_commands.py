"""The command line: help, version, errors in one line."""

import re

import click
import pytest
from click.testing import CliRunner

import quiff
from quiff.cli import main
from words import worded


@pytest.fixture
def run():
    return lambda *arguments: CliRunner().invoke(main, arguments)


def test_version(run):
    assert run("--version").output == f"quiff, version {quiff.__version__}\n"


def test_help_names_every_command(run):
    result = run("--help")
    assert result.exit_code == 0
    for name in main.list_commands(None):
        assert f"  {name} " in result.output


def test_the_help_of_each_command_shows_an_example(run):
    for name in main.list_commands(None):
        result = run(name, "--help")
        assert result.exit_code == 0
        assert f"Example: quiff {name}" in result.output


@pytest.mark.parametrize("names", [(), ("data",), ("attack",), ("attribution",)])
def test_no_command_is_summed_up_in_half_a_sentence(names):
    shown = CliRunner().invoke(main, [*names, "--help"], terminal_width=80).output.split("Options:")[1]
    lines = [line for line in shown.split("\n") if re.match("  [a-z]", line)]
    assert len(lines) > 1
    assert all(line.endswith(".") and not line.endswith("...") for line in lines)


def test_an_argument_of_python_is_told_as_the_option(run):
    worded(run("theory", "--users", "0").stderr, 1)


def test_wrong_usage_exits_with_2(run):
    assert run("nonsense").exit_code == 2
    assert run("demo", "--nonsense").exit_code == 2


def test_an_error_is_told_in_one_line(run, monkeypatch):
    @click.command("demo")
    def failing():
        raise quiff.LabelError("'z' is not a known label")

    monkeypatch.setattr("quiff.cli.demo.command", failing)
    result = run("demo")
    assert result.exit_code == 1
    worded(result.stderr)
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("options", "message", "told"),
    [
        (["--top"], "top_s must be 1, not 2", "--top must be 1, not 2"),
        ([], "top_s must be 1, not 2", "top_s must be 1, not 2"),
        (["--topics"], "n_topics is 3; n_topics must be 4", "--topics is 3; --topics must be 4"),
        (["--topics"], "n_topics is 3, but top_s 4", "n_topics is 3, but top_s 4"),
        (["--topics", "--top"], "n_topics is 3, but top_s 4", "--topics is 3, but --top 4"),
        (["--top"], "'top_s' is no topic", "'top_s' is no topic"),
    ],
)
@pytest.mark.parametrize("nested", [False, True])
def test_only_an_option_that_the_command_has_is_told(run, monkeypatch, options, message, told, nested):
    @click.pass_context
    def fail(_context, **_options):
        raise quiff.ParameterError(message)

    failing = click.Command("run", callback=fail, params=[click.Option([name]) for name in options])
    command = click.Group("demo", commands=[failing]) if nested else failing
    monkeypatch.setattr("quiff.cli.demo.command", command)
    assert run("demo", *(["run"] if nested else [])).stderr == f"Error: {told}\n"
