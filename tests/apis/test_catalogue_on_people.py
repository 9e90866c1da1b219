"""The APIs of the catalogue on people: a goal with a number each, and no dense matrix at population scale."""

import json
import subprocess
import sys
from math import exp

import pytest

from quiff import Population, measure
from quiff.apis.registry import apis

PEOPLE = Population.synthetic(200, seed=1, attributes=["history", "conversions"])
WITHOUT_OWN = {"cookies", "partitioned_cookies", "topics", "android_topics"}  # goals on attributes are theirs


@pytest.mark.parametrize("name", [name for name in apis() if name != "fitted"])
def test_every_api_has_a_goal_with_a_measured_value(name):
    api = apis()[name]()
    result = measure(PEOPLE, api)
    found = {row.goal: row for row in result.rows if row.quantity == "goal_posterior"}
    own = set(api.fit(PEOPLE).goals(api.fit(PEOPLE).secret(PEOPLE).outputs))
    assert own <= set(found)
    assert own or name in WITHOUT_OWN
    assert {"topics", "history", "conversions"} <= set(found)  # the common goals, for every API
    for row in result.rows:
        if row.quantity in ("goal_prior", "goal_posterior"):
            assert 0 < row.value <= 1 + 1e-9
            assert row.low is None or row.low <= row.value <= row.high
    before = {(row.goal, row.prior): row.value for row in result.rows if row.quantity == "goal_prior"}
    for row in result.rows:
        if row.quantity == "goal_posterior":
            assert row.value >= before[row.goal, row.prior] * (1 - 1e-9)


SCALE = """
import json, resource
import numpy as np
from quiff import EventLevel, Population, measure
from quiff.people.conversions import CONVERSIONS, synthetic_conversions

events = synthetic_conversions(250_000, np.random.default_rng(1))
people = Population(range(250_000)).with_attribute(CONVERSIONS, events)
api = EventLevel()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
C = api.channel(people)
result = measure(people, api, goals=())
told = [float(result[api.spec, name, "converted"]) for name in ("goal_prior", "goal_posterior")]
more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps([type(C.kernel).__name__, C.inputs.size, C.outputs.size, 1024 * more, *told]))
"""


def test_a_quarter_of_a_million_users_of_event_level_reports():
    """2,925 states x 250,000 users would be 5.8 GB; nothing of that size is ever made."""
    run = subprocess.run([sys.executable, "-c", SCALE], capture_output=True, text=True, check=True)
    kernel, users, states, more, before, after = json.loads(run.stdout)
    assert (kernel, users, states) == ("SparseKernel", 250_000, 2925)
    assert more < 500_000_000
    assert before == pytest.approx(exp(-0.7), abs=0.01)  # nobody converts: P[Poisson(0.7) = 0]
    assert after > 0.99
