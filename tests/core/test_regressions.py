"""What once went wrong, each with the smallest case that shows it."""

import functools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import quiff
from quiff import Channel, Gain, Prior, SizeError
from quiff.core.kernels import SparseKernel
from quiff.core.labels import as_labels
from quiff.core.sparse import SparseRows
from quiff.people.limits import allowed_bytes
from words import refused, worded

AB = ["a", "b"]
F = Fraction


def test_columns_that_cancel_leave_a_true_zero():
    for m in (18, 19):
        k = m // 2
        C = Channel.membership({0: range(k), 1: range(m - k, m)}, range(m), 0, 1 / (m - k))
        K = C @ Channel.deterministic({t: "first" if t < k else "rest" for t in range(m)})
        assert K[0, "first"] == 0
        assert quiff.epsilon(K) == math.inf
        assert K.row(0)["first"] == 0


def test_a_channel_that_tells_nothing_tells_nothing_at_worst():
    C = Channel.membership({x: [0] for x in range(4)}, range(4), 0, 1 / 3)
    prior = Prior({i: v / 15 for i, v in enumerate([6, 2, 4, 3])})
    gain = Gain([[0.1, 0.3, 0.3, 0.1], [0, 0.7, 0.3, 0.3]])
    assert quiff.max_case_vulnerability(prior, C, gain) == pytest.approx(quiff.vulnerability(prior, gain))


def test_tiny_probabilities_are_kept():
    C = Channel.membership({"a": [0], "b": [1]}, [0, 1, 2], inside=1e-20, outside=0.5)
    assert quiff.epsilon(C) == pytest.approx(math.log(0.5 / 1e-20))
    tiny = Channel([[F(1, 10**400), 1 - F(1, 10**400)], [F(1, 2), F(1, 2)]])
    assert quiff.epsilon(tiny) == pytest.approx(400 * math.log(10) - math.log(2))
    assert quiff.metric_epsilon(tiny, lambda x, y: 1) == pytest.approx(400 * math.log(10) - math.log(2))
    smallest = Channel([[1e-310, 1.0], [0.5, 0.5]])
    assert quiff.epsilon(smallest) == pytest.approx(310 * math.log(10) - math.log(2))


def test_an_exact_channel_meets_a_float_prior_and_a_sparse_gain():
    C = Channel.membership({"a": ["u"], "b": ["v"]}, ["u", "v", "w"], F(1, 2), F(1, 4))
    gain = quiff.membership_gain({"a": ["t"], "b": ["s"]}, ["t", "s"])
    found = quiff.posterior_vulnerability(Prior({"a": 0.5, "b": 0.5}), C, gain)
    assert found == pytest.approx(0.25 + 0.25 + 0.125)
    assert type(found) is float


def test_a_fraction_does_not_make_floats_exact():
    one, other = Channel.constant([0.1, 0.9], AB), Channel.constant([0.3, 0.7], AB)
    M = quiff.internal_choice(one, other, F(1, 3))
    assert not M.exact
    assert type(quiff.max_case_capacity(M)) is float
    assert len(quiff.hyper(Prior.uniform(AB), M)) == 1


def test_pushing_a_prior_stays_exact():
    C = Channel.sparse({"a": {"u": 1}, "b": {"u": F(1, 2), "v": F(1, 2)}}, ["u", "v", "w"])
    pushed = Prior.uniform(AB) @ C
    assert dict(pushed.items()) == {"u": F(3, 4), "v": F(1, 4), "w": 0}
    assert {type(value) for _, value in pushed.items()} == {F}


def test_an_exact_sparse_channel_over_whole_numbers():
    C = Channel.sparse({"u": {"a": F(1, 2), "b": F(1, 2)}}, outputs=AB)
    assert quiff.bayes_capacity(C) == 1
    assert Channel.sparse({"a": {}, "b": {}}, ["u", "v"], F(1, 2)).exact


def test_no_gain_at_all_in_floats_is_a_float():
    C = Channel([[0.5, 0.5], [0.5, 0.5]], AB)
    assert (
        type(quiff.max_case_vulnerability(Prior({"a": 0.5, "b": 0.5}), C, Gain([[0.0, 0.0]], inputs=AB)))
        is float
    )


def test_fractions_of_numpys_integers_do_not_overflow():
    big = np.int64(2**40)
    prior = Prior({"a": F(big, big + 1), "b": F(np.int64(1), big + 1)})
    C = Channel([[F(2**39, 2**40 + 7), 1 - F(2**39, 2**40 + 7)], [1, 0]], AB)
    found = quiff.posterior_vulnerability(prior, C)
    a, b = F(2**40, 2**40 + 1), F(1, 2**40 + 1)
    p = F(2**39, 2**40 + 7)
    assert found == max(a * p, b) + a * (1 - p)


