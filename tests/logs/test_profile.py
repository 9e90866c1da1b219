"""Profiles: sets that the rule allows, chance that is fair and repeatable, epochs, counts for other sizes."""

from collections import Counter
from datetime import datetime, timedelta
from hashlib import sha256

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logs import reference
from quiff import TopicsAPI, over_time
from quiff.errors import ParameterError
from quiff.logs.experiment import experiment
from quiff.logs.profile import Spread, profile
from quiff.logs.taxonomies import taxonomy_topics
from quiff.people.histories import top_set
from quiff.people.population import Population
from words import refused

START = datetime(2006, 3, 1, 5)
SCHEMA = pa.schema(
    [
        ("user", pa.int64()),
        ("time", pa.timestamp("us")),
        ("domain", pa.string()),
        ("topics", pa.list_(pa.string())),
    ]
)
visits = st.lists(
    st.tuples(
        st.integers(1, 5),
        st.integers(0, 40).map(lambda days: START + timedelta(days=days)),
        st.sampled_from(["a.com", "b.org", "c.co.uk"]),
        st.lists(st.sampled_from("ABCDEFG"), min_size=1, max_size=3, unique=True).map(sorted),
    ),
    min_size=1,
    max_size=30,
)


@pytest.fixture(scope="module")
def con(duckdb):
    return duckdb


def write_reduced(folder, rows):
    columns = [list(column) for column in zip(*rows, strict=True)]
    pq.write_table(pa.table(columns, schema=SCHEMA), folder / "reduced.parquet")


def profiles_of(path):
    return {(row["user"], row["epoch"]): row for row in pq.read_table(path).to_pylist()}


