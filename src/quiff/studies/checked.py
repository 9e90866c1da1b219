"""What studies are asked about: people and APIs, or an error that names what was expected."""

import os
from typing import Any

from quiff.apis.base import Api, checked_api
from quiff.apis.defaults import default_apis
from quiff.errors import ParameterError
from quiff.populations.population import Population


def checked_people(people: object) -> Population:
    """Return people as they are.

    Raises
    ------
    ParameterError
        If they are something else; the message says how to make people of it.

    Examples
    --------
    >>> checked_people("profiles.parquet")
    Traceback (most recent call last):
    quiff.errors.ParameterError: people were expected, not a path; take Population.read('profiles.parquet')
    """
    if isinstance(people, Population):
        return people
    if isinstance(people, str | os.PathLike):
        raise ParameterError(f"people were expected, not a path; take Population.read({os.fspath(people)!r})")
    if isinstance(people, Api) or (isinstance(people, type) and issubclass(people, Api)):
        raise ParameterError("people come first, then the APIs, as in measure(people, api)")
    kind = type(people).__name__
    if kind in ("DataFrame", "LazyFrame", "Table"):
        raise ParameterError(f"people were expected, not a {kind}; take Population.from_pandas(frame)")
    if isinstance(people, dict):
        raise ParameterError("people were expected, not a dict; take Population.from_sets(sets)")
    raise ParameterError(f"people were expected, a quiff.Population, not {kind}")


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


def left_out(people: Population, apis: tuple[Any, ...]) -> tuple[str, ...]:
    """Return a note on what is measured by default of other people, but not of these."""
    if apis or not people.merged:
        return ()
    return ("Third-party cookies are not measured: single users are not known, only distinct sets.",)
