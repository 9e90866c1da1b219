"""Every closed form agrees with an explicit channel, built here by hand with exact fractions."""

from fractions import Fraction
from itertools import combinations, product
from math import exp, inf, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiff import theory

thorough = settings(max_examples=200, deadline=None)


# --- the oracle: plain lists of fractions ---------------------------------------------------------------


def multiply(A, B):
    return [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*B, strict=True)] for row in A
    ]


def column_maxima(C):
    return [max(column) for column in zip(*C, strict=True)]


def bayes_leakage(C):
    """Leakage of a uniform prior: posterior over prior vulnerability."""
    n = len(C)
    posterior = sum(max(Fraction(1, n) * cell for cell in column) for column in zip(*C, strict=True))
    return posterior / Fraction(1, n)


def largest_ratio(C):
    columns = [column for column in zip(*C, strict=True) if max(column) > 0]
    return max(inf if min(column) == 0 else max(column) / min(column) for column in columns)


def generalization(sets):
    distinct = sorted(set(sets))
    return [[Fraction(own == other) for other in distinct] for own in sets], distinct


def bounded_noise(distinct, m, s):
    return [[Fraction(t in own, s) for t in range(m)] for own in distinct]


def noisy(distinct, m, s, r):
    genuine = bounded_noise(distinct, m, s)
    return [[(1 - r) * cell + r * Fraction(1, m) for cell in row] for row in genuine]


def parallel(channels):
    rows = []
    for own in zip(*channels, strict=True):
        row = [Fraction(1)]
        for part in own:
            row = [a * b for a in row for b in part]
        rows.append(row)
    return rows


# --- random small cases ---------------------------------------------------------------------------------

noises = st.fractions(0, 1, max_denominator=20)


@st.composite
def sizes(draw):
    m = draw(st.integers(1, 6))
    return m, draw(st.integers(1, min(m, 3)))


@st.composite
def populations(draw, most_users=6):
    m, s = draw(sizes())
    one_set = st.permutations(range(m)).map(lambda topics: tuple(sorted(topics[:s])))
    return m, s, draw(st.lists(one_set, min_size=1, max_size=most_users))


@st.composite
def priors_on_sets(draw):
    m, s, sets = draw(populations())
    distinct = sorted(set(sets))
    weights = draw(st.lists(st.integers(1, 9), min_size=len(distinct), max_size=len(distinct)))
    return m, s, distinct, [Fraction(weight, sum(weights)) for weight in weights]


# --- privacy --------------------------------------------------------------------------------------------


@given(st.integers(2, 4), st.integers(1, 15))
def test_cookies_leak_as_many_histories_as_there_can_be(c, N):
    histories = [h for size in range(2, c + 1) for h in combinations(range(c), size)]
    users = [histories[i % len(histories)] for i in range(N)]
    C, _ = generalization(users)
    assert bayes_leakage(C) == theory.cookies_leakage(N, c)
    assert bayes_leakage(C) / N == theory.cookies_posterior(N, c)


@given(populations())
@thorough
def test_generalization_leaks_the_number_of_distinct_sets(population):
    m, s, sets = population
    C, distinct = generalization(sets)
    N, D = len(sets), len(distinct)
    assert bayes_leakage(C) == theory.generalization_leakage(D) <= theory.generalization_capacity(m, s, N)
    assert theory.generalization_posterior(D, N) == bayes_leakage(C) / N
    assert theory.generalization_posterior(D, N) <= theory.generalization_posterior_bound(m, s, N) <= 1


@given(populations())
@thorough
def test_bounded_noise_leaks_the_occurring_topics_over_s(population):
    m, s, sets = population
    G, distinct = generalization(sets)
    C = multiply(G, bounded_noise(distinct, m, s))
    N, m1 = len(sets), len(set().union(*sets))
    assert bayes_leakage(C) == theory.bounded_noise_leakage(m, s, m1) <= theory.bounded_noise_capacity(m, s)
    assert theory.bounded_noise_posterior(m, s, m1, N) == bayes_leakage(C) / N
    assert theory.bounded_noise_posterior(m, s, m1, N) <= theory.bounded_noise_posterior_bound(m, s, N) <= 1


