"""``quiff compare``: one screen after the other, JSON, a figure, and reasons instead of errors."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from quiff.cli import main
from words import worded


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        {"user": f"u{k}", "topics": [k % 7, k % 5 + 10, k % 3 + 20], "conversions": "buy@2" if k % 4 else ""}
        for k in range(40)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "people.parquet")
    return lambda *arguments: CliRunner().invoke(main, ["compare", *arguments])


def test_without_people_it_fits_80_columns_and_says_what_it_is_of(run):
    done = run()
    assert done.exit_code == 0, done.output
    assert max(map(len, done.output.splitlines())) <= 80
    worded(done.output, 19, 18)


def test_json(run):
    found = json.loads(run("--json").output)
    apis = found["study"]["apis"]
    numbers = {row["quantity"]: row["value"] for row in found["rows"] if row["api"] == "event_level"}
    keys = ("bayes_capacity", "min_capacity_bits", "shannon_capacity_bits", "epsilon")
    assert set(keys) <= set(numbers)
    assert apis["event_level"]["unit"] == {"who": "a click or a view", "where": "", "days": None}
    assert apis["event_level"]["status"]
    assert numbers["min_capacity_bits"] == pytest.approx(11.5107174126)
    assert {row["api"] for row in found["rows"]} <= set(apis)


def test_on_people_with_a_figure_and_csv(run, tmp_path):
    done = run("people.parquet", "--figure", "one.svg", "--csv", "tables")
    assert done.exit_code == 0, done.output
    assert max(map(len, done.output.splitlines())) <= 80
    assert (tmp_path / "one.svg").read_text().startswith("<svg")
    names = {path.stem for path in (tmp_path / "tables").glob("*.csv")}
    assert names == {"across", "limits", "goals", "missing"}
    missing = (tmp_path / "tables" / "missing.csv").read_text()
    assert "FLoC" in missing  # no histories
    assert "event level" not in missing  # the column conversions was read
    head = (tmp_path / "tables" / "limits.csv").read_text().splitlines()[0]
    assert head.startswith("one observation is about,API,status,capacity,bits")


def test_a_column_that_is_not_there_is_no_error_for_all(run, tmp_path):
    (tmp_path / "few.csv").write_text("user,t1,t2\na,1,2\nb,2,3\n")
    done = run("few.csv", "--api", "topics:top_s=2", "--api", "event_level", "--api", "floc", "--all")
    assert done.exit_code == 0, done.output
    worded(done.output)
    flat = " ".join(done.output.split())
    assert "--attribute conversions" in flat
    assert "--histories" in flat


def test_what_is_wrong_with_the_people_is_told(run):
    done = run("nobody.csv")
    assert done.exit_code == 1
    assert "nobody.csv" in done.output
