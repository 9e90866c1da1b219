"""How an API's outputs name what people have, and what users of one secret share."""

from collections.abc import Hashable, Iterable

import numpy as np

from quiff.apis.base import Api
from quiff.core.channel import Channel
from quiff.core.labels import Labels
from quiff.core.numbers import Array
from quiff.errors import ParameterError, SizeError
from quiff.measures.named_values import NamedDraws, naming_at
from quiff.people.groups import Groups, grouped
from quiff.people.members import members
from quiff.people.population import Population
from quiff.theory.popularity import Naming


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


def naming_of(api: Api, attribute: str | None) -> tuple[str, Naming]:
    """Return the attribute whose values an API names with known probabilities, and these.

    Raises
    ------
    ParameterError
        If it names none.
    """
    for name in api.needs if attribute is None else (attribute,):
        naming = api.naming(name)
        if naming is not None:
            return name, naming
    raise ParameterError(
        f"{api.spec} does not say with which probabilities its outputs name what users have, so"
        " that counts of outputs say nothing; quiff popularity takes people",
        what="api",
        value=api.spec,
    )


def named_draws(people: Population, api: Api, attribute: str | None = None) -> NamedDraws:
    """Prepare people whose outputs name values of an attribute, by default the first that they name.

    Examples
    --------
    >>> from quiff import worked_example
    >>> draws = named_draws(*worked_example())
    >>> draws.having().tolist(), draws.draw(np.random.default_rng(0)).sum()
    ([2, 2, 1, 1, 0], np.int64(3))

    Raises
    ------
    ParameterError
        If outputs do not name values, or not with the same probabilities for all.
    """
    ready = api.fit(people)
    for name in ready.needs if attribute is None else [attribute]:
        if name not in ready.needs:
            raise ParameterError(
                f"{api.spec} does not work on {name!r}; choose {_listed(ready)}",
                what="attribute",
                value=name,
                allowed=_listed(ready),
            )
        draws = _named(people, ready, name)
        if draws is not None:
            return draws
    raise ParameterError(
        f"{api.spec}: outputs do not name what users have with the same probability for all, so that they"
        " cannot be counted; give an API whose outputs do, such as topics",
        what="api",
        value=api.spec,
    )


def _listed(api: Api) -> str:
    return " or ".join(map(repr, api.needs)) or "another API"


def _named(people: Population, api: Api, attribute: str) -> NamedDraws | None:
    """Return the people if outputs name each value of an attribute with the same p and q; else None."""
    labels, codes = members(people, attribute)
    secret = api.secret(people)
    groups, C = grouped(people, secret), api.observe(secret.outputs)
    columns = _columns(labels, codes, naming_columns(api, attribute, labels, api.name, C))
    if columns is None:
        return None
    secrets, users = np.unique(groups.which, return_index=True)
    kernel = C.kernel if secrets.shape[0] == C.inputs.size else C.kernel.take_rows(secrets)
    places = columns[codes[users]]
    found = naming_at(kernel, places, np.unique(columns[columns >= 0]))
    if found is None:
        return None
    naming, even = found
    there = np.flatnonzero(columns >= 0)
    return NamedDraws(
        attribute,
        [labels[int(place)] for place in there],
        columns[there],
        kernel,
        places,
        groups.counts[secrets],
        naming,
        even,
    )


def _columns(labels: Labels, codes: Array, named: dict[int, Array]) -> Array | None:
    """Return the column that names each value that occurs, else -1; None if not each has one of its own."""
    columns = np.full(labels.size, -1)
    for place in np.flatnonzero(np.bincount(codes.reshape(-1), minlength=labels.size)).tolist():
        if len(named.get(place, ())) != 1:
            return None
        columns[place] = named[place][0]
    used = columns[columns >= 0]
    return columns if np.unique(used).shape[0] == used.shape[0] else None


def shared_secrets(people: Population, api: Api, known: Channel | None = None) -> Groups | None:
    """Return users by their secret, and what is known; None if it is random, or just who the user is."""
    if not api.needs:
        return None
    try:
        secret = api.fit(people).secret(people)
    except SizeError:
        return None
    if secret.codes is None:
        return None
    groups = grouped(people, secret)
    return groups if known is None else groups.knowing(known)[0]
