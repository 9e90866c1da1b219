"""Lines and cells that are longer than any should be are refused before they take memory, by every reader."""

import gzip
import io
import os
import re
import subprocess
import sys
import tarfile
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quiff import Population, QuiffError
from quiff.attribution.events import read_events
from quiff.auditing.log import Columns, read_pairs
from quiff.browser.page_loads import read_page_loads
from quiff.browser.rates import visit_rates
from quiff.browser.reports import Reports
from quiff.io import blocks
from quiff.logs.classifications import read_classification
from quiff.logs.suffixes import Suffixes
from quiff.logs.taxonomies import taxonomy_topics
from words import refused

READERS = {
    "first line of profiles": (Population.read, b""),
    "profiles": (Population.read, b"user,t1,t2\nu,1,"),
    "profiles, merged": (lambda file: Population.read(file, merged=True), b"user,t1,t2\nu,1,"),
    "pairs": (lambda file: read_pairs(file, Columns()), b"secret,observation\nu,"),
    "classification": (read_classification, b"domain,topics\na.com,"),
    "reports": (Reports.read, b"user,site,epoch,topic\nu,a,0,"),
    "page loads": (read_page_loads, b"user,time,site,callers\nu,1,a,"),
    "rates": (visit_rates, b"1,2,"),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_long_line_is_refused_early(reader, tmp_path):
    _, head = READERS[reader]
    file = tmp_path / "long.csv.gz"
    with gzip.open(file, "wb", compresslevel=1) as stream:
        stream.write(head)
        for _ in range(200):
            stream.write(b"a" * (1 << 20))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(  # a process apart, whose memory is looked at alone
        [sys.executable, __file__, reader, str(file)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    message, peak = done.stdout.splitlines()
    assert re.search(r"line \d: it is longer than 16 MiB|straddling object straddles", message)
    assert int(peak) < 120 << 20


def tell_peak(reader, file):
    """Print why a reader refuses a file, and the most memory that it took until then."""
    tracemalloc.start()
    try:
        READERS[reader][0](Path(file))
    except QuiffError as error:
        message, (_, peak) = str(error).replace("\n", " "), tracemalloc.get_traced_memory()
        sys.stdout.write(f"{message}\n{peak}\n")
        sys.stdout.flush()
    os._exit(0)  # threads of engines may still read ahead, which tracemalloc does not bear when it stops


def test_a_long_line_in_an_archive(tmp_path):
    with tarfile.open(tmp_path / "p.csv.tar.gz", "w:gz", compresslevel=1) as archive:
        member = tarfile.TarInfo("p.csv")
        member.size = 64 << 20
        archive.addfile(member, io.BytesIO(bytes(64 << 20)))
    with refused(QuiffError, 1, 16):
        Population.read(tmp_path / "p.csv.tar.gz")


def test_a_line_of_fifteen_mebibytes_is_read(tmp_path):
    """As a browsing history may be, beside the topics."""
    (tmp_path / "p.csv").write_bytes(b"user,t1,history\nu,1," + b"a" * (15 << 20) + b"\nv,2,b\n")
    assert Population.read(tmp_path / "p.csv").n_users == 2


@pytest.mark.parametrize("read", [Suffixes.read, taxonomy_topics, read_events])
def test_files_that_are_read_at_once_are_small_and_files(read, tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "SMALL", 1 << 20)
    with (tmp_path / "large").open("wb") as file:
        file.truncate(1 << 33)
    for path in (tmp_path / "large", "/dev/zero", tmp_path):
        with pytest.raises(QuiffError) as caught:
            read(path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("merged", [None, True])
def test_a_cell_of_parquet_that_is_there_often(merged, tmp_path):
    """A file of 3 kB whose cells would take 3 GB."""
    long = pa.DictionaryArray.from_arrays(pa.array([0] * 3000, pa.int32()), pa.array(["a" * 1_000_000]))
    pq.write_table(pa.table({"user": range(3000), "t1": long}), tmp_path / "p.parquet", store_schema=False)
    with refused(QuiffError, 2.8):
        Population.read(tmp_path / "p.parquet", merged=merged)


@pytest.mark.parametrize("merged", [False, True])
def test_names_of_folders_are_no_columns(merged, tmp_path):
    folder = tmp_path / "people.parquet" / "user=Zaphod" / "weight=7" / "t2=9"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"user": ["u", "v"], "t1": [1, 2]}), folder / "part.parquet")
    people = Population.read(tmp_path / "people.parquet", merged=merged)
    assert people.top_s == 1
    with refused(QuiffError):
        Population.read(tmp_path / "people.parquet", weights="weight", merged=merged)
    nobody = tmp_path / "nobody.parquet" / "user=Zaphod"
    nobody.mkdir(parents=True)
    pq.write_table(pa.table({"topics": [[1, 2]]}), nobody / "part.parquet")
    with refused(QuiffError):
        Population.read(tmp_path / "nobody.parquet")


if __name__ == "__main__":
    tell_peak(*sys.argv[1:])
