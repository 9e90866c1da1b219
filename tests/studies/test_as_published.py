"""The misaligned prior of the published notebooks: each set gets the probability of another one."""

from collections import Counter
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

import textbook
from quiff import Population, TopicsAPI, measure
from quiff.papers.as_published import misaligned_prior

NUMBERS = [1, 2, 9, 10, 20, 100, 349]
some_sets = st.lists(
    st.sets(st.sampled_from(NUMBERS), min_size=2, max_size=2).map(frozenset), min_size=1, max_size=9
)


def by_position(sets):
    """Lay the shares in order of first appearance beside the sets in order of text, as the notebooks do."""
    words = [tuple(sorted(str(topic) for topic in own)) for own in sets]
    shares = [Fraction(count, len(words)) for count in Counter(words).values()]  # in order of appearance
    rows = sorted(set(words))
    return {frozenset(map(int, row)): share for row, share in zip(rows, shares, strict=True)}


@given(some_sets)
def test_it_is_the_alignment_by_position(sets):
    people = Population.from_sets(dict(enumerate(sets)))
    assert dict(misaligned_prior(people).items()) == by_position(sets)


@given(some_sets, st.integers(0, 10))
def test_goals_under_it_stand_beside_those_under_the_right_prior(sets, tenths):
    r, m, s = Fraction(tenths, 10), 7, 2
    people, api = Population.from_sets(dict(enumerate(sets)), topics=NUMBERS), TopicsAPI(m, s, r)
    right, both = (
        measure(people, api),
        measure(people, api, priors={"as-published": misaligned_prior(people)}),
    )
    assert [row for row in both.rows if row.prior != "as-published"] == list(right.rows)
    pi = by_position(sets)
    C = {x: {t: (1 - r) / s * (t in x) + r / m for t in NUMBERS} for x in pi}
    gains = {
        "secret": textbook.gain_of(None, pi),
        "topics": {t: {x: int(t in x) for x in pi} for t in NUMBERS},
    }
    for goal, g in gains.items():
        before, after = (both[api.spec, f"goal_{q}", goal, "as-published"] for q in ("prior", "posterior"))
        assert before == textbook.vulnerability(pi, g)
        assert after == textbook.posterior_vulnerability(pi, C, g)
    shares = (both[api.spec, "goal_prior", "secret", prior] for prior in ("as-published", "population"))
    assert len(set(shares)) == 1  # they are the same ones


def test_weights_are_misaligned_too():
    people = Population.from_sets({"Alice": {9, 20}, "Bob": {10, 20}}, weights={"Alice": 0.75, "Bob": 0.25})
    assert dict(misaligned_prior(people).items()) == {frozenset({9, 20}): 0.25, frozenset({10, 20}): 0.75}


def test_a_measurement_shows_the_difference():
    """{9, 20} comes first in the file and has half the users; {10, 30} and {10, 40} come first as text."""
    people = Population.from_array(range(4), [[9, 20], [9, 20], [10, 30], [10, 40]])
    api = TopicsAPI(5, 2, Fraction(1, 20))
    found = measure(people, api, priors={"as-published": misaligned_prior(people)})
    # As published, topic 10 has the half of the first set and the quarter of the second.
    assert found[api.spec, "goal_prior", "topics", "bounded_noise", "as-published"] == Fraction(3, 4)
    assert found[api.spec, "goal_prior", "topics", "bounded_noise"] == Fraction(1, 2)
    assert "as-published" in found.tables["utility"].to_text()
