"""Several APIs on one population: what each step of each gives away, and what it is good for."""

from dataclasses import dataclass
from typing import Any, final

from quiff.core.numbers import Number
from quiff.results.figures.figure import Figure
from quiff.results.figures.trade_off import trade_off_figure
from quiff.results.table import Table

__all__ = ["ApiComparison", "StageFigures"]


@final
@dataclass(frozen=True)
class StageFigures:
    """One step of one API on a population.

    Attributes
    ----------
    api, stage
        Their names.
    posterior
        The chance to name the user after this step, all users being equally likely before.
    leakage
        That chance against 1/N; under the uniform prior it is the step's average-case capacity, too.
    epsilon
        Local differential privacy of the step, for users as inputs.
    utility
        The chance to name a topic of the user's set after a report; only for the last step.
    """

    api: str
    stage: str
    posterior: Number
    leakage: Number
    epsilon: float
    utility: Number | None = None


@final
@dataclass(frozen=True)
class ApiComparison:
    """The steps of several APIs on one population, from least to most processed.

    Attributes
    ----------
    users, distinct_sets
        The size of the population.
    prior_utility
        The chance to name a topic of a user's set without any report: that of the most popular topic.
    stages
        All steps of all APIs.
    """

    users: int
    distinct_sets: int
    prior_utility: Number
    stages: tuple[StageFigures, ...]

    def table(self) -> Table:
        """Return the comparison as a table."""
        columns = ("API", "step", "chance to name the user", "leakage", "epsilon", "utility")
        rows = tuple((s.api, s.stage, s.posterior, s.leakage, s.epsilon, s.utility) for s in self.stages)
        return Table(
            f"{self.users} users with {self.distinct_sets} different sets",
            columns,
            rows,
            (
                "Leakage is by how much a step raises the chance to name the user over 1/N.",
                f"Utility is the chance to name a topic of the user's set; without a report it is "
                f"{float(self.prior_utility):.6g}.",
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison by plain names, for JSON."""
        return {
            "users": self.users,
            "distinct_sets": self.distinct_sets,
            "prior_utility": self.prior_utility,
            "stages": list(self.stages),
        }

    def figure(self) -> Figure:
        """Return the figure of privacy against utility, one mark an API."""
        last = [(s.api, s.leakage, s.utility) for s in self.stages if s.utility is not None]
        return trade_off_figure(last, self.prior_utility, self.users)

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()
