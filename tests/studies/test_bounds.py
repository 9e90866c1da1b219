"""Bounds of one of N people follow the closed forms, for any number of observations."""

from math import isclose

import pytest

from quiff import api_from, closed_forms
from quiff.studies.bounds import bounds


@pytest.mark.parametrize("spec", ["topics", "topics:noise=0.5", "noisy_ranking", "parakeet"])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_n_observations_multiply_by_the_capacity_each(spec, n):
    api = api_from(spec)
    capacity = float(closed_forms(api)[api.spec, "bayes_capacity"])
    result = bounds(api, n_users=10**9, observations=n)
    times = 1 if api.redraws == "nothing" else n
    assert isclose(result[api.spec, "posterior", n], min(1, capacity**times / 10**9), rel_tol=1e-9)
    assert result[api.spec, "bayes_capacity"] == pytest.approx(capacity)


def test_what_the_observer_knows_is_not_re_identified_and_what_has_no_form_is_said():
    result = bounds(api_from("event_level"), api_from("floc"), api_from("cookies"))
    first, second, third = result.sentences
    assert "Its receiver knows already who the person is." in first
    assert "nothing is known from its parameters alone" in second
    assert "as much as there are people" in third
    assert [row.api for row in result.rows.where(quantity="posterior")] == ["cookies"] * 2
    assert "difference" not in result.tables["numbers"].columns


def test_a_formula_stands_under_the_api_that_it_is_of():
    result = bounds(api_from("topics"), api_from("topics:noise=0.5"), api_from("cookies"))
    formulas = {row[:2]: row[2] for row in result.tables["formulas"].rows}
    assert formulas["Topics API", "capacity in bits"] == "log2(r + m(1-r)/s)"
    assert formulas["third-party cookie", "capacity in bits"] == "log2(N)"
