"""The log of quiff demo, by the paper's rules: for 48.0 % of users topics were filled in at random.

That makes 99.5 % of the sets unique; on visited topics alone it is 91.1 %.
"""

from collections import Counter

import pyarrow.parquet as pq
import pytest

from quiff import Population, measure
from quiff.logs.classifications import read_classification
from quiff.logs.classify import classify
from quiff.logs.engine import connect
from quiff.logs.experiment import experiment
from quiff.logs.profile import profile
from quiff.logs.synth import SyntheticLog, write_log
from quiff.logs.treat import treat


@pytest.fixture(scope="module")
def profiles(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo")
    con = connect("duckdb", threads=2)
    log = write_log(SyntheticLog(users=20_000, seed=0), out / "log")
    treat(con, log.files, out / "treated", seed=0, rules="as-published")
    classify(con, out / "treated", read_classification(str(log.classification)), out / "reduced")
    experiment(con, out / "reduced", out / "experimental")
    profile(con, out / "experimental", out / "profiles.parquet", seed=0)
    con.disconnect()
    return out / "profiles.parquet"


@pytest.mark.full
def test_the_figures_with_filling_and_without(profiles):
    rows = pq.read_table(profiles).to_pylist()
    visited = [frozenset(e["topic"] for e in row["ranking"][:5] if e["visits"]) for row in rows]
    alone = Counter(visited)
    n = len(rows)
    assert n == 5893
    assert round(100 * sum(len(topics) < 5 for topics in visited) / n, 1) == 48.0
    assert round(100 * sum(users == 1 for users in alone.values()) / n, 1) == 91.1
    whole = Counter(frozenset(e["topic"] for e in row["ranking"][:5]) for row in rows)
    assert round(100 * sum(users == 1 for users in whole.values()) / n, 1) == 99.5
    for merged in (False, True):
        found = measure(Population.read(profiles, merged=merged))
        people = found.population
        assert round(100 * people["filled_users"], 1) == 48.0
        assert round(100 * people["unique_users"], 1) == 99.5
        assert round(100 * people["unique_users_visited"], 1) == 91.1
        assert people["users_without_visits"] == 0
        assert [words for words in found.warnings if "are assumed" not in words] == []
        assert found.parts["genuine"].population["users"] == sum(len(topics) == 5 for topics in visited)
        share = 100 * sum(len(topics) < 5 for topics in visited) / n
        words = f"filled in at random for {share:.1f} % of users (21.0 % of all topics)"
        assert words in " ".join(found.to_text(everything=False).split())
