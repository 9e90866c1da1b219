"""Bounds and tests beside what others compute: SciPy's intervals, plain loops, and closed forms."""

from math import comb, log

import numpy as np
import pytest
from scipy.stats import binomtest, norm

import quiff
from quiff import Channel, Gain, Prior, mechanisms
from quiff.auditing.bounds import bounds, learning_curve, secret_risks
from quiff.auditing.claims import claim_test, holm
from quiff.auditing.events import likely_difference, likely_ratio, telling_events
from quiff.auditing.intervals import at_least, at_most, trials_for_width
from quiff.auditing.log import Log
from quiff.auditing.rules import Classifier, Frequentist, Nearest, features, rule_of
from quiff.auditing.sample import draw_sample
from quiff.errors import GainError, ParameterError
from words import refused

FREQUENTIST = Frequentist()


def drawn(C, n, seed=0, prior=None):
    """A log of n rows from a channel, whose secrets are drawn from a prior."""
    rng = np.random.default_rng(seed)
    pi = np.full(C.inputs.size, 1 / C.inputs.size) if prior is None else np.array(prior)
    x = rng.choice(C.inputs.size, size=n, p=pi)
    return Log.of_codes(list(C.inputs), list(C.outputs), x, C.kernel.sample(x, rng))


def audited(C, n=4000, seed=0, rules=(FREQUENTIST,), **options):
    rng = np.random.default_rng(seed)
    sample = draw_sample(drawn(C, n, seed), rng)
    return sample, bounds(sample, list(rules), rng, **options)


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 10), (10, 10), (512, 1000)])
def test_binomial_ends_are_scipys(k, n):
    known = binomtest(k, n).proportion_ci(0.9, method="exact")
    assert (at_least(k, n, 0.05), at_most(k, n, 0.05)) == pytest.approx((known.low, known.high))


def test_rows_for_a_width_are_the_least_that_do():
    n = trials_for_width(0.3, 0.05, 0.05)
    widths = [at_most(round(0.3 * m), m, 0.025) - at_least(round(0.3 * m), m, 0.025) for m in (n - 1, n)]
    assert widths[0] > 0.05 >= widths[1]


def test_the_frequentist_rule_is_the_plain_loop():
    sample, _ = audited(mechanisms.randomised_response(range(4), truth=0.5), 300)
    seen = sample.matrix("train").toarray()
    guesses = Frequentist().guesses(sample, np.random.default_rng(0))
    for y, guess in enumerate(guesses):
        assert seen[guess, y] == seen[:, y].max()


def test_bounds_enclose_the_closed_forms():
    C = mechanisms.randomised_response(range(4), truth=0.5)
    _, found = audited(C, 20_000)
    assert found.posterior.low < 0.5 < found.posterior.high
    assert found.prior.low < 0.25 < found.prior.high
    assert found.leakage.low < 2 < found.leakage.high
    assert found.plug_in >= found.posterior.value - 0.02


def test_the_plug_in_estimate_is_biased_upward():
    """A constant channel with many outputs: nothing leaks, but every row seems to."""
    C = Channel.constant(np.full(500, 1 / 500), range(10))
    _, found = audited(C, 500)
    assert found.plug_in > 0.5
    assert found.posterior.low < 0.1 < found.posterior.high


def test_bayes_security_and_epsilon_are_bounded():
    C = mechanisms.randomised_response(range(3), ratio=4)
    sample, _ = audited(C, 20_000)
    telling, apart = telling_events(sample, likely_ratio, likely_difference)
    assert 0.8 * log(4) < telling.epsilon_at_least(0.05) <= log(4)
    beta = float(quiff.bayes_security(C))
    assert beta <= 1 - apart.apart_at_least(0.05) < beta + 0.1


def bits_log(n, rng, differing=4, alike=8, one=0.6):
    """Reports of bits: some are more often 1 for the first of two secrets, some as often for both."""
    secret = rng.integers(2, size=n)
    p = np.where(secret[:, np.newaxis] == np.arange(differing + alike) % 2, one, 1 - one)
    p[:, differing:] = 0.5
    return Log.of(secret.tolist(), list(map(tuple, (rng.random(p.shape) < p).astype(int).tolist())))


