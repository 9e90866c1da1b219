"""What an advertiser learns over epochs: plain loops agree."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

import quiff
from quiff import ParameterError, Population, TopicsAPI
from quiff.weeks.sequences import Sequences
from quiff.weeks.utility import best_topics, counted_together, naming_gain, reconstruction
from weeks import loops
from words import refused


def sequences(instance, number=Fraction):
    users, weights, m, s, r, _, same = instance
    return Sequences.of(loops.population(users, weights, m, same), TopicsAPI(m, s, number(r)))


@settings(max_examples=150)
@given(loops.instances(most_epochs=3, most_topics=4, stable=True))
def test_naming_a_topic(instance):
    users, weights, m, s, r, E, _ = instance
    sets, weights = [user[0] for user in users], weights or [1] * len(users)
    for epochs in {0, E}:
        expected = loops.naming(sets, weights, m, *loops.probabilities(m, s, r), epochs)
        assert naming_gain(sequences(instance), epochs) == expected
        assert naming_gain(sequences(instance, float), epochs) == pytest.approx(float(expected))


@given(loops.instances(most_epochs=3, most_topics=4, stable=True))
def test_guessing_the_set(instance):
    users, weights, m, s, r, E, _ = instance
    sets, weights = [user[0] for user in users], weights or [1] * len(users)
    for epochs in {0, E}:
        expected = loops.guessing_sets(sets, weights, m, *loops.probabilities(m, s, r), epochs)
        assert reconstruction(sequences(instance), epochs) == expected
        assert reconstruction(sequences(instance, float), epochs) == pytest.approx(float(expected))


def test_both_are_measures_of_the_repeated_channel():
    people = Population.synthetic(40, n_topics=8, top_s=2)
    api = TopicsAPI(8, 2, Fraction(1, 20))
    C = quiff.repeat(api.fit(people).observe(people.distinct_sets()[0]), 2)
    sets, _ = people.distinct_sets()
    naming = quiff.membership_gain_from_codes(sets, sets.codes, people.topics)
    found = Sequences.of(people, api)
    assert naming_gain(found, 2) == quiff.posterior_vulnerability(people.set_prior(), C, naming)
    assert reconstruction(found, 2) == quiff.posterior_vulnerability(people.set_prior(), C)


def test_changing_sets_have_no_one_set_to_learn():
    people = Population.from_array(range(2), [[[0], [1]], [[1], [0]]], topics=range(2))
    found = Sequences.of(people, TopicsAPI(2, 1))
    for study in (lambda: naming_gain(found, 1), lambda: reconstruction(found, 1)):
        with refused(ParameterError, 0):
            study()
    stable = Sequences.of(people.epoch(0), TopicsAPI(2, 1))
    with refused(ParameterError, 3, 4):
        naming_gain(stable, 4)


def test_exact_numbers_beyond_a_machine_word_are_refused():
    people = Population.from_sets({"Alice": {0, 1}, "Bob": {2, 3}})
    found = Sequences.of(people, TopicsAPI(349, 2, Fraction(123_456_789, 10**10)))
    with refused(quiff.SizeError):
        naming_gain(found, 3)


def test_topics_are_scored_as_by_hand():
    codes, weights = np.array([[0, 1], [1, 2]]), np.array([2.0, 3.0])
    pairs, triples = (counted_together(codes, weights, 3, k) for k in (2, 3))
    assert pairs.tolist() == [[2, 2, 0], [2, 5, 3], [0, 3, 3]]
    assert triples[0, 1].tolist() == [2, 2, 0]
    q, d = 0.1, 0.4
    powers = np.array([q**3, q**2 * d, q * d**2, d**3])
    best = best_topics(0, codes[:1], weights[:1], pairs, triples, powers)
    # After 0, 1 and 2: Alice (weight 2) fits twice, Bob (weight 3) twice; both have topic 1.
    assert best[1, 2] == pytest.approx(5 * (q + d) ** 2 * q)
