"""How several observations of one person are shown: leakage by their number, risks, and the rest."""

from collections.abc import Iterator, Sequence
from typing import Any

from quiff.apis.base import Api, Occasion
from quiff.core.numbers import Number
from quiff.populations.filling import Filled
from quiff.populations.population import Population
from quiff.results.figures.over_time import over_time_figure
from quiff.results.numbers import probability, said, shown
from quiff.results.result import Result
from quiff.results.table import Table
from quiff.results.views.measure import goal_title


def over_time_views(
    people: Population,
    api: Api,
    prior: Number,
    figures: list[dict[str, Any]],
    risks: list[dict[str, Any]],
    occasions: Sequence[Occasion],
    goals: dict[str, list[Number]],
    notes: tuple[str, ...],
    genuine: Result | None,
) -> dict[str, Any]:
    """Return title, sentences, tables, figures and facts of observations over time."""
    filled = people.filled if "topics" in api.needs else None
    known = [each for each in occasions if each.leakage is not None]
    tables = {
        "over_time": _leakages(people, api, prior, figures, notes),
        "limits": _limits(figures),
        "risk": _risks(risks),
        "filling": _filling(people, filled, figures, genuine),
        "occasions": _occasions(known, prior),
        "utility": _utility(goals),
    }
    drawn = {} if not figures else {"over_time": lambda: over_time_figure(api.title, figures, risks, prior)}
    return {
        "title": f"{api.title}: what several observations reveal about {_counted(people.n_users, 'user')}",
        "sentences": (
            *_of_leakage(api, prior, figures),
            *_of_risk(people, risks, filled),
            *([] if filled is None else _of_filling(filled, figures, genuine)),
            *(each.sentence.format(said(each.leakage or 0)) for each in known),
            *_of_goals(goals),
        ),
        "tables": {name: table for name, table in tables.items() if table.rows},
        "figures": drawn,
        "facts": {"filling": None if filled is None else _filling_facts(filled, genuine)},
    }


def _counted(number: int, thing: str) -> str:
    """Return a number of things in words, thousands with a comma."""
    return f"{said(number)} {thing}{'' if number == 1 else 's'}"


def _leakages(
    people: Population, api: Api, prior: Number, figures: list[dict[str, Any]], notes: tuple[str, ...]
) -> Table:
    estimated = any(figure["method"] != "exact" for figure in figures)
    ends = ("low", "high") if estimated else ()
    columns = ("observations", "re-identified", "leakage", *ends, "method")
    keys = ("epochs", "vulnerability", "leakage", *ends, "method")
    weights = "as probable as their weights" if people.weights is not None else "equally probable"
    interval = ("low, high: an interval of 95 % for the leakage.",) if estimated else ()
    return Table(
        f"{api.title}: probability of re-identification by the number of observations",
        columns,
        tuple(tuple(figure[key] for key in keys) for figure in figures),
        (
            f"{_counted(people.n_users, 'user')}, {weights} before: guessed with {shown(prior)}.",
            *interval,
            *notes,
        ),
    )


def _limits(figures: list[dict[str, Any]]) -> Table:
    keys = ("epochs", "at_least", "at_most", "limit", "bound", "epsilon", "max_case_capacity")
    columns = ("observations", "at least", "at most", "limit", "bound", "epsilon", "max-case capacity")
    return Table(
        "Limits of the leakage",
        columns,
        tuple(tuple(figure[key] for key in keys) for figure in figures),
        (
            "at least, at most: the leakage lies between them for certain. limit: if the secrets themselves"
            " were observed. bound: from the parameters alone.",
        ),
    )


def _risks(risks: list[dict[str, Any]]) -> Table:
    keys = ("epochs", "mean", "median", "p95", "p99", "max", "above_half")
    return Table(
        "The users' own risk: probability of re-identification",
        ("observations", "mean", "median", "95 %", "99 %", "largest", "above 50 %"),
        tuple(tuple(risk[key] for key in keys) for risk in risks),
    )


def _occasions(known: list[Occasion], prior: Number) -> Table:
    rows = tuple((each.title, each.leakage, (each.leakage or 0) * prior) for each in known)
    return Table(
        "On other occasions: leakage, and probability of success",
        ("what is seen", "leakage", "success"),
        rows,
    )


def _utility(goals: dict[str, list[Number]]) -> Table:
    return Table(
        "What a receiver learns: probability to reach a goal",
        ("observations", *(goal_title(goal) for goal in goals)),
        tuple((n, *values) for n, values in enumerate(zip(*goals.values(), strict=True))),
    )


