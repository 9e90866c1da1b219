"""All closed forms at given parameters, and the tables, JSON and figure of them."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from quiff import theory
from quiff.results.figures.figure import Figure
from quiff.results.numbers import plain, shown
from quiff.results.quantity import Quantity
from quiff.results.table import Table
from quiff.results.tabled import Tabled
from quiff.theory.parameters import Real

FEW_USERS = (2, 3, 4, 5, 10, 30)
"""How many users are counted in the paper's examples, and at the end of its figure."""


@dataclass(frozen=True)
class Scenario:
    """The parameters of the closed forms: m, s, r, m', |Sigma|, N, E, c, and what is known before."""

    n_topics: int
    top_s: int
    noise: Real
    occurring: int
    distinct_sets: int
    n_users: int
    epochs: int
    contexts: int
    prior_success: Real
    prior_gain: Real
    share: Real


@dataclass(frozen=True)
class CountingPoint:
    """The counting probabilities for N users who report once each."""

    n_users: int
    all_bits_right: float
    raw_count_right: float
    best_count_right: float
    prior_count_right: float

    @classmethod
    def at(cls, x: Scenario, N: int) -> "CountingPoint":
        """Return the chances as floats: exact powers of millions are of use to nobody."""
        arguments = (x.n_topics, x.top_s, float(x.noise), N, x.share)
        return cls(
            n_users=N,
            all_bits_right=float(theory.all_bits_right(*arguments)),
            raw_count_right=theory.raw_count_right(*arguments),
            best_count_right=theory.best_count_right(*arguments),
            prior_count_right=theory.prior_count_right(N, x.share),
        )


@dataclass(frozen=True)
class ClosedForms(Tabled):
    """Every closed form at the parameters of a scenario, by section, and the counting probabilities.

    Attributes
    ----------
    scenario
        The parameters.
    sections
        Titles, and the quantities below each.
    counted
        For which numbers of users there are counting probabilities. For many users these are long sums, and
        so they are not made before somebody looks at them.

    Examples
    --------
    >>> from quiff.studies.closed_forms import closed_forms
    >>> forms = closed_forms(n_topics=469)
    >>> round(forms["bayes_capacity"].value, 2), forms["bayes_capacity"].unit
    (89.16, 'factor')
    """

    scenario: Scenario
    sections: tuple[tuple[str, tuple[Quantity, ...]], ...]
    counted: tuple[int, ...] = FEW_USERS

    def __getitem__(self, key: str) -> Quantity:
        return {quantity.key: quantity for quantity in self.quantities}[key]

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """All quantities, in the order of the sections."""
        return tuple(quantity for _, members in self.sections for quantity in members)

    @cached_property
    def counting(self) -> tuple[CountingPoint, ...]:
        """The chances to count right the users who have a topic."""
        return tuple(CountingPoint.at(self.scenario, N) for N in self.counted)

    def to_dict(self) -> dict[str, Any]:
        """Return a flat dictionary for JSON: parameters, values, counting, and what each value means."""
        return {
            **plain(self.scenario),
            **{quantity.key: plain(quantity.value) for quantity in self.quantities},
            "counting": plain(self.counting),
            "about": {quantity.key: quantity.about() for quantity in self.quantities},
        }

    def tables(self) -> list[Table]:
        """Return the parameters, a table for each section, and the counting probabilities."""
        columns = ("quantity", "value", "unit", "meaning")
        sections = [
            Table(title, columns, tuple((q.name, q.value, q.unit, q.meaning) for q in members))
            for title, members in self.sections
        ]
        return [self._parameters_table(), *sections, self._counting_table()]

    def figure(self) -> Figure:
        """Draw capacity and epsilon against the noise, and the counting probabilities."""
        from quiff.results.figures.overview import overview_figure

        return overview_figure(
            self.scenario.n_topics, self.scenario.top_s, self.scenario.noise, self.scenario.share
        )

    def _parameters_table(self) -> Table:
        rows = ((_PARAMETERS[name], value) for name, value in asdict(self.scenario).items())
        return Table("Parameters", ("parameter", "value"), tuple(rows))

    def _counting_table(self) -> Table:
        return Table(
            "Counting the users who have a topic, from one report of each",
            (
                "users N",
                "who has it, all right",
                "raw count right",
                "best guess right",
                "guess without reports",
            ),
            tuple(tuple(asdict(point).values()) for point in self.counting),
            (f"Each user has the topic with probability {shown(self.scenario.share)}, independently.",),
        )


_PARAMETERS = {
    "n_topics": "topics of the taxonomy (m)",
    "top_s": "topics in a user's set (s)",
    "noise": "probability of a random topic (r)",
    "occurring": "topics that occur in some set (m')",
    "distinct_sets": "different sets that occur",
    "n_users": "users (N)",
    "epochs": "epochs (E)",
    "contexts": "contexts with cookies (c)",
    "prior_success": "adversary's success before a report (P)",
    "prior_gain": "advertiser's success before a report",
    "share": "share of users who have a topic (a)",
}
