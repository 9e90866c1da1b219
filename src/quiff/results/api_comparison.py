"""Several APIs or settings on one population: what each gives away, and what it is good for."""

from dataclasses import dataclass
from typing import Any, final

from quiff.core.numbers import Number
from quiff.errors import counted
from quiff.results.figures.figure import Figure
from quiff.results.figures.trade_off import trade_off_figure
from quiff.results.numbers import plain, rounded, shown
from quiff.results.table import Table
from quiff.results.tabled import OneTable, Tabled
from quiff.theory.parameters import Real

_TITLE = "What APIs give away, and what they are good for"


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
class ApiComparison(OneTable):
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
            f"{counted(self.users, 'user')} with {counted(self.distinct_sets, 'different set')}",
            columns,
            rows,
            (
                "Leakage is by how much a step raises the chance to name the user over 1/N.",
                f"Utility is the chance to name a topic of the user's set; without a report it is "
                f"{rounded(self.prior_utility, 6)}.",
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
        return trade_off_figure(f"{_TITLE}: {counted(self.users, 'user')}", last, self.prior_utility)


@final
@dataclass(frozen=True)
class SettingFigures:
    """The Topics API at one setting, on a population.

    Attributes
    ----------
    name, n_topics, top_s, noise
        The setting: its name, m, s and r.
    distinct_sets
        How many different sets of this size the users have.
    posterior, leakage
        The chance to name the user by a report, and how many times that without one.
    bayes_capacity
        The most that any population leaks: r + m(1-r)/s.
    epsilon, max_case_capacity
        Of the channel on this population; infinite without noise.
    prior_utility, utility
        The chance to name a topic of the user's set without and with a report (the paper's gain function
        for IBA companies, Sec. 4.2.2), under the population's own prior on sets.
    genuine_probability
        The chance that the reported topic is in the user's set: (1-r) + r s/m.
    prior_reconstruction, reconstruction
        The chance to name the whole set, without and with a report.
    """

    name: str
    n_topics: int
    top_s: int
    noise: Real
    distinct_sets: int
    posterior: Number
    leakage: Number
    bayes_capacity: Number
    epsilon: float
    max_case_capacity: Number
    prior_utility: Number
    utility: Number
    genuine_probability: Number
    prior_reconstruction: Number
    reconstruction: Number


@final
@dataclass(frozen=True)
class SettingComparison(Tabled):
    """Several settings of the Topics API beside each other.

    Attributes
    ----------
    users
        How many users there are.
    settings
        The figures of each setting, in the order in which they were given.
    """

    users: int
    settings: tuple[SettingFigures, ...]

    def named_tables(self) -> dict[str, Table]:
        """Return the tables by short names, such as for files."""
        return {"privacy": self._privacy_table(), "utility": self._utility_table()}

    def tables(self) -> list[Table]:
        """Return what each setting gives away, and what it is good for."""
        return list(self.named_tables().values())

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison by plain names, for JSON."""
        return {"users": self.users, "settings": plain(self.settings)}

    def figure(self) -> Figure:
        """Return the figure of privacy against utility, one mark a setting."""
        points = [(setting.name, setting.leakage, setting.utility) for setting in self.settings]
        return trade_off_figure(f"Settings of the Topics API on {counted(self.users, 'user')}", points)

    def sentences(self) -> list[str]:
        """Return which setting leaks least and which is most useful, with their figures."""
        private = min(self.settings, key=lambda setting: setting.leakage)
        useful = max(self.settings, key=lambda setting: setting.utility)
        praised: tuple[tuple[SettingFigures, str], ...] = (
            (private, "leaks least"),
            (useful, "is most useful"),
        )
        if private is useful:
            praised = ((private, "leaks least and is most useful"),)
        return [
            f"Of {counted(len(self.settings), 'setting')}, {setting.name} {what}: a report makes the user "
            f"{shown(float(setting.leakage))} times as likely to be named, and names a topic of the set "
            f"with probability {rounded(setting.utility, 4)}."
            for setting, what in praised
        ]

    def _privacy_table(self) -> Table:
        columns = ("setting", "different sets", "chance to name the user", "leakage", "capacity")
        rows = (
            (
                s.name,
                s.distinct_sets,
                s.posterior,
                s.leakage,
                s.bayes_capacity,
                s.epsilon,
                s.max_case_capacity,
            )
            for s in self.settings
        )
        return Table(
            f"What settings of the Topics API give away: {counted(self.users, 'user')}",
            (*columns, "epsilon", "max-case capacity"),
            tuple(rows),
            (
                "Leakage is by how much one report raises the chance to name the user.",
                "Capacity is the most that any population leaks; the last two columns are of this one.",
            ),
        )

    def _utility_table(self) -> Table:
        columns = ("setting", "topic before", "topic after", "report is genuine", "set before", "set after")
        rows = (
            (
                s.name,
                s.prior_utility,
                s.utility,
                s.genuine_probability,
                s.prior_reconstruction,
                s.reconstruction,
            )
            for s in self.settings
        )
        return Table(
            f"What settings of the Topics API are good for: {counted(self.users, 'user')}",
            columns,
            tuple(rows),
            ("Topic and set: the chance to name a topic of the user's set, or the whole set, by a report.",),
        )