def test_rare_records_are_told_apart_by_their_parts():
    """The truth is that of so many independent bits: ln((0.6/0.4)^4)."""
    rng = np.random.default_rng(0)
    sample = draw_sample(bits_log(20_000, rng), rng)
    ratio, difference = telling_events(sample, likely_ratio, likely_difference)
    assert 0.6 * 4 * log(1.5) < ratio.epsilon_at_least(0.05) <= 4 * log(1.5)
    coins = np.array([comb(4, k) for k in range(5)]) * 0.6 ** np.arange(5) * 0.4 ** np.arange(4, -1, -1)
    apart = np.abs(coins - coins[::-1]).sum() / 2
    assert 0.8 * apart < difference.apart_at_least(0.05) <= apart


def test_epsilon_of_rare_records_is_seldom_beyond_the_truth():
    held, truth = 0, 4 * np.log(1.5)
    for run in range(100):
        rng = np.random.default_rng(run)
        (ratio,) = telling_events(draw_sample(bits_log(400, rng), rng), likely_ratio)
        held += ratio.epsilon_at_least(0.05) <= truth
    assert at_most(held, 100, 1e-5) >= 0.95


def test_numbers_are_told_apart_by_a_threshold():
    rng = np.random.default_rng(0)
    x = rng.integers(2, size=4000)
    sample = draw_sample(Log.of(x.tolist(), (2 * x + rng.normal(size=4000)).tolist()), rng)
    ratio, difference = telling_events(sample, likely_ratio, likely_difference)
    assert 0.6 < difference.apart_at_least(0.05) <= 2 * norm.cdf(1) - 1
    assert ratio.epsilon_at_least(0.05) > 2


def test_any_gain():
    C = mechanisms.randomised_response(range(3), truth=0.6)
    gain = Gain([[1, 0.5, 0], [0, 0.5, 1]], actions=["low", "high"], inputs=[0, 1, 2])
    truth = float(quiff.posterior_vulnerability(Prior.uniform(range(3)), C, gain))
    _, found = audited(C, 20_000, gain=gain)
    assert found.posterior.low < truth < found.posterior.high
    assert found.posterior.low > truth - 0.05
    with refused(GainError):
        audited(C, 100, gain=Gain([[1, 0]], actions=["a"], inputs=[0, 1]))


def test_each_secrets_risk():
    C = Channel([[0.9, 0.1], [0.5, 0.5]])
    sample, found = audited(C, 20_000)
    risks = {each.secret: each.risk for each in secret_risks(sample, found.guesses)}
    assert risks[0].low < 0.9 < risks[0].high
    assert risks[1].low < 0.5 < risks[1].high


def test_the_curve_ends_at_the_score():
    sample, found = audited(mechanisms.randomised_response(range(4), truth=0.5), 2000)
    curve = learning_curve(sample, Frequentist(), np.random.default_rng(0))
    assert curve[-1].score.value == found.posterior.value
    assert [point.rows for point in curve] == sorted(point.rows for point in curve)


def gaussian(n, seed=0, dimensions=1):
    """Two secrets, and numbers around -1 and 1: the best guess is right with Phi(1) = 0.841."""
    rng = np.random.default_rng(seed)
    x = rng.integers(2, size=n)
    y = np.round(2 * x - 1 + rng.normal(size=n), 6)
    more = rng.normal(size=(n, dimensions - 1)).round(6)
    return Log.of(x.tolist(), [tuple(row) for row in np.column_stack([y, more]).tolist()])


def test_neighbours_guess_where_every_observation_is_new():
    rng = np.random.default_rng(0)
    sample = draw_sample(gaussian(4000, dimensions=2), rng)
    found = bounds(sample, [Frequentist(), Nearest()], rng)
    assert found.best == "nearest"
    assert found.new == 1
    assert 0.75 < found.posterior.low < 0.8413
    assert found.scores["frequentist"].value < 0.55


def test_several_rules_share_the_probability_to_fail():
    C = mechanisms.randomised_response(range(4), truth=0.5)
    _, alone = audited(C, 2000)
    _, both = audited(C, 2000, rules=(Frequentist(), Nearest()))
    assert both.scores["frequentist"].low < alone.scores["frequentist"].low


