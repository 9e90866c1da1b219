"""People: the stream tells what the studies find, and ends when nobody listens."""

import asyncio
import csv
import io
import json
import re
import threading
from dataclasses import dataclass

import pytest

from generality.own_apis import RandomCountry
from quiff import Api, Population, TopicsAPI, measure
from quiff.core.limits import memory_allowed, memory_limit
from quiff.report.page import Section
from quiff.results.numbers import probability, said
from quiff.web.app import make_app
from quiff.web.guard import Access
from quiff.web.jobs import _KEPT, _WAITING, BusyError, Jobs
from quiff.web.offers import Offers
from quiff.web.people import Profiles, synthetic_people
from quiff.web.queries import read_people
from voice import NUMBER, SCIENTIFIC, significant
from web.fragments import Read
from web.served import PROFILES, finished
from words import refused, worded

QUERY = "n=300&seed=7&api=topics:noise=0.1&observations=3"


def events(text):
    blocks = [block for block in text.strip().split("\n\n") if block.startswith("event: ")]
    pairs = [block.removeprefix("event: ").split("\ndata: ") for block in blocks]
    return [(kind, json.loads(data)) for kind, data in pairs]


@pytest.fixture(scope="module")
def told(get):
    answer = get(f"/api/people?{QUERY}")
    assert answer.headers["content-type"].startswith("text/event-stream")
    return events(answer.text)


@pytest.fixture(scope="module")
def sections(told):
    return {data["key"]: Read(data["html"]) for kind, data in told if kind == "section"}


def test_no_number_of_any_table_has_more_than_four_digits(sections):
    """Folded ones too; what is infinite is told in words."""
    cells = [
        cell for data in sections.values() for each in data.tables for row in each["rows"] for cell in row
    ]
    assert len(cells) > 100
    for cell in cells:
        rest = re.sub(r"1 in [\d,.]+", "", cell)
        assert [number for number in NUMBER.findall(rest) if significant(number) > 4] == [], cell
        assert not SCIENTIFIC.search(cell)
        assert "inf" not in cell.split()


def test_it_tells_progress_then_each_section_then_done(told):
    kinds = [kind for kind, _ in told]
    assert kinds[0] == "progress"
    assert kinds[-1] == "done"
    assert [data["key"] for kind, data in told if kind == "section"] == [
        "reveals",
        "time",
        "risk",
        "use",
    ]
    assert all(0 <= data["share"] <= 1 for kind, data in told if kind == "progress")


def test_the_sections_show_what_the_studies_find(sections):
    people, api = Population.synthetic(300, seed=7), TopicsAPI(noise=0.1)
    result = measure(people, api)
    rows = [row for row in sections["reveals"].tables[0]["rows"] if row[0] != "third-party cookie"]
    leakages = [row.value for row in result.rows if row.quantity == "leakage"]
    assert [row[-3] for row in rows] == list(map(said, leakages))

    known = [row.value for row in result.rows if (row.goal, row.quantity) == ("topics", "goal_posterior")]
    use = probability(known[-2])  # of the last stage, with the prior of these people
    message = "\n".join(sections["use"].paragraphs)
    worded(message)
    assert f"{use}" in message
    assert all(section.paragraphs for section in sections.values())
    assert not any("Not measured" in text for section in sections.values() for text in section.paragraphs)


def test_every_table_and_figure_can_be_downloaded(get, sections):
    for key, section in sections.items():
        for number, table in enumerate(section.tables):
            answer = get(f"/download/people/{key}-{number}.csv?{QUERY}")
            rows = list(csv.reader(io.StringIO(answer.text)))
            assert rows[0] == table["columns"]
            assert len(rows) - 1 >= len(table["rows"])
        assert get(f"/download/people/{key}-0.svg?{QUERY}").text.startswith("<svg")
    assert get(f"/download/people/reveals-0.png?{QUERY}").content[1:4] == b"PNG"
    assert get(f"/download/people/reveals-99.csv?{QUERY}").status_code == 404
    assert get(f"/download/people/nothing-0.csv?{QUERY}").status_code == 404
    assert get(f"/download/people/reveals-0.exe?{QUERY}").status_code == 404


def test_a_download_of_what_was_not_run_runs_it(get):
    assert get("/download/people/reveals-0.csv?n=100&seed=3").status_code == 200


@pytest.mark.full
def test_attacks_are_shown_if_they_were_asked_for(get):
    told = events(get("/api/people?n=100&attacks=1").text)
    (attacks,) = (data for kind, data in told if kind == "section" and data["key"] == "attacks")
    assert "beugin-mcdaniel" in [row[1] for row in Read(attacks["html"]).tables[0]["rows"]]
    assert attacks["figures"]


def test_interests_that_change_are_shown_if_their_stability_is_given(get):
    told = dict(enumerate(events(get("/api/people?n=100&observations=2&stability=0.8").text)))
    assert "If interests change" in " ".join(
        data["html"] for kind, data in told.values() if kind == "section"
    )
    assert get("/api/people?n=100&stability=80").status_code == 400


