"""How a measurement is shown: what one observation reveals, what it is good for, and its limits."""

from collections.abc import Callable, Iterator, Mapping
from math import isinf
from typing import Any

from quiff.apis.base import Api
from quiff.core.numbers import Number
from quiff.populations.population import Population
from quiff.results.figures.charts import Axis, marks
from quiff.results.figures.figure import Figure
from quiff.results.figures.trade_off import trade_off_figure
from quiff.results.numbers import amount, probability, said
from quiff.results.result import Result
from quiff.results.rows import Row, Rows
from quiff.results.table import Table
from quiff.results.views.names import api_names, capitalised, goal_title, heading, many, stage_names
from quiff.results.views.tables import filling_table, rows_table

_FAR = 10**15  # a factor that is beyond this is not drawn, for the others would stand in one place
_LEAKS = (
    "{name}: one observation ({sees}) multiplies the probability of re-identification by {leakage}, from"
    " {prior} to {posterior}.{bound}"
)
_LIMITED = (
    "{name}: one observation ({sees}) multiplies the probability of any guess about the secret by at most"
    " {most}."
)
_LEARNS = (
    "{name}: a receiver guesses {what} correctly with probability {goal_posterior} ({goal_prior} without)."
)
_PEOPLE = {
    "users": "users (N)",
    "distinct_sets": "distinct topic sets",
    "occurring_topics": "topics that occur (m')",
    "anonymity": "users of the rarest set (k-anonymity)",
    "unique_users": "share of users with a unique topic set",
    "filled_users": "share of users with topics filled in at random",
    "filled_topics": "share of topics that were filled in",
}


def measured_views(
    people: Population,
    apis: Mapping[str, Api],
    rows: tuple[Row, ...],
    genuine: Result | None,
    known: tuple[str, ...],
) -> dict[str, Any]:
    """Return title, sentences, tables, figures and facts of a measurement; `apis` are by their specs."""
    seen, facts = Rows(rows), population_facts(people)
    titles = {spec: capitalised(title) for spec, title in api_names(apis).items()}
    names = stage_names(apis, seen.by("api", "stage"))
    last = Rows(tuple(row for spec in apis for row in seen.where(api=spec).last.rows))
    prior = "as probable as their weights" if people.weights is not None else "equally probable"
    on_topics = Rows(tuple(row for row in seen.rows if "topics" in apis[row.api].needs))
    given = f" The adversary already knows: {', '.join(known)}." if known else ""
    told = [(key, text) for key, text in _PEOPLE.items() if facts.get(key) is not None]
    spoken = _spoken_of(apis, last)
    learns = {spec: list(_of_goals(titles[spec], last.where(api=spec))) for spec in apis}
    tables = {
        "privacy": rows_table(
            seen,
            "Privacy: probability of re-identification",
            ["api", "stage"],
            {
                "re-identified": "posterior",
                "leakage": "leakage",
                "at most here": "bayes_capacity@people",
                "at most": "bayes_capacity@all",
            },
            names,
            notes=(
                f"Users are {prior} before.{given} Leakage multiplies that probability; at most: for any"
                " people and any prior; here: with the secrets that occur.",
                *(() if people.filled is None else (people.filled.sentence(),)),
            ),
        ),
        "utility": rows_table(
            seen,
            "Utility: probability to guess right, without and with an observation",
            ["api", "stage", "goal", "prior"],
            {"without": "goal_prior", "with": "goal_posterior", "factor": _factor},
            names,
            notes=("The prior is that of these people, or uniform on their distinct secrets.",),
        ),
        "limits": rows_table(
            last,
            "Limits of one observation",
            ["api", "scope"],
            ["bayes_capacity", "min_capacity_bits", "epsilon", "max_case_capacity"],
            titles,
            notes=("Capacities are factors, epsilon is in nats; of all secrets they are closed forms.",),
        ),
        "people": Table(
            "People",
            ("what", "value"),
            tuple((text, facts[key]) for key, text in told),
            people.notes,
            styles={"value": [probability if text.startswith("share") else said for _, text in told]},
        ),
        "filling": filling_table(
            people.filled, ["api", "stage"], on_topics, Rows(() if genuine is None else genuine.rows), names
        ),
    }
    return {
        "title": f"What one observation reveals about {many(people.n_users, 'user')}",
        "heading": heading(people, spoken.values()),
        "sentences": tuple(
            text
            for spec, api in spoken.items()
            for text in (
                *_of_api(titles[spec], api, last.where(api=spec)),
                *learns[spec][:1],
            )
        ),
        "further": (
            *(
                text
                for spec, api in apis.items()
                for text in (
                    *(_of_api(titles[spec], api, last.where(api=spec)) if spec not in spoken else ()),
                    *learns[spec][spec in spoken :],
                )
            ),
            *_of_sets(people, facts, genuine),
        ),
        "tables": {name: table for name, table in tables.items() if table.rows},
        "figures": dict(_figures(apis, seen, last)),
        "facts": {"population": facts, "genuine": _genuine_facts(genuine)},
    }


