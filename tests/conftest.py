"""Settings that all tests share."""

import os
import sys
from pathlib import Path

import hypothesis
import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for `import textbook`

hypothesis.settings.register_profile(
    "quiff",
    deadline=None,  # no timed assertions
    max_examples=100,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("quiff")


def missing(reason):
    """Skip a test whose tool or data is not on this machine; in CI it fails instead."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI must have it: {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def mirror():
    """The folder with copies of the public data sets."""
    folder = os.environ.get("QUIFF_MIRROR")
    if not folder:
        missing("set QUIFF_MIRROR to a folder with the public data sets")
    return Path(folder)
