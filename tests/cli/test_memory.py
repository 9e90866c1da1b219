"""``--memory-limit``: what would take more is refused before it starts, or reduced to what fits."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import quiff
from quiff.cli import main
from quiff.core.limits import check_fits, memory_limit
from quiff.errors import SizeError
from quiff.populations.readers import reading_bytes


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """400,000 users who share 200 topic sets, and the file of a few of them."""
    folder, rng = tmp_path_factory.mktemp("people"), np.random.default_rng(1)
    sets = np.argsort(rng.random((200, 30)), axis=1)[rng.integers(200, size=400_000), :5] + 1
    for name, n in (("many", 400_000), ("few", 500)):
        columns = {"user": np.arange(n)} | {f"t{k + 1}": sets[:n, k] for k in range(5)}
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ["popularity"], ["compare"], ["report", "--out", "r.html"],
        ["simulate", "--epochs", "2", "--out", "o.parquet"], ["attack", "compare"],
    ],
    ids=lambda words: "-".join(words[:2]),
)  # fmt: skip
def test_what_takes_more_is_refused_before_it_starts(people, command, monkeypatch):
    """In one line, and not a user is read."""
    monkeypatch.setattr(quiff.Population, "read", None)
    name, *more = command[:2] if command[0] == "attack" else command[:1]
    done = run(name, *more, people / "many.parquet", *command[len(more) + 1 :], "--memory-limit", "400MB")
    assert done.exit_code == 1, done.output
    assert done.stderr.count("\n") == 1
    assert "to study these people takes about" in done.stderr
    assert "GiB of memory, but the limit is 0.373 GiB; raise it (--memory-limit" in done.stderr


def place(row):
    return tuple(row[key] for key in ("api", "stage", "goal", "prior", "observations", "quantity", "scope"))


@pytest.mark.parametrize("command", ["measure", "epochs"])
def test_people_who_do_not_fit_are_reduced(people, command):
    """To 200 distinct sets, then to pairs of topics; what is told is told alike."""
    few = [command, people / "many.parquet", "--api", "topics", "--json"]
    reduced = run(*few, "--memory-limit", "400MB")
    assert reduced.exit_code == 0, reduced.output
    found = json.loads(reduced.stdout)
    assert "The 400000 users are merged into 200 distinct sets with their counts." in found["notes"]
    assert found["rows"]
    pairs = run(*few, "--memory-limit", "250MB")
    assert pairs.exit_code == 0, pairs.output
    others = json.loads(pairs.stdout)
    assert "The 200 distinct sets do not fit into the memory that is allowed." in others["notes"][0]
    wanted = {place(row): row["value"] for row in found["rows"]}
    known = {place(row): row["value"] for row in others["rows"] if row["quantity"] != "leakage_at_most"}
    known = {key: value for key, value in known.items() if key in wanted}  # of one stage more in epochs
    assert {key[-2] for key in known} >= {"leakage", "posterior"}
    assert known == pytest.approx({key: wanted[key] for key in known}, rel=1e-12)


def test_what_fits_is_read_as_it_is(people):
    limited, free = (
        json.loads(run("measure", people / "few.parquet", "--json", *more).stdout)
        for more in (["--memory-limit", "1GB"], [])
    )
    assert limited["rows"] == free["rows"]
    assert "no size such as 2GB" in run("measure", people / "few.parquet", "--memory-limit", "much").stderr


def test_dense_matrices_count_too(tmp_path):
    with memory_limit(0.01), pytest.raises(SizeError, match=r"a dense 2000 x 2000 matrix needs 0.0298 GiB"):
        check_fits(2000, 2000)
    check_fits(2000, 2000)
    file = tmp_path / "people.csv"
    file.write_text("user,t1\na,1\n")
    assert reading_bytes(file) == 8 * file.stat().st_size


def test_a_plan_keeps_to_the_limit(people):
    """Counting that would take more is estimated instead."""
    users = quiff.Population.synthetic(3000, seed=1)
    with memory_limit(0.001):
        plan = quiff.studies.over_time.planned(users, quiff.TopicsAPI(), 4)
    assert any("sampled" in text for text in plan)
    assert not any("sampled" in text for text in quiff.studies.over_time.planned(users, quiff.TopicsAPI(), 4))
