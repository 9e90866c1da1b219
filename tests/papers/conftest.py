"""What the tests of the paper share."""

import pytest

from quiff.papers.check import check_paper


@pytest.fixture(scope="session")
def no_lists(tmp_path_factory):
    """An empty folder: no public list is at hand, whatever this machine has."""
    return tmp_path_factory.mktemp("no-lists")


@pytest.fixture(scope="session")
def paper(no_lists):
    """The paper, checked without any data."""
    return check_paper(mirror=no_lists)
