"""Cells of topics mean the same to all readers: Python's, that of whole columns, and the engine's."""

import pytest

from quiff import Population, QuiffError
from quiff.logs.engine import connect
from quiff.logs.published import read_published
from quiff.people.literals import parse_topics
from words import refused

GOOD = {
    "['a', 'b']": ["a", "b"],
    "'a','b'": ["a", "b"],
    "a, b": ["a", "b"],
    "[a,b ,]": ["a", "b"],
    "{'a' , \"b's\"}": ["a", "b's"],
    "['x, y', 'z']": ["x, y", "z"],
    "[\"a', 'b\", 'c']": ["a', 'b", "c"],
    "(News & Co,  Art/Music )": ["News & Co", "Art/Music"],
    "['a b', 'c']": ["a b", "c"],
}
BAD = ["'a', b", "a, 'b'", "['a', b]", "[a, 'b']", "'a' b", "['a'", "a]", "a,,b", "'a'b'", "f('a')"]


def in_a_column(folder, cell):
    file = folder / "profiles.csv"
    quoted = cell.replace('"', '""')
    file.write_text(f'user,topics\nAlice,"{quoted}"\n')
    people = Population.read(file)
    return [people.topics[int(code)] for code in people.sets[0][0]]


def on_duckdb(folder, cell):
    file, quoted = folder / "Reduced.csv", cell.replace('"', '""')
    file.write_text(f',RandID,QueryTime,Domain,topics\n0,7,2006-03-01 07:17:12,a.com,"{quoted}"\n')
    con = connect()
    return con.to_pyarrow(read_published(con, file))["topics"].to_pylist()[0]


@pytest.mark.parametrize("cell", GOOD)
def test_a_list_is_read_alike(cell, tmp_path):
    assert list(parse_topics(cell)) == GOOD[cell]
    assert on_duckdb(tmp_path, cell) == GOOD[cell]
    assert sorted(in_a_column(tmp_path, cell)) == sorted(GOOD[cell])


@pytest.mark.parametrize("cell", BAD)
def test_what_is_partly_in_quotes_is_no_list(cell, tmp_path):
    for parse in (lambda: parse_topics(cell), lambda: in_a_column(tmp_path, cell)):
        with refused(QuiffError):
            parse()
    with refused(QuiffError):
        on_duckdb(tmp_path, cell)


@pytest.mark.parametrize("cell", ["", "[]", "''", "['']", "()", "  "])
def test_a_cell_may_have_no_topic(cell, tmp_path):
    assert parse_topics(cell) == ()
    assert on_duckdb(tmp_path, cell) == []


def test_python_writes_what_is_read():
    for topics in (["a"], ["x, y", "it's"], ['say "a"', "b"], ["1", "22"]):
        assert list(parse_topics(str(topics))) == topics
