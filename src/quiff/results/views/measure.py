"""How a measurement is shown: what one observation reveals, what it is good for, and its limits."""

from collections.abc import Callable, Iterator, Mapping
from math import isinf
from typing import Any

from quiff.apis.base import Api
from quiff.core.numbers import Number
from quiff.errors import counted
from quiff.populations.population import Population
from quiff.results.figures.figure import Figure
from quiff.results.figures.stages import StageMark, stages_figure
from quiff.results.figures.trade_off import trade_off_figure
from quiff.results.numbers import probability, said
from quiff.results.result import Result, Row
from quiff.results.table import Table

_LIMITS = ("bayes_capacity", "min_capacity_bits", "epsilon", "max_case_capacity")


def measured_views(
    people: Population,
    apis: Mapping[str, Api],
    rows: tuple[Row, ...],
    genuine: Result | None,
    known: tuple[str, ...],
) -> dict[str, Any]:
    """Return title, sentences, tables, figures and facts of a measurement; `apis` are by their specs."""
    seen = _Rows(rows)
    tables = {
        "privacy": _privacy(people, apis, seen, known),
        "utility": _utility(apis, seen),
        "limits": _limits(apis, seen),
        "people": _people(people),
    }
    filled = people.filled
    if filled is not None and filled.filled_sets:
        tables["filling"] = _filling(people, apis, seen, genuine)
    return {
        "title": f"What one observation reveals about {counted(people.n_users, 'user')}",
        "sentences": tuple(_sentences(people, apis, seen, genuine)),
        "tables": {name: table for name, table in tables.items() if table.rows},
        "figures": dict(_figures(people, apis, seen)),
        "facts": {"population": population_facts(people), "genuine": _genuine_facts(genuine)},
    }


class _Rows:
    """Rows by what they are of."""

    def __init__(self, rows: tuple[Row, ...]) -> None:
        self.rows = rows

    def value(self, api: str, stage: str, quantity: str, **others: str) -> Number | None:
        """Return one number; None if it is not there."""
        wanted = {"api": api, "stage": stage, "quantity": quantity, **others}
        return next(
            (row.value for row in self.rows if all(getattr(row, k) == v for k, v in wanted.items())), None
        )

    def stages(self, api: str) -> list[str]:
        """Return the stages of an API."""
        return list(dict.fromkeys(row.stage for row in self.rows if row.api == api))

    def goals(self, api: str) -> list[tuple[str, str]]:
        """Return goals and priors of an API."""
        pairs = ((r.goal, r.prior) for r in self.rows if r.api == api and r.quantity == "goal_posterior")
        return list(dict.fromkeys(pairs))


def population_facts(people: Population) -> dict[str, Any]:
    """Return who was measured by plain names, for JSON; what is not known is None."""
    facts: dict[str, Any] = {"users": people.n_users, "attributes": list(people.attributes)}
    if "topics" not in people.attributes:
        return facts
    counts, filled = people.set_counts(), people.filled
    alone = int((counts == 1).sum())
    return facts | {
        "set_size": int(people.sets.shape[2]),
        "distinct_sets": int(counts.shape[0]),
        "occurring_topics": people.occurring.size,
        "unique_users": alone / people.n_users,
        "anonymity": int(counts.min()),
        "filled_users": None if filled is None else filled.filled_users,
        "filled_topics": None if filled is None else filled.filled_share,
        "users_without_visits": None if filled is None else filled.without_visits,
        "genuine_users": None if filled is None else filled.genuine_users,
        "unique_users_visited": None if filled is None else filled.unique_share,
    }


def _genuine_facts(genuine: Result | None) -> dict[str, Any] | None:
    if genuine is None:
        return None
    people = genuine.facts["population"]
    numbers = {
        name: {row.stage: row.value for row in genuine.rows if row.quantity == name}
        for name in ("posterior", "leakage")
    }
    return {
        key: people[key] for key in ("users", "distinct_sets", "occurring_topics", "unique_users")
    } | numbers


