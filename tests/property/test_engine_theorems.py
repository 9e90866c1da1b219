"""The theorems of quantitative information flow on losses, capacities, orders and distances, at random."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import quiff
from quiff import Channel, Loss, Prior
from quiff.testing.strategies import KERNELS, channels, gains_for, priors_for

TINY = 1e-8
FEW, SOME = settings(max_examples=20), settings(max_examples=40)


@st.composite
def cases(draw, n_channels=1, exact=None, max_size=4):
    """A prior, channels with the same inputs, and a gain with a matrix."""
    first = draw(channels(exact=exact, max_size=max_size))
    rest = [
        draw(channels(inputs=list(first.inputs), exact=exact, max_size=max_size))
        for _ in range(n_channels - 1)
    ]
    gain = draw(gains_for(first.inputs, exact))
    return draw(priors_for(first.inputs, exact)), [first, *rest], gain or quiff.bayes_gain(first.inputs)


def by_name(prior, C, gain):
    """Arrays in the order of the channel's inputs, as fractions."""
    pi = [Fraction(prior[x]) for x in C.inputs]
    matrix = [[Fraction(v) for v in row] for row in C.to_numpy().tolist()]
    numbers = gain.to_numpy().tolist()
    columns = [gain.inputs.position(x) for x in C.inputs]
    return pi, matrix, [[Fraction(row[i]) for i in columns] for row in numbers]


@pytest.mark.parametrize("kernel", KERNELS)
def test_risk_is_its_definition(kernel):
    @given(channels(kernel=kernel, exact=True), st.data())
    def check(C, data):
        prior = data.draw(priors_for(C.inputs, exact=True))
        gain = data.draw(gains_for(C.inputs, exact=True)) or quiff.bayes_gain(C.inputs)
        pi, matrix, losses = by_name(prior, C, gain)
        expected = sum(
            min(
                sum(p * row[y] * cost for p, row, cost in zip(pi, matrix, costs, strict=True))
                for costs in losses
            )
            for y in range(len(matrix[0]))
        )
        loss = Loss(gain.to_numpy(), gain.actions, gain.inputs)
        assert quiff.posterior_risk(prior, C, loss) == expected
        complement = Loss.from_gain(gain)
        assert quiff.posterior_risk(prior, C, complement) == gain.largest - quiff.posterior_vulnerability(
            prior, C, gain
        )
        plain = Loss(complement.to_numpy(), gain.actions, gain.inputs)
        assert quiff.posterior_risk(prior, C, plain) == quiff.posterior_risk(prior, C, complement)
        assert quiff.risk(prior, plain) == quiff.risk(prior, complement)

    check()


@given(cases(), st.data())
def test_data_processing_never_lowers_a_risk(case, data):
    prior, [C], gain = case
    D = data.draw(channels(inputs=list(C.outputs)))
    loss = data.draw(
        st.sampled_from([None, Loss.from_gain(gain), Loss(gain.to_numpy(), gain.actions, gain.inputs)])
    )
    assert quiff.posterior_risk(prior, C @ D, loss) >= quiff.posterior_risk(prior, C, loss) - TINY
    assert quiff.risk_leakage(prior, C, loss, additive=True) >= -TINY
    guesses = quiff.guessing_loss(C.inputs)
    assert quiff.posterior_risk(prior, C @ D, guesses) >= quiff.posterior_risk(prior, C, guesses) - TINY


@given(channels(max_size=3), st.data())
def test_guessing_entropy_is_the_risk_of_orders(C, data):
    prior = data.draw(priors_for(C.inputs))
    loss = quiff.guessing_loss(C.inputs)
    listed = Loss(loss.to_numpy(), loss.actions, loss.inputs)
    assert quiff.posterior_risk(prior, C, listed) == pytest.approx(quiff.posterior_risk(prior, C, loss))
    assert list(loss.actions) == [loss.actions[i] for i in range(loss.actions.size)]
    assert [loss.actions.position(order) for order in loss.actions] == list(range(loss.actions.size))


