"""Products of membership channels, counted: the integers and fractions of dense enumeration."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
import qif
from hypothesis import given, settings
from hypothesis import strategies as st

import quiff
from quiff import Channel, Prior
from quiff.core.counting.matches import match_counts
from quiff.core.counting.membership import MembershipProduct
from quiff.core.counting.subsets import Subsets
from quiff.core.counting.tables import Tables
from weeks import loops
from words import refused


def codes_of(users):
    """An array of sets for each epoch."""
    return [np.array([sorted(user[epoch]) for user in users]) for epoch in range(len(users[0]))]


def channels_of(users, m, s, r, number=Fraction):
    p, q = (number(value) for value in loops.probabilities(m, s, r))
    return [
        Channel.membership_from_codes(range(len(users)), codes, range(m), p, q) for codes in codes_of(users)
    ]


def together(channels):
    result = channels[0]
    for C in channels[1:]:
        result = quiff.parallel(result, C)
    return result


def counted(C, weights):
    """sum_y max_x w_x C[x,y] by counting, however small the product is."""
    factors = getattr(C.kernel, "factors", (C.kernel,))
    return MembershipProduct.of(factors).column_max_sum(weights)


@settings(max_examples=300)
@given(loops.instances(weighted=False))
def test_the_counts_are_those_of_enumeration(instance):
    users, _, m, _, _, E, _ = instance
    assert match_counts(codes_of(users), [m] * E) == loops.match_counts(users, [m] * E)


@given(st.data())
def test_factors_may_have_different_outputs(data):
    sizes = data.draw(st.lists(st.integers(2, 5), min_size=2, max_size=3))
    lengths = [data.draw(st.integers(1, size)) for size in sizes]
    users = [
        [frozenset(data.draw(st.permutations(range(m)))[:s]) for m, s in zip(sizes, lengths, strict=True)]
        for _ in range(data.draw(st.integers(1, 4)))
    ]
    assert match_counts(codes_of(users), sizes) == loops.match_counts(users, sizes)


@settings(max_examples=200)
@given(loops.instances(most_epochs=5, least_epochs=4, most_topics=4, stable=True, weighted=False))
def test_stable_sets_have_the_same_counts_by_their_subsets(instance):
    users, _, m, _, _, E, _ = instance
    codes = codes_of(users)[0]
    assert match_counts([codes] * E, [m] * E) == loops.match_counts(users, [m] * E)
    again = [codes.copy() for _ in range(E)]  # by bits alone
    assert match_counts(again, [m] * E) == loops.match_counts(users, [m] * E)


def test_five_epochs_where_topics_are_many_and_sets_are_few():
    """Here most tuples have no two topics in a common set, or no three."""
    sets = [[0, 1, 2], [2, 3, 4], [5, 6, 7], [0, 3, 6]]
    users = [[frozenset(own)] * 5 for own in sets]
    assert match_counts([np.array(sets)] * 5, [9] * 5) == loops.match_counts(users, [9] * 5)


@settings(max_examples=200)
@given(loops.instances(most_topics=4))
def test_what_a_product_leaks_is_exact(instance):
    users, weights, m, s, r, _E, _ = instance
    prior = (
        Prior.uniform(range(len(users))) if weights is None else Prior.from_counts(dict(enumerate(weights)))
    )
    expected = loops.vulnerability(users, weights or [1] * len(users), m, *loops.probabilities(m, s, r))
    C = together(channels_of(users, m, s, r))
    assert quiff.posterior_vulnerability(prior, C) == expected
    listed = np.array(weights or [1] * len(users))
    assert counted(C, listed) == expected * listed.sum()
    assert type(counted(C, listed)) is Fraction
    floats = counted(together(channels_of(users, m, s, r, float)), listed)
    assert floats == pytest.approx(float(expected * listed.sum()), rel=1e-12)


@given(loops.instances(most_epochs=3, most_topics=4, stable=True, weighted=True))
def test_repeated_channels_keep_one_kernel_and_weights_may_be_fractions(instance):
    users, weights, m, s, r, E, _ = instance
    C = channels_of(users, m, s, r)[0]
    shares = [Fraction(w, sum(weights)) for w in weights]
    expected = loops.vulnerability(users, weights, m, *loops.probabilities(m, s, r))
    many = quiff.repeat(C, E)
    assert quiff.posterior_vulnerability(Prior(dict(enumerate(shares))), many) == expected
    assert counted(many, np.array(shares, dtype=object)) == expected
    floats = np.array(shares, dtype=float)
    assert counted(many, floats) == pytest.approx(float(expected))
    first, *others = MembershipProduct.of(many.kernel.merged()[0].factors).codes
    assert all(codes is first for codes in others)


@settings(max_examples=30)
@given(loops.instances(most_epochs=3, most_topics=4, weighted=False, least_epochs=2))
def test_the_library_qif_composes_in_parallel_to_the_same(instance):
    users, _, m, s, r, _E, _ = instance
    dense = [np.array(C.to_numpy(), dtype=float) for C in channels_of(users, m, s, r, float)]
    product = dense[0]
    for C in dense[1:]:
        product = qif.channel.compose.parallel(product, C)
    uniform = qif.probab.uniform(len(users))
    expected = qif.measure.bayes_vuln.mult_leakage(uniform, product)
    C = together(channels_of(users, m, s, r, float))
    assert counted(C, np.ones(len(users))) == pytest.approx(expected)


def test_where_outside_is_likelier_than_inside_all_columns_are_looked_at():
    sets = {"Alice": {0}, "Bob": {1}}
    C = Channel.membership(sets, range(3), inside=Fraction(0), outside=Fraction(1, 2))
    assert MembershipProduct.of(quiff.repeat(C, 2).kernel.factors) is None
    assert quiff.bayes_capacity(quiff.repeat(C, 2)) == Fraction(7, 4)


def test_other_channels_are_no_memberships():
    dense = Channel([[0.5, 0.5], [0.25, 0.75]])
    member = Channel.membership({0: {0}, 1: {1}}, [0, 1], 0.75, 0.25)
    assert MembershipProduct.of([dense.kernel, member.kernel]) is None
    assert MembershipProduct.of([member.kernel] * 6) is None
    other = Channel.membership({0: {0}, 1: {1}}, [0, 1], 1.0, 0.0)
    assert MembershipProduct.of([other.kernel, member.kernel]) is None
    assert quiff.bayes_capacity(quiff.parallel(other, member)) == 2


def test_a_million_pairs_of_sets_are_counted_at_once():
    """Changing sets at the size of a population, where everything is known: all sets are pairs."""
    pairs = np.array(list(combinations(range(60), 2)))
    N = len(pairs)
    first = Channel.membership_from_codes(range(N), pairs, range(60), 0.5, 0.0)
    second = Channel.membership_from_codes(range(N), pairs[::-1], range(60), 0.5, 0.0)
    capacity = quiff.bayes_capacity(quiff.parallel(first, second))
    fitted = {(a, b) for one, two in zip(pairs, pairs[::-1], strict=True) for a in one for b in two}
    assert capacity == pytest.approx(len(fitted) / 4)


@pytest.mark.parametrize("epochs", [2, 3])
def test_what_is_known_of_each_row_beside_its_reports_is_counted_value_by_value(epochs):
    rng = np.random.default_rng(epochs)
    sets = np.array([rng.choice(12, 3, replace=False) for _ in range(60)])
    member = Channel.membership_from_codes(range(60), sets, range(12), 0.3, 0.1 / 9)
    values = [*range(8), *rng.integers(8, 12, 52).tolist()]  # some are alone
    known = Channel.deterministic_from_codes(range(60), np.array(values), range(12))
    C = quiff.parallel(quiff.repeat(member, epochs), known)
    weights = rng.integers(0, 5, 60)
    for prior in (quiff.Prior.uniform(range(60)), quiff.Prior.from_count_array(range(60), weights)):
        joint = C.to_numpy() * np.asarray(prior.to_numpy(), dtype=float)[:, np.newaxis]
        assert quiff.posterior_vulnerability(prior, C) == pytest.approx(joint.max(axis=0).sum())
    with quiff.work_limit(1e-6), refused(quiff.SizeError):
        quiff.bayes_capacity(C)


def test_the_work_is_refused_before_it_is_begun():
    codes = np.arange(4000).reshape(-1, 2)
    C = Channel.membership_from_codes(range(2000), codes, range(4000), 0.4, (1 - 0.8) / 3998)
    with refused(quiff.SizeError):
        quiff.bayes_capacity(quiff.repeat(C, 4))


def test_cells_are_the_tuples_of_a_users_sets():
    """On the second and third of four factors, in base 10: the sets are {1, 2} and {3, 4}."""
    codes = tuple(np.array([own], dtype=np.uint16) for own in ([5, 6], [1, 2], [3, 4], [0]))
    tables = Tables(codes, (7, 10, 10, 1), (0, 0, 0, 0))
    assert tables.cells((1, 2), np.array([0])).T.tolist() == [[13, 14, 23, 24]]
    assert tables.cells((), np.array([0])).tolist() == [[0]]


@given(loops.instances(most_epochs=3, weighted=False, least_epochs=3))
def test_marks_are_the_products_of_sets(instance):
    users, _, m, _, _, _, _ = instance
    tables = Tables.of(codes_of(users), [m] * 3)
    marked = np.zeros(tables.outputs[1:], dtype=bool)  # the second factor's outputs, and the third's
    for x in range(len(users)):
        for a in tables.codes[1][x]:
            marked[a, tables.codes[2][x]] = True
    assert (tables.marked((1, 2), np.arange(len(users))) == marked).all()


families = st.integers(3, 7).flatmap(
    lambda m: st.tuples(
        st.just(m),
        st.lists(
            st.sets(st.integers(0, m - 1), min_size=3, max_size=3).map(frozenset), min_size=1, max_size=6
        ),
    )
)


@given(families, st.integers(1, 5))
def test_subsets_and_near_subsets_are_those_of_enumeration(family, most):
    m, sets = family
    found = Subsets.of(np.array([sorted(own) for own in sets]), m, most)
    inside = {frozenset(c) for own in sets for n in range(4) for c in combinations(sorted(own), n)}
    assert list(found.inside) == [sum(len(a) == n for a in inside) for n in range(most + 1)]
    for n in range(1, most + 1):
        expected = [0] * (n + 1)
        for chosen in map(frozenset, combinations(range(m), n)):
            if chosen not in inside:
                expected[sum(chosen - {t} in inside for t in chosen)] += 1
        assert list(found.almost[n][1:]) == expected[1:]


def test_words_beyond_the_first_are_counted_too():
    """More than 64 topics: two words a row."""
    sets = np.array([[i, i + 40, i + 80] for i in range(20)])
    m, F3 = 100, 20
    found = [match_counts([sets] * E, [m] * E) if E else [1] for E in range(5)]
    assert found[4] == match_counts([sets.copy() for _ in range(4)], [m] * 4)
    # 60 topics occur, in 20 triples that are apart from each other.
    assert found[1] == [40, 60]
    assert found[2][2] == 20 * 9
    assert found[3] == [40**3, comb(3, 1) * 60 * 40**2 + comb(3, 2) * 60 * 57 * 40 + 60 * 57 * 54,
                        comb(3, 2) * 180 * 40 + 3 * 180 * 57, F3 * 27]  # fmt: skip
