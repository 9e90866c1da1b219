"""The question how many users known attacks re-identify, and how far that is from what is possible."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any, cast

from quiff.apis.base import Api, check_observations
from quiff.attacks.base import Attack, Sighting
from quiff.attacks.bound import Bound, attack_bound
from quiff.attacks.campaign import Campaign, Outcome, campaign, chosen_targets, matched, mean_share
from quiff.attacks.noise_removal import NoiseRemoval
from quiff.browser.reports import Reports
from quiff.core.labels import as_labels
from quiff.errors import ParameterError, SizeError
from quiff.populations.population import Population
from quiff.progress import part, tell
from quiff.results.figures.charts import Axis, curves
from quiff.results.figures.figure import Figure
from quiff.results.layout import Chart, Layout, Listing, Records
from quiff.results.numbers import probability, shown
from quiff.results.result import PerUser, Result
from quiff.results.rows import Row, rows_of
from quiff.results.table import Table
from quiff.studies.study import Findings, study
from quiff.studies.words import heading, many, users, visits
from quiff.theory.parameters import check_whole

_STEP = 5
_MOST_SEEDS = 1_000
_BOUNDS = ("posterior", "goal_posterior")  # the quantities that no attack exceeds but by chance
_SHARES = ("precision", "recall", "kept_precision", "kept_recall")
_COUNTS = {
    "unique": "unique: a target counts if nobody but the right user is left.",
    "ties": "ties: a target counts by the probability of a right guess among those left.",
}
_BOUND = "bound: the most to expect, one target at a time"
_ONE = {"unique": "only the right user left", "right": "re-identified, ties broken at random"}
_REMOVED = {
    "precision": "removed topics that were noise (precision)",
    "recall": "noise that was removed (recall)",
    "kept_precision": "kept topics that were genuine",
    "kept_recall": "genuine topics that were kept",
}


def _api(result: Result) -> Any:
    return next(iter(result.apis.values()))


def _after(result: Result, looks: int) -> str:
    api = _api(result)
    return visits(api, looks - 1 + api.shown_at_first)


def _last(result: Result) -> tuple[list[Row], Row]:
    """Return the attacks after the most observations, the one that achieves most first, and the bound."""
    last = result.rows.where(observations=result.rows.observations)
    attacks = [row for row in last if row.quantity not in _BOUNDS]
    (bound,) = (row for row in last if row.quantity in _BOUNDS)
    return sorted(attacks, key=lambda row: -row.value), bound


def _achieved(result: Result) -> Iterator[str]:
    (best, *others), bound = _last(result)
    verb = "re-identifies" if bound.quantity == "posterior" else "guesses the secret of"
    also = ", ".join(f"{row.quantity} {probability(row.value)}{_ends(row)}" for row in others)
    yield (
        f"After {_after(result, best.observations)} {best.quantity} {verb} {_share(best)}"
        f"{f'; {also}' if also else ''}."
    )


def _possible(result: Result) -> Iterator[str]:
    (best, *_), bound = _last(result)
    reports = result.words["reports"]
    by_then = f", from the {many(reports, 'observation')} that a site has by then"
    above = f" That {best.quantity} lies above it is sampling error." if best.value > bound.value else ""
    yield (
        f"The bound: no attack that matches each target alone can expect more than "
        f"{'' if bound.method == 'exact' else 'about '}{probability(bound.value)} after"
        f" {_after(result, bound.observations)}{by_then if reports != bound.observations else ''}.{above}"
    )


def _ends(row: Row) -> str:
    if row.low is None or row.high is None:
        return ""
    return f" ({probability(row.low)} to {probability(row.high)})"


def _share(row: Row) -> str:
    ends = f"{probability(row.low or 0)} to {probability(row.high or 0)}"
    return f"{probability(row.value)} of the users (95 % interval {ends})"


def _named(result: Result, bound: str) -> Iterator[tuple[str, Row]]:
    """Yield the rows by the number of observations, each with the name of the attack, the bound last."""
    attacks = [entry["name"] for entry in result.words["attacks"]]
    for rows in result.rows.by("observations").values():
        by_name = {row.quantity: row for row in rows}
        yield from ((name, by_name[name]) for name in attacks if name in by_name)
        yield from ((bound, by_name[name]) for name in _BOUNDS if name in by_name)


def _attacks_title(result: Result) -> str:
    what = "Users re-identified" if len(result.rows.where(quantity="posterior")) else "Secrets guessed"
    targets, seeds = many(result.words["targets"], "target"), many(result.words["seeds"], "simulation")
    return f"{what}, of {users(result)}: {targets} in {seeds}"


def _attacks(result: Result) -> Table:
    lines = sorted(_named(result, "bound"), key=lambda pair: pair[1].observations)
    return Listing(
        _attacks_title,
        lambda _: lines,
        {
            "{visits}": lambda pair, _: pair[1].observations,
            "attack": lambda pair, _: pair[0],
            "share": (lambda pair, _: pair[1].value, probability),
            "low": (lambda pair, _: pair[1].low, probability),
            "high": (lambda pair, _: pair[1].high, probability),
        },
        notes=(
            "low, high: an interval of 95 % over simulations.",
            "bound: the most that an attacker who links one target at a time can expect, that is, the"
            " probability of success of one who knows everybody's secret. What an attack achieves in some"
            " simulations is an estimate: it may lie above the bound, by sampling error.",
            lambda result: result.words["plan"],
        ),
        keep=len(result.words["attacks"]) + 1,
    )(result)


NOISE = Listing(
    "How well noise is removed",
    "noise_removal",
    {"attack": "attack", "{visits}": "observations", **{name.replace("_", " "): name for name in _SHARES}},
    notes=(
        "precision: of the topics removed, those that are noise; recall: of noise, what is removed.",
        "kept: of the topics kept, those that are genuine; of the genuine ones, those that are kept.",
    ),
)
PAPERS = Listing(
    "Where the attacks are from, and what they count as success",
    lambda result: result.words["attacks"],
    {"attack": "name", "counts": "counts", "paper": "paper"},
    notes=(
        lambda result: [
            text
            for key, text in _COUNTS.items()
            if key in {entry["counts"] for entry in result.words["attacks"]}
        ],
    ),
)


def _attack_points(result: Result) -> Records:
    return [
        {"series": name, "observations": row.observations, "share": float(row.value), **row.ends(row.value)}
        for name, row in _named(result, _BOUND)
    ]


def _drawn(result: Result, points: Records) -> Figure:
    """Draw the share that each attack re-identifies against observations, the bound in grey."""
    earlier, attacks = result.words["earlier"], [entry["name"] for entry in result.words["attacks"]]
    first = f", the first with {earlier + 1} observations" if earlier else ""
    across = Axis("observations", f"{_api(result).visit}s{first}", "count")
    up = Axis("share", "share of users", "share")
    chart = curves(points, across, up, attacks, points=True, bound=_BOUND, size=(440, 320))
    (best, *_), _ = _last(result)
    return Figure.of(
        f"After {_after(result, best.observations)}, {best.quantity} re-identifies {probability(best.value)}"
        f"{_ends(best)} of {users(result)}",
        chart,
    )


LAYOUT = Layout(
    lambda result: f"Attacks on {users(result)}: {_api(result).title}",
    say={"attacks": _achieved, "bound": _possible},
    tables={"attacks": _attacks, "noise": NOISE, "papers": PAPERS},
    charts={"attacks": Chart(_attack_points, _drawn)},
    heading=heading,
)


@study(LAYOUT)
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
) -> Findings:
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
    api = cast("Api", api)  # filled in by @study
    counts = looks(observations) if isinstance(observations, int) else tuple(sorted({*observations}))
    seeds = check_whole("seeds", seeds, 1, _MOST_SEEDS)
    if not counts:
        raise ParameterError("observations is empty; give at least one number of observations to look at")
    plan = campaign(people, api, counts, sample, [attacks] if isinstance(attacks, str) else attacks, earlier)

    runs = []
    for number in range(seeds):
        with part(f"attacks, simulation {number + 1} of {seeds}"):
            runs.append(plan.run(seed + number))
    if not any(runs):
        raise SizeError(plan.notes[-1])
    bounds: dict[int, Bound] = {}
    for place, n in enumerate(counts):
        tell("bound", place / len(counts))
        bounds[n] = plan.bound(n, seed)
    tell("bound", 1.0)
    shares = {
        (attacker.name, n): [run[attacker.name, n].share for run in runs if (attacker.name, n) in run]
        for attacker in plan.attacks
        for n in counts
    }
    about = {"goal": plan.goal, "prior": "population", "method": "monte-carlo"}
    rows: list[Row] = []
    for (name, n), some in shares.items():
        rows += rows_of(api, {name: mean_share(some) if some else None}, observations=n, **about)
    for n, bound in bounds.items():
        quantity = "posterior" if plan.goal == "user" else "goal_posterior"
        rows += rows_of(api, {quantity: bound}, observations=n, **about)
    return Findings(
        rows,
        notes=tuple(plan.notes),
        words={
            "visits": f"{api.visit}s",
            "targets": next(int(outcome.tied.shape[0]) for run in runs for outcome in run.values()),
            "seeds": seeds,
            "earlier": plan.earlier,
            "reports": bounds[counts[-1]].reports,
            "plan": list(plan.notes),
            "attacks": [
                {"name": attacker.name, "counts": attacker.counts, "paper": str(attacker.paper)}
                for attacker in plan.attacks
            ],
        },
        payload={"noise_removal": list(_removals(runs, plan, counts))},
        seed=seed,
    )


def _one_title(result: Result) -> str:
    words = result.words
    return (
        f"{words['attack']} on {words['targets']} of {many(words['users'], 'user')},"
        f" {many(words['epochs'], 'epoch')} ({many(words['reports'], 'observation')})"
    )


def _one_shares(result: Result) -> Iterator[tuple[str, float | Row]]:
    """Yield what a target is left among, how well noise is removed, and the bound, each with its name."""
    for row in result.rows:
        if row.quantity in _ONE:
            yield _ONE[row.quantity], row
    removal = result.payload["noise_removal"] or {}
    yield from ((text, removal[name]) for name, text in _REMOVED.items() if removal)
    yield from ((_BOUND, row) for row in result.rows if row.quantity in _BOUNDS)


def _end(name: str) -> Any:
    return lambda pair, _: getattr(pair[1], name, pair[1] if name == "value" else None), probability


ONE = Listing(
    _one_title,
    _one_shares,
    {"share": lambda pair, _: pair[0], "value": _end("value"), "low": _end("low"), "high": _end("high")},
    notes=(
        "low and high are the ends of a 95 % interval.",
        lambda result: (
            f"The attacker supposes {result.words['supposed']}." if result.words["supposed"] else ""
        ),
        "{paper}",
    ),
)


def _one_sentence(result: Result) -> Iterator[str]:
    words = result.words
    yield (
        f"After {many(words['epochs'], 'epoch')} {words['attack']} re-identifies"
        f" {_share(result.rows.rows[0])}."
    )


def _group_points(result: Result) -> Records:
    return [{"tied": size} for size, targets in result.words["left"] for _ in range(targets)]


@study(
    Layout(
        _one_title,
        say={"attack": _one_sentence},
        tables={"attack": ONE},
        charts={
            "groups": Chart(
                _group_points,
                lambda result, points: groups_figure(
                    [point["tied"] for point in points],
                    result.words["attack"],
                    result.words["users"],
                    result.words["epochs"],
                ),
            )
        },
    ),
    default=False,
)
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
) -> Findings:
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
    >>> result = reidentify(simulate(people, api_from("topics"), epochs=20, seed=1), BeuginMcDaniel())
    >>> result.words["targets"], result.words["reports"], result["unique"] > 0.9
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
    about: dict[str, Any] = {"goal": "user", "prior": "population", "observations": call}
    rows = [
        *rows_of(api, shares, **about, method="monte-carlo"),
        *rows_of(api, {"posterior": bound}, **about),
    ]
    everybody = targets.shape[0] == reports.n_users
    users = reports.users if everybody else as_labels([reports.users[int(place)] for place in targets])
    numbers = {k: v for k, v in vars(attack).items() if isinstance(v, int | float | Fraction)}
    return Findings(
        rows,
        words={
            "attack": attack.name,
            "paper": str(attack.paper),
            "supposed": ", ".join(f"{name} = {shown(value)}" for name, value in numbers.items()),
            "users": reports.n_users,
            "targets": int(outcome.tied.shape[0]),
            "epochs": call,
            "reports": columns,
            "left": sorted(Counter(outcome.tied.tolist()).items()),
        },
        payload={"noise_removal": None if outcome.removal is None else _removal(outcome.removal)},
        per_user=PerUser(users, {"tied": outcome.tied}),
        people=population,
        seed=seed,
    )


def groups_figure(tied: Sequence[int], name: str, n_users: int, epochs: int) -> Figure:
    """Draw for how many targets at most k users are left, the right one among them, or else 0.

    Examples
    --------
    >>> groups_figure([1, 1, 0, 3], "carey", 100, 5).title
    'carey after 5 epochs: among how many of 100 users a target is left'
    """
    sizes = sorted(k for k in tied if k > 0)
    steps = {1: 0} | {k: place for place, k in enumerate(sizes, start=1)} | {n_users: len(sizes)}
    chart = curves(
        [{"series": name, "k": k, "share": place / len(tied)} for k, place in steps.items()],
        Axis("k", "users left (k)", "log", 1, n_users),
        Axis("share", "targets with at most k left", "share"),
        [name],
        step="step-after",
        size=(460, 280),
    )
    after, users = many(epochs, "epoch"), many(n_users, "user")
    return Figure.of(f"{name} after {after}: among how many of {users} a target is left", chart)


def looks(most: int) -> tuple[int, ...]:
    """Return after how many observations to look: 1, every fifth, and the last.

    Examples
    --------
    >>> looks(12)
    (1, 5, 10, 12)
    """
    most = check_observations(most)
    return tuple(sorted({1, *range(_STEP, most + 1, _STEP), most}))


def _removal(removal: NoiseRemoval) -> dict[str, float]:
    """Return counts, precision and recall by plain names."""
    return {**{name: getattr(removal, name) for name in _SHARES}, **asdict(removal)}


def _removals(
    runs: Sequence[dict[tuple[str, int], Outcome]], plan: Campaign, counts: Sequence[int]
) -> Iterator[dict[str, str | float]]:
    """Yield the noise that was removed in all simulations."""
    for attacker in plan.attacks:
        for n in counts:
            outcomes = (run[attacker.name, n].removal for run in runs if (attacker.name, n) in run)
            removed = [removal for removal in outcomes if removal is not None]
            if removed:
                total = sum(removed[1:], removed[0])
                yield {"attack": attacker.name, "observations": n, **_removal(total)}
