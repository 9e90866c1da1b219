"""Synthetic sets of topics: some topics are popular, and people's interests go together."""

from collections.abc import Iterable
from math import isqrt
from typing import Any

import numpy as np

from quiff.core.labels import as_labels
from quiff.core.numbers import Array
from quiff.errors import ParameterError
from quiff.people.attribute import HISTORY, Attribute
from quiff.people.conversions import CONVERSIONS, synthetic_conversions
from quiff.theory.parameters import check_sizes, check_whole

# As in the published population of 250 000 users with 349 topics (PETS '24): about a quarter of the users has
# the most popular topic, one in forty the 50th, one in two thousand the 200th, and three in four a set that
# nobody else has.
_EXPONENT, _SCALE, _LEAST_SCALE = 6.5, 0.3, 105.0
_TOGETHER = 0.5  # of a user's interest goes to the topics of their circle alone
_ROUNDS = 16  # of drawing anew what is there already, before the exponential race
_CHUNK = 2**22  # numbers at a time in the race
_MEAN_VISITS, _FAITHFUL, _SITES = 20.0, 0.75, 10  # of synthetic histories
_KINDS = (HISTORY, CONVERSIONS)


def topic_weights(n_topics: int) -> tuple[Array, Array]:
    """Return the law of the synthetic sets: the probabilities of the circles, and of the topics in each.

    The popularity of topic t (from 0) is p(t), proportional to (1 + t/d)^-6.5, where d is 0.3 n_topics, at
    least 105. The topics whose numbers are equal modulo the square root of n_topics, rounded down, form a
    circle. A user belongs to the circle c with probability P(c), the popularity of its topics together, and
    then likes the topic t with weight p(t)/2, plus p(t)/2P(c) if t is in the circle. So over all users, the
    first topic drawn has law p.

    Examples
    --------
    >>> circles, weights = topic_weights(4)
    >>> circles.round(3).tolist(), weights.round(3).tolist()
    ([0.515, 0.485], [[0.402, 0.129, 0.356, 0.114], [0.137, 0.394, 0.121, 0.349]])
    """
    popularity = _popularity(n_topics)
    n_circles = isqrt(n_topics)
    inside = np.arange(n_topics) % n_circles == np.arange(n_circles)[:, None]
    circles = inside @ popularity
    weights = popularity * (1 - _TOGETHER + _TOGETHER * inside / circles[:, None])
    return circles, weights


def _popularity(n_topics: int) -> Array:
    popularity = (1 + np.arange(n_topics) / max(_SCALE * n_topics, _LEAST_SCALE)) ** -_EXPONENT
    return np.asarray(popularity / popularity.sum())