def _filling(
    people: Population, filled: Filled | None, figures: list[dict[str, Any]], genuine: Result | None
) -> Table:
    """Return the leakage with filled topics beside that of the users without any."""
    columns = ("observations", "leakage", "re-identified", "leakage (whole)", "re-identified (whole)")
    title = "With filling, and genuine topics only"
    if filled is None or not filled.filled_sets:
        return Table(title, columns, ())
    others: list[tuple[Number | None, Number | None]] = [(None, None)] * len(figures)
    if genuine is not None:
        others = [(row["leakage"], row["vulnerability"]) for row in genuine.facts["epochs"]]
    return Table(
        title,
        columns,
        tuple(
            (row["epochs"], row["leakage"], row["vulnerability"], *other)
            for row, other in zip(figures, others, strict=True)
        ),
        (
            filled.sentence(),
            f"First all {_counted(people.n_users, 'user')}, with filled topics, as a browser has them; whole "
            f"sets: the {_counted(filled.genuine_users, 'user')} without filled topics in any epoch.",
        ),
    )


def _of_leakage(api: Api, prior: Number, figures: list[dict[str, Any]]) -> Iterator[str]:
    if not figures:
        return
    one, last = figures[0], figures[-1]
    sampled = last["method"] != "exact"
    sure = f" (95 %: {said(last['low'])} to {said(last['high'])})" if sampled else ""
    before = f"; one observation by {said(one['leakage'])}" if last["epochs"] > 1 else ""
    seen = _number(last["epochs"], api)
    multiply = "multiply" if last["epochs"] > 1 else "multiplies"
    yield (
        f"{api.title}: {seen} {multiply} the probability of re-identification by "
        f"{'about ' if sampled else ''}{said(last['leakage'])}{sure}, from {probability(prior)} to "
        f"{probability(last['vulnerability'])}{before}."
    )
    profiles = _counted(last["distinct_profiles"], "different profile")
    are = "is" if last["distinct_profiles"] == 1 else "are"
    yield (
        f"However many observations there are, it is at most {said(last['limit'])}, for there {are} only "
        f"{profiles}; {seen} {'reaches' if last['epochs'] == 1 else 'reach'} "
        f"{probability(last['leakage'] / last['limit'])} of that."
    )


def _number(n: int, api: Api) -> str:
    """Return a number of observations in words, and how far they are apart."""
    days = api.unit.days
    often = {1.0: "daily ", 7.0: "weekly "}.get(days or 0.0, "")
    apart = f", one in {days:g} days" if days and not often and n > 1 else ""
    return f"{n} {often}observation{'s' if n > 1 else ''}{apart}"


def _of_risk(people: Population, risks: list[dict[str, Any]], filled: Filled | None) -> Iterator[str]:
    if not risks:
        return
    risk, how = risks[-1], ""
    users = _counted(people.n_users, "user")
    if filled is not None and filled.filled_sets:
        how = f", with topics filled in at random for {100 * filled.filled_users:.1f} % of {filled.whom}"
        if filled.epochs > 1 or filled.sets_without_visits:
            how += f" and no visited topic at all for {100 * filled.without_visits:.1f} %"
    yield (
        f"After {_counted(risk['epochs'], 'observation')} the average user is re-identified with probability "
        f"{probability(risk['mean'])}, the median user with {probability(risk['median'])}, one in a hundred "
        f"with {probability(risk['p99'])} or more, and the user most at risk with "
        f"{probability(risk['max'])}; of {users}, {said(risk['above_half'])} with more than 50 %{how}."
    )


def _of_filling(filled: Filled, figures: list[dict[str, Any]], genuine: Result | None) -> Iterator[str]:
    """Say how much was filled in, and what the figures are without it."""
    yield filled.sentence()
    if not filled.filled_sets or not figures:
        return
    every = figures[-1]
    if filled.distinct_visited is not None:
        yield (
            f"On visited topics alone there are {_counted(filled.distinct_visited, 'different profile')}, "
            f"instead of {said(every['distinct_profiles'])}."
        )
    seen = _counted(every["epochs"], "observation")
    if genuine is not None:
        alone = genuine.facts["epochs"][-1]
        yield (
            f"Among the {_counted(genuine.facts['users'], 'user')} without filled topics, {seen} re-identify "
            f"a user with probability {probability(alone['vulnerability'])} (leakage "
            f"{said(alone['leakage'])}); among all, with filling, with {probability(every['vulnerability'])} "
            f"(leakage {said(every['leakage'])})."
        )
    elif not filled.genuine_users:
        yield f"No user has visited topics only in {seen}, so that there is no figure without filling."


def _of_goals(goals: dict[str, list[Number]]) -> Iterator[str]:
    for goal, learned in goals.items():
        yield (
            f"A receiver names {goal_title(goal)} correctly with {probability(learned[-1])} after "
            f"{_counted(len(learned) - 1, 'observation')} ({probability(learned[0])} without any)."
        )


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
