"""Settings that all tests share."""

import fcntl
import functools
import os
import pickle
import random
import re
import shutil
import signal
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import hypothesis
import pytest
from click.testing import CliRunner
from hypothesis.database import DirectoryBasedExampleDatabase, ReadOnlyDatabase
from syrupy.location import PyTestLocation
from xdist.scheduler import LoadFileScheduling

from quiff.attribution import browser as model
from quiff.logs.engine import connect

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # as of a shell's background jobs; what is tried here is not
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

sys.path.insert(0, str(Path(__file__).parent))  # for `import textbook, fuzzing`
pytest.register_assert_rewrite("words")
import fuzzing  # noqa: E402 - it is found there
import words  # noqa: E402 - it is rewritten

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
    "derandomize": False,
}
# The same on every run: pyproject.toml fixes Hypothesis's seed, the Makefile that of `make test-rest`, and
# what `make fuzz` kept is only read. Profiles: "quiff"; "full" in `make test-rest`; "fuzz" in `make fuzz`.
for _name, _examples in {"quiff": 50, "full": 200}.items():
    hypothesis.settings.register_profile(
        _name, database=ReadOnlyDatabase(_KEPT), max_examples=_examples, **_ALWAYS
    )
hypothesis.settings.register_profile("fuzz", database=_KEPT, max_examples=2000, **_ALWAYS)
hypothesis.settings.load_profile("fuzz" if os.environ.get("QUIFF_FUZZ") else "quiff")

# Half of Spark's time is Java's second compiler at work on queries that run once.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# What quiff draws from the operating system's randomness is the same on every run too: it begins anew with
# each test, by its name. Names of scratch files (8 bytes) stay apart from those of other processes.
_DRAWS, _system = random.Random(), random.SystemRandom.randbytes
if not os.environ.get("QUIFF_FUZZ"):
    model.random = SimpleNamespace(  # where epochs begin, of a browser without a seed
        Random=lambda seed: random.Random(_DRAWS.getrandbits(64) if seed is None else seed)
    )
    random.SystemRandom.getrandbits = lambda self, size: _DRAWS.getrandbits(size)
    random.SystemRandom.randbytes = lambda self, size: (
        _system(self, size) if size == 8 else _DRAWS.randbytes(size)
    )


def pytest_runtest_setup(item):
    _DRAWS.seed(item.nodeid)
    rest = hypothesis.settings.get_current_profile_name() == "full"
    fuzzing.Cases.part = "all" if item.get_closest_marker("full") else "rest" if rest else "first"
    if threading.current_thread() is threading.main_thread():  # a Spark session leaves its own behind
        signal.signal(signal.SIGINT, signal.default_int_handler)


class ByFile(LoadFileScheduling):
    """Each file stays with one worker, but for the tests on Spark, which share one session of one worker."""

    def _split_scope(self, nodeid):
        return "spark" if "[spark" in nodeid else super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config, log):
    return ByFile(config, log) if config.getvalue("dist") == "loadfile" else None


# Of what needs Spark or Chromium, `make test` runs these; every other case is for `make test-all`.
ONCE = re.compile(
    r"""tests/(
        contract/test_contract[.]py::test_a_log_and_its_people_on_spark
        |chromium/test_explorer[.]py::test_every_view_is_clean.(design|people|compare|paper)-light
        |chromium/test_hostile_labels[.]py::(test_figures_of_every_kind|test_a_report|test_the_explorer)($|\[)
        |chromium/test_report[.]py::(test_it_loads_nothing_and_says_nothing|test_axe_finds_nothing.1280-light)
    )""",
    re.VERBOSE,
)
# Copies of the tree, processes of their own, and every code block: for `make test-all` as a whole.
FULL = (
    "tests/docs/test_code_blocks.py",
    "tests/docs/test_notebooks.py",
    "tests/docs/test_site.py",
    "tests/docs/test_spark_cluster_page.py",
    "tests/fuzz/test_kills.py",
    "tests/fuzz/test_web.py",
    "tests/recipes/",
    "tests/release/test_clean_start.py",
    "tests/release/test_wheel.py",
)


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items):
    for item in items:
        if not isinstance(item, pytest.Function):  # the examples of a docstring
            continue
        heavy = "[spark" in item.nodeid or "chromium" in item.fixturenames
        if item.nodeid.startswith(FULL) or (heavy and not ONCE.match(item.nodeid)):
            item.add_marker(pytest.mark.full)
        settings = getattr(item.obj, "_hypothesis_internal_use_settings", None)
        own = settings is None or settings.max_examples != hypothesis.settings().max_examples
        if not own or item.function.__globals__.get("cases") is fuzzing.cases:
            item.add_marker(pytest.mark.property)
        names = words.TESTS.setdefault(item.path, set())
        if words.named(item.function.__code__, item.function.__globals__):
            item.add_marker(pytest.mark.words)
            names.add(words.Room.get_snapshot_name(test_location=PyTestLocation(item)))