@given(channels(max_size=3), st.data())
def test_taking_the_output_at_its_word_is_no_better_than_the_best_answer(C, data):
    prior = data.draw(priors_for(C.inputs))
    cell = st.integers(0, 5)
    costs = [[data.draw(cell) for _ in C.inputs] for _ in C.outputs]
    loss = Loss(costs, C.outputs, C.inputs)
    assert quiff.expected_loss(prior, C, loss) >= quiff.posterior_risk(prior, C, loss) - TINY


@given(cases(n_channels=1, exact=True), st.data())
def test_gain_algebra(case, data):
    prior, [C], gain = case
    other = data.draw(gains_for(C.inputs, exact=True)) or quiff.bayes_gain(C.inputs)
    k, shift = Fraction(3, 2), {x: Fraction(i, 2) for i, x in enumerate(C.inputs)}

    def V(g):
        return quiff.posterior_vulnerability(prior, C, g)

    assert V(gain + other) == V(gain) + V(other)
    assert V(k * gain) == k * V(gain)
    mean = sum(prior[x] * shift[x] for x in C.inputs)
    assert V(gain.shifted(shift)) == V(gain) + mean
    assert quiff.leakage(prior, C, gain.shifted(shift), additive=True) == quiff.leakage(
        prior, C, gain, additive=True
    )
    some = list(gain.actions)[: data.draw(st.integers(1, gain.actions.size))]
    assert V(gain.restricted(some)) <= V(gain)
    if gain.actions.size**C.outputs.size <= 2000:
        assert quiff.vulnerability(prior, quiff.gain_from_posterior(gain, C)) == V(gain)
    assume(quiff.vulnerability(prior, gain) > 0)
    rho, R, a = quiff.gain_as_bayes(prior, gain)
    assert a * quiff.posterior_vulnerability(rho, R @ C) == V(gain)


@given(cases())
def test_the_strategy_earns_the_vulnerability(case):
    prior, [C], gain = case
    S = quiff.strategy(prior, C, gain)
    pi, matrix, g = by_name(prior, C, gain)
    plan = S.to_numpy().tolist()
    earned = sum(
        p * row[y] * Fraction(plan[y][w]) * g[w][x]
        for x, (p, row) in enumerate(zip(pi, matrix, strict=True))
        for y in range(len(row))
        for w in range(len(g))
    )
    assert float(earned) == pytest.approx(float(quiff.posterior_vulnerability(prior, C, gain)))
    loss = Loss.from_gain(gain)
    assert quiff.strategy(prior, C, loss).to_numpy().astype(float) == pytest.approx(
        S.to_numpy().astype(float)
    )


@pytest.mark.parametrize("kernel", KERNELS)
def test_reduced_channels_have_the_outputs_of_the_hyper(kernel):
    @SOME
    @given(channels(kernel=kernel))
    def check(C):
        small, posteriors = quiff.reduced(C), quiff.hyper(Prior.uniform(C.inputs), C)
        assert list(small.outputs) == list(posteriors.outer.labels)
        assert quiff.refines(small, C)
        assert quiff.refines(C, small)

    check()


@pytest.mark.parametrize("kernel", KERNELS)
def test_shannon_capacity_is_reached_and_not_exceeded(kernel):
    @FEW
    @given(channels(kernel=kernel), st.data())
    def check(C, data):
        prior = data.draw(priors_for(C.inputs))
        found = quiff.shannon_capacity(C)
        assert found.gap <= 1e-9
        assert quiff.mutual_information(found.prior, C) == pytest.approx(found.value, abs=TINY)
        assert quiff.mutual_information(prior, C) <= found.value + found.gap + TINY
        assert found.value <= math.log2(quiff.bayes_capacity(C)) + TINY  # min-capacity is the larger
        dense = Channel(C.to_numpy(), C.inputs, C.outputs)
        assert quiff.shannon_capacity(dense).value == pytest.approx(found.value, abs=TINY)

    check()


