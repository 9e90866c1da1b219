"""The question what several observations of one person reveal."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from math import inf, log
from typing import Any, TypeAlias

import numpy as np

from quiff.apis.base import Api, Occasion, check_observations, checked_api
from quiff.core.channel import Channel
from quiff.core.kernels import MapKernel
from quiff.core.labels import as_labels
from quiff.core.limits import dense_limit
from quiff.core.numbers import Array, Number
from quiff.epochs.composed import Composed
from quiff.epochs.counted import Counted, Known, Watched
from quiff.epochs.plan import plan_epochs
from quiff.epochs.risk import MOST_RISK
from quiff.epochs.sequences import Sequences, changing
from quiff.epochs.utility import MOST_NAMING
from quiff.errors import ParameterError, SizeError, counted
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability
from quiff.populations.groups import grouped
from quiff.populations.population import Population
from quiff.results.distribution import Distribution
from quiff.results.result import Result, Row
from quiff.results.views.over_time import over_time_views
from quiff.studies.checked import checked_people
from quiff.studies.own_risk import own_risk
from quiff.studies.provenance import provenance
from quiff.theory.parameters import HALF, Real, check_whole, follow

_FEW = 20_000_000  # numbers of a channel that are looked at one by one for each user's risk
Told: TypeAlias = Callable[[str, float], None]


def over_time(
    people: Population,
    api: Api,
    observations: int = 3,
    *,
    exact: bool = False,
    utility: bool = False,
    known: Iterable[str] = (),
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
    beside = tuple(known)
    learns = (utility or ready.observer_knows_who) and not beside
    seen = _seen(people, ready, E, exact, learns, beside)
    if not exact:
        seen.check()
    watched = _watched(progress)
    goals, left = _goals(seen, every, ready, E, watched) if learns else ({}, ())
    figures: list[dict[str, Any]] = []
    risks: list[dict[str, Any]] = []
    if not ready.observer_knows_who:
        figures = _figures(seen, people, ready, E, seed, watched)
        spreads = (_risk(seen, people, n, watched) for n in range(1, min(E, MOST_RISK) + 1))
        risks = [risk for risk in spreads if risk is not None]
    occasions, unknown = ((), _given(beside)) if beside else _occasions(every, ready, exact)
    genuine, alone = _genuine(people, api, E, exact, beside, seed, progress)
    notes = (*people.notes, *_redrawn(ready), *unknown, *left, *_missing(api, figures, risks), *alone)
    rows = tuple(_rows(api, people, seen.prior, figures, risks, goals))
    plan = seen.explained([figure["method"] for figure in figures])
    views = over_time_views(
        people, api, seen.prior, figures, risks, occasions, goals, (*notes, *plan), genuine
    )
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
    drawn = any(figure["method"] != "exact" for figure in figures)
    made = provenance("over_time", people, [api], seed if drawn else None)
    call = made.command.removesuffix(")") + f", observations={E}{f', known={beside}' if beside else ''})"
    return Result(
        rows=rows,
        facts=facts,
        notes=notes,
        warnings=() if people.filled is None or "topics" not in api.needs else people.filled.warnings(),
        provenance=replace(made, command=call),
        **views,
    )


def planned(
    people: Population, api: Api, observations: int, *, exact: bool = False, utility: bool = False
) -> tuple[str, ...]:
    """Return how the figures will be found and what that takes, in sentences; empty if it is not known."""
    E, ready = check_observations(observations), api.fit(people)
    seen = _seen(people, ready, E, exact, utility, ())
    return seen.plan.explained() if isinstance(seen, Counted) else ()


def _seen(
    people: Population, api: Api, n: int, exact: bool, utility: bool, known: tuple[str, ...]
) -> Counted | Composed:
    """Return what is seen over time: counted where the channel has the structure for it, else composed."""
    if known:
        return Composed.of(people, api, exact=exact).knowing(known)
    sets = Sequences.recognised(people, api)
    if sets is None:
        return Composed.of(people, api, exact=exact)
    return Counted(sets, plan_epochs(sets, n, exact=exact, utility=utility))


def _figures(
    seen: Counted | Composed, people: Population, api: Api, E: int, seed: int, watched: Watched
) -> list[dict[str, Any]]:
    """Return what is known of the leakage for each number of observations."""
    found = _ordered(dict(seen.leakages(E, seed, watched)))
    bounds = parameters_bounds(api, people, E)
    listed = []
    for n in range(1, E + 1):
        (leakage, low, high, at_least, at_most), method = found[n]
        epsilon, capacity = seen.worst_case(n) or (None, None)
        listed.append(
            {
                "epochs": n,
                "leakage": leakage,
                "vulnerability": leakage * seen.prior,
                "method": method,
                "low": low,
                "high": high,
                "at_least": at_least,
                "at_most": at_most,
                "epsilon": epsilon,
                "max_case_capacity": capacity,
                "bound": bounds[n - 1],
                "limit": seen.limit(n),
                "distinct_profiles": seen.distinct(n),
            }
        )
    return listed


def _risk(seen: Counted | Composed, people: Population, n: int, watched: Watched) -> dict[str, Any] | None:
    """Return how the risk is spread over users after n observations; None if it is too much work."""
    if isinstance(seen, Counted):
        risk = seen.risk(n, watched(f"risk, {counted(n, 'observation')}"))
        if risk is None:
            return None
        users = np.ones(risk.shape[0], dtype=np.int64) if people.counts is None else people.counts
        return _spread(n, risk, users)
    C, groups = seen.channel(n), seen.groups
    work = C.kernel.n_rows * C.kernel.n_columns * (100 if C.exact else 1)  # fractions take longer
    if C.kernel.as_sparse() is None and work > _FEW:
        return None
    if people.weights is None:
        users = groups.counts
        return _spread(n, own_risk(C, np.minimum(users, 1), users)[0], users)
    users = np.ones(people.users.size, dtype=np.int64)
    mine = Channel.from_kernel(people.users, C.outputs, C.kernel.take_rows(groups.which))
    return _spread(n, own_risk(mine, people.weights, users)[0], users)


def _goals(
    seen: Counted | Composed, people: Population, api: Api, E: int, watched: Watched
) -> tuple[dict[str, list[Number]], tuple[str, ...]]:
    """Return what a receiver learns by 0, 1, ... observations, goal by goal, and notes.

    The most observations come first: if their numbers do not fit a machine word, it is told at once.
    """
    if not api.needs:
        return {}, ()
    if changing(people, api):
        return {}, ("What a receiver learns is known for stable attributes only: there is no one secret.",)
    most = seen.most_learned if isinstance(seen, Counted) else min(E, MOST_NAMING)
    secret = api.secret(people)
    if not most or not isinstance(secret.kernel, MapKernel):
        return {}, ("What a receiver learns is not measured, for it takes too long or too much memory.",)
    law, which = grouped(people, secret).prior, np.asarray(secret.kernel.codes)
    found: dict[str, list[Number]] = {}
    notes: list[str] = []
    for goal, gain in {**api.goals(secret.outputs), "secret": None}.items():
        fast = isinstance(seen, Counted) and (gain is None or seen.names_an_output(gain, which))
        backwards: list[Number] = []
        try:
            for n in range(most, -1, -1):
                if isinstance(seen, Counted) and fast:
                    told = watched(f"{goal}, {counted(n, 'observation')}")
                    backwards.append(seen.learned(gain is None, n, told))
                elif n == 0:
                    backwards.append(vulnerability(law, gain))
                else:
                    C = api.over_time(secret.outputs, 1 if api.redraws == "secret" else n)
                    backwards.append(posterior_vulnerability(law, C, gain))
        except SizeError as error:
            if fast:
                raise
            notes.append(f"What a receiver learns of {goal!r} is not measured: {error}")
        else:  # more observations never tell less: what falls is rounding
            found[goal] = list(accumulate(reversed(backwards), max))
    return found, tuple(notes)


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


def _ordered(found: dict[int, Known]) -> dict[int, Known]:
    """Let what is certain of one number of observations bound the others, and cut the intervals to it.

    Leakage never falls with more observations: who has n + 1 can leave the last one out and guess as by n, so
    that the best guess is right no less often. So for n <= E, L_n <= L_E: a lower bound on L_n is one on L_E,
    and an upper bound on L_E is one on L_n.
    """
    rising = sorted(found)
    least = dict(zip(rising, accumulate((found[n][0][3] for n in rising), max), strict=True))
    falling = rising[::-1]
    most = dict(zip(falling, accumulate((found[n][0][4] for n in falling), min), strict=True))
    cut = dict(found)
    for n, (row, method) in found.items():
        if isinstance(row[0], float) and len(set(row)) == 1:  # exact up to rounding
            cut[n] = ((float(least[n]),) * 5, method)
        elif len(set(row)) > 1:  # else it is a fraction
            leakage, low, high = row[:3]
            at_most = float(most[n])
            at_least = min(float(least[n]), at_most)  # more only by rounding
            low, high = (min(max(end, at_least), at_most) for end in (low, high))
            cut[n] = ((min(max(leakage, low), high), low, high, at_least, at_most), method)
    return cut


def parameters_bounds(api: Api, people: Population, most: int) -> list[Real]:
    """Return the most that 1, 2, ... observations can leak by closed forms: min(N, secrets, capacity^n).

    Independent observations leak at most the product of their capacities. No leakage exceeds the number of
    users, nor, where secrets are stable, the capacity of a stage that is a map: the number of secrets.

    Examples
    --------
    >>> from quiff import Population, api_from
    >>> people = Population.synthetic(1000, seed=1)
    >>> [round(bound, 2) for bound in parameters_bounds(api_from("topics").fit(people), people, 2)]
    [66.36, 1000.0]
    """
    limits = {limit.stage: limit.value for limit in api.limits() if limit.quantity == "bayes_capacity"}
    capacity = limits.pop("", inf)
    bound: Real = Fraction(people.n_users)
    if limits and not changing(people, api):
        secrets = api.secret(people).outputs
        few = as_labels([secrets[place] for place in range(min(2, secrets.size))])
        maps = [name for name, C in api.stages(few).items() if isinstance(C.kernel, MapKernel)]
        bound = min([bound, *(limits[name] for name in maps if name in limits)])

    def after(n: int) -> Real:
        times = 1 if api.redraws == "nothing" else n
        if capacity == inf or times * log(capacity) > log(bound) + 1:  # spares a power that may not fit
            return bound if capacity == inf else follow(bound, capacity)
        return follow(min(bound, capacity**times), capacity)

    return [after(n) for n in range(1, most + 1)]


def _spread(n: int, risk: Array, users: Array) -> dict[str, Any]:
    """Return mean, quantiles and the number of users above one half; each user counts once."""
    spread = Distribution(risk, users)
    quantiles = tuple(spread.quantile(percent / 100) for percent in range(101))
    return {
        "epochs": n,
        "mean": float(spread.mean),
        "median": quantiles[50],
        "p95": quantiles[95],
        "p99": quantiles[99],
        "max": quantiles[100],
        "above_half": int(users[spread.above(HALF)].sum()),
        "quantiles": quantiles,
    }


def _without_quantiles(risk: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in risk.items() if name != "quantiles"}


def _rows(
    api: Api,
    people: Population,
    prior: Number,
    figures: list[dict[str, Any]],
    risks: list[dict[str, Any]],
    goals: dict[str, list[Number]],
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
        for name in ("epsilon", "max_case_capacity"):
            if figure[name] is not None:
                yield replace(one, goal="", prior="", quantity=name, value=figure[name], method="exact")
    for risk in risks:
        one = replace(blank, observations=risk["epochs"])
        for name in ("mean", "median", "p95", "p99", "max"):
            yield replace(one, quantity=f"risk_{name.removeprefix('p')}", value=risk[name])
        yield replace(one, quantity="users_above", value=risk["above_half"] / people.n_users)
    for goal, learned in goals.items():
        for n, value in enumerate(learned[1:], start=1):
            one = replace(blank, goal=goal, observations=n)
            yield replace(one, quantity="goal_prior", value=learned[0])
            yield replace(one, quantity="goal_posterior", value=value)


def _given(known: tuple[str, ...]) -> tuple[str, ...]:
    """Say what the adversary already knows."""
    return (f"The adversary already knows of the user: {', '.join(known)}. All else is given that.",)


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
