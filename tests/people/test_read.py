"""Populations from files: every form gives the same people; every wrong file is told with its line."""

import gzip
import io
import re
import tarfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from quiff.errors import LabelError, ParameterError, QuiffError, ShapeError
from quiff.people.literals import parse_history, parse_topics
from quiff.people.population import Population
from words import refused

FORM = r" \(only its form; --show-rows shows all\)"

SETS = {"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}, "Carol": {"News", "Travel"}}
EXPECTED = Population.from_sets(SETS)


def people_of(population):
    return {
        user: {population.topics[code] for code in codes}
        for user, codes in zip(population.users, population.codes, strict=True)
    }


def write(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "user,topics\nAlice,\"['Music', 'News']\"\n"
                  "Bob,\"['Sports','Travel']\"\nCarol,\"['News', 'Travel']\"\n"),
        ("b.csv", 'user,topics\nAlice,"Music, News"\nBob,"Sports,Travel"\nCarol,"{News, Travel}"\n'),
        ("c.csv", "user,t1,t2\nAlice,Music,News\nBob,Sports,Travel\nCarol,News,Travel\n"),
        ("d.tsv", "t2\tuser\tt1\nMusic\tAlice\tNews\nSports\tBob\tTravel\nNews\tCarol\tTravel\n"),
        ("e.csv", ",RandID,BrowsingHistory,AllTopics,sTopics\n"
                  "0,Alice,\"[('a.com', '2006-03-01 00:00:00')]\",\"['News']\",\"['Music', 'News']\"\n"
                  "1,Bob,[],[],\"['Sports', 'Travel']\"\n2,Carol,[],[],\"['News', 'Travel']\"\n"),
    ],
)  # fmt: skip
def test_text(tmp_path, name, text):
    for path in (write(tmp_path, name, text), write(tmp_path, f"bom-{name}", "\ufeff" + text)):
        assert people_of(Population.read(path)) == SETS
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.replace("\n", "\r\n").encode()))
    assert people_of(Population.read(tmp_path / f"{name}.gz")) == SETS


def test_parquet_file_and_folder(tmp_path):
    table = pa.table({"user": list(SETS), "topics": [sorted(topics) for topics in SETS.values()]})
    pq.write_table(table, tmp_path / "p.parquet")
    (tmp_path / "parts").mkdir()
    pq.write_table(table.slice(0, 1), tmp_path / "parts" / "part-0.parquet")
    pq.write_table(table.slice(1), tmp_path / "parts" / "part-1.parquet")
    for path in (tmp_path / "p.parquet", tmp_path / "parts"):
        assert Population.read(path) == EXPECTED
    wide = pa.table({"user": [7, 5], "t1": [1, 629], "t2": [629, 3]})
    pq.write_table(wide, tmp_path / "wide.parquet")
    people = Population.read(tmp_path / "wide.parquet")
    assert (list(people.users), list(people.topics)) == ([7, 5], [1, 3, 629])
    assert people_of(people) == {7: {1, 629}, 5: {3, 629}}


def test_epochs_in_any_order_of_rows(tmp_path):
    path = write(tmp_path, "p.csv", "user,epoch,t1,t2\nb,3,1,2\na,1,3,4\na,3,5,6\nb,1,7,8\n")
    people = Population.read(path)
    assert (list(people.users), people.n_epochs) == (["b", "a"], 2)
    names = np.array(list(people.topics))[people.sets]
    assert names.tolist() == [[[7, 8], [3, 4]], [[1, 2], [5, 6]]]


def test_numbers_are_numbers_only_if_all_are(tmp_path):
    assert list(Population.read(write(tmp_path, "a.csv", "user,t1\n1,12\n2,7\n")).topics) == [7, 12]
    mixed = Population.read(write(tmp_path, "b.csv", "user,t1\n1,12\nx,News\n"))
    assert (list(mixed.users), list(mixed.topics)) == (["1", "x"], ["12", "News"])
    assert list(Population.read(write(tmp_path, "c.csv", "user,t1\n01,1\n1,1\n")).users) == ["01", "1"]


