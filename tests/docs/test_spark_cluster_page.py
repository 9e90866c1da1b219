"""The page on Spark works on a real cluster: a master and a worker of its own, on the loopback."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from blocks import PROJECT, blocks, commands, run_page
from click.testing import CliRunner

from quiff.cli import main

sys.path.insert(0, str(PROJECT / "tests"))  # before this folder, which has a conftest, too
from conftest import missing

PAGE = PROJECT / "docs" / "how-to" / "spark-cluster.md"
LOOPBACK = "127.0.0.1"
DEPLOY = "org.apache.spark.deploy"
PATIENCE = 600  # seconds, after which a daemon that says nothing is taken for dead


@contextmanager
def daemon(arguments, log, env):
    """Run a daemon of Spark, with all that it says in a file; it is gone afterwards."""
    with log.open("w") as out:
        process = subprocess.Popen(arguments, stdout=out, stderr=subprocess.STDOUT, env=env, cwd=log.parent)
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def said(process, log, pattern):
    """Wait until a daemon says something, and return what."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        found = re.search(pattern, log.read_text(errors="replace"))
        if found:
            return found[0]
        time.sleep(0.2)
    pytest.fail(f"{pattern!r} was not said:\n{log.read_text(errors='replace')[-2000:]}")


@pytest.fixture(scope="module")
def spark_class():
    """The program that starts Spark's daemons, of the installed pyspark."""
    try:
        import pyspark
    except ImportError:
        missing("install pyspark for the test of the page on clusters")
    if not shutil.which("java"):
        missing("install Java 17 for the test of the page on clusters")
    return Path(pyspark.__file__).parent / "bin" / "spark-class"


@pytest.fixture(scope="module")
def settings(tmp_path_factory, spark_class):
    """What the daemons and the page's commands share: the page's own settings, and the loopback."""
    folder = tmp_path_factory.mktemp("conf")
    (written,) = (block for block in blocks(PAGE) if block.title == "spark-defaults.conf")
    (folder / written.title).write_text(f"{written.text}\nspark.sql.shuffle.partitions 2\n")  # for few rows
    return {
        "SPARK_CONF_DIR": str(folder),
        "SPARK_HOME": str(spark_class.parents[1]),
        "SPARK_LOCAL_IP": LOOPBACK,
    }


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, spark_class, settings):
    """The address of a master that has a worker, and the logs of the two."""
    folder, env = tmp_path_factory.mktemp("cluster"), os.environ | settings
    logs = folder / "master.log", folder / "worker.log"
    common = ["--host", LOOPBACK, "--port", "0", "--webui-port", "0"]
    with daemon([spark_class, f"{DEPLOY}.master.Master", *common], logs[0], env) as master:
        address = said(master, logs[0], rf"spark://{re.escape(LOOPBACK)}:[1-9]\d*")
        room = ["--cores", "2", "--memory", "1g", "--work-dir", folder / "work"]
        argv = [spark_class, f"{DEPLOY}.worker.Worker", *common, *room, address]
        with daemon(argv, logs[1], env) as worker:
            said(worker, logs[1], "Successfully registered with master")
            yield address, *logs


@pytest.fixture(scope="module")
def done(cluster, settings, tmp_path_factory):
    """The folder in which the page has run on the cluster, whose workers find no Python."""
    folder = tmp_path_factory.mktemp("page")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run_page(PAGE, folder, settings | {"CLUSTER": cluster[0], "PYSPARK_PYTHON": "/no/python/there"})
    return folder


def applications():
    """Return the commands of the page that are to run on the cluster."""
    shown = (block for block in blocks(PAGE) if block.language == "console")
    lines = [command.text for block in shown for command in commands(block)]
    return [line for line in lines if "CLUSTER" in line]


def launched(cluster):
    """Return how many applications of quiff the worker has got."""
    return len(re.findall("Asked to launch executor .* for quiff", cluster[2].read_text()))


def test_the_page_runs_on_the_cluster(cluster, done):
    registered = re.findall("Registered app quiff with ID", cluster[1].read_text())
    assert len(registered) == launched(cluster) == len(applications()) == 3
    for stage in ("treated", "reduced", "experimental", "profiles"):
        assert list((done / f"{stage}-spark" / f"{stage}.parquet").glob("part-*.parquet"))


def test_the_settings_of_the_page_are_in_force(cluster, done):
    for log in cluster[1:]:
        assert "authentication enabled" in log.read_text()
        assert "authentication disabled" not in log.read_text()


def test_no_scratch_table_is_left_behind(done):
    """They hold names and URLs."""
    assert not list(done.rglob(".quiff-*.tmp"))


WATCHED = """\
import json, sys
from quiff.cli import main
from quiff.logs import people
arrived, real = [], people.fetch_arrow
def watched(con, expression):
    table = real(con, expression)
    arrived.append(table.num_rows)
    return table
people.fetch_arrow, people.fetch_rows = watched, lambda *query: watched(*query).to_pylist()
main(sys.argv[1:], standalone_mode=False)
print(json.dumps(arrived), file=sys.stderr)
"""


def test_sequences_of_sets_are_reduced_on_the_cluster(cluster, settings, tmp_path):
    """`epochs` has the digits of users in memory; no more rows arrive than topics or distinct sequences."""
    rng, n, kinds, weeks = np.random.default_rng(1), 3000, 40, 3
    chosen = np.argsort(rng.random((kinds, weeks, 12)), axis=2)[rng.integers(kinds, size=n), :, :4] + 1
    columns = {"user": np.repeat(np.arange(n), weeks), "epoch": np.tile(np.arange(weeks), n)}
    columns |= {f"t{place + 1}": chosen[..., place].reshape(-1) for place in range(4)}
    file = tmp_path / "weeks.parquet"
    pq.write_table(pa.table(columns), file)
    words = ["epochs", str(file), "--api", "topics:n_topics=12", "--observations", str(weeks), "--json"]
    memory = CliRunner().invoke(main, words)
    before = launched(cluster)
    env = os.environ | settings | {"PYSPARK_PYTHON": "/no/python/there"}
    argv = [sys.executable, "-c", WATCHED, *words, "--engine", "spark", "--master", cluster[0]]
    ran = subprocess.run(argv, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["rows"] == json.loads(memory.stdout)["rows"]
    *others, sequences = json.loads(ran.stderr.splitlines()[-1])
    assert (sequences, max(others)) == (kinds, 12)
    assert launched(cluster) == before + 1
