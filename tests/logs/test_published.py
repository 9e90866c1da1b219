"""The published CSV forms: small files in each load as tables, and tables written in them come back."""

import gzip
from datetime import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quiff.errors import ParameterError
from quiff.logs.classifications import read_classification
from quiff.logs.experiment import experiment
from quiff.logs.profile import profile
from quiff.logs.published import read_published, write_published
from quiff.logs.queries import fetch_rows
from quiff.logs.stats import describe
from quiff.logs.tables import read_table
from quiff.logs.visits import with_sets
from quiff.people.population import Population
from words import refused

FORM = r" \(only its form; --show-rows shows all\)"

TREATED = ",RandID,QueryTime,Domain\n0,7,2006-03-01 07:17:12,a.com\n1,9,2006-03-02 00:00:00,gov.uk\n"
REDUCED = (
    ",RandID,QueryTime,Domain,topics\n0,7,2006-03-01 07:17:12,a.com,\"'NEWS', 'REL'\"\n"
    "1,7,2006-03-02 00:00:00,gov.uk,'GOVT'\n"
)
EXPERIMENTAL = (
    ",RandID,BrowsingHistory,AllTopics,sTopics\n"
    "0,7,\"[('a.com', '2006-03-02 07:17:12'), ('gov.uk', '2006-03-01 00:00:00')]\","
    "\"['NEWS', 'REL', 'GOVT']\",\"['NEWS', 'REL']\"\n"
)
VISITS = [
    {"user": 7, "time": datetime(2006, 3, 1, 7, 17, 12), "domain": "a.com", "topics": ["NEWS", "REL"]},
    {"user": 7, "time": datetime(2006, 3, 2), "domain": "gov.uk", "topics": ["GOVT"]},
]


@pytest.fixture
def load(backend, tmp_path):
    def load(text):
        path = tmp_path / "table.csv"
        path.write_text(text)
        table, stage = read_table(backend, path, ("treated", "reduced", "experimental"))
        rows = fetch_rows(backend, table)
        for row in rows:
            if "time" in row:
                row["time"] = row["time"].replace(tzinfo=None)  # Spark says that it is UTC
        return rows, stage

    return load


def test_published_tables_load(load):
    rows, stage = load(TREATED)
    assert (stage, rows[1]) == ("treated", {"user": 9, "time": datetime(2006, 3, 2), "domain": "gov.uk"})
    assert load(REDUCED) == (VISITS, "reduced")
    rows, stage = load(EXPERIMENTAL)
    assert stage == "experimental"
    assert [(visit["time"].day, visit["domain"]) for visit in rows[0]["history"]] == [
        (1, "gov.uk"),
        (2, "a.com"),
    ]
    assert rows[0]["all_topics"] == ["GOVT", "NEWS", "REL"]


def test_timestamps_of_pandas_load(load):
    text = ",RandID,BrowsingHistory\n0,7,\"[(Timestamp('2006-03-02 07:17:12'), 'a.com')]\"\n"
    with refused(ParameterError):
        load(text)
    rows, _ = load(
        text.replace("(Timestamp('2006-03-02 07:17:12'), 'a.com')", "('a.com', Timestamp('2006-03-02'))")
    )
    assert rows[0]["history"][0]["domain"] == "a.com"


@pytest.mark.parametrize(
    "text",
    [
        ",RandID,Domain\n0,1,a.com\n",
        TREATED.replace("0,7", "0,x"),
        TREATED.replace("2006-03-02 00:00:00", "then"),
        REDUCED.replace("'GOVT'", "__import__('os')"),
        EXPERIMENTAL.replace("('gov.uk'", "(open('x')"),
    ],
)
def test_cells_are_data_and_wrong_ones_are_told(load, text):
    with refused(ParameterError) as caught:
        load(text)
    assert "\n" not in str(caught.value)


def test_tables_written_come_back(duckdb, tmp_path, load):
    def write(stage):
        table, _ = read_table(duckdb, tmp_path / f"{stage}.parquet", (stage,))
        return write_published(duckdb, table, stage, tmp_path / f"{stage}.csv").read_text()

    types = [pa.int64(), pa.timestamp("us"), pa.string(), pa.list_(pa.string())]
    table = pa.Table.from_pylist(VISITS, pa.schema(list(zip(VISITS[0], types, strict=True))))
    pq.write_table(table, tmp_path / "reduced.parquet")
    pq.write_table(table.drop(["topics"]), tmp_path / "treated.parquet")
    assert write("reduced") == REDUCED
    rows, stage = load(write("treated"))
    assert (stage, [row["domain"] for row in rows]) == ("treated", ["a.com", "gov.uk"])
    experiment(duckdb, tmp_path / "reduced.parquet", tmp_path)
    rows, stage = load(write("experimental"))
    assert (stage, rows[0]["all_topics"]) == ("experimental", ["GOVT", "NEWS", "REL"])
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


COUNTED = (
    ",RandID,BrowsingHistory,AllTopics\n"
    "0,7,\"[('a.com', '2006-03-01 00:00:00'), ('x.gov.uk', '2006-03-12 00:00:00')]\","
    "\"['B', 'A', 'B', 'C']\"\n"
    "1,9,\"[('a.com', '2006-03-01 00:00:00')]\",\"['C', 'C', 'A']\"\n"
)


