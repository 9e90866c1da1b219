"""The paper: what ``quiff paper`` says, its points, and its items, filtered."""

import csv
import io
import json
from typing import get_args

import pytest
from click.testing import CliRunner

from quiff.cli import main
from quiff.papers.items import Verdict

ORDER = list(get_args(Verdict))


@pytest.fixture(scope="module")
def paper():
    return json.loads(CliRunner().invoke(main, ["paper", "--json"]).output)


def test_it_says_what_quiff_paper_says(get, paper):
    answer = get("/api/paper").json()
    assert answer["sentences"] == paper["sentences"]
    assert [point["title"] for point in answer["points"]] == [cause["title"] for cause in paper["causes"]]
    first = answer["points"][0]
    assert first["told"][0] == paper["causes"][0]["says"]
    assert "Sec. 6, worked example: 629 -> 469; 9 -> 7" in first["places"]


def test_it_has_every_item_of_quiff_paper_those_as_printed_first(get, paper):
    answer = get("/api/paper").json()
    assert answer["columns"] == ["id", "where", "printed", "computed", "verdict", "note", "cause"]
    ids = [item["id"] for item in sorted(paper["items"], key=lambda item: ORDER.index(item["verdict"]))]
    assert [row[0] for row in answer["rows"]] == ids
    assert answer["rows"][0][4] == "match"


@pytest.mark.parametrize("verdict", ORDER)
def test_it_is_filtered_by_verdict(get, paper, verdict):
    rows = get(f"/api/paper?verdict={verdict}").json()["rows"]
    assert {row[0] for row in rows} == {item["id"] for item in paper["items"] if item["verdict"] == verdict}


def test_it_is_filtered_by_words_and_downloaded_as_shown(get):
    rows = get("/api/paper?verdict=wrong&words=Taxonomy+629").json()["rows"]
    assert rows
    assert all("taxonomy" in str(row).lower() and "629" in str(row) for row in rows)
    file = csv.reader(io.StringIO(get("/download/paper.csv?verdict=wrong&words=Taxonomy+629").text))
    assert [row[0] for row in file][1:] == [row[0] for row in rows]
    assert get("/api/paper?words=nowhere-to-be-found").json()["rows"] == []
