"""The accounting of the data sets: rows, users, domains, and how the one follows from the other."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from quiff.papers.items import DataCheck, Item, Value
from quiff.papers.on_data import quantile, standard_deviation
from quiff.papers.settings import V1, percent, sized
from quiff.papers.tallies import Classification, Histories, Matches, Visits
from quiff.papers.verdict import Derived, Exactly, Rounded, parse_number

_RAW = "quiff treat LOG... --out DIR, on the original logs, which are not among the published tables"
_LISTS = "quiff data get NAME, for Citizen Lab's lists at commit ebd0ee8"


@dataclass(frozen=True)
class DataSet:
    """A row of the paper's tables of data sets, as printed; `quantiles` from the least to the largest."""

    key: str
    where: str
    rows: str
    users: str
    quantiles: str
    mean: str
    sigma: str


_TREATED, _EXPERIMENTS = "Tab. datasets-treated", "Tab. datasets-experiments"
DATA_SETS = (
    DataSet(
        "original", f"{_TREATED}, Original", "36 389 567", "657 426",
        "1,5,17,52,228,566,279 430", "55.35", "367.22",
    ),
    DataSet(
        "treated", f"{_TREATED}, Treated", "19 426 293", "521 607",
        "1,3,10,33,160,404,150 802", "37.24", "226.67",
    ),
    DataSet(
        "reduced-citizen-lab", f"{_TREATED}, Reduced (Citizen Lab)", "3 135 270", "342 003",
        "1,1,3,8,34,92,23 505", "9.17", "46.00",
    ),
    DataSet(
        "reduced-google-v1", f"{_TREATED}, Reduced (Google v1)", "2 493 895", "325 383",
        "1,1,3,7,28,71,19 011", "7.66", "37.29",
    ),
    DataSet(
        "experimental", f"{_EXPERIMENTS}, Experimental", "19 154 979", "436 005",
        "2,5,14,42,181,439,6 227", "43.93", "95.04",
    ),
    DataSet(
        "experimental-citizen-lab", f"{_EXPERIMENTS}, Experimental (Citizen Lab)", "2 847 578", "211 313",
        "2,3,6,13,47,116,2 516", "13.48", "27.13",
    ),
    DataSet(
        "experimental-google-v1", f"{_EXPERIMENTS}, Experimental (Google v1)", "2 243 660", "198 023",
        "2,3,6,12,38,90,933", "11.33", "20.18",
    ),
)  # fmt: skip
SHARES = {"min": 0.0, "q25": 0.25, "q50": 0.5, "q75": 0.75, "q95": 0.95, "q99": 0.99, "max": 1.0}

# From which table, and by whom and by what it shrinks: users with one domain, their records, the outlier's.
_SHRINKING = (
    ("experimental", "App. B.4.1", "treated", "85 601", "120 512", "150 802"),
    ("experimental-citizen-lab", "App. B.4.2", "reduced-citizen-lab", "130 689", "264 187", "23 505"),
    ("experimental-google-v1", "App. B.4.3", "reduced-google-v1", "127 359", "231 224", "19 011"),
)
_BY_KEY = {data_set.key: data_set for data_set in DATA_SETS}


def from_table(table: str, compute: Callable[..., Value], *others: str, rounded: bool = False) -> DataCheck:
    """Return a check on published tables: exact, or rounded as printed.

    >>> check = from_table("treated", lambda visits: sum(visits.visits))
    >>> check.on({}) is None
    True
    """
    how = Rounded if rounded else Exactly
    return DataCheck((table, *others), lambda *read: how(lambda: compute(*read)))


def _command(key: str) -> str:
    return _RAW if key == "original" else "quiff paper --data DIR, or quiff stats TABLE"


def _quantile_check(key: str, share: float) -> DataCheck:
    return from_table(key, lambda table: quantile(table.visits, share), rounded=True)


