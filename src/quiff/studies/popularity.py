"""The questions how popular each value is, and whether the most popular ones are found."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from math import sqrt

import numpy as np

from quiff.apis.base import Api, Naming, checked_api, checked_people
from quiff.core.numbers import Array
from quiff.errors import ParameterError, counted
from quiff.populations.population import Population
from quiff.results.result import Result
from quiff.results.rows import Method, Row
from quiff.results.views.names import goal_of_value
from quiff.results.views.popularity import (
    Estimate,
    Finding,
    Growth,
    Simulated,
    ValuePopularity,
    estimate_views,
    finding_goal,
    popularity_views,
)
from quiff.studies.checked import checked_apis
from quiff.studies.draws import NamedDraws, named_draws
from quiff.studies.provenance import provenance, repeatable
from quiff.theory.parameters import check_whole
from quiff.theory.popularity import (
    binomial_interval,
    bits_right,
    estimate_variance,
    estimated_users,
    users_interval,
)
from quiff.theory.ranking import ahead, needed_pairs, order_approximately, order_bounds

_MOST_RUNS = 100_000  # simulations


@repeatable
def estimate_popularity(
    counts: Mapping[Hashable, int], api: Api, n_users: int | None = None, *, attribute: str | None = None
) -> Result:
    """Estimate how many users have each value, from how many show an output that names it.

    ``(c - N q)/(p - q)`` with p and q the probabilities that an output names a value that the user has, and
    one that not (`Api.naming`), which is unbiased; its standard error is the root of
    ``n p(1-p) + (N-n) q(1-q)`` over p - q at n the estimate, rounded and clipped to 0 and N. The interval is
    the one of :func:`quiff.theory.popularity.users_interval`. Source: inversion of the paper's channel of the
    counting experiment (Sec. 4.2.1).

    Parameters
    ----------
    counts
        How many users show each value.
    api
        What they show it by.
    n_users
        How many users there are, one output each; None takes the sum of the counts.
    attribute
        Whose values are counted; by default the first one that outputs of the API name.

    Examples
    --------
    >>> from quiff import api_from
    >>> result = estimate_popularity({"Music": 40, "News": 15, "Art": 0}, api_from("topics"), n_users=200)
    >>> print(result.tables["estimates"].to_text())
    Estimated users of each topic, from one observation each of 200 users
    topic  shown   users  standard error  low  high
    Music     40     210            29.2  156   200
    News      15    78.8            18.4   48   124
    Art        0  -0.151           0.891    0    17
    The estimate (c - N q)/(p - q) is unbiased and may lie below 0 or above N.
    Low and high are the ends of a 95 % interval, clipped to 0 and N.

    Raises
    ------
    ParameterError
        If a count is no whole number, the counts exceed the users, there are more values than the API names,
        or its outputs do not name values, or say nothing about the users.
    """
    api = checked_api(api)
    name, naming = _naming_of(api, attribute)
    checked = {value: check_whole(f"the count of {value!r}", count, 0) for value, count in counts.items()}
    total = sum(checked.values())
    N = check_whole("n_users", total if n_users is None else n_users, 1)
    if total > N:
        raise ParameterError(
            f"the counts sum to {total}, but only {counted(N, 'user')} can be seen, each with one output"
        )
    if naming.n_values is not None and len(checked) > naming.n_values:
        raise ParameterError(
            f"there are counts of {len(checked)} values, but {api.spec} names only {naming.n_values}"
        )
    ranked = sorted(checked.items(), key=lambda item: -item[1])
    estimates = {value: _estimate(count, naming, N) for value, count in ranked}
    rows = [_estimated(api, name, value, one, "formula") for value, one in estimates.items()]
    return Result(
        rows=tuple(rows),
        provenance=provenance(None, [api]),
        **estimate_views(name, N, estimates),
    )


@repeatable
def popularity(
    people: Population,
    api: Api | None = None,
    *,
    attribute: str | None = None,
    seed: int = 0,
    simulations: int = 1000,
    top: int = 10,
    least: int = 1,
) -> Result:
    """Ask how well one observation of each user tells which values are popular, such as topics.

    The paper's counting experiment (Sec. 4.2.1) asks for a count that is right to the last user; this is
    the question behind it: how far estimates are from the truth, and whether the most popular value, and
    the first ones in order, are found by counting outputs. Every user shows one; weights play no part.

    Parameters
    ----------
    people
        The users and their attributes.
    api
        An API whose outputs name what users have; None is the Topics API with the people's sets.
    attribute
        Whose values are counted; by default the first one that outputs of the API name.
    seed
        The same seed gives the same simulations.
    simulations
        How many times the outputs of all users are drawn.
    top
        How many values to find in order; at most those that some user has.
    least
        How many users at least have a value that is listed.

    Examples
    --------
    >>> people = Population.synthetic(2000, seed=1)
    >>> result = popularity(people, simulations=200, top=3)
    >>> first = result.row("topics: the first")
    >>> first.low < result.facts["chances"][0]["approximation"] < first.high
    True
    >>> result["topics", "users_with", "topics: 1"] - (people.codes == 0).any(axis=1).sum()
    np.int64(0)

    Raises
    ------
    ParameterError
        If a number is out of range, or outputs of the API do not name what users have, or say nothing.
    """
    people = checked_people(people)
    api = checked_apis(people, ())[-1] if api is None else checked_api(api)
    seed, runs = check_whole("seed", seed, 0), check_whole("simulations", simulations, 1, _MOST_RUNS)
    wanted = check_whole("top", top, 1)
    draws = named_draws(people, api, attribute)
    holders = draws.having()
    places = min(wanted, int((holders > 0).sum()))
    one, many, samples = np.random.default_rng(seed).spawn(3)
    values = _values(draws, holders, draws.draw(one))
    hits = _hits(lambda: draws.draw(many), runs, holders, places, many)
    found = tuple(_finding(holders, hits, k, draws) for k in sorted({1, places}))
    growth = tuple(_grown(holders, draws, size, places, runs, samples) for size in _sizes(draws.n_users))
    return Result(
        rows=tuple(_rows(api, draws.attribute, values, found)),
        notes=people.notes,
        provenance=provenance(people, [api], seed),
        **popularity_views(
            api.fit(people), draws.attribute, draws.n_users, (runs, seed), values, found, growth, least
        ),
    )


def _naming_of(api: Api, attribute: str | None) -> tuple[str, Naming]:
    """Return the attribute whose values an API names with known probabilities, and these."""
    for name in api.needs if attribute is None else (attribute,):
        naming = api.naming(name)
        if naming is not None:
            return name, naming
    raise ParameterError(
        f"{api.spec} does not say with which probabilities its outputs name what users have (Api.naming), so"
        " that counts of outputs say nothing; with people, see popularity(people, api)"
    )


def _estimate(count: int, naming: Naming, N: int) -> Estimate:
    p, q, _ = naming
    users = estimated_users(p, q, N, count)
    likely = min(max(round(users), 0), N)
    return Estimate(count, users, sqrt(estimate_variance(p, q, N, likely)), *users_interval(p, q, N, count))


def _values(draws: NamedDraws, holders: Array, counts: Array) -> tuple[ValuePopularity, ...]:
    """Return the values that some user has, the most popular first, with an estimate from one draw."""
    N, found = draws.n_users, []
    p, q, _ = draws.naming
    named = dict(zip(draws.columns.tolist(), draws.values, strict=True))
    for column in np.argsort(-holders, kind="stable").tolist():
        n = int(holders[column])
        if n == 0:
            break
        error = sqrt(estimate_variance(p, q, N, n)) / N
        estimate = _estimate(int(counts[column]), draws.naming, N)
        found.append(ValuePopularity(named[column], n, n / N, error, estimate))
    return tuple(found)


def _estimated(api: Api, attribute: str, value: Hashable, one: Estimate, method: Method) -> Row:
    goal = goal_of_value(attribute, value)
    return Row(
        api.spec,
        api.unit,
        api.name,
        goal,
        "",
        1,
        "estimated_users",
        one.users,
        one.low,
        one.high,
        method,
    )


def _rows(
    api: Api, attribute: str, values: tuple[ValuePopularity, ...], found: tuple[Finding, ...]
) -> Iterator[Row]:
    for one in values:
        goal = goal_of_value(attribute, one.value)
        yield Row(api.spec, api.unit, api.name, goal, "", 1, "users_with", one.users)
        yield _estimated(api, attribute, one.value, one.estimate, "monte-carlo")
    for finding in found:
        drawn, goal = finding.simulated, finding_goal(attribute, finding.top)
        yield Row(
            api.spec,
            api.unit,
            api.name,
            goal,
            "",
            1,
            "finding_probability",
            drawn.value,
            drawn.low,
            drawn.high,
            "monte-carlo",
        )


def _hits(
    draw: Callable[[], Array], runs: int, holders: Array, places: int, rng: np.random.Generator
) -> Array:
    """Return for each run which of the first places have a value as popular as the place asks for."""
    wanted = np.sort(holders)[::-1][:places]
    hits = np.empty((runs, places), dtype=bool)
    for run in range(runs):
        shuffled = draw() + rng.random(holders.size)  # ranks values shown equally often at random
        hits[run] = holders[np.argsort(-shuffled)[:places]] == wanted
    return hits


def _simulated(hits: Array, places: int) -> Simulated:
    right = int(hits[:, :places].all(axis=1).sum())
    return Simulated(right / len(hits), *binomial_interval(right, len(hits)))


def _finding(holders: Array, hits: Array, places: int, draws: NamedDraws) -> Finding:
    """Return the probability to find the first places when all users are seen."""
    p, q, N = float(draws.naming.inside), float(draws.naming.outside), draws.n_users
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
    # Two such variances sum to that of the difference where equally many users have the two values, and
    # those who have one of them have the other neither more nor less often.
    variances = means - (p - q) ** 2 * holders * (1 - holders / N)
    return Finding(
        places,
        _simulated(hits, places),
        *order_bounds(holders, places, right),
        order_approximately(means, variances, holders, places),
    )


def _grown(
    holders: Array, draws: NamedDraws, N: int, places: int, runs: int, rng: np.random.Generator
) -> Growth:
    """Return the same from N users drawn with replacement: their counts are multinomial."""
    shares = draws.shares(holders)
    hits = _hits(lambda: np.asarray(rng.multinomial(N, shares)), runs, holders, places, rng)
    first, in_order = (order_approximately(N * shares, N * shares, holders, k) for k in (1, places))
    bits = float(bits_right(float(draws.naming.inside), float(draws.naming.outside), N))
    return Growth(N, _simulated(hits, 1), first, _simulated(hits, places), in_order, bits)


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
