"""No command destroys anything: for every output, what it may replace, and that inputs stay as they are."""

import hashlib
import json
import os
import shutil
import stat
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from quiff.cli import main
from quiff.cli.kinds import Output
from quiff.commands import NewFile
from quiff.errors import QuiffError
from quiff.io import MARKER
from quiff.report.page import Page
from words import worded

# How each command is run on the files of a folder; its output follows.
COMMANDS = {
    "treat --out": ["treat", "log.txt"],
    "treat --csv": ["treat", "log.txt", "--out", "new"],
    "classify --out": ["classify", "treated.parquet", "--classification", "listed.csv"],
    "classify --csv": ["classify", "treated.parquet", "--classification", "listed.csv", "--out", "new"],
    "experiment --out": ["experiment", "reduced.parquet"],
    "experiment --csv": ["experiment", "reduced.parquet", "--out", "new"],
    "profile --out": ["profile", "reduced.parquet", "--top", "2"],
    "profile --csv": ["profile", "experimental.parquet", "--top", "2", "--out", "new.parquet"],
    "people --out": ["people", "log.txt", "--classification", "listed.csv", "--top", "2"],
    "stats --figure": ["stats", "treated.parquet"],
    "measure --csv": ["measure", "profiles.parquet"],
    "measure --figure": ["measure", "profiles.parquet"],
    "epochs --figure": ["epochs", "profiles.parquet", "--observations", "1"],
    "epochs --csv": ["epochs", "profiles.parquet", "--observations", "1"],
    "stability --csv": ["stability", "weekly.csv"],
    "stability --figure": ["stability", "weekly.csv"],
    "popularity --figure": ["popularity", "profiles.parquet", "--simulations", "10", "--first", "1"],
    "popularity --csv": ["popularity", "profiles.parquet", "--simulations", "10", "--first", "1"],
    "simulate --out": ["simulate", "profiles.parquet", "--epochs", "1"],
    "rules --csv": ["rules", "profiles.parquet"],
    "rules --figure": ["rules", "profiles.parquet"],
    "attack run --figure": ["attack", "run", "beugin-mcdaniel", "profiles.parquet", "--epochs", "2"],
    "attack run --csv": ["attack", "run", "beugin-mcdaniel", "profiles.parquet", "--epochs", "2"],
    "attack compare --figure": [
        "attack",
        "compare",
        "profiles.parquet",
        "--observations",
        "2",
        "--seeds",
        "1",
    ],
    "attack compare --csv": ["attack", "compare", "profiles.parquet", "--observations", "2", "--seeds", "1"],
    "audit --figure": ["audit", "seen.csv"],
    "audit --csv": ["audit", "seen.csv"],
    "audit --report": ["audit", "seen.csv"],
    "card --figure": ["card", "seen.csv", "--sizes", "10", "--sizes", "40"],
    "card --csv": ["card", "seen.csv"],
    "card --report": ["card", "seen.csv"],
    "compare --figure": ["compare", "--api", "topics"],
    "compare --csv": ["compare", "--api", "cookies"],
    "attribution run --figure": ["attribution", "run", "events.json"],
    "attribution run --csv": ["attribution", "run", "events.json"],
    "attribution reveal --figure": ["attribution", "reveal", "--buckets", "1", "--others", "0"],
    "attribution reveal --csv": ["attribution", "reveal", "--buckets", "1", "--others", "0"],
    "attribution check --out": ["attribution", "check", "--rules", "unset-global"],
    "report --out": ["report", "profiles.parquet", "--observations", "1"],
    "synth --out": ["synth", "--users", "3"],
    "theory --figure": ["theory"],
    "theory --csv": ["theory"],
    "epsilon --figure": ["epsilon", "1"],
    "epsilon --csv": ["epsilon", "1"],
    "design --figure": ["design", "--capacity", "10"],
    "design --csv": ["design", "--capacity", "10"],
    "design --out": ["design", "--people", "profiles.parquet", "--utility", "0.9"],
    "paper --out": ["paper"],
    "demo --out": ["demo", "--users", "100"],
    "data get --unpack": ["data", "get", "citizenlab"],
}
# Where a folder takes outputs of known names, the first of them.
FIRST = {
    "treat --out": "treated.parquet",
    "classify --out": "reduced.parquet",
    "experiment --out": "experimental.parquet",
    "demo --out": "log",
    "data get --unpack": "citizenlab",
}
# One output of each kind: a folder of tables, a table, a file, a picture, what an archive holds.
KINDS = ("treat --out", "profile --out", "measure --csv", "measure --figure", "data get --unpack")
LOG = """AnonID\tQuery\tQueryTime\tItemRank\tClickURL
""" + "".join(
    f"{user}\tq\t2006-03-0{1 + k} 10:00:00\t1\thttp://www.{'abcd'[(user + k) % 4]}.com\n"
    for user in range(1, 7)
    for k in range(3)
)


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def done(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result


def commands(group, *names):
    """Yield the words of each command, and the command."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from commands(command, *names, name)
        else:
            yield (*names, name), command


OUTPUTS = {
    f"{' '.join(words)} {param.opts[-1]}": param.type
    for words, command in commands(main)
    for param in command.params
    if isinstance(param.type, Output)
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    (folder / "log.txt").write_text(LOG)
    (folder / "events.json").write_text('{"events": [{"event": "enableAPI", "seconds": 1}]}')
    (folder / "seen.csv").write_text("secret,observation\n" + "a,1\nb,2\na,1\nb,1\n" * 20)
    (folder / "weekly.csv").write_text("user,epoch,t1\nu,0,1\nu,1,1\nv,0,2\nv,1,1\n")
    (folder / "listed.csv").write_text("domain,topics\na.com,'1'\nb.com,'2'\nc.com,'3'\nd.com,'4'\n")
    done("treat", folder / "log.txt", "--out", folder)
    done("classify", folder, "--classification", folder / "listed.csv", "--out", folder)
    done("experiment", folder / "reduced.parquet", "--out", folder)
    done("profile", folder / "reduced.parquet", "--out", folder / "profiles.parquet", "--top", 2, "--seed", 1)
    for scrap in ("domains.parquet", "matches.parquet"):
        (folder / scrap).unlink()
    return folder


@pytest.fixture
def here(made, tmp_path, monkeypatch):
    """A folder with copies of all inputs, in which commands run."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def digest(path):
    return (
        hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else stat.S_IFMT(path.stat().st_mode)
    )


def held(folder):
    return {str(path.relative_to(folder)): digest(path) for path in folder.rglob("*")}


def arguments(name, out):
    words = [*COMMANDS[name], name.split()[-1], out]
    if name.startswith("data"):
        words += ["--mirror", os.environ["QUIFF_MIRROR"]]
    return words


def target(name):
    """Return the output to name, and the file or folder that is really written."""
    kind = OUTPUTS[name]
    out = Path(f"out{kind.new.suffixes[0]}" if isinstance(kind.new, NewFile) else "out")
    return out, out / FIRST[name] if name in FIRST else out


def refused(name, status=1):
    """Run a command by force; it must be refused, and all must be as before."""
    before = held(Path())
    result = run(*arguments(name, target(name)[0]), "--force")
    assert result.exit_code == status, (name, result.output)
    assert result.stdout == "", name
    if status == 1:
        assert result.stderr.count("\n") == 1, result.stderr
    assert held(Path()) == before, name
    return result.stderr


def test_every_command_that_writes_is_here():
    assert set(OUTPUTS) == set(COMMANDS)


def test_every_command_that_writes_says_what_force_does():
    for words, command in commands(main):
        text = " ".join(run(*words, "--help").stdout.split())
        writes = any(isinstance(param.type, Output) for param in command.params)
        assert ("--force Replace outputs that are there already" in text) == writes, words


@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("name", KINDS)
class TestEveryKindOfOutput:
    def test_a_suffix_that_is_not_written_is_wrong_usage(self, here, name):
        (here / "thesis.docx").write_text("years of work")
        (here / "thesis.txt").write_text("years of work")
        wrong = "thesis.docx" if isinstance(OUTPUTS[name].new, NewFile) else "thesis.txt"
        before = held(here)
        result = run(*arguments(name, wrong), "--force")
        assert result.exit_code == 2, result.output
        assert wrong in result.stderr
        assert held(here) == before

    def test_a_folder_with_work_in_it_is_left_alone(self, here, name):
        real = target(name)[1]
        real.mkdir(parents=True)
        (real / "thesis.txt").write_text("years of work")
        refused(name)
        (real / MARKER).write_text(json.dumps({"wrote": ["chapter.txt"]}))
        (real / "chapter.txt").write_text("quiff's")
        said = refused(name)
        worded(said)

    @pytest.mark.parametrize("kind", ["pipe", "device"])
    def test_devices_and_pipes_are_left_alone(self, here, name, kind):
        real = target(name)[1]
        real.parent.mkdir(exist_ok=True, parents=True)
        if kind == "pipe":
            os.mkfifo(real)
        else:
            real.symlink_to("/dev/null")
        assert f"it is a {kind}" in refused(name)

    def test_an_input_is_left_alone_by_every_name(self, here, name):
        source = next((word for word in COMMANDS[name] if Path(word).is_file()), None)
        if source is None:
            return  # it reads no file
        real = target(name)[1]
        real.parent.mkdir(exist_ok=True, parents=True)
        for link in (os.link, os.symlink):
            link(here / source, real)
            message = refused(name)
            worded(message)
            assert f"{source!r}" in message
            real.unlink()

    def test_a_link_is_left_alone_and_so_is_what_it_points_to(self, here, name):
        out, real = target(name)
        if isinstance(OUTPUTS[name].new, NewFile):
            (here / "elsewhere").write_text("years of work")
        else:
            (here / "elsewhere").mkdir()
        for link in dict.fromkeys((real, out)):
            link.parent.mkdir(exist_ok=True, parents=True)
            link.symlink_to(here / "elsewhere")
            words = f"cannot write '{link}': it is a link to '{here / 'elsewhere'}'; name that, or another\n"
            assert refused(name).endswith(words)
            without = run(*arguments(name, out))
            assert (without.exit_code, without.stdout) == (1, "")
            assert without.stderr.endswith(words)
            link.unlink()
            shutil.rmtree("out", ignore_errors=True)

    def test_a_folder_that_the_input_lies_in_is_left_alone(self, here, name):
        source = next((word for word in COMMANDS[name] if Path(word).is_file()), None)
        if source is None:
            return
        real = target(name)[1]
        real.mkdir(parents=True)
        (here / source).rename(real / source)
        (real / MARKER).write_text(json.dumps({"wrote": [source]}))
        words = [str(real / source) if word == source else word for word in arguments(name, target(name)[0])]
        before = held(here)
        result = run(*words, "--force")
        assert (result.exit_code, result.stdout) == (1, ""), result.output
        worded(result.stderr)
        assert held(here) == before


@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in KINDS else pytest.mark.full) for name in sorted(COMMANDS)]
)
def test_what_is_there_is_replaced_by_force_and_inputs_stay(here, name, monkeypatch):
    if name == "demo --out":  # what its report says, and that it is there again, is for test_demo.py
        monkeypatch.setattr("quiff.cli.demo._report", lambda *_: Page("People"))
    inputs = held(here)
    out, real = target(name)
    done(*arguments(name, out))
    assert {path: digest(here / path) for path in inputs} == inputs
    assert not list(here.rglob(".quiff-*.tmp"))
    assert stat.S_IMODE(real.stat().st_mode) == (0o700 if real.is_dir() else 0o600)
    before = held(here)
    again = run(*arguments(name, out))
    assert again.exit_code == 1
    worded(again.stderr)
    assert held(here) == before
    done(*arguments(name, out), "--force")
    assert {path: digest(here / path) for path in inputs} == inputs
    assert set(held(here)) == set(before)


