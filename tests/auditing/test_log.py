"""Logs are counted alike, however they come, and every oddity of them is told."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import quiff
from quiff.auditing.log import Columns, Log, beside, read_pairs
from quiff.auditing.sample import draw_sample
from quiff.errors import ParameterError, QuiffError
from words import refused

FRAME = pd.DataFrame(
    {
        "country": ["AT", "BR", "AT", "BR", None, "AT"],
        "topic": [1, 2, 1, 1, 1, 2],
        "user": ["a", "b", "a", "c", "c", "d"],
        "weight": [1.0, 0.5, 1.0, 1.0, 1.0, 1.0],
        "times": [3, 1, 1, 2, 1, 1],
        "day": ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05", "2026-01-06"],
    }
)
COLUMNS = Columns(("country",), ("topic",))


def as_counts(log):
    return {
        (log.secrets[x], log.outputs[y]): int(n)
        for x, y, n in zip(log.secret, log.output, log.rows, strict=True)
    }


@pytest.fixture(params=["frame", "arrow", "csv", "parquet"])
def pairs(request, tmp_path):
    if request.param == "frame":
        return FRAME
    if request.param == "arrow":
        return pa.Table.from_pandas(FRAME)
    path = tmp_path / f"pairs.{request.param}"
    FRAME.to_csv(path, index=False) if request.param == "csv" else FRAME.to_parquet(path)
    return path


def test_every_form_gives_the_same_counts(pairs):
    log = read_pairs(pairs, COLUMNS)
    assert as_counts(log) == {("AT", 1): 2, ("AT", 2): 1, ("BR", 1): 1, ("BR", 2): 1}
    assert log.missing == 1
    assert log.n_rows == 5


def test_counts_and_records(pairs):
    log = read_pairs(pairs, Columns(("country",), ("topic",), counts="times"))
    assert as_counts(log) == {("AT", 1): 4, ("AT", 2): 1, ("BR", 1): 2, ("BR", 2): 1}
    both = read_pairs(pairs, Columns(("country", "user"), ("topic",)))
    assert (("AT", "a"), 1) in as_counts(both)


def test_parts_by_time(pairs):
    log = read_pairs(pairs, Columns(("country",), ("topic",), time="day", cut="2026-01-03"))
    assert log.parts == ("before", "after")
    assert as_counts(log.of_part(0)) == {("AT", 1): 1, ("BR", 2): 1}
    halves = read_pairs(pairs, Columns(("country",), ("topic",), time="day", periods=2))
    assert [halves.of_part(k).n_rows for k in (0, 1)] == [3, 2]  # the row left out is in the second


def test_times_that_are_numbers_are_compared_as_numbers(tmp_path):
    frame = pd.DataFrame({"secret": list("ab") * 10, "observation": list("xy") * 10, "day": range(20)})
    frame.to_csv(tmp_path / "pairs.csv", index=False)
    for pairs in (frame, tmp_path / "pairs.csv"):  # as text, 10 comes before 9
        log = read_pairs(pairs, Columns(time="day", cut="9.5"))
        assert [log.of_part(k).n_rows for k in (0, 1)] == [10, 10]
        first = read_pairs(pairs, Columns(time="day", periods=20)).of_part(9)
        assert as_counts(first) == {("b", "y"): 1}
    with refused(ParameterError):
        read_pairs(tmp_path / "pairs.csv", Columns(time="day", cut="May"))
    with refused(ParameterError, 20):
        read_pairs(frame, Columns(time="day", cut=20))
    (tmp_path / "gaps.csv").write_text("secret,observation,day\na,x,1\na,x,\nb,y,2\n")
    log = read_pairs(tmp_path / "gaps.csv", Columns(time="day", periods=2))
    assert (log.missing, [log.of_part(k).n_rows for k in (0, 1)]) == (1, [1, 1])


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("way", ["frame", "Parquet", "Arrow"])
def test_sequences_stay_sequences(kind, way, tmp_path):
    frame = pd.DataFrame({"secret": [kind("ba"), kind("abb")], "observation": [kind([0, 1]), kind([1, 0])]})
    frame.to_parquet(tmp_path / "pairs.parquet")
    pairs = {"frame": frame, "Parquet": tmp_path / "pairs.parquet", "Arrow": pa.Table.from_pandas(frame)}
    log = read_pairs(pairs[way], Columns())
    assert sorted(log.secrets) == [("a", "b", "b"), ("b", "a")]
    assert sorted(log.outputs) == [(0, 1), (1, 0)]


def test_sets_are_sets_if_they_are_given_as_such():
    frame = pd.DataFrame({"secret": [{"b", "a"}, frozenset("ab")], "observation": [[1.5, 2.5], [2.5, 1.5]]})
    log = read_pairs(frame, Columns())
    assert log.secrets == (frozenset("ab"),)
    assert sorted(log.outputs) == [(1.5, 2.5), (2.5, 1.5)]
    with refused(ParameterError):
        read_pairs(pd.DataFrame({"secret": [{"a"}, ["a"]], "observation": [1, 2]}), Columns())


@pytest.mark.parametrize("kind", [list, tuple])
def test_the_order_of_a_sequence_tells_all(kind):
    """Secrets 0 and 1 are shown as (0, 1) and (1, 0): whoever looks knows the secret."""
    observed = [kind([0, 1]) if k % 2 else kind([1, 0]) for k in range(400)]
    found = quiff.audit(pd.DataFrame({"secret": [k % 2 for k in range(400)], "observation": observed}))
    assert found.row("posterior").low > 0.95
    swapped = quiff.audit(pd.DataFrame({"secret": observed, "observation": [k % 2 for k in range(400)]}))
    assert swapped.row("posterior").low > 0.95


def test_a_claim_on_sets_is_tested_on_lists_too(tmp_path):
    """Topics of three epochs are claimed; tables write a set as a list, in any order."""
    rng = np.random.default_rng(5)

    @quiff.program
    def both(country, draw):
        return frozenset({country, draw.uniform(["x", "y"])})

    secret = rng.choice(["a", "b"], 400)
    noise = rng.choice(["x", "y"], 400)
    lists = [[s, n] if k % 3 else [n, s] for k, (s, n) in enumerate(zip(secret, noise, strict=True))]
    pd.DataFrame({"country": secret, "observation": lists}).to_parquet(tmp_path / "pairs.parquet")
    found = quiff.audit(tmp_path / "pairs.parquet", both, secret=("country",))
    assert "is contradicted" not in "\n".join(map(str, found.sentences))


def test_of_each_person_one_row_is_scored_and_no_person_is_in_both_parts():
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(200), 5)
    log = Log(("a", "b"), tuple(range(5)), person % 2, np.tile(np.arange(5), 200), np.full(1000, 3), person)
    sample = draw_sample(log, rng)
    assert sample.once.sum() == 200
    assert sample.train.sum() % 15 == 0  # all rows of the persons in the first part
    assert sample.test.sum() == 200 - sample.train.sum() // 15


def test_rows_are_kept_by_their_weights():
    log = Log(
        ("a", "b"), (0, 1), np.array([0, 1]), np.array([0, 1]), np.array([10_000, 10_000]),
        weights=np.array([0.25, 0.5]),
    )  # fmt: skip
    kept = draw_sample(log, np.random.default_rng(0)).per_secret("once")
    assert kept[1] == 10_000
    assert kept[0] == pytest.approx(5000, abs=300)


def test_two_logs_beside_each_other_have_one_list_of_names():
    one, two = Log.of("aab", "xyx"), Log.of("bc", "xz")
    both = beside(one, two, ("old", "new"))
    assert as_counts(both.of_part(0)) == as_counts(one)
    assert as_counts(both.of_part(1)) == as_counts(two)


@pytest.mark.parametrize(
    "columns",
    [
        Columns(("land",), ("topic",)),
        Columns(("topic",), ("topic",)),
        Columns(("country",), ()),
        Columns(("country",), ("topic",), cut=3),
    ],
)
def test_wrong_columns(pairs, columns):
    with refused(ParameterError):
        read_pairs(pairs, columns)


def test_what_is_no_log(tmp_path):
    with refused(ParameterError):
        read_pairs([1], COLUMNS)
    with refused(QuiffError):
        read_pairs(tmp_path / "none.csv", COLUMNS)
    with refused(QuiffError):
        read_pairs(FRAME.assign(country=pd.Series([None] * 6, dtype="str")), COLUMNS)
    with refused(ParameterError):
        read_pairs(FRAME.assign(times=-1), Columns(("country",), ("topic",), counts="times"))
    with refused(ParameterError):
        read_pairs(FRAME.assign(times=1.5), Columns(("country",), ("topic",), counts="times"))
    with refused(ParameterError, 0):
        read_pairs(FRAME.assign(weight=-1.0), Columns(("country",), ("topic",), weights="weight"))
