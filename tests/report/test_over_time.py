"""The sections on several epochs keep to the epochs that there are sets for."""

import pytest

from quiff import Population, TopicsAPI, drift
from quiff.epochs import plan as planning
from quiff.errors import SizeError
from quiff.report import over_time
from quiff.report.compose import Source, compose_report

API = TopicsAPI()


def people(n_epochs):
    stable = Population.synthetic(30, seed=1)
    return stable if n_epochs == 1 else drift(stable, n_epochs, 0.2, seed=2)


@pytest.mark.parametrize(("n_epochs", "measured"), [(1, 4), (2, 2), (3, 3), (6, 4)])
def test_no_more_epochs_are_measured_than_there_are_sets_for(n_epochs, measured):
    section = over_time.study_epochs(people(n_epochs), API, 4)
    assert [row[0] for row in section.tables[0].rows] == list(range(1, measured + 1))


@pytest.mark.parametrize(
    ("n_epochs", "after"),
    [(1, [1, 5]), (2, [1]), (3, [1]), (4, [1, 2]), (6, [1, 4]), (7, [1, 5]), (9, [1, 5])],
)
def test_attacks_are_tried_as_long_as_there_are_sets(n_epochs, after):
    section = over_time.study_attacks(people(n_epochs), API, (1, 5), seeds=1)
    assert [row[0] for row in section.tables[0].rows] == after


def test_what_is_too_much_work_is_said_and_not_done(monkeypatch):
    def refuse(*_, **__):
        raise SizeError("it would take a year")

    monkeypatch.setattr(over_time, "over_time", refuse)
    page = compose_report(people(1), API, Source("thirty"))
    (section,) = (section for section in page.sections if section.key == "epochs")
    assert section.reading == ("Not measured: it would take a year.",)
    assert (section.figures, section.tables) == ((), ())


def test_a_section_that_is_left_out_tells_of_no_option_that_is_not_there(monkeypatch):
    monkeypatch.setattr(planning, "_TOTAL_SECONDS", 0)
    (reading,) = over_time.study_epochs(people(1), API, 4).reading
    assert reading.startswith("Not measured: 4 observations of these people would take about")
    assert reading.endswith("GiB; ask for fewer.")
