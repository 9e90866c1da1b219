"""From the Treated table on: classify, profile and stats from the command line."""

import json
import re
from datetime import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from quiff.cli import main
from quiff.people.population import Population
from words import untimed, worded

SCHEMA = pa.schema([("user", pa.int64()), ("time", pa.timestamp("us")), ("domain", pa.string())])
DOMAINS = ["a.com", "b-c.org", "x.gov.uk", "d.net"]


def run(*arguments, status=0):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == status, result.output
    assert all(line.startswith("Wrote ") for line in result.stderr.splitlines()) or status
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("steps")
    rows = [
        (user, datetime(2006, 3, 1 + user + k), DOMAINS[(user + k) % 4])
        for user in range(1, 9)
        for k in range(user % 3 + 2)
    ]
    columns = [list(column) for column in zip(*rows, strict=True)]
    pq.write_table(pa.table(columns, schema=SCHEMA), folder / "treated.parquet")
    (folder / "listed.csv").write_text(
        "domain,topics\na.com,\"'1','2'\"\nb-c.org,'3'\ngov.uk,\"'4','5','6'\"\nd.net,'7'\n"
    )
    run("classify", folder / "treated.parquet", "--classification", folder / "listed.csv", "--out", folder)
    run("experiment", folder / "reduced.parquet", "--out", folder)
    return folder


def sets_of(path):
    people = Population.read(path)
    return {
        user: {people.topics[code] for code in codes}
        for user, codes in zip(people.users, people.codes, strict=True)
    }


def test_the_sets_go_into_the_published_form_and_lead_to_the_same_sets_again(folder, tmp_path):
    made = ["--seed", 3, "--top", 4]
    history, csv = folder / "experimental.parquet", tmp_path / "e.csv"
    run("profile", history, "--out", tmp_path / "p.parquet", *made, "--csv", csv)
    assert csv.read_text().startswith(",RandID,BrowsingHistory,AllTopics,sTopics\n")
    assert sets_of(csv) == sets_of(tmp_path / "p.parquet")
    run("profile", csv, "--out", tmp_path / "again.parquet", *made)
    assert sets_of(tmp_path / "again.parquet") == sets_of(tmp_path / "p.parquet")
    named = ["--classification", folder / "listed.csv"]
    run("profile", csv, "--out", tmp_path / "with.parquet", *made, *named)
    assert sets_of(tmp_path / "with.parquet") == sets_of(tmp_path / "p.parquet")
    weekly = run("profile", csv, "--out", tmp_path / "w.parquet", *made, *named, "--epoch-days", 7, "--json")
    assert json.loads(weekly.stdout)["epochs"] == 2


@pytest.mark.parametrize(
    ("table", "options"),
    [
        ("reduced.parquet", ["--csv", "x.csv"]),
        ("experimental.parquet", ["--csv", "x.csv", "--epoch-days", 7]),
        ("treated.parquet", []),
        ("experimental.parquet", ["--classification", "nothing"]),
    ],
)
def test_what_cannot_be_done_is_told_before_any_work(folder, tmp_path, table, options):
    usage = "--epoch-days" in options  # two options that exclude each other
    result = run("profile", folder / table, "--out", tmp_path / "p.parquet", *options, status=1 + usage)
    worded(result.stderr)
    assert result.stderr.count("\n") == (4 if usage else 1)  # how to use it, an empty line, and the error
    assert list(tmp_path.iterdir()) == []


def test_a_treated_table_with_a_classification_has_profiles_too(folder, tmp_path):
    arguments = ["profile", folder / "treated.parquet", "--out", tmp_path / "p.parquet", "--json"]
    found = json.loads(run(*arguments, "--classification", folder / "listed.csv").stdout)
    assert (found["users"], found["occurring_topics"]) == (8, 7)


def test_chromes_list_on_a_log(folder, tmp_path, mirror):
    arguments = ["classify", folder / "treated.parquet", "--classification", "chrome-5", "--out", tmp_path]
    text = run(*arguments, "--mirror", mirror).stdout
    worded(untimed(text), 2)
    found = json.loads(run(*arguments, "--mirror", mirror, "--json", "--force").stdout)
    assert found["notes"] == ["2 rows of the list are for testing only and were left out."]
    assert (found["full_matches"], found["partial_matches"]) == (0, 1)  # gov.uk is listed
    assert found["rows"] + found["dropped_rows"] == pq.read_metadata(folder / "treated.parquet").num_rows


def test_the_help_says_what_the_published_matching_assumes():
    words = " ".join(run("classify", "--help").stdout.split())
    worded(words)


def test_statistics_of_every_stage(folder, tmp_path):
    for stage in ("treated", "reduced", "experimental"):
        figure = tmp_path / f"{stage}.svg"
        path = folder / f"{stage}.parquet"
        found = json.loads(run("stats", path, "--json", "--figure", figure).stdout)
        assert found["stage"] == stage
        assert f"Records of {found['users']} users ({stage})" in figure.read_text()
    run("profile", path, "--out", tmp_path / "p.parquet")
    text = run("stats", tmp_path / "p.parquet").stdout  # how many sets differ depends on what fills them
    worded(re.sub(r"(?<=distinct sets) +\d+", " SOME", text))
    result = run("stats", tmp_path / "p.parquet", "--figure", tmp_path / "p.svg", status=1)
    worded(result.stderr)
