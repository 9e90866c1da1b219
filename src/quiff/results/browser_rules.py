"""The rules of the browser, one by one: what a call gives away with each and without it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from quiff.core.numbers import Number
from quiff.errors import counted
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import GREY, log_axis, point_styles
from quiff.results.numbers import plain, rounded, shown
from quiff.results.table import Table
from quiff.results.tabled import OneTable

if TYPE_CHECKING:
    import altair as alt


@final
@dataclass(frozen=True)
class RuleLeakage:
    """A leakage: exact, or estimated with the ends of its 95 % interval.

    Attributes
    ----------
    leakage
        By how much what the adversary sees raises the chance to name the user over 1/N.
    low, high
        The ends of the interval; None if the leakage is exact.
    """

    leakage: Number
    low: float | None = None
    high: float | None = None

    @property
    def method(self) -> str:
        """How it was found: ``exact`` or ``simulation``."""
        return "exact" if self.low is None else "simulation"

    def to_dict(self) -> dict[str, Any]:
        """Return it by plain names, for JSON.

        Examples
        --------
        >>> RuleLeakage(66.36).to_dict()
        {'leakage': 66.36, 'low': None, 'high': None, 'method': 'exact'}
        """
        return {**plain(self), "method": self.method}


@final
@dataclass(frozen=True)
class RuleEffect:
    """One rule, seen by one adversary.

    Attributes
    ----------
    rule
        Its name, as in `quiff.browser.rules.RULES`.
    adversary
        ``call`` or ``link``.
    setting
        What is compared, in words.
    on, off
        The leakage with the rule, and without it.
    """

    rule: str
    adversary: str
    setting: str
    on: RuleLeakage
    off: RuleLeakage


@final
@dataclass(frozen=True)
class BrowserRulesResult(OneTable):
    """What one call gives away with each rule of the browser and without it, and cookies beside it.

    Attributes
    ----------
    n_users, distinct_sets, n_topics
        The size of the population and of the taxonomy.
    cookies
        The leakage of third-party cookies: all users are told apart.
    specified
        The leakage of one call by the specification, to a caller who observes all topics.
    effects
        The rules.
    notes
        What the figures rest on, in sentences.
    """

    n_users: int
    distinct_sets: int
    n_topics: int
    cookies: Number
    specified: Number
    effects: tuple[RuleEffect, ...]
    notes: tuple[str, ...] = ()

    def table(self) -> Table:
        """Return the rules as a table."""
        columns = ("rule", "adversary", "compared", "with", "without", "factor", "method")
        rows = tuple(
            (
                _words(effect.rule), effect.adversary, effect.setting, _shown(effect.on), _shown(effect.off),
                float(effect.off.leakage / effect.on.leakage), _method(effect),
            )
            for effect in self.effects
        )  # fmt: skip
        users = counted(self.n_users, "user")
        title = f"What one call gives away of {users}, with each rule of the browser and without"
        return Table(title, columns, rows, (*self._about(), *self.notes))

    def _about(self) -> tuple[str, ...]:
        return (
            f"One call as specified leaks {shown(self.specified)}, cookies {shown(self.cookies)}: "
            "by how much they raise the chance to name the user over 1/N.",
            "call: an adversary who knows everybody's stable set of topics and sees one call on one site.",
            "link: one who knows only how common topics are, alone and in pairs, among very many users, sees "
            "one epoch on each of two sites, and tells which users are the same.",
            "Other adversaries, and more than one call, give other figures.",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the result by plain names, for JSON."""
        return {
            "users": self.n_users,
            "distinct_sets": self.distinct_sets,
            "n_topics": self.n_topics,
            "cookies": self.cookies,
            "specified": self.specified,
            "rules": [
                {
                    "rule": effect.rule,
                    "adversary": effect.adversary,
                    "setting": effect.setting,
                    "with": effect.on.to_dict(),
                    "without": effect.off.to_dict(),
                }
                for effect in self.effects
            ],
            "notes": list(self.notes),
        }

    def figure(self) -> Figure:
        """Return the figure: two marks for each rule, with it and without."""
        import altair as alt

        states = ("with the rule", "without it")
        values: list[dict[str, Any]] = [
            {
                "rule": f"{_words(effect.rule)} ({effect.adversary})",
                "state": state,
                "leakage": float(found.leakage),
                "low": float(found.leakage if found.low is None else found.low),
                "high": float(found.leakage if found.high is None else found.high),
            }
            for effect in self.effects
            for state, found in zip(states, (effect.on, effect.off), strict=True)
        ]
        data = alt.InlineData(values=values)
        most = max([float(self.cookies), *(value["high"] for value in values)])
        x = alt.X("leakage:Q", title="leakage (factor, log scale)", **log_axis(1, most))
        y = alt.Y("rule:N", title=None, sort=None, axis=alt.Axis(grid=True, labelLimit=260))
        aside = alt.YOffset("state:N", sort=list(states))
        marks = alt.Chart(data).mark_point(filled=True, size=90, opacity=1).encode(
            x, y, aside, **point_styles("state", None, list(states))
        )  # fmt: skip
        bars = alt.Chart(data).mark_rule(color=GREY).encode(alt.X("low:Q"), y, aside, alt.X2("high:Q"))
        layers = alt.layer(_line(float(self.cookies)), _line(float(self.specified)), bars, marks)
        title = f"One call, rule by rule: {counted(self.n_users, 'user')} (grey: as specified, and cookies)"
        return Figure.of(title, layers.properties(width=460, height=30 * len(self.effects)))


def _line(value: float) -> "alt.Chart":
    import altair as alt

    chart = alt.Chart(alt.InlineData(values=[{"leakage": value}]))
    line: alt.Chart = chart.mark_rule(color=GREY, strokeDash=[4, 4]).encode(alt.X("leakage:Q"))
    return line


def _words(rule: str) -> str:
    return rule.replace("_", " ")


def _shown(found: RuleLeakage) -> str:
    if found.low is None or found.high is None:
        return shown(found.leakage)
    return f"{rounded(found.leakage, 4)} [{rounded(found.low, 4)}, {rounded(found.high, 4)}]"


def _method(effect: RuleEffect) -> str:
    return "exact" if effect.on.method == effect.off.method == "exact" else "simulation"
