"""Populations: the stream tells what the studies find, and ends when nobody listens."""

import csv
import io
import json
import threading

import pytest

from quiff import Population, TopicsAPI, exposure, measure, over_time, user_risk
from quiff.errors import ParameterError
from quiff.results.numbers import shown
from quiff.web.app import make_app
from quiff.web.guard import Access
from quiff.web.jobs import _KEPT, _WAITING, BusyError, Jobs
from quiff.web.people import People, Profiles
from quiff.web.queries import read_population
from web.served import PROFILES, finished

QUERY = "people=300&seed=7&noise=0.1"


def events(text):
    blocks = [block for block in text.strip().split("\n\n") if block.startswith("event: ")]
    pairs = [block.removeprefix("event: ").split("\ndata: ") for block in blocks]
    return [(kind, json.loads(data)) for kind, data in pairs]


@pytest.fixture(scope="module")
def told(get):
    answer = get(f"/api/population?{QUERY}")
    assert answer.headers["content-type"].startswith("text/event-stream")
    return events(answer.text)


@pytest.fixture(scope="module")
def sections(told):
    return {data["key"]: data for kind, data in told if kind == "section"}


def test_it_tells_progress_then_each_section_then_done(told):
    kinds = [kind for kind, _ in told]
    assert kinds[0] == "progress"
    assert kinds[-1] == "done"
    assert [data["key"] for kind, data in told if kind == "section"] == [
        "people", "privacy", "risk", "topics", "epochs",
    ]  # fmt: skip
    assert all(0 <= data["share"] <= 1 for kind, data in told if kind == "progress")


def test_the_sections_show_what_the_studies_find(sections):
    people, api = Population.synthetic(300, seed=7), TopicsAPI(noise=0.1)
    found = measure(people, api)
    shown_leakages = [row[4] for row in sections["privacy"]["tables"][0]["rows"]]
    assert shown_leakages == [shown(stage.leakage) for stage in found.privacy]
    risk = user_risk(people, api)[api.spec, "risk_mean"]
    assert shown(risk) in sections["risk"]["tables"][0]["rows"][-1]
    most = exposure(people, api).tables["outputs"].rows[0][0]
    assert sections["topics"]["tables"][0]["rows"][0][0] == str(most)
    over = over_time(people, api, 4)
    rows = sections["epochs"]["tables"][0]["rows"]
    leakages = [over[api.spec, "leakage", n] for n in (1, 2, 3, 4)]
    assert [[row[0], row[2]] for row in rows] == [
        [str(n), shown(leakage)] for n, leakage in enumerate(leakages, start=1)
    ]
    assert {row[-1] for row in rows} == {"exact"}


def test_every_table_and_figure_can_be_downloaded(get, sections):
    for key, section in sections.items():
        for number, table in enumerate(section["tables"]):
            answer = get(f"/download/population-{key}-{number}.csv?{QUERY}")
            rows = list(csv.reader(io.StringIO(answer.text)))
            assert rows[0] == table["columns"]
            assert len(rows) - 1 >= len(table["rows"])
        for number, _ in enumerate(section["figures"]):
            assert get(f"/download/population-{key}-{number}.svg?{QUERY}").text.startswith("<svg")
    assert get(f"/download/population-privacy-0.png?{QUERY}").content[1:4] == b"PNG"
    assert get(f"/download/population-privacy-9.csv?{QUERY}").status_code == 404
    assert get(f"/download/population-nothing-0.csv?{QUERY}").status_code == 404
    assert get(f"/download/population-privacy-0.exe?{QUERY}").status_code == 404


def test_a_download_of_what_was_not_run_runs_it(get):
    assert get("/download/population-people-0.csv?people=100&seed=3").status_code == 200


@pytest.mark.slow
def test_attacks_are_shown_if_they_were_asked_for(get):
    told = events(get("/api/population?people=100&attacks=1").text)
    (attacks,) = (data for kind, data in told if kind == "section" and data["key"] == "attacks")
    assert "beugin-mcdaniel" in attacks["tables"][0]["columns"]
    assert attacks["figures"]


