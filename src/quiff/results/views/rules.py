"""How the rules of the browser are shown, one by one: what a call gives away with each and without it."""

from typing import TYPE_CHECKING, Any

from quiff.browser.rule_effects import Effects, RuleEffect, RuleLeakage
from quiff.errors import counted
from quiff.populations.population import Population
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import GREY, log_axis, point_styles
from quiff.results.numbers import rounded, said, shown
from quiff.results.table import Table

if TYPE_CHECKING:
    import altair as alt

_STATES = ("with the rule", "without it")


def rules_views(people: Population, found: Effects) -> dict[str, Any]:
    """Return title, sentence, table and figure of the rules."""
    users = counted(people.n_users, "user")
    title = f"What one call gives away of {users}, with each rule of the browser and without"
    columns = ("rule", "adversary", "compared", "with", "without", "factor", "method")
    rows = tuple(
        (
            _words(each.rule), each.adversary, each.setting, _shown(each.on), _shown(each.off),
            float(each.off.leakage / each.on.leakage), _method(each),
        )
        for each in found.rules
    )  # fmt: skip
    about = (
        f"One call as specified leaks {shown(found.specified)}, cookies {people.n_users}: "
        "the factor by which they multiply the probability of re-identification, 1/N.",
        "call: an adversary who knows everybody's stable set of topics and sees one call on one site.",
        "link: one who knows only how common topics are, alone and in pairs, among very many users, sees "
        "one epoch on each of two sites, and says which users are the same.",
        "Other adversaries, and more than one call, give other figures.",
    )
    return {
        "title": title,
        "sentences": (
            f"One call as specified multiplies the probability of re-identification by"
            f" {said(found.specified)}, a cookie by {said(people.n_users)}.",
        ),
        "tables": {"rules": Table(title, columns, rows, (*about, *found.notes))},
        "figures": {"rules": lambda: _figure(people, found)},
    }


def _figure(people: Population, found: Effects) -> Figure:
    """Return two marks for each rule, with it and without."""
    import altair as alt

    values: list[dict[str, Any]] = [
        {
            "rule": f"{_words(each.rule)} ({each.adversary})",
            "state": state,
            "leakage": float(value.leakage),
            "low": float(value.leakage if value.low is None else value.low),
            "high": float(value.leakage if value.high is None else value.high),
        }
        for each in found.rules
        for state, value in zip(_STATES, (each.on, each.off), strict=True)
    ]
    data = alt.InlineData(values=values)
    most = max([float(people.n_users), *(value["high"] for value in values)])
    x = alt.X("leakage:Q", title="leakage (factor, log scale)", **log_axis(1, most))
    y = alt.Y("rule:N", title=None, sort=None, axis=alt.Axis(grid=True, labelLimit=260))
    aside = alt.YOffset("state:N", sort=list(_STATES))
    marks = alt.Chart(data).mark_point(filled=True, size=90, opacity=1).encode(
        x, y, aside, **point_styles("state", None, list(_STATES))
    )  # fmt: skip
    bars = alt.Chart(data).mark_rule(color=GREY).encode(alt.X("low:Q"), y, aside, alt.X2("high:Q"))
    layers = alt.layer(_line(float(people.n_users)), _line(float(found.specified)), bars, marks)
    users = counted(people.n_users, "user")
    title = f"One call, rule by rule: {users} (grey: as specified, and cookies)"
    return Figure.of(title, layers.properties(width=460, height=30 * len(found.rules)))


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
