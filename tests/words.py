"""The words of errors stand in snapshots, which a person reads where they change; tests ask for the type.

`make words` renews the snapshots (tests/*/__snapshots__).
"""

import re
import tempfile
from contextlib import contextmanager

import pytest

# What differs from run to run: folders of tests, addresses of objects, ports.
_PASSING = {
    rf"{re.escape(tempfile.gettempdir())}/pytest-of-\w+/pytest-\d+/(popen-gw\d+/)?[^\s/'\",;:]+": "FOLDER",
    r"\bat 0x[0-9a-f]+": "at ADDRESS",
    r"(?<=127\.0\.0\.1:)\d+": "PORT",
}


class Current:
    """The test that runs."""

    item = None


def read(text):
    """Return a text as a snapshot has it, without what differs from run to run."""
    text = str(text)
    for pattern, word in _PASSING.items():
        text = re.sub(pattern, word, text)
    return text


def words(text):
    """Compare a text with the one that the snapshot of this test has, or write it there."""
    assert read(text) == Current.item._request.getfixturevalue("snapshot")


@contextmanager
def refused(kind):
    """Expect an error of this type, and of the words that the snapshot has."""
    with pytest.raises(kind) as caught:
        yield caught
    words(caught.value)
