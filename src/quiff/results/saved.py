"""Results that come back from JSON: the shape is checked, and nothing in it is run."""

import json
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from quiff.errors import ParameterError
from quiff.results.layout import layout_of
from quiff.results.quantities import QUANTITIES
from quiff.results.result import Provenance, Result
from quiff.results.rows import COLUMNS, Row, Rows

_NUMBERS = ("value", "low", "high")
READERS: dict[str, Callable[[Mapping[str, Any]], Any]] = {}
"""How ``unit`` of a row and ``api`` of a result come back; studies, which know what they are, say it."""


def result_of(text: str) -> Result:
    """Return the result that a JSON text holds.

    Raises
    ------
    ParameterError
        If it holds none.
    """
    import_module("quiff.studies.study")  # which fills `READERS`
    try:
        read = json.loads(text)
        rows = [_row(record) for record in read["rows"]]
        result = _result(read["study"] | {key: read[key] for key in ("population", "payload")}, rows)
        if rows:
            raise ValueError("there are more rows than its parts have")
        provenance = read["provenance"]
        return Result(
            **vars(result)
            | {
                "notes": tuple(read["notes"]),
                "warnings": tuple(read["warnings"]),
                "provenance": provenance
                and Provenance(**provenance | {"sources": tuple(provenance["sources"])}),
            }
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ParameterError(f"this is no result that quiff wrote as JSON: {error}") from None


def _result(described: Mapping[str, Any], rows: list[Row]) -> Result:
    """Return a result and its parts, and take their rows from the list."""
    layout_of(described["name"])
    count, only = described["rows"], described["only"]
    taken = rows[:count]
    for row in taken:
        QUANTITIES[row.quantity]  # its study has registered it
    del rows[:count]
    return Result(
        described["name"],
        Rows(taken),
        {spec: READERS["api"](words) for spec, words in described["apis"].items()},
        described["population"],
        {key: _number(word) for key, word in described["words"].items()},
        payload=_numbers(described["payload"]),
        parts={name: _result(part, rows) for name, part in described["parts"].items()},
        only=None if only is None else tuple(only),
        aside=described["aside"],
    )


def _numbers(value: Any) -> Any:
    """Return what JSON held with the numbers that it has no sign for."""
    if isinstance(value, Mapping):
        return {key: _numbers(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_numbers(entry) for entry in value]
    return _number(value)


def _number(value: Any) -> Any:
    return float(value) if value in ("inf", "-inf") else value


def _row(record: Mapping[str, Any]) -> Row:
    cells = {name: record[name] for name in COLUMNS}
    for name in _NUMBERS:
        cells[name] = float(cells[name]) if isinstance(cells[name], str) else cells[name]
    cells["unit"] = cells["unit"] and READERS["unit"](cells["unit"])
    return Row(**cells)