def test_classifiers_of_scikit_learn():
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    sample = draw_sample(gaussian(2000), rng)
    found = bounds(sample, [Classifier(LogisticRegression()), rule_of("GaussianNB")], rng)
    assert set(found.scores) == {"LogisticRegression", "GaussianNB"}
    assert 0.8 < found.posterior.low < 0.8413
    with refused(ParameterError):
        rule_of("GausianNB")
    with refused(ParameterError):
        rule_of(3)


def test_sets_and_words_become_bits():
    assert features([frozenset("ab"), frozenset("b")]).tolist() == [[1, 1], [1, 0]]
    assert features(["x", "y", "x"]).tolist() == [[1, 0], [0, 1], [1, 0]]
    assert features(["1.5", "2"]).tolist() == [[1.5], [2]]


def test_a_true_claim_is_kept_and_a_wrong_one_refused():
    true, wrong = (
        mechanisms.randomised_response(range(4), truth=0.5),
        mechanisms.randomised_response(range(4), truth=0.6),
    )
    sample, _ = audited(true, 4000)
    assert claim_test(sample, true, np.random.default_rng(0)).p > 0.05
    found = claim_test(sample, wrong, np.random.default_rng(0))
    assert found.p < 0.001
    assert all(test.corrected < 0.05 for test in found.secrets)


def test_what_a_claim_rules_out_refutes_it():
    C = Channel([[0.5, 0.5, 0], [0, 0.5, 0.5]], outputs=["a", "b", "c"])
    sample = draw_sample(Log.of([0, 0, 0, 1], ["a", "b", "c", "d"]), np.random.default_rng(0))
    found = claim_test(sample, C, np.random.default_rng(0))
    assert found.p == 0
    assert found.impossible == 2


def test_what_is_never_seen_deviates_too():
    C = Channel([[0.4, 0.3, 0.3]], outputs=["a", "b", "c"])
    log = Log.of([0] * 1000, ["a"] * 570 + ["b"] * 430)
    found = claim_test(draw_sample(log, np.random.default_rng(0)), C, np.random.default_rng(0))
    assert found.p < 1e-10
    assert found.deviations[0].output == "c"
    assert found.deviations[0].seen == 0


def test_holm_by_hand():
    assert holm(np.array([0.2, 0.01, 0.04])).tolist() == pytest.approx([0.2, 0.03, 0.08])


def test_units_matter_to_neighbours_unless_they_are_scaled():
    rng = np.random.default_rng(0)
    x = rng.integers(2, size=2000)
    y = np.column_stack([2 * x - 1 + rng.normal(size=2000), 1e6 * rng.normal(size=2000)]).round(6)
    sample = draw_sample(Log.of(x.tolist(), [tuple(row) for row in y.tolist()]), rng)
    found = bounds(sample, [Nearest(), Nearest(scaled=True)], rng)
    assert found.scores["nearest"].value < 0.6
    assert found.scores["nearest-scaled"].value > 0.75


@pytest.mark.parametrize(("k", "epsilon"), [(25, 1), (25, 4), (200, 2)])
def test_epsilon_beside_an_attack_that_is_fixed_beforehand(k, epsilon):
    """The estimator of Arcolezi and Gambs (PoPETs 2024) for k-ary randomised response, on the same rows.

    Its attack guesses the output, its false alarms are those of one other value; nothing is chosen, so that
    all rows count. Here secrets and outputs are chosen by half of them.
    """
    rng, n, miss = np.random.default_rng(0), 200_000, 0.01
    C = mechanisms.randomised_response(range(k), epsilon=epsilon)
    x = np.repeat([0, k - 1], n)
    y = C.kernel.sample(x, rng)
    hits, alarms = (int(((y == 0) & (x == secret)).sum()) for secret in (0, k - 1))
    theirs = log(at_least(hits, n, miss / 2) / at_most(alarms, n, miss / 2))
    (event,) = telling_events(draw_sample(Log.of_codes(range(k), range(k), x, y), rng), likely_ratio)
    ours = event.epsilon_at_least(miss)
    assert max(ours, theirs) <= epsilon
    assert ours == pytest.approx(theirs, abs=0.15)
