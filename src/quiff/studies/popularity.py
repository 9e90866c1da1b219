"""The questions how popular each topic is, and whether the most popular ones are found."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from math import sqrt

import numpy as np

from quiff.apis.topics import TopicsAPI
from quiff.core.numbers import Array
from quiff.errors import ParameterError, counted
from quiff.populations.population import Population
from quiff.results.estimates import PopularityEstimate, TopicEstimate
from quiff.results.popularity import (
    FindingChance,
    GrowthPoint,
    Popularity,
    SimulatedChance,
    TopicPopularity,
)
from quiff.studies.report_draws import ReportDraws
from quiff.theory.counting import all_bits_right
from quiff.theory.parameters import check_whole
from quiff.theory.popularity import estimate_variance, estimated_users, users_interval
from quiff.theory.ranking import ahead, needed_pairs, order_approximately, order_bounds
from quiff.theory.utility import inside_probability, outside_probability


def estimate_popularity(
    counts: Mapping[Hashable, int], api: TopicsAPI, n_users: int | None = None
) -> PopularityEstimate:
    """Estimate how many users have each topic, from how many report it.

    ``(c - N q)/(p - q)`` with p = (1-r)/s + r/m and q = r/m, which is unbiased; its standard error is
    the root of ``n p(1-p) + (N-n) q(1-q)`` over p - q at n the estimate, rounded and clipped to 0 and N.
    The interval is the one of :func:`quiff.theory.popularity.users_interval`. Source: inversion of the
    paper's channel of the counting experiment (Sec. 4.2.1).

    Parameters
    ----------
    counts
        How many users report each topic.
    api
        The parameters m, s and r.
    n_users
        How many users reported, each one topic; None takes the sum of the counts.

    Examples
    --------
    >>> found = estimate_popularity({"Music": 40, "News": 15, "Art": 0}, TopicsAPI(), n_users=200)
    >>> print(found.table().to_text())
    Estimated users of each topic, from one report each of 200 users
    topic  reports      users  standard error  low  high
    Music       40    210.376         29.2083  156   200
    News        15    78.7966         18.3702   48   124
    Art          0  -0.150807        0.890846    0    17
    The estimate (c - N q)/(p - q) is unbiased and may lie below 0 or above N.
    Low and high are the ends of a 95 % interval, clipped to 0 and N.

    Raises
    ------
    ParameterError
        If a count is no whole number, the counts exceed the users, there are more topics than m, or the
        noise is 1.
    """
    checked = {topic: check_whole(f"the count of {topic!r}", count, 0) for topic, count in counts.items()}
    total = sum(checked.values())
    N = check_whole("n_users", total if n_users is None else n_users, 1)
    if total > N:
        raise ParameterError(
            f"the counts sum to {total}, but only {counted(N, 'user')} can report, each one topic"
        )
    if len(checked) > api.n_topics:
        raise ParameterError(f"there are counts of {len(checked)} topics, but n_topics is {api.n_topics}")
    ranked = sorted(checked.items(), key=lambda item: -item[1])
    return PopularityEstimate(N, tuple(_estimate(topic, count, api, N) for topic, count in ranked))


def popularity(
    population: Population,
    api: TopicsAPI | None = None,
    *,
    seed: int = 0,
    simulations: int = 1000,
    top: int = 10,
) -> Popularity:
    """Ask how well one report of each user tells which topics are popular.

    The paper's counting experiment (Sec. 4.2.1) asks for a count that is right to the last user; this is
    the question behind it: how far estimates are from the truth, and whether the most popular topic, and
    the first ones in order, are found by counting reports. Every user reports once; weights play no part.

    Parameters
    ----------
    population
        The users and their sets.
    api
        The parameters m, s and r; None takes the defaults and the size of the population's sets.
    seed
        The same seed gives the same simulations.
    simulations
        How many times the reports of all users are drawn.
    top
        How many topics to find in order; at most those that some user has.

    Examples
    --------
    >>> found = popularity(Population.synthetic(2000, seed=1), simulations=200, top=3)
    >>> first = found.chances[0]
    >>> print(f"{first.what}: {first.least:.3f} to {first.most:.3f}, about {first.approximation:.3f}")
    the most popular topic: 0.182 to 0.722, about 0.552
    >>> first.simulated.low < first.approximation < first.simulated.high
    True

    Raises
    ------
    ParameterError
        If a number is out of range, the sets do not fit the API, or the noise is 1.
    """
    api = TopicsAPI(top_s=population.top_s) if api is None else api
    seed, runs = check_whole("seed", seed, 0), check_whole("simulations", simulations, 1)
    draws = ReportDraws.of(population, api)
    holders, N = draws.having(), draws.n_users
    places = min(check_whole("top", top, 1), int((holders > 0).sum()))
    one, many, samples = np.random.default_rng(seed).spawn(3)
    estimates = estimate_popularity(dict(enumerate(draws.draw(one).tolist())), api, N)
    hits = _hits(lambda: draws.draw(many), runs, holders, places, many)
    return Popularity(
        N,
        api.n_topics,
        api.top_s,
        api.noise,
        runs,
        seed,
        _topics(draws, holders, estimates, api, N),
        tuple(_chance(holders, hits, k, draws, api) for k in sorted({1, places})),
        tuple(_grown(holders, N, size, places, runs, samples, api) for size in _sizes(N)),
    )


def _estimate(topic: Hashable, count: int, api: TopicsAPI, N: int) -> TopicEstimate:
    parameters = (api.n_topics, api.top_s, api.noise, N)
    users = estimated_users(*parameters, count)
    likely = min(max(round(users), 0), N)
    error = sqrt(estimate_variance(*parameters, likely))
    return TopicEstimate(_name(topic), count, users, error, *users_interval(*parameters, count))


def _name(topic: Hashable) -> int | str:
    return topic if isinstance(topic, int | str) else str(topic)


def _topics(
    draws: ReportDraws, holders: Array, estimates: PopularityEstimate, api: TopicsAPI, N: int
) -> tuple[TopicPopularity, ...]:
    """Return the topics that some user has, the most popular first."""
    by_code = {estimate.topic: estimate for estimate in estimates.topics}
    found = []
    for code in np.argsort(-holders, kind="stable").tolist():
        n, name = int(holders[code]), _name(draws.topics[code])
        if n == 0:
            break
        error = sqrt(estimate_variance(api.n_topics, api.top_s, api.noise, N, n)) / N
        found.append(TopicPopularity(name, n, n / N, error, replace(by_code[code], topic=name)))
    return tuple(found)


def _hits(
    draw: Callable[[], Array], runs: int, holders: Array, places: int, rng: np.random.Generator
) -> Array:
    """Return for each run which of the first places have a topic as popular as the place asks for."""
    wanted = np.sort(holders)[::-1][:places]
    hits = np.empty((runs, places), dtype=bool)
    for run in range(runs):
        shuffled = draw() + rng.random(holders.size)  # ranks topics reported equally often at random
        hits[run] = holders[np.argsort(-shuffled)[:places]] == wanted
    return hits


def _simulated(hits: Array, places: int) -> SimulatedChance:
    return SimulatedChance.of(int(hits[:, :places].all(axis=1).sum()), len(hits))


def _chance(holders: Array, hits: Array, places: int, draws: ReportDraws, api: TopicsAPI) -> FindingChance:
    """Return the chance to find the first places when all users of the population report."""
    p, q, N = *_reporting(api), draws.n_users
    first, second = needed_pairs(holders, places)
    both = draws.having_both(first, second)
    only_first, only_second = holders[first] - both, holders[second] - both
    neither = N - both - only_first - only_second
    right = ahead(
        np.broadcast_to([p, q, p, q], (len(first), 4)),
        np.broadcast_to([q, p, p, q], (len(first), 4)),
        np.stack([only_first, only_second, both, neither], axis=1),
    )
    means = holders * p + (N - holders) * q
    # Two such variances sum to that of the difference where equally many users have the two topics, and
    # those who have one of them have the other neither more nor less often.
    variances = means - (p - q) ** 2 * holders * (1 - holders / N)
    return FindingChance(
        places,
        _simulated(hits, places),
        *order_bounds(holders, places, right),
        order_approximately(means, variances, holders, places),
    )


def _grown(
    holders: Array, total: int, N: int, places: int, runs: int, rng: np.random.Generator, api: TopicsAPI
) -> GrowthPoint:
    """Return the chances from N users drawn with replacement: their counts are multinomial."""
    p, q = _reporting(api)
    chances = holders / total * (p - q) + q
    chances /= chances.sum()
    hits = _hits(lambda: np.asarray(rng.multinomial(N, chances)), runs, holders, places, rng)
    first, in_order = (order_approximately(N * chances, N * chances, holders, k) for k in (1, places))
    bits = float(all_bits_right(api.n_topics, api.top_s, float(api.noise), N))
    return GrowthPoint(N, _simulated(hits, 1), first, _simulated(hits, places), in_order, bits)


def _reporting(api: TopicsAPI) -> tuple[float, float]:
    """Return p and q."""
    inside = inside_probability(api.n_topics, api.top_s, api.noise)
    return float(inside), float(outside_probability(api.n_topics, api.noise))


def _sizes(n_users: int) -> list[int]:
    """Return sizes of samples: 1, 2 and 5 times powers of ten from ten on, and all users.

    Examples
    --------
    >>> _sizes(300), _sizes(7)
    ([10, 20, 50, 100, 200, 300], [7])
    """
    powers = range(1, len(str(n_users)))
    sizes = [digit * 10**power for power in powers for digit in (1, 2, 5)]
    return [*(size for size in sizes if size < n_users), n_users]
