"""The figures of many epochs: one number of epochs, the risk over users, a call, two sites, an advertiser."""

from dataclasses import dataclass
from typing import final

from quiff.core.numbers import Number
from quiff.theory.parameters import Real


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
class CallFigures:
    """What one call of the API gives away: the topics of three epochs, sorted and each of them once.

    Attributes
    ----------
    epochs
        How many epochs a call tells about.
    leakage
        By how much the answer raises the chance to name the user.
    vulnerability
        The chance to name the user after the call.
    in_order
        The leakage of the same reports if they were told in order.
    """

    epochs: int
    leakage: Number
    vulnerability: Number
    in_order: Number


@final
@dataclass(frozen=True)
class LinkFigures:
    """How well two sites that see one report each of the same epoch find out that it is the same user.

    To the sites, users' sets are independent draws. Then it is exact if every topic is reported at the first
    site, as it is with many users, else an upper bound; who knows the list of sets links a little better.

    Attributes
    ----------
    leakage
        By how much the reports raise the chance to link a user.
    vulnerability
        The chance to link a user of the second site to the right one of the first.
    """

    leakage: Number
    vulnerability: Number


@final
@dataclass(frozen=True)
class UtilityFigures:
    """What an advertiser learns from the reports of some epochs.

    Attributes
    ----------
    epochs
        E; 0 is before any report.
    naming
        The chance to name a topic of the user's set (the paper's gain function for IBA companies,
        Sec. 4.2.2).
    reconstruction
        The chance to guess the whole set (paper, Sec. 4.2.1).
    """

    epochs: int
    naming: Number
    reconstruction: Number
