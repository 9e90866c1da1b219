"""``quiff paper``: text, JSON, files, errors."""

import csv
import json
import math
import xml.etree.ElementTree as ET

import pytest
from click.testing import CliRunner

from quiff.cli import main
from words import worded


@pytest.fixture
def run(tmp_path_factory):
    none = {"QUIFF_MIRROR": "", "QUIFF_CACHE": str(tmp_path_factory.mktemp("cache"))}
    return lambda *arguments: CliRunner().invoke(main, ["paper", *map(str, arguments)], env=none)


def test_what_holds_comes_first_and_points_have_their_places(run):
    result = run()
    assert result.exit_code == 0
    lines = result.output.splitlines()
    worded(lines[2], 27, 30, 6)
    assert "15 points" in result.output
    places = [
        result.output.index(word) for word in ("What holds", "What to correct", "What is open", "1. ", "22. ")
    ]
    assert places == sorted(places)
    assert "   - Sec. 6, worked example: 629 -> 469; 9 -> 7" in lines
    for figure in ("10/3", "48.5", "89.16", "1 783.2", "34.358%", "50.516%", "198 023", "68.298", "296.07"):
        assert figure in result.output


@pytest.mark.parametrize("options", [(), ("--all",)])
def test_it_fits_80_columns(run, options):
    assert [line for line in run(*options).output.splitlines() if len(line) > 80] == []


def test_all_has_every_item(run):
    text = " ".join(run("--all").output.split())
    for item in json.loads(run("--json").output)["items"]:
        assert f"{item['id']}: " in text


def test_json_has_the_keys_that_others_read(run):
    result = json.loads(run("--json").output)
    assert set(result) == {"sentences", "counts", "points", "causes", "sources", "items"}
    assert set(result["counts"]) == {"match", "needs-data", "cited"}, "no class counts places as errors"
    assert result["points"] == {"wrong": 4, "assumption": 1, "too-strong": 6, "misprint": 4, "ambiguous": 5}
    assert all(
        list(item) == ["id", "where", "printed", "computed", "verdict", "note", "cause", "readings"]
        for item in result["items"]
    )
    items = {item["id"]: item for item in result["items"]}
    assert items["theoretical-google-m629-s5-capacity"]["computed"] == 89.16
    assert items["theoretical-google-m629-s5-capacity"]["printed"] == "119.56"
    assert items["treated-rows"]["computed"] is None
    worded(items["treated-rows"]["note"])
    readings = items["theoretical-aol-google-v1-epsilon"]["readings"]
    assert [(reading["agrees"], round(reading["computed"], 3)) for reading in readings] == [
        (True, 6.466),
        (False, 7.191),
    ]
    for cause in result["causes"]:
        assert {"id", "class", "title", "says", "changes", "readings", "source", "places"} == set(cause)
        assert cause["places"]
        assert all(items[place]["cause"] == cause["id"] for place in cause["places"])


def test_out_writes_the_tables_and_the_figure(run, tmp_path):
    out = tmp_path / "new" / "folder"
    result = run("--out", out)
    assert result.exit_code == 0
    names = {path.name for path in out.glob("[!.]*")}
    tables = {
        "theoretical-aol", "theoretical-google", "theoretical-worst-case", "datasets-experiments",
        "datasets-treated", "results-privacy-bayes", "results-utility-bayes", "results-utility-iba", "items",
        "points",
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
    assert rows[-1] == ["m=629, r=0.05, s=9", "629", "66.44444444444444", "1328.888888888889"]
    assert all(cell for row in rows for cell in row)
    text = (tmp_path / "theoretical-google.md").read_text()
    assert "Printed: 629, 119.56, 7.780, 2 391.2, 1 679," in text


def test_the_limits_of_the_data_are_all_for_the_topics_that_occur(run, tmp_path):
    def written(*options):
        run(*options, "--out", tmp_path / "out", "--force")
        with (tmp_path / "out" / "theoretical-aol.csv").open(newline="") as file:
            return [[cell if not place else float(cell) for place, cell in enumerate(row)]
                    for row in list(csv.reader(file))[1:]]  # fmt: skip

    def by_hand(m):  # r + m(1-r)/s, and by how much the worst output raises a probability
        worst = (0.95 / 5 + 0.05 / m) / (0.05 / m)
        return [m, 0.05 + m * 0.95 / 5, math.log(worst), worst]

    first, second = written()
    assert first == ["Citizen Lab", *map(pytest.approx, by_hand(31))]
    assert second == ["Google v1", *map(pytest.approx, by_hand(169))]
    assert [f"{value:.6g}" for value in by_hand(169)[2:]] == ["6.46646", "643.2"]
    # Data of their own: seven topics, in two sets of five.
    (tmp_path / "data").mkdir()
    table = [",RandID,BrowsingHistory,AllTopics,sTopics"]
    visits = repr([("a.com", "2006-03-01 07:17:12"), ("b.com", "2006-03-01 07:17:12")])
    for user, own in enumerate(("ABCDE", "CDEFG")):
        table.append(f'{user},{user},"{visits}","{list(own)}","{list(own)}"')
    (tmp_path / "data" / "experimental.csv").write_text("\n".join(table) + "\n")
    assert written("--data", tmp_path / "data")[0] == ["Citizen Lab", *map(pytest.approx, by_hand(7))]


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
    assert (items["treated-rows"]["verdict"], items["treated-rows"]["cause"]) == ("wrong", "tables")
    assert items["reduced-google-v1-rows"]["verdict"] == "needs-data"
    worded(items["reduced-google-v1-rows"]["note"])


def test_errors_are_told_in_one_line(run, tmp_path):
    result = run("--data", tmp_path / "nowhere")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    worded(result.stderr)
    (tmp_path / "file").write_text("")
    result = run("--out", tmp_path / "file")
    assert result.exit_code == 1
    worded(result.stderr)
    assert run("--nonsense").exit_code == 2
