"""Every attack, vectorised, against its definition in plain Python loops on small random reports."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff import (
    BayesLink,
    BayesProfiles,
    BeuginMcDaniel,
    Carey,
    JhaLoose,
    JhaStrict,
    Population,
    TopicsAPI,
    simulate,
)
from quiff.attacks import linking
from quiff.attacks.base import Sighting
from quiff.attacks.ranking import ItemSets, Queries, ranked_best
from quiff.browser.reports import Reports

NAMES = "abcdefgh"


@st.composite
def sightings(draw, most_users=9, nothing=True):
    """What two sites saw of the same users."""
    m, users = draw(st.integers(2, 7)), draw(st.integers(1, most_users))
    earlier, calls = draw(st.integers(0, 2)), draw(st.integers(1, 6))
    codes = st.integers(-1 if nothing else 0, m - 1)
    row = st.lists(codes, min_size=earlier + calls, max_size=earlier + calls)
    tables = draw(st.lists(st.lists(row, min_size=users, max_size=users), min_size=2, max_size=2))
    reports = Reports(range(users), range(2), list(NAMES[:m]), np.array(tables), earlier=earlier)
    return Sighting.of(reports, 0, calls), Sighting.of(reports, 1, calls)


def everybody(sighting):
    return np.arange(sighting.users.size)


def best(scores, own):
    """Return how many have the largest score, if the own user is one of them, else 0."""
    largest = max(scores)
    return scores.count(largest) if scores[own] == largest else 0


# Beugin and McDaniel, call by call


def genuine_topics(row, earlier, per_call=3):
    """Go through the calls as the published program does: first and last call that showed each topic."""
    genuine, first, last = set(), {}, {}
    for call in range(len(row) - earlier):
        newest = earlier + call
        view = [topic for topic in row[max(0, newest - per_call + 1) : newest + 1] if topic >= 0]
        for topic in view:
            if view.count(topic) > 1:
                genuine.add(topic)
            if topic in first and (call - first[topic] >= per_call or call - last[topic] > 1):
                genuine.add(topic)
        for topic in view:
            first.setdefault(topic, call)
            last[topic] = call
    return genuine


def kept_topics(row, earlier, enough, rare):
    genuine = genuine_topics(row, earlier)
    if len(genuine) >= enough:
        return genuine
    return genuine | {topic for topic in row if topic >= 0 and topic not in rare}


@given(sightings(), st.integers(1, 4), st.sets(st.integers(0, 1)))
def test_beugin_and_mcdaniel(pair, enough, rare):
    known, query = pair
    attack = BeuginMcDaniel(enough, frozenset(NAMES[topic] for topic in rare))
    kept = [[kept_topics(row, s.earlier, enough, rare) for row in s.codes.tolist()] for s in pair]
    found = attack.kept(known)
    assert [set(found.of(user).tolist()) for user in range(found.size)] == kept[0]
    expected = []
    for own, target in enumerate(kept[1]):
        overlap = [len(target & candidate) for candidate in kept[0]]
        expected.append(best(overlap, own) if target else 0)
    assert attack.tied(known, query, everybody(known)).tolist() == expected


def test_noise_is_told_by_hand():
    # Calls show the epochs 0-2, 1-3, 2-4 and 3-5. The set is {0, 1}, and 7 and 9 are noise.
    #   0: twice in the first view: genuine at once.
    #   1: reported in the epochs 1 and 5; the first three calls show it, or not, as
    #      yes yes no yes: shown again after a gap.
    #   7 and 9 are reported once, and never shown in a fourth call.
    row = [0, 1, 0, 7, 9, 1]
    assert genuine_topics(row, earlier=2) == {0, 1}
    reports = Reports(["Alice"], [0], range(10), [[row]], earlier=2)
    seen = Sighting.of(reports, 0, 4)
    assert sorted(BeuginMcDaniel(top_s=2).kept(seen).of(0).tolist()) == [0, 1]
    # With three to find, only what is rare is noise.
    attack = BeuginMcDaniel(top_s=3, rare_topics=frozenset({9}))
    assert sorted(attack.kept(seen).of(0).tolist()) == [0, 1, 7]


@given(st.lists(st.integers(0, 3), min_size=6, max_size=12))
def test_from_the_fourth_call_on_genuine_means_reported_twice(row):
    assert genuine_topics(row, earlier=2) == {topic for topic, n in Counter(row).items() if n > 1}


# Carey and others


def carey_weights(topic, reports, m, s, r):
    q_out = r / m
    q_in = (1 - r) / s + q_out
    frequency = reports.count(topic) / len(reports)
    pi = min(max((frequency - q_out) / (q_in - q_out), 0), 1)
    among = q_in * pi / (q_out + (q_in - q_out) * pi) if pi > 0 else 0
    match = -math.log(q_out + (q_in - q_out) * among)
    return match, -math.log(q_out + (q_in - q_out) * (s - 1) * pi / (s - pi))


@given(sightings(), st.sampled_from([0.05, 0.3]))
def test_carey(pair, noise):
    known, query = pair
    m, rows = known.topics.size, [sighting.codes.tolist() for sighting in pair]
    reports = [topic for row in rows[1] for topic in row if topic >= 0]
    expected = []
    for own, target in enumerate(rows[1]):
        distances = []
        for candidate in rows[0]:
            total = 0
            for theirs, mine in zip(candidate, target, strict=True):
                if mine >= 0:
                    total += carey_weights(mine, reports, m, 2, noise)[theirs != mine]
            distances.append(-round(total, 6))  # ties are ties in spite of rounding
        expected.append(best(distances, own))
    found = Carey(top_s=2, noise=noise).tied(known, query, everybody(known)).tolist()
    assert found == expected


# Jha and others


def at_least(row, times):
    return frozenset(topic for topic, n in Counter(row).items() if topic >= 0 and n >= times)


@given(sightings(), st.integers(1, 3))
def test_jha_strict(pair, times):
    kept = [[at_least(row, times) for row in sighting.codes.tolist()] for sighting in pair]
    expected = [int(a == b and kept[0].count(a) == kept[1].count(b) == 1) for a, b in zip(*kept, strict=True)]
    assert JhaStrict(times).tied(*pair, everybody(pair[0])).tolist() == expected


@given(sightings(), st.integers(1, 3), st.sampled_from([0, Fraction(1, 4), 0.5]))
def test_jha_loose(pair, times, coincidence):
    rows = [sighting.codes.tolist() for sighting in pair]
    kept, seen = ([[at_least(row, n) for row in site] for site in rows] for n in (times, 1))
    expected = []
    for own, target in enumerate(rows[1]):
        fits = [
            other
            for other, candidate in enumerate(rows[0])
            if kept[0].count(kept[0][other]) == 1
            and kept[0][other] <= seen[1][own]
            and kept[1][own] <= seen[0][other]
            and sum(a == b >= 0 for a, b in zip(candidate, target, strict=True)) >= coincidence * len(target)
        ]
        expected.append(int(kept[1].count(kept[1][own]) == 1 and fits == [own]))
    assert JhaLoose(times, coincidence).tied(*pair, everybody(pair[0])).tolist() == expected


# The Bayes-optimal adversaries, in fractions


def likelihood(row, sets, m, r):
    """The probability of the reports of a user with these sets, one for each epoch; nothing tells nothing."""
    product = Fraction(1)
    for topic, own in zip(row, sets, strict=True):
        if topic >= 0:
            product *= r / m + ((1 - r) / len(own) if topic in own else 0)
    return product


def sets_for(draw, m, users, epochs, size):
    one = st.permutations(range(m)).map(lambda order: sorted(order[:size]))
    table = draw(st.lists(st.lists(one, min_size=users, max_size=users), min_size=epochs, max_size=epochs))
    return np.array(table)


@given(sightings(), st.data(), st.booleans())
def test_bayes_with_profiles(pair, data, stable):
    known, query = pair
    m, (users, columns) = known.topics.size, query.codes.shape
    sets = sets_for(data.draw, m, users, 1 if stable else columns, data.draw(st.integers(1, min(m, 3))))
    people = Population.from_array(range(users), sets, list(NAMES[:m]))
    by_user = [[sets[e % len(sets)][user].tolist() for e in range(columns)] for user in range(users)]
    expected = []
    for own, row in enumerate(query.codes.tolist()):
        expected.append(best([likelihood(row, mine, m, Fraction(1, 5)) for mine in by_user], own))
    assert BayesProfiles(people).tied(known, query, everybody(known)).tolist() == expected


@given(sightings(), st.data(), st.sampled_from([Fraction(1, 20), Fraction(1, 2), Fraction(1)]))
def test_bayes_that_links(pair, data, noise):
    known, query = pair
    m, columns, size = known.topics.size, query.codes.shape[1], data.draw(st.integers(1, 2))
    sets = sets_for(data.draw, m, data.draw(st.integers(1, 6)), 1, size)[0]
    people = Population.from_array(range(len(sets)), sets, list(NAMES[:m]))

    def of_all(row):
        return [likelihood(row, [own] * columns, m, noise) for own in sets.tolist()]

    firsts, seconds = ([of_all(row) for row in sighting.codes.tolist()] for sighting in pair)
    expected = []
    for own, b in enumerate(seconds):
        chances = [sum(x * y for x, y in zip(a, b, strict=True)) / sum(a) for a in firsts]
        expected.append(best(chances, own))
    assert BayesLink(people, noise).tied(known, query, everybody(known)).tolist() == expected


def test_bayes_that_links_stays_exact_over_years_of_reports():
    """Powers of the odds, which are 999 here, are beyond all floats from 103 reports on."""
    rng, columns, noise = np.random.default_rng(45), 150, Fraction(1, 500)
    sets = {400: [0, 1], 1: [0, 2], 20: [0, 3]}  # by how many have each
    listed = [own for n, own in sets.items() for _ in range(n)]
    people = Population.from_array(range(421), listed, list(NAMES[:4]))
    codes = np.zeros((2, 12, columns), dtype=int)
    for row in codes.reshape(24, columns):
        for topic in (1, 2, 3):
            row[5 * topic : 5 * topic + rng.integers(3)] = topic
    reports = Reports(range(12), range(2), list(NAMES[:4]), codes)
    known, query = (Sighting.of(reports, site, columns) for site in (0, 1))

    def of_all(row):
        return [likelihood(row, [own] * columns, 4, noise) for own in sets.values()]

    firsts, seconds = ([of_all(row) for row in sighting.codes.tolist()] for sighting in (known, query))
    expected = []
    for own, b in enumerate(seconds):
        weighed = [[n * x for n, x in zip(sets, a, strict=True)] for a in firsts]
        chances = [sum(x * y for x, y in zip(a, b, strict=True)) / sum(a) for a in weighed]
        expected.append(best(chances, own))
    assert BayesLink(people, noise).tied(known, query, everybody(known)).tolist() == expected
    assert expected == [0, 0, 0, 0, 0, 0, 0, 12, 1, 3, 0, 0]


# What they share


@given(
    st.lists(st.sets(st.integers(0, 6)), min_size=1, max_size=150),
    st.dictionaries(st.integers(0, 6), st.integers(1, 3), max_size=7),
    st.sampled_from([1, 10**6]),  # sums of two bytes, and of eight
    st.data(),
)
def test_the_best_score_is_found_whatever_the_weights(sets, weights, factor, data):
    own = data.draw(st.integers(0, len(sets) - 1))
    rows = np.full((len(sets), 7), -1)
    for user, items in enumerate(sets):
        rows[user, : len(items)] = sorted(items)
    items, worth = np.array([*weights], dtype=np.int32), np.array([*weights.values()], dtype=np.int64)
    queries = Queries(np.array([0, len(items)]), items, worth * factor)
    scores = [sum(weights.get(item, 0) for item in mine) for mine in sets]
    found = ranked_best(ItemSets.from_rows(rows, 7), queries, np.array([own]))
    assert found.tolist() == [best(scores, own)]


def test_the_best_score_is_found_among_many_users():
    rng = np.random.default_rng(4)
    sets = np.stack([rng.permutation(30)[:4] for _ in range(20_000)])
    own = rng.integers(20_000, size=60)
    rows = np.concatenate([sets[own], rng.integers(30, size=(60, 5))], axis=1)
    counts = np.stack([np.bincount(row, minlength=30) for row in rows])
    scores = counts[:, sets].sum(axis=2)  # (queries, users)
    mine = scores[np.arange(60), own]
    expected = np.where(scores.max(axis=1) == mine, (scores == mine[:, None]).sum(axis=1), 0)
    found = ranked_best(ItemSets.from_rows(sets, 30), Queries.counted(rows), own)
    assert (found == expected).all()
    assert 0 < (expected > 0).sum() < 60


@pytest.mark.parametrize(  # in blocks of different sizes, and with profiles of other people
    ("epochs", "block", "profiles"), [(6, 2**20, "own"), (9, 1000, "own"), (9, 5000, "others'")]
)
def test_links_are_found_among_many_users(epochs, block, profiles, monkeypatch):
    monkeypatch.setattr(linking, "BLOCK", block)
    monkeypatch.setattr(linking, "_TARGETS", 300)
    people = Population.synthetic(500, seed=2)
    reports = simulate(people, TopicsAPI(), epochs=epochs, seed=1)
    known, query = (Sighting.of(reports, site, epochs) for site in (0, 1))
    if profiles != "own":
        people = Population.from_array(
            range(500, 1000), Population.synthetic(500, seed=3).sets[0], people.topics
        )
    sets = np.sort(people.codes, axis=1)
    odds = 19 * 349 / 5 + 1
    fits = [
        (sighting.codes[:, :, None, None] == sets[None, None]).any(axis=3).sum(axis=1)
        for sighting in (known, query)
    ]
    first, second = (np.longdouble(odds) ** fit for fit in fits)  # more digits than the rule on ties needs
    chances = second @ (first / first.sum(axis=1, keepdims=True)).T  # (targets, users)
    mine = np.diag(chances)
    near = np.abs(chances - mine[:, None]) <= 1e-12 * np.maximum(chances, mine[:, None])
    better = (chances > mine[:, None]) & ~near
    expected = np.where(better.any(axis=1), 0, near.sum(axis=1))
    found = BayesLink(people).tied(known, query, np.arange(500))
    assert (found == expected).all()
    assert 0 < (expected == 1).sum() < 500
