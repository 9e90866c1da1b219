"""Users who lack a set in some epoch: an error that counts them, or dropped, or filled by chance."""

from collections import Counter
from math import comb, sqrt

import pytest

from quiff.errors import LabelError, ParameterError
from quiff.people.population import Population
from words import refused, worded

TEXT = "user,epoch,t1,t2\nb,0,1,2\na,0,3,4\na,1,5,6\nc,1,1,6\nc,0,2,3\n"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(TEXT)
    return path


def sets_of(people):
    return {
        user: [{people.topics[code] for code in people.sets[epoch, k]} for epoch in range(people.n_epochs)]
        for k, user in enumerate(people.users)
    }


def test_by_default_they_are_counted(path):
    with refused(LabelError, 1, 3):
        Population.read(path)


def test_dropping_leaves_them_out(path):
    people = Population.read(path, missing="drop")
    assert sets_of(people) == {"a": [{3, 4}, {5, 6}], "c": [{2, 3}, {1, 6}]}
    assert people.notes == ("1 of 3 users has no set in some of the 2 epochs and was left out.",)
    path.write_text("user,epoch,t1\na,0,1\nb,1,1\n")
    with refused(LabelError):
        Population.read(path, missing="drop")


def test_filling_gives_them_topics_by_chance(path):
    people = Population.read(path, missing="fill", seed=3)
    found = sets_of(people)
    assert found["b"][0] == {1, 2}
    assert len(found["b"][1]) == 2
    assert {user: found[user] for user in "ac"} == sets_of(Population.read(path, missing="drop"))
    assert people == Population.read(path, missing="fill", seed=3)
    note, other = people.notes
    worded(other)
    worded(note, 1, 3, 2)
    assert "seed 3" in note


def test_what_is_filled_is_counted_though_the_file_does_not_say_what_was_visited(path):
    filled = Population.read(path, missing="fill").filled
    assert (filled.sets, filled.filled_sets, filled.filled_topics) == (6, 1, 2)
    assert filled.sets_without_visits == 1
    assert filled.genuine_users == 2
    assert Population.read(path, missing="drop").filled is None


def test_every_set_of_topics_that_occur_is_as_probable(tmp_path):
    """With this seed, the count of each set is within five standard deviations of what fairness gives."""
    n = 20_000
    whole = ["w,0,1,2", "w,1,5,9"]
    (tmp_path / "p.csv").write_text(
        "\n".join(["user,epoch,t1,t2", *whole, *(f"{k},0,1,2" for k in range(n))])
    )
    people = Population.read(tmp_path / "p.csv", missing="fill", seed=1)
    counts = Counter(frozenset(sets[1]) for user, sets in sets_of(people).items() if user != "w")
    share = 1 / comb(4, 2)
    assert len(counts) == comb(4, 2)
    for count in counts.values():
        assert abs(count - n * share) <= 5 * sqrt(n * share * (1 - share))


def test_other_ways_are_refused(path):
    with refused(ParameterError):
        Population.read(path, missing="ignore")


def test_an_epoch_needs_users(tmp_path):
    (tmp_path / "p.csv").write_text("epoch,t1\n0,1\n1,1\n")
    with pytest.raises(
        ValueError, match="line 1: there is a column epoch, but none for the users; add a column user"
    ):
        Population.read(tmp_path / "p.csv")