@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.full) for name in sorted({*COMMANDS} - {*KINDS})]
)
def test_every_other_output_leaves_inputs_and_links_alone(here, name):
    real = target(name)[1]
    real.parent.mkdir(exist_ok=True, parents=True)
    (here / "elsewhere").write_text("years of work")
    real.symlink_to(here / "elsewhere")
    assert f"it is a link to '{here / 'elsewhere'}'" in refused(name)
    source = next((word for word in COMMANDS[name] if Path(word).is_file()), None)
    if source is not None:
        real.unlink()
        os.link(here / source, real)
        assert f"{source!r}" in refused(name)


def test_the_table_in_a_folder_that_is_read_is_not_replaced(here):
    (here / "in").mkdir()
    shutil.copy("reduced.parquet", "in/reduced.parquet")
    before = held(here)
    result = run("profile", "in", "--out", "in/reduced.parquet", "--force")
    assert result.exit_code == 1
    worded(result.stderr)
    assert held(here) == before


def test_a_log_that_has_the_name_of_the_table_is_not_replaced(here):
    shutil.copy("treated.parquet", "log.parquet")
    before = held(here)
    columns = ["--user", "user", "--time", "time", "--url", "domain"]
    result = run("treat", "treated.parquet", *columns, "--out", ".", "--force")
    assert result.exit_code == 1
    worded(result.stderr)
    assert held(here) == before


