"""What one call gives away, and two sites: against a plain enumeration of all that can be reported."""

from fractions import Fraction
from itertools import combinations, permutations, product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textbook
from quiff import ParameterError, Population, TopicsAPI, bayes_capacity, repeat
from quiff.weeks.calls import EpochLaw, TopicGroups, linked_sites
from weeks import loops
from words import refused

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


def people_with(sets, topics=TOPICS):
    return Population.from_sets(dict(enumerate(sets)), topics=topics)


def groups_of(people, m=M):
    return TopicGroups.of(people, TopicsAPI(m, people.top_s))


@given(populations, shares, shares, st.booleans(), st.integers(1, 3), st.booleans())
def test_the_leakage_of_a_call_is_that_of_the_enumerated_channel(sets, r, c, after, epochs, once):
    s = len(sets[0])
    law = EpochLaw.of(M, s, r, c, after)
    rows = epoch_rows(sets, s, r, c, after)
    for user, own in enumerate(sets):
        for topic in TOPICS:
            assert rows[user][topic] == (law.inside if topic in own else law.outside)
        assert rows[user][NOTHING] == law.nothing
    found = groups_of(people_with(sets)).leakage(law, epochs, in_order=not once)
    assert isinstance(found, Fraction)
    assert found == textbook.bayes_capacity(call_rows(rows, epochs, once))


@given(populations, shares, st.integers(1, 3))
def test_in_order_it_is_the_repeated_channel(sets, r, epochs):
    people = people_with(sets)
    C = TopicsAPI(M, people.top_s, r).channel(people)
    law = EpochLaw.of(M, people.top_s, r)
    assert groups_of(people).leakage(law, epochs, in_order=True) == bayes_capacity(repeat(C, epochs))


@given(populations, st.integers(1, 3))
def test_unnamed_topics_of_a_larger_taxonomy_count(sets, more):
    m = M + more
    assert groups_of(people_with(sets, None), m) == groups_of(people_with(sets, range(m)), m)


@given(populations)
def test_groups_are_counted_as_by_hand(sets):
    found = groups_of(people_with(sets))
    for k in (1, 2, 3):
        owned = [max(len(own & set(group)) for own in sets) for group in combinations(TOPICS, k)]
        assert found.groups[k - 1] == tuple(owned.count(j) for j in range(k + 1))


@given(loops.instances(most_epochs=1, stable=True, weighted=False))
def test_two_sites_link_a_user(instance):
    users, _, m, s, r, _, same = instance
    people = loops.population(users, None, m, same)
    expected = loops.linked([user[0] for user in users], m, *loops.probabilities(m, s, r))
    found = linked_sites(people, TopicsAPI(m, s, r))
    assert found == expected
    assert type(found) is Fraction
    assert linked_sites(people, TopicsAPI(m, s, float(r))) == pytest.approx(float(expected))


def test_a_taxonomy_of_a_hundred_thousand_topics_is_no_table():
    people = people_with([{0, 1}, {2, 3}, {0, 2}])
    small, large = (linked_sites(people, TopicsAPI(m, 2, 0.05)) for m in (10, 100_000))
    assert small < large < 3


def test_what_cannot_be_counted_is_refused():
    groups = groups_of(people_with([{1, 2}, {3, 4}]))
    with refused(ParameterError, what="epochs", value=4):
        groups.leakage(EpochLaw.of(M, 2, 0), 4)
    changing = Population.from_array(range(2), [[[0], [1]], [[1], [0]]], topics=range(2))
    weighted = Population.from_sets({"Alice": {0}, "Bob": {1}}, weights={"Alice": 1, "Bob": 2})
    for people in (changing, weighted):
        for study in (TopicGroups.of, linked_sites):
            with refused(ParameterError):
                study(people, TopicsAPI(2, 1))


def test_who_knows_the_list_of_sets_links_more_than_who_knows_the_shares():
    """All reports at the first site, one at the second; who has which set of the list is not known."""
    sets = ({0, 1}, {2, 3}, {0, 1})
    p, q = loops.probabilities(5, 2, Fraction(1, 20))
    owners = list(permutations(sets))
    total = Fraction(0)
    for *first, second in product(range(5), repeat=4):
        views = [loops.chance(own, first, p, q) for own in owners]
        total += max(
            sum(view * (p if second in own[i] else q) for view, own in zip(views, owners, strict=True))
            for i in range(3)
        )
    by_the_list = total / len(owners)
    by_the_shares = linked_sites(people_with(sets, range(5)), TopicsAPI(5, 2, Fraction(1, 20)))
    assert (round(float(by_the_list), 4), round(float(by_the_shares), 4)) == (1.9115, 1.9027)
