"""Populations for simulation: visits by chance, users made of others, interests that drift."""

import numpy as np
import pytest
from scipy.stats import chisquare, poisson

from quiff import LabelError, ParameterError, Population, QuiffError, ShapeError
from quiff.browser.rates import VisitRates, drift, enlarge, profiles_from_rates, top_codes, visit_rates
from words import refused


def alike(counts, expected):
    return chisquare(counts, np.asarray(expected) / np.sum(expected) * np.sum(counts)).pvalue > 1e-3


def test_the_268_users_are_read(mirror):
    rates = visit_rates(mirror=mirror)
    assert (rates.n_users, rates.topics.size) == (268, 349)
    assert rates.rows(slice(0, 1))[0, 0] == 3.224719101123595610e00  # the first number of the file


def test_the_set_of_one_has_the_law_of_the_larger_poisson_count():
    """Two topics with rates a and b, s = 1: the chance of the first, by a double sum; ties are tossed."""
    a, b, n = 1.3, 0.7, 20_000
    law = [poisson.pmf(range(40), rate) for rate in (a, b)]
    first = sum(
        law[0][i] * law[1][j] * (1.0 if i > j else 0.5 if i == j else 0.0)
        for i in range(40)
        for j in range(40)
    )
    sets = profiles_from_rates(VisitRates.of([[a, b]] * n), top_s=1, seed=1).sets
    assert alike(np.bincount(sets.reshape(-1), minlength=2), [first, 1 - first])


def test_short_sets_are_filled_uniformly():
    rates = VisitRates.of([[500, 0, 0, 0, 0]] * 20_000)
    counts = np.bincount(profiles_from_rates(rates, top_s=2, seed=1).sets.reshape(-1), minlength=5)
    assert counts[0] == 20_000
    assert alike(counts[1:], [1] * 4)
    some = np.bincount(top_codes(rates, top_s=2, seed=1, pad_from=[1, 3, 4]).reshape(-1), minlength=5)
    assert some[[1, 4]].sum() == 0
    assert alike(some[[2, 3]], [1, 1])
    assert (top_codes(rates, top_s=2, seed=1, padding=False) == [0, -1]).all()


def test_epochs_are_independent():
    rates = VisitRates.of([[1.0, 1.0]] * 20_000)
    sets = profiles_from_rates(rates, epochs=2, top_s=1, seed=3).sets[:, :, 0]
    assert alike(np.bincount(2 * sets[0] + sets[1], minlength=4), [1] * 4)


def test_topics_of_high_utility_rank_first_once_visited():
    rates = VisitRates.of([[90, 5, 0], [90, 0, 80]], ["a", "b", "c"])
    sets = profiles_from_rates(rates, top_s=1, seed=1, high_utility=["b", "c"]).sets
    assert sets.tolist() == [[[1], [2]]]
    assert profiles_from_rates(rates, top_s=1, seed=1).sets.tolist() == [[[0], [0]]]


def test_drawn_users_are_those_at_hand():
    few = VisitRates.of([[1, 0], [0, 2], [3, 3]])
    many = enlarge(few, 9000, "draw", seed=1)
    assert alike(np.bincount(many.first, minlength=3), [1] * 3)
    assert np.array_equal(many.rows(slice(0, 50)), few.rates[many.first[:50]])


def test_crossed_users_have_each_rate_from_one_of_two_others():
    few = VisitRates.of(np.arange(1, 40).reshape(3, 13))
    many = enlarge(few, 6000, "cross", seed=1)
    rows = many.rows(slice(None))
    mother, father = few.rates[many.first], few.rates[many.second]
    assert (many.first != many.second).all()
    assert alike(np.bincount(3 * many.first + many.second, minlength=9)[[1, 2, 3, 5, 6, 7]], [1] * 6)
    assert ((rows == mother) | (rows == father)).all()
    assert alike([(rows == mother).sum(), (rows == father).sum()], [1, 1])
    with refused(ParameterError):
        enlarge(many, 5)


def test_the_same_seed_gives_the_same_sets():
    rates = enlarge(VisitRates.of(np.random.default_rng(1).random((20, 30))), 200, "cross", seed=2)
    assert profiles_from_rates(rates, 3, seed=4) == profiles_from_rates(rates, 3, seed=4)
    assert profiles_from_rates(rates, 3, seed=4) != profiles_from_rates(rates, 3, seed=5)


def test_topics_drift_at_the_given_rate():
    people = Population.synthetic(20_000, seed=1)
    changed = drift(people, 3, 0.3, seed=1)
    assert changed.epoch(0) == people
    before, after = changed.sets[1], changed.sets[2]
    kept = (before[:, :, None] == after[:, None, :]).any(axis=2)
    # A topic that was replaced may come back in another place later in the same step, rarely.
    assert abs(kept.mean() - 0.7) < 0.01
    assert (drift(people, 3, 0, seed=1).sets == people.sets).all()
    assert not (drift(people, 2, 1, seed=1).sets[1] == people.sets[0]).all(axis=1).any()


def test_a_new_topic_is_drawn_by_popularity_among_the_others():
    # Shares of the topics 0 to 3: 1/2, 1/4, 1/8, 1/8; sets of one.
    sets = np.repeat([0, 1, 2, 3], [16_000, 8000, 4000, 4000])[:, None]
    people = Population.from_array(range(32_000), sets, topics=range(5))
    moved = drift(people, 2, 1, seed=3).sets[1][:16_000, 0]
    counts = np.bincount(moved, minlength=5)
    assert counts[0] == counts[4] == 0
    assert alike(counts[1:4], [2, 1, 1])


def test_hardly_any_other_topic_is_still_found():
    sets = np.tile(np.arange(3), (5000, 1))
    sets[-1] = [0, 1, 3]
    people = Population.from_array(range(5000), sets)
    assert (drift(people, 2, 1, seed=1).sets[1] == 3).any(axis=1).sum() >= 4999


@pytest.mark.parametrize(
    ("attempt", "error", "numbers"),
    [
        (lambda: VisitRates.of([[1, -1]]), ParameterError, (-9.9,)),
        (lambda: VisitRates.of([1, 2]), ShapeError, ()),
        (lambda: VisitRates.of([[1, 2]], ["a"]), ShapeError, (1,)),
        (lambda: visit_rates("/no/such/file.csv"), QuiffError, ()),
        (lambda: enlarge(VisitRates.of([[1]]), 3, "cross"), ParameterError, (1,)),
        (lambda: enlarge(VisitRates.of([[1]]), 0), ParameterError, (1,)),
        (lambda: profiles_from_rates(VisitRates.of([[1, 2]])), ParameterError, (1, 2, 5)),
        (lambda: profiles_from_rates(VisitRates.of([[1, 2]]), 1, 2, pad_from=[1]), ParameterError, ()),
        (lambda: profiles_from_rates(VisitRates.of([[1, 2]]), 1, 2, pad_from=[3, 1]), LabelError, (3,)),
        (lambda: drift(Population.from_sets({1: {1, 2}}), 2, 0.5), ParameterError, ()),
        (lambda: drift(Population.synthetic(9), 2, 1.5), ParameterError, ()),
        (lambda: drift(Population.synthetic(9), 2, 0.5, -1), ParameterError, (-1,)),
        (lambda: enlarge(VisitRates.of([[1]]), 2, seed=-1), ParameterError, (-1,)),
        (lambda: top_codes(VisitRates.of([[1, 2]]), 1, 1, -1), ParameterError, (-1,)),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(attempt, error, numbers):
    with refused(error, *numbers):
        attempt()
