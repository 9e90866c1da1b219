"""Every command, found in the tree of commands: its example works, and what it prints is fit to be read.

The examples of the helps are run one after the other, with all that they can print; what one writes the next
ones read. A later command is bound by its own example.
"""

import os
import re
import shlex
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cli.listed import commands
from quiff.cli import main, shown
from quiff.cli.kinds import Number, Output
from quiff.commands import NewFile
from voice import BANNED, NUMBER, SCIENTIFIC, significant

PIPELINE = ("synth", "treat", "classify", "experiment", "profile", "simulate")  # what they write others read
FEWER = {
    "--users 20000": "--users 150",
    "--observations 30 --seeds 3": "--observations 5 --seeds 1",
}
QUOTED = {("paper",): "puts what is printed beside what was computed, as many digits as it takes"}


COMMANDS = dict(commands())


@dataclass(frozen=True)
class Printed:
    """What a command printed, the words that were typed, and the results behind it."""

    text: str
    words: list[str]
    results: list[object]


def example(names):
    """Return the words of a command's example, for fewer people, with everything that it can print."""
    words = COMMANDS[names].source.example.removeprefix("quiff ")
    for many, fewer in FEWER.items():
        words = words.replace(many, fewer)
    everything = any("--all" in param.opts for param in COMMANDS[names].params)
    return [*shlex.split(words), *(["--all"] if everything and "--all" not in words else [])]


@pytest.fixture(scope="module")
def patched(tmp_path_factory):
    """A folder to work in, where no page is served for ever and no network is asked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("e"))
        weekly = (f"u{n},{week},{n % 5 + (week and n % 3 == 0)}" for n in range(30) for week in (0, 1))
        Path("weekly.csv").write_text("\n".join(["user,epoch,t1", *weekly]) + "\n")
        devices = (f"f{n % 7},{'ab'[n % 2]}" for n in range(60))
        Path("devices.csv").write_text("\n".join(["fonts,browser", *devices]) + "\n")
        patch.setattr("quiff.web.serve.serve", lambda place, given, ready, offered: ready())
        if "QUIFF_MIRROR" not in os.environ:
            patch.setattr("quiff.logs.fetch.fetch", lambda name, mirror, **limits: Path(name))
        yield patch


def run(words):
    """Run a command; its patterns stand for the files that are there."""
    files = (file for word in words for file in sorted(map(str, Path().glob(word))) or [word])
    return CliRunner().invoke(main, list(files))


@pytest.fixture(scope="module")
def printed(patched, demo):
    """Run the example of each command; that of the demo was run for all tests."""
    found, results = {}, []
    noted = shown.noted
    patched.setattr(shown, "noted", lambda result: results.append(result) or noted(result))
    order = {names: PIPELINE.index(names[0]) if names[0] in PIPELINE else len(PIPELINE) for names in COMMANDS}
    for names in sorted(COMMANDS, key=order.__getitem__):
        words = example(names)
        if names == ("demo",):
            found[names] = Printed(demo[1].replace(str(demo[0]), "demo"), words, [])
            continue
        done = run(words)
        assert done.exit_code == 0, (names, done.output)
        assert done.stdout, names
        found[names] = Printed(done.output, words, list(results))
        results.clear()
    return found


def test_nothing_is_wider_than_80_columns(printed):
    wide = {
        names: [line for line in each.text.splitlines() if len(line) > 80] for names, each in printed.items()
    }
    assert {names: lines for names, lines in wide.items() if lines} == {}


def test_no_help_is_wider_than_80_columns():
    for names in COMMANDS:
        text = CliRunner().invoke(main, [*names, "--help"], terminal_width=80).output
        lines = [
            line for line in text.splitlines() if not line.lstrip().startswith("--")
        ]  # a choice of words
        assert max(map(len, lines)) <= 80, names


def test_what_is_printed_keeps_to_the_voice(printed):
    against = [
        (names, phrase)
        for phrase in BANNED
        for names, each in printed.items()
        if re.search(rf"\b(?:{phrase})\b", " ".join(each.text.split()), re.IGNORECASE)
    ]
    assert against == []


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
        if any(isinstance(param.type, Output) for param in command.params):
            assert "--force" in options, names
        if "--figure" in options:
            assert "--digits" in options, names


def wrong_values(param):
    """Return values that an option cannot have, whatever the data are."""
    if isinstance(param.type, click.Choice):
        return ["no-such"]
    if isinstance(param.type, Output):
        return ["file.no-such"] if isinstance(param.type.new, NewFile) else ["file.csv"]
    if param.name == "api":
        return ["no-such", "topics:noise=5"]
    if isinstance(param.type, Number):
        return ["x", "0,05", "5 %"]
    return ["much"] if param.callback else []


def kind(param):
    """What reads the value of an option: its type and, where there is one, the function that checks it."""
    return type(param.type).__name__, getattr(param.callback, "__qualname__", "")


def right_value(param):
    """Return a value that an option can have, and what it is read as."""
    if isinstance(param.type, click.Choice):
        return param.type.choices[-1], param.type.choices[-1]
    if isinstance(param.type, Output):
        name = f"new{param.type.new.suffixes[0]}" if isinstance(param.type.new, NewFile) else "new"
        return name, Path(name)
    if isinstance(param.type, Number):
        return ("3", 3) if param.type.name == "N" else ("1/20", Fraction(1, 20))
    if isinstance(param.type, click.Path):
        return __file__, Path(__file__)
    text = {"api": "topics:noise=0.1", "memory_limit": "2GB"}.get(param.name, "country")
    return text, text


def first_by_kind():
    """Return for each kind of option the first one, in every command that may be."""
    options = [
        (names, param)
        for names, command in COMMANDS.items()
        for param in command.params
        if isinstance(param, click.Option) and not param.is_flag
    ]
    return {kind(param): (names, param) for names, param in reversed(options)}


def wrong_by_kind():
    """Return the first option of each kind with its wrong values."""
    return [
        pytest.param(names, param.opts[0], value, id=" ".join((*names, param.opts[0], value)))
        for names, param in first_by_kind().values()
        for value in wrong_values(param)
    ]


@pytest.mark.parametrize(
    ("names", "param"),
    [pytest.param(*first, id=" ".join((*first[0], first[1].opts[0]))) for first in first_by_kind().values()],
)
def test_a_right_value_is_read(names, param):
    typed, value = right_value(param)
    with click.Context(COMMANDS[names]) as ctx:
        read, _ = param.handle_parse_result(ctx, {param.name: (typed,) if param.multiple else typed}, [])
    assert read in (value, (value,))


@pytest.mark.parametrize(("names", "option", "value"), wrong_by_kind())
def test_a_wrong_value_is_told_at_its_option(printed, names, option, value):
    """What comes before it is the example of the command, which is right."""
    words = printed[names].words
    at = words.index(option) if option in words else len(words)
    typed = [*words[:at], *words[at + 2 :], option, value]
    done = run([*typed, *(["--force"] if "--force" not in typed and writes(names) else [])])
    assert done.exit_code == 2, done.output
    *usage, told = done.stderr.splitlines()
    assert re.match(rf"Error: .*{option}\b.*", told), told
    assert [line.split()[0] for line in usage if line] == ["Usage:", "Try"]


def writes(names):
    """Whether a command asks for --force to replace what its example has written."""
    return any("--force" in param.opts for param in COMMANDS[names].params)
