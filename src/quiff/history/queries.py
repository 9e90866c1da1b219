"""Small answers from an engine, as plain Python values."""

from typing import Any

__all__ = ["distinct_entries", "fetch_rows", "scalar"]


def scalar(con: Any, expression: Any) -> Any:
    """Compute one value."""
    (value,) = fetch_rows(con, expression.name("value").as_table())[0].values()
    return value


def fetch_rows(con: Any, expression: Any) -> list[dict[str, Any]]:
    """Compute a small table and return its rows."""
    if con.name == "duckdb":
        rows = con.to_pyarrow(expression)
    else:  # Ibis would go by way of pandas
        con._run_pre_execute_hooks(expression)
        rows = con._session.sql(con.compile(expression)).toArrow()
    listed: list[dict[str, Any]] = rows.to_pylist()
    return listed


def distinct_entries(con: Any, lists: Any) -> int:
    """Count the distinct entries of a column of lists."""
    entries = lists.unnest().name("entry").as_table()
    return int(scalar(con, entries.distinct().count()))
