"""Attributes from the columns of files and frames: the same people from every form, nothing mixed up."""

import gzip
from datetime import date

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiff import ParameterError, Population, QuiffError, reading_limit
from words import refused

CELLS = st.sampled_from(["AT", "BR", "1", "01", "2", "-3", "True", "nan", "None", " ", ""])


def plain(cells):
    """What text says: numbers if all that is not empty is a whole number, None for what is empty."""
    whole = all(cell in ("1", "2", "-3", "") for cell in cells)
    return [None if cell == "" else int(cell) if whole else cell for cell in cells]


def by_user(people, name):
    attribute = people.attribute(name)
    return {user: attribute.values[int(k)] for user, k in zip(people.users, attribute.which[0], strict=True)}


@settings(max_examples=20)  # each writes four files
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6), st.booleans())
def test_every_form_of_text_gives_the_same(tmp_path_factory, rows, topics):
    folder = tmp_path_factory.mktemp("columns")
    head = ["user", "x", *(["t1"] if topics else []), "y"]
    lines = [[f"u{k}", x, *(["7"] if topics else []), y] for k, (x, y) in enumerate(rows)]
    for name, sign in (("a.csv", ","), ("a.tsv", "\t"), ("a.csv.gz", ",")):
        content = "\n".join(sign.join(line) for line in [head, *lines]).encode() + b"\n"
        (folder / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
        people = Population.read(folder / name, attributes=["x", "y"])
        assert people.attributes == (("topics",) if topics else ()) + ("x", "y")
        for column, cells in zip("xy", zip(*rows, strict=True), strict=True):
            found = by_user(people, column)
            expected = dict(zip(people.users, plain(cells), strict=True))
            assert {user: (type(v), v) for user, v in found.items()} == {
                user: (type(v), v) for user, v in expected.items()
            }


def test_parquet_keeps_its_types(tmp_path):
    columns = {
        "text": ["1", None, "1"], "whole": [1, None, 1], "real": [0.5, float("nan"), None],
        "truth": [True, False, None], "day": [date(2026, 1, 1), None, date(2026, 1, 2)],
        "lists": [["a"], None, ["a"]], "parts": [{"a": 1}, {"a": 2}, {"a": 1}],
        "kinds": pa.array(["x", "y", "x"]).dictionary_encode(),
    }  # fmt: skip
    pq.write_table(pa.table({"user": ["a", "b", "c"], **columns}), tmp_path / "p.parquet")
    people = Population.read(tmp_path / "p.parquet", attributes=columns)
    assert people.attributes == tuple(columns)
    assert by_user(people, "text") == {"a": "1", "b": None, "c": "1"}
    assert by_user(people, "whole") == {"a": 1, "b": None, "c": 1}
    assert by_user(people, "real") == {"a": 0.5, "b": None, "c": None}
    assert by_user(people, "truth") == {"a": True, "b": False, "c": None}
    assert by_user(people, "day") == {"a": date(2026, 1, 1), "b": None, "c": date(2026, 1, 2)}
    assert by_user(people, "lists") == {"a": ("a",), "b": None, "c": ("a",)}
    assert by_user(people, "parts") == {"a": (("a", 1),), "b": (("a", 2),), "c": (("a", 1),)}
    assert by_user(people, "kinds") == {"a": "x", "b": "y", "c": "x"}


def test_a_column_may_change_from_epoch_to_epoch(tmp_path):
    (tmp_path / "p.csv").write_text(
        "user,epoch,t1,country,mood\na,0,1,AT,good\nb,0,2,BR,good\na,1,1,AT,bad\nb,1,1,BR,\n"
    )
    people = Population.read(tmp_path / "p.csv", attributes=["country", "mood"])
    assert not people.attribute("country").changes
    assert people.attribute("mood").changes
    assert by_user(people.epoch(1), "mood") == {"a": "bad", "b": None}
    assert by_user(people.epoch(0), "country") == {"a": "AT", "b": "BR"}
    frame = pd.read_csv(tmp_path / "p.csv")
    assert Population.from_pandas(frame) == people


def test_a_gap_between_epochs(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("user,epoch,t1,country,mood\na,0,1,AT,good\nb,0,2,BR,good\na,1,1,AT,bad\n")
    filled = Population.read(path, attributes=["country", "mood"], missing="fill")
    assert by_user(filled.epoch(1), "mood") == {"a": "bad", "b": None}
    assert by_user(filled.epoch(1), "country") == {"a": "AT", "b": "BR"}
    dropped = Population.read(path, attributes=["mood"], missing="drop")
    assert by_user(dropped.epoch(1), "mood") == {"a": "bad"}
    path.write_text("user,epoch,mood\na,0,good\nb,0,good\na,1,bad\n")
    assert Population.read(path, attributes=["mood"], missing="drop").n_epochs == 2
    with refused(ParameterError):
        Population.read(path, attributes=["mood"], missing="fill")


def test_what_cannot_be_read_is_told(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("user,country\na,AT\nb,BR\n")
    with refused(ParameterError):
        Population.read(path, attributes="county")
    with refused(QuiffError):
        Population.read(path)
    with refused(ParameterError):
        Population.read(path, attributes="country", merged=True)
    with refused(ParameterError), reading_limit(1e-8):
        Population.read(path, attributes="country")
    with refused(ParameterError):
        Population.read(path, attributes=["topics"])
    path.write_text("user,country\na,AT\na,BR\n")
    with refused(QuiffError, 3):
        Population.read(path, attributes="country")
    path.write_text("country\nAT\nBR\n")
    assert list(Population.read(path, attributes="country").users) == [0, 1]


def test_a_frame_as_pandas_has_it():
    frame = pd.DataFrame(
        {
            "who": ["Alice", "Bob", "Carol"],
            "interests": [{"News", "Art"}, ["Art", "News"], ("Art", "Cars")],
            "country": pd.Categorical(["AT", None, "AT"]), "age": pd.array([30, None, 30], dtype="Int64"),
            "mixed": [True, 1, "1"], "rate": [0.5, np.nan, 0.5], "weight": [1, 2, 1],
        }
    )  # fmt: skip
    people = Population.from_pandas(frame, user="who", topics="interests", weights="weight")
    assert people.attributes == ("topics", "country", "age", "mixed", "rate")
    sets = dict(zip(frame["who"], frame["interests"], strict=True))
    assert people.replaced(others={}) == Population.from_sets(
        sets, weights={"Alice": 1, "Bob": 2, "Carol": 1}
    )
    assert by_user(people, "country") == {"Alice": "AT", "Bob": None, "Carol": "AT"}
    assert by_user(people, "age") == {"Alice": 30, "Bob": None, "Carol": 30}
    assert by_user(people, "mixed") == {"Alice": "True", "Bob": "1", "Carol": "'1'"}
    assert by_user(people, "rate") == {"Alice": 0.5, "Bob": None, "Carol": 0.5}
    chosen = Population.from_pandas(frame, user="who", attributes=["age"])
    assert chosen.attributes == ("age",)
    assert Population.from_pandas(frame, user="who", attributes=()).attributes == ()
    indexed = frame.set_index("who")[["country"]]
    assert list(Population.from_pandas(indexed).users) == ["Alice", "Bob", "Carol"]
    numbered = Population.from_pandas(pd.DataFrame({"t2": [1, 2], "t1": [2, 3]}))
    assert numbered == Population.from_array(range(2), [[1, 2], [2, 3]])
    named = Population.from_pandas(pd.DataFrame({"b": ["x", "y"], "a": ["y", "z"]}), topics=["a", "b"])
    assert named == Population.from_array(range(2), [["x", "y"], ["y", "z"]])


def test_a_frame_is_what_its_file_is(tmp_path):
    frame = pd.DataFrame({"user": [3, 1, 2], "t1": [1, 2, 1], "t2": [5, 6, 6], "x": ["a", "", "b"]})
    frame.to_csv(tmp_path / "p.csv", index=False)
    assert Population.from_pandas(frame) == Population.read(tmp_path / "p.csv", attributes=["x"])


@pytest.mark.parametrize(
    ("frame", "options", "numbers"),
    [
        ({"user": ["a", "a"], "x": [1, 2]}, {}, (1,)),
        ({"user": ["a", None], "x": [1, 2]}, {}, (1, 0)),
        ({"user": ["a", "b"]}, {"topics": "t"}, ()),
        ({"user": ["a", "b"]}, {"user": "who"}, ()),
        ({"user": ["a", "b"]}, {"attributes": "x"}, ()),
        ({"user": ["a", "b"], "t1": [1, 2], "w": [1, -1]}, {"weights": "w"}, (1,)),
        ({"user": ["a", "b"], "topics": [[1], [1, 2]]}, {}, (1, 2)),
        ({"user": ["a", "b"], "topics": [[1], ["x"]]}, {}, ()),
        ({"user": []}, {}, ()),
        ({"user": ["a"], 7: ["x"]}, {}, (7,)),
        ({"user": ["a"], "x": [{"b": 1}]}, {}, ()),
    ],
)  # fmt: skip
def test_a_wrong_frame_is_told_in_one_line(frame, options, numbers):
    with refused(QuiffError, *numbers) as caught:
        Population.from_pandas(pd.DataFrame(frame), **options)
    assert "\n" not in str(caught.value)


def test_something_else_than_a_frame():
    with refused(ParameterError):
        Population.from_pandas([1, 2])
    with refused(QuiffError):
        Population.from_sets(pd.DataFrame({"user": [1]}))