def population_facts(people: Population) -> dict[str, Any]:
    """Return who was measured by plain names, for JSON; what is not known is None."""
    facts: dict[str, Any] = {"users": people.n_users, "attributes": list(people.attributes)}
    if "topics" not in people.attributes:
        return facts
    counts, filled = people.set_counts(), people.filled
    return facts | {
        "set_size": int(people.sets.shape[2]),
        "distinct_sets": int(counts.shape[0]),
        "occurring_topics": people.occurring.size,
        "unique_users": int((counts == 1).sum()) / people.n_users,
        "anonymity": int(counts.min()),
        "filled_users": filled and filled.filled_users,
        "filled_topics": filled and filled.filled_share,
        "users_without_visits": filled and filled.without_visits,
        "genuine_users": filled and filled.genuine_users,
        "unique_users_visited": filled and filled.unique_share,
    }


def goal_sentences(apis: Mapping[str, Api], rows: tuple[Row, ...]) -> tuple[str, ...]:
    """Return those sentences of a measurement that say what a receiver learns; `apis` are by their specs."""
    titles, seen = {spec: capitalised(title) for spec, title in api_names(apis).items()}, Rows(rows)
    return tuple(text for spec in apis for text in _of_goals(titles[spec], seen.where(api=spec).last))


def _spoken_of(apis: Mapping[str, Api], last: Rows) -> Mapping[str, Api]:
    """Return the APIs that the answer is about: not those which single out everybody, if there are others."""
    others = {spec: api for spec, api in apis.items() if last.where(api=spec)["posterior"] != 1}
    return others or apis


def _factor(some: Rows) -> Number | None:
    before, after = some["goal_prior"], some["goal_posterior"]
    return after / before if before and after is not None else None


def _genuine_facts(genuine: Result | None) -> dict[str, Any] | None:
    if genuine is None:
        return None
    people, rows = genuine.facts["population"], Rows(genuine.rows)
    kept = ("users", "distinct_sets", "occurring_topics", "unique_users")
    return {key: people[key] for key in kept} | {
        name: {row.stage: row.value for row in rows.where(quantity=name).rows}
        for name in ("posterior", "leakage")
    }


def api_sentences(name: str, api: Api, last: Rows) -> Iterator[str]:
    """Say what one observation of an API reveals, what it can at most, and what a receiver learns."""
    yield from _of_api(name, api, last)
    yield from _of_goals(name, last)


def _of_api(name: str, api: Api, last: Rows) -> Iterator[str]:
    """Say what one observation of an API reveals, and what it can at most."""
    most, here = last["bayes_capacity@all"], last["bayes_capacity@people"]
    bound = ""
    if most is not None and not isinf(most):
        bound = (
            f" It can be at most {said(most)}, whoever the people are and whatever is known of them before"
        )
        data = "topics" if api.needs == ("topics",) else "data"
        whose = f"; {said(here or 0)} with only the {data} that occur here"
        bound += "." if here is None or said(here) == said(most) else f"{whose}."
    leaks = list(last.say(_LEAKS, name=name, sees=api.sees, bound=bound))
    yield from leaks
    if not leaks and most is not None:
        yield _LIMITED.format(name=name, sees=api.sees, most=said(most))


