"""Optimal mechanisms: known optima, no feasible mechanism does better, and what cannot be says why."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quiff
from quiff import (
    Channel,
    Gain,
    InfeasibleError,
    Loss,
    Prior,
    SizeError,
    bayes_gain,
    euclidean,
    greatest_utility,
    internal_choice,
    least_loss,
    least_vulnerability,
    manhattan,
    mechanisms,
    zero_one_loss,
)
from quiff.core.linear_program import Program
from quiff.progress import watching
from quiff.testing.strategies import channels, gains_for, priors_for
from words import refused

LETTERS = ["a", "b", "c"]


def random_prior(n, seed):
    return Prior.from_array(range(n), np.random.default_rng(seed).dirichlet(np.ones(n)))


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 8), st.floats(0.2, 2), st.integers(0, 99))
def test_on_a_line_geometric_noise_is_optimal_for_everybody(n, epsilon, seed):
    """Ghosh, Roughgarden and Sundararajan 2009: who interprets geometric noise best does best of all."""
    prior, loss = random_prior(n, seed), Loss.from_metric(euclidean, range(n))
    best = least_loss(prior, loss, epsilon=epsilon, distance=euclidean)
    noisy = mechanisms.truncated_geometric(range(n), epsilon)
    assert best.value == pytest.approx(quiff.posterior_risk(prior, noisy, loss), abs=1e-7)
    assert quiff.metric_epsilon(best.channel, euclidean) <= epsilon + 1e-6


@given(st.integers(2, 6), st.fractions(1, 9, max_denominator=3))
@settings(max_examples=15, deadline=None)
def test_randomised_response_is_the_most_useful_for_guessing(k, ratio):
    found = greatest_utility(Prior.uniform(range(k)), bayes_gain(range(k)), ratio=ratio)
    assert found.value == ratio / (k - 1 + ratio)
    assert quiff.max_case_capacity(found.channel) <= ratio


@given(st.integers(2, 5), st.fractions(1, 5, max_denominator=4))
@settings(max_examples=15, deadline=None)
def test_what_a_capacity_leaves_of_guessing(k, capacity):
    """Under the uniform prior the leakage is the capacity: the best guess is right with capacity/k."""
    prior, goal = Prior.uniform(range(k)), bayes_gain(range(k))
    expected = min(capacity, k) / k
    assert greatest_utility(prior, goal, capacity=capacity).value == expected
    assert greatest_utility(prior, goal, leakage=capacity).value == expected
    assert least_loss(prior, zero_one_loss(range(k)), capacity=capacity).value == 1 - expected


def weakened(C, within):
    """Mix a channel with one that tells nothing until it keeps to a budget."""
    nothing = Channel.constant([1] + [0] * (C.outputs.size - 1), C.inputs, C.outputs)
    even = Channel.constant([Fraction(1, C.outputs.size)] * C.outputs.size, C.inputs, C.outputs)
    for share in (0, 0.5, 0.75, 0.9, 0.99, 1):
        for plain in (nothing, even):
            D = internal_choice(C, plain, share)
            if within(D):
                return D
    return even


BUDGETS = {
    "epsilon": ({"epsilon": 1.0}, [(lambda p, D: quiff.epsilon(D), 1)]),
    "metric": (
        {"epsilon": 0.7, "distance": manhattan},
        [(lambda p, D: quiff.metric_epsilon(D, manhattan), 0.7)],
    ),
    "capacity": ({"capacity": 1.5}, [(lambda p, D: quiff.bayes_capacity(D), 1.5)]),
    "leakage": ({"leakage": 1.2}, [(quiff.leakage, 1.2)]),
    "both": (
        {"leakage": 1.2, "epsilon": 1.5},
        [(quiff.leakage, 1.2), (lambda p, D: quiff.epsilon(D), 1.5)],
    ),
}
POINTS = [(0, 0), (1, 0), (2, 1), (0, 3)]


@pytest.mark.parametrize("name", BUDGETS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_no_feasible_mechanism_does_better(name, data):
    prior = data.draw(priors_for(POINTS, exact=False))
    gain = data.draw(gains_for(POINTS, exact=False)) or bayes_gain(POINTS)
    options, measured = BUDGETS[name]
    found = greatest_utility(prior, gain, **options)
    assert all(measure(prior, found.channel) <= most + 1e-6 for measure, most in measured)
    other = weakened(
        data.draw(channels(POINTS)), lambda D: all(measure(prior, D) <= most for measure, most in measured)
    )
    value = float(found.value)
    assert float(quiff.posterior_vulnerability(prior, other, gain)) <= value + 1e-7
    assert float(quiff.posterior_vulnerability(prior, found.channel, gain)) == pytest.approx(value, abs=1e-7)


@settings(max_examples=20, deadline=None)
@given(priors_for(LETTERS, exact=True), st.fractions(0, 1, max_denominator=6))
def test_least_vulnerability_and_least_loss_are_each_others_inverse(prior, most):
    loss = zero_one_loss(LETTERS)
    found = least_vulnerability(prior, loss, most)
    assert isinstance(found.value, Fraction)
    assert quiff.posterior_vulnerability(prior, found.channel) == found.value
    assert least_loss(prior, loss, vulnerability=found.value).value <= most
    assert found.value == max(
        1 - most, quiff.vulnerability(prior)
    )  # a guess is right as often as the output is


def test_an_adversary_with_another_aim():
    """Only whether it is "a" is to be hidden: the rest may be told in full."""
    prior = Prior.uniform(LETTERS)
    is_a = quiff.predicate_gain(LETTERS, lambda x: x == "a")
    found = least_vulnerability(prior, zero_one_loss(LETTERS), Fraction(1, 3), gain=is_a)
    assert found.value == Fraction(2, 3)
    free = greatest_utility(prior, bayes_gain(LETTERS), leakage=1, gain=is_a)
    assert free.value == Fraction(2, 3)
    assert quiff.leakage(prior, free.channel, is_a) == 1


def test_hard_limits_hold():
    prior, loss = random_prior(6, 1), Loss.from_metric(euclidean, range(6))
    found = least_loss(prior, loss, leakage=1.6, hard_loss=1)
    assert all(found.channel[x, y] == 0 for x in range(6) for y in range(6) if abs(x - y) > 1)
    assert found.value >= least_loss(prior, loss, leakage=1.6).value - 1e-12


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(5)), st.sampled_from(["epsilon", "capacity"]))
def test_symmetries_change_nothing(order, budget):
    """The uniform prior on a line is symmetric: the small program has the value of the whole one."""
    loss = Loss.from_metric(euclidean, order)
    options = {"epsilon": 1.0} if budget == "epsilon" else {"capacity": 2.0}
    found = least_loss(Prior.uniform(order), loss, **options)
    shaken = Prior.from_array(range(5), np.full(5, 0.2) + 1e-9 * np.arange(-2, 3))  # no symmetry
    assert found.value == pytest.approx(least_loss(shaken, loss, **options).value, abs=1e-7)


def test_large_programs_in_fractions_are_solved_in_floats():
    prior = Prior.from_counts({x: 1 + x * x for x in range(24)})  # no symmetry
    found = greatest_utility(prior, bayes_gain(range(24)), leakage=2)
    assert found.value == pytest.approx(2 * float(quiff.vulnerability(prior)))
    assert isinstance(found.value, float)


def test_symmetries_make_programs_smaller():
    program = Program()
    x = program.variables((2, 3), cost=np.array([[0.0, 1, 1], [1, 0, 1]]))
    program.add((x, 1.0), right=1.0)
    table = program.table()
    small, classes = table.reduced()
    assert sorted(small.cost.tolist()) == [0, 4]
    assert small.right.shape == (1,)
    assert len(set(classes[[1, 2, 3, 5]])) == 1
    assert classes[0] == classes[4] != classes[1]


def test_progress_is_told():
    told = []
    with watching(lambda *said: told.append(said)):
        least_loss(Prior.uniform(LETTERS), zero_one_loss(LETTERS), epsilon=1)
    assert told == [("linear program of 12 variables and 21 constraints", share) for share in (0.0, 1.0)]


@pytest.mark.parametrize(
    ("solve", "numbers"),
    [
        (
            lambda p, loss: least_loss(p, loss, capacity=0.5),
            (0.5, 1),
        ),
        (lambda p, loss: least_loss(p, loss, leakage=0.9), (0.9,)),
        (
            lambda p, loss: least_loss(p, loss, vulnerability=0.2),
            (0.2, 0.333333),
        ),
        (
            lambda p, loss: least_loss(p, loss, vulnerability=0.4, hard_loss=0),
            (1, 0.4),
        ),
        (
            lambda p, loss: least_vulnerability(p, loss, 0.01, epsilon=1),
            (0.423883, 0.01),
        ),
        (lambda p, loss: least_loss(p, loss, epsilon=1, hard_loss=0), ()),
        (
            lambda p, loss: least_loss(p, Loss([[1, 0, 0]], inputs=LETTERS), hard_loss=0),
            (0,),
        ),
    ],
)
def test_what_cannot_be_says_which_constraint(solve, numbers):
    with refused(InfeasibleError, *numbers):
        solve(Prior.uniform(LETTERS), zero_one_loss(LETTERS))


@pytest.mark.parametrize(
    "options",
    [
        {"distance": euclidean},
        {"epsilon": 1, "ratio": 2},
        {"leakage": 2, "vulnerability": 0.5},
        {"capacity": math.nan},
    ],
)
def test_what_makes_no_sense_is_refused(options):
    with refused(quiff.ParameterError):
        least_loss(Prior.uniform(LETTERS), zero_one_loss(LETTERS), **options)


def test_a_program_that_is_too_large_says_what_fits(monkeypatch):
    monkeypatch.setattr("quiff.measures.optimal._MOST_ENTRIES", 10_000)
    rng = np.random.default_rng(0)
    points = [tuple(point) for point in rng.random((30, 2)).tolist()]
    with refused(SizeError, 17):
        least_loss(Prior.uniform(points), Loss.from_metric(euclidean, points), epsilon=1, distance=euclidean)


def test_labels_come_in_any_order():
    prior = Prior({"c": Fraction(1, 2), "a": Fraction(1, 3), "b": Fraction(1, 6)})
    gain = Gain([[0, 2, 0], [3, 0, 1]], actions=["buy", "sell"], inputs=["b", "a", "c"])
    found = greatest_utility(prior, gain, capacity=1)
    assert found.value == quiff.vulnerability(prior, gain)


@settings(max_examples=15, deadline=None)
@given(priors_for(LETTERS, exact=False), st.floats(0.1, 5), st.data())
def test_least_information_tells_least_at_its_loss(prior, price, data):
    loss = zero_one_loss(LETTERS)
    C = mechanisms.least_information(prior, loss, price)

    def total(D):
        wrong = sum(prior[x] * D[x, y] for x in LETTERS for y in LETTERS if x != y)
        return quiff.mutual_information(prior, D) * math.log(2) + price * wrong

    other = Channel(
        data.draw(channels(LETTERS, "dense", max_size=3).filter(lambda D: D.outputs.size == 3)).to_numpy(),
        LETTERS,
        LETTERS,
    )
    assert total(C) <= total(other) + 1e-7
    assert total(C) <= total(Channel.identity(LETTERS)) + 1e-7


@settings(max_examples=30, deadline=None)
@given(
    channels(LETTERS, exact=True),
    priors_for(LETTERS, exact=True),
    st.fractions(0, 1, max_denominator=5),
    st.data(),
)
def test_a_hiding_row_hides_best(C, prior, p, data):
    def vulnerability(row):
        joint = [[(1 - p) * prior[x] * C[x, y] for y in C.outputs] for x in LETTERS] + [
            [p * row[y] for y in C.outputs]
        ]
        return sum(map(max, zip(*joint, strict=True)))

    row = mechanisms.hiding_row(prior, C, p)
    for other in [*(C.row(x) for x in LETTERS), data.draw(priors_for(list(C.outputs), exact=True))]:
        assert vulnerability(row) <= vulnerability(other)
