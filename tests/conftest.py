"""Settings that all tests share."""

import os
import shutil
import sys
from pathlib import Path

import hypothesis
import pytest
from hypothesis.database import DirectoryBasedExampleDatabase, ReadOnlyDatabase

sys.path.insert(0, str(Path(__file__).parent))  # for `import textbook, fuzzing`

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

_KEPT = DirectoryBasedExampleDatabase(Path(__file__).parent / "fuzz" / "examples")
_ALWAYS = {
    "deadline": None,  # no timed assertions
    "suppress_health_check": [hypothesis.HealthCheck.too_slow],
}
# The same on every run: pyproject.toml fixes Hypothesis's seed, and what `make fuzz` kept is only read.
hypothesis.settings.register_profile(
    "quiff", derandomize=False, database=ReadOnlyDatabase(_KEPT), max_examples=100, **_ALWAYS
)
hypothesis.settings.register_profile("fuzz", derandomize=False, database=_KEPT, max_examples=2000, **_ALWAYS)
hypothesis.settings.load_profile("fuzz" if os.environ.get("QUIFF_FUZZ") else "quiff")


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


@pytest.fixture(scope="session")
def chromium():
    """Debian's Chromium, driven by playwright; one for all tests, since there can be no two in a process."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        missing("install chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()