def test_a_secret_without_mass_may_still_be_gained():
    joint = Prior({("z1", "a"): F(1, 2), ("z1", "b"): F(1, 2), ("z2", "a"): 0})
    C = Channel.identity(AB)
    assert quiff.dalenius_leakage(joint, C, quiff.bayes_gain(["z1", "z2"])) == 1
    with refused(quiff.LabelError):
        quiff.dalenius_leakage(Prior({("z", "c"): 1}), C)


def test_posteriors_one_rounding_apart_are_one():
    x = 0.3
    C = Channel([[x, 2 * x, 1 - 3 * x], [x, 2 * x, 1 - 3 * x]], AB)
    prior = Prior({"a": 1 / 3, "b": 2 / 3})
    assert len(quiff.hyper(prior, C)) == 1


def test_labels_of_any_kind_are_found_in_a_range_at_once():
    n = 200_000
    users = list(np.random.default_rng(0).permutation(n))  # numpy's integers
    prior = Prior.uniform(users)
    C = Channel.deterministic_from_codes(range(n), np.arange(n) % 7, range(7))
    assert quiff.posterior_vulnerability(prior, C) == F(7, n)
    assert 3.0 in C.inputs
    assert all(label not in C.inputs for label in ("3", 3.5, math.nan, math.inf, None, -1, n))


def test_wrong_ways_to_write_it():
    C = Channel.identity(["a", "d"])
    for wrong in ("ad", "Alice", ("a",), ("a", "b", "c")):
        with refused(quiff.LabelError):
            C[wrong]
    with refused(quiff.LabelError):
        Prior([0.3, 0.7])
    with refused(quiff.LabelError):
        Channel.deterministic({"Alice": {"News"}})
    with refused(quiff.LabelError):
        Channel.membership({"a": None}, AB, 1, 0)
    with refused(quiff.ProbabilityError):
        quiff.internal_choice(C, C, None)
    with refused(quiff.LabelError):
        quiff.membership_gain({"a": ["zz"]}, ["t"])
    assert quiff.repeat(C, np.int64(2)).outputs.size == 4
    assert quiff.tries_gain(AB, np.int64(1)).actions.size == 2
    assert quiff.min_entropy(Prior({"a": 1})).hex() == (0.0).hex()


def test_what_cannot_be_is_refused_before_it_is_tried():
    C = Channel.membership_from_codes(range(100), np.arange(100).reshape(-1, 1), range(349), 0.304, 0.002)
    D = Channel.membership_from_codes(range(100), np.ones((100, 1), dtype=int), range(1, 350), 1.0, 0.0)
    four = quiff.repeat(C, 4)
    for impossible in (
        lambda: quiff.bayes_capacity(quiff.repeat(C, 6)),
        lambda: quiff.posterior_vulnerability(
            Prior.uniform(range(100)), four, quiff.tries_gain(range(100), 2)
        ),
        lambda: quiff.internal_choice(four, quiff.repeat(D, 4), 0.5),
        lambda: quiff.external_choice(quiff.repeat(C, 30), quiff.repeat(C, 30), 0.5),
        lambda: quiff.kronecker(Channel.identity(range(200_000)), Channel.identity(range(200_000))),
        lambda: quiff.repeat(C, 200).to_numpy(),
        lambda: Prior.uniform(quiff.repeat(C, 30).outputs),
    ):
        with pytest.raises(SizeError):
            impossible()
    E = Channel([[0.5, 0.5], [0.25, 0.75]])
    with quiff.work_limit(0.0000001), refused(SizeError, 1):
        quiff.bayes_capacity(quiff.repeat(E, 2))


def test_exact_matrices_count_as_large_as_they_are():
    C = Channel.membership_from_codes(range(2000), np.zeros((2000, 1), dtype=int), range(1000), F(1), F(0))
    with quiff.dense_limit(0.05), refused(SizeError, 0.149):
        C.to_numpy()


def test_sets_cannot_be_changed_from_outside():
    from quiff.core.labels import SetLabels, as_labels

    sets, _ = SetLabels.distinct(np.array([[0, 1], [1, 2]]), as_labels("abc"[i] for i in range(3)))
    with pytest.raises(ValueError, match="read-only"):
        sets.codes[0, 0] = 2


def test_counts_that_do_not_fit_a_word_together_are_added_up_right():
    prior = Prior.from_count_array(["a", "b", "c"], np.array([2**62, 2**62, 2**62]))
    assert prior["a"] == F(1, 3)
    assert Prior.from_count_array(["a", "b"], np.array([2**64 - 1, 1], dtype=np.uint64))["b"] == F(1, 2**64)


def test_posteriors_are_shown_whatever_the_secrets_are_called():
    names = ["probability", 1, "1"]
    shown = repr(quiff.hyper(Prior.uniform(names), Channel.identity(names)))
    worded(shown, 3)


