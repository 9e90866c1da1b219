"""The APIs of the registry, described for people and machines: commands and the site show the same."""

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING
from typing import Any

from quiff.apis.base import Api, all_limits, parameters_of
from quiff.apis.registry import WITHOUT_CHANNEL
from quiff.results.quantities import QUANTITIES
from quiff.results.table import Table

_COMMON = "No goal of its own; those on attributes of people, such as a topic of the user, are measured."


def api_facts(name: str, api: type[Api] | Api) -> dict[str, Any]:
    """Return what is known of an API, by plain names; its limits are those of its defaults, or as given.

    Examples
    --------
    >>> from quiff.apis.registry import api_class
    >>> facts = api_facts("topics", api_class("topics"))
    >>> facts["parameters"]["noise"]["default"], facts["parameters"]["noise"]["range"]
    (0.05, '0 to 1')
    >>> facts["family"], round(facts["limits"]["epsilon"]["value"], 3)
    ('interests', 7.191)
    """
    kind, one = (api, _default(api)) if isinstance(api, type) else (type(api), api)
    limits = () if one is None else tuple(limit for limit in all_limits(one) if not limit.stage)
    needs = kind.needs if one is None else one.needs
    return {
        "name": name,
        "title": kind.title,
        "family": kind.family,
        "status": kind.status,
        "shelf": kind.shelf,
        "ended": kind.ended,
        "unit": kind.unit,
        "needs": list(needs),
        "parameters": {
            each.name: {
                "default": None if each.default is MISSING else each.default,
                "range": str(each.metadata.get("range", "")),
                "meaning": each.metadata.get("meaning", ""),
                "source": getattr(each.metadata.get("range"), "source", ""),
            }
            for each in parameters_of(kind)
        },
        "sees": kind.sees,
        "observer_knows_who": kind.observer_knows_who,
        "mechanism": mechanism(kind),
        "limits": {
            limit.quantity: {"value": limit.value, "formula": limit.formula, "bound": limit.bound}
            for limit in limits
        },
        "goals": _goals(kind),
        "assumptions": list(kind.assumptions),
        "open_points": list(kind.open_points),
        "remarks": [] if one is None else list(one.remarks()),
        "source": kind.source,
    }


def mechanism(api: type[Api]) -> str:
    """Return how an API works: the first two sentences of its docstring's body; empty if it has none.

    >>> from quiff.apis.registry import api_class
    >>> mechanism(api_class("real_time_monitoring")).endswith("A vector is always sent.")
    True
    """
    paragraphs = (inspect.getdoc(api) or "").split("\n\n")
    body = " ".join(paragraphs[1].split()) if len(paragraphs) > 1 else ""
    return " ".join(re.split(r"(?<=\.) (?=[A-Z])", body)[:2])


def _goals(api: type[Api]) -> str:
    """Return what a legitimate receiver learns, as the API itself says it."""
    if api.goals is Api.goals:
        return _COMMON
    words = (inspect.getdoc(api.goals) or "").split("\n\n")[0].removeprefix("Return ")
    return words[:1].upper() + words[1:]


def _default(api: type[Api]) -> Api | None:
    """Return an API with its defaults; None if a parameter has none."""
    try:
        return api()
    except TypeError:
        return None


def catalogue_table(apis: Mapping[str, type[Api]]) -> Table:
    """Return all APIs, a line each, on two shelves, and there by what they are for."""
    facts = [api_facts(name, api) for name, api in apis.items()]
    families = list(dict.fromkeys(entry["family"] for entry in facts))
    facts.sort(key=lambda entry: (entry["shelf"], families.index(entry["family"])))
    ends: dict[str, list[str]] = {}
    for entry in facts:
        if entry["ended"]:
            ends.setdefault(entry["ended"], []).append(entry["name"])
    return Table(
        "APIs on two shelves: alive, and history",
        ("shelf", "name", "status", "shows", "needs"),
        tuple(
            (
                entry["shelf"],
                entry["name"],
                entry["status"],
                entry["sees"],
                ", ".join(entry["needs"]) or "-",
            )
            for entry in facts
        ),
        (
            *(f"{end[:1].upper()}{end[1:]}: {', '.join(names)}." for end, names in ends.items()),
            *(f"{name} is no channel of its own: {why}." for name, why in WITHOUT_CHANNEL.items()),
            "One of them: quiff apis NAME. Side by side: quiff compare.",
        ),
        group="shelf",
    )


def api_tables(facts: Mapping[str, Any]) -> dict[str, Table]:
    """Return what `api_facts` says in tables: about it, parameters, limits, what is assumed and open."""
    name = facts["name"]
    about = {
        "name": f"{name} (--api {name})",
        "family": facts["family"],
        "status": facts["status"],
        "shelf": facts["shelf"],
        "ended": facts["ended"],
        "one observation is about": str(facts["unit"]),
        "it shows": facts["sees"],
        "the observer knows who it is": facts["observer_knows_who"],
        "needs of people": ", ".join(facts["needs"]) or "nothing but who is who",
        "good for": facts["goals"],
        "source": facts["source"],
    }
    parameters = [{"parameter": key, **values} for key, values in facts["parameters"].items()]
    words = {"open": "open_points", "assumed": "assumptions", "remark": "remarks"}
    remarks = tuple((kind, text) for kind, key in words.items() for text in facts[key])
    tables = {
        "about": Table("About", ("what", "is"), tuple((k, v) for k, v in about.items() if v != "")),
        "parameters": Table.of(
            "Parameters",
            parameters,
            {
                "parameter": "parameter",
                "default": lambda each: _written(each["default"]),
                "range": "range",
                "meaning": "meaning",
            },
            notes=tuple(_ranges(parameters)),
        ),
        "limits": Table(
            "Limits of one observation, over all secrets and priors",
            ("quantity", "value", "unit", "formula"),
            tuple(
                (QUANTITIES[key].title, each["value"], QUANTITIES[key].unit, each["formula"])
                for key, each in facts["limits"].items()
            ),
        ),
        "words": Table("What is open, assumed and remarked", ("", "what"), remarks),
    }
    return {key: table for key, table in tables.items() if table.rows}


def _ranges(parameters: list[dict[str, Any]]) -> Iterator[str]:
    """Yield where ranges are specified, a sentence for each source."""
    for place in dict.fromkeys(each["source"] for each in parameters if each["source"]):
        names = ", ".join(each["parameter"] for each in parameters if each["source"] == place)
        yield f"Specified for {names}: {place}."


def _written(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)
