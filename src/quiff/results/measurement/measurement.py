"""A population measured: privacy, utility and limits, with all the forms in which they are shown."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, final

from quiff.core.numbers import Number
from quiff.populations.filling import Filled
from quiff.results.figures.figure import Figure
from quiff.results.figures.stages import StageMark, stages_figure
from quiff.results.measurement.filling import GenuineFigures, population_facts
from quiff.results.measurement.quantities import quantities
from quiff.results.measurement.rows import HistoryCounts, Limit, Setting, StagePrivacy, Use
from quiff.results.measurement.sentences import readings
from quiff.results.measurement.tables import tables
from quiff.results.quantity import Quantity
from quiff.results.table import Table
from quiff.results.tabled import Tabled


class Part(Protocol):
    """A result of a further study on the same population, such as each user's risk."""

    def named_tables(self) -> dict[str, Table]:
        """Return the tables of the study by short names; the name may be empty for the main one."""

    def to_dict(self) -> dict[str, Any]:
        """Return the study by plain names, for JSON."""

    def sentences(self) -> Sequence[str]:
        """Return what its numbers say."""


@final
@dataclass(frozen=True)
class Measurement(Tabled):
    """What a population gives away by cookies and by the Topics API, and what an analyst learns.

    Attributes
    ----------
    setting
        The parameters of the Topics API.
    users, distinct_sets, occurring_topics
        N, the number of different sets, and m', the number of topics in some set.
    unique_users
        The share of users whose set nobody else has.
    anonymity
        The k of k-anonymity: every set that occurs has at least k users.
    privacy
        The chance to name the user after each step.
    utility
        The chance of an analyst to name the history, the set, or a topic of it, by channel and prior.
    limits
        The most that one report can tell.
    prior
        ``correct``, or ``as-published`` if utility repeats the misaligned prior of the published notebooks.
    aligned_utility
        The right utility where `utility` repeats the published one; empty otherwise.
    weighted
        Whether users are as probable as their weights, and not all the same.
    histories
        How many browsing histories differ; empty if none were given.
    notes
        What was assumed when the population was read.
    filled
        How many topics were filled in at random; None if that is not known.
    genuine
        The figures of the users without filled topics; None if all are such users, none is, or it is not
        known.
    parts
        Further studies on the same population by name; see `with_part`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Population, TopicsAPI
    >>> from quiff.studies.old_measure.study import measure
    >>> sets = {"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}, "Carol": {"Music", "News"}}
    >>> found = measure(Population.from_sets(sets), TopicsAPI(5, 2, Fraction(1, 20)))
    >>> [(row.stage, float(row.leakage), row.reaches) for row in found.privacy[2:]]
    [('bounded_noise', 2.0, False), ('topics_api', 1.95, False)]
    >>> print(found.sentences()[0])
    A report of the Topics API lets an adversary name a user 1.95 times as often as a guess, against 3 times \
by a third-party cookie, if cookies tell all users apart.
    """

    setting: Setting
    users: int
    distinct_sets: int
    occurring_topics: int
    unique_users: Number
    anonymity: int
    privacy: tuple[StagePrivacy, ...]
    utility: tuple[Use, ...]
    limits: tuple[Limit, ...]
    prior: str = "correct"
    aligned_utility: tuple[Use, ...] = ()
    weighted: bool = False
    histories: tuple[HistoryCounts, ...] = ()
    notes: tuple[str, ...] = ()
    filled: Filled | None = None
    genuine: GenuineFigures | None = None
    parts: tuple[tuple[str, Part], ...] = ()

    def stage(self, name: str) -> StagePrivacy:
        """Return the privacy of one step."""
        return next(row for row in self.privacy if row.stage == name)

    def use(
        self,
        stage: str,
        gain: Literal["bayes", "iba"] = "bayes",
        weighting: Literal["population", "uniform"] = "population",
    ) -> Use:
        """Return the utility of one channel, for one goal and under one prior."""
        wanted = (stage, gain, weighting)
        return next(row for row in self.utility if (row.stage, row.gain, row.weighting) == wanted)

    def with_part(self, name: str, part: Part) -> "Measurement":
        """Return the same with a further study, in place of one of that name."""
        return replace(self, parts=(*((key, old) for key, old in self.parts if key != name), (name, part)))

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """Every number with its unit and formula, what it means, where it is from and what it assumes."""
        return quantities(self)

    def explained(self) -> str:
        """Return all that is known about every number, as text."""
        return "\n\n".join(quantity.explained() for quantity in self.quantities)

    def named_tables(self) -> dict[str, Table]:
        """Return the tables by short names, such as for files."""
        further = {
            f"{name}-{key}" if key else name: table
            for name, part in self.parts
            for key, table in part.named_tables().items()
        }
        return tables(self) | further

    def tables(self) -> list[Table]:
        """Return counts, privacy, both tables of utility, limits, and what else was asked for."""
        return list(self.named_tables().values())

    def readings(self) -> dict[str, str]:
        """Return what the numbers say about privacy, sets, capacity, utility and the worst case."""
        return readings(self)

    def sentences(self) -> list[str]:
        """Return what the numbers say, in a few plain sentences."""
        return [*self.warnings(), *self.readings().values()] + [
            said for _, part in self.parts for said in part.sentences()
        ]

    def warnings(self) -> tuple[str, ...]:
        """Return what makes the figures doubtful: that most users have topics filled in at random."""
        return () if self.filled is None else self.filled.warnings()

    def to_dict(self) -> dict[str, Any]:
        """Return the measurement by plain names, for JSON."""
        taxonomy = self.limits[0]
        return {
            "population": population_facts(self),
            "setting": self.setting,
            "users": self.users,
            "distinct_sets": self.distinct_sets,
            "occurring_topics": self.occurring_topics,
            "unique_users": self.unique_users,
            "anonymity": self.anonymity,
            "privacy": {row.stage: row.leakage for row in self.privacy},
            "utility": _by_key(self.utility),
            "limits": {
                "n_topics": taxonomy.n_topics,
                "bayes_capacity": taxonomy.bayes_capacity,
                "epsilon": taxonomy.epsilon,
                "max_case_capacity": taxonomy.max_case_capacity,
            },
            "prior": self.prior,
            "aligned_utility": _by_key(self.aligned_utility) if self.aligned_utility else None,
            "weighted": self.weighted,
            "histories": list(self.histories) or None,
            **{f"{name.replace('-', '_')}_table": list(t.records()) for name, t in tables(self).items()},
            "genuine": None if self.genuine is None else self.genuine.to_dict(),
            "notes": list(self.notes),
            "warnings": list(self.warnings()),
            "sentences": self.sentences(),
            "about": {quantity.key: quantity.about() for quantity in self.quantities},
            **{name: part.to_dict() for name, part in self.parts},
        }

    def figure(self) -> Figure:
        """Draw the leakage of each step and the most that it could be."""
        occurring = self.occurring_topics < self.setting.n_topics
        marks = [
            StageMark(row.stage, row.leakage, row.capacity, row.capacity_occurring if occurring else None)
            for row in self.privacy
        ]
        return stages_figure(marks, self.users)


def _by_key(rows: tuple[Use, ...]) -> dict[str, Number]:
    """Return the vulnerabilities for one topic under the population's prior on sets, by their names."""
    found: dict[str, Number] = {}
    for row in rows:
        if row.weighting == "population" and row.stage in ("bounded_noise", "topics_api"):
            found[f"{row.gain}_prior"] = row.prior
            found[f"{row.stage}_{row.gain}"] = row.posterior
    return found
