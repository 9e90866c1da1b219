"""The question what several observations of one person reveal."""

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from quiff.apis.base import Api, check_observations
from quiff.core.limits import dense_limit
from quiff.core.numbers import Number
from quiff.errors import ParameterError, SizeError
from quiff.measures.distribution import Distribution
from quiff.people.population import Population
from quiff.results.layout import Layout, Pivot, Say
from quiff.results.numbers import probability
from quiff.results.rows import Between, Row, rows_of
from quiff.studies import questions
from quiff.studies.measure import bracketed
from quiff.studies.stability import changing_interests, check_changing
from quiff.studies.study import Findings, assumed, known_note, names_of, study
from quiff.studies.words import heading
from quiff.theory.parameters import HALF, check_whole
from quiff.weeks import calls as occasions
from quiff.weeks.over_time import LeakageAfter, OverTime
from quiff.weeks.risk import MOST_RISK
from quiff.weeks.sequences import changing

_PAGE_VIEW = Say(
    "One page view shows the topics of 3 weeks, sorted and each of them once: it re-identifies a user with"
    " probability {posterior} (leakage {leakage}).",
    by=("api",),
    where={"stage": "page view"},
)
_IN_ORDER = Say(
    "In order, they would with probability {posterior} (leakage {leakage}).",
    by=("api",),
    where={"stage": "page view in order"},
)
_TWO_SITES = Say(
    "Two sites with one observation each of the same week link a user with probability at most {posterior}"
    " (leakage at most {leakage}), if users' sets are independent draws.",
    by=("api",),
    where={"stage": "two sites"},
)
OCCASIONS = Pivot(
    "On other occasions: leakage, and probability of success",
    by=("api", "stage"),
    columns={"leakage": "leakage", "success": "posterior"},
    where={"stage": list(occasions.OCCASIONS)},
)
LAYOUT = Layout(
    "{api}: what several observations reveal about {users}",
    say={
        "grows": questions.GROWS,
        "page view": _PAGE_VIEW,
        "risk": questions.RISK_SENTENCE,
        "use": questions.LEARNS,
    },
    further={
        "limit": questions.AT_MOST,
        "filling": questions.filled_said,
        "page view in order": _IN_ORDER,
        "two sites": _TWO_SITES,
    },
    tables={
        "over_time": questions.OVER_TIME,
        "limits": questions.BOUNDS,
        "risk": questions.RISK,
        "occasions": OCCASIONS,
        "utility": Pivot(
            "What a receiver learns: probability to guess right",
            by=("goal", "observations"),
            columns=questions.GUESSED,
        ),
    },
    charts={"growth": questions.GROWTH, "risk": questions.SPREAD},
    heading=heading,
)


@study(LAYOUT, genuine="over_time")
def over_time(
    people: Population,
    api: Api,
    observations: int = 3,
    *,
    exact: bool = False,
    utility: bool = False,
    known: str | Iterable[str] = (),
    stability: float | None = None,
    reference: int = 4,
    seed: int = 0,
    least: int = 1,
) -> Findings:
    """Measure what 1, 2, ..., n observations of one person reveal about who it is.

    Observations are composed as the API draws them anew: with new noise on the same secret, with a new
    secret, or not at all (an identifier). Attributes that change by epoch make one observation of each epoch,
    in parallel (paper, appendix on the longitudinal model). Figures are exact where they can be counted or
    computed within a limit of work, else estimated with an interval of 95 %. Channels that show the outputs
    of a set with one probability and all others with another are counted for up to four observations,
    whatever the number of users, and for more where topics are few. What one page view of the Topics API
    and two sites reveal are rows with a stage of that name.

    Parameters
    ----------
    people
        The users and their attributes. Their weights, if they have some, are the prior on users.
    api
        What is observed.
    observations
        n, the largest number of observations.
    exact
        Whether to compute exactly whatever it takes.
    utility
        Whether to find out what a receiver learns, too, by up to three observations.
    known
        The attributes that the adversary already knows of the user: then before and after are both given
        these.
    stability
        The probability that a secret is kept from one observation to the next: then the result has what
        observations reveal of people whose interests change (`changing_interests`), beside those of people
        whose interests do not.
    reference
        How many weeks before the first observation the observer of these knew everybody's secret.
    seed
        The same seed gives the same estimates.
    least
        How many users at least a step of the curve of risks is about.

    Examples
    --------
    >>> from quiff import worked_example
    >>> people, api = worked_example()
    >>> result = over_time(people, api, 2)
    >>> [result[api.spec, "leakage", n] for n in (1, 2)]
    [Fraction(39, 20), Fraction(3919, 2000)]
    >>> round(result[api.spec, "risk_max", 2], 6)  # Bob is alone with his set
    0.973267
    >>> float(result[api.spec, "leakage", "page view"])
    1.96881

    Raises
    ------
    ParameterError
        If people or API are something else, or there are not so many epochs.
    SizeError
        If it would take too long or too much memory, and `exact` does not say to begin anyway.
    """
    E, seed = check_observations(observations), check_whole("seed", seed, 0)
    ready = api.fit(people)
    every = people
    if changing(people, ready) and people.n_epochs < E:
        n = people.n_epochs
        raise ParameterError(
            f"there are values for {n} epochs, but observations is {E}; ask for {n} at most",
            what="observations",
            value=E,
            allowed=f"at most {n}",
        )
    people = people.first_epochs(E)
    beside = names_of(known)
    if stability is not None:
        if beside:
            raise ParameterError("stability does not go with what the adversary already knows; leave one out")
        check_changing(every, ready)
    learns = (utility or ready.observer_knows_who) and not beside
    weeks = OverTime.of(people, ready, exact=exact, known=beside)
    goals, left = weeks.goals(every, E) if learns else ({}, ())
    leakages: list[LeakageAfter] = []
    risks: dict[int, Distribution] = {}
    if not ready.observer_knows_who:
        leakages = weeks.leakages(E, seed)
        for n in range(1, min(E, MOST_RISK) + 1):
            spread = weeks.risk(n)
            risks |= {} if spread is None else {n: spread}
    rows, unknown = ([], known_note(beside)) if beside else _occasion_rows(every, api, weeks.prior, exact)
    slacks = [weeks.slack(n) for n in range(1, E + 1)]
    drawn = any(leakage.method in ("hybrid", "monte-carlo") for leakage in leakages)
    learned = max((len(numbers) - 1 for numbers in goals.values()), default=0)
    plan = weeks.explained(leakages, len(risks), learned)
    single = None if people.weights is None else np.ones(people.users.size)
    steps = {n: spread.grouped(least, single) for n, spread in risks.items()}
    percentiles = {n: [step.quantile(share / 100) for share in range(101)] for n, step in steps.items()}
    return Findings(
        (
            *rows,
            *_leakage_rows(api, weeks.prior, leakages, slacks),
            *_risk_rows(api, risks, slacks),
            *_goal_rows(api, goals, slacks),
        ),
        notes=(*_redrawn(ready), *unknown, *left, *_missing(api, leakages, risks), *(plan if drawn else ())),
        warnings=(
            *(people.warnings if "topics" in api.needs or people.n_users == 1 else ()),
            *assumed(every, [api]),
        ),
        words={"profiles": weeks.distinct(E), "percent": probability(HALF), "plan": list(plan)},
        stages=occasions.OCCASIONS,
        payload={"risk_percentiles": percentiles},
        people=people,
        seed=seed if drawn else None,
        parts=(
            {}
            if stability is None
            else {
                "changing": changing_interests(
                    every, api, E, stability=stability, reference=reference, seed=seed
                )
            }
        ),
    )


