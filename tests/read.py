"""What tests ask of a study, put together from rows: of a `Result`, or of the JSON of a command.

Every function reads rows alone, by their columns; none reads words.
"""

from collections.abc import Mapping

QUANTILES = {
    "mean": "risk_mean",
    "median": "risk_median",
    "p95": "risk_95",
    "p99": "risk_99",
    "max": "risk_max",
}
BOUNDS = ("at_least", "at_most", "limit", "bound")


def records(result):
    """Return the rows as mappings, without those of the users who have no filled-in topics."""
    rows = result["rows"] if isinstance(result, Mapping) else result.rows.to_records()
    return [row for row in rows if row["scope"] != "genuine"]


def genuine(result):
    """Return the rows of the users without filled-in topics, as mappings."""
    rows = result["rows"] if isinstance(result, Mapping) else result.every_row.to_records()
    return [row for row in rows if row["scope"] == "genuine"]


def value_of(rows, quantity):
    """Return the value of a quantity that may stand there once; None if it does not."""
    values = [row["value"] for row in rows if row["quantity"] == quantity]
    assert len(values) <= 1, (quantity, values)
    return values[0] if values else None


def by_observations(rows):
    """Return rows by their number of observations."""
    after = {}
    for row in sorted(rows, key=lambda row: row["observations"]):
        after.setdefault(row["observations"], []).append(row)
    return after


def leakages(result):
    """Return what is known of the leakage after 1, 2, ... observations, in their order."""
    return list(map(_leakage, by_observations(_of_users(result)).values()))


def _of_users(result):
    rows = [row for row in records(result) if row["goal"] in ("user", "")]
    after = {row["observations"] for row in rows if row["quantity"] == "leakage"}
    return [row for row in rows if row["observations"] in after]


def _leakage(rows):
    (leakage,) = (row for row in rows if row["quantity"] == "leakage")
    (posterior,) = (row for row in rows if row["quantity"] == "posterior")
    value = leakage["value"]
    assert (leakage["low"] is None) == (leakage["high"] is None) == (leakage["method"] == "exact")
    assert leakage["method"] == posterior["method"]
    return {
        "observations": leakage["observations"],
        "leakage": value,
        "vulnerability": posterior["value"],
        "low": value if leakage["low"] is None else leakage["low"],
        "high": value if leakage["high"] is None else leakage["high"],
        "method": leakage["method"],
        "epsilon": value_of(rows, "epsilon"),
        "max_case_capacity": value_of(rows, "max_case_capacity"),
        **{name: value_of(rows, f"leakage_{name}") for name in BOUNDS},
    }


def risks(result):
    """Return how users' own risks are spread after 1, 2, ... observations; users_above is a share."""
    rows = by_observations(row for row in records(result) if row["quantity"].startswith(("risk_", "users_")))
    return [
        {"observations": n, "users_above": value_of(some, "users_above")}
        | {name: value_of(some, quantity) for name, quantity in QUANTILES.items()}
        for n, some in rows.items()
    ]


def occasion(result, key):
    """Return leakage and probability of success on an occasion such as ``call``; None if it is not known."""
    rows = [row for row in records(result) if row["stage"] == key]
    if not rows:
        return None
    return {"leakage": value_of(rows, "leakage"), "vulnerability": value_of(rows, "posterior")}


def learned(result, goal):
    """Return what a receiver learns of a goal by 0, 1, 2, ... observations; empty if it is not known."""
    rows = [row for row in records(result) if row["goal"] == goal]
    after = by_observations(row for row in rows if row["quantity"] == "goal_posterior")
    before = {row["value"] for row in rows if row["quantity"] == "goal_prior"}
    assert list(after) == list(range(1, len(after) + 1))
    assert len(before) == min(1, len(after))
    return [*before, *(value_of(some, "goal_posterior") for some in after.values())]
