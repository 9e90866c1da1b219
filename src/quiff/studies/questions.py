"""The five questions that studies share, each declared once: what is revealed, over time, risk, use, limits.

Everything here reads rows; `measure`, `over_time`, `compare`, the report and the page put it together.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import isclose, isinf
from typing import Any

from quiff.core.numbers import Number
from quiff.results.figures.charts import Axis, curves, marks, probabilities
from quiff.results.figures.figure import Figure
from quiff.results.layout import Chart, Pivot, Records, Say, last_stages, say
from quiff.results.numbers import amount, probability, said
from quiff.results.result import ApiWords, Result
from quiff.results.rows import Rows
from quiff.results.table import Table
from quiff.studies.words import (
    before,
    capitalised,
    goal_title,
    many,
    month_words,
    often,
    visits,
    weighted,
)

_FAR = 10**15  # a factor that is beyond this is not drawn, for the others would stand in one place
_ALIKE = 5e-4  # numbers that differ by less are read as one
_LEAST_RISK = 1e-6  # below this the picture would be empty
_BOUND = "at most, by the parameters alone"


def api_of(rows: Rows, result: Result) -> ApiWords:
    """Return the API that rows are of."""
    return result.apis[rows.rows[0].api]


def name_of(rows: Rows, result: Result) -> str:
    """Return what the API that rows are of is called, as it begins a sentence."""
    return capitalised(result.api_name(rows.rows[0].api))


# What is revealed


def _leak_words(rows: Rows, result: Result) -> dict[str, str]:
    api, most, here = api_of(rows, result), rows["bayes_capacity@all"], rows["bayes_capacity@people"]
    bound = ""
    if most is not None and not isinf(most):
        data = "topics" if api.needs == ("topics",) else "data"
        alike = here is None or isclose(here, most, rel_tol=_ALIKE)
        whose = "" if alike else f"; {said(here or 0)} with only the {data} that occur here"
        bound = (
            f" It can be at most {said(most)}, whoever the people are and whatever is known of them before"
            f"{whose}."
        )
    return {"name": name_of(rows, result), "sees": api.sees, "bound": bound}


LEAKS = Say(
    "{name}: one observation ({sees}) multiplies the probability of re-identification by {leakage}, from"
    " {prior} to {posterior}.{bound}",
    by=("api",),
    where={"observations": 1},
    last=True,
    words=_leak_words,
)
LIMITED = replace(
    LEAKS,
    template="{name}: one observation ({sees}) multiplies the probability of any guess about the secret by at"
    " most {bayes_capacity@all}.",
    words=lambda rows, result: None if rows["leakage"] is not None else _leak_words(rows, result),
)


def revealed(rows: Rows, result: Result) -> Iterator[str]:
    """Say what one observation of an API reveals, or where nobody is re-identified, at most."""
    yield from LEAKS.of(rows, result)
    yield from LIMITED.of(rows, result)


def _given(result: Result) -> str:
    known = result.words.get("known")
    given = f" The adversary already knows: {', '.join(known)}." if known else ""
    return (
        f"Users are {before(result)} before.{given} Leakage multiplies that probability; at most: for any"
        " people and any prior; here: with the secrets that occur."
    )


def filled_note(result: Result) -> str:
    """Say how many topics were filled in, if it is known."""
    filled = (result.population or {}).get("filled")
    return filled["sentence"] if filled else ""


REVEALED = Pivot(
    "Privacy: probability of re-identification",
    by=("api", "stage"),
    columns={
        "re-identified": "posterior",
        "leakage": "leakage",
        "at most here": "bayes_capacity@people",
        "at most": "bayes_capacity@all",
    },
    where={"observations": 1},
    notes=(_given, filled_note),
)


def _stage_points(result: Result) -> Records:
    """Return for each stage by how much it multiplies the probability, and by how much it could at most."""
    points: list[dict[str, Any]] = []
    for (spec, stage), rows in result.rows.by("api", "stage").items():
        leakage, here, most = (rows[q] for q in ("leakage", "bayes_capacity@people", "bayes_capacity@all"))
        if leakage is None or here is None:
            continue
        name, text = result.stage_name(spec, stage), said(leakage)
        if most is not None and most <= _FAR:
            points.append({"name": name, "leakage": float(most), "kind": _KINDS[0]})
        else:  # what cannot be drawn is said
            text += f" (at most: {'not known' if most is None else amount(most)})"
        points.append(
            {
                "name": name,
                "leakage": float(leakage),
                "kind": _KINDS[1],
                "text": text,
                "factor": said(leakage),
            }
        )
    return points


def _stages(_: Result, points: Records) -> Figure:
    axis = Axis("leakage", "factor on the probability of re-identification (log scale)", "log", 1, 10)
    chart = marks(points, axis, _KINDS, joined=True, step=44, width=400)
    name = capitalised(points[-1]["name"])
    title = f"{name} multiplies the probability of re-identification by {points[-1]['factor']}"
    return Figure.of(title, chart)


_KINDS = ("at most, for any people", "these people")
STAGES = Chart(_stage_points, _stages)


# Use


LEARNS = Say(
    "{name}: a receiver guesses {what} correctly with probability {goal_posterior} ({goal_prior} without).",
    by=("goal",),
    where={"prior": "population"},
    words=lambda rows, result: {"name": name_of(rows, result), "what": goal_title(rows.rows[0].goal)},
)


def learnt(rows: Rows, result: Result) -> list[str]:
    """Say what a receiver learns of the goals of an API; of the whole secret only if there is no other."""
    last = rows.last
    goals = last.where(prior="population", quantity="goal_posterior").values("goal")
    spoken = [goal for goal in goals if goal != "secret"] or goals
    return list(LEARNS.of(last.where(goal=spoken), result))


def factor(rows: Rows, _: Result) -> Number | None:
    """Return by how much an observation multiplies the probability to guess right."""
    prior, posterior = rows["goal_prior"], rows["goal_posterior"]
    return posterior / prior if prior and posterior is not None else None


USE = Pivot(
    "Utility: probability to guess right, without and with an observation",
    by=("api", "stage", "goal", "prior"),
    columns={"without": "goal_prior", "with": "goal_posterior", "factor": factor},
    notes=("The prior is that of these people, or uniform on their distinct secrets.",),
)


def _trade_off_points(result: Result) -> Records:
    """Return privacy against the probability to reach a goal that all APIs share, not the whole secret."""
    last = last_stages(result.rows)
    reached = last.where(quantity="goal_posterior", prior="population").by("goal")
    shared = [goal for (goal,), rows in reached.items() if len(rows.values("api")) == len(result.apis)]
    goal = next((goal for goal in shared if goal != "secret"), "secret")
    points: list[dict[str, Any]] = []
    for (spec,), rows in last.by("api").items():
        reaching = rows.where(goal=goal, prior="population")
        leakage, use = rows["leakage"], reaching["goal_posterior"]
        if leakage is not None and use is not None:
            numbers = {"leakage": leakage, "use": use, "before": reaching["goal_prior"] or 0}
            drawn = {name: float(number) for name, number in numbers.items()}
            points.append({"series": result.api_name(spec), "goal": goal, **drawn})
    return points


def _trade_off(_: Result, points: Records) -> Figure:
    last = points[-1]
    title = (
        f"{last['series']}: a receiver guesses {goal_title(last['goal'])} with {probability(last['use'])},"
        f" and re-identification is multiplied by {said(last['leakage'])}"
    )
    chart = curves(
        points,
        Axis("use", "utility (probability to reach the goal)", "probability"),
        Axis("leakage", "leakage (factor on re-identification, log scale)", "log", 1),
        points=True,
        rule=("use", last["before"]),
        size=(340, 260),
    )
    return Figure.of(title, chart)


TRADE_OFF = Chart(_trade_off_points, _trade_off)


# Limits

LIMITS = Pivot(
    "Limits of one observation",
    by=("api", "scope"),
    columns={
        "API": lambda rows, result: name_of(rows, result),
        "capacity": "bayes_capacity",
        "capacity in bits": "min_capacity_bits",
        "epsilon": "epsilon",
        "max-case capacity": "max_case_capacity",
    },
    last=True,
    notes=("Capacities are factors, epsilon is in nats; of all secrets they are closed forms.",),
)


# Over time


def counted_observations(n: int, api: ApiWords) -> str:
    """Return a number of observations in words, how far they are apart or what brings them, and a month."""
    month = n > 1 and n == api.month
    if api.shown_at_first > 1:
        brought = f" ({visits(api, n)}{': a month' if month else ''})" if n >= api.shown_at_first else ""
        return f"{many(n, 'observation')}{brought}"
    days = api.unit.days
    apart = f", one in {days:g} days" if days and not often(api) and n > 1 else ""
    return f"{n} {often(api)}observation{'s' if n > 1 else ''}{apart}{' (a month)' if month else ''}"


def _growth_words(rows: Rows, result: Result) -> dict[str, str] | None:
    api, n, row = api_of(rows, result), rows.observations, rows.row("leakage")
    if row is None or rows["leakage_limit"] is None:
        return None
    sampled = row.low is not None and row.high is not None
    sure = f" (95 %: {said(row.low or 0)} to {said(row.high or 0)})" if sampled else ""
    first = result.rows.where(api=row.api, goal="user", observations=1)["leakage"]
    return {
        "api": api.title,
        "counted": f"{counted_observations(n, api)} {'multiply' if n > 1 else 'multiplies'}",
        "factor": f"{'about ' if sampled else ''}{said(row.value)}{sure}",
        "single": f"; one observation by {said(first or 0)}" if n > 1 else "",
    }


GROWS = Say(
    "{api}: {counted} the probability of re-identification by {factor}, from {prior} to {posterior}{single}.",
    by=("api",),
    where={"goal": "user"},
    longest="leakage",
    words=_growth_words,
)


def _limit_words(rows: Rows, result: Result) -> dict[str, str] | None:
    n, profiles = rows.observations, result.words["profiles"]
    leakage, limit = rows["leakage"], rows["leakage_limit"]
    if leakage is None or limit is None:
        return None
    return {
        "are": "is" if profiles == 1 else "are",
        "profiles": many(profiles, "different profile"),
        "reach": f"{counted_observations(n, api_of(rows, result))} {'reach' if n > 1 else 'reaches'}",
        "share": probability(leakage / limit),
    }


AT_MOST = Say(
    "However many observations there are, it is at most {leakage_limit}, for there {are} only {profiles};"
    " {reach} {share} of that.",
    by=("api",),
    where={"goal": "user"},
    longest="leakage",
    words=_limit_words,
)


def _over_time_notes(result: Result) -> Iterator[str]:
    rows = result.rows.where(goal="user")
    prior = rows["prior"]
    before_it = "" if prior is None else f", {before(result)} before: guessed with {probability(prior)}"
    yield f"{many((result.population or {})['users'], 'user')}{before_it}."
    yield from (month_words(api) for api in result.apis.values())
    if any("topics" in api.needs for api in result.apis.values()):
        yield filled_note(result)
    if any(row.low is not None for row in rows):
        yield "low, high: an interval of 95 % for the leakage."
    yield from result.notes


OVER_TIME = Pivot(
    lambda result: f"{_titles(result)}: probability of re-identification by the number of observations",
    by=("observations",),
    columns={
        "which are": lambda rows, result: (
            "a month" if rows.observations == api_of(rows, result).month else None
        ),
        "re-identified": "posterior",
        "leakage": "leakage",
    },
    where={"goal": "user"},
    interval="leakage",
    notes=(_over_time_notes,),
)
BOUNDS = Pivot(
    "Limits of the leakage",
    by=("observations",),
    columns={
        "at least": "leakage_at_least",
        "at most": "leakage_at_most",
        "limit": "leakage_limit",
        "bound": "leakage_bound",
        "epsilon": "epsilon",
        "max-case capacity": "max_case_capacity",
    },
    where={"goal": ["", "user"]},
    notes=(
        "at least, at most: the leakage lies between them for certain. limit: if the secrets themselves were"
        " observed. bound: from the parameters alone.",
    ),
)


def _titles(result: Result) -> str:
    return ", ".join(api.title for api in result.apis.values())


def _growth_points(result: Result) -> Records:
    """Return the probability of re-identification by the number of observations, and its bound."""
    rows, (api,) = result.rows.where(goal="user"), result.apis.values()
    prior = rows["prior"]
    points: list[dict[str, Any]] = []
    for name, quantity in ((api.title, "leakage"), (_BOUND, "leakage_bound")):
        for row in rows.where(quantity=quantity) if prior is not None else ():
            ends = {
                name: min(float(prior or 1) * float(end), 1.0)
                for name, end in (("low", row.low), ("high", row.high))
                if end is not None
            }
            value = min(float(prior or 1) * float(row.value), 1.0)
            points.append({"series": name, "observations": row.observations, "probability": value, **ends})
    return points


def _growth(result: Result, points: Records) -> Figure:
    own = [point for point in points if point["series"] != _BOUND]
    most = max(point["observations"] for point in points)
    chart = curves(
        points,
        Axis("observations", "observations", "count", 1, max(2, most)),
        probabilities("probability", "probability of re-identification", own),
        dots=own,
        size=(310, 230),
    )
    rows = result.rows.where(goal="user", observations=most)
    row, (api,) = rows.row("posterior"), result.apis.values()
    about = "about " if row is not None and row.low is not None else ""
    verb = "re-identifies" if most == 1 else "re-identify"
    (text,) = say("{posterior}", rows, {})
    return Figure.of(f"{api.title}: {many(most, 'observation')} {verb} a person with {about}{text}", chart)


GROWTH = Chart(_growth_points, _growth)


# Risk


def of_users(result: Result) -> str:
    """Return of what a share is one: of the users, who may count as much as their weight."""
    return "of the users by weight" if weighted(result) else "of the users"


RISK_SENTENCE = Say(
    "After {after} the average user is re-identified with probability {risk_mean}, the median user with"
    " {risk_median}, one in a hundred with {risk_99} or more, and the user most at risk with {risk_max};"
    " {users_above} {of_users} with more than 50 %.",
    where={"goal": "user"},
    longest="risk_mean",
    words=lambda rows, result: {
        "after": many(rows.observations, "observation"),
        "of_users": of_users(result),
    },
)
RISK_COLUMNS = {
    "mean": "risk_mean",
    "median": "risk_median",
    "95 %": "risk_95",
    "99 %": "risk_99",
    "largest": "risk_max",
}


def by_weight(result: Result) -> str:
    """Say that users count as much as they weigh, where they do."""
    return "Users count as much as they weigh." if weighted(result) else ""


RISK = Pivot(
    "The users' own risk: probability of re-identification",
    by=("observations",),
    columns=RISK_COLUMNS | {"above 50 %": "users_above"},
    where={"goal": "user"},
    notes=(by_weight,),
)


def _spread_points(result: Result) -> Records:
    """Return how the users' own risk is spread, for each number of observations."""
    (api,) = result.apis.values()
    return [
        {"series": visits(api, int(n)), "share": place / (len(risks) - 1), "risk": max(value, _LEAST_RISK)}
        for n, risks in ((result.payload or {}).get("risk_percentiles") or {}).items()
        for place, value in enumerate(risks)
    ]


