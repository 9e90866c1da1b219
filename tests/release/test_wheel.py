"""What is built for others holds all that they need, and nothing of this machine."""

import email
import importlib.util
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from conftest import missing

PROJECT = Path(__file__).parents[2]
METADATA = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
SOURCE = PROJECT / "src" / "quiff"
IN_SDIST = (
    "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "SECURITY.md",
    "benchmarks/__main__.py", "constraints.txt", "docs/index.md", "mkdocs.yml", "pyproject.toml",
    "tests/conftest.py", "tools/smoke.py", ".github/PULL_REQUEST_TEMPLATE.md",
)  # fmt: skip
LEFT_OVER = re.compile(
    r"__pycache__|\.(pyc|pyo|nbi|nbc|so|orig|rej|swp|tmp|egg-info)\b|~$|/\.(?!gitignore|github)"
)


def build(kind, source, folder):
    """Build without an environment of its own, which would have to be fetched."""
    argv = [sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", folder, source]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The names and contents of the wheel's files."""
    if importlib.util.find_spec("hatchling") is None:
        missing("hatchling, to build without a package index")
    with zipfile.ZipFile(build("wheel", PROJECT, tmp_path_factory.mktemp("wheel"))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def sdist(tmp_path_factory, wheel):
    """The folder of the unpacked sdist."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(build("sdist", PROJECT, tmp_path_factory.mktemp("sdist"))) as archive:
        archive.extractall(folder, filter="data")
    (top,) = folder.iterdir()
    return top


def info(wheel, name):
    (content,) = (content for path, content in wheel.items() if path.endswith(f".dist-info/{name}"))
    return content.decode()


def test_the_wheel_is_the_package_and_what_describes_it(wheel):
    tops = {name.partition("/")[0] for name in wheel}
    assert tops == {"quiff", f"quiff-{METADATA['version']}.dist-info"}
    files = (path for path in SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    expected = {f"quiff/{path.relative_to(SOURCE).as_posix()}" for path in files}
    assert {name for name in wheel if name.startswith("quiff/")} == expected
    for name in ("py.typed", "__init__.pyi", "report/page.html", "report/page.css", "web/static/index.html"):
        assert f"quiff/{name}" in wheel


def test_the_wheel_has_nothing_of_this_machine(wheel):
    places = {str(PROJECT), str(Path.home()), sys.prefix}
    for name, content in wheel.items():
        assert not LEFT_OVER.search(name)
        for place in places:
            assert place.encode() not in content, f"{name} names {place}"


def test_the_metadata_is_complete(wheel):
    told = email.message_from_string(info(wheel, "METADATA"))
    assert (told["Name"], told["Version"]) == ("quiff", METADATA["version"])
    assert told["Summary"] == METADATA["description"]
    assert told["Requires-Python"] == METADATA["requires-python"]
    assert told["License-Expression"] == "MIT"
    assert told["Description-Content-Type"] == "text/markdown"
    assert told.get_payload().startswith("# quiff")
    assert set(told.get_all("Classifier")) == set(METADATA["classifiers"])
    assert set(told.get_all("Provides-Extra")) == set(METADATA["optional-dependencies"])
    needed = [line for line in told.get_all("Requires-Dist") if "extra ==" not in line]
    assert len(needed) == len(METADATA["dependencies"])
    assert "quiff = quiff.cli:main" in info(wheel, "entry_points.txt")
    assert info(wheel, "licenses/LICENSE") == (PROJECT / "LICENSE").read_text()


def test_the_sdist_can_be_tested_and_gives_the_same_wheel(sdist, wheel, tmp_path):
    for name in IN_SDIST:
        assert (sdist / name).is_file(), f"name it in pyproject.toml: {name}"
    for path in sdist.rglob("*"):
        assert not LEFT_OVER.search(f"/{path.relative_to(sdist).as_posix()}")
    with zipfile.ZipFile(build("wheel", sdist, tmp_path)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == wheel