def rankings(backend, path):
    rows = fetch_rows(backend, read_table(backend, path, ("profiles",))[0])
    return {
        (row["user"], row["epoch"]): [(e["topic"], e["visits"]) for e in row["ranking"] if e["visits"]]
        for row in rows
    }


def test_profiles_of_a_published_experimental_table(backend, tmp_path):
    """By hand: AllTopics names each topic once a visit, so it is counted as often as it is named."""
    path = tmp_path / "AOL-experimental.csv"
    path.write_text(COUNTED)
    profile(backend, path, tmp_path / "p.parquet", top=1, seed=1)
    found = rankings(backend, tmp_path / "p.parquet")
    assert describe(backend, [path]).topics == 3
    assert found[7, 0][0] == ("B", 2)
    assert set(found[7, 0][1:]) == {("A", 1), ("C", 1)}
    assert found[9, 0] == [("C", 2), ("A", 1)]
    with refused(ParameterError):
        profile(backend, path, tmp_path / "q.parquet", top=1, epoch_days=7)
    listed = tmp_path / "listed.csv"
    listed.write_text("domain,topics\na.com,\"'A','B'\"\ngov.uk,'G'\n")
    classified = read_classification(listed)
    profile(backend, path, tmp_path / "q.parquet", top=1, epoch_days=7, classification=classified)
    weekly = {key: sorted(topics) for key, topics in rankings(backend, tmp_path / "q.parquet").items()}
    assert weekly == {
        (7, 0): [("A", 1), ("B", 1)], (7, 1): [("G", 1)], (9, 0): [("A", 1), ("B", 1)], (9, 1): [],
    }  # fmt: skip


def test_what_a_table_lacks_is_told(duckdb, tmp_path):
    path = tmp_path / "e.csv"
    path.write_text(",RandID,BrowsingHistory\n0,7,\"[('a.com', '2006-03-01 00:00:00')]\"\n")
    with refused(ParameterError):
        profile(duckdb, path, tmp_path / "p.parquet")
    assert [file.name for file in tmp_path.iterdir()] == ["e.csv"]


def test_sets_are_written_as_published_and_come_back(backend, tmp_path):
    types = [pa.int64(), pa.timestamp("us"), pa.string(), pa.list_(pa.string())]
    table = pa.Table.from_pylist(VISITS, pa.schema(list(zip(VISITS[0], types, strict=True))))
    pq.write_table(table, tmp_path / "reduced.parquet")
    experiment(backend, tmp_path / "reduced.parquet", tmp_path)
    profile(backend, tmp_path / "experimental.parquet", tmp_path / "p.parquet", top=3)
    found = with_sets(backend, tmp_path / "experimental.parquet", tmp_path / "p.parquet")
    text = write_published(backend, found, "profiled", tmp_path / "e.csv").read_text()
    assert text == (
        ",RandID,BrowsingHistory,AllTopics,sTopics\n"
        "0,7,\"[('a.com', '2006-03-01 07:17:12'), ('gov.uk', '2006-03-02 00:00:00')]\","
        "\"['NEWS', 'REL', 'GOVT']\",\"['GOVT', 'NEWS', 'REL']\"\n"
    )
    people = Population.read(tmp_path / "e.csv")
    assert (list(people.users), list(people.topics), people.top_s) == ([7], ["GOVT", "NEWS", "REL"], 3)


def test_the_pipeline_goes_on_from_a_published_table(duckdb, tmp_path):
    (tmp_path / "reduced.csv").write_text(REDUCED)
    assert experiment(duckdb, tmp_path / "reduced.csv", tmp_path).users == 1
    assert profile(duckdb, tmp_path / "reduced.csv", tmp_path / "p.parquet", top=2).users == 1
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress(REDUCED.encode()))
    for name in ("reduced.csv", "packed.csv.gz"):
        assert describe(duckdb, [tmp_path / name]).topics == 3


def test_cells_of_topics_are_told_apart_on_both_engines(backend, tmp_path):
    """The last two took minutes, or would, where an engine goes back and tries again."""
    cells = {
        "'a', 'b'": ["a", "b"],
        "['x, y', \"it's\"]": ["x, y", "it's"],
        "a , b c": ["a", "b c"],
        "[]": [],
        " " * 20_000: [],
        "a" + " " * 20_000 + "b": ["a" + " " * 20_000 + "b"],
    }
    rows = [f'{i},{i},2006-03-01 07:17:12,a.com,"{cell}"' for i, cell in enumerate(_doubled(cells))]
    (tmp_path / "good.csv").write_text("\n".join([",RandID,QueryTime,Domain,topics", *rows]) + "\n")
    found = fetch_rows(backend, read_published(backend, tmp_path / "good.csv"))
    assert {row["user"]: row["topics"] for row in found} == dict(enumerate(cells.values()))
    for bad in ("'a', b", " " * 20_000 + "!", "['a'" + " " * 20_000 + "!"):
        (tmp_path / "bad.csv").write_text(
            f',RandID,QueryTime,Domain,topics\n0,7,2006-03-01 07:17:12,a.com,"{bad}"\n'
        )
        with refused(ParameterError):
            read_published(backend, tmp_path / "bad.csv")


def _doubled(cells):
    return [cell.replace('"', '""') for cell in cells]