def test_the_file_of_the_command_line_is_measured_and_only_that(get, tmp_path):
    path = tmp_path / "profiles.csv"
    path.write_text(PROFILES)
    app = make_app(Access(8349), Jobs(Profiles("profiles.csv", Population.read(path))))
    assert get("/api/settings", app=app).json()["file"] == {
        "name": "profiles.csv", "users": 3, "attributes": ["topics"],
    }  # fmt: skip
    told = events(get("/api/people?source=file&api=topics:n_topics=5,top_s=2", app=app).text)
    (privacy,) = (data for kind, data in told if kind == "section" and data["key"] == "reveals")
    # the paper's worked example: posterior 13/20, leakage 39/20
    assert [row[-3] for row in Read(privacy["html"]).tables[0]["rows"]] == ["3", "2", "2", "1.95"]
    kind, reason = events(get("/api/people?source=file&api=topics:n_topics=3,top_s=2", app=app).text)[-1]
    assert kind == "failed"
    worded(reason, 3, 4)


def test_a_file_with_epochs_is_measured_over_its_own():
    sets = [[[0, 1], [1, 2]], [[0, 2], [1, 2]]]
    profiles = Profiles("two", Population.from_array(["a", "b"], sets, ["x", "y", "z"]))
    told = finished(_all(Jobs(profiles), [("source", "file"), ("api", "topics:n_topics=3,top_s=2")]))
    (time,) = (data for kind, data in told if kind == "section" and data["key"] == "time")
    assert [row[0] for row in Read(time["html"]).tables[0]["rows"]] == ["1", "2"]


def test_without_a_file_there_is_none_to_measure(get):
    told = events(get("/api/people?source=file").text)
    reason = "source is 'file', but quiff explore was started without one; give it a file of people"
    assert told[-1] == ("failed", reason)
    assert get("/download/people/reveals-0.csv?source=file").status_code == 400


def test_an_api_whose_attribute_people_lack_says_how_to_get_it(get):
    app = make_app(Access(8349), Jobs(), [RandomCountry()])
    kind, reason = events(get("/api/people?n=100&api=random_country", app=app).text)[-1]
    assert kind == "failed"
    worded(reason)


def test_synthetic_people_have_the_sizes_of_the_api():
    people = synthetic_people(100, 0, [TopicsAPI("v2", 3), RandomCountry()])
    assert (people.n_users, people.topics.size, people.top_s) == (100, 469, 3)


def test_synthetic_people_that_are_too_large_are_refused(get):
    kind, reason = events(get("/api/people?n=100&api=topics:n_topics=10000,top_s=100").text)[-1]
    assert (kind, "too large for this page" in reason) == ("failed", True)


def test_an_api_that_breaks_is_told_and_ends_the_study(get):
    @dataclass(frozen=True)
    class Broken(Api):
        def observe(self, secrets):
            raise ZeroDivisionError("never divided")

    app = make_app(Access(8349), Jobs(), [Broken()])
    told = events(get("/api/people?n=100&api=broken", app=app).text)
    assert told[-1] == ("failed", "ZeroDivisionError: never divided")


def _query(**pairs):
    return read_people([(name, str(value)) for name, value in pairs.items()], Offers())


async def _all(jobs, pairs):
    return events("".join([event async for event in jobs.stream(_query(**dict(pairs)))]))


def _studies():
    return [thread for thread in threading.enumerate() if thread.name == "quiff-study"]


def test_closing_the_stream_cancels_the_study():
    jobs, query = Jobs(), _query(n=50_000)

    async def leave_early():
        stream = jobs.stream(query)
        async for event in stream:
            assert event.startswith("event: progress")
            break
        await stream.aclose()

    finished(leave_early())
    for thread in _studies():
        thread.join(timeout=300)
    assert not _studies()
    assert query not in jobs._kept


def test_closing_the_server_cancels_the_studies():
    jobs = Jobs()

    async def closed():
        stream = jobs.stream(_query(n=50_000))
        await anext(stream)
        jobs.close()
        for thread in _studies():
            thread.join(timeout=300)
        await stream.aclose()

    finished(closed())
    assert not _studies()


def test_studies_take_turns_and_too_many_are_refused(monkeypatch):
    jobs, at_work, most, asked = Jobs(), [], [], threading.Event()

    def short(question):
        asked.wait(300)
        at_work.append(question)
        most.append(len(at_work))
        yield Section("reveals", "What it reveals")
        at_work.pop()

    monkeypatch.setattr("quiff.report.studies.sections", short)

    async def crowd():
        streams = [jobs.stream(_query(n=100, seed=seed)) for seed in range(_WAITING)]
        with refused(BusyError):
            jobs.stream(_query(n=100))
        asked.set()
        found = [[event async for event in stream] for stream in streams]
        assert all(events("".join(each))[-1][0] == "done" for each in found)
        for thread in _studies():
            thread.join(timeout=300)

    finished(crowd())
    assert most == [1] * _WAITING
    assert len(jobs._kept) == _KEPT, "old results are let go"


def test_a_crowded_server_says_so(get):
    jobs = Jobs()
    for _ in range(_WAITING):
        jobs._places.acquire()
    answer = get("/api/people", app=make_app(Access(8349), jobs))
    assert answer.status_code == 503
    assert "try again" in answer.text


def test_a_study_is_bound_by_the_memory_limit_of_the_command(monkeypatch):
    found = []
    monkeypatch.setattr(Jobs, "_study", lambda *_: found.append(memory_allowed()))
    jobs = Jobs()

    async def study():
        return [event async for event in jobs.stream(None)]

    def command():
        with memory_limit(1):
            asyncio.run(study())

    served = threading.Thread(target=command)  # the browser of other tests may have this one's loop
    served.start()
    served.join()
    assert found == [2**30]
