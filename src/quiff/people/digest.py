"""By what people are known again: a digest of all that is measured of them."""

import hashlib

import numpy as np

from quiff.core.numbers import Array
from quiff.people.population import Population


def digest(people: Population) -> str:
    """Return the SHA-256 of people's attributes, weights and counts, in their order; names play no part.

    Examples
    --------
    >>> one, other = (Population.from_sets({name: {1, 2}, "Bob": {2, 3}}) for name in ("Ann", "Eve"))
    >>> digest(one) == digest(other), digest(one) == digest(Population.from_sets({"Ann": {1, 2}}))
    (True, False)
    """
    total = hashlib.sha256(str(people.n_users).encode())
    for name in people.attributes:
        attribute = people.attribute(name)
        total.update(f"\n{name}\n".encode())
        total.update(_bytes(attribute.which))
        # Of topics these, then each distinct set as positions.
        values = people.topics if name == "topics" else attribute.values
        total.update("\n".join(map(repr, values)).encode())
    if "topics" in people.attributes:
        total.update(_bytes(people.sets))
    for numbers in (people.weights, people.counts):
        if numbers is not None:
            total.update(repr(numbers.tolist()).encode())
    return total.hexdigest()


def _bytes(numbers: Array) -> memoryview:
    return np.ascontiguousarray(numbers, dtype="<i8").data.cast("B")
