"""How the rules of the browser are shown, one by one: what a call gives away with each and without it."""

from typing import Any

from quiff.browser.rule_effects import Effects, RuleEffect, RuleLeakage
from quiff.populations.population import Population
from quiff.results.figures.charts import Axis, marks
from quiff.results.figures.figure import Figure
from quiff.results.numbers import said
from quiff.results.table import Table
from quiff.results.views.names import many

_STATES = ("with the rule", "without it")


def rules_views(people: Population, found: Effects) -> dict[str, Any]:
    """Return title, sentence, table and figure of the rules."""
    users, specified = many(people.n_users, "user"), said(found.specified)
    title = f"What one call gives away of {users}, with each rule of the browser and without"
    about = (
        f"One call as specified leaks {specified}, cookies {said(people.n_users)}: "
        "the factor by which they multiply the probability of re-identification, 1/N.",
        "call: an adversary who knows everybody's stable set of topics and sees one call on one site.",
        "link: one who knows only how common topics are, alone and in pairs, among very many users, sees "
        "one epoch on each of two sites, and says which users are the same.",
        "Other adversaries, and more than one call, give other figures.",
    )
    rules = Table(
        title,
        ("rule", "adversary", "compared", "with", "without", "factor", "method"),
        tuple(
            (
                _words(each.rule), each.adversary, each.setting, _shown(each.on), _shown(each.off),
                float(each.off.leakage / each.on.leakage), _method(each),
            )
            for each in found.rules
        ),
        (*about, *found.notes),
    )  # fmt: skip
    return {
        "title": title,
        "sentences": (
            f"One call as specified multiplies the probability of re-identification by {specified}, a cookie"
            f" by {said(people.n_users)}.",
        ),
        "tables": {"rules": rules},
        "figures": {"rules": lambda: _figure(people, found)},
    }


def _figure(people: Population, found: Effects) -> Figure:
    """Return two marks for each rule, with it and without."""
    records = [
        {
            "name": f"{_words(each.rule)} ({each.adversary})",
            "kind": state,
            "leakage": float(value.leakage),
            "low": None if value.low is None else float(value.low),
            "high": None if value.high is None else float(value.high),
        }
        for each in found.rules
        for state, value in zip(_STATES, (each.on, each.off), strict=True)
    ]
    axis = Axis("leakage", "leakage (factor, log scale)", "log", 1, float(people.n_users))
    rules = (float(people.n_users), float(found.specified))
    title = f"One call, rule by rule: {many(people.n_users, 'user')} (grey: as specified, and cookies)"
    return Figure.of(title, marks(records, axis, _STATES, apart=True, rules=rules, step=30))


def _words(rule: str) -> str:
    return rule.replace("_", " ")


def _shown(found: RuleLeakage) -> str:
    ends = "" if found.low is None or found.high is None else f" [{said(found.low)}, {said(found.high)}]"
    return f"{said(found.leakage)}{ends}"


def _method(effect: RuleEffect) -> str:
    return "exact" if effect.on.method == effect.off.method == "exact" else "simulation"