def _spread(_: Result, points: Records) -> Figure:
    chart = curves(
        points,
        Axis("share", "share of users, the least exposed first", "share"),
        probabilities("risk", "probability of re-identification, at most", points),
        size=(310, 230),
    )
    after = points[-1]["series"]
    last = [point["risk"] for point in points if point["series"] == after]
    half, most = probability(last[len(last) // 2]), probability(last[-1])
    spread = f"half of the users are re-identified with {half} or more, the most exposed with {most}"
    title = f"After {after}, {spread}"
    return Figure.of(title, chart)


SPREAD = Chart(_spread_points, _spread)


# Filled-in topics


def filling(*by: str) -> "Any":
    """Return the table of leakage and re-identification with filled topics beside those without any."""

    def table(result: Result) -> Table | None:
        filled = (result.population or {}).get("filled")
        on_topics = [spec for spec, api in result.apis.items() if "topics" in api.needs]
        if not filled or not filled["filled_sets"] or not on_topics:
            return None
        part = result.parts.get("genuine")
        alone = {} if part is None else part.rows.where(goal="user").by("api", *by)

        def whole(quantity: str) -> Any:
            return lambda rows, _: alone.get(next(iter(rows.by("api", *by))), Rows())[quantity]

        return Pivot(
            "With filling, and genuine topics only",
            by=(*(("api",) if "stage" in by else ()), *by),
            columns={
                "re-identified": "posterior",
                "leakage": "leakage",
                "re-identified (whole)": whole("posterior"),
                "leakage (whole)": whole("leakage"),
            },
            where={"api": on_topics, "goal": "user"},
            styles={"re-identified (whole)": probability},
            notes=(
                filled_note,
                f"First all {many(filled['users'], 'user')}, with filled topics, as a browser has them; whole"
                f" sets: the {many(filled['genuine_users'], 'user')} without filled topics.",
            ),
        )(result)

    return table
