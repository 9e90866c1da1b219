"""More rows of people than an engine can tell apart in its memory are refused at once, in our own words."""

import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from quiff.core.limits import memory_limit
from quiff.errors import SizeError
from quiff.logs import queries
from quiff.logs.engine import connect
from quiff.logs.people import reduce_people
from words import refused, worded

N = 3000


@pytest.fixture(scope="module", params=["parquet", "csv", "csv.gz", "folder"])
def people(request, tmp_path_factory):
    """As many users with two topics each, in a file of each kind."""
    rng = np.random.default_rng(1)
    table = pa.table(
        {"user": [f"user{x:06}" for x in range(N)], "t1": rng.integers(1, 9, N), "t2": rng.integers(9, 20, N)}
    )
    path = tmp_path_factory.mktemp("people") / f"people.{request.param}"
    if request.param == "parquet":
        pq.write_table(table, path)
    elif request.param == "folder":
        path.mkdir()
        for part in (0, 1):
            pq.write_table(table.slice(part * N // 2, N // 2), path / f"part-{part}.parquet")
    else:
        text = io.BytesIO()
        csv.write_csv(table, text)
        path.write_bytes(gzip.compress(text.getvalue()) if path.suffix == ".gz" else text.getvalue())
    return path


def test_too_many_are_refused_before_the_engine_begins(people, monkeypatch):
    monkeypatch.setattr("quiff.logs.people._PER_USER", 200_000)
    monkeypatch.setattr("quiff.logs.people.Profiles", None)
    with memory_limit(0.5), pytest.raises(SizeError) as refused:
        reduce_people(connect(memory_limit="128MB"), people)
    words = str(refused.value)
    worded(words, 3000, 0.56)
    assert f"{people.name}" in words


def test_others_are_reduced(people):
    with memory_limit(0.5):
        assert reduce_people(connect(memory_limit="128MB"), people).n_users == N


def test_an_engine_without_memory_says_what_to_do():
    con = connect(memory_limit="30MB")
    with refused(SizeError), queries.telling(con):
        con.con.execute("SELECT list(range) FROM range(20000000)").fetchall()
