"""What studies are asked about: people and APIs, or an error that names what was expected."""

from collections.abc import Iterable, Mapping
from typing import Any

from quiff.apis.base import Api, checked_api
from quiff.apis.defaults import default_apis
from quiff.core.prior import Prior
from quiff.errors import ParameterError
from quiff.populations.population import Population


def checked_apis(people: Population, apis: tuple[Any, ...]) -> tuple[Api, ...]:
    """Return the APIs, those that are measured by default if there are none.

    Raises
    ------
    ParameterError
        If one is no API, or there twice.
    """
    if not apis:
        return default_apis(people)
    checked = tuple(map(checked_api, apis))
    specs = [api.spec for api in checked]
    twice = next((spec for spec in specs if specs.count(spec) > 1), None)
    if twice is not None:
        raise ParameterError(f"the API {twice!r} is there twice; name each once")
    return checked


def names_of(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return names, of which one may be given alone."""
    names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else None
    if names is None or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"the name of an attribute was expected, or several, not {given!r}")
    return names


def checked_priors(given: object) -> dict[str, Prior]:
    """Return priors by their names, which are not those that every measurement has."""
    priors = {} if given is None else given
    if not isinstance(priors, Mapping) or not all(isinstance(each, Prior) for each in priors.values()):
        raise ParameterError("priors are expected by name, as priors={'published': Prior(...)}")
    taken = next((name for name in priors if name in ("population", "uniform")), None)
    if taken is not None:
        raise ParameterError(f"the prior {taken!r} is measured anyway; give yours another name")
    return dict(priors)


def given(known: tuple[str, ...]) -> tuple[str, ...]:
    """Return a note on what the adversary already knows, if anything."""
    return (f"The adversary already knows of the user: {', '.join(known)}. All else is given that.",) * bool(
        known
    )


def left_out(people: Population, apis: tuple[Any, ...]) -> tuple[str, ...]:
    """Return a note on what is measured by default of other people, but not of these."""
    if apis or not people.merged:
        return ()
    return ("Third-party cookies are not measured: single users are not known, only distinct sets.",)


def assumed(people: Population, apis: Iterable[Api]) -> tuple[str, ...]:
    """Return warnings of what APIs take for granted of these people, with what it changes."""
    there = (api for api in apis if set(api.needs) <= set(people.attributes))
    return tuple(words for api in there for words in api.warnings(people))
