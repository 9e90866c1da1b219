"""How attacks are shown: the share of users that each re-identifies, and the bound on all of them."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from quiff.apis.base import Api
from quiff.attacks.base import Attack
from quiff.attacks.bound import Bound
from quiff.attacks.campaign import Campaign, Outcome
from quiff.attacks.noise_removal import NoiseRemoval
from quiff.epochs.estimate import Estimate
from quiff.errors import counted
from quiff.populations.population import Population
from quiff.results.figures.attacks import comparison_figure, groups_figure
from quiff.results.numbers import plain, probability, shown
from quiff.results.table import Table

if TYPE_CHECKING:
    from quiff.results.figures.figure import Figure

Points: TypeAlias = tuple[tuple[str, int, Estimate], ...]
_SHARES = ("precision", "recall", "kept_precision", "kept_recall")
_COUNTS = {
    "unique": "unique: a target counts if nobody but the right user is left.",
    "ties": "ties: a target counts by the probability of a right guess among those left.",
}


def removal_facts(removal: NoiseRemoval) -> dict[str, Any]:
    """Return counts, precision and recall by plain names."""
    return {**{name: getattr(removal, name) for name in _SHARES}, **plain(removal)}


def attacked_views(
    people: Population,
    api: Api,
    plan: Campaign,
    targets: int,
    seeds: int,
    points: Points,
    bounds: Mapping[int, Bound],
    removals: Sequence[tuple[str, int, NoiseRemoval]],
) -> dict[str, Any]:
    """Return title, sentences, tables and figures of attacks after growing numbers of observations."""
    names, unit = [each.name for each in plan.attacks], _unit(api)
    tables = {"attacks": _shares(people, plan, targets, seeds, points, bounds, unit)}
    if removals:
        tables["noise"] = _removal_table(removals, unit)

    def draw() -> "Figure":
        marks = [(name, n, share.value, share.low, share.high) for name, n, share in points]
        limits = [(n, bound.value, bound.low, bound.high) for n, bound in bounds.items()]
        return comparison_figure(marks, limits, names, people.n_users, f"{unit}s")

    return {
        "title": f"Attacks on {counted(people.n_users, 'user')}: {api.title}",
        "sentences": tuple(_sentences(plan, points, bounds, unit)),
        "tables": tables,
        "figures": {"attacks": draw},
    }


def _unit(api: Api) -> str:
    """Return how observations are counted: by epochs where one is of several days."""
    return "observation" if api.unit.days is None else "epoch"


def _shares(
    people: Population,
    plan: Campaign,
    targets: int,
    seeds: int,
    points: Points,
    bounds: Mapping[int, Bound],
    unit: str,
) -> Table:
    """Return the share that each attack re-identifies, a row for each number of observations."""
    cells = {(name, n): f"{s.value:.4f} ± {(s.high - s.low) / 2:.4f}" for name, n, s in points}
    rows = tuple(
        (n, bound.value, *(cells.get((each.name, n)) for each in plan.attacks)) for n, bound in bounds.items()
    )
    what = "Users re-identified" if plan.goal == "user" else "Secrets guessed"
    return Table(
        f"{what}, of {people.n_users}: {counted(targets, 'target')} in {counted(seeds, 'simulation')}",
        (f"{unit}s", "bound", *(each.name for each in plan.attacks)),
        rows,
        (
            "Shares with half the width of their 95 % interval over simulations.",
            *(f"{each.name} ({each.counts}): {each.paper}" for each in plan.attacks),
            *(text for key, text in _COUNTS.items() if any(each.counts == key for each in plan.attacks)),
            "bound: the probability of success of an adversary who knows everybody's secret, after as many"
            " observations; no attack on one target at a time exceeds it but by sampling error.",
            *plan.notes,
        ),
    )


def _removal_table(removals: Sequence[tuple[str, int, NoiseRemoval]], unit: str) -> Table:
    return Table(
        "How well noise is removed",
        ("attack", f"{unit}s", "precision", "recall", "kept precision", "kept recall"),
        tuple((name, n, *(getattr(removal, share) for share in _SHARES)) for name, n, removal in removals),
        (
            "precision: of the topics removed, those that are noise; recall: of noise, what is removed.",
            "kept: of the topics kept, those that are genuine; of the genuine ones, those that are kept.",
        ),
    )


def _sentences(plan: Campaign, points: Points, bounds: Mapping[int, Bound], unit: str) -> list[str]:
    last = max(bounds)
    limit, after = bounds[last], counted(last, unit)
    verb = "re-identifies" if plan.goal == "user" else "guesses the secret of"
    final = sorted(((name, s) for name, n, s in points if n == last), key=lambda each: -each[1].value)
    about = "" if limit.method == "exact" else "about "
    seen = (
        f", from the {counted(limit.reports, 'observation')} that a site has by then"
        if limit.reports != last
        else ""
    )
    return [
        *(
            f"After {after} {name} {verb} {probability(s.value)} of the users (95 % interval"
            f" {probability(s.low)} to {probability(s.high)})."
            for name, s in final
        ),
        f"No attack that matches each target alone can expect more than {about}{probability(limit.value)}"
        f" after {after}{seen}.",
    ]


def one_attack_views(
    attack: Attack, n_users: int, epochs: int, reports: int, outcome: Outcome, bound: Bound | None
) -> dict[str, Any]:
    """Return title, sentences, table and figure of one attack."""
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
        rows.append(("bound on every attack", bound.value, bound.low, bound.high))
    calls = f"{counted(epochs, 'epoch')} ({counted(reports, 'observation')})"
    targets = outcome.tied.shape[0]
    title = f"{attack.name} on {targets} of {counted(n_users, 'user')}, {calls}"
    notes = ("low and high are the ends of a 95 % interval.", *_supposed(attack), str(attack.paper))
    share = outcome.share
    return {
        "title": title,
        "sentences": (
            f"After {counted(epochs, 'epoch')} {attack.name} re-identifies {probability(share.value)} of the"
            f" users (95 % interval {probability(share.low)} to {probability(share.high)}).",
        ),
        "tables": {"attack": Table(title, ("share", "value", "low", "high"), tuple(rows), notes)},
        "figures": {"groups": lambda: groups_figure(outcome.tied.tolist(), attack.name, n_users, epochs)},
    }


def _supposed(attack: Attack) -> tuple[str, ...]:
    """Say which parameters the attacker takes for true: reports in a file do not state them."""
    numbers = {
        name: value for name, value in vars(attack).items() if isinstance(value, int | float | Fraction)
    }
    listed = ", ".join(f"{name} = {shown(value)}" for name, value in numbers.items())
    return (f"The attacker supposes {listed}.",) if listed else ()