def goal_title(goal: str) -> str:
    """Return what a goal is, for people.

    Examples
    --------
    >>> goal_title("topics"), goal_title("secret"), goal_title("country")
    ('a topic of the user', 'the whole secret', 'country')
    """
    return {"topics": "a topic of the user", "secret": "the whole secret"}.get(goal, goal)


def _privacy(people: Population, apis: Mapping[str, Api], seen: _Rows, known: tuple[str, ...]) -> Table:
    rows = tuple(
        (
            name,
            seen.value(spec, stage, "posterior", goal="user"),
            seen.value(spec, stage, "leakage", goal="user"),
            seen.value(spec, stage, "bayes_capacity", scope="people"),
            seen.value(spec, stage, "bayes_capacity", scope="all"),
        )
        for (spec, stage), name in _stage_names(apis, seen).items()
        if seen.value(spec, stage, "posterior", goal="user") is not None
    )
    prior = "as probable as their weights" if people.weights is not None else "equally probable"
    given = f" The adversary already knows: {', '.join(known)}." if known else ""
    return Table(
        "Privacy: probability of re-identification",
        ("observed", "re-identified", "leakage", "at most here", "at most"),
        rows,
        (
            f"Users are {prior} before.{given} Leakage multiplies that probability;",
            "at most: for any people and any prior; here: with the secrets that occur.",
        ),
        styles={
            "re-identified": probability,
            **dict.fromkeys(("leakage", "at most here", "at most"), said),
        },
    )


def _name(apis: Mapping[str, Api], spec: str) -> str:
    """Return the title of an API, or its spec where two have one title."""
    title = apis[spec].title
    return title if [api.title for api in apis.values()].count(title) == 1 else spec


def _stage_names(apis: Mapping[str, Api], seen: _Rows) -> dict[tuple[str, str], str]:
    """Return a name for every stage of every API, with the API's spec where two would share one."""
    titles = {
        (spec, stage): api.stage_title(stage) for spec, api in apis.items() for stage in seen.stages(spec)
    }
    listed = list(titles.values())
    return {key: f"{title} ({key[0]})" if listed.count(title) > 1 else title for key, title in titles.items()}


def _utility(apis: Mapping[str, Api], seen: _Rows) -> Table:
    rows = []
    for (spec, stage), name in _stage_names(apis, seen).items():
        for goal, prior in seen.goals(spec):
            before, after = (
                seen.value(spec, stage, quantity, goal=goal, prior=prior)
                for quantity in ("goal_prior", "goal_posterior")
            )
            if before is not None and after is not None:
                rows.append(
                    (name, goal_title(goal), prior, before, after, after / before if before else None)
                )
    return Table(
        "Utility: probability to reach a goal, without and with an observation",
        ("observed", "goal", "prior", "without", "with", "factor"),
        tuple(rows),
        ("The prior is that of these people, or uniform on their distinct secrets.",),
        styles={"without": probability, "with": probability, "factor": said},
    )


def _limits(apis: Mapping[str, Api], seen: _Rows) -> Table:
    rows = []
    for spec in apis:
        last = seen.stages(spec)[-1]
        name = _name(apis, spec)
        for scope, words in (("all", "all secrets"), ("people", "those that occur")):
            values = [seen.value(spec, last, quantity, scope=scope) for quantity in _LIMITS]
            if any(value is not None for value in values):
                rows.append((name, words, *values))
    return Table(
        "Limits of one observation",
        ("API", "over", "capacity", "in bits", "epsilon", "max-case"),
        tuple(rows),
        ("Capacities are factors, epsilon is in nats; over all secrets they are closed forms.",),
        styles=dict.fromkeys(("capacity", "in bits", "epsilon", "max-case"), said),
    )


