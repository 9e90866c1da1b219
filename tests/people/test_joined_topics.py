"""Topics with blanks, slashes, semicolons or bars between them are never read as one topic."""

import random
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import quiff
from quiff import Population, QuiffError
from quiff.logs.classifications import read_classification
from quiff.logs.engine import connect
from quiff.logs.fetch import fetch
from quiff.logs.people import reduce_people
from quiff.logs.published import read_published
from quiff.logs.taxonomies import read_taxonomy
from quiff.people.joined_topics import joined_topic
from words import refused

SEVERAL = r"seems to be several topics; put commas between them, as in \"1, 2, 3\" or \['News', 'Music'\]"
WORDS = ["News", "Music", "Games", "Travel", "Food", "Art", "Law", "Cars", "Pets", "Jobs", "Film", "Chess"]


def numbers(between):
    rng = random.Random(1)
    return [between.join(map(str, rng.sample(range(1, 31), 5))) for _ in range(200)]


def words(between):
    rng = random.Random(2)
    return [between.join(rng.sample(WORDS, 3)) for _ in range(40)]


def text(folder, cells, column="topics"):
    file = folder / "people.csv"
    file.write_text(f"user,{column}\n" + "".join(f"u{k},{cell}\n" for k, cell in enumerate(cells)))
    return file


def stored(folder, cells, column="topics"):
    file = folder / "people.parquet"
    pq.write_table(pa.table({"user": [f"u{k}" for k in range(len(cells))], column: cells}), file)
    return file


def frame(cells):
    return pd.DataFrame({"user": range(len(cells)), "topics": cells})


WAYS = {
    "text": lambda folder, cells: Population.read(text(folder, cells, "t1")),
    "text, one column of sets": lambda folder, cells: Population.read(text(folder, cells)),
    "text, merged": lambda folder, cells: Population.read(text(folder, cells, "t1"), merged=True),
    "text by DuckDB": lambda folder, cells: reduce_people(connect(), text(folder, cells, "t1")),
    "Parquet": lambda folder, cells: Population.read(stored(folder, cells, "t1")),
    "Parquet by DuckDB": lambda folder, cells: reduce_people(connect(), stored(folder, cells, "t1")),
    "frame": lambda folder, cells: Population.from_pandas(frame(cells), topics=["topics"]),
    "array": lambda folder, cells: Population.from_array(range(len(cells)), [[cell] for cell in cells]),
}
LISTS = {
    "lists in Parquet": lambda folder, cells: Population.read(stored(folder, [[cell] for cell in cells])),
    "lists by DuckDB": lambda folder, cells: reduce_people(
        connect(), stored(folder, [[cell] for cell in cells])
    ),
    "lists in a frame": lambda folder, cells: Population.from_pandas(frame([[cell] for cell in cells])),
    "sets": lambda folder, cells: Population.from_sets({k: {cell} for k, cell in enumerate(cells)}),
    "lists in text": lambda folder, cells: Population.read(
        text(folder, ['"' + str([cell]) + '"' for cell in cells])
    ),
}


@pytest.mark.parametrize("between", [" ", "/", ";", "|", " / ", "  "])
def test_several_numbers_in_a_column_of_sets_are_a_set(between, tmp_path):
    people = Population.read(text(tmp_path, numbers(between)))
    assert (people.top_s, people.n_users) == (5, 200)
    assert people == Population.read(
        stored(tmp_path, [list(map(int, cell.split())) for cell in numbers(" ")])
    )


@pytest.mark.parametrize("between", [";", "|", " ; "])
def test_words_in_a_column_of_sets_are_split_at_the_sign_between_them(between, tmp_path):
    people = Population.read(text(tmp_path, words(between)))
    assert people == Population.read(stored(tmp_path, [cell.split() for cell in words(" ")]))


CELLS = "text, one column of sets"  # which may hold several topics


@pytest.mark.parametrize("between", [" ", "/", ";", "|", " / ", "  "])
@pytest.mark.parametrize("way", sorted({*WAYS, *LISTS} - {CELLS}))
def test_several_numbers_are_no_topic(way, between, tmp_path):
    with pytest.raises(QuiffError, match=SEVERAL):
        (WAYS | LISTS)[way](tmp_path, numbers(between))