def test_the_archive_of_pets_24(tmp_path):
    content = b"nb_unique_domain\tt1\tt2\n43\t215\t243\n43\t43\t100\n"
    with tarfile.open(tmp_path / "users.csv.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("users.csv")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    assert people_of(Population.read(tmp_path / "users.csv.tar.gz")) == {0: {215, 243}, 1: {43, 100}}


def test_the_population_of_pets_24(mirror):
    people = Population.read(mirror / "topics-users-250000.csv.tar.gz")
    sets, which = people.distinct_sets()
    assert (people.users.size, people.topics.size, people.top_s) == (249_997, 349, 5)
    assert sets.size == 209_745
    assert np.mean(np.bincount(which)[which] == 1) == pytest.approx(0.7646, abs=5e-5)


@pytest.mark.parametrize(
    ("content", "error", "numbers"),
    [
        (b"", QuiffError, (1,)),
        (b"user,topics\n", QuiffError, (2,)),
        (b"name,topics\na,News\n", QuiffError, (1,)),
        (b"user,kind\na,News\n", QuiffError, (1,)),
        (b"user,t1\na,1\nb,2\na,3\n", LabelError, (4,)),
        (b"user,topics\na,\"x,y\"\nb,x\n", ShapeError, (3, 1, 2)),
        (b"user,t1,t2\na,1,2\nb,3,\n", ShapeError, (3,)),
        (b"user,t1\na,1\n\xe9,2\n", QuiffError, (3,)),
        (b"user,t1\na,1\nb,2,3\n", QuiffError, (3, 2)),
        (b"user,t1\na,1\n,2\n", QuiffError, (3,)),
        (b"user,topics\na,__import__('os')\n", QuiffError, (2,)),
        (b"user,topics\na,[]\n", ShapeError, (2, 0)),
        (b"user,t1,t2\na,x,x\n", LabelError, (2,)),
        (b"user,t1,t2\n\na,1,2\n\nb,x,x\n", LabelError, (5,)),
        (b"user,user,t1\na,b,1\n", QuiffError, (1,)),
        (b"\xe9ser,t1\na,1\n", QuiffError, (1,)),
        (b'user,topics,note\na,"x,y","two\nlines"\nb,x,\n', ShapeError, (4, 1)),
        (b'user,note,t1\na,"x, y",1\nb,"x",y,1\n', QuiffError, (3, 4)),
        (b"user,topics\na,\"['x', ' ']\"\n", ShapeError, (2,)),
        (b"user,epoch,t1\na,0,1\na,0,2\n", LabelError, (3, 0)),
        (b"user,t1\ra,1\r", QuiffError, (1,)),
        (b"user\tt1\ra\t1\r", QuiffError, (1,)),
        (b"user," + b"t" * 200_000 + b"\na,1\n", QuiffError, (1,)),
        (b"\n\nuser,t1\na,1\n", QuiffError, (1,)),
        (b'user,t1\na,1\nb,"2\n3"\nd,4\n', QuiffError, (3,)),
        (b'user,t1\na,1\n"b,2\nc,3\nd",4\n', QuiffError, (3,)),
        (b"user,epoch,t1\na,zero,1\n", QuiffError, (2,)),
    ],
)  # fmt: skip
def test_wrong_files_are_told_in_one_line(tmp_path, content, error, numbers):
    path = tmp_path / "profiles.csv"
    path.write_bytes(content)
    with refused(error, *numbers) as caught:
        Population.read(path)
    assert "\n" not in str(caught.value)
    assert caught.value.where == f"{str(path)!r}, line {numbers[0]}"


def test_a_user_without_a_set_in_some_epoch_is_told(tmp_path):
    path = tmp_path / "profiles.csv"
    path.write_bytes(b"user,epoch,t1\na,0,1\nb,0,2\na,1,1\n")
    with refused(LabelError, 1, 2) as caught:
        Population.read(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize(
    "content",
    [
        b'user,t1,note\na,1,\nb,1,"x\nc,2,\nd,2,\n',  # to the end of the file
        b'user,t1,note\na,1,\nb,1,"x\nc,2,',  # which does not end its last line
        b'user,note,t1\na,,1\nb,"x,1\nc,"y,2\nd,z,2\n',  # to the next quote, within another field
    ],
)
def test_an_open_quote_in_an_unused_column_loses_no_row_in_silence(tmp_path, content, merged):
    (tmp_path / "profiles.csv").write_bytes(content)
    with refused(QuiffError, 3):
        Population.read(tmp_path / "profiles.csv", merged=merged)


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        (b'user,t1\na,1\nb,"2\nc,3\nd,4\n', (3,)),
        (b'user,t1\na,1\nb,"2\n3"\nd,4\n', (3,)),
        (b'user,t1\na,1\n"b,2\nc,3\n', (3,)),
    ],
)
def test_an_open_quote_in_a_used_column_is_told_however_it_is_read(tmp_path, content, numbers, merged):
    (tmp_path / "profiles.csv").write_bytes(content)
    with refused(QuiffError, *numbers):
        Population.read(tmp_path / "profiles.csv", merged=merged)


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("end", [b"", b" ", b"  "])
def test_closed_text_of_several_lines_may_have_blanks_behind(tmp_path, end, merged):
    path = tmp_path / "profiles.csv"
    for content in (b'user,t1,note\na,1,"x\ny"' + end + b"\nb,2,z\n", b'user,note,t1\na,"x\ny" ,1\nb,z,2\n'):
        path.write_bytes(content)
        people = Population.read(path, merged=merged)
        assert (people.n_users, people.occurring.size) == (2, 2)


