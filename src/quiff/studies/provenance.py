"""What a result on people rests on: their digest, the APIs and their parameters, and the call."""

import hashlib
from collections.abc import Iterable

import numpy as np

from quiff.apis.base import Api
from quiff.populations.population import Population
from quiff.results.result import Provenance


def provenance(study: str, people: Population, apis: Iterable[Api], seed: int | None = None) -> Provenance:
    """Return what the result of a study rests on."""
    listed = list(apis)
    return Provenance(
        f"quiff.{study}(people, {', '.join(map(repr, listed))})",
        digest(people),
        seed,
        {api.spec: api.parameters() for api in listed},
        tuple(dict.fromkeys(api.source for api in listed if api.source)),
    )


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
        total.update(np.ascontiguousarray(attribute.which, dtype="<i8").tobytes())
        values = (
            people.topics if name == "topics" else attribute.values
        )  # the topics, then each distinct set as positions
        total.update("\n".join(map(repr, values)).encode())
    if "topics" in people.attributes:
        total.update(np.ascontiguousarray(people.sets, dtype="<i8").tobytes())
    for numbers in (people.weights, people.counts):
        if numbers is not None:
            total.update(repr(numbers.tolist()).encode())
    return total.hexdigest()