@given(populations(), noises)
@thorough
def test_the_complete_api_leaks_by_the_formula(population, r):
    m, s, sets = population
    G, distinct = generalization(sets)
    C = multiply(G, noisy(distinct, m, s, r))
    N, m1 = len(sets), len(set().union(*sets))
    leakage = bayes_leakage(C)
    assert leakage == theory.topics_leakage(m, s, r, m1) <= theory.bayes_capacity(m, s, r)
    assert (leakage == theory.bayes_capacity(m, s, r)) == (m1 == m or r == 1)
    assert theory.topics_posterior(m, s, r, m1, N) == leakage / N
    assert theory.topics_posterior(m, s, r, m1, N) <= theory.topics_posterior_bound(m, s, r, N) <= 1


@given(populations(), noises)
@thorough
def test_epsilon_and_max_case_hold_when_two_sets_differ_and_bound_otherwise(population, r):
    m, s, sets = population
    G, distinct = generalization(sets)
    ratio = largest_ratio(multiply(G, noisy(distinct, m, s, r)))
    formula = theory.max_case_capacity(m, s, r)
    assert ratio <= formula
    assert (ratio == formula) == theory.max_case_is_met(r, len(distinct))
    assert theory.epsilon(m, s, r) == (inf if r == 0 else pytest.approx(log(formula), abs=1e-12))


@given(populations(), noises, st.data())
@thorough
def test_bounds_hold_when_the_sets_themselves_are_drawn_at_random(population, r, data):
    m, s, sets = population
    distinct = sorted(set(sets))
    rows = []
    for _ in sets:
        weights = data.draw(st.lists(st.integers(0, 3), min_size=len(distinct), max_size=len(distinct)))
        weights[0] += not any(weights)
        rows.append([Fraction(weight, sum(weights)) for weight in weights])
    C = multiply(rows, noisy(distinct, m, s, r))
    assert bayes_leakage(C) <= theory.topics_leakage(m, s, r, len(set().union(*sets)))
    assert largest_ratio(C) <= theory.max_case_capacity(m, s, r)


@given(populations(), noises, st.data())
@thorough
def test_no_side_information_beats_the_capacity(population, r, data):
    m, s, sets = population
    C = noisy(sets, m, s, r)
    weights = data.draw(
        st.lists(st.lists(st.integers(0, 9), min_size=len(sets), max_size=len(sets)), min_size=1, max_size=4)
    )
    weights[0][0] += 1
    total = sum(map(sum, weights))
    joint = [[Fraction(weight, total) for weight in row] for row in weights]  # of another secret and the user
    before = max(sum(row) for row in joint)
    after = sum(column_maxima(multiply(joint, C)))
    assert after <= theory.side_information_bound(m, s, r, before) <= 1


# --- many epochs ----------------------------------------------------------------------------------------


