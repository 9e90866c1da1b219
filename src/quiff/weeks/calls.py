"""What one call of the Topics API reveals, and what two sites make of one epoch, exactly, by counting.

In each epoch that a call shows, a browser reports a given topic of the user's stable set with probability p,
a given other one with probability q, and nothing with probability n. What a call shows of up to three epochs
is a set A of up to three topics. Its probability depends on how many of A are in the user's set, and grows
with that number; so the best guess is a user who has as many as anybody.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod
from typing import final

import numpy as np

from quiff.apis.base import Api
from quiff.apis.taxonomy import placed
from quiff.apis.topics import TopicsAPI
from quiff.core.counting.subsets import Subsets
from quiff.core.limits import check_memory
from quiff.core.numbers import Array, Number, as_number
from quiff.errors import ParameterError
from quiff.people.population import Population
from quiff.theory.parameters import Real, check_whole, follow

EPOCHS_OF_A_CALL = 3
OCCASIONS = {
    "page view": "one page view: 3 weeks, sorted, each topic once",
    "page view in order": "the same 3 weeks in order",
    "two sites": "two sites, one observation each of one week: linked, at most",
}
"""What the Topics API shows beside plain observations, by the names of stages of rows, and for people."""
_CLOSE = 1e-9  # floats that are nearer to each other than this may be in the wrong order


@final
@dataclass(frozen=True)
class EpochLaw:
    """How one epoch is observed: the probability of a topic inside the set, of one outside, of nothing.

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


@final
@dataclass(frozen=True)
class TopicGroups:
    """Groups of up to three topics by how many of them somebody has: all that a call's leakage depends on.

    Attributes
    ----------
    groups
        For k = 1, 2, 3 and j = 0..k: the number of groups of k topics of which some user has j, none more.
    apart
        How many pairs of topics both occur, but in nobody's set together.
    """

    groups: tuple[tuple[int, ...], ...]
    apart: int

    @classmethod
    def of(cls, people: Population, api: TopicsAPI) -> "TopicGroups":
        """Count the groups of one, two and three topics.

        Of the groups of k topics, F_k are inside some set, and sum_c M_{k,c} are not, but without one of
        their topics they are: see `Subsets`. Nobody has any of those that are made of topics which do not
        occur; of what is left somebody has one.

        Examples
        --------
        >>> from quiff import Population, TopicsAPI
        >>> people = Population.from_sets({"Alice": {1, 2, 3}, "Bob": {3, 4, 5}})
        >>> TopicGroups.of(people, TopicsAPI(6, 3)).groups
        ((1, 5), (0, 9, 6), (0, 4, 14, 2))

        Raises
        ------
        ParameterError
            If sets change between epochs, or users are not equally likely.
        """
        sets = _PlainSets.of(people, api)
        m, s = sets.n_topics, sets.codes.shape[1]
        most = max(comb(s, j) * j for j in range(1, min(EPOCHS_OF_A_CALL, s) + 1))
        check_memory("the pairs and triples of topics of all sets need", 5 * sets.codes.shape[0] * most)
        found = Subsets.of(sets.codes, m, EPOCHS_OF_A_CALL)
        (_, one, two, three), (_, _, of_two, of_three) = found.inside, found.almost
        nobody_has = [comb(m - one, k) for k in (1, 2, 3)]
        alone = comb(m, 3) - nobody_has[2] - sum(of_three) - three
        groups = (
            (nobody_has[0], one),
            (nobody_has[1], sum(of_two), two),
            (nobody_has[2], alone, sum(of_three), three),
        )
        return cls(groups, of_two[2])

    def leakage(self, law: EpochLaw, epochs: int = EPOCHS_OF_A_CALL, *, in_order: bool = False) -> Number:
        """Return the leakage of one call about who the user is: the sum over views A of max_x P[A | x].

        All users are equally likely before, and the adversary knows their sets; so it is the Bayes capacity
        of the call, too. The sum is over the groups A of k topics of which some user has j, and no user more.

        Topics that are told in order also tell an adversary of three epochs which of two came twice. That
        matters only for two topics that occur but that nobody has together: the reports (a, a, b) and
        (a, b, b) then have different best users. It adds 3 p^2 q - 3 p q^2 for each such pair.

        Parameters
        ----------
        law
            What an epoch reports.
        epochs
            E, how many epochs the call shows, up to 3.
        in_order
            Whether topics are told epoch by epoch; else they are sorted and each is told once.

        Examples
        --------
        >>> from quiff import Population, TopicsAPI
        >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}})
        >>> groups = TopicGroups.of(people, TopicsAPI(5, 2))
        >>> law = EpochLaw.of(5, 2, Fraction(1, 20))
        >>> groups.leakage(law, 1), float(groups.leakage(law))
        (Fraction(39, 20), 1.96881)

        Raises
        ------
        ParameterError
            If the call shows more than three epochs.
        """
        E, p, q = check_whole("epochs", epochs, 1, EPOCHS_OF_A_CALL), law.inside, law.outside
        total = law.nothing**E
        for k, by_owned in enumerate(self.groups[:E], start=1):
            for j, groups in enumerate(by_owned):
                total += groups * view_probability([p] * j + [q] * (k - j), law.nothing, E)
        if in_order and E == EPOCHS_OF_A_CALL:
            total += self.apart * (3 * p**2 * q - 3 * p * q**2)
        return as_number(total)


