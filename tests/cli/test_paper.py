"""``quiff paper``: text, JSON, files, errors."""

import csv
import json
import xml.etree.ElementTree as ET

import pytest
from click.testing import CliRunner

from quiff.cli import main


@pytest.fixture
def run():
    return lambda *arguments: CliRunner().invoke(main, ["paper", *map(str, arguments)])


def test_errata_come_first_and_counts_last(run):
    result = run()
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0].startswith("Errata")
    assert lines[-1] == "122 match, 81 erratum, 106 needs-data"
    places = [result.output.index(word) for word in ("Errata:", "Matches:", "Needs data:")]
    assert places == sorted(places)
    for figure in ("10/3", "97/2", "89.16", "1783.2", "34.358", "50.5163", "41922588819", "68.298"):
        assert figure in result.output


def test_json_has_the_keys_that_others_read(run):
    result = json.loads(run("--json").output)
    assert set(result) == {"items", "counts"}
    assert result["counts"] == {"match": 122, "erratum": 81, "needs-data": 106}
    assert all(
        list(item) == ["id", "where", "printed", "computed", "verdict", "note"] for item in result["items"]
    )
    items = {item["id"]: item for item in result["items"]}
    assert items["theoretical-google-m629-s5-capacity"]["computed"] == 89.16
    assert items["theoretical-google-m629-s5-capacity"]["printed"] == "119.56"
    assert items["treated-rows"]["computed"] is None
    assert items["treated-rows"]["note"].startswith("quiff paper --data DIR")


def test_out_writes_the_tables_and_the_figure(run, tmp_path):
    out = tmp_path / "new" / "folder"
    result = run("--out", out)
    assert result.exit_code == 0
    names = {path.name for path in out.glob("[!.]*")}
    tables = {
        "theoretical-aol", "theoretical-google", "theoretical-worst-case", "datasets-experiments",
        "datasets-treated", "results-privacy-bayes", "results-utility-bayes", "results-utility-iba", "items",
    }  # fmt: skip
    assert names == {f"{name}.{suffix}" for name in tables for suffix in ("md", "csv", "tex")} | {
        "counting.svg"
    }
    assert f"{len(names)} files written" in result.stderr
    assert ET.fromstring((out / "counting.svg").read_text()).tag.endswith("svg")  # noqa: S314 - our own file
    for name in tables:
        with (out / f"{name}.csv").open(newline="") as file:
            rows = list(csv.reader(file))
        assert len({len(row) for row in rows}) == 1
        tex = (out / f"{name}.tex").read_text()
        assert tex.count(r"\begin{") == tex.count(r"\end{")
        assert (out / f"{name}.md").read_text().startswith("**")


def test_the_theoretical_tables_are_complete_and_right(run, tmp_path):
    run("--out", tmp_path)
    with (tmp_path / "theoretical-google.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[2][:3] == ["Google Topics API v2", "469", "89.16"]
    assert all(cell for row in rows for cell in row)
    with (tmp_path / "theoretical-worst-case.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[-1][:3] == ["0.05", "9", "469"]
    assert all(cell for row in rows for cell in row)
    text = (tmp_path / "theoretical-google.md").read_text()
    assert "Printed: 629, 119.56, 7.780, 2 391.2." in text


def test_a_second_run_replaces_the_files_by_force(run, tmp_path):
    run("--out", tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / "items.csv").write_text("old")
    assert run("--out", tmp_path).exit_code == 1
    assert (tmp_path / "items.csv").read_text() == "old"
    assert run("--out", tmp_path, "--force").exit_code == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_data(run, tmp_path):
    (tmp_path / "t.csv").write_text(",RandID,QueryTime,Domain\n0,1,2006-03-01,a.com\n1,1,2006-03-02,b.com\n")
    items = {item["id"]: item for item in json.loads(run("--data", tmp_path, "--json").output)["items"]}
    assert items["treated-rows"]["computed"] == 2
    assert items["treated-rows"]["verdict"] == "erratum"
    assert items["reduced-google-v1-rows"]["verdict"] == "needs-data"


def test_errors_are_told_in_one_line(run, tmp_path):
    result = run("--data", tmp_path / "nowhere")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "is no folder" in result.stderr
    (tmp_path / "file").write_text("")
    result = run("--out", tmp_path / "file")
    assert result.exit_code == 1
    assert "it is a file; name a new or empty folder" in result.stderr
    assert run("--nonsense").exit_code == 2
