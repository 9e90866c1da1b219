"""Ties of floats: a best guess that is tied in exact fractions is tied in floats too."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quiff
from quiff import AndroidTopics, Channel, FittedAPI, Gain, Loss, Population, Prior, TopicsAPI
from quiff.core.kernels.one_hot import OneHotKernel
from quiff.core.labels import as_labels
from quiff.core.numbers import tie_codes, tied
from quiff.measures.own_risk import own_risk
from quiff.weeks.risk import user_risk as risk_after_epochs
from quiff.weeks.sequences import Sequences


def as_written(number):
    """The fraction that a float stands for: 0.3 is 3/10."""
    return Fraction(str(number))


def risks_by_loops(rows, weights):
    """R_x = sum_y P(y|x) [x is a best guess for y] / (number of best guesses for y), in fractions."""
    own = [Fraction(0)] * len(rows)
    for y in rows[0]:
        joint = [w * row[y] for w, row in zip(weights, rows, strict=True)]
        guesses = [x for x, value in enumerate(joint) if value == max(joint) > 0]
        for x in guesses:
            own[x] += rows[x][y] / len(guesses)
    return own


def repeated(rows, n):
    """The probabilities of n independent outputs."""
    return [{ys: prod(row[y] for y in ys) for ys in product(row, repeat=n)} for row in rows]


def membership(sets, m, p, q):
    return [{t: p if t in own else q for t in range(m)} for own in sets]


def topics_rows(sets, m, noise):
    r = as_written(noise)
    return membership(sets, m, (1 - r) / len(sets[0]) + r / m, r / m)


def people_of(sets, weights=None):
    named = None if weights is None else {f"user {k}": weight for k, weight in enumerate(weights)}
    return Population.from_sets({f"user {k}": own for k, own in enumerate(sets)}, weights=named)


def own_risks(people, api):
    found = quiff.user_risk(people, api).per_user.values
    return list(found.values())[-2].tolist()


def close(expected):
    return pytest.approx([float(value) for value in expected], rel=1e-9, abs=1e-12)


def test_users_of_weights_six_and_one_who_tie_share_the_guess():
    # p = 3/5 and q = 1/10: where the second user's topic is shown, both have 3/5.
    sets = [{0}, {1}]
    people = people_of(sets, [6, 1])
    assert own_risks(people, TopicsAPI(5, 1, 0.5)) == close([Fraction(19, 20), Fraction(3, 10)])
    assert own_risks(people, TopicsAPI(5, 1, Fraction(1, 2))) == [Fraction(19, 20), Fraction(3, 10)]


PAIRS = st.lists(st.sets(st.integers(0, 4), min_size=2, max_size=2), min_size=2, max_size=5)


@given(PAIRS, st.data(), st.sampled_from([0.1, 0.2, 0.3, 0.5, 0.7, 0.9]), st.integers(5, 9))
def test_topics_of_weighted_people_are_as_in_fractions(sets, data, noise, m):
    # Weights that make ties: p/q and its powers, beside small whole numbers.
    r = as_written(noise)
    ratio = ((1 - r) / 2 + r / m) / (r / m)
    choices = st.sampled_from([Fraction(1), Fraction(2), Fraction(3), ratio, 2 * ratio, ratio**2])
    exact = data.draw(st.lists(choices, min_size=len(sets), max_size=len(sets)))
    people = people_of(sets, [float(w) for w in exact])
    rows = topics_rows(sets, m, noise)
    assert own_risks(people, TopicsAPI(m, 2, noise)) == close(risks_by_loops(rows, exact))
    codes = np.array([sorted(own) for own in sets])
    p, q = (1 - noise) / 2 + noise / m, noise / m
    for n in (1, 2):
        sequences = Sequences((codes,) * n, m, p, q, np.array([float(w) for w in exact]))
        expected = risks_by_loops(repeated(rows, n), exact)
        assert risk_after_epochs(sequences, n).tolist() == close(expected)


@pytest.mark.parametrize("noise", [0.1, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_android_topics_over_some_observations(n, noise):
    sets = [{0, 1, 2}, {0, 1, 3}, {1, 2, 3}]
    api, people, r = AndroidTopics(4, 3, noise), people_of(sets), as_written(noise)
    expected = sorted(risks_by_loops(repeated(membership(sets, 4, (1 - r) / 3, r), n), [1] * 3))
    found = quiff.over_time(people, api, observations=n)
    assert found[api.spec, "risk_max", n] == pytest.approx(float(expected[-1]), rel=1e-9)
    assert found[api.spec, "risk_median", n] == pytest.approx(float(expected[1]), rel=1e-9)


@given(st.lists(st.integers(1, 9), min_size=3, max_size=3), PAIRS)
def test_a_fitted_mechanism_is_as_in_fractions(tenths, pairs):
    sets = [{f"t{t % 3}" for t in own} for own in pairs]
    sets = [own for own in sets if len(own) == 2]
    if sum(tenths) < 10 or not sets:
        return
    v = {f"t{k}": Fraction(tenth, 10) for k, tenth in enumerate(tenths)}
    rows = []
    for own in sets:
        inside, total = sum(v[t] for t in own), sum(v.values())
        outside = (1 - min(1, inside)) / (total - inside)
        rows.append({t: v[t] * (min(1, 1 / inside) if t in own else outside) for t in v})
    api = FittedAPI({t: float(weight) for t, weight in v.items()})
    assert own_risks(people_of(sets), api) == close(risks_by_loops(rows, [1] * len(sets)))


@given(
    st.lists(st.tuples(st.integers(-1, 2), st.integers(1, 6)), min_size=1, max_size=5),
    st.sampled_from([(1, 3), (3, 7), (7, 3)]),
)
def test_noisy_cells_are_as_in_fractions(users, tenths):
    base = [Fraction(10 - tenths[0], 10), Fraction(tenths[0], 10)]
    marked = [Fraction(10 - tenths[1], 10), Fraction(tenths[1], 10)]
    places, weights = [place for place, _ in users], [Fraction(w) for _, w in users]
    bits = list(product((0, 1), repeat=3))
    rows = [
        {y: prod((marked if i == place else base)[bit] for i, bit in enumerate(y)) for y in bits}
        for place in places
    ]
    laws = (np.array([float(value) for value in law]) for law in (base, marked))
    kernel = OneHotKernel(*laws, np.array(places), 3)
    C = Channel.from_kernel(as_labels(range(len(users))), as_labels(range(8)), kernel)
    own, _ = own_risk(C, np.array([float(w) for w in weights]), np.ones(len(users)))
    assert own.tolist() == pytest.approx([float(value) for value in risks_by_loops(rows, weights)], abs=1e-7)


@pytest.mark.parametrize("scale", [1e-280, 1e-12, 1.0, 1e12])
def test_best_actions_tie_at_every_scale(scale):
    C, prior = Channel([[1.0], [1.0], [1.0]]), Prior.uniform(range(3))
    thirds = [scale * value for value in (0.1 * 3, 0.3, 0.3 * (1 - 1e-9))]
    rows = np.diag(thirds)
    best = quiff.strategy(prior, C, Gain(rows)).to_numpy()[0].tolist()
    assert best == [0.5, 0.5, 0]
    losses = [[value] * 3 for value in (*thirds[:2], thirds[0] * (1 + 1e-9), scale)]
    assert quiff.strategy(prior, C, Loss(losses)).to_numpy()[0].tolist() == [0.5, 0.5, 0, 0]


def test_no_loss_at_all_is_no_tie_with_a_small_one():
    C, prior = Channel([[1.0], [1.0]]), Prior.uniform(range(2))
    loss = Loss([[0.0, 0.0], [1e-14, 1e-14], [1.0, 1.0]])
    assert quiff.strategy(prior, C, loss).to_numpy()[0].tolist() == [1, 0, 0]


def test_fractions_tie_if_they_are_equal():
    near = Fraction(1, 10**30)
    numbers = np.array([Fraction(1), 1 + near, 1 + near], dtype=object)
    assert tied(numbers, numbers.max()).tolist() == [False, True, True]
    assert tie_codes(numbers).tolist() == [0, 1, 1]
    assert tied(np.array([2**52, 2**52 + 1]), 2**52 + 1).tolist() == [False, True]


def test_the_drawn_adversary_ties_by_the_same_rule():
    people = people_of([{0, 1, 2}] * 2, [1.0, 1 + 1e-10])  # near, but no tie: the second is always guessed
    api = AndroidTopics(4, 3, 0.3)
    found = quiff.attack(people, api, observations=1, seeds=1, sample=1)
    assert found[api.spec, "bayes"] in (0, 1)