def test_results_of_several_stages_can_lie_in_one_folder(here):
    done("classify", ".", "--classification", "listed.csv", "--out", ".", "--force")
    done("experiment", "reduced.parquet", "--out", ".", "--force")
    done("profile", "experimental.parquet", "--out", "profiles.parquet", "--top", 2, "--force")


def test_the_file_of_an_own_api_is_an_input(here):
    own, people = Path("own.py"), Path("p.csv")
    own.write_text("import quiff\n\n@quiff.program\ndef api(country, draw):\n    return country\n")
    people.write_text("user,country\nu,AT\nv,BR\n")
    os.link(own, "out.svg")
    before = held(here)
    for spec in ("own.py:api", "cookies+own.py:api"):
        result = run("measure", "p.csv", "--api", spec, "--figure", "out.svg", "--force")
        assert result.exit_code == 1
        worded(result.stderr)
    assert held(here) == before


@pytest.mark.parametrize("more", [[], ["--force"]])
def test_a_link_is_no_place_for_an_output(here, more):
    Path("p.csv").write_text("user,t1\nu,1\nv,2\n")
    Path("system").write_text("settings")
    Path("out.svg").symlink_to("system")
    result = run("measure", "p.csv", "--figure", "out.svg", *more)
    assert (result.exit_code, result.stdout) == (1, "")
    worded(result.stderr)
    assert Path("system").read_text() == "settings"
    assert Path("out.svg").is_symlink()


def test_two_outputs_of_one_command_appear_together(here, monkeypatch):
    Path("p.csv").write_text("user,t1\nu,1\nv,2\n")
    Path("out.svg").write_text("old")
    before = held(here)

    def fails(*_):
        assert Path("out.svg").read_text() == "old"  # the figure is made, but has not got its name
        raise QuiffError("no more room")

    with monkeypatch.context() as changed:
        changed.setattr("quiff.cli.shown._write_tables", fails)
        result = run("measure", "p.csv", "--figure", "out.svg", "--csv", "tables", "--force")
    assert result.exit_code == 1
    assert "Wrote" not in result.stderr
    assert held(here) == before
    result = run("measure", "p.csv", "--figure", "out.svg", "--csv", "tables", "--force")
    assert result.exit_code == 0, result.stderr
    worded(result.stderr)
    assert Path("out.svg").read_text().startswith("<svg")
    assert any(Path("tables").glob("*.csv"))
