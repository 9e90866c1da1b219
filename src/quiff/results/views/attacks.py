"""How attacks are shown: the share of users that each re-identifies, and the bound on all of them."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from quiff.apis.base import Api
from quiff.attacks.base import Attack
from quiff.attacks.bound import Bound
from quiff.attacks.campaign import Campaign, Outcome
from quiff.attacks.noise_removal import NoiseRemoval
from quiff.populations.population import Population
from quiff.results.figures.charts import Axis, curves
from quiff.results.figures.figure import Figure
from quiff.results.numbers import plain, probability, shown
from quiff.results.rows import Row, Rows
from quiff.results.table import Table
from quiff.results.views.names import heading, many, visits

_SHARES = ("precision", "recall", "kept_precision", "kept_recall")
_COUNTS = {
    "unique": "unique: a target counts if nobody but the right user is left.",
    "ties": "ties: a target counts by the probability of a right guess among those left.",
}
_BOUND = "bound: the most to expect, one target at a time"
_INTERVAL = {"low": probability, "high": probability}


def removal_facts(removal: NoiseRemoval) -> dict[str, Any]:
    """Return counts, precision and recall by plain names."""
    return {**{name: getattr(removal, name) for name in _SHARES}, **plain(removal)}


def attacked_views(
    people: Population,
    api: Api,
    plan: Campaign,
    drawn: tuple[int, int],
    rows: tuple[Row, ...],
    bounds: Mapping[int, Bound],
    removals: Sequence[tuple[str, int, NoiseRemoval]],
) -> dict[str, Any]:
    """Return title, sentences, tables and figure; `drawn` is how many targets, and simulations."""
    names = {each.name: each.name for each in plan.attacks} | {_bound_of(plan): "bound"}
    what = "Users re-identified" if plan.goal == "user" else "Secrets guessed"
    by_number = sorted(rows, key=lambda row: (row.observations, list(names).index(row.quantity)))
    tables = {
        "attacks": Table(
            f"{what}, of {many(people.n_users, 'user')}: {many(drawn[0], 'target')} in"
            f" {many(drawn[1], 'simulation')}",
            (f"{api.visit}s", "attack", "share", "low", "high"),
            tuple((row.observations, names[row.quantity], *_interval(row)) for row in by_number),
            (
                "low, high: an interval of 95 % over simulations.",
                "bound: the most that an attacker who links one target at a time can expect, that is, the"
                " probability of success of one who knows everybody's secret. What an attack achieves in some"
                " simulations is an estimate: it may lie above the bound, by sampling error.",
                *plan.notes,
            ),
            styles={"share": probability, **_INTERVAL},
        ),
        "noise": Table(
            "How well noise is removed",
            ("attack", f"{api.visit}s", "precision", "recall", "kept precision", "kept recall"),
            tuple((name, n, *(getattr(each, share) for share in _SHARES)) for name, n, each in removals),
            (
                "precision: of the topics removed, those that are noise; recall: of noise, what is removed.",
                "kept: of the topics kept, those that are genuine; of the genuine ones, those that are kept.",
            ),
        ),
    }
    tables["papers"] = Table(
        "Where the attacks are from, and what they count as success",
        ("attack", "counts", "paper"),
        tuple((each.name, each.counts, str(each.paper)) for each in plan.attacks),
        tuple(text for key, text in _COUNTS.items() if any(each.counts == key for each in plan.attacks)),
    )
    return {
        "title": f"Attacks on {many(people.n_users, 'user')}: {api.title}",
        "heading": heading(people, [api]),
        "sentences": tuple(_sentences(plan, Rows(rows), bounds, api)),
        "tables": {name: table for name, table in tables.items() if table.rows},
        "figures": {"attacks": lambda: _compared(rows, plan, people.n_users, api)},
    }


def _bound_of(plan: Campaign) -> str:
    return "posterior" if plan.goal == "user" else "goal_posterior"


def _interval(row: Row) -> tuple[Any, Any, Any]:
    return row.value, row.low, row.high


def _after(api: Api, looks: int) -> str:
    return visits(api, looks - 1 + api.shown_at_first)


def _sentences(plan: Campaign, rows: Rows, bounds: Mapping[int, Bound], api: Api) -> Iterator[str]:
    last, quantity = max(bounds), _bound_of(plan)
    after, limit = _after(api, last), bounds[last]
    verb = "re-identifies" if plan.goal == "user" else "guesses the secret of"
    final = [row for row in rows.where(observations=last).rows if row.quantity != quantity]
    best, *others = sorted(final, key=lambda row: -row.value)
    also = ", ".join(f"{row.quantity} {probability(row.value)}{_ends(row)}" for row in others)
    yield (
        f"After {after} {best.quantity} {verb} {_read(best.value, best.low, best.high)}"
        f"{f'; {also}' if also else ''}."
    )
    seen = f", from the {many(limit.reports, 'observation')} that a site has by then"
    above = f" That {best.quantity} lies above it is sampling error." if best.value > limit.value else ""
    yield (
        f"The bound: no attack that matches each target alone can expect more than "
        f"{'' if limit.method == 'exact' else 'about '}{probability(limit.value)} after {after}"
        f"{seen if limit.reports != last else ''}.{above}"
    )


def _ends(row: Row) -> str:
    if row.low is None or row.high is None:
        return ""
    return f" ({probability(row.low)} to {probability(row.high)})"


def _read(value: Any, low: Any, high: Any) -> str:
    return f"{probability(value)} of the users (95 % interval {probability(low)} to {probability(high)})"


def _compared(rows: Sequence[Row], plan: Campaign, n_users: int, api: Api) -> Figure:
    """Draw the share that each attack re-identifies against observations, the bound in grey."""
    names = {each.name: each.name for each in plan.attacks} | {_bound_of(plan): _BOUND}
    records = [
        {
            "series": names[row.quantity],
            "observations": row.observations,
            "share": float(row.value),
            "low": float(row.value if row.low is None else row.low),
            "high": float(row.value if row.high is None else row.high),
        }
        for row in rows
    ]
    first = f", the first with {plan.earlier + 1} observations" if plan.earlier else ""
    across = Axis("observations", f"{api.visit}s{first}", "count")
    up = Axis("share", "share of users", "share")
    chart = curves(
        records, across, up, [each.name for each in plan.attacks], points=True, bound=_BOUND, size=(440, 320)
    )
    last = max(row.observations for row in rows)
    best = max(
        (row for row in rows if row.observations == last and row.quantity != _bound_of(plan)),
        key=lambda row: row.value,
    )
    return Figure.of(
        f"After {_after(api, last)}, {names[best.quantity]} re-identifies {probability(best.value)}"
        f"{_ends(best)} of {many(n_users, 'user')}",
        chart,
    )


def one_attack_views(
    attack: Attack, n_users: int, epochs: int, reports: int, outcome: Outcome, bound: Bound | None
) -> dict[str, Any]:
    """Return title, sentence, table and figure of one attack."""
    after, tied, share = many(epochs, "epoch"), outcome.tied.tolist(), outcome.share
    rows: list[tuple[Any, ...]] = [
        ("only the right user left", *vars(outcome.unique).values()),
        ("re-identified, ties broken at random", *vars(outcome.right).values()),
    ]
    if outcome.removal is not None:
        removal = outcome.removal
        rows += [
            ("removed topics that were noise (precision)", removal.precision, None, None),
            ("noise that was removed (recall)", removal.recall, None, None),
            ("kept topics that were genuine", removal.kept_precision, None, None),
            ("genuine topics that were kept", removal.kept_recall, None, None),
        ]
    if bound is not None:
        rows.append((_BOUND, bound.value, bound.low, bound.high))
    numbers = {k: v for k, v in vars(attack).items() if isinstance(v, int | float | Fraction)}
    supposed = ", ".join(f"{name} = {shown(value)}" for name, value in numbers.items())
    title = (
        f"{attack.name} on {len(tied)} of {many(n_users, 'user')}, {after} ({many(reports, 'observation')})"
    )
    notes = (
        "low and high are the ends of a 95 % interval.",
        *((f"The attacker supposes {supposed}.",) if supposed else ()),  # a file does not state them
        str(attack.paper),
    )
    styles = {"value": probability, **_INTERVAL}
    return {
        "title": title,
        "sentences": (
            f"After {after} {attack.name} re-identifies {_read(share.value, share.low, share.high)}.",
        ),
        "tables": {
            "attack": Table(title, ("share", "value", "low", "high"), tuple(rows), notes, styles=styles)
        },
        "figures": {"groups": lambda: groups_figure(tied, attack.name, n_users, epochs)},
    }


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
