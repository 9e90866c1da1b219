"""``--memory-limit``: what would take more is refused before it starts, or reduced to what fits."""

import json

import click
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import quiff
from cli.listed import commands
from quiff.cli import main
from quiff.cli.kinds import Output
from quiff.core.labels import as_labels
from quiff.core.limits import check_fits, memory_limit
from quiff.errors import SizeError
from quiff.people.limits import reading_bytes
from quiff.people.pairs import PairCounts, TooManySetsError
from words import refused, worded


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


def takes_data(params):
    """Tell whether a command reads a file, runs an engine, or makes as many users as it is asked for."""
    kinds = [param.type for param in params.values()]
    reads = any(isinstance(kind, click.Path) and not isinstance(kind, Output) for kind in kinds)
    return reads or {"engine", "users"} & set(params)


PARAMS = {names: {param.name: param for param in command.params} for names, command in commands()}
DATA = {names: params for names, params in PARAMS.items() if takes_data(params)}
WITHOUT = {  # no limit, and why
    ("attribution", "run"): "a file of events is a few lines",
    ("data", "get"): "copies files piece by piece",
    ("paper",): "reads a few published tables of fixed size",
    ("synth",): "writes users piece by piece: as much memory for 20,000 as for 200,000",
}


def test_every_command_on_data_takes_a_memory_limit():
    assert {names for names, params in DATA.items() if "memory_limit" not in params} == set(WITHOUT)


@pytest.mark.parametrize("names", [names for names in DATA if names not in WITHOUT], ids=" ".join)
def test_a_limit_below_what_the_process_takes_is_refused_before_anything_is_read(names):
    """Also before other words are looked at."""
    done = run(*names, "--memory-limit", "1MB")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    worded(done.stderr, 0.244, 0.000931)
    assert run(*names, "--memory-limit", "much").exit_code == 2


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """400,000 users who share 200 topic sets, and the file of a few of them."""
    folder, rng = tmp_path_factory.mktemp("people"), np.random.default_rng(1)
    sets = np.argsort(rng.random((200, 30)), axis=1)[rng.integers(200, size=400_000), :5] + 1
    for name, n in (("many", 400_000), ("few", 500)):
        columns = {"user": np.arange(n)} | {f"t{k + 1}": sets[:n, k] for k in range(5)}
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ["popularity"], ["compare"], ["report", "--out", "r.html"],
        ["simulate", "--epochs", "2", "--out", "o.parquet"], ["attack", "compare"],
        ["attack", "run", "beugin-mcdaniel"], ["explore", "--no-browser", "--port", "0"],
        ["design", "--utility", "0.9", "--people"],
    ],
    ids=lambda words: "-".join(words[:2]),
)  # fmt: skip
def test_what_takes_more_is_refused_before_it_starts(people, command, monkeypatch):
    """In one line, and not a user is read."""
    monkeypatch.setattr(quiff.Population, "read", None)
    done = run(*command, people / "many.parquet", "--memory-limit", "400MB")
    assert done.exit_code == 1, done.output
    assert done.stderr.count("\n") == 1
    worded(done.stderr, 0.373)


def test_more_users_than_fit_are_not_drawn(tmp_path):
    demo = run("demo", "--users", "1000000", "--out", tmp_path / "demo", "--memory-limit", "2GB")
    assert demo.exit_code == 1
    worded(demo.stderr, 1000000, 5.98)
    assert not (tmp_path / "demo").exists()
    rates = tmp_path / "rates.csv"
    rates.write_text("3,1,2\n1,2,3\n")
    words = [
        "--rates",
        rates,
        "--users",
        "1000000",
        "--api",
        "topics:top_s=2",
        "--observations",
        "8",
        "--memory-limit",
        "400MB",
    ]
    drawn = run("attack", "compare", *words)
    assert drawn.exit_code == 1
    worded(drawn.stderr, 20000000, 0.468)


def test_rows_that_do_not_fit_are_not_read(people, tmp_path):
    """Distinct ones count in an audit, all of them in an attack."""
    log, n = tmp_path / "log.parquet", 400_000
    same = {"user": np.arange(n) % 3, "site": np.zeros(n, dtype=int), "epoch": np.arange(n)}
    pq.write_table(pa.table(same | {"topic": np.arange(n) % 7}), log)
    words = ["audit", log, "--observation", "topic", "--memory-limit", "400MB", "--json"]
    assert run(*words, "--secret", "user").exit_code == 0
    audited = run(*words, "--secret", "epoch")
    assert audited.exit_code == 1
    worded(audited.stderr, 400000, 0.375)
    attacked = run("attack", "run", "beugin-mcdaniel", "--reports", log, "--memory-limit", "300MB")
    assert attacked.exit_code == 1
    worded(attacked.stderr, 0.281)


