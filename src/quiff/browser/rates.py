"""Top sets of every epoch: of users who visit topics at given rates, or whose interests drift."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from quiff.core.labels import Labels, as_labels
from quiff.core.numbers import Array
from quiff.errors import ParameterError, QuiffError, ShapeError, counted, engine_line, typed
from quiff.io import StrPath, as_path
from quiff.io.blocks import find_source, opened_lines
from quiff.logs.fetch import fetch
from quiff.people.population import Population
from quiff.safe_text import shape
from quiff.theory.parameters import MOST_OBSERVATIONS, Real, check_probability, check_whole

_CHUNK = 2**22  # numbers at a time
_ROUNDS = 16  # of drawing anew what is in the set already, before weights are looked at one by one


@final
@dataclass(frozen=True, eq=False, repr=False)
class VisitRates:
    """How often users visit topics in an epoch, on average.

    Users may be made of others: user x has the rate of `first[x]` for the topics whose bit in `mix[x]` is
    set, and that of `second[x]` for the rest. So a million users take little memory.
    """

    topics: Labels
    rates: Array  # of the users at hand, (users at hand, topics)
    first: Array
    second: Array
    mix: Array  # bits, (users, topics / 8 rounded up)

    @classmethod
    def of(cls, rates: object, topics: object = None) -> "VisitRates":
        """Return users with the given rates, (users, topics); topics are numbered from 1 if not named.

        Examples
        --------
        >>> VisitRates.of([[3.5, 0, 1], [0, 0.25, 2]], ["Art", "Music", "News"])
        <VisitRates of 2 users: 3 topics>
        """
        array = np.array(rates, dtype=np.float64)
        named = as_labels(range(1, array.shape[-1] + 1) if topics is None else topics, "topic")
        if array.ndim != 2 or not array.size or array.shape[1] != named.size:
            raise ShapeError(
                what="the shape of the rates", value=array.shape, allowed=f"(users, {named.size})"
            )
        bad = ~(np.isfinite(array) & (array >= 0))
        if bad.any():
            raise ParameterError(f"a rate is {shape(array[bad][0])}, but must be a number of at least 0")
        everybody = np.arange(array.shape[0])
        return cls(named, array, everybody, everybody, np.zeros((array.shape[0], 0), dtype=np.uint8))

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return int(self.first.shape[0])

    def rows(self, users: slice | Array) -> Array:
        """Return the rates of some users, (users, topics)."""
        if not self.mix.shape[1]:
            return np.asarray(self.rates[self.first[users]])
        ours = np.unpackbits(self.mix[users], axis=1, count=self.topics.size).astype(bool)
        return np.where(ours, self.rates[self.first[users]], self.rates[self.second[users]])

    def __repr__(self) -> str:
        return f"<VisitRates of {counted(self.n_users, 'user')}: {counted(self.topics.size, 'topic')}>"


def visit_rates(path: StrPath | None = None, *, mirror: StrPath | None = None) -> VisitRates:
    """Return the rates of a file: a line for each user, a number for each topic, with commas, without a head.

    A path of None takes the 268 real users' weekly rates, from `mirror` or fetched if need be.
    """
    file = fetch("visit-rates", mirror) if path is None else as_path(path)
    try:
        with opened_lines(find_source(file)) as stream:
            table = np.loadtxt(stream, delimiter=",", ndmin=2)
    except (OSError, ValueError) as error:
        raise QuiffError(
            f"cannot read {str(file)!r} as a table of rates: {engine_line(error)}",
            what="the input",
            value=str(file),
        ) from error
    return VisitRates.of(table)


@typed
def enlarge(
    rates: VisitRates, n: int, how: Literal["draw", "cross"] = "draw", seed: int | None = None
) -> VisitRates:
    """Return as many users as wanted, made of those at hand.

    ``draw`` draws users with replacement; ``cross`` draws pairs of two different users, and takes each
    topic's rate from one of the two by the toss of a coin. A seed of None takes the operating system's
    randomness.

    Examples
    --------
    >>> few = VisitRates.of([[3.5, 0, 1], [0, 0.25, 2]])
    >>> enlarge(few, 1000, "cross", seed=1)
    <VisitRates of 1000 users: 3 topics>
    """
    n = check_whole("n", n, 1)
    if rates.mix.shape[1]:
        raise ParameterError("these users are already crossed over; enlarge those that they are made of")
    rng = np.random.default_rng(None if seed is None else check_whole("seed", seed, 0))
    if how == "draw":
        drawn = rates.first[rng.integers(rates.n_users, size=n)]
        return VisitRates(rates.topics, rates.rates, drawn, drawn, np.zeros((n, 0), dtype=np.uint8))
    if how != "cross" or rates.n_users < 2:
        raise ParameterError(
            f"how is {how!r} for {counted(rates.n_users, 'user')}; use 'draw', or 'cross' for two or more",
            what="how",
            value=how,
        )
    first = rng.integers(rates.n_users, size=n)
    second = (first + rng.integers(1, rates.n_users, size=n)) % rates.n_users
    mix = rng.integers(256, size=(n, -(-rates.topics.size // 8)), dtype=np.uint8)
    return VisitRates(rates.topics, rates.rates, rates.first[first], rates.first[second], mix)


@typed
def profiles_from_rates(
    rates: VisitRates,
    epochs: int = 1,
    top_s: int = 5,
    seed: int | None = None,
    *,
    high_utility: Iterable[Hashable] = (),
    pad_from: Iterable[Hashable] | None = None,
) -> Population:
    """Return the top-s sets of users who visit topics at random, for each epoch anew.

    Visits to a topic in an epoch have a Poisson law with the user's rate. The s topics with most visits are
    the set; ties are broken uniformly at random, and a set short of s is filled uniformly at random from
    `pad_from`, by default from all topics. Those of `high_utility` rank before all others as soon as they are
    visited. A seed of None takes the operating system's randomness.

    Examples
    --------
    >>> rates = VisitRates.of([[90, 80, 0, 0], [0, 0, 90, 80]], ["Art", "Music", "News", "Sports"])
    >>> profiles_from_rates(rates, epochs=2, top_s=2, seed=1).sets.tolist()
    [[[0, 1], [2, 3]], [[0, 1], [2, 3]]]
    """
    codes = top_codes(rates, epochs, top_s, seed, high_utility=high_utility, pad_from=pad_from)
    return Population.from_array(range(rates.n_users), codes, rates.topics)


def top_codes(
    rates: VisitRates,
    epochs: int = 1,
    top_s: int = 5,
    seed: int | None = None,
    *,
    high_utility: Iterable[Hashable] = (),
    pad_from: Iterable[Hashable] | None = None,
    padding: bool = True,
) -> Array:
    """Return the sets of `profiles_from_rates` as codes (epochs, users, s), also without filling up.

    Without padding, places that no visited topic takes are -1. Whatever the ranking and the padding, the same
    seed gives the same visits.
    """
    epochs = check_whole("epochs", epochs, 1, MOST_OBSERVATIONS)
    top_s = check_whole("top_s", top_s, 1, rates.topics.size)
    rng = np.random.default_rng(None if seed is None else check_whole("seed", seed, 0))
    first = _chosen(rates.topics, high_utility)
    fit = _chosen(rates.topics, rates.topics if pad_from is None else pad_from)
    check_whole("the number of topics to fill from", int(fit.sum()), top_s)
    sets = np.empty((epochs, rates.n_users, top_s), dtype=np.intp)
    size = max(_CHUNK // rates.topics.size, 1)
    for start in range(0, rates.n_users, size):
        part = slice(start, start + size)
        rows = rates.rows(part)
        for epoch in range(epochs):
            visits = rng.poisson(rows)
            found = _top(rng, visits, first, fit, top_s)
            seen = np.take_along_axis(visits, found, axis=1) > 0
            sets[epoch, part] = found if padding else -np.sort(-np.where(seen, found, -1), axis=1)
    return sets


def _chosen(topics: Labels, some: Iterable[Hashable]) -> Array:
    chosen = np.zeros(topics.size, dtype=bool)
    chosen[topics.positions(some, "topic")] = True
    return chosen


def _top(rng: np.random.Generator, visits: Array, first: Array, fit: Array, top_s: int) -> Array:
    """Return the topics with the largest keys: visits, and a number below 1 that breaks ties and fills up."""
    keys = visits + rng.random(visits.shape)
    if first.any():
        keys += ((visits > 0) & first) * (float(visits.max()) + 1)
    if not fit.all():
        keys[(visits == 0) & ~fit] = -1
    return np.argpartition(-keys, top_s - 1, axis=1)[:, :top_s]


def drift(population: Population, epochs: int, rate: Real, seed: int | None = None) -> Population:
    """Return a population whose sets change over some epochs, starting from stable ones.

    From one epoch to the next, each topic of a set is replaced with probability `rate` by another one that is
    not in the set, drawn by popularity: the share of the users who have it at the start. The first epoch is
    one of the `epochs`; a seed of None takes the operating system's randomness.

    Examples
    --------
    >>> people = Population.synthetic(1000, seed=1)
    >>> changing = drift(people, epochs=3, rate=0.3, seed=1)
    >>> changing
    <Population of 1000 users: sets of 5 out of 349 topics in each of 3 epochs>
    >>> changing.epoch(0) == people
    True
    """
    epochs, rate = check_whole("epochs", epochs, 1, MOST_OBSERVATIONS), check_probability("rate", rate)
    population.check_unmerged()
    if population.occurring.size == population.top_s and rate > 0 and epochs > 1:
        raise ParameterError(
            f"all users have the same {counted(population.top_s, 'topic')}, so that there is no other to "
            "drift to",
            what="topics",
            value=population.top_s,
        )
    rng = np.random.default_rng(None if seed is None else check_whole("seed", seed, 0))
    sets = population.codes.astype(np.intp)
    popularity = np.bincount(sets.reshape(-1), minlength=population.topics.size) / sets.size
    made = [sets]
    for _ in range(epochs - 1):
        sets = sets.copy()
        for place in range(population.top_s):
            _replace(rng, sets, place, np.flatnonzero(rng.random(sets.shape[0]) < rate), popularity)
        made.append(sets)
    return population.replaced(sets=np.stack(made), filling=None)


def _replace(rng: np.random.Generator, sets: Array, place: int, pending: Array, popularity: Array) -> None:
    """Replace one topic of some users by one that is not in their set."""
    steps, last = np.cumsum(popularity), np.flatnonzero(popularity)[-1]
    for _ in range(_ROUNDS):
        if not pending.shape[0]:
            return
        drawn = np.searchsorted(steps, rng.random(pending.shape[0]) * steps[-1], side="right")
        drawn = np.minimum(drawn, last)  # a product of floats may round up to the last step
        known = (sets[pending] == drawn[:, None]).any(axis=1)
        sets[pending[~known], place] = drawn[~known]
        pending = pending[known]
    for user in pending:
        others = popularity.copy()
        others[sets[user]] = 0
        sets[user, place] = rng.choice(others.shape[0], p=others / others.sum())
