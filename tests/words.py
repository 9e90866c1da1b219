"""The words of errors and commands stand in tests/snapshots, one file a room; a person reads the diff.

A test asks for the type and the numbers; `make words` renews the words.
"""

import re
from contextlib import contextmanager
from pathlib import Path

import pytest
from syrupy.extensions.amber import AmberSnapshotExtension

HERE = Path(__file__).parent
ROOT = str(HERE.parent)
# What differs from run to run, or with every edit: folders, scratch files, lines of tests, addresses, ports.
PASSING = {
    r"[^\s'\"(]*/pytest-of-\w+/pytest-\d+/(popen-gw\d+/)?[^\s/'\",;:]+": "FOLDER",
    re.escape(ROOT): "ROOT",
    r"\.quiff-[\w-]+\.tmp": "SCRATCH",
    r"\bin line \d+": "in line LINE",  # of a program, which is a function of a test
    r"\bat 0x[0-9a-f]+": "at ADDRESS",
    r"(?<=would take )(more than )?[\d,]+ \w+": "TIME",
    r"(?<=127\.0\.0\.1:)\d+": "PORT",
}
NUMBER = re.compile(r"(?<![\w.-])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)")


class Room(AmberSnapshotExtension):
    """One file for all tests of a folder; an entry has the name of its file and of its test."""

    @classmethod
    def dirname(cls, *, test_location):
        return str(HERE / "snapshots")

    @classmethod
    def get_file_basename(cls, *, test_location, index):
        return Path(test_location.filepath).parent.name

    @classmethod
    def get_snapshot_name(cls, *, test_location, index=0):
        name = super().get_snapshot_name(test_location=test_location, index=index)
        return f"{test_location.basename}::{name}"


TESTS = {}  # the names of all tests that compare words, file by file


class Now:
    """The snapshots of the test that runs, if it names `refused` or `worded`."""

    snapshot = None


def named(code, around):
    """Tell whether a function, or one inside it, names what compares words."""
    own = {"refused": refused, "worded": worded}
    return any(around.get(name) is own.get(name, around) for name in code.co_names) or any(
        named(inner, around) for inner in code.co_consts if hasattr(inner, "co_names")
    )


def stored(file):
    """Return the names of the snapshots in a file, by the test to which each belongs."""
    names = [entry.name for entry in Room().read_snapshot_collection(snapshot_location=str(file))]
    return {name: re.sub(r"\.\d+$", "", name) for name in names}


def without(file, names, config):
    """Fail because of snapshots that no test has compared, or remove them, where they are renewed."""
    if names and config.option.update_snapshots:
        Room().delete_snapshots(snapshot_location=str(file), snapshot_names=names)
    elif names:
        pytest.fail(f"not used any more in {Path(file).name}; run `make words`: {', '.join(sorted(names))}")


def worded(text, *numbers):
    """Compare a text with the snapshot of this test, and ask for these numbers in it."""
    assert Now.snapshot is not None, "call this in the test itself: `make words` runs the tests that name it"
    text = str(text)
    for pattern, word in PASSING.items():
        text = re.sub(pattern, word, text)
    assert text == Now.snapshot
    there = NUMBER.findall(re.sub(r"(?<=\d),(?=\d{3})", "", text))
    assert not {str(number) for number in numbers} - set(there)


def untimed(text):
    """Return a text without the last numbers of its lines: how many seconds each step of a run took."""
    return re.sub(r" +[\d.]+$", "", text, flags=re.MULTILINE)


@contextmanager
def refused(kind, *numbers, **fields):
    """Expect an error of this type with these fields, numbers, and the words of the snapshot."""
    with pytest.raises(kind) as caught:
        yield caught
    assert {name: getattr(caught.value, name) for name in fields} == fields
    worded(caught.value, *numbers)
