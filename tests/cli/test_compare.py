"""Settings on the command line: what is understood, what is told, and what is compared."""

from fractions import Fraction
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from quiff import Population, TopicsAPI
from quiff.cli.compare import ComparedSetting, compare_option, compared


@pytest.fixture
def run():
    @click.command()
    @compare_option
    def command(compare):
        for setting in compare:
            click.echo(repr(setting))

    return lambda *arguments: CliRunner().invoke(command, arguments)


def test_a_setting_is_read_in_any_order(run):
    result = run("--compare", "noise=1/20,top=9", "--compare", "topics=v2", "--compare", "noise=.1")
    assert result.output.splitlines() == [
        repr(ComparedSetting("noise=1/20,top=9", 9, Fraction(1, 20))),
        repr(ComparedSetting("topics=v2", topics="v2")),
        repr(ComparedSetting("noise=.1", noise=0.1)),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("size=9", "'size=9' in 'size=9' is not understood"),
        ("top=9,", "'' in 'top=9,' is not understood"),
        ("top", "'top' in 'top' is not understood"),
        ("top=", "'top=' in 'top=' is not understood"),
        ("top=5,top=6", "'top=6' in 'top=5,top=6' is not understood"),
        ("top=nine", "top is 'nine' in 'top=nine'"),
        ("top=0", "top is '0' in 'top=0'"),
        ("noise=much", "'much' is neither a decimal"),
    ],
)
def test_what_is_not_understood_is_wrong_usage(run, text, words):
    result = run("--compare", text)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())


def test_a_setting_twice_is_wrong_usage(run):
    result = run("--compare", "top=5", "--compare", "top=5")
    assert result.exit_code == 2
    assert "'top=5' is there twice" in result.stderr


def people(top):
    return Population.synthetic(60, seed=1, n_topics=12, top_s=top)


def test_each_size_is_read_once_and_the_measured_setting_stands_first():
    read = []

    def another(top):
        read.append(top)
        return people(top)

    settings = (
        ComparedSetting("top=3", 3),
        ComparedSetting("top=3,noise=.5", 3, 0.5),
        ComparedSetting("topics=occurring", topics="occurring"),
    )
    found = compared(settings, people(2), TopicsAPI(20, 2, 0.1), another, "20", Path("people.csv"))
    assert read == [3]
    assert [(row.name, row.n_topics, row.top_s, row.noise) for row in found.settings] == [
        ("as measured", 20, 2, 0.1),
        ("top=3", 20, 3, 0.1),
        ("top=3,noise=.5", 20, 3, 0.5),
        ("topics=occurring", people(2).occurring.size, 2, 0.1),
    ]


def test_the_measured_setting_is_not_there_twice():
    setting = ComparedSetting("top=2,noise=.1", 2, 0.1)
    found = compared((setting,), people(2), TopicsAPI(20, 2, 0.1), people, "20", Path("people.csv"))
    assert [row.name for row in found.settings] == ["top=2,noise=.1"]
