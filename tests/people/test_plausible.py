"""Plausible files of people are read right, or refused with the true reason; none is read wrongly."""

import pandas as pd
import pyarrow as pa
import pytest

import plausible
from quiff import Population, QuiffError

WANTED = {user: set(topics) for user, topics in zip(plausible.USERS, plausible.NUMBERS, strict=True)}


def topics_of(people):
    return {
        user: {people.topics[int(code)] for code in codes}
        for user, codes in zip(people.users, people.codes, strict=True)
    }


def called(names):
    return {user: {names[topic] for topic in topics} for user, topics in WANTED.items()}


@pytest.mark.parametrize("name", plausible.READ)
def test_numbers_are_read_however_they_are_written(name, tmp_path):
    people = Population.read(plausible.write(tmp_path, name, plausible.READ[name]))
    assert topics_of(people) == WANTED
    assert people.understood.startswith("3 users, 3 topics each of 5, one ")


@pytest.mark.parametrize("name", [*plausible.WORDS, *plausible.HARD])
def test_names_are_split_where_they_end(name, tmp_path):
    files = plausible.WORDS | plausible.HARD
    people = Population.read(plausible.write(tmp_path, name, files[name]))
    assert topics_of(people) == called(plausible.PLAIN if name in plausible.WORDS else plausible.NAMES)


@pytest.mark.parametrize("name", plausible.REFUSED)
def test_what_cannot_be_read_is_refused_with_the_reason(name, tmp_path):
    content, reason = plausible.REFUSED[name]
    path = plausible.write(tmp_path, name, content)
    with pytest.raises(QuiffError, match=reason) as caught:
        Population.read(path)
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)


@pytest.mark.parametrize("name", [*plausible.READ, *plausible.WORDS, *plausible.HARD])
def test_merging_reads_the_same(name, tmp_path):
    files = plausible.READ | plausible.WORDS | plausible.HARD
    path = plausible.write(tmp_path, name, files[name])
    whole, merged = Population.read(path), Population.read(path, merged=True)
    assert list(merged.topics) == list(whole.topics)
    assert list(merged.users) == list(whole.distinct_sets()[0])
    assert merged.counts.tolist() == whole.set_counts().tolist()


def test_frames_are_tables_too():
    frame = pd.DataFrame({"who": plausible.USERS, "likes": [list(topics) for topics in plausible.NUMBERS]})
    assert topics_of(Population.from_pandas(frame, "who", "likes", ())) == WANTED
    people = Population.read(pa.Table.from_pandas(frame), columns="user=who,topics=likes")
    assert topics_of(people) == WANTED
    assert people.understood == (
        "3 users, 3 topics each of 5, one column of sets; user from 'who'; topics from 'likes'"
    )


def test_columns_that_are_called_otherwise_are_named(tmp_path):
    path = plausible.write(tmp_path, "p.csv", "a,b,c,w\nAnn,3,8,1\nBob,9,10,2\n")
    people = Population.read(path, columns={"user": "a", "topics": ["b", "c"], "weights": "w"})
    assert topics_of(people) == {"Ann": {3, 8}, "Bob": {9, 10}}
    assert people.weights.tolist() == [1, 2]
    assert Population.read(path, columns="user=a,topics=b,topics=c,weights=w") == people
    with pytest.raises(QuiffError, match="the column of topics must be one of 'a', 'b', 'c', 'w', not 'd'"):
        Population.read(path, columns="user=a,topics=d")
    with pytest.raises(QuiffError, match="columns must be such as user=NAME,topics=NAME"):
        Population.read(path, columns="who=a")


def test_several_files_in_a_folder_are_one_table(tmp_path):
    for number, user in enumerate(plausible.USERS):
        plausible.write(
            tmp_path,
            f"{number}.csv",
            f"user,t1,t2,t3\n{user},{','.join(map(str, plausible.NUMBERS[number]))}\n",
        )
    assert topics_of(Population.read(tmp_path)) == WANTED
    plausible.write(tmp_path, "3.csv", "user,t1,t2,t3\nDee,3,8\n")
    with pytest.raises(QuiffError, match=r"3\.csv', line 2: it has 3 fields"):
        Population.read(tmp_path)
    plausible.write(tmp_path, "3.csv", "user,t1,t2\nDee,3,8\n")
    with pytest.raises(QuiffError, match=r"3\.csv', line 1: it names other columns"):
        Population.read(tmp_path)
