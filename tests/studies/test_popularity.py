"""What reports tell about popularity, against the enumeration of all reports of small populations."""

from fractions import Fraction
from itertools import product
from math import inf, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiff import ParameterError, Population, TopicsAPI
from quiff.results.numbers import to_json
from quiff.studies.popularity import estimate_popularity, popularity
from quiff.studies.report_draws import ReportDraws

TOPICS = "abcd"
M, S = 4, 2
populations = st.lists(st.sets(st.sampled_from(TOPICS), min_size=S, max_size=S), min_size=1, max_size=4)


def laws(sets, r):
    """For each user the probability of each report."""
    return [{t: (1 - r) / S * (t in own) + r / M for t in TOPICS} for own in sets]


def holders_of(sets):
    return [sum(t in own for own in sets) for t in TOPICS]


def share_of_orders(holders, counts, wanted):
    """Of all orders by reports, ties in any order, the share with the wanted popularity at each place."""
    if not wanted:
        return Fraction(1)
    tied = [t for t, count in enumerate(counts) if count == max(counts)]
    rest = [
        [-inf if t == chosen else c for t, c in enumerate(counts)]
        for chosen in tied
        if holders[chosen] == wanted[0]
    ]
    return sum((share_of_orders(holders, left, wanted[1:]) for left in rest), Fraction(0)) / len(tied)


def chance_by_enumeration(sets, r, top):
    holders, total = holders_of(sets), Fraction(0)
    wanted = sorted(holders, reverse=True)[:top]
    for reports in product(TOPICS, repeat=len(sets)):
        chance = prod(law[t] for law, t in zip(laws(sets, r), reports, strict=True))
        total += chance * share_of_orders(holders, [reports.count(t) for t in TOPICS], wanted)
    return total


@given(populations, st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(3, 4)]))
@settings(max_examples=25)
def test_the_chances_are_those_of_all_report_vectors(sets, r):
    people = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS))
    found = popularity(people, TopicsAPI(M, S, r), simulations=400, top=3, seed=5)
    for chance in found.chances:
        exact = float(chance_by_enumeration(sets, r, chance.top))
        assert chance.least - 1e-9 <= exact <= chance.most + 1e-9
        assert abs(chance.simulated.value - exact) <= 5 * (exact * (1 - exact) / 400) ** 0.5 + 5 / 400


@given(populations, st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(3, 4)]))
@settings(max_examples=25)
def test_the_estimates_are_unbiased_over_all_report_vectors(sets, r):
    api, N = TopicsAPI(M, S, r), len(sets)
    mean, square = dict.fromkeys(TOPICS, Fraction(0)), dict.fromkeys(TOPICS, Fraction(0))
    for reports in product(TOPICS, repeat=N):
        chance = prod(law[t] for law, t in zip(laws(sets, r), reports, strict=True))
        for topic in estimate_popularity({t: reports.count(t) for t in TOPICS}, api).topics:
            mean[topic.topic] += chance * topic.users
            square[topic.topic] += chance * topic.users**2
    assert list(mean.values()) == holders_of(sets)
    people = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS))
    for row in popularity(people, api, simulations=1).topics:
        assert row.users == mean[row.topic]
        assert row.share == row.users / N
        expected = float(square[row.topic] - mean[row.topic] ** 2) ** 0.5 / N
        assert row.standard_error == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("copies", [3, 40], ids=["drawn one by one", "drawn set by set"])
def test_the_simulated_counts_have_the_mean_and_covariance_of_the_reports(copies):
    sets = [{"a", "b"}, {"a", "c"}] * copies + [{"b", "d"}]
    r, runs = 0.3, 4000
    people = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS))
    draws = ReportDraws.of(people, TopicsAPI(6, S, r))
    assert (len(draws.holders) > 0) == (copies == 40)
    rng = np.random.default_rng(1)
    drawn = np.array([draws.draw(rng) for _ in range(runs)])
    assert (drawn.sum(axis=1) == len(sets)).all()
    rows = np.array([[(1 - r) / S * (t in own) + r / 6 for t in "abcdef"] for own in sets])
    covariance = np.diag(rows.sum(axis=0)) - rows.T @ rows
    deviation = np.sqrt(np.diag(covariance))
    assert np.abs(drawn.mean(axis=0) - rows.sum(axis=0)).max() < 5 * deviation.max() / runs**0.5
    scale = np.outer(deviation, deviation)
    assert np.abs((np.cov(drawn.T) - covariance) / scale).max() < 5 / runs**0.5 * 1.5


def test_a_merged_population_gives_the_same_formulas():
    people = Population.synthetic(3000, seed=2, n_topics=12, top_s=2)
    sets, _ = people.distinct_sets()
    merged = Population(sets, people.topics, sets.codes, counts=people.set_counts())
    api = TopicsAPI(12, 2, 0.1)
    one, other = (popularity(population, api, simulations=20) for population in (people, merged))
    assert [(t.topic, t.users, t.standard_error) for t in one.topics] == [
        (t.topic, t.users, t.standard_error) for t in other.topics
    ]
    for first, second in zip(one.chances, other.chances, strict=True):
        assert (first.least, first.most) == pytest.approx((second.least, second.most), abs=1e-12)


def test_the_approximation_agrees_with_the_simulation_of_many_users():
    people = Population.synthetic(20_000, seed=3, n_topics=40, top_s=3)
    found = popularity(people, TopicsAPI(40, 3, 0.05), simulations=3000, top=4)
    for chance in found.chances:
        assert chance.approximation == pytest.approx(chance.simulated.value, abs=0.04)
    for point in found.growth:
        if point.n_users >= 1000:
            assert point.first_approximation == pytest.approx(point.first.value, abs=0.04)
            assert point.in_order_approximation == pytest.approx(point.in_order.value, abs=0.04)