@pytest.mark.parametrize("between", [" ", "/", ";", "|", " / "])
@pytest.mark.parametrize("way", WAYS)
def test_words_that_recur_in_other_combinations_are_topics_of_their_own(way, between, tmp_path):
    if way == CELLS and between in (";", "|"):
        return
    with pytest.raises(QuiffError, match=SEVERAL):
        WAYS[way](tmp_path, words(between))


@pytest.mark.parametrize("way", LISTS)
def test_a_word_in_a_list_is_one_topic(way, tmp_path):
    people = LISTS[way](tmp_path, words(" "))
    assert people.top_s == 1
    assert people.topics.size == len(set(words(" ")))


NAMES = {
    "books": ["Books & Literature", "Arts & Entertainment", "Law & Government", "Books & Literature"],
    "music": ["Rock Music", "Folk Music", "Music Festivals", "Rock Music"],
    "shoes": ["Men shoes", "Women shoes", "Men hats", "Women hats"],
    "paths": ["Arts/Music/Rock", "Arts/Music/Folk", "Arts/Film", "Sports/Chess", "Sports/Winter/Skiing"],
    "long": ["A long name of it", "A long name of it", "Another long name", "Web 2.0", "Area 51"],
}


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("way", [*WAYS, *LISTS])
def test_names_are_one_topic(way, names, tmp_path):
    people = (WAYS | LISTS)[way](tmp_path, NAMES[names])
    assert sorted(people.topics) == sorted(set(NAMES[names]))


@pytest.mark.parametrize("name", ["topics-v1", "topics-v2"])
def test_no_name_of_a_public_taxonomy_is_refused(name, mirror):
    paths = [topic.name for topic in read_taxonomy(fetch(name, mirror))]
    assert len(paths) > 300
    assert paths[0].startswith("/")
    rng = random.Random(3)
    forms = [
        paths,
        [path[1:] for path in paths],
        [path[1:].replace("/", " | ") for path in paths],
        [path.rsplit("/", 1)[-1] for path in paths],
    ]
    for names in forms:
        assert joined_topic(names) is None
        for size in (2, 3, 5, 10, 30, 100):
            assert not any(joined_topic(rng.sample(names, size)) for _ in range(100))


def test_the_message_says_where_and_not_what(tmp_path):
    file = text(tmp_path, ["News", "12 13 14"])
    with refused(QuiffError, 3, 99):
        Population.read(file)


def test_a_taxonomy_that_is_named_is_taken_as_it_is():
    people = Population.from_sets({"u": {"24/7"}, "v": {"9 11"}}, topics=["24/7", "9 11"])
    assert list(people.topics) == ["24/7", "9 11"]


@pytest.mark.parametrize("cell", ["1 2 3", "1/2/3", "'1 2 3'"])
def test_a_classification_has_one_topic_a_name(cell, tmp_path):
    file = tmp_path / "topics.csv"
    file.write_text(f'domain,topics\na.com,News\nb.com,"{cell}"\n')
    with pytest.raises(QuiffError, match=rf"line 3: .*{SEVERAL}"):
        read_classification(file)
    with refused(QuiffError):
        quiff.Histories.from_visits({"u": ["b.com"]}, {"b.com": [cell.strip("'")]})


def test_a_classification_in_words_has_one_topic_a_name(tmp_path):
    file = tmp_path / "topics.csv"
    lines = [f"d{k}.com,{cell}\n" for k, cell in enumerate(words(" "))]
    file.write_text("domain,topics\n" + "".join(lines))
    with pytest.raises(QuiffError, match=rf"line 2: .*{SEVERAL}"):
        read_classification(file)


def test_a_published_table_has_one_topic_a_name(tmp_path):
    file = Path(tmp_path) / "Reduced.csv"
    file.write_text(",RandID,QueryTime,Domain,topics\n0,7,2006-03-01 07:17:12,a.com,1 2 3\n")
    with refused(QuiffError, 9):
        read_published(connect(), file)
