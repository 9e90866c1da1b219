"""The question how many users known attacks re-identify, and how far that is from what is possible."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any, cast

from quiff.apis.base import Api
from quiff.attacks.base import Attack, Sighting
from quiff.attacks.bound import attack_bound
from quiff.attacks.campaign import campaign, chosen_targets, looks, matched, simulated
from quiff.attacks.catalogue import ATTACKS
from quiff.browser.reports import Reports
from quiff.core.labels import as_labels
from quiff.errors import ParameterError
from quiff.people.population import Population
from quiff.results.figures.charts import Axis, Point, Record, curves
from quiff.results.layout import Chart, Get, Layout, Pivot
from quiff.results.numbers import many, probability, shown
from quiff.results.quantities import Quantity, register
from quiff.results.result import PerUser, Result
from quiff.results.rows import Row, Rows, rows_of
from quiff.studies.study import Findings, study
from quiff.studies.words import heading, visits
from quiff.theory.parameters import check_whole

_MOST_SEEDS = 1_000
_BOUNDS = ("posterior", "goal_posterior")  # the quantities that no attack exceeds but by chance
_COUNTS = {
    "unique": "unique: a target counts if nobody but the right user is left.",
    "ties": "ties: a target counts by the probability of a right guess among those left.",
}
_COUNTED = {
    "unique": "targets for whom the attack leaves the right user alone / targets",
    "ties": "mean of [the right user is left] / (users left)",
}
_BOUND = "bound: the most to expect, one target at a time"
_ONE = {"unique": "only the right user left", "right": "re-identified, ties broken at random"}
_REMOVED = {
    "precision": "removed topics that were noise (precision)",
    "recall": "noise that was removed (recall)",
    "kept_precision": "kept topics that were genuine",
    "kept_recall": "genuine topics that were kept",
}


def _quantity(name: str, counts: str, source: str) -> Quantity:
    meaning = "so many targets are re-identified by this attack"
    return Quantity(name, f"re-identified by {name}", "share of targets", _COUNTED[counts], meaning, source)


register(
    _quantity("bayes", "ties", "paper, eq. posterior-vulnerability: its adversary"),
    *(_quantity(name, attacker.counts, str(attacker.paper)) for name, attacker in ATTACKS.items()),
)


def _after(result: Result, looks: int) -> str:
    (api,) = result.apis.values()
    return visits(api, looks - 1 + api.shown_at_first)


def _last(result: Result) -> tuple[list[Row], Row]:
    """Return the attacks after the most observations, the one that achieves most first, and the bound."""
    last = result.rows.where(observations=result.rows.observations)
    attacks = [row for row in last if row.quantity not in _BOUNDS]
    (bound,) = (row for row in last if row.quantity in _BOUNDS)
    return sorted(attacks, key=lambda row: -row.value), bound


def _achieved(result: Result) -> str:
    (best, *others), bound = _last(result)
    verb = "re-identifies" if bound.quantity == "posterior" else "guesses the secret of"
    also = ", ".join(f"{row.quantity} {probability(row.value)}{_ends(row)}" for row in others)
    return (
        f"After {_after(result, best.observations)} {best.quantity} {verb} {_share(best)}"
        f"{f'; {also}' if also else ''}."
    )


def _possible(result: Result) -> str:
    (best, *_), bound = _last(result)
    reports, about = result.words["reports"], "" if bound.method == "exact" else "about "
    by_then = f", from the {many(reports, 'observation')} that a site has by then"
    above = f" That {best.quantity} lies above it is sampling error." if best.value > bound.value else ""
    return (
        f"The bound: no attack that matches each target alone can expect more than"
        f" {about}{probability(bound.value)} after {_after(result, bound.observations)}"
        f"{by_then if reports != bound.observations else ''}.{above}"
    )


def _ends(row: Row) -> str:
    if row.low is None or row.high is None:
        return ""
    return f" ({probability(row.low)} to {probability(row.high)})"


def _share(row: Row) -> str:
    ends = f"{probability(row.low or 0)} to {probability(row.high or 0)}"
    return f"{probability(row.value)} of the users (95 % interval {ends})"


def _listed(result: Result) -> list[Rows]:
    """Return each number by itself: after each number of observations the attacks, then the bound."""
    names = [*(entry["name"] for entry in result.words["attacks"]), *_BOUNDS]
    rows = sorted(result.rows, key=lambda row: (row.observations, names.index(row.quantity)))
    return [Rows([row]) for row in rows]


def _named(bound: str) -> Get:
    return lambda rows, _: bound if rows.rows[0].quantity in _BOUNDS else rows.rows[0].quantity


ATTACKS_TABLE = Pivot(
    "{what}, of {users}: {size}",
    records=_listed,
    columns={
        "{visits}": "observations",
        "attack": _named("bound"),
        "share": ("value", probability),
        "low": ("low", probability),
        "high": ("high", probability),
    },
    notes=(
        "low, high: an interval of 95 % over simulations.",
        "bound: the most that an attacker who links one target at a time can expect, that is, the"
        " probability of success of one who knows everybody's secret. What an attack achieves in some"
        " simulations is an estimate: it may lie above the bound, by sampling error.",
        lambda result: result.notes,
    ),
    keep=len(ATTACKS) + 1,
)
NOISE = Pivot(
    "How well noise is removed",
    records="noise_removal",
    columns={
        "attack": "attack",
        "{visits}": "observations",
        **{name.replace("_", " "): name for name in _REMOVED},
    },
    notes=(
        "precision: of the topics removed, those that are noise; recall: of noise, what is removed.",
        "kept: of the topics kept, those that are genuine; of the genuine ones, those that are kept.",
    ),
)


def _counted(result: Result) -> list[str]:
    counts = {entry["counts"] for entry in result.words["attacks"]}
    return [text for key, text in _COUNTS.items() if key in counts]


PAPERS = Pivot(
    "Where the attacks are from, and what they count as success",
    records=lambda result: result.words["attacks"],
    columns={"attack": "name", "counts": "counts", "paper": "paper"},
    notes=(_counted,),
)


def _drawn(points: list[Record], result: Result) -> Any:
    """Return the share that each attack re-identifies against observations, the bound in grey."""
    earlier, attacks = result.words["earlier"], [entry["name"] for entry in result.words["attacks"]]
    first = f", the first with {earlier + 1} observations" if earlier else ""
    across = Axis("observations", f"{result.words['visits']}{first}", "count")
    up = Axis("share", "share of users", "share")
    return curves(points, across, up, attacks, points=True, bound=_BOUND, size=(440, 320))


def _figure_title(result: Result) -> str:
    (best, *_), _ = _last(result)
    return (
        f"After {_after(result, best.observations)}, {best.quantity} re-identifies {probability(best.value)}"
        f"{_ends(best)} of {result.words['users']}"
    )


LAYOUT = Layout(
    "Attacks on {users}: {api}",
    say={"attacks": _achieved, "bound": _possible},
    tables={"attacks": ATTACKS_TABLE, "noise": NOISE, "papers": PAPERS},
    charts={
        "attacks": Chart(
            _figure_title,
            records=_listed,
            points={
                "series": _named(_BOUND),
                "observations": "observations",
                "share": "value",
                "low": "low",
                "high": "high",
            },
            draw=_drawn,
        )
    },
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

    achieved = simulated(plan, counts, seeds, seed)
    about = {"goal": plan.goal, "prior": "population", "method": "monte-carlo"}
    rows: list[Row] = []
    for (name, n), share in achieved.shares.items():
        rows += rows_of(api, {name: share}, observations=n, **about)
    for n, bound in achieved.bounds.items():
        quantity = "posterior" if plan.goal == "user" else "goal_posterior"
        rows += rows_of(api, {quantity: bound}, observations=n, **about)
    return Findings(
        rows,
        notes=tuple(plan.notes),
        words={
            "visits": f"{api.visit}s",
            "size": f"{many(achieved.targets, 'target')} in {many(seeds, 'simulation')}",
            "what": "Users re-identified" if plan.goal == "user" else "Secrets guessed",
            "targets": achieved.targets,
            "earlier": plan.earlier,
            "reports": achieved.bounds[counts[-1]].reports,
            "attacks": [
                {"name": attacker.name, "counts": attacker.counts, "paper": str(attacker.paper)}
                for attacker in plan.attacks
            ],
        },
        payload={
            "noise_removal": [
                {"attack": name, "observations": n, **removal.shares(), **asdict(removal)}
                for (name, n), removal in achieved.removals.items()
            ]
        },
        seed=seed,
    )


_ONE_TITLE = "{attack} on {targets} of {users}, {length} ({seen})"


def _one_shares(result: Result) -> list[tuple[Any, ...]]:
    """Return what a target is left among, how well noise is removed, and the bound, each with its name."""
    names = _ONE | dict.fromkeys(_BOUNDS, _BOUND)
    shares = [
        (names[row.quantity], row.value, row.low, row.high) for row in result.rows if row.quantity in names
    ]
    removal = result.payload["noise_removal"] or {}
    removed = [(text, removal[name], None, None) for name, text in _REMOVED.items() if removal]
    return [*shares[: len(_ONE)], *removed, *shares[len(_ONE) :]]


ONE = Pivot(
    _ONE_TITLE,
    records=_one_shares,
    columns={"share": 0, "value": (1, probability), "low": (2, probability), "high": (3, probability)},
    notes=(
        "low and high are the ends of a 95 % interval.",
        lambda result: (
            f"The attacker supposes {result.words['supposed']}." if result.words["supposed"] else ""
        ),
        "{paper}",
    ),
)


def _one_sentence(result: Result) -> str:
    words = result.words
    return f"After {words['length']} {words['attack']} re-identifies {_share(result.rows.rows[0])}."


def _group_points(result: Result) -> list[Point]:
    """Return for how many targets at most k users are left, the right one among them."""
    words, total, below = result.words, sum(targets for _, targets in result.words["left"]), 0
    steps = {1: 0}
    for size, targets in words["left"]:
        below += targets if size else 0
        steps |= {size: below} if size else {}
    steps[words["n_users"]] = below
    return [Point(words["attack"], k, count / total) for k, count in steps.items()]


@study(
    Layout(
        _ONE_TITLE,
        say={"attack": _one_sentence},
        tables={"attack": ONE},
        charts={
            "groups": Chart(
                "Among how many of {users} a target is left: {attack} after {length}",
                points=_group_points,
                draw=lambda points, result: curves(
                    points,
                    Axis("x", "users left (k)", "log", 1, result.words["n_users"]),
                    Axis("y", "targets with at most k left", "share"),
                    step="step-after",
                    size=(460, 280),
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
            "simulate two",
            what="reports",
            value=reports.sites.size,
            allowed="two sites",
        )
    seed = check_whole("seed", seed, 0)
    site = reports.sites[0] if known is None else known
    other = reports.sites[min(1, reports.sites.size - 1)] if query is None else query
    sightings = [Sighting.of(reports, each, call) for each in (site, other)]
    targets = chosen_targets(reports.n_users, sample, seed)
    outcome = matched(attack, sightings, targets, population)
    removal = outcome.removal
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
            "n_users": reports.n_users,
            "users": many(reports.n_users, "user"),
            "targets": int(outcome.tied.shape[0]),
            "length": many(call, "epoch"),
            "reports": columns,
            "seen": many(columns, "observation"),
            "left": sorted(Counter(outcome.tied.tolist()).items()),
        },
        payload={"noise_removal": removal and removal.shares() | asdict(removal)},
        per_user=PerUser(users, {"tied": outcome.tied}),
        people=population,
        seed=seed,
    )
