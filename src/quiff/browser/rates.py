"""Users who visit topics at given rates: random counts, and from them the top sets of every epoch."""

import os
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, final

import numpy as np

from quiff.core.labels import Labels, as_labels
from quiff.core.numbers import Array
from quiff.errors import ParameterError, QuiffError, ShapeError, counted, engine_line
from quiff.history.fetch import fetch
from quiff.populations.population import Population
from quiff.safe_text import shape
from quiff.theory.parameters import check_whole

_CHUNK = 2**22  # numbers at a time


@final
@dataclass(frozen=True, eq=False, repr=False)
class VisitRates:
    """How often users visit topics in an epoch, on average.

    Users may be made of others: user x has the rate of `first[x]` for the topics whose bit in `mix[x]` is
    set, and that of `second[x]` for the rest. So a million users take little memory.

    Attributes
    ----------
    topics
        The topics.
    rates
        The rates of the users at hand, (users at hand, topics).
    first, second
        Of which two of them each user is made.
    mix
        Which topics are the first one's: bits, (users, topics / 8 rounded up).
    """

    topics: Labels
    rates: Array
    first: Array
    second: Array
    mix: Array

    @classmethod
    def of(cls, rates: object, topics: object = None) -> "VisitRates":
        """Return users with the given rates, (users, topics); topics are numbered from 1 if not named.

        Examples
        --------
        >>> VisitRates.of([[3.5, 0, 1], [0, 0.25, 2]], ["Art", "Music", "News"])
        <VisitRates of 2 users: 3 topics>

        Raises
        ------
        ShapeError
            If this is no table with a column for each topic.
        ParameterError
            If a rate is negative or not finite.
        """
        array = np.array(rates, dtype=np.float64)
        named = as_labels(range(1, array.shape[-1] + 1) if topics is None else topics, "topic")
        if array.ndim != 2 or not array.size or array.shape[1] != named.size:
            raise ShapeError(
                f"the rates have shape {array.shape}, but must be a table (users, {named.size} topics)"
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


def visit_rates(
    path: str | os.PathLike[str] | None = None, *, mirror: str | os.PathLike[str] | None = None
) -> VisitRates:
    """Return the rates of a file: a line for each user, a number for each topic, with commas, without a head.

    Parameters
    ----------
    path
        The file; None takes the 268 real users' weekly rates, which are fetched if need be.
    mirror
        A folder with a copy of these.

    Raises
    ------
    QuiffError
        If the file cannot be read.
    """
    file = fetch("visit-rates", mirror) if path is None else Path(path)
    try:
        table = np.loadtxt(file, delimiter=",", ndmin=2)
    except (OSError, ValueError) as error:
        raise QuiffError(f"cannot read {str(file)!r} as a table of rates: {engine_line(error)}") from error
    return VisitRates.of(table)


def enlarge(
    rates: VisitRates, n: int, how: Literal["draw", "cross"] = "draw", seed: int | None = None
) -> VisitRates:
    """Return as many users as wanted, made of those at hand.

    Parameters
    ----------
    rates
        The users at hand.
    n
        How many users to make.
    how
        ``draw`` draws users with replacement; ``cross`` draws pairs of two different users, and takes each
        topic's rate from one of the two by the toss of a coin.
    seed
        The same seed gives the same users; None takes the operating system's randomness.

    Examples
    --------
    >>> few = VisitRates.of([[3.5, 0, 1], [0, 0.25, 2]])
    >>> enlarge(few, 1000, "cross", seed=1)
    <VisitRates of 1000 users: 3 topics>

    Raises
    ------
    ParameterError
        If a parameter is out of range, or users are already crossed.
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
            f"how is {how!r} for {counted(rates.n_users, 'user')}; use 'draw', or 'cross' for two or more"
        )
    first = rng.integers(rates.n_users, size=n)
    second = (first + rng.integers(1, rates.n_users, size=n)) % rates.n_users
    mix = rng.integers(256, size=(n, -(-rates.topics.size // 8)), dtype=np.uint8)
    return VisitRates(rates.topics, rates.rates, rates.first[first], rates.first[second], mix)


def profiles_from_rates(
    rates: VisitRates,
    epochs: int = 1,
    top_s: int = 5,
    seed: int | None = None,
    *,
    high_utility: Iterable[Hashable] = (),
    pad_from: Iterable[Hashable] | None = None,
) -> Population:
    """Return the top-s sets of users who visit topics at random.

    Visits to a topic in an epoch have a Poisson law with the user's rate. The s topics with most visits are
    the set; ties are broken uniformly at random, and a set short of s is filled uniformly at random.

    Parameters
    ----------
    rates
        The users.
    epochs
        For how many epochs sets are made, independently.
    top_s
        The size s of every set.
    seed
        The same seed gives the same sets; None takes the operating system's randomness.
    high_utility
        Topics that rank before all others as soon as they are visited, as in `TopicTree.high_utility`.
    pad_from
        The topics to fill from; None is all of them.

    Examples
    --------
    >>> rates = VisitRates.of([[90, 80, 0, 0], [0, 0, 90, 80]], ["Art", "Music", "News", "Sports"])
    >>> profiles_from_rates(rates, epochs=2, top_s=2, seed=1).sets.tolist()
    [[[0, 1], [2, 3]], [[0, 1], [2, 3]]]

    Raises
    ------
    ParameterError
        If a number is out of range.
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

    >>> rates = VisitRates.of([[90, 0, 0]], ["Art", "Music", "News"])
    >>> top_codes(rates, top_s=2, seed=1, padding=False).tolist()
    [[[0, -1]]]
    """
    epochs, top_s = check_whole("epochs", epochs, 1), check_whole("top_s", top_s, 1, rates.topics.size)
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
