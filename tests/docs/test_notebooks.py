"""The notebooks run in a fresh kernel, and what they store is what a run shows.

When a notebook or what it shows has changed, renew what is stored, with `.venv` activated:

    jupyter nbconvert --to notebook --execute --inplace --ClearMetadataPreprocessor.enabled=True \\
        docs/notebooks/*.ipynb
"""

import os
import re
import sys
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
import pytest
from blocks import PROJECT
from nbclient import NotebookClient
from traitlets.config import Config

FOLDER = PROJECT / "docs" / "notebooks"
NAMES = ("paper", "ten-weeks")
LARGEST = 400_000  # bytes
PICTURES = ("image/svg+xml", "image/png")
SHOWN = {*PICTURES, "text/html", "text/plain"}
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")
STRICT = """
import warnings
warnings.simplefilter("error")
warnings.filterwarnings("default", module="ipykernel")  # what the kernel does when it is told to end
"""


@pytest.fixture(params=NAMES)
def notebook(request):
    return nbformat.read(FOLDER / f"{request.param}.ipynb", as_version=4)


@pytest.mark.full
def test_a_run_shows_what_is_stored(notebook, tmp_path, monkeypatch):
    stored = [outputs(cell) for cell in notebook.cells]
    run_in_a_fresh_kernel(notebook, tmp_path, monkeypatch)
    for cell, before in zip(notebook.cells, stored, strict=True):
        after = outputs(cell)
        assert [*map(without_numbers, after)] == [*map(without_numbers, before)], cell.id
        for old, new in zip(before, after, strict=True):
            assert numbers(new) == pytest.approx(numbers(old), rel=2e-5, abs=1e-12), cell.id


def test_a_stored_notebook_was_run_from_start_to_end(notebook):
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert code[-1].outputs


def test_nothing_stored_loads_a_script_or_needs_one(notebook):
    for output in stored_outputs(notebook):
        assert output.output_type in ("stream", "execute_result", "display_data")
        assert output.get("name") != "stderr"
        assert set(output.get("data", {})) <= SHOWN
        assert "<script" not in str(output).lower()


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_small_and_tells_nothing_of_the_machine_it_ran_on(name):
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    assert len(text.encode()) < LARGEST
    assert set(notebook.metadata) <= {"kernelspec", "language_info"}
    assert set(notebook.metadata.language_info) == {"name"}
    assert not any(cell.metadata for cell in notebook.cells)
    assert not re.search(r"/(tmp|home|root|Users|work)/", text)


def run_in_a_fresh_kernel(notebook, folder, monkeypatch):
    """Run all cells in place, with warnings as errors, on sockets of this machine's file system."""
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(folder / name))
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    notebook.cells.insert(0, nbformat.v4.new_code_cell(STRICT))
    with TemporaryDirectory(prefix="quiff-") as sockets:  # the path of a socket must be short
        config = Config({"KernelManager": {"transport": "ipc", "ip": str(Path(sockets, "kernel"))}})
        where = {"metadata": {"path": str(folder)}}
        NotebookClient(notebook, config=config, timeout=600, resources=where).execute()
    del notebook.cells[0]


def stored_outputs(notebook):
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def outputs(cell):
    """Return what a reader sees of a cell: text, a table, or what the marks of a picture stand for."""
    found = []
    for kind, group in groupby(cell.get("outputs", []), key=lambda output: output.output_type):
        texts = [seen(output) for output in group]
        found += ["".join(texts)] if kind == "stream" else texts  # printed text may come in several pieces
    return found


def seen(output):
    if output.output_type == "stream":
        return output.text
    data = output.data
    if "image/svg+xml" in data:  # places depend on the fonts at hand, what a mark stands for does not
        return "\n".join(re.findall(r'aria-label="([^"]*)"', data["image/svg+xml"]))
    return data.get("text/html", data.get("text/plain"))


def without_numbers(text):
    return NUMBER.sub("0", text)


def numbers(text):
    return [float(number) for number in NUMBER.findall(text)]
