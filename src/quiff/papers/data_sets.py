"""The accounting of the data sets: rows, users, domains, and how the one follows from the other."""

from collections.abc import Callable
from datetime import date
from fractions import Fraction
from operator import truediv

from quiff.papers.items import PRINTED, Check, DataCheck, Value
from quiff.papers.settings import V1, percent, sized
from quiff.papers.verdict import Derived, Exactly, Rounded, parse_number

# The table of the paper in which each stands, and under which name.
DATA_SETS = {
    "original": ("datasets-treated", "Original"),
    "treated": ("datasets-treated", "Treated"),
    "reduced-citizen-lab": ("datasets-treated", "Reduced (Citizen Lab)"),
    "reduced-google-v1": ("datasets-treated", "Reduced (Google v1)"),
    "experimental": ("datasets-experiments", "Experimental"),
    "experimental-citizen-lab": ("datasets-experiments", "Experimental (Citizen Lab)"),
    "experimental-google-v1": ("datasets-experiments", "Experimental (Google v1)"),
}
SHARES = {"min": 0.0, "q25": 0.25, "q50": 0.5, "q75": 0.75, "q95": 0.95, "q99": 0.99, "max": 1.0}
# The table from which each is made, less users with one domain only and the outlier.
_MADE_FROM = {
    "experimental": "treated",
    "experimental-citizen-lab": "reduced-citizen-lab",
    "experimental-google-v1": "reduced-google-v1",
}


def from_table(table: str, compute: Callable[..., Value], *others: str, rounded: bool = False) -> DataCheck:
    """Return a check on published tables: exact, or rounded as printed."""
    how = Rounded if rounded else Exactly
    return DataCheck((table, *others), lambda *read: how(lambda: compute(*read)))


def _rows(key: str) -> str:
    """Return the id of the number of rows of a data set."""
    return f"{key}-records" if key in _MADE_FROM else f"{key}-rows"


def _quantile(visits: list[int], share: float) -> float:
    import numpy as np

    return float(np.quantile(visits, share))


def _sigma(visits: list[int]) -> float:
    """Return the sample standard deviation, infinite for less than two numbers."""
    import numpy as np

    return float(np.std(visits, ddof=1)) if len(visits) > 1 else float("inf")


def _quantile_check(key: str, share: float) -> DataCheck:
    return from_table(key, lambda table: _quantile(table.visits, share), rounded=True)


def _on_visits(key: str) -> dict[str, DataCheck]:
    """Return the checks of the figures on the visits of a data set's users."""
    return {
        _rows(key): from_table(key, lambda table: sum(table.visits)),
        f"{key}-users": from_table(key, lambda table: len(table.visits)),
        **{f"{key}-{name}": _quantile_check(key, share) for name, share in SHARES.items()},
        f"{key}-mean": from_table(key, lambda t: Fraction(sum(t.visits), len(t.visits)), rounded=True),
        f"{key}-sigma": from_table(key, lambda table: _sigma(table.visits), rounded=True),
    }


def _on_removed(key: str, before: str) -> dict[str, DataCheck]:
    """Return the checks of what was left out of one data set to make another."""
    return {
        f"{key}-singletons": from_table(before, lambda table: len(table.singletons)),
        f"{key}-singletons-records": from_table(before, lambda table: sum(table.singletons)),
        f"{key}-outlier-records": from_table(before, lambda table: max(table.visits)),
    }


def _on_matches(key: str) -> dict[str, DataCheck]:
    return {
        f"matched-domains-{key}": from_table(f"reduced-{key}", lambda table: len(table.domains)),
        f"matched-full-{key}": from_table(f"matches-{key}", lambda matches: matches.full),
        f"matched-partial-{key}": from_table(f"matches-{key}", lambda matches: matches.partial),
    }


def _derived(compute: Callable[..., Value], *ids: str) -> Derived:
    return Derived(compute, tuple(PRINTED[id_] for id_ in ids))


def _difference(first: str, *others: str) -> Exactly:
    return Exactly(lambda: parse_number(first) - sum(map(parse_number, others)))


def _shrunk(key: str, before: str) -> dict[str, Check]:
    """Return the checks of a data set's size by what was left out: users with one domain, and the outlier."""
    users, records = PRINTED[f"{before}-users"], PRINTED[_rows(before)]
    singletons, outlier = PRINTED[f"{key}-singletons-records"], PRINTED[f"{key}-outlier-records"]
    return {
        f"{key}-users": _difference(users, PRINTED[f"{key}-singletons"], "1"),
        f"{key}-records": _difference(records, singletons, outlier),
    }


def _days() -> int:
    return (date(2006, 5, 31) - date(2006, 3, 1)).days + 1


def _share_of_original(key: str) -> Derived:
    return _derived(lambda part, whole: percent(part / whole), _rows(key), "original-rows")


_PER_HOUR = Rounded(lambda: Fraction(150_802, 24 * _days()))

CHECKS: dict[str, Check] = {
    "size-smallest": _share_of_original("experimental-google-v1"),
    "size-largest": _share_of_original("treated"),
    **{f"outlier-visits-per-hour{tag}": _PER_HOUR for tag in ("", "-appendix")},
    **{f"outlier-days{tag}": Exactly(_days) for tag in ("", "-appendix")},
    **{
        f"matched-domains-{key}": _derived(
            lambda a, b: a + b, f"matched-full-{key}", f"matched-partial-{key}"
        )
        for key in ("citizen-lab", "google-v1")
    },
    "taxonomy-v1-size": sized(V1),
    **{f"{key}-mean": _derived(truediv, _rows(key), f"{key}-users") for key in DATA_SETS},
}
DATA: dict[str, DataCheck] = {
    "experimental-other-users-most": from_table("experimental", lambda table: max(table.visits)),
    **{
        f"{key}-domains": from_table(key, lambda table: len(table.domains))
        for key in ("treated", "experimental", "experimental-citizen-lab", "experimental-google-v1")
    },
    **{
        f"{key}-topics": from_table(key, lambda table: len(table.topics))
        for key in DATA_SETS
        if key.endswith(("citizen-lab", "google-v1"))
    },
    "matched-unclassified-google-v1": from_table(
        "treated",
        lambda treated, listed: len(treated.domains & listed.unclassified),
        "classification-google-v1",
    ),
    "citizen-lab-categories": from_table(
        "classification-citizen-lab", lambda table: len(set().union(*table.topics.values()))
    ),
    "citizen-lab-domains": from_table("classification-citizen-lab", lambda table: len(table.topics)),
    "google-v1-rows": from_table("classification-google-v1", lambda table: len(table.topics)),
    "google-v1-unclassified": from_table("classification-google-v1", lambda table: len(table.unclassified)),
}
for _key in DATA_SETS:
    DATA |= _on_visits(_key)
for _key, _before in _MADE_FROM.items():
    CHECKS |= _shrunk(_key, _before)
    DATA |= _on_removed(_key, _before)
for _key in ("citizen-lab", "google-v1"):
    DATA |= _on_matches(_key)
