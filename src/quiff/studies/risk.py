"""The question how exposed each user is, beyond the average one."""

import os
from fractions import Fraction

import numpy as np

from quiff.apis.base import Api, stages_of
from quiff.apis.cookies import Cookies
from quiff.core.channel import Channel
from quiff.core.numbers import Array, filled, is_exact, product, to_float
from quiff.populations.histories import Histories
from quiff.populations.population import Population
from quiff.results.distribution import Distribution
from quiff.results.risk import SetSharing, SharingGroup, StageRisk, UserRisk
from quiff.studies.old_measure.seen import Seen, seen_histories
from quiff.studies.own_risk import own_risk
from quiff.theory.parameters import HALF, Real, check_probability

# Where the groups of users by the number of others with their set begin.
_GROUPS = (0, 1, 2, 10, 100, 1000)


def user_risk(
    population: Population,
    api: Api,
    *,
    threshold: Real = HALF,
    histories: Seen | Histories | str | os.PathLike[str] | None = None,
) -> UserRisk:
    """Measure each user's own risk after cookies and after each step of an API.

    The adversary sees the output y, and guesses one of the users who are then most probable, each with the
    same chance if there are several. The own risk of user x is the chance of a right guess,

        R_x = sum_y C[x,y] [x is among the best guesses for y] / (number of best guesses for y),

    so that its mean over users is the posterior Bayes vulnerability (paper, eq. posterior-vulnerability).
    The worst posterior of x is max_y P(x | y) over the outputs y that x can have. The one is a chance if x
    is the user, the other if y is the output: either may be the larger. Users are equally probable, or as
    probable as their weights say.

    Of a population merged to distinct sets, users with the same set are taken to be treated alike; only
    cookies tell them apart.

    Parameters
    ----------
    population
        The users and their sets.
    api
        The API; its own steps are measured, after cookies for comparison.
    threshold
        Which risk is too much: the result tells how many users are above.
    histories
        The browsing histories of the users, as for `quiff.measure`: users who share one are not told apart
        by cookies. None takes cookies to tell all users apart.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Population, TopicsAPI
    >>> sets = {"Alice": {"Music", "News"}, "Bob": {"Sports", "News"}, "Carol": {"Music", "News"}}
    >>> risk = user_risk(Population.from_sets(sets), TopicsAPI(n_topics=4, top_s=2, noise=Fraction(1, 5)))
    >>> risk.of("Alice")["topics_api"], risk.of("Bob")["topics_api"]
    ((Fraction(47, 120), Fraction(9, 19)), (Fraction(37, 60), Fraction(9, 11)))
    >>> risk["topics_api"].own.mean
    Fraction(7, 15)

    Raises
    ------
    ParameterError
        If the threshold is no probability, there are several epochs, or the population is merged and has
        weights: then the weight of a single user is not known.
    LabelError
        If a user has no history.
    """
    threshold = check_probability("threshold", threshold)
    seen = None if histories is None else seen_histories(population, histories)
    stages, weights = all_stages(population, api, seen), user_weights(population)
    holders = group_sizes(population)
    if not all(C.exact for C in stages.values()):
        weights = to_float(weights)  # maps and counts follow the numbers of the API
    mass = product(weights, holders)
    found = []
    for stage, C in stages.items():
        if stage == Cookies().name and population.merged:
            own = worst = filled(1.0 if not is_exact(weights) else Fraction(1), population.users.size)
        else:
            own, worst = own_risk(C, weights, holders)
        found.append(StageRisk(stage, Distribution(own, mass), Distribution(worst, mass)))
    return UserRisk(
        population.users,
        population.n_users,
        threshold,
        tuple(found),
        set_sharing(population),
        population.weights is not None,
    )


def set_sharing(population: Population) -> SetSharing:
    """Count the users by how many others have the same set.

    Examples
    --------
    >>> from quiff import Population
    >>> people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}})
    >>> print(set_sharing(people).table().to_text())
    Who shares a set: 3 users
    others with the same set  users  share of users
    0                             1        0.333333
    1                             2        0.666667
    2 different sets; every set has 1 or more users (k-anonymity).
    """
    counts, users = population.set_counts(), population.n_users
    groups = []
    for low, after in zip(_GROUPS, [*_GROUPS[1:], None], strict=True):
        inside = counts > low if after is None else (counts > low) & (counts <= after)
        some = int(counts[inside].sum())
        if some:
            groups.append(SharingGroup(low, None if after is None else after - 1, some, some / users))
    alone = int(np.count_nonzero(counts == 1))
    return SetSharing(users, int(counts.shape[0]), int(counts.min()), alone / users, tuple(groups))


def all_stages(population: Population, api: Api, seen: Seen | None = None) -> dict[str, Channel]:
    """Return the channel of cookies, on histories if there are some, and those of an API's steps, by name."""
    first = Channel.identity(population.users) if seen is None else seen.cookies()
    named = {"topics": "topics_api"}  # as results that are still to be rebuilt call it
    return {"cookies": first} | {named.get(name, name): C for name, C in stages_of(api, population).items()}


def group_sizes(population: Population) -> Array:
    """Return how many users each row of a population stands for: one, unless it is merged."""
    return filled(np.int64(1), population.users.size) if population.counts is None else population.counts


def masses(population: Population) -> Array:
    """Return how much the users of each row weigh together; the prior is proportional to it."""
    return group_sizes(population) if population.weights is None else population.weights


def user_weights(population: Population) -> Array:
    """Return how much a single user of each row weighs.

    Raises
    ------
    ParameterError
        If the population is merged and has weights: only their sums are known.
    """
    if population.weights is None:
        return filled(np.int64(1), population.users.size)
    population.check_unmerged()
    return population.weights
