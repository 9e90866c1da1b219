"""People reduced by an engine: the distinct sets and counts of a plain loop, the same digits."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quiff
from quiff.errors import LabelError, ParameterError, QuiffError, ShapeError
from quiff.logs import people as reduction
from quiff.logs.people import reduce_people
from quiff.people.pairs import TooManySetsError
from quiff.people.population import Population
from quiff.studies.pairs import measure_pairs
from words import refused, worded

# PySpark leaves the sockets by which it hands over results to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
RANKED = pa.list_(pa.struct({"rank": pa.int64(), "topic": pa.string(), "visits": pa.int64()}))


def write(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


def counted(people):
    """The users of each row, by its sets in all epochs."""
    named = [tuple(frozenset(people.topics[int(code)] for code in sets[row]) for sets in people.sets)
             for row in range(people.users.size)]  # fmt: skip
    each = np.ones(people.users.size, dtype=int) if people.counts is None else people.counts
    sums = Counter()
    for key, n in zip(named, each.tolist(), strict=True):
        sums[key] += n
    return sums


def weeks(n, epochs=2, seed=1):
    """Users with a set of three out of twelve topics in each epoch, many of them alike."""
    rng = np.random.default_rng(seed)
    kinds = np.argsort(rng.random((6, epochs, 12)), axis=2)[:, :, :3]
    chosen = kinds[rng.integers(6, size=n)]
    order = rng.permutation(n * epochs)
    rows = chosen.reshape(-1, 3)[order]
    return {
        "user": np.repeat(np.arange(n), epochs)[order],
        "epoch": np.tile(np.arange(epochs) + 10, n)[order],
        **{f"t{place + 1}": rows[:, place] + 1 for place in range(3)},
    }


@settings(max_examples=12)
@given(
    words=st.booleans(),
    sets=st.lists(st.permutations(range(7)).map(lambda some: some[:3]), min_size=1, max_size=15),
)
def test_every_form_of_columns_is_counted(tmp_path_factory, duckdb, words, sets):
    name = (lambda code: "abcdefg"[code]) if words else str
    expected = Counter(frozenset(name(code) if words else code for code in topics) for topics in sets)
    folder = tmp_path_factory.mktemp("people")
    users = [f"u{place}" for place in range(len(sets))]
    lists = [[name(code) for code in topics] for topics in sets]
    single = {f"t{place + 1}": [topics[place] for topics in lists] for place in range(3)}
    paths = [
        write(folder / "a.parquet", user=users, topics=lists),
        write(folder / "b.parquet", user=users, **single),
        write(folder / "c.parquet", **single),
    ]
    if not words:
        paths.append(write(folder / "d.parquet", RandID=users, topics=sets))
    for path in paths:
        people = reduce_people(duckdb, path)
        assert dict(zip(people.users, people.counts.tolist(), strict=True)) == expected
        assert people == Population.read(path, merged=True)


def test_both_engines_give_the_digits_of_people_in_memory(backend, tmp_path):
    """One epoch, and sequences over two: every figure as of users in memory."""
    path = write(tmp_path / "people.parquet", **weeks(60))
    whole, api = Population.read(path), quiff.TopicsAPI(12, 3, 0.1)
    one, all_epochs = reduce_people(backend, path, epoch=1), reduce_people(backend, path)
    assert counted(one) == counted(whole.epoch(1))
    assert counted(all_epochs) == counted(whole)
    assert repr(all_epochs).startswith("<Population of 60 users merged into 6 distinct sequences: sets of 3")
    assert quiff.measure(one, api).rows == quiff.measure(whole.epoch(1), api).rows
    assert quiff.over_time(all_epochs, api, 2).rows == quiff.over_time(whole, api, 2).rows
    assert quiff.user_risk(one, api).rows == quiff.user_risk(whole.epoch(1), api).rows


def test_no_more_rows_than_distinct_secrets_reach_this_process(backend, tmp_path, monkeypatch):
    """Of 500 users, the six sequences, twelve topics at most and single numbers."""
    path, arrived = write(tmp_path / "people.parquet", **weeks(500)), []
    real = reduction.fetch_arrow

    def watched(con, expression):
        table = real(con, expression)
        arrived.append(table)
        return table

    monkeypatch.setattr(reduction, "fetch_arrow", watched)
    monkeypatch.setattr(reduction, "fetch_rows", lambda *query: watched(*query).to_pylist())
    people = reduce_people(backend, path)
    secrets, topics = people.users.size, people.topics.size
    assert (people.n_users, secrets) == (500, 6)
    assert arrived[-1].num_rows == secrets
    assert all(table.num_rows <= max(topics, 2) for table in arrived[:-1])
    assert not any({"user", "RandID"} & set(table.column_names) for table in arrived)


def test_visited_topics_are_told_apart(backend, tmp_path):
    """From ranked counts, in sets of the stored size or another; or by their number alone."""
    ranking = [[{"rank": k + 1, "topic": topic, "visits": visits} for k, (topic, visits) in enumerate(each)]
               for each in ([("a", 3), ("b", 0), ("c", 0)], [("b", 1), ("a", 1), ("d", 0)],
                            [("a", 2), ("b", 0), ("c", 0)])]  # fmt: skip
    users, topics = ["x", "y", "z"], [["b", "a"], ["a", "b"], ["a", "b"]]
    path = tmp_path / "ranked.parquet"
    pq.write_table(pa.table({"user": users, "topics": topics, "ranking": pa.array(ranking, RANKED)}), path)
    for top in (None, 3):
        people, plain = reduce_people(backend, path, top=top), Population.read(path, merged=True, top=top)
        assert people.filled == plain.filled
        assert counted(people) == counted(plain)
        assert people.genuine().n_users == 1 if top is None else not people.filled.genuine_users
    other = write(tmp_path / "other.parquet", user=users, topics=topics, genuine=[1, 2, 1])
    assert reduce_people(backend, other).filled == Population.read(other, merged=True).filled


def test_sequences_without_filled_topics(duckdb, tmp_path):
    path = write(
        tmp_path / "people.parquet",
        user=["x", "x", "y", "y", "z", "z"], epoch=[0, 1] * 3, t1=[1, 2, 1, 2, 1, 2], t2=[3, 4] * 3,
        genuine=[2, 2, 2, 1, 2, 2],
    )  # fmt: skip
    people = reduce_people(duckdb, path)
    assert (people.n_users, people.users.size, people.filled.genuine_users) == (3, 1, 2)
    assert people.genuine().n_users == Population.read(path).genuine().n_users == 2


def test_large_sets_are_packed_into_several_words(duckdb, tmp_path):
    rng = np.random.default_rng(3)
    sets = np.argsort(rng.random((40, 500)), axis=1)[:, :20].repeat(2, axis=0)
    path = write(tmp_path / "large.parquet", **{f"t{k + 1}": sets[:, k] for k in range(20)})
    people = reduce_people(duckdb, path)
    assert people.counts.tolist() == [2] * 40
    assert people == Population.read(path, merged=True)


@pytest.mark.parametrize(
    ("columns", "error", "numbers"),
    [
        ({"user": ["a", "a"], "t1": [1, 2]}, LabelError, (2,)),
        ({"user": ["a", None], "t1": [1, 2]}, QuiffError, (2,)),
        ({"user": ["a"], "t1": [1], "t2": [1]}, LabelError, (1,)),
        ({"user": ["a"], "t1": ["x"], "t2": [" "]}, ShapeError, (1,)),
        ({"user": ["a", "b"], "topics": [["x"], ["x", "y"]]}, ShapeError, (1, 2)),
        ({"user": ["a", "b"], "epoch": [0, 1], "t1": [1, 2]}, LabelError, (2,)),
        ({"user": pa.array([], pa.string()), "t1": pa.array([], pa.int64())}, QuiffError, ()),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_without_a_user(duckdb, tmp_path, columns, error, numbers):
    path = write(tmp_path / "people.parquet", **columns)
    with refused(error, *numbers) as caught:
        reduce_people(duckdb, path)
    assert "\n" not in str(caught.value)


def test_users_who_lack_an_epoch_are_left_out(duckdb, tmp_path):
    path = write(tmp_path / "p.parquet", user=[1, 1, 2, 3, 3], epoch=[0, 1, 0, 1, 0], t1=[4, 5, 4, 5, 4])
    people = reduce_people(duckdb, path, missing="drop")
    assert counted(people) == counted(Population.read(path, missing="drop"))
    worded(people.notes[-1], 1, 3, 2)
    with refused(ParameterError):
        reduce_people(duckdb, path, missing="fill")


def test_users_risks_are_known_where_the_sets_do_not_fit(backend, tmp_path):
    """Groups of users by the rarity of their topics tell each quantile to a thousandth, on both engines."""
    rng = np.random.default_rng(2)
    sets = np.argsort(rng.random((300, 40)) * np.arange(1, 41), axis=1)[:, :4]
    path = write(tmp_path / "people.parquet", **{f"t{k + 1}": sets[:, k] for k in range(4)})
    people, api = Population.read(path), quiff.TopicsAPI(40, 4, 0.1)
    with pytest.raises(TooManySetsError) as refused:
        reduce_people(backend, path, most=0)
    known = measure_pairs(refused.value.pairs, api, threshold=0.02)
    whole = quiff.user_risk(people, api, threshold=0.02)
    for name in ("risk_mean", "risk_max", "worst_posterior"):
        assert known[api.spec, name] == pytest.approx(whole[api.spec, name], rel=1e-12)
    for name in ("risk_median", "risk_95", "risk_99", "users_above"):
        row, own = known.row(api.spec, name), whole[api.spec, name]
        low, high = (row.value, row.value) if row.low is None else (row.low, row.high)
        assert low * (1 - 1e-12) <= own <= high * (1 + 1e-12)
        assert name == "users_above" or high <= low * 1.0011
    assert 0 < whole[api.spec, "users_above"] < 1


@pytest.mark.parametrize("form", ["numbered", "lists", "epochs"])
def test_text_is_reduced_too(duckdb, tmp_path, form):
    """By DuckDB, as Parquet is; what is written for that is gone."""
    path = tmp_path / "people.csv"
    table = weeks(40)
    rows = list(zip(*(column.tolist() for column in table.values()), strict=True))
    if form == "epochs":
        lines = [",".join(table), *(",".join(map(str, row)) for row in rows)]
    elif form == "numbered":
        lines = ["user,t1,t2,t3", *(f"u{n},{a},{b},{c}" for n, (_, _, a, b, c) in enumerate(rows))]
    else:
        lines = [
            "RandID,sTopics",
            *(f"u{n},\"['{a}', '{b}', '{c}']\"" for n, (_, _, a, b, c) in enumerate(rows)),
        ]
    path.write_text("\n".join(lines) + "\n")
    people, whole = reduce_people(duckdb, path), Population.read(path)
    assert people.topics == whole.topics
    assert counted(people) == counted(whole)
    assert people.users.size < people.n_users == whole.n_users


def test_what_an_engine_does_not_read_is_told(spark, duckdb, tmp_path):
    text, records = tmp_path / "people.csv", tmp_path / "people.tfrecord"
    text.write_text("user,t1\na,1\n")
    records.write_bytes(b"")
    with refused(ParameterError):
        reduce_people(spark, text)
    with refused(ParameterError):
        reduce_people(duckdb, records)
    text.write_text("user,t1\n")
    with refused(QuiffError):
        reduce_people(duckdb, text)


@pytest.mark.parametrize(
    "text",
    [
        "user,epoch,t1\na,0.6,1\n",
        "user,epoch,t1\na,x,1\n",
        "user,t1,t2,genuine\na,1,2,1.6\n",
        'user,t1\na,"1\n2"\n',
        "user,t1,t2\na,1,1\n",
        "user,t1\n,1\n",
    ],
)
def test_what_is_wrong_in_text_is_told_as_if_it_were_read_whole(duckdb, tmp_path, text):
    path = tmp_path / "people.csv"
    path.write_text(text)
    with pytest.raises(QuiffError) as whole:
        Population.read(path)
    with pytest.raises(QuiffError) as reduced:
        reduce_people(duckdb, path)
    assert str(reduced.value) == str(whole.value)