@given(populations(most_users=4), noises, st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_stable_sets_leak_within_the_bounds_over_epochs(population, r, E):
    m, s, sets = population
    C = parallel([noisy(sets, m, s, r)] * E)
    assert bayes_leakage(C) <= theory.epochs_bound(m, s, r, len(sets), E)
    ratio, bound = largest_ratio(C), theory.epochs_max_case_bound(m, s, r, E)
    assert (ratio == bound) == (r == 1 or len(set(sets)) > 1)
    assert ratio <= bound
    if r > 0:
        assert exp(theory.epochs_epsilon_bound(m, s, r, E)) == pytest.approx(float(bound), rel=1e-9)


@given(sizes(), noises, st.integers(1, 3), st.integers(1, 4), st.data())
@settings(max_examples=60, deadline=None)
def test_changing_sets_leak_within_the_bounds_over_epochs(size, r, E, N, data):
    m, s = size
    one_set = st.permutations(range(m)).map(lambda topics: tuple(sorted(topics[:s])))
    history = [data.draw(st.lists(one_set, min_size=N, max_size=N)) for _ in range(E)]
    C = parallel([noisy(sets, m, s, r) for sets in history])
    assert bayes_leakage(C) <= theory.epochs_bound(m, s, r, N, E, stable_sets=False)
    bound = theory.epochs_max_case_bound(m, s, r, E)
    always_differ = any(all(sets[i] != sets[j] for sets in history) for i, j in combinations(range(N), 2))
    assert largest_ratio(C) <= bound
    if 0 < r < 1:
        assert (largest_ratio(C) == bound) == always_differ


def test_the_bound_over_epochs_is_the_least_of_its_three_parts():
    assert theory.epochs_bound(4, 2, 0, n_users=100, epochs=2) == 4  # (m/s)^E
    assert theory.epochs_bound(4, 2, 0, n_users=100, epochs=3) == 6  # C(m,s)
    assert theory.epochs_bound(4, 2, 0, n_users=5, epochs=3) == 5  # N
    assert theory.epochs_bound(4, 2, 0, n_users=100, epochs=3, stable_sets=False) == 8
    assert theory.epochs_bound(4, 2, 0.0, n_users=5, epochs=10**6) == 5.0
    assert theory.epochs_max_case_bound(349, 5, 0.05, 10**6) == inf
    assert theory.epochs_bound(4, 4, Fraction(1, 3), n_users=5, epochs=10**9) == 1


# --- utility --------------------------------------------------------------------------------------------


def iba_gains(m, s, r, sets, prior):
    """Prior and posterior gain by their definitions."""
    C = noisy(sets, m, s, r)
    before = max(sum(pi for pi, own in zip(prior, sets, strict=True) if w in own) for w in range(m))
    after = sum(
        max(
            sum(pi * row[t] for pi, row, own in zip(prior, C, sets, strict=True) if w in own)
            for w in range(m)
        )
        for t in range(m)
    )
    return before, after


def share(sets, prior, *topics):
    return sum(pi for pi, own in zip(prior, sets, strict=True) if set(topics) <= set(own))


@given(priors_on_sets(), noises)
@thorough
def test_iba_bounds_hold_and_are_met_exactly_when_said(case, r):
    m, s, sets, prior = case
    before, after = iba_gains(m, s, r, sets, prior)
    shares = [share(sets, prior, t) for t in range(m)]
    assert before == theory.prior_iba_gain(shares) >= theory.prior_iba_gain_all_sets(m, s)
    lower, sharper = theory.iba_lower(r), theory.genuine_probability(m, s, r)
    upper = theory.iba_upper(r, before)
    assert lower <= sharper <= after <= upper <= 1
    assert before <= after
    assert (after == lower) == (r == 0)

    p, q = theory.inside_probability(m, s, r), theory.outside_probability(m, r)
    both = {(t, w): share(sets, prior, t, w) for t in range(m) for w in range(m)}
    naming_is_best = all(p * shares[t] >= q * shares[w] + (p - q) * both[t, w] for t, w in both)
    assert (after == sharper) == naming_is_best
    if r > 0 and min(shares) == 0:
        assert after > sharper

    leaders = [w for w in range(m) if shares[w] == before]
    led = all(any(both[t, w] == shares[t] for w in leaders) for t in range(m))
    assert (after == upper) == (r in (0, 1) or led)
    assert (after == 1) == (upper == 1) == (r == 0 or before == 1)


@given(priors_on_sets())
def test_bounded_noise_alone_gives_the_advertiser_certainty(case):
    m, s, sets, prior = case
    assert iba_gains(m, s, Fraction(0), sets, prior)[1] == theory.bounded_noise_iba_gain()


@given(sizes(), noises)
def test_over_all_subsets_the_gain_is_the_chance_of_a_genuine_topic(size, r):
    m, s = size
    sets = list(combinations(range(m), s))
    prior = [Fraction(1, len(sets))] * len(sets)
    before, after = iba_gains(m, s, r, sets, prior)
    assert before == theory.prior_iba_gain_all_sets(m, s)
    assert after == theory.genuine_probability(m, s, r) == theory.iba_upper(r, before)


@given(populations(), noises)
def test_inside_and_outside_probabilities_are_the_channels_cells(population, r):
    m, s, sets = population
    cells = {True: theory.inside_probability(m, s, r), False: theory.outside_probability(m, r)}
    for own, row in zip(sets, noisy(sets, m, s, r), strict=True):
        assert row == [cells[t in own] for t in range(m)]
        assert sum(row[t] for t in own) == theory.genuine_probability(m, s, r)


def test_a_uniform_prior_does_not_always_meet_the_upper_bound():
    sets, third = [(0, 1), (0, 2), (3, 4)], Fraction(1, 3)
    before, after = iba_gains(5, 2, Fraction(1, 20), sets, [third] * 3)
    assert after == Fraction(293, 300) < theory.iba_upper(Fraction(1, 20), before) == Fraction(59, 60)


def test_a_topic_in_every_set_gives_certainty_in_spite_of_noise():
    before, after = iba_gains(5, 2, Fraction(1, 20), [(0, 1), (0, 2)], [Fraction(1, 2)] * 2)
    assert before == after == 1


@given(st.integers(1, 5), st.integers(1, 3))
def test_parallel_is_what_it_should_be(m, E):
    """The oracle itself: rows of E uniform reports are uniform over the m^E tuples."""
    rows = parallel([[[Fraction(1, m)] * m]] * E)
    assert rows == [[Fraction(1, m**E) for _ in product(range(m), repeat=E)]]
