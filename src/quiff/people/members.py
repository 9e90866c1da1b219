"""What users have of an attribute: the topics of their sets, or the one value of another column."""

from collections.abc import Iterable

import numpy as np

from quiff.core.channel import Channel
from quiff.core.gain import Gain, membership_gain_from_codes
from quiff.core.kernels import SparseKernel
from quiff.core.labels import Labels
from quiff.core.numbers import Array, filled, quotient, to_float
from quiff.core.sparse import SparseRows
from quiff.people.population import Population

_FRACTIONS = 8  # bytes; a number that takes more is a fraction


def members(people: Population, attribute: str) -> tuple[Labels, Array]:
    """Return the values of an attribute, of topic sets their topics, and each row's as positions (rows, k).

    Examples
    --------
    >>> people = Population.from_sets({"Ann": {1, 2}, "Bob": {2, 3}}).with_attribute("age", [30, 40])
    >>> members(people, "topics")[1].tolist(), members(people, "age")[1].tolist()
    ([[0, 1], [1, 2]], [[0], [1]])

    Raises
    ------
    ParameterError
        If there is no such attribute, or it changes from epoch to epoch.
    """
    if attribute == "topics":
        return people.topics, people.codes
    column = people.attribute(attribute)
    column.check_stable()
    return column.values, column.which[0].reshape(-1, 1)


def masses(people: Population) -> Array:
    """Return how much the users of each row weigh together; the prior is proportional to it."""
    if people.weights is not None:
        return people.weights
    return filled(np.int64(1), people.users.size) if people.counts is None else people.counts


def single_weights(people: Population, channels: Iterable[Channel]) -> tuple[Array, Array]:
    """Return what a single user of each row weighs, and how many users each row stands for.

    The weights are fractions, or whole numbers, only where the probabilities of the channels are fractions.

    Raises
    ------
    ParameterError
        If people are merged and have weights: only their sums are known.
    """
    one = filled(np.int64(1), people.users.size)
    holders = one if people.counts is None else people.counts
    weights = one if people.weights is None else people.weights
    if people.weights is not None:
        people.check_unmerged()
    kernels = [C.kernel for C in channels]
    exact = all(k.exact for k in kernels) and any(k.number_size > _FRACTIONS for k in kernels)
    return weights if exact else to_float(weights), holders


def attribute_gain(people: Population, name: str) -> Gain:
    """Return the gain on users of naming an attribute's value, or of a set one of its members.

    Examples
    --------
    >>> from quiff import Population
    >>> people = Population.from_sets({"Ann": {1, 2}, "Bob": {2, 3}})
    >>> attribute_gain(people, "topics").to_numpy().tolist()
    [[1, 0], [1, 1], [0, 1]]
    """
    values, codes = members(people, name)
    return membership_gain_from_codes(people.users, codes, values)


def users_behind(people: Population, name: str) -> Channel:
    """Return the channel from the values of an attribute to the users who have them, all as probable."""
    attribute = people.attribute(name)
    which = attribute.which[0]
    counts = np.bincount(which, minlength=attribute.values.size)
    users = np.argsort(which, kind="stable")
    starts = np.concatenate([[0], np.cumsum(counts)])
    shares = quotient(np.ones_like(counts), np.maximum(counts, 1))[which[users]]
    entries = SparseRows(starts, users, shares, people.users.size)
    nobody = filled(np.int64(0), people.users.size)
    return Channel.from_kernel(attribute.values, people.users, SparseKernel(nobody, entries))
