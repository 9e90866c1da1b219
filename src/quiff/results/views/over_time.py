"""How several observations of one person are shown: leakage by their number, risks, and the rest."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from quiff.apis.base import Api, Occasion, in_a_month
from quiff.core.numbers import Number
from quiff.populations.filling import Filled
from quiff.populations.population import Population
from quiff.results.distribution import of_users
from quiff.results.figures.charts import Axis, curves, probabilities
from quiff.results.figures.figure import Figure
from quiff.results.numbers import probability, said
from quiff.results.result import Result
from quiff.results.rows import Row, Rows
from quiff.results.table import Table
from quiff.results.views.names import goal_title, heading, many, month_words, visits
from quiff.results.views.tables import filling_table, rows_table

_LEAKS = "{api}: {seen} the probability of re-identification by {how}, from {prior} to {posterior}"
_LIMIT = (
    "However many observations there are, it is at most {leakage_limit}, for there {are} only {profiles};"
)
_BOUND = "at most, by the parameters alone"
_LEAST_RISK = 1e-6  # below this the picture would be empty
_RISK = (
    "After {after} the average user is re-identified with probability {risk_mean}, the median user with"
    " {risk_median}, one in a hundred with {risk_99} or more, and the user most at risk with {risk_max};"
    " {users_above} {of_users} with more than 50 %."
)
_LEARNS = (
    "A receiver guesses {what} correctly with probability {goal_posterior} after {after} ({goal_prior}"
    " without any)."
)


def over_time_views(
    people: Population,
    api: Api,
    rows: tuple[Row, ...],
    spreads: Mapping[int, Sequence[float]],
    occasions: Sequence[Occasion],
    profiles: int,
    notes: tuple[str, ...],
    genuine: Result | None,
) -> dict[str, Any]:
    """Return title, sentences, tables, figures and facts of observations over time.

    `spreads` are the percentiles of the users' risk by the number of observations; `profiles` is how many
    different secrets over time there are.
    """
    filled = people.filled if "topics" in api.needs else None
    seen, known = Rows(rows), [each for each in occasions if each.leakage is not None]
    leaks, whole = seen.where(goal="user"), Rows(genuine.rows if genuine is not None else ())
    prior, users = leaks["prior"], many(people.n_users, "user")
    weights = "as probable as their weights" if people.weights is not None else "equally probable"
    estimated = any(row.low is not None for row in leaks.rows)
    sampled = ("low, high: an interval of 95 % for the leakage.",) if estimated else ()
    leaking = tuple(_of_leakages(api, leaks, profiles))
    month = in_a_month(api)
    before = "" if prior is None else f", {weights} before: guessed with {probability(prior)}"
    tables = {
        "over_time": rows_table(
            leaks,
            f"{api.title}: probability of re-identification by the number of observations",
            ["observations"],
            {
                "which are": lambda some: "a month" if some.rows[0].observations == month else None,
                "re-identified": "posterior",
                "leakage": "leakage",
            },
            interval="leakage",
            notes=(
                f"{users}{before}.",
                *filter(None, [month_words(api)]),
                *(() if filled is None else (filled.sentence(),)),
                *sampled,
                *notes,
            ),
        ),
        "limits": rows_table(
            Rows(tuple(row for row in rows if row.goal in ("", "user"))),
            "Limits of the leakage",
            ["observations"],
            {"at least": "leakage_at_least", "at most": "leakage_at_most", "limit": "leakage_limit"}
            | {"bound": "leakage_bound", "epsilon": "epsilon", "max-case capacity": "max_case_capacity"},
            notes=(
                "at least, at most: the leakage lies between them for certain. limit: if the secrets"
                " themselves were observed. bound: from the parameters alone.",
            ),
        ),
        "risk": rows_table(
            leaks,
            "The users' own risk: probability of re-identification",
            ["observations"],
            {"mean": "risk_mean", "median": "risk_median", "95 %": "risk_95", "99 %": "risk_99"}
            | {"largest": "risk_max", "above 50 %": "users_above"},
            notes=("Users count as much as they weigh.",) if people.weights is not None else (),
        ),
        "filling": filling_table(filled, ["observations"], leaks, whole),
        "occasions": occasions_table(known, prior or 0),
        "utility": rows_table(
            seen,
            "What a receiver learns: probability to guess right",
            ["goal", "observations"],
            {"without": "goal_prior", "with": "goal_posterior"},
        ),
    }

    return {
        "title": f"{api.title}: what several observations reveal about {users}",
        "heading": heading(people, [api]),
        "sentences": (
            *leaking[:1],
            *occasion_sentences(known[:1], prior or 0),
            *_of_risk(leaks, people.weights is not None),
            *_of_goals(seen),
        ),
        "further": (
            *leaking[1:],
            *([] if filled is None else _of_filling(filled, leaks, whole, genuine, profiles)),
            *occasion_sentences(known[1:], prior or 0),
        ),
        "tables": {name: table for name, table in tables.items() if table.rows},
        "figures": dict(_figures(api, leaks, spreads)),
        "facts": {
            "month_observations": month,
            "filling": None if filled is None else _filling_facts(filled, genuine),
        },
    }


def _figures(
    api: Api, leaks: Rows, spreads: Mapping[int, Sequence[float]]
) -> Iterator[tuple[str, Callable[[], Figure]]]:
    if leaks["prior"] is not None:
        yield "over_time", lambda: _growth(api, leaks)
    if spreads:
        yield "risk", lambda: _spread(api, spreads)


def _last(rows: Rows, quantity: str) -> tuple[int, Rows]:
    """Return the most observations for which a quantity is known, and their rows."""
    most = max((row.observations for row in rows.where(quantity=quantity).rows), default=0)
    return most, rows.where(observations=most)


def _of_leakages(api: Api, leaks: Rows, profiles: int) -> Iterator[str]:
    n, last = _last(leaks, "leakage")
    found, limit = last.row("leakage"), last["leakage_limit"]
    if found is None or limit is None:
        return
    sampled = found.low is not None and found.high is not None
    sure = f" (95 %: {said(found.low or 0)} to {said(found.high or 0)})" if sampled else ""
    one = leaks["leakage"] or 0
    (text,) = last.say(
        _LEAKS,
        api=api.title,
        seen=f"{_number(n, api)} {'multiply' if n > 1 else 'multiplies'}",
        how=f"{'about ' if sampled else ''}{said(found.value)}{sure}",
    )
    yield f"{text}{f'; one observation by {said(one)}' if n > 1 else ''}."
    are, reach = "is" if profiles == 1 else "are", "reach" if n > 1 else "reaches"
    (text,) = last.say(_LIMIT, are=are, profiles=many(profiles, "different profile"))
    yield f"{text} {_number(n, api)} {reach} {probability(found.value / limit)} of that."


def _number(n: int, api: Api) -> str:
    """Return a number of observations in words, how far they are apart or what brings them, and a month."""
    days, month = api.unit.days, n > 1 and n == in_a_month(api)
    if api.shown_at_first > 1:
        brought = f" ({visits(api, n)}{': a month' if month else ''})" if n >= api.shown_at_first else ""
        return f"{many(n, 'observation')}{brought}"
    often = {1.0: "daily ", 7.0: "weekly "}.get(days or 0.0, "")
    apart = f", one in {days:g} days" if days and not often and n > 1 else ""
    return f"{n} {often}observation{'s' if n > 1 else ''}{apart}{' (a month)' if month else ''}"


def occasions_table(known: Sequence[Occasion], prior: Number) -> Table:
    """Return what else an API shows, with its leakage and the probability of success."""
    return Table(
        "On other occasions: leakage, and probability of success",
        ("what is seen", "leakage", "success"),
        tuple((each.title, each.leakage, (each.leakage or 0) * prior) for each in known),
        styles={"success": probability},
    )


def occasion_sentences(known: Sequence[Occasion], prior: Number) -> tuple[str, ...]:
    """Say what each occasion reveals."""
    return tuple(
        each.sentence.format(
            leakage=said(each.leakage or 0), posterior=probability((each.leakage or 0) * prior)
        )
        for each in known
    )


def _of_risk(leaks: Rows, weighted: bool) -> Iterator[str]:
    n, last = _last(leaks, "risk_mean")
    return last.say(_RISK, after=many(n, "observation"), of_users=of_users(weighted))


def _of_filling(
    filled: Filled, leaks: Rows, whole: Rows, genuine: Result | None, profiles: int
) -> Iterator[str]:
    """Say how much was filled in, and what the figures are without it."""
    n, last = _last(leaks, "leakage")
    if not filled.filled_sets or not n:
        return
    if filled.distinct_visited is not None:
        yield (
            f"On visited topics alone there are {many(filled.distinct_visited, 'different profile')}, "
            f"instead of {said(profiles)}."
        )
    seen = many(n, "observation")
    if genuine is not None:
        (alone,) = whole.where(goal="user", observations=n).say("{posterior} (leakage {leakage})")
        (every,) = last.say("{posterior} (leakage {leakage})")
        yield (
            f"Among the {many(genuine.facts['users'], 'user')} without filled topics, {seen} re-identify "
            f"a user with probability {alone}; among all, with filling, with {every}."
        )
    elif not filled.genuine_users:
        yield f"No user has visited topics only in {seen}, so that there is no figure without filling."


def _of_goals(seen: Rows) -> Iterator[str]:
    for goal in seen.where(quantity="goal_posterior").each("goal"):
        n, last = _last(seen.where(goal=goal), "goal_posterior")
        yield from last.say(_LEARNS, what=goal_title(goal), after=many(n, "observation"))


def _filling_facts(filled: Filled, genuine: Result | None) -> dict[str, Any]:
    """Return what was filled in, and the figures without it, by plain names, for JSON."""
    kept = ("users", "distinct_profiles", "epochs", "risk")
    return {
        "filled_users": filled.filled_users,
        "filled_topics": filled.filled_share,
        "sets_without_visits": filled.without_visits,
        "genuine_users": filled.genuine_users,
        "distinct_visited_profiles": filled.distinct_visited,
        "unique_users_visited": filled.unique_share,
        "genuine": None if genuine is None else {key: genuine.facts[key] for key in kept},
    }


def _growth(api: Api, leaks: Rows) -> Figure:
    """Draw the probability of re-identification against the number of observations, with its bound."""
    series = {api.title: "leakage", _BOUND: "leakage_bound"}
    prior = float(leaks["prior"] or 1)
    points: list[dict[str, Any]] = []
    for name, quantity in series.items():
        for row in leaks.where(quantity=quantity).rows:
            low, high = (None if end is None else min(prior * float(end), 1.0) for end in (row.low, row.high))
            ends = {} if low is None or high is None else {"low": low, "high": high}
            value = min(prior * float(row.value), 1.0)
            points.append({"series": name, "observations": row.observations, "probability": value, **ends})
    most = max(point["observations"] for point in points)
    own = [point for point in points if point["series"] == api.title]
    chart = curves(
        points,
        Axis("observations", "observations", "count", 1, max(2, most)),
        probabilities("probability", "probability of re-identification", own),
        list(series),
        dots=own,
        size=(310, 230),
    )
    (found,) = leaks.where(observations=most).say("{posterior}")
    found = f"about {found}" if any("low" in point for point in own[-1:]) else found
    verb = "re-identifies" if most == 1 else "re-identify"
    return Figure.of(f"{api.title}: {many(most, 'observation')} {verb} a person with {found}", chart)


def _spread(api: Api, spreads: Mapping[int, Sequence[float]]) -> Figure:
    """Draw how the users' own risk is spread, for each number of observations."""
    names = {n: visits(api, n) for n in spreads}
    points = [
        {"series": names[n], "share": place / (len(risks) - 1), "risk": max(value, _LEAST_RISK)}
        for n, risks in spreads.items()
        for place, value in enumerate(risks)
    ]
    last, most = list(spreads.values())[-1], max(spreads)
    chart = curves(
        points,
        Axis("share", "share of users, the least exposed first", "share"),
        probabilities("risk", "probability of re-identification, at most", points),
        list(names.values()),
        size=(310, 230),
    )
    seen, half = names[most], probability(last[len(last) // 2])
    return Figure.of(
        f"After {seen}, half of the users are re-identified with {half} or more, one with"
        f" {probability(last[-1])}",
        chart,
    )
