"""The question how many users known attacks re-identify, and how far that is from what is possible."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from quiff.apis.base import Api, check_observations, checked_api, checked_people
from quiff.apis.defaults import default_apis
from quiff.attacks.base import Attack, Sighting
from quiff.attacks.bound import Bound, attack_bound
from quiff.attacks.campaign import Campaign, Outcome, campaign, chosen_targets, matched, mean_share
from quiff.attacks.noise_removal import NoiseRemoval
from quiff.browser.reports import Reports
from quiff.core.labels import as_labels
from quiff.epochs.estimate import Estimate
from quiff.errors import ParameterError, SizeError
from quiff.populations.population import Population
from quiff.results.result import PerUser, Result
from quiff.results.rows import Row
from quiff.results.views.attacks import attacked_views, one_attack_views, removal_facts
from quiff.studies.provenance import provenance, repeatable
from quiff.theory.parameters import check_whole

_STEP = 5
_MOST_SEEDS = 1_000


@repeatable
def attack(
    people: Population,
    api: Api | None = None,
    *,
    observations: int | Iterable[int] = 30,
    seeds: int = 3,
    sample: int | None = 1000,
    attacks: str | Sequence[Attack | str] | None = None,
    earlier: int | None = None,
    seed: int = 0,
    progress: Callable[[str, float], None] | None = None,
) -> Result:
    """Attack simulated observations of people, and put the bound on all attacks beside.

    Where attacks on an API are published, as on topics that browsers show to two sites, these are run. For
    every other API it is the Bayes-optimal adversary: who sees the observations of a user drawn from the
    channel, knows everybody's secret, and guesses whoever is most probable. The share of users re-identified
    is an estimate of the posterior vulnerability beside it, which is computed without that adversary. Where
    the observer knows who is observed, the secret is guessed instead.

    Parameters
    ----------
    people
        The users, with attributes that are stable or one value for each epoch.
    api
        The API; by default the Topics API with the population's size of sets.
    observations
        After how many observations to look (of a browser: calls, one each epoch), or the last of them: then
        1, every fifth, and this one.
    seeds
        How many simulations; intervals are over them.
    sample
        How many targets are drawn in each; None attacks everybody.
    attacks
        The published attacks, or their names; None is all, but for linking two sites only if sets are stable
        and users not too many.
    earlier
        For browsers: how many epochs before its own a first call shows; None is 2, as specified.
    seed
        The seed of the first simulation; the others follow.
    progress
        Called with the name of a part and the share that is done.

    Examples
    --------
    >>> from quiff import Population
    >>> people = Population.synthetic(100, seed=1)
    >>> found = attack(people, observations=[1, 5], seeds=2)
    >>> 0 < found["topics", "carey", 5] < found["topics", "posterior", 5] <= 1
    True

    Raises
    ------
    ParameterError
        If a number is out of range, or the people cannot be simulated.
    SizeError
        If no attack can be run on so many users after so few observations.
    """
    people = checked_people(people)
    api = default_apis(people)[-1] if api is None else checked_api(api)
    shown = looks(observations) if isinstance(observations, int) else tuple(sorted({*observations}))
    seeds = check_whole("seeds", seeds, 1, _MOST_SEEDS)
    if not shown:
        raise ParameterError("observations is empty; give at least one number of observations to look at")
    chosen = [attacks] if isinstance(attacks, str) else attacks
    plan = campaign(people, api, shown, sample, chosen, earlier)
    tell = progress or (lambda _name, _share: None)

    def done(before: int) -> Callable[[float], None]:
        return lambda share: tell("attacks", (before + share) / seeds)

    runs = [plan.run(seed + number, done(number)) for number in range(seeds)]
    if not any(runs):
        raise SizeError(plan.notes[-1])
    bounds = {}
    for place, n in enumerate(shown):
        tell("bound", place / len(shown))
        bounds[n] = plan.bound(n, seed)
    tell("bound", 1.0)
    points = tuple(
        (each.name, n, mean_share([run[each.name, n].share for run in runs if (each.name, n) in run]))
        for each in plan.attacks
        for n in shown
        if any((each.name, n) in run for run in runs)
    )
    removals = tuple(_removals(runs, plan, shown))
    targets = next(int(outcome.tied.shape[0]) for run in runs for outcome in run.values())
    rows = (
        *(_row(api, plan.goal, n, name, share) for name, n, share in points),
        *(_bound_row(api, plan.goal, n, bound) for n, bound in bounds.items()),
    )
    return Result(
        rows=rows,
        notes=tuple(dict.fromkeys((*people.notes, *plan.notes))),
        facts={
            "users": people.n_users,
            "targets": targets,
            "seeds": seeds,
            "earlier": plan.earlier,
            "api": api.spec,
            **api.fit(people).parameters(),
            "reidentified": [_point(name, n, share, bounds[n]) for name, n, share in points],
            "bounds": [{"epochs": n, **vars(bound)} for n, bound in bounds.items()],
            "noise_removal": [
                {"attack": name, "epochs": n, **removal_facts(removal)} for name, n, removal in removals
            ],
        },
        provenance=provenance(people, [api], seed),
        **attacked_views(people, api, plan, (targets, seeds), rows, bounds, removals),
    )


@repeatable
def reidentify(
    reports: Reports,
    attack: Attack,
    *,
    call: int | None = None,
    known: Hashable = None,
    query: Hashable = None,
    sample: int | None = 3000,
    seed: int = 0,
    population: Population | None = None,
    api: Api | None = None,
) -> Result:
    """Run one attack: for each target, find among the users of one site whom another site has observed.

    Parameters
    ----------
    reports
        What the sites saw.
    attack
        One of the published attacks, or a Bayes-optimal adversary.
    call
        After how many calls of each site; None is all.
    known, query
        The site whose users are re-identified, and the one that saw the targets; the first two by default.
    sample
        How many targets are drawn, for speed; all users stay candidates. None attacks everybody.
    seed
        Of the draw.
    population
        The users' profiles, if it is to be said how well noise is removed.
    api
        With a population: the API, if the bound on all attacks is wanted too.

    Examples
    --------
    >>> from quiff import Population, api_from, simulate
    >>> from quiff.attacks.overlap import BeuginMcDaniel
    >>> people = Population.synthetic(200, seed=1)
    >>> found = reidentify(simulate(people, api_from("topics"), epochs=20, seed=1), BeuginMcDaniel())
    >>> found.facts["targets"], found.facts["reports"], found["unique"] > 0.9
    (200, 22, True)

    Raises
    ------
    ParameterError
        If a number is out of range, profiles are of others, or there is one site where two are needed.
    LabelError
        If there is no such site.
    """
    if not isinstance(reports, Reports) or not isinstance(attack, Attack):
        raise ParameterError(
            "reports and an attack were expected, as in reidentify(simulate(people, api, epochs=20), Carey())"
        )
    call = reports.n_epochs if call is None else check_whole("call", call, 1, reports.n_epochs)
    if reports.sites.size < 2 and query is None and attack.sites == 2:
        raise ParameterError(
            f"the attack {attack.name!r} compares two sites, but the reports are of {reports.sites.size}; "
            "simulate two"
        )
    seed = check_whole("seed", seed, 0)
    site = reports.sites[0] if known is None else known
    other = reports.sites[min(1, reports.sites.size - 1)] if query is None else query
    sightings = [Sighting.of(reports, each, call) for each in (site, other)]
    targets = chosen_targets(reports.n_users, sample, seed)
    outcome = matched(attack, sightings, targets, population)
    columns = int(sightings[0].codes.shape[1])
    bound = None if api is None or population is None else attack_bound(population, api, columns, seed)
    shares = {attack.name: outcome.share, "unique": outcome.unique, "right": outcome.right}
    rows = [_row(api, "user", call, name, share) for name, share in shares.items()]
    if bound is not None:
        rows.append(_bound_row(api, "user", call, bound))
    everybody = targets.shape[0] == reports.n_users
    users = reports.users if everybody else as_labels([reports.users[int(place)] for place in targets])
    return Result(
        rows=tuple(rows),
        per_user=PerUser(users, {"tied": outcome.tied}),
        facts={
            "users": reports.n_users,
            "targets": int(outcome.tied.shape[0]),
            "reports": columns,
            "counts": attack.counts,
            "reidentified": [_point(attack.name, call, outcome.share, bound)],
            "unique": outcome.unique,
            "right": outcome.right,
            "noise_removal": None if outcome.removal is None else removal_facts(outcome.removal),
        },
        provenance=provenance(population, [] if api is None else [api], seed),
        **one_attack_views(attack, reports.n_users, call, columns, outcome, bound),
    )


def looks(most: int) -> tuple[int, ...]:
    """Return after how many observations to look: 1, every fifth, and the last.

    Examples
    --------
    >>> looks(12)
    (1, 5, 10, 12)
    """
    most = check_observations(most)
    return tuple(sorted({1, *range(_STEP, most + 1, _STEP), most}))


def _row(api: Api | None, goal: str, n: int, name: str, share: Estimate) -> Row:
    spec, unit = ("", None) if api is None else (api.spec, api.unit)
    return Row(spec, unit, "", goal, "population", n, name, share.value, share.low, share.high, "monte-carlo")


def _bound_row(api: Api | None, goal: str, n: int, bound: Bound) -> Row:
    spec, unit = ("", None) if api is None else (api.spec, api.unit)
    quantity = "posterior" if goal == "user" else "goal_posterior"
    low, high = (None, None) if bound.method == "exact" else (bound.low, bound.high)
    return Row(spec, unit, "", goal, "population", n, quantity, bound.value, low, high, bound.method)


def _point(name: str, n: int, share: Estimate, bound: Bound | None) -> dict[str, object]:
    """Return what an attack achieves by the names of JSON."""
    return {
        "attack": name,
        "epochs": n,
        "rate": share.value,
        "low": share.low,
        "high": share.high,
        "bound": None if bound is None else bound.value,
    }


def _removals(
    runs: Sequence[dict[tuple[str, int], Outcome]], plan: Campaign, shown: Sequence[int]
) -> Iterator[tuple[str, int, NoiseRemoval]]:
    """Yield the noise that was removed in all simulations."""
    for each in plan.attacks:
        for n in shown:
            removed = [run[each.name, n].removal for run in runs if (each.name, n) in run]
            some = [removal for removal in removed if removal is not None]
            if some:
                yield each.name, n, sum(some[1:], some[0])