def _people(people: Population) -> Table:
    facts = population_facts(people)
    names = {
        "users": "users (N)",
        "distinct_sets": "distinct topic sets",
        "occurring_topics": "topics that occur (m')",
        "unique_users": "share of users with a unique topic set",
        "anonymity": "users of the rarest set (k-anonymity)",
        "filled_users": "share of users with topics filled in at random",
        "filled_topics": "share of topics that were filled in",
    }
    rows = tuple((text, facts[key]) for key, text in names.items() if facts.get(key) is not None)
    return Table("People", ("what", "value"), rows, people.notes)


def _filling(people: Population, apis: Mapping[str, Api], seen: _Rows, genuine: Result | None) -> Table:
    """Return the figures with filled topics beside those on visited topics."""
    filled = people.filled
    assert filled is not None  # noqa: S101 - the caller has looked
    alone = None if genuine is None else genuine.facts["population"]
    facts = population_facts(people)
    rows: list[tuple[Any, ...]] = [
        ("users", facts["users"], facts["users"], filled.genuine_users),
        (
            "distinct sets",
            facts["distinct_sets"],
            filled.distinct_visited,
            alone and alone["distinct_sets"],
        ),
        (
            "share of users with a unique topic set",
            facts["unique_users"],
            filled.unique_share,
            alone and alone["unique_users"],
        ),
    ]
    for spec, api in apis.items():
        if "topics" not in api.needs:
            continue
        for stage in seen.stages(spec):
            known = (
                stage == "generalization" and filled.distinct_visited is not None and people.weights is None
            )
            visited = (filled.distinct_visited or 0) / filled.users if known else None
            rows.append(
                (
                    f"re-identified by: {api.stage_title(stage)}",
                    seen.value(spec, stage, "posterior", goal="user"),
                    visited,
                    genuine and genuine[spec, "posterior", stage],
                )
            )
        last = seen.stages(spec)[-1]
        rows.append(
            (
                f"leakage: {api.stage_title(last)}",
                seen.value(spec, last, "leakage", goal="user"),
                None,
                genuine and genuine[spec, "leakage"],
            )
        )
    return Table(
        "With filling, and genuine topics only",
        ("what", "with filling", "visited topics", "whole sets"),
        tuple(rows),
        (
            filled.sentence(),
            "With filling: all users and their sets, as a browser has them. Visited topics: the same without "
            "the filled topics, so that some sets are smaller. Whole sets: users without filled topics only.",
        ),
    )


def _sentences(
    people: Population, apis: Mapping[str, Api], seen: _Rows, genuine: Result | None
) -> Iterator[str]:
    for spec, api in apis.items():
        last = seen.stages(spec)[-1]
        yield from _api_sentences(_name(apis, spec), spec, api, last, seen)
    facts = population_facts(people)
    if "unique_users" in facts:
        alone, users = probability(facts["unique_users"]), facts["users"]
        whom = "1 user has" if users == 1 else f"the {said(users)} users have"
        yield f"{alone} of {whom} a unique topic set."
    filled = people.filled
    if filled is not None:
        text = filled.sentence()
        if filled.filled_sets and filled.unique_share is not None:
            text += (
                f" On visited topics alone {probability(filled.unique_share)} of the users have a unique"
                f" topic set, instead of {probability(facts['unique_users'])}."
            )
        if filled.filled_sets and genuine is not None:
            alone = genuine.facts["population"]
            text += (
                f" Among the {said(alone['users'])} users without filled topics "
                f"{probability(alone['unique_users'])} have a unique topic set."
            )
        elif filled.filled_sets and not filled.genuine_users:
            text += " No user has a set of visited topics only."
        yield text


