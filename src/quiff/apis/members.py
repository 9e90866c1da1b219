"""What users have of an attribute: the topics of their sets, or the one value of another column."""

from collections.abc import Hashable, Iterable

import numpy as np

from quiff.apis.base import Api
from quiff.core.channel import Channel
from quiff.core.gain import Gain, membership_gain_from_codes
from quiff.core.kernels import MapKernel, SparseKernel
from quiff.core.labels import Labels
from quiff.core.numbers import Array, filled, quotient
from quiff.core.sparse import SparseRows
from quiff.errors import SizeError
from quiff.populations.groups import Groups, grouped
from quiff.populations.population import Population


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


def naming_columns(
    api: Api, attribute: str, values: Iterable[Hashable], stage: str, C: Channel
) -> dict[int, Array]:
    """Return for each value that outputs of a stage name, by its position, the columns of these outputs."""
    found = {}
    for place, value in enumerate(values):
        names = [y for y in api.outputs_naming(attribute, value, stage) if y in C.outputs]
        if names:
            found[place] = C.outputs.positions(names)
    return found


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


def shared_secrets(people: Population, api: Api, known: Channel | None = None) -> Groups | None:
    """Return users by their secret, and what is known; None if it is random, or just who the user is."""
    if not api.needs:
        return None
    try:
        secret = api.fit(people).secret(people)
    except SizeError:
        return None
    if not isinstance(secret.kernel, MapKernel):
        return None
    groups = grouped(people, secret)
    return groups if known is None else groups.knowing(known)[0]
