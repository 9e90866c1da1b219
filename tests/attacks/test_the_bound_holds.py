"""The Bayes-optimal adversaries achieve exactly what theory says, and no attack more."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiff import BayesLink, BayesProfiles, Population, TopicsAPI, posterior_vulnerability, repeat, simulate
from quiff.attacks.base import Sighting
from quiff.attacks.bound import attack_bound
from quiff.attacks.campaign import share_of
from quiff.attacks.catalogue import ATTACKS, attack_named
from quiff.browser.reports import Reports

NOISE = Fraction(1, 5)
M = 5
API = TopicsAPI(n_topics=M, top_s=2, noise=NOISE)


def small_populations(most_users=6):
    one = st.permutations(range(M)).map(lambda order: sorted(order[:2]))
    sets = st.lists(one, min_size=1, max_size=most_users)
    return sets.map(lambda rows: Population.from_array(range(len(rows)), rows, list(range(M))))


def chance(row, topics):
    product_ = Fraction(1)
    for topic in row:
        product_ *= NOISE / M + ((1 - NOISE) / 2 if topic in topics else 0)
    return product_


@settings(max_examples=15)
@given(small_populations(), st.integers(1, 3))
def test_bayes_with_profiles_succeeds_with_the_posterior_vulnerability_exactly(people, epochs):
    attack, success = BayesProfiles(people), Fraction(0)
    everybody = np.arange(people.n_users)
    for row in product(range(M), repeat=epochs):
        codes = np.broadcast_to(np.array(row), (1, people.n_users, epochs))
        seen = Sighting.of(Reports(people.users, [0], people.topics, codes), 0, epochs)
        for user, tied in enumerate(attack.tied(seen, seen, everybody).tolist()):
            if tied:
                success += chance(row, people.codes[user].tolist()) / tied / people.n_users
    C = API.channel(people)
    assert success == posterior_vulnerability(people.user_prior(), repeat(C, epochs))


@settings(max_examples=8)
@given(small_populations(4), st.integers(1, 2))
def test_bayes_that_links_succeeds_as_often_as_two_sites_can_be_linked(people, epochs):
    # Two users, whose sets are drawn from the population: the adversary names the one with the larger
    # P(b | a), so the chance is the mean over a1, a2 of sum_b max P(b | a_i) / 2.
    attack, rows = BayesLink(people, NOISE), list(product(range(M), repeat=epochs))
    sets = people.codes.tolist()
    joint = {
        (a, b): sum(chance(a, own) * chance(b, own) for own in sets) / len(sets) for a in rows for b in rows
    }
    alone = {a: sum(joint[a, b] for b in rows) for a in rows}
    expected = achieved = Fraction(0)
    for first, second in product(rows[:4], repeat=2):  # some reports, to keep it short
        a = (first, second)
        for b in rows:
            given_a = [joint[x, b] / alone[x] for x in a]
            expected += max(given_a) / 2
            codes = np.array([[[*first], [*second]], [[*b], [*b]]])
            reports = Reports(range(2), range(2), people.topics, codes)
            known, query = (Sighting.of(reports, site, epochs) for site in (0, 1))
            for user, tied in enumerate(attack.tied(known, query, np.arange(2)).tolist()):
                achieved += given_a[user] / 2 / tied if tied else 0
    assert achieved == expected


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("calls", [1, 3])
def test_no_attack_exceeds_the_bound_beyond_error(name, calls):
    gains, bound = {"right": [], "unique": []}, None
    people = Population.synthetic(40, seed=3, n_topics=12, top_s=3)
    api = TopicsAPI(n_topics=12, top_s=3, noise=0.1)
    attack = attack_named(name, api, people)
    for seed in range(60):
        reports = simulate(people, api, epochs=calls, seed=seed)
        known, query = (Sighting.of(reports, site, calls) for site in (0, 1))
        tied = attack.tied(known, query, np.arange(40))
        gains["right"].append(np.where(tied > 0, 1 / np.maximum(tied, 1), 0))
        gains["unique"].append(tied == 1)
    bound = attack_bound(people, api, calls + 2)
    for counted in gains.values():
        assert share_of(np.concatenate(counted)).low <= bound.high
    if name == "bayes-profiles":
        achieved = share_of(np.concatenate(gains["right"]))
        assert achieved.low <= bound.high
        assert achieved.high >= bound.low


@pytest.mark.parametrize("changing", [False, True])
def test_the_bound_is_the_posterior_vulnerability(changing):
    rng = np.random.default_rng(5)
    shape = (3, 8) if changing else (1, 8)
    sets = np.array([[rng.permutation(M)[:2] for _ in range(shape[1])] for _ in range(shape[0])])
    people = Population.from_array(range(8), sets, list(range(M)))
    found = attack_bound(people, API, 3)
    likelihoods = [
        [
            np.prod([float(chance([y], sets[e % shape[0]][user].tolist())) for e, y in enumerate(row)])
            for user in range(8)
        ]
        for row in product(range(M), repeat=3)
    ]
    assert found.method == "exact"
    assert found.value == pytest.approx(sum(map(max, likelihoods)) / 8)
