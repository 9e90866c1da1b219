"""What one call gives away: exactly, by counting topics that users have together.

In each epoch that a call shows, a browser with stable top sets reports a given topic of the user's set with
probability p, a given other one with probability q, and nothing with probability n. What a call shows of up
to three epochs is a set A of up to three topics. Its chance depends on how many of A are in the user's set,
and grows with that number; so the best guess is a user who has as many as anybody.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb, factorial, prod
from typing import final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.distinct import distinct_codes
from quiff.core.numbers import Array, Number
from quiff.errors import ParameterError
from quiff.populations.population import Population
from quiff.theory.parameters import Real, check_whole, follow

__all__ = ["EpochLaw", "call_leakage", "link_channel", "topics_together", "view_chance"]

_MOST = 3  # epochs of a call


@final
@dataclass(frozen=True)
class EpochLaw:
    """How one epoch is reported: the chance of a topic inside the set, of one outside, and of nothing.

    Examples
    --------
    >>> EpochLaw.of(5, 2, Fraction(1, 20))
    EpochLaw(inside=Fraction(97, 200), outside=Fraction(1, 100), nothing=Fraction(0, 1))
    """

    inside: Real
    outside: Real
    nothing: Real

    @classmethod
    def of(
        cls, n_topics: int, top_s: int, noise: Real, coverage: Real = 1, noise_after_filter: bool = True
    ) -> "EpochLaw":
        """Return the law for a caller who has observed a top topic with probability c, the coverage.

        With noise after the filter p = c((1-r)/s + r/m), q = cr/m and n = 1-c; with noise before it, which
        then comes to all callers, p = c(1-r)/s + r/m, q = r/m and n = (1-c)(1-r).
        """
        c, s, m = Fraction(coverage) if isinstance(coverage, int) else coverage, top_s, n_topics
        genuine = c * (1 - noise) / s
        if noise_after_filter:
            anything = c * noise / m
            return cls(genuine + anything, anything, follow(1 - c, anything))
        return cls(genuine + noise / m, follow(noise / m, genuine), (1 - c) * (1 - noise))


def call_leakage(
    population: Population, law: EpochLaw, n_topics: int, per_call: int = 3, each_once: bool = True
) -> Number:
    """Return the leakage of one call about who the user is: the sum over views A of max_x P[A | x].

    All users are equally likely before, and the adversary knows their stable sets; so it is the Bayes
    capacity of the call, too. Over the groups A of k topics of which some user has j, and no user more,
    P[A | x] is a sum over numbers of times each topic is reported:

        sum_i C(E,i) n^i sum over a_1 + ... + a_k = E-i, a >= 1, of (E-i)!/(a_1! ... a_k!) p^(..) q^(..)

    If topics are shown epoch by epoch, the adversary of three epochs also sees which of two topics came
    twice. That tells users apart only if two topics occur that nobody has together; it adds 3 p q (p - q)
    for each such pair.

    Parameters
    ----------
    population
        Users with stable sets.
    law
        What an epoch reports.
    n_topics
        m, the size of the taxonomy.
    per_call
        E, how many epochs a call shows, up to 3.
    each_once
        Whether topics are shown each once, without their epochs.

    Examples
    --------
    >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}})
    >>> law = EpochLaw.of(5, 2, Fraction(1, 20))
    >>> call_leakage(people, law, 5, per_call=1), float(call_leakage(people, law, 5))
    (Fraction(39, 20), 1.96881)

    Raises
    ------
    ParameterError
        If a call shows more than three epochs, or the sets are not stable.
    """
    per_call = check_whole("per_call", per_call, 1, _MOST)
    together = topics_together(population, n_topics)
    total = law.nothing**per_call
    for k in range(1, per_call + 1):
        for j, groups in enumerate(together.groups[k - 1]):
            total += groups * view_chance([law.inside] * j + [law.outside] * (k - j), law.nothing, per_call)
    if not each_once and per_call == _MOST:
        total += together.apart * 3 * law.inside * law.outside * (law.inside - law.outside)
    return total


def view_chance(topics: list[Real], nothing: Real, epochs: int) -> Real:
    """Return the chance that a call shows these topics and no others, from the chance of each in an epoch.

    Examples
    --------
    >>> view_chance([Fraction(1, 2), Fraction(1, 4)], Fraction(1, 4), 2)
    Fraction(1, 4)
    """
    total = follow(Fraction(0), *topics, nothing)
    for times in product(range(1, epochs + 1), repeat=len(topics)):
        rest = epochs - sum(times)
        if rest >= 0:
            orders = factorial(epochs) // prod(factorial(time) for time in (*times, rest))
            total += orders * nothing**rest * prod(p**time for p, time in zip(topics, times, strict=True))
    return total


@final
@dataclass(frozen=True)
class _Together:
    """Groups of topics by how many of them somebody has.

    Attributes
    ----------
    groups
        For k = 1, 2, 3 and j = 0..k: the number of groups of k topics of which some user has j, none more.
    apart
        How many pairs of topics both occur, but in nobody's set together.
    """

    groups: tuple[tuple[int, ...], ...]
    apart: int


def topics_together(population: Population, n_topics: int) -> _Together:
    """Count the groups of one, two and three topics by how many of them somebody has together.

    Groups of three of which somebody has two are the triangles with an edge: all triangles, less those of
    the complement, of the graph whose edges are the pairs that somebody has.

    Examples
    --------
    >>> people = Population.from_sets({"Alice": {1, 2, 3}, "Bob": {3, 4, 5}})
    >>> topics_together(people, 6).groups
    ((1, 5), (0, 9, 6), (0, 4, 14, 2))
    """
    sets = population.distinct_sets()[0].codes.astype(np.intp)
    seen = np.flatnonzero(np.bincount(sets.reshape(-1), minlength=population.topics.size))
    occurring, others = seen.shape[0], n_topics - seen.shape[0]
    if others < 0:
        raise ParameterError(f"n_topics is {n_topics}, but {occurring} topics occur in the sets")
    sets = np.searchsorted(seen, sets)
    edges = np.zeros((occurring, occurring), dtype=bool)
    for one, other in combinations(range(sets.shape[1]), 2):
        edges[sets[:, one], sets[:, other]] = True
    pairs = int(edges.sum())
    threes = _distinct_triples(sets, occurring)
    without = (~(edges | edges.T | np.eye(occurring, dtype=bool))).astype(np.float64)
    triangles = round(float(((without @ without) * without).sum())) // 6  # whole numbers below 2^53
    with_edge = comb(occurring, 3) - triangles + pairs * others
    of_two = (comb(others, 2), comb(n_topics, 2) - comb(others, 2) - pairs, pairs)
    of_three = (comb(others, 3), comb(n_topics, 3) - comb(others, 3) - with_edge, with_edge - threes, threes)
    return _Together(((others, occurring), of_two, of_three), comb(occurring, 2) - pairs)


def _distinct_triples(sets: Array, occurring: int) -> int:
    """Return how many groups of three topics are within some set."""
    if sets.shape[1] < _MOST:
        return 0
    listed = np.concatenate([sets[:, list(places)] for places in combinations(range(sets.shape[1]), _MOST)])
    return int(distinct_codes(listed, occurring)[0].shape[0])


def link_channel(population: Population, law: EpochLaw, n_topics: int, per_site: bool = True) -> Channel:
    """Return the channel from what one site gets of a user in an epoch to what another site gets.

    Its Bayes capacity is by how much two reports raise the chance to tell which users of the two sites are
    the same, for an adversary who knows only how common topics are, alone and together, among very many
    users: sum_b max_a J(a,b)/P(a), with P(a) = q + (p-q) f_a and J(a,b) = q^2 + q(p-q)(f_a + f_b) +
    (p-q)^2 f_ab, f being shares of users. If all sites get the same, it is the identity. Topics come first;
    nothing, if it can be reported, last.

    Parameters
    ----------
    population
        Users with stable sets.
    law
        What an epoch reports.
    n_topics
        m, the size of the taxonomy.
    per_site
        Whether each site has a choice of its own.

    Examples
    --------
    >>> from quiff.measures.capacity import bayes_capacity
    >>> people = Population.from_sets({"Alice": {1, 2}, "Bob": {3, 4}})
    >>> bayes_capacity(link_channel(people, EpochLaw.of(4, 2, 0), 4))
    2.0

    Raises
    ------
    ParameterError
        If an epoch may be reported as nothing, which depends on what a caller observed, on all sites.
    """
    if law.nothing != 0:
        raise ParameterError("the link of two sites is known for a caller who observes all topics only")
    p, q = float(law.inside), float(law.outside)
    alone, both = _shares(population, n_topics)
    marginal = q + (p - q) * alone
    used = marginal > 0
    if not per_site:
        return Channel.identity(range(int(used.sum())))
    joint = q * q + q * (p - q) * (alone[:, None] + alone) + (p - q) ** 2 * both
    return Channel(joint[np.ix_(used, used)] / marginal[used][:, None])


def _shares(population: Population, n_topics: int) -> tuple[Array, Array]:
    """Return the share of users who have each topic, and each pair of topics."""
    seen = population.topics.size
    counts = np.zeros((seen, seen))
    for one, other in _pairs(population.codes.astype(np.intp)):
        counts += np.bincount(one * seen + other, minlength=seen * seen).reshape(seen, seen)
    order = np.flatnonzero(counts.diagonal())
    both = np.zeros((n_topics, n_topics))
    both[: order.shape[0], : order.shape[0]] = counts[np.ix_(order, order)] / population.n_users
    return np.asarray(both.diagonal()), both


def _pairs(sets: Array) -> Iterator[tuple[Array, Array]]:
    return ((sets[:, i], sets[:, j]) for i in range(sets.shape[1]) for j in range(sets.shape[1]))
