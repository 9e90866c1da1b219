"""People by their secret: counts, priors and the most probable person, against plain loops in fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quiff import Channel, Histories, LabelError, ParameterError, Population, grouped
from quiff.core.labels import as_labels
from quiff.measures.vulnerability import posterior_vulnerability
from words import refused


@st.composite
def weighted_values(draw):
    n = draw(st.integers(1, 8))
    values = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    kinds = st.one_of(st.integers(0, 5), st.fractions(0, 3, max_denominator=4))
    weights = draw(st.none() | st.lists(kinds, min_size=n, max_size=n).filter(any))
    return values, weights


@given(weighted_values())
def test_they_are_what_plain_loops_count(made):
    values, weights = made
    people = Population(range(len(values)), weights=weights).with_attribute("x", values)
    secret = Channel.deterministic_from_codes(people.users, np.array(values), range(5))  # 4 has nobody
    plain = [Fraction(w) for w in (weights or [1] * len(values))]
    shares = [w / sum(plain) for w in plain]
    of = {x: [share for share, value in zip(shares, values, strict=True) if value == x] for x in range(5)}
    groups = grouped(people, secret)
    assert groups.counts.tolist() == [len(of[x]) for x in range(5)]
    assert dict(groups.prior.items()) == {x: sum(of[x]) for x in range(5)}
    assert groups.best_user == max(shares)
    heaviest = {x: max(of[x], default=Fraction(0)) for x in range(5)}
    assert groups.by_secret == sum(heaviest.values())
    assert dict(groups.foremost.items()) == {x: h / sum(heaviest.values()) for x, h in heaviest.items()}
    assert groups.unique_users == Fraction(sum(len(own) == 1 for own in of.values()), len(values))
    assert groups.anonymity == min(len(own) for own in of.values() if own)
    C = Channel([[Fraction(1, 1 + x), 1 - Fraction(1, 1 + x)] for x in range(5)])
    by_user = sum(max(p * C[x, y] for p, x in zip(shares, values, strict=True)) for y in range(2))
    assert groups.reidentified_by(C) == by_user
    assert posterior_vulnerability(people.user_prior(), secret @ C) == by_user


@given(st.lists(st.sampled_from([(1, 2), (2, 3), (1, 3)]), min_size=1, max_size=8))
def test_merged_people_give_the_same(sets):
    people = Population.from_array(range(len(sets)), sets)
    distinct, _ = people.distinct_sets()
    merged = Population(distinct, people.topics, distinct.codes, counts=people.set_counts())
    one, other = (grouped(some, some.channel("topics")) for some in (people, merged))
    assert one.counts.tolist() == other.counts.tolist()
    for name in ("n_users", "unique_users", "anonymity", "best_user", "by_secret"):
        assert getattr(one, name) == getattr(other, name)
    assert dict(one.prior.items()) == dict(other.prior.items())
    assert dict(one.foremost.items()) == dict(other.foremost.items())


def test_merged_people_refuse_what_they_do_not_know_with_one_text():
    sets, _ = Population.from_sets({"a": {1, 2}, "b": {2, 3}, "c": {1, 2}}).distinct_sets()
    merged = Population(sets, sets.topics, sets.codes, weights=[1, 2], counts=[2, 1])
    groups = grouped(merged, merged.channel("topics"))
    assert groups.counts.tolist() == [2, 1]
    assert list(dict(groups.prior.items()).values()) == [Fraction(1, 3), Fraction(2, 3)]
    texts = set()
    for ask in (
        lambda: groups.best_user, lambda: groups.by_secret, lambda: groups.foremost, merged.channel,
        merged.user_prior, lambda: merged.attribute("country"), lambda: merged.with_attribute("x", [1, 2]),
        lambda: merged.with_histories(Histories.from_visits({"a": ["x"]}, {})),
    ):  # fmt: skip
        with refused(ParameterError, 3, 2) as caught:
            ask()
        texts.add(str(caught.value))
    assert len(texts) == 1


def test_histories_can_be_grouped():
    histories = Histories.from_visits({"a": ["x"], "b": ["y"], "c": ["x"]}, {})
    groups = grouped(histories, histories.channel("history"))
    assert groups.counts.tolist() == [2, 1]
    assert groups.by_secret == Fraction(2, 3)


def test_other_secrets_are_refused():
    people = Population(["a", "b"])
    with refused(ParameterError):
        grouped(people, Channel([[0.5, 0.5], [1, 0]], inputs=["a", "b"]))
    with refused(LabelError):
        grouped(people, Channel.identity(as_labels(["b", "a"])))
