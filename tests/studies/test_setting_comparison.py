"""Settings of the Topics API beside each other: every figure equals its definition on plain matrices."""

from fractions import Fraction
from itertools import pairwise
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textbook
from quiff import ParameterError, Population, TopicsAPI, theory
from quiff.results.figures.trade_off import label_heights, trade_off_figure
from quiff.results.numbers import to_json
from quiff.studies.api_comparison import compare_settings

TOPICS = "abcdef"
rankings = st.lists(st.permutations(TOPICS), min_size=1, max_size=6)


def by_size(ranked, weights=None):
    """The same users with sets of two and of three topics, the first of their ranking."""
    return {
        s: Population.from_sets(
            {user: list(order[:s]) for user, order in enumerate(ranked)}, topics=list(TOPICS), weights=weights
        )
        for s in (2, 3)
    }


@given(rankings, st.fractions(0, 1, max_denominator=10), st.integers(6, 8))
def test_every_figure_is_that_of_the_explicit_channel(ranked, r, m):
    settings = {"two": TopicsAPI(6, 2, r), "three": TopicsAPI(m, 3, r)}
    found = compare_settings(by_size(ranked), settings)
    assert found.users == len(ranked)
    for row, s, size in zip(found.settings, (2, 3), (6, m), strict=True):
        sets = [frozenset(order[:s]) for order in ranked]
        columns = [*TOPICS, *range(size - 6)]
        C = {x: {t: (1 - r) / s * (t in own) + r / size for t in columns} for x, own in enumerate(sets)}
        users = dict.fromkeys(C, Fraction(1, len(sets)))
        naming = {t: {x: int(t in own) for x, own in enumerate(sets)} for t in TOPICS}
        whole = {own: {x: int(own == other) for x, other in enumerate(sets)} for own in sets}
        assert (row.n_topics, row.top_s, row.noise, row.distinct_sets) == (size, s, r, len(set(sets)))
        bayes = textbook.gain_of(None, users)
        assert row.posterior == textbook.posterior_vulnerability(users, C, bayes)
        assert row.leakage == row.posterior * len(sets)
        assert row.max_case_capacity == textbook.max_case_capacity(C)
        assert row.epsilon == pytest.approx(log(row.max_case_capacity))
        assert row.prior_utility == textbook.vulnerability(users, naming)
        assert row.utility == textbook.posterior_vulnerability(users, C, naming)
        assert row.prior_reconstruction == textbook.vulnerability(users, whole)
        assert row.reconstruction == textbook.posterior_vulnerability(users, C, whole)
        assert row.bayes_capacity == r + size * (1 - r) / s >= row.leakage
        assert row.genuine_probability == (1 - r) + r * Fraction(s, size) <= row.utility


@given(rankings, st.fractions(0, 1, max_denominator=10), st.data())
def test_weights_are_a_prior_on_users(ranked, r, data):
    weights = {x: data.draw(st.integers(1, 5)) for x in range(len(ranked))}
    (row,) = compare_settings(by_size(ranked, weights)[2], {"two": TopicsAPI(6, 2, r)}).settings
    sets = [frozenset(order[:2]) for order in ranked]
    C = {x: {t: (1 - r) / 2 * (t in own) + r / 6 for t in TOPICS} for x, own in enumerate(sets)}
    users = {x: Fraction(weight, sum(weights.values())) for x, weight in weights.items()}
    naming = {t: {x: int(t in own) for x, own in enumerate(sets)} for t in TOPICS}
    bayes = textbook.gain_of(None, users)
    assert row.posterior == textbook.posterior_vulnerability(users, C, bayes)
    assert row.leakage == row.posterior / textbook.vulnerability(users, bayes)
    assert row.utility == textbook.posterior_vulnerability(users, C, naming)


