"""Conversions from a log's side table to the profiles: pseudonyms, days, texts; nobody else's."""

from collections import Counter, defaultdict
from datetime import datetime, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quiff import ParameterError, Population
from quiff.logs.classifications import read_classification
from quiff.logs.classify import classify
from quiff.logs.profile import profile
from quiff.logs.synth import SyntheticLog, write_log
from quiff.logs.treat import treat
from quiff.people.conversions import Conversion, conversions_of
from words import refused

FIRST = datetime(2026, 3, 1)


@pytest.fixture(scope="module")
def con(duckdb):
    return duckdb


def table_of(path, rows):
    names = ("user", "time", "site", "kind", "value")
    pq.write_table(pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))), path)
    return path


def profiled(con, folder, conversions, **options):
    """Two users, one domain each, and what became of their conversions, by their only topic."""
    log = folder / "log.csv"
    log.write_text(
        "AnonID,QueryTime,ClickURL\nann,2026-03-01 08:00:00,http://a.com\nbob,2026-03-02 08:00:00,http://b.com\n"
    )
    treat(con, [log], folder / "treated", conversions=conversions, seed=1, **options)
    listed = folder / "topics.csv"
    listed.write_text("domain,topics\na.com,A\nb.com,B\n")
    classify(con, folder / "treated", read_classification(str(listed)), folder / "reduced")
    events = folder / "treated" / "conversions.parquet"
    profile(con, folder / "reduced", folder / "profiles.parquet", top=1, conversions=events, seed=1)
    people = Population.read(folder / "profiles.parquet", attributes=("conversions",))
    told = people.attribute("conversions")
    by_user = (told.values[int(place)] for place in told.which[0])
    return {
        next(iter(people.channel("topics").outputs[int(which)])): conversions_of(value)
        for which, value in zip(people.attribute("topics").which[0], by_user, strict=True)
    }


def test_each_user_keeps_their_own(con, tmp_path):
    events = table_of(tmp_path / "events.parquet", [
        ("ann", FIRST + timedelta(hours=6), "shop.tld", "big purchase", 12.5),
        ("bob", FIRST + timedelta(days=3, hours=12), None, "signup", None),
        ("ann", FIRST + timedelta(days=1), "shop.tld", "visit", 0.0),
        ("eve", FIRST, "shop.tld", "signup", 0.0),
    ])  # fmt: skip
    assert profiled(con, tmp_path, events) == {
        "A": (Conversion(0.25, "big_purchase", 12.5, "shop.tld"), Conversion(1, "visit", 0, "shop.tld")),
        "B": (Conversion(3.5, "signup"),),
    }
    written = pq.read_table(tmp_path / "treated" / "conversions.parquet")
    assert written.num_rows == 3  # eve is not in the log
    users = set(pq.read_table(tmp_path / "treated" / "treated.parquet")["user"].to_pylist())
    assert set(written["user"].to_pylist()) == users


def test_times_are_cut_with_those_of_visits(con, tmp_path):
    events = table_of(
        tmp_path / "events.parquet", [("ann", FIRST + timedelta(days=2, hours=9), "s", "buy", 1.0)] * 2
    )
    assert profiled(con, tmp_path, events, coarse_times="day")["A"] == (Conversion(0, "buy", 1, "s"),) * 2


def test_another_table_is_told(con, tmp_path):
    pq.write_table(pa.table({"user": ["ann"], "when": [FIRST]}), tmp_path / "events.parquet")
    with refused(ParameterError):
        profiled(con, tmp_path, tmp_path / "events.parquet")
    with refused(ParameterError):
        profiled(con, tmp_path, tmp_path / "none.parquet")


def test_those_of_a_synthetic_log_follow_the_documented_law(tmp_path):
    written = write_log(SyntheticLog(users=9_000, seed=2), tmp_path / "log")
    rows = pq.read_table(written.conversions).to_pylist()
    assert len(rows) == pytest.approx(0.7 * 9_000, rel=0.05)
    kinds = Counter(row["kind"] for row in rows)
    for kind, share in {"basket": 0.55, "signup": 0.2, "purchase": 0.2, "subscription": 0.05}.items():
        assert kinds[kind] / len(rows) == pytest.approx(share, abs=0.02)
    days = [(row["time"] - datetime(2006, 3, 1)) / timedelta(days=1) for row in rows]
    assert min(days) >= 0
    assert max(days) <= 30
    assert sum(days) / len(days) == pytest.approx(5, rel=0.05)
    values = defaultdict(list)
    for row in rows:
        values[row["kind"]].append(row["value"])
    assert set(values["basket"]) == set(values["signup"]) == {0.0}
    assert sum(values["purchase"]) / len(values["purchase"]) == pytest.approx(30.5, rel=0.1)