def view_probability(topics: list[Real], nothing: Real, epochs: int) -> Real:
    """Return the probability that a call shows these topics and no others, from that of each in an epoch.

    With a_t the number of epochs that report t, and i that of epochs that report nothing, it is the sum over
    all a_t >= 1 and i >= 0 with i + sum_t a_t = E of E!/(i! prod_t a_t!) n^i prod_t p_t^a_t.

    >>> view_probability([Fraction(1, 2), Fraction(1, 4)], Fraction(1, 4), 2)
    Fraction(1, 4)
    """
    total = follow(Fraction(0), *topics, nothing)
    for times in product(range(1, epochs + 1), repeat=len(topics)):
        rest = epochs - sum(times)
        if rest >= 0:
            orders = factorial(epochs) // prod(factorial(time) for time in (*times, rest))
            total += orders * nothing**rest * prod(p**time for p, time in zip(topics, times, strict=True))
    return total


def call_and_sites(people: Population, api: Api) -> dict[str, Number]:
    """Return the leakage of a page view, of one that tells its epochs in order, and of two sites that link.

    Of other APIs than Topics there is none.

    Raises
    ------
    ParameterError
        If sets change between epochs, or users are not equally likely.
    SizeError
        If there are too many sets.
    """
    if not isinstance(api, TopicsAPI):
        return {}
    groups, law = TopicGroups.of(people, api), EpochLaw.of(api.fit(people).n_topics, api.top_s, api.noise)
    leakages = groups.leakage(law), groups.leakage(law, in_order=True), linked_sites(people, api)
    return dict(zip(OCCASIONS, leakages, strict=True))


def linked_sites(people: Population, api: TopicsAPI) -> Number:
    """Return by how much two sites' observations of one epoch multiply the probability to link a user.

    The adversary has one of every user at the first site, and one at the second, and knows how common topics
    are, alone and in pairs; the sites' draws are independent, and to the adversary users' sets are
    independent draws. With J(a,b) = q^2 + q d (f_a + f_b) + d^2 f_ab, P(a) = q + d f_a, d = p - q and f
    the share of users who have a topic or both, N V = sum_b max_a J(a,b)/P(a), over the topics a that can be
    reported. This is exact if each of them is reported at the first site, which many users make sure of, and
    an upper bound otherwise. It is no bound for who knows the list of sets, though not whose they are: if
    one user has a set, it is left for fewer others. With many users that hardly matters.

    Examples
    --------
    >>> from quiff import Population, TopicsAPI
    >>> people = Population.from_sets({"Alice": {0, 1}, "Bob": {2, 3}})
    >>> linked_sites(people, TopicsAPI(5, 2, Fraction(1, 20)))
    Fraction(757, 396)

    Raises
    ------
    ParameterError
        If sets change between epochs, or users are not equally likely.
    """
    sets, law = _PlainSets.of(people, api), EpochLaw.of(api.fit(people).n_topics, api.top_s, api.noise)
    q, d, N = law.outside, law.inside - law.outside, people.n_users
    together, times = _together(sets)
    first = np.flatnonzero(together.diagonal()) if q == 0 else np.flatnonzero(times)
    shares, small, step = together / N, float(q), float(d)
    alone = shares.diagonal()
    joint = small**2 + small * step * np.add.outer(alone[first], alone) + step**2 * shares[first]
    followed = joint / (small + step * alone[first])[:, np.newaxis]
    best = followed.max(axis=0)
    if isinstance(d, float):
        return float(best @ times)

    def exactly(a: int, b: int) -> Fraction:
        of_a, of_b, of_both = (Fraction(int(together[pair]), N) for pair in ((a, a), (b, b), (a, b)))
        return Fraction((q * q + q * d * (of_a + of_b) + d * d * of_both) / (q + d * of_a))

    close = followed >= best * (1 - _CLOSE)  # fractions are needed only for those that may be the best
    return sum(
        (n * max(exactly(a, b) for a in first[close[:, b]].tolist()) for b, n in enumerate(times.tolist())),
        start=Fraction(0),
    )


@final
@dataclass(frozen=True, eq=False)
class _PlainSets:
    """The distinct sets as positions in the taxonomy, ascending, and how many users have each."""

    codes: Array
    counts: Array
    n_topics: int

    @classmethod
    def of(cls, people: Population, api: TopicsAPI) -> "_PlainSets":
        if people.n_epochs > 1 or people.weights is not None:
            raise ParameterError(
                "this is known for stable sets and equally likely users only; "
                "give profiles of one epoch, in Python by population.epoch(0), without weights"
            )
        taxonomy = api.fit(people).taxonomy
        assert taxonomy is not None  # noqa: S101 - just fitted
        sets, _ = people.distinct_sets()
        return cls(np.sort(placed(sets, taxonomy), axis=1), people.set_counts(), taxonomy.size)


def _together(sets: _PlainSets) -> tuple[Array, Array]:
    """Return how many users have each two topics together, and for how many topics each row stands.

    On the diagonal is how many have a topic. Rows are the topics that occur; the last one stands for all
    others, which are alike.
    """
    seen = np.flatnonzero(np.bincount(sets.codes.reshape(-1)))
    codes, size = np.searchsorted(seen, sets.codes), seen.shape[0] + 1
    table = np.zeros(size * size, dtype=np.int64)
    for one in codes.T:
        for other in codes.T:
            found = np.bincount(one * size + other, weights=sets.counts, minlength=size * size)
            table += found.astype(np.int64)
    times = np.ones(size, dtype=np.int64)
    times[-1] = sets.n_topics - seen.shape[0]
    return table.reshape(size, size), times