@pytest.fixture(autouse=True)
def _words(request):
    """Give a test that compares words its snapshots."""
    if request.node.get_closest_marker("words"):
        words.Now.snapshot = request.getfixturevalue("snapshot").use_extension(words.Room)
    yield
    words.Now.snapshot = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    yield
    if snapshot := words.Now.snapshot:  # a test that passes has used all that are its own
        file = words.Room.get_location(test_location=snapshot.test_location, index=0)
        name = words.Room.get_snapshot_name(test_location=snapshot.test_location)
        own = {key for key, test in words.stored(file).items() if test == name}
        words.without(file, own - {done.snapshot_name for done in snapshot.executions.values()}, item.config)


def missing(reason):
    """Skip a test whose tool or data is not on this machine; in CI it fails instead."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI must have it: {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def common(tmp_path_factory):
    """The folder that all workers share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def shared(common):
    """Make a value once for all workers: the first that asks for it makes it, the others wait and read it."""

    def once(name, make):
        file = common / f"{name}.pickle"
        with (common / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not file.exists():
                made = make()
                file.write_bytes(pickle.dumps(made))
        return pickle.loads(file.read_bytes())  # noqa: S301 - it is our own

    return once


@pytest.fixture(scope="session")
def small_people():
    """The people of the small report."""
    from quiff import Population

    return Population.synthetic(150, seed=1)


@pytest.fixture(scope="session")
def small_report(shared, small_people):
    """One report for all tests that only read it, and its HTML; the name of its file is hostile."""
    from quiff.report.compose import Source, compose_report

    def made():
        source = Source("people & <b>names</b>", (), ("quiff",))
        page = compose_report(small_people, (), source, list_users=False)
        return page, page.to_html()

    return shared("report", made)


@pytest.fixture(scope="session")
def demo(shared, common):
    """The folder of one demo with 150 users, and what it printed; it is also one pipeline, stage by stage."""
    from quiff.cli import main

    out = common / "demo"

    def made():
        result = CliRunner().invoke(main, ["demo", "--users", "150", "--out", str(out)])
        assert result.exit_code == 0, result.output
        return result.stdout

    return out, shared("demo", made)


@pytest.fixture(scope="session")
def mirror():
    """The folder with copies of the public data sets."""
    folder = os.environ.get("QUIFF_MIRROR")
    if not folder:
        missing("set QUIFF_MIRROR to a folder with the public data sets")
    return Path(folder)


@pytest.fixture(scope="session")
def duckdb():
    return engine("duckdb")


@pytest.fixture(scope="session", params=["spark"])
def spark(request):
    return engine(request.param)


@pytest.fixture(scope="session", params=["duckdb", "spark"])
def backend(request):
    """Each engine in turn."""
    return engine(request.param)


@functools.cache
def engine(name):
    """One of each for all tests."""
    if name == "spark":
        try:
            import pyspark  # noqa: F401
        except ImportError:
            missing("install pyspark for the tests of the engine spark")
        if not shutil.which("java"):
            missing("install Java 17 for the tests of the engine spark")
    return connect(name, threads=2)


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
