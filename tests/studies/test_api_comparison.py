"""Several APIs on one population: the table equals the definitions, worked out from plain matrices."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import textbook
from quiff import Cookies, ParameterError, Population, TopicsAPI, compare_apis
from quiff.results.numbers import to_json

TOPICS = "abcdef"
populations = st.lists(st.sets(st.sampled_from(TOPICS), min_size=2, max_size=2), min_size=1, max_size=7)


@given(populations, st.integers(1, 10))
def test_the_figures_are_those_of_the_explicit_channels(sets, tenths):
    r, m, s = Fraction(tenths, 10), 6, 2
    people = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS))
    found = compare_apis(people, Cookies(), TopicsAPI(m, s, r))
    rows = {(stage.api, stage.stage): stage for stage in found.stages}
    n, distinct = len(sets), {frozenset(topics) for topics in sets}
    occurring = set().union(*sets)
    assert rows["cookies", "cookies"].leakage == n
    assert rows["topics_api", "generalization"].leakage == len(distinct)
    assert rows["topics_api", "bounded_noise"].leakage == Fraction(len(occurring), s)
    topics = rows["topics_api", "topics_api"]
    C = {x: {t: (1 - r) / s * (t in own) + r / m for t in TOPICS} for x, own in enumerate(sets)}
    uniform = dict.fromkeys(C, Fraction(1, n))
    naming = {t: {x: int(t in own) for x, own in enumerate(sets)} for t in TOPICS}
    assert topics.leakage == textbook.bayes_capacity(C)
    assert topics.posterior == textbook.bayes_capacity(C) / n
    assert topics.epsilon == pytest.approx(np.log(float(textbook.max_case_capacity(C))))
    # Equal sets earn the same, so that utility on users is utility on sets under the population's prior.
    assert topics.utility == textbook.posterior_vulnerability(uniform, C, naming)
    assert rows["cookies", "cookies"].utility == 1
    assert found.prior_utility == textbook.vulnerability(uniform, naming)
    assert rows["topics_api", "bounded_noise"].utility is None


def test_it_shows_as_table_json_and_figure():
    people = Population.from_array(range(50), np.arange(100).reshape(50, 2) % 7)
    found = compare_apis(people, Cookies(), TopicsAPI(7, 2, 0.1))
    assert "topics_api" in found.table().to_markdown()
    assert '"epsilon": "inf"' in to_json(found.to_dict())
    svg = found.figure().to_svg()
    assert "utility (chance to name a topic" in svg
    assert "<table>" in found._repr_html_()


def test_two_settings_of_one_api_are_told_apart():
    people = Population.from_array(range(50), np.arange(100).reshape(50, 2) % 7)
    found = compare_apis(people, TopicsAPI(7, 2, 0.1), TopicsAPI(7, 2, 0.5))
    assert {stage.api for stage in found.stages} == {
        "TopicsAPI(n_topics=7, top_s=2, noise=0.1)",
        "TopicsAPI(n_topics=7, top_s=2, noise=0.5)",
    }


def test_nothing_to_compare_is_an_error():
    with pytest.raises(ParameterError, match="at least one API"):
        compare_apis(Population.from_sets({"Alice": {1}}))