def test_quotes_within_text_and_closed_text_of_several_lines_are_fine(tmp_path):
    text = 'user,note,t1\na,a 5" disk,1\n\nb,"two\nlines, ""quoted""",2\nc,,x,3\n'
    with refused(QuiffError, 6, 4, 3):
        Population.read(write(tmp_path, "wrong.csv", text))
    people = Population.read(write(tmp_path, "right.csv", text.replace("x,3", "3")))
    assert people_of(people) == {"a": {1}, "b": {2}, "c": {3}}


def test_cells_with_quotes_and_without_may_be_mixed(tmp_path):
    path = write(tmp_path, "p.csv", "user,topics\na,\"['Food, drink', 'News']\"\nb,\" News,Music \"\n")
    assert people_of(Population.read(path)) == {"a": {"Food, drink", "News"}, "b": {"News", "Music"}}
    path = write(tmp_path, "q.csv", "user,t1,t2\na, 1,2 \nb,2, 3\n")
    assert people_of(Population.read(path)) == {"a": {1, 2}, "b": {2, 3}}


def test_a_folder_without_files(tmp_path):
    with refused(QuiffError):
        Population.read(tmp_path)


def test_missing_and_broken_files(tmp_path):
    with refused(QuiffError):
        Population.read(tmp_path / "none.csv")
    packed = gzip.compress(b"user,t1\n" + bytes(10_000))
    (tmp_path / "cut.csv.gz").write_bytes(packed[: len(packed) // 2])
    with refused(QuiffError):
        Population.read(tmp_path / "cut.csv.gz")
    for name, n in (("none.tar", 0), ("two.tar", 2)):
        with tarfile.open(tmp_path / name, "w") as archive:
            for k in range(n):
                member = tarfile.TarInfo(f"{k}.csv")
                member.size = 12
                archive.addfile(member, io.BytesIO(b"user,t1\na,1\n"))
        with refused(QuiffError):
            Population.read(tmp_path / name)
    for name in ("p.parquet", "p.csv.gz", "p.tar.gz"):
        (tmp_path / name).write_bytes(b"nonsense")
        with refused(QuiffError) as caught:
            Population.read(tmp_path / name)
        assert "\n" not in str(caught.value)


words = st.text(st.characters(codec="utf-8", exclude_characters="'\"\\"), min_size=1).filter(str.isprintable)


@given(st.lists(words.map(str.strip).filter(bool), unique=True, max_size=5))
def test_lists_that_python_writes_come_back(topics):
    assume(not any(re.search(r"[0-9][\s/;|]+[-+]?[0-9]", topic) for topic in topics))  # several numbers
    assert parse_topics(str(topics)) == tuple(topics)


@given(st.lists(st.tuples(words, st.sampled_from(["2006-03-01 07:17:12", "2006-05-31"]))))
def test_histories_that_python_writes_come_back(visits):
    assert parse_history(str(visits)) == [(time, domain) for domain, time in visits]


@pytest.mark.parametrize("merged", [False, True])
def test_an_open_quote_in_the_last_line_is_told_too(tmp_path, merged):
    file = tmp_path / "profiles.csv"
    file.write_text('user,t1,t2\nAlice,1,2\nBob,2,"3\n')
    with refused(QuiffError, 3):
        Population.read(file, merged=merged)


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize(
    "columns",
    [{"user": ["a"], "topics": [{"x": 1}]}, {"user": ["a"], "topics": [[{"x": 1}]]},
     {"user": [[1]], "topics": [[1, 2]]}],
)  # fmt: skip
def test_columns_of_other_kinds_are_told_in_one_line(tmp_path, columns, merged):
    file = tmp_path / "profiles.parquet"
    pq.write_table(pa.table(columns), file)
    with refused(QuiffError):
        Population.read(file, merged=merged)


@pytest.mark.parametrize("path", [5, None, {"Alice": {1, 2}}, np.zeros((9, 9))], ids=str)
def test_what_is_no_name_of_a_file_is_told_in_one_line(path):
    with refused(ParameterError) as told:
        Population.read(path)
    assert "\n" not in str(told.value)