def _api_sentences(name: str, spec: str, api: Api, last: str, seen: _Rows) -> Iterator[str]:
    """Say what one observation of an API reveals, what it can at most, and what a receiver learns."""
    before, after, leakage = (
        seen.value(spec, last, quantity, goal="user") for quantity in ("prior", "posterior", "leakage")
    )
    most = seen.value(spec, last, "bayes_capacity", scope="all")
    what = f"{name}: {api.sees}"
    if before is not None and after is not None and leakage is not None:
        bound = (
            ""
            if most is None or isinf(most)
            else f" It is at most {said(most)} for any people and any prior."
        )
        yield (
            f"{what} multiplies the probability of re-identification by {said(leakage)} "
            f"(from {probability(before)} to {probability(after)}).{bound}"
        )
    elif most is not None:
        yield f"{what} multiplies the probability of any guess about the secret by at most {said(most)}."
    yield from _goal_sentences(name, spec, last, seen)


def goal_sentences(apis: Mapping[str, Api], rows: tuple[Row, ...]) -> tuple[str, ...]:
    """Return those sentences of a measurement that say what a receiver learns; `apis` are by their specs."""
    seen = _Rows(rows)
    return tuple(
        sentence
        for spec in apis
        for sentence in _goal_sentences(_name(apis, spec), spec, seen.stages(spec)[-1], seen)
    )


def _goal_sentences(name: str, spec: str, last: str, seen: _Rows) -> Iterator[str]:
    for goal, prior in seen.goals(spec):
        if prior == "population" and not (goal == "secret" and len(seen.goals(spec)) > 2):
            a, b = (
                seen.value(spec, last, quantity, goal=goal, prior=prior)
                for quantity in ("goal_prior", "goal_posterior")
            )
            if a is not None and b is not None:
                yield (
                    f"{name}: a receiver names {goal_title(goal)} correctly with {probability(b)} "
                    f"({probability(a)} without)."
                )


def _figures(
    people: Population, apis: Mapping[str, Api], seen: _Rows
) -> Iterator[tuple[str, Callable[[], Figure]]]:
    """Yield the figures that there are numbers for."""
    if any(row.quantity == "leakage" for row in seen.rows):
        yield "stages", lambda: _stages_figure(people, apis, seen)
        goal, points, before = _trade_offs(apis, seen)
        if points:
            title = f"Privacy and utility ({goal_title(goal)}): {counted(people.n_users, 'user')}"
            yield "trade-off", lambda: trade_off_figure(title, points, before)


def _stages_figure(people: Population, apis: Mapping[str, Api], seen: _Rows) -> Figure:
    marks = []
    for spec, api in apis.items():
        for stage in seen.stages(spec):
            leakage = seen.value(spec, stage, "leakage", goal="user")
            here, most = (seen.value(spec, stage, "bayes_capacity", scope=s) for s in ("people", "all"))
            if leakage is not None and here is not None:
                bound = here if most is None or isinf(most) else min(most, people.n_users)
                title = api.stage_title(stage) if len(apis) < 3 else f"{spec}: {api.stage_title(stage)}"
                marks.append(StageMark(title, leakage, bound, here if here != bound else None))
    return stages_figure(marks, people.n_users)


def _trade_offs(
    apis: Mapping[str, Api], seen: _Rows
) -> tuple[str, list[tuple[str, Number, Number]], Number | None]:
    """Return a goal that all APIs share, leakage and its probability with each, and without.

    It is an attribute of people, if there is one: a receiver seldom wants the whole secret.
    """
    shared = [
        goal
        for goal, prior in (seen.goals(next(iter(apis))))
        if prior == "population" and all((goal, prior) in seen.goals(spec) for spec in apis)
    ]
    goal = next((goal for goal in shared if goal != "secret"), "secret")
    points, before = [], None
    for spec in apis:
        last = seen.stages(spec)[-1]
        leakage = seen.value(spec, last, "leakage", goal="user")
        use = seen.value(spec, last, "goal_posterior", goal=goal, prior="population")
        before = seen.value(spec, last, "goal_prior", goal=goal, prior="population") or before
        if leakage is not None and use is not None:
            points.append((spec, leakage, use))
    return goal, points, before
