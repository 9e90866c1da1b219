"""The list of the public data sets, against the files of a mirror."""

import hashlib
import re
import zipfile
from dataclasses import FrozenInstanceError

import pytest

from quiff.errors import LabelError
from quiff.logs.archives import files_digest
from quiff.logs.registry import DATASETS, dataset
from words import refused

NAMES = [
    "citizenlab", "psl", "topics-v1", "topics-v2", "iab-audience", "utility-buckets", "chrome-1", "chrome-5",
    "pets24-users", "visit-rates", "zenodo", "google-topics",
]  # fmt: skip
FILES = [entry for entry in DATASETS.values() if not (entry.is_record or entry.by_hand)]


def test_all_data_sets_are_there():
    assert list(DATASETS) == NAMES
    assert all(name == entry.name for name, entry in DATASETS.items())


@pytest.mark.parametrize("entry", DATASETS.values(), ids=lambda entry: entry.name)
def test_each_says_what_it_is_whose_it_is_and_how_to_cite_it(entry):
    assert entry.title
    assert entry.licence
    assert "https://" in entry.citation
    assert re.fullmatch(r"[A-Za-z0-9_.-]+", entry.file)


@pytest.mark.parametrize("entry", FILES, ids=lambda entry: entry.name)
def test_a_file_is_pinned_by_commit_and_digest(entry):
    assert entry.url.startswith("https://")
    assert re.search(r"/[0-9a-f]{40}[/.]", entry.url)
    assert re.fullmatch(r"[0-9a-f]{64}", entry.sha256)
    assert entry.size > 0


def test_the_record_is_named_by_its_doi():
    record = DATASETS["zenodo"]
    assert record.is_record
    assert record.url == "doi:10.5281/zenodo.11229615"
    assert record.size is record.sha256 is None


def test_the_list_cannot_be_changed():
    with pytest.raises(TypeError):
        DATASETS["psl"] = None
    with pytest.raises(FrozenInstanceError):
        DATASETS["psl"].sha256 = "0" * 64


def test_an_unknown_name_is_told():
    with refused(LabelError):
        dataset("PSL")


@pytest.mark.parametrize("entry", FILES, ids=lambda entry: entry.name)
def test_size_and_digest_are_those_of_the_copy_in_the_mirror(entry, mirror):
    content = (mirror / entry.file).read_bytes()
    assert len(content) == entry.size
    if entry.folder is None:
        assert hashlib.sha256(content).hexdigest() == entry.sha256


def test_the_digest_of_the_lists_does_not_depend_on_the_archive(mirror, tmp_path):
    """A full archive as a code host makes it: other order, other packing, more beside the lists."""
    entry = DATASETS["citizenlab"]
    with zipfile.ZipFile(mirror / entry.file) as copy:
        content = {name: copy.read(name) for name in copy.namelist()}
    top = next(iter(content))
    with zipfile.ZipFile(tmp_path / "full.zip", "w", zipfile.ZIP_STORED) as full:
        for name in sorted(content, reverse=True):
            full.writestr(name, content[name])
        full.writestr(f"{top}README.md", "hello")
        full.writestr(f"{top}scripts/lists/it.csv", "not one of the lists")
    assert files_digest(tmp_path / "full.zip", "lists") == entry.sha256
    lines = "".join(
        f"{hashlib.sha256(content[name]).hexdigest()}  {name.removeprefix(f'{top}lists/')}\n"
        for name in sorted(content)
        if not name.endswith("/")
    )
    assert hashlib.sha256(lines.encode()).hexdigest() == entry.sha256