def _statistics(data: DataSet) -> Iterator[Item]:
    for (name, share), printed in zip(SHARES.items(), data.quantiles.split(","), strict=True):
        check, where = _quantile_check(data.key, share), f"{data.where}, {name}"
        yield Item(f"{data.key}-{name}", where, printed, data=check, command=_command(data.key))
    yield Item(
        f"{data.key}-mean", f"{data.where}, mean", data.mean,
        Derived(lambda rows, users: rows / users, (data.rows, data.users)),
        "rows over users",
        data=from_table(data.key, lambda table: Fraction(sum(table.visits), len(table.visits)), rounded=True),
    )  # fmt: skip
    yield Item(
        f"{data.key}-sigma", f"{data.where}, sigma", data.sigma, command=_command(data.key),
        data=from_table(data.key, lambda table: standard_deviation(table.visits), rounded=True),
    )  # fmt: skip


def _sizes() -> Iterator[Item]:
    for key, where in (
        ("original", "App. B"),
        ("treated", "App. B.1"),
        ("reduced-citizen-lab", "App. B.2"),
        ("reduced-google-v1", "App. B.3"),
    ):
        data, command = _BY_KEY[key], _command(key)
        where = f"{data.where}; {where}"
        yield Item(
            f"{key}-rows", where, data.rows, data=from_table(key, lambda t: sum(t.visits)), command=command
        )
        yield Item(
            f"{key}-users", where, data.users, data=from_table(key, lambda t: len(t.visits)), command=command
        )
    domains: Callable[[Visits | Histories], int] = lambda table: len(table.domains)  # noqa: E731
    topics: Callable[[Visits | Histories], int] = lambda table: len(table.topics)  # noqa: E731
    yield Item("original-urls", f"{_BY_KEY['original'].where}; App. B", "1 632 789", command=_RAW)
    yield Item("original-rows-without-url", "App. B.1", "16 946 938", command=_RAW)
    for key, name, printed, count in (
        ("treated", "domains", "1 300 484", domains),
        ("reduced-citizen-lab", "topics", "31", topics),
        ("reduced-google-v1", "topics", "171", topics),
        ("experimental", "domains", "1 291 534", domains),
        ("experimental-citizen-lab", "domains", "4 872", domains),
        ("experimental-citizen-lab", "topics", "31", topics),
        ("experimental-google-v1", "domains", "2 652", domains),
        ("experimental-google-v1", "topics", "169", topics),
    ):
        where = _BY_KEY[key].where
        yield Item(f"{key}-{name}", where, printed, data=from_table(key, count), command=_command(key))


def _shrinking() -> Iterator[Item]:
    command = "quiff paper --data DIR, or quiff experiment HISTORY --out DIR"
    for key, where, before, singletons, records, outlier in _SHRINKING:
        after, source = _BY_KEY[key], _BY_KEY[before]
        place = f"{where} and {after.where}"
        yield Item(
            f"{key}-users", place, after.users, Exactly(_difference(source.users, singletons, "1")),
            f"{source.users} - {singletons} - 1", data=from_table(key, lambda table: len(table.visits)),
        )  # fmt: skip
        yield Item(
            f"{key}-records", where, after.rows, Exactly(_difference(source.rows, records, outlier)),
            f"{source.rows} - {records} - {outlier}", data=from_table(key, lambda table: sum(table.visits)),
        )  # fmt: skip
        for name, printed, check in (
            ("singletons", singletons, from_table(before, lambda table: len(table.singletons))),
            ("singletons-records", records, from_table(before, lambda table: sum(table.singletons))),
            ("outlier-records", outlier, from_table(before, lambda table: max(table.visits))),
        ):
            yield Item(f"{key}-{name}", where, printed, data=check, command=command)


def _difference(first: str, *others: str) -> Callable[[], Value]:
    return lambda: parse_number(first) - sum(map(parse_number, others))


