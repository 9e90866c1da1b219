"""The closed forms of mechanisms are those of their channels, measured; channels are right by definition."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quiff
from quiff import mechanisms, theory
from words import refused

MEASURES = {
    "bayes_capacity": quiff.bayes_capacity,
    "max_case_capacity": quiff.max_case_capacity,
    "epsilon": quiff.epsilon,
}
ratios = st.fractions(1, 30, max_denominator=8)


def total_variation(C):
    """The largest total variation of two rows, by its definition."""
    rows = C.to_numpy()
    return max((abs(a - b).sum() / 2 for a in rows for b in rows), default=0)


def uniform_information(C):
    """The mutual information at the uniform prior, which is the capacity of a symmetric channel."""
    return quiff.mutual_information(quiff.Prior.uniform(C.inputs), C)


def check(C, forms):
    for name, measure in MEASURES.items():
        assert measure(C) == pytest.approx(forms[name], rel=1e-12, abs=1e-12)
        if C.exact and name != "epsilon":
            assert measure(C) == forms[name]
    assert float(1 - total_variation(C)) == pytest.approx(float(forms["bayes_security"]), abs=1e-12)
    if "shannon_capacity_bits" in forms:
        assert uniform_information(C) == pytest.approx(forms["shannon_capacity_bits"], abs=1e-9)


@given(st.integers(1, 6), ratios)
def test_randomised_response(k, ratio):
    C = mechanisms.randomised_response(range(k), ratio=ratio)
    check(C, theory.randomised_response(k, ratio=ratio))
    truth = C[0, 0]
    assert (mechanisms.randomised_response(range(k), truth=truth).to_numpy() == C.to_numpy()).all()
    if ratio < 20:
        floats = mechanisms.randomised_response(range(k), math.log(ratio))
        assert np.allclose(floats.to_numpy(), C.to_numpy().astype(float), atol=1e-15)


def test_a_response_among_100_000_labels_takes_no_matrix():
    k, e = 100_000, 7.19
    C, forms = mechanisms.randomised_response(range(k), e), theory.randomised_response(k, e)
    assert quiff.bayes_capacity(C) == pytest.approx(forms["bayes_capacity"], rel=1e-9)
    assert quiff.epsilon(C) == pytest.approx(e, rel=1e-9)
    assert uniform_information(C) == pytest.approx(forms["shannon_capacity_bits"], abs=1e-9)
    with pytest.raises(quiff.SizeError):
        C.to_numpy()


@given(st.data(), st.integers(1, 6), ratios)
def test_subset_selection(data, k, ratio):
    d = data.draw(st.integers(1, k))
    C = mechanisms.subset_selection(range(k), d, ratio=ratio)
    rows = C.to_numpy()
    assert (rows.sum(axis=1) == 1).all()
    for x, subset in product(C.inputs, C.outputs):
        assert C[x, subset] == (ratio if x in subset else 1) * min(C.to_numpy().reshape(-1)) or d == k
    check(C, theory.subset_selection(k, d, ratio=ratio))


def test_a_subset_has_the_best_size_by_default():
    assert {len(y) for y in mechanisms.subset_selection(range(9), epsilon=math.log(2)).outputs} == {3}


noisy = st.fractions(Fraction(1, 10), 1, max_denominator=10)


@settings(max_examples=30)
@given(st.integers(1, 4), noisy)
def test_rappor(k, f):
    C = mechanisms.rappor(range(k), f)
    rows = C.to_numpy()
    for x, bits in product(range(k), product((0, 1), repeat=k)):
        expected = math.prod(1 - f / 2 if bit == (place == x) else f / 2 for place, bit in enumerate(bits))
        assert rows[x, C.outputs.position(bits)] == expected
    check(C, theory.rappor(k, f))


def test_rappor_with_an_instantaneous_response_and_a_bloom_filter():
    f, p, q = Fraction(1, 2), Fraction(1, 4), Fraction(3, 4)
    check(mechanisms.rappor(range(3), f, p=p, q=q), theory.rappor(3, f, p, q))
    C = mechanisms.rappor(["a", "b"], f, bits={"a": [0, 1], "b": [1, 2]})
    assert C.outputs.size == 8
    # Erlingsson et al.: epsilon is 2 h ln((1 - f/2)/(f/2)) at most, with h bits each; here they share one.
    assert quiff.max_case_capacity(C) == Fraction(3) ** 2
    with refused(quiff.LabelError):
        mechanisms.rappor(["a", "b"], f, bits={"a": [0]})


def test_the_numbers_of_real_time_monitoring():
    """The Protected Audience API flips each of 1028 bits with 1/(1+e^(1/2))."""
    for epsilon, capacity, shannon in ((1, 1.6487212707, 0.1764923522), (4, 7.38905609893, 2.193616275)):
        forms = theory.rappor(1028, 2 / (1 + math.exp(epsilon / 2)))
        assert forms["bayes_capacity"] == pytest.approx(capacity, rel=1e-9)
        assert forms["shannon_capacity_bits"] == pytest.approx(shannon, rel=1e-8)
        assert forms["epsilon"] == pytest.approx(epsilon)


def two_sided(a, x, y):
    return (1 - a) / (1 + a) * a ** abs(x - y)


@given(
    st.lists(st.integers(-4, 6), min_size=1, max_size=5, unique=True), st.fractions(2, 9, max_denominator=4)
)
def test_geometric_noise(values, ratio):
    a = 1 / ratio
    C = mechanisms.geometric(values, ratio=ratio)
    cut = mechanisms.truncated_geometric(values, ratio=ratio)
    for x in values:
        for y in list(C.outputs)[1:-1]:
            assert C[x, y] == two_sided(a, x, y)
    # Cutting to the span of the values loses nothing: it merges columns that are proportional.
    low, high = min(values), max(values)
    clamped = quiff.Channel.deterministic(
        {y: min(max(y, low), high) for y in C.outputs}, range(low, high + 1)
    )
    assert ((C @ clamped).to_numpy() == cut.to_numpy()).all()
    for y in C.outputs:
        end = min(max(y, low), high)
        assert len({C[x, y] / cut[x, end] for x in values}) == 1 or low < y < high
    assert quiff.bayes_capacity(C) == quiff.bayes_capacity(cut)


@given(st.integers(1, 9), st.fractions(Fraction(3, 2), 9, max_denominator=4))
def test_truncated_geometric(n, ratio):
    C, forms = (
        mechanisms.truncated_geometric(range(n), ratio=ratio),
        theory.truncated_geometric(n, ratio=ratio),
    )
    check(C, forms)
    if n > 1:
        found = quiff.metric_epsilon(C, lambda x, y: abs(x - y))
        assert found == pytest.approx(forms["metric_epsilon"])


def test_the_numbers_of_the_aggregation_service():
    """Counts from 0 to 65536 with e^-epsilon/65536: the reference values of one bucket."""
    for epsilon, capacity in ((10, 5.9999999903), (64, 32.9999974569)):
        found = theory.truncated_geometric(65537, epsilon / 65536)["bayes_capacity"]
        assert found == pytest.approx(capacity, rel=1e-10)
    C = mechanisms.truncated_geometric([0, 65536], 10 / 65536)
    assert quiff.bayes_capacity(C) == pytest.approx(1.993262053, rel=1e-9)


@given(
    st.lists(st.integers(-9, 9), min_size=1, max_size=5, unique=True),
    st.floats(0.2, 5),
    st.integers(1, 40),
)
def test_laplace_noise(values, scale, cells):
    C, forms = mechanisms.laplace(values, scale, cells=cells), theory.laplace(values, scale)
    assert quiff.bayes_capacity(C) == pytest.approx(forms["bayes_capacity"], rel=1e-9)
    assert quiff.epsilon(C) <= forms["epsilon"] + 1e-9
    assert quiff.epsilon(C) == pytest.approx(
        forms["epsilon"], abs=1e-6
    )  # the outermost cells are as bad as any
    assert 1 - total_variation(C) == pytest.approx(forms["bayes_security"], abs=1e-9)
    from scipy.stats import laplace

    for x in values[:2]:
        for low, high in list(C.outputs)[:5]:
            expected = laplace.cdf(high, x, scale) - laplace.cdf(low, x, scale)
            assert C[x, (low, high)] == pytest.approx(expected, abs=1e-12)


@given(st.integers(2, 5), st.floats(0.3, 3), st.data())
def test_the_slack_of_laplace_noise_holds(n, scale, data):
    """Cells as fine as can be stand for the true channel: coarse ones hide no more than they say."""
    values = sorted(data.draw(st.sets(st.integers(0, 12), min_size=n, max_size=n)))
    coarse, fine = (mechanisms.laplace(values, scale, cells=cells) for cells in (3, 2000))
    gains = np.array([[data.draw(st.integers(0, 5)) for _ in values] for _ in range(3)])
    gain, prior = quiff.Gain(gains, inputs=values), quiff.Prior.uniform(values)
    true = quiff.posterior_vulnerability(prior, fine, gain)
    mine = quiff.posterior_vulnerability(prior, coarse, gain)
    assert mine <= true * (1 + 1e-9)
    assert true <= mine * coarse.slack * (1 + 1e-9)


@pytest.mark.parametrize(("m", "capacity"), [(1, 1.22119921693)])
def test_the_numbers_of_the_attribution_api(m, capacity):
    """Laplace noise of scale 2/epsilon on a bucket that is 0 or 1, epsilon 1."""
    assert theory.laplace([0, m], 2)["bayes_capacity"] == pytest.approx(capacity, rel=1e-10)


@given(st.integers(1, 4), st.integers(1, 4), st.floats(0.8, 3), st.sampled_from([0.5, 1.0, 2.0]))
@settings(max_examples=15)
def test_planar_geometric_noise(width, height, epsilon, cell):
    C = mechanisms.planar_geometric(width, height, epsilon, cell=cell)
    if C.inputs.size > 1:
        found = quiff.metric_epsilon(C, lambda x, y: cell * math.dist(x, y))
        assert found <= epsilon + 1e-9
    reach = range(-45, 46)
    weights = {(i, j): math.exp(-epsilon * cell * math.hypot(i, j)) for i in reach for j in reach}
    total = sum(weights.values())
    x, sums = (0, 0), {}
    for (i, j), weight in weights.items():
        y = min(max(x[0] + i, 0), width - 1), min(max(x[1] + j, 0), height - 1)
        sums[y] = sums.get(y, 0) + weight / total
    for y, expected in sums.items():
        assert C[x, y] == pytest.approx(expected, abs=1e-6)  # the reach of this test is shorter


points = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=5, unique=True)


@given(points, st.floats(0.1, 3))
def test_mechanisms_of_a_distance(labels, epsilon):
    exponential = mechanisms.exponential(labels, lambda x, y: -math.dist(x, y), epsilon)
    exact = mechanisms.exact_distance(labels, math.dist, epsilon)
    if len(labels) > 1:
        assert quiff.metric_epsilon(exponential, math.dist) <= epsilon + 1e-9
        assert quiff.metric_epsilon(exact, math.dist) == pytest.approx(epsilon)
    similar = np.exp(-epsilon * np.array([[math.dist(x, y) for y in labels] for x in labels]))
    weighting = np.linalg.inv(similar).sum(axis=1)
    if weighting.min() < -1e-9:
        with pytest.raises(quiff.ParameterError, match="negative"):
            mechanisms.tight_constraints(labels, math.dist, epsilon)
        return
    if weighting.min() < 1e-9:
        return  # the edge, where rounding decides
    magnitude = weighting.sum()
    tight = mechanisms.tight_constraints(labels, math.dist, epsilon)
    assert quiff.bayes_capacity(tight) == pytest.approx(magnitude, rel=1e-6)
    if len(labels) > 1:
        assert quiff.metric_epsilon(tight, math.dist) <= epsilon * (1 + 1e-6)


@pytest.mark.parametrize(
    "build",
    [
        lambda: mechanisms.randomised_response([1, 2]),
        lambda: mechanisms.randomised_response([1, 2], 1, truth=0.5),
        lambda: mechanisms.randomised_response([1], truth=0.5),
        lambda: mechanisms.randomised_response([1, 2], math.inf),
        lambda: mechanisms.randomised_response([1, 2], ratio=math.inf),
        lambda: mechanisms.subset_selection([1, 2], 3, 1),
        lambda: mechanisms.geometric(["a"], 1),
        lambda: mechanisms.geometric([], 1),
        lambda: mechanisms.geometric([1], 1, outputs=range(0, 9, 2)),
        lambda: mechanisms.laplace([0, math.inf], 1),
        lambda: mechanisms.laplace([0], 0),
        lambda: mechanisms.planar_geometric(2, 2, 0),
        lambda: mechanisms.exponential([0, 1], lambda x, y: math.nan),
        lambda: mechanisms.exponential([0, 1], lambda x, y: 0, sensitivity=0),
        lambda: mechanisms.tight_constraints([0, 1], lambda x, y: 1),
    ],
)
def test_what_cannot_be_is_refused(build):
    with refused(quiff.QuiffError):
        build()


def test_planar_laplace_noise_is_an_integral_over_cells():
    from scipy.integrate import dblquad

    C = mechanisms.planar_laplace(7, 7, 1.3, cell=0.8)
    for x, y in ((3, 3), (4, 3), (4, 4), (5, 4)):
        ends = ((x - 3.5) * 0.8, (x - 2.5) * 0.8), ((y - 3.5) * 0.8, (y - 2.5) * 0.8)
        expected, _ = dblquad(
            lambda v, u: 1.3**2 / (2 * math.pi) * math.exp(-1.3 * math.hypot(u, v)), *ends[0], *ends[1]
        )
        assert C[(3, 3), (x, y)] == pytest.approx(expected, rel=1e-5)


def test_epsilon_of_many_bits_does_not_look_at_every_output():
    C = mechanisms.rappor(range(40), 0.5)
    assert quiff.epsilon(C) == pytest.approx(theory.rappor(40, 0.5)["epsilon"])
    assert quiff.max_case_capacity(C) == pytest.approx(9)


def test_a_distance_may_be_a_matrix():
    matrix = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    line = mechanisms.tight_constraints(range(3), quiff.euclidean).to_numpy()
    assert np.allclose(mechanisms.tight_constraints(range(3), matrix).to_numpy(), line)
