"""What studies are asked about: people and APIs, or an error that names what was expected."""

from collections.abc import Iterable
from typing import Any

from quiff.apis.base import Api, checked_api
from quiff.apis.defaults import default_apis
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
    return (given,) if isinstance(given, str) else tuple(given)


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
