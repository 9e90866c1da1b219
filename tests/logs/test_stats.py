"""Statistics: the same figures as numpy gives, for every stage."""

import json
import os
import threading
from collections import Counter
from datetime import datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from logs import strategies
from logs.reference import HEADER
from quiff.cli import main
from quiff.errors import ParameterError
from quiff.logs.experiment import experiment
from quiff.logs.profile import profile
from quiff.logs.stats import describe, sizes_of_counts
from words import refused, worded

SCHEMA = pa.schema(
    [
        ("user", pa.int64()),
        ("time", pa.timestamp("us")),
        ("domain", pa.string()),
        ("topics", pa.list_(pa.string())),
    ]
)


def write_visits(folder, visits, stage="reduced"):
    rows = [(u, datetime.fromisoformat(t), d, [d[0].upper(), "Z"]) for u, t, d in visits]
    columns = [list(column) for column in zip(*rows, strict=True)]
    table = pa.table(columns, schema=SCHEMA)
    pq.write_table(table if stage == "reduced" else table.drop(["topics"]), folder / f"{stage}.parquet")
    return rows


@given(st.lists(st.integers(1, 50), min_size=1, max_size=60))
def test_sizes_are_those_of_numpy(sizes):
    found = sizes_of_counts(sorted(Counter(sizes).items()))
    assert (found.min, found.max) == (min(sizes), max(sizes))
    quantiles = [found.q25, found.q50, found.q75, found.q95, found.q99]
    assert quantiles == pytest.approx(list(np.quantile(sizes, [0.25, 0.5, 0.75, 0.95, 0.99])))
    assert found.mean == pytest.approx(np.mean(sizes))
    assert found.deviation == pytest.approx(np.std(sizes, ddof=1) if len(sizes) > 1 else 0)


@pytest.mark.parametrize("stage", ["treated", "reduced"])
@settings(max_examples=20)
@given(visits=strategies.visits)
def test_visits(duckdb, tmp_path_factory, stage, visits):
    folder = tmp_path_factory.mktemp("visits")
    rows = write_visits(folder, visits, stage)
    found = describe(duckdb, [folder])
    domains = Counter(row[2] for row in rows)
    users = Counter(row[0] for row in rows)
    assert (found.stage, found.rows, found.users, found.domains) == (
        stage,
        len(rows),
        len(users),
        len(domains),
    )
    assert found.topics == (len({t for row in rows for t in row[3]}) if stage == "reduced" else None)
    assert found.domains_by_labels == Counter(domain.count(".") + 1 for domain in domains)
    assert dict(found.users_per_count) == Counter(users.values())
    assert found.most_visited == tuple(sorted(domains.items(), key=lambda pair: (-pair[1], pair[0]))[:10])
    visitors = [len({row[0] for row in rows if row[2] == domain}) for domain, _ in found.most_visited]
    assert found.visitors == tuple(visitors)
    assert (found.first, found.last) == (str(min(r[1] for r in rows)), str(max(r[1] for r in rows)))


def test_histories_have_the_figures_of_their_visits(duckdb, tmp_path):
    visits = [(1, "2006-03-01 00:00:00", "a.com"), (1, "2006-03-02 00:00:00", "b.org")]
    visits += [(2, "2006-03-03 00:00:00", "b.org"), (2, "2006-03-03 00:00:01", "gov.uk")]
    write_visits(tmp_path, visits)
    experiment(duckdb, tmp_path, tmp_path / "e")
    one, two = describe(duckdb, [tmp_path]), describe(duckdb, [tmp_path / "e"])
    assert vars(one) == vars(two) | {"stage": "reduced"}
    profile(duckdb, tmp_path / "e", tmp_path / "p.parquet", top=3, seed=1)
    found = describe(duckdb, [tmp_path / "p.parquet"])
    assert (found.stage, found.rows, found.users, found.sizes) == ("profiles", 2, 2, None)
    assert found.topics == 4


def test_a_log(duckdb, tmp_path):
    lines = [
        "1\tq\t2006-03-01 00:00:00\t\t", "\x191\tq\t2006-03-01 00:00:01\t1\thttp://a.com",
        "2\tq\t2006-03-02 00:00:00\t1\thttp://a.com", "short",
    ]  # fmt: skip
    (tmp_path / "log.txt").write_text("\n".join([HEADER, *lines]))
    found = describe(duckdb, [tmp_path / "log.txt"])
    assert (found.stage, found.rows, found.users, found.urls, found.malformed) == ("log", 3, 2, 1, 1)
    assert found.users_per_count == ((1, 1), (2, 1))
    assert (found.first, found.last) == ("2006-03-01 00:00:00", "2006-03-02 00:00:00")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="only where there are named pipes")
def test_the_command_reads_logs_as_treat_does(tmp_path):
    lines = "AnonID|QueryTime|ClickURL\n1|02/03/2026 08:10:00|a.com\n2|04/03/2026 08:10:00|b.com\n"
    (tmp_path / "log.txt").write_text(lines)
    os.mkfifo(tmp_path / "pipe")
    writing = threading.Thread(target=(tmp_path / "pipe").write_text, args=(lines,))
    writing.start()
    found = []
    for name in ("log.txt", "pipe"):
        words = ["stats", str(tmp_path / name), "--time-format", "%d/%m/%Y %H:%M:%S", "--json"]
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.output
        found.append(json.loads(done.stdout))
    writing.join()
    assert found[0] == found[1]
    assert (found[0]["rows"], found[0]["users"]) == (2, 2)
    assert (found[0]["first"], found[0]["last"]) == ("2026-03-02 08:10:00", "2026-03-04 08:10:00")
    worded(CliRunner().invoke(main, [*words[:3], "%d", "--json"]).stderr)


def test_wrong_tables_are_told(duckdb, tmp_path):
    with refused(ParameterError):
        describe(duckdb, [tmp_path / "none"])
    with refused(ParameterError):
        describe(duckdb, [tmp_path])
    write_visits(tmp_path, [(1, "2006-03-01 00:00:00", "a.com")])
    with refused(ParameterError):
        describe(duckdb, [tmp_path, tmp_path])
