"""A month is 28 days wherever one is printed: for Topics four weekly page views, that is six observations."""

from itertools import product

import pytest

import quiff
from quiff import Population, TopicsAPI, api_from
from quiff.apis.base import in_a_month
from quiff.report.studies import Question
from quiff.results.numbers import probability

SETS = {"u": {0, 1}, "v": {1, 2}, "w": {2, 3}, "x": {0, 1}, "y": {0, 3}}
PEOPLE = Population.from_sets(SETS)
API = TopicsAPI(n_topics=5, top_s=2, noise=0.2)


@pytest.fixture(scope="module")
def month():
    """What six observations re-identify with, as a plain loop over all 5^6 of them."""
    inside, outside = 0.8 / 2 + 0.2 / 5, 0.2 / 5
    right = 0.0
    for seen in product(range(5), repeat=6):
        best = 0.0
        for topics in SETS.values():
            likely = 1.0
            for topic in seen:
                likely *= inside if topic in topics else outside
            best = max(best, likely)
        right += best / len(SETS)
    return right


def test_the_number_of_observations_follows_from_the_unit():
    four_weeks = {"topics": 6, "android_topics": 4, "floc": 4, "select_url": 28, "parakeet": None}
    assert {name: in_a_month(api_from(name)) for name in four_weeks} == four_weeks


def test_compare_epochs_and_report_have_one_month(month):
    over = quiff.over_time(PEOPLE, API, 6)
    row = over.row(API.spec, "posterior", 6)
    low, high = (row.value, row.value) if row.low is None else (row.low, row.high)
    assert low - 1e-12 <= month <= high + 1e-12
    compared = quiff.compare(PEOPLE, API)
    assert compared[API.spec, "posterior", 6] == row.value
    assert compared.rows.where(quantity="posterior").values("observations") == [1, 6]
    assert compared.apis[API.spec].month == over.apis[API.spec].month == 6
    assert Question(PEOPLE, (API,)).over_time(API).row(API.spec, "posterior", 6).value == row.value


def test_a_month_says_what_it_is_where_it_is_printed():
    compared = quiff.compare(PEOPLE, API)
    share = probability(compared[API.spec, "posterior", 6])
    assert share in compared.to_text()
    assert "a month is 4 weekly page views, 6 observations" in " ".join(compared.tables["across"].notes)
    assert "A month is 28 days" in compared.to_text()
    over = quiff.over_time(PEOPLE, API, 6)
    text = over.to_text()
    assert "6 observations (4 weekly page views: a month) multiply" in over.sentences[0]
    assert "A month, 28 days, is 6 observations: 4 weekly page views" in text
    table = over.tables["over_time"]
    named = [row[table.columns.index("which are")] for row in table.rows]
    assert [place for place, name in enumerate(named, start=1) if name == "a month"] == [6]


def test_who_asks_for_less_than_a_month_is_told_what_it_would_be():
    over = quiff.over_time(PEOPLE, API, 4)
    assert "4 observations (2 weekly page views) multiply" in over.sentences[0]
    assert "which are" not in over.tables["over_time"].columns
    assert "A month, 28 days, is 6 observations" in over.to_text()