def synthetic_sets(n_users: int, seed: int, n_topics: int, top_s: int) -> Array:
    """Return synthetic sets (n_users, top_s), drawn topic by topic by the weights of `topic_weights`."""
    n_users = check_whole("n", n_users, 1)
    n_topics, top_s = check_sizes(n_topics, top_s)
    rng = np.random.default_rng(check_whole("seed", seed, 0))
    circles, weights = topic_weights(n_topics)
    circle = np.searchsorted(np.cumsum(circles)[:-1], rng.random(n_users), side="right")
    # all circles in one sorted list: circle c has the numbers from c to c+1
    steps = np.cumsum(weights, axis=1)
    steps = (steps / steps[:, -1:] + np.arange(circles.shape[0])[:, None]).reshape(-1)
    sets = np.full((n_users, top_s), -1)
    for place in range(top_s):
        _draw(rng, sets, place, circle, steps, n_topics)
    unfinished = np.flatnonzero((sets < 0).any(axis=1))
    size = max(_CHUNK // n_topics, 1)
    for start in range(0, unfinished.shape[0], size):
        users = unfinished[start : start + size]
        sets[users] = _race(rng, sets[users], weights[circle[users]])
    sets.sort(axis=1)
    return sets


def _draw(
    rng: np.random.Generator, sets: Array, place: int, circle: Array, steps: Array, n_topics: int
) -> None:
    """Draw one more topic for each user, again where they have it; leave it out after some rounds."""
    pending = np.arange(sets.shape[0]) if place == 0 else np.flatnonzero(sets[:, place - 1] >= 0)
    for _ in range(_ROUNDS):
        if not pending.shape[0]:
            return
        mine = circle[pending]
        found = np.searchsorted(steps, mine + rng.random(pending.shape[0]), side="right")
        found = np.minimum(found - mine * n_topics, n_topics - 1)
        known = (sets[pending, :place] == found[:, None]).any(axis=1)
        sets[pending[~known], place] = found[~known]
        pending = pending[known]


def _race(rng: np.random.Generator, sets: Array, weights: Array) -> Array:
    """Return sets filled up by the same law at one go: of exponential clocks, the first to ring are taken.

    That a clock with twice the weight rings first with twice the probability, whatever rang before, is what
    makes this the law of drawing one by one without replacement.
    """
    clocks = rng.standard_exponential(weights.shape) / weights
    rows, places = np.nonzero(sets >= 0)
    clocks[rows, sets[rows, places]] = -1  # these have rung already
    return np.argpartition(clocks, sets.shape[1] - 1, axis=1)[:, : sets.shape[1]]


def synthetic_attributes(
    names: str | Iterable[str], sets: Array, n_topics: int, seed: int
) -> dict[str, Attribute]:
    """Return synthetic attributes of users with the given sets, by name: ``history``, ``conversions``.

    Each has random numbers of its own, so that one is the same with the other and without it.
    """
    listed = list(dict.fromkeys([names] if isinstance(names, str) else names))
    for name in listed:
        if name not in _KINDS:
            raise ParameterError(
                what="an attribute of synthetic people", value=name, allowed=" or ".join(_KINDS)
            )
    made = {}
    for name in listed:
        rng = np.random.default_rng([seed, 1 + _KINDS.index(name)])
        values: list[Any] = (
            synthetic_histories(sets, n_topics, rng)
            if name == HISTORY
            else synthetic_conversions(sets.shape[0], rng)
        )
        places: dict[Any, int] = {}
        which = [places.setdefault(value, len(places)) for value in values]
        made[name] = Attribute(name, as_labels(places, "value"), np.array(which))
    return made


def synthetic_histories(sets: Array, n_topics: int, rng: np.random.Generator) -> list[tuple[str, ...]]:
    """Draw a browsing history for each of some topic sets, from a law that is estimated from nothing.

    A user makes 1 + Poisson(20) visits. A visit has a topic of the user's set with probability 3/4 (each as
    probable), else one drawn by the popularity p of `topic_weights`; its site is one of the topic's ten, site
    k with a probability proportional to 1/k. Site 3 of topic 12 is ``t12-3.example``.

    Examples
    --------
    >>> synthetic_histories(np.array([[0, 1]]), 4, np.random.default_rng(3))[0][:4]
    ('t1-4.example', 't2-1.example', 't2-5.example', 't2-5.example')
    """
    n_users, top_s = sets.shape
    counts = 1 + rng.poisson(_MEAN_VISITS, n_users)
    users = np.repeat(np.arange(n_users), counts)
    own = sets[users, rng.integers(top_s, size=users.shape[0])]
    any_topic = rng.choice(n_topics, size=users.shape[0], p=_popularity(n_topics))
    topics = np.where(rng.random(users.shape[0]) < _FAITHFUL, own, any_topic)
    shares = 1 / np.arange(1, _SITES + 1)
    sites = rng.choice(_SITES, size=users.shape[0], p=shares / shares.sum())
    names = [f"t{topic}-{site}.example" for topic in range(1, n_topics + 1) for site in range(1, _SITES + 1)]
    visits = [names[place] for place in (topics * _SITES + sites).tolist()]
    ends = np.cumsum(counts).tolist()
    return [tuple(visits[end - count : end]) for end, count in zip(ends, counts.tolist(), strict=True)]