@settings(max_examples=20)
@given(rows=visits, top=st.integers(1, 4), days=st.sampled_from([None, 1, 7]), whole=st.booleans())
def test_every_set_is_one_that_the_rule_allows(con, tmp_path_factory, rows, top, days, whole):
    folder = tmp_path_factory.mktemp("reduced")
    write_reduced(folder, rows)
    seen = {topic for row in rows for topic in row[3]}
    fill = set("ABCDEFGHIJ") if whole else seen
    taxonomy = sorted(fill) if whole else None
    if len(fill) < top:
        with pytest.raises(ParameterError, match=rf"only {len(fill)} topics?, too few for sets of {top}"):
            profile(con, folder, folder / "p.parquet", top=top, taxonomy=taxonomy, epoch_days=days)
        return
    result = profile(con, folder, folder / "p.parquet", top=top, taxonomy=taxonomy, epoch_days=days)
    midnight = min(row[1] for row in rows).replace(hour=0)
    epoch_of = {row[1]: (row[1] - midnight).days // days if days else 0 for row in rows}
    counts = reference.topic_counts([((row[0], epoch_of[row[1]]), *row[1:]) for row in rows])
    users, n_epochs = {row[0] for row in rows}, max(epoch_of.values()) + 1
    found = profiles_of(folder / "p.parquet")
    assert set(found) == {(user, epoch) for user in users for epoch in range(n_epochs)}
    for key, row in found.items():
        allowed = top_set(counts[key], top, fill)
        assert row["topics"] == sorted(row["topics"])
        assert len(set(row["topics"])) == top
        assert allowed.sure <= set(row["topics"]) <= allowed.sure | allowed.pool
        ranking = row["ranking"]
        assert {entry["topic"] for entry in ranking[:top]} == set(row["topics"])
        assert [entry["rank"] for entry in ranking] == list(range(1, len(ranking) + 1))
        met = {entry["topic"]: entry["visits"] for entry in ranking if entry["visits"]}
        assert met == counts[key]
        numbers = [entry["visits"] for entry in ranking]
        assert numbers == sorted(numbers, reverse=True)
    assert (result.users, result.epochs) == (len(users), n_epochs)
    assert result.distinct_sets == len({tuple(row["topics"]) for row in found.values()})
    assert result.occurring_topics == len({topic for row in found.values() for topic in row["topics"]})
    genuine = [min(top, len(counts[key])) for key in found]
    assert result.filled_users == sum(n < top for n in genuine) / len(genuine)
    assert result.filled_topics == (len(genuine) * top - sum(genuine)) / (len(genuine) * top)
    assert result.sets_without_visits == genuine.count(0)


def test_ties_follow_the_digests_of_seed_user_epoch_and_topic(con, tmp_path):
    write_reduced(tmp_path, [(user, START, "a.com", list("ABCDEFG")) for user in range(1, 50)])
    profile(con, tmp_path, tmp_path / "p.parquet", top=3, seed=8)
    for (user, epoch), row in profiles_of(tmp_path / "p.parquet").items():
        order = sorted("ABCDEFG", key=lambda t: sha256(f"8|{user}|{epoch}|{t}".encode()).hexdigest())
        assert [entry["topic"] for entry in row["ranking"]] == order


@pytest.mark.parametrize("pool", [7, 40, 349])
def test_filling_is_uniform_without_replacement(con, tmp_path, pool):
    """With this seed, the counts of each topic are within five standard deviations of what fairness gives."""
    n, top = 4000, 5
    write_reduced(tmp_path, [(user, START, "a.com", ["1"]) for user in range(n)])
    topics = [str(number) for number in range(1, pool + 1)]
    profile(con, tmp_path, tmp_path / "p.parquet", top=top, seed=1, taxonomy=topics)
    rows = pq.read_table(tmp_path / "p.parquet")["topics"].to_pylist()
    assert all("1" in row and len(set(row)) == top for row in rows)
    counts = Counter(topic for row in rows for topic in row if topic != "1")
    share = (top - 1) / (pool - 1)
    for topic in topics[1:]:
        assert abs(counts[topic] - n * share) <= 5 * (n * share * (1 - share)) ** 0.5
    pairs = Counter(pair for row in rows for pair in [tuple(t for t in row if t in ("2", "3"))])
    both = share * (top - 2) / (pool - 2)
    assert abs(pairs["2", "3"] - n * both) <= 5 * (n * both) ** 0.5


def test_a_seed_repeats_and_no_seed_does_not(con, tmp_path):
    write_reduced(tmp_path, [(user, START, "a.com", list("ABCDEFG")) for user in range(1, 60)])
    sets = []
    for seed in (1, 1, 2, None, None):
        result = profile(con, tmp_path, tmp_path / "p.parquet", top=3, seed=seed, force=True)
        assert result.seeded == (seed is not None)
        sets.append({key: row["topics"] for key, row in profiles_of(tmp_path / "p.parquet").items()})
    assert sets[0] == sets[1]
    assert len({str(sorted(found.items())) for found in sets}) == 4


def test_repeating_gives_the_spread_of_the_set_counts(con, tmp_path):
    write_reduced(tmp_path, [(user, START, "a.com", list("ABCDEFG")) for user in range(1, 30)])
    result = profile(con, tmp_path, tmp_path / "p.parquet", top=3, seed=1, repeat=4)
    assert len(result.repeats.counts) == 4
    assert result.repeats.counts[0] == result.distinct_sets
    assert len(set(result.repeats.counts)) > 1
    again = profile(con, tmp_path, tmp_path / "p.parquet", top=3, seed=1, repeat=2, force=True)
    assert again.repeats.counts == result.repeats.counts[:2]
    assert (Spread((1, 3)).mean, Spread((1, 3)).deviation) == (2.0, 2**0.5)


def test_histories_give_the_same_profiles_as_visits(con, tmp_path):
    rows = [(user, START + timedelta(days=k), d, [t]) for user in (1, 2, 3) for k, (d, t) in enumerate(
        [("a.com", "A"), ("b.org", "B"), ("a.com", "A"), ("c.co.uk", "C")])]  # fmt: skip
    write_reduced(tmp_path, rows)
    experiment(con, tmp_path, tmp_path / "e")
    for history, name in ((tmp_path, "one"), (tmp_path / "e", "two")):
        profile(con, history, tmp_path / f"{name}.parquet", top=2, epoch_days=2, seed=1)
    assert profiles_of(tmp_path / "one.parquet") == profiles_of(tmp_path / "two.parquet")


def test_a_population_reads_them(con, tmp_path):
    write_reduced(
        tmp_path, [(user, START + timedelta(days=user), "a.com", ["7", "12"]) for user in (1, 2, 3)]
    )
    profile(con, tmp_path, tmp_path / "p.parquet", top=2, epoch_days=1)
    people = Population.read(tmp_path / "p.parquet")
    assert (people.n_epochs, list(people.topics), sorted(people.users)) == (3, [7, 12], [1, 2, 3])


def test_wrong_input_is_told(con, tmp_path):
    write_reduced(tmp_path, [(1, START, "a.com", ["A"])])
    with refused(ParameterError):
        profile(con, tmp_path, tmp_path / "p.parquet", taxonomy=["B", "C", "D", "E", "F"])
    with refused(ParameterError, what="top", value=0):
        profile(con, tmp_path, tmp_path / "p.parquet", top=0)
    with refused(ParameterError, what="epoch_days", value=0):
        profile(con, tmp_path, tmp_path / "p.parquet", top=1, epoch_days=0)
    write_reduced(tmp_path, [(1, START, "a.com", [])])
    with refused(ParameterError):
        profile(con, tmp_path, tmp_path / "p.parquet")


def test_taxonomies_by_name_and_from_a_file(tmp_path):
    assert len(taxonomy_topics("v1")) == 349
    assert len(taxonomy_topics("v2")) == 469
    (tmp_path / "mine").write_text("News\n\nSports\nNews\n")
    assert taxonomy_topics(tmp_path / "mine") == ("News", "Sports")
    for text in ("", None):
        if text is not None:
            (tmp_path / "empty").write_text(text)
        with pytest.raises(ParameterError):
            taxonomy_topics(tmp_path / ("empty" if text is not None else "none"))


@pytest.mark.parametrize("days", [None, 7])
def test_other_sizes_are_taken_from_the_ranking(con, tmp_path, days):
    """Sets that are read with another size are those that are drawn with that size and the same seed."""
    rows = [
        (
            user,
            START + timedelta(days=user % 9),
            "a.com",
            [chr(65 + (user * k) % 13) for k in range(user % 7)],
        )
        for user in range(1, 60)
    ]
    rows = [(user, time, domain, sorted(set(topics)) or ["A"]) for user, time, domain, topics in rows]
    write_reduced(tmp_path, rows)
    profile(con, tmp_path, tmp_path / "p8.parquet", top=8, seed=4, epoch_days=days)
    for top in (1, 3, 5, 8):
        profile(con, tmp_path, tmp_path / "p.parquet", top=top, seed=4, epoch_days=days, force=True)
        expected = {key: set(row["topics"]) for key, row in profiles_of(tmp_path / "p.parquet").items()}
        people = Population.read(tmp_path / "p8.parquet", top=top)
        found = {
            (user, epoch): {people.topics[code] for code in people.sets[epoch, place]}
            for place, user in enumerate(people.users)
            for epoch in range(people.n_epochs)
        }
        assert found == expected
        if days is None:
            merged = Population.read(tmp_path / "p8.parquet", top=top, merged=True)
            assert Counter(map(frozenset, expected.values())) == dict(
                zip(merged.users, merged.counts.tolist(), strict=True)
            )


def test_sizes_that_cannot_be_taken_are_told(con, tmp_path):
    write_reduced(tmp_path, [(1, START, "a.com", list("ABCDEFG")), (2, START, "a.com", ["A"])])
    profile(con, tmp_path, tmp_path / "p.parquet", top=3, seed=4)
    with refused(ParameterError, 3, 4):
        Population.read(tmp_path / "p.parquet", top=4)
    write_reduced(tmp_path, [(1, START, "a.com", list("ABCDEFG")), (2, START, "a.com", list("BCDE"))])
    profile(con, tmp_path, tmp_path / "p.parquet", top=3, seed=4, force=True)
    assert Population.read(tmp_path / "p.parquet", top=4).top_s == 4  # everybody has met enough topics
    plain = pq.read_table(tmp_path / "p.parquet").drop(["ranking"])
    pq.write_table(plain, tmp_path / "plain.parquet")
    with refused(ParameterError, 3, 2):
        Population.read(tmp_path / "plain.parquet", top=2)
    assert Population.read(tmp_path / "plain.parquet", top=3).top_s == 3
    for top in (0, 2.5):
        with refused(ParameterError, 1, top, what="top", value=top):
            Population.read(tmp_path / "p.parquet", top=top)


def test_a_merged_reading_takes_several_epochs(con, tmp_path):
    rows = [(user, START + timedelta(days=user), "a.com", ["7", "8"]) for user in range(3)]
    write_reduced(tmp_path, rows)
    profile(con, tmp_path, tmp_path / "p.parquet", top=2, epoch_days=1)
    single, merged = (Population.read(tmp_path / "p.parquet", merged=merged) for merged in (False, True))
    assert (merged.n_users, merged.n_epochs) == (single.n_users, single.n_epochs) == (3, single.n_epochs)
    assert (
        over_time(merged, TopicsAPI(top_s=2), 1)["posterior"]
        == over_time(single, TopicsAPI(top_s=2), 1)["posterior"]
    )
