"""All APIs of the page beside each other, from their parameters alone."""

from math import inf
from typing import Any

from quiff.results.numbers import plain, probability, said
from quiff.results.table import Table
from quiff.web.design import Design
from quiff.web.offers import Offers
from quiff.web.queries import Query


def compare_answer(query: Query, offers: Offers) -> list[dict[str, Any]]:
    """Return what every API of the page reveals at most, with those of the request where they differ.

    Examples
    --------
    >>> from quiff.web.queries import read_design
    >>> offers = Offers()
    >>> compare_answer(read_design([], offers), offers)[1]["factor"]
    'at most 66.4'
    """
    apis = {api.spec: api for api in (*query.apis, *offers.apis.values())}
    ordered = sorted(apis.values(), key=lambda api: list(offers.apis).index(api.name))
    return [_compared(Design(api, query.n_users)) for api in ordered]


def _compared(design: Design) -> dict[str, Any]:
    api, capacity, one = design.api, design.capacity, design.reidentified(1)
    factor = "not known" if capacity is None else f"at most {said(capacity)}"
    return {
        "spec": api.spec,
        "title": api.title,
        "set": api.spec.partition(":")[2],
        "unit": str(api.unit),
        "status": api.status,
        "known": api.observer_knows_who,
        "capacity": plain(capacity),
        "factor": "no limit" if capacity == inf else factor,
        "among": "" if one is None else probability(one),
    }


def compare_table(query: Query, offers: Offers) -> Table:
    """Return the same for a file."""
    rows = compare_answer(query, offers)
    columns = {
        "API": "spec",
        "unit of one observation": "unit",
        "status": "status",
        "observer knows who": "known",
        "capacity": "capacity",
        f"re-identified among {query.n_users}": "among",
    }
    cells = tuple(tuple(row[key] for key in columns.values()) for row in rows)
    return Table("What one observation reveals at most", tuple(columns), cells)
