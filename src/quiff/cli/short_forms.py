"""The one table of short forms: options that stand for parameters of the default API, and how they are read.

``--noise 0.1`` is short for ``--api topics:noise=0.1``, and so on. Messages name the option.
"""

from collections.abc import Hashable
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from quiff.apis.base import Api
    from quiff.apis.topics import TopicsAPI
    from quiff.populations.population import Population

OPTIONS = MappingProxyType(
    {
        "distinct_sets": "--sets",
        "max_case": "--max-case",
        "n_topics": "--topics",
        "n_users": "--users",
        "prior_gain": "--prior-gain",
        "prior_success": "--prior-success",
        "top_s": "--top",
    }
)
"""The arguments of Python's functions that have another name as an option."""


def of_set_size(top: int) -> dict[str, int]:
    """Return ``--top`` as an argument of Python's functions."""
    return {"top_s": top}


def set_size(parameters: dict[str, object]) -> int | None:
    """Return the size of topic sets that an API asks for by its parameters; None if by none."""
    size = parameters.get("top_s")
    return size if isinstance(size, int) else None


def parts_of(api: "Api") -> "tuple[Api, ...]":
    """Return the APIs that one observer sees together; of any other, itself."""
    return getattr(api, "parts", (api,))


def with_set_size(api: "Api", spec: str, size: int) -> "Api":
    """Return an API with topic sets of some size, if it has such a parameter and its spec leaves it open."""
    parts = parts_of(api)
    if len(parts) > 1:
        return type(api)(*(with_set_size(part, spec, size) for part in parts))
    given = api.parameters()
    if "top_s" not in given or "top_s=" in spec:
        return api
    return type(api)(**(given | {"top_s": size}))


def default_topics_api(
    people: "Population",
    taxonomy: str | None,
    noise: float | Fraction,
    file: Path | None = None,
    top: int | None = None,
) -> "TopicsAPI":
    """Return what the short forms stand for; messages name the line of `file`, where people come from."""
    from quiff.apis.defaults import default_topics

    def set_with(topic: Hashable) -> str:
        from quiff.populations.readers import place_of_topic

        assert file is not None  # noqa: S101 - else nobody asks
        return f"{place_of_topic(file, topic, top=top)}: the set"

    return default_topics(people, taxonomy, noise, at=None if file is None else set_with)


def closed_form_apis(
    specs: tuple[str, ...], topics: int, top: int | None, noise: float | Fraction
) -> "tuple[Api, ...]":
    """Return the APIs of a command without people: those of ``--api``, or what the short forms stand for."""
    from quiff.apis.topics import TopicsAPI
    from quiff.cli.options import read_api

    if not specs:
        return (TopicsAPI(topics, min(5, topics) if top is None else top, noise),)
    given = click.get_current_context().get_parameter_source
    for name in ("topics", "top", "noise"):
        if given(name) is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} is short for a parameter of --api topics; give one of the two.")
    return tuple(map(read_api, specs))
