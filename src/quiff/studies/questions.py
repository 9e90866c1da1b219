"""The five questions that studies share, each declared once: what is revealed, over time, risk, use, limits.

Everything here reads rows; `measure`, `over_time`, `compare`, the report and the page put it together.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isclose, isinf
from typing import Any

from quiff.apis.described import ApiWords
from quiff.core.numbers import Number
from quiff.results.figures.charts import Axis, Point, Record, curves, marks, probabilities
from quiff.results.layout import Cell, Chart, Get, Pivot, Reading, Say, Words, entry, interval, label
from quiff.results.numbers import amount, many, probability, said
from quiff.results.result import Result
from quiff.results.rows import Rows
from quiff.studies.words import goal_title, month_words, often, visits

_FAR = 10**15  # a factor that is beyond this is not drawn, for the others would stand in one place
_ALIKE = 5e-4  # numbers that differ by less are read as one
_LEAST_RISK = 1e-6  # below this the picture would be empty
_BOUND = "at most, by the parameters alone"
NOBODY = "nobody is re-identified by what is observed"


def api_of(rows: Rows, result: Result) -> ApiWords:
    """Return the API that rows are of."""
    words: ApiWords = result.apis[rows.rows[0].api]
    return words


# What is revealed


def _revealed_words(rows: Rows, result: Result) -> dict[str, str] | None:
    api, most, here = api_of(rows, result), rows["bayes_capacity@all"], rows["bayes_capacity@people"]
    if rows["leakage"] is None:
        guess = None if most is None else f"any guess about the secret by at most {amount(most)}"
        return None if guess is None else {"sees": api.sees, "multiplied": guess, "bound": ""}
    bound = ""
    if most is not None and not isinf(most):
        data = "topics" if api.needs == ("topics",) else "data"
        alike = here is None or isclose(here, most, rel_tol=_ALIKE)
        whose = "" if alike else f"; {said(here or 0)} with only the {data} that occur here"
        bound = (
            f" It can be at most {said(most)}, whoever the people are and whatever is known of them before"
            f"{whose}."
        )
    multiplied = "re-identification by {leakage}, from {prior} to {posterior}"
    return {"sees": api.sees, "multiplied": multiplied.format_map(Reading(result, rows)), "bound": bound}


REVEALS = Say(
    "{api}: one observation ({sees}) multiplies the probability of {multiplied}.{bound}",
    by=("api",),
    where={"observations": 1},
    last=True,
    words=_revealed_words,
)


def _given(result: Result) -> str:
    known = result.words.get("known")
    given = f" The adversary already knows: {', '.join(known)}." if known else ""
    return (
        f"Users are {result.words['before']} before.{given} Leakage multiplies that probability; at most: for"
        " any people and any prior; here: with the secrets that occur."
    )


REVEALED = Pivot(
    "Privacy{among}: probability of re-identification",
    by=("api", "stage"),
    columns={
        "re-identified": "posterior",
        "leakage": "leakage",
        "at most here": "bayes_capacity@people",
        "at most": "bayes_capacity@all",
    },
    where={"observations": 1},
    notes=(_given, lambda result: filled_note(result)),
    spoken=lambda rows, result: rows.rows[0].stage == list(api_of(rows, result).stages)[-1],
)
_KINDS = ("at most, for any people", "these people")


def _drawn_limit(rows: Rows, _: Result) -> Number | None:
    """Return the most for any people, where it is known and can be drawn."""
    most = rows["bayes_capacity@all"]
    return most if most is not None and most <= _FAR and rows["leakage"] is not None else None


def _stage_text(rows: Rows, result: Result) -> str:
    """Return the leakage of these people, with the most if it cannot be drawn."""
    most, leakage = rows["bayes_capacity@all"], said(rows["leakage"] or 0)
    if _drawn_limit(rows, result) is not None:
        return leakage
    return f"{leakage} (at most: {'not known' if most is None else amount(most)})"


STAGES = Chart(
    "{stage} multiplies the probability of re-identification by {leakage}",
    by=("api", "stage"),
    points=(
        {"name": "stage", "kind": label(_KINDS[0]), "leakage": _drawn_limit},
        {"name": "stage", "kind": label(_KINDS[1]), "leakage": "leakage", "text": _stage_text},
    ),
    draw=lambda points, _: marks(
        points,
        Axis("leakage", "factor on the probability of re-identification (log scale)", "log", 1, 10),
        _KINDS,
        joined=True,
        step=44,
        width=400,
    ),
    without=NOBODY,
)


# Use


LEARNS = Say(
    "{api}: a receiver guesses {what} correctly with probability {goal_posterior}{after} ({goal_prior}"
    " without).",
    by=("goal",),
    where={"prior": "population", "quantity": ["goal_prior", "goal_posterior"]},
    longest="goal_posterior",
    words=lambda rows, _: {
        "what": goal_title(rows.rows[0].goal),
        "after": f" after {many(rows.observations, 'observation')}" if rows.observations > 1 else "",
    },
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


GUESSED: Mapping[str, Cell] = {"without": "goal_prior", "with": "goal_posterior"}
USE = Pivot(
    "Utility: probability to guess right, without and with an observation",
    by=("api", "stage", "goal", "prior"),
    columns={**GUESSED, "factor": factor},
    notes=("The prior is that of these people, or uniform on their distinct secrets.",),
)


def _shared_goal(result: Result) -> str:
    """Return a goal that all APIs share; the whole secret only if there is no other."""
    reached = result.rows.where(quantity="goal_posterior", prior="population").by("goal")
    shared = [goal for (goal,), rows in reached.items() if len(rows.values("api")) == len(result.apis)]
    return next((goal for goal in shared if goal != "secret"), "secret")


def _reached(quantity: str) -> Get:
    return lambda rows, result: rows.where(goal=_shared_goal(result), prior="population")[quantity]


TRADE_OFF = Chart(
    "{api}: a receiver guesses {goal} with {use}, and re-identification is multiplied by {leakage}",
    by=("api",),
    last=True,
    points={
        "series": "api",
        "leakage": "leakage",
        "use": _reached("goal_posterior"),
        "before": _reached("goal_prior"),
    },
    draw=lambda points, _: curves(
        points,
        Axis("use", "utility (probability to reach the goal)", "probability"),
        Axis("leakage", "leakage (factor on re-identification, log scale)", "log", 1),
        points=True,
        rule=("use", points[-1]["before"]),
        size=(340, 260),
    ),
    words=lambda rows, result: {
        "goal": goal_title(_shared_goal(result)),
        "use": probability(entry(rows, _reached("goal_posterior"), result)),
    },
    without=NOBODY,
)


# Limits

LIMITS = Pivot(
    "Limits of one observation",
    by=("api", "scope"),
    columns={
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
    n, row, limit = rows.observations, rows.row("leakage"), rows["leakage_limit"]
    if row is None or limit is None:
        return None
    about, sure = "", ""
    if row.low is not None and row.high is not None:
        about, sure = "about ", f" (95 %: {said(row.low)} to {said(row.high)})"
    first = result.rows.where(api=row.api, goal="user", observations=1)["leakage"]
    return {
        "counted": counted_observations(n, api_of(rows, result)),
        "multiply": "multiply" if n > 1 else "multiplies",
        "reach": "reach" if n > 1 else "reaches",
        "factor": f"{about}{said(row.value)}{sure}",
        "single": f"; one observation by {said(first or 0)}" if n > 1 else "",
        "different": many(result.words["profiles"], "different profile"),
        "share": probability(row.value / limit),
    }


GROWS = Say(
    "{api}: {counted} {multiply} the probability of re-identification by {factor}, from {prior} to"
    " {posterior}{single}.",
    by=("api",),
    where={"goal": "user"},
    longest="leakage",
    words=_growth_words,
)
AT_MOST = replace(
    GROWS,
    template="However many observations there are, it is at most {leakage_limit}, with only {different};"
    " {counted} {reach} {share} of that.",
)


def _over_time_notes(result: Result) -> Iterator[str]:
    rows = result.rows.where(goal="user")
    prior = rows["prior"]
    guessed = "" if prior is None else f", {result.words['before']} before: guessed with {probability(prior)}"
    yield f"{result.words['users']}{guessed}."
    yield from (month_words(api) for api in result.apis.values())
    if any("topics" in api.needs for api in result.apis.values()):
        yield filled_note(result)
    if any(row.low is not None for row in rows):
        yield "low, high: an interval of 95 % for the leakage."
    yield from result.notes


def _month(rows: Rows, result: Result) -> str | None:
    return "a month" if rows.observations == api_of(rows, result).month else None


OVER_TIME = Pivot(
    "{api}: probability of re-identification by the number of observations{among}",
    by=("observations",),
    columns={"which are": _month, "re-identified": "posterior", "leakage": "leakage"},
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


def _growth_title(rows: Rows, _: Result) -> Words:
    about, most = rows.row("posterior"), rows.observations
    return {
        "counted": f"{many(most, 'observation')} re-identif{'ies' if most == 1 else 'y'}",
        "about": "" if about is None or about.low is None else "about ",
    }


def _growth(points: list[Record], result: Result) -> Any:
    reached = [point for point in points if point["series"] != _BOUND]
    names = (reached[0]["series"], _BOUND)[: 1 + (len(points) > len(reached))]
    across = Axis("observations", "observations", "count", 1, max(2, result.rows.observations))
    up = probabilities("probability", "probability of re-identification", reached)
    return curves(points, across, up, names, dots=reached, size=(310, 230))


GROWTH = Chart(
    "{api}: {counted} a person with {about}{posterior}",
    by=("observations",),
    where={"goal": "user"},
    points=(
        {
            "series": label(_BOUND),
            "observations": "observations",
            "probability": lambda rows, _: (
                None
                if rows["leakage_bound"] is None
                else min((rows["prior"] or 0) * rows["leakage_bound"], 1.0)
            ),
        },
        {
            "series": "api",
            "observations": "observations",
            "probability": "posterior",
            **interval("posterior"),
        },
    ),
    draw=_growth,
    words=_growth_title,
    without=NOBODY,
)


# Risk


UNEQUAL = (
    "the average user is re-identified with probability {risk_mean}, the median user with {risk_median}, one"
    " in a hundred with {risk_99} or more, and the user most at risk with {risk_max}; {users_above}"
    " {of_users} with more than {percent}."
)
RISK_SENTENCE = Say(
    f"After {{after}} {UNEQUAL}",
    where={"goal": "user"},
    longest="risk_mean",
    words=lambda rows, _: {"after": many(rows.observations, "observation")},
)
RISK_COLUMNS: Mapping[str, Cell] = {
    "mean": "risk_mean",
    "median": "risk_median",
    "95 %": "risk_95",
    "99 %": "risk_99",
    "largest": "risk_max",
    "above {percent}": "users_above",
}
RISK = Pivot(
    "The users' own risk: probability of re-identification",
    by=("observations",),
    columns=RISK_COLUMNS,
    where={"goal": "user"},
    notes=("{by_weight}",),
)


def _spread_points(result: Result) -> Iterator[Point]:
    """Yield how the users' own risk is spread, for each number of observations."""
    (api,) = result.apis.values()
    for n, risks in result.payload["risk_percentiles"].items():
        for place, value in enumerate(risks):
            yield Point(visits(api, int(n)), place / (len(risks) - 1), max(value, _LEAST_RISK))


