"""The leakage over many epochs: one row for each number of epochs, and how the risk is spread over users."""

from dataclasses import dataclass
from typing import Any, final

from quiff.core.numbers import Number
from quiff.results.figures.epochs import epochs_figure
from quiff.results.figures.figure import Figure
from quiff.results.numbers import shown
from quiff.results.table import Table
from quiff.theory.parameters import Real

__all__ = ["EpochFigures", "EpochsResult", "RiskSpread"]


@final
@dataclass(frozen=True)
class EpochFigures:
    """What the reports of some epochs give away.

    Attributes
    ----------
    epochs
        E.
    leakage
        By how much the reports raise the chance to name the user.
    vulnerability
        The chance to name the user after the reports.
    method
        ``exact``, ``hybrid`` (partly sampled) or ``monte-carlo`` (sampled).
    low, high
        An interval of 95 % for the leakage, cut to what is certain; where it is exact, the leakage itself.
    at_least, at_most
        Between these the leakage lies for certain.
    epsilon, max_case_capacity
        The worst case over all pairs of users and all reports, exactly.
    bound
        An upper bound on the leakage from the parameters alone.
    limit
        The leakage if sets were reported as they are, which reports over many epochs tend to; for users who
        are equally likely, the number of different profiles.
    distinct_profiles
        How many different sequences of sets there are.
    """

    epochs: int
    leakage: Number
    vulnerability: Number
    method: str
    low: Number
    high: Number
    at_least: Number
    at_most: Number
    epsilon: float
    max_case_capacity: Number
    bound: Real
    limit: Number
    distinct_profiles: int


@final
@dataclass(frozen=True)
class RiskSpread:
    """How the chance to be named is spread over the users, after some epochs.

    Attributes
    ----------
    epochs
        E, at most 3.
    mean, median, p95, p99, max
        Of the users' own risks; each user counts once.
    above_half
        How many users are named more often than not.
    quantiles
        The risk that 0 %, 1 %, ..., 100 % of the users stay below or at.
    """

    epochs: int
    mean: float
    median: float
    p95: float
    p99: float
    max: float
    above_half: int
    quantiles: tuple[float, ...]

    def to_dict(self) -> dict[str, float]:
        """Return the figures by their names, for JSON."""
        return {
            "epochs": self.epochs,
            "mean": self.mean,
            "median": self.median,
            "p95": self.p95,
            "p99": self.p99,
            "max": self.max,
            "above_half": self.above_half,
        }


@final
@dataclass(frozen=True)
class EpochsResult:
    """The leakage of the Topics API over 1, ..., E epochs on one population.

    Attributes
    ----------
    users, n_topics, top_s, noise
        N, m, s and r.
    cookies
        The leakage of something that tells all users apart, as third-party cookies are taken to do.
    stable
        Whether each user keeps one set over all epochs.
    weighted
        Whether users are not equally likely.
    epochs
        One row for each number of epochs.
    risks
        How the risk is spread over users, for up to three epochs.
    plan
        How the figures were found, in sentences.
    """

    users: int
    n_topics: int
    top_s: int
    noise: Real
    cookies: Number
    stable: bool
    weighted: bool
    epochs: tuple[EpochFigures, ...]
    risks: tuple[RiskSpread, ...]
    plan: tuple[str, ...] = ()

    @property
    def risk(self) -> RiskSpread:
        """The spread of the risk at the largest number of epochs for which it is known."""
        return self.risks[-1]

    @property
    def distinct_profiles(self) -> int:
        """How many different sequences of sets there are over all epochs."""
        return self.epochs[-1].distinct_profiles

    def table(self) -> Table:
        """Return the leakage over epochs as a table."""
        rows = tuple(
            (
                row.epochs, row.leakage, row.low, row.high, row.at_least, row.at_most, row.vulnerability,
                row.method, row.epsilon, row.max_case_capacity, row.bound,
            )
            for row in self.epochs
        )  # fmt: skip
        columns = (
            "epochs", "leakage", "low", "high", "at least", "at most", "chance to name the user", "method",
            "epsilon", "max-case capacity", "bound",
        )  # fmt: skip
        sets = "sets that stay the same" if self.stable else "the sets of each epoch"
        prior = "users by their weights" if self.weighted else "all users equally likely"
        return Table(
            f"{self.users} users, {sets}, {prior}",
            columns,
            rows,
            (
                f"There are {self.distinct_profiles} different profiles, which no number of reports can go "
                f"beyond: they leak {shown(self.epochs[-1].limit)}. Cookies leak {shown(self.cookies)}.",
                "low, high: an interval of 95 % where the leakage is sampled; at least, at most: certain.",
                "bound: an upper bound from the parameters alone.",
                *self.plan,
            ),
        )

    def risk_table(self) -> Table:
        """Return how the risk is spread over users as a table."""
        return Table(
            "The users' own risk: the chance to be named",
            ("epochs", "mean", "median", "95 %", "99 %", "largest", "users above one half"),
            tuple((r.epochs, r.mean, r.median, r.p95, r.p99, r.max, r.above_half) for r in self.risks),
        )

    def tables(self) -> list[Table]:
        """Return both tables."""
        return [self.table(), self.risk_table()]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures by plain names, for JSON."""
        return {
            "users": self.users,
            "distinct_profiles": self.distinct_profiles,
            "n_topics": self.n_topics,
            "top_s": self.top_s,
            "noise": self.noise,
            "cookies": self.cookies,
            "stable_sets": self.stable,
            "weighted": self.weighted,
            "epochs": list(self.epochs),
            "risk": self.risk.to_dict(),
            "risks": [risk.to_dict() for risk in self.risks],
            "plan": list(self.plan),
        }

    def figure(self) -> Figure:
        """Draw the leakage against epochs, and the spread of the risk over users."""
        return epochs_figure(
            [(r.epochs, r.leakage, r.low, r.high, r.bound, r.limit) for r in self.epochs],
            [(risk.epochs, risk.quantiles) for risk in self.risks],
            self.users,
            self.cookies,
        )

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self.tables())