def test_shannon_capacity_in_closed_form():
    def h(p):
        return -p * math.log2(p) - (1 - p) * math.log2(1 - p)

    symmetric = quiff.shannon_capacity(Channel([[0.9, 0.1], [0.1, 0.9]]), steps=1)
    assert symmetric.value == pytest.approx(1 - h(0.1), abs=1e-14)
    assert symmetric.gap < 1e-14
    maps = quiff.shannon_capacity(Channel.deterministic({x: x % 3 for x in range(20)}), steps=1)
    assert (maps.value, maps.gap) == (pytest.approx(math.log2(3)), pytest.approx(0, abs=1e-14))
    z = quiff.shannon_capacity(Channel([[1, 0], [0.5, 0.5]]))
    assert z.value == pytest.approx(math.log2(5 / 4), abs=1e-9)
    assert z.prior[1] == pytest.approx(2 / 5, abs=1e-4)
    erasing = quiff.shannon_capacity(Channel([[0.7, 0, 0.3], [0, 0.7, 0.3]]))
    assert erasing.value == pytest.approx(0.7, abs=1e-12)


@given(cases())
def test_additive_capacities_bound_additive_leakage(case):
    prior, [C], gain = case
    assume(gain.largest > 0)
    gain = (1 / Fraction(gain.largest)) * gain  # between 0 and 1
    leaked = quiff.leakage(prior, C, gain, additive=True)
    kinds = ("gains", "one-spanning", "vulnerabilities")
    gains, spanning, here = (quiff.additive_capacity(C, prior, of=of) for of in kinds)
    assert leaked <= gains + TINY
    assert gains <= spanning + TINY
    assert spanning <= here + TINY
    assert here <= quiff.additive_capacity(C) + TINY


@given(channels(), st.data())
def test_no_question_leaks_more_than_the_predicate_capacity(C, data):
    prior = data.draw(priors_for(C.inputs))
    yes = {x: data.draw(st.booleans()) for x in C.inputs}
    gain = quiff.predicate_gain(C.inputs, yes.get)
    one, every = quiff.predicate_capacity(C, yes.get), quiff.predicate_capacity(C)
    assert quiff.leakage(prior, C, gain) <= one.value + TINY
    assert one.value <= every.value + TINY
    assert quiff.leakage(one.prior, C, gain) == pytest.approx(float(one.value))
    risks = quiff.predicate_capacity(C, risk=True)
    if risks.value < 1e6:
        assert quiff.risk_leakage(risks.prior, C) == pytest.approx(float(risks.value))
        assert quiff.risk_leakage(prior, C) <= risks.value * (1 + TINY)


@pytest.mark.parametrize("additive", [False, True])
def test_no_prior_leaks_more_than_the_worst(additive):
    @FEW
    @given(cases(max_size=3), st.data())
    def check(case, data):
        prior, [C], gain = case
        assume(quiff.vulnerability(prior, gain) > 0)
        assume(gain.actions.size * C.outputs.size <= 40)
        found = quiff.worst_prior(C, gain, additive=additive)
        assert quiff.leakage(prior, C, gain, additive) <= found.value + TINY
        assert quiff.leakage(found.prior, C, gain, additive) == pytest.approx(float(found.value))
        assert found.gap < 1e-6
        subset = quiff.worst_prior(C, additive=additive)
        general = quiff.worst_prior(C, quiff.bayes_gain(C.inputs), additive=additive)
        assert float(subset.value) == pytest.approx(float(general.value), abs=1e-6)

    check()


@given(channels(), st.data())
def test_no_output_helps_a_guess_more_than_after_the_worst_prior(C, data):
    prior = data.draw(priors_for(C.inputs))
    worst = quiff.worst_prior(C, max_case=True)
    ratio = quiff.max_case_vulnerability(prior, C) / quiff.vulnerability(prior)
    assert ratio <= worst.value + TINY
    assert worst.value <= quiff.max_case_capacity(C) * (1 + TINY)


