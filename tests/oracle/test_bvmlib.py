"""Oracle: bvmlib agrees on re-identification and attribute inference.

bvmlib measures tables of people. A set of topics is a quasi-identifier of its user as it stands. A channel
with fractions becomes a table, too: each user has as many rows as the fractions have for a common
denominator, each with one report. Then who the user is, and what they have, are attributes to infer.
"""

import contextlib
import io
from ast import literal_eval
from fractions import Fraction
from math import lcm

import numpy as np
import pandas as pd
import pytest
from bvmlib.bvm import BVM
from hypothesis import given, settings
from hypothesis import strategies as st

from quiff import Population, TopicsAPI
from quiff.studies.attributes import attribute_inference
from quiff.studies.exposure import exposure
from quiff.studies.risk import user_risk

CLOSE = {"rel": 1e-12, "abs": 1e-12}
TOPICS = range(6)
some_sets = st.lists(st.sets(st.sampled_from(TOPICS), min_size=2, max_size=2), min_size=2, max_size=8)

pytestmark = [  # bvmlib calls pandas in ways that newer ones advise against
    pytest.mark.filterwarnings("ignore::FutureWarning:bvmlib"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:bvmlib"),
]


def assessed(frame, qids, sensitive=()):
    """What bvmlib finds; it prints its errors instead of raising them."""
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        table = BVM(frame)
        table.qids(list(qids))
        if sensitive:
            table.sensitive(list(sensitive))
        found = table.assess()
    assert told.getvalue() == ""
    return found


def table_of_sets(sets):
    rows = [sorted(own) for own in sets]
    return pd.DataFrame(rows, columns=[f"t{i}" for i in range(len(rows[0]))])


def table_of_reports(sets, m, s, r):
    """Each user's reports, as often as the Topics API makes them."""
    p, q = (1 - r) / s + r / m, r / m
    scale = lcm(p.denominator, q.denominator)
    rows = [
        {"user": user, "report": t, **{f"has{topic}": int(topic in own) for topic in range(m)}}
        for user, own in enumerate(sets)
        for t in range(m)
        for _ in range(int((p if t in own else q) * scale))
    ]
    return pd.DataFrame(rows)


def expect_same_re_identification(sets):
    population = Population.from_sets(dict(enumerate(sets)))
    frame = table_of_sets(sets)
    theirs = assessed(frame, frame.columns)["re_id"].iloc[0]
    api = TopicsAPI(len(population.topics), len(sets[0]))
    risk = user_risk(population, api)
    assert float(risk[api.spec, "unique_users"]) == pytest.approx(theirs["dCR"], **CLOSE)
    sharing = risk.payload["sharing"][api.spec]
    assert sharing["secrets"] == theirs["pCR"]  # the leakage: posterior over prior
    own = risk.per_user.values[api.spec, "generalization", "own_risk"]
    assert 1 / population.n_users == pytest.approx(theirs["Prior"], **CLOSE)
    mean = risk[api.spec, "risk_mean", "generalization"]
    assert float(mean) == pytest.approx(theirs["Posterior"], **CLOSE)
    percent = np.array([round(100 * float(value)) for value in own])
    for bar, share in literal_eval(theirs["Histogram"]).items():
        assert np.mean(percent == int(bar)) == pytest.approx(share, **CLOSE)


@settings(max_examples=40)
@given(some_sets)
def test_re_identification_by_the_set(sets):
    expect_same_re_identification(sets)


@settings(max_examples=25)
@given(some_sets, st.integers(0, 5), st.sampled_from(TOPICS))
def test_inference_from_one_report(sets, fifths, topic):
    m, s, r = len(TOPICS), 2, Fraction(fifths, 5)
    population = Population.from_sets(dict(enumerate(sets)), topics=TOPICS)
    api = TopicsAPI(m, s, r)
    frame = table_of_reports(sets, m, s, r)
    theirs = assessed(frame, ["report"], ["user", f"has{topic}"])["att_inf"].set_index("Sensitive")
    named, having = theirs.loc["user"], theirs.loc[f"has{topic}"]
    assert 1 / len(sets) == pytest.approx(named["Prior"], **CLOSE)
    mean = user_risk(population, api)[api.spec, "risk_mean"]
    assert float(mean) == pytest.approx(named["Posterior"], **CLOSE)
    mine = attribute_inference(population, api, value=topic)
    assert float(mine[api.spec, "goal_prior"]) == pytest.approx(having["Prior"], **CLOSE)
    assert float(mine[api.spec, "goal_posterior"]) == pytest.approx(having["Posterior"], **CLOSE)
    assert float(mine[api.spec, "leakage"]) == pytest.approx(having["pCA"], **CLOSE)


@pytest.fixture(scope="module")
def sample(mirror):
    """Some of the synthetic users of PETS '24."""
    people = Population.read(mirror / "topics-users-250000.csv.tar.gz")
    return [{people.topics[int(code)] for code in own} for own in people.codes[::100]]


def test_a_sample_of_the_published_population(sample):
    assert len(sample) == 2500
    expect_same_re_identification(sample)


def test_one_genuine_report_of_a_sample_of_the_published_population(sample):
    population = Population.from_sets(dict(enumerate(sample)))
    api = TopicsAPI(len(population.topics), 5, Fraction(0))
    table = exposure(population, api, first=None).tables["values"]
    chosen = [int(row[0]) for row in table.rows[::60]]
    frame = pd.DataFrame(
        [
            {"user": user, "report": t, **{f"has{topic}": int(topic in own) for topic in chosen}}
            for user, own in enumerate(sample)
            for t in sorted(own)
        ]
    )
    names = [f"has{topic}" for topic in chosen]
    theirs = assessed(frame, ["report"], ["user", *names])["att_inf"].set_index("Sensitive")
    mean = user_risk(population, api)[api.spec, "risk_mean", "bounded_noise"]
    assert float(mean) == pytest.approx(theirs.loc["user", "Posterior"], **CLOSE)
    for topic, name in zip(chosen, names, strict=True):
        mine = attribute_inference(population, api, value=topic)
        assert float(mine[api.spec, "goal_prior"]) == pytest.approx(theirs.loc[name, "Prior"], **CLOSE)
        assert float(mine[api.spec, "goal_posterior"]) == pytest.approx(
            theirs.loc[name, "Posterior"], **CLOSE
        )
