"""Numbers at the ends of what floats and words hold: right answers or QuiffErrors, and quickly."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import quiff
import textbook
from quiff import Channel, Gain, Population, Prior, QuiffError, TopicsAPI
from words import refused, worded

F = Fraction
C = Channel([[0.75, 0.25], [0.25, 0.75]])
TINY = [
    Channel([[F(1, 10**200), 1 - F(1, 10**200)], [F(1, 10**100), 1 - F(1, 10**100)]]),
    Channel([[F(1, 10**200), 1 - F(1, 10**200)], [F(1, 10**150), 1 - F(1, 10**150)]]),
]


def in_floats(channel):
    return Channel(channel.to_numpy().astype(float))


def test_epsilon_of_a_product_whose_probabilities_no_float_can_hold():
    """The oracle is the same product in fractions."""
    exact, floats = quiff.parallel(*TINY), quiff.parallel(*map(in_floats, TINY))
    rows = textbook.rows_of(exact)
    capacity = textbook.max_case_capacity(rows)
    expected = math.log(capacity.numerator) - math.log(capacity.denominator)
    assert quiff.epsilon(exact) == pytest.approx(expected, rel=1e-12)
    assert quiff.epsilon(floats) == pytest.approx(expected, rel=1e-12)
    assert quiff.metric_epsilon(floats, lambda x, y: 2) == pytest.approx(expected / 2, rel=1e-12)
    assert quiff.max_case_capacity(floats) == pytest.approx(float(capacity), rel=1e-9)
    for n in (2, 3):
        again = quiff.parallel(quiff.repeat(in_floats(TINY[0]), n), in_floats(TINY[1]))
        exactly = quiff.parallel(quiff.repeat(TINY[0], n), TINY[1])
        assert quiff.epsilon(again) == pytest.approx(quiff.epsilon(exactly), rel=1e-12)


@pytest.mark.parametrize("zeros", [False, True])
def test_epsilon_of_a_wide_product_whose_factors_repeat_rows_and_columns(zeros):
    """The oracle multiplies the entries of all pairs of inputs and of outputs."""
    rng = np.random.default_rng(3 + zeros)

    def factor(kinds, width):
        rows = rng.integers(1 - zeros, 4, (kinds, 3))[:, rng.integers(0, 3, width)] + np.eye(kinds, width)
        return Channel((rows / rows.sum(axis=1, keepdims=True))[rng.integers(0, kinds, 6)])

    A, B = factor(3, 30), factor(2, 40)
    dense = np.einsum("xy,xz->xyz", A.to_numpy(), B.to_numpy()).reshape(6, -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = dense[:, np.newaxis] / dense
    expected = np.log(np.nanmax(ratios))
    assert quiff.epsilon(quiff.parallel(A, B)) == pytest.approx(expected, rel=1e-12)
    assert quiff.max_case_capacity(quiff.parallel(A, B)) == pytest.approx(math.exp(expected), rel=1e-12)


def test_a_true_zero_in_a_product_of_tiny_numbers_is_infinite():
    zero = Channel([[1.0, 0.0], [0.5, 0.5]])
    assert (
        quiff.epsilon(quiff.parallel(in_floats(TINY[0]), quiff.parallel(in_floats(TINY[1]), zero)))
        == math.inf
    )


@pytest.mark.parametrize("gain", [None, Gain([[1, 0], [0, 3]]), Gain([[2, 1]])])
def test_the_worst_output_is_found_however_improbable_it_is(gain):
    prior = Prior({0: F(9, 10), 1: F(1, 10)})
    exact = quiff.parallel(*TINY)
    g = textbook.gain_of(gain, [0, 1])
    expected = textbook.max_case_vulnerability(textbook.prior_of(prior), textbook.rows_of(exact), g)
    floats = quiff.parallel(*map(in_floats, TINY))
    found = quiff.max_case_vulnerability(Prior({0: 0.9, 1: 0.1}), floats, gain)
    assert found == pytest.approx(float(expected), rel=1e-9)
    least = Channel([[5e-324, 1.0], [1e-323, 1.0]])
    assert quiff.max_case_vulnerability(Prior({0: 0.5, 1: 0.5}), least) == pytest.approx(2 / 3)


def test_a_posterior_is_no_less_than_its_prior():
    """Equal rows tell nothing, but the sum of the largest rounded parts may be less than the whole."""
    rng = np.random.default_rng(0)
    for width in range(2, 40):
        row = rng.dirichlet(np.ones(width))
        for labels in (range(2), range(7)):
            D = Channel(np.tile(row, (len(labels), 1)))
            pi = rng.dirichlet(np.ones(len(labels)))
            prior = Prior(dict(zip(labels, pi.tolist(), strict=True)))
            for gain in (None, Gain(rng.random((3, len(labels))))):
                before = quiff.vulnerability(prior, gain)
                assert quiff.posterior_vulnerability(prior, D, gain) >= before
                assert quiff.max_case_vulnerability(prior, D, gain) >= before
                assert quiff.leakage(prior, D, gain) >= 1
                assert quiff.leakage(prior, D, gain, additive=True) >= 0
            assert quiff.bayes_capacity(D) >= 1
            assert quiff.min_entropy_leakage(prior, D) >= 0
            assert 0 <= quiff.mutual_information(prior, D) <= quiff.shannon_entropy(prior)
            assert quiff.conditional_entropy(prior, Channel.identity(labels)) >= 0
            assert quiff.posterior_guessing_entropy(prior, D) <= quiff.guessing_entropy(prior)


ODD = [
    Decimal("sNaN"),
    Decimal("NaN"),
    Decimal("Infinity"),
    Decimal("1e400"),
    10**400,
    F(10**400),
    -(10**400),
]


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:20])
@pytest.mark.parametrize(
    "use",
    [
        lambda odd: Prior({"a": odd, "b": 1}),
        lambda odd: Prior({"a": odd, "b": 0.5}),
        lambda odd: Channel([[odd, 0.5]]),
        lambda odd: Channel([[odd, 0]]),
        lambda odd: Channel.membership({"a": ["u"]}, ["u", "v"], odd, 0.5),
        lambda odd: Gain([[odd, 0.5]]),
        lambda odd: quiff.internal_choice(C, C, odd),
        lambda odd: TopicsAPI(5, 2, odd),
        lambda odd: quiff.user_risk(PEOPLE, TopicsAPI(5, 1), threshold=odd),
        lambda odd: C[odd, 0],
    ],
)
def test_odd_numbers_are_told(use, odd):
    with pytest.raises(QuiffError) as caught:
        use(odd)
    assert len(str(caught.value)) < 1000


@pytest.mark.filterwarnings("error")
def test_sums_beyond_the_largest_float_are_told_without_a_warning():
    for use in (lambda: Prior({"a": 1e308, "b": 1e308}), lambda: Channel([[1e308, 1e308]])):
        with refused(QuiffError, 1):
            use()


PEOPLE = Population.from_sets({"a": {1}, "b": {2}, "c": {1}})


def test_odd_limits_and_distances():
    for odd in (Decimal("sNaN"), 10**400):
        with pytest.raises(QuiffError), quiff.dense_limit(odd):
            pass
    with refused(quiff.ParameterError, 0, 1):
        quiff.metric_epsilon(C, lambda x, y: Decimal("sNaN"))
    assert quiff.metric_epsilon(C, lambda x, y: 10**400) == 0


@pytest.mark.parametrize("unit", [1e308, 1.7e308, 1e-308, 5e-324, 10**400, F(1, 10**400)])
def test_weights_count_up_to_a_factor(unit):
    """The same as weights of 2, 2 and 4: of the people, and of each measure on them."""
    exact = not isinstance(unit, float)
    plain = dict(zip("abc", [2, 2, 4] if exact or unit < 1 else [0.5, 0.5, 1.0], strict=True))
    large = dict(
        zip(
            "abc",
            [2 * unit, 2 * unit, 4 * unit] if exact or unit < 1 else [unit / 2, unit / 2, unit],
            strict=True,
        )
    )
    api = TopicsAPI(5, 1, 0.1)
    sets = {"a": {1}, "b": {2}, "c": {1}}
    one, other = (Population.from_sets(sets, weights=weights) for weights in (plain, large))
    assert [p for _, p in other.user_prior().items()] == pytest.approx(
        [p for _, p in one.user_prior().items()]
    )
    key = (api.spec, "topics", "own_risk")
    risks = [quiff.user_risk(people, api).per_user.values[key].astype(float) for people in (one, other)]
    assert risks[1].tolist() == pytest.approx(risks[0].tolist())
    plain, large = (quiff.over_time(people, api, 2) for people in (one, other))
    for quantity in ("posterior", "risk_max"):
        for n in (1, 2):
            assert large[api.spec, quantity, n] == pytest.approx(plain[api.spec, quantity, n])


def test_gains_that_no_sum_can_hold_are_told():
    with refused(quiff.GainError, 1.7e308):
        Gain([[1.7e308, 0]])
    prior, gain = Prior({0: 0.5, 1: 0.5}), Gain([[1e300, 0], [0, 1e300]])
    assert quiff.posterior_vulnerability(prior, C, gain) == pytest.approx(0.75e300)
    assert quiff.max_case_vulnerability(prior, C, gain) == pytest.approx(0.75e300)


def test_labels_may_be_any_whole_numbers():
    huge = 10**400
    D = Channel.identity([huge, 1])
    assert (D[huge, huge], D[huge, 1]) == (1, 0)
    assert quiff.posterior_vulnerability(Prior.uniform([1, huge]), D) == 1
    assert huge not in Channel.identity(range(3)).inputs
    assert F(huge) not in Channel.identity(range(3)).inputs
    people = Population.from_sets({huge: {huge}, "b": {2}})
    assert quiff.measure(people, TopicsAPI(5, 1)).population["users"] == 2
    assert quiff.over_time(people, TopicsAPI(5, 1, 0), 2)["leakage", 2] == 2


@pytest.mark.parametrize(
    "use",
    [
        lambda: Channel(np.ma.masked_array([[0.5, 0.5]], mask=[[0, 1]])),
        lambda: Gain(np.ma.masked_array([[0.5, 0.5]], mask=[[0, 1]])),
        lambda: Prior.from_array(["a", "b"], np.ma.masked_array([0.5, 0.5], mask=[0, 1])),
        lambda: Prior.from_count_array(["a", "b"], np.ma.masked_array([1, 2], mask=[0, 1])),
        lambda: Channel.identity(np.ma.masked_array([1, 2], mask=[0, 1])),
        lambda: Channel.deterministic_from_codes(range(2), np.ma.masked_array([0, 1], mask=[0, 1]), range(2)),
        lambda: Population.from_array(range(1), np.ma.masked_array([[0, 1]], mask=[[0, 1]]), topics=range(2)),
        lambda: Population.from_array(
            range(2), [[0], [1]], topics=range(2), weights=np.ma.masked_array([1, 2], mask=[0, 1])
        ),
    ],
)
def test_what_is_masked_is_not_known(use):
    with refused(QuiffError):
        use()


def test_an_array_that_could_be_masked_but_is_not():
    assert Channel(np.ma.masked_array([[0.5, 0.5]]))[0, 1] == 0.5


def test_a_million_repetitions():
    many = quiff.repeat(C, 10**6)
    assert quiff.epsilon(many) == pytest.approx(10**6 * math.log(3))
    assert quiff.metric_epsilon(many, lambda x, y: 1) == pytest.approx(10**6 * math.log(3))
    assert quiff.epsilon(quiff.parallel(many, C)) == pytest.approx((10**6 + 1) * math.log(3))
    assert quiff.max_case_capacity(many) == math.inf
    assert many.outputs.size == 2**10**6
    worded(repr(many), 2, 1000000)
    one = Prior.uniform([0, 1])
    for impossible in (
        lambda: quiff.bayes_capacity(many),
        lambda: quiff.posterior_vulnerability(one, many),
        lambda: quiff.max_case_vulnerability(one, many),
        lambda: quiff.mutual_information(one, many),
        lambda: quiff.hyper(one, many),
        lambda: many.to_numpy(),
        lambda: many.row(0),
        lambda: many[0, (0,) * 10**6],
        lambda: len(many.outputs),
        lambda: many.outputs[5],
        lambda: many.sample([0], seed=1),
        lambda: one @ many,
    ):
        with pytest.raises(quiff.SizeError):
            impossible()
    alone = quiff.repeat(Channel([[1.0], [1.0]]), 10**6)
    assert quiff.bayes_capacity(alone) == 1
    assert quiff.posterior_vulnerability(one, alone) == 0.5


def test_a_number_of_more_digits_than_python_prints_is_an_error_of_ours():
    with refused(quiff.QuiffError):
        Prior({"a": 10**5000, "b": 0.5})


def test_repetitions_that_fit_no_memory_and_labels_that_fill_a_screen():
    C = Channel([[0.5, 0.5], [0.25, 0.75]])
    with pytest.raises(quiff.SizeError):
        quiff.repeat(C, 10**30)
    with pytest.raises(quiff.LabelError) as caught:
        quiff.repeat(C, 10**5) @ C
    assert len(str(caught.value)) < 2000
    with refused(quiff.LabelError):
        Prior.uniform([1, 2])[10**5000]
