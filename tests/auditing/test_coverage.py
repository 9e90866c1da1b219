"""Coverage is measured: on simulated logs of every API and of the gallery, bounds hold as often as they say.

``make bench GROUP=audit`` has 2 000 logs of each, and the power of the tests.
"""

from dataclasses import fields

import numpy as np
import pytest

import quiff
from quiff import iterative_bayesian_update, mechanisms
from quiff.apis.registry import apis
from quiff.auditing.claims import change_test
from quiff.auditing.coverage import Coverage, coverage, known_systems
from quiff.auditing.intervals import at_least, at_most
from quiff.auditing.log import Log
from quiff.testing.gallery import gallery

RUNS = 100
SURE = 1e-5  # the probability that one of these checks fails by chance; there are some hundreds
SYSTEMS = {name: (prior, C) for name, prior, C in known_systems()}
FOUND: list[Coverage] = []


def test_every_system_is_there():
    assert len(SYSTEMS) == len(apis()) + len(list(gallery()))


@pytest.mark.parametrize("name", SYSTEMS)
def test_bounds_cover_and_true_claims_are_kept(name):
    prior, C = SYSTEMS[name]
    rows = 60 if C.outputs.size > 2**20 else 200
    found = coverage(name, prior, C, runs=RUNS, rows=rows, power=False)
    FOUND.append(found)
    for covered in (found.posterior, found.leakage, found.security, found.epsilon):
        assert covered is None or at_most(covered, RUNS, SURE) >= 0.95
    assert at_least(found.rejected, RUNS, SURE) <= 0.05


def test_all_together_cover_at_the_stated_rate():
    if len(FOUND) < len(SYSTEMS):
        pytest.skip("it needs the tests above")
    for name in ("posterior", "leakage", "security", "epsilon"):
        counts = [getattr(each, name) for each in FOUND if getattr(each, name) is not None]
        assert at_most(sum(counts), RUNS * len(counts), SURE) >= 0.95, name
    assert at_least(sum(each.rejected for each in FOUND), RUNS * len(FOUND), SURE) <= 0.05
    assert {field.name for field in fields(Coverage)} >= {"reached", "detected"}


def test_no_change_is_seldom_found_where_there_is_none():
    C = mechanisms.randomised_response(range(4), truth=0.5)
    hits = 0
    for run in range(RUNS):
        rng = np.random.default_rng(run)
        x = rng.integers(4, size=200)
        y = C.kernel.sample(x, rng)
        log = Log(tuple(range(4)), tuple(range(4)), x, y, np.ones(200, dtype=np.int64),
                  part=rng.integers(2, size=200), parts=("a", "b"))  # fmt: skip
        hits += change_test(log, rng).p <= 0.05
    assert at_least(hits, RUNS, SURE) <= 0.05


def test_bootstrap_intervals_behind_the_noise_hold_about_as_often_as_they_say():
    C, rng, held = mechanisms.randomised_response(range(3), truth=0.6), np.random.default_rng(0), 0
    truth = np.array([0.5, 0.3, 0.2])
    for run in range(RUNS):
        seen = C.kernel.sample(rng.choice(3, size=1000, p=truth), rng)
        found = iterative_bayesian_update(
            C, dict(enumerate(np.bincount(seen, minlength=3))), bootstrap=100, seed=run, tolerance=1e-6
        )
        held += found.low[0] <= truth[0] <= found.high[0]
    assert at_most(held, RUNS, SURE) >= 0.95


def test_more_rows_come_nearer():
    C = quiff.mechanisms.randomised_response(range(4), truth=0.5)
    few, many = (coverage("", quiff.Prior.uniform(C.inputs), C, runs=10, rows=n).reached for n in (200, 5000))
    assert few < many < 1