def test_a_sample_of_users_is_a_multinomial_of_reports():
    """Three users drawn with replacement report a with p = .45 each, the others evenly."""
    people = Population.from_sets({1: {"a", "b"}, 2: {"a", "c"}, 3: {"a", "d"}})
    found = popularity(people, TopicsAPI(4, 2, Fraction(1, 5)), simulations=4000)
    assert [point.n_users for point in found.growth] == [3]
    shares = {"a": 0.45, **dict.fromkeys("bcd", 0.55 / 3)}
    exact = 0.0
    for reports in product(TOPICS, repeat=3):
        counts = [reports.count(t) for t in TOPICS]
        exact += prod(shares[t] for t in reports) * float(share_of_orders([3, 1, 1, 1], counts, [3]))
    assert found.growth[0].first.value == pytest.approx(exact, abs=0.04)


def test_the_paper_answers_another_question():
    found = popularity(Population.synthetic(30, seed=1), simulations=5)
    assert [(p.n_users, round(p.all_bits_right, 7)) for p in found.growth[:1]] == [(10, 0.0055612)]


def test_the_same_seed_gives_the_same_answer_and_another_does_not():
    people = Population.synthetic(500, seed=1)
    one = popularity(people, simulations=30, seed=4)
    assert one == popularity(people, simulations=30, seed=4)
    assert one.topics != popularity(people, simulations=30, seed=5).topics


def test_more_simulations_do_not_change_the_estimate():
    people = Population.synthetic(500, seed=1)
    assert popularity(people, simulations=3).estimate == popularity(people, simulations=7).estimate


def test_it_shows_as_tables_sentences_json_and_figure():
    people = Population.from_sets({"x": {"Music", "Art & <b>"}, "y": {"Music", "News"}})
    found = popularity(people, TopicsAPI(5, 2, Fraction(1, 20)), simulations=10)
    topics, chances, growth = found.tables()
    assert topics.rows[0][:3] == ("Music", 2, 1.0)
    assert [row[0] for row in chances.rows] == ["the most popular topic", "the first 3 topics in order"]
    assert growth.rows[-1][0] == 2
    assert '"topic": "Music"' in to_json(found.to_dict())
    assert found.to_dict()["noise"] == 0.05
    assert len(found.sentences()) == 4
    assert all(sentence.endswith(".") for sentence in found.sentences())
    assert "Art &amp; &lt;b&gt;" in found._repr_html_()
    svg = found.figure().to_svg()
    assert "the most popular topic is found" in svg
    assert "NaN" not in svg
    assert "Estimated users" in found.estimate._repr_html_()
    assert found.estimate.to_dict()["n_users"] == 2


def test_topics_that_nobody_has_may_be_reported_but_are_not_listed():
    people = Population.from_sets({"x": {1, 2}}, topics=range(1, 5))
    found = popularity(people, TopicsAPI(9, 2, 0.9), simulations=50)
    assert [row.topic for row in found.topics] == [1, 2]
    assert found.chances[0].simulated.value < 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"api": TopicsAPI(9, 3)}, "top_s is 3, but the sets have 2 topics"),
        ({"api": TopicsAPI(9, 2, 1)}, "all reports are random"),
        ({"top": 0}, "top must be a whole number of at least 1, not 0"),
        ({"simulations": 0}, "simulations must be a whole number of at least 1, not 0"),
        ({"seed": -1}, "seed must be a whole number of at least 0, not -1"),
    ],
)
def test_what_cannot_be_is_an_error(arguments, words):
    with pytest.raises(ParameterError, match=words):
        popularity(Population.from_sets({"x": {1, 2}, "y": {2, 3}}), **arguments)


@pytest.mark.parametrize(
    ("counts", "n_users", "words"),
    [
        ({"a": 3, "b": 4}, 6, "the counts sum to 7, but only 6 users can report"),
        ({"a": -1}, 6, "the count of 'a' must be a whole number of at least 0, not -1"),
        ({"a": 0.5}, 6, "the count of 'a' must be a whole number"),
        ({}, None, "n_users must be a whole number of at least 1, not 0"),
        (dict.fromkeys(range(5), 1), None, "there are counts of 5 topics, but n_topics is 4"),
    ],
)
def test_counts_that_cannot_be_are_an_error(counts, n_users, words):
    with pytest.raises(ParameterError, match=words):
        estimate_popularity(counts, TopicsAPI(4, 2), n_users)


@pytest.mark.slow
def test_the_population_of_pets_24(mirror):
    people = Population.read(mirror / "topics-users-250000.csv.tar.gz")
    found = popularity(people, TopicsAPI())
    assert [(t.topic, t.users) for t in found.topics[:3]] == [(215, 67_831), (219, 65_978), (1, 59_876)]
    assert f"{found.topics[0].share:.4f}" == "0.2713"
    first, ten = found.chances
    assert (first.top, ten.top) == (1, 10)
    # One pair decides who is first: 67 831 against 65 978 users, so that the bounds meet.
    assert f"{first.least:.5f} {first.most:.5f}" == "0.99086 0.99086"
    assert first.simulated.low < first.least < first.simulated.high
    assert ten.least < ten.simulated.low < ten.approximation < ten.simulated.high < ten.most
    assert 0.30 < ten.simulated.value < 0.40
    held = sum(t.estimate.low <= t.users <= t.estimate.high for t in found.topics)
    assert 0.93 < held / 349 < 0.98
