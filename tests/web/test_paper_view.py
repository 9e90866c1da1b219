"""The paper: the table of ``quiff paper``, errata on top, filtered."""

import csv
import io
import json

import pytest
from click.testing import CliRunner

from quiff.cli import main

ORDER = ["erratum", "match", "needs-data"]


@pytest.fixture(scope="module")
def items():
    return json.loads(CliRunner().invoke(main, ["paper", "--json"]).output)["items"]


def test_it_has_every_item_of_quiff_paper_errata_first(get, items):
    answer = get("/api/paper").json()
    assert answer["columns"] == ["id", "where", "printed", "computed", "verdict", "note"]
    ids = [item["id"] for item in sorted(items, key=lambda item: ORDER.index(item["verdict"]))]
    assert [row[0] for row in answer["rows"]] == ids
    assert answer["rows"][0][4] == "erratum"


@pytest.mark.parametrize("verdict", ORDER)
def test_it_is_filtered_by_verdict(get, items, verdict):
    rows = get(f"/api/paper?verdict={verdict}").json()["rows"]
    assert {row[0] for row in rows} == {item["id"] for item in items if item["verdict"] == verdict}


def test_it_is_filtered_by_words_and_downloaded_as_shown(get):
    rows = get("/api/paper?verdict=erratum&words=Taxonomy+629").json()["rows"]
    assert rows
    assert all("taxonomy" in str(row).lower() and "629" in str(row) for row in rows)
    file = csv.reader(io.StringIO(get("/download/paper.csv?verdict=erratum&words=Taxonomy+629").text))
    assert [row[0] for row in file][1:] == [row[0] for row in rows]
    assert get("/api/paper?words=nowhere-to-be-found").json()["rows"] == []
