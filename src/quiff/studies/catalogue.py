"""The APIs of the registry, described for people and for machines."""

from collections.abc import Mapping
from dataclasses import MISSING
from typing import Any

from quiff.apis.base import Api, parameters_of
from quiff.results.table import Table


def api_facts(name: str, api: type[Api]) -> dict[str, Any]:
    """Return what is known of an API, by plain names.

    Examples
    --------
    >>> from quiff.apis.registry import api_class
    >>> api_facts("topics", api_class("topics"))["parameters"]["noise"]
    {'default': 0.05, 'range': '0 to 1', 'meaning': 'probability of a random topic'}
    """
    needs = api.needs if isinstance(api.needs, tuple) else _needs(api)
    return {
        "name": name,
        "title": api.title,
        "status": api.status,
        "unit": api.unit,
        "needs": list(needs),
        "parameters": {
            each.name: {
                "default": None if each.default is MISSING else each.default,
                "range": each.metadata.get("allowed", ""),
                "meaning": each.metadata.get("meaning", ""),
            }
            for each in parameters_of(api)
        },
        "sees": api.sees,
        "source": api.source,
    }


def _needs(api: type[Api]) -> tuple[str, ...]:
    """Return the needs of an API with its defaults, where they depend on a parameter."""
    try:
        return api().needs
    except TypeError:  # a parameter has no default
        return ()


def catalogue_table(apis: Mapping[str, type[Api]]) -> Table:
    """Return all APIs, a line each."""
    facts = [api_facts(name, api) for name, api in apis.items()]
    return Table(
        "APIs",
        ("name", "title", "status", "shows", "needs"),
        tuple((f["name"], f["title"], f["status"], f["sees"], ", ".join(f["needs"]) or "-") for f in facts),
        ("One of them with its parameters: quiff apis NAME.",),
    )


def parameter_table(name: str, api: type[Api]) -> Table:
    """Return the parameters of one API, a line each."""
    facts = api_facts(name, api)
    return Table(
        f"{facts['title']} ({name})",
        ("parameter", "default", "range", "meaning"),
        tuple((key, p["default"], p["range"], p["meaning"]) for key, p in facts["parameters"].items()),
        tuple(
            f"{what}: {facts[key]}"
            for what, key in (
                ("One observation is about", "unit"),
                ("It shows", "sees"),
                ("Status", "status"),
                ("Source", "source"),
            )
            if str(facts[key])
        ),
    )
