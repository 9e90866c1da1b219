"""The APIs of the registry as tables: commands and the site show the same."""

from collections.abc import Iterator, Mapping
from typing import Any

from quiff.apis.base import Api
from quiff.apis.described import ApiFacts, ParameterFacts
from quiff.apis.registry import WITHOUT_CHANNEL
from quiff.results.quantities import QUANTITIES
from quiff.results.table import Table


def catalogue_table(apis: Mapping[str, type[Api]]) -> Table:
    """Return all APIs, a line each, on two shelves, and there by what they are for."""
    facts = [ApiFacts.of(name, api) for name, api in apis.items()]
    families = list(dict.fromkeys(api.family for api in facts))
    facts.sort(key=lambda api: (api.shelf, families.index(api.family)))
    ends: dict[str, list[str]] = {}
    for api in facts:
        if api.ended:
            ends.setdefault(api.ended, []).append(api.name)
    return Table(
        "APIs on two shelves: alive, and history",
        ("shelf", "name", "status", "shows", "needs"),
        tuple((api.shelf, api.name, api.status, api.sees, ", ".join(api.needs) or "-") for api in facts),
        (
            *(f"{end[:1].upper()}{end[1:]}: {', '.join(names)}." for end, names in ends.items()),
            *(f"{name} is no channel of its own: {why}." for name, why in WITHOUT_CHANNEL.items()),
            "One of them: quiff apis NAME. Side by side: quiff compare.",
        ),
        group="shelf",
    )


def api_tables(facts: ApiFacts) -> dict[str, Table]:
    """Return what is known of an API in tables: about it, parameters, limits, what is assumed and open."""
    about = {
        "name": f"{facts.name} (--api {facts.name})",
        "family": facts.family,
        "status": facts.status,
        "shelf": facts.shelf,
        "ended": facts.ended,
        "one observation is about": str(facts.unit),
        "it shows": facts.sees,
        "the observer knows who it is": facts.observer_knows_who,
        "needs of people": ", ".join(facts.needs) or "nothing but who is who",
        "good for": facts.goals,
        "source": facts.source,
    }
    words = {"open": facts.open_points, "assumed": facts.assumptions, "remark": facts.remarks}
    tables = {
        "about": Table("About", ("what", "is"), tuple((k, v) for k, v in about.items() if v != "")),
        "parameters": Table.of(
            "Parameters",
            facts.parameters.items(),
            {
                "parameter": lambda pair: pair[0],
                "default": lambda pair: _written(pair[1].default),
                "range": lambda pair: pair[1].range,
                "meaning": lambda pair: pair[1].meaning,
            },
            notes=tuple(_ranges(facts.parameters)),
        ),
        "limits": Table(
            "Limits of one observation, over all secrets and priors",
            ("quantity", "value", "unit", "formula"),
            tuple(
                (QUANTITIES[name].title, limit.value, QUANTITIES[name].unit, limit.formula)
                for name, limit in facts.limits.items()
            ),
        ),
        "words": Table(
            "What is open, assumed and remarked",
            ("", "what"),
            tuple((kind, text) for kind, texts in words.items() for text in texts),
        ),
    }
    return {key: table for key, table in tables.items() if table.rows}


def _ranges(parameters: Mapping[str, ParameterFacts]) -> Iterator[str]:
    """Yield where ranges are specified, a sentence for each source."""
    for place in dict.fromkeys(facts.source for facts in parameters.values() if facts.source):
        names = ", ".join(name for name, facts in parameters.items() if facts.source == place)
        yield f"Specified for {names}: {place}."


def _written(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)
