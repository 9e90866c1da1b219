"""Which topics expose most those who have them."""

from collections.abc import Hashable
from dataclasses import dataclass
from math import isclose
from typing import Any, final

from quiff.core.numbers import Number
from quiff.errors import counted
from quiff.results.distribution import of_users
from quiff.results.figures.exposure import exposure_figure
from quiff.results.figures.figure import Figure
from quiff.results.numbers import shown
from quiff.results.table import Table
from quiff.results.tabled import OneTable


@final
@dataclass(frozen=True)
class ExposedTopic:
    """What a report of one topic says about who the user is.

    Attributes
    ----------
    topic
        The topic.
    share
        The share of users who have it.
    posterior
        The chance to name the user after a report of it, max_x P(x | t).
    contribution
        What it adds to the posterior vulnerability, max_x pi_x C[x,t].
    own_risk
        The mean own risk of the users who have it, over all their reports.
    """

    topic: Hashable
    share: Number
    posterior: Number
    contribution: Number
    own_risk: Number


@final
@dataclass(frozen=True)
class TopicExposure(OneTable):
    """The topics of a population, the one that exposes most first.

    Attributes
    ----------
    api
        The name of the API.
    users
        How many users there are.
    guess
        The chance to name the user without any report: 1/N if all are equally probable.
    vulnerability
        The chance to name the user after a report, on average.
    topics
        The topics that occur, in descending order of their posterior.
    weighted
        Whether users count as much as their weight, in shares and means.

    Examples
    --------
    >>> from quiff import Population, TopicsAPI
    >>> from quiff.studies.exposure import topic_exposure
    >>> people = Population.from_sets({"Alice": {"News"}, "Bob": {"News"}, "Carol": {"Art"}})
    >>> [row.topic for row in topic_exposure(people, TopicsAPI(2, 1, 0.1)).topics]
    ['Art', 'News']
    """

    api: str
    users: int
    guess: Number
    vulnerability: Number
    topics: tuple[ExposedTopic, ...]
    weighted: bool = False

    @property
    def rest(self) -> Number:
        """What reports of topics that nobody has add to the vulnerability."""
        return self.vulnerability - sum(topic.contribution for topic in self.topics)

    def table(self, first: int | None = 20) -> Table:
        """Return the topics that expose most; first None is all."""
        rows = tuple(
            (
                str(row.topic),
                row.share,
                row.posterior,
                row.posterior / self.guess,
                row.contribution / self.vulnerability,
                row.own_risk,
            )
            for row in self.topics[:first]
        )
        notes = [
            "The chance, max_x P(x | report), is that after a report of the topic; "
            f"a guess without any report is right with {shown(self.guess)}."
        ]
        if self.rest > 1e-12 * self.vulnerability:
            rest = shown(self.rest / self.vulnerability)
            notes.append(f"Topics that nobody has make the rest of the vulnerability, {rest} of it.")
        if self.weighted:
            notes.append("Users count as much as their weight.")
        if len(rows) < len(self.topics):
            notes.append(f"The first {len(rows)} of {len(self.topics)} topics.")
        columns = (
            "topic",
            "users who have it",
            "chance to name the user",
            "times a guess",
            "share of vulnerability",
            "mean own risk",
        )
        title = f"Which topics expose most: {self.api}, {counted(self.users, 'user')}"
        return Table(title, columns, rows, tuple(notes))

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by plain names, for JSON."""
        return {
            "api": self.api,
            "users": self.users,
            "guess": self.guess,
            "vulnerability": self.vulnerability,
            "topics": list(self.topics),
        }

    def figure(self, first: int = 20) -> Figure:
        """Draw the topics that expose most: chance to name the user, own risk, users who have the topic."""
        rows = [
            (str(row.topic), float(row.posterior), float(row.own_risk), float(row.share))
            for row in self.topics[:first]
        ]
        return exposure_figure(rows, float(self.guess), self.users)

    def sentences(self) -> list[str]:
        """Return the reading of the numbers."""
        most, least, whose = self.topics[0], self.topics[-1], of_users(self.weighted)
        if isclose(most.posterior, least.posterior):
            return [
                "All topics that occur expose alike: a report of one lets an adversary name the user with "
                f"probability {shown(most.posterior)}, {shown(most.posterior / self.guess)} times that of a "
                "guess."
            ]
        return [
            f"A report of {str(most.topic)!r} exposes most: it lets an adversary name the user with "
            f"probability {shown(most.posterior)}, {shown(most.posterior / self.guess)} times that of a "
            f"guess; {shown(100 * most.share)} % {whose} have it.",
            f"A report of {str(least.topic)!r} exposes least, with probability {shown(least.posterior)}; "
            f"{shown(100 * least.share)} % {whose} have it.",
        ]