def place(row):
    return tuple(row[key] for key in ("api", "stage", "goal", "prior", "observations", "quantity", "scope"))


@pytest.mark.parametrize("command", ["measure", "epochs"])
def test_people_who_do_not_fit_are_reduced(people, command):
    """To 200 distinct sets, then to pairs of topics; what is told is told alike."""
    few = [command, people / "many.parquet", "--api", "topics", "--json"]
    reduced = run(*few, "--memory-limit", "400MB")
    assert reduced.exit_code == 0, reduced.output
    found = json.loads(reduced.stdout)
    worded("\n".join(found["notes"]), 400000, 200)
    assert found["rows"]
    pairs = run(*few, "--memory-limit", "250MiB")
    assert pairs.exit_code == 0, pairs.output
    others = json.loads(pairs.stdout)
    worded(others["notes"][0], 200)
    wanted = {place(row): row["value"] for row in found["rows"]}
    for row in others["rows"]:
        if row["method"] == "discretised":
            assert row["low"] <= wanted[place(row)] <= row["high"] == row["value"]
    exact = [row for row in others["rows"] if row["method"] == "exact"]
    known = {place(row): row["value"] for row in exact if row["quantity"] != "leakage_at_most"}
    known = {key: value for key, value in known.items() if key in wanted}  # of one stage more in epochs
    assert {key[-2] for key in known} >= {"leakage", "posterior"}
    assert known == pytest.approx({key: wanted[key] for key in known}, rel=1e-12)


@pytest.mark.parametrize(
    "words",
    [
        ["measure", "--exposure"],
        ["measure", "--about", "topics=1"],
        ["measure", "--about", "x"],
        ["measure", "--known", "topics"],
        ["measure", "--prior", "as-published"],
        ["measure", "--genuine"],
        ["epochs", "--utility"],
        ["epochs", "--known", "topics"],
        ["epochs", "--genuine"],
    ],
    ids=" ".join,
)
def test_what_pairs_of_topics_cannot_answer_is_refused(people, words, monkeypatch):
    """Nothing that was asked for is left out without a word."""
    together = np.array([[3, 1, 2], [1, 1, 0], [2, 0, 2]])  # {1, 2} once and {1, 3} twice
    pairs = PairCounts(3, 2, 1, 2, as_labels([1, 2, 3]), together)

    def reduced(*_, **__):
        raise TooManySetsError("they do not fit", pairs)

    monkeypatch.setattr("quiff.cli.people.Asked._reduced", reduced)
    command, option, *value = words
    asked = [command, people / "many.parquet", "--api", "topics", "--memory-limit", "250MiB"]
    result = run(*asked, option, *value)
    assert (result.exit_code, result.stdout) == (1, ""), result.output
    worded(result.stderr, 2)
    assert f"{option}" in result.stderr
    assert run(*asked).exit_code == 0


def test_an_api_that_cannot_be_measured_is_told_aloud(people):
    """As a warning beside what can be; alone, it is an error."""
    words = ["measure", people / "many.parquet", "--memory-limit", "250MiB"]
    alone = run(*words, "--api", "android_topics+cookies")
    assert alone.exit_code == 1
    assert alone.stdout == ""
    worded(alone.stderr)
    beside = run(*words, "--api", "cookies", "--api", "topics")
    assert beside.exit_code == 0, beside.output
    worded(" ".join(beside.stdout.split()))
    worded(beside.stdout)


def test_what_fits_is_read_as_it_is(people):
    limited, free = (
        json.loads(run("measure", people / "few.parquet", "--json", *more).stdout)
        for more in (["--memory-limit", "1GB"], [])
    )
    assert limited["rows"] == free["rows"]
    worded(run("measure", people / "few.parquet", "--memory-limit", "much").stderr)


def test_dense_matrices_count_too(tmp_path):
    with memory_limit(0.01), refused(SizeError, 2000, 0.0298):
        check_fits(2000, 2000)
    check_fits(2000, 2000)
    file = tmp_path / "people.csv"
    file.write_text("user,t1\na,1\n")
    assert reading_bytes(file) == 8 * file.stat().st_size


def test_a_plan_keeps_to_the_limit(people):
    """Counting that would take more is estimated instead."""
    users = quiff.Population.synthetic(3000, seed=1)
    with memory_limit(0.001):
        limited = quiff.over_time(users, quiff.TopicsAPI(), 4).words["plan"]
    assert any("sampled" in text for text in limited)
    assert not any("sampled" in text for text in quiff.over_time(users, quiff.TopicsAPI(), 4).words["plan"])
