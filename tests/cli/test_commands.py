"""The command line: help, version, errors in one line."""

import click
import pytest
from click.testing import CliRunner

import quiff
from quiff.cli import main


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


@pytest.mark.parametrize("name", main.list_commands(None))
def test_the_help_of_each_command_shows_an_example(run, name):
    result = run(name, "--help")
    assert result.exit_code == 0
    assert f"Example: quiff {name}" in result.output


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
    assert result.stderr == "Error: 'z' is not a known label\n"
    assert result.stdout == ""
