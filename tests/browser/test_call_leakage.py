"""What one call gives away, against a plain enumeration of everything that three epochs can report."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textbook
from quiff import ParameterError, Population, TopicsAPI, bayes_capacity, repeat
from quiff.browser.call_leakage import EpochLaw, call_leakage, link_channel

M = 6
TOPICS = range(M)
NOTHING = "nothing"


def epoch_rows(sets, s, r, c, after):
    """P[report | user] of one epoch, by the steps of the browser: index, filter, noise."""
    rows = {}
    for user, own in enumerate(sets):
        row = dict.fromkeys([*TOPICS, NOTHING], Fraction(0))
        for chosen, observed, noisy in product(own, (True, False), (True, False)):
            chance = Fraction(1, s) * (c if observed else 1 - c) * (r if noisy else 1 - r)
            if noisy and (observed or not after):
                for topic in TOPICS:
                    row[topic] += chance / M
            else:
                row[chosen if observed else NOTHING] += chance
        rows[user] = row
    return rows


def call_rows(rows, epochs, once):
    """P[view | user] of a call, by all sequences of reports."""
    views = {}
    for sequence in product([*TOPICS, NOTHING], repeat=epochs):
        view = frozenset(sequence) - {NOTHING} if once else sequence
        for user, row in rows.items():
            into = views.setdefault(user, {})
            into[view] = into.get(view, 0) + prod(row[report] for report in sequence)
    return views


populations = st.integers(1, 4).flatmap(
    lambda s: st.lists(st.sets(st.sampled_from(TOPICS), min_size=s, max_size=s), min_size=1, max_size=5)
)
shares = st.integers(0, 4).map(lambda n: Fraction(n, 4))


@given(populations, shares, shares, st.booleans(), st.integers(1, 3), st.booleans())
def test_the_leakage_of_a_call_is_that_of_the_enumerated_channel(sets, r, c, after, epochs, once):
    s = len(sets[0])
    people = Population.from_sets(dict(enumerate(sets)), topics=TOPICS)
    law = EpochLaw.of(M, s, r, c, after)
    rows = epoch_rows(sets, s, r, c, after)
    for user, own in enumerate(sets):
        for topic in TOPICS:
            assert rows[user][topic] == (law.inside if topic in own else law.outside)
        assert rows[user][NOTHING] == law.nothing
    found = call_leakage(people, law, M, epochs, once)
    assert isinstance(found, Fraction)
    assert found == textbook.bayes_capacity(call_rows(rows, epochs, once))


@given(populations, shares, st.integers(1, 3))
def test_epoch_by_epoch_it_is_the_repeated_channel(sets, r, epochs):
    people = Population.from_sets(dict(enumerate(sets)), topics=TOPICS)
    C = TopicsAPI(M, people.top_s, r).channel(people)
    law = EpochLaw.of(M, people.top_s, r)
    assert call_leakage(people, law, M, epochs, each_once=False) == bayes_capacity(repeat(C, epochs))


@given(populations, st.integers(1, 3))
def test_unnamed_topics_of_a_larger_taxonomy_count(sets, more):
    people = Population.from_sets(dict(enumerate(sets)))
    law = EpochLaw.of(M + more, people.top_s, Fraction(1, 4))
    named = Population.from_sets(dict(enumerate(sets)), topics=range(M + more))
    assert call_leakage(people, law, M + more) == call_leakage(named, law, M + more)


def linked(sets, s, r):
    """Return sum_b max_a P[b | a], summed over the users."""
    rows = epoch_rows(sets, s, r, 1, True)
    total = Fraction(0)
    for b in TOPICS:
        best = Fraction(0)
        for a in TOPICS:
            first = sum(row[a] for row in rows.values())
            if first:
                best = max(best, sum(row[a] * row[b] for row in rows.values()) / first)
        total += best
    return total


@given(populations, shares)
def test_the_link_of_two_sites_is_that_of_the_enumerated_joint_law(sets, r):
    people = Population.from_sets(dict(enumerate(sets)), topics=TOPICS)
    law = EpochLaw.of(M, people.top_s, r)
    assert bayes_capacity(link_channel(people, law, M)) == pytest.approx(float(linked(sets, people.top_s, r)))
    alike = sum(any(row[a] for row in epoch_rows(sets, people.top_s, r, 1, True).values()) for a in TOPICS)
    assert bayes_capacity(link_channel(people, law, M, per_site=False)) == alike


def test_figures_of_the_published_population(mirror):
    """12 454.14 for a call and 34.30 for a link were found by another program."""
    people = Population.read(mirror / "topics-users-250000.csv.tar.gz")
    law = EpochLaw.of(349, 5, 0.05)
    assert call_leakage(people, law, 349, 1) == pytest.approx(66.36, abs=5e-3)
    assert call_leakage(people, law, 349) == pytest.approx(12_454.14, abs=5e-3)
    assert call_leakage(people, law, 349, each_once=False) == pytest.approx(12_454.69, abs=5e-3)
    assert bayes_capacity(link_channel(people, law, 349)) == pytest.approx(34.30, abs=5e-3)


def test_what_cannot_be_counted_is_refused():
    people = Population.from_sets({"Alice": {1, 2}, "Bob": {3, 4}})
    with pytest.raises(ParameterError, match="per_call must be a whole number between 1 and 3, not 4"):
        call_leakage(people, EpochLaw.of(5, 2, 0), 5, per_call=4)
    with pytest.raises(ParameterError, match="n_topics is 3, but 4 topics occur"):
        call_leakage(people, EpochLaw.of(5, 2, 0), 3)
    with pytest.raises(ParameterError, match="observes all topics only"):
        link_channel(people, EpochLaw.of(5, 2, 0, Fraction(1, 2)), 5)