def test_one_is_singular():
    worded(repr(Channel([[1]])), 1)
    worded(repr(Gain([[1]])), 1)
    worded(repr(Prior({"a": 1})), 1)


@pytest.mark.parametrize("limit", [quiff.dense_limit, quiff.work_limit, quiff.reading_limit])
@pytest.mark.parametrize("value", [None, [1], "3", 0, math.nan])
def test_a_limit_is_a_positive_number(limit, value):
    with (
        refused(quiff.ParameterError),
        limit(value),
    ):
        pass


@pytest.mark.parametrize("half", [F(1, 2), 0.5])
def test_many_small_passes_are_refused_before_they_take_hours(half):
    C = Channel([[half, half, 0], [0, half, half], [half, 0, half]])
    different = [Channel(np.roll(C.to_numpy(), k, axis=0)) for k in range(20)]  # in no order are two alike
    with refused(SizeError):
        quiff.bayes_capacity(functools.reduce(quiff.parallel, different))
    assert quiff.bayes_capacity(functools.reduce(quiff.parallel, different[:4])) > 1


def test_fractions_count_as_the_work_that_they_are():
    rows = [[F(1, 3), F(2, 3)], [F(2, 3), F(1, 3)]] * 500
    exact, floats = (quiff.repeat(Channel(np.array(rows).astype(kind)), 8) for kind in (object, float))
    prior = Prior.uniform(range(1000))
    with quiff.work_limit(0.001):
        assert quiff.posterior_vulnerability(prior, floats, quiff.tries_gain(range(1000), 2)) > 0
        with refused(SizeError):
            quiff.posterior_vulnerability(prior, exact, quiff.tries_gain(range(1000), 2))


def test_a_probability_is_never_more_than_one():
    people = quiff.Population.synthetic(2000, seed=1, n_topics=100)
    api = quiff.TopicsAPI(n_topics=100)
    found = quiff.measure(people, api)
    assert found[api.spec, "goal_posterior", "topics", "bounded_noise"] == 1


def test_a_sparse_table_of_gains_keeps_to_the_limit_of_memory():
    """Each of 40 secrets has its own 50 outputs, and two actions gain from it."""
    entries = SparseRows.from_entries(
        np.repeat(np.arange(40), 50), np.arange(2000), np.full(2000, 0.02), (40, 2000)
    )
    C = Channel.from_kernel(
        as_labels(range(40)), as_labels(range(2000)), SparseKernel(np.zeros(2000), entries)
    )
    gain = quiff.membership_gain({x: [x, (x + 1) % 40] for x in range(40)}, actions=range(40))
    prior = Prior.uniform(range(40))
    assert quiff.posterior_vulnerability(prior, C, gain) == pytest.approx(1)
    with (
        quiff.dense_limit(1e-5),
        refused(SizeError, 4000, 0.000149, 1e-05),
    ):
        quiff.posterior_vulnerability(prior, C, gain)


@pytest.mark.parametrize("limit", [quiff.dense_limit, quiff.work_limit, quiff.reading_limit])
@pytest.mark.parametrize("value", [2, 0.5, F(1, 2), np.float64(2), Decimal("0.5")])
def test_a_limit_may_be_any_kind_of_number(limit, value):
    with limit(value):
        assert quiff.bayes_capacity(quiff.repeat(Channel.identity(AB), 2)) == 2
        assert Channel.identity(AB).to_numpy().shape == (2, 2)
        assert allowed_bytes() > 0


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        (np.array([1.0, 0.5]), "the count of 'b' is 0.5, but counts are whole numbers"),
        (np.array([1.0, 2.0]), "the count of 'a' is 1.0, a float, but counts are whole numbers"),
        (
            np.array([1, np.float64(0.5)], dtype=object),
            "the count of 'b' is 0.5, but counts are whole numbers",
        ),
        (np.array([1, "2"], dtype=object), "the count of 'b' is '2', but counts are whole numbers"),
    ],
)
def test_a_count_that_is_not_whole_is_quoted(counts, told):
    with pytest.raises(quiff.ProbabilityError) as caught:
        Prior.from_count_array(AB, counts)
    assert str(caught.value).startswith(told)


def test_what_all_rows_show_alike_tells_nothing_in_bits():
    bit = Channel.deterministic({"a": 0, "b": 1})
    alike = Channel.membership({"u": {"x"}, "v": {"x"}}, ["x", "y"], F(1, 3), F(2, 3))
    both = quiff.kronecker(bit, alike)
    assert quiff.mutual_information(Prior.uniform(both.inputs), both) == pytest.approx(1)
    assert quiff.shannon_capacity(both).value == pytest.approx(1)
