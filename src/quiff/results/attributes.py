"""What a report says about whether the user has a topic."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, final

from quiff.core.numbers import Number
from quiff.errors import counted
from quiff.results.distribution import of_users
from quiff.results.figures.exposure import change_figure
from quiff.results.figures.figure import Figure
from quiff.results.numbers import shown
from quiff.results.stages import stage_seen
from quiff.results.table import Table
from quiff.results.tabled import OneTable

_COLUMNS = ("before", "after", "leakage", "added", "has it, if reported", "has it, if another is")
_NOTES = (
    "Before and after an output: the chance to guess right whether the user has the topic.",
    "Leakage is their ratio, added their difference (Bayes vulnerability of one bit; paper, Sec. 2.3).",
)


@final
@dataclass(frozen=True)
class Inference:
    """What one step says about whether the user has one topic.

    Attributes
    ----------
    topic, stage
        The topic and the step's name.
    share
        The probability that a user has the topic.
    prior, posterior
        The chance to guess right whether the user has it, before and after the output.
    given_topic
        The probability that the user has the topic if it is reported; None if it never is.
    given_other
        The same if another topic is reported; None if there never is another.
    """

    topic: Hashable
    stage: str
    share: Number
    prior: Number
    posterior: Number
    given_topic: Number | None
    given_other: Number | None

    @property
    def leakage(self) -> Number:
        """How many times more often the guess is right after the output."""
        return self.posterior / self.prior

    @property
    def added(self) -> Number:
        """What the output adds to the chance of a right guess."""
        return self.posterior - self.prior

    @property
    def cells(self) -> tuple[Number | None, ...]:
        """The numbers as cells of a table."""
        return (self.prior, self.posterior, self.leakage, self.added, self.given_topic, self.given_other)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by plain names, for JSON."""
        return {
            "share": self.share,
            "prior": self.prior,
            "posterior": self.posterior,
            "leakage": self.leakage,
            "added": self.added,
            "given_topic": self.given_topic,
            "given_other": self.given_other,
        }


@final
@dataclass(frozen=True)
class AttributeInference(OneTable):
    """What each step of an API says about one topic.

    Examples
    --------
    >>> from quiff import Population, TopicsAPI
    >>> from quiff.studies.attributes import attribute_inference
    >>> people = Population.from_sets({"Alice": {"News"}, "Bob": {"News"}, "Carol": {"Art"}})
    >>> print(attribute_inference(people, TopicsAPI(2, 1, 0.5), "Art").sentences()[1])
    A user who reports 'Art' has it with probability 0.6, against 0.333333 before.
    """

    topic: Hashable
    users: int
    share: Number
    stages: tuple[Inference, ...]
    weighted: bool = False

    def table(self) -> Table:
        """Return a row for each step."""
        rows = tuple((row.stage, *row.cells) for row in self.stages)
        share = f"{shown(100 * self.share)} % {of_users(self.weighted)} do"
        title = f"Does the user have {str(self.topic)!r}? {share} ({self.users} in all)"
        return Table(title, ("step", *_COLUMNS), rows, _NOTES)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by plain names, for JSON."""
        return {
            "topic": self.topic,
            "share": self.share,
            "stages": {row.stage: row.to_dict() for row in self.stages},
        }

    def figure(self) -> Figure:
        """Draw the chance of a right guess before and after each step."""
        rows = [(row.stage, float(row.prior), float(row.posterior)) for row in self.stages]
        names, across = ("before", "after"), "chance to guess right whether the user has the topic"
        return change_figure(rows, names, across, f"Does the user have {str(self.topic)!r}?")

    def sentences(self) -> list[str]:
        """Return the reading of the numbers."""
        last = self.stages[-1]
        found = [
            f"Without a report, whether a user has {str(self.topic)!r} is guessed right with probability "
            f"{shown(last.prior)}; after {stage_seen(last.stage)}, with {shown(last.posterior)}."
        ]
        if last.given_topic is not None:
            found.append(
                f"A user who reports {str(self.topic)!r} has it with probability {shown(last.given_topic)}, "
                f"against {shown(self.share)} before."
            )
        return found


@final
@dataclass(frozen=True)
class AttributeTable(OneTable):
    """What a report of an API says about each topic, in descending order of leakage.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Population, TopicsAPI
    >>> from quiff.studies.attributes import attribute_table
    >>> people = Population.from_sets({"Alice": {"News"}, "Bob": {"News"}, "Carol": {"Art"}})
    >>> found = attribute_table(people, TopicsAPI(2, 1, Fraction(1, 2)))
    >>> [(row.topic, float(row.leakage)) for row in found.topics]
    [('Art', 1.125), ('News', 1.125)]
    """

    api: str
    users: int
    topics: tuple[Inference, ...]
    weighted: bool = False

    def table(self, first: int | None = 20) -> Table:
        """Return the topics about which a report says most; first None is all."""
        rows = tuple((str(row.topic), row.share, *row.cells) for row in self.topics[:first])
        more = (f"The first {len(rows)} of {len(self.topics)} topics.",)
        notes = _NOTES + (more if len(rows) < len(self.topics) else ())
        notes += ("Users count as much as their weight.",) if self.weighted else ()
        title = f"Which topics a report gives away: {self.api}, {counted(self.users, 'user')}"
        return Table(title, ("topic", "users who have it", *_COLUMNS), rows, notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by plain names, for JSON."""
        return {
            "api": self.api,
            "users": self.users,
            "topics": [{"topic": row.topic, **row.to_dict()} for row in self.topics],
        }

    def figure(self, first: int = 20) -> Figure:
        """Draw how probable it is that a user has a topic, before and after a report of it."""
        known = [row for row in self.topics if row.given_topic is not None][:first]
        rows = [(str(row.topic), float(row.share), float(row.given_topic or 0)) for row in known]
        names = ("without a report", "after a report of the topic")
        title = f"Which topics a report gives away: {counted(self.users, 'user')}"
        return change_figure(rows, names, "probability that the user has the topic", title)

    def sentences(self) -> list[str]:
        """Return the reading of the numbers."""
        most = self.topics[0]
        telling = sum(row.leakage > 1 + 1e-12 for row in self.topics)
        if not telling:
            return [
                "One report does not help to guess whether a user has a topic, for none of those that occur, "
                f"{len(self.topics)} in all."
            ]
        return [
            f"One report leaks something about {telling} of {len(self.topics)} topics, most about "
            f"{str(most.topic)!r}: whether a user has it is guessed right with probability "
            f"{shown(most.posterior)} instead of {shown(most.prior)}."
        ]
