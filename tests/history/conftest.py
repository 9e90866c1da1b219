"""The engines, one of each for all tests."""

import shutil

import pytest

from conftest import missing
from quiff.history.engine import connect


def connect_spark():
    """The one Spark session of the tests; without Spark the test is left out."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        missing("install pyspark for the tests of the engine spark")
    if not shutil.which("java"):
        missing("install Java 17 for the tests of the engine spark")
    return connect("spark", threads=2)


@pytest.fixture(scope="session")
def duckdb():
    return connect("duckdb", threads=2)


@pytest.fixture(scope="session")
def spark():
    return connect_spark()


@pytest.fixture(scope="session", params=["duckdb", pytest.param("spark", marks=pytest.mark.slow)])
def backend(request):
    """Each engine in turn."""
    return request.getfixturevalue(request.param)
