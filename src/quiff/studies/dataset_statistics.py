"""The paper's dataset tables for a table of any stage, and how they are shown."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, final

from quiff.errors import ParameterError, counted
from quiff.logs.stats import Statistics
from quiff.results.figures.charts import Axis, curves
from quiff.results.figures.figure import Figure
from quiff.results.small_cells import large_cells
from quiff.results.table import Table
from quiff.results.tabled import Tabled

_SIZES = {"q25": "25%", "q50": "50%", "q75": "75%", "q95": "95%", "q99": "99%", "deviation": "sd"}
_SHOWN = 10  # counts of records that the table for people has


@final
@dataclass(frozen=True)
class DatasetStatistics(Tabled):
    """What a table of some stage holds (paper, Sec. 5.1 and App. D), as tables, JSON and a figure.

    Examples
    --------
    >>> from quiff.logs.stats import Statistics, sizes_of_counts
    >>> counts = ((1, 2), (4, 1))
    >>> found = Statistics("treated", 6, 3, domains=2, sizes=sizes_of_counts(counts), users_per_count=counts)
    >>> print(DatasetStatistics(found).tables()[0].to_text())
    Table of the stage treated
    what     value
    rows         6
    users        3
    domains      2
    """

    statistics: Statistics
    least: int = 1  # how many users at least a count in a table is of

    def tables(self) -> list[Table]:
        """Return the counts, the sizes of histories, users per count, and the most visited domains."""
        return [self._counts(), *self._records(), *self._most_visited()]

    def to_dict(self) -> dict[str, object]:
        """Return the figures by plain names, for JSON."""
        return asdict(self.statistics)

    def figure(self) -> Figure:
        """Draw the share of users that have at least so many records.

        Raises
        ------
        ParameterError
            If the table has no records by user.
        """
        statistics = self.statistics
        if statistics.sizes is None:
            raise ParameterError(
                f"a table of the stage {statistics.stage} has no records to draw",
                what="stage",
                value=statistics.stage,
            )
        total = left = sum(users for _, users in statistics.users_per_count)
        points: list[dict[str, Any]] = []
        drawn = total + self.least
        for records, users in statistics.users_per_count:
            if drawn - left >= self.least and (left >= self.least or not points):
                points.append({"series": "users", "records": records, "share": left / total})
                drawn = left
            left -= users
        quantiles = {"median": statistics.sizes.q50, "95%": statistics.sizes.q95, "99%": statistics.sizes.q99}
        dots = [
            {"name": name, "records": records, "share": _share(points, records)}
            for name, records in quantiles.items()
            if records <= points[-1]["records"]
        ]
        across = Axis("records", "records of a user (log scale)", "log", 1)
        up = Axis("share", "share of users with at least so many (log scale)", "log", most=1)
        chart = curves(points, across, up, ["users"], dots=dots, step="step-before", size=(480, 300))
        return Figure.of(f"Records of {counted(total, 'user')} ({statistics.stage})", chart)

    def _counts(self) -> Table:
        statistics = self.statistics
        counts = (
            ("rows", statistics.rows),
            ("malformed lines", statistics.malformed),
            ("users", statistics.users),
            ("URLs", statistics.urls),
            ("domains", statistics.domains),
            *((f"domains of {k} labels", n) for k, n in (statistics.domains_by_labels or {}).items()),
            ("topics", statistics.topics),
            ("distinct sets", statistics.distinct_sets),
            ("first", statistics.first),
            ("last", statistics.last),
        )
        rows = tuple((name, value) for name, value in counts if value is not None)
        return Table(f"Table of the stage {statistics.stage}", ("what", "value"), rows)

    def _records(self) -> list[Table]:
        statistics = self.statistics
        if statistics.sizes is None:
            return []
        sizes = asdict(statistics.sizes)
        names = tuple(_SIZES.get(name, name) for name in sizes)
        users = [pair[1] for pair in statistics.users_per_count]
        listed, few, telling = large_cells(statistics.users_per_count, users, self.least)
        first, more = tuple(listed[:_SHOWN]), max(0, len(listed) - _SHOWN)
        notes = [f"{more} more counts up to {statistics.sizes.max}; the JSON has them all."] if more else []
        notes += [f"{few} counts of fewer than {self.least} users each{telling} are left out."] if few else []
        return [
            Table("Records of a user", names, (tuple(sizes.values()),)),
            Table("Users per count of records", ("records", "users"), first, tuple(notes)),
        ]

    def _most_visited(self) -> list[Table]:
        most, visitors = self.statistics.most_visited, self.statistics.visitors
        listed = tuple(row for row, users in zip(most, visitors, strict=True) if users >= self.least)
        few = len(most) - len(listed)
        notes = (f"Left out: {counted(few, 'domain')} of fewer than {self.least} users.",) if few else ()
        return [Table("Most visited domains", ("domain", "records"), listed, notes)] if most else []


def _share(points: Sequence[dict[str, Any]], records: float) -> Any:
    """Return the share of users with at least so many records, where the curve has it."""
    return next(point["share"] for point in points if point["records"] >= records)
