"""The mechanisms of least capacity for one population, beside the Topics API at the same utility."""

from dataclasses import dataclass
from typing import Any, final

from quiff.apis.fitted import FittedAPI
from quiff.errors import counted
from quiff.results.numbers import plain, rounded
from quiff.results.table import Table
from quiff.results.tabled import OneTable
from quiff.theory.design import Design


@final
@dataclass(frozen=True, eq=False)
class FittedDesign:
    """A mechanism made for a population, evaluated on all of its users.

    Attributes
    ----------
    aim
        Whose utility is kept up: the average user's or the worst-off user's.
    api
        The mechanism.
    capacity, least_capacity
        Its Bayes capacity, and a proven lower bound on that of any mechanism that keeps to the floor.
    utility, worst_utility
        The chance that a report is a topic of the set, for the average and for the worst-off user.
    top_ten
        The share of reports that are genuine and name one of its ten most reported topics.
    """

    aim: str
    api: FittedAPI
    capacity: float
    least_capacity: float
    utility: float
    worst_utility: float
    top_ten: float


@final
@dataclass(frozen=True, eq=False)
class PopulationDesign(OneTable):
    """What the best mechanisms for a population leak at a utility floor.

    Attributes
    ----------
    users, distinct_sets, fitted_on
        The population, and how many of its distinct sets the average user's program saw.
    floor
        The utility that is kept.
    topics
        The Topics API with the noise that gives the same utility.
    fitted
        The mechanisms, for the average and for the worst-off user.
    prior_gain
        The chance to name a topic of a user's set without any report.
    """

    users: int
    distinct_sets: int
    fitted_on: int
    floor: float
    topics: Design
    fitted: tuple[FittedDesign, ...]
    prior_gain: float

    def caveat(self) -> str:
        """Return what the numbers do not say."""
        share = max(fitted.top_ten for fitted in self.fitted)
        return (
            "This utility rewards always naming popular topics: naming the most popular one without any"
            f" report is right for {self.prior_gain:.1%} of users, and up to {share:.1%} of the reports of"
            " these mechanisms name one of ten topics. They fit these people only."
        )

    def table(self) -> Table:
        """Return the mechanisms as a table."""
        columns = ("mechanism", "capacity", "at least", "utility", "worst-off user's utility")
        topics = self.topics
        rows: list[tuple[Any, ...]] = [
            (
                f"Topics API, noise {rounded(topics.noise, 4)}",
                float(topics.bayes_capacity),
                None,
                float(topics.utility),
                float(topics.utility),
            ),
            *(
                (f"fitted to the {f.aim}", f.capacity, f.least_capacity, f.utility, f.worst_utility)
                for f in self.fitted
            ),
        ]
        sampled = f" (the average user's on {self.fitted_on})" if self.fitted_on < self.distinct_sets else ""
        notes = (
            f"Fitted on {counted(self.distinct_sets, 'distinct set')}{sampled}, evaluated on "
            f"{counted(self.users, 'user')}.",
            "'at least' is a proven lower bound for any mechanism that keeps up this utility.",
            self.caveat(),
        )
        return Table(f"Least capacity at a utility of {rounded(self.floor, 6)}", columns, tuple(rows), notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the mechanisms by plain names, for JSON."""
        return {
            "users": self.users,
            "distinct_sets": self.distinct_sets,
            "fitted_on": self.fitted_on,
            "utility": self.floor,
            "topics_api": plain(self.topics),
            "fitted": [
                {
                    "aim": f.aim,
                    "capacity": f.capacity,
                    "least_capacity": f.least_capacity,
                    "utility": f.utility,
                    "worst_utility": f.worst_utility,
                    "weights": {str(topic): weight for topic, weight in f.api.weights.items()},
                }
                for f in self.fitted
            ],
            "caveat": self.caveat(),
        }
