"""A report has no cell about fewer than five people, unless users are to be listed; and it says so."""

import re
from html import unescape

import pytest

from quiff import Population, TopicsAPI
from quiff.history.stats import Statistics, sizes_of_counts
from quiff.report.compose import SMALLEST, Source, compose_report
from quiff.results.dataset_statistics import DatasetStatistics
from quiff.results.views.risk import _merged

# Topic 1 is everybody's, topic 2 that of half of them, the others of one, two, three, ... users.
RARE = [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 10, 11, 11, 12, 12, 12, 13, 13, 13, 13]
PEOPLE = Population.from_sets({f"u{place}": {1, topic} for place, topic in enumerate(RARE)})
COUNTS = {str(topic): RARE.count(topic) for topic in RARE} | {"1": len(RARE)}
FEW = {topic for topic, users in COUNTS.items() if users < SMALLEST}


@pytest.fixture(scope="module", params=[False, True], ids=["default", "listed"])
def report(request):
    api = TopicsAPI(n_topics=20, top_s=2)
    page = compose_report(PEOPLE, (api,), Source("20 people"), observations=1, list_users=request.param)
    return request.param, page


def tables(page):
    def within(section):
        yield from section.tables
        for part in section.parts:
            yield from within(part)

    for section in page.sections:
        yield from within(section)


def test_values_that_few_people_have_are_in_no_table(report):
    listed, page = report
    assert {"10", "11", "12", "13"} == FEW
    named = set()
    for table in tables(page):
        if table.columns[0] in ("output", "topic", "topics"):
            named |= {str(row[0]) for row in table.rows}
    assert named & FEW == (FEW if listed else set())
    assert {"1", "2"} <= named


def test_groups_of_few_are_merged(report):
    listed, page = report
    groups = [table for table in tables(page) if table.title.startswith("Who shares a secret")]
    users = [row[table.columns.index("users")] for table in groups for row in table.rows]
    assert sum(users) == 20
    assert (min(users) >= SMALLEST) != listed
    shares = [
        row[table.columns.index("share of users")]
        for table in tables(page)
        if table.title == "Users by their own risk"
        for row in table.rows
    ]
    assert shares
    assert listed or min(shares) >= SMALLEST / 20


def test_it_states_its_smallest_cell(report):
    listed, page = report
    text = unescape(re.sub("<[^>]+>", " ", page.to_html()))
    assert ("The smallest cell that this report shows is of 5 people" in text) != listed
    assert ("Cells may be about a single person" in text) == listed


def test_what_exposes_most_is_said_of_those_that_are_listed(report):
    listed, page = report
    said = " ".join(text for section in page.sections for text in _texts(section))
    assert ("of the outputs with 5 users or more behind them, the output '2' exposes most" in said) != listed
    assert ("the output '10' exposes most" in said) == listed


def _texts(section):
    yield from section.sentences
    for part in section.parts:
        yield from _texts(part)


@pytest.mark.parametrize(
    ("groups", "merged"),
    [
        ([(0, 1, 1), (1, 2, 1), (2, None, 1)], [(0, None, 3)]),
        ([(0, 1, 9), (1, 2, 1)], [(0, 2, 10)]),
        ([(0, 1, 1), (1, 2, 9), (2, None, 5)], [(0, 2, 10), (2, None, 5)]),
        ([(0, 1, 5), (1, 2, 0), (2, None, 6)], [(0, 1, 5), (2, None, 6)]),
        ([(0, 1, 2)], [(0, 1, 2)]),
    ],
)
def test_a_small_group_goes_with_the_next(groups, merged):
    assert _merged(groups, 5) == merged


def test_people_of_whom_nothing_can_be_listed_have_a_report_all_the_same():
    few = Population.from_sets({"a": {1, 2}, "b": {3, 4}, "c": {5, 6}})
    page = compose_report(few, (TopicsAPI(20, 2),), Source("3 people"), observations=1)
    text = page.to_html()
    assert "outputs with fewer than 5 users behind are not listed" in text
    assert not any(table.columns[0] in ("output", "topic", "topics") for table in tables(page) if table.rows)


def test_domains_of_few_visitors_are_left_out():
    counts = ((1, 6),)
    found = Statistics(
        "treated", 6, 6, domains=2, sizes=sizes_of_counts(counts), users_per_count=counts,
        most_visited=(("all.example", 9), ("one.example", 4)), visitors=(6, 1),
    )  # fmt: skip
    table = DatasetStatistics(found, 5).tables()[-1]
    assert table.rows == (("all.example", 9),)
    assert "1 domain of fewer than 5 users" in table.notes[0]
    assert len(DatasetStatistics(found).tables()[-1].rows) == 2
