"""The list of studies behind the report and the page: for any API, and what cannot be studied says so."""

import re

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


@pytest.fixture(scope="module", params=[1, 2, 4])
def several(request):
    noises = (0.05, 0.5, 0.25, 0.75)[: request.param]
    settings = [TopicsAPI(noise=noise) for noise in noises]
    names = ["Topics API", *(f"Topics API, noise {100 * noise:g} %" for noise in noises[1:])]
    return names, compose_report(people(1), (Cookies(), *settings), Source("thirty"))


def test_every_section_and_every_conclusion_speaks_of_every_api(several):
    names, page = several
    for section in page.sections if len(names) > 1 else ():  # the page is about one alone
        blocks = [block for block in section.blocks if not block.folded]
        texts = [text for block in blocks for text in (block.title, *block.lead)]
        tables = [table for block in blocks for table in block.tables[:1]]
        texts += [str(cell) for table in tables for row in table.rows for cell in row]
        for name in names:
            assert any(name in text for text in texts), (section.key, name)
    for name in names:
        for sentences in (*page.conclusions.values(), page.reading):
            assert any(f"({name})" in text or text.startswith(f"{name}: ") for text in sentences), name
        assert len(names) == 1 or any(text.startswith(f"{name}: ") for text in page.headline), name
        assert sum(name in row for row in page.limits[0].tables[0].rows) == 3, name


@pytest.mark.full
def test_linkability_is_one_quantity_whether_attacks_were_run_or_not():
    linked = []
    for attacks in (False, True):
        page = compose_report(people(1), (TopicsAPI(),), Source("thirty"), attacks=attacks)
        linked.append([row for row in page.limits[0].tables[0].rows if row[0] == "linkability"])
    assert linked[0] == linked[1]
    assert "at most" in linked[0][0][1]


def test_a_table_that_is_cut_can_be_opened_whole(several):
    _, page = several
    html = page.to_html()
    tables = [table for section in page.sections for table in section.tables]
    long = [len(table.rows) for table in tables if len(table.rows) > 12]
    assert long
    assert sorted(map(int, re.findall("<summary>All (\\d+) rows</summary>", html))) == sorted(long)
