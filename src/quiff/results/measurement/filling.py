"""What random filling does to a measurement: the figures with filled topics, and without."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

from quiff.core.numbers import Number
from quiff.populations.filling import Filled
from quiff.results.measurement.rows import StagePrivacy
from quiff.results.table import Table

if TYPE_CHECKING:
    from quiff.results.measurement.measurement import Measurement


@final
@dataclass(frozen=True)
class GenuineFigures:
    """The measurement of the users all of whose topics were visited; the others are left out.

    With fewer visited topics than a set has places, a browser's report is not defined by them alone. So the
    channels of the API are measured on those users for whom they are.

    Attributes
    ----------
    users, distinct_sets, occurring_topics
        How many of them there are, and of their sets and topics.
    unique_users
        The share of them whose set nobody else of them has.
    privacy
        The probability to re-identify one of them among them, by the whole set, by a genuine topic and by a
        report.
    """

    users: int
    distinct_sets: int
    occurring_topics: int
    unique_users: Number
    privacy: tuple[StagePrivacy, ...]

    def stage(self, name: str) -> StagePrivacy:
        """Return the privacy of one stage."""
        return next(row for row in self.privacy if row.stage == name)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures by plain names, for JSON."""
        return {
            "users": self.users,
            "distinct_sets": self.distinct_sets,
            "occurring_topics": self.occurring_topics,
            "unique_users": self.unique_users,
            "privacy": {row.stage: row.leakage for row in self.privacy},
            "posterior": {row.stage: row.posterior for row in self.privacy},
        }


def population_facts(found: "Measurement") -> dict[str, Any]:
    """Return who was measured by plain names, for JSON; what is not known is None."""
    filled = found.filled
    return {
        "users": found.users,
        "distinct_sets": found.distinct_sets,
        "occurring_topics": found.occurring_topics,
        "unique_users": found.unique_users,
        "filled_users": None if filled is None else filled.filled_users,
        "filled_topics": None if filled is None else filled.filled_share,
        "users_without_visits": None if filled is None else filled.without_visits,
        "genuine_users": None if filled is None else filled.genuine_users,
        "unique_users_visited": None if filled is None else filled.unique_share,
    }


def filling_table(found: "Measurement", filled: Filled) -> Table:
    """Return the figures with filled topics beside those on visited topics."""
    genuine = found.genuine
    whole, report = found.stage("generalization"), found.stage("topics_api")
    known = filled.distinct_visited is not None and not found.weighted
    by_visited = Fraction(filled.distinct_visited or 0, filled.users) if known else None

    def of(name: str, quantity: str) -> Number | None:
        return None if genuine is None else getattr(genuine.stage(name), quantity)

    rows: tuple[tuple[object, ...], ...] = (
        ("users", found.users, found.users, filled.genuine_users),
        (
            "different sets",
            found.distinct_sets,
            filled.distinct_visited,
            None if genuine is None else genuine.distinct_sets,
        ),
        (
            "share of users with a unique topic set",
            found.unique_users,
            filled.unique_share,
            None if genuine is None else genuine.unique_users,
        ),
        (
            "re-identified by the whole set",
            whole.posterior,
            by_visited,
            of("generalization", "posterior"),
        ),
        ("re-identified by one report", report.posterior, None, of("topics_api", "posterior")),
        ("leakage of one report", report.leakage, None, of("topics_api", "leakage")),
    )
    return Table(
        "With filling, and genuine topics only",
        ("what", "with filling", "visited topics", "whole sets"),
        rows,
        (
            filled.sentence(),
            "With filling: all users and their sets, as a browser has them. Visited topics: the same without "
            "the filled topics, so that some sets are smaller. Whole sets: users without filled topics only.",
            "Reports are drawn from sets of full size: without filling, only whole sets are measured.",
        ),
    )
