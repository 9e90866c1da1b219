"""The command line: help, version, errors in one line."""

import re

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
    worded(run("theory", "--n-users", "0").stderr, 1)


def test_wrong_usage_exits_with_2(run):
    assert run("nonsense").exit_code == 2
    assert run("demo", "--nonsense").exit_code == 2


@pytest.fixture
def failing(monkeypatch, tmp_path):
    """Let the demo fail with an error."""
    monkeypatch.chdir(tmp_path)

    def fails_with(error):
        def fail(**_options):
            raise error

        monkeypatch.setattr("quiff.cli.demo.demo", fail)

    return fails_with


def test_an_error_is_told_in_one_line(run, failing):
    failing(quiff.LabelError("'z' is not a known label"))
    result = run("demo")
    assert result.exit_code == 1
    worded(result.stderr)
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("options", "message", "status", "told"),
    [
        (
            ["--users", "2"],
            "users must be 1, not 2",
            2,
            "Invalid value for '--users': users must be 1, not 2.",
        ),
        ([], "users must be 1, not 2", 1, "users must be 1, not 2"),
        (["--users", "2"], "seed must be 4", 1, "seed must be 4"),
        (["--users", "2"], "'users' is no topic", 1, "'users' is no topic"),
    ],
)
def test_an_error_is_told_at_the_option_that_was_typed(run, failing, options, message, status, told):
    failing(quiff.ParameterError(message))
    done = run("demo", *options)
    assert done.exit_code == status
    assert done.stderr.splitlines()[-1] == f"Error: {told}"