def test_the_file_of_the_command_line_is_measured_and_only_that(get, tmp_path):
    path = tmp_path / "profiles.csv"
    path.write_text(PROFILES)
    app = make_app(Access(8349), Jobs(Profiles("profiles.csv", Population.read(path))))
    assert get("/api/settings", app=app).json()["file"] == {"name": "profiles.csv", "users": 3, "top": 2}
    told = events(get("/api/population?source=file&topics=5&noise=0.05", app=app).text)
    (privacy,) = (data for kind, data in told if kind == "section" and data["key"] == "privacy")
    # the paper's worked example: posterior 13/20, leakage 39/20
    assert [row[4] for row in privacy["tables"][0]["rows"]] == ["3", "2", "2", "1.95"]
    assert events(get("/api/population?source=file&topics=fitting", app=app).text)[-1][0] == "done"
    kind, reason = events(get("/api/population?source=file&topics=3", app=app).text)[-1]
    assert (kind, "4 topics occur" in reason) == ("failed", True)


def test_a_file_with_epochs_is_measured_over_its_own():
    sets = [[[0, 1], [1, 2]], [[0, 2], [1, 2]]]
    profiles = Profiles("two", Population.from_array(["a", "b"], sets, ["x", "y", "z"]))
    told = finished(_all(Jobs(profiles), "source=file&topics=3"))
    (epochs,) = (data for kind, data in told if kind == "section" and data["key"] == "epochs")
    assert [row[0] for row in epochs["tables"][0]["rows"]] == ["1", "2"]


def test_without_a_file_there_is_none_to_measure(get):
    told = events(get("/api/population?source=file").text)
    reason = "source is 'file', but quiff explore was started without one; give it a file of profiles"
    assert told[-1] == ("failed", reason)
    with pytest.raises(ParameterError, match="without one"):
        People.of(read_population([("source", "file")]), None)
    assert get("/download/population-people-0.csv?source=file").status_code == 400


def _query(text):
    return read_population([tuple(pair.split("=")) for pair in text.split("&")])


async def _all(jobs, text):
    return events("".join([event async for event in jobs.stream(_query(text))]))


def _studies():
    return [thread for thread in threading.enumerate() if thread.name == "quiff-study"]


def test_closing_the_stream_cancels_the_study():
    jobs, query = Jobs(), _query("people=50000")

    async def leave_early():
        stream = jobs.stream(query)
        async for event in stream:
            assert event.startswith("event: progress")
            break
        await stream.aclose()

    finished(leave_early())
    for thread in _studies():
        thread.join(timeout=60)
    assert not _studies()
    assert query not in jobs._kept


def test_closing_the_server_cancels_the_studies():
    jobs = Jobs()

    async def closed():
        stream = jobs.stream(_query("people=50000"))
        await anext(stream)
        jobs.close()
        for thread in _studies():
            thread.join(timeout=60)
        await stream.aclose()

    finished(closed())
    assert not _studies()


def test_studies_take_turns_and_too_many_are_refused():
    jobs = Jobs()

    async def crowd():
        streams = [jobs.stream(_query(f"people=100&seed={seed}")) for seed in range(_WAITING)]
        with pytest.raises(BusyError, match="try again in a minute"):
            jobs.stream(_query("people=100"))
        found = [[event async for event in stream] for stream in streams]
        assert all(events("".join(each))[-1][0] == "done" for each in found)
        for thread in _studies():
            thread.join(timeout=60)

    finished(crowd())
    assert len(jobs._kept) == _KEPT, "old results are let go"


def test_a_crowded_server_says_so(get):
    jobs = Jobs()
    for _ in range(_WAITING):
        jobs._places.acquire()
    answer = get("/api/population", app=make_app(Access(8349), jobs))
    assert answer.status_code == 503
    assert "try again" in answer.text
