"""How popular topics are, as far as one report of each user tells, and whether the first ones are found."""

from dataclasses import dataclass
from typing import Any, Self, final

from quiff.errors import counted
from quiff.results.estimates import PopularityEstimate, TopicEstimate
from quiff.results.figures.figure import Figure
from quiff.results.numbers import plain, rounded, shown
from quiff.results.table import Table
from quiff.results.tabled import Tabled
from quiff.theory.parameters import Real
from quiff.theory.popularity import binomial_interval

_ENOUGH = 0.95  # the chance from which on a sentence calls a topic found


@final
@dataclass(frozen=True)
class SimulatedChance:
    """How often something happened in simulations, with Clopper and Pearson's 95 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, successes: int, trials: int) -> Self:
        """Return the chance after so many successes.

        Examples
        --------
        >>> SimulatedChance.of(10, 10).high
        1.0
        """
        return cls(successes / trials, *binomial_interval(successes, trials))


@final
@dataclass(frozen=True)
class FindingChance:
    """The chance that the first topics are found, in order, when all users report once.

    Attributes
    ----------
    top
        How many places must be right.
    simulated
        The share of simulations in which they are.
    least, most
        Bounds that follow from the exact chances of pairs of topics; equal if one pair decides.
    approximation
        By independent normal counts.
    """

    top: int
    simulated: SimulatedChance
    least: float
    most: float
    approximation: float

    @property
    def what(self) -> str:
        """What is found, in words."""
        return "the most popular topic" if self.top == 1 else f"the first {self.top} topics in order"


@final
@dataclass(frozen=True)
class GrowthPoint:
    """The chance to find the population's first topics from N users, drawn with replacement.

    Attributes
    ----------
    n_users
        N.
    first, in_order
        Simulated: the most popular topic, and the first ones in order, are found.
    first_approximation, in_order_approximation
        The same by independent normal counts.
    all_bits_right
        Another question, that of the paper's counting figure: the chance to guess right of all N users
        whether they have one topic, if each has it with probability 1/2.
    """

    n_users: int
    first: SimulatedChance
    first_approximation: float
    in_order: SimulatedChance
    in_order_approximation: float
    all_bits_right: float


@final
@dataclass(frozen=True)
class TopicPopularity:
    """A topic: how many users have it, how well that can be known, and one simulated estimate of it."""

    topic: int | str
    users: int
    share: float
    standard_error: float
    estimate: TopicEstimate


@final
@dataclass(frozen=True)
class Popularity(Tabled):
    """The popularity of topics, what reports tell about it, and the chances to find the first ones.

    Attributes
    ----------
    n_users, n_topics, top_s, noise, simulations, seed
        N, m, s, r, and how the simulations were made.
    topics
        The topics that some user has, the most popular first; standard errors are those of the share.
    chances
        Finding the most popular topic, and the first ones in order.
    growth
        The same from samples of the users.
    """

    n_users: int
    n_topics: int
    top_s: int
    noise: Real
    simulations: int
    seed: int
    topics: tuple[TopicPopularity, ...]
    chances: tuple[FindingChance, ...]
    growth: tuple[GrowthPoint, ...]

    @property
    def estimate(self) -> PopularityEstimate:
        """What an analyst would say after the first simulated reports of all users."""
        return PopularityEstimate(self.n_users, tuple(topic.estimate for topic in self.topics))

    def tables(self) -> list[Table]:
        """Return the topics, the chances, and the chances from fewer users."""
        return [self._topics_table(), self._chances_table(), self._growth_table()]

    def to_dict(self) -> dict[str, Any]:
        """Return everything by plain names, for JSON."""
        topics = [{**plain(topic), "estimate": topic.estimate.to_dict()} for topic in self.topics]
        chances = [{"found": chance.what, **plain(chance)} for chance in self.chances]
        parameters = ("n_users", "n_topics", "top_s", "noise", "simulations", "seed")
        return {
            **{name: plain(getattr(self, name)) for name in parameters},
            "topics": topics,
            "chances": chances,
            "growth": plain(self.growth),
        }

    def figure(self) -> Figure:
        """Draw the first topics with their estimates, and the chances against the number of users."""
        from quiff.results.figures.popularity import popularity_figure

        return popularity_figure(self.topics, self.growth, self.n_users, max(c.top for c in self.chances))

    def sentences(self) -> list[str]:
        """Return what the numbers say, in a few plain sentences."""
        return [self._error_sentence(), *map(self._chance_sentence, self.chances), self._growth_sentence()]

    def _topics_table(self) -> Table:
        columns = ("topic", "users", "share", "standard error", "estimated share", "low", "high")
        rows = (
            (t.topic, t.users, t.share, t.standard_error, *t.estimate.shares(self.n_users))
            for t in self.topics
        )
        return Table(
            f"Popularity of topics, from one report each of {counted(self.n_users, 'user')}",
            columns,
            tuple(rows),
            (
                "The standard error is that of an estimated share: sqrt(n p(1-p) + (N-n) q(1-q))/((p-q) N).",
                f"Estimate and 95 % interval (low, high) are from one simulation with seed {self.seed}.",
                "The estimate is unbiased and may lie outside 0 and 1; the interval is clipped to them.",
            ),
            ("topic",),
        )

    def _chances_table(self) -> Table:
        columns = ("found", "simulated", "low", "high", "at least", "at most", "approximation")
        rows = ((c.what, *_cells(c.simulated), c.least, c.most, c.approximation) for c in self.chances)
        return Table(
            f"Chance to find the first topics from {counted(self.n_users, 'user')}",
            columns,
            tuple(rows),
            (
                f"Simulated {self.simulations} times, with Clopper and Pearson's 95 % interval (low, high).",
                "At least and at most are bounds from the exact chances of pairs of topics.",
                "The approximation takes the counts for independent normal numbers; it needs many reports.",
                "Topics reported equally often are ranked at random; equally popular ones may change places.",
            ),
        )

    def _growth_table(self) -> Table:
        top = max(chance.top for chance in self.chances)
        order = (f"first {top} in order", "order low", "order high")
        columns = ("users N", "first found", "low", "high", *order, "all bits right")
        rows = ((g.n_users, *_cells(g.first), *_cells(g.in_order), g.all_bits_right) for g in self.growth)
        return Table(
            "The same from N users, drawn with replacement",
            columns,
            tuple(rows),
            (
                "All bits right answers another question, that of the paper's counting figure:",
                "the chance to guess of every one of the N users whether they have one topic.",
            ),
        )

    def _error_sentence(self) -> str:
        worst = max(topic.standard_error for topic in self.topics)
        held = sum(t.estimate.low <= t.users <= t.estimate.high for t in self.topics)
        return (
            f"From one report each of {counted(self.n_users, 'user')}, the share of a topic is estimated "
            f"with a standard error of at most {rounded(100 * worst, 3)} percentage points; in one "
            f"simulation the 95 % intervals hold the true share of {held} of "
            f"{counted(len(self.topics), 'topic')}."
        )

    def _chance_sentence(self, chance: FindingChance) -> str:
        low, high = (rounded(100 * end, 3) for end in (chance.simulated.low, chance.simulated.high))
        least, most = (rounded(100 * end, 3) for end in (chance.least, chance.most))
        formula = f"{least} %" if least == most else f"between {least} and {most} %"
        name = f"{chance.what[0].upper()}{chance.what[1:]}"
        found = "is" if chance.top == 1 else "are"
        return (
            f"{name} {found} found in {rounded(100 * chance.simulated.value, 3)} % of "
            f"{counted(self.simulations, 'simulation')} (95 % interval {low} to {high} %); by formula "
            f"the chance is {formula}."
        )

    def _growth_sentence(self) -> str:
        enough = [point for point in self.growth if point.first.value >= _ENOUGH]
        if not enough:
            most = counted(self.n_users, "user")
            return f"No sample of up to {most} finds the most popular topic in 95 % of cases."
        point = enough[0]
        bits = shown(point.all_bits_right) if point.all_bits_right else "practically 0"
        return (
            f"A sample of {counted(point.n_users, 'user')} finds the most popular topic in "
            f"{rounded(100 * point.first.value, 3)} % of cases; the chance that the paper computes, to guess "
            f"right of each of them whether they have one topic, is {bits}."
        )


def _cells(chance: SimulatedChance) -> tuple[float, float, float]:
    return chance.value, chance.low, chance.high
