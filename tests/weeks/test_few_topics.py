"""Of few topics more than five observations are counted too, exactly, with weights and without."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quiff
from quiff import Population, TopicsAPI
from quiff.core.counting.multisets import best_over_multisets
from words import worded


def by_loop(sets, width, weights, p, q, factors):
    """The sum over all tuples of the best row, one tuple after the other."""
    total = 0
    for seen in product(range(width), repeat=factors):
        values = []
        for own, weight in zip(sets, weights, strict=True):
            value = weight
            for topic in seen:
                value *= p if topic in own else q
            values.append(value)
        total += max(values)
    return total


@given(st.data())
def test_it_is_the_sum_over_all_tuples(data):
    m, s = data.draw(st.sampled_from([(3, 1), (4, 2), (5, 3)]))
    sets = data.draw(
        st.lists(st.permutations(range(m)).map(lambda topics: sorted(topics[:s])), min_size=1, max_size=4)
    )
    factors, spare = data.draw(st.integers(0, 4)), data.draw(st.integers(0, 1))
    weights = data.draw(
        st.one_of(
            st.just([1] * len(sets)), st.lists(st.integers(1, 5), min_size=len(sets), max_size=len(sets))
        )
    )
    p, q = Fraction(3, 7), Fraction(1, 11)
    exact = np.array([Fraction(weight) for weight in weights], dtype=object)
    found = best_over_multisets(np.array(sets), m + spare, exact, p, q, factors)
    assert found == by_loop(sets, m + spare, weights, p, q, factors)


def test_six_observations_of_sixty_users_with_twelve_topics_are_counted():
    people = Population.synthetic(60, seed=3, n_topics=12, top_s=3)
    api = TopicsAPI(12, 3, 0.3)
    found = quiff.over_time(people, api, 6)
    row = found.row(api.spec, "posterior", 6)
    assert row.method == "exact"
    # All 12^6 tuples at once: the users' probabilities of the first three times those of the last three.
    inside = np.zeros((60, 12))
    for user, topics in enumerate(people.sets[0]):
        inside[user, topics] = 1
    one = np.where(inside == 1, 0.7 / 3 + 0.3 / 12, 0.3 / 12)
    three = np.einsum("ua,ub,uc->uabc", one, one, one).reshape(60, -1)
    best = np.zeros(1728)
    for tuple_of_three in range(1728):
        best[tuple_of_three] = (three[:, [tuple_of_three]] * three).max(axis=0).sum()
    assert float(row.value) == pytest.approx(best.sum() / 60, rel=1e-12)


@pytest.mark.parametrize("weights", [None, [1, 2, 3, 1]])
def test_seven_observations_in_fractions(weights):
    sets = [{0, 1}, {1, 2}, {0, 2}, {0, 1}]
    names = "abcd"
    given_weights = None if weights is None else dict(zip(names, weights, strict=True))
    people = Population.from_sets(dict(zip(names, sets, strict=True)), weights=given_weights)
    api = TopicsAPI(3, 2, Fraction(1, 5))
    found = quiff.over_time(people, api, 7)
    p, q = Fraction(4, 10) + Fraction(1, 15), Fraction(1, 15)
    expected = by_loop(sets, 3, weights or [1] * 4, p, q, 7) / Fraction(sum(weights or [1] * 4))
    assert found[api.spec, "posterior", 7] == expected


def test_where_it_takes_too_long_the_notes_say_that():
    found = quiff.over_time(Population.synthetic(2000, seed=1), TopicsAPI(), 6)
    assert [found.row("topics", "leakage", n).method for n in range(1, 7)] == ["exact"] * 4 + ["hybrid"] * 2
    exact, estimated = found.words["plan"]
    assert exact == "1 to 4 observations: exact."
    assert estimated.startswith("5 to 6 observations: exact where all observations but one fit, sampled else")
    worded(estimated)
    assert estimated in found.notes
