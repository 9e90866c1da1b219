"""Products of membership channels, counted: the integers and fractions of dense enumeration."""

import subprocess
import sys
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
import qif
from hypothesis import given, settings
from hypothesis import strategies as st

import quiff
from epochs import loops
from quiff import Channel, Prior
from quiff.core.counting import loops as compiled
from quiff.core.counting.bitmaps import match_counts
from quiff.core.counting.layout import Layout
from quiff.core.counting.loops import mark_faces, room_for_rows, tally_faces, user_rows
from quiff.core.counting.membership import MembershipProduct
from quiff.core.counting.subsets import Subsets, _apart_from_all, _Family, stable_match_counts
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
@given(loops.instances(stable=True, weighted=False))
def test_stable_sets_have_the_same_counts_by_their_subsets(instance):
    users, _, m, _, _, E, _ = instance
    found = stable_match_counts(codes_of(users)[0], m, E)
    for epochs in range(1, E + 1):
        assert found[epochs] == loops.match_counts([user[:epochs] for user in users], [m] * epochs)


@settings(max_examples=40)
@given(loops.instances(most_epochs=5, least_epochs=5, most_topics=5, stable=True, weighted=False))
def test_five_epochs_of_stable_sets(instance):
    users, _, m, _, _, _, _ = instance
    assert stable_match_counts(codes_of(users)[0], m, 5)[5] == loops.match_counts(users, [m] * 5)


def test_five_epochs_where_topics_are_many_and_sets_are_few():
    """Here most tuples have no two topics in a common set, or no three."""
    sets = [[0, 1, 2], [2, 3, 4], [5, 6, 7], [0, 3, 6]]
    users = [[frozenset(own)] * 5 for own in sets]
    assert stable_match_counts(np.array(sets), 9, 5)[5] == loops.match_counts(users, [9] * 5)


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
    product = MembershipProduct.of(many.kernel.merged()[0].factors)
    assert product.stable


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


# Each compiled loop against numpy or plain loops.


@given(st.integers(0, 2**64 - 1))
def test_bits_are_counted(word):
    assert compiled.count_bits(np.uint64(word)) == np.bitwise_count(np.uint64(word)) == word.bit_count()


def test_rows_of_a_users_tuples():
    """On the second and third of four factors, in base 10: the sets are {1, 2} and {3, 4}."""
    codes = np.array([[[5, 6]], [[1, 2]], [[3, 4]], [[0, 0]]], dtype=np.int32)
    lengths = np.array([2, 2, 2, 1])
    rows = room_for_rows(lengths)
    found = user_rows(codes, lengths, 10, 3, 0b111, 0, rows)
    assert rows[:found].tolist() == [13, 14, 23, 24]
    assert user_rows(codes, lengths, 10, 3, 0b001, 0, rows) == 1
    assert rows[0] == 0


@given(loops.instances(most_epochs=3, weighted=False, least_epochs=3))
def test_marks_are_the_products_of_sets(instance):
    users, _, m, _, _, _, _ = instance
    layout = Layout.of(codes_of(users), [m] * 3)
    R = layout.radix
    marked = np.zeros((R * R, R), dtype=bool)  # the second factor's outputs, and the third's
    for x in range(len(users)):
        for a in layout.codes[1, x, : layout.lengths[1]]:
            marked[a, layout.codes[2, x, : layout.lengths[2]]] = True
    everybody = np.arange(len(users))
    table = np.zeros((R * R, 1), dtype=np.uint64)
    compiled.mark_bits(table, 0, 2, 2, everybody, layout.codes, layout.lengths, R)
    unpacked = (table >> np.arange(R, dtype=np.uint64)) & np.uint64(1)
    assert (unpacked.astype(bool) == marked).all()


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


@given(families)
def test_faces_are_tallied_as_by_hand(family):
    m, sets = family
    distinct = np.array(sorted({tuple(sorted(own)) for own in sets}))
    pairs = sorted({pair for own in distinct.tolist() for pair in combinations(own, 2)})
    faces = np.array(
        [[pairs.index((b, c)), pairs.index((a, c)), pairs.index((a, b))] for a, b, c in distinct.tolist()]
    )
    rows = np.zeros((len(pairs), 1), dtype=np.uint64)
    mark_faces(rows, distinct, faces)
    known = {frozenset(own) for own in distinct.tolist()}
    expected = [0] * 5
    for own in known:
        for t in set(range(m)) - own:
            expected[sum((own | {t}) - {left_out} in known for left_out in own | {t})] += 1
    assert tally_faces(rows, distinct, faces, m).tolist() == expected


@given(families)
def test_sets_without_pairs_or_triples(family):
    m, sets = family
    pairs = {frozenset(c) for own in sets for c in combinations(own, 2)}
    apart = np.zeros((m, 1), dtype=np.uint64)
    for a in range(m):
        for b in range(m):
            if a != b and frozenset({a, b}) not in pairs:
                apart[a, 0] |= np.uint64(1 << b)
    found = sum(compiled.tally_without_pairs(apart, a, 5) for a in range(m))
    for n in range(1, 6):
        assert found[n] == sum(
            not any(frozenset(pair) in pairs for pair in combinations(chosen, 2))
            for chosen in combinations(range(m), n)
        )
    triples = set(sets)
    spared = np.zeros((m, m, 1), dtype=np.uint64)
    for a in range(m):
        for b in range(m):
            for c in range(m):
                if frozenset({a, b, c}) not in triples:
                    spared[a, b, 0] |= np.uint64(1 << c)
    five = sum(compiled.tally_without_triples(spared, a, b) for a in range(m) for b in range(a + 1, m))
    assert five == sum(
        not any(frozenset(three) in triples for three in combinations(chosen, 3))
        for chosen in combinations(range(m), 5)
    )
    listed = np.array([sorted(own) for own in triples])
    assert _apart_from_all(_Family(apart, listed)) == sum(
        all(frozenset({a, t}) not in pairs and a != t for t in own) for own in triples for a in range(m)
    )


def test_words_beyond_the_first_are_counted_too():
    """More than 64 topics: two words a row."""
    sets = np.array([[i, i + 40, i + 80] for i in range(20)])
    m, F3 = 100, 20
    found = stable_match_counts(sets, m, 4)
    assert found == [match_counts([sets] * E, [m] * E) if E else [1] for E in range(5)]
    # 60 topics occur, in 20 triples that are apart from each other.
    assert found[1] == [40, 60]
    assert found[2][2] == 20 * 9
    assert found[3] == [40**3, comb(3, 1) * 60 * 40**2 + comb(3, 2) * 60 * 57 * 40 + 60 * 57 * 54,
                        comb(3, 2) * 180 * 40 + 3 * 180 * 57, F3 * 27]  # fmt: skip


def test_numba_is_loaded_only_to_count():
    code = """
import sys, quiff
C = quiff.Channel.membership({0: {0}, 1: {1}}, range(200), 0.602, 0.002)
quiff.bayes_capacity(C)
quiff.bayes_capacity(quiff.repeat(quiff.Channel.identity([0, 1]), 3))
quiff.repeat(C, 3)
print("numba" in sys.modules)
quiff.bayes_capacity(quiff.repeat(C, 3))
print("numba" in sys.modules)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "True"]


def test_without_a_place_for_the_cache_it_is_compiled_anew(monkeypatch):
    import numba

    from quiff.core.compiled import compiled

    whole = numba.njit

    def homeless(*args, cache=False, **kwargs):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return whole(*args, **kwargs)

    monkeypatch.setattr("quiff.core.compiled.numba.njit", homeless)
    assert compiled(lambda number: number + 1)(1) == 2
