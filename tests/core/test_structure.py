"""The structure survives composition where it can, and scale follows."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import quiff
from quiff import Channel, Prior, membership_gain_from_codes
from quiff.core.kernels import DenseKernel, MapKernel, ProductKernel, SparseKernel
from quiff.core.labels import SetLabels, as_labels
from words import worded

USERS = 200_000


@pytest.fixture(scope="module")
def codes():
    rng = np.random.default_rng(20)
    popularity = rng.random((USERS, 40)) ** 4 * np.linspace(1, 20, 40)
    return np.argsort(popularity, axis=1)[:, -5:]


@pytest.fixture(scope="module")
def topics_channel(codes):
    m, s, r = 349, 5, 0.05
    return Channel.membership_from_codes(range(USERS), codes, range(m), (1 - r) / s + r / m, r / m)


def kind(C):
    return type(C.kernel)


def test_structure_survives_where_it_can():
    f = Channel.deterministic({x: x % 3 for x in range(6)})
    g = Channel.deterministic({0: "even", 1: "odd", 2: "even"})
    members = Channel.membership({0: {"u"}, 1: {"v"}, 2: {"u"}}, ["u", "v"], 0.75, 0.25)
    constant = Channel.constant([0.5, 0.5], range(3), ["v", "w"])
    dense = Channel([[0.5, 0.5], [0.25, 0.75], [1, 0]], range(3), ["u", "v"])
    assert kind(f @ g) is MapKernel
    assert kind(f @ members) is SparseKernel
    assert kind(f @ dense) is DenseKernel
    assert kind(members @ Channel.deterministic({"u": 1, "v": 1})) is SparseKernel
    assert kind(quiff.internal_choice(members, constant, 0.5)) is SparseKernel
    assert kind(quiff.internal_choice(g, members, 0.5)) is SparseKernel
    assert kind(quiff.external_choice(members, constant, 0.5)) is SparseKernel
    assert kind(quiff.internal_choice(dense, constant, 0.5)) is DenseKernel
    assert kind(quiff.parallel(members, dense)) is ProductKernel
    assert kind(quiff.repeat(f, 3)) is ProductKernel
    assert kind(quiff.kronecker(f, f)) is ProductKernel
    assert kind(Channel.identity([f.inputs[0]])) is MapKernel


def test_the_pipeline_of_the_topics_api_at_the_size_of_a_population(codes, topics_channel):
    """Users to sets, sets to a topic or a random one: composed, it is the membership channel on users."""
    m, s, r = 349, 5, 0.05
    sets, which = SetLabels.distinct(codes, as_labels(range(m)))
    to_sets = Channel.deterministic_from_codes(range(USERS), which, sets)
    bounded = Channel.membership_from_codes(sets, sets.codes, range(m), 1 / s, 0)
    anything = Channel.constant(np.full(m, 1 / m), sets, range(m))
    composed = to_sets @ quiff.internal_choice(bounded, anything, r)
    occurring = len(np.unique(codes))
    expected = r + occurring * (1 - r) / s  # the paper's closed form, with the topics that occur
    for C in (composed, topics_channel):
        assert kind(C) is SparseKernel
        assert quiff.bayes_capacity(C) == pytest.approx(expected)
        assert quiff.max_case_capacity(C) == pytest.approx(1 + m * (1 - r) / (r * s))
    users = Prior.uniform(range(USERS))
    assert quiff.leakage(users, to_sets) == sets.size
    assert (users @ to_sets)[sets[0]] == Fraction(int((which == 0).sum()), USERS)


def test_utility_on_the_distinct_sets_is_utility_on_the_users(codes, topics_channel):
    """The gain of naming a topic of the set does not care whether equal sets are merged."""
    sets, which = SetLabels.distinct(codes, as_labels(range(349)))
    m, s, r = 349, 5, 0.05
    report = Channel.membership_from_codes(sets, sets.codes, range(m), (1 - r) / s + r / m, r / m)
    on_sets = membership_gain_from_codes(sets, sets.codes, range(m))
    on_users = membership_gain_from_codes(range(USERS), codes, range(m))
    prior = Prior.from_count_array(sets, np.bincount(which))
    merged = quiff.posterior_vulnerability(prior, report, on_sets)
    assert merged == pytest.approx(
        quiff.posterior_vulnerability(Prior.uniform(range(USERS)), topics_channel, on_users)
    )
    share = max(np.bincount(codes.reshape(-1))) / USERS
    assert quiff.vulnerability(prior, on_sets) == pytest.approx(share)
    assert (1 - r) + r * s / m <= merged <= (1 - r) + r * share  # the paper's theorem, sharpened


def test_two_epochs_are_measured_without_a_matrix_of_pairs():
    """Lazy parallel composition: 20 000 users x 349^2 pairs would take 19 GiB."""
    rng = np.random.default_rng(3)
    codes = rng.permuted(np.tile(np.arange(30), (20_000, 1)), axis=1)[:, :3]
    m, s, r = 60, 3, 0.05
    p, q = (1 - r) / s + r / m, r / m
    C = Channel.membership_from_codes(range(20_000), codes, range(m), p, q)
    together = np.zeros((m, m), dtype=bool)  # pairs of topics that some set holds
    for i in range(s):
        for j in range(s):
            together[codes[:, i], codes[:, j]] = True
    seen = np.zeros(m, dtype=bool)
    seen[codes] = True
    best = np.where(together, 2, np.where(seen[:, None] | seen[None, :], 1, 0))
    expected = float((p**best * q ** (2 - best)).sum())
    assert quiff.bayes_capacity(quiff.repeat(C, 2)) == pytest.approx(expected)


def test_a_million_of_millions_is_only_a_description():
    C = Channel.membership_from_codes(range(1000), np.zeros((1000, 1), dtype=int), range(349), 1.0, 0.0)
    many = quiff.repeat(C, 12)
    assert many.outputs.size == 349**12
    assert many[5, (0,) * 12] == 1.0
    worded(repr(many), 12)


def test_exchange_with_pandas_and_numpy():
    C = Channel([[0.25, 0.75], [1, 0]], ["Alice", ("Bob", 2)], ["u", "v"])
    frame = C.to_pandas()
    assert list(frame.index) == ["Alice", ("Bob", 2)]
    again = Channel(frame)
    assert (again.inputs, again.outputs) == (C.inputs, C.outputs)
    assert again.to_numpy().tolist() == C.to_numpy().tolist()
    assert quiff.Prior.uniform(["a", "b"]).to_pandas()["b"] == Fraction(1, 2)
    gain = quiff.membership_gain({"x": {"t"}, "y": set()}, ["t"])
    assert gain.to_pandas().loc["t"].tolist() == [1, 0]
    assert list(quiff.Gain(gain.to_pandas()).inputs) == ["x", "y"]
    odd = [None, 1, 2.5, "a", ("b", 2), frozenset({3})]  # pandas would like to change some of these
    assert list(Channel(Channel.identity(odd).to_pandas()).inputs) == odd
    counts = pd.Series(["a", "b", "a"]).value_counts()
    assert Prior.from_pandas(counts)["a"] == Fraction(2, 3)
    assert Prior.from_pandas(pd.Series({"a": 0.25, "b": 0.75}))["b"] == 0.75
    assert np.asarray(Prior({"a": 0.25, "b": 0.75})).tolist() == [0.25, 0.75]
    assert np.asarray(C).tolist() == C.to_numpy().tolist()
    assert dict(Prior({"a": 0.25, "b": 0.75})) == {"a": 0.25, "b": 0.75}
    with pytest.raises(TypeError):
        np.eye(2) @ C


def test_notebooks_show_a_table_and_escape_names():
    C = Channel([[1]], ["<b>Alice</b>"], ["u"])
    assert "&lt;b&gt;Alice" in C._repr_html_()
    assert "<table>" in Prior.uniform(["a"])._repr_html_()
    assert "first rows and columns" in Channel.identity(range(500))._repr_html_()
    assert "first rows and columns" in quiff.bayes_gain(range(200_000))._repr_html_()
    hyper = quiff.hyper(Prior.uniform(["a", "b"]), Channel.identity(["a", "b"]))
    assert repr(hyper).splitlines()[1].split() == ["probability", "a", "b"]
    assert "<table>" in hyper._repr_html_()
    assert "<td>1</td>" in quiff.bayes_gain(range(2))._repr_html_()


def test_counts_of_billions_stay_exact():
    prior = Prior.from_counts({"a": 10**12, "b": 3 * 10**12})
    C = Channel.deterministic({"a": 0, "b": 1})
    assert quiff.posterior_vulnerability(prior, C) == 1
    assert quiff.vulnerability(prior) == Fraction(3, 4)
    assert dict((prior @ C).items()) == {0: Fraction(1, 4), 1: Fraction(3, 4)}
    assert type((prior @ C)[0]) is Fraction
    gain = quiff.Gain([[2**40, 0], [0, 2**40 + 1]], inputs=["a", "b"])
    assert quiff.vulnerability(prior, gain) == Fraction(3 * (2**40 + 1), 4)
