"""A report has no cell about fewer than five people, unless users are to be listed; and it says so."""

import re
from html import unescape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff import Population, TopicsAPI, exposure, over_time, popularity, user_risk
from quiff.logs.stats import Statistics, sizes_of_counts
from quiff.measures.distribution import Distribution
from quiff.measures.distribution import merged as merged_groups
from quiff.report.compose import SMALLEST, Source, compose_report
from quiff.results.small_cells import left_out
from quiff.studies.dataset_statistics import DatasetStatistics
from words import worded

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
    return [table for section in page.sections for table in section.tables]


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


# Topic 1 is everybody's, and one user alone has topic 10: who knows the others' counts knows that.
ALONE = Population.from_sets({f"u{x}": {1, topic} for x, topic in enumerate([2] * 12 + [3] * 7 + [10])})


@pytest.mark.parametrize("least", [1, 5])
def test_one_cell_alone_is_not_left_out(least):
    """It could be had by subtraction: the next smallest goes with it."""
    api = TopicsAPI(n_topics=20, top_s=2)
    shown = [{1, 2}, {1, 2, 3, 10}][least == 1]
    found = exposure(ALONE, api, least=least)
    for table in found.tables.values():
        if table.columns[0] in ("output", "topics"):
            assert {int(row[0]) for row in table.rows} == shown, table.title
    text = found.to_text(everything=True)
    words = "2 outputs with fewer than 5 users behind, or by which those could be told, are not listed."
    assert (words in " ".join(text.split())) == (least == 5)
    counts = popularity(ALONE, api, simulations=5, least=least).tables["values"]
    assert {row[0] for row in counts.rows} == shown
    assert any("or by which those could be told" in note for note in counts.notes) == (least == 5)


@given(st.lists(st.integers(0, 12), max_size=9), st.integers(1, 6))
def test_what_is_left_out_cannot_be_told_from_the_rest(users, least):
    out = left_out(users, least)
    shown = [n for n, gone in zip(users, out, strict=True) if not gone]
    hidden = [n for n, gone in zip(users, out, strict=True) if gone and n]
    assert all(n >= least for n in shown)
    if hidden and shown:
        assert len(hidden) > 1
        assert sum(hidden) >= least
        assert max(hidden) <= min(shown)


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.7, 1.0]), st.integers(1, 7)), min_size=1),
    st.integers(1, 6),
)
def test_a_step_of_a_curve_is_of_so_many_people(risks, least):
    values, users = map(np.array, zip(*risks, strict=True))
    every = Distribution(values, users)
    steps = every.grouped(least)
    assert steps.weights.sum() == users.sum()
    assert steps.weights.min() >= min(least, users.sum())
    assert steps.mean == pytest.approx(every.mean)
    single = sorted((value for value, n in risks for _ in range(n)), reverse=True)
    if least > 1:  # one loop over single users
        held = 0
        for value, n in zip(steps.values, steps.weights.astype(int), strict=True):
            assert value == pytest.approx(np.mean(single[held : held + n]))
            held += n


@pytest.mark.parametrize(
    "weights", [None, {f"u{x}": 1 + x % 3 for x in range(30)}], ids=["plain", "weighted"]
)
@pytest.mark.parametrize("least", [1, 5])
def test_curves_of_risk_have_steps_of_five_people(least, weights):
    """All sets differ, and all risks: a step for each user would show the risk of every one."""
    sets = {f"u{x}": {x, x + 1, *range(40 + x % 7, 42 + x)} for x in range(30)}
    longest = max(map(len, sets.values()))
    sets = {user: set(sorted(some | set(range(100, 140)))[:longest]) for user, some in sets.items()}
    people = Population.from_sets(sets, weights=weights)
    api = TopicsAPI(n_topics=200, top_s=longest)
    for result, along in (
        (user_risk(people, api, least=least), "x"),
        (over_time(people, api, 1, least=least), "y"),
    ):
        drawn = drawn_risks(result.figures["risk"](), along)
        risks = sorted(map(float, user_risk(people, api).per_user.values[api.spec, api.name, "own_risk"]))
        largest = max(drawn)
        if least == 1:
            assert largest == pytest.approx(risks[-1])
        else:
            assert len({round(value, 12) for value in drawn}) <= 1 + 30 // least
            assert risks[-5] < largest < risks[-1]


def drawn_risks(figure, along):
    """Return the risks of the points in a figure's own data, which lie along one axis."""
    return [point[along] for data in figure.spec["datasets"].values() for point in data if "series" in point]


def test_it_states_its_smallest_cell(report):
    listed, page = report
    text = unescape(re.sub("<[^>]+>", " ", page.to_html()))
    assert ("The smallest cell that this report shows is of 5 people" in text) != listed
    assert ("Cells may be about a single person" in text) == listed


def test_what_exposes_most_is_said_of_those_that_are_listed(report):
    listed, page = report
    blocks = [block for section in page.sections for block in section.blocks]
    said = " ".join(text for block in blocks for text in (*block.lead, *block.further))
    assert ("of the outputs with 5 users or more behind them, the output '2' exposes most" in said) != listed
    assert ("the output '10' exposes most" in said) == listed


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
    assert merged_groups(groups, 5) == merged


def test_people_of_whom_nothing_can_be_listed_have_a_report_all_the_same():
    few = Population.from_sets({"a": {1, 2}, "b": {3, 4}, "c": {5, 6}})
    page = compose_report(few, (TopicsAPI(20, 2),), Source("3 people"), observations=1)
    text = page.to_html()
    assert "outputs with fewer than 5 users behind are not listed" in text
    assert not any(table.columns[0] in ("output", "topic", "topics") for table in tables(page) if table.rows)


def test_the_curve_of_records_has_steps_of_five_users():
    counts = ((1, 6), (2, 1), (3, 7), (8, 2), (9, 1))
    found = Statistics("treated", 60, 17, sizes=sizes_of_counts(counts), users_per_count=counts)
    shares = {
        least: [
            round(17 * point["share"])
            for data in DatasetStatistics(found, least).figure().spec["datasets"].values()
            for point in data
            if "series" in point
        ]
        for least in (1, 5)
    }
    assert shares == {1: [17, 11, 10, 3, 1], 5: [17, 11]}
    table = DatasetStatistics(found, 5).tables()[2]
    assert table.rows == ((3, 7),)
    worded("\n".join(table.notes), 4, 5)


def test_domains_of_few_visitors_are_left_out():
    counts = ((1, 6),)
    found = Statistics(
        "treated", 6, 6, domains=2, sizes=sizes_of_counts(counts), users_per_count=counts,
        most_visited=(("all.example", 9), ("one.example", 4)), visitors=(6, 1),
    )  # fmt: skip
    table = DatasetStatistics(found, 5).tables()[-1]
    assert table.rows == (("all.example", 9),)
    worded(table.notes[0], 1, 5)
    assert len(DatasetStatistics(found).tables()[-1].rows) == 2
