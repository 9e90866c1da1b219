"""The list of studies behind the report and the page: for any API, and what cannot be studied says so."""

import pytest

from generality.own_apis import LEAKAGES, PEOPLE, HashCohort, NumberedBuckets, RandomCountry
from quiff import Cookies, Population, TopicsAPI, drift
from quiff.errors import ParameterError, SizeError
from quiff.report import studies
from quiff.report.compose import Source, compose_report
from quiff.report.studies import Question, sections
from words import refused, worded

OWN = (HashCohort(), RandomCountry(), NumberedBuckets())


def own_people():
    people = Population.from_sets({row[0]: set(row[1:3]) for row in PEOPLE})
    country, history = ({row[0]: row[place] for row in PEOPLE} for place in (3, 4))
    return people.with_attribute("country", country).with_attribute("history", history)


def people(n_epochs):
    stable = Population.synthetic(30, seed=1)
    return stable if n_epochs == 1 else drift(stable, n_epochs, 0.2, seed=2)


@pytest.mark.parametrize("api", OWN, ids=lambda api: api.name)
def test_an_api_that_quiff_does_not_know_has_a_report(api):
    page = compose_report(own_people(), (Cookies(), api), Source("eight"), observations=2)
    assert page.title.lower().startswith(f"{api.title}: ")
    leakage = f"{LEAKAGES[api.name]:g}"
    assert any(f"by {leakage}, from 12.5 %" in sentence for sentence in page.sections[0].blocks[0].lead)
    summary = dict(zip(page.summary.columns, page.summary.rows[0], strict=True))
    assert summary["third-party cookie"] == "100 %"
    assert summary[api.title] == f"{100 * LEAKAGES[api.name] / 8:.3g} % (guessing: 12.5 %)"


def test_two_settings_of_one_api_stand_beside_each_other():
    page = compose_report(people(1), (TopicsAPI(), TopicsAPI(noise=0.3)), Source("thirty"), observations=1)
    assert page.summary.columns[1:] == ("Topics API", "Topics API, noise 30 %")


def test_three_apis_are_set_side_by_side_and_two_are_not():
    for count in (2, 3):
        question = Question(own_people(), OWN[:count], observations=1)
        found = {section.key: section for section in sections(question)}
        assert ("compare" in found) == (count == 3)
    titles = [table.title for table in found["compare"].tables]
    worded(titles[0])
    assert len(found["compare"].tables[0].rows) == 3


@pytest.mark.parametrize(("n_epochs", "measured"), [(1, 6), (2, 2), (3, 3), (6, 6)])
def test_four_page_views_are_six_epochs_and_no_more_than_there_are_sets_for(n_epochs, measured):
    question = Question(people(n_epochs), (TopicsAPI(),))
    (section,) = (section for section in sections(question) if section.key == "time")
    assert [row[0] for row in section.tables[0].rows] == list(range(1, measured + 1))


def test_what_is_too_much_work_is_said_and_not_done(monkeypatch):
    def refuse(*_, **__):
        raise SizeError("it would take a year")

    monkeypatch.setattr(studies, "over_time", refuse)
    page = compose_report(people(1), (TopicsAPI(),), Source("thirty"))
    (section,) = (section for section in page.sections if section.key == "time")
    assert section.blocks[0].lead == ("Not measured: it would take a year.",)
    assert section.figures == ()


def test_what_is_wrong_with_people_or_apis_is_an_error_and_no_section():
    with refused(ParameterError):
        compose_report(people(1), (HashCohort(),), Source("thirty"))