@study(
    Layout(
        "Other occasions",
        say={"page view": _PAGE_VIEW},
        tables={"occasions": OCCASIONS},
    )
)
def other_occasions(people: Population, *apis: Api) -> Findings:
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
    return Findings(
        (row for api in apis for row in _occasion_rows(people, api, prior)[0]), stages=occasions.OCCASIONS
    )


def _missing(api: Api, leakages: list[LeakageAfter], risks: dict[int, Distribution]) -> Iterator[str]:
    """Yield why something is not in the result."""
    if not leakages:
        yield f"An observer of {api.title} already knows who the user is: there is nobody to re-identify."
    elif not risks:
        yield "Each user's own risk is not measured, for it takes too long."
    if any(leakage.epsilon is None for leakage in leakages):
        yield "Where there is no epsilon, it takes too long to find."


def _leakage_rows(
    api: Api, prior: Number, leakages: list[LeakageAfter], slacks: list[float]
) -> Iterator[Row]:
    for after in leakages:
        about: dict[str, Any] = {"stage": api.name, "observations": after.n}
        known = {"goal": "user", "prior": "population", **about}
        yield from rows_of(api, {"prior": prior}, **known)
        for quantity, factor in (("posterior", prior), ("leakage", 1)):
            value, low, high = (number * factor for number in (after.leakage, after.low, after.high))
            yield from rows_of(api, {quantity: Between(value, low, high, after.method)}, **known)
        certain = {"at_least": after.at_least, "at_most": after.at_most, "limit": after.limit}
        yield from rows_of(api, {f"leakage_{name}": number for name, number in certain.items()}, **known)
        yield from rows_of(api, {"leakage_bound": after.bound}, method="formula", **known)
        worst = {"epsilon": after.epsilon, "max_case_capacity": after.max_case_capacity}
        yield from bracketed(rows_of(api, worst, **about), slacks[after.n - 1])


def risk_numbers(spread: Distribution, threshold: Number) -> dict[str, Number]:
    """Return how users' risks are spread, by quantities."""
    numbers = spread.spread(threshold)
    above = numbers.pop("above")
    return {**{f"risk_{name}": number for name, number in numbers.items()}, "users_above": above}


def _risk_rows(api: Api, risks: dict[int, Distribution], slacks: list[float]) -> Iterator[Row]:
    for n, spread in risks.items():
        yield from rows_of(
            api,
            risk_numbers(spread, HALF) | {"risk_mean": float(spread.mean)},
            stage=api.name,
            goal="user",
            prior="population",
            observations=n,
            method="discretised" if slacks[n - 1] > 1 else "exact",
        )


def _goal_rows(api: Api, goals: dict[str, list[Number]], slacks: list[float]) -> Iterator[Row]:
    for goal, learned in goals.items():
        for n, value in enumerate(learned[1:], start=1):
            numbers = {"goal_prior": learned[0], "goal_posterior": value}
            about = {"stage": api.name, "goal": goal, "prior": "population", "observations": n}
            yield from bracketed(rows_of(api, numbers, **about), slacks[n - 1])


def _occasion_rows(
    people: Population, api: Api, prior: Number, exact: bool = False
) -> tuple[list[Row], tuple[str, ...]]:
    """Return what one page view of the Topics API and two sites reveal, and why it is not known."""
    try:
        with dense_limit(inf) if exact else nullcontext():
            leakages = occasions.call_and_sites(people, api)
    except ParameterError:
        return [], ("One page view and two sites are known for stable sets and equally probable users only.",)
    except SizeError as error:
        return [], (f"One page view and two sites are not measured: {error}",)
    return [
        row
        for stage, leakage in leakages.items()
        for row in rows_of(
            api,
            {"leakage": leakage, "posterior": leakage * prior},
            stage=stage,
            goal=stage,
            prior="population",
        )
    ], ()


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
