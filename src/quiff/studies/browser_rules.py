"""The question what each rule of the browser does for privacy."""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from quiff.apis.base import Api, checked_api
from quiff.browser.rates import VisitRates
from quiff.browser.rule_effects import RuleLeakage, rule_effects
from quiff.people.population import Population
from quiff.results.figures.charts import Axis, Record, marks
from quiff.results.layout import Chart, Fields, Get, Layout, Pivot, Say, label
from quiff.results.numbers import said
from quiff.results.result import Result
from quiff.results.rows import Between, Method, Row, rows_of
from quiff.studies.study import Findings, study
from quiff.theory.parameters import HALF, Real

_STATES = ("with the rule", "without it")
_ADVERSARIES = (
    "call: an adversary who knows everybody's stable set of topics and sees one call on one site.",
    "link: one who knows only how common topics are, alone and in pairs, among very many users, sees one"
    " epoch on each of two sites, and says which users are the same.",
    "Other adversaries, and more than one call, give other figures.",
)


def _goal(adversary: str) -> str:
    return "user" if adversary == "call" else adversary


def _rules(result: Result) -> Iterator[tuple[str, str, str, Row, Row]]:
    """Yield each rule in words, the adversary, what is compared, and the leakage with it and without it."""
    leakages = result.rows.by("stage", "goal")
    for rule, adversary, compared in result.words["rules"]:
        on, off = (leakages[stage, _goal(adversary)].rows[0] for stage in (rule, f"-{rule}"))
        yield rule.replace("_", " "), adversary, compared, on, off


def _leakage(place: int) -> Get:
    def cell(rule: tuple[Any, ...], _: Result) -> str:
        row = rule[place]
        ends = "" if row.low is None or row.high is None else f" [{said(row.low)}, {said(row.high)}]"
        return f"{said(row.value)}{ends}"

    return cell


_TITLE = "What one call gives away of {users}, with each rule of the browser and without"
RULES = Pivot(
    _TITLE,
    records=_rules,
    columns={
        "rule": 0,
        "adversary": 1,
        "compared": 2,
        "with": _leakage(3),
        "without": _leakage(4),
        "factor": lambda rule, _: float(rule[4].value / rule[3].value),
        "method": lambda rule, _: "exact" if rule[3].low is rule[4].low is None else "simulation",
    },
    notes=(*_ADVERSARIES, lambda result: result.notes),
)


def _mark(place: int, state: str) -> Fields:
    """Return the mark of a rule: with it, or without."""
    return {
        "name": lambda rule, _: f"{rule[0]} ({rule[1]})",
        "kind": label(state),
        "leakage": lambda rule, _: rule[place].value,
        "low": lambda rule, _: rule[place].low,
        "high": lambda rule, _: rule[place].high,
    }


def _drawn(points: list[Record], result: Result) -> Any:
    n = float((result.population or {})["users"])
    axis = Axis("leakage", "leakage (factor, log scale)", "log", 1, n)
    rules = (n, float(result.rows["leakage"] or 0))
    return marks(points, axis, _STATES, apart=True, rules=rules, step=30)


LAYOUT = Layout(
    _TITLE,
    say={
        "rules": Say(
            "One call as specified multiplies the probability of re-identification by {leakage}, a cookie by"
            " {cookie}.",
            where={"stage": ""},
        )
    },
    tables={"rules": RULES},
    charts={
        "rules": Chart(
            "One call, rule by rule: {users} (grey: as specified, and cookies)",
            records=_rules,
            points=tuple(_mark(place, state) for place, state in enumerate(_STATES, start=3)),
            draw=_drawn,
        )
    },
)


@study(LAYOUT)
def browser_rules(
    people: Population,
    api: Api | None = None,
    *,
    coverage: Real = HALF,
    rates: VisitRates | None = None,
    high_utility: Iterable[Hashable] = (),
    samples: int = 5000,
    seed: int = 0,
) -> Findings:
    """Measure what one call leaks with each rule of the browser and without it.

    The adversary of a call knows everybody's stable set; leakage is exact, by counting, except where places
    of a set are empty: there it is estimated. Two sites are linked by an adversary who knows only how common
    topics are. A row's stage is the rule, with a minus where it is switched off; its goal is the user, or two
    sites' users who are the same (``link``).

    Parameters
    ----------
    people
        The users, with stable sets.
    api
        The Topics API with its parameters; by default with sets of the people's size.
    coverage
        For the rules of the witness filter: the probability that the caller has observed a top topic.
    rates
        For padding and utility buckets, which work on visits: users with their rates.
    high_utility
        For utility buckets: the topics that rank first.
    samples
        How many calls to draw for an estimate.
    seed
        For estimates, and random visits.

    Examples
    --------
    >>> from quiff import worked_example
    >>> people, api = worked_example()
    >>> result = browser_rules(people, api, samples=100)
    >>> [round(float(result[api.spec, "leakage", rule]), 3) for rule in ("noise", "-noise")]
    [1.969, 2.0]

    Raises
    ------
    ParameterError
        If a number is out of range, the sets are not stable, or users are merged.
    """
    api = checked_api(api)
    effects = rule_effects(people, api, coverage, rates, high_utility, samples, seed)
    leakages = [("", "call", RuleLeakage(effects.specified))]
    leakages += [(effect.rule, effect.adversary, effect.on) for effect in effects.rules]
    leakages += [(f"-{effect.rule}", effect.adversary, effect.off) for effect in effects.rules]
    rows: list[Row] = []
    for rule, adversary, number in leakages:
        method: Method = "exact" if number.low is None else "monte-carlo"
        leakage = Between(number.leakage, number.low, number.high, method)
        rows += rows_of(api, {"leakage": leakage}, stage=rule, goal=_goal(adversary), prior="population")
    return Findings(
        rows,
        notes=effects.notes,
        words={
            "cookie": said(people.n_users),
            "rules": [[effect.rule, effect.adversary, effect.setting] for effect in effects.rules],
        },
        seed=seed,
    )
