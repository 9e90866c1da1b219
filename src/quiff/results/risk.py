"""Each user's own risk after each step of an API, and how many users share a set."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from quiff.core.labels import Labels
from quiff.core.numbers import Number, as_number
from quiff.errors import counted
from quiff.results.distribution import QUANTILES, Distribution, of_users
from quiff.results.figures.figure import Figure
from quiff.results.figures.risk import risk_figure
from quiff.results.numbers import shown
from quiff.results.stages import stage_seen, stage_title
from quiff.results.table import Table
from quiff.results.tabled import OneTable, Tabled

_WORST = "Probabilities max_y P(x | y): what the most telling output says about the user."


@final
@dataclass(frozen=True, eq=False)
class StageRisk:
    """One step of an API: what it means for each user.

    Attributes
    ----------
    stage
        Its name.
    own
        For each user the chance to be named, R_x = P(the guess is right | the user is x).
    worst
        For each user the largest posterior over the outputs, max_y P(x | y).
    """

    stage: str
    own: Distribution
    worst: Distribution


@final
@dataclass(frozen=True)
class SharingGroup:
    """The users who share their set with `low` to `high` others; high None is no limit."""

    low: int
    high: int | None
    users: int
    share: float

    @property
    def name(self) -> str:
        """The number of others in words."""
        if self.high is None:
            return f"{self.low} and more"
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"


@final
@dataclass(frozen=True)
class SetSharing(OneTable):
    """How many users share their set with how many others.

    Attributes
    ----------
    users, distinct_sets
        The size of the population.
    k
        The least number of users who have a set: sets are k-anonymous (paper, Sec. 3.2).
    unique
        The share of users whose set nobody else has, the deterministic measure of re-identification:
        these are named for certain by who learns their set.
    groups
        The users by the number of others with their set.
    """

    users: int
    distinct_sets: int
    k: int
    unique: float
    groups: tuple[SharingGroup, ...]

    def table(self) -> Table:
        """Return the users by the number of others with their set."""
        rows = tuple((group.name, group.users, group.share) for group in self.groups)
        sets = counted(self.distinct_sets, "different set")
        notes = (f"{sets}; every set has {self.k} or more users (k-anonymity).",)
        columns = ("others with the same set", "users", "share of users")
        return Table(f"Who shares a set: {counted(self.users, 'user')}", columns, rows, notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by plain names, for JSON."""
        return {
            "users": self.users,
            "distinct_sets": self.distinct_sets,
            "k_anonymity": self.k,
            "unique_users": self.unique,
            "groups": [
                {"others_from": g.low, "others_to": g.high, "users": g.users, "share": g.share}
                for g in self.groups
            ],
        }


