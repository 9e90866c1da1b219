"""Numbers of users estimated from reports, with their errors."""

from dataclasses import dataclass
from typing import Any, final

from quiff.core.numbers import Number
from quiff.errors import counted
from quiff.results.numbers import plain
from quiff.results.table import Table
from quiff.results.tabled import OneTable


@final
@dataclass(frozen=True)
class TopicEstimate:
    """How many users have a topic, as far as reports tell.

    Attributes
    ----------
    topic, reports
        The topic, and how many users report it.
    users
        The unbiased estimate, which may lie below 0 or above the number of users.
    standard_error
        Of the estimate, as if it were the truth (clipped to what is possible).
    low, high
        The 95 % interval, clipped to what is possible.
    """

    topic: int | str
    reports: int
    users: Number
    standard_error: float
    low: float
    high: float

    def shares(self, n_users: int) -> tuple[float, float, float]:
        """Return estimate, low and high as shares of the users.

        Examples
        --------
        >>> TopicEstimate("Music", 19, 100, 20.0, 65.0, 140.0).shares(200)
        (0.5, 0.325, 0.7)
        """
        return float(self.users) / n_users, self.low / n_users, self.high / n_users

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate by plain names, without the topic, for JSON."""
        return {name: value for name, value in plain(self).items() if name != "topic"}


@final
@dataclass(frozen=True)
class PopularityEstimate(OneTable):
    """The estimated numbers of users of some topics, from one report of each user.

    Attributes
    ----------
    n_users
        How many users reported.
    topics
        The estimates.
    """

    n_users: int
    topics: tuple[TopicEstimate, ...]

    def table(self) -> Table:
        """Return the estimates as a table."""
        columns = ("topic", "reports", "users", "standard error", "low", "high")
        return Table(
            f"Estimated users of each topic, from one report each of {counted(self.n_users, 'user')}",
            columns,
            tuple((t.topic, t.reports, t.users, t.standard_error, t.low, t.high) for t in self.topics),
            (
                "The estimate (c - N q)/(p - q) is unbiased and may lie below 0 or above N.",
                "Low and high are the ends of a 95 % interval, clipped to 0 and N.",
            ),
            ("topic",),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the estimates by plain names, for JSON."""
        return {"n_users": self.n_users, "topics": plain(self.topics)}
