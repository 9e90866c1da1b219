"""The histories of an Experimental table: who shares one, and what each is, against the rows written."""

from datetime import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiff import LabelError, ParameterError, Population, grouped, read_histories
from words import refused

DAYS = [datetime(2026, 1, day) for day in (1, 2, 3)]
VISITS = st.lists(
    st.tuples(st.sampled_from(DAYS), st.sampled_from(["a.tld", "b.tld"])), min_size=1, max_size=3
)


def write(path, histories):
    visit = pa.struct(
        {"time": pa.timestamp("us"), "domain": pa.string(), "topics": pa.list_(pa.string())}.items()
    )
    schema = pa.schema({"user": pa.int64(), "history": pa.list_(visit), "all_topics": pa.list_(pa.string())})
    rows = [
        {
            "user": user,
            "history": [{"time": time, "domain": domain, "topics": ["1"]} for time, domain in visits],
            "all_topics": ["1"],
        }
        for user, visits in histories.items()
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)


@settings(max_examples=15)  # each writes a table
@given(st.dictionaries(st.integers(1, 9), VISITS, min_size=1, max_size=5))
def test_users_share_a_history_if_domains_and_times_are_the_same(tmp_path_factory, histories):
    path = tmp_path_factory.mktemp("histories") / "experimental.parquet"
    write(path, histories)
    people = Population(sorted(histories)).with_histories(read_histories(path))
    C = people.channel("history")
    values = [C.outputs[int(k)] for k in people.attribute("history").which[0]]
    for user, value in zip(people.users, values, strict=True):
        assert tuple(value) == tuple(domain for _, domain in histories[user])
        assert value.times == tuple(time for time, _ in histories[user])
        assert C[user, value] == 1
    distinct = {tuple(visits) for visits in histories.values()}
    assert C.outputs.size == len(distinct) == len(set(values))
    assert sorted(grouped(people, C).counts.tolist()) == sorted(
        sum(tuple(visits) == one for visits in histories.values()) for one in distinct
    )


def test_equal_domains_at_other_times_are_another_history(tmp_path):
    path = tmp_path / "experimental.parquet"
    write(path, {1: [(DAYS[0], "a.tld")], 2: [(DAYS[1], "a.tld")], 3: [(DAYS[0], "a.tld")]})
    histories = read_histories(path)
    first, second = (histories.distinct[int(k)] for k in histories.which[:2])
    assert first != second
    assert tuple(first) == tuple(second) == ("a.tld",)
    assert histories.which[0] == histories.which[2]
    with refused(LabelError, 1):
        Population([4]).with_histories(histories)


def test_a_table_without_histories_is_told(tmp_path):
    with pytest.raises(ParameterError):
        read_histories(tmp_path / "experimental.parquet")
    write(tmp_path / "experimental.parquet", {})
    with refused(ParameterError):
        read_histories(tmp_path / "experimental.parquet")
