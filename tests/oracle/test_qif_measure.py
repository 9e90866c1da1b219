"""Oracle: the C++ library qif gives the same tables on a small population, from plain matrices."""

import numpy as np
import pytest
import qif

from quiff import Population, TopicsAPI, measure

CLOSE = {"rel": 1e-9, "abs": 1e-12}
M, S, R = 30, 3, 0.05
API = TopicsAPI(M, S, R)
BAYES, GAIN = qif.measure.bayes_vuln, qif.measure.g_vuln


@pytest.fixture(scope="module")
def population():
    return Population.synthetic(200, seed=3, n_topics=25, top_s=S)


@pytest.fixture(scope="module")
def found(population):
    return measure(population, API)


def membership(codes, inside, outside):
    matrix = np.full((len(codes), M), outside)
    np.put_along_axis(matrix, codes, inside, axis=1)
    return matrix


CHANNELS = {"bounded_noise": (1 / S, 0.0), "topics": ((1 - R) / S + R / M, R / M)}


@pytest.mark.parametrize("stage", CHANNELS)
def test_privacy(population, found, stage):
    codes = np.asarray(population.sets[0], dtype=np.int64)
    C, pi = membership(codes, *CHANNELS[stage]), np.full(len(codes), 1 / len(codes))
    prior, posterior, leakage = (found[API.spec, q, stage] for q in ("prior", "posterior", "leakage"))
    assert float(prior) == pytest.approx(BAYES.prior(pi), **CLOSE)
    assert posterior == pytest.approx(BAYES.posterior(pi, C), **CLOSE)
    assert leakage == pytest.approx(BAYES.mult_leakage(pi, C), **CLOSE)
    assert leakage == pytest.approx(BAYES.mult_capacity(C), **CLOSE)
    assert found[API.spec, "bayes_capacity", stage, "people"] == pytest.approx(leakage)


def test_generalization(population, found):
    sets, which = np.unique(population.sets[0], axis=0, return_inverse=True)
    C, pi = np.eye(len(sets))[which.reshape(-1)], np.full(len(which), 1 / len(which))
    assert float(found[API.spec, "posterior", "generalization"]) == pytest.approx(
        BAYES.posterior(pi, C), **CLOSE
    )


@pytest.mark.parametrize("weighting", ["population", "uniform"])
@pytest.mark.parametrize("stage", CHANNELS)
def test_utility(population, found, stage, weighting):
    sets, counts = np.unique(population.sets[0], axis=0, return_counts=True)
    pi = counts / counts.sum() if weighting == "population" else np.full(len(sets), 1 / len(sets))
    C, G = (
        membership(sets.astype(np.int64), *CHANNELS[stage]),
        membership(sets.astype(np.int64), 1.0, 0.0).T.copy(),
    )
    expected = {
        "secret": (BAYES.prior(pi), BAYES.posterior(pi, C)),
        "topics": (GAIN.prior(G, pi), GAIN.posterior(G, pi, C)),
    }
    for goal, (before, after) in expected.items():
        key = (goal, stage, weighting)
        assert float(found[(API.spec, "goal_prior", *key)]) == pytest.approx(before, **CLOSE)
        assert found[(API.spec, "goal_posterior", *key)] == pytest.approx(after, **CLOSE)


def test_epsilon(population, found):
    codes = np.asarray(population.sets[0], dtype=np.int64)
    expected = qif.measure.d_privacy.smallest_epsilon(
        membership(codes, *CHANNELS["topics"]), qif.metric.discrete(qif.uint)
    )
    assert found[API.spec, "epsilon", "people"] == pytest.approx(expected, **CLOSE)
