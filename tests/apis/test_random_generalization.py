"""Ties and filling up make the set random: the channel is still exact, and the paper's bounds still hold."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import hypothesis.strategies as st
from hypothesis import given

import quiff
import textbook
from quiff import theory
from quiff.apis.base import stages_of
from quiff.apis.topics import TopicsAPI
from quiff.measures.privacy import k_anonymity
from quiff.people.histories import Histories
from words import refused

TOPICS = list("abcde")
CLASSIFICATION = {
    "one": ["a"], "two": ["a", "b"], "three": ["c", "d", "e"], "four": ["b", "e"], "five": ["d"],
}  # fmt: skip


def sets_by_all_orders(history, s):
    """The distribution of the top-s set, by ranking in every order of the topics."""
    counts = Counter(topic for domain in history for topic in CLASSIFICATION.get(domain, []))
    found = Counter(
        frozenset(sorted(order, key=lambda topic: -counts[topic])[:s]) for order in permutations(TOPICS)
    )
    total = sum(found.values())
    return {chosen: Fraction(count, total) for chosen, count in found.items()}


@st.composite
def cases(draw):
    domains = st.lists(st.sampled_from([*CLASSIFICATION, "unknown"]), min_size=1, max_size=5)
    visits = {user: draw(domains) for user in "uvwxyz"[: draw(st.integers(1, 5))]}
    s, r = draw(st.integers(1, 5)), Fraction(draw(st.integers(0, 5)), 5)
    return visits, TopicsAPI(draw(st.integers(5, 8)), s, r)


def people_of(visits):
    return Histories.from_visits(visits, CLASSIFICATION, fill=TOPICS)


@given(cases())
def test_every_entry_is_exact(case):
    """C_T[x,t] = (1-r) P[t in the set of x]/s + r/m, with P from the list of all orders."""
    visits, api = case
    m, s, r = api.n_topics, api.top_s, api.noise
    people = people_of(visits)
    C, C_G = api.channel(people), textbook.rows_of(api.secret(people))
    assert C.exact
    assert C.outputs.size == m
    for user, history in visits.items():
        chances = sets_by_all_orders(history, s)
        assert {chosen: p for chosen, p in C_G[user].items() if p} == chances
        for t in C.outputs:
            inside = sum(p for chosen, p in chances.items() if t in chosen)
            assert C[user, t] == (1 - r) * inside / s + r / m


@given(cases())
def test_the_list_of_sets_gives_the_same_channel(case):
    visits, api = case
    people = people_of(visits)
    to_set = api.secret(people)
    through_sets = to_set @ api.fit(people).observe(to_set.outputs)
    assert textbook.rows_of(through_sets) == textbook.rows_of(api.channel(people))


@given(cases())
def test_the_bounds_of_the_paper_hold(case):
    visits, api = case
    m, s, r, n = api.n_topics, api.top_s, api.noise, len(visits)
    people = people_of(visits)
    users = quiff.Prior.uniform(people.users)
    stages = stages_of(api, people)
    leakage = {name: quiff.leakage(users, C) for name, C in stages.items()}
    posterior = {name: quiff.posterior_vulnerability(users, C) for name, C in stages.items()}
    for name, C in stages.items():
        pi, rows = textbook.prior_of(users), textbook.rows_of(C)
        assert posterior[name] == textbook.posterior_vulnerability(pi, rows, textbook.gain_of(None, pi))
    assert leakage["generalization"] <= theory.generalization_capacity(m, s, n)
    assert leakage["bounded_noise"] <= Fraction(m, s)
    assert leakage["topics"] <= r + m * (1 - r) / s
    assert posterior["topics"] <= min(1, (r + m * (1 - r) / s) / n)
    # m' counts the topics that may be in some set: the printed equality is an upper bound too.
    occurring = len({t for h in visits.values() for chosen in sets_by_all_orders(h, s) for t in chosen})
    assert leakage["bounded_noise"] <= Fraction(occurring, s)
    assert leakage["topics"] <= r + occurring * (1 - r) / s
    if r > 0:
        assert quiff.max_case_capacity(stages["topics"]) <= 1 + m * (1 - r) / (r * s)


def test_the_printed_equalities_need_not_hold():
    """One tie: two users who might have {a} or {b}. The paper's m'(1-r)/s + r is 39/20; nothing leaks."""
    people = Histories.from_visits({"u": ["x"], "v": ["x", "x"]}, {"x": ["a", "b"]})
    api = TopicsAPI(n_topics=2, top_s=1, noise=Fraction(1, 20))
    users = quiff.Prior.uniform(people.users)
    assert theory.topics_leakage(2, 1, Fraction(1, 20), occurring=2) == Fraction(39, 20)
    assert {name: quiff.leakage(users, C) for name, C in stages_of(api, people).items()} == {
        "generalization": 1,
        "bounded_noise": 1,
        "topics": 1,
    }
    assert quiff.max_case_capacity(api.channel(people)) == 1
    assert k_anonymity(api.generalization(people)) == 2


def test_a_taxonomy_smaller_than_what_may_occur_is_an_error():
    people = people_of({"u": ["three"]})
    with refused(quiff.ParameterError, 2, 3):
        TopicsAPI(n_topics=2, top_s=2).channel(people)
    assert TopicsAPI(n_topics=3, top_s=2, noise=0).channel(people)["u", "d"] == Fraction(1, 3)
