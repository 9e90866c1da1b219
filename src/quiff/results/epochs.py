"""The leakage over many epochs, and how the risk is spread over users."""

from dataclasses import dataclass
from typing import Any, final

from quiff.core.numbers import Number
from quiff.errors import counted
from quiff.populations.filling import Filled
from quiff.results.epoch_figures import CallFigures, EpochFigures, LinkFigures, RiskSpread, UtilityFigures
from quiff.results.epoch_filling import filling_facts, filling_sentences, filling_table, short
from quiff.results.figures.epochs import epochs_figure
from quiff.results.figures.figure import Figure
from quiff.results.numbers import shown
from quiff.results.table import Table
from quiff.results.tabled import Tabled
from quiff.theory.parameters import Real


@final
@dataclass(frozen=True)
class EpochsResult(Tabled):
    """The leakage of the Topics API over 1, ..., E epochs on one population.

    Attributes
    ----------
    users, n_topics, top_s, noise
        N, m, s and r.
    cookies
        The leakage of something that tells all users apart, as third-party cookies are taken to do.
    stable
        Whether each user keeps one set over all epochs.
    weighted
        Whether users are not equally likely.
    epochs
        One row for each number of epochs.
    risks
        How the risk is spread over users, for up to three epochs.
    call
        What one call of the API gives away; None if it is not known, and then a note says why.
    link
        How well two sites link a user over one epoch; None likewise.
    utility
        What an advertiser learns, before any report and after up to three epochs; empty if not asked for.
    notes
        What was done to the users, and what is not known of them.
    plan
        How the figures were found, in sentences.
    filled
        How many topics were filled in at random; None if that is not known.
    genuine
        The same for the users all of whose topics were visited, in all these epochs; None if that are all,
        nobody, or it is not known.
    """

    users: int
    n_topics: int
    top_s: int
    noise: Real
    cookies: Number
    stable: bool
    weighted: bool
    epochs: tuple[EpochFigures, ...]
    risks: tuple[RiskSpread, ...]
    call: CallFigures | None = None
    link: LinkFigures | None = None
    utility: tuple[UtilityFigures, ...] = ()
    notes: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()
    filled: Filled | None = None
    genuine: "EpochsResult | None" = None

    @property
    def risk(self) -> RiskSpread:
        """The spread of the risk at the largest number of epochs for which it is known."""
        return self.risks[-1]

    @property
    def distinct_profiles(self) -> int:
        """How many different sequences of sets there are over all epochs."""
        return self.epochs[-1].distinct_profiles

    def table(self) -> Table:
        """Return the leakage over epochs as a table."""
        rows = tuple(
            (
                row.epochs, row.leakage, row.low, row.high, row.at_least, row.at_most, row.vulnerability,
                row.method, row.epsilon, row.max_case_capacity, row.bound,
            )
            for row in self.epochs
        )  # fmt: skip
        columns = (
            "epochs", "leakage", "low", "high", "at least", "at most", "chance to name the user", "method",
            "epsilon", "max-case capacity", "bound",
        )  # fmt: skip
        sets = "sets that stay the same" if self.stable else "the sets of each epoch"
        profiles = counted(self.distinct_profiles, "different profile")
        prior = "users by their weights" if self.weighted else "all users equally likely"
        return Table(
            f"{counted(self.users, 'user')}, {sets}, {prior}",
            columns,
            rows,
            (
                f"No number of reports leaks more than {profiles} would: {shown(self.epochs[-1].limit)}. "
                f"Cookies leak {shown(self.cookies)}.",
                "low, high: an interval of 95 % where the leakage is sampled; at least, at most: certain.",
                "bound: an upper bound from the parameters alone.",
                *self.notes,
                *self.plan,
            ),
        )

    def risk_table(self) -> Table:
        """Return how the risk is spread over users as a table."""
        return Table(
            "The users' own risk: the chance to be named",
            ("epochs", "mean", "median", "95 %", "99 %", "largest", "users above one half"),
            tuple((r.epochs, r.mean, r.median, r.p95, r.p99, r.max, r.above_half) for r in self.risks),
        )

    def sites_table(self) -> Table:
        """Return what a call gives away, and what two sites make of one epoch, as far as it is known."""
        rows: list[tuple[str, Number, Number]] = []
        if self.call is not None:
            seen = counted(self.call.epochs, "epoch")
            chance = self.call.in_order / self.cookies
            rows.append((f"one call: {seen}, sorted, each topic once", *_pair(self.call)))
            rows.append((f"the same {seen} in order", self.call.in_order, chance))
        if self.link is not None:
            rows.append(("two sites, one report each of one epoch: linked", *_pair(self.link)))
        return Table(
            "One call, and two sites",
            ("what is seen", "leakage", "chance"),
            tuple(rows),
            ("chance: to name the user; for two sites, to link a user of one to the same at the other.",),
        )

    def utility_table(self) -> Table:
        """Return what an advertiser learns as a table."""
        return Table(
            "What an advertiser learns",
            ("epochs", "chance to name a topic of the set", "chance to guess the set"),
            tuple((row.epochs, row.naming, row.reconstruction) for row in self.utility),
        )

    def tables(self) -> list[Table]:
        """Return the tables of all that is known."""
        filled = self.filled
        return [
            self.table(),
            self.risk_table(),
            *([filling_table(self, filled)] if filled is not None and filled.filled_sets else []),
            *([] if self.call is None and self.link is None else [self.sites_table()]),
            *([self.utility_table()] if self.utility else []),
        ]

    def sentences(self) -> list[str]:
        """Return the reading of the numbers."""
        return [
            *self.warnings(),
            *self._said_of_leakage(),
            self._said_of_risk(),
            *([] if self.filled is None else filling_sentences(self, self.filled)),
            *self._said_of_sites(),
        ]

    def warnings(self) -> tuple[str, ...]:
        """Return what makes the figures doubtful: that most sets have topics filled in at random."""
        return () if self.filled is None else self.filled.warnings()

    def _said_of_leakage(self) -> list[str]:
        one, last = self.epochs[0], self.epochs[-1]
        epochs = counted(last.epochs, "epoch")
        about = "" if last.method == "exact" else "about "
        sure = "" if last.method == "exact" else f" (95 %: {short(last.low)} to {short(last.high)})"
        before = f"; one epoch makes it {short(one.leakage)} times" if last.epochs > 1 else ""
        are = "is" if self.distinct_profiles == 1 else "are"
        return [
            f"The reports of {epochs} make a user {about}{short(last.leakage)} times as likely to be "
            f"named{sure}{before}, and cookies {short(self.cookies)} times.",
            f"However long one looks, it is no more than {short(last.limit)} times, for there {are} only "
            f"{counted(self.distinct_profiles, 'different profile')}; after {epochs} it is "
            f"{float(last.leakage / last.limit):.1%} of that.",
        ]

    def _said_of_risk(self) -> str:
        risk, filled = self.risk, self.filled
        how = ""
        if filled is not None and filled.filled_sets:
            how = f", with topics filled in at random for {100 * filled.filled_users:.1f} % of {filled.whom}"
            if filled.epochs > 1 or filled.sets_without_visits:
                how += f" and no visited topic at all for {100 * filled.without_visits:.1f} %"
        return (
            f"After {counted(risk.epochs, 'epoch')} the average user is named with probability "
            f"{short(risk.mean)}, the median user with {short(risk.median)}, one in a hundred with "
            f"{short(risk.p99)} or more, and the most exposed one with {short(risk.max)}; of "
            f"{counted(self.users, 'user')}, {risk.above_half} will be named more often than not{how}."
        )

    def _said_of_sites(self) -> list[str]:
        found = []
        if self.call is not None:
            found.append(
                f"One call of the API, which tells the topics of {self.call.epochs} epochs sorted and each "
                f"of them once, leaks {short(self.call.leakage)}; in order they would leak "
                f"{short(self.call.in_order)}."
            )
        if self.link is not None:
            found.append(
                "Two sites that see one report each of the same epoch link a user "
                f"{short(self.link.leakage)} times as often as by a guess, if users' sets are independent "
                "draws."
            )
        if self.utility:
            before, after = self.utility[0], self.utility[-1]
            found.append(
                f"An advertiser names a topic of the user's set with probability {short(after.naming)} "
                f"after {counted(after.epochs, 'epoch')}, and with {short(before.naming)} without any "
                f"report; the whole set with {short(after.reconstruction)} and "
                f"{short(before.reconstruction)}."
            )
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the figures by plain names, for JSON."""
        return {
            "users": self.users,
            "distinct_profiles": self.distinct_profiles,
            "n_topics": self.n_topics,
            "top_s": self.top_s,
            "noise": self.noise,
            "cookies": self.cookies,
            "stable_sets": self.stable,
            "weighted": self.weighted,
            "epochs": list(self.epochs),
            "risk": self.risk.to_dict(),
            "risks": [risk.to_dict() for risk in self.risks],
            "call": self.call,
            "link": self.link,
            "utility": list(self.utility),
            "filling": None if self.filled is None else filling_facts(self.filled, self.genuine),
            "notes": list(self.notes),
            "warnings": list(self.warnings()),
            "plan": list(self.plan),
        }

    def figure(self) -> Figure:
        """Draw the leakage against epochs, and the spread of the risk over users."""
        return epochs_figure(
            [(r.epochs, r.leakage, r.low, r.high, r.bound, r.limit) for r in self.epochs],
            [(risk.epochs, risk.quantiles) for risk in self.risks],
            self.users,
            self.cookies,
        )


def _pair(figures: CallFigures | LinkFigures) -> tuple[Number, Number]:
    return figures.leakage, figures.vulnerability
