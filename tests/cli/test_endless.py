"""Numbers that would not end, or that no array can hold, are refused at once, with what is allowed."""

import pytest
from click.testing import CliRunner

import quiff
from quiff.cli import main
from words import refused

COMMANDS = {
    "popularity --simulations": ["popularity"],
    "epochs --observations": ["epochs"],
    "attack compare --seeds": ["attack", "compare", "--observations", "2"],
    "attack compare --observations": ["attack", "compare", "--seeds", "1"],
    "simulate --epochs": ["simulate", "--out", "reports.parquet"],
    "report --observations": ["report", "--out", "report.html"],
    "epsilon --observations": ["epsilon", "1"],
    "synth --users": ["synth", "--out", "log"],
    "synth --rows": ["synth", "--out", "log"],
}


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"u{place},{1 + place % 5},{6 + place % 3}\n" for place in range(12)]
    (tmp_path / "people.csv").write_text("user,t1,t2\n" + "".join(rows))
    return tmp_path


@pytest.mark.parametrize("number", [10**10 + 1, 10**20])
@pytest.mark.parametrize("name", COMMANDS)
def test_it_is_refused_in_one_line_and_nothing_is_written(people, name, number):
    before = sorted(path.name for path in people.iterdir())
    option = name.split()[-1]
    people_of = ["people.csv"] if name.split()[0] not in ("epsilon", "synth") else []
    words = [*COMMANDS[name], *people_of, option, str(number)]
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code in (1, 2), done.output
    assert str(number) in done.stderr
    assert sorted(path.name for path in people.iterdir()) == before


def test_as_many_observations_as_are_allowed_end_in_an_estimate():
    people = quiff.Population.from_sets({f"u{place}": {place % 5, 5 + place % 4} for place in range(20)})
    with refused(quiff.ParameterError, 1, 10000):
        quiff.over_time(people, quiff.TopicsAPI(20, 2), 10_001)
    with refused(quiff.ParameterError, 1, 1000):
        quiff.attack(people, quiff.TopicsAPI(20, 2), seeds=1_001)
