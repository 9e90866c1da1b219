"""The paper: what ``quiff paper`` says, its points, and its items, filtered."""

import asyncio
import csv
import io
import json
import threading
from typing import get_args

import httpx
import pytest
from click.testing import CliRunner

from quiff.cli import main
from quiff.papers import check
from quiff.papers.items import Verdict
from quiff.web import paper as paper_view
from web.fragments import Read
from web.served import finished
from words import worded

ORDER = list(get_args(Verdict))


@pytest.fixture(scope="module")
def paper():
    return json.loads(CliRunner().invoke(main, ["paper", "--json"]).output)


def shown(answer):
    (table,) = Read(answer.json()["html"]).tables
    return table["rows"]


def test_it_says_what_quiff_paper_says(get, paper):
    answer = get("/api/paper").json()
    assert answer["sentences"] == paper["sentences"]
    assert [point["title"] for point in answer["points"]] == [cause["title"] for cause in paper["causes"]]
    first = answer["points"][0]
    assert first["told"][0] == paper["causes"][0]["says"]
    worded(first["places"], 6, 629, 469, 9, 7)


def test_it_has_every_item_of_quiff_paper_those_as_printed_first(get, paper):
    answer = get("/api/paper").json()
    (table,) = Read(answer["html"]).tables
    assert table["columns"] == ["id", "where", "printed", "computed", "verdict", "note", "cause"]
    ids = [item["id"] for item in sorted(paper["items"], key=lambda item: ORDER.index(item["verdict"]))]
    assert [row[0] for row in table["rows"]] == ids
    assert answer["verdicts"] == [row[4] for row in table["rows"]]
    assert answer["verdicts"][0] == "match"


@pytest.mark.parametrize("verdict", ORDER)
def test_it_is_filtered_by_verdict(get, paper, verdict):
    rows = shown(get(f"/api/paper?verdict={verdict}"))
    assert {row[0] for row in rows} == {item["id"] for item in paper["items"] if item["verdict"] == verdict}


def test_it_is_filtered_by_words_and_downloaded_as_shown(get):
    rows = shown(get("/api/paper?verdict=wrong&words=Taxonomy+629"))
    assert rows
    assert all("taxonomy" in str(row).lower() and "629" in str(row) for row in rows)
    file = csv.reader(io.StringIO(get("/download/paper.csv?verdict=wrong&words=Taxonomy+629").text))
    assert [row[0] for row in file][1:] == [row[0] for row in rows]
    assert shown(get("/api/paper?words=nowhere-to-be-found")) == []


def test_many_who_ask_at_once_have_the_paper_checked_once(app, monkeypatch):

    begun, others = [], threading.Event()

    def slowly(*given, checked=check.check_paper):
        begun.append(threading.get_ident())
        others.wait(300)
        return checked(*given)

    monkeypatch.setattr(check, "check_paper", slowly)
    paper_view._paper.cache_clear()

    async def many():
        transport = httpx.ASGITransport(app)
        page = {"Sec-Fetch-Site": "same-origin"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1:8349", headers=page
        ) as client:
            paths = ["/api/paper", "/download/paper.csv", "/api/paper?verdict=wrong"] * 20
            first = asyncio.gather(*(client.get(path) for path in paths))
            while not begun:
                await asyncio.sleep(0.01)
            other = await client.get("/api/settings")  # which is not kept waiting
            others.set()
            assert len(begun) == 1
            return [*await first, other]

    answers = finished(many())
    assert {answer.status_code for answer in answers} == {200}
    assert len(begun) == 1