def _spread_words(point: Point, result: Result) -> Words:
    *_, risks = result.payload["risk_percentiles"].values()
    halved, most = risks[len(risks) // 2], risks[-1]
    return {"series": point.series, "half": probability(halved), "most": probability(most)}


SPREAD = Chart(
    "After {series}, half of the users are re-identified with {half} or more, the most exposed with {most}",
    points=_spread_points,
    draw=lambda points, _: curves(
        points,
        Axis("x", "share of users, the least exposed first", "share"),
        probabilities("y", "probability of re-identification, at most", points),
        size=(310, 230),
    ),
    words=_spread_words,
    without="each user's own risk is not measured",
)


# Filled-in topics


def filled_note(result: Result) -> str:
    """Say how many topics were filled in, if it is known."""
    filled = (result.population or {}).get("filled")
    return filled["sentence"] if filled else ""


def filled_said(result: Result) -> Iterator[str]:
    """Say how many topics were filled in, and what the figures are without these."""
    filled, part = (result.population or {}).get("filled"), result.parts.get("genuine")
    yield filled_note(result)
    if not filled or not filled["filled_sets"]:
        return
    counts = result.population or {}
    if filled["distinct_visited"] is not None and "profiles" in result.words:
        profiles = many(filled["distinct_visited"], "different profile")
        yield f"On visited topics alone there are {profiles}, instead of {said(result.words['profiles'])}."
    if filled["unique_visited"] is not None and "unique_users" in counts:
        unique, alone = (probability(counts[n]) for n in ("unique_users", "unique_users_visited"))
        yield f"On visited topics alone {alone} of the users have a unique topic set, instead of {unique}."
    if not filled["genuine_users"]:
        yield "No user has a set of visited topics only, so that there is no figure without filling."
    if part is not None and "unique_users" in (part.population or {}):
        unique = probability((part.population or {})["unique_users"])
        yield f"Among the {part.words['users']} without filled topics {unique} have a unique topic set."
