"""What a result rests on: the call that repeats it, the digest of people, the APIs and their parameters."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec

import numpy as np

from quiff.apis.base import Api
from quiff.core.numbers import Array
from quiff.populations.population import Population
from quiff.results.result import Provenance, Result

_Arguments = ParamSpec("_Arguments")


def repeatable(study: Callable[_Arguments, Result]) -> Callable[_Arguments, Result]:
    """Let a study note in its result the call that repeats it."""
    form = signature(study)

    @wraps(study)
    def noted(*args: _Arguments.args, **options: _Arguments.kwargs) -> Result:
        result = study(*args, **options)
        if result.provenance is None:
            return result
        given = form.bind(*args, **options).arguments
        words = (word for name, value in given.items() for word in _words(form.parameters[name], value))
        call = f"quiff.{study.__name__}({', '.join(words)})"
        return replace(result, provenance=replace(result.provenance, command=call))

    return noted


def _words(parameter: Parameter, value: Any) -> Iterator[str]:
    """Yield an argument as it is written in a call; people and what else Python cannot write, by its name."""
    if parameter.kind is Parameter.VAR_POSITIONAL:
        yield from ("people" if isinstance(each, Population) else repr(each) for each in value)
    elif parameter.kind is Parameter.VAR_KEYWORD:
        yield from (f"{name}={each!r}" for name, each in value.items())
    elif parameter.name != "progress" and repr(value) != repr(parameter.default):  # frames do not compare
        text = repr(value)
        text = parameter.name if "<" in text or "\n" in text else text
        first = parameter.default is Parameter.empty and parameter.kind is not Parameter.KEYWORD_ONLY
        yield text if first else f"{parameter.name}={text}"


def provenance(people: Population | None, apis: Iterable[Api], seed: int | None = None) -> Provenance:
    """Return what the result of a study rests on; `repeatable` adds the call."""
    listed = list(apis)
    return Provenance(
        "",
        "" if people is None else digest(people),
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
        total.update(_bytes(attribute.which))
        values = (
            people.topics if name == "topics" else attribute.values
        )  # the topics, then each distinct set as positions
        total.update("\n".join(map(repr, values)).encode())
    if "topics" in people.attributes:
        total.update(_bytes(people.sets))
    for numbers in (people.weights, people.counts):
        if numbers is not None:
            total.update(repr(numbers.tolist()).encode())
    return total.hexdigest()


def _bytes(numbers: Array) -> memoryview:
    return np.ascontiguousarray(numbers, dtype="<i8").data.cast("B")
