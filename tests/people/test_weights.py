"""Weights: a column or a keyword, priors in proportion, exact where they are exact."""

from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff.errors import LabelError, ParameterError, ShapeError
from quiff.people.population import Population
from words import refused

SETS = {"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}}


@given(st.lists(st.fractions(0, 10), min_size=3, max_size=3).filter(any), st.booleans())
def test_priors_are_in_proportion(weights, whole):
    listed = [int(w) + 1 for w in weights] if whole else weights
    by_user = dict(zip(SETS, listed, strict=True))
    people = Population.from_sets(SETS, weights=by_user)
    total = sum(listed)
    assert dict(people.user_prior().items()) == {user: Fraction(w) / total for user, w in by_user.items()}
    assert dict(people.set_prior().items()) == {
        frozenset({1, 2}): Fraction(by_user["Alice"] + by_user["Carol"]) / total,
        frozenset({2, 3}): Fraction(by_user["Bob"]) / total,
    }
    assert people.set_counts().tolist() == [2, 1]
    assert people.n_users == 3


def test_they_are_part_of_a_population():
    people = Population.from_sets(SETS, weights={"Carol": 0, "Bob": 1, "Alice": 3})
    assert people.weights.tolist() == [3, 1, 0]
    assert people == Population.from_array(list(SETS), [[0, 1], [1, 2], [0, 1]], [1, 2, 3], weights=[3, 1, 0])
    assert people != Population.from_sets(SETS)
    assert "weighted" in repr(people)
    with pytest.raises(ValueError, match="read-only"):
        people.weights[0] = 9
    floats = Population.from_array(["a", "b"], [[1], [2]], weights=[0.5, 1.5])
    assert dict(floats.user_prior().items()) == {"a": 0.25, "b": 0.75}


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (["3", "1", "0"], [Fraction(3, 4), Fraction(1, 4), 0]),
        (["1.5", "1e0", "0.0"], [0.6, 0.4, 0.0]),
        ([" 2", "+2", "0"], [Fraction(1, 2), Fraction(1, 2), 0]),
        ([str(2**40), str(2**40), "0"], [Fraction(1, 2), Fraction(1, 2), 0]),
    ],
)
def test_a_column_of_the_file(tmp_path, column, expected):
    rows = [f"{user},{k},7,{w}" for k, (user, w) in enumerate(zip(SETS, column, strict=True))]
    (tmp_path / "p.csv").write_text("\n".join(["user,t1,t2,visits", *rows]))
    people = Population.read(tmp_path / "p.csv", weights="visits")
    assert list(dict(people.user_prior().items()).values()) == expected


def test_a_column_of_parquet(tmp_path):
    for kind in (pa.int64(), pa.uint8(), pa.float32(), pa.decimal128(22, 1)):
        weights = pa.array([3, 1, 4]).cast(kind)
        table = pa.table({"user": [1, 2, 3], "t1": [1, 2, 3], "w": weights})
        pq.write_table(table, tmp_path / "p.parquet")
        people = Population.read(tmp_path / "p.parquet", weights="w")
        assert people.user_prior()[2] == (Fraction(1, 8) if pa.types.is_integer(kind) else 0.125)


@pytest.mark.parametrize(
    ("rows", "numbers"),
    [
        (
            ["a,1,-1"],
            (2, -9),
        ),
        (["a,1,2", "b,1,x"], (3,)),
        (["a,1,2", "b,1,"], (3,)),
        (["a,1,nan"], (2,)),
        (["a,1,inf"], (2,)),
        (["a,1,0", "b,1,0"], (0,)),
    ],
)
@pytest.mark.parametrize("merged", [False, True])
def test_wrong_weights_are_told(tmp_path, rows, numbers, merged):
    (tmp_path / "p.csv").write_text("\n".join(["user,t1,w", *rows]))
    with refused(ParameterError, *numbers):
        Population.read(tmp_path / "p.csv", weights="w", merged=merged)


def test_other_mistakes(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("user,t1,w,epoch\na,1,1,0\na,1,2,1\n")
    with refused(ParameterError, 1):
        Population.read(path, weights="v")
    with refused(ParameterError, 3, 2, 1):
        Population.read(path, weights="w")
    path.write_text("user,t1,w,epoch\nb,1,5,1\na,1,1,0\na,1,1,1\nb,1,5,0\n")
    assert Population.read(path, weights="w").weights.tolist() == [5, 1]
    with refused(LabelError):
        Population.from_sets(SETS, weights={"Alice": 1, "Bob": 1})
    with refused(LabelError):
        Population.from_sets(SETS, weights=dict.fromkeys([*SETS, "Dan"], 1))
    with refused(ShapeError, 1, 2):
        Population.from_array(["a", "b"], [[1], [2]], weights=[1])
    for wrong in (-1, float("nan"), float("inf")):
        with refused(ParameterError, 0):
            Population.from_array(["a", "b"], [[1], [2]], weights=[1, wrong])
    with refused(ParameterError):
        Population.from_array(["a", "b"], [[1], [2]], weights=["x", 1])
