"""The question what a population gives away by cookies and by the Topics API, and what is learnt of it."""

import os
from typing import Literal

from quiff.apis.topics import TopicsAPI
from quiff.core.channel import Channel
from quiff.core.prior import Prior
from quiff.errors import ParameterError
from quiff.populations.groups import grouped
from quiff.populations.histories import Histories
from quiff.populations.population import Population
from quiff.results.measurement.filling import GenuineFigures
from quiff.results.measurement.measurement import Measurement
from quiff.results.measurement.rows import Setting, Use
from quiff.studies.as_published import misaligned_prior
from quiff.studies.old_measure.parts import limits, privacy_by_stage, use_of_histories, use_of_sets
from quiff.studies.old_measure.seen import Seen, seen_histories

_PRIORS = ("correct", "as-published")


def measure(
    population: Population,
    api: TopicsAPI | None = None,
    *,
    histories: Seen | Histories | str | os.PathLike[str] | None = None,
    prior: Literal["correct", "as-published"] = "correct",
) -> Measurement:
    """Measure what cookies and the Topics API give away about a population, and what an analyst learns.

    The tables are those of the paper's experiments (Sec. 5.2 to 5.4): privacy and its capacities, utility
    by Bayes and IBA vulnerability, and the limits.

    Parameters
    ----------
    population
        The users and their sets, of one epoch. Its weights, if it has some, are the prior on users.
    api
        The parameters of the Topics API; None is m = 349, r = 0.05, and s as in the population.
    histories
        The browsing histories of the users, in memory or as an Experimental table, so that cookies are
        measured on them. None takes cookies to tell all users apart.
    prior
        ``as-published`` repeats the misaligned prior on sets of the published notebooks; see
        `quiff.studies.as_published`. Only utility under the population's prior on sets depends on it.

    Examples
    --------
    The worked example of the paper's figure of the Topics channels, with its five topics:

    >>> from fractions import Fraction
    >>> sets = {"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}, "Carol": {"Music", "News"}}
    >>> found = measure(Population.from_sets(sets), TopicsAPI(5, 2, Fraction(1, 20)))
    >>> found.stage("topics_api").posterior, found.stage("topics_api").leakage
    (Fraction(13, 20), Fraction(39, 20))
    >>> found.use("topics_api", "iba").prior, found.use("topics_api", "iba").posterior
    (Fraction(2, 3), Fraction(293, 300))

    Raises
    ------
    ParameterError
        If the population has several epochs, its sets have another size than the API's, more topics occur
        than the taxonomy has, or a merged population has too little to tell.
    LabelError
        If a user has no history.
    """
    if prior not in _PRIORS:
        raise ParameterError(f"prior must be one of {', '.join(_PRIORS)}, not {prior!r}")
    api = TopicsAPI(top_s=population.top_s) if api is None else api
    if not isinstance(api, TopicsAPI):
        raise ParameterError(f"measure speaks of the Topics API, not of {api!r}; see quiff.compare_apis")
    holders = grouped(population, population.channel("topics"))
    seen = None if histories is None else seen_histories(population, histories)
    channels = _channels(population, api)
    m1 = population.occurring.size
    priors = {"population": holders.prior, "uniform": Prior.uniform(holders.secrets)}
    utility = use_of_histories(holders, seen) + use_of_sets(population, priors, channels)
    aligned: tuple[Use, ...] = ()
    if prior == "as-published":
        wrong = use_of_sets(population, {"population": misaligned_prior(population)}, channels)
        aligned, utility = utility, _replaced(utility, wrong)
    genuine, left = _genuine(population, api)
    return Measurement(
        setting=Setting(api.n_topics, api.top_s, api.noise),
        users=holders.n_users,
        distinct_sets=holders.secrets.size,
        occurring_topics=m1,
        unique_users=holders.unique_users,
        anonymity=holders.anonymity,
        privacy=privacy_by_stage(api, holders, seen, channels, m1),
        utility=utility,
        limits=limits(api, channels["topics_api"], m1),
        prior=prior,
        aligned_utility=aligned,
        weighted=population.weights is not None,
        histories=() if seen is None else seen.counts,
        notes=(*population.notes, *left),
        filled=population.filled,
        genuine=genuine,
    )


def _channels(people: Population, api: TopicsAPI) -> dict[str, Channel]:
    ready, sets = api.fit(people), people.distinct_sets()[0]
    return {"bounded_noise": ready.bounded_noise(sets), "topics_api": ready.observe(sets)}


def _genuine(population: Population, api: TopicsAPI) -> tuple[GenuineFigures | None, tuple[str, ...]]:
    """Return the figures of the users without filled topics if these are some of the users, and notes."""
    filled = population.filled
    if filled is None or not filled.filled_sets or not filled.genuine_users:
        return None, ()
    try:
        people = population.genuine()
    except ParameterError as error:  # nobody of them has a weight
        return None, (f"The users without filled topics are not measured: {error}",)
    holders, m1 = grouped(people, people.channel("topics")), people.occurring.size
    channels = _channels(people, api)
    privacy = privacy_by_stage(api, holders, None, channels, m1)[1:]  # cookies do not depend on topics
    return GenuineFigures(holders.n_users, holders.secrets.size, m1, holders.unique_users, privacy), ()


def _replaced(rows: tuple[Use, ...], others: tuple[Use, ...]) -> tuple[Use, ...]:
    """Return the rows, with others in place of those that speak of the same."""
    by_key = {(row.stage, row.gain, row.weighting): row for row in others}
    return tuple(by_key.get((row.stage, row.gain, row.weighting), row) for row in rows)
