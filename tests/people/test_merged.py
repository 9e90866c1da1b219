"""Merged reading: distinct sets with counts, as plain loops count them, from every form of file."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiff.errors import LabelError, ParameterError, QuiffError, ShapeError
from quiff.people.limits import allowed_bytes, reading_limit
from quiff.people.population import Population
from words import refused, worded

WORDS = ["News", "Music", "Sports", "Travel", "7"]


@st.composite
def profiles(draw):
    s = draw(st.integers(1, 3))
    names = draw(st.sampled_from([WORDS, ["1", "2", "12", "629"]]))
    n = draw(st.integers(1, 12))
    sets = [draw(st.permutations(names))[:s] for _ in range(n)]
    weights = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n).filter(any))
    return sets, weights


def write_all(folder, sets, weights):
    """The same profiles in five forms."""
    users = [f"u{k}" for k in range(len(sets))]
    rows = list(zip(users, sets, weights, strict=True))
    listed = pa.table({"user": users, "w": weights, "topics": sets})
    pq.write_table(listed, folder / "a.parquet", row_group_size=2)
    (folder / "b").mkdir()
    pq.write_table(listed.slice(0, 1), folder / "b" / "part-0.parquet")
    pq.write_table(listed.slice(1), folder / "b" / "part-1.parquet")
    head = ["user", "w", *(f"t{k + 1}" for k in range(len(sets[0])))]
    for name, sign in (("c.csv", ","), ("d.tsv", "\t")):
        lines = [head, *([user, str(weight), *topics] for user, topics, weight in rows)]
        (folder / name).write_text("\n".join(map(sign.join, lines)) + "\n")
    published = [f'{user},"{topics}",{weight}' for user, topics, weight in rows]
    (folder / "e.csv").write_text("\n".join(["RandID,sTopics,w", *published]))
    return [folder / name for name in ("a.parquet", "b", "c.csv", "d.tsv", "e.csv")]


def as_named(topic, names):
    return int(topic) if all(name.isdecimal() for name in names) else topic


@settings(max_examples=8)  # each reads fifteen files
@given(profiles())
def test_it_counts_and_weighs_the_users_of_each_set(tmp_path_factory, made):
    sets, weights = made
    names = {topic for topics in sets for topic in topics}
    keys = [frozenset(as_named(topic, names) for topic in topics) for topics in sets]
    counts, sums = Counter(keys), Counter()
    for key, weight in zip(keys, weights, strict=True):
        sums[key] += weight
    for path in write_all(tmp_path_factory.mktemp("merged"), sets, weights):
        people = Population.read(path, merged=True)
        assert people.merged
        assert people.n_users == len(sets)
        assert dict(zip(people.users, people.set_counts().tolist(), strict=True)) == counts
        prior = dict(people.set_prior().items())
        assert prior == {key: Fraction(n, len(sets)) for key, n in counts.items()}
        whole = Population.read(path)
        assert list(people.topics) == list(whole.topics)
        assert list(people.distinct_sets()[0]) == list(whole.distinct_sets()[0])
        assert people.distinct_sets()[1].tolist() == list(range(people.users.size))
        weighted = Population.read(path, merged=True, weights="w")
        assert weighted.set_counts().tolist() == people.set_counts().tolist()
        assert dict(weighted.set_prior().items()) == {
            key: Fraction(total, sum(weights)) for key, total in sums.items()
        }


def test_a_merged_population_names_no_user(tmp_path):
    path = write_all(tmp_path, [["x", "y"], ["y", "x"], ["x", "z"]], [1, 1, 1])[2]
    people = Population.read(path, merged=True)
    with refused(ParameterError, 3, 2):
        people.user_prior()
    worded(repr(people), 3, 2)
    assert people.notes == ("The 3 users are merged into 2 distinct sets with their counts.",)
    assert people != Population.read(path)
    assert people == Population.read(path, merged=True)
    with pytest.raises(ValueError, match="read-only"):
        people.counts[0] = 9
    assert people.epoch(0).n_users == 3


def test_users_that_do_not_fit_are_merged(tmp_path):
    for path in write_all(tmp_path, [["x", "y"], ["y", "x"]], [1, 2]):
        assert not Population.read(path).merged
        with reading_limit(1e-7):  # a hundred bytes
            assert allowed_bytes() == 107
            assert Population.read(path).merged
            assert not Population.read(path, merged=False).merged
    with refused(ParameterError, 0), reading_limit(0):
        pass


def test_large_files_agree_on_the_numbers_of_topics(tmp_path):
    rng = np.random.default_rng(1)
    sets = [sorted(map(str, rng.choice(40, 3, replace=False))) for _ in range(3000)]
    weights = [k % 3 if k < 2900 else k / 2 for k in range(3000)]
    expected = Counter(frozenset(map(int, topics)) for topics in sets)
    for path in write_all(tmp_path, sets, weights):
        people = Population.read(path, merged=True, weights="w")
        assert dict(zip(people.users, people.counts.tolist(), strict=True)) == expected
        assert people.weights.sum() == pytest.approx(sum(weights))
        whole = Population.read(path, weights="w")
        one, other = people.set_prior(), whole.set_prior()
        assert one.to_numpy() == pytest.approx(other.to_numpy())


@pytest.mark.parametrize(
    ("text", "error", "numbers"),
    [
        ("user,t1\na,1\nb,2\n\na,3\n", LabelError, (5,)),
        ("user,t1,t2\na,1,2\nb,1,1\n", LabelError, (3, 1)),
        ("user,topics\na,\"x,y\"\nb,x\n", ShapeError, (3, 1, 2)),
        ("user,epoch,t1\na,0,1\nb,1,1\n", LabelError, (2,)),
        ("user,t1\n", QuiffError, (2,)),
        ("user,t1\na,1\n\xe9,2\n", QuiffError, (3,)),
        ("user,t1\na,1\nb,2,3\n", QuiffError, (3, 2)),
    ],
)  # fmt: skip
def test_wrong_files_are_told_in_one_line(tmp_path, text, error, numbers):
    path = tmp_path / "profiles.csv"
    path.write_bytes(text.encode("latin-1"))
    with refused(error, *numbers) as caught:
        Population.read(path, merged=True)
    assert "\n" not in str(caught.value)


def test_counts_belong_to_distinct_sets():
    with refused(ShapeError):
        Population(["u"], ["a"], [[0]], counts=[1])
    sets, _ = Population.from_sets({"u": {1, 2}, "v": {2, 3}}).distinct_sets()
    for counts in ([1], [1, 0], [0.5, 1.0]):
        with refused(ShapeError, 2):
            Population(sets, sets.topics, sets.codes, counts=counts)


def test_the_population_of_pets_24(mirror):
    people = Population.read(mirror / "topics-users-250000.csv.tar.gz", merged=True)
    assert (people.n_users, people.users.size, people.topics.size) == (249_997, 209_745, 349)
    assert np.count_nonzero(people.counts == 1) / people.n_users == pytest.approx(0.7646, abs=5e-5)
