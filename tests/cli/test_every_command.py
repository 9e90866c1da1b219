"""Every command, found in the tree of commands: its example works, and what it prints is fit to be read.

The examples of the helps are run one after the other, with all that they can print; what one writes the next
ones read. A later command is bound by its own example.
"""

import re
import shlex
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from quiff.cli import main, shown
from voice import BANNED

PIPELINE = ("synth", "treat", "classify", "experiment", "profile", "simulate")  # what they write others read
ELSEWHERE = {  # what has no output to look at here, and why
    ("data", "get"): "needs a network",
    ("explore",): "serves a page, which has tests of its own",
    ("demo",): "takes a minute; its report has tests of its own",
}
FEWER = {"--users 20000": "--users 150", "--epochs 30 --seeds 3": "--epochs 5 --seeds 1"}
QUOTED = {("paper",): "puts what is printed beside what was computed, as many digits as it takes"}
NUMBER = re.compile(r"(?<![\w./:=-])\d[\d,]*(?:\.\d+)?(?![\w/]|[.,:-]\d|\.\w)")
SCIENTIFIC = re.compile(r"\d(?:\.\d+)?e[+-]\d+")


def commands(group=main, *before):
    """Yield every command with its names: ("attack", "run") for example."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if isinstance(command, click.Group):
            yield from commands(command, *before, name)
        else:
            yield (*before, name), command


COMMANDS = dict(commands())


@dataclass(frozen=True)
class Printed:
    """What a command printed, the words that were typed, and the results behind it."""

    text: str
    words: list[str]
    results: list[object]


def example(names):
    """Return the words of a command's example, for fewer people, with everything that it can print."""
    told = " ".join(CliRunner().invoke(main, [*names, "--help"]).output.partition("Options:")[0].split())
    words = re.search("Example: quiff (.*)", told)[1]
    for many, fewer in FEWER.items():
        words = words.replace(many, fewer)
    everything = any("--all" in param.opts for param in COMMANDS[names].params)
    return [*shlex.split(words), *(["--all"] if everything and "--all" not in words else [])]


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """Run the example of each command."""
    found, results = {}, []
    tried = {names: example(names) for names in COMMANDS if names not in ELSEWHERE}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("e"))
        noted = shown.noted
        patch.setattr(shown, "noted", lambda result: results.append(result) or noted(result))
        order = {
            names: PIPELINE.index(names[0]) if names[0] in PIPELINE else len(PIPELINE) for names in tried
        }
        for names in sorted(tried, key=order.__getitem__):
            words = tried[names]
            files = (file for word in words for file in sorted(map(str, Path().glob(word))) or [word])
            done = CliRunner().invoke(main, list(files))
            assert done.exit_code == 0, (names, done.output)
            assert done.stdout, names
            found[names] = Printed(done.output, words, list(results))
            results.clear()
    return found


def test_every_command_prints_something_to_look_at(printed):
    assert set(printed) | set(ELSEWHERE) == set(COMMANDS)


def test_nothing_is_wider_than_80_columns(printed):
    wide = {
        names: [line for line in each.text.splitlines() if len(line) > 80] for names, each in printed.items()
    }
    assert {names: lines for names, lines in wide.items() if lines} == {}


@pytest.mark.parametrize("names", COMMANDS)
def test_no_help_is_wider_than_80_columns(names):
    text = CliRunner().invoke(main, [*names, "--help"], terminal_width=80).output
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("--")]  # a choice of words
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("phrase", BANNED)
def test_a_phrase_is_not_printed(printed, phrase):
    word = re.compile(rf"\b(?:{phrase})\b", re.IGNORECASE)
    found = [names for names, each in printed.items() if word.search(" ".join(each.text.split()))]
    assert found == [], f"write: {BANNED[phrase]}"


def significant(number):
    """Count the digits of a number as it is printed, zeros at its ends left out."""
    return len(number.replace(",", "").replace(".", "").strip("0"))


def test_no_computed_number_has_more_than_four_digits(printed):
    """Counts are whole; of what is not, no more is printed. What was typed may stand as it was."""
    found = {}
    for names, each in printed.items():
        typed = set(re.findall(r"[\d.]+", " ".join(each.words)))
        text = re.sub(r"1 in [\d,.]+", "", each.text)
        long = [n for n in NUMBER.findall(text) if "." in n and significant(n) > 4 and n not in typed]
        values = [row.value for result in each.results for row in result.rows]
        large = {
            f"{round(v):,}"
            for v in values
            if 1e4 < abs(v) < 1e15 and isinstance(v, float | Fraction) and v % 1
        }
        long += [n for n in NUMBER.findall(text) if n in large and significant(n) > 4]
        long += SCIENTIFIC.findall(text)
        if long and names not in QUOTED:
            found[names] = long
    assert found == {}


def test_a_result_has_one_set_of_options():
    """What prints a result takes --digits, --json and --all; and what writes files asks for --force."""
    for names, command in COMMANDS.items():
        options = {option for param in command.params for option in param.opts}
        if "--explain" in options:
            assert {"--all", "--digits", "--json", "--figure", "--csv"} <= options, names
        if any(isinstance(param.type, shown.OutputFolder.__mro__[1]) for param in command.params):
            assert "--force" in options, names
        if "--figure" in options:
            assert "--digits" in options, names