@pytest.mark.parametrize("seed", range(2))
def test_no_output_helps_more_than_after_the_worst_prior(seed):
    rng = np.random.default_rng(seed)
    C, gain = Channel(rng.dirichlet(np.ones(2), size=3)), quiff.Gain(rng.integers(1, 9, (2, 3)))
    found = quiff.worst_prior(C, gain, max_case=True)
    assert found.gap <= 1e-5 * found.value
    assert found.value <= quiff.max_case_capacity(C)
    for weights in rng.dirichlet(np.ones(3) / 2, size=200):
        prior = Prior.from_array(range(3), weights)
        ratio = quiff.max_case_vulnerability(prior, C, gain) / quiff.vulnerability(prior, gain)
        assert ratio <= found.value + found.gap


ORDERS = ("average", "max-case", "privacy")


@SOME
@given(cases(n_channels=2, exact=True, max_size=3), st.data())
def test_coriaceous(case, data):
    """A channel refines another if and only if no gain tells them apart; where one does, it is found."""
    prior, [C, D], gain = case
    if data.draw(st.booleans()):
        C = D @ data.draw(channels(inputs=list(D.outputs), exact=True, max_size=3))
    assume(C.outputs.size * D.outputs.size <= 30)
    holds = [quiff.refines(C, D, order) for order in ORDERS]
    assert holds == sorted(holds)  # each order implies the next
    average, worst, _ = holds
    if average:
        assert quiff.posterior_vulnerability(prior, C, gain) <= quiff.posterior_vulnerability(prior, D, gain)
        R = quiff.refinement_witness(C, D)
        product = D @ R
        assert all(product[x, y] == C[x, y] for x in C.inputs for y in C.outputs)
    if worst:
        assert quiff.max_case_vulnerability(prior, C, gain) <= quiff.max_case_vulnerability(prior, D, gain)
    if holds[2]:
        assert quiff.epsilon(C) <= quiff.epsilon(D) + TINY
    for order, holding in zip(ORDERS, holds, strict=True):
        found = quiff.counterexample(C, D, order)
        assert (found is None) == holding
        if found is not None:
            assert found.first > found.second
    away = quiff.refinement_distance(Prior.uniform(C.inputs), C, D)
    assert (away == 0) == average


@SOME
@given(cases(n_channels=2, max_size=3))
def test_the_refinement_distance_bounds_what_one_channel_leaks_more(case):
    prior, [C, D], gain = case
    assume(gain.largest > 0 and C.outputs.size * D.outputs.size <= 40)
    gain = (1 / Fraction(gain.largest)) * gain
    more = quiff.posterior_vulnerability(prior, C, gain) - quiff.posterior_vulnerability(prior, D, gain)
    away = quiff.refinement_distance(prior, C, D)
    assert more <= away + TINY
    first, second = quiff.hyper(prior, C), quiff.hyper(prior, D)
    assert away <= quiff.kantorovich(second, first, quiff.convex_separation) + 1e-6
    assert more <= quiff.kantorovich(second, first, quiff.total_variation) + 1e-6


@given(cases())
def test_the_reduced_channel_leaks_the_same(case):
    prior, [C], gain = case
    R = quiff.reduced(C)
    assert quiff.posterior_vulnerability(prior, R, gain) == pytest.approx(
        float(quiff.posterior_vulnerability(prior, C, gain))
    )
    columns = R.to_numpy().astype(float).T
    assert (columns.sum(axis=1) > 0).all()
    directions = columns / columns.sum(axis=1, keepdims=True)
    for i, one in enumerate(directions):
        assert all(np.abs(one - other).max() > 1e-13 for other in directions[:i])


@FEW
@given(channels(max_size=3), st.data())
def test_left_factors(D, data):
    L = data.draw(channels(inputs=["u", "v"], max_size=3))
    first = Channel.deterministic({y: D.inputs[i % D.inputs.size] for i, y in enumerate(L.outputs)}, D.inputs)
    C = L @ first @ D
    again = quiff.left_factor(C, D) @ D
    assert again.to_numpy().astype(float) == pytest.approx(C.to_numpy().astype(float), abs=1e-7)


@st.composite
def three_priors(draw, exact=True):
    labels = [f"x{i}" for i in range(draw(st.integers(1, 4)))]
    return [draw(priors_for(labels, exact)) for _ in range(3)]