def _of_goals(name: str, last: Rows) -> Iterator[str]:
    goals = last.where(prior="population", quantity="goal_posterior").each("goal")
    for goal in goals:
        if goal != "secret" or len(goals) == 1:
            yield from last.where(goal=goal, prior="population").say(
                _LEARNS, name=name, what=goal_title(goal)
            )


def _of_sets(people: Population, facts: dict[str, Any], genuine: Result | None) -> Iterator[str]:
    """Say how many users have a unique topic set, and how many topics were filled in."""
    if "unique_users" not in facts:
        return
    alone, users, filled = probability(facts["unique_users"]), facts["users"], people.filled
    whom = "1 user has" if users == 1 else f"the {said(users)} users have"
    yield f"{alone} of {whom} a unique topic set."
    if filled is None:
        return
    text = filled.sentence()
    if filled.filled_sets and filled.unique_share is not None:
        text += (
            f" On visited topics alone {probability(filled.unique_share)} of the users have a unique"
            f" topic set, instead of {alone}."
        )
    if filled.filled_sets and genuine is not None:
        whole = genuine.facts["population"]
        text += (
            f" Among the {said(whole['users'])} users without filled topics "
            f"{probability(whole['unique_users'])} have a unique topic set."
        )
    elif filled.filled_sets and not filled.genuine_users:
        text += " No user has a set of visited topics only."
    yield text


def _figures(apis: Mapping[str, Api], seen: Rows, last: Rows) -> Iterator[tuple[str, Callable[[], Figure]]]:
    """Yield the figures that there are numbers for."""
    if seen["leakage"] is None:
        return
    yield "stages", lambda: _stages_figure(apis, seen)
    # A goal that all APIs share; an attribute of people, if there is one: nobody wants the whole secret.
    reached = last.where(quantity="goal_posterior", prior="population").by("goal")
    shared = [goal for (goal,), some in reached.items() if len(some.each("api")) == len(apis)]
    goal = next((goal for goal in shared if goal != "secret"), "secret")
    points, before, titles = [], None, api_names(apis)
    for (spec,), some in last.by("api").items():
        leakage, learnt = some["leakage"], some.where(goal=goal, prior="population")
        use, before = learnt["goal_posterior"], learnt["goal_prior"] or before
        if leakage is not None and use is not None:
            points.append((titles[spec], leakage, use))
    if points:
        name, leakage, use = points[-1]
        title = (
            f"{name}: a receiver guesses {goal_title(goal)} with {probability(use)}, and re-identification is"
            f" multiplied by {said(leakage)}"
        )
        yield "trade-off", lambda: trade_off_figure(title, points, before)


def _stages_figure(apis: Mapping[str, Api], seen: Rows) -> Figure:
    """Draw for each stage by how much it multiplies the probability, and by how much it could at most."""
    kinds = ("at most, for any people", "these people")
    points: list[dict[str, Any]] = []
    names = stage_names(apis, seen.by("api", "stage"))
    for key, some in seen.by("api", "stage").items():
        leakage, here, most = (some[q] for q in ("leakage", "bayes_capacity@people", "bayes_capacity@all"))
        if leakage is None or here is None:
            continue
        name, text = names[key], said(leakage)
        if most is not None and most <= _FAR:
            points.append({"name": name, "leakage": float(most), "kind": kinds[0]})
        else:  # what cannot be drawn is said
            text += f" (at most: {'not known' if most is None else amount(most)})"
        points.append({"name": name, "leakage": float(leakage), "kind": kinds[1], "text": text})
    axis = Axis("leakage", "factor on the probability of re-identification (log scale)", "log", 1, 10)
    chart = marks(points, axis, kinds, joined=True, step=44, width=400)
    name, factor = capitalised(points[-1]["name"]), points[-1]["text"].partition(" (at most")[0]
    return Figure.of(f"{name} multiplies the probability of re-identification by {factor}", chart)
