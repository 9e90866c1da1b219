"""Figures from pairs of topics are those of people in memory, to the last fraction."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quiff
from quiff.core.labels import as_labels
from quiff.people.pairs import PairCounts
from quiff.studies.pairs import measure_pairs
from words import refused


def pairs_of(people):
    """Count by a plain loop."""
    m = people.topics.size
    together = np.zeros((m, m), dtype=np.int64)
    for codes in people.sets[0].tolist():
        for one in codes:
            for other in codes:
                together[one, other] += 1
    some = np.flatnonzero(together.diagonal())
    named = as_labels([people.topics[int(place)] for place in some])
    counts = people.set_counts()
    sums = sorted(sum(1 / together[code, code] for code in codes) for codes in people.sets[0].tolist())
    groups = [sums[start : start + 2] for start in range(0, len(sums), 2)]
    rarity = np.array([[len(group), group[0], group[-1]] for group in groups], dtype=float).T
    return PairCounts(people.n_users, counts.size, int((counts == 1).sum()), people.top_s, named,
                      together[np.ix_(some, some)], rarity)  # fmt: skip


@given(
    sets=st.lists(st.sets(st.integers(1, 7), min_size=2, max_size=2), min_size=1, max_size=9),
    noise=st.sampled_from([Fraction(0), Fraction(1, 7), Fraction(1)]),
)
def test_every_row_is_that_of_people_in_memory(sets, noise):
    people = quiff.Population.from_sets(dict(enumerate(sets)))
    api = quiff.TopicsAPI(8, 2, noise)
    found = measure_pairs(pairs_of(people), api, observations=3)
    whole, over = quiff.measure(people, api), quiff.over_time(people, api, 3)
    risk = quiff.user_risk(people, api)
    last = api.name
    for row in found.rows:
        if row.quantity.startswith(("risk_", "users_above", "worst")):
            own = float(risk[api.spec, row.quantity])
            low, high = (row.value, row.value) if row.method == "exact" else (row.low, row.high)
            assert float(low) * (1 - 1e-12) <= own <= float(high) * (1 + 1e-12)
            assert row.value == high
        elif row.quantity == "leakage_at_most":
            assert over[api.spec, "leakage", row.observations] <= row.value
        elif row.observations > 1 and row.quantity in ("leakage", "posterior"):
            assert row.value == over[api.spec, row.quantity, row.observations]
        elif row.observations == 1:
            (same,) = (
                other for other in whole.rows
                if (other.stage, other.goal, other.prior, other.quantity, other.scope)
                == (row.stage, row.goal, row.prior, row.quantity, row.scope)
            )  # fmt: skip
            assert same.value == row.value
    assert {row.stage for row in found.rows} >= {last}
    assert any(row.quantity == "risk_median" for row in found.rows) == (noise < 1)


def test_what_needs_more_is_out_of_reach():
    people = quiff.Population.from_sets({"a": {1, 2}, "b": {2, 3}, "c": {1, 2}})
    result = measure_pairs(pairs_of(people), quiff.Cookies(), quiff.TopicsAPI(5, 2, 0.1), observations=3)
    assert result.population == {
        "users": 3, "set_size": 2, "distinct_sets": 2, "occurring_topics": 3,
        "unique_users": pytest.approx(1 / 3), "attributes": ["topics"], "synthetic": False, "weighted": False,
    }  # fmt: skip
    missing = "cookies is not measured: it needs every distinct set, and they do not fit."
    assert result.warnings == (missing,)
    assert missing in " ".join(result.to_text(everything=False).split())
    with refused(quiff.SizeError):
        measure_pairs(pairs_of(people), quiff.Cookies())
    assert "More than 2 observations are out of reach; their leakage has a bound." in result.notes
    assert "multiplies the probability of re-identification by" in result.sentences[0]
    assert set(result.tables) == {"privacy", "risk", "over time", "people"}
