"""Dataset statistics are shown as they are: every figure in the tables, the JSON and the picture."""

import json
from collections import Counter

import hypothesis.strategies as st
from hypothesis import given

from quiff.errors import ParameterError
from quiff.logs.stats import Statistics, sizes_of_counts
from quiff.results.numbers import to_json
from quiff.studies.dataset_statistics import DatasetStatistics
from words import refused

COUNTS = tuple((k, 20 - k) for k in range(1, 20))
FOUND = DatasetStatistics(
    Statistics(
        "treated",
        sum(k * n for k, n in COUNTS),
        sum(n for _, n in COUNTS),
        domains=5,
        domains_by_labels={2: 4, 3: 1},
        sizes=sizes_of_counts(COUNTS),
        users_per_count=COUNTS,
        most_visited=(("a.com", 7), ("b.org", 3)),
        visitors=(4, 2),
        first="2006-03-01 00:00:00",
        last="2006-05-31 23:59:59",
    )
)


def test_the_tables_have_what_the_stage_has():
    counts, sizes, users, domains = FOUND.tables()
    assert dict(counts.rows)["domains of 3 labels"] == 1
    assert {"topics", "URLs", "distinct sets", "malformed lines"}.isdisjoint(dict(counts.rows))
    assert sizes.columns == ("min", "25%", "50%", "75%", "95%", "99%", "max", "mean", "sd")
    assert users.rows == COUNTS[:10]
    assert users.notes == ("9 more counts up to 19; the JSON has them all.",)
    assert domains.rows == (("a.com", 7), ("b.org", 3))
    assert FOUND._repr_html_().count("<table>") == 4


def test_the_json_has_all_counts():
    found = json.loads(to_json(FOUND.to_dict()))
    assert [tuple(pair) for pair in found["users_per_count"]] == list(COUNTS)
    assert found["sizes"]["max"] == 19
    assert found["urls"] is None


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=50))
def test_the_figure_has_the_share_of_users_with_at_least_so_many(records):
    counts = tuple(sorted(Counter(records).items()))
    found = Statistics(
        "reduced", sum(records), len(records), sizes=sizes_of_counts(counts), users_per_count=counts
    )
    figure = DatasetStatistics(found).figure()
    rows = [row for rows in figure.spec["datasets"].values() for row in rows]
    for row in rows:
        assert row["share"] == sum(n >= row["records"] for n in records) / len(records)
    assert {row["name"] for row in rows if "name" in row} == {"median", "95%", "99%"}
    users = "1 user" if len(records) == 1 else f"{len(records)} users"
    assert figure.title == f"Records of {users} (reduced)"


def test_a_table_without_records_has_no_figure():
    with refused(ParameterError):
        DatasetStatistics(Statistics("profiles", 3, 3)).figure()