def _classified() -> Iterator[Item]:
    for key, where, total, full, partial in (
        ("citizen-lab", "App. B.2", "4 969", "3 575", "1 394"),
        ("google-v1", "App. B.3", "2 718", "1 444", "1 274"),
    ):
        command = "quiff paper --data DIR, or quiff classify TREATED --with FILE --out DIR"
        full_check = from_table(f"matches-{key}", _full)
        partial_check = from_table(f"matches-{key}", lambda matches: matches.partial)
        yield Item(
            f"matched-domains-{key}", f"{where} and {_TREATED}", total,
            Derived(lambda a, b: a + b, (full, partial)),
            "full and partial matches", data=from_table(f"reduced-{key}", lambda table: len(table.domains)),
        )  # fmt: skip
        yield Item(f"matched-full-{key}", where, full, data=full_check, command=command)
        yield Item(f"matched-partial-{key}", where, partial, data=partial_check, command=command)
    data = "quiff paper --data DIR"
    yield Item(
        "matched-unclassified-google-v1", "App. B.3", "101", command=data,
        data=from_table("treated", _unclassified, "classification-google-v1"),
    )  # fmt: skip
    rows: Callable[[Classification], int] = lambda table: len(table.topics)  # noqa: E731
    where = "Sec. 5.1.3 and App. B.2"
    yield Item("citizen-lab-rows", "App. B.2", "41 209", command=_LISTS)
    yield Item("citizen-lab-urls", where, "33 861", command=_LISTS)
    yield Item(
        "citizen-lab-categories", where, "31", command=data,
        data=from_table("classification-citizen-lab", lambda table: len(set().union(*table.topics.values()))),
    )  # fmt: skip
    yield Item(
        "citizen-lab-domains",
        where,
        "27 792",
        command=data,
        data=from_table("classification-citizen-lab", rows),
    )
    where = "Sec. 5.1.4 and App. B.3"
    yield Item(
        "google-v1-rows", where, "9 046", command=data, data=from_table("classification-google-v1", rows)
    )
    yield Item(
        "google-v1-unclassified", "Sec. 5.1.4", "1 315", command=data,
        data=from_table("classification-google-v1", lambda table: len(table.unclassified)),
    )  # fmt: skip
    yield sized("taxonomy-v1-size", f"{where}, Sec. 6", "349", V1)


def _full(matches: Matches) -> int:
    return matches.full


def _unclassified(treated: Visits, classification: Classification) -> int:
    return len(treated.domains & classification.unclassified)


def _days() -> int:
    return (date(2006, 5, 31) - date(2006, 3, 1)).days + 1


def _outlier() -> Iterator[Item]:
    why = "1 March to 31 May, both included, is 92 days, not 91."
    for tag, where in (("", "Sec. 5.1.2, footnote on the outlier"), ("-appendix", "App. B.4, second step")):
        yield Item(
            f"outlier-visits-per-hour{tag}", where, "69", Rounded(lambda: Fraction(150_802, 24 * _days())),
            "150 802 visits in 92 days of 24 hours", why,
        )  # fmt: skip
        yield Item(f"outlier-days{tag}", where, "91", Exactly(_days), "days from 1 March to 31 May", why)


def _size(key: str, printed: str, data: DataSet) -> Item:
    check = Derived(lambda part, whole: percent(part / whole), (data.rows, DATA_SETS[0].rows))
    return Item(key, "Sec. 5.1.1", printed, check, "rows over those of the original")


ITEMS = (
    _size("size-smallest", "6.17%", _BY_KEY["experimental-google-v1"]),
    _size("size-largest", "53.38%", _BY_KEY["treated"]),
    *_outlier(),
    Item(
        "experimental-other-users-most", "Sec. 5.1.2, footnote on the outlier; App. B.4", "6 227",
        data=from_table("experimental", lambda table: max(table.visits)), command=_command("experimental"),
    ),
    *_sizes(),
    *_shrinking(),
    *_classified(),
    *(item for data_set in DATA_SETS for item in _statistics(data_set)),
)  # fmt: skip
