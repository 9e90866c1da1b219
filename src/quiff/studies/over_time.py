"""The question what several observations of one person reveal."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any, TypeAlias

from quiff.apis.base import Api, Occasion, check_observations, checked_api, checked_people
from quiff.core.limits import dense_limit
from quiff.core.numbers import Number
from quiff.epochs.composed import Composed
from quiff.epochs.counted import Counted, Watched
from quiff.epochs.risk import MOST_RISK
from quiff.epochs.sequences import changing
from quiff.errors import ParameterError, SizeError
from quiff.populations.population import Population
from quiff.results.result import Result
from quiff.results.rows import Row
from quiff.results.views.over_time import occasion_sentences, occasions_table, over_time_views
from quiff.studies.checked import assumed, given, names_of
from quiff.studies.figures_over_time import goals_over_time, leakages_over_time, risk_over_time, seen_of
from quiff.studies.measure import bracketed
from quiff.studies.provenance import provenance, repeatable
from quiff.theory.parameters import check_whole

Told: TypeAlias = Callable[[str, float], None]


@repeatable
def over_time(
    people: Population,
    api: Api,
    observations: int = 3,
    *,
    exact: bool = False,
    utility: bool = False,
    known: str | Iterable[str] = (),
    seed: int = 0,
    progress: Told | None = None,
) -> Result:
    """Measure what 1, 2, ..., n observations of one person reveal about who it is.

    Observations are composed as the API draws them anew: with new noise on the same secret, with a new
    secret, or not at all (an identifier). Attributes that change by epoch make one observation of each epoch,
    in parallel (paper, appendix on the longitudinal model). Figures are exact where they can be counted or
    computed within a limit of work, else estimated with an interval of 95 %. Channels that show the outputs
    of a set with one probability and all others with another are counted for up to five observations,
    whatever the number of users.

    Parameters
    ----------
    people
        The users and their attributes. Their weights, if they have some, are the prior on users.
    api
        What is observed.
    observations
        n, the largest number of observations.
    exact
        Whether to compute exactly whatever it takes, and to begin whatever the plan says.
    utility
        Whether to find out what a receiver learns, too, by up to three observations.
    known
        The attributes that the adversary already knows of the user: then before and after are both given
        these.
    seed
        The same seed gives the same estimates.
    progress
        Called with the name of a part and the share of it that is done.

    Examples
    --------
    >>> from quiff import worked_example
    >>> people, api = worked_example()
    >>> result = over_time(people, api, 2)
    >>> [result[api.spec, "leakage", n] for n in (1, 2)]
    [Fraction(39, 20), Fraction(3919, 2000)]
    >>> round(result[api.spec, "risk_max", 2], 6)  # Bob is alone with his set
    0.973267
    >>> float(result.facts["call"]["leakage"])  # one call of the browser's API
    1.96881

    Raises
    ------
    ParameterError
        If people or API are something else, or there are not so many epochs.
    SizeError
        If it would take too long or too much memory, and `exact` does not say to begin anyway.
    """
    people, api = checked_people(people), checked_api(api)
    E, seed = check_observations(observations), check_whole("seed", seed, 0)
    ready = api.fit(people)
    stable, every = not changing(people, ready), people
    if not stable and people.n_epochs < E:
        n = people.n_epochs
        raise ParameterError(f"there are values for {n} epochs, but observations is {E}; ask for {n} at most")
    people = people.first_epochs(E)
    beside = names_of(known)
    learns = (utility or ready.observer_knows_who) and not beside
    seen = seen_of(people, ready, E, exact, learns, beside)
    if not exact:
        seen.check()
    watched = _watched(progress)
    goals, left = goals_over_time(seen, every, ready, E, watched) if learns else ({}, ())
    figures: list[dict[str, Any]] = []
    risks: list[dict[str, Any]] = []
    if not ready.observer_knows_who:
        figures = leakages_over_time(seen, people, ready, E, seed, watched)
        found = (risk_over_time(seen, people, n, watched) for n in range(1, min(E, MOST_RISK) + 1))
        risks = [risk for risk in found if risk is not None]
    occasions, unknown = ((), given(beside)) if beside else _occasions(every, ready, exact)
    genuine, alone = _genuine(people, api, E, exact, beside, seed, progress)
    notes = (*people.notes, *_redrawn(ready), *unknown, *left, *_missing(api, figures, risks), *alone)
    slacks = [seen.channel(n).slack if isinstance(seen, Composed) else 1.0 for n in range(1, E + 1)]
    rows = tuple(_rows(api, seen.prior, figures, risks, goals, slacks))
    plan = seen.explained([figure["method"] for figure in figures])
    spreads = {risk["epochs"]: risk["quantiles"] for risk in risks}
    drawn = any(figure["method"] in ("hybrid", "monte-carlo") for figure in figures)
    told = (*notes, *(plan if drawn else ()))
    warned = people.warnings if "topics" in api.needs or people.n_users == 1 else ()
    views = over_time_views(people, api, rows, spreads, occasions, seen.distinct(E), told, genuine)
    facts = {
        **ready.parameters(),
        "users": people.n_users,
        "distinct_profiles": seen.distinct(E),
        "cookies": 1 / seen.prior,
        "stable_sets": stable,
        "weighted": people.weights is not None,
        "epochs": figures,
        "risk": _without_quantiles(risks[-1]) if risks else None,
        "risks": [_without_quantiles(risk) for risk in risks],
        **{each.key: _occasion_facts(each, seen.prior) for each in occasions},
        "utility": _utility_facts(goals),
        **views.pop("facts"),
        "plan": list(plan),
    }
    return Result(
        rows=rows,
        facts=facts,
        notes=notes,
        warnings=(*warned, *assumed(every, [api])),
        provenance=provenance(people, [api], seed if drawn else None),
        **views,
    )


def other_occasions(people: Population, *apis: Api) -> Result:
    """Measure what APIs reveal on other occasions than one observation, such as one page view.

    It is known where users are equally probable, and their secrets stay the same.

    Examples
    --------
    >>> from quiff import worked_example
    >>> print(other_occasions(*worked_example()).to_text(everything=False).split(" (")[0])
    One page view shows the topics of 3 weeks, sorted and each of them once: it
    re-identifies a user with probability 65.6 %
    """
    prior = Fraction(1, people.n_users)
    found = {api.spec: _occasions(people, api.fit(people), False)[0] for api in apis}
    known = {spec: [each for each in some if each.leakage is not None] for spec, some in found.items()}
    tables = {f"occasions {spec}": occasions_table(some, prior) for spec, some in known.items() if some}
    return Result(
        "Other occasions",
        (),
        tuple(text for some in known.values() for text in occasion_sentences(some[:1], prior)),
        tables if len(tables) > 1 else dict(zip(["occasions"], tables.values(), strict=False)),
        facts={
            "occasions": {
                spec: {each.key: _occasion_facts(each, prior) for each in some}
                for spec, some in known.items()
            }
        },
    )


def planned(
    people: Population, api: Api, observations: int, *, exact: bool = False, utility: bool = False
) -> tuple[str, ...]:
    """Return how the figures will be found and what that takes, in sentences; empty if it is not known."""
    E, ready = check_observations(observations), api.fit(people)
    seen = seen_of(people, ready, E, exact, utility, ())
    return seen.plan.explained() if isinstance(seen, Counted) else ()


def _missing(api: Api, figures: list[dict[str, Any]], risks: list[dict[str, Any]]) -> Iterator[str]:
    """Yield why something is not in the result."""
    if not figures:
        yield f"An observer of {api.title} already knows who the user is: there is nobody to re-identify."
    elif not risks:
        yield "Each user's own risk is not measured, for it takes too long."
    if any(figure["epsilon"] is None for figure in figures):
        yield "Where there is no epsilon, it takes too long to find."


def _watched(progress: Told | None) -> Watched:
    """Return how to tell the progress of a part by its name."""
    if progress is None:
        return lambda _name: None
    return lambda name: lambda share: progress(name, share)


def _without_quantiles(risk: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in risk.items() if name != "quantiles"}


def _rows(
    api: Api,
    prior: Number,
    figures: list[dict[str, Any]],
    risks: list[dict[str, Any]],
    goals: dict[str, list[Number]],
    slacks: list[float],
) -> Iterator[Row]:
    blank = Row(api.spec, api.unit, api.name, "user", "population", 1, "", 0)
    for figure in figures:
        n, method = figure["epochs"], figure["method"]
        low, high = figure["low"], figure["high"]
        one = replace(blank, observations=n, method=method)
        yield replace(one, quantity="prior", value=prior, method="exact")
        for quantity, factor in (("posterior", prior), ("leakage", 1)):
            value = figure["leakage"] * factor
            ends = {} if method == "exact" else {"low": low * factor, "high": high * factor}
            yield replace(one, quantity=quantity, value=value, **ends)
        for name in ("at_least", "at_most", "limit", "bound"):
            certain = replace(one, method="formula" if name == "bound" else "exact")
            yield replace(certain, quantity=f"leakage_{name}", value=figure[name])
        exactly = replace(one, goal="", prior="", method="exact")
        names = [name for name in ("epsilon", "max_case_capacity") if figure[name] is not None]
        yield from bracketed(
            (replace(exactly, quantity=name, value=figure[name]) for name in names), slacks[n - 1]
        )
    for risk in risks:
        cut = slacks[risk["epochs"] - 1] > 1
        one = replace(blank, observations=risk["epochs"], method="discretised" if cut else "exact")
        for name in ("mean", "median", "p95", "p99", "max"):
            yield replace(one, quantity=f"risk_{name.removeprefix('p')}", value=risk[name])
        yield replace(one, quantity="users_above", value=risk["share_above_half"])
    for goal, learned in goals.items():
        for n, value in enumerate(learned[1:], start=1):
            one = replace(blank, goal=goal, observations=n)
            yield replace(one, quantity="goal_prior", value=learned[0])
            yield from bracketed([replace(one, quantity="goal_posterior", value=value)], slacks[n - 1])


def _occasions(people: Population, api: Api, exact: bool) -> tuple[tuple[Occasion, ...], tuple[str, ...]]:
    """Return what else the API shows over time, and why of some of it nothing is known."""
    with ExitStack() as stack:
        if exact:
            stack.enter_context(dense_limit(inf))
        occasions = api.occasions(people)
    unknown = dict.fromkeys(each.sentence for each in occasions if each.leakage is None)
    return occasions, tuple(unknown)


def _occasion_facts(occasion: Occasion, prior: Number) -> dict[str, Any] | None:
    if occasion.leakage is None:
        return None
    return {**occasion.facts, "leakage": occasion.leakage, "vulnerability": occasion.leakage * prior}


def _utility_facts(goals: dict[str, list[Number]]) -> list[dict[str, Any]]:
    """Return what a receiver learns, for JSON: of the API's first goal, and of the whole secret."""
    if not goals:
        return []
    first = next((name for name in goals if name != "secret"), None)
    columns = {"naming": goals.get(first or ""), "reconstruction": goals.get("secret")}
    rows = max(len(learned) for learned in goals.values())
    return [
        {"epochs": n, **{name: None if column is None else column[n] for name, column in columns.items()}}
        for n in range(rows)
    ]