def test_the_papers_worked_example():
    sets = {"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}, "Carol": {"Music", "News"}}
    (row,) = compare_settings(Population.from_sets(sets), {"": TopicsAPI(5, 2, Fraction(1, 20))}).settings
    assert (row.posterior, row.leakage, row.max_case_capacity) == (
        Fraction(65, 100), Fraction(195, 100), Fraction(97, 2),
    )  # fmt: skip
    assert (row.prior_utility, row.utility) == (Fraction(2, 3), Fraction(293, 300))


def test_all_sets_reach_the_capacity_of_theory():
    people = Population.from_array(range(15), [[i, j] for i in range(6) for j in range(i)])
    (row,) = compare_settings(people, {"all": TopicsAPI(6, 2, Fraction(1, 4))}).settings
    assert row.leakage == row.bayes_capacity == theory.bayes_capacity(6, 2, Fraction(1, 4))
    assert row.utility == row.genuine_probability
    assert row.epsilon == theory.epsilon(6, 2, Fraction(1, 4))


def test_the_population_of_pets_24(mirror):
    people = Population.read(mirror / "topics-users-250000.csv.tar.gz")
    found = compare_settings(people, {"v1": TopicsAPI(), "v2": TopicsAPI(469), "quiet": TopicsAPI(noise=0.5)})
    one, two, three = found.settings
    assert (f"{one.leakage:.2f}", f"{one.bayes_capacity:.2f}", f"{one.utility:.5f}") == (
        "66.36",
        "66.36",
        "0.95406",
    )
    assert (f"{two.leakage:.2f}", f"{two.bayes_capacity:.2f}", f"{two.epsilon:.3f}") == (
        "66.36",
        "89.16",
        "7.486",
    )
    assert f"{three.leakage:.2f}" == f"{0.5 + 349 * 0.5 / 5:.2f}"
    assert three.utility < one.utility


def test_a_merged_population_compares_alike():
    people = Population.synthetic(400, seed=1, n_topics=8, top_s=2)
    sets, _ = people.distinct_sets()
    merged = Population(sets, people.topics, sets.codes, counts=people.set_counts())
    settings = {"one": TopicsAPI(8, 2, Fraction(1, 10))}
    assert compare_settings(people, settings) == compare_settings(merged, settings)


def test_it_shows_as_tables_sentences_json_and_figure():
    people = Population.synthetic(50, seed=1, n_topics=9, top_s=2)
    found = compare_settings(people, {f"noise={r}": TopicsAPI(9, 2, r) for r in (0.0, 0.1, 0.5)})
    privacy, utility = found.tables()
    assert (
        [row[0] for row in privacy.rows]
        == [row[0] for row in utility.rows]
        == ["noise=0.0", "noise=0.1", "noise=0.5"]
    )
    assert '"epsilon": "inf"' in to_json(found.to_dict())
    least, best = found.sentences()
    assert "noise=0.5 leaks least" in least
    assert "noise=0.0 is most useful" in best
    svg = found.figure().to_svg()
    for name in ("noise=0.0", "noise=0.1", "noise=0.5"):
        assert name in svg
    assert found._repr_html_().count("<table>") == 2


def test_marks_at_one_place_keep_a_name_each():
    svg = trade_off_figure("Same", [(f"setting {k}", 10, 0.5) for k in range(12)]).to_svg()
    assert all(f"setting {k}" in svg for k in range(12))
    assert "NaN" not in svg


@given(st.lists(st.floats(0, 320), min_size=1, max_size=30))
def test_labels_keep_apart_in_order_and_inside_as_long_as_they_fit(places):
    found = label_heights(places, 320, 16)
    order = sorted(range(len(places)), key=lambda i: places[i])
    for above, below in pairwise(order):
        assert found[below] - found[above] >= 16 - 1e-9
    assert min(found) >= 0
    if len(places) <= 20:
        assert max(found) <= 320


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "there is nothing to compare; give at least one setting"),
        (
            {"big": TopicsAPI(6, 4)},
            r"the setting 'big' needs sets of 4 topics, but there are only sets of 2, 3; read",
        ),
    ],
)
def test_what_cannot_be_is_an_error(settings, words):
    with pytest.raises(ParameterError, match=words):
        compare_settings(by_size(["abcdef"]), settings)


def test_other_users_for_another_size_are_an_error():
    populations = {2: by_size(["abcdef"])[2], 3: by_size(["abcdef", "fedcba"])[3]}
    with pytest.raises(ParameterError, match="the populations have 1 and 2 users; give the same users"):
        compare_settings(populations, {"one": TopicsAPI(6, 2)})


def test_a_setting_that_is_best_in_both_is_praised_once():
    people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}})
    (said,) = compare_settings(people, {"the only one": TopicsAPI(5, 2, 0.05)}).sentences()
    assert said.startswith("Of 1 setting, the only one leaks least and is most useful: a report makes")
