"""Interests that drift: sets of topics that change a little from epoch to epoch."""

import numpy as np

from quiff.core.numbers import Array
from quiff.errors import ParameterError, counted
from quiff.populations.population import Population
from quiff.theory.parameters import Real, check_probability, check_whole

_ROUNDS = 16  # of drawing anew what is in the set already, before weights are looked at one by one


def drift(population: Population, epochs: int, rate: Real, seed: int | None = None) -> Population:
    """Return a population whose sets change with time, starting from stable ones.

    From one epoch to the next, each topic of a set is replaced with probability `rate` by another one that is
    not in the set, drawn by popularity: the share of the users who have it at the start.

    Parameters
    ----------
    population
        The users, with one set each.
    epochs
        For how many epochs sets are made, the first one included.
    rate
        The probability that a topic is replaced.
    seed
        The same seed gives the same sets; None takes the operating system's randomness.

    Examples
    --------
    >>> people = Population.synthetic(1000, seed=1)
    >>> changing = drift(people, epochs=3, rate=0.3, seed=1)
    >>> changing
    <Population of 1000 users: sets of 5 out of 349 topics in each of 3 epochs>
    >>> changing.epoch(0) == people
    True

    Raises
    ------
    ParameterError
        If a number is out of range, users are merged, or sets already change.
    """
    epochs, rate = check_whole("epochs", epochs, 1), check_probability("rate", rate)
    population.check_unmerged()
    if population.occurring.size == population.top_s and rate > 0 and epochs > 1:
        raise ParameterError(
            f"all users have the same {counted(population.top_s, 'topic')}, so that there is no other to "
            "drift to"
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