@final
@dataclass(frozen=True, eq=False)
class UserRisk(Tabled):
    """Each user's own risk after each step, beyond the average.

    Attributes
    ----------
    users
        The users; of a population merged to distinct sets, the sets.
    n_users
        How many users there are.
    threshold
        What `share_above` compares with.
    stages
        The steps, cookies first.
    sharing
        How many users share a set.
    weighted
        Whether users are weighted by a prior that is not uniform.

    Examples
    --------
    >>> from quiff import Population, TopicsAPI
    >>> from quiff.studies.risk import user_risk
    >>> people = Population.from_sets({"Alice": {"News"}, "Bob": {"News"}, "Carol": {"Art"}})
    >>> print(user_risk(people, TopicsAPI(2, 1, 0.5)).most_exposed(first=1).to_text())
    The most exposed users: after one report of the Topics API
    user   chance to be named  worst posterior
    Carol                0.75              0.6
    """

    users: Labels
    n_users: int
    threshold: Number
    stages: tuple[StageRisk, ...]
    sharing: SetSharing
    weighted: bool = False

    def __getitem__(self, stage: str) -> StageRisk:
        return {risk.stage: risk for risk in self.stages}[stage]

    def of(self, user: Hashable) -> dict[str, tuple[Number, Number]]:
        """Return one user's own risk and worst posterior after each step.

        Raises
        ------
        LabelError
            If there is no such user.
        """
        row = self.users.position(user, "user")
        return {s.stage: (as_number(s.own.values[row]), as_number(s.worst.values[row])) for s in self.stages}

    def most_exposed(self, stage: str | None = None, first: int = 10) -> Table:
        """Return the users with the largest own risk after one step, the last one by default."""
        chosen = self.stages[-1] if stage is None else self[stage]
        order = np.argsort(-chosen.own.values.astype(np.float64), kind="stable")[:first]
        rows = tuple(
            (
                self.users[int(row)],
                as_number(chosen.own.values[row]),
                as_number(chosen.worst.values[row]),
            )
            for row in order
        )
        columns = ("user", "chance to be named", "worst posterior")
        title = f"The most exposed users: after {stage_seen(chosen.stage)}"
        return Table(title, columns, rows, labels=("user",))

    def table(self) -> Table:
        """Return mean and quantiles of the users' own risks, a row for each step."""
        title = f"Chance of each user to be named: {counted(self.n_users, 'user')}"
        notes = [
            "Probabilities R_x = sum_y C[x,y] [x is a best guess for y]/(number of best guesses for y).",
            "The adversary knows every user's set and names a most probable user, of several any.",
            "The mean is the posterior vulnerability (Bayes; paper, Sec. 2.3).",
        ]
        if self.weighted:
            notes.append("Users count as much as their weight.")
        return self._table(title, {s.stage: s.own for s in self.stages}, tuple(notes))

    def named_tables(self) -> dict[str, Table]:
        """Return the tables by short names, such as for files; the own risks have none."""
        title = f"Largest posterior of each user over all outputs: {counted(self.n_users, 'user')}"
        return {
            "": self.table(),
            "worst-posterior": self._table(title, {s.stage: s.worst for s in self.stages}, (_WORST,)),
            "shared-sets": self.sharing.table(),
            "histogram": self.histogram(),
        }

    def tables(self) -> list[Table]:
        """Return the own risks, the worst posteriors, who shares a set, and the own risks as a histogram."""
        return list(self.named_tables().values())

    def histogram(self) -> Table:
        """Return the shares of users by powers of ten of their own risk, for each step."""
        rows = tuple((s.stage, *bar) for s in self.stages for bar in s.own.histogram() if bar[2] > 0)
        return Table("Users by their own risk", ("step", "from", "below", "share of users"), rows)

    def to_dict(self) -> dict[str, Any]:
        """Return for each step the mean, quantiles, share above the threshold and histogram, for JSON."""
        return {
            s.stage: {**s.own.to_dict(self.threshold), "worst_posterior": s.worst.to_dict(self.threshold)}
            for s in self.stages
        }

    def figure(self) -> Figure:
        """Draw the share of users with at least a given risk, a line for each step."""
        return risk_figure({stage_title(s.stage): s.own.at_least() for s in self.stages}, self.n_users)

    def sentences(self) -> list[str]:
        """Return the reading of the numbers."""
        found = []
        for risk in self.stages:
            own, above = risk.own, risk.own.share_above(self.threshold)
            found.append(
                f"After {stage_seen(risk.stage)} the average user is named with probability "
                f"{shown(own.mean)}, the median user with {shown(own.quantile(0.5))}, the most exposed one "
                f"with {shown(own.quantile(1))}; {shown(100 * above)} % {of_users(self.weighted)} are above "
                f"{shown(self.threshold)}."
            )
        return found

    def _table(self, title: str, stages: dict[str, Distribution], notes: tuple[str, ...]) -> Table:
        above = f"above {shown(self.threshold)}"
        columns = ("step", "mean", "min", "25 %", "median", "75 %", "95 %", "99 %", "max", above)
        rows = tuple(
            (
                stage,
                values.mean,
                *(values.quantile(share) for share in QUANTILES.values()),
                values.share_above(self.threshold),
            )
            for stage, values in stages.items()
        )
        return Table(title, columns, rows, notes)