def _redrawn(api: Api) -> tuple[str, ...]:
    """Say what several observations are of, where it is not plain."""
    if api.redraws == "nothing":
        return ("Every observation is the same: more of them reveal nothing new.",)
    if api.redraws == "secret":
        return (
            "Each observation has a new secret, so that nothing accumulates about one of them: what a "
            "receiver learns of a secret is that of one observation. What accumulates is what the secrets "
            "say about the user, by C_secret C_observe again and again.",
        )
    return ()


def _genuine(
    people: Population,
    api: Api,
    E: int,
    exact: bool,
    known: tuple[str, ...],
    seed: int,
    progress: Told | None,
) -> tuple[Result | None, tuple[str, ...]]:
    """Return the figures of the users without filled topics if these are some of the users, and notes."""
    filled = people.filled
    if filled is None or not filled.filled_sets or not filled.genuine_users or "topics" not in api.needs:
        return None, ()
    named = None if progress is None else lambda name, share: progress(f"whole sets: {name}", share)
    try:
        whole = people.genuine()
        return over_time(whole, api, E, exact=exact, known=known, seed=seed, progress=named), ()
    except (ParameterError, SizeError) as error:  # nobody of them has a weight, or they change the plan
        return None, (f"The users without filled topics are not measured: {error}",)