@given(three_priors(), st.data())
def test_kantorovich(priors, data):
    p, q, r = priors
    labels = list(p)
    place = {x: data.draw(st.integers(0, 5)) for x in labels}
    d = quiff.Metric(lambda x, y: abs(place[x] - place[y]))

    def K(a, b):
        return quiff.kantorovich(a, b, d)

    assert quiff.kantorovich(p, q, quiff.discrete) == quiff.total_variation(p, q)
    assert K(p, p) == 0
    assert K(p, q) == K(q, p)
    assert K(p, r) <= K(p, q) + K(q, r)
    # By duality no function with slope 1 has expectations farther apart; on a line one reaches it.
    mean = abs(sum((p[x] - q[x]) * place[x] for x in labels))
    assert mean <= K(p, q)
    line = [dict.fromkeys(range(6), 0) for _ in range(2)]
    for weights, prior in zip(line, (p, q), strict=True):
        for x in labels:
            weights[place[x]] += prior[x]
    assert quiff.kantorovich(*map(Prior, line), quiff.euclidean) == K(p, q)


@SOME
@given(three_priors())
def test_multiplicative_distances(priors):
    p, q, r = priors
    d = quiff.multiplicative_distance
    assert d(p, r) <= d(p, q) + d(q, r) + TINY
    apart = quiff.discrete.cut(0)  # infinite between different labels
    assert quiff.multiplicative_kantorovich(p, q, apart) == pytest.approx(d(p, q), abs=1e-7)
    assert quiff.multiplicative_kantorovich(p, q, quiff.discrete) <= d(p, q) + 1e-7
    assert quiff.convex_separation(p, q) >= quiff.total_variation(p, q)


@SOME
@given(cases())
def test_total_variation_of_hypers(case):
    prior, [C], _ = case
    h = quiff.hyper(prior, C)
    assert quiff.total_variation(h, h) == 0
    alone = quiff.hyper(prior, Channel.constant([1], C.inputs))
    assert 0 <= quiff.kantorovich(alone, h, quiff.total_variation) <= 1
    moved = quiff.kantorovich(alone, h, quiff.total_variation)
    assert float(moved) == pytest.approx(
        float(quiff.additive_capacity(C, prior, of="one-spanning")), abs=1e-7
    )


@SOME
@given(channels())
def test_the_ball_encloses_all_rows(C):
    rows = [C.row(x) for x in C.inputs]
    radius, centre = quiff.enclosing_ball(C)
    assert all(quiff.total_variation(row, centre) <= radius + TINY for row in rows)
    width = quiff.diameter(C)[0]
    assert width == max(quiff.total_variation(a, b) for a in rows for b in rows) or C.exact is False
    assert width / 2 - TINY <= radius <= width + TINY
    mixed, _ = quiff.enclosing_ball(C, mixture=True)
    assert radius - TINY <= mixed
    sphere, centre = quiff.enclosing_ball(C, "euclidean")
    points = [row.to_numpy().astype(float) for row in rows]
    assert all(quiff.euclidean(point, centre.to_numpy()) <= sphere + TINY for point in points)


@given(channels(max_size=3), st.data())
def test_what_is_asked_of_a_value_is_asked_of_its_channel(C, data):
    prior = data.draw(priors_for(C.inputs))
    value = {x: data.draw(st.integers(0, 2)) for x in C.inputs}
    rho, D = quiff.predicate_channel(prior, C, value.get)
    gain = quiff.predicate_gain(C.inputs, value.get)
    assert float(quiff.posterior_vulnerability(rho, D)) == pytest.approx(
        float(quiff.posterior_vulnerability(prior, C, gain))
    )


@given(st.lists(st.fractions(-2, 2, max_denominator=9), min_size=1, max_size=5), st.data())
def test_no_prior_is_nearer_than_the_nearest(numbers, data):
    labels = range(len(numbers))
    nearest, other = Prior.nearest(dict(enumerate(numbers))), data.draw(priors_for(list(labels), exact=True))

    def squares(prior):
        return sum((prior[i] - number) ** 2 for i, number in enumerate(numbers))

    assert squares(nearest) <= squares(other)
