"""The mechanism of least capacity for one population: the question behind ``quiff design --profiles``.

A channel from sets to topics with v_t = max_S C[S,t] has capacity sum_t v_t, and reports a topic of the set S
with probability at most min(1, v(S)), v(S) the sum of v over S; `FittedAPI` attains that. So the least
capacity at a utility floor u is a linear program in v:

- average user:    min sum_t v_t  subject to  sum_S P(S) min(1, v(S)) >= u,
- worst-off user:  min sum_t v_t  subject to  v(S) >= u for every S, that is u times the fractional hitting
  number of the sets,

and 1 where that is less. Proofs are in docs/theory/optimal-design.md.
"""

import numpy as np

from quiff.apis.fitted import FittedAPI, covers
from quiff.core.numbers import Array
from quiff.errors import ParameterError
from quiff.populations.population import Population
from quiff.results.population_design import FittedDesign, PopulationDesign
from quiff.studies.covering import fractional_cover, partial_cover
from quiff.theory.design import Design, noise_for_utility
from quiff.theory.parameters import Real, check_probability

_SAMPLE = 10_000


def fit_design(
    population: Population, n_topics: int, utility: Real, *, sample: int = _SAMPLE, seed: int = 0
) -> PopulationDesign:
    """Find the mechanisms of least capacity for a population at a utility floor.

    Parameters
    ----------
    population
        Whom the mechanism is for. All users count the same; weights are not used.
    n_topics
        The size m of the taxonomy of the Topics API that it is compared with.
    utility
        The floor u: the chance that a report is a topic of the set, for the average user and for everybody.
    sample
        For the average user, how many sets to fit on at most; where there are more, the sets of that many
        users drawn at random. The answer is always evaluated on everybody, with a proven lower bound.
    seed
        Of the sample.

    Examples
    --------
    >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Bob": {"Music", "Travel"}})
    >>> design = fit_design(people, 5, 0.9)
    >>> [(fitted.aim, round(fitted.capacity, 6)) for fitted in design.fitted]
    [('average user', 1.0), ('worst-off user', 1.0)]

    Raises
    ------
    ParameterError
        If the utility is no probability, or is out of the reach of the Topics API.
    """
    u = float(check_probability("utility", utility))
    if u == 0:
        raise ParameterError("utility must be above 0; a report that is never right needs no mechanism")
    sets, _ = population.distinct_sets()
    codes, share = np.asarray(sets.codes), population.set_counts() / population.n_users
    drawn = _sampled(share, sample, seed)
    average, low = partial_cover(codes, len(sets.topics), share, u, drawn)
    worst, hitting = fractional_cover(codes, len(sets.topics))
    topics = Design.of(n_topics, population.top_s, noise_for_utility(n_topics, population.top_s, u))
    fitted = (
        _evaluated("average user", average, max(1.0, low), population),
        _evaluated("worst-off user", worst * u, max(1.0, u * hitting), population),
    )
    seen = len(sets) if drawn is None else drawn[0].shape[0]
    return PopulationDesign(population.n_users, len(sets), seen, u, topics, fitted, _prior_gain(population))


def _evaluated(aim: str, weights: Array, low: float, population: Population) -> FittedDesign:
    """Make a mechanism of weights by topic, and evaluate it on everybody."""
    sets, _ = population.distinct_sets()
    total = weights.sum()
    if total < 1:  # a report must be made anyway: more weight costs nothing up to a capacity of 1
        weights = weights + (1 - total) * _most_popular(population, weights.shape[0])
    weights = np.minimum(weights, 1.0)
    api = FittedAPI(dict(zip(sets.topics, weights.tolist(), strict=True)))
    genuine = api.genuine(population)
    share = population.set_counts() / population.n_users
    reports = np.zeros(weights.shape[0])
    inside = share * np.minimum(1.0, 1.0 / np.maximum(covers(weights, sets.codes), 1e-300))
    np.add.at(reports, np.asarray(sets.codes), inside[:, np.newaxis])
    top_ten = float(np.sort(reports * weights)[-10:].sum())
    return FittedDesign(
        aim, api, api.capacity(population), low, float(share @ genuine), float(genuine.min()), top_ten
    )


def _most_popular(population: Population, n_topics: int) -> Array:
    """Return weight 1 for the topic that most users have."""
    sets, _ = population.distinct_sets()
    users = np.bincount(
        np.asarray(sets.codes).ravel(), np.repeat(population.set_counts(), sets.codes.shape[1]), n_topics
    )
    return np.asarray((np.arange(n_topics) == users.argmax()).astype(float))


def _prior_gain(population: Population) -> float:
    """Return the share of users who have the most popular topic: what always naming it earns."""
    sets, _ = population.distinct_sets()
    weights = _most_popular(population, len(sets.topics))
    return float((population.set_counts() / population.n_users) @ covers(weights, sets.codes))


def _sampled(share: Array, most: int, seed: int) -> tuple[Array, Array] | None:
    """Draw users, and return the positions and shares of their sets; None if all sets can be seen."""
    if share.shape[0] <= most:
        return None
    drawn = np.random.default_rng(seed).choice(share.shape[0], most, p=share)
    seen, counts = np.unique(drawn, return_counts=True)
    return seen, counts / most
