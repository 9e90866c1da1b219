"""Starting up: what a user waits for loads only what it needs."""

import subprocess
import sys

import pytest

HEAVY = {
    "altair", "duckdb", "ibis", "jinja2", "numpy", "pandas", "pyarrow", "rich", "scipy",
    "vl_convert",
}  # fmt: skip
COMMAND = "from quiff.cli import main; main({}, standalone_mode=False)"


def loaded(code):
    """Return the modules that a new process has loaded after running `code`."""
    shown = f"{code}\nimport sys\nprint('loaded:', *sys.modules)"
    found = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    return set(found.stdout.rpartition("loaded:")[2].split())


def test_the_package_loads_none_of_its_rooms():
    found = loaded("import quiff")
    assert not found & HEAVY
    assert {name for name in found if name.startswith("quiff")} == {"quiff"}


@pytest.mark.parametrize(
    "words",
    [["--help"], ["--version"], ["explore", "--help"], ["data", "list"], ["domain", "www.a.com"]],
    ids=" ".join,
)
def test_a_command_that_needs_no_heavy_part_loads_none(words):
    assert not loaded(COMMAND.format(words)) & HEAVY


@pytest.mark.parametrize("words", [["design", "--capacity", "60"], ["theory"]], ids=" ".join)
def test_closed_forms_need_the_numbers_of_apis_and_nothing_else(words):
    assert loaded(COMMAND.format(words)) & HEAVY <= {"numpy"}


def test_the_explorer_answers_before_anything_heavy_is_loaded():
    assert not loaded("import quiff.web.serve, uvicorn") & HEAVY


def test_the_figures_library_is_made_beside_the_server():
    # vl-convert keeps all threads of its process waiting while it works
    found = loaded(
        "from quiff.results.figures.renderer import vega_bundle; assert 'vegaEmbed' in vega_bundle()"
    )
    assert "vl_convert" not in found
