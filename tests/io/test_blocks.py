"""One guarded way to read packed files, whatever they hold: logs, profiles, classifications."""

import gzip
import io
import tarfile
import zipfile

import pytest

from quiff.errors import QuiffError
from quiff.logs.classifications import read_classification
from quiff.people.population import Population
from words import refused

PROFILES = ("user,t1,t2\n" + "".join(f"u{k},{k % 7},{7 + k % 5}\n" for k in range(5000))).encode()
TOPICS = ("domain,topics\n" + "".join(f"a{k}.com,News\n" for k in range(5000))).encode()
TOLD = r"' to its end: .*; its first [1-9][0-9]* bytes \([1-9][0-9]* lines\) are readable, but it is damaged"
DAMAGES = {
    "cut": lambda packed: packed[: len(packed) * 6 // 10],
    "shorter": lambda packed: packed[:-1],
    "checksum": lambda packed: packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:],
    "garbage": lambda packed: packed + b"garbage",
}


def archive(content):
    """Return an archive of one file, packed by gzip."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        member = tarfile.TarInfo("p.csv")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return written.getvalue()


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_profiles_say_how_far_they_are_readable(tmp_path, damage, merged):
    (tmp_path / "p.csv.gz").write_bytes(damage(gzip.compress(PROFILES)))
    with pytest.raises(QuiffError, match="p.csv.gz" + TOLD) as caught:
        Population.read(tmp_path / "p.csv.gz", merged=merged)
    assert "\n" not in str(caught.value)


def test_a_damaged_archive_of_profiles_says_so_too(tmp_path):
    (tmp_path / "p.csv.tar.gz").write_bytes(archive(PROFILES))
    assert Population.read(tmp_path / "p.csv.tar.gz").n_users == 5000
    (tmp_path / "p.csv.tar.gz").write_bytes(DAMAGES["cut"](archive(PROFILES)))
    with pytest.raises(QuiffError, match="p.csv.tar.gz" + TOLD):
        Population.read(tmp_path / "p.csv.tar.gz")


def test_profiles_are_told_by_their_bytes(tmp_path):
    (tmp_path / "p.csv").write_bytes(gzip.compress(PROFILES))
    assert Population.read(tmp_path / "p.csv").n_users == 5000
    (tmp_path / "p.csv.gz").write_bytes(PROFILES)
    with refused(QuiffError):
        Population.read(tmp_path / "p.csv.gz")
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as packed:
        packed.writestr("p.csv", PROFILES)
    with refused(QuiffError):
        Population.read(tmp_path / "p.zip")


def test_classifications_may_be_packed(tmp_path):
    (tmp_path / "c.csv.gz").write_bytes(gzip.compress(TOPICS))
    table = read_classification(tmp_path / "c.csv.gz").table
    assert table.count().to_pyarrow().as_py() == 5000
    (tmp_path / "c.csv.gz").write_bytes(DAMAGES["cut"](gzip.compress(TOPICS)))
    with pytest.raises(QuiffError, match="c.csv.gz" + TOLD):
        read_classification(tmp_path / "c.csv.gz")
    (tmp_path / "c.csv").write_bytes(b"domain,topics\na.com,\xff\n")
    with refused(QuiffError):
        read_classification(tmp_path / "c.csv")
