"""Leakage, worst case and each user's risk over a few epochs: the fractions of plain loops."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quiff
from quiff import ParameterError, Population, TopicsAPI
from quiff.weeks.exact import differing_epochs, exact_vulnerability, worst_case
from quiff.weeks.risk import user_risk
from quiff.weeks.sequences import Sequences
from weeks import loops
from words import refused


def sequences(instance):
    users, weights, m, s, r, _, same = instance
    return Sequences.of(loops.population(users, weights, m, same), TopicsAPI(m, s, r))


@settings(max_examples=150)
@given(loops.instances(most_topics=4))
def test_vulnerability(instance):
    users, weights, m, s, r, E, _ = instance
    found = exact_vulnerability(sequences(instance), E)
    ones = [1] * len(users)
    assert found == loops.vulnerability(users, weights or ones, m, *loops.probabilities(m, s, r))
    assert type(found) is Fraction


@given(loops.instances(most_topics=4, stable=True, weighted=False))
def test_stable_sets_of_equally_likely_users(instance):
    users, _, m, s, r, E, _ = instance
    for epochs in range(1, E + 1):
        cut, ones = [user[:epochs] for user in users], [1] * len(users)
        expected = loops.vulnerability(cut, ones, m, *loops.probabilities(m, s, r))
        assert exact_vulnerability(sequences(instance), epochs) == expected


@settings(max_examples=150)
@given(loops.instances(most_epochs=3, most_topics=4))
def test_each_users_risk(instance):
    users, weights, m, s, r, E, _ = instance
    weights_or_ones = weights or [1] * len(users)
    found = user_risk(sequences(instance), E)
    expected = loops.risks(users, weights_or_ones, m, *loops.probabilities(m, s, r))
    assert found == pytest.approx([float(value) for value in expected])
    vulnerability = loops.vulnerability(users, weights_or_ones, m, *loops.probabilities(m, s, r))
    assert np.average(found, weights=weights_or_ones) == pytest.approx(float(vulnerability))


def test_risk_is_for_a_few_epochs():
    people = Population.from_sets({"Alice": {0, 1}, "Bob": {2, 3}})
    with refused(ParameterError, 3, 4):
        user_risk(Sequences.of(people, TopicsAPI(5, 2)), 4)


@settings(max_examples=150)
@given(loops.instances())
def test_the_worst_case_is_that_of_the_written_out_channel(instance):
    users, _, m, s, r, E, _ = instance
    found = sequences(instance)
    p, q = loops.probabilities(m, s, r)
    assert differing_epochs(found, E) == loops.differing(users)
    largest = Fraction(1)
    for y in loops.tuples(m, E):
        column = [loops.chance(user, y, p, q) for user in users]
        if max(column) > 0:
            largest = math.inf if min(column) == 0 else max(largest, max(column) / min(column))
    epsilon, capacity = worst_case(found, E)
    assert capacity == largest
    assert epsilon == pytest.approx(math.log(largest) if largest < math.inf else math.inf)


@settings(max_examples=60)
@given(st.data(), st.integers(1, 3), st.sampled_from([Fraction, float]))
def test_the_worst_case_of_a_repeated_channel_is_that_of_the_written_out_one(data, n, number):
    """Any channel, zeros too: the same pair and the same output are the worst every time."""
    counts = data.draw(
        st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any), min_size=1, max_size=4)
    )
    rows = [[number(Fraction(count, sum(row))) for count in row] for row in counts]
    largest = number(1)
    for y in loops.tuples(3, n):
        column = [math.prod(row[report] for report in y) for row in rows]
        if max(column) > 0:
            largest = math.inf if min(column) == 0 else max(largest, max(column) / min(column))
    many = quiff.repeat(quiff.Channel(rows), n)
    assert quiff.max_case_capacity(many) == (largest if number is Fraction else pytest.approx(largest))
    assert quiff.epsilon(many) == pytest.approx(math.log(largest) if largest < math.inf else math.inf)


def test_the_worst_case_of_many_reports_on_many_users_needs_no_look_at_all_of_them():
    people, api = Population.synthetic(20_000, seed=1), TopicsAPI()
    many = quiff.repeat(api.channel(people), 3)
    assert quiff.epsilon(many) == pytest.approx(3 * math.log(1 + 349 * 0.95 / (0.05 * 5)))
    assert quiff.max_case_capacity(many) == pytest.approx(worst_case(Sequences.of(people, api), 3)[1])
    lavish = quiff.repeat(quiff.Channel([[1e-9, 1 - 1e-9], [1 - 1e-9, 1e-9]]), 40)
    assert quiff.max_case_capacity(lavish) == math.inf
    assert quiff.epsilon(lavish) == pytest.approx(40 * math.log(1e9 - 1))


def test_the_worst_pair_is_found_even_if_it_takes_long():
    """Everybody agrees with the first users in some epoch; only the last two differ in both."""
    sets = np.array([[[0], [0], [1], [2]], [[0], [1], [0], [1]]])
    found = Sequences.of(Population.from_array(range(4), sets, topics=range(3)), TopicsAPI(3, 1))
    assert differing_epochs(found, 2) == 2


def test_huge_capacities_are_infinite_and_epsilon_is_not():
    people = Population.from_sets({"Alice": {0}, "Bob": {1}})
    epsilon, capacity = worst_case(Sequences.of(people, TopicsAPI(2, 1, 1e-9)), 50)
    assert capacity == math.inf
    assert epsilon == pytest.approx(50 * math.log(2e9 - 1))


def test_merged_populations_are_the_users_that_they_stand_for(tmp_path):
    file = tmp_path / "profiles.csv"
    file.write_text("user,t1,t2\n" + "".join(f"u{i},{i % 3},{i % 3 + 1}\n" for i in range(30)))
    api = TopicsAPI(5, 2, Fraction(1, 10))
    one, two = (Sequences.of(Population.read(file, merged=m), api) for m in (False, True))
    assert two.n_users == 30
    assert exact_vulnerability(one, 2) == exact_vulnerability(two, 2)
    spread = np.repeat(user_risk(two, 2), two.counts)
    assert np.sort(spread) == pytest.approx(np.sort(user_risk(one, 2)))


def test_sets_must_have_the_size_that_the_api_says():
    people = Population.from_sets({"Alice": {0, 1}})
    with refused(ParameterError, 2):
        Sequences.of(people, TopicsAPI())


def test_the_measures_of_composed_channels_say_the_same():
    """parallel() and the epochs of a population are the same thing."""
    sets = np.array([[[0, 1], [1, 2], [2, 3]], [[0, 1], [0, 3], [1, 3]]])
    people = Population.from_array(["A", "B", "C"], sets, topics=range(4))
    api = TopicsAPI(4, 2, Fraction(1, 20))
    C = quiff.parallel(api.channel(people.epoch(0)), api.channel(people.epoch(1)))
    found = Sequences.of(people, api)
    assert exact_vulnerability(found, 2) == quiff.posterior_vulnerability(people.user_prior(), C)
    assert worst_case(found, 2)[1] == quiff.max_case_capacity(C)
